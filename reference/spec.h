/* Specs as the reference reads them: a norm, then words in any order. */
#ifndef NG_REFERENCE_SPEC_H
#define NG_REFERENCE_SPEC_H

#include "dtype.h"

enum { REF_FWD = 1 };
enum { REF_NO_AFFINE = 1, REF_GAMMA, REF_GAMMA_BETA };
enum { REF_ADD = 1, REF_ADDOUT };
enum { REF_LLAMA = 1 };

/* Turns the n elements of a row into their normalised values, in place. */
typedef void ref_norm(float *row, size_t n, float eps);

typedef struct ref_spec {
    ref_norm *norm;
    int cast_allowed; /* of the norm */
    size_t h;
    const ref_dtype *x, *residual, *gamma, *y; /* the contract's X, R, P, Y */
    int direction;
    int affine;
    int offset; /* 1: gamma is stored as gamma - 1 */
    int fusion; /* 0 without residual */
    int cast;
} ref_spec;

/* Reads a spec text such as "layernorm bf16 h=768 addout gamma=f32". Returns 0, or -1 for an unknown, repeated, missing
 * or contradictory word; then *spec is undefined. */
int ref_spec_parse(const char *text, ref_spec *spec);

#endif
