/* Beside the header of `normgen emit --format single`; built by:   cc *.c */
#define NG_IMPLEMENTATION
#include "ng_kernels_single.h"
#include <stdio.h>

int main(void)
{
    float x[33], gamma[33], beta[33], y[33], mean, rstd;
    for (int i = 0; i < 33; ++i) {
        x[i] = (float)(i % 3);
        gamma[i] = 1.0f;
        beta[i] = -1.0f;
    }
    ng_layernorm_fwd_f32_h33_stats(1, x, gamma, beta, 1e-5f, y, &mean, &rstd);
    printf("%.6f %.6f %.6f\n", y[32], mean, rstd);
    return ng_selftest();
}
