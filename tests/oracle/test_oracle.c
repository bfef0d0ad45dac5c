/* The reference against MPFR: |y^ - y| stays inside the error bound of the contract, for all kinds of rows. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "contract.h"
#include "data.h"
#include "oracle.h"

static const size_t lengths[] = {1, 2, 3, 7, 64, 65, 128, 768, 1000, 1024, 1025, 4096, 5125, 8192, 16384, 65536};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Everything but h=; a group of the report each. */
static const char *const groups[] = {
    "rmsnorm f32",
    "rmsnorm bf16",
    "rmsnorm f16",
    "rmsnorm f64",
    "rmsnorm f32 affine=none",
    "rmsnorm f32 affine=gamma+beta",
    "rmsnorm f64 affine=gamma+beta",
    "rmsnorm bf16 gamma=f32 out=f32 offset=1",
    "rmsnorm f64 offset=1",
    "rmsnorm f32 gamma=bf16 out=bf16",
    "rmsnorm f32 gamma=f16 out=f16",
    "rmsnorm bf16 cast=llama",
    "rmsnorm f16 cast=llama",
    "rmsnorm bf16 cast=llama gamma=f32 out=f32",
    "rmsnorm bf16 residual=f32 addout out=f32",
    "rmsnorm bf16 addout",
    "rmsnorm f16 addout alpha",
    "rmsnorm f64 addout alpha stats",
    "rmsnorm f32 acc=f64",
    "rmsnorm f32 acc=f64 affine=none stats",
    "rmsnorm f16 acc=f64 out=f32",
    "rmsnorm f32 addafter",
    "rmsnorm bf16 addafter out=f32 residual=f16",
    "rmsnorm f32 stats strided",
    "layernorm f32",
    "layernorm bf16",
    "layernorm f16",
    "layernorm f64",
    "layernorm f32 affine=none",
    "layernorm f64 affine=none stats",
    "layernorm f32 affine=gamma offset=1",
    "layernorm bf16 gamma=f32 out=f32",
    "layernorm f32 gamma=bf16 out=bf16",
    "layernorm f32 addout",
    "layernorm bf16 addout",
    "layernorm f32 addout alpha stats strided",
    "layernorm bf16 residual=f32 addout alpha out=f16",
    "layernorm f32 acc=f64",
    "layernorm f32 acc=f64 affine=none stats",
    "layernorm f32 center=full",
    "layernorm f32 center=full acc=f64 stats",
    "layernorm f64 center=full",
    "layernorm bf16 center=full addout",
    "layernorm f16 addafter",
    "layernorm f64 addafter strided",
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* One row, in numbers that its formats can hold. */
static double x[REF_MAX_H], residual[REF_MAX_H], gamma_row[REF_MAX_H], beta[REF_MAX_H];
static double y[REF_MAX_H], sum[REF_MAX_H], t[REF_MAX_H], mean, rstd;

/* Fills the inputs of one row. */
static void fill_row(const ref_spec *spec, const data_kind *kind, uint64_t *random)
{
    const size_t n = spec->h;
    kind->fill(x, n, random);
    kind->fill(residual, n, random);
    call_fit(call_narrower(spec->x, spec->residual), x, n);
    call_fit(spec->residual, residual, n);
    data_parameters(gamma_row, n, random);
    data_parameters(beta, n, random);
    call_hold(spec->x, x, n);
    call_hold(spec->residual, residual, n);
    call_hold(spec->gamma, gamma_row, n);
    call_hold(spec->gamma, beta, n);
}

/* Runs a spec on the row; y and, if there is one, the sum go to the arrays named. */
static void run(const char *text, const call *scalars, double *y_to, double *sum_to)
{
    static double reals[6][REF_MAX_H], mean_real, rstd_real;
    ref_spec spec;
    ck_assert_int_eq(ref_spec_parse(text, &spec), 0);
    call_narrow(spec.x, reals[0], x, spec.h);
    call_narrow(spec.residual, reals[1], residual, spec.h);
    call_narrow(spec.gamma, reals[2], gamma_row, spec.h);
    call_narrow(spec.gamma, reals[3], beta, spec.h);
    const call c = {.in[REF_X] = reals[0],
                    .in[REF_RESIDUAL] = reals[1],
                    .in[REF_GAMMA_ROW] = reals[2],
                    .in[REF_BETA_ROW] = reals[3],
                    .scalar[REF_ALPHA] = scalars->scalar[REF_ALPHA],
                    .scalar[REF_EPS] = scalars->scalar[REF_EPS],
                    .out[REF_Y] = reals[4],
                    .out[REF_SUM] = reals[5],
                    .out[REF_MEAN] = &mean_real,
                    .out[REF_RSTD] = &rstd_real};
    call_reference(text, 1, &c);
    call_widen(spec.x, y_to, reals[4], spec.h);
    call_widen(spec.x, &mean, &mean_real, 1);
    call_widen(spec.x, &rstd, &rstd_real, 1);
    if (spec.fusion == REF_ADDOUT) {
        call_widen(spec.x, sum_to, reals[5], spec.h);
    }
}

/* t = round_X(x * rstd), which the contract takes as exact: it is what the norm without gamma writes in format X. That
 * it is right in turn is what the groups without a cast show. */
static void compute_t(const ref_spec *spec, const call *scalars)
{
    char text[128];
    snprintf(text, sizeof text, "rmsnorm %s h=%zu affine=none", spec->x->name, spec->h);
    run(text, scalars, t, sum);
}

/* addafter: y must be residual + t to the last bit, with the t that the spec without the word gives; that is judged in
 * its place. */
static void check_addafter(const char *text, const ref_spec *spec, const call *scalars)
{
    char plain[128] = "";
    const char *const gone[] = {"addafter", "residual=f16"};
    snprintf(plain, sizeof plain, "%s", text);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        char *word = strstr(plain, gone[i]);
        for (size_t j = 0; word != NULL && j < strlen(gone[i]); j++) {
            word[j] = ' ';
        }
    }
    run(plain, scalars, t, sum);
    for (size_t i = 0; i < spec->h; i++) {
        ck_assert(y[i] == oracle_fma_to(spec->residual, 1, residual[i], t[i]));
    }
    memcpy(y, t, spec->h * sizeof *y);
}

