#include "verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "dtype.h"
#include "reference.h"
#include "verify_data.h"
#include "verify_guard.h"

const ng_verify_effort ng_verify_quick = {"quick", 16 << 10, 256 << 10};
const ng_verify_effort ng_verify_default = {"default", 128 << 10, 2 << 20};
const ng_verify_effort ng_verify_full = {"full", SIZE_MAX, 16 << 20};

static const size_t row_counts[] = {0, 1, 2, 3, 7, 8, 9, 33, 255, 256, 257, 1025};
enum { ROW_COUNTS = sizeof row_counts / sizeof *row_counts, CASES = ROW_COUNTS * VERIFY_KINDS };
enum { ALWAYS_ROWS = 3 };                                /* up to so many rows are tested whatever the effort */
enum { NAN_EPS_CASE = 3 * VERIFY_KINDS + 1 };            /* three rows of normal data */
enum { DIGEST_SEED = 1, DIGEST_ROWS = 5, MARGIN = 256 }; /* MARGIN: canary bytes around a buffer */
enum { MAX_POINTERS = 8 };

/* Which input buffer an output may share: rows of the contract's alias table. */
typedef struct alias_form {
    const char *name;
    const char *y, *sum; /* the input that y and sum share, or NULL */
    int without_sum;     /* only for kernels that store no sum */
} alias_form;

static const alias_form alias_forms[] = {
    {"none", NULL, NULL, 0},
    {"y=x", "x", NULL, 0},
    {"y=residual", "residual", NULL, 1},
    {"sum=residual", NULL, "residual", 0},
    {"sum=x", NULL, "x", 0},
    {"y=x,sum=residual", "x", "residual", 0},
};
enum { ALIAS_FORMS = sizeof alias_forms / sizeof *alias_forms };

/* Where buffers lie: right after a forbidden page, up to one, or 1 to 15 elements off, each buffer by itself. */
typedef enum placement { PLACE_FIRST, PLACE_LAST, PLACE_SHIFTED, PLACEMENTS } placement;
static const char *const placement_names[] = {"first", "last", "shifted"};

/* One pointer argument of a kernel. */
typedef struct argument {
    const ng_arg *info;
    const ref_dtype *dtype;
    int output, matrix;
    unsigned char *expected; /* the bytes before the call; for outputs, those that it must write */
    verify_memory memory;
    unsigned char *placed; /* where the kernel finds it */
    int shares;            /* an output that lies in an input's buffer */
} argument;

/* One kernel name under test: its arguments and the alias forms that it allows. */
typedef struct subject {
    const ng_kernel *kernel;
    argument arguments[MAX_POINTERS];
    size_t count;
    const alias_form *aliases[ALIAS_FORMS];
    size_t alias_count;
    float *row; /* h floats to make data in */
} subject;

/* One call to try. */
typedef struct verify_case {
    size_t index, rows;
    const verify_kind *kind;
    const alias_form *alias;
    placement place;
    double eps;
    uint64_t seed;
} verify_case;

static argument *find_argument(subject *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->arguments[i].info->name, name) == 0) {
            return &s->arguments[i];
        }
    }
    return NULL;
}

static size_t argument_elements(const subject *s, const argument *a, size_t rows)
{
    return a->matrix ? rows * s->kernel->h : s->kernel->h;
}

static size_t argument_bytes(const subject *s, const argument *a, size_t rows)
{
    return argument_elements(s, a, rows) * a->dtype->size;
}

/* Can `output`, if the form speaks of it, lie in the buffer `input`? */
static int can_share(subject *s, const char *output, const char *input)
{
    const argument *to = find_argument(s, output);
    const argument *from = input != NULL ? find_argument(s, input) : NULL;
    return input == NULL || (to != NULL && from != NULL && to->dtype->size == from->dtype->size);
}

