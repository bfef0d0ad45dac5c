/* A kernel is the norm of its spec between transformations that are the same for every norm: residual before, cast,
 * affine and the rounding to Y after. A row is read as a whole before any of it is written, so that outputs may be
 * inputs.
 *
 * This is the text that f32.c, acc_f64.c and f64.c compile, each with its own types (real.h). */
#ifndef NG_REFERENCE_KERNEL_H
#define NG_REFERENCE_KERNEL_H

#include "arithmetic.h"
#include "dyt.h"
#include "elementary.h"
#include "layernorm.h"
#include "rmsnorm.h"

static norm *const norms[] = {[REF_RMSNORM] = rmsnorm, [REF_LAYERNORM] = layernorm, [REF_DYT] = dyt};

static ref_function *const activations[] = {[REF_SILU] = ref_silu,
                                            [REF_GELU] = ref_gelu,
                                            [REF_GELUTANH] = ref_gelutanh,
                                            [REF_TANH] = ref_tanh,
                                            [REF_SIGMOID] = ref_sigmoid};

/* "h = round_R(x + residual), with alpha h = round_R(fma(alpha, residual, x)); the norm reads h, whether it is stored
 * or not." */
static void add_residual(const ref_spec *spec, real *row, const void *residual, real alpha)
{
    real other[REF_MAX_H];
    spec->residual->load(other, residual, spec->h);
    for (size_t i = 0; i < spec->h; i++) {
        row[i] = spec->alpha ? real_fma(alpha, other[i], row[i]) : row[i] + other[i];
    }
    ref_round_row(spec->residual, row, spec->h);
}

/* "y = fma(xhat, gamma, beta) with beta, xhat * gamma without. offset=1: gamma + 1 formed in f32." */
static void apply_affine(const ref_spec *spec, real *row, const void *gamma, const void *beta)
{
    real scale[REF_MAX_H];
    real shift[REF_MAX_H];
    spec->gamma->load(scale, gamma, spec->h);
    for (size_t i = 0; spec->offset == 1 && i < spec->h; i++) {
        scale[i] = scale[i] + 1;
    }
    if (beta == NULL) {
        for (size_t i = 0; i < spec->h; i++) {
            row[i] = row[i] * scale[i];
        }
        return;
    }
    spec->gamma->load(shift, beta, spec->h);
    for (size_t i = 0; i < spec->h; i++) {
        row[i] = real_fma(row[i], scale[i], shift[i]);
    }
}

/* "addafter: t = round_Y(norm(x)), y = round_R(residual + t), y has dtype R." Leaves residual + t in the row. */
static void add_to_residual(const ref_spec *spec, real *row, const void *residual)
{
    real other[REF_MAX_H];
    ref_round_row(spec->y, row, spec->h);
    spec->residual->load(other, residual, spec->h);
    for (size_t i = 0; i < spec->h; i++) {
        row[i] = other[i] + row[i];
    }
}

/* "zgate: times silu(z)" */
static void apply_gate(const ref_spec *spec, real *row, const void *z)
{
    real gate[REF_MAX_H];
    spec->x->load(gate, z, spec->h);
    for (size_t i = 0; i < spec->h; i++) {
        row[i] = row[i] * (real)ref_silu((float)gate[i]);
    }
}

static void store_statistic(void *to, real value)
{
    if (to != NULL) {
        memcpy(to, &value, sizeof value);
    }
}

static void compute_row(const ref_spec *spec, const ref_call *call, size_t index)
{
    real row[REF_MAX_H];
    void *at[REF_ARGUMENTS];
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        at[i] = ref_row_at(call, (ref_argument)i, index);
    }
    spec->x->load(row, at[REF_X], spec->h);
    if (ref_adds_before(spec)) {
        add_residual(spec, row, at[REF_RESIDUAL], (real)call->scalars.of[REF_ALPHA]);
    }
    if (at[REF_SUM] != NULL) {
        spec->residual->store(at[REF_SUM], row, spec->h);
    }
    if (spec->zgate == REF_ZGATE_BEFORE) {
        apply_gate(spec, row, at[REF_Z]);
    }
    const statistics s = norms[spec->norm](spec, row, (acc)(real)call->scalars.of[ref_norm_scalar(spec)]);
    store_statistic(at[REF_MEAN], s.mean);
    store_statistic(at[REF_RSTD], s.rstd);
    if (spec->cast == REF_LLAMA) { /* "t = round_X(x * rstd), y = t * gamma" */
        ref_round_row(spec->x, row, spec->h);
    }
    if (at[REF_GAMMA_ROW] != NULL) {
        apply_affine(spec, row, at[REF_GAMMA_ROW], at[REF_BETA_ROW]);
    }
    if (spec->zgate == REF_ZGATE_AFTER) {
        apply_gate(spec, row, at[REF_Z]);
    }
    for (size_t i = 0; spec->act != 0 && i < spec->h; i++) { /* "act: on the result, before it is rounded" */
        row[i] = (real)activations[spec->act]((float)row[i]);
    }
    if (spec->fusion == REF_ADDAFTER) {
        add_to_residual(spec, row, at[REF_RESIDUAL]);
    }
    ref_argument_dtype(spec, REF_Y)->store(at[REF_Y], row, spec->h); /* "Then one rounding to Y." */
}

static void compute(const ref_spec *spec, const ref_call *call)
{
    for (size_t row = 0; row < call->scalars.rows; row++) {
        compute_row(spec, call, row);
    }
}

/* For tests: the sums of the contract, which a double can hold. */
static double sum_of_row(const void *row, size_t n)
{
    return (double)sum_blocks(row, n, block_sum);
}

static double sum_of_squares_of_row(const void *row, size_t n)
{
    return (double)sum_blocks(row, n, block_sum_of_squares);
}

#define REF_ARITHMETIC                                                                                                 \
    {                                                                                                                  \
        LANES, sum_of_row, sum_of_squares_of_row, compute                                                              \
    }

#endif
