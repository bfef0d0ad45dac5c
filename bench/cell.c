/* Buffers of a kernel's arguments, their data, and the reference's results. */
#define _GNU_SOURCE
#include "cell.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "contract.h"
#include "reference.h"
#include "shape.h"

enum {
    PERIOD = 61, /* rows that differ; the others repeat them */
    PIECE = 4096 /* elements that are converted at a time */
};

const double cell_eps = 1e-5, cell_momentum = 0.125;

void cell_die(const char *message)
{
    fprintf(stderr, "bench: %s\n", message);
    exit(1);
}

double cell_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void cell_pin(void)
{
    cpu_set_t allowed, last;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (size_t cpu = CPU_SETSIZE; cpu-- > 0;)
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_ZERO(&last);
            CPU_SET(cpu, &last);
            if (sched_setaffinity(0, sizeof last, &last) != 0) cell_die("cannot be pinned to a CPU");
            return;
        }
}

/* Numbers from -1 to 1, the same ones in every run. */
static double next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 1073741824.0 - 1;
}

/* Values lie around a middle, by the ends of names; those of other arrays between -1 and 1. */
static const struct {
    const char *end;
    double middle, reach;
} ranges[] = {{"gamma", 1, 0.5}, {"gamma2", 1, 0.5}, {"beta", 0, 0.5}, {"var", 1, 0.5},
              {"rstd", 1, 0.5},  {"square", 3, 0.5}, {"m2", 3, 0.5},   {"scale", 0, 0.5}};

static int ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), rest = strlen(end);
    return length >= rest && strcmp(name + length - rest, end) == 0;
}

static double value_of(const cell *c, const cell_array *a, uint64_t *state)
{
    const double v = next_number(state);
    if (a->id == REF_X) return c->mean + v;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ends_with(ref_arguments[a->id].name, ranges[i].end)) return ranges[i].middle + ranges[i].reach * v;
    return v;
}

static void fill_row(const cell *c, const cell_array *a, unsigned char *to, uint64_t *state)
{
    static double piece_f64[PIECE];
    static float piece_f32[PIECE];
    const size_t n = a->bytes / a->dtype->size;
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t count = n - first < PIECE ? n - first : PIECE;
        for (size_t i = 0; i < count; i++) {
            piece_f64[i] = value_of(c, a, state);
            piece_f32[i] = (float)piece_f64[i];
        }
        a->dtype->store(to + first * a->dtype->size, ref_is_f64(a->dtype) ? (void *)piece_f64 : (void *)piece_f32,
                        count);
    }
}

/* The first period, then copies of it. */
static void repeat(const cell_array *a, const unsigned char *period)
{
    for (size_t r = 0; r < a->rows; r++) {
        unsigned char *row = a->data + r * a->bytes;
        const unsigned char *from = period + r % a->period * a->bytes;
        if (row != from) memcpy(row, from, a->bytes);
    }
}

static unsigned char *period_of(const cell_array *a)
{
    unsigned char *p = calloc(a->period > 0 ? a->period : 1, a->bytes > 0 ? a->bytes : 1);
    if (!p) cell_die("out of memory");
    return p;
}

static void fill(const cell *c, cell_array *a, uint64_t *state)
{
    for (size_t r = 0; r < a->period; r++) fill_row(c, a, a->data + r * a->bytes, state);
    repeat(a, a->data);
    if (!ref_arguments[a->id].output) return;
    a->initial = period_of(a);
    memcpy(a->initial, a->data, a->period * a->bytes);
}

/* Rows that may repeat belong to kernels of rows: elsewhere a result hangs on all of them. */
static void add_array(cell *c, ref_argument id, const ref_scalars *scalars)
{
    const ref_layout layout = ref_layout_of(&c->spec, id, scalars);
    cell_array *a = &c->array[c->arrays++];
    a->id = id;
    a->dtype = ref_argument_dtype(&c->spec, id);
    a->rows = layout.rows;
    a->bytes = layout.columns * a->dtype->size;
    a->period = layout.rows == c->rows ? c->period : layout.rows;
    c->stride[c->arrays - 1] = (ptrdiff_t)(layout.columns / layout.heads);
    if (ref_arguments[id].output) a->expected = period_of(a);
}

