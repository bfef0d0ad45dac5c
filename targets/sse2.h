/* The C that sse2 calls. It borrows from scalar. */
#include <immintrin.h>
#include <stdint.h>
#include <string.h>
#include "scalar.h"

/* What was loaded before is loaded again: cheaper than to keep it in spilled registers. */
#define ng_sse2_forget() __asm__ volatile("" ::: "memory")

/* Computes v here: not later, not as a part of another operation. */
#define ng_sse2_pin(v) __asm__("" : "+x"(v))

/* The mask of the first n < 4 slots. */
static inline __m128 ng_sse2_first(int n)
{
    return _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3)));
}

/* The first n < 4 floats at p, then zeros. */
static inline __m128 ng_sse2_load_f32(const float *p, int n)
{
    if (n == 1) return _mm_load_ss(p);
    if (n == 0) return _mm_setzero_ps();
    const __m128 pair = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)p));
    return n == 2 ? pair : _mm_movelh_ps(pair, _mm_load_ss(p + 2));
}

/* Stores the first n < 4 floats. */
static inline void ng_sse2_store_f32(float *p, __m128 v, int n)
{
    if (n & 2) {
        _mm_storel_epi64((__m128i *)(void *)p, _mm_castps_si128(v));
        v = _mm_movehl_ps(v, v);
        p += 2;
    }
    if (n & 1) _mm_store_ss(p, v);
}

/* The first n < 4 16-bit elements at p, then zeros. */
static inline __m128i ng_sse2_load_u16(const void *p, int n)
{
    uint16_t part[4] = {0, 0, 0, 0};
    if (n > 0) memcpy(&part[0], p, 2);
    if (n > 1) memcpy(&part[1], (const char *)p + 2, 2);
    if (n > 2) memcpy(&part[2], (const char *)p + 4, 2);
    return _mm_setr_epi16((int16_t)part[0], (int16_t)part[1], (int16_t)part[2], 0, 0, 0, 0, 0);
}

/* Stores the first n < 4 16-bit elements. */
static inline void ng_sse2_store_u16(void *p, __m128i v, int n)
{
    const uint16_t part[3] = {(uint16_t)_mm_extract_epi16(v, 0), (uint16_t)_mm_extract_epi16(v, 1),
                              (uint16_t)_mm_extract_epi16(v, 2)};
    if (n > 0) memcpy(p, &part[0], 2);
    if (n > 1) memcpy((char *)p + 2, &part[1], 2);
    if (n > 2) memcpy((char *)p + 4, &part[2], 2);
}

/* product + c of two elements, rounded to odd; sum is the same rounded to nearest. */
static __attribute__((noinline)) __m128d ng_sse2_to_odd(__m128d product, __m128d c, __m128d sum)
{
    const __m128d part = _mm_sub_pd(sum, product);
    const __m128d error = _mm_add_pd(_mm_sub_pd(product, _mm_sub_pd(sum, part)), _mm_sub_pd(c, part));
    double sums[2], errors[2];
    _mm_storeu_pd(sums, sum);
    _mm_storeu_pd(errors, error);
    for (int i = 0; i < 2; ++i) {
        uint64_t word;
        memcpy(&word, &sums[i], sizeof word);
        if (errors[i] * 0.0 != 0.0 || errors[i] == 0.0 || (word & 1)) continue;
        word = (errors[i] > 0.0) == (sums[i] > 0.0) ? word + 1 : word - 1;
        memcpy(&sums[i], &word, sizeof word);
    }
    return _mm_loadu_pd(sums);
}

/* a * b + c of two elements, rounded to odd where a second rounding to float could go wrong: on a midpoint of floats,
   and below the normal floats. The product is exact. */
static inline __m128d ng_sse2_fma_pair(__m128d a, __m128d b, __m128d c)
{
    const __m128d product = _mm_mul_pd(a, b);
    const __m128d sum = _mm_add_pd(product, c);
    const __m128i bits = _mm_castpd_si128(sum);
    const __m128i low = _mm_and_si128(bits, _mm_setr_epi32(0x1fffffff, 0, 0x1fffffff, 0));
    const __m128i is_midpoint = _mm_cmpeq_epi32(low, _mm_setr_epi32(0x10000000, 0, 0x10000000, 0));
    const __m128d magnitude = _mm_andnot_pd(_mm_set1_pd(-0.0), sum);
    const __m128d is_tiny = _mm_cmplt_pd(magnitude, _mm_set1_pd(0x1p-126));
    const int suspects = (_mm_movemask_ps(_mm_castsi128_ps(is_midpoint)) & 5) | _mm_movemask_pd(is_tiny);
    return __builtin_expect(suspects == 0, 1) ? sum : ng_sse2_to_odd(product, c, sum);
}

