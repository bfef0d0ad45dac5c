#ifndef NG_REFERENCE_DYT_H
#define NG_REFERENCE_DYT_H

#include "elementary.h"
#include "norm.h"

/* DyT (Zhu, Chen, He, LeCun, Liu 2025): "tanh(alpha * x)"; alpha stands in the place of eps. */
static statistics dyt(const ref_spec *spec, real *row, acc alpha)
{
    for (size_t i = 0; i < spec->h; i++) {
        row[i] = (real)ref_tanh((float)((real)alpha * row[i]));
    }
    return (statistics){0, 0};
}

#endif
