/* One block of a transformer for each placement of its norms, with the kernels of specs/<placement>.lua: each block is
 * computed a second time with plain norms and additions, step by step, and must give the same bits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ng_deepnorm.h"
#include "ng_normformer.h"
#include "ng_parallel.h"
#include "ng_post_ln.h"
#include "ng_pre_ln.h"
#include "ng_sandwich.h"

enum { ROWS = 3, H = 512, INNER = 2048, HEADS = 8 };

typedef float rows_t[ROWS * H];

static float gamma_[4][INNER], beta_[4][INNER];
static rows_t stream, attention, mlp;

/* Stand-ins for attention and MLP: what they do to a row does not matter here. */
static void attend(const float *x, float *y)
{
    for (size_t i = 0; i < ROWS * H; i++) y[i] = 0.5F * x[(i + 7) % (ROWS * H)];
}

static void mix(const float *x, float *y)
{
    for (size_t i = 0; i < ROWS * H; i++) y[i] = x[i] - 0.25F * x[(i + 3) % (ROWS * H)];
}

static void add(const float *a, const float *b, float *y)
{
    for (size_t i = 0; i < ROWS * H; i++) y[i] = a[i] + b[i];
}

static void layernorm(const float *x, int which, float *y)
{
    ng_layernorm_fwd_f32_h512(ROWS, x, gamma_[which], beta_[which], 1e-5F, y);
}

static void rmsnorm(const float *x, int which, float *y)
{
    ng_rmsnorm_fwd_f32_h512(ROWS, x, gamma_[which], 1e-6F, y);
}

/* y = norm(x + attention(x)), y = norm(y + mlp(y)). */
static void post_ln(float *y, float *plain)
{
    rows_t first, sum;
    attend(stream, attention);
    ng_post_ln_attention_norm(ROWS, attention, stream, gamma_[0], beta_[0], first);
    mix(first, mlp);
    ng_post_ln_mlp_norm(ROWS, mlp, first, gamma_[1], beta_[1], y);
    add(attention, stream, sum);
    layernorm(sum, 0, first);
    mix(first, mlp);
    add(mlp, first, sum);
    layernorm(sum, 1, plain);
}

/* x = x + attention(norm(x)), x = x + mlp(norm(x)); the next norm does the last addition. */
static void pre_ln(float *y, float *plain)
{
    rows_t normed, sum, next;
    ng_pre_ln_layers_0_attention_norm(ROWS, stream, gamma_[0], beta_[0], normed);
    attend(normed, attention);
    ng_pre_ln_mlp_norm(ROWS, attention, stream, gamma_[1], beta_[1], normed, sum);
    mix(normed, mlp);
    ng_pre_ln_attention_norm(ROWS, mlp, sum, gamma_[2], beta_[2], y, next);
    layernorm(stream, 0, normed);
    attend(normed, attention);
    add(attention, stream, sum);
    layernorm(sum, 1, normed);
    mix(normed, mlp);
    add(mlp, sum, next);
    layernorm(next, 2, plain);
}

/* x = x + norm(attention(norm(x))), and the same around the MLP. */
static void sandwich(float *y, float *plain)
{
    rows_t normed, sum, next, after;
    ng_sandwich_layers_0_attention_norm(ROWS, stream, gamma_[0], normed);
    attend(normed, attention);
    ng_sandwich_mlp_norm(ROWS, attention, stream, gamma_[1], gamma_[2], normed, sum);
    mix(normed, mlp);
    ng_sandwich_attention_norm(ROWS, mlp, sum, gamma_[3], gamma_[0], y, next);
    rmsnorm(stream, 0, normed);
    attend(normed, attention);
    rmsnorm(attention, 1, after);
    add(stream, after, sum);
    rmsnorm(sum, 2, normed);
    mix(normed, mlp);
    rmsnorm(mlp, 3, after);
    add(sum, after, next);
    rmsnorm(next, 0, plain);
}

