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
    REF_MAX_H = 65536,        /* longest row */
    REF_SINGLE_BLOCK = 1024,  /* up to here a row is one block */
    REF_LONGEST_BLOCK = 4096, /* blocks of longer rows are at most this long */
    REF_CHUNK = 4096          /* values of a channel that are summed by themselves, at most */
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

/* Elements in the head of a chunk of `n` values in pieces of `length`: "the first m values of the chunk's first piece,
 * m the smallest power of two >= n / 64, but not more than the largest one that the piece has room for." */
size_t ref_head_within(size_t n, size_t length);

/* "Chunk k holds t in [4096 k, min(4096 (k+1), T))": the number of chunks of n values over an outer index. */
size_t ref_series_chunks(size_t n);

/* A chunk of one channel of a batch in the layout nchw: the same piece of some rows. */
typedef struct ref_chunk {
    size_t first_row, rows, first_position, length;
} ref_chunk;

/* Chunk k of a batch of that layout. "For one channel: per row a segment of P positions. s = ceil(P/64) stripes. If s
 * <= 64: a chunk is R = floor(64 / s) whole rows (the last chunk may have fewer). Else each row is cut into pieces of
 * 4096 positions (the last may be shorter), each piece is a chunk, in order (row, piece)." */
ref_chunk ref_batch_chunk(size_t rows, size_t positions, size_t k);

/* The number of chunks of a channel of a batch. */
size_t ref_batch_chunks(int is_nchw, size_t rows, size_t positions);

#endif
