/* The elementary functions of the reference against MPFR: how many units in the last place they are off at most, and
 * what they give for zeros, infinities and NaN.
 *
 *   test_elementary             inputs all over the range of f32
 *   test_elementary FUNCTION    all inputs; double finds those that are worst, MPFR judges them. Takes some minutes */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/suite.h"
#include "contract.h"
#include "functions.h"

enum { BITS = 120, SAMPLES = 150000 };

/* The same by the C library, to find the worst of all inputs. */
static double libm_logistic(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

static double libm_exp(double x)
{
    return exp(x);
}

static double libm_tanh(double x)
{
    return tanh(x);
}

static double libm_silu(double x)
{
    return x * libm_logistic(x);
}

static double libm_gelu(double x)
{
    return x * 0.5 * erfc(-x * 0.70710678118654752440);
}

static double libm_gelutanh(double x)
{
    return x * libm_logistic(1.59576912160573071176 * (x + 0.044715 * x * x * x));
}

static double libm_relu(double x)
{
    return x > 0 ? x : 0;
}

static double libm_relu6(double x)
{
    return fmin(libm_relu(x), 6);
}

static double libm_hardswish(double x)
{
    return x * libm_relu6(x + 3) / 6;
}

static double libm_softplus(double x)
{
    return libm_relu(x) + log1p(exp(-fabs(x)));
}

static double libm_mish(double x)
{
    const double e = exp(-fabs(x));
    return x < 0 ? x * (e * e + 2 * e) / (e * e + 2 * e + 2) : x * (1 + 2 * e) / (1 + 2 * e + 2 * e * e);
}

/* What else is known of the functions: double precision, and the values at +-0 and +-infinity. */
static const struct known {
    double (*libm)(double x);
    float at_minus_zero, at_zero, at_minus_infinity, at_infinity;
} known[ORACLE_FUNCTIONS] = {
    [ORACLE_EXP] = {libm_exp, 1, 1, 0, INFINITY},
    [REF_SIGMOID] = {libm_logistic, 0.5F, 0.5F, 0, 1},
    [REF_TANH] = {libm_tanh, -0.0F, 0, -1, 1},
    [REF_SILU] = {libm_silu, -0.0F, 0, -0.0F, INFINITY},
    [REF_GELU] = {libm_gelu, -0.0F, 0, -0.0F, INFINITY},
    [REF_GELUTANH] = {libm_gelutanh, -0.0F, 0, -0.0F, INFINITY},
    [REF_RELU] = {libm_relu, -0.0F, 0, 0, INFINITY},
    [REF_RELU6] = {libm_relu6, -0.0F, 0, 0, 6},
    [REF_HARDSWISH] = {libm_hardswish, -0.0F, 0, 0, INFINITY},
    [REF_SOFTPLUS] = {libm_softplus, 0x1.62e43p-1F, 0x1.62e43p-1F, 0, INFINITY},
    [REF_MISH] = {libm_mish, -0.0F, 0, -0.0F, INFINITY},
};

/* The distance of a float from an exact value, in units in the last place of f32 there, subnormal numbers included.
 * Beyond the largest float infinity is right. */
static double ulps(float got, const mpfr_t exact)
{
    mpfr_t difference;
    const double overflow = 0x1.ffffffp127;
    if (mpfr_cmpabs_ui(exact, 0) == 0) {
        return got == 0 ? 0 : INFINITY;
    }
    if (isinf(got)) {
        return mpfr_cmp_d(exact, overflow) >= 0 ? 0 : INFINITY;
    }
    const long exponent = mpfr_get_exp(exact) - 1;
    const long place = (exponent < -126 ? -126 : exponent) - 23;
    mpfr_init2(difference, BITS);
    mpfr_sub_d(difference, exact, (double)got, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return ldexp(error, (int)-place);
}

static double judge(const oracle_function *f, float x)
{
    mpfr_t in, exact;
    mpfr_inits2(BITS, in, exact, (mpfr_ptr)NULL);
    mpfr_set_flt(in, x, MPFR_RNDN);
    f->exact(exact, in);
    const float got = f->ours(x);
    const double error = signbit(got) && mpfr_sgn(exact) > 0 ? INFINITY : ulps(got, exact);
    mpfr_clears(in, exact, (mpfr_ptr)NULL);
    return error;
}

/* Every exponent is as likely as any other. */
static float random_float(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return ref_f32_of_bits((uint32_t)(*state >> 32));
}

/* From -128 to 128, where functions bend. */
static float random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (float)(int32_t)(*state >> 32) * 0x1p-24F;
}

START_TEST(error_is_within_the_bound)
{
    const oracle_function *f = &oracle_functions[_i];
    uint64_t state = 20251129 + (uint64_t)_i;
    double worst = 0;
    float at = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const float x = i % 4 == 0   ? random_float(&state)
                        : i % 4 == 1 ? random_number(&state)
                                     : random_number(&state) / 32;
        const double error = isfinite(x) ? judge(f, x) : 0;
        at = error > worst ? x : at;
        worst = error > worst ? error : worst;
    }
    printf("elementary %s: error %.3f at %a, bound %g\n", f->name, worst, (double)at, f->ulps);
    ck_assert_msg(worst <= f->ulps, "%s(%a): error is %g units in the last place", f->name, (double)at, worst);
    ck_assert(worst >= 0.45 * f->ulps);
}
END_TEST

