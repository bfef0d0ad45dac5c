--- Scalar: portable C for any CPU, loops over the contract's lanes. Fused multiply-add is exact with and without
-- hardware.

local function infix(op)
  return function(a, b) return ("%s %s %s"):format(a, op, b) end
end

local function enclosed(op)
  return function(a, b) return ("(%s %s %s)"):format(a, op, b) end
end

local function call(name)
  return function(...) return name .. "(" .. table.concat({ ... }, ", ") .. ")" end
end

return {
  name = "scalar", rank = 0, arch = "any", guard = "1",
  includes = "#include <string.h>",
  attribute = "",
  features = {},
  words = {
    add = enclosed "+", sub = enclosed "-", mul = enclosed "*", div = enclosed "/",
    sqrt = call "@scalar_sqrt", fma = call "@scalar_fma",
    fnma = function(a, b, c) return ("@scalar_fma(-%s, %s, %s)"):format(a, b, c) end,
    clamp0 = call "@scalar_clamp0", tree = call "@scalar_tree", pairwise = call "@scalar_pairwise",
    dtypes = {
      f32 = {
        load = function(place) return place end,
        store = infix "=",
      },
      bf16 = {
        load = function(place) return ("@scalar_from_bf16(&%s)"):format(place) end,
        store = function(place, v) return ("@scalar_to_bf16(&%s, %s)"):format(place, v) end,
        round = call "@scalar_round_bf16",
      },
    },
  },
  helpers = {
    { name = "scalar_bits", text = [[
/* The bits of a float, and the float of bits. */
static inline uint32_t @scalar_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}]] },
    { name = "scalar_float", text = [[
static inline float @scalar_float(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}]] },
    { name = "scalar_bf16_bits", text = [[
/* v rounded to nearest even to bf16, any NaN to NaN. */
static inline uint32_t @scalar_bf16_bits(float v)
{
    const uint32_t bits = @scalar_bits(v);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return (bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : rounded;
}]] },
    { name = "scalar_from_bf16", text = [[
/* Reads and writes one bf16, whatever type the caller gave it. */
static inline float @scalar_from_bf16(const void *p)
{
    uint16_t half;
    memcpy(&half, p, sizeof half);
    return @scalar_float((uint32_t)half << 16);
}]] },
    { name = "scalar_to_bf16", text = [[
static inline void @scalar_to_bf16(void *p, float v)
{
    const uint16_t half = (uint16_t)@scalar_bf16_bits(v);
    memcpy(p, &half, sizeof half);
}]] },
    { name = "scalar_round_bf16", text = [[
/* v after a round trip through bf16. */
static inline float @scalar_round_bf16(float v)
{
    return @scalar_float(@scalar_bf16_bits(v) << 16);
}]] },
    { name = "scalar_fma", text = [[
/* a * b + c with one rounding. The product is exact in double; the sum is rounded to odd there where its second rounding
   to float could go wrong: on a midpoint of floats, and below the normal floats. */
static inline float @scalar_fma(float a, float b, float c)
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
}]] },
    { name = "scalar_sqrt", text = [[
#if defined(__SSE__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* The correctly rounded square root. */
static inline float @scalar_sqrt(float v)
{
#if defined(__SSE__)
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(v)));
#elif defined(__aarch64__)
    return vget_lane_f32(vsqrt_f32(vdup_n_f32(v)), 0);
#else
    uint32_t bits = @scalar_bits(v);
    if (v == 0.0f || bits == 0x7f800000u || (bits & 0x7fffffffu) > 0x7f800000u)
        return v;
    if (bits >> 31)
        return __builtin_nanf("");
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
        if ((root | bit) * (root | bit) <= square)
            root |= bit;
    }
    const uint32_t rounded = (uint32_t)((root + 1) >> 1);
    return @scalar_float(((uint32_t)(exponent / 2 + 126) << 23) + rounded);
#endif
}]] },
    { name = "scalar_clamp0", text = [[
/* v < 0 ? 0 : v; NaN stays NaN. */
static inline float @scalar_clamp0(float v)
{
    return v < 0.0f ? 0.0f : v;
}]] },
    { name = "scalar_tree", text = [[
/* The halving tree over 64 lanes; overwrites them. */
static inline float @scalar_tree(float *lane)
{
    for (size_t w = 32; w > 0; w /= 2) {
        for (size_t j = 0; j < w; ++j)
            lane[j] += lane[j + w];
    }
    return lane[0];
}]] },
    { name = "scalar_pairwise", text = [[
/* The pairwise tree over the sums of n blocks, n a power of two; overwrites them. */
static inline float @scalar_pairwise(float *part, size_t n)
{
    for (; n > 1; n /= 2) {
        for (size_t i = 0; i < n / 2; ++i)
            part[i] = part[2 * i] + part[2 * i + 1];
    }
    return part[0];
}]] },
  },
}
