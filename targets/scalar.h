/* The C that scalar calls: portable, with an own way where the compiler has FMA or a square root of its own. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bits of a float, and the float of bits. */
static inline __attribute__((unused)) uint32_t ng_scalar_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline __attribute__((unused)) float ng_scalar_float(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* v rounded to nearest even to bf16, any NaN to NaN. */
static inline uint32_t ng_scalar_bf16_bits(float v)
{
    const uint32_t bits = ng_scalar_bits(v);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return (bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : rounded;
}

/* Reads and writes one bf16, whatever type the caller gave it. */
static inline float ng_scalar_from_bf16(const void *p)
{
    uint16_t half;
    memcpy(&half, p, sizeof half);
    return ng_scalar_float((uint32_t)half << 16);
}

static inline void ng_scalar_to_bf16(void *p, float v)
{
    const uint16_t half = (uint16_t)ng_scalar_bf16_bits(v);
    memcpy(p, &half, sizeof half);
}

/* v after a round trip through bf16. */
static inline float ng_scalar_round_bf16(float v)
{
    return ng_scalar_float(ng_scalar_bf16_bits(v) << 16);
}

/* v rounded to nearest even to f16, any NaN to NaN. */
static inline uint32_t ng_scalar_f16_bits(float v)
{
    const uint32_t bits = ng_scalar_bits(v);
    const uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u;
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;
    if (magnitude >= 0x38800000u) return sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13);
    if (magnitude < 0x33000000u) return sign;
    /* Subnormal: units of 2^-24. */
    const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const uint32_t shift = 126u - (magnitude >> 23);
    const uint32_t whole = mantissa >> shift, rest = mantissa & (((uint32_t)1 << shift) - 1u);
    const uint32_t half = (uint32_t)1 << (shift - 1u);
    return sign | (whole + (rest > half || (rest == half && (whole & 1u))));
}

/* Reads and writes one f16, whatever type the caller gave it. */
static inline float ng_scalar_from_f16(const void *p)
{
    uint16_t half;
    memcpy(&half, p, sizeof half);
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = (half >> 10) & 0x1fu, mantissa = half & 0x3ffu;
    if (exponent == 31) return ng_scalar_float(sign | 0x7f800000u | (mantissa << 13));
    if (exponent != 0) return ng_scalar_float(sign | ((exponent + 112u) << 23) | (mantissa << 13));
    const float magnitude = (float)mantissa * 0x1p-24f;
    return sign ? -magnitude : magnitude;
}

static inline void ng_scalar_to_f16(void *p, float v)
{
    const uint16_t half = (uint16_t)ng_scalar_f16_bits(v);
    memcpy(p, &half, sizeof half);
}

/* v after a round trip through f16. */
static inline float ng_scalar_round_f16(float v)
{
    const uint16_t half = (uint16_t)ng_scalar_f16_bits(v);
    return ng_scalar_from_f16(&half);
}

/* The larger one of a, which has no sign, and |b| by their bits: NaN is largest. */
static inline float ng_scalar_amax(float a, float b)
{
    const uint32_t left = ng_scalar_bits(a), right = ng_scalar_bits(b) & 0x7fffffffu;
    return ng_scalar_float((int32_t)left > (int32_t)right ? left : right);
}

/* The nearest integer between two bounds, even ones at ties, NaN as 0: the sum with 1.5 * 2^23 ends in units of 1. */
static inline __attribute__((unused)) int ng_scalar_whole(float v, float least, float most)
{
    __asm__("" : "+m"(v)); /* a product must be rounded before it meets the sum */
    const float bounded = v < least ? least : v > most ? most : v;
    return v == v ? (int)((bounded + 12582912.0f) - 12582912.0f) : 0;
}

static inline int8_t ng_scalar_to_s8(float v)
{
    return (int8_t)ng_scalar_whole(v, -128.0f, 127.0f);
}

static inline uint8_t ng_scalar_to_u8(float v)
{
    return (uint8_t)ng_scalar_whole(v, 0.0f, 255.0f);
}

/* v rounded to nearest even to e4m3, at most 448. Below 2^-6 the sum with 2^14 ends in units of 2^-9. */
static inline uint8_t ng_scalar_to_e4m3(float v)
{
    const uint32_t bits = ng_scalar_bits(v), sign = (bits >> 24) & 0x80u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0x7f;
    if (magnitude < 0x3c800000u)
        return (uint8_t)(sign | (ng_scalar_bits(ng_scalar_float(magnitude) + 16384.0f) - 0x46800000u));
    const uint32_t most = magnitude < 0x43e00000u ? magnitude : 0x43e00000u;
    return (uint8_t)(sign | (((most + 0x7ffffu + ((most >> 20) & 1u)) >> 20) - 960u));
}

/* v, computed here and not as a part of another operation. */
static inline float ng_scalar_pin(float v)
{
    __asm__("" : "+m"(v));
    return v;
}

static inline double ng_scalar_pin_f64(double v)
{
    __asm__("" : "+m"(v));
    return v;
}

/* A finite double as sign, mantissa of 53 bits and exponent of its last bit; zero has mantissa 0. */
static inline __attribute__((unused)) int ng_scalar_parts_f64(double v, uint64_t *mantissa, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    *mantissa = bits & 0xfffffffffffffu;
    *exponent = (int)((bits >> 52) & 0x7ff) - 1075;
    if (*exponent == -1075)
        *exponent = -1074;
    else
        *mantissa |= 0x10000000000000u;
    while (*mantissa != 0 && *mantissa < 0x10000000000000u) {
        *mantissa <<= 1;
        --*exponent;
    }
    return (int)(bits >> 63);
}

/* a * b + c with one rounding, by integers where the hardware has no such operation. */
static inline double ng_scalar_fma_f64(double a, double b, double c)
{
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fma(a, b, c);
#else
    __extension__ typedef unsigned __int128 wide;
    const double most = 0x1.fffffffffffffp1023;
    if (a == 0.0 || b == 0.0 || !(a <= most && a >= -most && b <= most && b >= -most)) return a * b + c;
    if (!(c <= most && c >= -most)) return c;
    uint64_t ma, mb, mc;
    int ea, eb, ec;
    const int sign = ng_scalar_parts_f64(a, &ma, &ea) ^ ng_scalar_parts_f64(b, &mb, &eb);
    const int sign_c = ng_scalar_parts_f64(c, &mc, &ec);
    /* Both terms on a common exponent; what is shifted out of the smaller one stays as its last bit. */
    wide product = (wide)ma * mb << 20, addend = (wide)mc << 72;
    int exponent = ea + eb - 20;
    const int distance = mc == 0 ? 0 : exponent - (ec - 72);
    if (distance > 0) addend = distance > 127 ? 1 : addend >> distance | ((addend & (((wide)1 << distance) - 1)) != 0);
    if (distance < 0) {
        product = distance < -127 ? 1 : product >> -distance | ((product & (((wide)1 << -distance) - 1)) != 0);
        exponent = ec - 72;
    }
    const int is_sum = sign == sign_c;
    const int negative = is_sum || product > addend ? sign : product < addend ? sign_c : 0;
    const wide sum = is_sum ? product + addend : product > addend ? product - addend : addend - product;
    if (sum == 0) return 0.0;
    int top = 127;
    while (!(sum >> top)) --top;
    int last = exponent + top - 52;
    if (last < -1074) last = -1074;
    const int shift = last - exponent;
    uint64_t mantissa;
    if (shift > 127) {
        mantissa = 0;
    } else if (shift > 0) {
        const wide rest = sum & (((wide)1 << shift) - 1), half = (wide)1 << (shift - 1);
        mantissa = (uint64_t)(sum >> shift);
        mantissa += rest > half || (rest == half && (mantissa & 1));
    } else {
        mantissa = (uint64_t)(sum << -shift);
    }
    /* A carry out of the mantissa is a carry into the exponent. */
    uint64_t bits = mantissa < 0x10000000000000u ? mantissa : ((uint64_t)(last + 1074) << 52) + mantissa;
    if (bits > 0x7ff0000000000000u) bits = 0x7ff0000000000000u;
    bits |= (uint64_t)negative << 63;
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
#endif
}

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* The correctly rounded square root. */
static inline double ng_scalar_sqrt_f64(double v)
{
#if defined(__SSE2__)
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(v)));
#elif defined(__aarch64__)
    return vget_lane_f64(vsqrt_f64(vdup_n_f64(v)), 0);
