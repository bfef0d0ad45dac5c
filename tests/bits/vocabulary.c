/* Compares each word of a target with its scalar meaning (gen/target/vocabulary.lua), special values included, in
   buffers between forbidden pages. Prints `vocabulary <target>: words=N comparisons=N mismatches=N`. */
#include "vocabulary.h"

#include "dtype.h"
#include "verify_guard.h"

#include <stdio.h>
#include <string.h>

enum { MAX_WIDTH = 64, RANDOM_ROUNDS = 20000, CHUNK_ROUNDS = 200 };

static unsigned long comparisons, mismatches;
static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

/* Zeros, ones, infinities, NaN with various payloads, extremes; in f32 midpoints of the 16-bit dtypes and their
 * neighbours. */
#ifdef VOCABULARY_F64
static const real_bits special[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x7fffffffffffffff,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x0010000000000000, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x3ff0000010000000, 0x3ff0000030000000, 0x3ff000000fffffff, 0x47efffffefffffff,
    0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x400921fb54442d18, 0x1ff0000000000000,
    0x5fe0000000000000, 0x0350000000000000, 0xc1e0000000000001, 0x3ca0000000000000, 0x0008000000000001,
};
#else
static const real_bits special[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
    0x7f800001, 0x7fffffff, 0xffffffff, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x00000001, 0x80000001,
    0x007fffff, 0x3f808000, 0x3f818000, 0x3f807fff, 0x3f808001, 0x7f7f8000, 0x7f7f7fff, 0x00008000,
    0x00018000, 0x00007fff, 0x40490fdb, 0xc2f6e979, 0x0d800000, 0x72800000, 0x477fefff, 0x477ff000,
    0x33000000, 0x33000001, 0x387fe000, 0x38801000, 0x33c00000, 0x477fe000, 0x7fffe000, 0x7f802000,
};
#endif
enum { SPECIALS = sizeof special / sizeof special[0] };

static real_bits any_bits(void)
{
    const uint64_t choice = random_bits();
    if (choice % 4 == 0) return special[choice / 4 % SPECIALS];
    if (choice % 4 == 1) return (real_bits)((random_bits() & ~(uint64_t)0xffff) | (random_bits() % 3 + 0x7fffu));
    return (real_bits)random_bits();
}

static void expect_bytes(const char *word, int slot, const void *got, const void *wanted, size_t size, int both_nan)
{
    ++comparisons;
    if (both_nan || memcmp(got, wanted, size) == 0) return;
    if (++mismatches <= 20) fprintf(stderr, "%s %s, slot %d differs from its meaning\n", vocabulary_target, word, slot);
}

static void expect(const char *word, int slot, real got, real wanted)
{
    expect_bytes(word, slot, &got, &wanted, sizeof got, got != got && wanted != wanted);
}

static void check_word(const vocabulary_word *w)
{
    const int width = vocabulary_width;
    long combinations = 1;
    for (int i = 0; i < w->arity; ++i) combinations *= SPECIALS;
    for (long round = 0; round < combinations + RANDOM_ROUNDS; round += width) {
        real operand[3][MAX_WIDTH], out[MAX_WIDTH];
        for (int s = 0; s < width; ++s) {
            long index = round + s;
            for (int i = 0; i < 3; ++i) {
                operand[i][s] = real_of(round < combinations ? special[index % SPECIALS] : any_bits());
                index /= SPECIALS;
            }
        }
        w->word(operand[0], operand[1], operand[2], out);
        for (int s = 0; s < width; ++s)
            expect(w->name, s, out[s], w->meaning(operand[0][s], operand[1][s], operand[2][s]));
    }
}

static real slot_of(const real *a, const real *b, int index)
{
    if (index < 0) return 0;
    return index < vocabulary_width ? a[index] : b[index - vocabulary_width];
}

static void fill(real *v, int count)
{
    for (int s = 0; s < count; ++s) v[s] = real_of(any_bits());
}

static void check_move(const vocabulary_move *m)
{
    for (int round = 0; round < 2000; ++round) {
        real a[MAX_WIDTH], b[MAX_WIDTH], out[MAX_WIDTH];
        fill(a, vocabulary_width);
        fill(b, vocabulary_width);
        m->word(a, b, out);
        for (int s = 0; s < m->count; ++s) {
            real wanted = slot_of(a, b, m->low[s]);
            if (m->high) wanted += slot_of(a, b, m->high[s]);
            expect(m->name, s, out[s], wanted);
        }
    }
}

static void check_conversion(const vocabulary_conversion *c)
{
    for (int round = 0; round < 2000; ++round) {
        real a[MAX_WIDTH];
        other out[MAX_WIDTH];
        fill(a, vocabulary_width);
        c->word(a, out);
        for (int s = 0; s < c->count; ++s) {
            const other wanted = (other)a[c->first + s];
            expect_bytes(c->name, s, &out[s], &wanted, sizeof wanted, out[s] != out[s] && wanted != wanted);
        }
    }
}

