/* What the parts of the bench program share. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stddef.h>

#include "cell.h"
#include "rival.h"

/* A kernel of one of the registries; each registry has a prefix, and so a descriptor type, of its own. */
typedef struct bench_kernel {
    const char *variant; /* the registry that it comes from */
    const char *name;
    const char *target;
    const char *spec;
    const char *schedule;
    size_t read_bytes, write_bytes, call_read_bytes, call_write_bytes;
    cell_invoke *invoke;
} bench_kernel;

typedef void bench_visit(const bench_kernel *kernel, void *context);

/* Calls visit for each kernel of one registry that runs here. */
typedef void bench_registry(bench_visit *visit, void *context);

/* Memory of one call as the limits see it: bytes of a row of x (residual, y and sum are as long) and of each parameter;
   arrays that the kernel does not have are NULL. A row is read before any of it is written, and then again, if it is
   not only read once. */
typedef struct bench_traffic {
    size_t rows, row_bytes, parameter_bytes;
    int is_read_once;
    const unsigned char *x, *residual, *gamma, *beta;
    unsigned char *y, *sum;
} bench_traffic;

/* Loops without arithmetic. */
typedef struct bench_limit {
    const char *name;
    void (*run)(const bench_traffic *traffic);
} bench_limit;

extern const bench_limit bench_limits[]; /* ends with one without a name */
extern const size_t bench_limit_width;   /* bytes of a vector; rows must be whole vectors */

/* One way to call a kernel with 0 rows, `count` times. */
typedef struct bench_overhead {
    const char *label;
    void (*run)(size_t count);
} bench_overhead;

/* The generated tables of a run; each ends with NULL. */
extern bench_registry *const bench_registries[];
extern const bench_rival *const bench_rival_tables[];
extern const bench_overhead bench_overheads[]; /* ends with one without a label */

#endif
