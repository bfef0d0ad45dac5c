/* The C that neon calls. */
#include <arm_neon.h>
#include <stdint.h>

/* What was loaded before is loaded again: cheaper than to keep it in spilled registers. */
#define ng_neon_forget() __asm__ volatile("" ::: "memory")

/* Computes v here: not later, not as a part of another operation. */
#define ng_neon_pin(v) __asm__("" : "+w"(v))

typedef uint16_t __attribute__((__may_alias__)) ng_neon_alias_u16;

/* The 16 bits at p, whatever type the caller gave them. */
static inline uint16_t ng_neon_u16(const void *p)
{
    return *(const ng_neon_alias_u16 *)p;
}

/* The first n < 4 floats at p, then zeros. */
static inline float32x4_t ng_neon_load_f32(const float *p, int n)
{
    float32x4_t v = vdupq_n_f32(0.0f);
    if (n & 2) v = vcombine_f32(vld1_f32(p), vdup_n_f32(0.0f));
    if (n == 1) v = vsetq_lane_f32(p[0], v, 0);
    if (n == 3) v = vsetq_lane_f32(p[2], v, 2);
    return v;
}

/* Stores the first n < 4 floats. */
static inline void ng_neon_store_f32(float *p, float32x4_t v, int n)
{
    if (n & 2) vst1_f32(p, vget_low_f32(v));
    if (n == 1) p[0] = vgetq_lane_f32(v, 0);
    if (n == 3) p[2] = vgetq_lane_f32(v, 2);
}

/* The first n < 4 16-bit elements at p, then zeros. */
static inline uint16x4_t ng_neon_load_u16(const uint16_t *p, int n)
{
    uint16x4_t v = vdup_n_u16(0);
    if (n > 0) v = vset_lane_u16(ng_neon_u16(p), v, 0);
    if (n > 1) v = vset_lane_u16(ng_neon_u16(p + 1), v, 1);
    if (n > 2) v = vset_lane_u16(ng_neon_u16(p + 2), v, 2);
    return v;
}

/* Stores the first n < 4 16-bit elements. */
static inline void ng_neon_store_u16(uint16_t *p, uint16x4_t v, int n)
{
    ng_neon_alias_u16 *q = (ng_neon_alias_u16 *)p;
    if (n > 0) q[0] = vget_lane_u16(v, 0);
    if (n > 1) q[1] = vget_lane_u16(v, 1);
    if (n > 2) q[2] = vget_lane_u16(v, 2);
}

/* The first n < 4 slots, zeros in the others. */
static inline float32x4_t ng_neon_keep(float32x4_t v, int n)
{
    const float32x4_t zero = vdupq_n_f32(0.0f);
    if (n == 0) return zero;
    if (n == 1) return vsetq_lane_f32(vgetq_lane_f32(v, 0), zero, 0);
    if (n == 2) return vcombine_f32(vget_low_f32(v), vget_low_f32(zero));
    return vsetq_lane_f32(0.0f, v, 3);
}

/* v < 0 ? 0 : v; NaN stays NaN. */
static inline float32x4_t ng_neon_clamp0(float32x4_t v)
{
    return vbslq_f32(vcltzq_f32(v), vdupq_n_f32(0.0f), v);
}

/* 2^k for v = 1.5 * 2^23 + k. */
static inline float32x4_t ng_neon_pow2(float32x4_t v)
{
    const uint32x4_t exponent = vshlq_n_u32(vreinterpretq_u32_f32(v), 23);
    return vreinterpretq_f32_u32(vaddq_u32(exponent, vdupq_n_u32(0x3f800000)));
}

static inline float64x2_t ng_neon_clamp0_f64(float64x2_t v)
{
    return vbslq_f64(vcltzq_f64(v), vdupq_n_f64(0.0), v);
}

