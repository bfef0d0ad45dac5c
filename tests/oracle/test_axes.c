/* Norms over other axes: the reference against MPFR, |y^ - y| inside the bound that docs/numerics.md derives, for every
 * kernel and layout. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/suite.h"
#include "arithmetic.h"
#include "call.h"
#include "contract.h"
#include "data.h"
#include "exact.h"
#include "oracle.h"
#include "shape.h"

/* Everything but the sizes; a group of the report each. */
static const char *const groups[] = {
    "groupnorm f32 layout=nchw",
    "groupnorm f32 layout=nhwc",
    "groupnorm bf16 layout=nchw gamma=f32 out=f32 affine=group",
    "groupnorm bf16 layout=nhwc affine=group",
    "groupnorm f64 layout=nchw affine=none",
    "groupnorm f64 layout=nhwc",
    "groupnorm f16 layout=nhwc out=f32 add",
    "groupnorm f32 layout=nhwc addafter",
    "groupnorm bf16 layout=nchw act=silu out=f32",
    "groupnorm f32 layout=nhwc act=gelu",
    "groupnorm bf16 layout=nchw addafter residual=f16 out=f32",
    "instancenorm f32 layout=nchw affine=gamma offset=1",
    "instancenorm f32 layout=nhwc affine=none",
    "layernorm f32 layout=nchw",
    "layernorm bf16 layout=nchw out=f32 add",
    "layernorm f64 layout=nchw affine=none",
    "rmsnorm f32 layout=nchw",
    "rmsnorm f64 layout=nchw affine=gamma+beta",
    "rmsnorm f16 layout=nchw",
    "batchnorm infer f32 layout=nchw",
    "batchnorm infer bf16 layout=nhwc out=f32 add",
    "batchnorm infer f64 layout=rows affine=gamma",
    "batchnorm infer f32 layout=nhwc folded",
    "batchnorm infer f32 layout=nchw act=gelutanh add",
    "batchnorm infer f32 layout=nchw act=relu",
    "batchnorm infer f64 layout=nhwc act=hardswish",
    "batchnorm infer bf16 layout=nchw folded",
    "batchnorm foldstats f32",
    "batchnorm foldstats f64 affine=gamma offset=1",
    "batchnorm foldstats f32 affine=none",
    "batchnorm fwd f32 layout=nchw",
    "batchnorm fwd f32 layout=nhwc momentum=onnx",
    "batchnorm fwd f32 layout=rows affine=none",
    "batchnorm fwd bf16 layout=nchw gamma=f32 out=f32",
    "batchnorm fwd bf16 layout=nhwc add",
    "batchnorm fwd f64 layout=nchw momentum=onnx",
    "batchnorm fwd f64 layout=nhwc addafter",
    "batchnorm stats f32 layout=nchw",
    "batchnorm stats bf16 layout=nhwc add",
    "batchnorm stats f64 layout=nchw",
    "batchnorm stats f64 layout=rows",
    "batchnorm merge f32 layout=nchw",
    "batchnorm merge f32 layout=nhwc momentum=onnx",
    "batchnorm merge f64 layout=nhwc",
    "batchnorm apply f32 layout=nchw",
    "batchnorm apply f64 layout=nhwc affine=gamma",
    "powernorm infer f32 layout=nchw",
    "powernorm fwd f32 layout=nchw",
    "powernorm fwd bf16 layout=nhwc out=f32",
    "powernorm fwd f64 layout=nchw momentum=onnx affine=none",
    "mvn f32 layout=nchw",
    "mvn f32 layout=nhwc",
    "mvn f64 layout=rows",
    "layernorm stats f32",
    "layernorm stats f64",
    "layernorm merge f32",
    "layernorm apply bf16 out=f32",
    "rmsnorm stats f32",
    "rmsnorm merge f32",
    "rmsnorm merge f64",
    "rmsnorm apply f32",
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* Rows, groups of channels, channels of a group, and positions: for shards the groups are shards. */
typedef struct size {
    size_t rows, groups, channels, positions;
} size;

static const size sizes[] = {
    {3, 1, 1, 1},    {1, 2, 1, 2},    {2, 2, 2, 7},   {1, 1, 3, 49},  {2, 1, 5, 64},   {1, 1, 10, 65},  {1, 2, 20, 7},
    {1, 1, 30, 9},   {1, 3, 40, 1},   {1, 2, 48, 2},  {1, 1, 80, 7},  {2, 3, 2, 5},    {1, 1, 2, 1024}, {2, 1, 1, 4096},
    {1, 1, 2, 4097}, {5, 1, 1, 1024}, {65, 1, 1, 64}, {2, 12, 64, 1}, {1, 1, 1, 8300}, {1, 1, 8300, 1},
};
enum { SIZES = sizeof sizes / sizeof *sizes - 1 }; /* the last is for norms of h elements alone */

/* A call: every array argument as doubles that its format can hold. */
typedef struct trial {
    char text[160];
    ref_spec spec;
    ref_scalars scalars;
    double *before[REF_ARGUMENTS]; /* what is read */
    double *after[REF_ARGUMENTS];  /* what was written */
    double *h;                     /* the elements that the norm reads */
    size_t *element;               /* room for as many indices */
    double *value;                 /* and for as many numbers */
    double worst;                  /* the largest error in units of its bound */
} trial;

static size_t count_of(const trial *t, ref_argument argument)
{
    const ref_layout layout = ref_layout_of(&t->spec, argument, &t->scalars);
    return ref_is_array(argument) && ref_argument_dtype(&t->spec, argument) != NULL ? layout.rows * layout.columns : 0;
}

static double *new_array(size_t n)
{
    double *array = calloc(n + 1, sizeof *array);
    ck_assert_ptr_nonnull(array);
    return array;
}

static void begin(trial *t, const char *text, const ref_scalars *scalars)
{
    *t = (trial){.scalars = *scalars};
    snprintf(t->text, sizeof t->text, "%s", text);
    ck_assert_msg(ref_spec_parse(text, &t->spec) == 0, "bad spec: %s", text);
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        t->before[i] = new_array(count_of(t, (ref_argument)i));
        t->after[i] = new_array(count_of(t, (ref_argument)i));
    }
    t->h = new_array(count_of(t, REF_X));
    t->value = new_array(count_of(t, REF_X));
    t->element = calloc(count_of(t, REF_X) + 1, sizeof *t->element);
    ck_assert_ptr_nonnull(t->element);
}

