/* The laws of norms over other axes: calls that are split, steps that make up one kernel, groups that are rows. Their
 * arrays have no gaps. */
#include "verify_laws.h"

#include <stdio.h>
#include <string.h>

#include "shape.h"

/* A law under trial. */
typedef struct trial {
    const char *law;
    const ng_kernel *kernel; /* of which the law speaks */
    const ng_verify_options *options;
    ng_verify_laws_counts *counts;
    size_t logged;
} trial;

/* A kernel that plays a part in it. */
typedef struct player {
    const ng_kernel *kernel;
    verify_subject subject;
} player;

/* Counts what cannot be tried as a mismatch. */
static void report_problem(trial *t, const char *problem)
{
    t->counts->mismatches++;
    fprintf(t->options->log, "mismatch: law '%s' for '%s': %s\n", t->law, t->kernel->spec, problem);
}

/* Compares an output with what was expected of it. */
static void compare(trial *t, const verify_argument *a, const verify_case *c)
{
    const size_t wrong = verify_count_wrong(a);
    t->counts->comparisons += verify_elements(a);
    t->counts->mismatches += wrong;
    if (wrong > 0 && t->logged++ == 0) {
        fprintf(t->options->log, "mismatch: law '%s': ng_%s_%s, %zu elements of %s, data %s\n", t->law, t->kernel->name,
                t->kernel->target, wrong, ref_arguments[a->id].name, c->kind->name);
    }
}

static const char *open_player(player *p, const ng_kernel *kernel, const ref_scalars *scalars)
{
    p->kernel = kernel;
    return verify_open(&p->subject, kernel, scalars, 1);
}

/* Calls a kernel on its initial data. Returns NULL or the name of a signal. */
static const char *play(player *p, const verify_case *c)
{
    verify_lay_out(&p->subject, c);
    return verify_call(&p->subject, p->kernel, c);
}

static size_t bytes_of(const verify_argument *a)
{
    return verify_elements(a) * (a->dtype != NULL ? a->dtype->size : 0);
}

/* ---- split: rows that do not know each other, or the chunks of a batch, may be computed in several calls ---- */

/* Has the kernel nothing that belongs to all rows at once but chunks? */
static int can_be_split(const ref_spec *spec)
{
    const int takes_batch = spec->norm == REF_BATCHNORM || spec->norm == REF_POWERNORM || spec->norm == REF_MVN;
    return ref_is_over_axes(spec) && spec->direction != REF_MERGE && !(takes_batch && spec->direction == REF_FWD);
}

/* Where in an argument the part that begins at some row begins, in bytes. */
static size_t offset_of(const verify_subject *s, const verify_argument *a, size_t row, const verify_case *c)
{
    ref_scalars before = c->scalars;
    before.rows = row;
    const ref_axis outermost = ref_axes_of(&s->spec, a->id)[0];
    const int is_shared = outermost != REF_ROWS && outermost != REF_CHUNKS;
    return is_shared ? 0 : ref_layout_of(&s->spec, a->id, &before).rows * a->columns * a->dtype->size;
}

/* Computes the rows from `first` on apart and compares them with the same rows of the whole. */
static const char *try_part(trial *t, const player *whole, player *part, const verify_case *c, size_t first,
                            size_t rows)
{
    verify_case some = *c;
    some.scalars.rows = rows;
    verify_begin(&part->subject, &some);
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        const verify_argument *from = &whole->subject.arguments[i], *to = &part->subject.arguments[i];
        if (to->dtype != NULL && ref_is_input(to->id)) {
            memcpy(to->initial, from->initial + offset_of(&whole->subject, from, first, c), bytes_of(to));
        }
    }
    const char *fault = play(part, &some);
    for (size_t i = 0; i < REF_ARGUMENTS && fault == NULL; i++) {
        const verify_argument *from = &whole->subject.arguments[i], *to = &part->subject.arguments[i];
        if (to->dtype != NULL && ref_arguments[i].output) {
            memcpy(to->expected, from->placed + offset_of(&whole->subject, from, first, c), bytes_of(to));
            compare(t, to, &some);
        }
    }
    return fault;
}

static const char *try_split(trial *t, player *whole, player *part, const verify_case *c, size_t rows_of_part)
{
    verify_make_inputs(&whole->subject, c);
    const char *fault = play(whole, c);
    for (size_t first = 0; first < c->scalars.rows && fault == NULL; first += rows_of_part) {
        const size_t left = c->scalars.rows - first;
        fault = try_part(t, whole, part, c, first, left < rows_of_part ? left : rows_of_part);
    }
    return fault;
}

