/* Calls the reference with arrays of floats, whatever the formats of the spec. */
#ifndef NG_TESTS_ORACLE_CALL_H
#define NG_TESTS_ORACLE_CALL_H

#include <stddef.h>

/* The arrays of a call; those that the spec does not have are not looked at. Inputs are rounded to their formats,
 * outputs widened. */
typedef struct call {
    const float *x, *residual, *gamma, *beta;
    float eps;
    float *y, *sum;
} call;

/* Runs the reference on `rows` rows; fails the Check test if it does not understand the spec. */
void call_reference(const char *spec_text, size_t rows, const call *c);

#endif