static void end(trial *t)
{
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        free(t->before[i]);
        free(t->after[i]);
    }
    free(t->h);
    free(t->value);
    free(t->element);
}

/* Runs the reference. */
static void run(trial *t)
{
    call c = {.in = {NULL}};
    memcpy(c.scalar, t->scalars.of, sizeof c.scalar);
    void *memory[REF_ARGUMENTS];
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        const size_t n = count_of(t, (ref_argument)i);
        const ref_dtype *dtype = ref_argument_dtype(&t->spec, (ref_argument)i);
        memory[i] = new_array(n);
        c.in[i] = c.out[i] = memory[i];
        if (n > 0) {
            call_narrow(dtype, memory[i], t->before[i], n);
        }
    }
    call_reference(t->text, t->scalars.rows, &c);
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        const size_t n = count_of(t, (ref_argument)i);
        if (n > 0) {
            call_widen(ref_argument_dtype(&t->spec, (ref_argument)i), t->after[i], memory[i], n);
        }
        free(memory[i]);
    }
}

/* ---- which elements belong together ---- */

static size_t positions_of(const trial *t)
{
    return ref_positions(&t->spec, &t->scalars);
}

static int is_batch(const trial *t)
{
    return t->spec.norm == REF_BATCHNORM || t->spec.norm == REF_POWERNORM || t->spec.norm == REF_MVN;
}

static size_t element_at(const trial *t, size_t row, size_t channel, size_t position)
{
    const size_t channels = ref_channels(&t->spec), positions = positions_of(t);
    return t->spec.layout == REF_NCHW ? (row * channels + channel) * positions + position
                                      : (row * positions + position) * channels + channel;
}

static size_t channel_of(const trial *t, size_t element)
{
    return (t->spec.layout == REF_NCHW ? element / positions_of(t) : element) % ref_channels(&t->spec);
}

/* A set of elements with the same statistics: a channel, a group of a row, a position of a row, or a shard of a row. It
 * consists of `series` series of chunks: those of the channels of a group that are merged in turn, else one. */
typedef struct slot {
    size_t series, chunks;
} slot;

static size_t slot_count(const trial *t)
{
    const size_t rows = t->scalars.rows;
    return is_batch(t) ? t->spec.c : t->spec.g != 0 ? rows * t->spec.g : rows * positions_of(t);
}

static slot slot_of(const trial *t)
{
    const ref_spec *spec = &t->spec;
    if (is_batch(t)) {
        return (slot){1, ref_batch_chunks(spec->layout == REF_NCHW, t->scalars.rows, positions_of(t))};
    }
    if (spec->g != 0) {
        return spec->layout == REF_NCHW ? (slot){1, 1} : (slot){spec->c / spec->g, ref_series_chunks(positions_of(t))};
    }
    return (slot){1, spec->shards != 0 ? 1 : ref_series_chunks(ref_channels(spec))};
}