/* 1024 positions and four rows are a chunk in every layout. */
static int law_split(const verify_set *set, size_t i, trial *t)
{
    const ref_spec *spec = &set->specs[i];
    if (!can_be_split(spec)) {
        return 0;
    }
    const int in_chunks = spec->direction == REF_STATS && spec->norm == REF_BATCHNORM;
    const size_t rows = in_chunks ? 4 : 2, positions = in_chunks ? 1024 : 49;
    const ref_scalars scalars = verify_law_scalars(spec, 2 * rows + 1, positions);
    player whole, part;
    const char *problem = open_player(&whole, t->kernel, &scalars);
    const char *other = open_player(&part, t->kernel, &scalars);
    problem = problem != NULL ? problem : other;
    const size_t kinds = problem == NULL ? verify_law_kinds(&whole.subject.arguments[REF_X], t->options) : 0;
    for (size_t kind = 0; kind < kinds && problem == NULL; kind++) {
        const verify_case c = verify_law_case(&whole.subject, &scalars, kind, t->options);
        problem = try_split(t, &whole, &part, &c, verify_law_scalars(spec, rows, positions).rows);
    }
    if (problem != NULL) {
        report_problem(t, problem);
    }
    verify_close(&whole.subject);
    verify_close(&part.subject);
    return 1;
}

/* ---- steps: stats, merge and apply give what one kernel gives ---- */

enum { STEPS = 3 };

/* The inputs of a step that are outputs of the one before it. */
static const struct {
    ref_argument input, output;
} passed[] = {
    {REF_PART_MEAN, REF_MEAN}, {REF_PART_SHIFT, REF_SHIFT}, {REF_PART_M2, REF_M2},
    {REF_MEAN_IN, REF_MEAN},   {REF_SHIFT_IN, REF_SHIFT},   {REF_RSTD_IN, REF_RSTD},
};

/* The specs of the steps of a kernel. Returns 0 if it has none: RMSNorm has them where there is one shard. */
static int steps_of(const ref_spec *spec, ref_spec step[STEPS])
{
    static const int directions[STEPS] = {REF_STATS, REF_MERGE, REF_APPLY};
    const int is_batch = spec->norm == REF_BATCHNORM && spec->direction == REF_FWD;
    const int is_row = spec->norm == REF_RMSNORM && !ref_is_over_axes(spec);
    for (int i = 0; i < STEPS; i++) {
        step[i] = *spec;
        step[i].direction = directions[i];
        step[i].shards = is_row ? 1 : 0;
        step[i].momentum = directions[i] == REF_MERGE ? spec->momentum : 0;
        if (directions[i] != REF_APPLY) { /* they have neither parameters nor y */
            step[i].affine = is_row ? REF_GAMMA : REF_GAMMA_BETA;
            step[i].offset = 0;
            step[i].gamma = spec->x;
            step[i].y = spec->x;
        }
        const int keeps_fusion = directions[i] == REF_APPLY || (directions[i] == REF_STATS && spec->fusion == REF_ADD);
        step[i].fusion = keeps_fusion ? spec->fusion : 0;
        step[i].residual = keeps_fusion ? spec->residual : spec->x;
    }
    return is_batch || is_row;
}

/* The argument of a player that holds an argument of the next step: what the whole reads, or what the step before it
 * gives. */
static const unsigned char *source_of(const player *whole, const player *before, ref_argument input)
{
    const verify_argument *read = &whole->subject.arguments[input];
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        if (passed[i].input == input) {
            return before->subject.arguments[passed[i].output].placed;
        }
    }
    return read->initial;
}

static const char *take_step(const player *whole, const player *before, player *step, const verify_case *c)
{
    verify_begin(&step->subject, c);
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        const verify_argument *a = &step->subject.arguments[i];
        if (a->dtype != NULL && ref_is_input(a->id)) {
            memcpy(a->initial, source_of(whole, before, a->id), bytes_of(a));
        }
    }
    return play(step, c);
}

/* "mean output of batchnorm fwd is mu + delta; mean, shift of stats and merge are mu and delta". */
static void expect_mean(const verify_argument *mean, const player *merge)
{
    const unsigned char *mu = merge->subject.arguments[REF_MEAN].placed;
    const unsigned char *delta = merge->subject.arguments[REF_SHIFT].placed;
    for (size_t i = 0; i < verify_elements(mean); i++) {
        const double sum =
            verify_add_in(mean->dtype, verify_real_at(mean->dtype, mu, i), verify_real_at(mean->dtype, delta, i));
        verify_set_real(mean->dtype, mean->expected, i, sum);
    }
}

static const char *try_steps(trial *t, player *whole, player step[STEPS], const verify_case *c)
{
    verify_make_inputs(&whole->subject, c);
    const char *fault = play(whole, c);
    for (int i = 0; i < STEPS && fault == NULL; i++) {
        fault = take_step(whole, i > 0 ? &step[i - 1] : whole, &step[i], c);
    }
    for (size_t i = 0; i < REF_ARGUMENTS && fault == NULL; i++) {
        const verify_argument *a = &whole->subject.arguments[i];
        if (a->dtype == NULL || !ref_arguments[i].output) {
            continue;
        }
        if (i == REF_MEAN) {
            expect_mean(a, &step[1]);
        } else {
            memcpy(a->expected, step[i == REF_Y ? 2 : 1].subject.arguments[i].placed, bytes_of(a));
        }
        compare(t, a, c);
    }
    return fault;
}

