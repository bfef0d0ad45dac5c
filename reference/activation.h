#ifndef NG_REFERENCE_ACTIVATION_H
#define NG_REFERENCE_ACTIVATION_H

#include "elementary.h"
#include "real.h"
#include "spec.h"

static ref_function *const activations[] = {[REF_SILU] = ref_silu,
                                            [REF_GELU] = ref_gelu,
                                            [REF_GELUTANH] = ref_gelutanh,
                                            [REF_TANH] = ref_tanh,
                                            [REF_SIGMOID] = ref_sigmoid};

/* "act: on the result, before it is rounded." */
static void activate(const ref_spec *spec, real *value, size_t n)
{
    for (size_t i = 0; spec->act != 0 && i < n; i++) {
        value[i] = (real)activations[spec->act]((float)value[i]);
    }
}

#endif