/* Element number i of a batch's channel in the order of memory. */
static size_t batch_element(const trial *t, size_t channel, size_t i)
{
    return element_at(t, i / positions_of(t), channel, i % positions_of(t));
}

/* Chunk k of a series of a slot: how it is summed, and where its elements are. */
static moments_chunk chunk_of(const trial *t, size_t s, size_t series, size_t k, size_t *element)
{
    const ref_spec *spec = &t->spec;
    const size_t positions = positions_of(t), channels = ref_channels(spec);
    moments_chunk c = {spec, MOMENTS_RUNS, 1, 0, NULL};
    const size_t of_group = spec->g != 0 ? spec->c / spec->g : 0;
    const size_t total = is_batch(t) ? t->scalars.rows * positions : spec->g != 0 ? positions : channels;
    const size_t start = k * REF_CHUNK, left = total - start;
    c.length = left < REF_CHUNK ? left : REF_CHUNK;
    if (is_batch(t) && spec->layout == REF_NCHW) {
        const ref_chunk piece = ref_batch_chunk(t->scalars.rows, positions, k);
        c = (moments_chunk){spec, MOMENTS_LANES, piece.rows, piece.length, NULL};
        for (size_t i = 0; i < c.pieces * c.length; i++) {
            element[i] = element_at(t, piece.first_row + i / c.length, s, piece.first_position + i % c.length);
        }
        return c;
    }
    if ((spec->g != 0 && spec->layout == REF_NCHW) || spec->shards != 0) {
        c.order = MOMENTS_BLOCKS;
        c.length = spec->shards != 0 ? channels : of_group * positions;
        for (size_t i = 0; i < c.length; i++) {
            element[i] = s * c.length + i;
        }
        return c;
    }
    for (size_t i = 0; i < c.length; i++) {
        element[i] = is_batch(t)    ? batch_element(t, s, start + i)
                     : spec->g != 0 ? element_at(t, s / spec->g, s % spec->g * of_group + series, start + i)
                                    : element_at(t, s / positions, start + i, s % positions);
    }
    return c;
}

/* ---- data ---- */

static void fill_statistic(double *array, size_t n, ref_argument argument, uint64_t *random)
{
    const int is_square = argument == REF_VAR_IN || argument == REF_RSTD_IN || argument == REF_SQUARE_IN ||
                          argument == REF_PART_M2 || argument == REF_RUNNING_VAR || argument == REF_RUNNING_SQUARE;
    for (size_t i = 0; i < n; i++) {
        array[i] = is_square ? 0.01 + 4 * data_uniform(random) : data_normal(random);
    }
}

/* The matrix: the chunks of a slot, or in every other trial its series as a whole, are rows of the data's kind. */
static void fill_matrix(const trial *t, double *array, const data_kind *kind, int by_chunk, uint64_t *random)
{
    const slot of = slot_of(t);
    for (size_t s = 0; s < slot_count(t); s++) {
        size_t known = 0;
        for (size_t k = 0; k < of.series * of.chunks; k++) {
            const moments_chunk c = chunk_of(t, s, k / of.chunks, k % of.chunks, t->element + known);
            known += c.pieces * c.length;
            if (by_chunk || k % of.chunks + 1 == of.chunks) {
                kind->fill(t->value, known, random);
                for (size_t i = 0; i < known; i++) {
                    array[t->element[i]] = t->value[i];
                }
                known = 0;
            }
        }
    }
}

static void fill(trial *t, const data_kind *kind, int by_chunk, uint64_t *random)
{
    const ref_spec *spec = &t->spec;
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        const size_t n = count_of(t, (ref_argument)i);
        if (n == 0 || !ref_is_input((ref_argument)i)) {
            continue;
        }
        if (i == REF_X || i == REF_RESIDUAL) {
            fill_matrix(t, t->before[i], kind, by_chunk, random);
            call_fit(i == REF_X ? call_narrower(spec->x, spec->residual) : spec->residual, t->before[i], n);
        } else if (i == REF_GAMMA_ROW || i == REF_BETA_ROW) {
            data_parameters(t->before[i], n, random);
        } else {
            fill_statistic(t->before[i], n, (ref_argument)i, random);
        }
        call_hold(ref_argument_dtype(spec, (ref_argument)i), t->before[i], n);
    }
    for (size_t i = 0; i < count_of(t, REF_X); i++) {
        t->h[i] = spec->fusion == REF_ADD
                      ? oracle_fma_to(spec->residual, 1, t->before[REF_RESIDUAL][i], t->before[REF_X][i])
                      : t->before[REF_X][i];
    }
}

/* ---- judging ---- */

