#include "norms.h"

/* The words of norms.inc. */
enum {
    NOTHING,
    CAST = 1 << 0,
    MEAN = 1 << 1,
    RSTD = 1 << 2,
    EPS = 1 << 3,
    SHARDS = 1 << 4,
    CHANNELS = 1 << 5,
    WEIGHTS = 1 << 6
};
enum {
    FWD = 1 << REF_FWD,
    INFER = 1 << REF_INFER,
    EVERY = FWD | INFER | 1 << REF_FOLDSTATS | 1 << REF_STATS | 1 << REF_MERGE | 1 << REF_APPLY
};
enum {
    NO_LAYOUT = 1 << 0,
    NCHW_NHWC = 1 << REF_NCHW | 1 << REF_NHWC,
    ANY_LAYOUT = NCHW_NHWC | 1 << REF_ROWS_ONLY,
    MAYBE_NCHW = 1 << REF_NCHW | NO_LAYOUT
};

#define HAS(has, what) (((has) & (what)) != 0)
#define NORM(constant, word, affine, has, directions, layouts, row, axes)                                              \
    [REF_##constant] = {word,          REF_##affine,     HAS(has, CAST),     HAS(has, MEAN),    HAS(has, RSTD),        \
                        HAS(has, EPS), HAS(has, SHARDS), HAS(has, CHANNELS), HAS(has, WEIGHTS), directions,            \
                        layouts},

const ref_norm ref_norms[REF_NORMS] = {
#include "norms.inc"
};
