/* The loops that anyone would write by hand. Compiled once for each compiler and set of flags:
 *   BENCH_BUILD  their name, a string
 *   PLAIN_H      the row length as a constant; without it, it is a variable
 *   PLAIN_DOUBLE sums in double, one after the other, as ggml does it
 */
#include "../rival.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "training.h"

#ifdef PLAIN_DOUBLE
typedef double accumulator;
#else
typedef float accumulator;
#endif

enum {
    MAX_CHANNELS = 8192,
    TILE = 64 /* positions whose channels fit into the first cache */
};

#define JOIN2(a, b, c, d) a##b##c##d
#define JOIN(a, b, c, d) JOIN2(a, b, c, d)

static inline float widen_f32(float v)
{
    return v;
}

static inline float narrow_f32(float v)
{
    return v;
}

static inline float widen_bf16(uint16_t v)
{
    const uint32_t bits = (uint32_t)v << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint16_t narrow_bf16(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A value for each column: the mean over the rows, and over the `width` columns that belong together. */
static inline void mean_of_groups(size_t rows, size_t columns, size_t width, const accumulator *sums, float *mean)
{
    for (size_t first = 0; first < columns; first += width) {
        accumulator sum = 0;
        for (size_t k = 0; k < width; k++) sum += sums[first + k];
        for (size_t k = 0; k < width; k++) mean[first + k] = (float)(sum / (accumulator)(rows * width));
    }
}

#define DTYPE f32
#define ELEMENT float
#include "plain_norms.h"
#undef DTYPE
#undef ELEMENT

#define DTYPE bf16
#define ELEMENT uint16_t
#include "plain_norms.h"
#undef DTYPE
#undef ELEMENT

#ifdef __FLT16_MAX__
static inline float widen_f16(_Float16 v)
{
    return v;
}

static inline _Float16 narrow_f16(float v)
{
    return (_Float16)v;
}

#define DTYPE f16
#define ELEMENT _Float16
#include "plain_norms.h"
#undef DTYPE
#undef ELEMENT
#define LOOPS(norm)                                                                                                    \
    {                                                                                                                  \
        norm##_f32, norm##_bf16, norm##_f16                                                                            \
    }
#else
#define LOOPS(norm)                                                                                                    \
    {                                                                                                                  \
        norm##_f32, norm##_bf16                                                                                        \
    }
#endif

/* By norm and dtype; NULL where there is none. */
typedef void (*const loops[BENCH_LAYERNORM_NCHW + 1][3])(const bench_call *);

static loops two_pass = {
    [BENCH_RMSNORM] = LOOPS(rmsnorm),         [BENCH_LAYERNORM] = LOOPS(layernorm),
#ifndef PLAIN_H
    [BENCH_GROUPNORM] = LOOPS(groupnorm),     [BENCH_BATCHNORM_INFER] = LOOPS(batchnorm_infer),
    [BENCH_BATCHNORM_FWD] = LOOPS(batchnorm), [BENCH_LAYERNORM_NCHW] = LOOPS(layernorm_nchw),
#endif
};

static int is_possible(loops known, const bench_call *call)
{
#ifdef PLAIN_H
    if (call->h != PLAIN_H) return 0;
#endif
    return known[call->norm][call->dtype] && call->channels <= MAX_CHANNELS;
}

static int open_two_pass(bench_call *call)
{
    return is_possible(two_pass, call);
}

static void run_two_pass(const bench_call *call)
{
    two_pass[call->norm][call->dtype](call);
}

#ifndef PLAIN_DOUBLE
static loops one_pass = {
    [BENCH_LAYERNORM] = LOOPS(onepass),
#ifndef PLAIN_H
    [BENCH_GROUPNORM] = LOOPS(groupnorm_onepass),
    [BENCH_BATCHNORM_FWD] = LOOPS(batchnorm_onepass),
    [BENCH_LAYERNORM_NCHW] = LOOPS(layernorm_nchw_onepass),
#endif
};

static int open_one_pass(bench_call *call)
{
    return is_possible(one_pass, call);
}

static void run_one_pass(const bench_call *call)
{
    one_pass[call->norm][call->dtype](call);
}
#endif

const bench_rival BENCH_RIVALS[] = {
    {BENCH_BUILD, 1, open_two_pass, run_two_pass, NULL},
#ifndef PLAIN_DOUBLE
    {BENCH_BUILD " one-pass", 0, open_one_pass, run_one_pass, NULL},
#endif
    {NULL, 0, NULL, NULL, NULL},
};
