/* Beside the files of `normgen emit`; built by:   cc *.c */
#include "ng_kernels.h"
#include <stdio.h>

int main(void)
{
    float x[32], gamma[32], y[32];
    for (int i = 0; i < 32; ++i) {
        x[i] = (float)(i % 4);
        gamma[i] = 2.0f;
    }
    ng_rmsnorm_fwd_f32_h32(1, x, gamma, 1e-6f, y);
    printf("%.6f\n", y[31]);
    return ng_selftest();
}