/* What memory holds after a real was stored in a dtype, and the real that an element of memory is. */
static real loaded(const ref_dtype *dtype, const void *place)
{
    real v;
    dtype->load(&v, place, 1);
    return v;
}

static real rounded(const ref_dtype *dtype, real v)
{
    unsigned char place[sizeof(real)];
    dtype->store(place, &v, 1);
    return loaded(dtype, place);
}

/* A bf16 word without a case for NaN may get only those whose low half is zero. */
static real tame(real v)
{
    if (v == v) return v;
    return real_of((real_bits)(sizeof v == 4 ? 0x7fc00000u : bits_of(v)));
}

static void check_loads(const vocabulary_memory *m, const ref_dtype *dtype, const verify_memory *memory, int n)
{
    const int width = vocabulary_width, chunk = m->vecs * width;
    real out[MAX_WIDTH * 2];
    unsigned char *places[2] = {memory->first, memory->first + memory->size - (size_t)n * dtype->size};
    for (int place = 0; place < 2; ++place) {
        unsigned char *from = places[place];
        for (int i = 0; i < n; ++i) {
            const real_bits bits = any_bits();
            const uint16_t half = (uint16_t)(bits >> (8 * sizeof bits - 16));
            memcpy(from + (size_t)i * dtype->size, dtype->size == 2 ? (const void *)&half : (const void *)&bits,
                   dtype->size);
        }
        m->load(from, n, out);
        for (int i = 0; i < chunk; ++i) {
            const int e = m->element[i];
            expect("load and widen", i, out[i], e < n ? loaded(dtype, from + (size_t)e * dtype->size) : 0);
        }
        m->first(from, out);
        for (int s = 0; s < width; ++s) expect("first", s, out[s], loaded(dtype, from));
    }
}

static void check_stores(const vocabulary_memory *m, const ref_dtype *dtype, const verify_memory *memory, int n,
                         void (*store)(void *to, int n, const real *values), int any_nan)
{
    const int chunk = m->vecs * vocabulary_width;
    real values[MAX_WIDTH * 2];
    unsigned char *places[2] = {memory->first, memory->first + memory->size - (size_t)n * dtype->size};
    for (int place = 0; place < 2; ++place) {
        unsigned char *to = places[place];
        memset(memory->first, 0xa5, memory->size);
        fill(values, chunk);
        for (int i = 0; i < chunk && !any_nan; ++i) values[i] = tame(values[i]);
        store(to, n, values);
        for (int i = 0; i < chunk; ++i) {
            unsigned char *element = to + (size_t)m->element[i] * dtype->size;
            if (m->element[i] >= n) continue;
            expect("narrow and store", i, loaded(dtype, element), rounded(dtype, values[i]));
            memset(element, 0xa5, dtype->size);
        }
        for (size_t i = 0; i < memory->size; ++i) mismatches += memory->first[i] != 0xa5;
    }
}

static void check_memory(const vocabulary_memory *m)
{
    const ref_dtype *dtype = ref_dtype_named(m->dtype, strlen(m->dtype));
    verify_memory memory;
    if (!dtype || verify_memory_open(&memory, 4096) != 0) {
        fprintf(stderr, "%s %s: no such dtype, or no memory\n", m->layout, m->dtype);
        ++mismatches;
        return;
    }
    for (int n = 1; n <= m->vecs * vocabulary_width; ++n) {
        for (int round = 0; round < CHUNK_ROUNDS; ++round) {
            if (m->load) check_loads(m, dtype, &memory, n);
            check_stores(m, dtype, &memory, n, m->store, m->store_nan == NULL);
            if (m->store_nan) check_stores(m, dtype, &memory, n, m->store_nan, 1);
            if (m->stream) check_stores(m, dtype, &memory, n, m->stream, m->store_nan == NULL);
        }
    }
    verify_memory_close(&memory);
}

static void check_all(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < vocabulary_word_count; ++i) check_word(&vocabulary_words[i]);
    for (size_t i = 0; i < vocabulary_move_count; ++i) check_move(&vocabulary_moves[i]);
    for (size_t i = 0; i < vocabulary_conversion_count; ++i) check_conversion(&vocabulary_conversions[i]);
    for (size_t i = 0; i < vocabulary_memory_count; ++i) check_memory(&vocabulary_memories[i]);
}

int main(void)
{
    if (!vocabulary_runs_here()) {
        printf("SKIPPED: this CPU has no %s\n", vocabulary_target);
        return 77;
    }
    const char *signal_name = verify_guarded_call(check_all, NULL);
    if (signal_name) {
        fprintf(stderr, "%s: %s: a word touched memory beyond its elements\n", vocabulary_target, signal_name);
        ++mismatches;
    }
    printf("vocabulary %s: words=%zu comparisons=%lu mismatches=%lu\n", vocabulary_target,
           vocabulary_word_count + vocabulary_move_count + vocabulary_conversion_count + 4 * vocabulary_memory_count,
           comparisons, mismatches);
    return mismatches || !comparisons ? 1 : 0;
}
