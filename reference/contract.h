/* The contract, number 1, as plain C: what decides the bits of every kernel. Written by hand from the contract's text,
 * never derived from the generator. Nothing here depends on compiler flags: every product that meets a sum is an
 * explicit fused multiply-add, which rounds once whether the hardware has one or not.
 *
 * This file holds what is the same for all arithmetics; arithmetic.h says which there are. */
#ifndef NG_REFERENCE_CONTRACT_H
#define NG_REFERENCE_CONTRACT_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "the reference needs IEEE arithmetic: do not build it with -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "the reference needs float arithmetic in float precision"
#endif

enum {
    REF_MAX_H = 65536,       /* longest row */
    REF_SINGLE_BLOCK = 1024, /* up to here a row is one block */
    REF_LONGEST_BLOCK = 4096 /* blocks of longer rows are at most this long */
};

/* The bits of a float. */
static inline uint32_t ref_bits_of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The float with these bits. */
static inline float ref_f32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits of a double. */
static inline uint64_t ref_bits_of_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The double with these bits. */
static inline double ref_f64_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* a * b + c with one rounding, on any hardware: the product is exact in double, the sum is rounded to odd there, and so
 * the rounding to float is the only one that shows. */
float ref_fma_portable(float a, float b, float c);

/* a * b + c in f64 with one rounding, on any hardware: integers of 128 bits. */
double ref_fma_f64_portable(double a, double b, double c);

/* "a product is accumulated with fused multiply-add": a * b + c, rounded once. */
static inline float ref_fma(float a, float b, float c)
{
#if defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMAF)
    return __builtin_fmaf(a, b, c);
#else
    return ref_fma_portable(a, b, c);
#endif
}

/* The same in f64. */
static inline double ref_fma_f64(double a, double b, double c)
{
#if defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMA)
    return __builtin_fma(a, b, c);
#else
    return ref_fma_f64_portable(a, b, c);
#endif
}

/* "Up to 1024 elements are one block. Longer rows are cut into nb blocks, nb the smallest power of two >= 2 for which
 * the block length 64 * ceil(n / (64 nb)) is at most 4096." Returns nb and sets *length to the block length. */
size_t ref_blocks(size_t n, size_t *length);

/* "The head is the first m elements, m the smallest power of two >= n / 64." Returns m. */
size_t ref_head(size_t n);

#endif
