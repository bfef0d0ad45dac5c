--- AVX2 with FMA and F16C: 8 floats to a vector, tails by masked loads and by stores of 4, 2 and 1.

local function call(name, before)
  return function(...) return name .. "(" .. (before or "") .. table.concat({ ... }, ", ") .. ")" end
end

--- A count of elements as C: a number, or C text of an int, `times` it.
local function count(n, times)
  if type(n) == "number" then return ("%d"):format(n * (times or 1)) end
  return times and ("%d * %s"):format(times, n) or n
end

local f32_plain = {
  raw = "__m256", raws = 1, is_compute = true,
  first = function(p) return ("_mm256_set1_ps(*(%s))"):format(p) end,
  load = function(p) return ("_mm256_loadu_ps(%s)"):format(p) end,
  load_n = function(p, _, n) return ("_mm256_maskload_ps(%s, @avx2_first(%s))"):format(p, count(n)) end,
  widen = function(q) return q[1] end,
  narrow = function(v) return v[1] end,
  store = function(p, _, q) return ("_mm256_storeu_ps(%s, %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm256_stream_ps(%s, %s)"):format(p, q) end,
  store_n = function(p, _, q, n) return ("@avx2_store_f32(%s, %s, %s)"):format(p, q, count(n)) end,
}

local function part(p, j) return j == 1 and p or p .. " + 8" end

local f32_split = {
  raw = "__m256", raws = 2, is_compute = true,
  first = f32_plain.first,
  load = function(p, j) return f32_plain.load(part(p, j)) end,
  load_n = function(p, j, n)
    local left = n - 8 * (j - 1)
    if left <= 0 then return "_mm256_setzero_ps()" end
    return left >= 8 and f32_plain.load(part(p, j)) or f32_plain.load_n(part(p, j), 1, left)
  end,
  widen = function(q, k) return ("%s(%s, %s)"):format(k == 1 and "@avx2_evens" or "@avx2_odds", q[1], q[2]) end,
  narrow = function(v, j) return ("%s(%s, %s)"):format(j == 1 and "@avx2_lower" or "@avx2_upper", v[1], v[2]) end,
  store = function(p, j, q) return f32_plain.store(part(p, j), 1, q) end,
  stream = function(p, j, q) return f32_plain.stream(part(p, j), 1, q) end,
  store_n = function(p, j, q, n)
    local left = n - 8 * (j - 1)
    return left >= 8 and f32_plain.store(part(p, j), 1, q) or f32_plain.store_n(part(p, j), 1, q, math.max(left, 0))
  end,
}

local function bf16_first(p)
  return ("_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_set1_epi32(@avx2_u16(%s)), 16))"):format(p)
end

--- Loads n 16-bit elements: pairs under a mask, the last odd one by itself; or piece by piece.
local function load_n_u16(mm, zero, mask, p, n)
  if type(n) == "string" then return ("@avx2_load_u16(%s, %s)"):format(p, n) end
  local even = zero
  if n >= 2 then even = ("%s_maskload_epi32((const int *)(const void *)(%s), %s(%d))"):format(mm, p, mask, math.floor(n / 2)) end
  if n % 2 == 0 then return even end
  return ("%s_insert_epi16(%s, @avx2_i16(%s + %d), %d)"):format(mm, even, p, n - 1, n - 1)
end

local bf16_plain = {
  raw = "__m128i", raws = 1, first = bf16_first,
  load = function(p) return ("_mm_loadu_si128((const __m128i *)(const void *)(%s))"):format(p) end,
  load_n = function(p, _, n) return load_n_u16("_mm", "_mm_setzero_si128()", "@avx2_first_of_4", p, n) end,
  widen = function(q) return ("_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(%s), 16))"):format(q[1]) end,
  narrow = function(v) return ("@avx2_to_bf16(%s)"):format(v[1]) end,
  narrow_nan = function(v) return ("@avx2_to_bf16_nan(%s)"):format(v[1]) end,
  store = function(p, _, q) return ("_mm_storeu_si128((__m128i *)(void *)(%s), %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm_stream_si128((__m128i *)(void *)(%s), %s)"):format(p, q) end,
  store_n = function(p, _, q, n) return ("@avx2_store_u16(%s, %s, %s)"):format(p, q, count(n)) end,
}

