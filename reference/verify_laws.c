/* The laws between kernels. The addition that a law needs is done here. */
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "verify_laws.h"

ref_scalars verify_law_scalars(const ref_spec *spec, size_t rows, size_t positions)
{
    ref_scalars scalars = {rows,
                           {[REF_ROWS_PER_BATCH] = 2, [REF_ALPHA] = 11.83, [REF_MOMENTUM] = 0.1, [REF_EPS] = 1e-5}};
    if (ref_has_positions(spec)) {
        scalars.of[REF_POSITION_COUNT] = (double)positions;
    } else if (spec->layout != 0) {
        scalars.rows = rows * positions;
    }
    return scalars;
}

/* Three rows; with channels, rows of several chunks where there are few of them. */
static ref_scalars scalars_of(const ref_spec *spec)
{
    enum { ROWS = 3, FEW = 16, POSITIONS = 49, MANY_POSITIONS = 4200 };
    return verify_law_scalars(spec, ROWS, ref_channels(spec) <= FEW ? MANY_POSITIONS : POSITIONS);
}

size_t verify_law_kinds(const verify_argument *x, const ng_verify_options *options)
{
    const size_t affordable = options->effort->budget / (verify_elements(x) + 1);
    return affordable < 1 ? 1 : affordable < VERIFY_KINDS ? affordable : VERIFY_KINDS;
}

verify_case verify_law_case(const verify_subject *s, const ref_scalars *scalars, size_t kind,
                            const ng_verify_options *options)
{
    const verify_kind *data = &s->kinds[kind];
    verify_case c = {kind, *scalars, data, &verify_no_alias, (verify_placement)(kind % PLACEMENTS), options->seed};
    c.scalars.of[REF_EPS] = data->eps >= 0 ? data->eps : c.scalars.of[REF_EPS];
    return c;
}

static int without_stats(ref_spec *spec)
{
    const int had = spec->stats;
    spec->stats = 0;
    return had;
}

static int without_strides(ref_spec *spec)
{
    const int had = spec->strided;
    spec->strided = 0;
    return had;
}

/* "The norm reads h": its x has the format R. */
static int without_add(ref_spec *spec)
{
    const int had = ref_adds_before(spec);
    spec->x = had ? spec->residual : spec->x;
    spec->fusion = had ? 0 : spec->fusion;
    spec->alpha = 0;
    return had;
}

static int without_addafter(ref_spec *spec)
{
    const int had = spec->fusion == REF_ADDAFTER;
    spec->residual = had ? spec->x : spec->residual;
    spec->fusion = had ? 0 : spec->fusion;
    return had;
}

/* Takes its word out of a spec; returns 0 if it is not there. */
static const struct law {
    const char *name;
    int (*without)(ref_spec *spec);
} laws[] = {
    {"stats", without_stats},
    {"strided", without_strides},
    {"add", without_add},
    {"addafter", without_addafter},
};
enum { LAWS = sizeof laws / sizeof *laws };

/* A kernel that a law speaks of, and the one without the word. */
typedef struct couple {
    const char *law;
    verify_subject with, without;
    const ng_kernel *kernels[2]; /* in this order */
    const ng_verify_options *options;
    ng_verify_laws_counts *counts;
} couple;

double verify_real_at(const ref_dtype *dtype, const void *array, size_t i)
{
    double wide = 0;
    float real = 0;
    dtype->load(ref_is_f64(dtype) ? (void *)&wide : &real, (const char *)array + i * dtype->size, 1);
    return ref_is_f64(dtype) ? wide : (double)real;
}

void verify_set_real(const ref_dtype *dtype, void *array, size_t i, double value)
{
    const float real = ref_is_f64(dtype) ? 0 : (float)value;
    dtype->store((char *)array + i * dtype->size, ref_is_f64(dtype) ? (const void *)&value : &real, 1);
}

