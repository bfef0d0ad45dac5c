/* The contract, number 1, as plain C: what decides the bits of every kernel. Written by hand from the contract's text,
 * never derived from the generator. Nothing here depends on compiler flags: every product that meets a sum is an
 * explicit ref_fma, which rounds once whether the hardware has a fused multiply-add or not. */
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
    REF_LANES = 64,          /* L: lanes of one block */
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

/* a * b + c with one rounding, on any hardware: the product is exact in double, the sum is rounded to odd there, and so
 * the rounding to float is the only one that shows. */
float ref_fma_portable(float a, float b, float c);

/* "a product is accumulated with fused multiply-add": a * b + c, rounded once. */
static inline float ref_fma(float a, float b, float c)
{
#if defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMAF)
    return __builtin_fmaf(a, b, c);
#else
    return ref_fma_portable(a, b, c);
#endif
}

/* "Up to 1024 elements are one block. Longer rows are cut into nb blocks, nb the smallest power of two >= 2 for which
 * the block length 64 * ceil(n / (64 nb)) is at most 4096." Returns nb and sets *length to the block length. */
size_t ref_blocks(size_t n, size_t *length);

/* "lanes start at +0; element i of the block goes to lane i mod L, in ascending i; [...] then the halving tree: for w =
 * L/2 ... 1: lane[j] += lane[j+w] for j < w. Block sums meet in a pairwise tree over the block index: b[i] = b[2i] +
 * b[2i+1]." The sum of n floats. */
float ref_sum(const float *value, size_t n);

/* The same sum over the squares, each "accumulated with fused multiply-add". */
float ref_sum_of_squares(const float *value, size_t n);

/* "mean(v) = sum(v) / n: a real division, n as (f32)n, never a product with 1/n." */
float ref_mean(const float *value, size_t n);

/* mean(v*v), by the same rule. */
float ref_mean_of_squares(const float *value, size_t n);

/* "The head is the first m elements, m the smallest power of two >= n / 64." Returns m. */
size_t ref_head(size_t n);

/* "rstd = 1 / sqrt(v + eps), IEEE square root and division." */
float ref_rstd(float v, float eps);

#endif