static double number(const mpfr_t value)
{
    return mpfr_get_d(value, MPFR_RNDN);
}

static double eps_of(const trial *t)
{
    return t->scalars.of[REF_EPS];
}

static void judge(trial *t, const mpfr_t exact, double got, double bound)
{
    const double u = oracle_unit(&t->spec);
    t->worst = fmax(t->worst, oracle_ratio(exact, got, bound * (1 + 1024 * u) + oracle_tiny(&t->spec)));
}

/* y of an element whose normalised value is z, with an error. */
static void judge_y(trial *t, size_t element, const mpfr_t z, double z_error)
{
    const ref_spec *spec = &t->spec;
    const size_t channel = channel_of(t, element);
    const size_t i = spec->affine == REF_GROUP ? channel / (spec->c / spec->g) : channel;
    const int has_gamma = count_of(t, REF_GAMMA_ROW) > 0, has_beta = count_of(t, REF_BETA_ROW) > 0;
    mpfr_t y, gamma;
    mpfr_inits2(ORACLE_BITS, y, gamma, (mpfr_ptr)NULL);
    mpfr_set_d(gamma, has_gamma ? t->before[REF_GAMMA_ROW][i] : 1, MPFR_RNDN);
    mpfr_add_ui(gamma, gamma, (unsigned long)spec->offset, MPFR_RNDN);
    mpfr_mul(y, z, gamma, MPFR_RNDN);
    mpfr_add_d(y, y, has_beta ? t->before[REF_BETA_ROW][i] : 0, MPFR_RNDN);
    const double bound = oracle_finish(spec, z_error, has_gamma, number(z), number(gamma), y);
    t->worst = fmax(t->worst, oracle_ratio(y, t->after[REF_Y][element], bound));
    mpfr_clears(y, gamma, (mpfr_ptr)NULL);
}

/* The same where z = (x - mean) * scale: mu is the pivot, scale and mean have errors, scale a relative one. "(x - mu)
 * is rounded, and so are the subtraction of delta and the product." */
static void judge_normalised(trial *t, size_t element, const moments *m, const mpfr_t scale, double scale_error)
{
    const double u = oracle_unit(&t->spec), x = t->h[element];
    mpfr_t z;
    mpfr_init2(z, ORACLE_BITS);
    mpfr_d_sub(z, x, m->mean, MPFR_RNDN);
    const double from_mean = fabs(number(z));
    mpfr_mul(z, z, scale, MPFR_RNDN);
    const int has_mean = t->spec.norm != REF_RMSNORM && t->spec.norm != REF_POWERNORM;
    const double centering = has_mean ? u * fabs(x - m->mu) + u * from_mean + m->mean_error : 0;
    const double z_error =
        number(scale) * (1 + scale_error) * centering + fabs(number(z)) * (scale_error + u * (1 + scale_error));
    judge_y(t, element, z, z_error);
    mpfr_clear(z);
}

/* All elements of a slot. */
static void judge_slot(trial *t, size_t s, const moments *m, const mpfr_t scale, double scale_error)
{
    const slot of = slot_of(t);
    for (size_t k = 0; k < of.series * of.chunks; k++) {
        const moments_chunk c = chunk_of(t, s, k / of.chunks, k % of.chunks, t->element);
        for (size_t i = 0; i < c.pieces * c.length; i++) {
            judge_normalised(t, t->element[i], m, scale, scale_error);
        }
    }
}

/* Measures chunk k of a series of a slot. */
static void measure(const trial *t, size_t s, size_t series, size_t k, moments *m)
{
    moments_chunk c = chunk_of(t, s, series, k, t->element);
    for (size_t i = 0; i < c.pieces * c.length; i++) {
        t->value[i] = t->h[t->element[i]];
    }
    c.value = t->value;
    moments_measure(m, &c);
}

/* Measures a slot and merges its chunks. */
static void measure_slot(const trial *t, size_t s, moments *m)
{
    const slot of = slot_of(t);
    moments *series = calloc(of.series, sizeof *series), *chunks = calloc(of.chunks, sizeof *chunks);
    for (size_t i = 0; i < of.series; i++) {
        for (size_t k = 0; k < of.chunks; k++) {
            measure(t, s, i, k, &chunks[k]);
        }
        moments_merge_all(&t->spec, chunks, of.chunks);
        series[i] = chunks[0];
    }
    moments_merge_all(&t->spec, series, of.series);
    *m = series[0];
    free(series);
    free(chunks);
}

/* 1 / sqrt(variance + eps), or for mvn 1 / (sqrt(variance) + eps), with its relative error: the division by n and eps
 * are halved by the root, root and reciprocal 1 each; mvn: the root, eps and the reciprocal, and half of the division.
 */