/* One level of the summation tree: upper halves of a and b onto lower ones, side by side. */
static inline float32x4_t ng_neon_fold_halves(float32x4_t a, float32x4_t b)
{
    return vaddq_f32(vcombine_f32(vget_low_f32(a), vget_low_f32(b)), vcombine_f32(vget_high_f32(a), vget_high_f32(b)));
}

/* The larger one of a, which has no sign, and |b| by their bits: NaN is largest. */
static inline float32x4_t ng_neon_amax(float32x4_t a, float32x4_t b)
{
    return vreinterpretq_f32_s32(vmaxq_s32(vreinterpretq_s32_f32(a), vreinterpretq_s32_f32(vabsq_f32(b))));
}

/* Stores the first n <= 4 bytes; n is literal. */
static inline void ng_neon_store_bytes(void *p, uint8x8_t v, int n)
{
    uint8_t bytes[8];
    vst1_u8(bytes, v);
    for (int i = 0; i < n; ++i) ((unsigned char *)p)[i] = bytes[i];
}

/* The nearest integers in their range, even ones at ties, NaN as 0: four of them with 8 bits, signed and unsigned. */
static inline uint8x8_t ng_neon_to_s8(float32x4_t v)
{
    const int16x4_t words = vqmovn_s32(vcvtnq_s32_f32(v));
    return vreinterpret_u8_s8(vqmovn_s16(vcombine_s16(words, words)));
}

static inline uint8x8_t ng_neon_to_u8(float32x4_t v)
{
    const uint16x4_t words = vqmovn_u32(vcvtnq_u32_f32(v));
    return vqmovn_u16(vcombine_u16(words, words));
}

/* Four numbers rounded to nearest even to e4m3, at most 448. Below 2^-6 the sum with 2^14 ends in units of 2^-9. */
static inline uint8x8_t ng_neon_to_e4m3(float32x4_t v)
{
    const float32x4_t magnitude = vabsq_f32(v);
    const float32x4_t most = vminq_f32(magnitude, vdupq_n_f32(448.0f));
    const uint32x4_t bits = vreinterpretq_u32_f32(most);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 20), vdupq_n_u32(1));
    const uint32x4_t carried = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7ffff)), odd);
    const uint32x4_t normal = vsubq_u32(vshrq_n_u32(carried, 20), vdupq_n_u32(960));
    const uint32x4_t shifted = vreinterpretq_u32_f32(vaddq_f32(most, vdupq_n_f32(16384.0f)));
    const uint32x4_t small = vsubq_u32(shifted, vdupq_n_u32(0x46800000));
    const uint32x4_t number = vbslq_u32(vcltq_f32(magnitude, vdupq_n_f32(0x1p-6f)), small, normal);
    const uint32x4_t sign = vandq_u32(vshrq_n_u32(vreinterpretq_u32_f32(v), 24), vdupq_n_u32(0x80));
    const uint16x4_t words = vmovn_u32(vbslq_u32(vceqq_f32(v, v), vorrq_u32(number, sign), vdupq_n_u32(0x7f)));
    return vmovn_u16(vcombine_u16(words, words));
}

/* v with every NaN replaced by one whose low half is zero. */
static inline float32x4_t ng_neon_quiet(float32x4_t v)
{
    return vbslq_f32(vceqq_f32(v, v), v, vreinterpretq_f32_u32(vdupq_n_u32(0x7fc00000)));
}

/* Bits whose upper half is v rounded to nearest even to bf16; a NaN must have a zero low half. */
static inline uint32x4_t ng_neon_round_bf16(float32x4_t v)
{
    const uint32x4_t bits = vreinterpretq_u32_f32(v);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    return vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fff)), odd);
}

/* Round even and odd elements to nearest even to bf16 and interleave them; a NaN must have a zero low half. */
static inline uint16x8_t ng_neon_pair_to_bf16(float32x4_t even, float32x4_t odd)
{
    return vreinterpretq_u16_u32(vsriq_n_u32(ng_neon_round_bf16(odd), ng_neon_round_bf16(even), 16));
}
