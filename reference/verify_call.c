#include "verify_call.h"

#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "shape.h"

enum { MARGIN = 256 };     /* canary bytes around a buffer */
enum { UNTOUCHED = 0xa5 }; /* the bytes of outputs that have not been written */

static const verify_alias alias_forms[VERIFY_ALIASES] = {
    {"none", REF_ARGUMENTS, REF_ARGUMENTS},        {"y=x", REF_X, REF_ARGUMENTS},
    {"y=residual", REF_RESIDUAL, REF_ARGUMENTS}, /* "where no sum is stored" */
    {"sum=residual", REF_ARGUMENTS, REF_RESIDUAL}, {"sum=x", REF_ARGUMENTS, REF_X},
    {"y=x,sum=residual", REF_X, REF_RESIDUAL},
};

const verify_alias verify_no_alias = {"none", REF_ARGUMENTS, REF_ARGUMENTS};

static int is_matrix(const verify_argument *a)
{
    return ref_arguments[a->id].kind == REF_MATRIX;
}

static void set_size(const ref_spec *spec, verify_argument *a, const ref_scalars *scalars)
{
    const ref_layout layout = ref_layout_of(spec, a->id, scalars);
    a->heads = layout.heads;
    a->rows = layout.rows * layout.heads;
    a->columns = layout.columns / layout.heads;
}

void verify_begin(verify_subject *s, const verify_case *c)
{
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        if (s->arguments[i].dtype != NULL) {
            set_size(&s->spec, &s->arguments[i], &c->scalars);
        }
    }
}

size_t verify_elements(const verify_argument *a)
{
    return a->dtype != NULL ? a->rows * a->columns : 0;
}

static size_t row_bytes(const verify_argument *a)
{
    return a->columns * a->dtype->size;
}

unsigned char *verify_row_at(const verify_argument *a, size_t row)
{
    const ptrdiff_t elements = (ptrdiff_t)(row / a->heads) * a->stride + (ptrdiff_t)(row % a->heads) * a->head_stride;
    return a->placed + elements * (ptrdiff_t)a->dtype->size;
}

/* The bytes from the first element of an argument to its last. */
static size_t extent(const verify_argument *a)
{
    const size_t elements =
        (a->rows / a->heads - 1) * (size_t)a->stride + (a->heads - 1) * (size_t)a->head_stride + a->columns;
    return a->rows == 0 ? 0 : elements * a->dtype->size;
}

/* The row strides of strided kernels: every row packed, or with all kinds of distances; h + h/8 is 576 for 512. Heads
 * lie in a row, packed or not, or all rows of a head lie together. */
enum { STRIDES = 5, HEAD_STRIDES = 3, LONGEST_STRIDE = 4 };

static void set_strides(verify_argument *a, int strided, verify_random *random)
{
    const size_t n = a->columns, h = n * a->heads, rows = a->rows / a->heads;
    const size_t strides[STRIDES] = {h, h + 1, 3 * h, h + h / 8, 2 * h + 1};
    const size_t head_strides[HEAD_STRIDES][2] = {{h + 1, n}, {h + a->heads + 3, n + 1}, {n + 1, (n + 1) * rows + 2}};
    a->stride = (ptrdiff_t)(strided ? strides[verify_random_below(random, STRIDES)] : h);
    a->head_stride = (ptrdiff_t)n;
    if (strided && a->heads > 1) {
        const size_t *const chosen = head_strides[verify_random_below(random, HEAD_STRIDES)];
        a->stride = (ptrdiff_t)chosen[0];
        a->head_stride = (ptrdiff_t)chosen[1];
    }
}

/* Can `output`, if the form speaks of it, lie in the buffer `input`? */
static int can_share(const verify_subject *s, ref_argument output, ref_argument input)
{
    if (input == REF_ARGUMENTS) {
        return 1;
    }
    const ref_dtype *to = s->arguments[output].dtype;
    const ref_dtype *from = s->arguments[input].dtype;
    return to != NULL && from != NULL && to->size == from->size;
}

static void find_aliases(verify_subject *s)
{
    const int has_sum = s->arguments[REF_SUM].dtype != NULL;
    for (size_t i = 0; i < VERIFY_ALIASES; i++) {
        const verify_alias *form = &alias_forms[i];
        if (can_share(s, REF_Y, form->y) && can_share(s, REF_SUM, form->sum) && !(has_sum && form->y == REF_RESIDUAL)) {
            s->aliases[s->alias_count++] = form;
        }
    }
}

