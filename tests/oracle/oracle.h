/* The MPFR oracle: norms over the real numbers, at 200 bits, and the error that the contract allows against them. */
#ifndef NG_TESTS_ORACLE_H
#define NG_TESTS_ORACLE_H

#include <stddef.h>

#include "dtype.h"

/* One row to judge. The roundings that the contract names are exact inputs: x is h = round_R(x + residual) where there
 * is a residual, and t is round_X(x * rstd) under cast=llama. */
typedef struct oracle_row {
    size_t n;
    int layernorm; /* 0: rmsnorm */
    int offset;    /* gamma stands for gamma + 1 */
    const float *x;
    const float *t;            /* NULL unless cast=llama */
    const float *gamma, *beta; /* NULL where the spec has none */
    float eps;
    const ref_dtype *y; /* format of the output */
} oracle_row;

/* Is the row in the domain of the error bound: no overflow, and mean square (or variance) + eps >= 2^-100? */
int oracle_in_domain(const oracle_row *row);

/* The largest |output[i] - exact[i]| / bound over a row; infinite if an output is not finite or there is an error where
 * the bound is 0. */
double oracle_worst_ratio(const oracle_row *row, const float *output);

/* x + y rounded once to the format, by MPFR; for results in its normal range. */
float oracle_add(float x, float y, const ref_dtype *dtype);

/* a * b + c rounded once to float, by MPFR, subnormals and overflow included. */
float oracle_fma(float a, float b, float c);

#endif