/* a * b + c in the arithmetic of a format: of f64, or of f32. */
static double fma_in(const ref_dtype *dtype, double a, double b, double c)
{
    return ref_is_f64(dtype) ? ref_fma_f64(a, b, c) : (double)ref_fma((float)a, (float)b, (float)c);
}

double verify_add_in(const ref_dtype *dtype, double a, double b)
{
    return ref_is_f64(dtype) ? a + b : (double)((float)a + (float)b);
}

/* h = x + residual, or alpha * residual + x, packed, in the format R. */
static void add_before(const verify_subject *s, const verify_case *c, unsigned char *h)
{
    const verify_argument *x = &s->arguments[REF_X], *residual = &s->arguments[REF_RESIDUAL];
    for (size_t i = 0; i < verify_elements(x); i++) {
        const double a = verify_real_at(x->dtype, x->initial, i);
        const double b = verify_real_at(residual->dtype, residual->initial, i);
        verify_set_real(residual->dtype, h, i,
                        s->spec.alpha ? fma_in(residual->dtype, c->scalars.of[REF_ALPHA], b, a)
                                      : verify_add_in(residual->dtype, a, b));
    }
}

/* Gives the kernel without the word its inputs: those of the other one, but where the word is an addition before. */
static void pass_inputs(couple *p, const verify_case *c)
{
    const int adds = ref_adds_before(&p->with.spec) && !ref_adds_before(&p->without.spec);
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        const verify_argument *to = &p->without.arguments[i];
        if (i == REF_X && adds) {
            add_before(&p->with, c, to->initial);
        } else if (to->dtype != NULL && ref_is_input(to->id)) {
            memcpy(to->initial, p->with.arguments[i].initial, verify_elements(to) * to->dtype->size);
        }
    }
}

/* Writes what an output must be, packed, given the results of the kernel without the word. Returns 0 if the law says
 * nothing of it. */
static int expect(couple *p, const verify_case *c, ref_argument id)
{
    const verify_argument *a = &p->with.arguments[id], *from = &p->without.arguments[id];
    const verify_argument *residual = &p->with.arguments[REF_RESIDUAL];
    const int adds_after = id == REF_Y && p->with.spec.fusion == REF_ADDAFTER && p->without.spec.fusion != REF_ADDAFTER;
    if (id == REF_SUM && from->dtype == NULL && ref_adds_before(&p->with.spec)) {
        add_before(&p->with, c, a->expected);
        return 1;
    }
    for (size_t row = 0; from->dtype != NULL && row < a->rows; row++) {
        const size_t start = row * a->columns;
        if (!adds_after) {
            memcpy(a->expected + start * a->dtype->size, verify_row_at(from, row), a->columns * a->dtype->size);
        }
        for (size_t i = 0; adds_after && i < a->columns; i++) {
            const double t = verify_real_at(from->dtype, verify_row_at(from, row), i);
            verify_set_real(a->dtype, a->expected, start + i,
                            verify_add_in(a->dtype, verify_real_at(residual->dtype, residual->initial, start + i), t));
        }
    }
    return from->dtype != NULL;
}

size_t verify_count_wrong(const verify_argument *a)
{
    size_t wrong = 0;
    for (size_t i = 0; i < verify_elements(a); i++) {
        const uint64_t got = ref_element_bits(a->dtype, verify_row_at(a, i / a->columns), i % a->columns);
        const uint64_t want = ref_element_bits(a->dtype, a->expected, i);
        wrong += got != want && !(ref_is_nan(a->dtype, got) && ref_is_nan(a->dtype, want));
    }
    return wrong;
}

static void compare_outputs(couple *p, const verify_case *c, size_t *logged)
{
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        const verify_argument *a = &p->with.arguments[i];
        if (a->dtype == NULL || !ref_arguments[i].output || !expect(p, c, (ref_argument)i)) {
            continue;
        }
        const size_t wrong = verify_count_wrong(a);
        p->counts->comparisons += verify_elements(a);
        p->counts->mismatches += wrong;
        if (wrong > 0 && (*logged)++ == 0) {
            fprintf(p->options->log,
                    "mismatch: law '%s': ng_%s_%s and ng_%s_%s differ in %zu elements of %s, data %s\n", p->law,
                    p->kernels[0]->name, p->kernels[0]->target, p->kernels[1]->name, p->kernels[1]->target, wrong,
                    ref_arguments[i].name, c->kind->name);
        }
    }
}

