/* A call: sorts the arguments by their meaning and walks the rows. What is done to a row is in kernel.h. */
#include "reference.h"

#include "arithmetic.h"
#include "contract.h"

/* Where the arguments of the next row are; those that the spec does not have are NULL. */
typedef struct cursor {
    void *at[REF_ARGUMENTS];
    ptrdiff_t step[REF_ARGUMENTS]; /* bytes from one row to the next */
} cursor;

/* Sorts the arguments, given in call order. */
static cursor start(const ref_spec *spec, void *const *ptr, const ptrdiff_t *stride)
{
    cursor c = {{NULL}, {0}};
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        const ref_dtype *dtype = ref_argument_dtype(spec, (ref_argument)i);
        if (dtype == NULL) {
            continue;
        }
        const ptrdiff_t size = (ptrdiff_t)dtype->size;
        c.at[i] = *ptr++;
        if (ref_arguments[i].shape == REF_MATRIX) {
            c.step[i] = (spec->strided ? *stride++ : (ptrdiff_t)spec->h) * size;
        } else if (ref_arguments[i].shape == REF_STATISTIC) {
            c.step[i] = size;
        }
    }
    return c;
}

static void next_row(cursor *c)
{
    for (int i = 0; i < REF_ARGUMENTS; i++) {
        c->at[i] = c->at[i] != NULL ? (char *)c->at[i] + c->step[i] : NULL;
    }
}

int ng_reference(const char *spec_text, size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar)
{
    ref_spec spec;
    if (ref_spec_parse(spec_text, &spec) != 0) {
        return -1;
    }
    if (rows == 0) {
        return 0;
    }
    const double alpha = spec.alpha ? *scalar++ : 0;
    cursor c = start(&spec, ptr, stride);
    spec.arithmetic->compute_row(&spec, c.at, alpha, *scalar);
    for (size_t row = 1; row < rows; row++) {
        next_row(&c);
        spec.arithmetic->compute_row(&spec, c.at, alpha, *scalar);
    }
    return 0;
}
