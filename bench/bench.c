/* Times kernels, rivals and limits on the same buffers, in turn, and prints every sample.
 *
 *     bench RESULTS ROUNDS NAME ROWS [NAME ROWS...]
 *
 * A cell is a kernel's name and a number of rows. Each entry of a cell is checked against the reference before it is
 * timed. In every round each entry runs once, for so many calls that the clock does not matter; the order turns from
 * round to round. RESULTS gets lines with tabs in between:
 *
 *     overhead  LABEL  NS
 *     cell      NAME  ROWS  SPEC  READ  WRITE  PARAMETERS        bytes, all rows together
 *     entry     KIND  LABEL  TARGET  SCHEDULE  SAMPLE...         ns a call, by round; - where it sat out
 *     rejected  KIND  LABEL  TARGET  REASON
 *
 * KIND is kernel, rival, inexact or limit. The program is pinned to the last CPU that it may use. */
#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "contract.h"
#include "reference.h"
#include "spec.h"

enum {
    MAX_ENTRIES = 1024,
    PERIOD = 61,        /* rows that differ; the others repeat them */
    OFFSET_ROWS = 4,    /* with a large mean */
    SLOT = 100000,      /* ns that an entry gets in a round, if one call does not take longer */
    FEWEST_ROUNDS = 31, /* of a cell whose rounds take long, if as many are asked for */
    SCREEN_ROUNDS = 6,  /* after so many rounds, ... */
    SCREEN_FACTOR = 4   /* ... who takes so many times as long as the fastest kernel or rival sits out */
};

static const double eps = 1e-5, cell_ns = 15e9; /* a cell should not take longer */

/* Rows of the cells that are timed have this mean; those that show who is accurate have the other one, with a standard
   deviation below 1. */
static const double usual_mean = 0.25, large_mean = 1000;

/* The buffers of a cell. Matrices repeat their first `period` rows, of which `expected` has the outputs. */
typedef struct cell {
    const char *name;
    size_t rows, period;
    double mean;      /* of x */
    double tolerance; /* how far a rival may be from the reference, apart from roundings to the dtype */
    ref_spec spec;
    unsigned char *data[REF_ARGUMENTS], *expected[REF_ARGUMENTS];
    void *ptr[REF_ARGUMENTS]; /* data in call order, without gaps */
    ptrdiff_t stride[REF_ARGUMENTS];
    ref_scalars scalars;
    double scalar[REF_ARGUMENTS]; /* in call order, without gaps */
    void *arena;
    size_t arena_bytes;
    bench_call call;       /* for rivals */
    bench_traffic traffic; /* for limits */
    int fits_rivals, fits_limits;
} cell;

typedef enum entry_kind { KERNEL, RIVAL, INEXACT, LIMIT } entry_kind;
static const char *const kind_names[] = {"kernel", "rival", "inexact", "limit"};

typedef struct entry {
    entry_kind kind;
    bench_kernel kernel;
    const bench_rival *rival;
    const bench_limit *limit;
    bench_call call;
    size_t calls; /* in a round */
    double ns_of_round;
    double *ns; /* a call, by round; negative where it sat out */
} entry;

static FILE *results;

static void die(const char *message)
{
    fprintf(stderr, "bench: %s\n", message);
    exit(1);
}

static void *allocate(size_t bytes)
{
    void *p = calloc(bytes > 0 ? bytes : 1, 1);
    if (!p) die("out of memory");
    return p;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void pin(void)
{
    cpu_set_t allowed, last;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (size_t cpu = CPU_SETSIZE; cpu-- > 0;)
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_ZERO(&last);
            CPU_SET(cpu, &last);
            if (sched_setaffinity(0, sizeof last, &last) != 0) die("cannot be pinned to a CPU");
            return;
        }
}

/* ---- buffers ---- */

static int has(const cell *c, int a)
{
    return ref_is_array((ref_argument)a) && ref_argument_dtype(&c->spec, (ref_argument)a) != NULL;
}

static ref_layout layout_of(const cell *c, int a)
{
    return ref_layout_of(&c->spec, (ref_argument)a, &c->scalars);
}

static size_t row_bytes(const cell *c, int a)
{
    return layout_of(c, a).columns * ref_argument_dtype(&c->spec, (ref_argument)a)->size;
}

