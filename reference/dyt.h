#ifndef NG_REFERENCE_DYT_H
#define NG_REFERENCE_DYT_H

#include "elementary.h"
#include "norm.h"

/* DyT (Zhu, Chen, He, LeCun, Liu 2025): "tanh(alpha * x)". */
static statistics dyt(const ref_spec *spec, real *row, size_t n, numbers with)
{
    (void)spec;
    for (size_t i = 0; i < n; i++) {
        row[i] = (real)ref_tanh((float)(with.alpha * row[i]));
    }
    return (statistics){0, 0};
}

#endif
