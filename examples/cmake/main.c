/* A decoder's norms from a library, an encoder's from a header. */
#define ENC_STATIC
#define ENC_IMPLEMENTATION
#include "enc_kernels_single.h"
#include "ng_tiny.h"
#include <stdio.h>

enum { WIDTH = 64 };

int main(void)
{
    float x[WIDTH], residual[WIDTH], gamma[WIDTH], beta[WIDTH] = {0}, y[WIDTH], sum[WIDTH];
    for (int i = 0; i < WIDTH; ++i) {
        x[i] = (float)(i % 4);
        residual[i] = (float)(i % 3);
        gamma[i] = 1.0f;
    }
    ng_tiny_input_layernorm(1, x, residual, gamma, y, sum);
    printf("%.6f %.0f\n", y[WIDTH - 1], sum[WIDTH - 1]);
    ng_tiny_self_attn_q_norm(4, x, gamma, y);
    printf("%.6f\n", y[WIDTH - 1]);
    enc_layernorm_fwd_f32_h48(1, x, gamma, beta, 1e-5f, y);
    printf("%.6f\n", y[47]);
    return ng_selftest() || enc_selftest();
}
