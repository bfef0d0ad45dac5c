/* Specs as the reference reads them: a norm, then words in any order. */
#ifndef NG_REFERENCE_SPEC_H
#define NG_REFERENCE_SPEC_H

#include "dtype.h"

/* A norm. */
enum {
#define NORM(constant, ...) REF_##constant,
#include "norms.inc"
    REF_NORMS
};
enum { REF_FWD = 1, REF_INFER, REF_FOLDSTATS, REF_STATS, REF_MERGE, REF_APPLY, REF_INFER_FOLDED, REF_DIRECTIONS };
enum { REF_NO_AFFINE = 1, REF_GAMMA, REF_GAMMA_BETA, REF_GROUP }; /* group: gamma and beta for each group */
enum { REF_NCHW = 1, REF_NHWC, REF_ROWS_ONLY };
enum { REF_TORCH = 1, REF_ONNX };
enum { REF_ADD = 1, REF_ADDOUT, REF_ADDAFTER, REF_SANDWICH };
enum { REF_LLAMA = 1 };
enum { REF_ZGATE_BEFORE = 1, REF_ZGATE_AFTER };
enum {
    REF_NO_ACTIVATION,
#define ACTIVATION(name, NAME, type) REF_##NAME,
#include "activations.inc"
    REF_ACTIVATIONS
};
enum { REF_OUTSIDE = 1, REF_MAX };
enum { REF_ROW = 1, REF_STATIC };

/* How a kernel computes: see arithmetic.h. */
typedef struct ref_arithmetic ref_arithmetic;

/* Fields that are int are 0 where the spec does not have their word. */
typedef struct ref_spec {
    size_t h, c, g, shards;                    /* 0 where the spec does not have them */
    size_t groups, heads;                      /* parts of a row; 1 where the spec has none */
    const ref_dtype *x, *residual, *gamma, *y; /* the contract's X, R, P, Y */
    const ref_arithmetic *arithmetic;
    int norm;
    int direction;
    int affine;
    int offset; /* 1: gamma is stored as gamma - 1 */
    int fusion;
    int alpha;
    int cast;
    int zgate;
    int act;
    int acc_f64;
    int center_full;
    int epsform;
    int gate;
    int mod;
    int twin;
    int quant;
    int round_io;
    int side;
    int stats;
    int strided;
    int layout;
    int momentum;
    int folded;
} ref_spec;

/* Reads a spec text such as "layernorm bf16 h=768 addout gamma=f32". Returns 0, or -1 for an unknown, repeated, missing
 * or contradictory word; then *spec is undefined. */
int ref_spec_parse(const char *text, ref_spec *spec);

/* Do they describe the same kernel? */
int ref_spec_equal(const ref_spec *a, const ref_spec *b);

/* The parts of a row that are normalised each by itself. */
size_t ref_parts(const ref_spec *spec);

/* Does the norm read x + residual? */
int ref_adds_before(const ref_spec *spec);

/* Does the kernel read a matrix, and does it write one? */
int ref_reads_matrix(const ref_spec *spec);
int ref_writes_matrix(const ref_spec *spec);

/* May there be a gamma, and is there one? */
int ref_knows_gamma(const ref_spec *spec);
int ref_has_gamma(const ref_spec *spec);

/* Does it update running statistics? */
int ref_has_momentum(const ref_spec *spec);

/* Is it a norm that is computed over other axes than rows of h elements, or over parts of such rows? */
int ref_is_over_axes(const ref_spec *spec);

/* Does it have an argument `positions`? */
int ref_has_positions(const ref_spec *spec);

/* The channels of a norm over other axes: c, h, or of a shard h / shards. */
size_t ref_channels(const ref_spec *spec);

#endif
