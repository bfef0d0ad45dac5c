/* The elementary functions over the real numbers, by MPFR. */
#ifndef NG_TESTS_ORACLE_FUNCTIONS_H
#define NG_TESTS_ORACLE_FUNCTIONS_H

#include <mpfr.h>

#include "elementary.h"

/* A function, its largest slope, and how many units in the last place the contract's is off at most (docs/numerics.md).
 */
typedef struct oracle_function {
    const char *name;
    ref_function *ours;
    void (*exact)(mpfr_t to, const mpfr_t x); /* at the precision of `to`, which is not x */
    double slope, ulps;
} oracle_function;

enum { ORACLE_EXP, ORACLE_SIGMOID, ORACLE_TANH, ORACLE_SILU, ORACLE_GELU, ORACLE_GELUTANH, ORACLE_FUNCTIONS };
extern const oracle_function oracle_functions[ORACLE_FUNCTIONS];

#endif
