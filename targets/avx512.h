/* The C that avx512 calls. */
#include <immintrin.h>
#include <stdint.h>

/* The mask of the first n < 32 slots. */
static inline __mmask16 ng_avx512_first16(int n)
{
    return (__mmask16)(((uint32_t)1 << n) - 1u);
}

static inline __mmask8 ng_avx512_first8(int n)
{
    return (__mmask8)(((uint32_t)1 << n) - 1u);
}

/* The larger one of a, which has no sign, and |b| by their bits: NaN is largest. */
static inline NG_TARGET __m512 ng_avx512_amax(__m512 a, __m512 b)
{
    const __m512i magnitude = _mm512_and_si512(_mm512_castps_si512(b), _mm512_set1_epi32(0x7fffffff));
    return _mm512_castsi512_ps(_mm512_max_epi32(_mm512_castps_si512(a), magnitude));
}

/* The nearest integers up to `most`, even ones at ties, NaN as 0. */
static inline NG_TARGET __m512i ng_avx512_to_whole(__m512 v, float most)
{
    const __m512 number = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v);
    return _mm512_cvtps_epi32(_mm512_min_ps(number, _mm512_set1_ps(most)));
}

/* Sixteen of them with 8 bits, signed and unsigned. */
static inline NG_TARGET __m128i ng_avx512_to_s8(__m512 v)
{
    return _mm512_cvtsepi32_epi8(ng_avx512_to_whole(v, 127.0f));
}

static inline NG_TARGET __m128i ng_avx512_to_u8(__m512 v)
{
    return _mm512_cvtepi32_epi8(_mm512_max_epi32(ng_avx512_to_whole(v, 255.0f), _mm512_setzero_si512()));
}

/* Sixteen numbers rounded to nearest even to e4m3, at most 448. Below 2^-6 the sum with 2^14 ends in units of 2^-9. */
static inline NG_TARGET __m128i ng_avx512_to_e4m3(__m512 v)
{
    const __m512i bits = _mm512_castps_si512(v);
    const __m512 magnitude = _mm512_castsi512_ps(_mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff)));
    const __m512 most = _mm512_min_ps(magnitude, _mm512_set1_ps(448.0f));
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(_mm512_castps_si512(most), 20), _mm512_set1_epi32(1));
    const __m512i carried =
        _mm512_add_epi32(_mm512_add_epi32(_mm512_castps_si512(most), _mm512_set1_epi32(0x7ffff)), odd);
    const __m512i normal = _mm512_sub_epi32(_mm512_srli_epi32(carried, 20), _mm512_set1_epi32(960));
    const __m512 shifted = _mm512_add_ps(most, _mm512_set1_ps(16384.0f));
    const __m512i small = _mm512_sub_epi32(_mm512_castps_si512(shifted), _mm512_set1_epi32(0x46800000));
    const __mmask16 is_small = _mm512_cmp_ps_mask(magnitude, _mm512_set1_ps(0x1p-6f), _CMP_LT_OQ);
    const __m512i number = _mm512_mask_mov_epi32(normal, is_small, small);
    const __m512i sign = _mm512_and_si512(_mm512_srli_epi32(bits, 24), _mm512_set1_epi32(0x80));
    const __mmask16 is_nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    return _mm512_cvtepi32_epi8(_mm512_mask_mov_epi32(_mm512_or_si512(number, sign), is_nan, _mm512_set1_epi32(0x7f)));
}

/* What was loaded before is loaded again: cheaper than to keep it in spilled registers. */
#define ng_avx512_forget() __asm__ volatile("" ::: "memory")

/* Computes v here: not later, not as a part of another operation. */
#define ng_avx512_pin(v) __asm__("" : "+v"(v))

/* a - b, to the last bit, by the units of fma: those for additions are busy with sums. */
static inline NG_TARGET __m512 ng_avx512_sub_fma(__m512 a, __m512 b)
{
    return _mm512_fmsub_ps(a, _mm512_set1_ps(1.0f), b);
}

/* a < 0 ? b : c. */
static inline NG_TARGET __m512 ng_avx512_pick(__m512 a, __m512 b, __m512 c)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_LT_OQ), c, b);
}

/* 2^k for v = 1.5 * 2^23 + k. */
static inline NG_TARGET __m512 ng_avx512_pow2(__m512 v)
{
    const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(v), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(exponent, _mm512_set1_epi32(0x3f800000)));
}

typedef uint16_t __attribute__((__may_alias__)) ng_avx512_alias_u16;

/* The 16 bits at p, whatever type the caller gave them. */
static inline uint16_t ng_avx512_u16(const void *p)
{
    return *(const ng_avx512_alias_u16 *)p;
}

