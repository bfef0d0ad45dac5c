#include "verify.h"

#include <inttypes.h>
#include <string.h>

#include "contract.h"
#include "shape.h"
#include "verify_call.h"

const ng_verify_effort ng_verify_quick = {"quick", 16 << 10, 256 << 10, 0};
const ng_verify_effort ng_verify_default = {"default", 128 << 10, 2 << 20, 1};
const ng_verify_effort ng_verify_full = {"full", SIZE_MAX, 16 << 20, 1};

/* Rows and positions of a case. */
typedef struct size {
    size_t rows, positions;
} size;

/* The last is for one more case, of strided kernels: rows more than 2^31 elements apart. */
static const size row_sizes[] = {{0, 1},  {1, 1},  {2, 1},   {3, 1},   {7, 1},   {8, 1},    {9, 1},
                                 {17, 1}, {33, 1}, {255, 1}, {256, 1}, {257, 1}, {1025, 1}, {3, 1}};

/* Of norms with channels: all kinds of stripes, and chunks that are full, short, one and many, in either layout. */
static const size field_sizes[] = {{0, 7},    {2, 0},    {1, 1},    {2, 1},    {3, 2},     {1, 7},    {2, 7},
                                   {3, 49},   {1, 64},   {2, 65},   {9, 7},    {1, 1024},  {5, 1024}, {1, 4096},
                                   {2, 4096}, {1, 4097}, {2, 4097}, {3, 4097}, {65, 64},   {130, 49}, {257, 2},
                                   {85, 130}, {4097, 1}, {8300, 1}, {1, 8200}, {20, 4160}, {1, 20000}};
enum {
    ROW_SIZES = sizeof row_sizes / sizeof *row_sizes - 1,
    FAR_CASE = ROW_SIZES * VERIFY_KINDS,
    ROW_CASES,
    FIELD_CASES = sizeof field_sizes / sizeof *field_sizes * VERIFY_KINDS,
    MOST_CASES = FIELD_CASES
};
enum { ALWAYS_ROWS = 3 }; /* tested whatever the effort */
enum { DIGEST_SEED = 1 };

static const char *const placement_names[] = {
    [PLACE_FIRST] = "first", [PLACE_LAST] = "last", [PLACE_SHIFTED] = "shifted"};

/* The numbers that cases have in turn, by argument. */
enum { MOST_TRIED = 8 };
static const struct {
    size_t count;
    double value[MOST_TRIED];
} tried[REF_ARGUMENTS] = {
    [REF_ROWS_PER_BATCH] = {5, {1, 2, 3, 7, 100}},
    [REF_G] = {4, {0.81, 11.25, -1, 3}},
    [REF_YSCALE] = {4, {0.05, 1, 0.37, 2e-4}},
    [REF_YZERO] = {3, {128, 0, 77}},
    [REF_ALPHA] = {5, {11.83, 1, -2.5, 0.81, 0}},
    [REF_MOMENTUM] = {5, {0.1, 0.9, 1, 0.01, 0}},
    [REF_EPS] = {8, {1e-5, 1e-6, 1e-5, 1e-12, 1e-5, 0, 1e-6, 1e-5}},
};

/* Cases of a few rows of normal data in which one number is NaN. */
static const struct {
    size_t index;
    ref_argument argument;
} nan_cases[] = {{2 * VERIFY_KINDS + 1, REF_ALPHA},
                 {3 * VERIFY_KINDS + 1, REF_EPS},
                 {4 * VERIFY_KINDS + 1, REF_G},
                 {2 * VERIFY_KINDS + 1, REF_YSCALE},
                 {4 * VERIFY_KINDS + 1, REF_MOMENTUM}};

/* Does a spec have channels, and so cases of its own? */
static int is_field(const ref_spec *spec)
{
    return spec->layout != 0;
}

static size_t case_count(const ref_spec *spec)
{
    return is_field(spec) ? (size_t)FIELD_CASES : (size_t)ROW_CASES;
}

/* The scalars of a case of a size; without positions, there are as many more rows. */
static ref_scalars scalars_of(const ref_spec *spec, size_t index, size of)
{
    ref_scalars scalars = {of.rows, {0}};
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        scalars.of[i] = tried[i].count > 0 ? tried[i].value[index % tried[i].count] : 0;
    }
    if (ref_has_positions(spec)) {
        scalars.of[REF_POSITION_COUNT] = (double)of.positions;
    } else {
        scalars.rows = of.rows * of.positions;
    }
    return scalars;
}

static ref_scalars scalars_at(const ref_spec *spec, size_t index)
{
    return scalars_of(spec, index, (is_field(spec) ? field_sizes : row_sizes)[index / VERIFY_KINDS]);
}

