/* Rows of test data for the oracle. */
#ifndef NG_TESTS_ORACLE_DATA_H
#define NG_TESTS_ORACLE_DATA_H

#include <stddef.h>
#include <stdint.h>

/* A random number in [0, 1); the state is any number. */
double data_uniform(uint64_t *state);

/* Close to N(0, 1). */
double data_normal(uint64_t *state);

typedef struct data_kind {
    const char *name;
    void (*fill)(double *row, size_t n, uint64_t *state);
} data_kind;

enum { DATA_KINDS = 11 };
extern const data_kind data_kinds[DATA_KINDS];

/* One more, in which the variance is lost that is computed from squares in bf16. */
extern const data_kind data_mean_5;

/* Parameters that differ from column to column, between -2 and 2. */
void data_parameters(double *parameter, size_t n, uint64_t *state);

/* The same as floats. */
void data_fill_floats(const data_kind *kind, float *row, size_t n, uint64_t *state);
void data_float_parameters(float *parameter, size_t n, uint64_t *state);

/* A constant; numbers close to N(mean, std^2). */
void data_fill(float *row, size_t n, float value);
void data_fill_normal(float *row, size_t n, double mean, double std, uint64_t *state);

#endif
