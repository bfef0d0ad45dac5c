/* Normalises a row of bf16, and the row of one attention head. */
#include "ng_kernels.h"
#include <stdio.h>

enum { WIDTH = 256, HEAD = 64 };

/* A float that bf16 holds exactly, as bf16; and the way back. */
static uint16_t to_bf16(float value)
{
    union {
        float f;
        uint32_t u;
    } bits = {value};
    return (uint16_t)(bits.u >> 16);
}

static float from_bf16(uint16_t value)
{
    union {
        uint32_t u;
        float f;
    } bits = {(uint32_t)value << 16};
    return bits.f;
}

int main(void)
{
    uint16_t x[WIDTH], residual[WIDTH], gamma[WIDTH], y[WIDTH], sum[WIDTH];
    for (int i = 0; i < WIDTH; ++i) {
        x[i] = to_bf16((float)(i % 7));
        residual[i] = to_bf16((float)(i % 5));
        gamma[i] = to_bf16(1.0f);
    }
    ng_rmsnorm_fwd_bf16_h256_addout(1, x, residual, gamma, 1e-5f, y, sum);
    printf("%g %g\n", (double)from_bf16(y[WIDTH - 1]), (double)from_bf16(sum[WIDTH - 1]));
    ng_rmsnorm_fwd_bf16_h64(WIDTH / HEAD, x, gamma, 1e-5f, y);
    printf("%g\n", (double)from_bf16(y[WIDTH - 1]));
    return ng_selftest();
}