static void check_sum(const ref_spec *spec, const call *scalars)
{
    const double alpha = spec->alpha ? scalars->scalar[REF_ALPHA] : 1;
    for (size_t i = 0; i < spec->h; i++) {
        ck_assert(sum[i] == oracle_fma_to(spec->residual, alpha, residual[i], x[i]));
    }
}

/* Runs one row and returns its largest error in units of the bound. */
static double judge_row(const char *text, const ref_spec *spec, const data_kind *kind, double eps, uint64_t *random)
{
    call scalars = {.scalar[REF_ALPHA] = 11.83, .scalar[REF_EPS] = eps};
    call_hold(ref_argument_dtype(spec, REF_EPS), &scalars.scalar[REF_ALPHA], 1);
    call_hold(ref_argument_dtype(spec, REF_EPS), &scalars.scalar[REF_EPS], 1);
    fill_row(spec, kind, random);
    run(text, &scalars, y, sum);
    const oracle_output output = {y, spec->stats && spec->norm == REF_LAYERNORM ? &mean : NULL,
                                  spec->stats ? &rstd : NULL};
    if (spec->fusion == REF_ADDOUT) {
        check_sum(spec, &scalars);
    } else if (spec->fusion == REF_ADDAFTER) {
        check_addafter(text, spec, &scalars);
    }
    if (spec->cast == REF_LLAMA) {
        compute_t(spec, &scalars);
    }
    const oracle_row row = {spec,
                            spec->fusion == REF_ADDOUT ? sum : x,
                            spec->cast == REF_LLAMA ? t : NULL,
                            spec->affine != REF_NO_AFFINE ? gamma_row : NULL,
                            spec->affine == REF_GAMMA_BETA ? beta : NULL,
                            scalars.scalar[REF_EPS]};
    ck_assert(oracle_in_domain(&row));
    return oracle_worst_ratio(&row, &output);
}

/* The worst ratio of a group with one kind of data, over all lengths. */
static double judge_kind(const char *group, const data_kind *kind, uint64_t *random)
{
    double worst = 0;
    for (size_t i = 0; i < LENGTHS; i++) {
        char text[128];
        ref_spec spec;
        const size_t rows = lengths[i] <= 1024 ? 8 : lengths[i] <= 8192 ? 2 : 1;
        snprintf(text, sizeof text, "%s h=%zu", group, lengths[i]);
        ck_assert_int_eq(ref_spec_parse(text, &spec), 0);
        for (size_t row = 0; row < rows; row++) {
            const double ratio = judge_row(text, &spec, kind, row % 2 == 0 ? 1e-5 : 1e-12, random);
            ck_assert_msg(ratio <= 1, "%s, %s: error is %g of its bound", text, kind->name, ratio);
            worst = fmax(worst, ratio);
        }
    }
    return worst;
}

START_TEST(error_is_within_the_bound)
{
    const char *group = groups[_i];
    uint64_t random = 12345 + (uint64_t)_i;
    double worst = 0;
    printf("oracle %s:", group);
    for (int kind = 0; kind < DATA_KINDS; kind++) {
        const double ratio = judge_kind(group, &data_kinds[kind], &random);
        printf(" %s %.3f%s", data_kinds[kind].name, ratio, kind + 1 < DATA_KINDS ? "," : "\n");
        worst = fmax(worst, ratio);
    }
    fflush(stdout);
    ck_assert_msg(worst > 0.05, "%s: a bound that no error comes near shows nothing", group);
}
END_TEST

/* The oracle must be able to say no: one last place of one output, moved beyond the bound. */
START_TEST(oracle_refuses_a_wrong_output)
{
    uint64_t random = 7;
    ref_spec spec;
    const char *text = "layernorm f32 h=64 stats";
    const double eps = (double)1e-5f;
    ck_assert_int_eq(ref_spec_parse(text, &spec), 0);
    ck_assert(judge_row(text, &spec, &data_kinds[0], eps, &random) <= 1);
    const oracle_row row = {&spec, x, NULL, gamma_row, beta, eps};
    const oracle_output good = {y, &mean, &rstd};
    ck_assert(oracle_worst_ratio(&row, &good) <= 1);
    const double wrong_mean = mean + 1e-5, wrong_rstd = rstd * (1 + 1e-5);
    const oracle_output bad_mean = {y, &wrong_mean, &rstd}, bad_rstd = {y, &mean, &wrong_rstd};
    ck_assert(oracle_worst_ratio(&row, &bad_mean) > 1);
    ck_assert(oracle_worst_ratio(&row, &bad_rstd) > 1);
    y[17] += 1e-5;
    ck_assert(oracle_worst_ratio(&row, &good) > 1);
    y[17] = NAN;
    ck_assert(isinf(oracle_worst_ratio(&row, &good)));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("oracle");
    TCase *bounds = tcase_create("bounds");
    tcase_set_timeout(bounds, 600);
    tcase_add_loop_test(bounds, error_is_within_the_bound, 0, GROUPS);
    tcase_add_test(bounds, oracle_refuses_a_wrong_output);
    suite_add_tcase(suite, bounds);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