static void find_aliases(subject *s)
{
    for (size_t i = 0; i < ALIAS_FORMS; i++) {
        const alias_form *form = &alias_forms[i];
        if (can_share(s, "y", form->y) && can_share(s, "sum", form->sum) &&
            !(form->without_sum && find_argument(s, "sum") != NULL)) {
            s->aliases[s->alias_count++] = form;
        }
    }
}

static void close_subject(subject *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->arguments[i].expected);
        verify_memory_close(&s->arguments[i].memory);
    }
    free(s->row);
}

/* Adds a pointer argument with memory for `rows` rows. */
static int add_argument(subject *s, const ng_arg *info, size_t rows)
{
    if (s->count == MAX_POINTERS) {
        return -1;
    }
    argument *a = &s->arguments[s->count++];
    a->info = info;
    a->dtype = ref_dtype_named(info->dtype, strlen(info->dtype));
    a->output = strcmp(info->io, "out") == 0;
    a->matrix = strcmp(info->shape, "rows,h") == 0;
    if (a->dtype == NULL) {
        return -1;
    }
    const size_t bytes = argument_bytes(s, a, rows);
    a->expected = malloc(bytes + 1);
    return a->expected == NULL ? -1 : verify_memory_open(&a->memory, bytes + 2 * MARGIN);
}

/* Prepares a kernel name for cases of up to `rows` rows. Returns 0, or -1; close it in both cases. */
static int open_subject(subject *s, const ng_kernel *kernel, size_t rows)
{
    memset(s, 0, sizeof *s);
    s->kernel = kernel;
    s->row = malloc(kernel->h * sizeof *s->row);
    for (size_t i = 0; i < kernel->arg_count; i++) {
        if (strcmp(kernel->args[i].shape, "scalar") != 0 && add_argument(s, &kernel->args[i], rows) != 0) {
            return -1;
        }
    }
    find_aliases(s);
    return s->row == NULL ? -1 : 0;
}

/* How many kinds of data run with a number of rows. */
static size_t kinds_for(size_t rows, size_t h, const ng_verify_effort *effort)
{
    const size_t elements = rows * h;
    if (rows <= 1) {
        return VERIFY_KINDS;
    }
    if (elements > effort->max_case && rows > ALWAYS_ROWS) {
        return 0;
    }
    const size_t kinds = effort->budget / elements;
    return kinds < 1 ? 1 : kinds < VERIFY_KINDS ? kinds : VERIFY_KINDS;
}

static int case_wanted(size_t index, size_t h, const ng_verify_options *options)
{
    if (options->only_case >= 0) {
        return index == (size_t)options->only_case;
    }
    return index % VERIFY_KINDS < kinds_for(row_counts[index / VERIFY_KINDS], h, options->effort);
}

/* The most rows of any wanted case. */
static size_t most_rows(size_t h, const ng_verify_options *options)
{
    size_t rows = 0;
    for (size_t index = 0; index < CASES; index++) {
        if (case_wanted(index, h, options)) {
            rows = row_counts[index / VERIFY_KINDS];
        }
    }
    return rows;
}

/* The case with a given index: everything follows from it, so that a mismatch can be run again alone. */
static verify_case case_at(const subject *s, size_t index, uint64_t seed)
{
    static const double epsilons[] = {1e-5, 1e-6, 1e-5, 1e-12, 1e-5, 0, 1e-6, 1e-5};
    const verify_kind *kind = &verify_kinds[index % VERIFY_KINDS];
    verify_case c = {index,       row_counts[index / VERIFY_KINDS],
                     kind,        s->aliases[index % s->alias_count],
                     PLACE_FIRST, epsilons[index % (sizeof epsilons / sizeof *epsilons)],
                     seed};
    c.place = (placement)(index / s->alias_count % PLACEMENTS);
    if (kind->eps >= 0) {
        c.eps = kind->eps;
    } else if (index == NAN_EPS_CASE) {
        c.eps = (double)ref_f32_of_bits(0x7fffffffU);
    }
    return c;
}

