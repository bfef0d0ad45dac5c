/* The C that avx2 calls. */
#include <immintrin.h>
#include <stdint.h>

/* What was loaded before is loaded again: cheaper than to keep it in spilled registers. */
#define ng_avx2_forget() __asm__ volatile("" ::: "memory")

/* Computes v here: not later, not as a part of another operation. */
#define ng_avx2_pin(v) __asm__("" : "+x"(v))

/* a - b, to the last bit, by the units of fma: those for additions are busy with sums. */
static inline NG_TARGET __m256 ng_avx2_sub_fma(__m256 a, __m256 b)
{
    return _mm256_fmsub_ps(a, _mm256_set1_ps(1.0f), b);
}

/* a < 0 ? b : c. */
static inline NG_TARGET __m256 ng_avx2_pick(__m256 a, __m256 b, __m256 c)
{
    return _mm256_blendv_ps(c, b, _mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_LT_OQ));
}

/* 2^k for v = 1.5 * 2^23 + k. */
static inline NG_TARGET __m256 ng_avx2_pow2(__m256 v)
{
    const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(v), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(0x3f800000)));
}

typedef uint16_t __attribute__((__may_alias__)) ng_avx2_alias_u16;

/* The 16 bits at p, whatever type the caller gave them. */
static inline uint16_t ng_avx2_u16(const void *p)
{
    return *(const ng_avx2_alias_u16 *)p;
}

/* The same as the signed number that an insertion takes. */
static inline int16_t ng_avx2_i16(const void *p)
{
    return (int16_t)ng_avx2_u16(p);
}

/* The mask of the first n slots. */
static inline NG_TARGET __m256i ng_avx2_first(int n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* The mask of the first n of four slots; n is literal. */
static inline NG_TARGET __m128i ng_avx2_first_of_4(int n)
{
    return _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3));
}

/* Stores the first n < 8 floats. */
static inline NG_TARGET void ng_avx2_store_f32(float *p, __m256 v, int n)
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
    if (n & 1) _mm_store_ss(p, part);
}

/* Stores the first n < 4 doubles. */
static inline NG_TARGET void ng_avx2_store_f64(double *p, __m256d v, int n)
{
    __m128d part = _mm256_castpd256_pd128(v);
    if (n & 2) {
        _mm_storeu_pd(p, part);
        part = _mm256_extractf128_pd(v, 1);
        p += 2;
    }
    if (n & 1) _mm_store_sd(p, part);
}

/* Stores the first n < 8 16-bit elements. */
static inline NG_TARGET void ng_avx2_store_u16(uint16_t *p, __m128i v, int n)
{
    if (n & 4) {
        _mm_storel_epi64((__m128i *)(void *)p, v);
        v = _mm_srli_si128(v, 8);
        p += 4;
    }
    if (n & 2) {
        ((ng_avx2_alias_u16 *)p)[0] = (uint16_t)_mm_extract_epi16(v, 0);
        ((ng_avx2_alias_u16 *)p)[1] = (uint16_t)_mm_extract_epi16(v, 1);
        v = _mm_srli_si128(v, 4);
        p += 2;
    }
    if (n & 1) *(ng_avx2_alias_u16 *)p = (uint16_t)_mm_extract_epi16(v, 0);
}

/* The first n < 8 16-bit elements at p, then zeros. */
static inline NG_TARGET __m128i ng_avx2_load_u16(const uint16_t *p, int n)
{
    __m128i v = _mm_setzero_si128();
    if (n & 1) v = _mm_insert_epi16(v, ng_avx2_i16(p + n - 1), 0);
    if (n & 2) {
        v = _mm_insert_epi16(_mm_slli_si128(v, 4), ng_avx2_i16(p + (n & 4)), 0);
        v = _mm_insert_epi16(v, ng_avx2_i16(p + (n & 4) + 1), 1);
    }
    if (n & 4) v = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)p), v);
    return v;
}

/* Even and odd elements of two vectors, and the way back. */
static inline NG_TARGET __m256 ng_avx2_evens(__m256 a, __m256 b)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88)), 0xd8));
}

static inline NG_TARGET __m256 ng_avx2_odds(__m256 a, __m256 b)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xdd)), 0xd8));
}

static inline NG_TARGET __m256 ng_avx2_lower(__m256 even, __m256 odd)
{
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(even, odd), _mm256_unpackhi_ps(even, odd), 0x20);
}

static inline NG_TARGET __m256 ng_avx2_upper(__m256 even, __m256 odd)
{
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(even, odd), _mm256_unpackhi_ps(even, odd), 0x31);
}

/* One level of the summation tree: upper halves of a and b onto lower ones, side by side. */
static inline NG_TARGET __m256 ng_avx2_fold_halves(__m256 a, __m256 b)
{
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}

