/* A kernel is the norm of its spec between transformations that are the same for every norm: residual before, cast,
 * affine and the rounding to Y after. A row is read as a whole before any of it is written, so that outputs may be
 * inputs.
 *
 * This is the text that f32.c, acc_f64.c and f64.c compile, each with its own types (real.h). */
#ifndef NG_REFERENCE_KERNEL_H
#define NG_REFERENCE_KERNEL_H

#include "activation.h"
#include "arithmetic.h"
#include "dot.h"
#include "dyt.h"
#include "elementary.h"
#include "layernorm.h"
#include "lengths.h"
#include "rmsnorm.h"

static norm *const norms[REF_NORMS] = {
#define NORM(constant, word, affine, has, directions, layouts, row, axes) [REF_##constant] = row,
#include "norms.inc"
};

/* One row of a call: where its arguments are, NULL for those that the spec does not have. */
typedef struct row_of_call {
    const ref_spec *spec;
    const ref_call *call;
    void *at[REF_ARGUMENTS];
} row_of_call;

/* Loads an argument's h elements of the row: those of each head, which may lie apart, one behind the other. */
static void load(const row_of_call *r, ref_argument argument, real *to)
{
    const ref_dtype *dtype = ref_argument_dtype(r->spec, argument);
    const size_t heads = ref_arguments[argument].kind == REF_MATRIX ? r->spec->heads : 1, n = r->spec->h / heads;
    for (size_t head = 0; head < heads; head++) {
        dtype->load(to + head * n, (char *)r->at[argument] + (ptrdiff_t)head * r->call->head_step[argument], n);
    }
}

/* Stores them, if the spec has the argument. */
static void store(const row_of_call *r, ref_argument argument, const real *from)
{
    const ref_dtype *dtype = ref_argument_dtype(r->spec, argument);
    const size_t heads = r->spec->heads, n = r->spec->h / heads;
    for (size_t head = 0; head < heads && dtype != NULL; head++) {
        dtype->store((char *)r->at[argument] + (ptrdiff_t)head * r->call->head_step[argument], from + head * n, n);
    }
}

static real number_at(const row_of_call *r, ref_argument argument)
{
    real value = 0;
    if (r->at[argument] != NULL) {
        memcpy(&value, r->at[argument], sizeof value);
    }
    return value;
}

/* "h = round_R(x + residual), with alpha h = round_R(fma(alpha, residual, x)), with gate round_R(fma(gate, x,
 * residual)); the norm reads h, whether it is stored or not." */
static void add_residual(const row_of_call *r, real *row)
{
    const real alpha = (real)r->call->scalars.of[REF_ALPHA];
    real other[REF_MAX_H];
    real gate[REF_MAX_H];
    load(r, REF_RESIDUAL, other);
    if (r->spec->gate) {
        load(r, REF_GATE, gate);
    }
    for (size_t i = 0; i < r->spec->h; i++) {
        row[i] = r->spec->gate    ? real_fma(gate[i], row[i], other[i])
                 : r->spec->alpha ? real_fma(alpha, other[i], row[i])
                                  : row[i] + other[i];
    }
    ref_round_row(r->spec->residual, row, r->spec->h);
}

/* "y = fma(xhat, gamma, beta) with beta, xhat * gamma without. offset=1: gamma + 1 formed in f32." Folding has another
 * use for beta. */
static void apply_affine(const row_of_call *r, real *row, ref_argument gamma, ref_argument beta)
{
    real scale[REF_MAX_H];
    real shift[REF_MAX_H];
    if (r->at[gamma] == NULL) {
        return;
    }
    load(r, gamma, scale);
    for (size_t i = 0; r->spec->offset == 1 && i < r->spec->h; i++) {
        scale[i] = scale[i] + 1;
    }
    if (r->at[beta] == NULL || r->spec->norm == REF_FOLD) {
        for (size_t i = 0; i < r->spec->h; i++) {
            row[i] = row[i] * scale[i];
        }
        return;
    }
    load(r, beta, shift);
    for (size_t i = 0; i < r->spec->h; i++) {
        row[i] = real_fma(row[i], scale[i], shift[i]);
    }
}

/* "mod: y = fma(y, 1 + scale, shift), 1 + scale formed in f32." */
static void modulate(const row_of_call *r, real *row)
{
    real scale[REF_MAX_H];
    real shift[REF_MAX_H];
    load(r, REF_SCALE, scale);
    load(r, REF_MOD_SHIFT, shift);
    for (size_t i = 0; i < r->spec->h; i++) {
        row[i] = real_fma(row[i], scale[i] + 1, shift[i]);
    }
}

/* "addafter: t = round_Y(norm(x)), y = round_R(residual + t), y has dtype R." Leaves residual + t in the row. */
static void add_to_residual(const row_of_call *r, real *row)
{
    real other[REF_MAX_H];
    ref_round_row(r->spec->y, row, r->spec->h);
    load(r, REF_RESIDUAL, other);
    for (size_t i = 0; i < r->spec->h; i++) {
        row[i] = other[i] + row[i];
    }
}

/* "zgate: times silu(z)" */
static void apply_gate(const row_of_call *r, real *row)
{
    real gate[REF_MAX_H];
    load(r, REF_Z, gate);
    for (size_t i = 0; i < r->spec->h; i++) {
        row[i] = row[i] * (real)ref_silu((float)gate[i]);
    }
}

/* The statistics of a part of the row, where the spec stores them. */
static void store_statistics(const row_of_call *r, size_t part, statistics s)
{
    if (r->at[REF_MEAN] != NULL) {
        memcpy((char *)r->at[REF_MEAN] + part * sizeof s.mean, &s.mean, sizeof s.mean);
    }
    if (r->at[REF_RSTD] != NULL) {
        memcpy((char *)r->at[REF_RSTD] + part * sizeof s.rstd, &s.rstd, sizeof s.rstd);
    }
}

