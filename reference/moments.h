/* The statistics of a set of values, and how those of two sets become those of both. */
#ifndef NG_REFERENCE_MOMENTS_H
#define NG_REFERENCE_MOMENTS_H

#include "sums.h"

/* "Chunk statistics: (n, mu, delta, M2)": n values around a pivot mu, their mean mu + delta, and the sum of the squares
 * of their distances from it. Of norms without a mean "(n, S)": S is in m2, and mu and delta are 0. */
typedef struct moments {
    size_t n;
    real mu, delta, m2;
} moments;

/* "clamp0": a comparison, so that NaN stays NaN. */
static real clamp0(real v)
{
    return v < 0 ? 0 : v;
}

/* "w = (real)nb / (real)n; diff = (mu_b - mu_a) + (delta_b - delta_a); mu = mu_a; delta = fma(diff, w, delta_a); M2 =
 * fma(diff * diff, (real)na * w, M2_a + M2_b)." With mu and delta 0 that leaves "S_a + S_b". */
static moments merge(moments a, moments b)
{
    const size_t n = a.n + b.n;
    const real w = (real)b.n / (real)n;
    const real difference = (b.mu - a.mu) + (b.delta - a.delta);
    const real between = difference * difference;
    const real weight = (real)a.n * w;
    return (moments){n, a.mu, real_fma(difference, w, a.delta), real_fma(between, weight, a.m2 + b.m2)};
}

/* "Pairwise over the chunk index, level by level: s[i] = merge(s[2i], s[2i+1]); an odd last one goes up as it is."
 * Overwrites s. */
static moments merge_all(moments *s, size_t count)
{
    for (; count > 1; count = (count + 1) / 2) {
        for (size_t i = 0; 2 * i < count; i++) {
            s[i] = 2 * i + 1 < count ? merge(s[2 * i], s[2 * i + 1]) : s[2 * i];
        }
    }
    return s[0];
}

/* "variance = M2 / (real)n", or S / n. */
static real mean_of_m2(moments s)
{
    return s.m2 / (real)s.n;
}

/* "rstd = 1 / sqrt(variance + eps)." */
static real rstd_of(moments s, real eps)
{
    return reciprocal_root(mean_of_m2(s), eps);
}

/* "xhat = ((x - mu) - delta) * rstd"; without a mean "x * rstd". */
static real normalised(real x, moments s, real rstd)
{
    return ((x - s.mu) - s.delta) * rstd;
}

#endif