/* Numbers from -1 to 1, the same ones in every run. */
static double next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 1073741824.0 - 1;
}

static double value_of(const cell *c, int a, uint64_t *state)
{
    const double v = next_number(state);
    return a == REF_GAMMA_ROW ? 1 + v / 2 : a == REF_BETA_ROW ? v / 2 : a == REF_X ? c->mean + v : v;
}

static void fill(cell *c, int a, uint64_t *state)
{
    static double row_f64[REF_MAX_H];
    static float row_f32[REF_MAX_H];
    const ref_dtype *dtype = ref_argument_dtype(&c->spec, (ref_argument)a);
    const size_t bytes = row_bytes(c, a), n = layout_of(c, a).columns;
    for (size_t r = 0; r < layout_of(c, a).rows; r++) {
        unsigned char *to = c->data[a] + r * bytes;
        if (r >= c->period) {
            memcpy(to, to - c->period * bytes, bytes);
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            row_f64[i] = value_of(c, a, state);
            row_f32[i] = (float)row_f64[i];
        }
        dtype->store(to, ref_is_f64(dtype) ? (void *)row_f64 : (void *)row_f32, n);
    }
}

/* All buffers come from one piece of memory in large pages, where the system has them. Each begins with a page: on some
   CPUs a load waits for a store before it whose address has the same last 12 bits, so that other offsets between the
   buffers can slow any loop down by a factor of four. */
static void place_buffers(cell *c)
{
    size_t at[REF_ARGUMENTS] = {0}, size = 0;
    for (int a = 0; a < REF_ARGUMENTS; a++) {
        if (!has(c, a)) continue;
        at[a] = size;
        size = (at[a] + layout_of(c, a).rows * row_bytes(c, a) + 4095) / 4096 * 4096;
    }
    const size_t large = (size_t)2 << 20;
    c->arena_bytes = (size + large - 1) / large * large + large;
    c->arena = mmap(NULL, c->arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->arena == MAP_FAILED) die("out of memory");
    unsigned char *base = (unsigned char *)(((uintptr_t)c->arena + large - 1) / large * large);
    madvise(base, c->arena_bytes - large, MADV_HUGEPAGE);
    for (int a = 0; a < REF_ARGUMENTS; a++)
        if (has(c, a)) c->data[a] = base + at[a];
}

static void compute_expected(cell *c, const char *spec)
{
    void *ptr[REF_ARGUMENTS];
    size_t count = 0;
    for (int a = 0; a < REF_ARGUMENTS; a++) {
        if (!c->data[a]) continue;
        if (ref_arguments[a].output) c->expected[a] = allocate(c->period * row_bytes(c, a));
        ptr[count++] = ref_arguments[a].output ? c->expected[a] : c->data[a];
    }
    if (ng_reference(spec, c->period, ptr, c->stride, c->scalar) != 0) die("the reference does not understand a spec");
}

/* Rivals know forward norms with the usual parameters and one dtype. */
static int describe_for_rivals(cell *c)
{
    static const char *const dtypes[] = {"f32", "bf16", "f16"};
    const ref_spec *s = &c->spec;
    const int layernorm = s->norm == REF_LAYERNORM;
    if (s->norm == REF_DYT || s->zgate || s->act) return 0;
    if (s->affine != (layernorm ? REF_GAMMA_BETA : REF_GAMMA) || s->offset || s->fusion == REF_ADDAFTER || s->alpha ||
        s->cast || s->acc_f64 || s->center_full || s->stats || s->strided)
        return 0;
    if (s->gamma != s->x || s->y != s->x || (c->data[REF_RESIDUAL] && s->residual != s->x)) return 0;
    for (int d = 0; d < 3; d++) {
        if (strcmp(dtypes[d], s->x->name) != 0) continue;
        c->call = (bench_call){layernorm,
                               s->fusion == REF_ADD      ? BENCH_ADD
                               : s->fusion == REF_ADDOUT ? BENCH_ADDOUT
                                                         : BENCH_NO_ADD,
                               (bench_dtype)d,
                               c->rows,
                               s->h,
                               (float)eps,
                               c->data[REF_X],
                               c->data[REF_RESIDUAL],
                               c->data[REF_GAMMA_ROW],
                               c->data[REF_BETA_ROW],
                               c->data[REF_Y],
                               c->data[REF_SUM],
                               NULL};
        return 1;
    }
    return 0;
}

