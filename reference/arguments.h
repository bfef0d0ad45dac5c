/* The arguments of kernels, in call order. */
#ifndef NG_REFERENCE_ARGUMENTS_H
#define NG_REFERENCE_ARGUMENTS_H

#include "spec.h"

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

/* The arguments of a call that are no arrays: `rows`, and numbers and counts at their place. */
typedef struct ref_scalars {
    size_t rows;
    double of[REF_ARGUMENTS];
} ref_scalars;

#endif