/* a * b + c with one rounding. */
static inline __m128 ng_sse2_fma(__m128 a, __m128 b, __m128 c)
{
#if defined(__FMA__)
    return _mm_fmadd_ps(a, b, c);
#else
    const __m128d low = ng_sse2_fma_pair(_mm_cvtps_pd(a), _mm_cvtps_pd(b), _mm_cvtps_pd(c));
    const __m128d high = ng_sse2_fma_pair(_mm_cvtps_pd(_mm_movehl_ps(a, a)), _mm_cvtps_pd(_mm_movehl_ps(b, b)),
                                          _mm_cvtps_pd(_mm_movehl_ps(c, c)));
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
#endif
}

/* The same in f64, one element at a time. */
static inline __m128d ng_sse2_fma_f64(__m128d a, __m128d b, __m128d c)
{
    double x[2], y[2], z[2];
    _mm_storeu_pd(x, a);
    _mm_storeu_pd(y, b);
    _mm_storeu_pd(z, c);
    return _mm_setr_pd(ng_scalar_fma_f64(x[0], y[0], z[0]), ng_scalar_fma_f64(x[1], y[1], z[1]));
}

/* One level of the summation tree: upper halves of a and b onto lower ones, side by side. */
static inline __m128 ng_sse2_fold_halves(__m128 a, __m128 b)
{
    return _mm_add_ps(_mm_movelh_ps(a, b), _mm_movehl_ps(b, a));
}

/* The same within pairs. */
static inline __m128 ng_sse2_fold_neighbours(__m128 a, __m128 b)
{
    return _mm_add_ps(_mm_shuffle_ps(a, b, 0x88), _mm_shuffle_ps(a, b, 0xdd));
}

static inline __m128d ng_sse2_fold_neighbours_f64(__m128d a, __m128d b)
{
    return _mm_add_pd(_mm_unpacklo_pd(a, b), _mm_unpackhi_pd(a, b));
}

/* a == 0 ? b : a. */
static inline __m128 ng_sse2_nonzero_ps(__m128 a, __m128 b)
{
    const __m128 is_zero = _mm_cmpeq_ps(a, _mm_setzero_ps());
    return _mm_or_ps(_mm_and_ps(is_zero, b), _mm_andnot_ps(is_zero, a));
}

static inline __m128d ng_sse2_nonzero_pd(__m128d a, __m128d b)
{
    const __m128d is_zero = _mm_cmpeq_pd(a, _mm_setzero_pd());
    return _mm_or_pd(_mm_and_pd(is_zero, b), _mm_andnot_pd(is_zero, a));
}

/* a < 0 ? b : c. */
static inline __m128 ng_sse2_pick(__m128 a, __m128 b, __m128 c)
{
    const __m128 is_negative = _mm_cmplt_ps(a, _mm_setzero_ps());
    return _mm_or_ps(_mm_and_ps(is_negative, b), _mm_andnot_ps(is_negative, c));
}

/* 2^k for v = 1.5 * 2^23 + k. */
static inline __m128 ng_sse2_pow2(__m128 v)
{
    const __m128i exponent = _mm_slli_epi32(_mm_castps_si128(v), 23);
    return _mm_castsi128_ps(_mm_add_epi32(exponent, _mm_set1_epi32(0x3f800000)));
}

/* a where the mask is set, else b. */
static inline __m128i ng_sse2_choose(__m128i mask, __m128i a, __m128i b)
{
    return _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b));
}

/* The larger one of a, which has no sign, and |b| by their bits: NaN is largest. */
static inline __m128 ng_sse2_amax(__m128 a, __m128 b)
{
    const __m128i left = _mm_castps_si128(a);
    const __m128i right = _mm_and_si128(_mm_castps_si128(b), _mm_set1_epi32(0x7fffffff));
    return _mm_castsi128_ps(ng_sse2_choose(_mm_cmpgt_epi32(left, right), left, right));
}

/* Stores the first n <= 4 bytes; n is literal. */
static inline void ng_sse2_store_bytes(void *p, __m128i v, int n)
{
    const uint32_t bytes = (uint32_t)_mm_cvtsi128_si32(v);
    for (int i = 0; i < n; ++i) ((unsigned char *)p)[i] = (unsigned char)(bytes >> (8 * i));
}

