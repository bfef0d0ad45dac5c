/* Faults of docs/known-faults.md that concern the relatives of the norms: lengths, parts of rows, quantised results. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/suite.h"
#include "call.h"
#include "contract.h"
#include "data.h"

enum { N = 128 };

static float x[N], gamma_row[N], y[N], side[N], scale;

/* Runs one row of a spec of N elements, its words without h=. */
static void run(const char *words, double eps)
{
    const call c = {
        .in = {[REF_X] = x, [REF_GAMMA_ROW] = gamma_row},
        .scalar = {[REF_EPS] = eps, [REF_YSCALE] = 0.25, [REF_YZERO] = 3},
        .out = {[REF_Y] = y, [REF_YSCALE_ROW] = &scale, [REF_SIDE] = side},
    };
    char text[128];
    snprintf(text, sizeof text, "%s h=%d", words, N);
    call_reference(text, 1, &c);
}

static void fill(double mean, double std, uint64_t seed)
{
    for (size_t i = 0; i < N; i++) {
        x[i] = (float)(mean + std * data_normal(&seed));
        gamma_row[i] = 1;
    }
}

static double length_of(const float *row, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)row[i] * (double)row[i];
    }
    return sqrt(sum);
}

/* The three forms differ by a factor of 1000 near zero. */
START_TEST(c2_forms_of_l2)
{
    for (size_t i = 0; i < N; i++) {
        x[i] = 1e-6F / sqrtf(N);
    }
    run("l2norm f32", 1e-6);
    ck_assert_double_eq_tol(length_of(y, N), 1e-3, 1e-6);
    run("l2norm f32 epsform=outside", 1e-6);
    ck_assert_double_eq_tol(length_of(y, N), 0.5, 1e-3);
    run("l2norm f32 epsform=max", 1e-6);
    ck_assert_double_eq_tol(length_of(y, N), 1, 1e-3);
}
END_TEST

static const struct {
    const char *dtype;
    double most, zero;
} quantised[] = {{"s8", 127, 0}, {"u8", 127, 128}, {"e4m3", 448, 0}};
enum { QUANTISED = sizeof quantised / sizeof *quantised };

static void run_quantised(int which, const char *words)
{
    char text[96];
    snprintf(text, sizeof text, "rmsnorm f32 out=%s quant=row %s", quantised[which].dtype, words);
    run(text, 1e-5);
}

/* A row of zeros has scale 1, and so is one again. */
START_TEST(c6_rows_of_zeros)
{
    memset(x, 0, sizeof x);
    run_quantised(_i, "");
    ck_assert(scale == 1);
    for (size_t i = 0; i < N; i++) {
        ck_assert(y[i] == (float)quantised[_i].zero);
    }
}
END_TEST

/* What is stored, times the scale, is the value but for half a unit: one integer, or 2^-4 of the value in e4m3. */
START_TEST(c6_scales_are_right)
{
    const double means[] = {0, -5, 1e3};
    for (size_t m = 0; m < 3; m++) {
        fill(means[m], 3, 5 + (uint64_t)m);
        x[N / 2] *= 20;
        run_quantised(_i, "side");
        double most = 0;
        for (size_t i = 0; i < N; i++) {
            most = fmax(most, fabs((double)side[i]));
        }
        ck_assert_double_eq_tol((double)scale, most / quantised[_i].most, most * 1e-7);
        for (size_t i = 0; i < N; i++) {
            const double back = ((double)y[i] - quantised[_i].zero) * (double)scale;
            const double units =
                _i == 2 ? fmax(fabs((double)side[i]) / 16, (double)scale * 0x1p-10) : (double)scale / 2;
            ck_assert_double_le(fabs(back - (double)side[i]), units * (1 + 1e-5));
        }
    }
}
END_TEST

/* Rows so small that 127 / amax would overflow: the scale stays a normal number and the row stays in range. */
START_TEST(c6_tiny_rows)
{
    for (size_t i = 0; i < N; i++) {
        x[i] = i % 2 == 0 ? 1e-40F : -1e-43F;
        gamma_row[i] = 1e-3F;
    }
    run_quantised(_i, "");
    ck_assert(isfinite(scale) && scale >= FLT_MIN);
    for (size_t i = 0; i < N; i++) {
        ck_assert(isfinite(y[i]) && fabsf(y[i]) <= (float)(quantised[_i].most + quantised[_i].zero));
    }
    for (size_t i = 0; i < N; i++) {
        gamma_row[i] = 1;
    }
}
END_TEST

