--- AVX-512 (F, BW, DQ, VL) with FMA: 16 floats to a vector, masks for tails.

local words = require "targets.shared.words"
local x86 = require "targets.shared.x86"

local call, text = words.call, words.text

--- The mask of the first n of `bits` slots; n is a number, or C text.
local function mask(bits, n)
  if type(n) == "string" then return ("@avx512_first%d(%s)"):format(bits, n) end
  n = math.max(0, math.min(bits, n))
  return ("(__mmask%d)0x%x"):format(bits, 2 ^ n - 1)
end

--- The words load_n and store_n of chunks of `slots` elements, from formats; `more` are other fields of the chunk.
local function masked(slots, load_n, store_n, more)
  return words.with({
    load_n = function(p, _, n) return load_n:format(mask(slots, n), p) end,
    store_n = function(p, _, q, n) return store_n:format(p, mask(slots, n), q) end,
  }, more)
end

local f32_plain = x86.floats(512, "ps", masked(16, "_mm512_maskz_loadu_ps(%s, %s)", "_mm512_mask_storeu_ps(%s, %s, %s)"))

local f32_split = words.pair(f32_plain, 16, {
  widen = { "_mm512_permutex2var_ps(%s, @avx512_evens(), %s)", "_mm512_permutex2var_ps(%s, @avx512_odds(), %s)" },
  narrow = { "_mm512_permutex2var_ps(%s, @avx512_lower(), %s)", "_mm512_permutex2var_ps(%s, @avx512_upper(), %s)" },
}, { empty = "_mm512_setzero_ps()", has_masks = true })

local half_masks = masked(16, "_mm256_maskz_loadu_epi16(%s, %s)", "_mm256_mask_storeu_epi16(%s, %s, %s)")

local bf16_plain = x86.bf16_plain(512, "avx512", half_masks)

local bf16_split = x86.bf16_split(512, "avx512", masked(32, "_mm512_maskz_loadu_epi16(%s, %s)", "_mm512_mask_storeu_epi16(%s, %s, %s)", {
  first = bf16_plain.first, load = "_mm512_loadu_si512(%s)", store = "_mm512_storeu_si512(%s, %s)",
}))

local f16_plain = x86.integers(256, words.with(half_masks, {
  first = "_mm512_cvtph_ps(_mm256_set1_epi16((int16_t)@avx512_u16(%s)))", widen = "_mm512_cvtph_ps(%s)", narrow = "@avx512_to_f16(%s)",
}))

local f64_plain = x86.floats(512, "pd", masked(8, "_mm512_maskz_loadu_pd(%s, %s)", "_mm512_mask_storeu_pd(%s, %s, %s)"))

--- The memory words of a dtype of 8 bits, for outputs: `narrow` makes 16 of them.
local function bytes(narrow)
  return words.chunk {
    raw = "__m128i", narrow = narrow, store = "_mm_storeu_si128((__m128i *)(void *)(%s), %s)",
    store_n = function(p, _, q, n) return ("_mm_mask_storeu_epi8(%s, %s, %s)"):format(p, mask(16, n), q) end,
  }
end

