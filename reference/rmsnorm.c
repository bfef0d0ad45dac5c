#include "contract.h"
#include "norms.h"

void ref_rmsnorm(float *row, size_t n, float eps)
{
    const float rstd = ref_rstd(ref_mean_of_squares(row, n), eps);
    for (size_t i = 0; i < n; i++) {
        row[i] = row[i] * rstd;
    }
}