local bf16_split = {
  raw = "__m256i", raws = 1, first = bf16_first,
  load = function(p) return ("_mm256_loadu_si256((const __m256i *)(const void *)(%s))"):format(p) end,
  load_n = function(p, _, n) return load_n_u16("_mm256", "_mm256_setzero_si256()", "@avx2_first", p, n) end,
  widen = function(q, k)
    return (k == 1 and "_mm256_castsi256_ps(_mm256_slli_epi32(%s, 16))"
      or "_mm256_castsi256_ps(_mm256_and_si256(%s, _mm256_set1_epi32(-65536)))"):format(q[1])
  end,
  narrow = function(v) return ("@avx2_pair_to_bf16(%s, %s)"):format(v[1], v[2]) end,
  narrow_nan = function(v) return ("@avx2_pair_to_bf16_nan(%s, %s)"):format(v[1], v[2]) end,
  store = function(p, _, q) return ("_mm256_storeu_si256((__m256i *)(void *)(%s), %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm256_stream_si256((__m256i *)(void *)(%s), %s)"):format(p, q) end,
  store_n = function(p, _, q, n)
    if n < 8 then return ("@avx2_store_u16(%s, _mm256_castsi256_si128(%s), %d)"):format(p, q, n) end
    local whole = ("_mm_storeu_si128((__m128i *)(void *)(%s), _mm256_castsi256_si128(%s))"):format(p, q)
    if n == 8 then return whole end
    return ("%s; @avx2_store_u16(%s + 8, _mm256_extracti128_si256(%s, 1), %d)"):format(whole, p, q, n - 8)
  end,
}

--- The memory words of a dtype of 8 bits, for outputs: `helper` makes 8 of them.
local function byte_plain(helper)
  return {
    raw = "__m128i", raws = 1,
    narrow = function(v) return ("%s(%s)"):format(helper, v[1]) end,
    store = function(p, _, q) return ("_mm_storel_epi64((__m128i *)(void *)(%s), %s)"):format(p, q) end,
    store_n = function(p, _, q, n) return ("@avx2_store_bytes(%s, %s, %s)"):format(p, q, count(n)) end,
  }
end

