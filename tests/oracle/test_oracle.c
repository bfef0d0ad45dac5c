/* The reference against MPFR: |y^ - y| stays inside the error bound of the contract, for all kinds of rows.
 *
 *   test_oracle           all groups
 *   test_oracle WORDS     those that begin like this, such as "layernorm f32" */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/suite.h"
#include "call.h"
#include "contract.h"
#include "data.h"
#include "norms.h"
#include "oracle.h"

static const size_t lengths[] = {1, 2, 3, 7, 64, 65, 128, 768, 1000, 1024, 1025, 4096, 5125, 8192, 16384, 65536};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Every norm of rows by itself, in each arithmetic that it has; fold has none without gamma. */
static const char *const arithmetics[] = {"f32", "f32 acc=f64", "f64"};
enum { ARITHMETICS = sizeof arithmetics / sizeof *arithmetics };

/* And norms with options: everything but h=. */
static const char *const with_options[] = {
    "rmsnorm f32",
    "rmsnorm bf16",
    "rmsnorm f16",
    "rmsnorm f64",
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
    "l2norm f32 stats acc=f64",
    "l2norm bf16 affine=gamma out=f32",
    "l2norm f32 epsform=outside stats",
    "l2norm f64 epsform=max",
    "scalenorm f16 out=f32",
    "rmsnorm f32 mod",
    "layernorm bf16 mod gamma=f32 out=f32",
    "rmsnorm bf16 addout gate out=f32",
    "layernorm f32 addout gate",
    "rmsnorm f32 twin",
    "rmsnorm f32 sandwich",
    "layernorm bf16 sandwich residual=f32",
    "rmsnorm f32 groups=4",
    "layernorm f32 heads=4 stats strided",
    "rmsnorm f32 act=silu",
    "rmsnorm bf16 act=gelu",
    "rmsnorm f32 act=sigmoid gamma=bf16 out=bf16",
    "rmsnorm f32 zgate=before",
    "rmsnorm bf16 zgate=before addout out=f32",
    "rmsnorm f32 zgate=after affine=gamma+beta",
    "rmsnorm f16 zgate=after act=tanh stats strided",
    "layernorm f32 act=gelutanh",
    "layernorm bf16 act=silu acc=f64 out=f32",
    "layernorm f16 act=gelu addafter",
    "rmsnorm f32 act=relu",
    "layernorm f64 act=relu6",
    "rmsnorm f64 act=hardswish",
    "layernorm f32 act=hardswish",
    "rmsnorm f32 act=softplus",
    "layernorm bf16 act=mish out=f32",
    "dyt f32",
    "dyt bf16 addout gamma=f32",
    "dyt f16 affine=none act=gelu out=f32",
};
enum { WITH_OPTIONS = sizeof with_options / sizeof *with_options };

/* A group of the report each. */
static char groups[REF_NORMS * ARITHMETICS + WITH_OPTIONS][64];
static int group_count;

/* One row, in numbers that its formats can hold. */
static double x[REF_MAX_H], residual[REF_MAX_H], gamma_row[REF_MAX_H], beta[REF_MAX_H];
static double gamma2[REF_MAX_H], beta2[REF_MAX_H], gate[REF_MAX_H], z[REF_MAX_H];
static double y[REF_MAX_H], y2[REF_MAX_H], sum[REF_MAX_H], t[REF_MAX_H], mean[4], rstd[4];
static const double g = 2.75;

/* Fills the inputs of one row. */
static void fill_row(const ref_spec *spec, const data_kind *kind, uint64_t *random)
{
    const size_t n = spec->h;
    kind->fill(x, n, random);
    kind->fill(residual, n, random);
    call_fit(call_narrower(spec->x, spec->residual), x, n);
    call_fit(spec->residual, residual, n);
    for (size_t i = 0; i < n; i++) {
        z[i] = 4 * data_normal(random);
    }
    data_parameters(gamma_row, n, random);
    data_parameters(beta, n, random);
    data_parameters(gamma2, n, random);
    data_parameters(beta2, n, random);
    data_parameters(gate, n, random);
    call_hold(spec->gamma, gamma2, n);
    call_hold(spec->gamma, beta2, n);
    call_hold(spec->gamma, gate, n);
    call_hold(spec->x, x, n);
    call_hold(spec->residual, residual, n);
    call_hold(spec->x, z, n);
    call_hold(spec->gamma, gamma_row, n);
    call_hold(spec->gamma, beta, n);
}

