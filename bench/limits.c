/* What memory allows: loops that move the bytes of a norm and do no arithmetic. LIMIT_WIDTH is the bytes of a vector.
 */
#include "bench.h"

#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifndef LIMIT_WIDTH
#define LIMIT_WIDTH 16
#endif

enum { V = LIMIT_WIDTH, UNROLL = 4 };

typedef uint64_t vec __attribute__((vector_size(LIMIT_WIDTH), aligned(1), may_alias));

#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const unsigned char *p)
{
    return *(const vec *)(const void *)p;
}

/* NT: past the caches, where the architecture can. */
INLINE void store(unsigned char *p, vec v, int nt)
{
#if defined __x86_64__ && LIMIT_WIDTH == 64
    if (nt) {
        _mm512_stream_si512((void *)p, (__m512i)v);
        return;
    }
#elif defined __x86_64__ && LIMIT_WIDTH == 32
    if (nt) {
        _mm256_stream_si256((void *)p, (__m256i)v);
        return;
    }
#elif defined __x86_64__
    if (nt) {
        _mm_stream_si128((void *)p, (__m128i)v);
        return;
    }
#else
    (void)nt;
#endif
    *(vec *)(void *)p = v;
}

INLINE void fence(int nt)
{
#ifdef __x86_64__
    if (nt) _mm_sfence();
#else
    (void)nt;
#endif
}

/* Keeps a value alive that nobody reads. */
INLINE void use(vec v)
{
    __asm__ volatile("" : : "m"(v));
}

INLINE vec read_bytes(const unsigned char *p, size_t bytes, vec seen)
{
    vec other[UNROLL] = {seen};
    size_t i = 0;
    for (; i + UNROLL * V <= bytes; i += UNROLL * V)
        for (size_t u = 0; u < UNROLL; u++) other[u] |= load(p + i + u * V);
    for (; i < bytes; i += V) other[0] |= load(p + i);
    return other[0] | other[1] | other[2] | other[3];
}

static void read_all(const bench_traffic *t)
{
    const unsigned char *const matrices[] = {t->x, t->residual, t->y, t->sum};
    const unsigned char *const parameters[] = {t->gamma, t->beta};
    vec seen = {0};
    for (int i = 0; i < 4; i++)
        if (matrices[i]) seen = read_bytes(matrices[i], t->rows * t->row_bytes, seen);
    for (int i = 0; i < 2; i++)
        if (parameters[i]) seen = read_bytes(parameters[i], t->parameter_bytes, seen);
    use(seen);
}

INLINE void copy_bytes(unsigned char *to, const unsigned char *from, size_t bytes, int nt)
{
    size_t i = 0;
    for (; i + UNROLL * V <= bytes; i += UNROLL * V) {
        vec v[UNROLL];
        for (size_t u = 0; u < UNROLL; u++) v[u] = load(from + i + u * V);
        for (size_t u = 0; u < UNROLL; u++) store(to + i + u * V, v[u], nt);
    }
    for (; i < bytes; i += V) store(to + i, load(from + i), nt);
}

INLINE void copy_all(const bench_traffic *t, int nt)
{
    copy_bytes(t->y, t->x, t->rows * t->row_bytes, nt);
    if (t->sum) copy_bytes(t->sum, t->residual, t->rows * t->row_bytes, nt);
    fence(nt);
}

static void copy(const bench_traffic *t)
{
    copy_all(t, 0);
}

static void copy_stream(const bench_traffic *t)
{
    copy_all(t, 1);
}

/* Sweep 1 of a row reads it (and the residual, and writes the sum); its vectors are or-ed into four. */
INLINE vec sweep_1(const unsigned char *x, const unsigned char *residual, unsigned char *sum, size_t bytes)
{
    if (!residual) return read_bytes(x, bytes, (vec){0});
    vec seen[UNROLL] = {{0}};
    size_t i = 0;
    for (; i + UNROLL * V <= bytes; i += UNROLL * V)
        for (size_t u = 0; u < UNROLL; u++) {
            const vec v = load(x + i + u * V) ^ load(residual + i + u * V);
            if (sum) store(sum + i + u * V, v, 0);
            seen[u] |= v;
        }
    for (; i < bytes; i += V) {
        const vec v = load(x + i) ^ load(residual + i);
        if (sum) store(sum + i, v, 0);
        seen[0] |= v;
    }
    return seen[0] | seen[1] | seen[2] | seen[3];
}

/* Sweep 2 reads row and parameters and writes y; like a norm it hangs on what sweep 1 has seen. */
INLINE void sweep_2(const unsigned char *row, const unsigned char *other, const bench_traffic *t, unsigned char *y,
                    vec seen, int nt)
{
    const size_t bytes = t->row_bytes;
    size_t i = 0;
#define NORMED(i)                                                                                                      \
    (load(row + (i)) ^ (other ? load(other + (i)) : seen) ^ (t->gamma ? load(t->gamma + (i)) : seen) ^                 \
     (t->beta ? load(t->beta + (i)) : seen) ^ seen)
    for (; i + UNROLL * V <= bytes; i += UNROLL * V)
        for (size_t u = 0; u < UNROLL; u++) store(y + i + u * V, NORMED(i + u * V), nt);
    for (; i < bytes; i += V) store(y + i, NORMED(i), nt);
#undef NORMED
}

INLINE void norm_rows(const bench_traffic *traffic, int has_gamma, int has_beta, int adds, int nt)
{
    bench_traffic t = *traffic;
    if (!has_gamma) t.gamma = NULL;
    if (!has_beta) t.beta = NULL;
    for (size_t r = 0; r < t.rows; r++) {
        const size_t at = r * t.row_bytes;
        const unsigned char *residual = adds ? t.residual + at : NULL;
        unsigned char *sum = adds == 2 ? t.sum + at : NULL;
        const vec seen = sweep_1(t.x + at, residual, sum, t.row_bytes);
        sweep_2(sum ? sum : t.x + at, adds == 1 ? residual : NULL, &t, t.y + at, seen, nt);
    }
    fence(nt);
}

/* The common cases are loops of their own, without a test in them. */
INLINE void norm_shaped(const bench_traffic *t, int nt)
{
    if (t->is_read_once) {
        copy_all(t, nt);
        return;
    }
    const int adds = t->sum ? 2 : t->residual ? 1 : 0;
#define CASE(GAMMA, BETA, ADDS)                                                                                        \
    if (!t->gamma == !GAMMA && !t->beta == !BETA && adds == ADDS) norm_rows(t, GAMMA, BETA, ADDS, nt)
    CASE(1, 0, 0);
    CASE(1, 0, 1);
    CASE(1, 0, 2);
    CASE(1, 1, 0);
    CASE(1, 1, 1);
    CASE(1, 1, 2);
    CASE(0, 0, 0);
    CASE(0, 0, 1);
    CASE(0, 0, 2);
#undef CASE
}

static void norm(const bench_traffic *t)
{
    norm_shaped(t, 0);
}

static void norm_stream(const bench_traffic *t)
{
    norm_shaped(t, 1);
}

const size_t bench_limit_width = LIMIT_WIDTH;
const bench_limit bench_limits[] = {
    {"read", read_all},
    {"copy", copy},
    {"copy stream", copy_stream},
    {"norm-shaped", norm},
    {"norm-shaped stream", norm_stream},
    {NULL, NULL},
};
