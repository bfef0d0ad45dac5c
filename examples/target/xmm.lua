--- Example: the 128-bit registers of x86-64 with FMA and F16C. Tails by masks and loops.

local words = require "targets.shared.words"
local x86 = require "targets.shared.x86"

local call = words.call

--- The mask of the first n slots, as C.
local function first(n) return ("@xmm_first(%s)"):format(words.count(n)) end

local f32_plain = x86.floats(128, "ps", {
  load_n = "_mm_maskload_ps(%s, @xmm_first(%s))",
  store_n = function(p, _, q, n) return ("_mm_maskstore_ps(%s, %s, %s)"):format(p, first(n), q) end,
})

local f32_split = words.pair(f32_plain, 4, {
  widen = { "_mm_shuffle_ps(%s, %s, 0x88)", "_mm_shuffle_ps(%s, %s, 0xdd)" },
  narrow = { "_mm_unpacklo_ps(%s, %s)", "_mm_unpackhi_ps(%s, %s)" },
})

--- Four 16-bit elements in the lower half of a register; `fields` are those of one dtype.
local function half_plain(fields)
  return words.chunk(words.with({
    raw = "__m128i",
    load = "_mm_loadl_epi64((const __m128i *)(const void *)(%s))", load_n = "@xmm_load_u16(%s, %s)",
    store = "_mm_storel_epi64((__m128i *)(void *)(%s), %s)", store_n = "@xmm_store_u16(%s, %s, %s)",
  }, fields))
end

local bf16_plain = half_plain {
  first = "_mm_castsi128_ps(_mm_slli_epi32(_mm_set1_epi32(@xmm_u16(%s)), 16))",
  widen = "_mm_castsi128_ps(_mm_slli_epi32(_mm_cvtepu16_epi32(%s), 16))",
  narrow = "@xmm_to_bf16(%s)", narrow_nan = "@xmm_to_bf16(@xmm_quiet(%s))",
}

local bf16_split = x86.bf16_split(128, "xmm", {
  first = bf16_plain.first, load_n = bf16_plain.load_n, store_n = bf16_plain.store_n,
  narrow_nan = "@xmm_pair_to_bf16(@xmm_quiet(%s), @xmm_quiet(%s))",
})

--- The conversions of the hardware are right for every NaN: no narrow_nan.
local f16_plain = half_plain {
  first = "_mm_cvtph_ps(_mm_set1_epi16((int16_t)@xmm_u16(%s)))", widen = "_mm_cvtph_ps(%s)",
  narrow = "_mm_cvtps_ph(%s, _MM_FROUND_TO_NEAREST_INT)",
}

--- Two elements to a chunk: the only tail is one of them.
local f64_plain = x86.floats(128, "pd", { load_n = "_mm_load_sd(%s)", store_n = "_mm_store_sd(%s, %s)" })

--- a == 0 ? b : a, of a type whose intrinsics end in `suffix`.
local function nonzero(suffix)
  return function(a, b)
    return ("_mm_blendv_%s(%s, %s, _mm_cmpeq_%s(%s, _mm_setzero_%s()))"):format(suffix, a, b, suffix, a, suffix)
  end
end

return {
  name = "xmm", rank = 15, arch = "x86_64", guard = "defined(__x86_64__)",
  includes = "#include <immintrin.h>",
  attribute = '__attribute__((target("avx,fma,f16c")))',
  features = {
    { name = "avx", check = "@cpuid_bit(1, 0, 2, 28)" },
    { name = "fma", check = "@cpuid_bit(1, 0, 2, 12)" },
    { name = "f16c", check = "@cpuid_bit(1, 0, 2, 29)" },
  },
  os_check = "@os_saves(0x6)",
  registers = 16, fence = "_mm_sfence()",
  types = {
    f32 = {
      vector = "__m128", width = 4, words = x86.arithmetic(128, "ps", "xmm", {
        nonzero = nonzero "ps",
        keep_n = function(v, n) return ("_mm_and_ps(%s, _mm_castsi128_ps(%s))"):format(v, first(n)) end,
        bcast = function(v, slot) return ("_mm_permute_ps(%s, %d)"):format(v, 0x55 * slot) end,
        store_first = call "_mm_store_ss",
        widen_low = call "_mm_cvtps_pd", widen_high = function(v) return ("_mm_cvtps_pd(_mm_movehl_ps(%s, %s))"):format(v, v) end,
      }),
      folds = {
        { low = { 0, 1, 4, 5 }, high = { 2, 3, 6, 7 }, text = call "@xmm_fold_halves" },
        { low = { 0, 2, 4, 6 }, high = { 1, 3, 5, 7 }, text = call "_mm_hadd_ps" },
      },
      layouts = {
        plain = words.plain { f32 = f32_plain, bf16 = bf16_plain, f16 = f16_plain },
        split = words.split { f32 = f32_split, bf16 = bf16_split },
      },
    },
    f64 = {
      vector = "__m128d", width = 2, words = x86.arithmetic(128, "pd", "xmm", {
        nonzero = nonzero "pd",
        keep_n = function(v, n) return n == 0 and "_mm_setzero_pd()" or ("_mm_move_sd(_mm_setzero_pd(), %s)"):format(v) end,
        bcast = function(v, slot) return ("_mm_permute_pd(%s, %d)"):format(v, 3 * slot) end,
        store_first = call "_mm_store_sd", to_f32 = call "_mm_cvtpd_ps",
      }),
      folds = { { low = { 0, 2 }, high = { 1, 3 }, text = call "_mm_hadd_pd" } },
      layouts = { plain = words.plain { f64 = f64_plain } },
    },
  },
}
