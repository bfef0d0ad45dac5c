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

/* One for each norm and direction. */
static kernel *const kernels[][REF_INFER_FOLDED + 1] = {
    [REF_RMSNORM] =
        {[REF_FWD] = channelnorm, [REF_STATS] = shard_stats, [REF_MERGE] = shard_merge, [REF_APPLY] = shard_apply},
    [REF_LAYERNORM] =
        {[REF_FWD] = channelnorm, [REF_STATS] = shard_stats, [REF_MERGE] = shard_merge, [REF_APPLY] = shard_apply},
    [REF_GROUPNORM] = {[REF_FWD] = groupnorm},
    [REF_INSTANCENORM] = {[REF_FWD] = groupnorm},
    [REF_BATCHNORM] = {[REF_FWD] = batchnorm_fwd,
                       [REF_INFER] = batchnorm_infer,
                       [REF_INFER_FOLDED] = batchnorm_folded,
                       [REF_FOLDSTATS] = batchnorm_foldstats,
                       [REF_STATS] = batchnorm_stats,
                       [REF_MERGE] = batchnorm_merge,
                       [REF_APPLY] = batchnorm_apply},
    [REF_POWERNORM] = {[REF_FWD] = powernorm_fwd, [REF_INFER] = powernorm_infer},
    [REF_MVN] = {[REF_FWD] = mvn},
};

/* "rows = 0 or positions = 0: nothing is read or written"; that of rows is seen to where calls come in. */
static void compute(const ref_spec *spec, const ref_call *call)
{
    if (ref_positions(spec, &call->scalars) > 0) {
        kernels[spec->norm][spec->direction](spec, call);
    }
}

#endif