static int law_steps(const verify_set *set, size_t i, trial *t)
{
    ref_spec specs[STEPS];
    const ng_kernel *kernels[STEPS] = {NULL};
    if (!steps_of(&set->specs[i], specs)) {
        return 0;
    }
    for (int step = 0; step < STEPS; step++) {
        kernels[step] = verify_find(set, &specs[step], t->kernel->target);
        if (kernels[step] == NULL) {
            return 0;
        }
    }
    const ref_scalars scalars = verify_law_scalars(&set->specs[i], 5, 1024);
    player whole, steps[STEPS];
    const char *problem = open_player(&whole, t->kernel, &scalars);
    for (int step = 0; step < STEPS; step++) {
        const char *other = open_player(&steps[step], kernels[step], &scalars);
        problem = problem != NULL ? problem : other;
    }
    const size_t kinds = problem == NULL ? verify_law_kinds(&whole.subject.arguments[REF_X], t->options) : 0;
    for (size_t kind = 0; kind < kinds && problem == NULL; kind++) {
        const verify_case c = verify_law_case(&whole.subject, &scalars, kind, t->options);
        problem = try_steps(t, &whole, steps, &c);
    }
    if (problem != NULL) {
        report_problem(t, problem);
    }
    verify_close(&whole.subject);
    for (int step = 0; step < STEPS; step++) {
        verify_close(&steps[step].subject);
    }
    return 1;
}

/* ---- groups: in the layout nchw a group is a row of LayerNorm ---- */

static int is_group_nchw(const ref_spec *spec)
{
    return (spec->norm == REF_GROUPNORM || spec->norm == REF_INSTANCENORM) && spec->layout == REF_NCHW &&
           spec->affine == REF_NO_AFFINE;
}

/* The LayerNorm of the same formats whose rows are groups of some number of positions, or NULL. */
static const ng_kernel *find_layernorm(const verify_set *set, size_t i, size_t *positions)
{
    const ref_spec *spec = &set->specs[i];
    const size_t channels = spec->c / spec->g;
    for (size_t j = 0; j < set->count; j++) {
        ref_spec row = *spec;
        row.norm = REF_LAYERNORM;
        row.h = set->specs[j].h;
        row.c = row.g = 0;
        row.layout = 0;
        if (strcmp(set->kernels[j].target, set->kernels[i].target) == 0 && row.h % channels == 0 &&
            ref_spec_equal(&set->specs[j], &row)) {
            *positions = row.h / channels;
            return &set->kernels[j];
        }
    }
    return NULL;
}

static const char *try_groups(trial *t, player *groups, player *rows, const verify_case *c, const verify_case *as_rows)
{
    const verify_argument *y = &groups->subject.arguments[REF_Y];
    verify_make_inputs(&groups->subject, c);
    const char *fault = play(groups, c);
    verify_begin(&rows->subject, as_rows);
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        const verify_argument *to = &rows->subject.arguments[i];
        if (to->dtype != NULL && ref_is_input(to->id)) {
            memcpy(to->initial, groups->subject.arguments[i].initial, bytes_of(to));
        }
    }
    fault = fault != NULL ? fault : play(rows, as_rows);
    if (fault == NULL) {
        memcpy(y->expected, rows->subject.arguments[REF_Y].placed, bytes_of(y));
        compare(t, y, c);
    }
    return fault;
}

static int law_groups(const verify_set *set, size_t i, trial *t)
{
    enum { ROWS = 3 };
    const ref_spec *spec = &set->specs[i];
    size_t positions = 0;
    const ng_kernel *layernorm = is_group_nchw(spec) ? find_layernorm(set, i, &positions) : NULL;
    if (layernorm == NULL) {
        return 0;
    }
    const ref_scalars scalars = verify_law_scalars(spec, ROWS, positions);
    ref_scalars as_rows = scalars;
    as_rows.rows = ROWS * spec->g;
    player groups, rows;
    const char *problem = open_player(&groups, t->kernel, &scalars);
    const char *other = open_player(&rows, layernorm, &as_rows);
    problem = problem != NULL ? problem : other;
    for (size_t kind = 0; kind < VERIFY_KINDS && problem == NULL; kind++) {
        const verify_case c = verify_law_case(&groups.subject, &scalars, kind, t->options);
        verify_case row_case = c;
        row_case.scalars.rows = as_rows.rows;
        problem = try_groups(t, &groups, &rows, &c, &row_case);
    }
    if (problem != NULL) {
        report_problem(t, problem);
    }
    verify_close(&groups.subject);
    verify_close(&rows.subject);
    return 1;
}

int verify_axes_laws(const verify_set *set, size_t i, const ng_verify_options *options, ng_verify_laws_counts *counts)
{
    static const struct {
        const char *name;
        int (*law)(const verify_set *set, size_t i, trial *t);
    } laws[] = {{"split", law_split}, {"steps", law_steps}, {"groups", law_groups}};
    int found = 0;
    for (size_t law = 0; law < sizeof laws / sizeof *laws; law++) {
        trial t = {laws[law].name, &set->kernels[i], options, counts, 0};
        found += laws[law].law(set, i, &t);
    }
    return found;
}