/* Even and odd elements of two vectors, and the way back. */
static inline NG_TARGET __m512i ng_avx512_evens(void)
{
    return _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
}

static inline NG_TARGET __m512i ng_avx512_odds(void)
{
    return _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
}

static inline NG_TARGET __m512i ng_avx512_lower(void)
{
    return _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
}

static inline NG_TARGET __m512i ng_avx512_upper(void)
{
    return _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8);
}

/* One level of the summation tree in one vector: the upper half onto the lower one; and so on. */
static inline NG_TARGET __m512 ng_avx512_halve_halves(__m512 v)
{
    return _mm512_castps256_ps512(_mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1)));
}

static inline NG_TARGET __m512 ng_avx512_halve_quarters(__m512 v)
{
    const __m256 half = _mm512_castps512_ps256(v);
    return _mm512_castps128_ps512(_mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
}

static inline NG_TARGET __m512 ng_avx512_halve_pairs(__m512 v)
{
    const __m128 quarter = _mm512_castps512_ps128(v);
    return _mm512_castps128_ps512(_mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter)));
}

static inline NG_TARGET __m512 ng_avx512_halve_neighbours(__m512 v)
{
    const __m128 pair = _mm512_castps512_ps128(v);
    return _mm512_castps128_ps512(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
}

/* One level of the summation tree: upper halves of a and b onto lower ones, side by side. */
static inline NG_TARGET __m512 ng_avx512_fold_halves(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
}

/* The same within the halves. */
static inline NG_TARGET __m512 ng_avx512_fold_quarters(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}

/* The same within the quarters. */
static inline NG_TARGET __m512 ng_avx512_fold_pairs(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x44), _mm512_shuffle_ps(a, b, 0xee));
}

/* The same within pairs. */
static inline NG_TARGET __m512 ng_avx512_fold_neighbours(__m512 a, __m512 b)
{
    return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd));
}

/* The levels of the summation tree in f64, as above. */
static inline NG_TARGET __m512d ng_avx512_fold_halves_f64(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
}

static inline NG_TARGET __m512d ng_avx512_fold_quarters_f64(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}

static inline NG_TARGET __m512d ng_avx512_fold_neighbours_f64(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}

/* v with every NaN replaced by one whose low half is zero. */
static inline NG_TARGET __m512 ng_avx512_quiet(__m512 v)
{
    const __mmask16 is_nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    return _mm512_castsi512_ps(_mm512_mask_mov_epi32(_mm512_castps_si512(v), is_nan, _mm512_set1_epi32(0x7fc00000)));
}

/* Round to nearest even to f16. gcc's own macro, without optimisation, warns of the mask that it makes. */
static inline NG_TARGET __m256i ng_avx512_to_f16(__m512 v)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
    return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#pragma GCC diagnostic pop
}

/* Round to nearest even to bf16; a NaN must have a zero low half. */
static inline NG_TARGET __m256i ng_avx512_to_bf16(__m512 v)
{
    const __m512i bits = _mm512_castps_si512(v);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
}

/* Round to nearest even to bf16, any NaN to NaN. */
static inline NG_TARGET __m256i ng_avx512_to_bf16_nan(__m512 v)
{
    return ng_avx512_to_bf16(ng_avx512_quiet(v));
}

/* Round even and odd elements to nearest even to bf16 and interleave them; a NaN must have a zero low half.
   A carry comes out of the low halves where they exceed one half, or equal it and the high half is odd. */
static inline NG_TARGET __m512i ng_avx512_pair_to_bf16(__m512 even, __m512 odd)
{
    const __m512i e = _mm512_castps_si512(even), o = _mm512_castps_si512(odd);
    const __mmask32 odd_slots = 0xaaaaaaaa;
    const __m512i high = _mm512_mask_blend_epi16(odd_slots, _mm512_srli_epi32(e, 16), o);
    const __m512i low = _mm512_mask_blend_epi16(odd_slots, e, _mm512_slli_epi32(o, 16));
    const __m512i half = _mm512_or_si512(_mm512_and_si512(high, _mm512_set1_epi16(1)), _mm512_set1_epi16(0x7ffe));
    return _mm512_add_epi16(high, _mm512_srli_epi16(_mm512_avg_epu16(low, half), 15));
}

/* The same, any NaN to NaN. */
static inline NG_TARGET __m512i ng_avx512_pair_to_bf16_nan(__m512 even, __m512 odd)
{
    return ng_avx512_pair_to_bf16(ng_avx512_quiet(even), ng_avx512_quiet(odd));
}
