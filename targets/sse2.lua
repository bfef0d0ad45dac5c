--- SSE2, the baseline of x86-64: 4 floats to a vector, tails in pieces of 4, 2 and 1. There is no fused multiply-add: it is
-- emulated exactly, so that these kernels are there for the bits, not for the speed.

local function call(name, before)
  return function(...) return name .. "(" .. (before or "") .. table.concat({ ... }, ", ") .. ")" end
end

local function part(p, j) return j == 1 and p or p .. " + 4" end

--- A count of elements as C: a number, or C text of an int.
local function count(n) return type(n) == "number" and ("%d"):format(n) or n end

local f32_plain = {
  raw = "__m128", raws = 1, is_compute = true,
  first = function(p) return ("_mm_set1_ps(*(%s))"):format(p) end,
  load = function(p) return ("_mm_loadu_ps(%s)"):format(p) end,
  load_n = function(p, _, n) return ("@sse2_load_f32(%s, %s)"):format(p, count(n)) end,
  widen = function(q) return q[1] end,
  narrow = function(v) return v[1] end,
  store = function(p, _, q) return ("_mm_storeu_ps(%s, %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm_stream_ps(%s, %s)"):format(p, q) end,
  store_n = function(p, _, q, n) return ("@sse2_store_f32(%s, %s, %s)"):format(p, q, count(n)) end,
}

local f32_split = {
  raw = "__m128", raws = 2, is_compute = true,
  first = f32_plain.first,
  load = function(p, j) return f32_plain.load(part(p, j)) end,
  load_n = function(p, j, n)
    local left = n - 4 * (j - 1)
    return left >= 4 and f32_plain.load(part(p, j)) or f32_plain.load_n(part(p, j), 1, math.max(left, 0))
  end,
  widen = function(q, k) return ("_mm_shuffle_ps(%s, %s, %s)"):format(q[1], q[2], k == 1 and "0x88" or "0xdd") end,
  narrow = function(v, j) return ("%s(%s, %s)"):format(j == 1 and "_mm_unpacklo_ps" or "_mm_unpackhi_ps", v[1], v[2]) end,
  store = function(p, j, q) return f32_plain.store(part(p, j), 1, q) end,
  stream = function(p, j, q) return f32_plain.stream(part(p, j), 1, q) end,
  store_n = function(p, j, q, n)
    local left = n - 4 * (j - 1)
    return left >= 4 and f32_plain.store(part(p, j), 1, q) or f32_plain.store_n(part(p, j), 1, q, math.max(left, 0))
  end,
}

local function first_of(dtype)
  return function(p) return ("_mm_set1_ps(@scalar_from_%s(%s))"):format(dtype, p) end
end

--- The memory words of four 16-bit elements in the lower half of a register; `widen` and `narrow` name helpers.
local function half_plain(dtype)
  return {
    raw = "__m128i", raws = 1, first = first_of(dtype),
    load = function(p) return ("_mm_loadl_epi64((const __m128i *)(const void *)(%s))"):format(p) end,
    load_n = function(p, _, n) return ("@sse2_load_u16(%s, %s)"):format(p, count(n)) end,
    widen = function(q) return ("@sse2_from_%s(%s)"):format(dtype, q[1]) end,
    narrow = function(v) return ("@sse2_to_%s(%s)"):format(dtype, v[1]) end,
    store = function(p, _, q) return ("_mm_storel_epi64((__m128i *)(void *)(%s), %s)"):format(p, q) end,
    store_n = function(p, _, q, n) return ("@sse2_store_u16(%s, %s, %s)"):format(p, q, count(n)) end,
  }
end

local bf16_plain = half_plain "bf16"
bf16_plain.narrow_nan = function(v) return ("@sse2_to_bf16(@sse2_quiet(%s))"):format(v[1]) end

