#ifndef NG_REFERENCE_ACTIVATION_H
#define NG_REFERENCE_ACTIVATION_H

#include "elementary.h"
#include "piecewise.h"
#include "real.h"
#include "spec.h"

static real activated(int act, real value)
{
    // clang-format off
    switch (act) {
#define ACTIVATION(name, NAME, type) case REF_##NAME: return (real)ref_##name((type)value);
#include "activations.inc"
    default: return value;
    }
    // clang-format on
}

/* "act: on the result, before it is rounded." */
static void activate(const ref_spec *spec, real *value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        value[i] = activated(spec->act, value[i]);
    }
}

#endif