/* Runs both kernels on one kind of data. Returns NULL or the name of a signal. */
static const char *try_kind(couple *p, size_t kind, size_t *logged)
{
    const ref_scalars scalars = scalars_of(&p->with.spec);
    const verify_case c = verify_law_case(&p->with, &scalars, kind, p->options);
    verify_begin(&p->without, &c);
    verify_make_inputs(&p->with, &c);
    verify_lay_out(&p->with, &c);
    const char *fault = verify_call(&p->with, p->kernels[0], &c);
    pass_inputs(p, &c);
    verify_lay_out(&p->without, &c);
    fault = fault != NULL ? fault : verify_call(&p->without, p->kernels[1], &c);
    if (fault == NULL) {
        compare_outputs(p, &c, logged);
    }
    return fault;
}

/* Tries a law on two kernels; that they cannot be tried is a mismatch. */
static void try_couple(couple *p, const ref_spec *spec)
{
    const ref_scalars scalars = scalars_of(spec);
    const char *problem = verify_open(&p->with, p->kernels[0], &scalars, 1);
    const char *other = verify_open(&p->without, p->kernels[1], &scalars, 1);
    size_t logged = 0;
    problem = problem != NULL ? problem : other;
    const size_t kinds = problem == NULL ? verify_law_kinds(&p->with.arguments[REF_X], p->options) : 0;
    for (size_t kind = 0; kind < kinds && problem == NULL; kind++) {
        problem = try_kind(p, kind, &logged);
    }
    if (problem != NULL) {
        p->counts->mismatches++;
        fprintf(p->options->log, "mismatch: law '%s' for '%s' and '%s': %s\n", p->law, p->kernels[0]->spec,
                p->kernels[1]->spec, problem);
    }
    verify_close(&p->with);
    verify_close(&p->without);
}

const ng_kernel *verify_find(const verify_set *set, const ref_spec *spec, const char *target)
{
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->kernels[i].target, target) == 0 && ref_spec_equal(&set->specs[i], spec)) {
            return &set->kernels[i];
        }
    }
    return NULL;
}

/* Tries all laws on kernel number `i`. */
static void try_laws(const verify_set *set, size_t i, const ng_verify_options *options, ng_verify_laws_counts *counts)
{
    const ng_kernel *kernel = &set->kernels[i];
    int found = 0;
    for (size_t law = 0; law < LAWS; law++) {
        ref_spec without = set->specs[i];
        const ng_kernel *other = laws[law].without(&without) ? verify_find(set, &without, kernel->target) : NULL;
        if (other != NULL) {
            couple p = {.law = laws[law].name, .kernels = {kernel, other}, .options = options, .counts = counts};
            try_couple(&p, &set->specs[i]);
            found = 1;
        }
    }
    found += verify_axes_laws(set, i, options, counts);
    counts->kernels += (size_t)(found > 0);
}

int ng_verify_laws(const ng_kernel *kernels, size_t count, const ng_verify_options *options,
                   ng_verify_laws_counts *counts)
{
    ref_spec *specs = calloc(count, sizeof *specs);
    int result = specs == NULL ? -1 : 0;
    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < count && result == 0; i++) {
        result = ref_spec_parse(kernels[i].spec, &specs[i]);
    }
    if (result != 0) {
        fputs("error: no memory, or the reference does not understand a spec\n", options->log);
    }
    const verify_set set = {kernels, specs, count};
    for (size_t i = 0; i < count && result == 0; i++) {
        if (kernels[i].runs_here()) {
            try_laws(&set, i, options, counts);
        }
    }
    free(specs);
    return result;
}