/* Limits move rows of one length, in whole vectors. */
static int describe_for_limits(cell *c)
{
    const size_t bytes = row_bytes(c, REF_X);
    if (bytes % bench_limit_width != 0) return 0;
    for (int a = 0; a < REF_ARGUMENTS; a++)
        if (c->data[a] && (ref_arguments[a].kind != REF_MATRIX && ref_arguments[a].axes[0] != REF_H)) return 0;
    for (int a = 0; a < REF_ARGUMENTS; a++)
        if (c->data[a] && row_bytes(c, a) != bytes) return 0;
    c->traffic = (bench_traffic){c->rows,
                                 bytes,
                                 bytes,
                                 c->data[REF_X],
                                 c->data[REF_RESIDUAL],
                                 c->data[REF_GAMMA_ROW],
                                 c->data[REF_BETA_ROW],
                                 c->data[REF_Y],
                                 c->data[REF_SUM]};
    return 1;
}

static void open_cell(cell *c, const char *name, size_t rows, const char *spec, double mean, double tolerance)
{
    *c = (cell){.name = name,
                .rows = rows,
                .period = rows < PERIOD ? rows : PERIOD,
                .mean = mean,
                .tolerance = tolerance,
                .scalars = {rows, {[REF_ALPHA] = 0.5, [REF_EPS] = eps}}};
    if (ref_spec_parse(spec, &c->spec) != 0) die("the reference does not understand a spec");
    place_buffers(c);
    uint64_t state = 1;
    size_t count = 0, scalars = 0;
    for (int a = 0; a < REF_ARGUMENTS; a++) {
        if (!ref_is_array((ref_argument)a) && ref_argument_dtype(&c->spec, (ref_argument)a) != NULL)
            c->scalar[scalars++] = c->scalars.of[a];
        if (!c->data[a]) continue;
        if (!ref_arguments[a].output) fill(c, a, &state);
        c->ptr[count] = c->data[a];
        c->stride[count++] = (ptrdiff_t)c->spec.h;
    }
    compute_expected(c, spec);
    c->fits_rivals = describe_for_rivals(c);
    c->fits_limits = describe_for_limits(c);
}

static void close_cell(cell *c)
{
    munmap(c->arena, c->arena_bytes);
    for (int a = 0; a < REF_ARGUMENTS; a++) free(c->expected[a]);
}

/* ---- entries ---- */

static void run(const cell *c, const entry *e)
{
    switch (e->kind) {
    case KERNEL:
        e->kernel.invoke(c->rows, c->ptr, c->stride, c->scalar);
        break;
    case LIMIT:
        e->limit->run(&c->traffic);
        break;
    default:
        e->rival->run(&e->call);
    }
}

static const char *label(const entry *e)
{
    return e->kind == KERNEL ? e->kernel.variant : e->kind == LIMIT ? e->limit->name : e->rival->name;
}

static const char *target(const entry *e)
{
    return e->kind == KERNEL ? e->kernel.target : "";
}

/* Sums in another order, and two roundings to the dtype, one of them perhaps in front of the norm. */
static int is_close(const cell *c, const ref_dtype *dtype, double value, double expected)
{
    const double ulp = ldexp(1, 1 - dtype->precision);
    return fabs(value - expected) <= c->tolerance + 2 * ulp * (1 + fabs(expected));
}

static int is_row_close(const cell *c, const ref_dtype *dtype, const void *row, const void *expected, size_t n)
{
    static float a[REF_MAX_H], b[REF_MAX_H];
    dtype->load(a, row, n);
    dtype->load(b, expected, n);
    for (size_t i = 0; i < n; i++)
        if (!is_close(c, dtype, a[i], b[i])) return 0;
    return 1;
}

