/* Means and sums of squares at 200 bits, with bounds for the errors that the contract's sums and merges may make.
 * docs/numerics.md derives them, in "Norms over other axes". */
#ifndef NG_TESTS_ORACLE_EXACT_H
#define NG_TESTS_ORACLE_EXACT_H

#include <mpfr.h>
#include <stddef.h>

#include "spec.h"

enum { ORACLE_BITS = 200 };

/* The orders of the contract: runs over an outer index; lanes over pieces of rows; the blocks of a row. */
typedef enum moments_order { MOMENTS_RUNS, MOMENTS_LANES, MOMENTS_BLOCKS } moments_order;

/* Values that are summed together: `pieces` pieces of `length`. */
typedef struct moments_chunk {
    const ref_spec *spec;
    moments_order order;
    size_t pieces, length;
    const double *value;
} moments_chunk;

/* n values: their mean, the sum of the squares of their distances from it, the pivot mu, and how far off mu + delta and
 * M2 may be. Of norms without a mean: mean, mu and mean_error are 0, m2 is the sum of squares. */
typedef struct moments {
    size_t n;
    mpfr_t mean, m2;
    double mu, mean_error, m2_error;
} moments;

/* Measures a chunk. Forget the result. */
void moments_measure(moments *m, const moments_chunk *chunk);

/* The moments of `n` values of which the contract's are given exactly. Forget the result. */
void moments_given(moments *m, size_t n, double mu, double delta, double m2);

/* Joins all in pairs, as the contract does, into the first; the others are forgotten. */
void moments_merge_all(const ref_spec *spec, moments *s, size_t count);

void moments_forget(moments *m);

/* The mean of m2, and by how much 1 / sqrt of it plus eps may be off, relative to it, where eps and the root are exact.
 */
double moments_variance(const moments *m);
double moments_root_error(const moments *m, double eps);

#endif
