/* LIBXSMM 2, whose code generator makes the parts of a norm: its layernorm sample (samples/equation), one row at a
   time, a row seen as columns of 64 elements. The variance of LayerNorm is E[x^2] - E[x]^2. */
#include "../rival.h"

#include <libxsmm.h>
#include <libxsmm_version.h>
#include <math.h>
#include <stdlib.h>

enum { COLUMN = 64, X = 0, SCALE = 1, SHIFT = 2 };

typedef struct state {
    libxsmm_meltwfunction_binary add;
    libxsmm_meltwfunction_unary columns; /* sums of the columns: of x and x^2, RMSNorm of x^2 alone */
    libxsmm_meltwfunction_unary rest;    /* the sum of these sums */
    libxsmm_meqn_function map;
} state;

static void push_argument(libxsmm_blasint equation, libxsmm_blasint at, libxsmm_blasint m, libxsmm_blasint n,
                          libxsmm_datatype dtype)
{
    libxsmm_meqn_push_back_arg(
        libxsmm_create_meqn_arg_metadata(equation, at), libxsmm_create_meqn_arg_shape(m, n, m, dtype),
        libxsmm_create_matrix_arg_attributes(LIBXSMM_MATRIX_ARG_TYPE_SINGULAR, LIBXSMM_MATRIX_ARG_SET_TYPE_NONE, 0, 0));
}

/* x * scale * gamma */
static libxsmm_blasint rmsnorm_map(libxsmm_blasint n, libxsmm_datatype dtype)
{
    const libxsmm_blasint equation = libxsmm_meqn_create();
    const libxsmm_meqn_op_metadata op = libxsmm_create_meqn_op_metadata(equation, -1);
    libxsmm_meqn_push_back_binary_op(op, LIBXSMM_MELTW_TYPE_BINARY_MUL, LIBXSMM_DATATYPE_F32,
                                     LIBXSMM_MELTW_FLAG_BINARY_NONE);
    libxsmm_meqn_push_back_binary_op(op, LIBXSMM_MELTW_TYPE_BINARY_MUL, LIBXSMM_DATATYPE_F32,
                                     LIBXSMM_MELTW_FLAG_BINARY_BCAST_SCALAR_IN_1);
    push_argument(equation, X, COLUMN, n, dtype);
    push_argument(equation, SCALE, 1, 1, LIBXSMM_DATATYPE_F32);
    push_argument(equation, SCALE + 1, COLUMN, n, dtype);
    return equation;
}

/* (x * scale + shift) * gamma + beta */
static libxsmm_blasint layernorm_map(libxsmm_blasint n, libxsmm_datatype dtype)
{
    const libxsmm_blasint equation = libxsmm_meqn_create();
    const libxsmm_meqn_op_metadata op = libxsmm_create_meqn_op_metadata(equation, -1);
    libxsmm_meqn_push_back_ternary_op(op, LIBXSMM_MELTW_TYPE_TERNARY_MULADD, LIBXSMM_DATATYPE_F32,
                                      LIBXSMM_MELTW_FLAG_TERNARY_REUSE_IN_2_AS_OUT);
    libxsmm_meqn_push_back_ternary_op(op, LIBXSMM_MELTW_TYPE_TERNARY_MULADD, LIBXSMM_DATATYPE_F32,
                                      LIBXSMM_MELTW_FLAG_TERNARY_BCAST_SCALAR_IN_1 |
                                          LIBXSMM_MELTW_FLAG_TERNARY_BCAST_SCALAR_IN_2 |
                                          LIBXSMM_MELTW_FLAG_TERNARY_REUSE_IN_2_AS_OUT);
    push_argument(equation, X, COLUMN, n, dtype);
    push_argument(equation, SCALE, 1, 1, LIBXSMM_DATATYPE_F32);
    push_argument(equation, SHIFT, 1, 1, LIBXSMM_DATATYPE_F32);
    push_argument(equation, SHIFT + 1, COLUMN, n, dtype);
    push_argument(equation, SHIFT + 2, COLUMN, n, dtype);
    return equation;
}

