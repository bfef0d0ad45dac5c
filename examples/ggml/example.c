/* Two kernels as custom operators in a graph of ggml, beside ggml's own norms of the same tensors.

   The rows of x lie in a larger matrix: kernels with `strided` take the distance of rows, as ggml's own operators do.
   Each thread of ggml takes some of the rows; that changes no bit. */
#include "ggml-cpu.h"
#include "ggml.h"
#include "ng_kernels.h"

#include <math.h>
#include <stdio.h>

enum { ROWS = 37 };

static const float eps = 1e-5f;

/* The distance of a tensor's rows in elements. */
static ptrdiff_t stride(const struct ggml_tensor *t)
{
    return (ptrdiff_t)(t->nb[1] / sizeof(float));
}

/* The rows of a tensor that thread ith of nth works on: the first one, and how many. */
static size_t share(const struct ggml_tensor *t, int ith, int nth, ptrdiff_t *first)
{
    *first = t->ne[1] * ith / nth;
    return (size_t)(t->ne[1] * (ith + 1) / nth - *first);
}

static void rmsnorm(struct ggml_tensor *y, int ith, int nth, void *userdata)
{
    const struct ggml_tensor *x = y->src[0], *gamma = y->src[1];
    ptrdiff_t first;
    const size_t rows = share(y, ith, nth, &first);
    (void)userdata;
    ng_rmsnorm_fwd_f32_h4096_strided(rows, (const float *)x->data + first * stride(x), stride(x), gamma->data, eps,
                                     (float *)y->data + first * stride(y), stride(y));
}

static void layernorm(struct ggml_tensor *y, int ith, int nth, void *userdata)
{
    const struct ggml_tensor *x = y->src[0], *gamma = y->src[1], *beta = y->src[2];
    ptrdiff_t first;
    const size_t rows = share(y, ith, nth, &first);
    (void)userdata;
    ng_layernorm_fwd_f32_h768_strided(rows, (const float *)x->data + first * stride(x), stride(x), gamma->data,
                                      beta->data, eps, (float *)y->data + first * stride(y), stride(y));
}

/* A node of the graph: a kernel for rows of x. */
static struct ggml_tensor *custom(struct ggml_context *ctx, ggml_custom_op_t op, struct ggml_tensor **args, int count)
{
    return ggml_custom_4d(ctx, GGML_TYPE_F32, args[0]->ne[0], args[0]->ne[1], 1, 1, args, count, op, GGML_N_TASKS_MAX,
                          NULL);
}

/* A tensor of numbers about a mean. */
static struct ggml_tensor *filled(struct ggml_context *ctx, int64_t h, int64_t rows, float mean)
{
    static unsigned state = 1;
    struct ggml_tensor *t = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, h, rows);
    for (int64_t i = 0; i < h * rows; ++i) {
        state = state * 1664525u + 1013904223u;
        ((float *)t->data)[i] = mean + (float)(state >> 8) / (float)(1 << 23) - 1;
    }
    return t;
}

/* Prints the largest difference. Returns how many are above the bound, which is for values up to about 4. */
static int compare(const char *name, const struct ggml_tensor *ours, const struct ggml_tensor *theirs)
{
    const float bound = 1e-5f;
    const int count = (int)ggml_nelements(ours);
    float largest = 0;
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        const float difference = fabsf(((const float *)ours->data)[i] - ((const float *)theirs->data)[i]);
        largest = fmaxf(largest, difference);
        wrong += !(difference <= bound);
    }
    printf("%s: values %d, largest difference %.2e, bound %.1e\n", name, count, (double)largest, (double)bound);
    return wrong;
}

int main(void)
{
    const struct ggml_init_params params = {64 << 20, NULL, false};
    struct ggml_context *ctx = ggml_init(params);
    struct ggml_cgraph *graph = ggml_new_graph(ctx);

    struct ggml_tensor *wide = filled(ctx, 3 * 4096, ROWS, 0.5f), *gamma = filled(ctx, 4096, 1, 1);
    struct ggml_tensor *x = ggml_view_2d(ctx, wide, 4096, ROWS, wide->nb[1], 4096 * sizeof(float));
    struct ggml_tensor *rms[] = {custom(ctx, rmsnorm, (struct ggml_tensor *[]){x, gamma}, 2),
                                 ggml_mul(ctx, ggml_rms_norm(ctx, x, eps), gamma)};

    struct ggml_tensor *x2 = filled(ctx, 768, ROWS, 3), *gamma2 = filled(ctx, 768, 1, 1),
                       *beta2 = filled(ctx, 768, 1, 0);
    struct ggml_tensor *layer[] = {custom(ctx, layernorm, (struct ggml_tensor *[]){x2, gamma2, beta2}, 3),
                                   ggml_add(ctx, ggml_mul(ctx, ggml_norm(ctx, x2, eps), gamma2), beta2)};
    for (int i = 0; i < 2; ++i) {
        ggml_build_forward_expand(graph, rms[i]);
        ggml_build_forward_expand(graph, layer[i]);
    }

    const int failed = ggml_graph_compute_with_ctx(ctx, graph, 2) != GGML_STATUS_SUCCESS;
    const int wrong = compare("rmsnorm", rms[0], rms[1]) + compare("layernorm", layer[0], layer[1]);
    ggml_free(ctx);
    return failed || wrong > 0 || ng_selftest() != 0;
}