local bf16_split = {
  raw = "__m128i", raws = 1, first = bf16_plain.first,
  load = function(p) return ("_mm_loadu_si128((const __m128i *)(const void *)(%s))"):format(p) end,
  load_n = function(p, _, n)
    if n < 4 then return bf16_plain.load_n(p, 1, n) end
    return ("_mm_unpacklo_epi64(%s, %s)"):format(bf16_plain.load(p), bf16_plain.load_n(p .. " + 4", 1, n - 4))
  end,
  widen = function(q, k)
    return (k == 1 and "_mm_castsi128_ps(_mm_slli_epi32(%s, 16))"
      or "_mm_castsi128_ps(_mm_and_si128(%s, _mm_set1_epi32(-65536)))"):format(q[1])
  end,
  narrow = function(v) return ("@sse2_pair_to_bf16(%s, %s)"):format(v[1], v[2]) end,
  narrow_nan = function(v) return ("@sse2_pair_to_bf16(@sse2_quiet(%s), @sse2_quiet(%s))"):format(v[1], v[2]) end,
  store = function(p, _, q) return ("_mm_storeu_si128((__m128i *)(void *)(%s), %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm_stream_si128((__m128i *)(void *)(%s), %s)"):format(p, q) end,
  store_n = function(p, _, q, n)
    if n < 4 then return bf16_plain.store_n(p, 1, q, n) end
    local whole = bf16_plain.store(p, 1, q)
    if n == 4 then return whole end
    return whole .. "; " .. bf16_plain.store_n(p .. " + 4", 1, ("_mm_srli_si128(%s, 8)"):format(q), n - 4)
  end,
}

--- The memory words of a dtype of 8 bits, for outputs: `helper` makes 4 of them.
local function byte_plain(helper)
  return {
    raw = "__m128i", raws = 1,
    narrow = function(v) return ("%s(%s)"):format(helper, v[1]) end,
    store = function(p, _, q) return ("@sse2_store_bytes(%s, %s, 4)"):format(p, q) end,
    store_n = function(p, _, q, n) return ("@sse2_store_bytes(%s, %s, %s)"):format(p, q, count(n)) end,
  }
end

local f64_plain = {
  raw = "__m128d", raws = 1, is_compute = true,
  first = function(p) return ("_mm_set1_pd(*(%s))"):format(p) end,
  load = function(p) return ("_mm_loadu_pd(%s)"):format(p) end,
  load_n = function(p) return ("_mm_load_sd(%s)"):format(p) end,
  widen = function(q) return q[1] end,
  narrow = function(v) return v[1] end,
  store = function(p, _, q) return ("_mm_storeu_pd(%s, %s)"):format(p, q) end,
  stream = function(p, _, q) return ("_mm_stream_pd(%s, %s)"):format(p, q) end,
  store_n = function(p, _, q) return ("_mm_store_sd(%s, %s)"):format(p, q) end,
}

