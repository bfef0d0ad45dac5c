#ifndef NG_REFERENCE_RMSNORM_H
#define NG_REFERENCE_RMSNORM_H

#include "norm.h"

/* RMSNorm (Zhang, Sennrich 2019): "rstd = 1 / sqrt(mean(x*x) + eps), xhat = x * rstd". */
static statistics rmsnorm(const ref_spec *spec, real *row, size_t n, numbers with)
{
    const statistics s = {0, (real)reciprocal_root(mean_of_squares(row, n), with.eps)};
    (void)spec;
    for (size_t i = 0; i < n; i++) {
        row[i] = row[i] * s.rstd;
    }
    return s;
}

#endif
