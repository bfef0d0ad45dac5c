/* Calls the reference with rows of reals, whatever the formats of the spec. */
#ifndef NG_TESTS_ORACLE_CALL_H
#define NG_TESTS_ORACLE_CALL_H

#include <stddef.h>

#include "arguments.h"

/* The arguments of a call by their place. Arrays are of float, for f64 specs of double; those that the spec does not
 * have are not looked at. Inputs are rounded to their formats, outputs widened. */
typedef struct call {
    const void *in[REF_ARGUMENTS];
    void *out[REF_ARGUMENTS];
    double scalar[REF_ARGUMENTS];
} call;

/* Runs the reference on `rows` rows, which have gaps between them if the spec is strided; fails the Check test if it
 * does not understand the spec. */
void call_reference(const char *spec_text, size_t rows, const call *c);

/* Rounds n doubles to the reals of a format, and back. */
void call_narrow(const ref_dtype *dtype, void *to, const double *from, size_t n);
void call_widen(const ref_dtype *dtype, double *to, const void *from, size_t n);

/* Rounds n doubles to numbers that a format can hold. */
void call_hold(const ref_dtype *dtype, double *row, size_t n);

/* f16 has no room for large numbers: takes a row that is to be added in a format into its range, by a power of two. */
void call_fit(const ref_dtype *dtype, double *row, size_t n);

/* The one of two formats that has less room. */
const ref_dtype *call_narrower(const ref_dtype *a, const ref_dtype *b);

#endif
