/* The C that avx512bf16 calls. It borrows from avx512. */
#include "avx512.h"

static __attribute__((__noinline__, __cold__)) NG_TARGET __m256i ng_avx512bf16_with_zeros(__m512 v)
{
    return ng_avx512_to_bf16_nan(v);
}

/* Round to nearest even to bf16. */
static inline NG_TARGET __m256i ng_avx512bf16_round(__m512 v)
{
    const __m256i rounded = (__m256i)_mm512_cvtneps_pbh(v);
    const __mmask16 zeros = _mm256_testn_epi16_mask(rounded, _mm256_set1_epi16(0x7fff));
    return __builtin_expect(zeros != 0, 0) ? ng_avx512bf16_with_zeros(v) : rounded;
}

static __attribute__((__noinline__, __cold__)) NG_TARGET __m512i ng_avx512bf16_pair_with_zeros(__m512 even, __m512 odd)
{
    return ng_avx512_pair_to_bf16_nan(even, odd);
}

/* Round even and odd elements to nearest even to bf16 and interleave them. */
static inline NG_TARGET __m512i ng_avx512bf16_round_pair(__m512 even, __m512 odd)
{
    const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                                           21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i rounded = _mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(odd, even));
    const __mmask32 zeros = _mm512_testn_epi16_mask(rounded, _mm512_set1_epi16(0x7fff));
    return __builtin_expect(zeros != 0, 0) ? ng_avx512bf16_pair_with_zeros(even, odd) : rounded;
}