/* Normalises each part of the row by itself. "cast=llama: t = round_X(x * rstd)." */
static void normalise(const row_of_call *r, real *row, const ref_dtype *cast)
{
    const size_t parts = ref_parts(r->spec), n = r->spec->h / parts;
    const double *const given = r->call->scalars.of;
    const numbers with = {(acc)(real)given[REF_EPS],
                          r->at[REF_G_ROW] != NULL ? (acc)number_at(r, REF_G_ROW) : (acc)(real)given[REF_G],
                          (real)given[REF_ALPHA]};
    for (size_t part = 0; part < parts; part++) {
        store_statistics(r, part, norms[r->spec->norm](r->spec, row + part * n, n, with));
    }
    if (r->spec->cast == REF_LLAMA) {
        ref_round_row(cast, row, r->spec->h);
    }
}

/* "fold: ybias = bias + sum(x * beta)." */
static void fold_bias(const row_of_call *r, const real *row)
{
    real beta[REF_MAX_H];
    if (r->at[REF_YBIAS] != NULL) {
        load(r, REF_BETA_ROW, beta);
        const real sum = (real)(dot(row, beta, r->spec->h) + (acc)number_at(r, REF_BIAS));
        memcpy(r->at[REF_YBIAS], &sum, sizeof sum);
    }
}

/* "sandwich: h = round_R(residual + t) is stored as sum, and normalised once more, with gamma2 and beta2." */
static void normalise_again(const row_of_call *r, real *row)
{
    add_to_residual(r, row);
    ref_round_row(r->spec->residual, row, r->spec->h);
    store(r, REF_SUM, row);
    normalise(r, row, r->spec->residual);
    apply_affine(r, row, REF_GAMMA2_ROW, REF_BETA2_ROW);
}

/* "twin: y2 is y with gamma2 and beta2." */
static void store_twin(const row_of_call *r, const real *normalised)
{
    real row[REF_MAX_H];
    memcpy(row, normalised, r->spec->h * sizeof *row);
    apply_affine(r, row, REF_GAMMA2_ROW, REF_BETA2_ROW);
    store(r, REF_Y2, row);
}

/* "The largest magnitude in the row, NaN if there is one." */
static real largest_magnitude(const real *row, size_t n)
{
    real largest = 0;
    for (size_t i = 0; i < n; i++) {
        const real magnitude = row[i] < 0 ? -row[i] : row[i];
        largest = isnan(largest) || magnitude <= largest ? largest : magnitude;
    }
    return largest;
}

/* "round=io rounds y to X first; side stores that. quant=row: m = amax(y), but Q where it is 0, and at least Q *
 * 2^-126; yscale = m / Q, y = y * (Q / m), Q = 448 for e4m3, else 127; for u8 fma(y, Q / m, 128). quant=static: y = y *
 * (1 / yscale), for u8 fma(y, 1 / yscale, yzero)." */
static void quantise(const row_of_call *r, real *row)
{
    const double *const given = r->call->scalars.of;
    const int is_u8 = strcmp(r->spec->y->name, "u8") == 0;
    const real q = strcmp(r->spec->y->name, "e4m3") == 0 ? 448 : 127;
    real factor = 1 / (real)given[REF_YSCALE];
    real zero = (real)given[REF_YZERO];
    if (r->spec->round_io) {
        ref_round_row(r->spec->x, row, r->spec->h);
    }
    store(r, REF_SIDE, row);
    if (r->spec->quant == REF_ROW) {
        const real largest = largest_magnitude(row, r->spec->h);
        const real nonzero = largest == 0 ? q : largest;
        const real most = q * (real)0x1p-126 > nonzero ? q * (real)0x1p-126 : nonzero;
        const real scale = most / q;
        memcpy(r->at[REF_YSCALE_ROW], &scale, sizeof scale);
        factor = q / most;
        zero = 128;
    }
    for (size_t i = 0; i < r->spec->h; i++) {
        row[i] = is_u8 ? real_fma(row[i], factor, zero) : row[i] * factor;
    }
}

static void compute_row(const row_of_call *r)
{
    const ref_spec *const spec = r->spec;
    real row[REF_MAX_H];
    load(r, REF_X, row);
    if (ref_adds_before(spec)) {
        add_residual(r, row);
        store(r, REF_SUM, row);
    }
    fold_bias(r, row);
    if (spec->zgate == REF_ZGATE_BEFORE) {
        apply_gate(r, row);
    }
    normalise(r, row, spec->x);
    if (spec->twin) {
        store_twin(r, row);
    }
    apply_affine(r, row, REF_GAMMA_ROW, REF_BETA_ROW);
    if (spec->mod) {
        modulate(r, row);
    }
    if (spec->fusion == REF_SANDWICH) {
        normalise_again(r, row);
    }
    if (spec->zgate == REF_ZGATE_AFTER) {
        apply_gate(r, row);
    }
    activate(spec, row, spec->h);
    if (spec->fusion == REF_ADDAFTER) {
        add_to_residual(r, row);
    }
    if (spec->quant) {
        quantise(r, row);
    }
    store(r, REF_Y, row); /* "Then one rounding to Y." */
}

static void compute(const ref_spec *spec, const ref_call *call)
{
    for (size_t row = 0; row < call->scalars.rows; row++) {
        row_of_call r = {spec, call, {NULL}};
        for (int i = 0; i < REF_ARGUMENTS; i++) {
            r.at[i] = ref_row_at(call, (ref_argument)i, row);
        }
        compute_row(&r);
    }
}

#endif
