/* Faults that other libraries had, each as a test of the reference; the names are those of the list in the
 * documentation. Then the theorems of the contract. */
#define _DEFAULT_SOURCE
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../support/suite.h"
#include "call.h"
#include "contract.h"
#include "data.h"
#include "reference.h"

enum { MAX = 65536 };
static float x[MAX], residual[MAX], gamma_row[MAX], beta[MAX], y[MAX], sum[MAX], other[MAX];
static float mean, rstd;
static double wide[MAX], wide_gamma[MAX], wide_beta[MAX], wide_y[MAX];

/* Runs one row of a spec without its h=, on the arrays above. */
static void run(const char *words, size_t n, float eps, float *to)
{
    const call c = {.in[REF_X] = x,
                    .in[REF_RESIDUAL] = residual,
                    .in[REF_GAMMA_ROW] = gamma_row,
                    .in[REF_BETA_ROW] = beta,
                    .scalar[REF_ALPHA] = 2.5,
                    .scalar[REF_EPS] = (double)eps,
                    .out[REF_Y] = to,
                    .out[REF_SUM] = sum,
                    .out[REF_MEAN] = &mean,
                    .out[REF_RSTD] = &rstd};
    char text[128];
    snprintf(text, sizeof text, "%s h=%zu", words, n);
    call_reference(text, 1, &c);
}

/* The same for f64 without a residual. */
static void run_f64(const char *words, size_t n, double eps)
{
    const call c = {.in[REF_X] = wide,
                    .in[REF_GAMMA_ROW] = wide_gamma,
                    .in[REF_BETA_ROW] = wide_beta,
                    .scalar[REF_EPS] = eps,
                    .out[REF_Y] = wide_y};
    char text[128];
    snprintf(text, sizeof text, "%s h=%zu", words, n);
    call_reference(text, 1, &c);
}

static void fill_wide_normal(double *array, size_t n, double mean_value, double std, uint64_t *random)
{
    for (size_t i = 0; i < n; i++) {
        array[i] = mean_value + std * data_normal(random);
    }
}

static double mean_of(const float *array, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        total += (double)array[i];
    }
    return total / (double)n;
}

static double variance_of(const float *array, size_t n)
{
    const double center = mean_of(array, n);
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        total += ((double)array[i] - center) * ((double)array[i] - center);
    }
    return total / (double)n;
}

static double mean_square_of(const float *array, size_t n)
{
    const double center = mean_of(array, n);
    return variance_of(array, n) + center * center;
}

static void assert_all(const float *array, size_t n, float value)
{
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(array[i] == value, "element %zu is %g, not %g", i, (double)array[i], (double)value);
    }
}

static float round_bf16(float value)
{
    ref_round_row(ref_dtype_named("bf16", 4), &value, 1);
    return value;
}

START_TEST(a1_constant_row_is_zero)
{
    data_fill(x, 256, 1234.0f);
    run("layernorm f32 affine=none", 256, 1e-5f, y);
    assert_all(y, 256, 0);
}
END_TEST

START_TEST(a2_four_large_neighbours)
{
    const float want[] = {-1.3416f, -0.4472f, 0.4472f, 1.3416f};
    const float base[] = {40000, 80000};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 4; j++) {
            x[j] = base[i] + (float)j;
        }
        run("layernorm f32 affine=none", 4, 1e-5f, y);
        for (size_t j = 0; j < 4; j++) {
            ck_assert_float_eq_tol(y[j], want[j], 1e-3f);
        }
    }
}
END_TEST

START_TEST(a3_mean_2000_std_1)
{
    uint64_t random = 51102;
    for (int row = 0; row < 1000; row++) {
        data_fill_normal(x, 4, 2000, 1, &random);
        const double variance = variance_of(x, 4);
        run("layernorm f32 affine=none", 4, 1e-5f, y);
        ck_assert(fabs(mean_of(y, 4)) < 1e-2);
        ck_assert_double_eq_tol(variance_of(y, 4) * (variance + 1e-5) / variance, 1, 0.02);
    }
}
END_TEST

