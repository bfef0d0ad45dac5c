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
#define ARGUMENT(constant, ...) REF_##constant,
#include "arguments.inc"
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
