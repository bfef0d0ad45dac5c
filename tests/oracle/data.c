#include "data.h"

#include <math.h>

#include "contract.h"

double data_uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(*state >> 11) * 0x1p-53;
}

double data_normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        sum += data_uniform(state);
    }
    return sum;
}

static void fill_affine(double *row, size_t n, uint64_t *state, double mean, double std)
{
    for (size_t i = 0; i < n; i++) {
        row[i] = mean + std * data_normal(state);
    }
}

static void fill_normal(double *row, size_t n, uint64_t *state)
{
    fill_affine(row, n, state, 0, 1);
}

static void fill_shifted(double *row, size_t n, uint64_t *state)
{
    fill_affine(row, n, state, -5, 37);
}

static void fill_mean_5(double *row, size_t n, uint64_t *state)
{
    fill_affine(row, n, state, 5, 0.1);
}

static void fill_mean_1e3(double *row, size_t n, uint64_t *state)
{
    fill_affine(row, n, state, 1e3, 1);
}

static void fill_mean_1e5(double *row, size_t n, uint64_t *state)
{
    fill_affine(row, n, state, -1e5, 1);
}

static void fill_mean_1e7(double *row, size_t n, uint64_t *state)
{
    fill_affine(row, n, state, 1e7, 1);
}

static void fill_mean_1e12(double *row, size_t n, uint64_t *state)
{
    fill_affine(row, n, state, 1e12, 1);
}

/* The first elements, from which the pivot is made, are far away. */
static void fill_outliers(double *row, size_t n, uint64_t *state)
{
    fill_affine(row, n, state, 0, 1);
    for (size_t i = 0; i < (n + 63) / 64; i++) {
        row[i] = 1e4 + 10 * data_normal(state);
    }
}

static void fill_ramp(double *row, size_t n, uint64_t *state)
{
    const double step = data_uniform(state);
    for (size_t i = 0; i < n; i++) {
        row[i] = 1 + step * (double)i;
    }
}

static void fill_constant(double *row, size_t n, uint64_t *state)
{
    fill_affine(row, 1, state, 3, 10);
    for (size_t i = 1; i < n; i++) {
        row[i] = row[0];
    }
}

static void fill_wide(double *row, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) {
        row[i] = ldexp(data_normal(state), (int)(60 * data_uniform(state)) - 30);
    }
}

static void fill_alternating(double *row, size_t n, uint64_t *state)
{
    const double size = 1 + data_uniform(state);
    for (size_t i = 0; i < n; i++) {
        row[i] = i % 2 == 0 ? size : -size;
    }
}

const data_kind data_kinds[DATA_KINDS] = {
    {"normal", fill_normal},
    {"mean -5 std 37", fill_shifted},
    {"mean/std 1e3", fill_mean_1e3},
    {"mean/std 1e5", fill_mean_1e5},
    {"mean/std 1e7", fill_mean_1e7},
    {"mean/std 1e12", fill_mean_1e12},
    {"outliers in head", fill_outliers},
    {"ramp", fill_ramp},
    {"constant", fill_constant},
    {"wide range", fill_wide},
    {"alternating", fill_alternating},
};

const data_kind data_mean_5 = {"mean 5 std 0.1", fill_mean_5};

void data_parameters(double *parameter, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) {
        parameter[i] = 4 * data_uniform(state) - 2;
    }
}

static void to_floats(float *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = (float)from[i];
    }
}

static double scratch[REF_MAX_H];

void data_fill_floats(const data_kind *kind, float *row, size_t n, uint64_t *state)
{
    kind->fill(scratch, n, state);
    to_floats(row, scratch, n);
}

void data_float_parameters(float *parameter, size_t n, uint64_t *state)
{
    data_parameters(scratch, n, state);
    to_floats(parameter, scratch, n);
}

void data_fill(float *row, size_t n, float value)
{
    for (size_t i = 0; i < n; i++) {
        row[i] = value;
    }
}

void data_fill_normal(float *row, size_t n, double mean, double std, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) {
        row[i] = (float)(mean + std * data_normal(state));
    }
}
