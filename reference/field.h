/* The matrix of norms over other axes: rows x channels x positions, in either layout; what is read from it and written
 * to it. It is read as a whole before any of it is written, so that outputs may be inputs. */
#ifndef NG_REFERENCE_FIELD_H
#define NG_REFERENCE_FIELD_H

#include <stdio.h>
#include <stdlib.h>

#include "activation.h"
#include "arithmetic.h"
#include "real.h"
#include "shape.h"

/* The sizes of a call. Without a layout, channels are the elements of a row, and there is one position. */
typedef struct field {
    size_t rows, channels, positions;
    int is_nchw; /* ["rows","c","positions"], else ["rows","positions","c"] */
} field;

static field field_of(const ref_spec *spec, const ref_call *call)
{
    return (field){call->scalars.rows, ref_channels(spec), ref_positions(spec, &call->scalars),
                   spec->layout == REF_NCHW};
}

static size_t field_elements(const field *f)
{
    return f->rows * f->channels * f->positions;
}

static size_t element_at(const field *f, size_t row, size_t channel, size_t position)
{
    return f->is_nchw ? (row * f->channels + channel) * f->positions + position
                      : (row * f->positions + position) * f->channels + channel;
}

static size_t channel_of(const field *f, size_t element)
{
    return (f->is_nchw ? element / f->positions : element) % f->channels;
}

/* Memory for `count` things of a size; ends the program if there is none. Free it. */
static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL) {
        fputs("reference: out of memory\n", stderr);
        abort();
    }
    return memory;
}

/* `count` numbers of an array in a format. Free them. */
static real *load_reals(const ref_dtype *dtype, const void *array, size_t count)
{
    real *reals = allocate(count, sizeof *reals);
    dtype->load(reals, array, count);
    return reals;
}

/* "Element h = x, or round_R(x + residual) with add", in memory order. Free it. */
static real *read_field(const ref_spec *spec, const ref_call *call, const field *f)
{
    const size_t n = field_elements(f);
    real *h = load_reals(spec->x, call->array[REF_X], n);
    if (ref_adds_before(spec)) {
        real *residual = load_reals(spec->residual, call->array[REF_RESIDUAL], n);
        for (size_t i = 0; i < n; i++) {
            h[i] = h[i] + residual[i];
        }
        ref_round_row(spec->residual, h, n);
        free(residual);
    }
    return h;
}

/* A parameter for each channel, or for each group of them; `absent` where the spec has none. Free it. */
static real *load_parameter(const ref_spec *spec, const ref_call *call, ref_argument argument, real absent)
{
    const size_t channels = ref_channels(spec);
    const size_t shared = spec->affine == REF_GROUP ? channels / spec->g : 1; /* channels that have one in common */
    const void *array = call->array[argument];
    real *stored = array != NULL ? load_reals(spec->gamma, array, channels / shared) : NULL;
    real *parameter = allocate(channels, sizeof *parameter);
    for (size_t channel = 0; channel < channels; channel++) {
        parameter[channel] = stored != NULL ? stored[channel / shared] : absent;
    }
    free(stored);
    return parameter;
}

/* gamma for each channel, 1 without: "offset=1: gamma + 1", as for rows. Free it. */
static real *load_gamma(const ref_spec *spec, const ref_call *call)
{
    real *gamma = load_parameter(spec, call, REF_GAMMA_ROW, 1);
    for (size_t channel = 0; spec->offset == 1 && channel < ref_channels(spec); channel++) {
        gamma[channel] = gamma[channel] + 1;
    }
    return gamma;
}

/* "y = fma(xhat, gamma[channel], beta[channel])" with beta, "xhat * gamma without", as for rows. */
static void apply_parameters(const ref_spec *spec, const ref_call *call, const field *f, real *xhat)
{
    real *gamma = load_gamma(spec, call);
    real *beta = load_parameter(spec, call, REF_BETA_ROW, 0);
    for (size_t i = 0; i < field_elements(f); i++) {
        const size_t channel = channel_of(f, i);
        xhat[i] = call->array[REF_BETA_ROW] != NULL ? real_fma(xhat[i], gamma[channel], beta[channel])
                                                    : xhat[i] * gamma[channel];
    }
    free(gamma);
    free(beta);
}

/* "Then affine, activation, addafter, rounding as for rows." */
static void write_field(const ref_spec *spec, const ref_call *call, const field *f, real *xhat)
{
    const size_t n = field_elements(f);
    if (call->array[REF_GAMMA_ROW] != NULL) {
        apply_parameters(spec, call, f, xhat);
    }
    activate(spec, xhat, n);
    if (spec->fusion == REF_ADDAFTER) { /* "y = round_R(residual + round_Y(norm(x)))" */
        real *residual = load_reals(spec->residual, call->array[REF_RESIDUAL], n);
        ref_round_row(spec->y, xhat, n);
        for (size_t i = 0; i < n; i++) {
            xhat[i] = residual[i] + xhat[i];
        }
        free(residual);
    }
    ref_argument_dtype(spec, REF_Y)->store(call->array[REF_Y], xhat, n);
}

/* Statistics are arrays of reals, which may lie anywhere. */
static real statistic_at(const ref_call *call, ref_argument argument, size_t i)
{
    real value;
    memcpy(&value, (const char *)call->array[argument] + i * sizeof value, sizeof value);
    return value;
}

/* Stores a statistic, if the kernel has it. */
static void set_statistic(const ref_call *call, ref_argument argument, size_t i, real value)
{
    if (call->array[argument] != NULL) {
        memcpy((char *)call->array[argument] + i * sizeof value, &value, sizeof value);
    }
}

#endif
