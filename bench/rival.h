/* A rival: somebody else's way to compute the same norm, timed in turn with our kernels on the same buffers.
 *
 * One C file is enough: it defines BENCH_RIVALS, an array of rivals that ends with one without a name. The command
 * compiles it with its own name for the array:
 *
 *     normgen bench SPEC --target native --rival 'mine.c -O3 -march=native'
 */
#ifndef BENCH_RIVAL_H
#define BENCH_RIVAL_H

#include <stddef.h>

#ifndef BENCH_RIVALS
#define BENCH_RIVALS bench_rivals
#endif

/* Two norms of rows of h elements, and norms of channels. All but RMSNorm have gamma and beta. */
typedef enum bench_norm {
    BENCH_RMSNORM,
    BENCH_LAYERNORM,
    BENCH_GROUPNORM, /* over the channels of a group and all positions of a row; InstanceNorm: each its own group */
    BENCH_BATCHNORM_INFER, /* with a mean and a variance that are given */
    BENCH_BATCHNORM_FWD,   /* training: over all rows and positions of a channel */
    BENCH_LAYERNORM_NCHW   /* over the channels of each position */
} bench_norm;

typedef enum bench_dtype { BENCH_F32, BENCH_BF16, BENCH_F16 } bench_dtype;
typedef enum bench_fusion { BENCH_NO_ADD, BENCH_ADD, BENCH_ADDOUT } bench_fusion;
typedef enum bench_layout { BENCH_NCHW, BENCH_NHWC } bench_layout;

/* What to compute. Rows lie one behind the other; arrays are aligned to 64 bytes and do not overlap. */
typedef struct bench_call {
    bench_norm norm;
    bench_fusion fusion; /* BENCH_ADD: of x + residual, rounded to dtype. BENCH_ADDOUT: the same, and store it in sum */
    bench_dtype dtype;   /* of x, residual, gamma, beta, y, sum; bf16 and f16 lie in uint16_t */
    size_t rows, h;
    float eps;
    const void *x, *residual, *gamma, *beta;
    void *y, *sum;

    /* Norms of channels: a row of x and y is [channels, positions] (nchw) or [positions, channels] (nhwc), the other
       arrays have a value for each channel; there is no residual. */
    bench_layout layout;
    size_t channels, groups, positions; /* groups: of BENCH_GROUPNORM */
    const float *mean, *var;            /* of BENCH_BATCHNORM_INFER */
    /* Outputs of BENCH_BATCHNORM_FWD: mean and 1 / sqrt(variance + eps) of the batch. What runs, moves by momentum
       times its distance to the batch's mean, and to its variance with one value less in the divisor. */
    float *saved_mean, *saved_rstd, *running_mean, *running_var;
    float momentum;

    void *state; /* the rival's own */
} bench_call;

typedef struct bench_rival {
    const char *name;
    /* 0: knowingly inexact, listed apart (as a variance by E[x^2] - E[x]^2, wrong for rows with a large mean). */
    int accurate;
    /* 1 if the rival knows this norm and can do the call; it may prepare what it likes and keep it in call->state. */
    int (*open)(bench_call *call);
    void (*run)(const bench_call *call);
    void (*close)(bench_call *call); /* frees call->state; may be NULL */
} bench_rival;

extern const bench_rival BENCH_RIVALS[];

#endif
