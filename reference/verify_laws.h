/* What the files of laws share. */
#ifndef NG_REFERENCE_VERIFY_LAWS_H
#define NG_REFERENCE_VERIFY_LAWS_H

#include "verify.h"
#include "verify_call.h"

/* The kernels of a registry with what the reference makes of their specs. */
typedef struct verify_set {
    const ng_kernel *kernels;
    const ref_spec *specs;
    size_t count;
} verify_set;

/* The kernel of a target that has this spec, or NULL. */
const ng_kernel *verify_find(const verify_set *set, const ref_spec *spec, const char *target);

/* The scalars of a call on so many rows and positions; where the spec has no positions but channels, rows stand in for
 * them. */
ref_scalars verify_law_scalars(const ref_spec *spec, size_t rows, size_t positions);

/* How many kinds of data an effort allows, given the largest argument; and the case of one kind. */
size_t verify_law_kinds(const verify_argument *x, const ng_verify_options *options);
verify_case verify_law_case(const verify_subject *s, const ref_scalars *scalars, size_t kind,
                            const ng_verify_options *options);

/* One element of an array in a format, and a + b in the arithmetic of the format: of f64, or of f32. */
double verify_real_at(const ref_dtype *dtype, const void *array, size_t i);
void verify_set_real(const ref_dtype *dtype, void *array, size_t i, double value);
double verify_add_in(const ref_dtype *dtype, double a, double b);

/* Compares an output with what was expected; returns the number of wrong elements. */
size_t verify_count_wrong(const verify_argument *a);

/* Tries the laws of norms over other axes on kernel number `i`; returns how many speak of it. */
int verify_axes_laws(const verify_set *set, size_t i, const ng_verify_options *options, ng_verify_laws_counts *counts);

#endif
