/* The data of the verifier. Made with integers, exact steps and explicit fma, so that every host makes the same bits.
 */
#ifndef NG_REFERENCE_VERIFY_DATA_H
#define NG_REFERENCE_VERIFY_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "dtype.h"

/* A generator of random bits (splitmix64). */
typedef struct verify_random {
    uint64_t state;
} verify_random;

/* A generator for one case of one seed. */
verify_random verify_random_for(uint64_t seed, uint64_t index);

uint64_t verify_random_bits(verify_random *random);

/* A number from 0 to n - 1. */
uint32_t verify_random_below(verify_random *random, uint32_t n);

/* What an array of random data is for. */
typedef enum verify_role {
    VERIFY_X_ALONE,
    VERIFY_X_BESIDE_RESIDUAL,
    VERIFY_RESIDUAL,
    VERIFY_PARAMETER,
    VERIFY_STATISTIC
} verify_role;

/* An array to fill: a row of a matrix, all rows of one, a parameter, or statistics. */
typedef struct verify_row {
    verify_role role;
    int is_square; /* a statistic that is never negative */
    size_t h;
    const ref_dtype *dtype;  /* of the array */
    const ref_dtype *sum;    /* R: what x and residual are added in */
    const ref_dtype *output; /* Y */
} verify_row;

/* Fills h reals (doubles for f64, else floats). */
typedef void verify_fill(verify_random *random, const verify_row *what, void *row);

/* A kind of data: how the rows of x and residual, how gamma and beta, and how statistics are filled. */
typedef struct verify_kind {
    const char *name;
    verify_fill *fill_row, *fill_parameter, *fill_statistic;
    double eps; /* the eps that this kind needs, or -1 */
} verify_kind;

/* Strongest first: where there is time for a few kinds only, the first are taken. 17 is prime, so that with the index
 * of a case all combinations of kind, alias form, placement and scalars come by. */
enum { VERIFY_KINDS = 17 };

/* The kinds for data that are computed in float, and for f64. */
extern const verify_kind verify_kinds_f32[VERIFY_KINDS], verify_kinds_f64[VERIFY_KINDS];

#endif
