#include "call.h"

#include <check.h>
#include <stdlib.h>

#include "reference.h"
#include "spec.h"

/* A new array of n elements of a format, from floats if there are some. */
static void *new_array(const ref_dtype *dtype, const float *from, size_t n)
{
    void *array = malloc(n * dtype->size);
    ck_assert_ptr_nonnull(array);
    if (from != NULL) {
        dtype->store(array, from, n);
    }
    return array;
}

void call_reference(const char *spec_text, size_t rows, const call *c)
{
    ref_spec spec;
    void *ptr[6];
    size_t count = 0;
    ck_assert_msg(ref_spec_parse(spec_text, &spec) == 0, "bad spec: %s", spec_text);
    const size_t n = rows * spec.h;
    const double eps = (double)c->eps;
    ptr[count++] = new_array(spec.x, c->x, n);
    if (spec.fusion != 0) {
        ptr[count++] = new_array(spec.residual, c->residual, n);
    }
    if (spec.affine != REF_NO_AFFINE) {
        ptr[count++] = new_array(spec.gamma, c->gamma, spec.h);
    }
    if (spec.affine == REF_GAMMA_BETA) {
        ptr[count++] = new_array(spec.gamma, c->beta, spec.h);
    }
    void *y = ptr[count++] = new_array(spec.y, NULL, n);
    if (spec.fusion == REF_ADDOUT) {
        ptr[count++] = new_array(spec.residual, NULL, n);
    }
    ck_assert_int_eq(ng_reference(spec_text, rows, ptr, NULL, &eps), 0);
    spec.y->load(c->y, y, n);
    if (spec.fusion == REF_ADDOUT) {
        spec.residual->load(c->sum, ptr[count - 1], n);
    }
    while (count > 0) {
        free(ptr[--count]);
    }
}
