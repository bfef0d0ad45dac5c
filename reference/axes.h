/* Norms over other axes than rows of h elements: groups of channels, the batch, channels with the positions innermost,
 * and rows in shards.
 *
 * This is the text that axes_f32.c and axes_f64.c compile, each with its own types (real.h). */
#ifndef NG_REFERENCE_AXES_H
#define NG_REFERENCE_AXES_H

#include "batchnorm.h"
#include "channelnorm.h"
#include "groupnorm.h"
#include "powernorm.h"
#include "shards.h"

typedef void kernel(const ref_spec *spec, const ref_call *call);

/* The kernels of norms, one for each direction. */
static kernel *const row_kernels[REF_DIRECTIONS] = {
    [REF_FWD] = channelnorm, [REF_STATS] = shard_stats, [REF_MERGE] = shard_merge, [REF_APPLY] = shard_apply};
static kernel *const group_kernels[REF_DIRECTIONS] = {[REF_FWD] = groupnorm};
static kernel *const batchnorm_kernels[REF_DIRECTIONS] = {[REF_FWD] = batchnorm_fwd,
                                                          [REF_INFER] = batchnorm_infer,
                                                          [REF_INFER_FOLDED] = batchnorm_folded,
                                                          [REF_FOLDSTATS] = batchnorm_foldstats,
                                                          [REF_STATS] = batchnorm_stats,
                                                          [REF_MERGE] = batchnorm_merge,
                                                          [REF_APPLY] = batchnorm_apply};
static kernel *const powernorm_kernels[REF_DIRECTIONS] = {[REF_FWD] = powernorm_fwd, [REF_INFER] = powernorm_infer};
static kernel *const mvn_kernels[REF_DIRECTIONS] = {[REF_FWD] = mvn};

static kernel *const *const kernels[REF_NORMS] = {
#define NORM(constant, word, affine, has, directions, layouts, row, axes) [REF_##constant] = axes,
#include "norms.inc"
};

/* "rows = 0 or positions = 0: nothing is read or written"; that of rows is seen to where calls come in. */
static void compute(const ref_spec *spec, const ref_call *call)
{
    if (ref_positions(spec, &call->scalars) > 0) {
        kernels[spec->norm][spec->direction](spec, call);
    }
}

#endif