/* Runs an entry once and compares every row: a kernel's bits, a rival's values. */
static int is_right(cell *c, const entry *e)
{
    for (int a = 0; a < REF_ARGUMENTS; a++)
        if (c->expected[a]) memset(c->data[a], 0xff, c->rows * row_bytes(c, a));
    run(c, e);
    for (int a = 0; a < REF_ARGUMENTS; a++) {
        if (!c->expected[a]) continue;
        const size_t bytes = row_bytes(c, a);
        const ref_dtype *dtype = ref_argument_dtype(&c->spec, (ref_argument)a);
        for (size_t r = 0; r < c->rows; r++) {
            const unsigned char *row = c->data[a] + r * bytes, *expected = c->expected[a] + r % c->period * bytes;
            if (memcmp(row, expected, bytes) == 0) continue;
            if (e->kind == KERNEL || !is_row_close(c, dtype, row, expected, layout_of(c, a).columns)) return 0;
        }
    }
    return 1;
}

typedef struct entries {
    cell *cell;
    entry list[MAX_ENTRIES];
    size_t count, rounds;
} entries;

static void add(entries *all, entry e)
{
    if (e.kind != LIMIT && !is_right(all->cell, &e)) {
        fprintf(results, "rejected\t%s\t%s\t%s\t%s\n", kind_names[e.kind], label(&e), target(&e),
                e.kind == KERNEL ? "its bits are not those of the reference" : "too far from the reference");
        if (e.rival && e.rival->close) e.rival->close(&e.call);
        return;
    }
    if (all->count == MAX_ENTRIES) die("too many entries");
    e.ns = allocate(all->rounds * sizeof *e.ns);
    all->list[all->count++] = e;
}

static void add_kernel(const bench_kernel *kernel, void *context)
{
    entries *all = context;
    if (strcmp(kernel->name, all->cell->name) == 0) add(all, (entry){.kind = KERNEL, .kernel = *kernel});
}

/* Is a rival that calls itself accurate not so? Rows with a large mean tell; f32 alone can hold them. */
static int is_inexact(const bench_rival *rival, cell *offset)
{
    entry e = {.kind = RIVAL, .rival = rival, .call = offset->call};
    if (!rival->open(&e.call)) return 0;
    const int inexact = !is_right(offset, &e);
    if (rival->close) rival->close(&e.call);
    return inexact;
}

static void add_rivals(entries *all, const char *spec)
{
    cell offset;
    const int tells = all->cell->call.layernorm && all->cell->call.dtype == BENCH_F32;
    if (tells) open_cell(&offset, all->cell->name, OFFSET_ROWS, spec, large_mean, 0.02);
    for (size_t t = 0; bench_rival_tables[t]; t++)
        for (const bench_rival *rival = bench_rival_tables[t]; rival->name; rival++) {
            entry e = {.kind = rival->accurate ? RIVAL : INEXACT, .rival = rival, .call = all->cell->call};
            if (tells && rival->accurate && is_inexact(rival, &offset)) e.kind = INEXACT;
            if (rival->open(&e.call)) add(all, e);
        }
    if (tells) close_cell(&offset);
}

static void add_limits(entries *all)
{
    for (const bench_limit *limit = bench_limits; limit->name; limit++)
        add(all, (entry){.kind = LIMIT, .limit = limit});
}

/* ---- timing ---- */

static double time_calls(const cell *c, const entry *e, size_t calls)
{
    const double start = now();
    for (size_t i = 0; i < calls; i++) run(c, e);
    return (now() - start) / (double)calls;
}

/* So many calls that they fill a slot. */
static void calibrate(const cell *c, entry *e)
{
    size_t calls = 1;
    double ns = time_calls(c, e, calls);
    while (ns * (double)calls < SLOT / 2) {
        calls *= 2;
        ns = time_calls(c, e, calls);
    }
    e->calls = 1 + (size_t)(SLOT / ns);
    e->ns_of_round = ns * (double)(e->calls + 1);
}

static double fastest(const entry *e, size_t rounds)
{
    double best = e->ns[0];
    for (size_t i = 1; i < rounds; i++) best = e->ns[i] < best ? e->ns[i] : best;
    return best;
}

/* Who is much slower than the fastest kernel or rival stops here. */
static void screen(entries *all, int *sits_out)
{
    double best = HUGE_VAL;
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].kind != LIMIT) best = fmin(best, fastest(&all->list[i], SCREEN_ROUNDS));
    for (size_t i = 0; i < all->count; i++)
        sits_out[i] = all->list[i].kind != KERNEL && fastest(&all->list[i], SCREEN_ROUNDS) > SCREEN_FACTOR * best;
}

