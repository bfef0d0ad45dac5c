#ifndef NG_REFERENCE_LENGTHS_H
#define NG_REFERENCE_LENGTHS_H

#include "norm.h"

/* Norms that give a row another length. */

/* "max(a, b): b > a ? b : a." */
static acc larger(acc a, acc b)
{
    return b > a ? b : a;
}

static statistics scaled_by(real *row, size_t n, acc factor)
{
    const statistics s = {0, (real)factor};
    for (size_t i = 0; i < n; i++) {
        row[i] = row[i] * s.rstd;
    }
    return s;
}

/* L2 norm: "rstd = 1 / sqrt(sum(x*x) + eps), with epsform=outside 1 / (sqrt(sum(x*x)) + eps), with epsform=max
 * 1 / max(sqrt(sum(x*x)), eps); xhat = x * rstd". */
static statistics l2norm(const ref_spec *spec, real *row, size_t n, numbers with)
{
    const acc sum = sum_blocks(row, n, block_sum_of_squares);
    const acc length = spec->epsform == REF_OUTSIDE ? root(sum) + with.eps
                       : spec->epsform == REF_MAX   ? larger(root(sum), with.eps)
                                                    : root(sum + with.eps);
    return scaled_by(row, n, 1 / length);
}

/* ScaleNorm (Nguyen, Salazar 2019): "factor = g / max(sqrt(sum(x*x)), eps), xhat = x * factor". */
static statistics scalenorm(const ref_spec *spec, real *row, size_t n, numbers with)
{
    (void)spec;
    return scaled_by(row, n, with.g / larger(root(sum_blocks(row, n, block_sum_of_squares)), with.eps));
}

/* Weight normalisation (Salimans, Kingma 2016): "factor = g / sqrt(sum(x*x)), with the row's g". */
static statistics weightnorm(const ref_spec *spec, real *row, size_t n, numbers with)
{
    (void)spec;
    return scaled_by(row, n, with.g / root(sum_blocks(row, n, block_sum_of_squares)));
}

static acc block_sum_of_magnitudes(const real *value, size_t n)
{
    acc lane[LANES] = {0};
    for (size_t i = 0; i < n; i++) {
        lane[i % LANES] += (acc)(value[i] < 0 ? -value[i] : value[i]);
    }
    return halving_tree(lane);
}

/* Lp norm with p = 1: "factor = 1 / s, s = sum(|x|), or 1 where s is 0". */
static statistics lpnorm(const ref_spec *spec, real *row, size_t n, numbers with)
{
    const acc sum = sum_blocks(row, n, block_sum_of_magnitudes);
    (void)spec;
    (void)with;
    return scaled_by(row, n, 1 / (sum == 0 ? 1 : sum));
}

/* Folding has nothing to normalise. */
static statistics fold(const ref_spec *spec, real *row, size_t n, numbers with)
{
    (void)spec;
    (void)row;
    (void)n;
    (void)with;
    return (statistics){0, 0};
}

#endif
