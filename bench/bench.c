/* Times kernels, rivals and limits on the same buffers, in turn, and prints every sample.
 *
 *     bench RESULTS ROUNDS NAME ROWS POSITIONS [NAME ROWS POSITIONS...]
 *
 * A cell is a kernel's name, a number of rows, and of positions, 0 where it has none. Each entry of a cell is checked
 * against the reference before it is timed. In every round each entry runs once, for so many calls that the clock does
 * not matter; the order turns from round to round. RESULTS gets lines with tabs in between:
 *
 *     overhead  LABEL  NS
 *     cell      NAME  ROWS  POSITIONS  SPEC  READ  WRITE  CALL_READ  CALL_WRITE    bytes of all rows, and beside them
 *     entry     KIND  LABEL  TARGET  SCHEDULE  SAMPLE...         ns a call, by round; - where it sat out
 *     rejected  KIND  LABEL  TARGET  REASON
 *
 * KIND is kernel, rival, inexact or limit. The program is pinned to the last CPU that it may use. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "spec.h"

enum {
    MAX_ENTRIES = 1024,
    OFFSET_ROWS = 4,    /* with a large mean */
    SLOT = 100000,      /* ns that an entry gets in a round, if one call does not take longer */
    FEWEST_ROUNDS = 31, /* of a cell whose rounds take long, if as many are asked for */
    SCREEN_ROUNDS = 6,  /* after so many rounds, ... */
    SCREEN_FACTOR = 4   /* ... who takes so many times as long as the fastest kernel or rival sits out */
};

static const double cell_ns = 15e9; /* a cell should not take longer */

/* Rows of the cells that are timed have this mean; those that show who is accurate have the other one, with a standard
   deviation below 1. */
static const double usual_mean = 0.25, large_mean = 1000;

/* A cell as rivals and limits see it. */
typedef struct case_of {
    cell data;
    const char *name;
    double tolerance;      /* how far a rival may be from the reference, apart from roundings to the dtype */
    bench_call call;       /* for rivals */
    bench_traffic traffic; /* for limits */
    int fits_rivals, fits_limits;
} case_of;

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

static void *allocate(size_t bytes)
{
    void *p = calloc(bytes > 0 ? bytes : 1, 1);
    if (!p) cell_die("out of memory");
    return p;
}

static void *data_of(const case_of *c, ref_argument id)
{
    const cell_array *a = cell_find(&c->data, id);
    return a ? a->data : NULL;
}

/* The norms that rivals know, as specs begin. Norms of channels have a layout. */
static const struct {
    const char *words;
    int has_layout;
    bench_norm norm;
} known[] = {
    {"rmsnorm", 0, BENCH_RMSNORM},          {"layernorm", 0, BENCH_LAYERNORM},
    {"layernorm", 1, BENCH_LAYERNORM_NCHW}, {"groupnorm", 1, BENCH_GROUPNORM},
    {"instancenorm", 1, BENCH_GROUPNORM},   {"batchnorm infer", 1, BENCH_BATCHNORM_INFER},
    {"batchnorm", 1, BENCH_BATCHNORM_FWD},
};

/* Is a spec a norm with one dtype and the usual parameters, and without other options than a residual of rows? */
static int is_plain(const ref_spec *s, const char *words)
{
    static const char *const fusions[] = {"", " add", " addout"};
    static const char *const layouts[] = {"", " layout=nchw", " layout=nhwc", " layout=rows"};
    char groups[32] = "", text[128];
    ref_spec plain;
    if (s->fusion > REF_ADDOUT) return 0;
    if (s->norm == REF_GROUPNORM) snprintf(groups, sizeof groups, " g=%zu", s->g);
    snprintf(text, sizeof text, "%s %s %s=%zu%s%s", words, s->x->name, s->c ? "c" : "h", ref_channels(s), groups,
             s->layout ? layouts[s->layout] : fusions[s->fusion]);
    return ref_spec_parse(text, &plain) == 0 && ref_spec_equal(s, &plain);
}

/* Finds the norm of a spec, if rivals know it. */
static int find_norm(const ref_spec *s, bench_norm *norm)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].has_layout != (s->layout != 0) || !is_plain(s, known[i].words)) continue;
        *norm = known[i].norm;
        return 1;
    }
    return 0;
}

static int find_dtype(const ref_spec *s, bench_dtype *dtype)
{
    static const char *const names[] = {"f32", "bf16", "f16"};
    for (int d = 0; d < 3; d++) {
        if (strcmp(names[d], s->x->name) != 0) continue;
        *dtype = (bench_dtype)d;
        return 1;
    }
    return 0;
}