static double set_scale(const trial *t, const moments *m, mpfr_t scale)
{
    const double u = oracle_unit(&t->spec), eps = eps_of(t);
    const int is_mvn = t->spec.norm == REF_MVN;
    mpfr_div_ui(scale, m->m2, m->n, MPFR_RNDN);
    if (is_mvn) {
        mpfr_sqrt(scale, scale, MPFR_RNDN);
        mpfr_add_d(scale, scale, eps, MPFR_RNDN);
        mpfr_ui_div(scale, 1, scale, MPFR_RNDN);
        const double std = sqrt(moments_variance(m)), error = m->m2_error / (double)m->n;
        const double least = sqrt(fmax(std * std - error, 0)) + eps, most = sqrt(std * std + error) + eps;
        return fmax((std + eps) / least, most / (std + eps)) * (1 + 3.5 * u) - 1;
    }
    mpfr_add_d(scale, scale, eps, MPFR_RNDN);
    mpfr_rec_sqrt(scale, scale, MPFR_RNDN);
    return (1 + moments_root_error(m, eps)) * (1 + 3 * u) - 1;
}

/* running = momentum's mix of two numbers, whose batch part has an error. */
static void judge_running(trial *t, ref_argument argument, size_t channel, const mpfr_t batch, double error)
{
    const double u = oracle_unit(&t->spec), momentum = t->scalars.of[REF_MOMENTUM];
    const double part = t->spec.momentum == REF_ONNX ? 1 - momentum : momentum; /* of the batch */
    const double before = t->before[argument][channel];
    mpfr_t exact;
    mpfr_init2(exact, ORACLE_BITS);
    mpfr_sub_d(exact, batch, before, MPFR_RNDN);
    const double difference = fabs(number(exact));
    mpfr_mul_d(exact, exact, momentum, MPFR_RNDN);
    if (t->spec.momentum == REF_ONNX) {
        mpfr_sub(exact, batch, exact, MPFR_RNDN);
    } else {
        mpfr_add_d(exact, exact, before, MPFR_RNDN);
    }
    judge(t, exact, t->after[argument][channel],
          part * error + momentum * u * (difference + error) + u * fabs(number(exact)));
    mpfr_clear(exact);
}

/* rstd, and what running statistics become, of a channel of a batch. */
static void judge_channel(trial *t, size_t channel, const moments *m, const mpfr_t rstd, double rstd_error)
{
    const double u = oracle_unit(&t->spec);
    const size_t unbiased = m->n > 1 ? m->n - 1 : 1;
    mpfr_t var;
    mpfr_init2(var, ORACLE_BITS);
    judge(t, rstd, t->after[REF_RSTD][channel], number(rstd) * rstd_error);
    judge_running(t, REF_RUNNING_MEAN, channel, m->mean, m->mean_error + u * fabs(number(m->mean)));
    mpfr_div_ui(var, m->m2, unbiased, MPFR_RNDN);
    judge_running(t, REF_RUNNING_VAR, channel, var, m->m2_error / (double)unbiased + u * number(var));
    mpfr_clear(var);
}

/* mu and delta as they are stored: their sum is the mean. */
static void judge_mean_and_shift(trial *t, size_t i, const moments *m)
{
    mpfr_t shift;
    mpfr_init2(shift, ORACLE_BITS);
    ck_assert(t->after[REF_MEAN][i] == m->mu);
    mpfr_sub_d(shift, m->mean, m->mu, MPFR_RNDN);
    judge(t, shift, t->after[REF_SHIFT][i], m->mean_error);
    mpfr_clear(shift);
}

/* Norms that measure x and normalise it. */
static void judge_fwd(trial *t)
{
    const double u = oracle_unit(&t->spec);
    mpfr_t scale;
    mpfr_init2(scale, ORACLE_BITS);
    for (size_t s = 0; s < slot_count(t); s++) {
        moments m;
        measure_slot(t, s, &m);
        const double error = set_scale(t, &m, scale);
        judge_slot(t, s, &m, scale, error);
        if (t->spec.norm == REF_BATCHNORM) {
            judge(t, m.mean, t->after[REF_MEAN][s], m.mean_error + u * fabs(number(m.mean)));
            judge_channel(t, s, &m, scale, error);
        }
        moments_forget(&m);
    }
    mpfr_clear(scale);
}

/* rstd = 1 / sqrt(square + eps). */
static void set_rstd(const trial *t, double square, mpfr_t rstd)
{
    mpfr_set_d(rstd, square, MPFR_RNDN);
    mpfr_add_d(rstd, rstd, eps_of(t), MPFR_RNDN);
    mpfr_rec_sqrt(rstd, rstd, MPFR_RNDN);
}

