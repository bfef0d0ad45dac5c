--- AVX-512 with BF16 (Zen 4, Cooper Lake, Sapphire Rapids and later): conversion to bf16 in one instruction.
--
-- vcvtneps2bf16 rounds to nearest even and keeps NaN, but takes subnormal numbers for zero. So each result is looked at,
-- and where one is zero the pair is rounded by integers.

local lists = {}
for i = 31, 0, -1 do lists[#lists + 1] = ("%d"):format(math.floor(i / 2) + 16 * (i % 2)) end

return {
  name = "avx512bf16", extends = "avx512", rank = 40,
  attribute = '__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma")))',
  features = { { name = "avx512_bf16", check = "@cpuid_bit(7, 1, 0, 5)" } },
  types = { f32 = { layouts = {
    plain = { dtypes = { bf16 = {
      narrow = function(v) return ("@avx512bf16_round(%s)"):format(v[1]) end, narrow_nan = false,
    } } },
    split = { dtypes = { bf16 = {
      narrow = function(v) return ("@avx512bf16_round_pair(%s, %s)"):format(v[1], v[2]) end, narrow_nan = false,
    } } },
  } } },
  helpers = {
    { name = "avx512bf16_with_zeros", text = [[
static __attribute__((__noinline__, __cold__)) $A __m256i @avx512bf16_with_zeros(__m512 v)
{
    return @avx512_to_bf16_nan(v);
}]] },
    { name = "avx512bf16_round", text = [[
/* Round to nearest even to bf16. */
static inline $A __m256i @avx512bf16_round(__m512 v)
{
    const __m256i rounded = (__m256i)_mm512_cvtneps_pbh(v);
    const __mmask16 zeros = _mm256_testn_epi16_mask(rounded, _mm256_set1_epi16(0x7fff));
    return __builtin_expect(zeros != 0, 0) ? @avx512bf16_with_zeros(v) : rounded;
}]] },
    { name = "avx512bf16_pair_with_zeros", text = [[
static __attribute__((__noinline__, __cold__)) $A __m512i @avx512bf16_pair_with_zeros(__m512 even, __m512 odd)
{
    return @avx512_pair_to_bf16_nan(even, odd);
}]] },
    { name = "avx512bf16_round_pair", text = [[
/* Round even and odd elements to nearest even to bf16 and interleave them. */
static inline $A __m512i @avx512bf16_round_pair(__m512 even, __m512 odd)
{
    const __m512i order = _mm512_set_epi16(]] .. table.concat(lists, ", ") .. [[);
    const __m512i rounded = _mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(odd, even));
    const __mmask32 zeros = _mm512_testn_epi16_mask(rounded, _mm512_set1_epi16(0x7fff));
    return __builtin_expect(zeros != 0, 0) ? @avx512bf16_pair_with_zeros(even, odd) : rounded;
}]] },
  },
}
