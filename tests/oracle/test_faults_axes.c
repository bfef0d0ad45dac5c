/* Faults that other libraries had in norms over other axes, each as a test of the reference; the names are those of the
 * list in the documentation. Then the theorems of the contract. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/suite.h"
#include "call.h"
#include "contract.h"
#include "data.h"
#include "reference.h"

enum { MAX = 1 << 18, MAX_CHANNELS = 96 };
static float x[MAX], y[MAX], other[MAX];
static float gamma_row[MAX_CHANNELS], beta[MAX_CHANNELS], mean[MAX_CHANNELS], rstd[MAX_CHANNELS];
static float running_mean[MAX_CHANNELS], running_var[MAX_CHANNELS], running_square[MAX_CHANNELS], square[MAX_CHANNELS];

/* Runs a spec on the arrays above. */
static void run(const char *spec, size_t rows, size_t positions, float eps, float *to)
{
    const call c = {.in[REF_X] = x,
                    .in[REF_GAMMA_ROW] = gamma_row,
                    .in[REF_BETA_ROW] = beta,
                    .in[REF_RUNNING_MEAN] = running_mean,
                    .in[REF_RUNNING_VAR] = running_var,
                    .in[REF_RUNNING_SQUARE] = running_square,
                    .scalar[REF_POSITION_COUNT] = (double)positions,
                    .scalar[REF_MOMENTUM] = 0.25,
                    .scalar[REF_EPS] = (double)eps,
                    .out[REF_Y] = to,
                    .out[REF_MEAN] = mean,
                    .out[REF_RSTD] = rstd,
                    .out[REF_SQUARE] = square,
                    .out[REF_RUNNING_MEAN] = running_mean,
                    .out[REF_RUNNING_VAR] = running_var,
                    .out[REF_RUNNING_SQUARE] = running_square};
    call_reference(spec, rows, &c);
}

/* Mean and standard deviation of `n` elements, `stride` apart, of `rows` rows that are `row_stride` apart. */
static double deviation_of(const float *array, size_t rows, size_t row_stride, size_t n, size_t stride, double *center)
{
    double total = 0, squares = 0;
    for (size_t i = 0; i < rows * n; i++) {
        total += (double)array[i / n * row_stride + i % n * stride];
    }
    *center = total / (double)(rows * n);
    for (size_t i = 0; i < rows * n; i++) {
        const double d = (double)array[i / n * row_stride + i % n * stride] - *center;
        squares += d * d;
    }
    return sqrt(squares / (double)(rows * n));
}

/* Mean +-5, standard deviation 0.1, in bf16: each channel of y has standard deviation 1. */
START_TEST(a9_mean_5_std_0_1_in_bf16)
{
    enum { ROWS = 2, C = 64, POSITIONS = 32 * 32 };
    const int is_nchw = _i == 0;
    uint64_t random = 45968;
    double center;
    for (size_t i = 0; i < (size_t)ROWS * C * POSITIONS; i++) {
        const size_t channel = is_nchw ? i / POSITIONS % C : i % C;
        x[i] = (float)((channel % 2 == 0 ? 5 : -5) + 0.1 * data_normal(&random));
    }
    run(is_nchw ? "batchnorm bf16 c=64 layout=nchw affine=none" : "batchnorm bf16 c=64 layout=nhwc affine=none", ROWS,
        POSITIONS, 1e-5f, y);
    for (size_t c = 0; c < C; c++) {
        const float *first = y + c * (is_nchw ? POSITIONS : 1);
        const double std = deviation_of(first, ROWS, C * POSITIONS, POSITIONS, is_nchw ? 1 : C, &center);
        ck_assert_msg(std > 0.97 && std < 1.03 && fabs(center) < 0.01, "channel %zu: mean %g, std %g", c, center, std);
    }
}
END_TEST