/* z = (x - mean) / sqrt(square + eps), with both given, or no mean: 1 for x - mean, 2.5 for eps, root and reciprocal.
 */
static void judge_given(trial *t, const double *mean, const double *square)
{
    const double u = oracle_unit(&t->spec);
    mpfr_t rstd;
    mpfr_init2(rstd, ORACLE_BITS);
    for (size_t s = 0; s < slot_count(t); s++) {
        moments m;
        moments_given(&m, 1, mean ? mean[s] : 0, 0, 0);
        set_rstd(t, square[s], rstd);
        judge_slot(t, s, &m, rstd, 2.5 * u);
        moments_forget(&m);
    }
    mpfr_clear(rstd);
}

static void judge_powernorm_infer(trial *t)
{
    judge_given(t, NULL, t->before[REF_SQUARE_IN]);
}

static void judge_infer(trial *t)
{
    judge_given(t, t->before[REF_MEAN_IN], t->before[REF_VAR_IN]);
}

static void judge_powernorm_fwd(trial *t)
{
    const double u = oracle_unit(&t->spec);
    judge_given(t, NULL, t->before[REF_RUNNING_SQUARE]);
    for (size_t s = 0; s < slot_count(t); s++) {
        moments m;
        measure_slot(t, s, &m);
        mpfr_div_ui(m.m2, m.m2, m.n, MPFR_RNDN);
        const double error = m.m2_error / (double)m.n + u * number(m.m2);
        judge(t, m.m2, t->after[REF_SQUARE][s], error);
        judge_running(t, REF_RUNNING_SQUARE, s, m.m2, error);
        moments_forget(&m);
    }
}

/* y = fma(x, a, b): one rounding, and that to Y. */
static void judge_folded(trial *t)
{
    mpfr_t y;
    mpfr_init2(y, ORACLE_BITS);
    for (size_t i = 0; i < count_of(t, REF_Y); i++) {
        const size_t channel = channel_of(t, i);
        mpfr_set_d(y, t->h[i], MPFR_RNDN);
        mpfr_mul_d(y, y, t->before[REF_A_IN][channel], MPFR_RNDN);
        mpfr_add_d(y, y, t->before[REF_B_IN][channel], MPFR_RNDN);
        const double bound = oracle_finish(&t->spec, 0, 1, number(y), 1, y);
        t->worst = fmax(t->worst, oracle_ratio(y, t->after[REF_Y][i], bound));
    }
    mpfr_clear(y);
}

/* a = gamma * rstd: 2.5 and the product; b = fma(-mean, a, beta): what a is off by, times mean, and one rounding. */
static void judge_foldstats(trial *t)
{
    const double u = oracle_unit(&t->spec);
    const int has_gamma = count_of(t, REF_GAMMA_ROW) > 0, has_beta = count_of(t, REF_BETA_ROW) > 0;
    mpfr_t a, b;
    mpfr_inits2(ORACLE_BITS, a, b, (mpfr_ptr)NULL);
    for (size_t i = 0; i < count_of(t, REF_A); i++) {
        set_rstd(t, t->before[REF_VAR_IN][i], a);
        mpfr_set_d(b, has_gamma ? t->before[REF_GAMMA_ROW][i] : 1, MPFR_RNDN);
        mpfr_add_ui(b, b, (unsigned long)t->spec.offset, MPFR_RNDN);
        mpfr_mul(a, a, b, MPFR_RNDN);
        const double error = (2.5 + (has_gamma ? 1 : 0) + (t->spec.offset ? 1 : 0)) * u * fabs(number(a));
        judge(t, a, t->after[REF_A][i], error);
        mpfr_mul_d(b, a, -t->before[REF_MEAN_IN][i], MPFR_RNDN);
        mpfr_add_d(b, b, has_beta ? t->before[REF_BETA_ROW][i] : 0, MPFR_RNDN);
        judge(t, b, t->after[REF_B][i], fabs(t->before[REF_MEAN_IN][i]) * error + u * fabs(number(b)));
    }
    mpfr_clears(a, b, (mpfr_ptr)NULL);
}

/* The statistics of chunks, or of shards. */
static void judge_stats(trial *t)
{
    const slot of = slot_of(t);
    for (size_t s = 0; s < slot_count(t); s++) {
        for (size_t k = 0; k < of.chunks; k++) {
            const size_t i = is_batch(t) ? k * t->spec.c + s : s;
            moments m;
            measure(t, s, 0, k, &m);
            if (t->spec.norm != REF_RMSNORM) {
                judge_mean_and_shift(t, i, &m);
            }
            judge(t, m.m2, t->after[REF_M2][i], m.m2_error);
            moments_forget(&m);
        }
    }
}