START_TEST(a6_base_1e5_spread_1e_2)
{
    uint64_t random = 31973;
    data_fill_normal(x, 4096, 1e5, 1e-2, &random);
    run("layernorm f32 affine=none", 4096, 0, y);
    ck_assert_double_eq_tol(variance_of(y, 4096), 1, 1e-2);
}
END_TEST

/* The same in f64, where the mean is 1e13 times the spread. */
START_TEST(a6_base_1e5_spread_1e_8_in_f64)
{
    uint64_t random = 31974;
    fill_wide_normal(wide, 4096, 1e5, 1e-8, &random);
    run_f64("layernorm f64 affine=none", 4096, 0);
    double squares = 0, total = 0;
    for (size_t i = 0; i < 4096; i++) {
        total += wide_y[i];
        squares += wide_y[i] * wide_y[i];
    }
    ck_assert_double_eq_tol(total / 4096, 0, 1e-12);
    ck_assert_double_eq_tol(squares / 4096, 1, 1e-12);
}
END_TEST

START_TEST(a10_mean_is_subtracted_first)
{
    data_fill(x, 2, 14);
    run("layernorm f32 affine=none", 2, 1e-6f, y);
    assert_all(y, 2, 0);
}
END_TEST

/* Squares of 1e30 overflow: rstd is 0 and so is every output, never NaN. */
START_TEST(a11_overflow_gives_zero)
{
    for (size_t i = 0; i < 768; i++) {
        x[i] = i % 3 == 0 ? 1e30f : -1e30f;
    }
    run("rmsnorm f32 affine=none", 768, 1e-5f, y);
    assert_all(y, 768, 0);
    run("layernorm f32 affine=none", 768, 1e-5f, y);
    assert_all(y, 768, 0);
}
END_TEST

/* With f64 sums they do not overflow. 1e30 is one number in f32: the signs are exact. */
START_TEST(a11_f64_sums_do_not_overflow)
{
    const char *const words[] = {"rmsnorm f32 affine=none acc=f64", "layernorm f32 affine=none acc=f64",
                                 "layernorm f32 affine=none acc=f64 center=full", "rmsnorm bf16 affine=none acc=f64"};
    for (size_t i = 0; i < 768; i++) {
        x[i] = i % 2 == 0 ? 1e30f : -1e30f;
    }
    run(words[_i], 768, 1e-5f, y);
    for (size_t i = 0; i < 768; i++) {
        ck_assert_float_eq_tol(y[i], i % 2 == 0 ? 1.0f : -1.0f, 1e-6f);
    }
}
END_TEST

/* Nor do those of f64 data before 1e154, and beyond the result is 0, not NaN. */
START_TEST(a11_range_of_f64)
{
    for (size_t i = 0; i < 768; i++) {
        wide[i] = i % 3 == 0 ? 1e150 : -1e150;
    }
    run_f64("rmsnorm f64 affine=none", 768, 1e-5);
    ck_assert_double_eq_tol(wide_y[0], 1, 1e-14);
    ck_assert_double_eq_tol(wide_y[1], -1, 1e-14);
    for (size_t i = 0; i < 768; i++) {
        wide[i] *= 1e100;
    }
    run_f64("rmsnorm f64 affine=none", 768, 1e-5);
    ck_assert(wide_y[0] == 0 && wide_y[1] == 0);
    run_f64("layernorm f64 affine=none", 768, 1e-5);
    ck_assert(wide_y[0] == 0 && wide_y[1] == 0);
}
END_TEST

START_TEST(a13_one_element)
{
    x[0] = -3;
    gamma_row[0] = 0.5f;
    beta[0] = 7.25f;
    run("layernorm f32", 1, 1e-5f, y);
    assert_all(y, 1, 7.25f);
    run("rmsnorm f32", 1, 0, y);
    assert_all(y, 1, -0.5f);
    run("rmsnorm f32", 1, 7, y);
    assert_all(y, 1, -3.0f * 0.25f * 0.5f);
}
END_TEST

/* The same kind of fault in bf16 and f16: squares of large values do not overflow the format. */
START_TEST(b1_squares_are_not_kept_in_16_bits)
{
    const char *const words[] = {"rmsnorm bf16 affine=none", "rmsnorm f16 affine=none"};
    data_fill(x, 2048, 8000);
    run(words[_i], 2048, 1e-5f, y);
    assert_all(y, 2048, 1);
}
END_TEST