/* Makes the input bytes of a case. */
static void make_inputs(subject *s, const verify_case *c)
{
    verify_random random = verify_random_for(c->seed, c->index);
    const int fused = find_argument(s, "residual") != NULL;
    const size_t h = s->kernel->h;
    for (size_t i = 0; i < s->count; i++) {
        argument *a = &s->arguments[i];
        if (a->output) {
            continue;
        }
        if (!a->matrix) {
            c->kind->fill_parameter(&random, s->row, h);
            a->dtype->store(a->expected, s->row, h);
            continue;
        }
        const int is_x = strcmp(a->info->name, "x") == 0;
        const verify_role role = !is_x ? VERIFY_RESIDUAL : fused ? VERIFY_X_BESIDE_RESIDUAL : VERIFY_X_ALONE;
        for (size_t row = 0; row < c->rows; row++) {
            c->kind->fill_row(&random, s->row, h, role);
            a->dtype->store(a->expected + row * h * a->dtype->size, s->row, h);
        }
    }
}

/* Lets the reference write the expected outputs. */
static int make_outputs(subject *s, const verify_case *c)
{
    void *ptr[MAX_POINTERS];
    for (size_t i = 0; i < s->count; i++) {
        ptr[i] = s->arguments[i].expected;
    }
    return ng_reference(s->kernel->spec, c->rows, ptr, NULL, &c->eps);
}

static uint32_t infinity_bits(const ref_dtype *dtype)
{
    return dtype->round(ref_f32_of_bits(0x7f800000U));
}

static uint32_t magnitude_bits(const ref_dtype *dtype, uint32_t bits)
{
    return bits & ~(infinity_bits(dtype) ^ dtype->round(ref_f32_of_bits(0xff800000U)));
}

static int is_nan(const ref_dtype *dtype, uint32_t bits)
{
    return magnitude_bits(dtype, bits) > infinity_bits(dtype);
}

/* Outputs of a case: how many, and how many of them finite. */
static void count_outputs(const subject *s, const verify_case *c, size_t *outputs, size_t *finite)
{
    *outputs = 0;
    *finite = 0;
    for (size_t i = 0; i < s->count; i++) {
        const argument *a = &s->arguments[i];
        const size_t elements = a->output ? argument_elements(s, a, c->rows) : 0;
        const uint32_t infinity = infinity_bits(a->dtype);
        *outputs += elements;
        for (size_t e = 0; e < elements; e++) {
            *finite += magnitude_bits(a->dtype, ref_element_bits(a->dtype, a->expected, e)) < infinity;
        }
    }
}

/* The start of `bytes` bytes inside memory. */
static unsigned char *place(const argument *a, placement where, size_t bytes, verify_random *random)
{
    switch (where) {
    case PLACE_LAST:
        return a->memory.first + a->memory.size - bytes;
    case PLACE_SHIFTED:
        return a->memory.first + MARGIN / 2 + a->dtype->size * (1 + verify_random_below(random, 15));
    default:
        return a->memory.first;
    }
}

/* Canaries are bytes that no kernel may change. Sets those from `from` to `to`, or counts the ones that have changed.
 */
static size_t canary_range(unsigned char *from, const unsigned char *to, int set)
{
    size_t changed = 0;
    for (unsigned char *at = from; at < to; at++) {
        const unsigned char canary = (unsigned char)(0x5a ^ ((uintptr_t)at & 0x1f));
        *at = set ? canary : *at;
        changed += *at != canary;
    }
    return changed;
}

/* The canaries of a buffer: up to MARGIN bytes on both sides. */
static size_t canaries(const argument *a, size_t bytes, int set)
{
    unsigned char *end = a->placed + bytes;
    const size_t before = (size_t)(a->placed - a->memory.first);
    const size_t after = a->memory.size - before - bytes;
    return canary_range(a->placed - (before < MARGIN ? before : MARGIN), a->placed, set) +
           canary_range(end, end + (after < MARGIN ? after : MARGIN), set);
}