/* Arrays and scalars, each in call order, and the strides of matrices. */
static void sort_arguments(cell *c)
{
    const ref_scalars scalars = {c->rows,
                                 {[REF_POSITION_COUNT] = (double)c->positions,
                                  [REF_ROWS_PER_BATCH] = (double)c->rows,
                                  [REF_ALPHA] = 0.5,
                                  [REF_MOMENTUM] = cell_momentum,
                                  [REF_EPS] = cell_eps,
                                  [REF_G] = 1.5,
                                  [REF_YSCALE] = 0.0625,
                                  [REF_YZERO] = 3}};
    size_t count = 0, strides = 0;
    for (int id = 0; id < REF_ARGUMENTS; id++) {
        if (!ref_argument_dtype(&c->spec, (ref_argument)id)) continue;
        if (!ref_is_array((ref_argument)id)) {
            c->scalar[count++] = scalars.of[id];
            continue;
        }
        add_array(c, (ref_argument)id, &scalars);
        const ptrdiff_t stride = c->stride[c->arrays - 1];
        if (ref_arguments[id].kind == REF_MATRIX) c->stride[strides++] = stride;
    }
}

/* All buffers come from one piece of memory in large pages, where the system has them. Each begins with a page: on some
   CPUs a load waits for a store before it whose address has the same last 12 bits, so that other offsets between the
   buffers can slow any loop down by a factor of four. */
static void place_arrays(cell *c)
{
    size_t at[REF_ARGUMENTS], size = 0;
    for (size_t i = 0; i < c->arrays; i++) {
        at[i] = size;
        size = (at[i] + c->array[i].rows * c->array[i].bytes + 4095) / 4096 * 4096;
    }
    const size_t large = (size_t)2 << 20;
    c->arena_bytes = (size + large - 1) / large * large + large;
    c->arena = mmap(NULL, c->arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->arena == MAP_FAILED) cell_die("out of memory");
    unsigned char *base = (unsigned char *)(((uintptr_t)c->arena + large - 1) / large * large);
    madvise(base, c->arena_bytes - large, MADV_HUGEPAGE);
    for (size_t i = 0; i < c->arrays; i++) {
        c->array[i].data = base + at[i];
        c->ptr[i] = c->array[i].data;
    }
}

static void compute_expected(cell *c, const char *spec)
{
    void *ptr[REF_ARGUMENTS];
    for (size_t i = 0; i < c->arrays; i++) {
        const cell_array *a = &c->array[i];
        ptr[i] = a->expected ? a->expected : a->data;
        if (a->initial) memcpy(a->expected, a->initial, a->period * a->bytes);
    }
    if (ng_reference(spec, c->period, ptr, c->stride, c->scalar) != 0)
        cell_die("the reference does not understand a spec");
}

void cell_open(cell *c, const char *spec, size_t rows, size_t positions, double mean)
{
    *c = (cell){.rows = rows, .mean = mean};
    if (ref_spec_parse(spec, &c->spec) != 0) cell_die("the reference does not understand a spec");
    c->positions = ref_has_positions(&c->spec) ? positions : 1;
    c->period = rows < PERIOD || ref_is_over_axes(&c->spec) ? rows : PERIOD;
    sort_arguments(c);
    place_arrays(c);
    uint64_t state = 1;
    for (size_t i = 0; i < c->arrays; i++)
        if (ref_is_input(c->array[i].id)) fill(c, &c->array[i], &state);
    compute_expected(c, spec);
}

void cell_close(cell *c)
{
    munmap(c->arena, c->arena_bytes);
    for (size_t i = 0; i < c->arrays; i++) {
        free(c->array[i].initial);
        free(c->array[i].expected);
    }
}

const cell_array *cell_find(const cell *c, ref_argument id)
{
    for (size_t i = 0; i < c->arrays; i++)
        if (c->array[i].id == id) return &c->array[i];
    return NULL;
}

void cell_spoil(cell *c)
{
    for (size_t i = 0; i < c->arrays; i++) {
        const cell_array *a = &c->array[i];
        if (a->initial)
            repeat(a, a->initial);
        else if (a->expected)
            memset(a->data, 0xff, a->rows * a->bytes);
    }
}

int cell_is_right(const cell *c, cell_close_enough *judge, const void *context)
{
    for (size_t i = 0; i < c->arrays; i++) {
        const cell_array *a = &c->array[i];
        for (size_t r = 0; a->expected && r < a->rows; r++) {
            const unsigned char *row = a->data + r * a->bytes, *expected = a->expected + r % a->period * a->bytes;
            if (memcmp(row, expected, a->bytes) == 0) continue;
            if (!judge || !judge(context, a->dtype, row, expected, a->bytes / a->dtype->size)) return 0;
        }
    }
    return 1;
}