/* x + residual in f16 overflows at 65520, and not before; the norm reads what is stored. */
START_TEST(b1_sums_overflow_where_f16_does)
{
    data_fill(x, 64, 65504);
    data_fill(residual, 64, 15.9921875f);
    run("rmsnorm f16 affine=none addout", 64, 1e-5f, y);
    assert_all(sum, 64, 65504);
    assert_all(y, 64, 1);
    residual[5] = 16;
    run("rmsnorm f16 affine=none addout", 64, 1e-5f, y);
    ck_assert(isinf(sum[5]) && sum[4] == 65504 && isnan(y[5]) && y[4] == 0);
    run("rmsnorm f16 affine=none addout residual=f32", 64, 1e-5f, y);
    assert_all(y, 64, 1);
}
END_TEST

/* f16 results: infinite from 65520 on, subnormal down to 2^-24, a tie below that goes to 0. */
START_TEST(b1_range_of_f16_results)
{
    const float gamma[] = {65504, 65519.996f, 65520, 0x1p-24f, 0x1.000002p-25f, 0x1p-25f, 0x1.8p-24f, -70000};
    const float want[] = {65504, 65504, INFINITY, 0x1p-24f, 0x1p-24f, 0, 0x1p-23f, -INFINITY};
    data_fill(x, 8, 1);
    memcpy(gamma_row, gamma, sizeof gamma);
    run("rmsnorm f32 out=f16", 8, 0, y);
    ck_assert_mem_eq(y, want, sizeof want);
}
END_TEST

START_TEST(b3_offset_is_added_in_f32)
{
    data_fill(x, 64, 1);
    data_fill(gamma_row, 64, 15.8125f);
    run("rmsnorm bf16 offset=1 out=f32", 64, 0, y);
    assert_all(y, 64, 16.8125f);
}
END_TEST

/* B5, B6: with the cast before gamma and without it, each equal to its own model, and not to each other. */
START_TEST(b5_b6_cast_before_or_after_gamma)
{
    enum { N = 4096, ROWS = 250 };
    uint64_t random = 1132;
    size_t differ = 0;
    for (int row = 0; row < ROWS; row++) {
        data_fill_normal(x, N, 0, 3, &random);
        data_float_parameters(gamma_row, N, &random);
        ref_round_row(ref_dtype_named("bf16", 4), gamma_row, N);
        run("rmsnorm bf16 affine=none out=f32", N, 1e-6f, other);
        run("rmsnorm bf16", N, 1e-6f, y);
        run("rmsnorm bf16 cast=llama", N, 1e-6f, sum);
        for (size_t i = 0; i < N; i++) {
            ck_assert(y[i] == round_bf16(other[i] * gamma_row[i]));
            ck_assert(sum[i] == round_bf16(round_bf16(other[i]) * gamma_row[i]));
            differ += y[i] != sum[i];
        }
    }
    ck_assert_uint_gt(differ, 1000);
}
END_TEST

/* B7: row scalars are never rounded to bf16. B8: the store rounds to nearest. Either fault shifts a whole row one way.
 */
START_TEST(b7_b8_no_bias_in_bf16)
{
    uint64_t random = 139;
    double bias = 0;
    data_fill_normal(x, 16384, 0, 1, &random);
    data_float_parameters(gamma_row, 16384, &random); /* f32, so that products fall anywhere between two bf16 values */
    ref_round_row(ref_dtype_named("bf16", 4), x, 16384);
    const double scale = 1 / sqrt(mean_square_of(x, 16384) + 1e-6);
    run("rmsnorm bf16 gamma=f32", 16384, 1e-6f, y);
    for (size_t i = 0; i < 16384; i++) {
        bias += (double)y[i] / ((double)x[i] * scale * (double)gamma_row[i]) - 1;
    }
    ck_assert_double_eq_tol(bias / 16384, 0, 1e-4);
}
END_TEST