static int is_same(float a, float b)
{
    return ref_bits_of_f32(a) == ref_bits_of_f32(b);
}

START_TEST(limits_zeros_and_nan)
{
    const struct known *k = &known[_i];
    const oracle_function *f = &oracle_functions[_i];
    ck_assert(is_same(f->ours(-0.0F), k->at_minus_zero));
    ck_assert(is_same(f->ours(0.0F), k->at_zero));
    ck_assert(is_same(f->ours(-INFINITY), k->at_minus_infinity));
    ck_assert(is_same(f->ours(INFINITY), k->at_infinity));
    ck_assert(is_same(f->ours(-0x1.fffffep127F), k->at_minus_infinity));
    ck_assert(is_same(f->ours(0x1.fffffep127F),
                      isinf(k->at_infinity) && f->ours != ref_exp ? 0x1.fffffep127F : k->at_infinity));
    for (uint32_t payload = 1; payload < 0x800000U; payload *= 2) {
        ck_assert(isnan(f->ours(ref_f32_of_bits(0x7f800000U | payload))));
        ck_assert(isnan(f->ours(ref_f32_of_bits(0xff800000U | payload))));
    }
}
END_TEST

/* No jumps where one formula ends and another begins, and none where a limit is reached. */
START_TEST(neighbours_of_limits)
{
    static const float limits[] = {0.625F, 3, 6, 11, 15, 30, 87.3365479F, 88.7228394F, 89, 103.972084F, 104, 120};
    const oracle_function *f = &oracle_functions[_i];
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        for (int step = -500; step <= 500; step++) {
            const float x = ref_f32_of_bits(ref_bits_of_f32(limits[i]) + (uint32_t)step);
            ck_assert(judge(f, x) <= f->ulps && judge(f, -x) <= f->ulps);
        }
    }
}
END_TEST

/* The error by the C library's double, which is itself off by a few 2^-53. */
static double estimate(int function, float x)
{
    const double exact = known[function].libm((double)x);
    int exponent;
    frexp(exact, &exponent);
    const int place = (exponent < -125 ? -125 : exponent) - 24;
    return ldexp(fabs(exact - (double)oracle_functions[function].ours(x)), -place);
}

static int judge_all(int function)
{
    const oracle_function *f = &oracle_functions[function];
    double worst = 0;
    float at = 0;
    size_t judged = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits++) {
        const float x = ref_f32_of_bits((uint32_t)bits);
        if (isfinite(x) && !(estimate(function, x) < 0.98 * worst)) {
            const double error = judge(f, x);
            at = error > worst ? x : at;
            worst = error > worst ? error : worst;
            judged++;
        }
    }
    printf("elementary %s: all inputs, %zu of them by MPFR: error %.4f at %a, bound %g\n", f->name, judged, worst,
           (double)at, f->ulps);
    return worst <= f->ulps ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < ORACLE_FUNCTIONS && argc == 2; i++) {
        if (strcmp(argv[1], oracle_functions[i].name) == 0) {
            return judge_all(i);
        }
    }
    Suite *suite = suite_create("elementary");
    TCase *errors = add_case(suite, "errors");
    tcase_add_loop_test(errors, error_is_within_the_bound, 0, ORACLE_FUNCTIONS);
    tcase_add_loop_test(errors, limits_zeros_and_nan, 0, ORACLE_FUNCTIONS);
    tcase_add_loop_test(errors, neighbours_of_limits, 0, ORACLE_FUNCTIONS);
    return run_suite(suite);
}