static int describe_for_rivals(case_of *c)
{
    static const bench_fusion fusions[] = {BENCH_NO_ADD, [REF_ADD] = BENCH_ADD, [REF_ADDOUT] = BENCH_ADDOUT};
    const ref_spec *s = &c->data.spec;
    bench_norm norm;
    bench_dtype dtype;
    if (!find_norm(s, &norm) || !find_dtype(s, &dtype)) return 0;
    c->call = (bench_call){
        .norm = norm,
        .fusion = fusions[s->fusion],
        .dtype = dtype,
        .rows = c->data.rows,
        .h = s->h,
        .eps = (float)cell_eps,
        .x = data_of(c, REF_X),
        .residual = data_of(c, REF_RESIDUAL),
        .gamma = data_of(c, REF_GAMMA_ROW),
        .beta = data_of(c, REF_BETA_ROW),
        .y = data_of(c, REF_Y),
        .sum = data_of(c, REF_SUM),
        .layout = s->layout == REF_NCHW ? BENCH_NCHW : BENCH_NHWC,
        .channels = s->layout ? ref_channels(s) : 0,
        .groups = s->g,
        .positions = c->data.positions,
        .mean = data_of(c, REF_MEAN_IN),
        .var = data_of(c, REF_VAR_IN),
        .momentum = (float)cell_momentum,
        .saved_mean = data_of(c, REF_MEAN),
        .saved_rstd = data_of(c, REF_RSTD),
        .running_mean = data_of(c, REF_RUNNING_MEAN),
        .running_var = data_of(c, REF_RUNNING_VAR),
    };
    return 1;
}

static int limits_know(ref_argument id)
{
    return id == REF_X || id == REF_RESIDUAL || id == REF_GAMMA_ROW || id == REF_BETA_ROW || id == REF_Y ||
           id == REF_SUM;
}

/* Rows of one length. */
static int describe_rows_for_limits(case_of *c)
{
    const size_t bytes = data_of(c, REF_X) ? cell_find(&c->data, REF_X)->bytes : 0;
    if (bytes == 0 || ref_is_over_axes(&c->data.spec)) return 0;
    for (size_t i = 0; i < c->data.arrays; i++)
        if (!limits_know(c->data.array[i].id) || c->data.array[i].bytes != bytes) return 0;
    c->traffic = (bench_traffic){.rows = c->data.rows,
                                 .row_bytes = bytes,
                                 .parameter_bytes = bytes,
                                 .x = data_of(c, REF_X),
                                 .residual = data_of(c, REF_RESIDUAL),
                                 .gamma = data_of(c, REF_GAMMA_ROW),
                                 .beta = data_of(c, REF_BETA_ROW),
                                 .y = data_of(c, REF_Y),
                                 .sum = data_of(c, REF_SUM)};
    return 1;
}

/* Bytes of x with statistics of their own, which have to be read before the first of them can be written. */
static size_t bytes_of_set(const bench_call *call, const cell_array *x)
{
    const int is_nchw = call->layout == BENCH_NCHW;
    if (call->norm == BENCH_GROUPNORM) return is_nchw ? x->bytes / call->groups : x->bytes;
    return x->rows * x->bytes / (call->norm == BENCH_BATCHNORM_FWD && is_nchw ? call->channels : 1);
}

/* Norms of channels that rivals know, each set a row, without the few parameters. In nhwc the groups of an image are
   mixed, and so one set. A layernorm of nchw has a set for each position, which is no piece of memory. */
static int describe_channels_for_limits(case_of *c)
{
    const bench_call *call = &c->call;
    if (!c->fits_rivals || call->channels == 0 || call->norm == BENCH_LAYERNORM_NCHW) return 0;
    const cell_array *x = cell_find(&c->data, REF_X);
    const size_t bytes = bytes_of_set(call, x);
    c->traffic = (bench_traffic){.rows = x->rows * x->bytes / bytes,
                                 .row_bytes = bytes,
                                 .is_read_once = call->norm == BENCH_BATCHNORM_INFER,
                                 .x = call->x,
                                 .y = call->y};
    return 1;
}

/* Limits move whole vectors. */
static int describe_for_limits(case_of *c)
{
    return (describe_rows_for_limits(c) || describe_channels_for_limits(c)) &&
           c->traffic.row_bytes % bench_limit_width == 0;
}

static void open_case(case_of *c, const char *name, size_t rows, size_t positions, const char *spec, double mean,
                      double tolerance)
{
    *c = (case_of){.name = name, .tolerance = tolerance};
    cell_open(&c->data, spec, rows, positions, mean);
    c->fits_rivals = describe_for_rivals(c);
    c->fits_limits = describe_for_limits(c);
}

/* ---- entries ---- */

