--- NEON of ARMv8.0 (aarch64): 4 floats to a vector, tails in pieces of 4, 2 and 1.

local words = require "targets.shared.words"

local call, text = words.call, words.text

local f32_plain = words.chunk {
  raw = "float32x4_t", is_compute = true, first = "vdupq_n_f32(*(%s))", widen = "%s", narrow = "%s",
  load = "vld1q_f32(%s)", load_n = "@neon_load_f32(%s, %s)", store = "vst1q_f32(%s, %s)", store_n = "@neon_store_f32(%s, %s, %s)",
}

local f32_split = words.pair(f32_plain, 4, {
  widen = { "vuzp1q_f32(%s, %s)", "vuzp2q_f32(%s, %s)" }, narrow = { "vzip1q_f32(%s, %s)", "vzip2q_f32(%s, %s)" },
})

--- The memory words of four 16-bit elements; `fields` are those of one dtype.
local function half_plain(fields)
  return words.chunk(words.with({
    raw = "uint16x4_t", load = "vreinterpret_u16_u8(vld1_u8((const uint8_t *)(%s)))", load_n = "@neon_load_u16(%s, %s)",
    store = "vst1_u8((uint8_t *)(%s), vreinterpret_u8_u16(%s))", store_n = "@neon_store_u16(%s, %s, %s)",
  }, fields))
end

local bf16_plain = half_plain {
  first = "vreinterpretq_f32_u32(vdupq_n_u32((uint32_t)@neon_u16(%s) << 16))",
  widen = "vreinterpretq_f32_u32(vshll_n_u16(%s, 16))",
  narrow = "vshrn_n_u32(@neon_round_bf16(%s), 16)", narrow_nan = "vshrn_n_u32(@neon_round_bf16(@neon_quiet(%s)), 16)",
}

local f16_plain = half_plain {
  first = "vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(@neon_u16(%s))))", widen = "vcvt_f32_f16(vreinterpret_f16_u16(%s))",
  narrow = "vreinterpret_u16_f16(vcvt_f16_f32(%s))",
}

local bf16_split = words.chunk {
  raw = "uint16x8_t", first = bf16_plain.first,
  load = "vreinterpretq_u16_u8(vld1q_u8((const uint8_t *)(%s)))",
  load_n = function(p, _, n)
    if n < 4 then return ("vcombine_u16(%s, vdup_n_u16(0))"):format(bf16_plain.load_n(p, 1, n)) end
    return ("vcombine_u16(%s, %s)"):format(bf16_plain.load(p), bf16_plain.load_n(p .. " + 4", 1, n - 4))
  end,
  widen = { "vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_u16(%s), 16))",
    "vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_u16(%s), vdupq_n_u32(0xffff0000)))" },
  narrow = "@neon_pair_to_bf16(%s, %s)", narrow_nan = "@neon_pair_to_bf16(@neon_quiet(%s), @neon_quiet(%s))",
  store = "vst1q_u8((uint8_t *)(%s), vreinterpretq_u8_u16(%s))",
  store_n = words.in_halves(bf16_plain, 4, "vget_low_u16(%s)", "vget_high_u16(%s)"),
}

--- The memory words of a dtype of 8 bits, for outputs: `narrow` makes 4 of them.
local function bytes(narrow)
  return words.chunk { raw = "uint8x8_t", narrow = narrow, store = "@neon_store_bytes(%s, %s, 4)",
    store_n = "@neon_store_bytes(%s, %s, %s)" }
end

local f64_plain = words.chunk {
  raw = "float64x2_t", is_compute = true, first = "vdupq_n_f64(*(%s))", widen = "%s", narrow = "%s",
  load = "vld1q_f64(%s)", load_n = "vcombine_f64(vld1_f64(%s), vdup_n_f64(0.0))",
  store = "vst1q_f64(%s, %s)", store_n = "vst1q_lane_f64(%s, %s, 0)",
}

