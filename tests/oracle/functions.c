#include "functions.h"

#include <math.h>

#include "piecewise.h"

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

static void exact_relu(mpfr_t to, const mpfr_t x)
{
    mpfr_set(to, x, MPFR_RNDN);
    if (mpfr_sgn(x) < 0) {
        mpfr_set_zero(to, 1);
    }
}

/* x, but not above 6. */
static void at_most_6(mpfr_t x)
{
    if (mpfr_cmp_ui(x, 6) > 0) {
        mpfr_set_ui(x, 6, MPFR_RNDN);
    }
}

static void exact_relu6(mpfr_t to, const mpfr_t x)
{
    exact_relu(to, x);
    at_most_6(to);
}

static void exact_hardswish(mpfr_t to, const mpfr_t x)
{
    mpfr_t shifted;
    mpfr_init2(shifted, mpfr_get_prec(to));
    mpfr_add_ui(shifted, x, 3, MPFR_RNDN);
    exact_relu6(to, shifted);
    mpfr_mul(to, to, x, MPFR_RNDN);
    mpfr_div_ui(to, to, 6, MPFR_RNDN);
    mpfr_clear(shifted);
}

/* log(1 + exp(x)), without overflow. */
static void exact_softplus(mpfr_t to, const mpfr_t x)
{
    mpfr_abs(to, x, MPFR_RNDN);
    mpfr_neg(to, to, MPFR_RNDN);
    mpfr_exp(to, to, MPFR_RNDN);
    mpfr_log1p(to, to, MPFR_RNDN);
    if (mpfr_sgn(x) > 0) {
        mpfr_add(to, to, x, MPFR_RNDN);
    }
}

static void exact_mish(mpfr_t to, const mpfr_t x)
{
    exact_softplus(to, x);
    mpfr_tanh(to, to, MPFR_RNDN);
    mpfr_mul(to, to, x, MPFR_RNDN);
}

const oracle_function oracle_functions[ORACLE_FUNCTIONS] = {
    [ORACLE_EXP] = {"exp", ref_exp, exact_exp, INFINITY, 1},
    [REF_SIGMOID] = {"sigmoid", ref_sigmoid, exact_sigmoid, 0.25, 1.75},
    [REF_TANH] = {"tanh", ref_tanh, exact_tanh, 1, 1.5},
    [REF_SILU] = {"silu", ref_silu, exact_silu, 1.1, 2},
    [REF_GELU] = {"gelu", ref_gelu, exact_gelu, 1.13, 2.3},
    [REF_GELUTANH] = {"gelutanh", ref_gelutanh, exact_gelutanh, 1.13, 2.3},
    [REF_RELU] = {"relu", ref_relu, exact_relu, 1, 0},
    [REF_RELU6] = {"relu6", ref_relu6, exact_relu6, 1, 0},
    [REF_HARDSWISH] = {"hardswish", ref_hardswish, exact_hardswish, 1.5, 2.2},
    [REF_SOFTPLUS] = {"softplus", ref_softplus, exact_softplus, 1, 2.2},
    [REF_MISH] = {"mish", ref_mish, exact_mish, 1.09, 2.1},
};
