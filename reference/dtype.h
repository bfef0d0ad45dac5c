/* The storage formats: how values become float, exactly, and how float is rounded back. One row per format. */
#ifndef NG_REFERENCE_DTYPE_H
#define NG_REFERENCE_DTYPE_H

#include <stddef.h>
#include <stdint.h>

typedef struct ref_dtype {
    const char *name; /* "bf16" */
    size_t size;      /* bytes of an element */
    int precision;    /* significant bits of a normal number */
    int min_exponent; /* 2^min_exponent is the smallest normal number */
    float (*widen)(uint32_t bits);
    uint32_t (*round)(float value);
    void (*load)(float *to, const void *from, size_t n);  /* "values are widened exactly to f32" */
    void (*store)(void *to, const float *from, size_t n); /* "round to nearest even, subnormals kept, overflow to
                                                              infinity; NaN never becomes Inf or a number" */
} ref_dtype;

/* The format whose name is the first `length` characters of `name`, or NULL. */
const ref_dtype *ref_dtype_named(const char *name, size_t length);

/* Rounds n <= REF_MAX_H floats to the format, in place: the value that storing and loading again would give. */
void ref_round_row(const ref_dtype *dtype, float *value, size_t n);

/* The bits of element i of an array of this format. */
uint32_t ref_element_bits(const ref_dtype *dtype, const void *array, size_t i);

#endif
