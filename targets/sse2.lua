--- SSE2, the baseline of x86-64: 4 floats to a vector, tails in pieces of 4, 2 and 1. There is no fused multiply-add: it is
-- emulated exactly, so that these kernels are there for the bits, not for the speed.

local words = require "targets.shared.words"
local x86 = require "targets.shared.x86"

local call, text = words.call, words.text

local f32_plain = x86.floats(128, "ps", { load_n = "@sse2_load_f32(%s, %s)", store_n = "@sse2_store_f32(%s, %s, %s)" })

local f32_split = words.pair(f32_plain, 4, {
  widen = { "_mm_shuffle_ps(%s, %s, 0x88)", "_mm_shuffle_ps(%s, %s, 0xdd)" },
  narrow = { "_mm_unpacklo_ps(%s, %s)", "_mm_unpackhi_ps(%s, %s)" },
})

--- The memory words of four 16-bit elements in the lower half of a register.
local function half_plain(dtype)
  return words.chunk {
    raw = "__m128i", first = ("_mm_set1_ps(@scalar_from_%s(%%s))"):format(dtype),
    load = "_mm_loadl_epi64((const __m128i *)(const void *)(%s))", load_n = "@sse2_load_u16(%s, %s)",
    widen = ("@sse2_from_%s(%%s)"):format(dtype), narrow = ("@sse2_to_%s(%%s)"):format(dtype),
    store = "_mm_storel_epi64((__m128i *)(void *)(%s), %s)", store_n = "@sse2_store_u16(%s, %s, %s)",
  }
end

local bf16_plain = half_plain "bf16"
bf16_plain.narrow_nan = function(v) return ("@sse2_to_bf16(@sse2_quiet(%s))"):format(v[1]) end

local bf16_split = x86.bf16_split(128, "sse2", {
  first = bf16_plain.first, narrow_nan = "@sse2_pair_to_bf16(@sse2_quiet(%s), @sse2_quiet(%s))",
  load_n = function(p, _, n)
    if n < 4 then return bf16_plain.load_n(p, 1, n) end
    return ("_mm_unpacklo_epi64(%s, %s)"):format(bf16_plain.load(p), bf16_plain.load_n(p .. " + 4", 1, n - 4))
  end,
  store_n = words.in_halves(bf16_plain, 4, "%s", "_mm_srli_si128(%s, 8)"),
})

--- The memory words of a dtype of 8 bits, for outputs: `narrow` makes 4 of them.
local function bytes(narrow)
  return words.chunk { raw = "__m128i", narrow = narrow, store = "@sse2_store_bytes(%s, %s, 4)",
    store_n = "@sse2_store_bytes(%s, %s, %s)" }
end

local f64_plain = x86.floats(128, "pd", { load_n = "_mm_load_sd(%s)", store_n = "_mm_store_sd(%s, %s)" })

--- The arithmetic words of a type; `fma` is a helper.
local function arithmetic(suffix, fma, more)
  return x86.arithmetic(128, suffix, "sse2", words.with({
    fma = call(fma), nonzero = call("@sse2_nonzero_" .. suffix),
    fnma = function(a, b, c) return ("%s(_mm_xor_%s(%s, _mm_set1_%s(-0.0)), %s, %s)"):format(fma, suffix, a, suffix, b, c) end,
  }, more))
end

return {
  name = "sse2", rank = 10, arch = "x86_64", guard = "defined(__x86_64__)",
  includes = "#include <immintrin.h>\n#include <string.h>",
  attribute = "",
  features = {},
  borrows = "scalar",
  emulates_fma = true, registers = 16, fence = "_mm_sfence()",
  types = {
    f32 = {
      vector = "__m128", width = 4, words = arithmetic("ps", "@sse2_fma", {
        amax = call "@sse2_amax",
        swap = function(v, d) return ("_mm_shuffle_ps(%s, %s, 0x%02x)"):format(v, v, d == 2 and 0x4e or 0xb1) end,
        keep_n = function(v, n) return ("_mm_and_ps(%s, @sse2_first(%s))"):format(v, words.count(n)) end,
        bcast = function(v, slot) return ("_mm_shuffle_ps(%s, %s, 0x%02x)"):format(v, v, slot * 0x55) end,
        store_first = text "_mm_store_ss(%s, %s)",
        pick = call "@sse2_pick", pow2 = call "@sse2_pow2",
        widen_low = text "_mm_cvtps_pd(%s)",
        widen_high = function(v) return ("_mm_cvtps_pd(_mm_movehl_ps(%s, %s))"):format(v, v) end,
      }),
      folds = {
        { low = { 0, 1, 4, 5 }, high = { 2, 3, 6, 7 }, text = call "@sse2_fold_halves" },
        { low = { 0, 2, 4, 6 }, high = { 1, 3, 5, 7 }, text = call "@sse2_fold_neighbours" },
      },
      layouts = {
        plain = words.plain { f32 = f32_plain, bf16 = bf16_plain, f16 = half_plain "f16", s8 = bytes "@sse2_to_s8(%s)",
          u8 = bytes "@sse2_to_u8(%s)", e4m3 = bytes "@sse2_to_e4m3(%s)" },
        split = words.split { f32 = f32_split, bf16 = bf16_split },
      },
    },
    f64 = {
      vector = "__m128d", width = 2, words = arithmetic("pd", "@sse2_fma_f64", {
        keep_n = function(v, n) return n == 0 and "_mm_setzero_pd()" or ("_mm_move_sd(_mm_setzero_pd(), %s)"):format(v) end,
        bcast = function(v, slot) return ("_mm_shuffle_pd(%s, %s, %d)"):format(v, v, slot * 3) end,
        store_first = text "_mm_store_sd(%s, %s)",
        to_f32 = text "_mm_cvtpd_ps(%s)",
      }),
      folds = { { low = { 0, 2 }, high = { 1, 3 }, text = call "@sse2_fold_neighbours_f64" } },
      layouts = { plain = words.plain { f64 = f64_plain } },
    },
  },
}