/* The same within the halves. */
static inline NG_TARGET __m256 ng_avx2_fold_pairs(__m256 a, __m256 b)
{
    return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xee));
}

/* The same within pairs. */
static inline NG_TARGET __m256 ng_avx2_fold_neighbours(__m256 a, __m256 b)
{
    return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xdd));
}

/* The levels of the summation tree in f64, as above. */
static inline NG_TARGET __m256d ng_avx2_fold_halves_f64(__m256d a, __m256d b)
{
    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
}

static inline NG_TARGET __m256d ng_avx2_fold_neighbours_f64(__m256d a, __m256d b)
{
    return _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
}

/* The larger one of a, which has no sign, and |b| by their bits: NaN is largest. */
static inline NG_TARGET __m256 ng_avx2_amax(__m256 a, __m256 b)
{
    const __m256i magnitude = _mm256_and_si256(_mm256_castps_si256(b), _mm256_set1_epi32(0x7fffffff));
    return _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(a), magnitude));
}

/* Stores the first n < 8 bytes; n is literal. */
static inline NG_TARGET void ng_avx2_store_bytes(void *p, __m128i v, int n)
{
    unsigned char bytes[16];
    _mm_storeu_si128((__m128i *)(void *)bytes, v);
    for (int i = 0; i < n; ++i) ((unsigned char *)p)[i] = bytes[i];
}

/* The nearest integers up to `most`, even ones at ties, NaN as 0, with 16 bits each. */
static inline NG_TARGET __m128i ng_avx2_to_words(__m256 v, float most)
{
    const __m256 number = _mm256_and_ps(v, _mm256_cmp_ps(v, v, _CMP_ORD_Q));
    const __m256i whole = _mm256_cvtps_epi32(_mm256_min_ps(number, _mm256_set1_ps(most)));
    return _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
}

/* Eight of them with 8 bits, signed and unsigned. */
static inline NG_TARGET __m128i ng_avx2_to_s8(__m256 v)
{
    const __m128i words = ng_avx2_to_words(v, 127.0f);
    return _mm_packs_epi16(words, words);
}

static inline NG_TARGET __m128i ng_avx2_to_u8(__m256 v)
{
    const __m128i words = ng_avx2_to_words(v, 255.0f);
    return _mm_packus_epi16(words, words);
}

/* Eight numbers rounded to nearest even to e4m3, at most 448. Below 2^-6 the sum with 2^14 ends in units of 2^-9. */
static inline NG_TARGET __m128i ng_avx2_to_e4m3(__m256 v)
{
    const __m256i bits = _mm256_castps_si256(v);
    const __m256 magnitude = _mm256_and_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)));
    const __m256 most = _mm256_min_ps(magnitude, _mm256_set1_ps(448.0f));
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(_mm256_castps_si256(most), 20), _mm256_set1_epi32(1));
    const __m256i carried =
        _mm256_add_epi32(_mm256_add_epi32(_mm256_castps_si256(most), _mm256_set1_epi32(0x7ffff)), odd);
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
}

/* v with every NaN replaced by one whose low half is zero. */
static inline NG_TARGET __m256 ng_avx2_quiet(__m256 v)
{
    return _mm256_blendv_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)), _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}

/* Round to nearest even to bf16; a NaN must have a zero low half. */
static inline NG_TARGET __m128i ng_avx2_to_bf16(__m256 v)
{
    const __m256i bits = _mm256_castps_si256(v);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i high = _mm256_srli_epi32(rounded, 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
}

/* Round to nearest even to bf16, any NaN to NaN. */
static inline NG_TARGET __m128i ng_avx2_to_bf16_nan(__m256 v)
{
    return ng_avx2_to_bf16(ng_avx2_quiet(v));
}

/* Round even and odd elements to nearest even to bf16 and interleave them; a NaN must have a zero low half.
   A carry comes out of the low halves where they exceed one half, or equal it and the high half is odd. */
static inline NG_TARGET __m256i ng_avx2_pair_to_bf16(__m256 even, __m256 odd)
{
    const __m256i e = _mm256_castps_si256(even), o = _mm256_castps_si256(odd);
    const __m256i high = _mm256_blend_epi16(_mm256_srli_epi32(e, 16), o, 0xaa);
    const __m256i low = _mm256_blend_epi16(e, _mm256_slli_epi32(o, 16), 0xaa);
    const __m256i half = _mm256_or_si256(_mm256_and_si256(high, _mm256_set1_epi16(1)), _mm256_set1_epi16(0x7ffe));
    return _mm256_add_epi16(high, _mm256_srli_epi16(_mm256_avg_epu16(low, half), 15));
}

/* The same, any NaN to NaN. */
static inline NG_TARGET __m256i ng_avx2_pair_to_bf16_nan(__m256 even, __m256 odd)
{
    return ng_avx2_pair_to_bf16(ng_avx2_quiet(even), ng_avx2_quiet(odd));
}
