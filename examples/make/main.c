/* Normalises a row, and the same row after a residual was added. */
#include "ng_kernels.h"
#include <stdio.h>

enum { WIDTH = 96 };

int main(void)
{
    float x[WIDTH], residual[WIDTH], gamma[WIDTH], beta[WIDTH], y[WIDTH], sum[WIDTH];
    for (int i = 0; i < WIDTH; ++i) {
        x[i] = (float)(i % 7);
        residual[i] = (float)(i % 5);
        gamma[i] = 1.0f;
        beta[i] = 0.5f;
    }
    ng_layernorm_fwd_f32_h96(1, x, gamma, beta, 1e-5f, y);
    printf("%.6f %.6f\n", y[0], y[WIDTH - 1]);
    ng_layernorm_fwd_f32_h96_addout(1, x, residual, gamma, beta, 1e-5f, y, sum);
    printf("%.6f %.6f %.0f\n", y[0], y[WIDTH - 1], sum[WIDTH - 1]);
    return ng_selftest();
}
