--- AVX-512 (F, BW, DQ, VL) with FMA: 16 floats to a vector, masks for tails.

local function call(name, before)
  return function(...) return name .. "(" .. (before or "") .. table.concat({ ... }, ", ") .. ")" end
end

--- The mask of the first n of `bits` slots; n is a number, or C text.
local function mask(bits, n)
  if type(n) == "string" then return ("@avx512_first%d(%s)"):format(bits, n) end
  n = math.max(0, math.min(bits, n))
  return ("(__mmask%d)0x%x"):format(bits, 2 ^ n - 1)
end

local function indices(first, second)
  local list = {}
  for i = 15, 0, -1 do list[#list + 1] = ("%d"):format(first + second(i)) end
  return "_mm512_set_epi32(" .. table.concat(list, ", ") .. ")"
end

--- A fold of one vector, which leaves the lower half of what there is.
local function halve(what)
  return function(v) return ("@avx512_halve_%s(%s)"):format(what, v) end
end

local f32_plain = {
  raw = "__m512", raws = 1, is_compute = true,
  first = function(p) return ("_mm512_set1_ps(*(%s))"):format(p) end,
  load = function(p) return ("_mm512_loadu_ps(%s)"):format(p) end,
  load_n = function(p, _, n) return ("_mm512_maskz_loadu_ps(%s, %s)"):format(mask(16, n), p) end,
  widen = function(q) return q[1] end,
  narrow = function(v) return v[1] end,
  store = function(p, _, q) return ("_mm512_storeu_ps(%s, %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm512_stream_ps(%s, %s)"):format(p, q) end,
  store_n = function(p, _, q, n) return ("_mm512_mask_storeu_ps(%s, %s, %s)"):format(p, mask(16, n), q) end,
}

local function part(p, j) return j == 1 and p or p .. " + 16" end

local f32_split = {
  raw = "__m512", raws = 2, is_compute = true,
  first = f32_plain.first,
  load = function(p, j) return f32_plain.load(part(p, j)) end,
  load_n = function(p, j, n)
    local left = n - 16 * (j - 1)
    return left > 0 and f32_plain.load_n(part(p, j), 1, left) or "_mm512_setzero_ps()"
  end,
  widen = function(q, k)
    return ("_mm512_permutex2var_ps(%s, %s, %s)"):format(q[1], k == 1 and "@avx512_evens()" or "@avx512_odds()", q[2])
  end,
  narrow = function(v, j)
    return ("_mm512_permutex2var_ps(%s, %s, %s)"):format(v[1], j == 1 and "@avx512_lower()" or "@avx512_upper()", v[2])
  end,
  store = function(p, j, q) return f32_plain.store(part(p, j), 1, q) end,
  stream = function(p, j, q) return f32_plain.stream(part(p, j), 1, q) end,
  store_n = function(p, j, q, n) return f32_plain.store_n(part(p, j), 1, q, n - 16 * (j - 1)) end,
}

local function bf16_first(p)
  return ("_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_set1_epi32(@avx512_u16(%s)), 16))"):format(p)
end

local bf16_plain = {
  raw = "__m256i", raws = 1, first = bf16_first,
  load = function(p) return ("_mm256_loadu_si256((const __m256i *)(const void *)(%s))"):format(p) end,
  load_n = function(p, _, n) return ("_mm256_maskz_loadu_epi16(%s, %s)"):format(mask(16, n), p) end,
  widen = function(q) return ("_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(%s), 16))"):format(q[1]) end,
  narrow = function(v) return ("@avx512_to_bf16(%s)"):format(v[1]) end,
  narrow_nan = function(v) return ("@avx512_to_bf16_nan(%s)"):format(v[1]) end,
  store = function(p, _, q) return ("_mm256_storeu_si256((__m256i *)(void *)(%s), %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm256_stream_si256((__m256i *)(void *)(%s), %s)"):format(p, q) end,
  store_n = function(p, _, q, n) return ("_mm256_mask_storeu_epi16(%s, %s, %s)"):format(p, mask(16, n), q) end,
}

local bf16_split = {
  raw = "__m512i", raws = 1, first = bf16_first,
  load = function(p) return ("_mm512_loadu_si512(%s)"):format(p) end,
  load_n = function(p, _, n) return ("_mm512_maskz_loadu_epi16(%s, %s)"):format(mask(32, n), p) end,
  widen = function(q, k)
    return (k == 1 and "_mm512_castsi512_ps(_mm512_slli_epi32(%s, 16))"
      or "_mm512_castsi512_ps(_mm512_and_si512(%s, _mm512_set1_epi32(-65536)))"):format(q[1])
  end,
  narrow = function(v) return ("@avx512_pair_to_bf16(%s, %s)"):format(v[1], v[2]) end,
  narrow_nan = function(v) return ("@avx512_pair_to_bf16_nan(%s, %s)"):format(v[1], v[2]) end,
  store = function(p, _, q) return ("_mm512_storeu_si512(%s, %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm512_stream_si512((__m512i *)(void *)(%s), %s)"):format(p, q) end,
  store_n = function(p, _, q, n) return ("_mm512_mask_storeu_epi16(%s, %s, %s)"):format(p, mask(32, n), q) end,
}

--- Slot indices of a fold that takes blocks of `size` slots: from both vectors, or within groups of 2 * size.
local function slots(list)
  local result = {}
  for _, range in ipairs(list) do
    for s = range[1], range[2] do result[#result + 1] = s end
  end
  return result
end

local function within_quads(a, b)
  local result = {}
  for quad = 0, 3 do
    for _, s in ipairs { a, b, a + 16, b + 16 } do result[#result + 1] = 4 * quad + s end
  end
  return result
end

local f16_plain = {
  raw = "__m256i", raws = 1,
  first = function(p) return ("_mm512_cvtph_ps(_mm256_set1_epi16((int16_t)@avx512_u16(%s)))"):format(p) end,
  load = bf16_plain.load, load_n = bf16_plain.load_n,
  widen = function(q) return ("_mm512_cvtph_ps(%s)"):format(q[1]) end,
  narrow = function(v) return ("@avx512_to_f16(%s)"):format(v[1]) end,
  store = bf16_plain.store, store_n = bf16_plain.store_n, stream = bf16_plain.stream,
}

local f64_plain = {
  raw = "__m512d", raws = 1, is_compute = true,
  first = function(p) return ("_mm512_set1_pd(*(%s))"):format(p) end,
  load = function(p) return ("_mm512_loadu_pd(%s)"):format(p) end,
  load_n = function(p, _, n) return ("_mm512_maskz_loadu_pd(%s, %s)"):format(mask(8, n), p) end,
  widen = function(q) return q[1] end,
  narrow = function(v) return v[1] end,
  store = function(p, _, q) return ("_mm512_storeu_pd(%s, %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm512_stream_pd(%s, %s)"):format(p, q) end,
  store_n = function(p, _, q, n) return ("_mm512_mask_storeu_pd(%s, %s, %s)"):format(p, mask(8, n), q) end,
}

--- The memory words of a dtype of 8 bits, for outputs: `helper` makes 16 of them.
local function byte_plain(helper)
  return {
    raw = "__m128i", raws = 1,
    narrow = function(v) return ("%s(%s)"):format(helper, v[1]) end,
    store = function(p, _, q) return ("_mm_storeu_si128((__m128i *)(void *)(%s), %s)"):format(p, q) end,
    store_n = function(p, _, q, n) return ("_mm_mask_storeu_epi8(%s, %s, %s)"):format(p, mask(16, n), q) end,
  }
end

--- The words that both types have alike; `more` are those of one type.
local function words(suffix, width, more)
  local function intrinsic(name, before) return call("_mm512_" .. name .. "_" .. suffix, before) end
  local list = {
    zero = intrinsic "setzero", set1 = intrinsic "set1", add = intrinsic "add", sub = intrinsic "sub", mul = intrinsic "mul",
    div = intrinsic "div", sqrt = intrinsic "sqrt", fma = intrinsic "fmadd", fnma = intrinsic "fnmadd",
    clamp0 = intrinsic("max", "_mm512_setzero_" .. suffix .. "(), "),
    max = function(a, b) return ("_mm512_max_%s(%s, %s)"):format(suffix, b, a) end,
    nonzero = function(a, b)
      return ("_mm512_mask_mov_%s(%s, _mm512_cmp_%s_mask(%s, _mm512_setzero_%s(), _CMP_EQ_OQ), %s)"):format(suffix, a, suffix, a, suffix, b)
    end,
    abs = intrinsic("andnot", ("_mm512_set1_%s(-0.0%s), "):format(suffix, suffix == "ps" and "f" or "")),
    keep_n = function(v, n) return ("_mm512_maskz_mov_%s(%s, %s)"):format(suffix, mask(width, n), v) end,
    pin = call "@avx512_pin", forget = call "@avx512_forget", prefetch = call "__builtin_prefetch",
  }
  for name, word in pairs(more) do list[name] = word end
  return list
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
      vector = "__m512", width = 16, words = words("ps", 16, {
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
        store_first = function(p, v) return ("_mm_store_ss(%s, _mm512_castps512_ps128(%s))"):format(p, v) end,
        widen_low = function(v) return ("_mm512_cvtps_pd(_mm512_castps512_ps256(%s))"):format(v) end,
        widen_high = function(v) return ("_mm512_cvtps_pd(_mm512_extractf32x8_ps(%s, 1))"):format(v) end,
      }),
      folds = {
        { low = { 0, 1, 2, 3, 4, 5, 6, 7 }, high = { 8, 9, 10, 11, 12, 13, 14, 15 }, text = halve "halves" },
        { low = { 0, 1, 2, 3 }, high = { 4, 5, 6, 7 }, text = halve "quarters" },
        { low = { 0, 1 }, high = { 2, 3 }, text = halve "pairs" },
        { low = { 0 }, high = { 1 }, text = halve "neighbours" },
        { low = slots { { 0, 7 }, { 16, 23 } }, high = slots { { 8, 15 }, { 24, 31 } }, text = call "@avx512_fold_halves" },
        { low = slots { { 0, 3 }, { 8, 11 }, { 16, 19 }, { 24, 27 } },
          high = slots { { 4, 7 }, { 12, 15 }, { 20, 23 }, { 28, 31 } }, text = call "@avx512_fold_quarters" },
        { low = within_quads(0, 1), high = within_quads(2, 3), text = call "@avx512_fold_pairs" },
        { low = within_quads(0, 2), high = within_quads(1, 3), text = call "@avx512_fold_neighbours" },
      },
      layouts = {
        plain = { vecs = 1, element = function(_, s) return s end,
          dtypes = { f32 = f32_plain, bf16 = bf16_plain, f16 = f16_plain, s8 = byte_plain "@avx512_to_s8",
            u8 = byte_plain "@avx512_to_u8", e4m3 = byte_plain "@avx512_to_e4m3" } },
        split = { vecs = 2, element = function(k, s) return 2 * s + k end, dtypes = { f32 = f32_split, bf16 = bf16_split } },
      },
    },
    f64 = {
      vector = "__m512d", width = 8, words = words("pd", 8, {
        bcast = function(v, slot)
          if slot == 0 then return ("_mm512_broadcastsd_pd(_mm512_castpd512_pd128(%s))"):format(v) end
          return ("_mm512_permutexvar_pd(_mm512_set1_epi64(%d), %s)"):format(slot, v)
        end,
        store_first = function(p, v) return ("_mm_store_sd(%s, _mm512_castpd512_pd128(%s))"):format(p, v) end,
        to_f32 = function(v) return ("_mm512_castps256_ps512(_mm512_cvtpd_ps(%s))"):format(v) end,
      }),
      folds = {
        { low = { 0, 1, 2, 3, 8, 9, 10, 11 }, high = { 4, 5, 6, 7, 12, 13, 14, 15 }, text = call "@avx512_fold_halves_f64" },
        { low = { 0, 1, 4, 5, 8, 9, 12, 13 }, high = { 2, 3, 6, 7, 10, 11, 14, 15 }, text = call "@avx512_fold_quarters_f64" },
        { low = { 0, 8, 2, 10, 4, 12, 6, 14 }, high = { 1, 9, 3, 11, 5, 13, 7, 15 }, text = call "@avx512_fold_neighbours_f64" },
      },
      layouts = { plain = { vecs = 1, element = function(_, s) return s end, dtypes = { f64 = f64_plain } } },
    },
  },
  helpers = {
    { name = "avx512_first16", text = [[
/* The mask of the first n < 32 slots. */
static inline __mmask16 @avx512_first16(int n)
{
    return (__mmask16)(((uint32_t)1 << n) - 1u);
}]] },
    { name = "avx512_first8", text = [[
static inline __mmask8 @avx512_first8(int n)
{
    return (__mmask8)(((uint32_t)1 << n) - 1u);
}]] },
    { name = "avx512_amax", text = [[
/* The larger one of a, which has no sign, and |b| by their bits: NaN is largest. */
static inline $A __m512 @avx512_amax(__m512 a, __m512 b)
{
    const __m512i magnitude = _mm512_and_si512(_mm512_castps_si512(b), _mm512_set1_epi32(0x7fffffff));
    return _mm512_castsi512_ps(_mm512_max_epi32(_mm512_castps_si512(a), magnitude));
}]] },
    { name = "avx512_to_whole", text = [[
/* The nearest integers up to `most`, even ones at ties, NaN as 0. */
static inline $A __m512i @avx512_to_whole(__m512 v, float most)
{
    const __m512 number = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v);
    return _mm512_cvtps_epi32(_mm512_min_ps(number, _mm512_set1_ps(most)));
}]] },
    { name = "avx512_to_s8", text = [[
/* Sixteen of them with 8 bits, signed and unsigned. */
static inline $A __m128i @avx512_to_s8(__m512 v)
{
    return _mm512_cvtsepi32_epi8(@avx512_to_whole(v, 127.0f));
}]] },
    { name = "avx512_to_u8", text = [[
static inline $A __m128i @avx512_to_u8(__m512 v)
{
    return _mm512_cvtepi32_epi8(_mm512_max_epi32(@avx512_to_whole(v, 255.0f), _mm512_setzero_si512()));
}]] },
    { name = "avx512_to_e4m3", text = [[
/* Sixteen numbers rounded to nearest even to e4m3, at most 448. Below 2^-6 the sum with 2^14 ends in units of 2^-9. */
static inline $A __m128i @avx512_to_e4m3(__m512 v)
{
    const __m512i bits = _mm512_castps_si512(v);
    const __m512 magnitude = _mm512_castsi512_ps(_mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff)));
    const __m512 most = _mm512_min_ps(magnitude, _mm512_set1_ps(448.0f));
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(_mm512_castps_si512(most), 20), _mm512_set1_epi32(1));
    const __m512i carried = _mm512_add_epi32(_mm512_add_epi32(_mm512_castps_si512(most), _mm512_set1_epi32(0x7ffff)), odd);
    const __m512i normal = _mm512_sub_epi32(_mm512_srli_epi32(carried, 20), _mm512_set1_epi32(960));
    const __m512 shifted = _mm512_add_ps(most, _mm512_set1_ps(16384.0f));
    const __m512i small = _mm512_sub_epi32(_mm512_castps_si512(shifted), _mm512_set1_epi32(0x46800000));
    const __mmask16 is_small = _mm512_cmp_ps_mask(magnitude, _mm512_set1_ps(0x1p-6f), _CMP_LT_OQ);
    const __m512i number = _mm512_mask_mov_epi32(normal, is_small, small);
    const __m512i sign = _mm512_and_si512(_mm512_srli_epi32(bits, 24), _mm512_set1_epi32(0x80));
    const __mmask16 is_nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    return _mm512_cvtepi32_epi8(_mm512_mask_mov_epi32(_mm512_or_si512(number, sign), is_nan, _mm512_set1_epi32(0x7f)));
}]] },
    { name = "avx512_forget", text = [[
/* What was loaded before is loaded again: cheaper than to keep it in spilled registers. */
#define @avx512_forget() __asm__ volatile("" ::: "memory")]] },
    { name = "avx512_pin", text = [[
/* Computes v here: not later, not as a part of another operation. */
#define @avx512_pin(v) __asm__("" : "+v"(v))]] },
    { name = "avx512_sub_fma", text = [[
/* a - b, to the last bit, by the units of fma: those for additions are busy with sums. */
static inline $A __m512 @avx512_sub_fma(__m512 a, __m512 b)
{
    return _mm512_fmsub_ps(a, _mm512_set1_ps(1.0f), b);
}]] },
    { name = "avx512_pick", text = [[
/* a < 0 ? b : c. */
static inline $A __m512 @avx512_pick(__m512 a, __m512 b, __m512 c)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_LT_OQ), c, b);
}]] },
    { name = "avx512_pow2", text = [[
/* 2^k for v = 1.5 * 2^23 + k. */
static inline $A __m512 @avx512_pow2(__m512 v)
{
    const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(v), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(exponent, _mm512_set1_epi32(0x3f800000)));
}]] },
    { name = "avx512_alias_u16", text = "typedef uint16_t __attribute__((__may_alias__)) @avx512_alias_u16;" },
    { name = "avx512_u16", text = [[
/* The 16 bits at p, whatever type the caller gave them. */
static inline uint16_t @avx512_u16(const void *p)
{
    return *(const @avx512_alias_u16 *)p;
}]] },
    { name = "avx512_evens", text = [[
/* Even and odd elements of two vectors, and the way back. */
static inline $A __m512i @avx512_evens(void)
{
    return ]] .. indices(0, function(i) return 2 * i end) .. [[;
}]] },
    { name = "avx512_odds", text = [[
static inline $A __m512i @avx512_odds(void)
{
    return ]] .. indices(1, function(i) return 2 * i end) .. [[;
}]] },
    { name = "avx512_lower", text = [[
static inline $A __m512i @avx512_lower(void)
{
    return ]] .. indices(0, function(i) return math.floor(i / 2) + 16 * (i % 2) end) .. [[;
}]] },
    { name = "avx512_upper", text = [[
static inline $A __m512i @avx512_upper(void)
{
    return ]] .. indices(8, function(i) return math.floor(i / 2) + 16 * (i % 2) end) .. [[;
}]] },
    { name = "avx512_halve_halves", text = [[
/* One level of the summation tree in one vector: the upper half onto the lower one; and so on. */
static inline $A __m512 @avx512_halve_halves(__m512 v)
{
    return _mm512_castps256_ps512(_mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1)));
}]] },
    { name = "avx512_halve_quarters", text = [[
static inline $A __m512 @avx512_halve_quarters(__m512 v)
{
    const __m256 half = _mm512_castps512_ps256(v);
    return _mm512_castps128_ps512(_mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
}]] },
    { name = "avx512_halve_pairs", text = [[
static inline $A __m512 @avx512_halve_pairs(__m512 v)
{
    const __m128 quarter = _mm512_castps512_ps128(v);
    return _mm512_castps128_ps512(_mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter)));
}]] },
    { name = "avx512_halve_neighbours", text = [[
static inline $A __m512 @avx512_halve_neighbours(__m512 v)
{
    const __m128 pair = _mm512_castps512_ps128(v);
    return _mm512_castps128_ps512(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
}]] },
    { name = "avx512_fold_halves", text = [[
/* One level of the summation tree: upper halves of a and b onto lower ones, side by side. */
static inline $A __m512 @avx512_fold_halves(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
}]] },
    { name = "avx512_fold_quarters", text = [[
/* The same within the halves. */
static inline $A __m512 @avx512_fold_quarters(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}]] },
    { name = "avx512_fold_pairs", text = [[
/* The same within the quarters. */
static inline $A __m512 @avx512_fold_pairs(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x44), _mm512_shuffle_ps(a, b, 0xee));
}]] },
    { name = "avx512_fold_neighbours", text = [[
/* The same within pairs. */
static inline $A __m512 @avx512_fold_neighbours(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd));
}]] },
    { name = "avx512_fold_halves_f64", text = [[
/* The levels of the summation tree in f64, as above. */
static inline $A __m512d @avx512_fold_halves_f64(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
}]] },
    { name = "avx512_fold_quarters_f64", text = [[
static inline $A __m512d @avx512_fold_quarters_f64(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}]] },
    { name = "avx512_fold_neighbours_f64", text = [[
static inline $A __m512d @avx512_fold_neighbours_f64(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}]] },
    { name = "avx512_quiet", text = [[
/* v with every NaN replaced by one whose low half is zero. */
static inline $A __m512 @avx512_quiet(__m512 v)
{
    const __mmask16 is_nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    return _mm512_castsi512_ps(_mm512_mask_mov_epi32(_mm512_castps_si512(v), is_nan, _mm512_set1_epi32(0x7fc00000)));
}]] },
    { name = "avx512_to_f16", text = [[
/* Round to nearest even to f16. gcc's own macro, without optimisation, warns of the mask that it makes. */
static inline $A __m256i @avx512_to_f16(__m512 v)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
    return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#pragma GCC diagnostic pop
}]] },
    { name = "avx512_to_bf16", text = [[
/* Round to nearest even to bf16; a NaN must have a zero low half. */
static inline $A __m256i @avx512_to_bf16(__m512 v)
{
    const __m512i bits = _mm512_castps_si512(v);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
}]] },
    { name = "avx512_to_bf16_nan", text = [[
/* Round to nearest even to bf16, any NaN to NaN. */
static inline $A __m256i @avx512_to_bf16_nan(__m512 v)
{
    return @avx512_to_bf16(@avx512_quiet(v));
}]] },
    { name = "avx512_pair_to_bf16", text = [[
/* Round even and odd elements to nearest even to bf16 and interleave them; a NaN must have a zero low half.
   A carry comes out of the low halves where they exceed one half, or equal it and the high half is odd. */
static inline $A __m512i @avx512_pair_to_bf16(__m512 even, __m512 odd)
{
    const __m512i e = _mm512_castps_si512(even), o = _mm512_castps_si512(odd);
    const __mmask32 odd_slots = 0xaaaaaaaa;
    const __m512i high = _mm512_mask_blend_epi16(odd_slots, _mm512_srli_epi32(e, 16), o);
    const __m512i low = _mm512_mask_blend_epi16(odd_slots, e, _mm512_slli_epi32(o, 16));
    const __m512i half = _mm512_or_si512(_mm512_and_si512(high, _mm512_set1_epi16(1)), _mm512_set1_epi16(0x7ffe));
    return _mm512_add_epi16(high, _mm512_srli_epi16(_mm512_avg_epu16(low, half), 15));
}]] },
    { name = "avx512_pair_to_bf16_nan", text = [[
/* The same, any NaN to NaN. */
static inline $A __m512i @avx512_pair_to_bf16_nan(__m512 even, __m512 odd)
{
    return @avx512_pair_to_bf16(@avx512_quiet(even), @avx512_quiet(odd));
}]] },
  },
}