--- The arithmetic words that both types have alike; `more` are those of one type.
local function arithmetic(suffix, zero, more)
  local function intrinsic(name) return call(name .. "q_" .. suffix) end
  return words.with({
    zero = function() return ("vdupq_n_%s(%s)"):format(suffix, zero) end, set1 = call("vdupq_n_" .. suffix),
    add = intrinsic "vadd", sub = intrinsic "vsub", mul = intrinsic "vmul", div = intrinsic "vdiv", sqrt = intrinsic "vsqrt",
    fma = function(a, b, c) return ("vfmaq_%s(%s, %s, %s)"):format(suffix, c, a, b) end,
    fnma = function(a, b, c) return ("vfmsq_%s(%s, %s, %s)"):format(suffix, c, a, b) end,
    bcast = function(v, slot) return ("vdupq_laneq_%s(%s, %d)"):format(suffix, v, slot) end,
    max = function(a, b) return ("vbslq_%s(vcgtq_%s(%s, %s), %s, %s)"):format(suffix, suffix, b, a, b, a) end,
    nonzero = function(a, b) return ("vbslq_%s(vceqzq_%s(%s), %s, %s)"):format(suffix, suffix, a, b, a) end,
    abs = call("vabsq_" .. suffix),
    pin = call "@neon_pin", forget = call "@neon_forget", prefetch = call "__builtin_prefetch",
  }, more)
end

return {
  name = "neon", rank = 20, arch = "aarch64", guard = "defined(__aarch64__) && !defined(__AARCH64EB__)",
  includes = "#include <arm_neon.h>",
  attribute = "",
  features = { { name = "asimd", check = "@hwcap_bit(1)" } },
  registers = 32,
  types = {
    f32 = {
      vector = "float32x4_t", width = 4, words = arithmetic("f32", "0.0f", {
        clamp0 = call "@neon_clamp0",
        pick = text "vbslq_f32(vcltzq_f32(%s), %s, %s)",
        pow2 = call "@neon_pow2", amax = call "@neon_amax",
        swap = function(v, d) return d == 2 and ("vextq_f32(%s, %s, 2)"):format(v, v) or ("vrev64q_f32(%s)"):format(v) end,
        keep_n = function(v, n) return ("@neon_keep(%s, %s)"):format(v, words.count(n)) end,
        store_first = text "vst1q_lane_f32(%s, %s, 0)",
        widen_low = text "vcvt_f64_f32(vget_low_f32(%s))",
        widen_high = text "vcvt_high_f64_f32(%s)",
      }),
      folds = {
        { low = { 0, 1, 4, 5 }, high = { 2, 3, 6, 7 }, text = call "@neon_fold_halves" },
        { low = { 0, 2, 4, 6 }, high = { 1, 3, 5, 7 }, text = call "vpaddq_f32" },
      },
      layouts = {
        plain = words.plain { f32 = f32_plain, bf16 = bf16_plain, f16 = f16_plain, s8 = bytes "@neon_to_s8(%s)",
          u8 = bytes "@neon_to_u8(%s)", e4m3 = bytes "@neon_to_e4m3(%s)" },
        split = words.split { f32 = f32_split, bf16 = bf16_split },
      },
    },
    f64 = {
      vector = "float64x2_t", width = 2, words = arithmetic("f64", "0.0", {
        clamp0 = call "@neon_clamp0_f64",
        keep_n = function(v, n) return n == 0 and "vdupq_n_f64(0.0)" or ("vsetq_lane_f64(0.0, %s, 1)"):format(v) end,
        store_first = text "vst1q_lane_f64(%s, %s, 0)",
        to_f32 = text "vcombine_f32(vcvt_f32_f64(%s), vdup_n_f32(0.0f))",
      }),
      folds = { { low = { 0, 2 }, high = { 1, 3 }, text = call "vpaddq_f64" } },
      layouts = { plain = words.plain { f64 = f64_plain } },
    },
  },
}
