/* The arithmetics of the contract: the type of elements and the type of sums and row scalars.
 *
 *   f32      f32, bf16 and f16 data: everything in f32
 *   acc_f64  the same data with acc=f64: "lanes, tree, and all row scalars [...] are f64; a row scalar is rounded to
 * f32 once, where it meets an element or is stored. Elements stay f32" f64      "f64 specs compute in f64"
 *
 * Each is the same text, kernel.h, compiled with its own types. */
#ifndef NG_REFERENCE_ARITHMETIC_H
#define NG_REFERENCE_ARITHMETIC_H

#include "arguments.h"

/* The arguments of a call by their meaning: arrays, NULL where the spec has none, and the bytes from one of their rows
 * to the next, and from one head to the next. */
typedef struct ref_call {
    ref_scalars scalars;
    void *array[REF_ARGUMENTS];
    ptrdiff_t step[REF_ARGUMENTS], head_step[REF_ARGUMENTS];
} ref_call;

/* Where an argument has what belongs to a row, or NULL. */
void *ref_row_at(const ref_call *call, ref_argument argument, size_t row);

/* Rows are arrays of float, in f64 of double. */
struct ref_arithmetic {
    size_t lanes; /* L */
    double (*sum)(const void *row, size_t n);
    double (*sum_of_squares)(const void *row, size_t n);
    void (*compute)(const ref_spec *spec, const ref_call *call);
};

extern const ref_arithmetic ref_f32, ref_acc_f64, ref_f64;

/* The same types for norms over other axes, which have no acc=f64: axes.h. */
extern const ref_arithmetic ref_axes_f32, ref_axes_f64;

#endif
