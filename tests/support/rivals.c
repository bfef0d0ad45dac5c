/* Rivals for the test of the bench program: some that are right, and others that it must see through. They know
   LayerNorm of f32 rows without a residual, or a training step of BatchNorm in nchw. */
#include "rival.h"

#include <math.h>
#include <stdlib.h>

static int open_layernorm(bench_call *call)
{
    return call->norm == BENCH_LAYERNORM && call->dtype == BENCH_F32 && call->fusion == BENCH_NO_ADD;
}

static void write_row(const bench_call *c, size_t row, double mean, double variance)
{
    const float *x = (const float *)c->x + row * c->h, *gamma = c->gamma, *beta = c->beta;
    float *y = (float *)c->y + row * c->h;
    for (size_t i = 0; i < c->h; i++) y[i] = (float)((x[i] - mean) / sqrt(variance + c->eps) * gamma[i] + beta[i]);
}

static void run_right(const bench_call *c)
{
    for (size_t row = 0; row < c->rows; row++) {
        const float *x = (const float *)c->x + row * c->h;
        double mean = 0, variance = 0;
        for (size_t i = 0; i < c->h; i++) mean += x[i] / (double)c->h;
        for (size_t i = 0; i < c->h; i++) variance += (x[i] - mean) * (x[i] - mean) / (double)c->h;
        write_row(c, row, mean, variance);
    }
}

/* E[x^2] - E[x]^2 in float. */
static void run_careless(const bench_call *c)
{
    for (size_t row = 0; row < c->rows; row++) {
        const float *x = (const float *)c->x + row * c->h, n = (float)c->h;
        float sum = 0, squares = 0;
        for (size_t i = 0; i < c->h; i++) {
            sum += x[i];
            squares += x[i] * x[i];
        }
        write_row(c, row, sum / n, squares / n - sum / n * (sum / n));
    }
}

/* Leaves the last element of the last row out. */
static void run_short(const bench_call *c)
{
    float *last = (float *)c->y + c->rows * c->h - 1;
    const float before = *last;
    run_right(c);
    *last = before;
}

/* Right up to a part in a thousand. */
static void run_rough(const bench_call *c)
{
    run_right(c);
    for (size_t i = 0; i < c->rows * c->h; i++) ((float *)c->y)[i] *= 1.001f;
}

/* Has state, which it must get back. */
static int open_with_state(bench_call *call)
{
    if (!open_layernorm(call)) return 0;
    call->state = malloc(1);
    return call->state != NULL;
}

static void close_with_state(bench_call *call)
{
    free(call->state);
    call->state = NULL;
}

static int open_training(bench_call *call)
{
    return call->norm == BENCH_BATCHNORM_FWD && call->layout == BENCH_NCHW && call->dtype == BENCH_F32;
}

/* The place of value i of a channel. */
static size_t place(const bench_call *c, size_t channel, size_t i)
{
    return (i / c->positions * c->channels + channel) * c->positions + i % c->positions;
}

static void train(const bench_call *c, size_t channel)
{
    const float *x = c->x, *gamma = c->gamma, *beta = c->beta;
    const size_t count = c->rows * c->positions;
    double mean = 0, variance = 0;
    for (size_t i = 0; i < count; i++) mean += x[place(c, channel, i)] / (double)count;
    for (size_t i = 0; i < count; i++) variance += pow(x[place(c, channel, i)] - mean, 2) / (double)count;
    const double rstd = 1 / sqrt(variance + c->eps);
    for (size_t i = 0; i < count; i++) {
        const size_t at = place(c, channel, i);
        ((float *)c->y)[at] = (float)((x[at] - mean) * rstd * gamma[channel] + beta[channel]);
    }
    c->saved_mean[channel] = (float)mean;
    c->saved_rstd[channel] = (float)rstd;
    const double unbiased = variance * (double)count / (double)(count - 1);
    c->running_mean[channel] += c->momentum * (float)(mean - c->running_mean[channel]);
    c->running_var[channel] += c->momentum * (float)(unbiased - c->running_var[channel]);
}

static void run_training(const bench_call *c)
{
    for (size_t channel = 0; channel < c->channels; channel++) train(c, channel);
}

/* Does not save what is only written. */
static void run_forgetful(const bench_call *c)
{
    const float before = c->saved_rstd[0];
    run_training(c);
    c->saved_rstd[0] = before;
}

/* Does not move what is read as well. */
static void run_lazy(const bench_call *c)
{
    const float before = c->running_var[0];
    run_training(c);
    c->running_var[0] = before;
}

const bench_rival BENCH_RIVALS[] = {
    {"right", 1, open_layernorm, run_right, NULL},
    {"with state", 1, open_with_state, run_right, close_with_state},
    {"careless", 1, open_layernorm, run_careless, NULL},
    {"admits it", 0, open_layernorm, run_careless, NULL},
    {"short", 1, open_layernorm, run_short, NULL},
    {"rough", 1, open_layernorm, run_rough, NULL},
    {"trains", 1, open_training, run_training, NULL},
    {"forgetful", 1, open_training, run_forgetful, NULL},
    {"lazy", 1, open_training, run_lazy, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
