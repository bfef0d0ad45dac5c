--- NEON of ARMv8.0 (aarch64): 4 floats to a vector, tails in pieces of 4, 2 and 1.

local function call(name)
  return function(...) return name .. "(" .. table.concat({ ... }, ", ") .. ")" end
end

--- A count of elements as C: a number, or C text of an int.
local function count(n) return type(n) == "number" and ("%d"):format(n) or n end

local f32_plain = {
  raw = "float32x4_t", raws = 1, is_compute = true,
  first = function(p) return ("vdupq_n_f32(*(%s))"):format(p) end,
  load = function(p) return ("vld1q_f32(%s)"):format(p) end,
  load_n = function(p, _, n) return ("@neon_load_f32(%s, %s)"):format(p, count(n)) end,
  widen = function(q) return q[1] end,
  narrow = function(v) return v[1] end,
  store = function(p, _, q) return ("vst1q_f32(%s, %s)"):format(p, q) end,
  store_n = function(p, _, q, n) return ("@neon_store_f32(%s, %s, %s)"):format(p, q, count(n)) end,
}

local function part(p, j) return j == 1 and p or p .. " + 4" end

local f32_split = {
  raw = "float32x4_t", raws = 2, is_compute = true,
  first = f32_plain.first,
  load = function(p, j) return f32_plain.load(part(p, j)) end,
  load_n = function(p, j, n)
    local left = n - 4 * (j - 1)
    return left >= 4 and f32_plain.load(part(p, j)) or f32_plain.load_n(part(p, j), 1, math.max(left, 0))
  end,
  widen = function(q, k) return ("%s(%s, %s)"):format(k == 1 and "vuzp1q_f32" or "vuzp2q_f32", q[1], q[2]) end,
  narrow = function(v, j) return ("%s(%s, %s)"):format(j == 1 and "vzip1q_f32" or "vzip2q_f32", v[1], v[2]) end,
  store = function(p, j, q) return f32_plain.store(part(p, j), 1, q) end,
  store_n = function(p, j, q, n)
    local left = n - 4 * (j - 1)
    return left >= 4 and f32_plain.store(part(p, j), 1, q) or f32_plain.store_n(part(p, j), 1, q, math.max(left, 0))
  end,
}

local function bf16_first(p) return ("vreinterpretq_f32_u32(vdupq_n_u32((uint32_t)@neon_u16(%s) << 16))"):format(p) end

local bf16_plain = {
  raw = "uint16x4_t", raws = 1, first = bf16_first,
  load = function(p) return ("vreinterpret_u16_u8(vld1_u8((const uint8_t *)(%s)))"):format(p) end,
  load_n = function(p, _, n) return ("@neon_load_u16(%s, %s)"):format(p, count(n)) end,
  widen = function(q) return ("vreinterpretq_f32_u32(vshll_n_u16(%s, 16))"):format(q[1]) end,
  narrow = function(v) return ("vshrn_n_u32(@neon_round_bf16(%s), 16)"):format(v[1]) end,
  narrow_nan = function(v) return ("vshrn_n_u32(@neon_round_bf16(@neon_quiet(%s)), 16)"):format(v[1]) end,
  store = function(p, _, q) return ("vst1_u8((uint8_t *)(%s), vreinterpret_u8_u16(%s))"):format(p, q) end,
  store_n = function(p, _, q, n) return ("@neon_store_u16(%s, %s, %s)"):format(p, q, count(n)) end,
}

local bf16_split = {
  raw = "uint16x8_t", raws = 1, first = bf16_first,
  load = function(p) return ("vreinterpretq_u16_u8(vld1q_u8((const uint8_t *)(%s)))"):format(p) end,
  load_n = function(p, _, n)
    if n < 4 then return ("vcombine_u16(@neon_load_u16(%s, %d), vdup_n_u16(0))"):format(p, n) end
    return ("vcombine_u16(%s, @neon_load_u16(%s + 4, %d))"):format(bf16_plain.load(p), p, n - 4)
  end,
  widen = function(q, k)
    return (k == 1 and "vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_u16(%s), 16))"
      or "vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_u16(%s), vdupq_n_u32(0xffff0000)))"):format(q[1])
  end,
  narrow = function(v) return ("@neon_pair_to_bf16(%s, %s)"):format(v[1], v[2]) end,
  narrow_nan = function(v) return ("@neon_pair_to_bf16(@neon_quiet(%s), @neon_quiet(%s))"):format(v[1], v[2]) end,
  store = function(p, _, q) return ("vst1q_u8((uint8_t *)(%s), vreinterpretq_u8_u16(%s))"):format(p, q) end,
  store_n = function(p, _, q, n)
    if n < 4 then return bf16_plain.store_n(p, 1, ("vget_low_u16(%s)"):format(q), n) end
    local whole = bf16_plain.store(p, 1, ("vget_low_u16(%s)"):format(q))
    if n == 4 then return whole end
    return whole .. "; " .. bf16_plain.store_n(p .. " + 4", 1, ("vget_high_u16(%s)"):format(q), n - 4)
  end,
}