static int make(state *s, const bench_call *c)
{
    const int layernorm = c->norm == BENCH_LAYERNORM;
    const libxsmm_datatype f32 = LIBXSMM_DATATYPE_F32, dtype = c->dtype == BENCH_F32 ? f32 : LIBXSMM_DATATYPE_BF16;
    const libxsmm_blasint n = (libxsmm_blasint)(c->h / COLUMN);
    libxsmm_init();
    s->add = libxsmm_dispatch_meltw_binary(
        LIBXSMM_MELTW_TYPE_BINARY_ADD,
        libxsmm_create_meltw_binary_shape(COLUMN, n, COLUMN, COLUMN, COLUMN, dtype, dtype, dtype, f32),
        LIBXSMM_MELTW_FLAG_BINARY_NONE);
    s->columns = libxsmm_dispatch_meltw_unary(
        layernorm ? LIBXSMM_MELTW_TYPE_UNARY_REDUCE_X_X2_OP_ADD : LIBXSMM_MELTW_TYPE_UNARY_REDUCE_X2_OP_ADD,
        libxsmm_create_meltw_unary_shape(COLUMN, n, COLUMN, COLUMN, dtype, f32, f32),
        LIBXSMM_MELTW_FLAG_UNARY_REDUCE_COLS);
    s->rest = libxsmm_dispatch_meltw_unary(LIBXSMM_MELTW_TYPE_UNARY_REDUCE_X_OP_ADD,
                                           libxsmm_create_meltw_unary_shape(COLUMN, 1, COLUMN, 1, f32, f32, f32),
                                           LIBXSMM_MELTW_FLAG_UNARY_REDUCE_ROWS);
    s->map = libxsmm_dispatch_meqn(layernorm ? layernorm_map(n, dtype) : rmsnorm_map(n, dtype),
                                   libxsmm_create_meqn_arg_shape(COLUMN, n, COLUMN, dtype));
    return s->add && s->columns && s->rest && s->map;
}

static int open_libxsmm(bench_call *call)
{
    if (call->fusion == BENCH_ADD || call->dtype == BENCH_F16 || call->h % COLUMN != 0) return 0;
    state *s = malloc(sizeof *s);
    if (s && make(s, call)) {
        call->state = s;
        return 1;
    }
    free(s);
    return 0;
}

static int open_rmsnorm(bench_call *call)
{
    return call->norm == BENCH_RMSNORM && open_libxsmm(call);
}

static int open_layernorm(bench_call *call)
{
    return call->norm == BENCH_LAYERNORM && open_libxsmm(call);
}

static void close_libxsmm(bench_call *call)
{
    free(call->state);
}

static float sum_of(const state *s, float *values)
{
    float sum;
    const libxsmm_meltw_unary_param param = {.in.primary = values, .out.primary = &sum};
    s->rest(&param);
    return sum;
}

static void run_libxsmm(const bench_call *c)
{
    const state *s = c->state;
    const int layernorm = c->norm == BENCH_LAYERNORM;
    const size_t bytes = c->h * (c->dtype == BENCH_F32 ? 4 : 2);
    float sums[2 * COLUMN], scale, shift;
    libxsmm_matrix_arg inputs[5] = {{0}};
    inputs[SCALE].primary = &scale;
    inputs[SHIFT].primary = &shift;
    inputs[layernorm ? SHIFT + 1 : SCALE + 1].primary = (void *)(uintptr_t)c->gamma;
    if (layernorm) inputs[SHIFT + 2].primary = (void *)(uintptr_t)c->beta;
    for (size_t r = 0; r < c->rows; r++) {
        char *row = (char *)(uintptr_t)c->x + r * bytes;
        if (c->fusion == BENCH_ADDOUT) {
            const libxsmm_meltw_binary_param add = {.in0.primary = row,
                                                    .in1.primary = (char *)(uintptr_t)c->residual + r * bytes,
                                                    .out.primary = (char *)c->sum + r * bytes};
            s->add(&add);
            row = (char *)c->sum + r * bytes;
        }
        const libxsmm_meltw_unary_param columns = {.in.primary = row, .out.primary = sums};
        s->columns(&columns);
        const float mean = layernorm ? sum_of(s, sums) / (float)c->h : 0;
        const float squares = sum_of(s, layernorm ? sums + COLUMN : sums) / (float)c->h;
        scale = 1 / sqrtf(fmaxf(squares - mean * mean, 0) + c->eps);
        shift = -mean * scale;
        inputs[X].primary = row;
        const libxsmm_meqn_param map = {.inputs = inputs, .output.primary = (char *)c->y + r * bytes};
        s->map(&map);
    }
}

const bench_rival BENCH_RIVALS[] = {
    {"libxsmm " LIBXSMM_CONFIG_VERSION, 1, open_rmsnorm, run_libxsmm, close_libxsmm},
    {"libxsmm " LIBXSMM_CONFIG_VERSION " one-pass", 0, open_layernorm, run_libxsmm, close_libxsmm},
    {NULL, 0, NULL, NULL, NULL},
};