/* One value for each channel: n - 1 is 0, and running_var is what biased gives. */
START_TEST(a14_one_value_per_channel)
{
    static const char *const specs[] = {"batchnorm f32 c=3 layout=nchw", "batchnorm f32 c=3 layout=nhwc",
                                        "batchnorm f32 c=3 layout=rows", "batchnorm f32 c=3 layout=nchw momentum=onnx"};
    const float momentum = _i == 3 ? 0.75f : 0.25f; /* of the batch */
    const float values[] = {1e6f, -3, 0.1f};
    memcpy(x, values, sizeof values);
    data_fill(running_mean, 3, 8);
    data_fill(running_var, 3, 2);
    data_fill(gamma_row, 3, 2);
    data_fill(beta, 3, 7);
    run(specs[_i], 1, 1, 1e-5f, y);
    for (size_t c = 0; c < 3; c++) {
        ck_assert(y[c] == 7 && mean[c] == values[c]);
        ck_assert(running_var[c] == 2 - 2 * momentum);
        ck_assert_float_eq_tol(running_mean[c], 8 + momentum * (values[c] - 8), 1e-6f * fabsf(values[c]) + 1e-6f);
    }
}
END_TEST

/* Base 1e5, spread 1e-2: the variance of what f32 holds of it is right. */
START_TEST(a6_base_1e5_spread_1e_2)
{
    enum { ROWS = 3, POSITIONS = 5000 };
    uint64_t random = 31973;
    double center;
    data_fill_normal(x, ROWS * POSITIONS, 1e5, 1e-2, &random);
    data_fill(running_mean, 1, 0);
    data_fill(running_var, 1, 0);
    run(_i == 0 ? "batchnorm f32 c=1 layout=nchw affine=none" : "batchnorm f32 c=1 layout=nhwc affine=none", ROWS,
        POSITIONS, 0, y);
    const double std = deviation_of(x, 1, 0, ROWS * POSITIONS, 1, &center);
    ck_assert_msg(fabs((double)rstd[0] * std - 1) < 1e-4, "rstd %g, std %g", (double)rstd[0], std);
}
END_TEST

/* Groups of different scale: each has mean 0 and standard deviation 1, so that the number of groups counts. */
START_TEST(d7_groups_of_different_scale)
{
    enum { ROWS = 2, C = 32, G = 4, POSITIONS = 49, GROUP = C / G * POSITIONS };
    const int is_nchw = _i == 0;
    uint64_t random = 15507;
    double center;
    for (size_t i = 0; i < (size_t)ROWS * C * POSITIONS; i++) {
        const size_t channel = is_nchw ? i / POSITIONS % C : i % C;
        const double scale = ldexp(1, (int)(5 * (channel / (C / G))));
        x[i] = (float)(scale * (3 + data_normal(&random)));
    }
    run(is_nchw ? "groupnorm f32 c=32 g=4 layout=nchw affine=none" : "groupnorm f32 c=32 g=4 layout=nhwc affine=none",
        ROWS, POSITIONS, 1e-5f, y);
    for (size_t group = 0; group < (size_t)ROWS * G; group++) {
        const size_t row = group / G, channel = group % G * (C / G);
        const float *first = y + (is_nchw ? (row * C + channel) * POSITIONS : row * POSITIONS * C + channel);
        const double std = is_nchw ? deviation_of(first, 1, 0, GROUP, 1, &center)
                                   : deviation_of(first, POSITIONS, C, C / G, 1, &center);
        ck_assert_msg(fabs(std - 1) < 1e-4 && fabs(center) < 1e-5, "group %zu: mean %g, std %g", group, center, std);
    }
}
END_TEST

/* No rows, or no positions: nothing is read or written, not even through a null pointer. */
START_TEST(e13_nothing_to_do)
{
    static const char *const specs[] = {"batchnorm f32 c=3 layout=nchw", "batchnorm f32 c=3 layout=nhwc",
                                        "powernorm f32 c=3 layout=nhwc", "batchnorm merge f32 c=3 layout=nchw",
                                        "groupnorm f32 c=4 g=2 layout=nhwc"};
    void *const none[REF_ARGUMENTS] = {NULL};
    const double no_positions[REF_ARGUMENTS] = {0}, positions[REF_ARGUMENTS] = {7};
    ck_assert_int_eq(ng_reference(specs[_i], 0, none, NULL, positions), 0);
    ck_assert_int_eq(ng_reference(specs[_i], 5, none, NULL, no_positions), 0);
}
END_TEST