local f16_plain = {
  raw = "uint16x4_t", raws = 1,
  first = function(p) return ("vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(@neon_u16(%s))))"):format(p) end,
  load = bf16_plain.load, load_n = bf16_plain.load_n,
  widen = function(q) return ("vcvt_f32_f16(vreinterpret_f16_u16(%s))"):format(q[1]) end,
  narrow = function(v) return ("vreinterpret_u16_f16(vcvt_f16_f32(%s))"):format(v[1]) end,
  store = bf16_plain.store, store_n = bf16_plain.store_n,
}

--- The memory words of a dtype of 8 bits, for outputs: `helper` makes 4 of them.
local function byte_plain(helper)
  return {
    raw = "uint8x8_t", raws = 1,
    narrow = function(v) return ("%s(%s)"):format(helper, v[1]) end,
    store = function(p, _, q) return ("@neon_store_bytes(%s, %s, 4)"):format(p, q) end,
    store_n = function(p, _, q, n) return ("@neon_store_bytes(%s, %s, %s)"):format(p, q, count(n)) end,
  }
end

local f64_plain = {
  raw = "float64x2_t", raws = 1, is_compute = true,
  first = function(p) return ("vdupq_n_f64(*(%s))"):format(p) end,
  load = function(p) return ("vld1q_f64(%s)"):format(p) end,
  load_n = function(p) return ("vcombine_f64(vld1_f64(%s), vdup_n_f64(0.0))"):format(p) end,
  widen = function(q) return q[1] end,
  narrow = function(v) return v[1] end,
  store = function(p, _, q) return ("vst1q_f64(%s, %s)"):format(p, q) end,
  store_n = function(p, _, q) return ("vst1q_lane_f64(%s, %s, 0)"):format(p, q) end,
}

--- The words that both types have alike; `more` are those of one type.
local function words(suffix, zero, more)
  local function intrinsic(name) return call(name .. "q_" .. suffix) end
  local list = {
    zero = function() return ("vdupq_n_%s(%s)"):format(suffix, zero) end, set1 = call("vdupq_n_" .. suffix),
    add = intrinsic "vadd", sub = intrinsic "vsub", mul = intrinsic "vmul", div = intrinsic "vdiv", sqrt = intrinsic "vsqrt",
    fma = function(a, b, c) return ("vfmaq_%s(%s, %s, %s)"):format(suffix, c, a, b) end,
    fnma = function(a, b, c) return ("vfmsq_%s(%s, %s, %s)"):format(suffix, c, a, b) end,
    bcast = function(v, slot) return ("vdupq_laneq_%s(%s, %d)"):format(suffix, v, slot) end,
    max = function(a, b) return ("vbslq_%s(vcgtq_%s(%s, %s), %s, %s)"):format(suffix, suffix, b, a, b, a) end,
    nonzero = function(a, b) return ("vbslq_%s(vceqzq_%s(%s), %s, %s)"):format(suffix, suffix, a, b, a) end,
    abs = call("vabsq_" .. suffix),
    pin = call "@neon_pin", forget = call "@neon_forget", prefetch = call "__builtin_prefetch",
  }
  for name, word in pairs(more) do list[name] = word end
  return list
end

