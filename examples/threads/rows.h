/* What the examples share: a matrix, and the question whether a split of its rows among threads changed a bit. */
#ifndef ROWS_H
#define ROWS_H

#define NG_STATIC
#define NG_IMPLEMENTATION
#include "ng_kernels_single.h"
#include <stdio.h>
#include <string.h>

enum { ROWS = 1001, WIDTH = 100, MOST_THREADS = 8 };

static float x[ROWS * WIDTH], gamma_[WIDTH], beta[WIDTH], whole[ROWS * WIDTH], split[ROWS * WIDTH];

/* The first row of a part, if the rows are dealt out to `threads` threads. */
static size_t first_row(int part, int threads)
{
    return (size_t)part * ROWS / (size_t)threads;
}

/* Normalises the rows of a part. All a thread needs to know is where its rows lie. */
static void normalise_part(int part, int threads)
{
    const size_t begin = first_row(part, threads), end = first_row(part + 1, threads);
    ng_layernorm_fwd_f32_h100(end - begin, x + begin * WIDTH, gamma_, beta, 1e-5f, split + begin * WIDTH);
}

/* Runs a function that splits the rows among 1 to MOST_THREADS threads; 0 if each gives the bits of a single call. */
static int compare_splits(const char *name, void (*normalise)(int threads))
{
    for (int i = 0; i < ROWS * WIDTH; ++i) x[i] = (float)(i * 7919 % 2003) / 64.0f - 15.0f;
    for (int i = 0; i < WIDTH; ++i) {
        gamma_[i] = 1.0f + (float)i / 128.0f;
        beta[i] = (float)(i % 3);
    }
    ng_layernorm_fwd_f32_h100(ROWS, x, gamma_, beta, 1e-5f, whole);
    for (int threads = 1; threads <= MOST_THREADS; ++threads) {
        memset(split, 0, sizeof split);
        normalise(threads);
        if (memcmp(split, whole, sizeof whole) != 0) {
            printf("%s: %d threads give other bits\n", name, threads);
            return 1;
        }
    }
    printf("%s: the same bits from 1 to %d threads\n", name, MOST_THREADS);
    return 0;
}

#endif