--- The slots of a fold: ranges of the slots of two vectors.
local function slots(list)
  local result = {}
  for _, range in ipairs(list) do
    for s = range[1], range[2] do result[#result + 1] = s end
  end
  return result
end

--- The arithmetic words of a type.
local function arithmetic(suffix, width, more)
  return x86.arithmetic(512, suffix, "avx512", words.with({
    nonzero = function(a, b)
      return ("_mm512_mask_mov_%s(%s, _mm512_cmp_%s_mask(%s, _mm512_setzero_%s(), _CMP_EQ_OQ), %s)"):format(suffix, a, suffix, a, suffix, b)
    end,
    keep_n = function(v, n) return ("_mm512_maskz_mov_%s(%s, %s)"):format(suffix, mask(width, n), v) end,
  }, more))
end

return {
  name = "avx512", rank = 30, arch = "x86_64", guard = "defined(__x86_64__)",
  -- gcc's own header, as C++, warns of the undefined vectors that it makes on purpose.
  includes = [[
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif]],
  attribute = '__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))',
  features = {
    { name = "fma", check = "@cpuid_bit(1, 0, 2, 12)" },
    { name = "avx512f", check = "@cpuid_bit(7, 0, 1, 16)" },
    { name = "avx512dq", check = "@cpuid_bit(7, 0, 1, 17)" },
    { name = "avx512bw", check = "@cpuid_bit(7, 0, 1, 30)" },
    { name = "avx512vl", check = "@cpuid_bit(7, 0, 1, 31)" },
  },
  os_check = "@os_saves(0xe6)",
  registers = 32, leave = "_mm256_zeroupper()", fence = "_mm_sfence()",
  types = {
    f32 = {
      vector = "__m512", width = 16, words = arithmetic("ps", 16, {
        amax = call "@avx512_amax",
        swap = function(v, d)
          if d >= 4 then return ("_mm512_shuffle_f32x4(%s, %s, 0x%02x)"):format(v, v, d == 8 and 0x4e or 0xb1) end
          return ("_mm512_permute_ps(%s, 0x%02x)"):format(v, d == 2 and 0x4e or 0xb1)
        end,
        bcast = function(v, slot)
          if slot == 0 then return ("_mm512_broadcastss_ps(_mm512_castps512_ps128(%s))"):format(v) end
          return ("_mm512_permutexvar_ps(_mm512_set1_epi32(%d), %s)"):format(slot, v)
        end,
        sub_fma = call "@avx512_sub_fma", pick = call "@avx512_pick", pow2 = call "@avx512_pow2",
        store_first = text "_mm_store_ss(%s, _mm512_castps512_ps128(%s))",
        widen_low = text "_mm512_cvtps_pd(_mm512_castps512_ps256(%s))",
        widen_high = text "_mm512_cvtps_pd(_mm512_extractf32x8_ps(%s, 1))",
      }),
      folds = {
        { low = { 0, 1, 2, 3, 4, 5, 6, 7 }, high = { 8, 9, 10, 11, 12, 13, 14, 15 }, text = text "@avx512_halve_halves(%s)" },
        { low = { 0, 1, 2, 3 }, high = { 4, 5, 6, 7 }, text = text "@avx512_halve_quarters(%s)" },
        { low = { 0, 1 }, high = { 2, 3 }, text = text "@avx512_halve_pairs(%s)" },
        { low = { 0 }, high = { 1 }, text = text "@avx512_halve_neighbours(%s)" },
        { low = slots { { 0, 7 }, { 16, 23 } }, high = slots { { 8, 15 }, { 24, 31 } }, text = call "@avx512_fold_halves" },
        { low = slots { { 0, 3 }, { 8, 11 }, { 16, 19 }, { 24, 27 } },
          high = slots { { 4, 7 }, { 12, 15 }, { 20, 23 }, { 28, 31 } }, text = call "@avx512_fold_quarters" },
        { low = x86.within_quads(16, 0, 1), high = x86.within_quads(16, 2, 3), text = call "@avx512_fold_pairs" },
        { low = x86.within_quads(16, 0, 2), high = x86.within_quads(16, 1, 3), text = call "@avx512_fold_neighbours" },
      },
      layouts = {
        plain = words.plain { f32 = f32_plain, bf16 = bf16_plain, f16 = f16_plain, s8 = bytes "@avx512_to_s8(%s)",
          u8 = bytes "@avx512_to_u8(%s)", e4m3 = bytes "@avx512_to_e4m3(%s)" },
        split = words.split { f32 = f32_split, bf16 = bf16_split },
      },
    },
    f64 = {
      vector = "__m512d", width = 8, words = arithmetic("pd", 8, {
        bcast = function(v, slot)
          if slot == 0 then return ("_mm512_broadcastsd_pd(_mm512_castpd512_pd128(%s))"):format(v) end
          return ("_mm512_permutexvar_pd(_mm512_set1_epi64(%d), %s)"):format(slot, v)
        end,
        store_first = text "_mm_store_sd(%s, _mm512_castpd512_pd128(%s))",
        to_f32 = text "_mm512_castps256_ps512(_mm512_cvtpd_ps(%s))",
      }),
      folds = {
        { low = { 0, 1, 2, 3, 8, 9, 10, 11 }, high = { 4, 5, 6, 7, 12, 13, 14, 15 }, text = call "@avx512_fold_halves_f64" },
        { low = { 0, 1, 4, 5, 8, 9, 12, 13 }, high = { 2, 3, 6, 7, 10, 11, 14, 15 }, text = call "@avx512_fold_quarters_f64" },
        { low = { 0, 8, 2, 10, 4, 12, 6, 14 }, high = { 1, 9, 3, 11, 5, 13, 7, 15 }, text = call "@avx512_fold_neighbours_f64" },
      },
      layouts = { plain = words.plain { f64 = f64_plain } },
    },
  },
}
