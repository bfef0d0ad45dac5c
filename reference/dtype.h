/* The storage formats: how values become real, exactly, and how real is rounded back. One row per format. `real` is the
 * type that values of a format are computed in: float, for f64 double. */
#ifndef NG_REFERENCE_DTYPE_H
#define NG_REFERENCE_DTYPE_H

#include <stddef.h>
#include <stdint.h>

typedef struct ref_dtype {
    const char *name;                                      /* "bf16" */
    size_t size;                                           /* bytes of an element */
    int precision;                                         /* significant bits of a normal number */
    int min_exponent;                                      /* 2^min_exponent is the smallest normal number */
    uint64_t infinity;                                     /* the bits of +infinity */
    float (*widen)(uint32_t bits);                         /* NULL for f64 */
    uint32_t (*round)(float value);                        /* NULL for f64 */
    void (*load)(void *row, const void *array, size_t n);  /* "values are widened exactly to f32" */
    void (*store)(void *array, const void *row, size_t n); /* "round to nearest even, subnormals kept, overflow to
                                                               infinity; NaN never becomes Inf or a number" */
} ref_dtype;

/* The format whose name is the first `length` characters of `name`, or NULL. */
const ref_dtype *ref_dtype_named(const char *name, size_t length);

/* Is it f64, whose rows are arrays of double? */
int ref_is_f64(const ref_dtype *dtype);

/* Rounds a row of n reals to the format, in place: the value that storing and loading again would give. */
void ref_round_row(const ref_dtype *dtype, void *row, size_t n);

/* The bits of element i of an array of this format. */
uint64_t ref_element_bits(const ref_dtype *dtype, const void *array, size_t i);

/* Are these the bits of a finite number? Of a NaN? */
int ref_is_finite(const ref_dtype *dtype, uint64_t bits);
int ref_is_nan(const ref_dtype *dtype, uint64_t bits);

#endif
