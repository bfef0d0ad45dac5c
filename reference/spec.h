/* Specs as the reference reads them: a norm, then words in any order. */
#ifndef NG_REFERENCE_SPEC_H
#define NG_REFERENCE_SPEC_H

#include "dtype.h"

enum {
    REF_RMSNORM = 1,
    REF_LAYERNORM,
    REF_L2NORM,
    REF_SCALENORM,
    REF_LPNORM,
    REF_WEIGHTNORM,
    REF_FOLD,
    REF_DYT,
    REF_GROUPNORM,
    REF_INSTANCENORM,
    REF_BATCHNORM,
    REF_POWERNORM,
    REF_MVN
};
enum { REF_FWD = 1, REF_INFER, REF_FOLDSTATS, REF_STATS, REF_MERGE, REF_APPLY, REF_INFER_FOLDED };
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

/* Is it a norm that is computed over other axes than rows of h elements, or over parts of such rows? */
int ref_is_over_axes(const ref_spec *spec);

/* Does it have an argument `positions`? */
int ref_has_positions(const ref_spec *spec);

/* The channels of a norm over other axes: c, h, or of a shard h / shards. */
size_t ref_channels(const ref_spec *spec);

/* The axes of arrays. Their sizes are fixed by the spec, or by the call. */
typedef enum ref_axis {
    REF_NO_AXIS,
    REF_ROWS,
    REF_BATCH,
    REF_H,
    REF_PARTS,
    REF_HEADS,
    REF_HEAD,
    REF_POSITIONS,
    REF_C,
    REF_GROUPS,
    REF_CHUNKS,
    REF_SHARDS,
    REF_SHARD, /* the part of h that a shard has */
    REF_AXES
} ref_axis;

enum { REF_MAX_AXES = 3 };

/* The arguments but `rows`, in call order. */
typedef enum ref_argument {
    REF_POSITION_COUNT,
    REF_ROWS_PER_BATCH,
    REF_X,
    REF_RESIDUAL,
    REF_Z,
    REF_GATE,
    REF_GAMMA_ROW,
    REF_BETA_ROW,
    REF_MEAN_IN,
    REF_VAR_IN,
    REF_SHIFT_IN,
    REF_RSTD_IN,
    REF_SQUARE_IN,
    REF_A_IN,
    REF_B_IN,
    REF_PART_MEAN,
    REF_PART_SHIFT,
    REF_PART_M2,
    REF_G_ROW, /* of weightnorm */
    REF_BIAS,
    REF_GAMMA2_ROW,
    REF_BETA2_ROW,
    REF_SCALE,
    REF_MOD_SHIFT, /* of mod */
    REF_ALPHA,
    REF_MOMENTUM,
    REF_EPS,
    REF_G, /* of scalenorm */
    REF_YSCALE,
    REF_YZERO,
    REF_Y,
    REF_Y2,
    REF_SUM,
    REF_MEAN,
    REF_SHIFT,
    REF_RSTD,
    REF_M2,
    REF_SQUARE,
    REF_A,
    REF_B,
    REF_RUNNING_MEAN,
    REF_RUNNING_VAR,
    REF_RUNNING_SQUARE,
    REF_YBIAS,
    REF_YSCALE_ROW,
    REF_SIDE,
    REF_ARGUMENTS
} ref_argument;

/* A whole number (size_t), a number of the type in which is computed, an array, and one whose rows have a stride in
 * strided kernels. */
typedef enum ref_kind { REF_COUNT, REF_NUMBER, REF_ARRAY, REF_MATRIX } ref_kind;

/* Which way an argument goes; what is not REF_IN is written. */
typedef enum ref_way { REF_IN, REF_OUT, REF_INOUT } ref_way;

extern const struct ref_argument_info {
    const char *name;
    ref_kind kind;
    ref_axis axes[REF_MAX_AXES]; /* of arrays of norms of rows, outermost first */
    ref_way output;
    const ref_dtype *(*dtype)(const ref_spec *spec); /* NULL if the spec does not have it */
} ref_arguments[REF_ARGUMENTS];

/* The format of an argument, or NULL if the spec does not have it. */
const ref_dtype *ref_argument_dtype(const ref_spec *spec, ref_argument argument);

/* Is it an array, of which `invoke` is given a pointer? Is it read? */
int ref_is_array(ref_argument argument);
int ref_is_input(ref_argument argument);

/* The axes of an array, outermost first. */
const ref_axis *ref_axes_of(const ref_spec *spec, ref_argument argument);

/* The arguments of a call that are no arrays: `rows`, and numbers and counts at their place. */
typedef struct ref_scalars {
    size_t rows;
    double of[REF_ARGUMENTS];
} ref_scalars;

/* The positions of a call, 1 if the spec has none. */
size_t ref_positions(const ref_spec *spec, const ref_scalars *scalars);

/* The size of an axis. */
size_t ref_extent(const ref_spec *spec, ref_axis axis, const ref_scalars *scalars);

/* The shape of an argument as descriptors have it: "scalar", "rows,h", ...; axes that have no name are numbers. */
enum { REF_SHAPE_LENGTH = 64 };
void ref_shape_text(const ref_spec *spec, ref_argument argument, char text[REF_SHAPE_LENGTH]);

/* An array is `rows` rows of `columns` elements; one whose outermost axis is fixed by the spec is a single row. The
 * elements of a row are neighbours, or those of each of its `heads`, which have a stride in strided kernels. */
typedef struct ref_layout {
    size_t rows, columns, heads;
} ref_layout;

ref_layout ref_layout_of(const ref_spec *spec, ref_argument argument, const ref_scalars *scalars);

#endif