/* Runs a spec on the row; y and, if there is one, the sum go to the arrays named. gamma and beta stand for the scale
 * and the shift of a batch, too. */
static void run(const char *text, const call *scalars, double *y_to, double *sum_to)
{
    static double reals[12][REF_MAX_H];
    ref_spec spec;
    ck_assert_int_eq(ref_spec_parse(text, &spec), 0);
    const struct {
        ref_argument argument;
        const double *values;
        const ref_dtype *dtype;
    } inputs[] = {{REF_X, x, spec.x},
                  {REF_RESIDUAL, residual, spec.residual},
                  {REF_GAMMA_ROW, gamma_row, spec.gamma},
                  {REF_BETA_ROW, beta, spec.gamma},
                  {REF_SCALE, gamma_row, spec.gamma},
                  {REF_MOD_SHIFT, beta, spec.gamma},
                  {REF_GAMMA2_ROW, gamma2, spec.gamma},
                  {REF_BETA2_ROW, beta2, spec.gamma},
                  {REF_GATE, gate, spec.gamma},
                  {REF_Z, z, spec.x},
                  {REF_G_ROW, &g, spec.x}};
    enum { INPUTS = sizeof inputs / sizeof *inputs };
    static double outputs[5][REF_MAX_H];
    call c = {.out = {[REF_Y] = outputs[0],
                      [REF_SUM] = outputs[1],
                      [REF_MEAN] = outputs[2],
                      [REF_RSTD] = outputs[3],
                      [REF_Y2] = outputs[4]}};
    memcpy(c.scalar, scalars->scalar, sizeof c.scalar);
    c.scalar[REF_ROWS_PER_BATCH] = 1;
    c.scalar[REF_G] = g;
    for (size_t i = 0; i < INPUTS; i++) {
        const size_t n = inputs[i].argument == REF_G_ROW ? 1 : spec.h;
        call_narrow(inputs[i].dtype, reals[i], inputs[i].values, n);
        c.in[inputs[i].argument] = reals[i];
    }
    call_reference(text, 1, &c);
    call_widen(spec.x, y_to, outputs[0], spec.h);
    call_widen(spec.x, y2, outputs[4], spec.h);
    call_widen(spec.x, mean, outputs[2], ref_parts(&spec));
    call_widen(spec.x, rstd, outputs[3], ref_parts(&spec));
    if (spec.fusion == REF_ADDOUT || spec.fusion == REF_SANDWICH) {
        call_widen(spec.x, sum_to, outputs[1], spec.h);
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
    for (size_t i = 0; i < spec->h; i++) {
        const double want =
            spec->gate ? oracle_fma_to(spec->residual, gate[i], x[i], residual[i])
                       : oracle_fma_to(spec->residual, spec->alpha ? scalars->scalar[REF_ALPHA] : 1, residual[i], x[i]);
        ck_assert(sum[i] == want);
    }
}

/* sandwich: the sum must be that of addafter, and is what the second norm is judged by. */
static void check_sandwich(const char *text, const ref_spec *spec, const call *scalars)
{
    static double after[REF_MAX_H];
    char first[128];
    snprintf(first, sizeof first, "%s", text);
    memcpy(strstr(first, "sandwich"), "addafter", strlen("addafter"));
    run(first, scalars, after, t);
    for (size_t i = 0; i < spec->h; i++) {
        ck_assert(sum[i] == after[i]);
    }
}

/* The error of each part of a row in units of the bound; the largest one. */
static double judge_parts(const ref_spec *spec, const double *read, const double *got, const double *gamma,
                          const double *with_beta, const call *scalars)
{
    const size_t parts = ref_parts(spec), n = spec->h / parts;
    double worst = 0;
    ref_spec of_part = *spec;
    of_part.h = n;
    of_part.offset = spec->offset || spec->mod;
    for (size_t part = 0; part < parts; part++) {
        const size_t at = part * n;
        const oracle_row row = {&of_part,
                                read + at,
                                spec->cast == REF_LLAMA ? t + at : NULL,
                                spec->affine != REF_NO_AFFINE || spec->mod ? gamma + at : NULL,
                                spec->affine == REF_GAMMA_BETA || spec->mod ? with_beta + at : NULL,
                                scalars->scalar[REF_EPS],
                                g,
                                scalars->scalar[REF_ALPHA],
                                spec->zgate != 0 ? z + at : NULL};
        const oracle_output output = {got + at, spec->stats && spec->norm == REF_LAYERNORM ? &mean[part] : NULL,
                                      spec->stats ? &rstd[part] : NULL};
        ck_assert(oracle_in_domain(&row));
        worst = fmax(worst, oracle_worst_ratio(&row, &output));
    }
    return worst;
}

/* A number as a kernel of the spec takes it. */
static double as_number(const ref_spec *spec, double value)
{
    const ref_dtype *real = ref_is_f64(spec->x) ? spec->x : ref_dtype_named("f32", 3);
    double narrow, wide;
    call_narrow(real, &narrow, &value, 1);
    call_widen(real, &wide, &narrow, 1);
    return wide;
}

/* Runs one row and returns its largest error in units of the bound. */
static double judge_row(const char *text, const ref_spec *spec, const data_kind *kind, double eps, uint64_t *random)
{
    const call scalars = {.scalar = {[REF_ALPHA] = as_number(spec, 11.83), [REF_EPS] = as_number(spec, eps)}};
    fill_row(spec, kind, random);
    run(text, &scalars, y, sum);
    if (spec->fusion == REF_ADDOUT) {
        check_sum(spec, &scalars);
    } else if (spec->fusion == REF_ADDAFTER) {
        check_addafter(text, spec, &scalars);
    } else if (spec->fusion == REF_SANDWICH) {
        check_sandwich(text, spec, &scalars);
    }
    if (spec->cast == REF_LLAMA) {
        compute_t(spec, &scalars);
    }
    const int is_second = spec->fusion == REF_SANDWICH;
    const double *const read = spec->fusion == REF_ADDOUT || is_second ? sum : x;
    double worst = judge_parts(spec, read, y, is_second ? gamma2 : gamma_row, is_second ? beta2 : beta, &scalars);
    if (spec->twin) {
        worst = fmax(worst, judge_parts(spec, read, y2, gamma2, beta2, &scalars));
    }
    return worst;
}

/* MPFR takes long for elementary functions, and their errors do not depend on the length. */
static int is_slow(const ref_spec *spec)
{
    return spec->act != 0 || spec->zgate != 0 || spec->norm == REF_DYT;
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
        if (strstr(text, "=4") != NULL && lengths[i] % 4 != 0) {
            continue; /* parts */
        }
        ck_assert_int_eq(ref_spec_parse(text, &spec), 0);
        if (is_slow(&spec) && lengths[i] > 1025) {
            break;
        }
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
    const oracle_row row = {&spec, x, NULL, gamma_row, beta, eps, g, 1, NULL};
    const oracle_output good = {y, mean, rstd};
    ck_assert(oracle_worst_ratio(&row, &good) <= 1);
    const double wrong_mean = mean[0] + 1e-5, wrong_rstd = rstd[0] * (1 + 1e-5);
    const oracle_output bad_mean = {y, &wrong_mean, rstd}, bad_rstd = {y, mean, &wrong_rstd};
    ck_assert(oracle_worst_ratio(&row, &bad_mean) > 1);
    ck_assert(oracle_worst_ratio(&row, &bad_rstd) > 1);
    y[17] += 1e-5;
    ck_assert(oracle_worst_ratio(&row, &good) > 1);
    y[17] = NAN;
    ck_assert(isinf(oracle_worst_ratio(&row, &good)));
}
END_TEST

/* Is it a norm of whole rows? */
static int is_of_rows(const char *group)
{
    char text[80];
    ref_spec spec;
    snprintf(text, sizeof text, "%s h=64", group);
    return ref_spec_parse(text, &spec) == 0 && !ref_is_over_axes(&spec);
}

static void find_groups(void)
{
    for (int i = 0; i < REF_NORMS * ARITHMETICS; i++) {
        snprintf(groups[group_count], sizeof *groups, "%s %s affine=none", ref_norms[i / ARITHMETICS].word,
                 arithmetics[i % ARITHMETICS]);
        group_count += is_of_rows(groups[group_count]);
    }
    for (int i = 0; i < WITH_OPTIONS; i++) {
        snprintf(groups[group_count++], sizeof *groups, "%s", with_options[i]);
    }
}

int main(int argc, char **argv)
{
    const char *const words = argc > 1 ? argv[1] : "";
    Suite *suite = suite_create("oracle");
    TCase *bounds = add_case(suite, "bounds");
    find_groups();
    for (int i = 0; i < group_count; i++) {
        if (strncmp(groups[i], words, strlen(words)) == 0) {
            tcase_add_loop_test(bounds, error_is_within_the_bound, i, i + 1);
        }
    }
    tcase_add_test(bounds, oracle_refuses_a_wrong_output);
    return run_suite(suite);
}