/* The elements of the largest argument, which an effort's budget counts; strided ones have gaps between their rows. */
static size_t elements_of(const ref_spec *spec, const ref_scalars *scalars)
{
    size_t most = 1;
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        const ref_layout layout = ref_layout_of(spec, (ref_argument)i, scalars);
        const int has = ref_argument_dtype(spec, (ref_argument)i) != NULL;
        most = has && layout.rows * layout.columns > most ? layout.rows * layout.columns : most;
    }
    return spec->strided ? 3 * most : most;
}

/* How many kinds of data run with these scalars. */
static size_t kinds_for(const ref_spec *spec, const ref_scalars *scalars, const ng_verify_effort *effort)
{
    const size_t elements = elements_of(spec, scalars), kinds = effort->budget / elements;
    if (scalars->rows <= 1 && !is_field(spec)) {
        return VERIFY_KINDS;
    }
    if (elements > effort->max_case && (scalars->rows > ALWAYS_ROWS || is_field(spec))) {
        return 0;
    }
    return kinds < 1 ? 1 : kinds < VERIFY_KINDS ? kinds : VERIFY_KINDS;
}

static int case_wanted(size_t index, const ref_spec *spec, const ng_verify_options *options)
{
    if (options->only_case >= 0 && index != (size_t)options->only_case) {
        return 0;
    }
    if (!is_field(spec) && index == FAR_CASE) {
        return spec->strided && sizeof(ptrdiff_t) > sizeof(int32_t) &&
               (options->only_case >= 0 || options->effort->far_rows);
    }
    const ref_scalars scalars = scalars_at(spec, index);
    return options->only_case >= 0 || index % VERIFY_KINDS < kinds_for(spec, &scalars, options->effort);
}

/* Prepares a kernel name for all wanted cases. Returns NULL, or what is wrong. */
static const char *open_subject(verify_subject *s, const ng_kernel *kernel, const ng_verify_options *options)
{
    static ref_scalars wanted[MOST_CASES];
    size_t count = 0;
    ref_spec spec;
    const int understood = ref_spec_parse(kernel->spec, &spec) == 0;
    for (size_t index = 0; understood && index < case_count(&spec); index++) {
        if (case_wanted(index, &spec, options)) {
            wanted[count++] = scalars_at(&spec, index);
        }
    }
    return verify_open(s, kernel, wanted, count);
}

/* The case with a given index: everything follows from it, so that a mismatch can be run again alone. */
static verify_case case_at(const verify_subject *s, size_t index, uint64_t seed)
{
    const verify_kind *kind = &s->kinds[index % VERIFY_KINDS];
    verify_case c = {index,
                     scalars_at(&s->spec, index),
                     kind,
                     s->aliases[index % s->alias_count],
                     (verify_placement)(index / s->alias_count % PLACEMENTS),
                     seed};
    c.alias = !is_field(&s->spec) && index == FAR_CASE ? &verify_no_alias : c.alias;
    for (size_t i = 0; i < sizeof nan_cases / sizeof *nan_cases; i++) {
        if (index == nan_cases[i].index) {
            c.scalars.of[nan_cases[i].argument] = (double)ref_f32_of_bits(0x7fffffffU);
        }
    }
    c.scalars.of[REF_EPS] = kind->eps >= 0 ? kind->eps : c.scalars.of[REF_EPS];
    return c;
}

/* Outputs of a case: how many, and how many of them finite. */
static void count_outputs(const verify_subject *s, size_t *outputs, size_t *finite)
{
    *outputs = 0;
    *finite = 0;
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        const verify_argument *a = &s->arguments[i];
        const size_t elements = ref_arguments[i].output ? verify_elements(a) : 0;
        *outputs += elements;
        for (size_t e = 0; e < elements; e++) {
            *finite += (size_t)ref_is_finite(a->dtype, ref_element_bits(a->dtype, a->expected, e));
        }
    }
}

/* Where to write the first mismatch of a kernel. */
typedef struct report {
    const ng_kernel *kernel;
    const verify_case *c;
    FILE *log; /* NULL once something has been written */
} report;

/* Writes what is known of a failed case, then `what` with the place if there is one. */
static void log_mismatch(report *r, const char *argument_name, const char *what, const char *where)
{
    const verify_case *c = r->c;
    if (r->log == NULL) {
        return;
    }
    fprintf(r->log, "mismatch: ng_%s_%s spec '%s' data %s", r->kernel->name, r->kernel->target, r->kernel->spec,
            c->kind->name);
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        if (tried[i].count > 0 || i == REF_POSITION_COUNT) {
            fprintf(r->log, " %s %g", ref_arguments[i].name, c->scalars.of[i]);
        }
    }
    fprintf(r->log,
            " rows %zu placement %s alias %s: %s %s%s; seed %" PRIu64 "; again: verify --seed %" PRIu64
            " --filter %s_%s --case %zu\n",
            c->scalars.rows, placement_names[c->place], c->alias->name, argument_name, what, where, c->seed, c->seed,
            r->kernel->name, r->kernel->target, c->index);
    r->log = NULL;
}