/* Lays out the arguments for one call: inputs copied, outputs that have a buffer of their own filled with a pattern. */
static void lay_out(subject *s, const verify_case *c)
{
    verify_random random = verify_random_for(c->seed ^ 1, c->index);
    for (size_t i = 0; i < s->count; i++) {
        argument *a = &s->arguments[i];
        const size_t bytes = argument_bytes(s, a, c->rows);
        const char *shared = strcmp(a->info->name, "y") == 0     ? c->alias->y
                             : strcmp(a->info->name, "sum") == 0 ? c->alias->sum
                                                                 : NULL;
        a->shares = shared != NULL;
        if (a->shares) {
            a->placed = find_argument(s, shared)->placed;
            continue;
        }
        a->placed = place(a, c->place, bytes, &random);
        if (a->output) {
            memset(a->placed, 0xa5, bytes);
        } else {
            memcpy(a->placed, a->expected, bytes);
        }
        canaries(a, bytes, 1);
    }
}

typedef struct call {
    const ng_kernel *kernel;
    size_t rows;
    void *ptr[MAX_POINTERS];
    double eps;
} call;

static void invoke(void *context)
{
    const call *to = context;
    to->kernel->invoke(to->rows, to->ptr, NULL, &to->eps);
}

/* Calls the kernel on the arguments as laid out; with no rows, all pointers are NULL. */
static const char *call_kernel(const subject *s, const ng_kernel *kernel, const verify_case *c)
{
    call to = {kernel, c->rows, {NULL}, c->eps};
    for (size_t i = 0; i < s->count && c->rows > 0; i++) {
        to.ptr[i] = s->arguments[i].placed;
    }
    return verify_guarded_call(invoke, &to);
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
    fprintf(r->log,
            "mismatch: ng_%s_%s spec '%s' data %s eps %g rows %zu placement %s alias %s: %s %s%s; seed %" PRIu64
            "; again: verify --seed %" PRIu64 " --filter %s_%s --case %zu\n",
            r->kernel->name, r->kernel->target, r->kernel->spec, c->kind->name, c->eps, c->rows,
            placement_names[c->place], c->alias->name, argument_name, what, where, c->seed, c->seed, r->kernel->name,
            r->kernel->target, c->index);
    r->log = NULL;
}

/* Compares one output with what the reference wrote; returns the number of wrong elements. */
static size_t compare_output(const subject *s, const argument *a, report *r)
{
    const size_t elements = argument_elements(s, a, r->c->rows);
    size_t wrong = 0;
    if (memcmp(a->placed, a->expected, elements * a->dtype->size) == 0) {
        return 0;
    }
    for (size_t e = 0; e < elements; e++) {
        const uint32_t got = ref_element_bits(a->dtype, a->placed, e);
        const uint32_t want = ref_element_bits(a->dtype, a->expected, e);
        if (got != want && !(is_nan(a->dtype, got) && is_nan(a->dtype, want))) {
            char where[128];
            const int digits = (int)a->dtype->size * 2;
            snprintf(where, sizeof where, " row %zu column %zu got 0x%0*" PRIx32 " expected 0x%0*" PRIx32,
                     e / s->kernel->h, e % s->kernel->h, digits, got, digits, want);
            log_mismatch(r, a->info->name, "differs", where);
            wrong++;
        }
    }
    return wrong;
}

/* Is an input's buffer also an output's? */
static int is_overwritten(const subject *s, const argument *input)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->arguments[i].shares && s->arguments[i].placed == input->placed) {
            return 1;
        }
    }
    return 0;
}

