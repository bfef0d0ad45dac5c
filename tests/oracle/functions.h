/* The elementary functions over the real numbers, by MPFR. */
#ifndef NG_TESTS_ORACLE_FUNCTIONS_H
#define NG_TESTS_ORACLE_FUNCTIONS_H

#include <mpfr.h>

#include "elementary.h"
#include "spec.h"

/* A function, its largest slope, and how many units in the last place the contract's is off at most (docs/numerics.md).
 */
typedef struct oracle_function {
    const char *name;
    ref_function *ours;
    void (*exact)(mpfr_t to, const mpfr_t x); /* at the precision of `to`, which is not x */
    double slope, ulps;
} oracle_function;

/* By activation; exp, which is none, is the first. */
enum { ORACLE_EXP = REF_NO_ACTIVATION, ORACLE_FUNCTIONS = REF_ACTIVATIONS };
extern const oracle_function oracle_functions[ORACLE_FUNCTIONS];

#endif
