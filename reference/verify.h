/* Compares the kernels of an emitted registry with the C reference, bit for bit. Needs POSIX (guard pages) and kernels
 * that were emitted with the prefix ng_. Not thread-safe. */
#ifndef NG_REFERENCE_VERIFY_H
#define NG_REFERENCE_VERIFY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ng_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much work a kernel gets: elements are rows * h. */
typedef struct ng_verify_effort {
    const char *name;
    size_t budget;   /* elements for one row count; it decides how many kinds of data run with it */
    size_t max_case; /* a case above it is left out, except for up to 3 rows */
    int far_rows;    /* strides beyond 2^31 elements, too: memory that emulators cannot leave untouched */
} ng_verify_effort;

extern const ng_verify_effort ng_verify_quick, ng_verify_default, ng_verify_full;

typedef struct ng_verify_options {
    uint64_t seed; /* of all random data */
    const ng_verify_effort *effort;
    long only_case; /* run the case with this index alone, or -1 */
    FILE *log;      /* one line for the first mismatch of each kernel */
} ng_verify_options;

typedef struct ng_verify_counts {
    size_t cases;      /* calls of the kernel */
    size_t outputs;    /* output elements compared */
    size_t finite;     /* those of them whose expected value is finite */
    size_t mismatches; /* wrong elements, plus one for every call that touched what it must not touch */
} ng_verify_counts;

/* Verifies one name on several targets: `count` neighbouring descriptors whose names are equal, so that the expected
 * results are computed once. Kernels that cannot run here are left out. counts[i] belongs to kernels[i].
 * Returns 0, or -1 if the reference does not understand the spec or memory ran out (said in the log). */
int ng_verify(const ng_kernel *kernels, size_t count, const ng_verify_options *options, ng_verify_counts *counts);

/* A digest of the outputs of one kernel on a fixed set of inputs. It depends on nothing but the name of the kernel:
 * every target on every machine must give the same. NaNs count as equal. */
int ng_verify_digest(const ng_kernel *kernel, uint64_t *digest);

typedef struct ng_verify_laws_counts {
    size_t kernels;     /* with at least one law that speaks of them */
    size_t comparisons; /* output elements compared */
    size_t mismatches;  /* wrong elements, plus one for every pair that cannot be called */
} ng_verify_laws_counts;

/* The laws between kernels, bit for bit, without the reference:
 *   stats     a kernel with stats gives the results of the one without
 *   strided   and with strides those of packed rows
 *   add       add, addout, alpha: those of the addition and then the kernel without, on rows of dtype R
 *   addafter  those of the kernel without and then the addition
 * and of norms over other axes:
 *   split     rows, and the chunks of a batch, computed in several calls: those of one call
 *   steps     batchnorm fwd: those of stats, merge and apply; rmsnorm: those of one shard in these steps
 *   groups    groupnorm and instancenorm in the layout nchw: those of LayerNorm, whose rows the groups are
 * Finds for each of `count` kernels the other one of each law among those of the same target, where there is one.
 * Returns 0, or -1 if the reference does not understand a spec or memory ran out (said in the log). */
int ng_verify_laws(const ng_kernel *kernels, size_t count, const ng_verify_options *options,
                   ng_verify_laws_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