/* The rounds that a cell has time for. */
static void limit_rounds(entries *all)
{
    double ns = 0;
    for (size_t i = 0; i < all->count; i++) ns += all->list[i].ns_of_round;
    if (all->rounds > FEWEST_ROUNDS && (double)all->rounds * ns > cell_ns)
        all->rounds = (size_t)fmax(FEWEST_ROUNDS, cell_ns / ns);
}

static void time_rounds(entries *all)
{
    int sits_out[MAX_ENTRIES] = {0};
    for (size_t round = 0; round < all->rounds; round++) {
        if (round == SCREEN_ROUNDS) screen(all, sits_out);
        for (size_t i = 0; i < all->count; i++) {
            const size_t turn = (i + round) % all->count;
            const size_t at = round % 2 == 0 ? turn : all->count - 1 - turn;
            entry *e = &all->list[at];
            e->ns[round] = -1;
            if (sits_out[at]) continue;
            run(all->cell, e);
            e->ns[round] = time_calls(all->cell, e, e->calls);
        }
    }
}

static void print_entry(const entry *e, size_t rounds)
{
    fprintf(results, "entry\t%s\t%s\t%s\t%s", kind_names[e->kind], label(e), target(e),
            e->kind == KERNEL ? e->kernel.schedule : "");
    for (size_t round = 0; round < rounds; round++)
        if (e->ns[round] < 0)
            fputs("\t-", results);
        else
            fprintf(results, "\t%.4g", e->ns[round]);
    putc('\n', results);
}

typedef struct search {
    const char *name;
    bench_kernel found;
} search;

static void find_kernel(const bench_kernel *kernel, void *context)
{
    search *s = context;
    if (!s->found.name && strcmp(kernel->name, s->name) == 0) s->found = *kernel;
}

static void time_cell(const char *name, size_t rows, size_t rounds)
{
    search s = {.name = name};
    for (size_t i = 0; bench_registries[i]; i++) bench_registries[i](find_kernel, &s);
    if (!s.found.name) die("no such kernel runs here");

    cell c;
    open_cell(&c, name, rows, s.found.spec, usual_mean, 1e-4);
    fprintf(results, "cell\t%s\t%zu\t%s\t%zu\t%zu\t%zu\n", name, rows, s.found.spec, rows * s.found.read_bytes,
            rows * s.found.write_bytes, s.found.parameter_bytes);
    static entries all;
    all.cell = &c;
    all.count = 0;
    all.rounds = rounds;
    for (size_t i = 0; bench_registries[i]; i++) bench_registries[i](add_kernel, &all);
    if (c.fits_rivals) add_rivals(&all, s.found.spec);
    if (c.fits_limits) add_limits(&all);
    for (size_t i = 0; i < all.count; i++) calibrate(&c, &all.list[i]);
    limit_rounds(&all);
    time_rounds(&all);
    for (size_t i = 0; i < all.count; i++) {
        entry *e = &all.list[i];
        print_entry(e, all.rounds);
        if (e->rival && e->rival->close) e->rival->close(&e->call);
        free(e->ns);
    }
    close_cell(&c);
}

/* ---- calls without rows ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_overheads(void)
{
    enum { CALLS = 100000, ROUNDS = 31 };
    for (const bench_overhead *o = bench_overheads; o->label; o++) {
        double ns[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            const double start = now();
            o->run(CALLS);
            ns[round] = (now() - start) / CALLS;
        }
        qsort(ns, ROUNDS, sizeof *ns, ascending);
        fprintf(results, "overhead\t%s\t%.3g\n", o->label, ns[ROUNDS / 2]);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc % 2 != 1) die("usage: bench RESULTS ROUNDS [NAME ROWS]...");
    results = fopen(argv[1], "w");
    if (!results) die("cannot write the results");
    const size_t rounds = strtoul(argv[2], NULL, 10);
    if (rounds <= SCREEN_ROUNDS) die("too few rounds");
    pin();
    time_overheads();
    for (int i = 3; i < argc; i += 2) {
        fprintf(stderr, "bench: cell %d of %d: %s, %s rows\n", (i - 1) / 2, (argc - 3) / 2, argv[i], argv[i + 1]);
        time_cell(argv[i], strtoul(argv[i + 1], NULL, 10), rounds);
    }
    return fclose(results) != 0;
}
