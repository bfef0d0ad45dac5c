/* The words of one target for one type as C functions, made by tests/support/vocabulary.lua; tests/bits/vocabulary.c
   compares them with their scalar meaning. Vectors travel as arrays of `width` reals, raw registers in memory only. */
#ifndef NG_TESTS_VOCABULARY_H
#define NG_TESTS_VOCABULARY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The type, its bits, and the type that it is converted to. */
#ifdef VOCABULARY_F64
typedef double real;
typedef uint64_t real_bits;
typedef float other;
#else
typedef float real;
typedef uint32_t real_bits;
typedef double other;
#endif

/* The real of bits, and the bits of a real. */
static inline real real_of(real_bits bits)
{
    real v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline real_bits bits_of(real v)
{
    real_bits bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* An arithmetic word: all slots of up to three operands, and what it means for one slot. */
typedef struct vocabulary_word {
    const char *name;
    int arity;
    void (*word)(const real *a, const real *b, const real *c, real *out);
    real (*meaning)(real a, real b, real c);
} vocabulary_word;

/* A word that moves slots: out[s] = a[low[s]] (+ the same of high), where indices from width on mean b, and -1 means
   +0; only the first `count` slots matter. */
typedef struct vocabulary_move {
    const char *name;
    void (*word)(const real *a, const real *b, real *out);
    const int *low, *high; /* high is NULL where nothing is added */
    int count;
} vocabulary_move;

/* A word that converts: out[s] = a[first + s] in the other type, for the first `count` slots. */
typedef struct vocabulary_conversion {
    const char *name;
    void (*word)(const real *a, other *out);
    int first, count;
} vocabulary_conversion;

/* The memory words of a dtype in a layout, for chunks of `vecs` vectors. element[k * width + s] is where slot s of
   vector k lies in the chunk. n is 1 to the length of the chunk, which stands for the words without n. */
typedef struct vocabulary_memory {
    const char *layout, *dtype;
    int vecs;
    const int *element;
    void (*load)(const void *from, int n, real *out); /* NULL where the dtype is for outputs only, and so is first */
    void (*first)(const void *from, real *out);
    void (*store)(void *to, int n, const real *values);
    void (*store_nan)(void *to, int n, const real *values); /* NULL where narrow takes any NaN */
    void (*stream)(void *to, int n, const real *values);    /* NULL where there is no such word */
} vocabulary_memory;

extern const char vocabulary_target[];
extern const int vocabulary_width;
extern int (*const vocabulary_runs_here)(void);
extern const vocabulary_word vocabulary_words[];
extern const vocabulary_move vocabulary_moves[];
extern const vocabulary_conversion vocabulary_conversions[];
extern const vocabulary_memory vocabulary_memories[];
extern const size_t vocabulary_word_count, vocabulary_move_count, vocabulary_conversion_count, vocabulary_memory_count;

#endif