/* The most elements that an argument has in any of the cases. */
static size_t most_elements(const ref_spec *spec, verify_argument *a, const ref_scalars *cases, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        set_size(spec, a, &cases[i]);
        most = verify_elements(a) > most ? verify_elements(a) : most;
    }
    return most;
}

/* Adds an array with memory for so many elements. Returns 0, or -1 if there is none. */
static int open_argument(verify_subject *s, verify_argument *a, size_t elements)
{
    const size_t bytes = elements * a->dtype->size + MARGIN;
    const size_t longest = s->spec.strided && is_matrix(a) ? LONGEST_STRIDE : 1;
    const int is_changed = ref_is_input(a->id) && ref_arguments[a->id].output;
    a->expected = malloc(bytes + 1);
    a->initial = is_changed ? malloc(bytes + 1) : a->expected;
    return a->expected == NULL || a->initial == NULL ? -1
                                                     : verify_memory_open(&a->memory, longest * bytes + 2 * MARGIN);
}

/* Adds all arrays. Returns 0, or -1 if there is no memory. */
static int open_arguments(verify_subject *s, const ref_scalars *cases, size_t count)
{
    size_t longest = 1;
    int failed = 0;
    for (int i = 0; i < REF_ARGUMENTS && !failed; i++) {
        verify_argument *a = &s->arguments[i];
        a->id = (ref_argument)i;
        a->dtype = ref_is_array(a->id) ? ref_argument_dtype(&s->spec, a->id) : NULL;
        if (a->dtype != NULL) {
            const size_t elements = most_elements(&s->spec, a, cases, count);
            longest = elements > longest ? elements : longest;
            failed = open_argument(s, a, elements) != 0;
        }
    }
    s->row = malloc(longest * sizeof *s->row);
    return failed || s->row == NULL ? -1 : 0;
}

/* The next argument of a descriptor from *at on that is neither the number of rows nor a stride; NULL at the end. */
static const ng_arg *next_described(const ng_kernel *kernel, size_t *at)
{
    while (*at < kernel->arg_count) {
        const ng_arg *arg = &kernel->args[(*at)++];
        if (strcmp(arg->name, "rows") != 0 && strcmp(arg->dtype, "ptrdiff_t") != 0) {
            return arg;
        }
    }
    return NULL;
}

static int is_described(const ref_spec *spec, ref_argument argument, const ng_arg *arg)
{
    static const char *const ways[] = {[REF_IN] = "in", [REF_OUT] = "out", [REF_INOUT] = "inout"};
    const struct ref_argument_info *info = &ref_arguments[argument];
    const char *dtype = info->kind == REF_COUNT ? "size_t" : ref_argument_dtype(spec, argument)->name;
    char shape[REF_SHAPE_LENGTH];
    ref_shape_text(spec, argument, shape);
    return arg != NULL && strcmp(arg->name, info->name) == 0 && strcmp(arg->dtype, dtype) == 0 &&
           strcmp(arg->shape, shape) == 0 && strcmp(arg->io, ways[info->output]) == 0;
}

/* Does the descriptor of a kernel have the arguments that the contract gives to its spec, in the contract's order? */
static int is_descriptor_right(const verify_subject *s, const ng_kernel *kernel)
{
    size_t at = 0;
    int right = kernel->h == s->spec.h;
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        const ref_argument argument = (ref_argument)i;
        right = right && (ref_argument_dtype(&s->spec, argument) == NULL ||
                          is_described(&s->spec, argument, next_described(kernel, &at)));
    }
    return right && next_described(kernel, &at) == NULL;
}

const char *verify_open(verify_subject *s, const ng_kernel *kernel, const ref_scalars *cases, size_t count)
{
    memset(s, 0, sizeof *s);
    if (ref_spec_parse(kernel->spec, &s->spec) != 0) {
        return "the reference does not understand the spec";
    }
    s->kinds = ref_is_f64(s->spec.x) ? verify_kinds_f64 : verify_kinds_f32;
    if (open_arguments(s, cases, count) != 0) {
        return "out of memory";
    }
    find_aliases(s);
    return is_descriptor_right(s, kernel) ? NULL : "the descriptor's arguments are not those of the contract";
}

void verify_close(verify_subject *s)
{
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        verify_argument *a = &s->arguments[i];
        if (a->initial != a->expected) {
            free(a->initial);
        }
        free(a->expected);
        verify_memory_close(&a->memory);
    }
    free(s->row);
}

