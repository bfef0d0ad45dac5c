/* A cell: a kernel's arguments for a number of rows, filled with data, and what the reference computes from it. Shared
   by the bench and the tuner. Knows of a kernel only what its descriptor says. */
#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include <stddef.h>

#include "dtype.h"

enum { CELL_ARGUMENTS = 24 };

/* One argument, as in the descriptors of a registry. */
typedef struct cell_argument {
    const char *name;
    const char *dtype;
    const char *shape; /* "scalar", or the extents with commas in between */
    const char *io;
} cell_argument;

/* What a kernel is called with. */
typedef struct cell_signature {
    const char *spec;
    size_t h, count;
    cell_argument arguments[CELL_ARGUMENTS];
} cell_signature;

typedef void cell_invoke(size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar);

/* An array argument. */
typedef struct cell_array {
    const char *name;
    const ref_dtype *dtype;
    size_t bytes;            /* of a row, or of the whole array if all rows share it */
    size_t rows;             /* 1 if all rows share it */
    unsigned char *data;     /* rows repeat after the period of the cell */
    unsigned char *expected; /* of an output: what the rows of a period must hold; else NULL */
} cell_array;

typedef struct cell {
    size_t rows, period, arrays;
    double mean; /* of x */
    cell_array array[CELL_ARGUMENTS];
    void *ptr[CELL_ARGUMENTS];
    ptrdiff_t stride[CELL_ARGUMENTS];
    double scalar[CELL_ARGUMENTS];
    void *arena;
    size_t arena_bytes;
} cell;

/* The value of eps in every cell. */
extern const double cell_eps;

/* Fills a cell; ends the program if that is not possible. */
void cell_open(cell *c, const cell_signature *signature, size_t rows, double mean);
void cell_close(cell *c);

/* The array of that name, or NULL. */
const cell_array *cell_find(const cell *c, const char *name);

/* Overwrites all outputs. */
void cell_spoil(cell *c);

/* Whether two rows of n elements are as good as equal although their bits differ. */
typedef int cell_close_enough(const void *context, const ref_dtype *dtype, const void *row, const void *expected,
                              size_t n);

/* Does every row hold what it must? Bit for bit, if there is no other judge. */
int cell_is_right(const cell *c, cell_close_enough *judge, const void *context);

/* Nanoseconds of a clock that never goes back. */
double cell_now(void);

/* Keeps the process on the last CPU that it may use. */
void cell_pin(void);

/* Ends the program with a message. */
void cell_die(const char *message);

#endif