local function within_quads(a, b)
  local result = {}
  for quad = 0, 1 do
    for _, s in ipairs { a, b, a + 8, b + 8 } do result[#result + 1] = 4 * quad + s end
  end
  return result
end

local f16_plain = {
  raw = "__m128i", raws = 1,
  first = function(p) return ("_mm256_cvtph_ps(_mm_set1_epi16(@avx2_i16(%s)))"):format(p) end,
  load = bf16_plain.load, load_n = bf16_plain.load_n,
  widen = function(q) return ("_mm256_cvtph_ps(%s)"):format(q[1]) end,
  narrow = function(v) return ("_mm256_cvtps_ph(%s, _MM_FROUND_TO_NEAREST_INT)"):format(v[1]) end,
  store = bf16_plain.store, store_n = bf16_plain.store_n, stream = bf16_plain.stream,
}

local f64_plain = {
  raw = "__m256d", raws = 1, is_compute = true,
  first = function(p) return ("_mm256_set1_pd(*(%s))"):format(p) end,
  load = function(p) return ("_mm256_loadu_pd(%s)"):format(p) end,
  load_n = function(p, _, n) return ("_mm256_maskload_pd(%s, @avx2_first(%s))"):format(p, count(n, 2)) end,
  widen = function(q) return q[1] end,
  narrow = function(v) return v[1] end,
  store = function(p, _, q) return ("_mm256_storeu_pd(%s, %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm256_stream_pd(%s, %s)"):format(p, q) end,
  store_n = function(p, _, q, n) return ("@avx2_store_f64(%s, %s, %s)"):format(p, q, count(n)) end,
}

--- The words that both types have alike; `more` are those of one type.
local function words(suffix, more)
  local function intrinsic(name, before) return call("_mm256_" .. name .. "_" .. suffix, before) end
  local list = {
    zero = intrinsic "setzero", set1 = intrinsic "set1", add = intrinsic "add", sub = intrinsic "sub", mul = intrinsic "mul",
    div = intrinsic "div", sqrt = intrinsic "sqrt", fma = intrinsic "fmadd", fnma = intrinsic "fnmadd",
    clamp0 = intrinsic("max", "_mm256_setzero_" .. suffix .. "(), "),
    max = function(a, b) return ("_mm256_max_%s(%s, %s)"):format(suffix, b, a) end,
    nonzero = function(a, b)
      return ("_mm256_blendv_%s(%s, %s, _mm256_cmp_%s(%s, _mm256_setzero_%s(), _CMP_EQ_OQ))"):format(suffix, a, b, suffix, a, suffix)
    end,
    abs = intrinsic("andnot", ("_mm256_set1_%s(-0.0%s), "):format(suffix, suffix == "ps" and "f" or "")),
    keep_n = function(v, n)
      if type(n) == "string" then
        local mask = ("_mm256_castsi256_%s(@avx2_first(%s))"):format(suffix, count(n, suffix == "pd" and 2 or nil))
        return ("_mm256_and_%s(%s, %s)"):format(suffix, v, mask)
      end
      return ("_mm256_blend_%s(_mm256_setzero_%s(), %s, 0x%02x)"):format(suffix, suffix, v, 2 ^ n - 1)
    end,
    pin = call "@avx2_pin", forget = call "@avx2_forget", prefetch = call "__builtin_prefetch",
  }
  for name, word in pairs(more) do list[name] = word end
  return list
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
      vector = "__m256", width = 8, words = words("ps", {
        bcast = function(v, slot)
          if slot == 0 then return ("_mm256_broadcastss_ps(_mm256_castps256_ps128(%s))"):format(v) end
          return ("_mm256_permutevar8x32_ps(%s, _mm256_set1_epi32(%d))"):format(v, slot)
        end,
        sub_fma = call "@avx2_sub_fma", pick = call "@avx2_pick", pow2 = call "@avx2_pow2", amax = call "@avx2_amax",
        swap = function(v, d)
          if d == 4 then return ("_mm256_permute2f128_ps(%s, %s, 1)"):format(v, v) end
          return ("_mm256_permute_ps(%s, 0x%02x)"):format(v, d == 2 and 0x4e or 0xb1)
        end,
        store_first = function(p, v) return ("_mm_store_ss(%s, _mm256_castps256_ps128(%s))"):format(p, v) end,
        widen_low = function(v) return ("_mm256_cvtps_pd(_mm256_castps256_ps128(%s))"):format(v) end,
        widen_high = function(v) return ("_mm256_cvtps_pd(_mm256_extractf128_ps(%s, 1))"):format(v) end,
      }),
      folds = {
        { low = { 0, 1, 2, 3, 8, 9, 10, 11 }, high = { 4, 5, 6, 7, 12, 13, 14, 15 }, text = call "@avx2_fold_halves" },
        { low = within_quads(0, 1), high = within_quads(2, 3), text = call "@avx2_fold_pairs" },
        { low = within_quads(0, 2), high = within_quads(1, 3), text = call "@avx2_fold_neighbours" },
      },
      layouts = {
        plain = { vecs = 1, element = function(_, s) return s end,
          dtypes = { f32 = f32_plain, bf16 = bf16_plain, f16 = f16_plain, s8 = byte_plain "@avx2_to_s8",
            u8 = byte_plain "@avx2_to_u8", e4m3 = byte_plain "@avx2_to_e4m3" } },
        split = { vecs = 2, element = function(k, s) return 2 * s + k end, dtypes = { f32 = f32_split, bf16 = bf16_split } },
      },
    },
    f64 = {
      vector = "__m256d", width = 4, words = words("pd", {
        bcast = function(v, slot) return ("_mm256_permute4x64_pd(%s, 0x%02x)"):format(v, slot * 0x55) end,
        store_first = function(p, v) return ("_mm_store_sd(%s, _mm256_castpd256_pd128(%s))"):format(p, v) end,
        to_f32 = function(v) return ("_mm256_castps128_ps256(_mm256_cvtpd_ps(%s))"):format(v) end,
      }),
      folds = {
        { low = { 0, 1, 4, 5 }, high = { 2, 3, 6, 7 }, text = call "@avx2_fold_halves_f64" },
        { low = { 0, 4, 2, 6 }, high = { 1, 5, 3, 7 }, text = call "@avx2_fold_neighbours_f64" },
      },
      layouts = { plain = { vecs = 1, element = function(_, s) return s end, dtypes = { f64 = f64_plain } } },
    },
  },
  helpers = {
    { name = "avx2_forget", text = [[
/* What was loaded before is loaded again: cheaper than to keep it in spilled registers. */
#define @avx2_forget() __asm__ volatile("" ::: "memory")]] },
    { name = "avx2_pin", text = [[
/* Computes v here: not later, not as a part of another operation. */
#define @avx2_pin(v) __asm__("" : "+x"(v))]] },
    { name = "avx2_sub_fma", text = [[
/* a - b, to the last bit, by the units of fma: those for additions are busy with sums. */
static inline $A __m256 @avx2_sub_fma(__m256 a, __m256 b)
{
    return _mm256_fmsub_ps(a, _mm256_set1_ps(1.0f), b);
}]] },
    { name = "avx2_pick", text = [[
/* a < 0 ? b : c. */
static inline $A __m256 @avx2_pick(__m256 a, __m256 b, __m256 c)
{
    return _mm256_blendv_ps(c, b, _mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_LT_OQ));
}]] },
    { name = "avx2_pow2", text = [[
/* 2^k for v = 1.5 * 2^23 + k. */
static inline $A __m256 @avx2_pow2(__m256 v)
{
    const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(v), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(0x3f800000)));
}]] },
    { name = "avx2_alias_u16", text = "typedef uint16_t __attribute__((__may_alias__)) @avx2_alias_u16;" },
    { name = "avx2_u16", text = [[
/* The 16 bits at p, whatever type the caller gave them. */
static inline uint16_t @avx2_u16(const void *p)
{
    return *(const @avx2_alias_u16 *)p;
}]] },
    { name = "avx2_i16", text = [[
/* The same as the signed number that an insertion takes. */
static inline int16_t @avx2_i16(const void *p)
{
    return (int16_t)@avx2_u16(p);
}]] },
    { name = "avx2_first", text = [[
/* The mask of the first n slots. */
static inline $A __m256i @avx2_first(int n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}]] },
    { name = "avx2_first_of_4", text = [[
/* The mask of the first n of four slots; n is literal. */
static inline $A __m128i @avx2_first_of_4(int n)
{
    return _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3));
}]] },
    { name = "avx2_store_f32", text = [[
/* Stores the first n < 8 floats. */
static inline $A void @avx2_store_f32(float *p, __m256 v, int n)
{
    __m128 part = _mm256_castps256_ps128(v);
    if (n & 4) {
        _mm_storeu_ps(p, part);
        part = _mm256_extractf128_ps(v, 1);
        p += 4;
    }
    if (n & 2) {
        _mm_storel_epi64((__m128i *)(void *)p, _mm_castps_si128(part));
        part = _mm_movehl_ps(part, part);
        p += 2;
    }
    if (n & 1)
        _mm_store_ss(p, part);
}]] },
    { name = "avx2_store_f64", text = [[
/* Stores the first n < 4 doubles. */
static inline $A void @avx2_store_f64(double *p, __m256d v, int n)
{
    __m128d part = _mm256_castpd256_pd128(v);
    if (n & 2) {
        _mm_storeu_pd(p, part);
        part = _mm256_extractf128_pd(v, 1);
        p += 2;
    }
    if (n & 1)
        _mm_store_sd(p, part);
}]] },
    { name = "avx2_store_u16", text = [[
/* Stores the first n < 8 16-bit elements. */
static inline $A void @avx2_store_u16(uint16_t *p, __m128i v, int n)
{
    if (n & 4) {
        _mm_storel_epi64((__m128i *)(void *)p, v);
        v = _mm_srli_si128(v, 8);
        p += 4;
    }
    if (n & 2) {
        ((@avx2_alias_u16 *)p)[0] = (uint16_t)_mm_extract_epi16(v, 0);
        ((@avx2_alias_u16 *)p)[1] = (uint16_t)_mm_extract_epi16(v, 1);
        v = _mm_srli_si128(v, 4);
        p += 2;
    }
    if (n & 1)
        *(@avx2_alias_u16 *)p = (uint16_t)_mm_extract_epi16(v, 0);
}]] },
    { name = "avx2_load_u16", text = [[
/* The first n < 8 16-bit elements at p, then zeros. */
static inline $A __m128i @avx2_load_u16(const uint16_t *p, int n)
{
    __m128i v = _mm_setzero_si128();
    if (n & 1)
        v = _mm_insert_epi16(v, @avx2_i16(p + n - 1), 0);
    if (n & 2) {
        v = _mm_insert_epi16(_mm_slli_si128(v, 4), @avx2_i16(p + (n & 4)), 0);
        v = _mm_insert_epi16(v, @avx2_i16(p + (n & 4) + 1), 1);
    }
    if (n & 4)
        v = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)p), v);
    return v;
}]] },
    { name = "avx2_evens", text = [[
/* Even and odd elements of two vectors, and the way back. */
static inline $A __m256 @avx2_evens(__m256 a, __m256 b)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88)), 0xd8));
}]] },
    { name = "avx2_odds", text = [[
static inline $A __m256 @avx2_odds(__m256 a, __m256 b)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xdd)), 0xd8));
}]] },
    { name = "avx2_lower", text = [[
static inline $A __m256 @avx2_lower(__m256 even, __m256 odd)
{
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(even, odd), _mm256_unpackhi_ps(even, odd), 0x20);
}]] },
    { name = "avx2_upper", text = [[
static inline $A __m256 @avx2_upper(__m256 even, __m256 odd)
{
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(even, odd), _mm256_unpackhi_ps(even, odd), 0x31);
}]] },
    { name = "avx2_fold_halves", text = [[
/* One level of the summation tree: upper halves of a and b onto lower ones, side by side. */
static inline $A __m256 @avx2_fold_halves(__m256 a, __m256 b)
{
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}]] },
    { name = "avx2_fold_pairs", text = [[
/* The same within the halves. */
static inline $A __m256 @avx2_fold_pairs(__m256 a, __m256 b)
{
    return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xee));
}]] },
    { name = "avx2_fold_neighbours", text = [[
/* The same within pairs. */
static inline $A __m256 @avx2_fold_neighbours(__m256 a, __m256 b)
{
    return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xdd));
}]] },
    { name = "avx2_fold_halves_f64", text = [[
/* The levels of the summation tree in f64, as above. */
static inline $A __m256d @avx2_fold_halves_f64(__m256d a, __m256d b)
{
    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
}]] },
    { name = "avx2_fold_neighbours_f64", text = [[
static inline $A __m256d @avx2_fold_neighbours_f64(__m256d a, __m256d b)
{
    return _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
}]] },
    { name = "avx2_amax", text = [[
/* The larger one of a, which has no sign, and |b| by their bits: NaN is largest. */
static inline $A __m256 @avx2_amax(__m256 a, __m256 b)
{
    const __m256i magnitude = _mm256_and_si256(_mm256_castps_si256(b), _mm256_set1_epi32(0x7fffffff));
    return _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(a), magnitude));
}]] },
    { name = "avx2_store_bytes", text = [[
/* Stores the first n < 8 bytes; n is literal. */
static inline $A void @avx2_store_bytes(void *p, __m128i v, int n)
{
    unsigned char bytes[16];
    _mm_storeu_si128((__m128i *)(void *)bytes, v);
    for (int i = 0; i < n; ++i)
        ((unsigned char *)p)[i] = bytes[i];
}]] },
    { name = "avx2_to_words", text = [[
/* The nearest integers up to `most`, even ones at ties, NaN as 0, with 16 bits each. */
static inline $A __m128i @avx2_to_words(__m256 v, float most)
{
    const __m256 number = _mm256_and_ps(v, _mm256_cmp_ps(v, v, _CMP_ORD_Q));
    const __m256i whole = _mm256_cvtps_epi32(_mm256_min_ps(number, _mm256_set1_ps(most)));
    return _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
}]] },
    { name = "avx2_to_s8", text = [[
/* Eight of them with 8 bits, signed and unsigned. */
static inline $A __m128i @avx2_to_s8(__m256 v)
{
    const __m128i words = @avx2_to_words(v, 127.0f);
    return _mm_packs_epi16(words, words);
}]] },
    { name = "avx2_to_u8", text = [[
static inline $A __m128i @avx2_to_u8(__m256 v)
{
    const __m128i words = @avx2_to_words(v, 255.0f);
    return _mm_packus_epi16(words, words);
}]] },
    { name = "avx2_to_e4m3", text = [[
/* Eight numbers rounded to nearest even to e4m3, at most 448. Below 2^-6 the sum with 2^14 ends in units of 2^-9. */
static inline $A __m128i @avx2_to_e4m3(__m256 v)
{
    const __m256i bits = _mm256_castps_si256(v);
    const __m256 magnitude = _mm256_and_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)));
    const __m256 most = _mm256_min_ps(magnitude, _mm256_set1_ps(448.0f));
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(_mm256_castps_si256(most), 20), _mm256_set1_epi32(1));
    const __m256i carried = _mm256_add_epi32(_mm256_add_epi32(_mm256_castps_si256(most), _mm256_set1_epi32(0x7ffff)), odd);
    const __m256i normal = _mm256_sub_epi32(_mm256_srli_epi32(carried, 20), _mm256_set1_epi32(960));
    const __m256 shifted = _mm256_add_ps(most, _mm256_set1_ps(16384.0f));
    const __m256i small = _mm256_sub_epi32(_mm256_castps_si256(shifted), _mm256_set1_epi32(0x46800000));
    const __m256 is_small = _mm256_cmp_ps(magnitude, _mm256_set1_ps(0x1p-6f), _CMP_LT_OQ);
    const __m256i number = _mm256_blendv_epi8(normal, small, _mm256_castps_si256(is_small));
    const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(bits, 24), _mm256_set1_epi32(0x80));
    const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    const __m256i whole = _mm256_blendv_epi8(_mm256_or_si256(number, sign), _mm256_set1_epi32(0x7f), is_nan);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    return _mm_packus_epi16(words, words);
}]] },
    { name = "avx2_quiet", text = [[
/* v with every NaN replaced by one whose low half is zero. */
static inline $A __m256 @avx2_quiet(__m256 v)
{
    return _mm256_blendv_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)), _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}]] },
    { name = "avx2_to_bf16", text = [[
/* Round to nearest even to bf16; a NaN must have a zero low half. */
static inline $A __m128i @avx2_to_bf16(__m256 v)
{
    const __m256i bits = _mm256_castps_si256(v);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i high = _mm256_srli_epi32(rounded, 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
}]] },
    { name = "avx2_to_bf16_nan", text = [[
/* Round to nearest even to bf16, any NaN to NaN. */
static inline $A __m128i @avx2_to_bf16_nan(__m256 v)
{
    return @avx2_to_bf16(@avx2_quiet(v));
}]] },
    { name = "avx2_pair_to_bf16", text = [[
/* Round even and odd elements to nearest even to bf16 and interleave them; a NaN must have a zero low half.
   A carry comes out of the low halves where they exceed one half, or equal it and the high half is odd. */
static inline $A __m256i @avx2_pair_to_bf16(__m256 even, __m256 odd)
{
    const __m256i e = _mm256_castps_si256(even), o = _mm256_castps_si256(odd);
    const __m256i high = _mm256_blend_epi16(_mm256_srli_epi32(e, 16), o, 0xaa);
    const __m256i low = _mm256_blend_epi16(e, _mm256_slli_epi32(o, 16), 0xaa);
    const __m256i half = _mm256_or_si256(_mm256_and_si256(high, _mm256_set1_epi16(1)), _mm256_set1_epi16(0x7ffe));
    return _mm256_add_epi16(high, _mm256_srli_epi16(_mm256_avg_epu16(low, half), 15));
}]] },
    { name = "avx2_pair_to_bf16_nan", text = [[
/* The same, any NaN to NaN. */
static inline $A __m256i @avx2_pair_to_bf16_nan(__m256 even, __m256 odd)
{
    return @avx2_pair_to_bf16(@avx2_quiet(even), @avx2_quiet(odd));
}]] },
  },
}