static verify_role role_of(const verify_subject *s, const verify_argument *a)
{
    return a->id == REF_GAMMA_ROW || a->id == REF_BETA_ROW ? VERIFY_PARAMETER
           : !is_matrix(a)                                 ? VERIFY_STATISTIC
           : a->id == REF_RESIDUAL                         ? VERIFY_RESIDUAL
           : a->id == REF_Z                                ? VERIFY_X_ALONE
           : ref_adds_before(&s->spec)                     ? VERIFY_X_BESIDE_RESIDUAL
                                                           : VERIFY_X_ALONE;
}

/* What fills an argument of a role. */
static verify_fill *filler(const verify_kind *kind, verify_role role)
{
    return role == VERIFY_PARAMETER   ? kind->fill_parameter
           : role == VERIFY_STATISTIC ? kind->fill_statistic
                                      : kind->fill_row;
}

/* How many elements of an argument are made at once: a row; over other axes, in half of the cases, all of them, so that
 * a channel may be constant, or far from zero, in the whole batch. */
static size_t made_at_once(const verify_subject *s, const verify_argument *a, const verify_case *c)
{
    return ref_is_over_axes(&s->spec) && c->index % 2 == 0 ? verify_elements(a) : a->columns;
}

static int is_square(ref_argument argument)
{
    return argument == REF_VAR_IN || argument == REF_RSTD_IN || argument == REF_SQUARE_IN || argument == REF_PART_M2 ||
           argument == REF_RUNNING_VAR || argument == REF_RUNNING_SQUARE;
}

void verify_make_inputs(verify_subject *s, const verify_case *c)
{
    verify_random random = verify_random_for(c->seed, c->index);
    verify_begin(s, c);
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        const verify_argument *a = &s->arguments[i];
        if (a->dtype == NULL || !ref_is_input(a->id)) {
            continue;
        }
        const verify_role role = role_of(s, a);
        const ref_dtype *sum = role == VERIFY_X_ALONE ? a->dtype : s->spec.residual;
        const size_t length = made_at_once(s, a, c);
        const verify_row what = {role, is_square(a->id), length, a->dtype, sum, s->spec.y};
        for (size_t start = 0; start < verify_elements(a); start += length) {
            filler(c->kind, role)(&random, &what, s->row);
            a->dtype->store(a->initial + start * a->dtype->size, s->row, length);
        }
    }
}

/* The arguments of a call in the form of `invoke`. */
typedef struct call {
    const ng_kernel *kernel;
    size_t rows;
    int strided;
    void *ptr[REF_ARGUMENTS];
    ptrdiff_t stride[2 * REF_ARGUMENTS];
    double scalar[REF_ARGUMENTS];
} call;

/* A call with the scalars of a case, and with a pointer for each array: `place` says which. */
static call new_call(const verify_subject *s, const verify_case *c, void *(*place)(const verify_argument *a))
{
    call to = {NULL, c->scalars.rows, s->spec.strided, {NULL}, {0}, {0}};
    size_t pointers = 0, strides = 0, scalars = 0;
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        const verify_argument *a = &s->arguments[i];
        if (a->dtype != NULL) {
            to.ptr[pointers++] = c->scalars.rows > 0 ? place(a) : NULL;
        } else if (!ref_is_array((ref_argument)i) && ref_argument_dtype(&s->spec, (ref_argument)i) != NULL) {
            to.scalar[scalars++] = c->scalars.of[i];
        }
        if (a->dtype != NULL && is_matrix(a)) {
            to.stride[strides++] = a->stride;
            to.stride[strides] = a->head_stride;
            strides += a->heads > 1;
        }
    }
    return to;
}

static void *expected_of(const verify_argument *a)
{
    return a->expected;
}

static void *placed_of(const verify_argument *a)
{
    return a->placed;
}

void verify_make_outputs(verify_subject *s, const verify_case *c, const char *spec)
{
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        verify_argument *a = &s->arguments[i];
        a->head_stride = (ptrdiff_t)a->columns;
        a->stride = (ptrdiff_t)(a->heads * a->columns);
        if (a->dtype != NULL && a->initial != a->expected) {
            memcpy(a->expected, a->initial, verify_elements(a) * a->dtype->size);
        } else if (a->dtype != NULL && ref_arguments[i].output) {
            memset(a->expected, UNTOUCHED, verify_elements(a) * a->dtype->size);
        }
    }
    const call to = new_call(s, c, expected_of);
    ng_reference(spec, to.rows, to.ptr, to.stride, to.scalar);
}

