/* Compares each word of a target with its scalar meaning (targets/vocabulary.lua), special values included, in buffers
   between forbidden pages. Prints `vocabulary <target>: words=N comparisons=N mismatches=N`. */
#include "vocabulary.h"

#include "dtype.h"
#include "verify_guard.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WIDTH = 64, RANDOM_ROUNDS = 20000 };

static unsigned long comparisons, mismatches;
static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static float float_of(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static int is_nan(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

/* Zeros, ones, infinities, NaN with various payloads, extremes, midpoints of bf16 and their neighbours. */
static const uint32_t special[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
    0x7f800001, 0x7fffffff, 0xffffffff, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x00000001, 0x80000001,
    0x007fffff, 0x3f808000, 0x3f818000, 0x3f807fff, 0x3f808001, 0x7f7f8000, 0x7f7f7fff, 0x00008000,
    0x00018000, 0x00007fff, 0x40490fdb, 0xc2f6e979, 0x0d800000, 0x72800000,
};
enum { SPECIALS = sizeof special / sizeof special[0] };

static uint32_t any_bits(void)
{
    const uint32_t choice = random_bits();
    if (choice % 4 == 0) return special[choice / 4 % SPECIALS];
    if (choice % 4 == 1) return (random_bits() & 0xffff0000u) | (random_bits() % 3 + 0x7fffu);
    return random_bits();
}

static void expect(const char *word, int slot, uint32_t got, uint32_t wanted)
{
    ++comparisons;
    if (got == wanted || (is_nan(got) && is_nan(wanted))) return;
    if (++mismatches <= 20)
        fprintf(stderr, "%s %s, slot %d: got %08x, meaning %08x\n", vocabulary_target, word, slot, got, wanted);
}

static void check_word(const vocabulary_word *w)
{
    const int width = vocabulary_width;
    long combinations = 1;
    for (int i = 0; i < w->arity; ++i) combinations *= SPECIALS;
    for (long round = 0; round < combinations + RANDOM_ROUNDS; round += width) {
        float operand[3][MAX_WIDTH], out[MAX_WIDTH];
        for (int s = 0; s < width; ++s) {
            long index = round + s;
            for (int i = 0; i < 3; ++i) {
                operand[i][s] = float_of(round < combinations ? special[index % SPECIALS] : any_bits());
                index /= SPECIALS;
            }
        }
        w->word(operand[0], operand[1], operand[2], out);
        for (int s = 0; s < width; ++s)
            expect(w->name, s, bits_of(out[s]), bits_of(w->meaning(operand[0][s], operand[1][s], operand[2][s])));
    }
}

static float slot_of(const float *a, const float *b, int index)
{
    if (index < 0) return 0.0f;
    return index < vocabulary_width ? a[index] : b[index - vocabulary_width];
}

static void check_move(const vocabulary_move *m)
{
    for (int round = 0; round < 2000; ++round) {
        float a[MAX_WIDTH], b[MAX_WIDTH], out[MAX_WIDTH];
        for (int s = 0; s < vocabulary_width; ++s) {
            a[s] = float_of(any_bits());
            b[s] = float_of(any_bits());
        }
        m->word(a, b, out);
        for (int s = 0; s < vocabulary_width; ++s) {
            float wanted = slot_of(a, b, m->low[s]);
            if (m->high) wanted += slot_of(a, b, m->high[s]);
            expect(m->name, s, bits_of(out[s]), bits_of(wanted));
        }
    }
}

static uint32_t element_bits(const ref_dtype *dtype, const void *place)
{
    uint16_t half;
    uint32_t word;
    if (dtype->size == 2) {
        memcpy(&half, place, sizeof half);
        return half;
    }
    memcpy(&word, place, sizeof word);
    return word;
}

static void put_element(const ref_dtype *dtype, void *place, uint32_t bits)
{
    const uint16_t half = (uint16_t)bits;
    if (dtype->size == 2)
        memcpy(place, &half, sizeof half);
    else
        memcpy(place, &bits, sizeof bits);
}

/* A bf16 word without a case for NaN may get only those whose low half is zero. */
static float tame(float v)
{
    return is_nan(bits_of(v))
               ? float_of(bits_of(v) & 0xffff0000u ? (bits_of(v) & 0xffff0000u) | 0x400000u : 0x7fc00000u)
               : v;
}

static void check_loads(const vocabulary_memory *m, const ref_dtype *dtype, const verify_memory *memory, int n)
{
    const int width = vocabulary_width, chunk = m->vecs * width;
    float out[MAX_WIDTH * 2];
    unsigned char *ends = memory->first + memory->size - (size_t)n * dtype->size;
    unsigned char *places[2] = {memory->first, ends};
    for (int place = 0; place < 2; ++place) {
        for (int i = 0; i < n; ++i)
            put_element(dtype, places[place] + (size_t)i * dtype->size,
                        dtype->size == 2 ? any_bits() >> 16 : any_bits());
        m->load(places[place], n, out);
        for (int i = 0; i < chunk; ++i) {
            const int e = m->element[i];
            const float wanted =
                e < n ? dtype->widen(element_bits(dtype, places[place] + (size_t)e * dtype->size)) : 0.0f;
            expect("load and widen", i, bits_of(out[i]), bits_of(wanted));
        }
        m->first(places[place], out);
        for (int s = 0; s < width; ++s)
            expect("first", s, bits_of(out[s]), bits_of(dtype->widen(element_bits(dtype, places[place]))));
    }
}

static void check_stores(const vocabulary_memory *m, const ref_dtype *dtype, const verify_memory *memory, int n,
                         int any_nan)
{
    const int chunk = m->vecs * vocabulary_width;
    float values[MAX_WIDTH * 2];
    const size_t bytes = (size_t)n * dtype->size;
    unsigned char *places[2] = {memory->first, memory->first + memory->size - bytes};
    for (int place = 0; place < 2; ++place) {
        unsigned char *to = places[place];
        memset(memory->first, 0xa5, memory->size);
        for (int i = 0; i < chunk; ++i) {
            values[i] = float_of(any_bits());
            if (!any_nan) values[i] = tame(values[i]);
        }
        (any_nan ? m->store_nan : m->store)(to, n, values);
        for (int i = 0; i < chunk; ++i) {
            const int e = m->element[i];
            if (e >= n) continue;
            const uint32_t got = element_bits(dtype, to + (size_t)e * dtype->size);
            expect("narrow and store", i, bits_of(dtype->widen(got)), bits_of(dtype->widen(dtype->round(values[i]))));
            memset(to + (size_t)e * dtype->size, 0xa5, dtype->size);
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
    const int chunk = m->vecs * vocabulary_width;
    for (int n = 1; n <= chunk; ++n) {
        for (int round = 0; round < 200; ++round) {
            check_loads(m, dtype, &memory, n);
            check_stores(m, dtype, &memory, n, 0);
            if (m->store_nan) check_stores(m, dtype, &memory, n, 1);
        }
    }
    verify_memory_close(&memory);
}

static void check_all(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < vocabulary_word_count; ++i) check_word(&vocabulary_words[i]);
    for (size_t i = 0; i < vocabulary_move_count; ++i) check_move(&vocabulary_moves[i]);
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
           vocabulary_word_count + vocabulary_move_count + 4 * vocabulary_memory_count, comparisons, mismatches);
    return mismatches || !comparisons ? 1 : 0;
}