START_TEST(b8_nearest_not_truncated)
{
    ck_assert(round_bf16(0.26914088f) == 0.26953125f);
}
END_TEST

START_TEST(b9_nan_with_low_payload)
{
    const uint32_t nans[] = {0x7f800001U, 0xff800001U, 0x7fffffffU, 0xffffffffU};
    for (size_t i = 0; i < 4; i++) {
        data_fill(x, 8, 1);
        data_fill(gamma_row, 8, 1);
        gamma_row[3] = ref_f32_of_bits(nans[i]);
        run("rmsnorm bf16 gamma=f32", 8, 1e-5f, y);
        ck_assert(isnan(y[3]) && isfinite(y[2]));
        run("rmsnorm bf16 affine=none", 8, ref_f32_of_bits(nans[i]), y);
        ck_assert(isnan(y[0]) && isnan(y[7]));
    }
}
END_TEST

START_TEST(b12_small_inputs)
{
    uint64_t random = 189581;
    data_fill_normal(x, 32, 0, 0.058, &random);
    run("rmsnorm bf16 affine=none", 32, 1e-6f, y);
    ck_assert_double_eq_tol(sqrt(mean_square_of(y, 32)), 1, 0.01);
}
END_TEST

/* eps inside the root; and an eps of 1e-12 is not lost. */
START_TEST(c1_c4_eps_inside_the_root)
{
    data_fill(x, 64, 1e-4f);
    run("rmsnorm f32 affine=none", 64, 1e-5f, y);
    ck_assert_float_eq_tol(y[0], 0.0316f, 1e-4f);
    run("rmsnorm f32 affine=none acc=f64", 64, 1e-5f, y);
    ck_assert_float_eq_tol(y[0], 0.0316f, 1e-4f);
    data_fill(x, 64, 1e-6f);
    run("rmsnorm f32 affine=none", 64, 1e-12f, y);
    ck_assert_float_eq_tol(y[0], 0.70710678f, 1e-6f);
    fill_wide_normal(wide, 64, 1e-30, 0, &(uint64_t){1});
    run_f64("rmsnorm f64 affine=none", 64, 1e-60);
    ck_assert_double_eq_tol(wide_y[0], sqrt(0.5), 1e-14);
}
END_TEST

/* Without eps a row of zeros is 0/0 and a constant row too: NaN, by the formula. With it they are 0 and beta. */
START_TEST(c5_zero_rows)
{
    data_fill(x, 64, 0);
    data_float_parameters(beta, 64, &(uint64_t){5});
    data_fill(gamma_row, 64, 2);
    run("rmsnorm f32 affine=gamma+beta", 64, 1e-5f, y);
    ck_assert_mem_eq(y, beta, 64 * sizeof *y);
    run("layernorm f32", 64, 1e-5f, y);
    ck_assert_mem_eq(y, beta, 64 * sizeof *y);
    run("rmsnorm f32", 64, 0, y);
    ck_assert(isnan(y[0]) && isnan(y[63]));
    data_fill(x, 64, 3);
    run("layernorm f32", 64, 0, y);
    ck_assert(isnan(y[0]) && isnan(y[63]));
    run("layernorm f32 acc=f64", 64, 0, y);
    ck_assert(isnan(y[0]) && isnan(y[63]));
    fill_wide_normal(wide, 64, 3, 0, &(uint64_t){1});
    run_f64("layernorm f64 affine=none", 64, 1e-300);
    ck_assert(wide_y[0] == 0 && wide_y[63] == 0);
    run_f64("layernorm f64 affine=none", 64, 0);
    ck_assert(isnan(wide_y[0]) && isnan(wide_y[63]));
}
END_TEST

/* Subnormal inputs are not flushed: their squares vanish, they themselves do not. */
START_TEST(c10_subnormal_inputs)
{
    data_fill(x, 64, 1e-40f);
    run("rmsnorm f32 affine=none", 64, 1e-5f, y);
    ck_assert_float_eq_tol(y[0] * 0x1p100f, 1e-40f * 0x1p100f / sqrtf(1e-5f), 1e-9f);
    ck_assert(y[0] > 0);
}
END_TEST

