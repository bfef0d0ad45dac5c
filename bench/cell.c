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

enum {
    PERIOD = 61, /* rows that differ; the others repeat them */
    EXTENT = 16, /* of what is neither rows nor h */
    PIECE = 4096 /* elements that are converted at a time */
};

const double cell_eps = 1e-5;

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

/* Values lie around a middle; those of other arrays between -1 and 1. */
static const struct {
    const char *name;
    double middle, reach;
} ranges[] = {{"gamma", 1, 0.5}, {"beta", 0, 0.5}, {"var", 1, 0.5}};

static double value_of(const cell *c, const char *name, uint64_t *state)
{
    const double v = next_number(state);
    if (strcmp(name, "x") == 0) return c->mean + v;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (strncmp(name, ranges[i].name, strlen(ranges[i].name)) == 0) return ranges[i].middle + ranges[i].reach * v;
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
            piece_f64[i] = value_of(c, a->name, state);
            piece_f32[i] = (float)piece_f64[i];
        }
        a->dtype->store(to + first * a->dtype->size, ref_is_f64(a->dtype) ? (void *)piece_f64 : (void *)piece_f32,
                        count);
    }
}

static void fill(const cell *c, const cell_array *a, uint64_t *state)
{
    for (size_t r = 0; r < a->rows; r++) {
        unsigned char *to = a->data + r * a->bytes;
        if (r >= c->period)
            memcpy(to, to - c->period * a->bytes, a->bytes);
        else
            fill_row(c, a, to, state);
    }
}

/* Elements of a row of an array, and whether each row has its own. */
static size_t elements_of(const char *shape, size_t h, int *by_row)
{
    size_t elements = 1;
    *by_row = 0;
    while (*shape) {
        const size_t length = strcspn(shape, ",");
        if (length == 4 && memcmp(shape, "rows", length) == 0)
            *by_row = 1;
        else
            elements *= length == 1 && *shape == 'h' ? h : EXTENT;
        shape += length + (shape[length] == ',');
    }
    return elements;
}

static void add_array(cell *c, const cell_argument *argument, size_t h)
{
    int by_row;
    cell_array *a = &c->array[c->arrays++];
    a->name = argument->name;
    a->dtype = ref_dtype_named(argument->dtype, strlen(argument->dtype));
    if (!a->dtype) cell_die("the reference does not know a dtype");
    a->bytes = elements_of(argument->shape, h, &by_row) * a->dtype->size;
    a->rows = by_row ? c->rows : 1;
    if (strcmp(argument->io, "out") == 0) {
        a->expected = malloc(c->period * a->bytes);
        if (!a->expected) cell_die("out of memory");
    }
}

static double scalar_of(const cell_argument *argument)
{
    return strcmp(argument->name, "eps") == 0 ? cell_eps : strcmp(argument->dtype, "size_t") == 0 ? EXTENT : 0.5;
}

/* Sorts the arguments: arrays, strides and other scalars, each in call order. */
static void sort_arguments(cell *c, const cell_signature *s)
{
    size_t strides = 0, scalars = 0;
    for (size_t i = 0; i < s->count; i++) {
        const cell_argument *argument = &s->arguments[i];
        if (strcmp(argument->shape, "scalar") != 0)
            add_array(c, argument, s->h);
        else if (strcmp(argument->dtype, "ptrdiff_t") == 0)
            c->stride[strides++] = (ptrdiff_t)s->h;
        else if (strcmp(argument->name, "rows") != 0)
            c->scalar[scalars++] = scalar_of(argument);
    }
}

/* All buffers come from one piece of memory in large pages, where the system has them. Each begins with a page: on some
   CPUs a load waits for a store before it whose address has the same last 12 bits, so that other offsets between the
   buffers can slow any loop down by a factor of four. */
static void place_arrays(cell *c)
{
    size_t at[CELL_ARGUMENTS], size = 0;
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
    void *ptr[CELL_ARGUMENTS];
    for (size_t i = 0; i < c->arrays; i++) ptr[i] = c->array[i].expected ? c->array[i].expected : c->array[i].data;
    if (ng_reference(spec, c->period, ptr, c->stride, c->scalar) != 0)
        cell_die("the reference does not understand a spec");
}

void cell_open(cell *c, const cell_signature *signature, size_t rows, double mean)
{
    *c = (cell){.rows = rows, .period = rows < PERIOD ? rows : PERIOD, .mean = mean};
    sort_arguments(c, signature);
    place_arrays(c);
    uint64_t state = 1;
    for (size_t i = 0; i < c->arrays; i++)
        if (!c->array[i].expected) fill(c, &c->array[i], &state);
    compute_expected(c, signature->spec);
}

void cell_close(cell *c)
{
    munmap(c->arena, c->arena_bytes);
    for (size_t i = 0; i < c->arrays; i++) free(c->array[i].expected);
}

const cell_array *cell_find(const cell *c, const char *name)
{
    for (size_t i = 0; i < c->arrays; i++)
        if (strcmp(c->array[i].name, name) == 0) return &c->array[i];
    return NULL;
}

void cell_spoil(cell *c)
{
    for (size_t i = 0; i < c->arrays; i++)
        if (c->array[i].expected) memset(c->array[i].data, 0xff, c->array[i].rows * c->array[i].bytes);
}

int cell_is_right(const cell *c, cell_close_enough *judge, const void *context)
{
    for (size_t i = 0; i < c->arrays; i++) {
        const cell_array *a = &c->array[i];
        for (size_t r = 0; a->expected && r < a->rows; r++) {
            const unsigned char *row = a->data + r * a->bytes, *expected = a->expected + r % c->period * a->bytes;
            if (memcmp(row, expected, a->bytes) == 0) continue;
            if (!judge || !judge(context, a->dtype, row, expected, a->bytes / a->dtype->size)) return 0;
        }
    }
    return 1;
}