/* Running statistics are left alone then. */
START_TEST(e13_running_statistics_are_untouched)
{
    data_fill(running_mean, 3, 8);
    data_fill(running_var, 3, 2);
    data_fill(mean, 3, 5);
    run("batchnorm f32 c=3 layout=nchw", 4, 0, 1e-5f, y);
    run("batchnorm f32 c=3 layout=rows", 0, 1, 1e-5f, y);
    ck_assert(running_mean[0] == 8 && running_var[2] == 2);
}
END_TEST

/* Three, four and five axes: positions is the product of all behind the channels, of which some are 1. The expected
 * values are computed by loops over five axes. */
START_TEST(e20_more_axes)
{
    enum { N = 2, C = 6, G = 3 };
    static const size_t shapes[][3] = {{1, 1, 7}, {1, 5, 4}, {3, 1, 5}, {3, 4, 5}};
    const size_t D = shapes[_i][0], H = shapes[_i][1], W = shapes[_i][2], positions = D * H * W;
    uint64_t random = 1376;
    data_fill_normal(x, N * C * positions, -5, 37, &random);
    run("groupnorm f32 c=6 g=3 layout=nchw affine=none", N, positions, 1e-5f, y);
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            const size_t first = c / (C / G) * (C / G);
            double total = 0, squares = 0;
            for (size_t i = 0; i < (C / G) * positions; i++) {
                total += (double)x[(n * C + first) * positions + i];
            }
            const double center = total / (double)((C / G) * positions);
            for (size_t i = 0; i < (C / G) * positions; i++) {
                squares += pow((double)x[(n * C + first) * positions + i] - center, 2);
            }
            const double scale = 1 / sqrt(squares / (double)((C / G) * positions) + (double)1e-5f);
            for (size_t d = 0; d < D; d++) {
                for (size_t h = 0; h < H; h++) {
                    for (size_t w = 0; w < W; w++) {
                        const size_t at = (((n * C + c) * D + d) * H + h) * W + w;
                        ck_assert_double_eq_tol((double)y[at], ((double)x[at] - center) * scale, 1e-5);
                    }
                }
            }
        }
    }
}
END_TEST

/* Specs that have a mean, for the theorems. */
static const char *const centred[] = {
    "groupnorm f32 c=6 g=2 layout=nchw", "groupnorm f32 c=6 g=2 layout=nhwc", "instancenorm bf16 c=6 layout=nhwc",
    "layernorm f32 h=6 layout=nchw",     "batchnorm f32 c=6 layout=nchw",     "batchnorm f32 c=6 layout=nhwc",
    "mvn f32 c=6 layout=nchw",           "batchnorm f32 c=6 layout=rows",
};
enum { CENTRED = sizeof centred / sizeof *centred };
static const size_t counts[] = {1, 2, 3, 7, 49, 64, 65, 1000, 4096, 4097, 8200};
enum { COUNTS = sizeof counts / sizeof *counts };

/* All elements are the same: the result is beta, whatever the sizes. */
START_TEST(theorem_constant_gives_beta)
{
    const char *spec = centred[_i / COUNTS];
    const size_t positions = strstr(spec, "=rows") != NULL ? 1 : counts[_i % COUNTS];
    const size_t rows = strstr(spec, "=rows") != NULL ? 2 * counts[_i % COUNTS] : 2;
    uint64_t random = 10 + (uint64_t)_i;
    data_float_parameters(gamma_row, 6, &random);
    data_float_parameters(beta, 6, &random);
    const ref_dtype *format = strstr(spec, "bf16") != NULL ? ref_dtype_named("bf16", 4) : ref_dtype_named("f32", 3);
    ref_round_row(format, gamma_row, 6);
    ref_round_row(format, beta, 6);
    for (int i = 0; i < 3; i++) {
        data_fill(x, rows * 6 * positions,
                  ldexpf((float)(data_normal(&random) + 2), (int)(40 * data_uniform(&random)) - 10));
        run(spec, rows, positions, 1e-5f, y);
        for (size_t j = 0; j < rows * 6 * positions; j++) {
            const size_t channel = strstr(spec, "nchw") != NULL ? j / positions % 6 : j % 6;
            const float want = strncmp(spec, "mvn", 3) == 0 ? 0 : beta[channel];
            ck_assert_msg(y[j] == want, "%s, positions %zu, x %a: %g instead of %g", spec, positions, (double)x[0],
                          (double)y[j], (double)want);
        }
    }
}
END_TEST

