/* The norms of the reference, one file each. */
#ifndef NG_REFERENCE_NORMS_H
#define NG_REFERENCE_NORMS_H

#include <stddef.h>

/* RMSNorm (Zhang, Sennrich 2019): "rstd = 1 / sqrt(mean(x*x) + eps), xhat = x * rstd". In place. */
void ref_rmsnorm(float *row, size_t n, float eps);

/* LayerNorm (Ba, Kiros, Hinton 2016): "mu = mean of the head; d = x - mu; delta = mean(d); v = fma(-delta, delta,
 * mean(d*d)); v = v < 0 ? 0 : v; rstd = 1 / sqrt(v + eps); xhat = ((x - mu) - delta) * rstd". In place. */
void ref_layernorm(float *row, size_t n, float eps);

#endif
