/* What a norm of the reference is. The norms are one file each: rmsnorm.h, layernorm.h, ... */
#ifndef NG_REFERENCE_NORM_H
#define NG_REFERENCE_NORM_H

#include "spec.h"
#include "sums.h"

/* "Saved statistics: mean = mu + delta, rstd." Rounded to the type of elements, as they are stored. */
typedef struct statistics {
    real mean; /* of norms that have one */
    real rstd;
} statistics;

/* The numbers that a norm may need: eps, of scalenorm and weightnorm g, of dyt alpha. */
typedef struct numbers {
    acc eps;
    acc g;
    real alpha;
} numbers;

/* Turns n elements, a row or a part of one, into their normalised values, in place. */
typedef statistics norm(const ref_spec *spec, real *row, size_t n, numbers with);

#endif
