--- AVX2 with FMA and F16C: 8 floats to a vector, tails by masked loads and by stores of 4, 2 and 1.

local words = require "targets.shared.words"
local x86 = require "targets.shared.x86"

local call, text = words.call, words.text

local f32_plain = x86.floats(256, "ps", { load_n = "_mm256_maskload_ps(%s, @avx2_first(%s))", store_n = "@avx2_store_f32(%s, %s, %s)" })

local f32_split = words.pair(f32_plain, 8, {
  widen = { "@avx2_evens(%s, %s)", "@avx2_odds(%s, %s)" }, narrow = { "@avx2_lower(%s, %s)", "@avx2_upper(%s, %s)" },
}, { empty = "_mm256_setzero_ps()" })

--- Loads n 16-bit elements: pairs under a mask, the last odd one by itself; or piece by piece.
local function load_n_u16(mm, zero, mask, p, n)
  if type(n) == "string" then return ("@avx2_load_u16(%s, %s)"):format(p, n) end
  local even = zero
  if n >= 2 then even = ("%s_maskload_epi32((const int *)(const void *)(%s), %s(%d))"):format(mm, p, mask, math.floor(n / 2)) end
  if n % 2 == 0 then return even end
  return ("%s_insert_epi16(%s, @avx2_i16(%s + %d), %d)"):format(mm, even, p, n - 1, n - 1)
end

local bf16_plain = x86.bf16_plain(256, "avx2", {
  load_n = function(p, _, n) return load_n_u16("_mm", "_mm_setzero_si128()", "@avx2_first_of_4", p, n) end,
  store_n = "@avx2_store_u16(%s, %s, %s)",
})

local bf16_split = x86.bf16_split(256, "avx2", {
  first = bf16_plain.first,
  load_n = function(p, _, n) return load_n_u16("_mm256", "_mm256_setzero_si256()", "@avx2_first", p, n) end,
  store_n = words.in_halves(bf16_plain, 8, "_mm256_castsi256_si128(%s)", "_mm256_extracti128_si256(%s, 1)"),
})

local f16_plain = x86.integers(128, {
  first = "_mm256_cvtph_ps(_mm_set1_epi16(@avx2_i16(%s)))", load_n = bf16_plain.load_n, store_n = bf16_plain.store_n,
  widen = "_mm256_cvtph_ps(%s)", narrow = "_mm256_cvtps_ph(%s, _MM_FROUND_TO_NEAREST_INT)",
})

--- The memory words of a dtype of 8 bits, for outputs: `narrow` makes 8 of them.
local function bytes(narrow)
  return words.chunk { raw = "__m128i", narrow = narrow, store = "_mm_storel_epi64((__m128i *)(void *)(%s), %s)",
    store_n = "@avx2_store_bytes(%s, %s, %s)" }
end

local f64_plain = x86.floats(256, "pd", {
  load_n = function(p, _, n) return ("_mm256_maskload_pd(%s, @avx2_first(%s))"):format(p, words.count(n, 2)) end,
  store_n = "@avx2_store_f64(%s, %s, %s)",
})

--- The arithmetic words of a type with `slots` 32-bit slots to an element.
local function arithmetic(suffix, slots, more)
  return x86.arithmetic(256, suffix, "avx2", words.with({
    nonzero = function(a, b)
      return ("_mm256_blendv_%s(%s, %s, _mm256_cmp_%s(%s, _mm256_setzero_%s(), _CMP_EQ_OQ))"):format(suffix, a, b, suffix, a, suffix)
    end,
    keep_n = function(v, n)
      if type(n) == "number" then return ("_mm256_blend_%s(_mm256_setzero_%s(), %s, 0x%02x)"):format(suffix, suffix, v, 2 ^ n - 1) end
      return ("_mm256_and_%s(%s, _mm256_castsi256_%s(@avx2_first(%s)))"):format(suffix, v, suffix, words.count(n, slots))
    end,
  }, more))
end

return {
  name = "avx2", rank = 20, arch = "x86_64", guard = "defined(__x86_64__)",
  includes = "#include <immintrin.h>",
  attribute = '__attribute__((target("avx2,fma,f16c")))',
  features = {
    { name = "fma", check = "@cpuid_bit(1, 0, 2, 12)" },
    { name = "f16c", check = "@cpuid_bit(1, 0, 2, 29)" },
    { name = "avx2", check = "@cpuid_bit(7, 0, 1, 5)" },
  },
  os_check = "@os_saves(0x6)",
  registers = 16, leave = "_mm256_zeroupper()", fence = "_mm_sfence()",
  types = {
    f32 = {
      vector = "__m256", width = 8, words = arithmetic("ps", nil, {
        bcast = function(v, slot)
          if slot == 0 then return ("_mm256_broadcastss_ps(_mm256_castps256_ps128(%s))"):format(v) end
          return ("_mm256_permutevar8x32_ps(%s, _mm256_set1_epi32(%d))"):format(v, slot)
        end,
        sub_fma = call "@avx2_sub_fma", pick = call "@avx2_pick", pow2 = call "@avx2_pow2", amax = call "@avx2_amax",
        swap = function(v, d)
          if d == 4 then return ("_mm256_permute2f128_ps(%s, %s, 1)"):format(v, v) end
          return ("_mm256_permute_ps(%s, 0x%02x)"):format(v, d == 2 and 0x4e or 0xb1)
        end,
        store_first = text "_mm_store_ss(%s, _mm256_castps256_ps128(%s))",
        widen_low = text "_mm256_cvtps_pd(_mm256_castps256_ps128(%s))",
        widen_high = text "_mm256_cvtps_pd(_mm256_extractf128_ps(%s, 1))",
      }),
      folds = {
        { low = { 0, 1, 2, 3, 8, 9, 10, 11 }, high = { 4, 5, 6, 7, 12, 13, 14, 15 }, text = call "@avx2_fold_halves" },
        { low = x86.within_quads(8, 0, 1), high = x86.within_quads(8, 2, 3), text = call "@avx2_fold_pairs" },
        { low = x86.within_quads(8, 0, 2), high = x86.within_quads(8, 1, 3), text = call "@avx2_fold_neighbours" },
      },
      layouts = {
        plain = words.plain { f32 = f32_plain, bf16 = bf16_plain, f16 = f16_plain, s8 = bytes "@avx2_to_s8(%s)",
          u8 = bytes "@avx2_to_u8(%s)", e4m3 = bytes "@avx2_to_e4m3(%s)" },
        split = words.split { f32 = f32_split, bf16 = bf16_split },
      },
    },
    f64 = {
      vector = "__m256d", width = 4, words = arithmetic("pd", 2, {
        bcast = function(v, slot) return ("_mm256_permute4x64_pd(%s, 0x%02x)"):format(v, slot * 0x55) end,
        store_first = text "_mm_store_sd(%s, _mm256_castpd256_pd128(%s))",
        to_f32 = text "_mm256_castps128_ps256(_mm256_cvtpd_ps(%s))",
      }),
      folds = {
        { low = { 0, 1, 4, 5 }, high = { 2, 3, 6, 7 }, text = call "@avx2_fold_halves_f64" },
        { low = { 0, 4, 2, 6 }, high = { 1, 5, 3, 7 }, text = call "@avx2_fold_neighbours_f64" },
      },
      layouts = { plain = words.plain { f64 = f64_plain } },
    },
  },
}
