#include "contract.h"
#include "norms.h"

void ref_layernorm(float *row, size_t n, float eps)
{
    const float mu = ref_mean(row, ref_head(n));
    for (size_t i = 0; i < n; i++) {
        row[i] = row[i] - mu; /* d */
    }
    const float delta = ref_mean(row, n);
    const float v = ref_fma(-delta, delta, ref_mean_of_squares(row, n));
    const float rstd = ref_rstd(v < 0 ? 0 : v, eps); /* a comparison, so that NaN stays NaN */
    for (size_t i = 0; i < n; i++) {
        row[i] = (row[i] - delta) * rstd;
    }
}
