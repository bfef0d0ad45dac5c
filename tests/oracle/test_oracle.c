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
#include "spec.h"

static const size_t lengths[] = {1, 2, 3, 7, 64, 65, 128, 768, 1000, 1024, 1025, 4096, 5125, 8192, 16384, 65536};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Everything but h=; a group of the report each. */
static const char *const groups[] = {
    "rmsnorm f32",
    "rmsnorm bf16",
    "rmsnorm f32 affine=none",
    "rmsnorm f32 affine=gamma+beta",
    "rmsnorm bf16 gamma=f32 out=f32 offset=1",
    "rmsnorm f32 gamma=bf16 out=bf16",
    "rmsnorm bf16 cast=llama",
    "rmsnorm bf16 cast=llama gamma=f32 out=f32",
    "rmsnorm bf16 residual=f32 addout out=f32",
    "rmsnorm bf16 addout",
    "layernorm f32",
    "layernorm bf16",
    "layernorm f32 affine=none",
    "layernorm f32 affine=gamma offset=1",
    "layernorm bf16 gamma=f32 out=f32",
    "layernorm f32 gamma=bf16 out=bf16",
    "layernorm f32 addout",
    "layernorm bf16 addout",
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* The arrays of one row. */
static float x[REF_MAX_H], residual[REF_MAX_H], gamma_row[REF_MAX_H], beta[REF_MAX_H];
static float y[REF_MAX_H], sum[REF_MAX_H], t[REF_MAX_H];

static const call arrays = {x, residual, gamma_row, beta, 0, y, sum};

/* Fills the inputs of one row with values that their formats can hold. */
static void fill_row(const ref_spec *spec, const data_kind *kind, uint64_t *random)
{
    kind->fill(x, spec->h, random);
    kind->fill(residual, spec->h, random);
    data_parameters(gamma_row, spec->h, random);
    data_parameters(beta, spec->h, random);
    ref_round_row(spec->x, x, spec->h);
    ref_round_row(spec->residual, residual, spec->h);
    ref_round_row(spec->gamma, gamma_row, spec->h);
    ref_round_row(spec->gamma, beta, spec->h);
}

/* t = round_X(x * rstd), which the contract takes as exact: it is what the norm without gamma writes in format X. That
 * it is right in turn is what the groups without a cast show. */
static void compute_t(const ref_spec *spec, float eps)
{
    char text[128];
    call c = arrays;
    c.eps = eps;
    c.y = t;
    snprintf(text, sizeof text, "rmsnorm %s h=%zu affine=none", spec->x->name, spec->h);
    call_reference(text, 1, &c);
}

/* Runs one row and returns its largest error in units of the bound. */
static double judge_row(const char *text, const ref_spec *spec, const data_kind *kind, float eps, uint64_t *random)
{
    call c = arrays;
    c.eps = eps;
    fill_row(spec, kind, random);
    call_reference(text, 1, &c);
    for (size_t i = 0; spec->fusion == REF_ADDOUT && i < spec->h; i++) {
        ck_assert_uint_eq(ref_bits_of_f32(sum[i]), ref_bits_of_f32(oracle_add(x[i], residual[i], spec->residual)));
    }
    if (spec->cast == REF_LLAMA) {
        compute_t(spec, eps);
    }
    const oracle_row row = {spec->h,
                            strncmp(text, "layernorm", 9) == 0,
                            spec->offset,
                            spec->fusion == REF_ADDOUT ? sum : x,
                            spec->cast == REF_LLAMA ? t : NULL,
                            spec->affine != REF_NO_AFFINE ? gamma_row : NULL,
                            spec->affine == REF_GAMMA_BETA ? beta : NULL,
                            eps,
                            spec->y};
    ck_assert(oracle_in_domain(&row));
    return oracle_worst_ratio(&row, y);
}

/* The worst ratio of a group with one kind of data, over all lengths. */
static double judge_kind(const char *group, const data_kind *kind, uint64_t *random)
{
    double worst = 0;
    for (size_t i = 0; i < LENGTHS; i++) {
        char text[128];
        ref_spec spec;
        const size_t rows = lengths[i] <= 1024 ? 8 : 2;
        snprintf(text, sizeof text, "%s h=%zu", group, lengths[i]);
        ck_assert_int_eq(ref_spec_parse(text, &spec), 0);
        for (size_t row = 0; row < rows; row++) {
            const double ratio = judge_row(text, &spec, kind, row % 2 == 0 ? 1e-5f : 1e-12f, random);
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
    const char *text = "layernorm f32 h=64";
    ck_assert_int_eq(ref_spec_parse(text, &spec), 0);
    ck_assert(judge_row(text, &spec, &data_kinds[0], 1e-5f, &random) <= 1);
    const oracle_row row = {64, 1, 0, x, NULL, gamma_row, beta, 1e-5f, spec.y};
    y[17] += 1e-5f;
    ck_assert(oracle_worst_ratio(&row, y) > 1);
    y[17] = NAN;
    ck_assert(isinf(oracle_worst_ratio(&row, y)));
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