/* The number of values that are behind part k. */
static size_t size_of_part(const trial *t, size_t k)
{
    const size_t total = t->scalars.rows * positions_of(t);
    if (t->spec.shards != 0) {
        return ref_channels(&t->spec);
    }
    if (t->spec.layout != REF_NCHW) {
        return total - k * REF_CHUNK < REF_CHUNK ? total - k * REF_CHUNK : REF_CHUNK;
    }
    const ref_chunk c = ref_batch_chunk(t->scalars.rows, positions_of(t), k);
    return c.rows * c.length;
}

static void judge_merge(trial *t)
{
    const size_t slots = is_batch(t) ? t->spec.c : t->scalars.rows;
    const size_t parts = count_of(t, REF_PART_M2) / slots;
    const int has_mean = t->spec.norm != REF_RMSNORM;
    moments *m = calloc(parts, sizeof *m);
    mpfr_t rstd;
    mpfr_init2(rstd, ORACLE_BITS);
    for (size_t s = 0; s < slots; s++) {
        for (size_t k = 0; k < parts; k++) {
            const size_t i = k * slots + s;
            moments_given(&m[k], size_of_part(t, k), has_mean ? t->before[REF_PART_MEAN][i] : 0,
                          has_mean ? t->before[REF_PART_SHIFT][i] : 0, t->before[REF_PART_M2][i]);
        }
        moments_merge_all(&t->spec, m, parts);
        const double error = set_scale(t, &m[0], rstd);
        if (has_mean) {
            judge_mean_and_shift(t, s, &m[0]);
        }
        if (is_batch(t)) {
            judge_channel(t, s, &m[0], rstd, error);
        } else {
            judge(t, rstd, t->after[REF_RSTD][s], number(rstd) * error);
        }
        moments_forget(&m[0]);
    }
    mpfr_clear(rstd);
    free(m);
}

/* The mean and rstd that are given are exact. */
static void judge_apply(trial *t)
{
    mpfr_t rstd;
    mpfr_init2(rstd, ORACLE_BITS);
    for (size_t s = 0; s < slot_count(t); s++) {
        const int has_mean = t->spec.norm != REF_RMSNORM;
        moments m;
        moments_given(&m, 1, has_mean ? t->before[REF_MEAN_IN][s] : 0, has_mean ? t->before[REF_SHIFT_IN][s] : 0, 0);
        mpfr_set_d(rstd, t->before[REF_RSTD_IN][s], MPFR_RNDN);
        judge_slot(t, s, &m, rstd, 0);
        moments_forget(&m);
    }
    mpfr_clear(rstd);
}

static void judge_all(trial *t)
{
    static void (*const by_direction[])(trial * t) = {
        [REF_FWD] = judge_fwd,     [REF_INFER] = judge_infer, [REF_INFER_FOLDED] = judge_folded,
        [REF_STATS] = judge_stats, [REF_MERGE] = judge_merge, [REF_FOLDSTATS] = judge_foldstats,
        [REF_APPLY] = judge_apply,
    };
    if (t->spec.norm == REF_POWERNORM) {
        (t->spec.direction == REF_FWD ? judge_powernorm_fwd : judge_powernorm_infer)(t);
    } else {
        by_direction[t->spec.direction](t);
    }
}

/* addafter: y must be residual + t to the last bit, with the t that the spec without the word gives; that is judged in
 * its place. */
static void judge_addafter(trial *t)
{
    char plain[160];
    const char *const gone[] = {"addafter", "residual=f16"};
    trial without;
    snprintf(plain, sizeof plain, "%s", t->text);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        char *word = strstr(plain, gone[i]);
        for (size_t j = 0; word != NULL && j < strlen(gone[i]); j++) {
            word[j] = ' ';
        }
    }
    begin(&without, plain, &t->scalars);
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        memcpy(without.before[i], t->before[i], count_of(&without, (ref_argument)i) * sizeof(double));
    }
    memcpy(without.h, t->h, count_of(t, REF_X) * sizeof(double));
    run(&without);
    for (size_t i = 0; i < count_of(t, REF_Y); i++) {
        ck_assert(t->after[REF_Y][i] ==
                  oracle_fma_to(t->spec.residual, 1, t->before[REF_RESIDUAL][i], without.after[REF_Y][i]));
    }
    judge_all(&without);
    t->worst = without.worst;
    end(&without);
}

static int has_channels(const char *group)
{
    return strncmp(group, "rmsnorm", 7) != 0 && strncmp(group, "layernorm", 9) != 0;
}

