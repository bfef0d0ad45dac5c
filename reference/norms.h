/* What a spec may say of each norm: the lines of norms.inc. */
#ifndef NG_REFERENCE_NORMS_H
#define NG_REFERENCE_NORMS_H

#include "spec.h"

typedef struct ref_norm {
    const char *word;
    int affine; /* what it sets by default */
    int has_cast;
    int has_mean; /* and so center= */
    int has_rstd; /* and so stats */
    int has_eps;
    int has_shards;
    int has_channels; /* c= in the place of h= */
    int is_of_weights;
    int directions; /* a bit for each, but for those that shards= has */
    int layouts;    /* a bit for each; bit 0: none */
} ref_norm;

extern const ref_norm ref_norms[REF_NORMS];

#endif
