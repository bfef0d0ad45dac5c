/* The MPFR oracle: norms over the real numbers, at 200 bits, and the error that the contract allows against them. */
#ifndef NG_TESTS_ORACLE_H
#define NG_TESTS_ORACLE_H

#include <stddef.h>

#include <mpfr.h>

#include "spec.h"

/* One row to judge. The roundings that the contract names are exact inputs: x is h = round_R(x + residual) where the
 * norm reads a sum, and t is round_X(x * rstd) under cast=llama. A part of a row is a row whose spec has that h. */
typedef struct oracle_row {
    const ref_spec *spec;
    const double *x;
    const double *t;            /* NULL unless cast=llama */
    const double *gamma, *beta; /* NULL where the spec has none */
    double eps;
    double g;        /* of scalenorm and weightnorm */
    double alpha;    /* of dyt */
    const double *z; /* NULL where the spec has none */
} oracle_row;

/* What a kernel made of it: the results of the norm in the format Y, and the statistics, NULL where it has none. */
typedef struct oracle_output {
    const double *y, *mean, *rstd;
} oracle_output;

/* Is the row in the domain of the error bound: no overflow, and mean square (or variance) + eps >= 2^-100? */
int oracle_in_domain(const oracle_row *row);

/* The largest |output - exact| / bound over a row and its statistics; infinite if an output is not finite or there is
 * an error where the bound is 0. */
double oracle_worst_ratio(const oracle_row *row, const oracle_output *output);

/* The unit roundoff of the elements of a spec, and the error of every rounding below the normal range. */
double oracle_unit(const ref_spec *spec);
double oracle_tiny(const ref_spec *spec);

/* The depth of a sum of n elements of a row: "h = min(m, 64) + 6 + log2 nb, m stripes in a block"; with 32 lanes there
 * are twice as many stripes, and the tree is one level lower. */
double oracle_depth(size_t lanes, size_t n);

/* The error that an output may have where the exact values are z, whose error is given, and y = z * gamma + beta.
 * Applies the activation of the spec to y. */
double oracle_finish(const ref_spec *spec, double z_error, int has_gamma, double z, double gamma, mpfr_t y);

/* |exact - got| / bound; got may be NaN. */
double oracle_ratio(const mpfr_t exact, double got, double bound);

/* a * b + c, rounded to the type in which the format is computed and then to the format, as the contract does. */
double oracle_fma_to(const ref_dtype *dtype, double a, double b, double c);

/* a * b + c rounded once to float or to double, by MPFR, subnormals and overflow included. */
float oracle_fma(float a, float b, float c);
double oracle_fma_f64(double a, double b, double c);

#endif