/* The text of a spec with its sizes, and the scalars of its call. */
static ref_scalars give_size(char text[160], const char *group, const size *of, double eps, double momentum)
{
    const size_t channels = of->groups * of->channels;
    ref_scalars scalars = {of->rows, {[REF_EPS] = eps, [REF_MOMENTUM] = momentum}};
    const int has_c = has_channels(group);
    const int has_layout = strstr(group, "layout=") != NULL && strstr(group, "layout=rows") == NULL;
    if (strncmp(group, "groupnorm", 9) == 0) {
        snprintf(text, 160, "%s c=%zu g=%zu", group, channels, of->groups);
    } else if (has_c || has_layout) {
        snprintf(text, 160, "%s %s=%zu", group, has_c ? "c" : "h", channels);
    } else {
        snprintf(text, 160, "%s h=%zu shards=%zu", group, channels, of->groups);
    }
    if (has_layout) {
        scalars.of[REF_POSITION_COUNT] = (double)of->positions;
    } else {
        scalars.rows *= of->positions;
    }
    return scalars;
}

/* Runs one call and returns its largest error in units of the bound. */
static double judge_call(const char *group, const size *of, const data_kind *kind, int number_of, uint64_t *random)
{
    char text[160];
    trial t;
    ref_spec spec;
    double scalar[] = {number_of % 2 == 0 ? 1e-5 : 1e-12, number_of % 3 == 0 ? 0.1 : 0.9};
    ref_scalars scalars = give_size(text, group, of, scalar[0], scalar[1]);
    ck_assert_msg(ref_spec_parse(text, &spec) == 0, "bad spec: %s", text);
    call_hold(ref_is_f64(spec.x) ? spec.x : ref_dtype_named("f32", 3), scalar, 2);
    scalars.of[REF_EPS] = scalar[0];
    scalars.of[REF_MOMENTUM] = scalar[1];
    begin(&t, text, &scalars);
    fill(&t, kind, number_of % 2, random);
    run(&t);
    (t.spec.fusion == REF_ADDAFTER ? judge_addafter : judge_all)(&t);
    const double worst = t.worst;
    ck_assert_msg(worst <= 1, "%s, rows %zu, positions %zu, %s: error is %g of its bound", text, scalars.rows,
                  of->positions, kind->name, worst);
    end(&t);
    return worst;
}

START_TEST(error_is_within_the_bound)
{
    const char *group = groups[_i];
    uint64_t random = 54321 + (uint64_t)_i;
    double worst_of_all = 0;
    printf("oracle %s:", group);
    for (int kind = 0; kind <= DATA_KINDS; kind++) {
        const data_kind *data = kind < DATA_KINDS ? &data_kinds[kind] : &data_mean_5;
        double worst = 0;
        for (int i = kind % 2; i < SIZES + (has_channels(group) ? 0 : 1);
             i += 2) { /* each size has half of the kinds */
            worst = fmax(worst, judge_call(group, &sizes[i], data, (kind + i) / 2, &random));
        }
        printf(" %s %.3f%s", data->name, worst, kind < DATA_KINDS ? "," : "\n");
        worst_of_all = fmax(worst_of_all, worst);
    }
    fflush(stdout);
    ck_assert_msg(worst_of_all > 0.05, "%s: a bound that no error comes near shows nothing", group);
}
END_TEST

/* The oracle must be able to say no: one result that is moved a little. */
START_TEST(oracle_refuses_a_wrong_output)
{
    static const ref_argument outputs[] = {REF_Y, REF_MEAN, REF_RSTD, REF_RUNNING_MEAN, REF_RUNNING_VAR};
    const ref_scalars scalars = {2, {[REF_EPS] = (double)1e-5f, [REF_MOMENTUM] = 0.5, [REF_POSITION_COUNT] = 49}};
    uint64_t random = 7;
    trial t;
    begin(&t, "batchnorm fwd f32 c=3 layout=nhwc", &scalars);
    fill(&t, &data_kinds[0], 0, &random);
    run(&t);
    judge_all(&t);
    ck_assert(t.worst <= 1);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        double *const element = &t.after[outputs[i]][2], right = *element;
        *element = right + 1e-5;
        t.worst = 0;
        judge_all(&t);
        ck_assert_msg(t.worst > 1, "%s", ref_arguments[outputs[i]].name);
        *element = right;
    }
    t.after[REF_Y][5] = NAN;
    judge_all(&t);
    ck_assert(isinf(t.worst));
    end(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("axes");
    TCase *bounds = add_case(suite, "bounds");
    tcase_add_loop_test(bounds, error_is_within_the_bound, 0, GROUPS);
    tcase_add_test(bounds, oracle_refuses_a_wrong_output);
    return run_suite(suite);
}
