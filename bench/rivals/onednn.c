/* oneDNN 3 through its C API, one thread: a layer_normalization primitive, behind a binary one that adds the residual.
   gamma and beta are f32, with which alone its fast code works. */
#include "../rival.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
    float *parameters;
} state;

static dnnl_memory_desc_t describe(int count, const dnnl_dim_t *dims, dnnl_data_type_t dtype)
{
    dnnl_memory_desc_t desc = NULL;
    dnnl_memory_desc_create_with_tag(&desc, count, dims, dtype, count == 2 ? dnnl_ab : dnnl_a);
    return desc;
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

/* Gamma, then beta, in f32; NULL where that is not known. */
static float *to_f32(const bench_call *c)
{
    const void *const from[] = {c->gamma, c->beta};
    const size_t n = (c->layernorm ? 2 : 1) * c->h;
    float *to = c->dtype == BENCH_F16 ? NULL : malloc(n * sizeof *to);
    for (size_t i = 0; to && i < n; i++) {
        const void *array = from[i / c->h];
        const uint32_t bits = c->dtype == BENCH_F32 ? ((const uint32_t *)array)[i % c->h]
                                                    : (uint32_t)((const uint16_t *)array)[i % c->h] << 16;
        memcpy(&to[i], &bits, sizeof bits);
    }
    return to;
}

static int make_norm(state *s, const bench_call *c, const_dnnl_memory_desc_t rows)
{
    const unsigned flags = dnnl_use_scale | (c->layernorm ? dnnl_use_shift : dnnl_rms_norm);
    const dnnl_dim_t h = (dnnl_dim_t)c->h;
    dnnl_primitive_desc_t desc = NULL;
    const dnnl_status_t status = dnnl_layer_normalization_forward_primitive_desc_create(
        &desc, s->engine, dnnl_forward_inference, rows, rows, NULL, c->eps, flags, NULL);
    s->parameters = to_f32(c);
    if (!make(&s->norm, status, desc) || !s->parameters) return 0;
    dnnl_memory_desc_t row = describe(1, &h, dnnl_f32);
    const int ok = add_argument(s, &s->norm, DNNL_ARG_SRC, rows, c->fusion == BENCH_ADDOUT ? c->sum : c->x) &&
                   add_argument(s, &s->norm, DNNL_ARG_SCALE, row, s->parameters) &&
                   (!c->layernorm || add_argument(s, &s->norm, DNNL_ARG_SHIFT, row, s->parameters + c->h)) &&
                   add_argument(s, &s->norm, DNNL_ARG_DST, rows, c->y);
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
    free(s);
}

static int open_onednn(bench_call *call)
{
    static const dnnl_data_type_t dtypes[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    state *s = calloc(1, sizeof *s);
    if (call->fusion == BENCH_ADD || !s) {
        free(s);
        return 0;
    }
    call->state = s;
    const dnnl_dim_t dims[] = {(dnnl_dim_t)call->rows, (dnnl_dim_t)call->h};
    int ok = dnnl_engine_create(&s->engine, dnnl_cpu, 0) == dnnl_success &&
             dnnl_stream_create(&s->stream, s->engine, dnnl_stream_default_flags) == dnnl_success;
    if (ok) {
        dnnl_memory_desc_t rows = describe(2, dims, dtypes[call->dtype]);
        ok = (call->fusion != BENCH_ADDOUT || make_add(s, call, rows)) && make_norm(s, call, rows);
        dnnl_memory_desc_destroy(rows);
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
}

const bench_rival BENCH_RIVALS[] = {
    {"oneDNN " VERSION, 1, open_onednn, run_onednn, close_onednn},
    {NULL, 0, NULL, NULL, NULL},
};