#else
    __extension__ typedef unsigned __int128 wide;
    uint64_t mantissa;
    int exponent;
    if (v != v || v == 0.0 || v > 0x1.fffffffffffffp1023) return v;
    if (v < 0.0) return __builtin_nan("");
    ng_scalar_parts_f64(v, &mantissa, &exponent);
    if (exponent & 1) {
        mantissa <<= 1;
        --exponent;
    }
    /* root = floor(sqrt(mantissa * 2^54)) has 54 bits: 53 and one to round by; a tie is impossible. */
    const wide square = (wide)mantissa << 54;
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 53; bit != 0; bit >>= 1) {
        if ((wide)(root | bit) * (root | bit) <= square) root |= bit;
    }
    const uint64_t bits = ((uint64_t)(exponent / 2 + 26 + 1022) << 52) + ((root + 1) >> 1);
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
#endif
}

/* b > a ? b : a, and a == 0 ? b : a. */
static inline float ng_scalar_max(float a, float b)
{
    return b > a ? b : a;
}

static inline float ng_scalar_nonzero(float a, float b)
{
    return a == 0.0f ? b : a;
}

static inline double ng_scalar_max_f64(double a, double b)
{
    return b > a ? b : a;
}

static inline double ng_scalar_nonzero_f64(double a, double b)
{
    return a == 0.0 ? b : a;
}