return {
  name = "neon", rank = 20, arch = "aarch64", guard = "defined(__aarch64__) && !defined(__AARCH64EB__)",
  includes = "#include <arm_neon.h>",
  attribute = "",
  features = { { name = "asimd", check = "@hwcap_bit(1)" } },
  registers = 32,
  types = {
    f32 = {
      vector = "float32x4_t", width = 4, words = words("f32", "0.0f", {
        clamp0 = call "@neon_clamp0",
        pick = function(a, b, c) return ("vbslq_f32(vcltzq_f32(%s), %s, %s)"):format(a, b, c) end,
        pow2 = call "@neon_pow2", amax = call "@neon_amax",
        swap = function(v, d) return d == 2 and ("vextq_f32(%s, %s, 2)"):format(v, v) or ("vrev64q_f32(%s)"):format(v) end,
        keep_n = function(v, n) return ("@neon_keep(%s, %s)"):format(v, count(n)) end,
        store_first = function(p, v) return ("vst1q_lane_f32(%s, %s, 0)"):format(p, v) end,
        widen_low = function(v) return ("vcvt_f64_f32(vget_low_f32(%s))"):format(v) end,
        widen_high = function(v) return ("vcvt_high_f64_f32(%s)"):format(v) end,
      }),
      folds = {
        { low = { 0, 1, 4, 5 }, high = { 2, 3, 6, 7 }, text = call "@neon_fold_halves" },
        { low = { 0, 2, 4, 6 }, high = { 1, 3, 5, 7 }, text = call "vpaddq_f32" },
      },
      layouts = {
        plain = { vecs = 1, element = function(_, s) return s end,
          dtypes = { f32 = f32_plain, bf16 = bf16_plain, f16 = f16_plain, s8 = byte_plain "@neon_to_s8",
            u8 = byte_plain "@neon_to_u8", e4m3 = byte_plain "@neon_to_e4m3" } },
        split = { vecs = 2, element = function(k, s) return 2 * s + k end, dtypes = { f32 = f32_split, bf16 = bf16_split } },
      },
    },
    f64 = {
      vector = "float64x2_t", width = 2, words = words("f64", "0.0", {
        clamp0 = call "@neon_clamp0_f64",
        keep_n = function(v, n) return n == 0 and "vdupq_n_f64(0.0)" or ("vsetq_lane_f64(0.0, %s, 1)"):format(v) end,
        store_first = function(p, v) return ("vst1q_lane_f64(%s, %s, 0)"):format(p, v) end,
        to_f32 = function(v) return ("vcombine_f32(vcvt_f32_f64(%s), vdup_n_f32(0.0f))"):format(v) end,
      }),
      folds = { { low = { 0, 2 }, high = { 1, 3 }, text = call "vpaddq_f64" } },
      layouts = { plain = { vecs = 1, element = function(_, s) return s end, dtypes = { f64 = f64_plain } } },
    },
  },
  helpers = {
    { name = "neon_forget", text = [[
/* What was loaded before is loaded again: cheaper than to keep it in spilled registers. */
#define @neon_forget() __asm__ volatile("" ::: "memory")]] },
    { name = "neon_pin", text = [[
/* Computes v here: not later, not as a part of another operation. */
#define @neon_pin(v) __asm__("" : "+w"(v))]] },
    { name = "neon_alias_u16", text = "typedef uint16_t __attribute__((__may_alias__)) @neon_alias_u16;" },
    { name = "neon_u16", text = [[
/* The 16 bits at p, whatever type the caller gave them. */
static inline uint16_t @neon_u16(const void *p)
{
    return *(const @neon_alias_u16 *)p;
}]] },
    { name = "neon_load_f32", text = [[
/* The first n < 4 floats at p, then zeros. */
static inline float32x4_t @neon_load_f32(const float *p, int n)
{
    float32x4_t v = vdupq_n_f32(0.0f);
    if (n & 2)
        v = vcombine_f32(vld1_f32(p), vdup_n_f32(0.0f));
    if (n == 1)
        v = vsetq_lane_f32(p[0], v, 0);
    if (n == 3)
        v = vsetq_lane_f32(p[2], v, 2);
    return v;
}]] },
    { name = "neon_store_f32", text = [[
/* Stores the first n < 4 floats. */
static inline void @neon_store_f32(float *p, float32x4_t v, int n)
{
    if (n & 2)
        vst1_f32(p, vget_low_f32(v));
    if (n == 1)
        p[0] = vgetq_lane_f32(v, 0);
    if (n == 3)
        p[2] = vgetq_lane_f32(v, 2);
}]] },
    { name = "neon_load_u16", text = [[
/* The first n < 4 16-bit elements at p, then zeros. */
static inline uint16x4_t @neon_load_u16(const uint16_t *p, int n)
{
    uint16x4_t v = vdup_n_u16(0);
    if (n > 0)
        v = vset_lane_u16(@neon_u16(p), v, 0);
    if (n > 1)
        v = vset_lane_u16(@neon_u16(p + 1), v, 1);
    if (n > 2)
        v = vset_lane_u16(@neon_u16(p + 2), v, 2);
    return v;
}]] },
    { name = "neon_store_u16", text = [[
/* Stores the first n < 4 16-bit elements. */
static inline void @neon_store_u16(uint16_t *p, uint16x4_t v, int n)
{
    @neon_alias_u16 *q = (@neon_alias_u16 *)p;
    if (n > 0)
        q[0] = vget_lane_u16(v, 0);
    if (n > 1)
        q[1] = vget_lane_u16(v, 1);
    if (n > 2)
        q[2] = vget_lane_u16(v, 2);
}]] },
    { name = "neon_keep", text = [[
/* The first n < 4 slots, zeros in the others. */
static inline float32x4_t @neon_keep(float32x4_t v, int n)
{
    const float32x4_t zero = vdupq_n_f32(0.0f);
    if (n == 0)
        return zero;
    if (n == 1)
        return vsetq_lane_f32(vgetq_lane_f32(v, 0), zero, 0);
    if (n == 2)
        return vcombine_f32(vget_low_f32(v), vget_low_f32(zero));
    return vsetq_lane_f32(0.0f, v, 3);
}]] },
    { name = "neon_clamp0", text = [[
/* v < 0 ? 0 : v; NaN stays NaN. */
static inline float32x4_t @neon_clamp0(float32x4_t v)
{
    return vbslq_f32(vcltzq_f32(v), vdupq_n_f32(0.0f), v);
}]] },
    { name = "neon_pow2", text = [[
/* 2^k for v = 1.5 * 2^23 + k. */
static inline float32x4_t @neon_pow2(float32x4_t v)
{
    const uint32x4_t exponent = vshlq_n_u32(vreinterpretq_u32_f32(v), 23);
    return vreinterpretq_f32_u32(vaddq_u32(exponent, vdupq_n_u32(0x3f800000)));
}]] },
    { name = "neon_clamp0_f64", text = [[
static inline float64x2_t @neon_clamp0_f64(float64x2_t v)
{
    return vbslq_f64(vcltzq_f64(v), vdupq_n_f64(0.0), v);
}]] },
    { name = "neon_fold_halves", text = [[
/* One level of the summation tree: upper halves of a and b onto lower ones, side by side. */
static inline float32x4_t @neon_fold_halves(float32x4_t a, float32x4_t b)
{
    return vaddq_f32(vcombine_f32(vget_low_f32(a), vget_low_f32(b)), vcombine_f32(vget_high_f32(a), vget_high_f32(b)));
}]] },
    { name = "neon_amax", text = [[
/* The larger one of a, which has no sign, and |b| by their bits: NaN is largest. */
static inline float32x4_t @neon_amax(float32x4_t a, float32x4_t b)
{
    return vreinterpretq_f32_s32(vmaxq_s32(vreinterpretq_s32_f32(a), vreinterpretq_s32_f32(vabsq_f32(b))));
}]] },
    { name = "neon_store_bytes", text = [[
/* Stores the first n <= 4 bytes; n is literal. */
static inline void @neon_store_bytes(void *p, uint8x8_t v, int n)
{
    uint8_t bytes[8];
    vst1_u8(bytes, v);
    for (int i = 0; i < n; ++i)
        ((unsigned char *)p)[i] = bytes[i];
}]] },
    { name = "neon_to_s8", text = [[
/* The nearest integers in their range, even ones at ties, NaN as 0: four of them with 8 bits, signed and unsigned. */
static inline uint8x8_t @neon_to_s8(float32x4_t v)
{
    const int16x4_t words = vqmovn_s32(vcvtnq_s32_f32(v));
    return vreinterpret_u8_s8(vqmovn_s16(vcombine_s16(words, words)));
}]] },
    { name = "neon_to_u8", text = [[
static inline uint8x8_t @neon_to_u8(float32x4_t v)
{
    const uint16x4_t words = vqmovn_u32(vcvtnq_u32_f32(v));
    return vqmovn_u16(vcombine_u16(words, words));
}]] },
    { name = "neon_to_e4m3", text = [[
/* Four numbers rounded to nearest even to e4m3, at most 448. Below 2^-6 the sum with 2^14 ends in units of 2^-9. */
static inline uint8x8_t @neon_to_e4m3(float32x4_t v)
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
}]] },
    { name = "neon_quiet", text = [[
/* v with every NaN replaced by one whose low half is zero. */
static inline float32x4_t @neon_quiet(float32x4_t v)
{
    return vbslq_f32(vceqq_f32(v, v), v, vreinterpretq_f32_u32(vdupq_n_u32(0x7fc00000)));
}]] },
    { name = "neon_round_bf16", text = [[
/* Bits whose upper half is v rounded to nearest even to bf16; a NaN must have a zero low half. */
static inline uint32x4_t @neon_round_bf16(float32x4_t v)
{
    const uint32x4_t bits = vreinterpretq_u32_f32(v);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    return vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fff)), odd);
}]] },
    { name = "neon_pair_to_bf16", text = [[
/* Round even and odd elements to nearest even to bf16 and interleave them; a NaN must have a zero low half. */
static inline uint16x8_t @neon_pair_to_bf16(float32x4_t even, float32x4_t odd)
{
    return vreinterpretq_u16_u32(vsriq_n_u32(@neon_round_bf16(odd), @neon_round_bf16(even), 16));
}]] },
  },
}