/* Compares one row of an output with what the reference wrote; returns the number of wrong elements. */
static size_t compare_row(const verify_argument *a, size_t row, report *r)
{
    const unsigned char *placed = verify_row_at(a, row);
    const unsigned char *expected = a->expected + row * a->columns * a->dtype->size;
    size_t wrong = 0;
    if (memcmp(placed, expected, a->columns * a->dtype->size) == 0) {
        return 0;
    }
    for (size_t column = 0; column < a->columns; column++) {
        const uint64_t got = ref_element_bits(a->dtype, placed, column);
        const uint64_t want = ref_element_bits(a->dtype, expected, column);
        if (got != want && !(ref_is_nan(a->dtype, got) && ref_is_nan(a->dtype, want))) {
            char where[160];
            const int digits = (int)a->dtype->size * 2;
            snprintf(where, sizeof where, " row %zu column %zu stride %td got 0x%0*" PRIx64 " expected 0x%0*" PRIx64,
                     row, column, a->stride, digits, got, digits, want);
            log_mismatch(r, ref_arguments[a->id].name, "differs", where);
            wrong++;
        }
    }
    return wrong;
}

/* Is an input's buffer also an output's? */
static int is_overwritten(const verify_subject *s, const verify_argument *input)
{
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        if (s->arguments[i].shares && s->arguments[i].placed == input->placed) {
            return 1;
        }
    }
    return 0;
}

static int is_input_changed(const verify_argument *a)
{
    const size_t bytes = a->columns * a->dtype->size;
    for (size_t row = 0; row < a->rows; row++) {
        if (memcmp(verify_row_at(a, row), a->expected + row * bytes, bytes) != 0) {
            return 1;
        }
    }
    return 0;
}

/* Compares one argument after a call; returns the number of mismatches. */
static size_t compare_argument(const verify_subject *s, const verify_argument *a, report *r)
{
    const char *name = ref_arguments[a->id].name;
    size_t wrong = 0;
    for (size_t row = 0; row < a->rows && ref_arguments[a->id].output; row++) {
        wrong += compare_row(a, row, r);
    }
    if (!ref_arguments[a->id].output && !is_overwritten(s, a) && is_input_changed(a)) {
        log_mismatch(r, name, "is an input and was changed", "");
        wrong++;
    }
    if (verify_touched_between(a)) {
        log_mismatch(r, name, "has changed bytes between its rows", "");
        wrong++;
    }
    if (!a->shares && verify_touched_around(a)) {
        log_mismatch(r, name, "has changed bytes around it", "");
        wrong++;
    }
    return wrong;
}

/* Runs the case of rows far apart on one kernel and compares; touching anything between them is a fault. */
static void run_far_case(verify_subject *s, const ng_kernel *kernel, const verify_case *c, FILE *log,
                         ng_verify_counts *counts)
{
    report r = {kernel, c, counts->mismatches == 0 ? log : NULL};
    verify_memory far[REF_ARGUMENTS];
    const int laid_out = verify_lay_out_far(s, c, far) == 0;
    const char *fault = laid_out ? verify_call(s, kernel, c) : NULL;
    if (fault != NULL) {
        log_mismatch(&r, "call", "with rows far apart ended with ", fault);
        counts->mismatches++;
    }
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        const verify_argument *a = &s->arguments[i];
        const size_t rows = laid_out && fault == NULL && a->dtype != NULL && ref_arguments[i].output ? a->rows : 0;
        for (size_t row = 0; row < rows; row++) {
            counts->mismatches += compare_row(a, row, &r);
        }
        verify_memory_close(&far[i]);
    }
    counts->cases += (size_t)laid_out;
}

/* Runs one case on one kernel and compares. */
static void run_case(verify_subject *s, const ng_kernel *kernel, const verify_case *c, FILE *log,
                     ng_verify_counts *counts)
{
    report r = {kernel, c, counts->mismatches == 0 ? log : NULL};
    verify_lay_out(s, c);
    const char *fault = verify_call(s, kernel, c);
    counts->cases++;
    if (fault != NULL) {
        log_mismatch(&r, "call", "ended with ", fault);
        counts->mismatches++;
        return;
    }
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        const verify_argument *a = &s->arguments[i];
        counts->mismatches += a->dtype != NULL ? compare_argument(s, a, &r) : 0;
    }
}

