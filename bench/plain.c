/* Plain C norms: one pass of sums, one pass of stores, sizes known to the compiler, pointers restrict. */
#include "plain.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define JOIN(a, b) a##b
#define JOIN2(a, b) JOIN(a, b)
#define PLAIN(name) JOIN2(name, PLAIN_SUFFIX)

static inline float widen(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint16_t narrow(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

enum { LLAMA = 4096, GPT2 = 768 };

static void rmsnorm(size_t rows, const uint16_t *restrict x, const uint16_t *restrict gamma, float eps,
                    uint16_t *restrict y)
{
    for (size_t r = 0; r < rows; r++, x += LLAMA, y += LLAMA) {
        float sum = 0;
        for (size_t i = 0; i < LLAMA; i++) sum += widen(x[i]) * widen(x[i]);
        float rstd = 1 / sqrtf(sum / LLAMA + eps);
        for (size_t i = 0; i < LLAMA; i++) y[i] = narrow(widen(x[i]) * rstd * widen(gamma[i]));
    }
}

static void rmsnorm_add(size_t rows, const uint16_t *restrict x, const uint16_t *restrict residual,
                        const uint16_t *restrict gamma, float eps, uint16_t *restrict y)
{
    for (size_t r = 0; r < rows; r++, x += LLAMA, residual += LLAMA, y += LLAMA) {
        float h[LLAMA], sum = 0;
        for (size_t i = 0; i < LLAMA; i++) {
            h[i] = widen(narrow(widen(x[i]) + widen(residual[i])));
            sum += h[i] * h[i];
        }
        float rstd = 1 / sqrtf(sum / LLAMA + eps);
        for (size_t i = 0; i < LLAMA; i++) y[i] = narrow(h[i] * rstd * widen(gamma[i]));
    }
}

static void rmsnorm_addout(size_t rows, const uint16_t *restrict x, const uint16_t *restrict residual,
                           const uint16_t *restrict gamma, float eps, uint16_t *restrict y, uint16_t *restrict out)
{
    for (size_t r = 0; r < rows; r++, x += LLAMA, residual += LLAMA, y += LLAMA, out += LLAMA) {
        float sum = 0;
        for (size_t i = 0; i < LLAMA; i++) {
            out[i] = narrow(widen(x[i]) + widen(residual[i]));
            sum += widen(out[i]) * widen(out[i]);
        }
        float rstd = 1 / sqrtf(sum / LLAMA + eps);
        for (size_t i = 0; i < LLAMA; i++) y[i] = narrow(widen(out[i]) * rstd * widen(gamma[i]));
    }
}

static void layernorm(size_t rows, const float *restrict x, const float *restrict gamma, const float *restrict beta,
                      float eps, float *restrict y)
{
    for (size_t r = 0; r < rows; r++, x += GPT2, y += GPT2) {
        float sum = 0, squares = 0;
        for (size_t i = 0; i < GPT2; i++) {
            sum += x[i];
            squares += x[i] * x[i];
        }
        float mean = sum / GPT2;
        float rstd = 1 / sqrtf(squares / GPT2 - mean * mean + eps);
        for (size_t i = 0; i < GPT2; i++) y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
    }
}

static void layernorm_addout(size_t rows, const float *restrict x, const float *restrict residual,
                             const float *restrict gamma, const float *restrict beta, float eps, float *restrict y,
                             float *restrict out)
{
    for (size_t r = 0; r < rows; r++, x += GPT2, residual += GPT2, y += GPT2, out += GPT2) {
        float sum = 0, squares = 0;
        for (size_t i = 0; i < GPT2; i++) {
            out[i] = x[i] + residual[i];
            sum += out[i];
            squares += out[i] * out[i];
        }
        float mean = sum / GPT2;
        float rstd = 1 / sqrtf(squares / GPT2 - mean * mean + eps);
        for (size_t i = 0; i < GPT2; i++) y[i] = (out[i] - mean) * rstd * gamma[i] + beta[i];
    }
}

static void run_rmsnorm(size_t rows, void *const *ptr, float eps)
{
    rmsnorm(rows, ptr[0], ptr[1], eps, ptr[2]);
}

static void run_rmsnorm_add(size_t rows, void *const *ptr, float eps)
{
    rmsnorm_add(rows, ptr[0], ptr[1], ptr[2], eps, ptr[3]);
}

static void run_rmsnorm_addout(size_t rows, void *const *ptr, float eps)
{
    rmsnorm_addout(rows, ptr[0], ptr[1], ptr[2], eps, ptr[3], ptr[4]);
}

static void run_layernorm(size_t rows, void *const *ptr, float eps)
{
    layernorm(rows, ptr[0], ptr[1], ptr[2], eps, ptr[3]);
}

static void run_layernorm_addout(size_t rows, void *const *ptr, float eps)
{
    layernorm_addout(rows, ptr[0], ptr[1], ptr[2], ptr[3], eps, ptr[4], ptr[5]);
}

const plain_loop PLAIN(plain)[] = {
    {"rmsnorm_fwd_bf16_h4096", run_rmsnorm},
    {"rmsnorm_fwd_bf16_h4096_add", run_rmsnorm_add},
    {"rmsnorm_fwd_bf16_h4096_addout", run_rmsnorm_addout},
    {"layernorm_fwd_f32_h768", run_layernorm},
    {"layernorm_fwd_f32_h768_addout", run_layernorm_addout},
    {0, 0},
};