/* The start of `bytes` bytes inside memory. */
static unsigned char *place(const verify_argument *a, verify_placement where, size_t bytes, verify_random *random)
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
static size_t canaries(const verify_argument *a, int set)
{
    const size_t bytes = extent(a);
    unsigned char *end = a->placed + bytes;
    const size_t before = (size_t)(a->placed - a->memory.first);
    const size_t after = a->memory.size - before - bytes;
    return canary_range(a->placed - (before < MARGIN ? before : MARGIN), a->placed, set) +
           canary_range(end, end + (after < MARGIN ? after : MARGIN), set);
}

int verify_touched_around(const verify_argument *a)
{
    return canaries(a, 0) != 0;
}

/* What lies between the rows of a matrix: NaNs of every format, or in outputs another pattern. */
static int padding_of(const verify_argument *a)
{
    return ref_arguments[a->id].output && !a->shares ? UNTOUCHED : 0xff;
}

int verify_touched_between(const verify_argument *a)
{
    const int padding = padding_of(a);
    const size_t rows = a->rows / a->heads;
    const int heads_are_apart = a->head_stride > a->stride;
    const unsigned char *end = NULL;
    for (size_t i = 0; i < a->rows; i++) { /* by their addresses */
        const unsigned char *from = verify_row_at(a, heads_are_apart ? i % rows * a->heads + i / rows : i);
        for (; end != NULL && end < from; end++) {
            if (*end != padding) {
                return 1;
            }
        }
        end = from + row_bytes(a);
    }
    return 0;
}

static void copy_rows(const verify_argument *a)
{
    for (size_t row = 0; row < a->rows && ref_is_input(a->id); row++) {
        memcpy(verify_row_at(a, row), a->initial + row * row_bytes(a), row_bytes(a));
    }
}

/* Finds a place for an argument and fills it. */
static void place_argument(verify_subject *s, verify_argument *a, const verify_case *c, verify_random *random)
{
    set_strides(a, s->spec.strided && is_matrix(a), random);
    const size_t bytes = extent(a);
    a->placed = place(a, c->place, bytes, random);
    memset(a->placed, padding_of(a), bytes);
    copy_rows(a);
    canaries(a, 1);
}

void verify_lay_out(verify_subject *s, const verify_case *c)
{
    verify_random random = verify_random_for(c->seed ^ 1, c->index);
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        verify_argument *a = &s->arguments[i];
        if (a->dtype == NULL) {
            continue;
        }
        const ref_argument shared = i == REF_Y ? c->alias->y : i == REF_SUM ? c->alias->sum : REF_ARGUMENTS;
        a->shares = shared != REF_ARGUMENTS;
        if (a->shares) {
            a->placed = s->arguments[shared].placed;
            a->stride = s->arguments[shared].stride;
            a->head_stride = s->arguments[shared].head_stride;
        } else {
            place_argument(s, a, c, &random);
        }
    }
}

/* More than 2^31 elements from one row to the next, other ones for each argument. */
static ptrdiff_t far_stride(const verify_argument *a)
{
    return (ptrdiff_t)(((int64_t)1 << 31) + 64 * (int64_t)a->id + 1);
}

int verify_lay_out_far(verify_subject *s, const verify_case *c, verify_memory far[REF_ARGUMENTS])
{
    int failed = 0;
    verify_lay_out(s, c);
    for (size_t i = 0; i < REF_ARGUMENTS; i++) {
        verify_argument *a = &s->arguments[i];
        far[i] = (verify_memory){NULL, 0};
        if (a->dtype == NULL || !is_matrix(a) || failed) {
            continue;
        }
        a->stride = far_stride(a);
        failed = verify_memory_reserve(&far[i], extent(a)) != 0;
        a->placed = far[i].first;
        for (size_t row = 0; row < a->rows && !failed; row++) {
            failed = verify_memory_allow(verify_row_at(a, row), row_bytes(a)) != 0;
        }
        if (!failed) {
            copy_rows(a);
        }
    }
    return failed ? -1 : 0;
}

static void invoke(void *context)
{
    const call *to = context;
    to->kernel->invoke(to->rows, to->ptr, to->strided ? to->stride : NULL, to->scalar);
}

const char *verify_call(const verify_subject *s, const ng_kernel *kernel, const verify_case *c)
{
    call to = new_call(s, c, placed_of);
    to.kernel = kernel;
    return verify_guarded_call(invoke, &to);
}