/* A row never depends on the rows around it. */
START_TEST(d1_rows_are_independent)
{
    enum { N = 96, ROWS = 300 };
    uint64_t random = 48391;
    const call all = {.in[REF_X] = x,
                      .in[REF_GAMMA_ROW] = gamma_row,
                      .in[REF_BETA_ROW] = beta,
                      .scalar[REF_EPS] = 1e-5,
                      .out[REF_Y] = y};
    data_fill_normal(x, N * ROWS, -5, 37, &random);
    data_float_parameters(gamma_row, N, &random);
    data_float_parameters(beta, N, &random);
    call_reference("layernorm f32 h=96", ROWS, &all);
    for (size_t row = 0; row < ROWS; row++) {
        const call one = {.in[REF_X] = x + row * N,
                          .in[REF_GAMMA_ROW] = gamma_row,
                          .in[REF_BETA_ROW] = beta,
                          .scalar[REF_EPS] = 1e-5,
                          .out[REF_Y] = other};
        call_reference("layernorm f32 h=96", 1, &one);
        ck_assert_mem_eq(other, y + row * N, N * sizeof *y);
    }
}
END_TEST

START_TEST(d10_not_only_standard_normal_data)
{
    enum { N = 768 };
    uint64_t random = 8561;
    data_fill_normal(x, N, -5, 37, &random);
    data_float_parameters(gamma_row, N, &random);
    data_float_parameters(beta, N, &random);
    const double center = mean_of(x, N);
    const double std = sqrt(variance_of(x, N) + 1e-5);
    const double rms = sqrt(mean_square_of(x, N) + 1e-5);
    run("layernorm f32", N, 1e-5f, y);
    run("rmsnorm f32", N, 1e-5f, other);
    for (size_t i = 0; i < N; i++) {
        const double gamma = (double)gamma_row[i];
        const double layernorm = ((double)x[i] - center) / std * gamma + (double)beta[i];
        ck_assert_double_eq_tol((double)y[i], layernorm, 1e-5);
        ck_assert_double_eq_tol((double)other[i], (double)x[i] / rms * gamma, 1e-5);
    }
}
END_TEST

/* Rows far apart: x and y each with a stride of its own, beyond 2^31 elements. Only the pages of the rows exist. */
enum { FAR_ROWS = 3, FAR_H = 100 };

typedef struct far_rows {
    char *reserved;
    size_t size;
    ptrdiff_t stride;
} far_rows;

static float *far_row(const far_rows *rows, ptrdiff_t row)
{
    return (float *)(void *)rows->reserved + row * rows->stride;
}

