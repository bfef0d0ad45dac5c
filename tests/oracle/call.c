#include "call.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

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

static array new_array(const ref_spec *spec, ref_argument argument, size_t rows)
{
    const ref_shape shape = ref_arguments[argument].shape;
    array a = {ref_argument_dtype(spec, argument), shape == REF_PARAMETER ? 1 : rows,
               shape == REF_STATISTIC ? 1 : spec->h, 0, NULL};
    a.stride = a.columns + (spec->strided && shape == REF_MATRIX ? (size_t)argument + 1 : 0);
    if (a.dtype != NULL) {
        const size_t bytes = a.rows * a.stride * a.dtype->size;
        a.memory = malloc(bytes);
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
    const void *const inputs[REF_ARGUMENTS] = {c->x, c->residual, c->gamma, c->beta, NULL, NULL, NULL, NULL};
    void *const outputs[REF_ARGUMENTS] = {NULL, NULL, NULL, NULL, c->y, c->sum, c->mean, c->rstd};
    array arrays[REF_ARGUMENTS];
    void *ptr[REF_ARGUMENTS];
    ptrdiff_t stride[REF_ARGUMENTS];
    size_t pointers = 0, strides = 0;
    ref_spec spec;
    ck_assert_msg(ref_spec_parse(spec_text, &spec) == 0, "bad spec: %s", spec_text);
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        arrays[i] = new_array(&spec, (ref_argument)i, rows);
        if (arrays[i].dtype == NULL) {
            continue;
        }
        ptr[pointers++] = arrays[i].memory;
        if (ref_arguments[i].shape == REF_MATRIX) {
            stride[strides++] = (ptrdiff_t)arrays[i].stride;
        }
        if (!ref_arguments[i].output) {
            store(&arrays[i], inputs[i]);
        }
    }
    const double scalars[] = {c->alpha, c->eps};
    ck_assert_int_eq(ng_reference(spec_text, rows, ptr, spec.strided ? stride : NULL, scalars + (spec.alpha ? 0 : 1)),
                     0);
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        if (arrays[i].dtype != NULL && ref_arguments[i].output) {
            load(&arrays[i], outputs[i]);
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
