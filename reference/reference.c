/* A kernel is the norm of its spec between transformations that are the same for every norm: residual before, cast,
 * affine and the rounding to Y after. A row is read as a whole before any of it is written, so that outputs may be
 * inputs. */
#include "reference.h"

#include "contract.h"
#include "spec.h"

/* The arrays of a call; those that the spec does not have are NULL. */
typedef struct arrays {
    const void *x, *residual, *gamma, *beta;
    void *y, *sum;
} arrays;

/* Sorts the pointer arguments, given in call order, by their meaning. */
static arrays sort_arguments(const ref_spec *spec, void *const *ptr)
{
    arrays a = {NULL, NULL, NULL, NULL, NULL, NULL};
    a.x = *ptr++;
    if (spec->fusion != 0) {
        a.residual = *ptr++;
    }
    if (spec->affine != REF_NO_AFFINE) {
        a.gamma = *ptr++;
    }
    if (spec->affine == REF_GAMMA_BETA) {
        a.beta = *ptr++;
    }
    a.y = *ptr++;
    if (spec->fusion == REF_ADDOUT) {
        a.sum = *ptr++;
    }
    return a;
}

/* "h = round_R(x + residual) [...]; the norm reads h, whether it is stored or not." */
static void add_residual(const ref_spec *spec, float *row, const void *residual)
{
    float other[REF_MAX_H];
    spec->residual->load(other, residual, spec->h);
    for (size_t i = 0; i < spec->h; i++) {
        row[i] = row[i] + other[i];
    }
    ref_round_row(spec->residual, row, spec->h);
}

/* "y = fma(xhat, gamma, beta) with beta, xhat * gamma without. offset=1: gamma + 1 formed in f32." */
static void apply_affine(const ref_spec *spec, float *row, const void *gamma, const void *beta)
{
    float scale[REF_MAX_H];
    float shift[REF_MAX_H];
    spec->gamma->load(scale, gamma, spec->h);
    for (size_t i = 0; spec->offset == 1 && i < spec->h; i++) {
        scale[i] = scale[i] + 1.0f;
    }
    if (beta == NULL) {
        for (size_t i = 0; i < spec->h; i++) {
            row[i] = row[i] * scale[i];
        }
        return;
    }
    spec->gamma->load(shift, beta, spec->h);
    for (size_t i = 0; i < spec->h; i++) {
        row[i] = ref_fma(row[i], scale[i], shift[i]);
    }
}

/* One row: arrays point at it, except for gamma and beta, which all rows share. */
static void compute_row(const ref_spec *spec, const arrays *a, float eps)
{
    float row[REF_MAX_H];
    spec->x->load(row, a->x, spec->h);
    if (a->residual != NULL) {
        add_residual(spec, row, a->residual);
    }
    if (a->sum != NULL) {
        spec->residual->store(a->sum, row, spec->h);
    }
    spec->norm(row, spec->h, eps);
    if (spec->cast == REF_LLAMA) { /* "t = round_X(x * rstd), y = t * gamma" */
        ref_round_row(spec->x, row, spec->h);
    }
    if (a->gamma != NULL) {
        apply_affine(spec, row, a->gamma, a->beta);
    }
    spec->y->store(a->y, row, spec->h); /* "Then one rounding to Y." */
}

/* Moves the arrays to the next row. */
static void next_row(const ref_spec *spec, arrays *a)
{
    a->x = (const char *)a->x + spec->h * spec->x->size;
    a->y = (char *)a->y + spec->h * spec->y->size;
    if (a->residual != NULL) {
        a->residual = (const char *)a->residual + spec->h * spec->residual->size;
    }
    if (a->sum != NULL) {
        a->sum = (char *)a->sum + spec->h * spec->residual->size;
    }
}

int ng_reference(const char *spec_text, size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar)
{
    ref_spec spec;
    (void)stride;
    if (ref_spec_parse(spec_text, &spec) != 0) {
        return -1;
    }
    if (rows == 0) {
        return 0;
    }
    arrays a = sort_arguments(&spec, ptr);
    for (size_t row = 0; row < rows; row++) {
        compute_row(&spec, &a, (float)scalar[0]);
        next_row(&spec, &a);
    }
    return 0;
}
