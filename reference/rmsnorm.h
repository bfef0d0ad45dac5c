#ifndef NG_REFERENCE_RMSNORM_H
#define NG_REFERENCE_RMSNORM_H

#include "norm.h"

/* RMSNorm (Zhang, Sennrich 2019): "rstd = 1 / sqrt(mean(x*x) + eps), xhat = x * rstd". */
static statistics rmsnorm(const ref_spec *spec, real *row, acc eps)
{
    const statistics s = {0, (real)reciprocal_root(mean_of_squares(row, spec->h), eps)};
    for (size_t i = 0; i < spec->h; i++) {
        row[i] = row[i] * s.rstd;
    }
    return s;
}

#endif
