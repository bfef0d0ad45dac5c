/* A rival: somebody else's way to compute the same rows, timed in turn with our kernels on the same buffers.
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

typedef enum bench_dtype { BENCH_F32, BENCH_BF16, BENCH_F16 } bench_dtype;
typedef enum bench_fusion { BENCH_NO_ADD, BENCH_ADD, BENCH_ADDOUT } bench_fusion;

/* What to compute. Rows lie one behind the other; arrays are aligned to 64 bytes and do not overlap. */
typedef struct bench_call {
    int layernorm;       /* LayerNorm with gamma and beta, else RMSNorm with gamma */
    bench_fusion fusion; /* BENCH_ADD: of x + residual, rounded to dtype. BENCH_ADDOUT: the same, and store it in sum */
    bench_dtype dtype;   /* of every array; bf16 and f16 lie in uint16_t */
    size_t rows, h;
    float eps;
    const void *x, *residual, *gamma, *beta;
    void *y, *sum;
    void *state; /* the rival's own */
} bench_call;

typedef struct bench_rival {
    const char *name;
    /* 0: knowingly inexact, listed apart (as a variance by E[x^2] - E[x]^2, wrong for rows with a large mean). */
    int accurate;
    /* 1 if the rival can do this call; it may prepare what it likes and keep it in call->state. */
    int (*open)(bench_call *call);
    void (*run)(const bench_call *call);
    void (*close)(bench_call *call); /* frees call->state; may be NULL */
} bench_rival;

extern const bench_rival BENCH_RIVALS[];

#endif
