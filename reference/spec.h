/* Specs as the reference reads them: a norm, then words in any order. */
#ifndef NG_REFERENCE_SPEC_H
#define NG_REFERENCE_SPEC_H

#include "dtype.h"

enum { REF_RMSNORM = 1, REF_LAYERNORM };
enum { REF_FWD = 1 };
enum { REF_NO_AFFINE = 1, REF_GAMMA, REF_GAMMA_BETA };
enum { REF_ADD = 1, REF_ADDOUT, REF_ADDAFTER };
enum { REF_LLAMA = 1 };

/* How a kernel computes: see arithmetic.h. */
typedef struct ref_arithmetic ref_arithmetic;

/* Fields that are int are 0 where the spec does not have their word. */
typedef struct ref_spec {
    size_t h;
    const ref_dtype *x, *residual, *gamma, *y; /* the contract's X, R, P, Y */
    const ref_arithmetic *arithmetic;
    int norm;
    int direction;
    int affine;
    int offset; /* 1: gamma is stored as gamma - 1 */
    int fusion;
    int alpha;
    int cast;
    int acc_f64;
    int center_full;
    int stats;
    int strided;
} ref_spec;

/* Reads a spec text such as "layernorm bf16 h=768 addout gamma=f32". Returns 0, or -1 for an unknown, repeated, missing
 * or contradictory word; then *spec is undefined. */
int ref_spec_parse(const char *text, ref_spec *spec);

/* Do they describe the same kernel? */
int ref_spec_equal(const ref_spec *a, const ref_spec *b);

/* Does the norm read x + residual? */
int ref_adds_before(const ref_spec *spec);

/* The pointer arguments in call order. */
typedef enum ref_argument {
    REF_X,
    REF_RESIDUAL,
    REF_GAMMA_ROW,
    REF_BETA_ROW,
    REF_Y,
    REF_SUM,
    REF_MEAN,
    REF_RSTD,
    REF_ARGUMENTS
} ref_argument;

/* "rows,h", the only ones with a stride; "h", shared by all rows; "rows", one element for each. */
typedef enum ref_shape { REF_MATRIX, REF_PARAMETER, REF_STATISTIC } ref_shape;

extern const struct ref_argument_info {
    const char *name;
    ref_shape shape;
    int output;
} ref_arguments[REF_ARGUMENTS];

/* The format of an argument, or NULL if the spec does not have it. */
const ref_dtype *ref_argument_dtype(const ref_spec *spec, ref_argument argument);

#endif
