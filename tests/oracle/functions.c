#include "functions.h"

#include <math.h>

/* exp(x) / (1 + exp(x)), without overflow. */
static void logistic(mpfr_t to, const mpfr_t x)
{
    mpfr_neg(to, x, MPFR_RNDN);
    mpfr_exp(to, to, MPFR_RNDN);
    mpfr_add_ui(to, to, 1, MPFR_RNDN);
    mpfr_ui_div(to, 1, to, MPFR_RNDN);
}

static void exact_exp(mpfr_t to, const mpfr_t x)
{
    mpfr_exp(to, x, MPFR_RNDN);
}

static void exact_sigmoid(mpfr_t to, const mpfr_t x)
{
    logistic(to, x);
}

static void exact_tanh(mpfr_t to, const mpfr_t x)
{
    mpfr_tanh(to, x, MPFR_RNDN);
}

static void exact_silu(mpfr_t to, const mpfr_t x)
{
    logistic(to, x);
    mpfr_mul(to, to, x, MPFR_RNDN);
}

static void exact_gelu(mpfr_t to, const mpfr_t x)
{
    mpfr_sqrt_ui(to, 2, MPFR_RNDN);
    mpfr_div(to, x, to, MPFR_RNDN);
    mpfr_neg(to, to, MPFR_RNDN);
    mpfr_erfc(to, to, MPFR_RNDN);
    mpfr_mul(to, to, x, MPFR_RNDN);
    mpfr_div_2ui(to, to, 1, MPFR_RNDN);
}

static void exact_gelutanh(mpfr_t to, const mpfr_t x)
{
    mpfr_t factor;
    mpfr_init2(factor, mpfr_get_prec(to));
    mpfr_sqr(to, x, MPFR_RNDN);
    mpfr_mul_ui(to, to, 44715, MPFR_RNDN);
    mpfr_div_ui(to, to, 1000000, MPFR_RNDN);
    mpfr_add_ui(to, to, 1, MPFR_RNDN);
    mpfr_mul(to, to, x, MPFR_RNDN);
    mpfr_const_pi(factor, MPFR_RNDN);
    mpfr_ui_div(factor, 8, factor, MPFR_RNDN);
    mpfr_sqrt(factor, factor, MPFR_RNDN);
    mpfr_mul(factor, factor, to, MPFR_RNDN);
    logistic(to, factor);
    mpfr_mul(to, to, x, MPFR_RNDN);
    mpfr_clear(factor);
}

const oracle_function oracle_functions[ORACLE_FUNCTIONS] = {
    [ORACLE_EXP] = {"exp", ref_exp, exact_exp, INFINITY, 1},
    [ORACLE_SIGMOID] = {"sigmoid", ref_sigmoid, exact_sigmoid, 0.25, 1.75},
    [ORACLE_TANH] = {"tanh", ref_tanh, exact_tanh, 1, 1.5},
    [ORACLE_SILU] = {"silu", ref_silu, exact_silu, 1.1, 2},
    [ORACLE_GELU] = {"gelu", ref_gelu, exact_gelu, 1.13, 2.3},
    [ORACLE_GELUTANH] = {"gelutanh", ref_gelutanh, exact_gelutanh, 1.13, 2.3},
};