/* x = x + attention(norm(x)) + mlp(norm2(x)). */
static void parallel(float *y, float *plain)
{
    rows_t first, second, both, sum, ignored;
    ng_parallel_layers_0_norms(ROWS, stream, gamma_[0], beta_[0], gamma_[1], beta_[1], first, second);
    attend(first, attention);
    mix(second, mlp);
    add(attention, mlp, both);
    ng_parallel_norms(ROWS, both, stream, gamma_[2], beta_[2], gamma_[3], beta_[3], y, ignored, sum);
    layernorm(stream, 0, first);
    layernorm(stream, 1, second);
    attend(first, attention);
    mix(second, mlp);
    add(attention, mlp, both);
    add(both, stream, sum);
    layernorm(sum, 2, plain);
}

/* y = norm(alpha * x + attention(x)), y = norm(alpha * y + mlp(y)); alpha * x is fused into the addition. */
static void deepnorm(float *y, float *plain)
{
    rows_t first, sum;
    attend(stream, attention);
    ng_deepnorm_attention_norm(ROWS, attention, stream, gamma_[0], beta_[0], first);
    mix(first, mlp);
    ng_deepnorm_mlp_norm(ROWS, mlp, first, gamma_[1], beta_[1], y);
    for (size_t i = 0; i < ROWS * H; i++) sum[i] = fmaf(NG_DEEPNORM_MLP_NORM_ALPHA, first[i], mlp[i]);
    layernorm(sum, 1, plain);
}

/* As Pre-LN, with a norm behind attention, whose heads have factors, and one inside of the MLP. */
static void normformer(float *y, float *plain)
{
    static float weights[H * H], scaled[H * H], wide[ROWS * INNER];
    rows_t normed, sum, next, after;
    for (size_t i = 0; i < H * H; i++) weights[i] = (float)(i % 13) - 6;
    ng_normformer_head_scale(H, weights, gamma_[3], scaled); /* once, when the model is loaded */
    ng_normformer_layers_0_attention_norm(ROWS, stream, gamma_[0], beta_[0], normed);
    attend(normed, attention);
    ng_normformer_mlp_norm(ROWS, attention, stream, gamma_[1], beta_[1], gamma_[2], beta_[2], normed, sum);
    for (size_t i = 0; i < ROWS * INNER; i++) wide[i] = normed[i % (ROWS * H)] * (float)(i % 5);
    ng_normformer_inner_norm(ROWS, wide, gamma_[0], beta_[0], wide);
    for (size_t i = 0; i < ROWS * H; i++) mlp[i] = wide[i];
    ng_normformer_attention_norm(ROWS, mlp, sum, gamma_[3], beta_[3], y, next);
    layernorm(attention, 1, after);
    add(stream, after, sum);
    add(mlp, sum, next);
    layernorm(next, 3, plain);
    for (size_t i = 0; i < H * H; i++)
        if (scaled[i] != weights[i] * gamma_[3][i % H]) plain[0] = -1;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*block)(float *y, float *plain);
    } placements[] = {{"post_ln", post_ln},   {"pre_ln", pre_ln},     {"sandwich", sandwich},
                      {"parallel", parallel}, {"deepnorm", deepnorm}, {"normformer", normformer}};
    int different = 0;
    for (size_t i = 0; i < 4 * INNER; i++) {
        gamma_[i / INNER][i % INNER] = 0.5F + (float)(i % 31) / 16;
        beta_[i / INNER][i % INNER] = (float)(i % 17) / 8 - 1;
    }
    for (size_t i = 0; i < HEADS; i++) /* one factor for each head */
        for (size_t j = 1; j < H / HEADS; j++) gamma_[3][i * (H / HEADS) + j] = gamma_[3][i * (H / HEADS)];
    for (size_t p = 0; p < sizeof placements / sizeof *placements; p++) {
        rows_t y, plain;
        for (size_t i = 0; i < ROWS * H; i++) stream[i] = (float)(i * 2654435761U % 4096) / 1024 - 2;
        placements[p].block(y, plain);
        const int same = memcmp(y, plain, sizeof y) == 0;
        printf("%s: %s\n", placements[p].name, same ? "the same bits as step by step" : "other bits");
        different += !same;
    }
    return different != 0;
}