static far_rows new_far_rows(ptrdiff_t stride)
{
    const size_t page = 65536;
    far_rows rows = {NULL, ((size_t)stride * (FAR_ROWS - 1) + FAR_H) * sizeof(float) + 2 * page, stride};
    rows.reserved = mmap(NULL, rows.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(rows.reserved, MAP_FAILED);
    for (ptrdiff_t row = 0; row < FAR_ROWS; row++) {
        const size_t at = (size_t)((char *)far_row(&rows, row) - rows.reserved) / page * page;
        ck_assert_int_eq(mprotect(rows.reserved + at, 2 * page, PROT_READ | PROT_WRITE), 0);
    }
    return rows;
}

START_TEST(e8_e10_strides_of_any_size)
{
    const ptrdiff_t strides[][2] = {{FAR_H, 3 * FAR_H}, {0x80000001, 0x80000400}, {0x100000003, FAR_H + 1}};
    uint64_t random = 1467;
    const double eps = 1e-5;
    data_fill_normal(x, FAR_H * FAR_ROWS, -5, 37, &random);
    const call packed = {.in[REF_X] = x, .scalar[REF_EPS] = eps, .out[REF_Y] = y};
    call_reference("layernorm f32 h=100 affine=none", FAR_ROWS, &packed);
    far_rows from = new_far_rows(strides[_i][0]), to = new_far_rows(strides[_i][1]);
    for (ptrdiff_t row = 0; row < FAR_ROWS; row++) {
        memcpy(far_row(&from, row), x + row * FAR_H, FAR_H * sizeof *x);
    }
    void *const ptr[] = {from.reserved, to.reserved};
    ck_assert_int_eq(ng_reference("layernorm f32 h=100 affine=none strided", FAR_ROWS, ptr, strides[_i], &eps), 0);
    for (ptrdiff_t row = 0; row < FAR_ROWS; row++) {
        ck_assert_mem_eq(far_row(&to, row), y + row * FAR_H, FAR_H * sizeof *y);
    }
    munmap(from.reserved, from.size);
    munmap(to.reserved, to.size);
}
END_TEST

/* One Inf or one NaN in a row. */
START_TEST(inf_and_nan_rows)
{
    data_fill(x, 64, 1);
    x[5] = INFINITY;
    run("rmsnorm f32 affine=none", 64, 1e-5f, y);
    ck_assert(isnan(y[5]) && y[4] == 0 && y[63] == 0);
    run("layernorm f32 affine=none", 64, 1e-5f, y);
    ck_assert(isnan(y[5]) && isnan(y[4]));
    x[5] = NAN;
    run("rmsnorm f32 affine=none", 64, 1e-5f, y);
    ck_assert(isnan(y[5]) && isnan(y[4]));
}
END_TEST

static const size_t theorem_lengths[] = {1, 2, 3, 7, 64, 65, 128, 768, 1000, 1025, 4096, 5125, 8192, 16384, 65536};
enum { THEOREM_LENGTHS = sizeof theorem_lengths / sizeof *theorem_lengths };

START_TEST(theorem_constant_row_gives_beta)
{
    const size_t n = theorem_lengths[_i];
    const char *const words[] = {"layernorm f32", "layernorm f32 acc=f64", "layernorm f32 center=full"};
    uint64_t random = 10 + n;
    data_float_parameters(gamma_row, n, &random);
    data_float_parameters(beta, n, &random);
    for (int i = 0; i < 40; i++) {
        data_fill(x, n, ldexpf((float)(data_normal(&random) + 2), (int)(60 * data_uniform(&random)) - 10));
        run(words[i % 3], n, 1e-5f, y);
        for (size_t j = 0; j < n; j++) {
            ck_assert_msg(y[j] == beta[j], "%s, n %zu, x %a: %g instead of beta %g", words[i % 3], n, (double)x[0],
                          (double)y[j], (double)beta[j]);
        }
    }
}
END_TEST

START_TEST(theorem_negation)
{
    const char *const words[] = {"layernorm f32 affine=gamma",
                                 "rmsnorm f32",
                                 "rmsnorm bf16 cast=llama",
                                 "layernorm bf16 affine=gamma addout",
                                 "rmsnorm f16 residual=f32 addout alpha",
                                 "rmsnorm f32 acc=f64",
                                 "rmsnorm f16 addafter",
                                 "layernorm f32 center=full acc=f64 affine=none"};
    const size_t n = theorem_lengths[_i];
    uint64_t random = 20 + n;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        data_fill_normal(x, n, -5, 37, &random);
        data_fill_normal(residual, n, 2, 11, &random);
        data_float_parameters(gamma_row, n, &random);
        run(words[w], n, 1e-5f, y);
        for (size_t i = 0; i < n; i++) {
            x[i] = -x[i];
            residual[i] = -residual[i];
        }
        run(words[w], n, 1e-5f, other);
        for (size_t i = 0; i < n; i++) {
            ck_assert(other[i] == -y[i]);
        }
    }
}
END_TEST

START_TEST(theorem_scaling_by_a_power_of_two)
{
    const char *const words[] = {
        "layernorm f32",       "rmsnorm f32",           "rmsnorm bf16 cast=llama",        "layernorm bf16 addout",
        "rmsnorm f32 acc=f64", "layernorm f32 acc=f64", "layernorm bf16 center=full add", "rmsnorm f32 addout alpha"};
    enum { WORDS = sizeof words / sizeof *words };
    const int exponents[] = {-20, -1, 3, 25};
    const size_t n = theorem_lengths[_i];
    uint64_t random = 30 + n;
    for (size_t w = 0; w < 4 * WORDS; w++) {
        const int exponent = exponents[w / WORDS];
        data_fill_normal(x, n, -5, 37, &random);
        data_fill_normal(residual, n, 2, 11, &random);
        data_float_parameters(gamma_row, n, &random);
        data_float_parameters(beta, n, &random);
        run(words[w % WORDS], n, 1e-5f, y);
        for (size_t i = 0; i < n; i++) {
            x[i] = ldexpf(x[i], exponent);
            residual[i] = ldexpf(residual[i], exponent);
        }
        run(words[w % WORDS], n, ldexpf(1e-5f, 2 * exponent), other);
        ck_assert_mem_eq(other, y, n * sizeof *y);
    }
}
END_TEST

