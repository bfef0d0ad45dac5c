#include "call.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "shape.h"

/* One argument in the format of the spec: rows with `stride` elements from one to the next. */
typedef struct array {
    const ref_dtype *dtype;
    size_t rows, columns, stride;
    char *memory;
} array;

static size_t real_size(const ref_dtype *dtype)
{
    return ref_is_f64(dtype) ? sizeof(double) : sizeof(float);
}

static array new_array(const ref_spec *spec, ref_argument argument, const ref_scalars *scalars)
{
    const ref_layout layout = ref_layout_of(spec, argument, scalars);
    const int has_gaps = spec->strided && ref_arguments[argument].kind == REF_MATRIX;
    array a = {ref_is_array(argument) ? ref_argument_dtype(spec, argument) : NULL, layout.rows, layout.columns,
               layout.columns + (has_gaps ? (size_t)argument + 1 : 0), NULL};
    if (a.dtype != NULL) {
        const size_t bytes = a.rows * a.stride * a.dtype->size;
        a.memory = malloc(bytes + 1);
        ck_assert_ptr_nonnull(a.memory);
        memset(a.memory, 0xff, bytes);
    }
    return a;
}

/* Stores a packed array of reals as the argument, or loads it from there. */
static void store(const array *a, const void *from)
{
    for (size_t row = 0; row < a->rows; row++) {
        a->dtype->store(a->memory + row * a->stride * a->dtype->size,
                        (const char *)from + row * a->columns * real_size(a->dtype), a->columns);
    }
}

static void load(const array *a, void *to)
{
    for (size_t row = 0; row < a->rows; row++) {
        a->dtype->load((char *)to + row * a->columns * real_size(a->dtype),
                       a->memory + row * a->stride * a->dtype->size, a->columns);
    }
}

void call_reference(const char *spec_text, size_t rows, const call *c)
{
    array arrays[REF_ARGUMENTS];
    void *ptr[REF_ARGUMENTS];
    ptrdiff_t stride[2 * REF_ARGUMENTS];
    double scalar[REF_ARGUMENTS];
    size_t pointers = 0, strides = 0, scalars = 0;
    ref_scalars sizes = {rows, {0}};
    ref_spec spec;
    ck_assert_msg(ref_spec_parse(spec_text, &spec) == 0, "bad spec: %s", spec_text);
    memcpy(sizes.of, c->scalar, sizeof sizes.of);
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        arrays[i] = new_array(&spec, (ref_argument)i, &sizes);
        if (arrays[i].dtype != NULL) {
            ptr[pointers++] = arrays[i].memory;
        } else if (ref_argument_dtype(&spec, (ref_argument)i) != NULL) {
            scalar[scalars++] = c->scalar[i];
        }
        if (arrays[i].dtype != NULL && ref_arguments[i].kind == REF_MATRIX) {
            stride[strides++] = (ptrdiff_t)arrays[i].stride;
            stride[strides] = (ptrdiff_t)(arrays[i].columns / spec.heads);
            strides += spec.heads > 1;
        }
        if (arrays[i].dtype != NULL && ref_is_input((ref_argument)i)) {
            store(&arrays[i], c->in[i]);
        }
    }
    ck_assert_int_eq(ng_reference(spec_text, rows, ptr, spec.strided ? stride : NULL, scalar), 0);
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        if (arrays[i].dtype != NULL && ref_arguments[i].output) {
            load(&arrays[i], c->out[i]);
        }
        free(arrays[i].memory);
    }
}

void call_narrow(const ref_dtype *dtype, void *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ref_is_f64(dtype)) {
            ((double *)to)[i] = from[i];
        } else {
            ((float *)to)[i] = (float)from[i];
        }
    }
    ref_round_row(dtype, to, n);
}

void call_widen(const ref_dtype *dtype, double *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = ref_is_f64(dtype) ? ((const double *)from)[i] : (double)((const float *)from)[i];
    }
}

void call_hold(const ref_dtype *dtype, double *row, size_t n)
{
    void *const reals = calloc(n + 1, real_size(dtype));
    ck_assert_ptr_nonnull(reals);
    call_narrow(dtype, reals, row, n);
    call_widen(dtype, row, reals, n);
    free(reals);
}

void call_fit(const ref_dtype *dtype, double *row, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(row[i]));
    }
    const int excess = ilogb(largest) - (-dtype->min_exponent - 3);
    for (size_t i = 0; i < n && excess > 0; i++) {
        row[i] = ldexp(row[i], -excess);
    }
}

const ref_dtype *call_narrower(const ref_dtype *a, const ref_dtype *b)
{
    return a->min_exponent > b->min_exponent ? a : b;
}
