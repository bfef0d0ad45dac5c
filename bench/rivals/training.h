/* What a training step of BatchNorm keeps of a channel beside y, for rivals that find mean and variance alone. */
#ifndef BENCH_TRAINING_H
#define BENCH_TRAINING_H

#include <math.h>

#include "../rival.h"

/* Saves the statistics of a channel and moves the running ones. */
static inline void keep_statistics(const bench_call *c, size_t channel, float mean, float variance)
{
    const float n = (float)(c->rows * c->positions);
    const float unbiased = n > 1 ? variance * (n / (n - 1)) : variance;
    c->saved_mean[channel] = mean;
    c->saved_rstd[channel] = 1 / sqrtf(variance + c->eps);
    c->running_mean[channel] += c->momentum * (mean - c->running_mean[channel]);
    c->running_var[channel] += c->momentum * (unbiased - c->running_var[channel]);
}

#endif