--- The words that both types have alike; `more` are those of one type.
local function words(suffix, fma, more)
  local function intrinsic(name, before) return call("_mm_" .. name .. "_" .. suffix, before) end
  local zero = "_mm_setzero_" .. suffix .. "()"
  local list = {
    zero = intrinsic "setzero", set1 = intrinsic "set1", add = intrinsic "add", sub = intrinsic "sub", mul = intrinsic "mul",
    div = intrinsic "div", sqrt = intrinsic "sqrt", fma = call(fma), clamp0 = intrinsic("max", zero .. ", "),
    max = function(a, b) return ("_mm_max_%s(%s, %s)"):format(suffix, b, a) end,
    nonzero = call("@sse2_nonzero_" .. suffix),
    abs = intrinsic("andnot", ("_mm_set1_%s(-0.0%s), "):format(suffix, suffix == "ps" and "f" or "")),
    fnma = function(a, b, c) return ("%s(_mm_xor_%s(%s, _mm_set1_%s(-0.0)), %s, %s)"):format(fma, suffix, a, suffix, b, c) end,
    pin = call "@sse2_pin", forget = call "@sse2_forget", prefetch = call "__builtin_prefetch",
  }
  for name, word in pairs(more) do list[name] = word end
  return list
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
      vector = "__m128", width = 4, words = words("ps", "@sse2_fma", {
        amax = call "@sse2_amax",
        swap = function(v, d) return ("_mm_shuffle_ps(%s, %s, 0x%02x)"):format(v, v, d == 2 and 0x4e or 0xb1) end,
        keep_n = function(v, n) return ("_mm_and_ps(%s, @sse2_first(%s))"):format(v, count(n)) end,
        bcast = function(v, slot) return ("_mm_shuffle_ps(%s, %s, 0x%02x)"):format(v, v, slot * 0x55) end,
        store_first = function(p, v) return ("_mm_store_ss(%s, %s)"):format(p, v) end,
        pick = call "@sse2_pick", pow2 = call "@sse2_pow2",
        widen_low = function(v) return ("_mm_cvtps_pd(%s)"):format(v) end,
        widen_high = function(v) return ("_mm_cvtps_pd(_mm_movehl_ps(%s, %s))"):format(v, v) end,
      }),
      folds = {
        { low = { 0, 1, 4, 5 }, high = { 2, 3, 6, 7 }, text = call "@sse2_fold_halves" },
        { low = { 0, 2, 4, 6 }, high = { 1, 3, 5, 7 }, text = call "@sse2_fold_neighbours" },
      },
      layouts = {
        plain = { vecs = 1, element = function(_, s) return s end,
          dtypes = { f32 = f32_plain, bf16 = bf16_plain, f16 = half_plain "f16", s8 = byte_plain "@sse2_to_s8",
            u8 = byte_plain "@sse2_to_u8", e4m3 = byte_plain "@sse2_to_e4m3" } },
        split = { vecs = 2, element = function(k, s) return 2 * s + k end, dtypes = { f32 = f32_split, bf16 = bf16_split } },
      },
    },
    f64 = {
      vector = "__m128d", width = 2, words = words("pd", "@sse2_fma_f64", {
        keep_n = function(v, n) return n == 0 and "_mm_setzero_pd()" or ("_mm_move_sd(_mm_setzero_pd(), %s)"):format(v) end,
        bcast = function(v, slot) return ("_mm_shuffle_pd(%s, %s, %d)"):format(v, v, slot * 3) end,
        store_first = function(p, v) return ("_mm_store_sd(%s, %s)"):format(p, v) end,
        to_f32 = function(v) return ("_mm_cvtpd_ps(%s)"):format(v) end,
      }),
      folds = { { low = { 0, 2 }, high = { 1, 3 }, text = call "@sse2_fold_neighbours_f64" } },
      layouts = { plain = { vecs = 1, element = function(_, s) return s end, dtypes = { f64 = f64_plain } } },
    },
  },
  helpers = {
    { name = "sse2_forget", text = [[
/* What was loaded before is loaded again: cheaper than to keep it in spilled registers. */
#define @sse2_forget() __asm__ volatile("" ::: "memory")]] },
    { name = "sse2_pin", text = [[
/* Computes v here: not later, not as a part of another operation. */
#define @sse2_pin(v) __asm__("" : "+x"(v))]] },
    { name = "sse2_first", text = [[
/* The mask of the first n < 4 slots. */
static inline __m128 @sse2_first(int n)
{
    return _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3)));
}]] },
    { name = "sse2_load_f32", text = [[
/* The first n < 4 floats at p, then zeros. */
static inline __m128 @sse2_load_f32(const float *p, int n)
{
    if (n == 1)
        return _mm_load_ss(p);
    if (n == 0)
        return _mm_setzero_ps();
    const __m128 pair = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)p));
    return n == 2 ? pair : _mm_movelh_ps(pair, _mm_load_ss(p + 2));
}]] },
    { name = "sse2_store_f32", text = [[
/* Stores the first n < 4 floats. */
static inline void @sse2_store_f32(float *p, __m128 v, int n)
{
    if (n & 2) {
        _mm_storel_epi64((__m128i *)(void *)p, _mm_castps_si128(v));
        v = _mm_movehl_ps(v, v);
        p += 2;
    }
    if (n & 1)
        _mm_store_ss(p, v);
}]] },
    { name = "sse2_load_u16", text = [[
/* The first n < 4 16-bit elements at p, then zeros. */
static inline __m128i @sse2_load_u16(const void *p, int n)
{
    uint16_t part[4] = { 0, 0, 0, 0 };
    if (n > 0)
        memcpy(&part[0], p, 2);
    if (n > 1)
        memcpy(&part[1], (const char *)p + 2, 2);
    if (n > 2)
        memcpy(&part[2], (const char *)p + 4, 2);
    return _mm_setr_epi16((int16_t)part[0], (int16_t)part[1], (int16_t)part[2], 0, 0, 0, 0, 0);
}]] },
    { name = "sse2_store_u16", text = [[
/* Stores the first n < 4 16-bit elements. */
static inline void @sse2_store_u16(void *p, __m128i v, int n)
{
    const uint16_t part[3] = { (uint16_t)_mm_extract_epi16(v, 0), (uint16_t)_mm_extract_epi16(v, 1),
                               (uint16_t)_mm_extract_epi16(v, 2) };
    if (n > 0)
        memcpy(p, &part[0], 2);
    if (n > 1)
        memcpy((char *)p + 2, &part[1], 2);
    if (n > 2)
        memcpy((char *)p + 4, &part[2], 2);
}]] },
    { name = "sse2_to_odd", text = [[
/* product + c of two elements, rounded to odd; sum is the same rounded to nearest. */
static __attribute__((noinline)) __m128d @sse2_to_odd(__m128d product, __m128d c, __m128d sum)
{
    const __m128d part = _mm_sub_pd(sum, product);
    const __m128d error = _mm_add_pd(_mm_sub_pd(product, _mm_sub_pd(sum, part)), _mm_sub_pd(c, part));
    double sums[2], errors[2];
    _mm_storeu_pd(sums, sum);
    _mm_storeu_pd(errors, error);
    for (int i = 0; i < 2; ++i) {
        uint64_t word;
        memcpy(&word, &sums[i], sizeof word);
        if (errors[i] * 0.0 != 0.0 || errors[i] == 0.0 || (word & 1))
            continue;
        word = (errors[i] > 0.0) == (sums[i] > 0.0) ? word + 1 : word - 1;
        memcpy(&sums[i], &word, sizeof word);
    }
    return _mm_loadu_pd(sums);
}]] },
    { name = "sse2_fma_pair", text = [[
/* a * b + c of two elements, rounded to odd where a second rounding to float could go wrong: on a midpoint of floats,
   and below the normal floats. The product is exact. */
static inline __m128d @sse2_fma_pair(__m128d a, __m128d b, __m128d c)
{
    const __m128d product = _mm_mul_pd(a, b);
    const __m128d sum = _mm_add_pd(product, c);
    const __m128i bits = _mm_castpd_si128(sum);
    const __m128i low = _mm_and_si128(bits, _mm_setr_epi32(0x1fffffff, 0, 0x1fffffff, 0));
    const __m128i is_midpoint = _mm_cmpeq_epi32(low, _mm_setr_epi32(0x10000000, 0, 0x10000000, 0));
    const __m128d magnitude = _mm_andnot_pd(_mm_set1_pd(-0.0), sum);
    const __m128d is_tiny = _mm_cmplt_pd(magnitude, _mm_set1_pd(0x1p-126));
    const int suspects = (_mm_movemask_ps(_mm_castsi128_ps(is_midpoint)) & 5) | _mm_movemask_pd(is_tiny);
    return __builtin_expect(suspects == 0, 1) ? sum : @sse2_to_odd(product, c, sum);
}]] },
    { name = "sse2_fma", text = [[
/* a * b + c with one rounding. */
static inline __m128 @sse2_fma(__m128 a, __m128 b, __m128 c)
{
#if defined(__FMA__)
    return _mm_fmadd_ps(a, b, c);
#else
    const __m128d low = @sse2_fma_pair(_mm_cvtps_pd(a), _mm_cvtps_pd(b), _mm_cvtps_pd(c));
    const __m128d high = @sse2_fma_pair(_mm_cvtps_pd(_mm_movehl_ps(a, a)), _mm_cvtps_pd(_mm_movehl_ps(b, b)),
                                        _mm_cvtps_pd(_mm_movehl_ps(c, c)));
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
#endif
}]] },
    { name = "sse2_fma_f64", text = [[
/* The same in f64, one element at a time. */
static inline __m128d @sse2_fma_f64(__m128d a, __m128d b, __m128d c)
{
    double x[2], y[2], z[2];
    _mm_storeu_pd(x, a);
    _mm_storeu_pd(y, b);
    _mm_storeu_pd(z, c);
    return _mm_setr_pd(@scalar_fma_f64(x[0], y[0], z[0]), @scalar_fma_f64(x[1], y[1], z[1]));
}]] },
    { name = "sse2_fold_halves", text = [[
/* One level of the summation tree: upper halves of a and b onto lower ones, side by side. */
static inline __m128 @sse2_fold_halves(__m128 a, __m128 b)
{
    return _mm_add_ps(_mm_movelh_ps(a, b), _mm_movehl_ps(b, a));
}]] },
    { name = "sse2_fold_neighbours", text = [[
/* The same within pairs. */
static inline __m128 @sse2_fold_neighbours(__m128 a, __m128 b)
{
    return _mm_add_ps(_mm_shuffle_ps(a, b, 0x88), _mm_shuffle_ps(a, b, 0xdd));
}]] },
    { name = "sse2_fold_neighbours_f64", text = [[
static inline __m128d @sse2_fold_neighbours_f64(__m128d a, __m128d b)
{
    return _mm_add_pd(_mm_unpacklo_pd(a, b), _mm_unpackhi_pd(a, b));
}]] },
    { name = "sse2_nonzero_ps", text = [[
/* a == 0 ? b : a. */
static inline __m128 @sse2_nonzero_ps(__m128 a, __m128 b)
{
    const __m128 is_zero = _mm_cmpeq_ps(a, _mm_setzero_ps());
    return _mm_or_ps(_mm_and_ps(is_zero, b), _mm_andnot_ps(is_zero, a));
}]] },
    { name = "sse2_nonzero_pd", text = [[
static inline __m128d @sse2_nonzero_pd(__m128d a, __m128d b)
{
    const __m128d is_zero = _mm_cmpeq_pd(a, _mm_setzero_pd());
    return _mm_or_pd(_mm_and_pd(is_zero, b), _mm_andnot_pd(is_zero, a));
}]] },
    { name = "sse2_pick", text = [[
/* a < 0 ? b : c. */
static inline __m128 @sse2_pick(__m128 a, __m128 b, __m128 c)
{
    const __m128 is_negative = _mm_cmplt_ps(a, _mm_setzero_ps());
    return _mm_or_ps(_mm_and_ps(is_negative, b), _mm_andnot_ps(is_negative, c));
}]] },
    { name = "sse2_pow2", text = [[
/* 2^k for v = 1.5 * 2^23 + k. */
static inline __m128 @sse2_pow2(__m128 v)
{
    const __m128i exponent = _mm_slli_epi32(_mm_castps_si128(v), 23);
    return _mm_castsi128_ps(_mm_add_epi32(exponent, _mm_set1_epi32(0x3f800000)));
}]] },
    { name = "sse2_choose", text = [[
/* a where the mask is set, else b. */
static inline __m128i @sse2_choose(__m128i mask, __m128i a, __m128i b)
{
    return _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b));
}]] },
    { name = "sse2_amax", text = [[
/* The larger one of a, which has no sign, and |b| by their bits: NaN is largest. */
static inline __m128 @sse2_amax(__m128 a, __m128 b)
{
    const __m128i left = _mm_castps_si128(a);
    const __m128i right = _mm_and_si128(_mm_castps_si128(b), _mm_set1_epi32(0x7fffffff));
    return _mm_castsi128_ps(@sse2_choose(_mm_cmpgt_epi32(left, right), left, right));
}]] },
    { name = "sse2_store_bytes", text = [[
/* Stores the first n <= 4 bytes; n is literal. */
static inline void @sse2_store_bytes(void *p, __m128i v, int n)
{
    const uint32_t bytes = (uint32_t)_mm_cvtsi128_si32(v);
    for (int i = 0; i < n; ++i)
        ((unsigned char *)p)[i] = (unsigned char)(bytes >> (8 * i));
}]] },
    { name = "sse2_to_words", text = [[
/* The nearest integers up to `most`, even ones at ties, NaN as 0, with 16 bits each. */
static inline __m128i @sse2_to_words(__m128 v, float most)
{
    const __m128 number = _mm_and_ps(v, _mm_cmpord_ps(v, v));
    const __m128i whole = _mm_cvtps_epi32(_mm_min_ps(number, _mm_set1_ps(most)));
    return _mm_packs_epi32(whole, whole);
}]] },
    { name = "sse2_to_s8", text = [[
/* Four of them with 8 bits, signed and unsigned. */
static inline __m128i @sse2_to_s8(__m128 v)
{
    const __m128i words = @sse2_to_words(v, 127.0f);
    return _mm_packs_epi16(words, words);
}]] },
    { name = "sse2_to_u8", text = [[
static inline __m128i @sse2_to_u8(__m128 v)
{
    const __m128i words = @sse2_to_words(v, 255.0f);
    return _mm_packus_epi16(words, words);
}]] },
    { name = "sse2_to_e4m3", text = [[
/* Four numbers rounded to nearest even to e4m3, at most 448. Below 2^-6 the sum with 2^14 ends in units of 2^-9. */
static inline __m128i @sse2_to_e4m3(__m128 v)
{
    const __m128i bits = _mm_castps_si128(v);
    const __m128 magnitude = _mm_castsi128_ps(_mm_and_si128(bits, _mm_set1_epi32(0x7fffffff)));
    const __m128 most = _mm_min_ps(magnitude, _mm_set1_ps(448.0f));
    const __m128i odd = _mm_and_si128(_mm_srli_epi32(_mm_castps_si128(most), 20), _mm_set1_epi32(1));
    const __m128i carried = _mm_add_epi32(_mm_add_epi32(_mm_castps_si128(most), _mm_set1_epi32(0x7ffff)), odd);
    const __m128i normal = _mm_sub_epi32(_mm_srli_epi32(carried, 20), _mm_set1_epi32(960));
    const __m128 shifted = _mm_add_ps(most, _mm_set1_ps(16384.0f));
    const __m128i small = _mm_sub_epi32(_mm_castps_si128(shifted), _mm_set1_epi32(0x46800000));
    const __m128i is_small = _mm_castps_si128(_mm_cmplt_ps(magnitude, _mm_set1_ps(0x1p-6f)));
    const __m128i is_nan = _mm_castps_si128(_mm_cmpunord_ps(v, v));
    const __m128i number = @sse2_choose(is_small, small, normal);
    const __m128i sign = _mm_and_si128(_mm_srli_epi32(bits, 24), _mm_set1_epi32(0x80));
    const __m128i whole = @sse2_choose(is_nan, _mm_set1_epi32(0x7f), _mm_or_si128(number, sign));
    const __m128i words = _mm_packs_epi32(whole, whole);
    return _mm_packus_epi16(words, words);
}]] },
    { name = "sse2_quiet", text = [[
/* v with every NaN replaced by one whose low half is zero. */
static inline __m128 @sse2_quiet(__m128 v)
{
    const __m128 is_nan = _mm_cmpunord_ps(v, v);
    return _mm_or_ps(_mm_andnot_ps(is_nan, v), _mm_and_ps(is_nan, _mm_castsi128_ps(_mm_set1_epi32(0x7fc00000))));
}]] },
    { name = "sse2_round_bf16", text = [[
/* Bits whose upper half is v rounded to nearest even to bf16; a NaN must have a zero low half. */
static inline __m128i @sse2_round_bf16(__m128 v)
{
    const __m128i bits = _mm_castps_si128(v);
    const __m128i odd = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(1));
    return _mm_add_epi32(_mm_add_epi32(bits, _mm_set1_epi32(0x7fff)), odd);
}]] },
    { name = "sse2_from_bf16", text = [[
/* Four bf16 as floats, and the way back. */
static inline __m128 @sse2_from_bf16(__m128i q)
{
    return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), q));
}]] },
    { name = "sse2_to_bf16", text = [[
static inline __m128i @sse2_to_bf16(__m128 v)
{
    const __m128i high = _mm_srai_epi32(@sse2_round_bf16(v), 16);
    return _mm_packs_epi32(high, high);
}]] },
    { name = "sse2_pair_to_bf16", text = [[
/* Round even and odd elements to nearest even to bf16 and interleave them; a NaN must have a zero low half. */
static inline __m128i @sse2_pair_to_bf16(__m128 even, __m128 odd)
{
    return _mm_or_si128(_mm_srli_epi32(@sse2_round_bf16(even), 16),
                        _mm_and_si128(@sse2_round_bf16(odd), _mm_set1_epi32(-65536)));
}]] },
    { name = "sse2_from_f16", text = [[
/* Four f16 as floats: the exponent is moved by an exact product, infinities and NaN get theirs by hand. */
static inline __m128 @sse2_from_f16(__m128i q)
{
    const __m128i bits = _mm_unpacklo_epi16(q, _mm_setzero_si128());
    const __m128i magnitude = _mm_and_si128(bits, _mm_set1_epi32(0x7fff));
    const __m128i sign = _mm_slli_epi32(_mm_xor_si128(bits, magnitude), 16);
    const __m128 finite = _mm_mul_ps(_mm_castsi128_ps(_mm_slli_epi32(magnitude, 13)), _mm_set1_ps(0x1p112f));
    const __m128i is_special = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7bff));
    const __m128i special = _mm_and_si128(is_special, _mm_set1_epi32(0x7f800000));
    return _mm_or_ps(_mm_or_ps(finite, _mm_castsi128_ps(special)), _mm_castsi128_ps(sign));
}]] },
    { name = "sse2_to_f16", text = [[
/* Four floats rounded to nearest even to f16, any NaN to NaN. */
static inline __m128i @sse2_to_f16(__m128 v)
{
    float x[4];
    _mm_storeu_ps(x, v);
    return _mm_setr_epi16((int16_t)@scalar_f16_bits(x[0]), (int16_t)@scalar_f16_bits(x[1]), (int16_t)@scalar_f16_bits(x[2]),
                          (int16_t)@scalar_f16_bits(x[3]), 0, 0, 0, 0);
}]] },
  },
}
