/* The elementary functions of the reference against MPFR: how many units in the last place they are off at most, and
 * what they give for zeros, infinities and NaN.
 *
 *   test_elementary             inputs all over the range of f32
 *   test_elementary FUNCTION    all inputs; double finds those that are worst, MPFR judges them. Takes some minutes */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "elementary.h"

enum { BITS = 120, SAMPLES = 150000 };

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
    mpfr_init2(factor, BITS);
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

/* A function, its largest error in units in the last place (docs/numerics.md), and its values at +-0 and +-infinity. */
static const struct function {
    const char *name;
    ref_function *ours;
    void (*exact)(mpfr_t to, const mpfr_t x);
    double (*libm)(double x);
    double bound;
    float at_minus_zero, at_zero, at_minus_infinity, at_infinity;
} functions[] = {
    {"exp", ref_exp, exact_exp, libm_exp, 1, 1, 1, 0, INFINITY},
    {"sigmoid", ref_sigmoid, exact_sigmoid, libm_logistic, 2, 0.5F, 0.5F, 0, 1},
    {"tanh", ref_tanh, exact_tanh, libm_tanh, 1.5, -0.0F, 0, -1, 1},
    {"silu", ref_silu, exact_silu, libm_silu, 2, -0.0F, 0, -0.0F, INFINITY},
    {"gelu", ref_gelu, exact_gelu, libm_gelu, 2.25, -0.0F, 0, -0.0F, INFINITY},
    {"gelutanh", ref_gelutanh, exact_gelutanh, libm_gelutanh, 2.125, -0.0F, 0, -0.0F, INFINITY},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

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

static double judge(const struct function *f, float x)
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
    const struct function *f = &functions[_i];
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
    printf("elementary %s: error %.3f at %a, bound %g\n", f->name, worst, (double)at, f->bound);
    ck_assert_msg(worst <= f->bound, "%s(%a): error is %g units in the last place", f->name, (double)at, worst);
    ck_assert(worst > 0.45 * f->bound);
}
END_TEST

static int is_same(float a, float b)
{
    return ref_bits_of_f32(a) == ref_bits_of_f32(b);
}

START_TEST(limits_zeros_and_nan)
{
    const struct function *f = &functions[_i];
    ck_assert(is_same(f->ours(-0.0F), f->at_minus_zero));
    ck_assert(is_same(f->ours(0.0F), f->at_zero));
    ck_assert(is_same(f->ours(-INFINITY), f->at_minus_infinity));
    ck_assert(is_same(f->ours(INFINITY), f->at_infinity));
    ck_assert(is_same(f->ours(-0x1.fffffep127F), f->at_minus_infinity));
    ck_assert(is_same(f->ours(0x1.fffffep127F),
                      isinf(f->at_infinity) && f->ours != ref_exp ? 0x1.fffffep127F : f->at_infinity));
    for (uint32_t payload = 1; payload < 0x800000U; payload *= 2) {
        ck_assert(isnan(f->ours(ref_f32_of_bits(0x7f800000U | payload))));
        ck_assert(isnan(f->ours(ref_f32_of_bits(0xff800000U | payload))));
    }
}
END_TEST

/* No jumps where one formula ends and another begins, and none where a limit is reached. */
START_TEST(neighbours_of_limits)
{
    static const float limits[] = {0.625F, 11, 15, 30, 87.3365479F, 88.7228394F, 89, 103.972084F, 104, 120};
    const struct function *f = &functions[_i];
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        for (int step = -500; step <= 500; step++) {
            const float x = ref_f32_of_bits(ref_bits_of_f32(limits[i]) + (uint32_t)step);
            ck_assert(judge(f, x) <= f->bound && judge(f, -x) <= f->bound);
        }
    }
}
END_TEST

/* The error by the C library's double, which is itself off by a few 2^-53. */
static double estimate(const struct function *f, float x)
{
    const double exact = f->libm((double)x);
    int exponent;
    frexp(exact, &exponent);
    const int place = (exponent < -125 ? -125 : exponent) - 24;
    return ldexp(fabs(exact - (double)f->ours(x)), -place);
}

static int judge_all(const struct function *f)
{
    double worst = 0;
    float at = 0;
    size_t judged = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits++) {
        const float x = ref_f32_of_bits((uint32_t)bits);
        if (isfinite(x) && !(estimate(f, x) < 0.98 * worst)) {
            const double error = judge(f, x);
            at = error > worst ? x : at;
            worst = error > worst ? error : worst;
            judged++;
        }
    }
    printf("elementary %s: all inputs, %zu of them by MPFR: error %.4f at %a, bound %g\n", f->name, judged, worst,
           (double)at, f->bound);
    return worst <= f->bound ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < FUNCTIONS && argc == 2; i++) {
        if (strcmp(argv[1], functions[i].name) == 0) {
            return judge_all(&functions[i]);
        }
    }
    Suite *suite = suite_create("elementary");
    TCase *errors = tcase_create("errors");
    tcase_set_timeout(errors, 600);
    tcase_add_loop_test(errors, error_is_within_the_bound, 0, FUNCTIONS);
    tcase_add_loop_test(errors, limits_zeros_and_nan, 0, FUNCTIONS);
    tcase_add_loop_test(errors, neighbours_of_limits, 0, FUNCTIONS);
    suite_add_tcase(suite, errors);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
