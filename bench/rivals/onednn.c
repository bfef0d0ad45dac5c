/* oneDNN 3 through its C API, one thread: a layer_normalization primitive, behind a binary one that adds the residual,
   or a group_normalization or batch_normalization. gamma and beta are f32, with which alone its fast code works. */
#include "../rival.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "training.h"

#define STRING2(a) #a
#define STRING(a) STRING2(a)
#define VERSION STRING(DNNL_VERSION_MAJOR) "." STRING(DNNL_VERSION_MINOR) "." STRING(DNNL_VERSION_PATCH)

enum { MAX_ARGS = 6 };

typedef struct primitive {
    dnnl_primitive_t run;
    dnnl_exec_arg_t args[MAX_ARGS];
    int count;
} primitive;

typedef struct state {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    primitive norm, add;
    float *parameters; /* gamma, then beta */
    float *variance;   /* of a batch */
} state;

static dnnl_memory_desc_t describe(int count, const dnnl_dims_t dims, dnnl_data_type_t dtype, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t desc = NULL;
    dnnl_memory_desc_create_with_tag(&desc, count, dims, dtype, tag);
    return desc;
}

/* x and y: rows, or images, whose positions are seen as one line. */
static dnnl_memory_desc_t describe_data(const bench_call *c)
{
    static const dnnl_data_type_t dtypes[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    const dnnl_dims_t rows = {(dnnl_dim_t)c->rows, (dnnl_dim_t)c->h};
    const dnnl_dims_t images = {(dnnl_dim_t)c->rows, (dnnl_dim_t)c->channels, 1, (dnnl_dim_t)c->positions};
    if (c->channels == 0) return describe(2, rows, dtypes[c->dtype], dnnl_ab);
    return describe(4, images, dtypes[c->dtype], c->layout == BENCH_NCHW ? dnnl_abcd : dnnl_acdb);
}

static int add_argument(state *s, primitive *p, int what, const_dnnl_memory_desc_t desc, const void *data)
{
    dnnl_memory_t memory;
    if (dnnl_memory_create(&memory, desc, s->engine, (void *)(uintptr_t)data) != dnnl_success) return 0;
    p->args[p->count++] = (dnnl_exec_arg_t){what, memory};
    return 1;
}

/* Makes the primitive of a descriptor, which it destroys; `status` says whether there is one. */
static int make(primitive *p, dnnl_status_t status, dnnl_primitive_desc_t desc)
{
    if (status != dnnl_success) return 0;
    status = dnnl_primitive_create(&p->run, desc);
    dnnl_primitive_desc_destroy(desc);
    return status == dnnl_success;
}

static int make_add(state *s, const bench_call *c, const_dnnl_memory_desc_t rows)
{
    dnnl_primitive_desc_t desc = NULL;
    const dnnl_status_t status =
        dnnl_binary_primitive_desc_create(&desc, s->engine, dnnl_binary_add, rows, rows, rows, NULL);
    return make(&s->add, status, desc) && add_argument(s, &s->add, DNNL_ARG_SRC_0, rows, c->x) &&
           add_argument(s, &s->add, DNNL_ARG_SRC_1, rows, c->residual) &&
           add_argument(s, &s->add, DNNL_ARG_DST, rows, c->sum);
}

/* The length of gamma and beta. */
static size_t parameters_of(const bench_call *c)
{
    return c->channels > 0 ? c->channels : c->h;
}

/* Gamma, then beta, in f32; NULL where that is not known. */
static float *to_f32(const bench_call *c)
{
    const void *const from[] = {c->gamma, c->beta};
    const size_t n = parameters_of(c), count = (c->beta ? 2 : 1) * n;
    float *to = c->dtype == BENCH_F16 ? NULL : malloc(count * sizeof *to);
    for (size_t i = 0; to && i < count; i++) {
        const void *array = from[i / n];
        const uint32_t bits =
            c->dtype == BENCH_F32 ? ((const uint32_t *)array)[i % n] : (uint32_t)((const uint16_t *)array)[i % n] << 16;
        memcpy(&to[i], &bits, sizeof bits);
    }
    return to;
}

static dnnl_status_t describe_norm(dnnl_primitive_desc_t *desc, const state *s, const bench_call *c,
                                   const_dnnl_memory_desc_t data)
{
    const unsigned affine = dnnl_use_scale | dnnl_use_shift;
    switch (c->norm) {
    case BENCH_RMSNORM:
    case BENCH_LAYERNORM:
        return dnnl_layer_normalization_forward_primitive_desc_create(
            desc, s->engine, dnnl_forward_inference, data, data, NULL, c->eps,
            c->norm == BENCH_LAYERNORM ? affine : dnnl_use_scale | dnnl_rms_norm, NULL);
    case BENCH_GROUPNORM:
        return dnnl_group_normalization_forward_primitive_desc_create(
            desc, s->engine, dnnl_forward_inference, data, data, (dnnl_dim_t)c->groups, c->eps, affine, NULL);
    case BENCH_BATCHNORM_INFER:
        return dnnl_batch_normalization_forward_primitive_desc_create(
            desc, s->engine, dnnl_forward_inference, data, data, c->eps, affine | dnnl_use_global_stats, NULL);
    case BENCH_BATCHNORM_FWD:
        return dnnl_batch_normalization_forward_primitive_desc_create(desc, s->engine, dnnl_forward_training, data,
                                                                      data, c->eps, affine, NULL);
    default:
        return dnnl_unimplemented;
    }
}

static int make_norm(state *s, const bench_call *c, const_dnnl_memory_desc_t data)
{
    const dnnl_dims_t n = {(dnnl_dim_t)parameters_of(c)};
    dnnl_primitive_desc_t desc = NULL;
    const dnnl_status_t status = describe_norm(&desc, s, c, data);
    s->parameters = to_f32(c);
    if (c->norm == BENCH_BATCHNORM_FWD) s->variance = malloc(c->channels * sizeof *s->variance);
    if (!make(&s->norm, status, desc) || !s->parameters) return 0;
    const void *mean = c->mean ? c->mean : c->saved_mean, *variance = c->var ? c->var : s->variance;
    dnnl_memory_desc_t row = describe(1, n, dnnl_f32, dnnl_a);
    const int ok = add_argument(s, &s->norm, DNNL_ARG_SRC, data, c->fusion == BENCH_ADDOUT ? c->sum : c->x) &&
                   add_argument(s, &s->norm, DNNL_ARG_SCALE, row, s->parameters) &&
                   (!c->beta || add_argument(s, &s->norm, DNNL_ARG_SHIFT, row, s->parameters + *n)) &&
                   (!mean || add_argument(s, &s->norm, DNNL_ARG_MEAN, row, mean)) &&
                   (!variance || add_argument(s, &s->norm, DNNL_ARG_VARIANCE, row, variance)) &&
                   add_argument(s, &s->norm, DNNL_ARG_DST, data, c->y);
    dnnl_memory_desc_destroy(row);
    return ok;
}

static void destroy(primitive *p)
{
    for (int i = 0; i < p->count; i++) dnnl_memory_destroy(p->args[i].memory);
    if (p->run) dnnl_primitive_destroy(p->run);
}

static void close_onednn(bench_call *call)
{
    state *s = call->state;
    destroy(&s->norm);
    destroy(&s->add);
    if (s->stream) dnnl_stream_destroy(s->stream);
    if (s->engine) dnnl_engine_destroy(s->engine);
    free(s->parameters);
    free(s->variance);
    free(s);
}

static int open_onednn(bench_call *call)
{
    state *s = calloc(1, sizeof *s);
    if (call->fusion == BENCH_ADD || !s) {
        free(s);
        return 0;
    }
    call->state = s;
    int ok = dnnl_engine_create(&s->engine, dnnl_cpu, 0) == dnnl_success &&
             dnnl_stream_create(&s->stream, s->engine, dnnl_stream_default_flags) == dnnl_success;
    if (ok) {
        dnnl_memory_desc_t data = describe_data(call);
        ok = (call->fusion != BENCH_ADDOUT || make_add(s, call, data)) && make_norm(s, call, data);
        dnnl_memory_desc_destroy(data);
    }
    if (!ok) close_onednn(call);
    return ok;
}

static void run_onednn(const bench_call *call)
{
    const state *s = call->state;
    if (s->add.run) dnnl_primitive_execute(s->add.run, s->stream, s->add.count, s->add.args);
    dnnl_primitive_execute(s->norm.run, s->stream, s->norm.count, s->norm.args);
    dnnl_stream_wait(s->stream);
    for (size_t k = 0; s->variance && k < call->channels; k++)
        keep_statistics(call, k, call->saved_mean[k], s->variance[k]);
}

const bench_rival BENCH_RIVALS[] = {
    {"oneDNN " VERSION, 1, open_onednn, run_onednn, close_onednn},
    {NULL, 0, NULL, NULL, NULL},
};