typedef void case_runner(verify_subject *s, const ng_kernel *kernel, const verify_case *c, FILE *log,
                         ng_verify_counts *counts);

/* Runs one case on all kernels of a name. */
static void run_case_on_all(verify_subject *s, const ng_kernel *kernels, size_t count, const verify_case *c, FILE *log,
                            ng_verify_counts *counts)
{
    case_runner *const run = !is_field(&s->spec) && c->index == FAR_CASE ? run_far_case : run_case;
    size_t outputs, finite;
    verify_make_inputs(s, c);
    verify_make_outputs(s, c, kernels[0].spec);
    count_outputs(s, &outputs, &finite);
    for (size_t i = 0; i < count; i++) {
        if (kernels[i].runs_here()) {
            run(s, &kernels[i], c, log, &counts[i]);
            counts[i].outputs += outputs;
            counts[i].finite += finite;
        }
    }
}

/* Runs all wanted cases. */
static void run_cases(verify_subject *s, const ng_kernel *kernels, size_t count, const ng_verify_options *options,
                      ng_verify_counts *counts)
{
    for (size_t index = 0; index < case_count(&s->spec); index++) {
        if (case_wanted(index, &s->spec, options)) {
            const verify_case c = case_at(s, index, options->seed);
            run_case_on_all(s, kernels, count, &c, options->log, counts);
        }
    }
}

int ng_verify(const ng_kernel *kernels, size_t count, const ng_verify_options *options, ng_verify_counts *counts)
{
    verify_subject s;
    memset(counts, 0, count * sizeof *counts);
    const char *problem = open_subject(&s, &kernels[0], options);
    if (problem == NULL) {
        run_cases(&s, kernels, count, options, counts);
    } else {
        fprintf(options->log, "error: '%s': %s\n", kernels[0].spec, problem);
    }
    verify_close(&s);
    return problem == NULL ? 0 : -1;
}

/* FNV-1a over 64 bits, taking in one element at a time. */
static uint64_t add_to_digest(const verify_argument *a, uint64_t digest)
{
    for (size_t row = 0; row < a->rows; row++) {
        for (size_t column = 0; column < a->columns; column++) {
            const uint64_t bits = ref_element_bits(a->dtype, verify_row_at(a, row), column);
            digest = (digest ^ (ref_is_nan(a->dtype, bits) ? UINT32_MAX : bits)) * 0x100000001b3U;
        }
    }
    return digest;
}

/* The scalars of one kind of data in a digest: five rows, and with the first kind several chunks. */
static ref_scalars digest_scalars(const ref_spec *spec, size_t kind)
{
    enum { ROWS = 5 };
    static const size_t positions[] = {7, 1, 65, 49, 130};
    const size of = {ROWS, !is_field(spec) ? 1 : kind == 0 ? 1000 : positions[kind % 5]};
    return scalars_of(spec, kind, of);
}

/* Calls the kernel with one kind of data and takes in all its outputs. Returns 0, or -1 if the call ended with a
 * signal. */
static int digest_kind(verify_subject *s, const ng_kernel *kernel, size_t kind, uint64_t *digest)
{
    verify_case c = case_at(s, kind, DIGEST_SEED);
    const double eps = c.scalars.of[REF_EPS];
    c.scalars = digest_scalars(&s->spec, kind);
    c.scalars.of[REF_EPS] = eps;
    c.alias = &verify_no_alias;
    c.place = PLACE_FIRST;
    verify_make_inputs(s, &c);
    verify_lay_out(s, &c);
    if (verify_call(s, kernel, &c) != NULL) {
        return -1;
    }
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        if (s->arguments[i].dtype != NULL && ref_arguments[i].output) {
            *digest = add_to_digest(&s->arguments[i], *digest);
        }
    }
    return 0;
}

int ng_verify_digest(const ng_kernel *kernel, uint64_t *digest)
{
    verify_subject s;
    ref_spec spec;
    ref_scalars scalars[VERIFY_KINDS];
    const int understood = ref_spec_parse(kernel->spec, &spec) == 0;
    for (size_t kind = 0; understood && kind < VERIFY_KINDS; kind++) {
        scalars[kind] = digest_scalars(&spec, kind);
    }
    int result = verify_open(&s, kernel, scalars, understood ? VERIFY_KINDS : 0) == NULL ? 0 : -1;
    *digest = 0xcbf29ce484222325U;
    for (size_t kind = 0; kind < VERIFY_KINDS && result == 0; kind++) {
        result = digest_kind(&s, kernel, kind, digest);
    }
    verify_close(&s);
    return result;
}
