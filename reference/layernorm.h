#ifndef NG_REFERENCE_LAYERNORM_H
#define NG_REFERENCE_LAYERNORM_H

#include "norm.h"

/* LayerNorm (Ba, Kiros, Hinton 2016): "mu = mean of the head; d = x - mu; delta = mean(d); v = fma(-delta, delta,
 * mean(d*d)); v = v < 0 ? 0 : v; rstd = 1 / sqrt(v + eps); xhat = ((x - mu) - delta) * rstd". "center=full takes mu
 * over the whole row." Under acc=f64 "mu is rounded before d is formed, delta and rstd before the map". */
static statistics layernorm(const ref_spec *spec, real *row, size_t n, numbers with)
{
    const real mu = (real)mean(row, spec->center_full ? n : ref_head(n));
    for (size_t i = 0; i < n; i++) {
        row[i] = row[i] - mu; /* d */
    }
    const acc delta = mean(row, n);
    const acc v = acc_fma(-delta, delta, mean_of_squares(row, n));
    const acc rstd = reciprocal_root(v < 0 ? 0 : v, with.eps); /* a comparison, so that NaN stays NaN */
    for (size_t i = 0; i < n; i++) {
        row[i] = (row[i] - (real)delta) * (real)rstd;
    }
    return (statistics){(real)((acc)mu + delta), (real)rstd};
}

#endif
