/* The loops that anyone would write by hand. Compiled once for each compiler and set of flags:
 *   BENCH_BUILD  their name, a string
 *   PLAIN_H      the row length as a constant; without it, it is a variable
 *   PLAIN_DOUBLE sums in double, one after the other, as ggml does it
 */
#include "../rival.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef PLAIN_DOUBLE
typedef double accumulator;
#else
typedef float accumulator;
#endif

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
#define HAS_F16 1
#else
#define HAS_F16 0
#define rmsnorm_f16 rmsnorm_f32
#define layernorm_f16 layernorm_f32
#define onepass_f16 onepass_f32
#endif

static int is_possible(const bench_call *call)
{
#ifdef PLAIN_H
    if (call->h != PLAIN_H) return 0;
#endif
    return call->dtype != BENCH_F16 || HAS_F16;
}

static int open_two_pass(bench_call *call)
{
    return is_possible(call);
}

static void run_two_pass(const bench_call *call)
{
    static void (*const norms[2][3])(const bench_call *) = {{rmsnorm_f32, rmsnorm_bf16, rmsnorm_f16},
                                                            {layernorm_f32, layernorm_bf16, layernorm_f16}};
    norms[call->layernorm][call->dtype](call);
}

#ifndef PLAIN_DOUBLE
static int open_one_pass(bench_call *call)
{
    return call->layernorm && is_possible(call);
}

static void run_one_pass(const bench_call *call)
{
    static void (*const norms[3])(const bench_call *) = {onepass_f32, onepass_bf16, onepass_f16};
    norms[call->dtype](call);
}
#endif

const bench_rival BENCH_RIVALS[] = {
    {BENCH_BUILD, 1, open_two_pass, run_two_pass, NULL},
#ifndef PLAIN_DOUBLE
    {BENCH_BUILD " one-pass", 0, open_one_pass, run_one_pass, NULL},
#endif
    {NULL, 0, NULL, NULL, NULL},
};
