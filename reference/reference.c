/* A call: sorts the arguments by their meaning. What is done to the rows is in kernel.h. */
#include "reference.h"

#include "arithmetic.h"
#include "shape.h"

/* Sorts the arguments, which are given in call order. */
static ref_call sorted(const ref_spec *spec, size_t rows, void *const *ptr, const ptrdiff_t *stride,
                       const double *scalar)
{
    ref_call call = {.scalars = {rows, {0}}};
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        const ref_dtype *dtype = ref_argument_dtype(spec, (ref_argument)i);
        if (dtype != NULL && ref_is_array((ref_argument)i)) {
            call.array[i] = *ptr++;
        } else if (dtype != NULL) {
            call.scalars.of[i] = *scalar++;
        }
    }
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        if (call.array[i] != NULL) {
            const int is_strided = spec->strided && ref_arguments[i].kind == REF_MATRIX;
            const ref_layout layout = ref_layout_of(spec, (ref_argument)i, &call.scalars);
            const ptrdiff_t size = (ptrdiff_t)ref_argument_dtype(spec, (ref_argument)i)->size;
            call.step[i] = size * (is_strided ? *stride++ : (ptrdiff_t)layout.columns);
            call.head_step[i] =
                size * (is_strided && layout.heads > 1 ? *stride++ : (ptrdiff_t)(layout.columns / layout.heads));
        }
    }
    return call;
}

void *ref_row_at(const ref_call *call, ref_argument argument, size_t row)
{
    const ref_axis outermost = ref_arguments[argument].axes[0];
    if (call->array[argument] == NULL) {
        return NULL;
    }
    const size_t index = outermost == REF_ROWS    ? row
                         : outermost == REF_BATCH ? row / (size_t)call->scalars.of[REF_ROWS_PER_BATCH]
                                                  : 0;
    return (char *)call->array[argument] + (ptrdiff_t)index * call->step[argument];
}

int ng_reference(const char *spec_text, size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar)
{
    ref_spec spec;
    if (ref_spec_parse(spec_text, &spec) != 0) {
        return -1;
    }
    if (rows > 0) {
        const ref_call call = sorted(&spec, rows, ptr, stride, scalar);
        spec.arithmetic->compute(&spec, &call);
    }
    return 0;
}