static void run(const case_of *c, const entry *e)
{
    switch (e->kind) {
    case KERNEL:
        e->kernel.invoke(c->data.rows, c->data.ptr, c->data.stride, c->data.scalar);
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
static int is_close(const case_of *c, const ref_dtype *dtype, double value, double expected)
{
    const double ulp = ldexp(1, 1 - dtype->precision);
    return fabs(value - expected) <= c->tolerance + 2 * ulp * (1 + fabs(expected));
}

static int is_row_close(const void *context, const ref_dtype *dtype, const void *row, const void *expected, size_t n)
{
    enum { PIECE = 4096 };
    float a[PIECE], b[PIECE];
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t count = n - first < PIECE ? n - first : PIECE, at = first * dtype->size;
        dtype->load(a, (const char *)row + at, count);
        dtype->load(b, (const char *)expected + at, count);
        for (size_t i = 0; i < count; i++)
            if (!is_close(context, dtype, a[i], b[i])) return 0;
    }
    return 1;
}

/* Runs an entry once and compares every row: a kernel's bits, a rival's values. */
static int is_right(case_of *c, const entry *e)
{
    cell_spoil(&c->data);
    run(c, e);
    return cell_is_right(&c->data, e->kind == KERNEL ? NULL : is_row_close, c);
}

typedef struct entries {
    case_of *cell;
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
    if (all->count == MAX_ENTRIES) cell_die("too many entries");
    e.ns = allocate(all->rounds * sizeof *e.ns);
    all->list[all->count++] = e;
}

static void add_kernel(const bench_kernel *kernel, void *context)
{
    entries *all = context;
    if (strcmp(kernel->name, all->cell->name) == 0) add(all, (entry){.kind = KERNEL, .kernel = *kernel});
}

/* Do data with a large mean tell who is accurate? Of norms that take a mean off which they find themselves; f32 alone
   can hold such data. */
static int can_tell(const bench_call *call)
{
    return call->dtype == BENCH_F32 && call->norm != BENCH_RMSNORM && call->norm != BENCH_BATCHNORM_INFER;
}

/* Is a rival that calls itself accurate not so? */
static int is_inexact(const bench_rival *rival, case_of *offset)
{
    entry e = {.kind = RIVAL, .rival = rival, .call = offset->call};
    if (!rival->open(&e.call)) return 0;
    const int inexact = !is_right(offset, &e);
    if (rival->close) rival->close(&e.call);
    return inexact;
}

static void add_rivals(entries *all, const char *spec)
{
    case_of offset;
    const int tells = can_tell(&all->cell->call);
    if (tells) open_case(&offset, all->cell->name, OFFSET_ROWS, all->cell->data.positions, spec, large_mean, 0.02);
    for (size_t t = 0; bench_rival_tables[t]; t++)
        for (const bench_rival *rival = bench_rival_tables[t]; rival->name; rival++) {
            entry e = {.kind = rival->accurate ? RIVAL : INEXACT, .rival = rival, .call = all->cell->call};
            if (tells && rival->accurate && is_inexact(rival, &offset)) e.kind = INEXACT;
            if (rival->open(&e.call)) add(all, e);
        }
    if (tells) cell_close(&offset.data);
}

static void add_limits(entries *all)
{
    for (const bench_limit *limit = bench_limits; limit->name; limit++)
        add(all, (entry){.kind = LIMIT, .limit = limit});
}

/* ---- timing ---- */

static double time_calls(const case_of *c, const entry *e, size_t calls)
{
    const double start = cell_now();
    for (size_t i = 0; i < calls; i++) run(c, e);
    return (cell_now() - start) / (double)calls;
}

/* So many calls that they fill a slot. */
static void calibrate(const case_of *c, entry *e)
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

static void time_cell(const char *name, size_t rows, size_t positions, size_t rounds)
{
    search s = {.name = name};
    for (size_t i = 0; bench_registries[i]; i++) bench_registries[i](find_kernel, &s);
    if (!s.found.name) cell_die("no such kernel runs here");

    case_of c;
    open_case(&c, name, rows, positions, s.found.spec, usual_mean, 1e-4);
    const size_t count = rows * c.data.positions;
    fprintf(results, "cell\t%s\t%zu\t%zu\t%s\t%zu\t%zu\t%zu\t%zu\n", name, rows, positions, s.found.spec,
            count * s.found.read_bytes, count * s.found.write_bytes, s.found.call_read_bytes, s.found.call_write_bytes);
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
    cell_close(&c.data);
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
            const double start = cell_now();
            o->run(CALLS);
            ns[round] = (cell_now() - start) / CALLS;
        }
        qsort(ns, ROUNDS, sizeof *ns, ascending);
        fprintf(results, "overhead\t%s\t%.3g\n", o->label, ns[ROUNDS / 2]);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc % 3 != 0) cell_die("usage: bench RESULTS ROUNDS [NAME ROWS POSITIONS]...");
    results = fopen(argv[1], "w");
    if (!results) cell_die("cannot write the results");
    const size_t rounds = strtoul(argv[2], NULL, 10);
    if (rounds <= SCREEN_ROUNDS) cell_die("too few rounds");
    cell_pin();
    time_overheads();
    for (int i = 3; i < argc; i += 3) {
        const size_t rows = strtoul(argv[i + 1], NULL, 10), positions = strtoul(argv[i + 2], NULL, 10);
        fprintf(stderr, "bench: cell %d of %d: %s, %zu rows", i / 3, argc / 3 - 1, argv[i], rows);
        if (positions > 0) fprintf(stderr, " x %zu positions", positions);
        putc('\n', stderr);
        time_cell(argv[i], rows, positions, rounds);
    }
    return fclose(results) != 0;
}