static void check_exact_statistics(const char *more, size_t n)
{
    char words[64];
    snprintf(words, sizeof words, "layernorm f32 affine=none stats%s", more);
    run(words, n, 0, y);
    ck_assert(mean == 3 && rstd == 0.25f);
    snprintf(words, sizeof words, "rmsnorm f32 affine=none stats%s", more);
    run(words, n, 0, other);
    ck_assert(rstd == 1.0f / 5.0f);
    for (size_t i = 0; i < n; i++) {
        ck_assert(y[i] == (i % 2 == 0 ? 1.0f : -1.0f));
        ck_assert(other[i] == x[i] * rstd);
    }
}

/* Rows whose sums are exact in any order: mean 3, standard deviation 4, or a mean square of 25. */
START_TEST(theorem_exact_statistics)
{
    const size_t lengths[] = {2, 6, 64, 100, 768, 4096, 8194, 65536};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (size_t j = 0; j < lengths[i]; j++) {
            x[j] = j % 2 == 0 ? 7.0f : -1.0f;
        }
        check_exact_statistics("", lengths[i]);
        check_exact_statistics(" acc=f64", lengths[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faults");
    TCase *faults = add_case(suite, "faults");
    TCase *theorems = add_case(suite, "theorems");
    tcase_add_test(faults, a1_constant_row_is_zero);
    tcase_add_test(faults, a2_four_large_neighbours);
    tcase_add_test(faults, a3_mean_2000_std_1);
    tcase_add_test(faults, a6_base_1e5_spread_1e_2);
    tcase_add_test(faults, a6_base_1e5_spread_1e_8_in_f64);
    tcase_add_test(faults, a10_mean_is_subtracted_first);
    tcase_add_test(faults, a11_overflow_gives_zero);
    tcase_add_loop_test(faults, a11_f64_sums_do_not_overflow, 0, 4);
    tcase_add_test(faults, a11_range_of_f64);
    tcase_add_test(faults, a13_one_element);
    tcase_add_loop_test(faults, b1_squares_are_not_kept_in_16_bits, 0, 2);
    tcase_add_test(faults, b1_sums_overflow_where_f16_does);
    tcase_add_test(faults, b1_range_of_f16_results);
    tcase_add_test(faults, b3_offset_is_added_in_f32);
    tcase_add_test(faults, b5_b6_cast_before_or_after_gamma);
    tcase_add_test(faults, b7_b8_no_bias_in_bf16);
    tcase_add_test(faults, b8_nearest_not_truncated);
    tcase_add_test(faults, b9_nan_with_low_payload);
    tcase_add_test(faults, b12_small_inputs);
    tcase_add_test(faults, c1_c4_eps_inside_the_root);
    tcase_add_test(faults, c5_zero_rows);
    tcase_add_test(faults, c10_subnormal_inputs);
    tcase_add_test(faults, d1_rows_are_independent);
    tcase_add_test(faults, d10_not_only_standard_normal_data);
    tcase_add_loop_test(faults, e8_e10_strides_of_any_size, 0, 3);
    tcase_add_test(faults, inf_and_nan_rows);
    tcase_add_loop_test(theorems, theorem_constant_row_gives_beta, 0, THEOREM_LENGTHS);
    tcase_add_loop_test(theorems, theorem_negation, 0, THEOREM_LENGTHS);
    tcase_add_loop_test(theorems, theorem_scaling_by_a_power_of_two, 0, THEOREM_LENGTHS);
    tcase_add_test(theorems, theorem_exact_statistics);
    return run_suite(suite);
}