/* Every code of e4m3 and the numbers halfway to the next one; from 448 on all saturate. */
START_TEST(c7_all_of_e4m3)
{
    const ref_dtype *e4m3 = ref_dtype_named("e4m3", 4);
    for (uint32_t code = 0; code < 0x7eU; code++) {
        const float low = e4m3->widen(code), high = e4m3->widen(code + 1), middle = low + (high - low) / 2;
        ck_assert(high > low);
        ck_assert_uint_eq(e4m3->round(low), code);
        ck_assert_uint_eq(e4m3->round(-low), code | 0x80U);
        ck_assert_uint_eq(e4m3->round(middle), code + (code & 1U));
        ck_assert_uint_eq(e4m3->round(nextafterf(middle, 0)), code);
        ck_assert_uint_eq(e4m3->round(nextafterf(middle, INFINITY)), code + 1);
    }
    ck_assert(e4m3->widen(1) == 0x1p-9F && e4m3->widen(8) == 0x1p-6F && e4m3->widen(0x7e) == 448);
    const float large[] = {448, 449, 463, 464, 1e6F, FLT_MAX, INFINITY};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        ck_assert_uint_eq(e4m3->round(large[i]), 0x7eU);
        ck_assert_uint_eq(e4m3->round(-large[i]), 0xfeU);
    }
    ck_assert_uint_eq(e4m3->round(NAN), 0x7fU);
    ck_assert_uint_eq(e4m3->round(-NAN), 0x7fU);
    ck_assert(isnan(e4m3->widen(0x7f)) && isnan(e4m3->widen(0xff)));
}
END_TEST

/* round=io: what is quantised is the bf16 that the unfused norm would have stored. */
START_TEST(b14_rounding_between_norm_and_quantiser)
{
    static float plain[N], fused[N];
    int differs = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fill(1, 2, seed);
        run("rmsnorm bf16", 1e-5);
        memcpy(plain, y, sizeof plain);
        run("rmsnorm bf16 out=s8 quant=row round=io side", 1e-5);
        memcpy(fused, y, sizeof fused);
        ck_assert(memcmp(plain, side, sizeof side) == 0);
        float most = 0;
        for (size_t i = 0; i < N; i++) {
            most = fmaxf(most, fabsf(plain[i]));
        }
        for (size_t i = 0; i < N; i++) {
            ck_assert(fused[i] == nearbyintf(plain[i] * (127 / most)));
        }
        run("rmsnorm bf16 out=s8 quant=row", 1e-5);
        differs += memcmp(y, fused, sizeof fused) != 0;
    }
    ck_assert_int_gt(differs, 0); /* the rounding matters */
}
END_TEST

/* A given scale: numbers beyond the range saturate, zero is where it should be. */
START_TEST(c6_given_scales)
{
    fill(0, 1, 3);
    gamma_row[0] = 1e6F;
    gamma_row[1] = -1e6F;
    x[0] = x[1] = 1;
    run("rmsnorm f32 out=u8 quant=static", 1e-5);
    ck_assert(y[0] == 255 && y[1] == 0);
    run("rmsnorm f32 out=s8 quant=static", 1e-5);
    ck_assert(y[0] == 127 && y[1] == -128);
    memset(x, 0, sizeof x);
    run("rmsnorm f32 out=u8 quant=static", 1e-5);
    ck_assert(y[5] == 3);
}
END_TEST

/* Each group has the mean square 1, however different they are; one group is the plain norm. */
START_TEST(d7_groups)
{
    static float plain[N];
    fill(0, 1, 9);
    for (size_t i = 0; i < N; i++) {
        x[i] *= ldexpf(1, 5 * (int)(i / 32));
    }
    run("rmsnorm f32 groups=4", 1e-12);
    for (size_t group = 0; group < 4; group++) {
        ck_assert_double_eq_tol(length_of(y + 32 * group, 32), sqrt(32), 1e-5);
    }
    run("rmsnorm f32 groups=1", 1e-5);
    memcpy(plain, y, sizeof plain);
    run("rmsnorm f32", 1e-5);
    ck_assert(memcmp(plain, y, sizeof plain) == 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("relatives");
    TCase *faults = add_case(suite, "faults");
    tcase_add_test(faults, c2_forms_of_l2);
    tcase_add_loop_test(faults, c6_rows_of_zeros, 0, QUANTISED);
    tcase_add_loop_test(faults, c6_scales_are_right, 0, QUANTISED);
    tcase_add_loop_test(faults, c6_tiny_rows, 0, QUANTISED);
    tcase_add_test(faults, c6_given_scales);
    tcase_add_test(faults, c7_all_of_e4m3);
    tcase_add_test(faults, b14_rounding_between_norm_and_quantiser);
    tcase_add_test(faults, d7_groups);
    return run_suite(suite);
}
