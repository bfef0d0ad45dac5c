/* The C that xmm calls. */
#include <immintrin.h>
#include <stdint.h>

/* v has its value now; no compiler merges or delays it. */
#define ng_xmm_pin(v) __asm__("" : "+x"(v))

/* What was loaded before is loaded again: cheaper than to keep it in spilled registers. */
#define ng_xmm_forget() __asm__ volatile("" ::: "memory")

/* The mask of the first n slots. */
static inline NG_TARGET __m128i ng_xmm_first(int n)
{
    return _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3));
}

typedef uint16_t __attribute__((__may_alias__)) ng_xmm_alias_u16;

/* The 16 bits at p, whatever type the caller gave them. */
static inline uint16_t ng_xmm_u16(const void *p)
{
    return *(const ng_xmm_alias_u16 *)p;
}

/* The first n < 8 16-bit elements at p, then zeros. */
static inline NG_TARGET __m128i ng_xmm_load_u16(const void *p, int n)
{
    uint16_t part[8] = {0};
    for (int i = 0; i < n; ++i) part[i] = ((const ng_xmm_alias_u16 *)p)[i];
    return _mm_loadu_si128((const __m128i *)(const void *)part);
}

/* Stores the first n < 8 16-bit elements. */
static inline NG_TARGET void ng_xmm_store_u16(void *p, __m128i v, int n)
{
    uint16_t part[8];
    _mm_storeu_si128((__m128i *)(void *)part, v);
    for (int i = 0; i < n; ++i) ((ng_xmm_alias_u16 *)p)[i] = part[i];
}

/* One level of the summation tree: upper halves of a and b onto lower ones, side by side. */
static inline NG_TARGET __m128 ng_xmm_fold_halves(__m128 a, __m128 b)
{
    return _mm_add_ps(_mm_movelh_ps(a, b), _mm_movehl_ps(b, a));
}

/* v with every NaN replaced by one whose low half is zero. */
static inline NG_TARGET __m128 ng_xmm_quiet(__m128 v)
{
    return _mm_blendv_ps(v, _mm_castsi128_ps(_mm_set1_epi32(0x7fc00000)), _mm_cmpunord_ps(v, v));
}

/* Bits whose upper half is v rounded to nearest even to bf16; a NaN must have a zero low half. */
static inline NG_TARGET __m128i ng_xmm_round(__m128 v)
{
    const __m128i bits = _mm_castps_si128(v);
    const __m128i odd = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(1));
    return _mm_add_epi32(_mm_add_epi32(bits, _mm_set1_epi32(0x7fff)), odd);
}

/* Four elements rounded to bf16. */
static inline NG_TARGET __m128i ng_xmm_to_bf16(__m128 v)
{
    const __m128i high = _mm_srli_epi32(ng_xmm_round(v), 16);
    return _mm_packus_epi32(high, high);
}

/* Even and odd elements rounded to bf16 and interleaved. */
static inline NG_TARGET __m128i ng_xmm_pair_to_bf16(__m128 even, __m128 odd)
{
    return _mm_blend_epi16(_mm_srli_epi32(ng_xmm_round(even), 16), ng_xmm_round(odd), 0xaa);
}