/* The nearest integers up to `most`, even ones at ties, NaN as 0, with 16 bits each. */
static inline __m128i ng_sse2_to_words(__m128 v, float most)
{
    const __m128 number = _mm_and_ps(v, _mm_cmpord_ps(v, v));
    const __m128i whole = _mm_cvtps_epi32(_mm_min_ps(number, _mm_set1_ps(most)));
    return _mm_packs_epi32(whole, whole);
}

/* Four of them with 8 bits, signed and unsigned. */
static inline __m128i ng_sse2_to_s8(__m128 v)
{
    const __m128i words = ng_sse2_to_words(v, 127.0f);
    return _mm_packs_epi16(words, words);
}

static inline __m128i ng_sse2_to_u8(__m128 v)
{
    const __m128i words = ng_sse2_to_words(v, 255.0f);
    return _mm_packus_epi16(words, words);
}

/* Four numbers rounded to nearest even to e4m3, at most 448. Below 2^-6 the sum with 2^14 ends in units of 2^-9. */
static inline __m128i ng_sse2_to_e4m3(__m128 v)
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
    const __m128i number = ng_sse2_choose(is_small, small, normal);
    const __m128i sign = _mm_and_si128(_mm_srli_epi32(bits, 24), _mm_set1_epi32(0x80));
    const __m128i whole = ng_sse2_choose(is_nan, _mm_set1_epi32(0x7f), _mm_or_si128(number, sign));
    const __m128i words = _mm_packs_epi32(whole, whole);
    return _mm_packus_epi16(words, words);
}

/* v with every NaN replaced by one whose low half is zero. */
static inline __m128 ng_sse2_quiet(__m128 v)
{
    const __m128 is_nan = _mm_cmpunord_ps(v, v);
    return _mm_or_ps(_mm_andnot_ps(is_nan, v), _mm_and_ps(is_nan, _mm_castsi128_ps(_mm_set1_epi32(0x7fc00000))));
}

/* Bits whose upper half is v rounded to nearest even to bf16; a NaN must have a zero low half. */
static inline __m128i ng_sse2_round_bf16(__m128 v)
{
    const __m128i bits = _mm_castps_si128(v);
    const __m128i odd = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(1));
    return _mm_add_epi32(_mm_add_epi32(bits, _mm_set1_epi32(0x7fff)), odd);
}

/* Four bf16 as floats, and the way back. */
static inline __m128 ng_sse2_from_bf16(__m128i q)
{
    return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), q));
}

static inline __m128i ng_sse2_to_bf16(__m128 v)
{
    const __m128i high = _mm_srai_epi32(ng_sse2_round_bf16(v), 16);
    return _mm_packs_epi32(high, high);
}

/* Round even and odd elements to nearest even to bf16 and interleave them; a NaN must have a zero low half. */
static inline __m128i ng_sse2_pair_to_bf16(__m128 even, __m128 odd)
{
    return _mm_or_si128(_mm_srli_epi32(ng_sse2_round_bf16(even), 16),
                        _mm_and_si128(ng_sse2_round_bf16(odd), _mm_set1_epi32(-65536)));
}

/* Four f16 as floats: the exponent is moved by an exact product, infinities and NaN get theirs by hand. */
static inline __m128 ng_sse2_from_f16(__m128i q)
{
    const __m128i bits = _mm_unpacklo_epi16(q, _mm_setzero_si128());
    const __m128i magnitude = _mm_and_si128(bits, _mm_set1_epi32(0x7fff));
    const __m128i sign = _mm_slli_epi32(_mm_xor_si128(bits, magnitude), 16);
    const __m128 finite = _mm_mul_ps(_mm_castsi128_ps(_mm_slli_epi32(magnitude, 13)), _mm_set1_ps(0x1p112f));
    const __m128i is_special = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7bff));
    const __m128i special = _mm_and_si128(is_special, _mm_set1_epi32(0x7f800000));
    return _mm_or_ps(_mm_or_ps(finite, _mm_castsi128_ps(special)), _mm_castsi128_ps(sign));
}

/* Four floats rounded to nearest even to f16, any NaN to NaN. */
static inline __m128i ng_sse2_to_f16(__m128 v)
{
    float x[4];
    _mm_storeu_ps(x, v);
    return _mm_setr_epi16((int16_t)ng_scalar_f16_bits(x[0]), (int16_t)ng_scalar_f16_bits(x[1]),
                          (int16_t)ng_scalar_f16_bits(x[2]), (int16_t)ng_scalar_f16_bits(x[3]), 0, 0, 0, 0);
}