/* Without beta, y(-x) = -y(x); and x times 2^k with eps times 4^k changes no bit. */
START_TEST(theorem_negation_and_scaling)
{
    static const char *const specs[] = {
        "groupnorm f32 c=6 g=2 layout=nchw affine=gamma", "groupnorm f32 c=6 g=2 layout=nhwc affine=gamma",
        "layernorm f32 h=6 layout=nchw affine=none",      "rmsnorm f32 h=6 layout=nchw",
        "batchnorm f32 c=6 layout=nchw affine=gamma",     "batchnorm f32 c=6 layout=nhwc affine=gamma"};
    const size_t rows = 3, positions = counts[_i % COUNTS], n = rows * 6 * positions;
    const char *spec = specs[_i / COUNTS];
    uint64_t random = 20 + (uint64_t)_i;
    data_float_parameters(gamma_row, 6, &random);
    data_fill_normal(x, n, -5, 37, &random);
    run(spec, rows, positions, 1e-5f, y);
    for (size_t i = 0; i < n; i++) {
        x[i] = -x[i];
    }
    run(spec, rows, positions, 1e-5f, other);
    for (size_t i = 0; i < n; i++) {
        ck_assert(other[i] == -y[i]);
        x[i] = ldexpf(-x[i], 20);
    }
    run(spec, rows, positions, ldexpf(1e-5f, 40), other);
    ck_assert_mem_eq(other, y, n * sizeof *y);
}
END_TEST

/* Sums that are exact in any order: mean 3, standard deviation 4, mean square 25. */
START_TEST(theorem_exact_statistics)
{
    const size_t rows = 2, positions = counts[_i];
    for (size_t i = 0; i < rows * 3 * positions; i++) {
        x[i] = i / 3 % 2 == 0 ? 7.0f : -1.0f; /* nhwc: all channels alike */
    }
    data_fill(running_square, 3, 25);
    data_fill(running_mean, 3, 0);
    data_fill(running_var, 3, 0);
    run("powernorm f32 c=3 layout=nhwc affine=none", rows, positions, 0, y);
    ck_assert(square[0] == 25 && running_square[2] == 25 && y[0] == 7 * (1.0f / 5));
    run("batchnorm f32 c=3 layout=nhwc affine=none", rows, positions, 0, y);
    ck_assert(mean[0] == 3 && rstd[2] == 0.25f && y[0] == 1 && running_mean[1] == 0.75f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faults of norms over other axes");
    TCase *faults = add_case(suite, "faults");
    TCase *theorems = add_case(suite, "theorems");
    tcase_add_loop_test(faults, a9_mean_5_std_0_1_in_bf16, 0, 2);
    tcase_add_loop_test(faults, a14_one_value_per_channel, 0, 4);
    tcase_add_loop_test(faults, a6_base_1e5_spread_1e_2, 0, 2);
    tcase_add_loop_test(faults, d7_groups_of_different_scale, 0, 2);
    tcase_add_loop_test(faults, e13_nothing_to_do, 0, 5);
    tcase_add_test(faults, e13_running_statistics_are_untouched);
    tcase_add_loop_test(faults, e20_more_axes, 0, 4);
    tcase_add_loop_test(theorems, theorem_constant_gives_beta, 0, CENTRED * COUNTS);
    tcase_add_loop_test(theorems, theorem_negation_and_scaling, 0, 6 * COUNTS);
    tcase_add_loop_test(theorems, theorem_exact_statistics, 0, COUNTS);
    return run_suite(suite);
}