/* a < 0 ? b : c. */
static inline float ng_scalar_pick(float a, float b, float c)
{
    return a < 0.0f ? b : c;
}

/* 2^k for v = 1.5 * 2^23 + k. */
static inline float ng_scalar_pow2(float v)
{
    return ng_scalar_float((ng_scalar_bits(v) << 23) + 0x3f800000u);
}

static inline double ng_scalar_clamp0_f64(double v)
{
    return v < 0.0 ? 0.0 : v;
}

/* The halving tree over 32 lanes; overwrites them. */
static inline double ng_scalar_tree_f64(double *lane)
{
    for (size_t w = 16; w > 0; w /= 2) {
        for (size_t j = 0; j < w; ++j) lane[j] += lane[j + w];
    }
    return lane[0];
}

static inline double ng_scalar_pairwise_f64(double *part, size_t n)
{
    for (; n > 1; n /= 2) {
        for (size_t i = 0; i < n / 2; ++i) part[i] = part[2 * i] + part[2 * i + 1];
    }
    return part[0];
}

/* a * b + c with one rounding. The product is exact in double; the sum is rounded to odd there where its second
   rounding to float could go wrong: on a midpoint of floats, and below the normal floats. */
static inline float ng_scalar_fma(float a, float b, float c)
{
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fmaf(a, b, c);
#else
    const double product = (double)a * b;
    double sum = product + c;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    const uint64_t magnitude = bits & 0x7fffffffffffffffu;
    const int is_midpoint = (bits & 0x1fffffffu) == 0x10000000u;
    const int is_tiny = magnitude != 0 && magnitude < 0x3810000000000000u;
    if ((is_midpoint || is_tiny) && magnitude < 0x7ff0000000000000u) {
        const double part = sum - product;
        const double error = (product - (sum - part)) + (c - part);
        if (error != 0.0 && (bits & 1) == 0) {
            bits = (error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1;
            memcpy(&sum, &bits, sizeof sum);
        }
    }
    return (float)sum;
#endif
}

#if defined(__SSE__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* The correctly rounded square root. */
static inline float ng_scalar_sqrt(float v)
{
#if defined(__SSE__)
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(v)));
#elif defined(__aarch64__)
    return vget_lane_f32(vsqrt_f32(vdup_n_f32(v)), 0);
#else
    uint32_t bits = ng_scalar_bits(v);
    if (v == 0.0f || bits == 0x7f800000u || (bits & 0x7fffffffu) > 0x7f800000u) return v;
    if (bits >> 31) return __builtin_nanf("");
    int exponent = (int)(bits >> 23) - 127;
    uint64_t mantissa = bits & 0x7fffffu;
    if (exponent == -127) {
        exponent = -126;
        while (!(mantissa & 0x800000u)) {
            mantissa <<= 1;
            --exponent;
        }
    } else {
        mantissa |= 0x800000u;
    }
    if (exponent & 1) {
        mantissa <<= 1;
        --exponent;
    }
    /* root = floor(sqrt(mantissa * 2^25)) has 25 bits: 24 and one to round by; a tie is impossible. */
    const uint64_t square = mantissa << 25;
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 24; bit != 0; bit >>= 1) {
        if ((root | bit) * (root | bit) <= square) root |= bit;
    }
    const uint32_t rounded = (uint32_t)((root + 1) >> 1);
    return ng_scalar_float(((uint32_t)(exponent / 2 + 126) << 23) + rounded);
#endif
}

/* v < 0 ? 0 : v; NaN stays NaN. */
static inline float ng_scalar_clamp0(float v)
{
    return v < 0.0f ? 0.0f : v;
}

/* The halving tree over 64 lanes; overwrites them. */
static inline float ng_scalar_tree(float *lane)
{
    for (size_t w = 32; w > 0; w /= 2) {
        for (size_t j = 0; j < w; ++j) lane[j] += lane[j + w];
    }
    return lane[0];
}

/* The pairwise tree over the sums of n blocks, n a power of two; overwrites them. */
static inline float ng_scalar_pairwise(float *part, size_t n)
{
    for (; n > 1; n /= 2) {
        for (size_t i = 0; i < n / 2; ++i) part[i] = part[2 * i] + part[2 * i + 1];
    }
    return part[0];
}