/* Compares all arguments after a call; returns the number of mismatches. */
static size_t compare(const subject *s, report *r)
{
    size_t wrong = 0;
    for (size_t i = 0; i < s->count; i++) {
        const argument *a = &s->arguments[i];
        const size_t bytes = argument_bytes(s, a, r->c->rows);
        if (a->output) {
            wrong += compare_output(s, a, r);
        } else if (!is_overwritten(s, a) && memcmp(a->placed, a->expected, bytes) != 0) {
            log_mismatch(r, a->info->name, "is an input and was changed", "");
            wrong++;
        }
        if (!a->shares && canaries(a, bytes, 0) != 0) {
            log_mismatch(r, a->info->name, "has changed bytes around it", "");
            wrong++;
        }
    }
    return wrong;
}

/* Runs one case on one kernel and compares. */
static void run_case(subject *s, const ng_kernel *kernel, const verify_case *c, FILE *log, ng_verify_counts *counts)
{
    report r = {kernel, c, counts->mismatches == 0 ? log : NULL};
    lay_out(s, c);
    const char *fault = call_kernel(s, kernel, c);
    counts->cases++;
    if (fault != NULL) {
        log_mismatch(&r, "call", "ended with ", fault);
        counts->mismatches++;
        return;
    }
    counts->mismatches += compare(s, &r);
}

/* Runs one case on all kernels of a name. */
static int run_case_on_all(subject *s, const ng_kernel *kernels, size_t count, const verify_case *c, FILE *log,
                           ng_verify_counts *counts)
{
    size_t outputs, finite;
    make_inputs(s, c);
    if (make_outputs(s, c) != 0) {
        fprintf(log, "error: the reference does not understand the spec '%s'\n", s->kernel->spec);
        return -1;
    }
    count_outputs(s, c, &outputs, &finite);
    for (size_t i = 0; i < count; i++) {
        if (kernels[i].runs_here()) {
            run_case(s, &kernels[i], c, log, &counts[i]);
            counts[i].outputs += outputs;
            counts[i].finite += finite;
        }
    }
    return 0;
}

int ng_verify(const ng_kernel *kernels, size_t count, const ng_verify_options *options, ng_verify_counts *counts)
{
    subject s;
    const size_t h = kernels[0].h;
    memset(counts, 0, count * sizeof *counts);
    int result = open_subject(&s, &kernels[0], most_rows(h, options));
    if (result != 0) {
        fprintf(options->log, "error: cannot prepare '%s': no memory, or an argument of unknown kind\n",
                kernels[0].spec);
    }
    for (size_t index = 0; index < CASES && result == 0; index++) {
        if (case_wanted(index, h, options)) {
            const verify_case c = case_at(&s, index, options->seed);
            result = run_case_on_all(&s, kernels, count, &c, options->log, counts);
        }
    }
    close_subject(&s);
    return result;
}

/* FNV-1a over 64 bits, taking in one element at a time. */
static uint64_t add_to_digest(const subject *s, size_t rows, uint64_t digest)
{
    for (size_t i = 0; i < s->count; i++) {
        const argument *a = &s->arguments[i];
        const size_t elements = a->output ? argument_elements(s, a, rows) : 0;
        for (size_t e = 0; e < elements; e++) {
            const uint32_t bits = ref_element_bits(a->dtype, a->placed, e);
            digest = (digest ^ (is_nan(a->dtype, bits) ? UINT32_MAX : bits)) * 0x100000001b3U;
        }
    }
    return digest;
}

int ng_verify_digest(const ng_kernel *kernel, uint64_t *digest)
{
    subject s;
    int result = open_subject(&s, kernel, DIGEST_ROWS);
    *digest = 0xcbf29ce484222325U;
    for (size_t kind = 0; kind < VERIFY_KINDS && result == 0; kind++) {
        verify_case c = case_at(&s, kind, DIGEST_SEED);
        c.rows = DIGEST_ROWS;
        c.alias = &alias_forms[0];
        c.place = PLACE_FIRST;
        make_inputs(&s, &c);
        lay_out(&s, &c);
        result = call_kernel(&s, kernel, &c) == NULL ? 0 : -1;
        *digest = add_to_digest(&s, c.rows, *digest);
    }
    close_subject(&s);
    return result;
}
