/* The parts of the reference, each against a second way to say the same. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/suite.h"
#include "arithmetic.h"
#include "call.h"
#include "contract.h"
#include "data.h"
#include "oracle.h"
#include "reference.h"

/* A float with random bits: any class, any exponent. */
static float random_bits(uint64_t *random)
{
    return ref_f32_of_bits((uint32_t)(data_uniform(random) * 0x1p32));
}

/* Both ways to form a * b + c must give the correctly rounded value; all NaNs are equal. */
static void check_fma(float a, float b, float c)
{
    const float want = oracle_fma(a, b, c);
    const float got[] = {ref_fma_portable(a, b, c), ref_fma(a, b, c)};
    for (size_t i = 0; i < 2; i++) {
        ck_assert_msg((isnan(got[i]) && isnan(want)) || ref_bits_of_f32(got[i]) == ref_bits_of_f32(want),
                      "fma(%a, %a, %a) way %zu: %a instead of %a", (double)a, (double)b, (double)c, i, (double)got[i],
                      (double)want);
    }
}

START_TEST(fma_of_special_values)
{
    const float special[] = {0.0f, -0.0f,     1.0f,       -1.0f,   INFINITY, -INFINITY,
                             NAN,  0x1p-149f, -0x1p-149f, FLT_MIN, FLT_MAX,  -FLT_MAX};
    enum { SPECIALS = sizeof special / sizeof *special };
    for (size_t i = 0; i < SPECIALS * SPECIALS * SPECIALS; i++) {
        check_fma(special[i % SPECIALS], special[i / SPECIALS % SPECIALS], special[i / SPECIALS / SPECIALS]);
    }
}
END_TEST

/* Vectors on which a sum in double, rounded twice, or known faulty libraries go wrong. */
START_TEST(fma_of_known_vectors)
{
    check_fma(0x1.000002p-12f, 0x1.fffffcp-13f, 0x1.000002p0f);
    check_fma(0.9474001f, 4.639901e-7f, -0.24325085f);
    check_fma(-1.9369631e13f, 2.1513551e-7f, -1.7354427e-24f);
    ck_assert(ref_fma(0x1.000002p-12f, 0x1.fffffcp-13f, 0x1.000002p0f) == 0x1.000002p0f);
    ck_assert(ref_fma(0.9474001f, 4.639901e-7f, -0.24325085f) == -0x1.f22d46p-3f);
    ck_assert(ref_fma(-1.9369631e13f, 2.1513551e-7f, -1.7354427e-24f) == -0x1.fcadbep+21f);
}
END_TEST

START_TEST(fma_of_random_values)
{
    uint64_t random = 1;
    for (int i = 0; i < 300000; i++) {
        const float a = random_bits(&random);
        const float b = random_bits(&random);
        check_fma(a, b, random_bits(&random));
        /* a summand near the product, and one far below it, where the midpoints are */
        check_fma(a, b, (float)(-(double)a * (double)b));
        check_fma(a, b, ldexpf(a, -30));
        /* products in the subnormal range */
        check_fma(ldexpf(a, -70), ldexpf(b, -70), ldexpf(a, -149));
    }
}
END_TEST

static double random_f64_bits(uint64_t *random)
{
    const uint64_t high = (uint64_t)(data_uniform(random) * 0x1p32);
    return ref_f64_of_bits(high << 32 | (uint64_t)(data_uniform(random) * 0x1p32));
}

static void check_fma_f64(double a, double b, double c)
{
    const double want = oracle_fma_f64(a, b, c);
    const double got[] = {ref_fma_f64_portable(a, b, c), ref_fma_f64(a, b, c)};
    for (size_t i = 0; i < 2; i++) {
        ck_assert_msg((isnan(got[i]) && isnan(want)) || ref_bits_of_f64(got[i]) == ref_bits_of_f64(want),
                      "fma(%a, %a, %a) way %zu: %a instead of %a", a, b, c, i, got[i], want);
    }
}

START_TEST(fma_f64_of_special_values)
{
    const double special[] = {0.0, -0.0,      1.0,        -1.0,    INFINITY, -INFINITY,
                              NAN, 0x1p-1074, -0x1p-1074, DBL_MIN, DBL_MAX,  -DBL_MAX};
    enum { SPECIALS = sizeof special / sizeof *special };
    for (size_t i = 0; i < SPECIALS * SPECIALS * SPECIALS; i++) {
        check_fma_f64(special[i % SPECIALS], special[i / SPECIALS % SPECIALS], special[i / SPECIALS / SPECIALS]);
    }
}
END_TEST

START_TEST(fma_f64_of_random_values)
{
    uint64_t random = 2;
    for (int i = 0; i < 30000; i++) {
        const double a = random_f64_bits(&random);
        const double b = random_f64_bits(&random);
        const int distance = (int)(240 * data_uniform(&random)) - 120;
        check_fma_f64(a, b, random_f64_bits(&random));
        /* cancellation, exact but for the error of the product, and one place beside it */
        check_fma_f64(a, b, -(a * b));
        check_fma_f64(a, b, nextafter(-(a * b), 0));
        /* a summand at any distance from the product, of either sign */
        check_fma_f64(a, b, ldexp(a * b, distance));
        check_fma_f64(a, b, ldexp(-a * b, distance));
        check_fma_f64(a, b, ldexp(1, ilogb(a * b) + distance));
        /* results in the subnormal range and at its upper end */
        check_fma_f64(ldexp(data_normal(&random), -520), ldexp(data_normal(&random), -500 - distance / 4),
                      ldexp(data_normal(&random), -1022 - abs(distance) / 4));
        /* results around the largest double */
        check_fma_f64(ldexp(data_normal(&random), 512), ldexp(data_normal(&random), 511),
                      ldexp(data_normal(&random), 1022));
        /* few bits: ties */
        check_fma_f64(1 + floor(9 * data_uniform(&random)) * 0x1p-52, 1 + floor(9 * data_uniform(&random)) * 0x1p-52,
                      ldexp(floor(5 * data_uniform(&random)) - 2, -abs(distance)));
    }
}
END_TEST

/* A value of a 16-bit format, the midpoint to the next one away from zero, and the floats beside the midpoint. Above
 * the largest value the step stays what it was below it. */
static void check_neighbourhood(const ref_dtype *dtype, uint32_t bits)
{
    const float low = dtype->widen(bits);
    const float next = dtype->widen(bits + 1);
    const float step = isinf(next) ? low - dtype->widen(bits - 1) : next - low;
    const uint32_t middle = ref_bits_of_f32(low + step / 2);
    ck_assert_uint_eq(dtype->round(low), bits);
    ck_assert_uint_eq(dtype->round(ref_f32_of_bits(middle)), bits + (bits & 1U));
    ck_assert_uint_eq(dtype->round(ref_f32_of_bits(middle - 1)), bits);
    ck_assert_uint_eq(dtype->round(ref_f32_of_bits(middle + 1)), bits + 1);
}

START_TEST(rounding_around_every_16_bit_value)
{
    const char *const names[] = {"bf16", "f16"};
    const ref_dtype *dtype = ref_dtype_named(names[_i], strlen(names[_i]));
    for (uint32_t bits = 0; bits < 0x10000U; bits++) {
        const float value = dtype->widen(bits);
        if (isfinite(value)) {
            check_neighbourhood(dtype, bits);
        } else if (isinf(value)) {
            ck_assert_uint_eq(dtype->round(value), bits);
        } else {
            ck_assert(isnan(dtype->widen(dtype->round(value))));
        }
    }
}
END_TEST

/* f16 is a number of the form m * 2^e; bf16 is the upper half of a float. */
START_TEST(widening_is_exact)
{
    const ref_dtype *f16 = ref_dtype_named("f16", 3);
    const ref_dtype *bf16 = ref_dtype_named("bf16", 4);
    for (uint32_t bits = 0; bits < 0x7c00U; bits++) {
        const int exponent = (int)(bits >> 10);
        const int mantissa = (int)(bits & 0x3ffU) + (exponent > 0 ? 1024 : 0);
        ck_assert(f16->widen(bits) == ldexpf((float)mantissa, (exponent > 0 ? exponent : 1) - 25));
        ck_assert(f16->widen(bits | 0x8000U) == -f16->widen(bits));
        ck_assert_uint_eq(ref_bits_of_f32(bf16->widen(bits)), bits << 16);
    }
    ck_assert(f16->widen(0x7c00U) == INFINITY && isnan(f16->widen(0x7c01U)));
}
END_TEST

START_TEST(nan_stays_nan_with_any_payload)
{
    const char *const names[] = {"f32", "bf16", "f16"};
    const ref_dtype *dtype = ref_dtype_named(names[_i], strlen(names[_i]));
    for (uint32_t payload = 1; payload < 0x800000U; payload += payload < 0x20000U ? 1 : 0x101U) {
        ck_assert(isnan(dtype->widen(dtype->round(ref_f32_of_bits(0x7f800000U | payload)))));
        ck_assert(isnan(dtype->widen(dtype->round(ref_f32_of_bits(0xff800000U | payload)))));
    }
}
END_TEST

START_TEST(blocks_of_a_row)
{
    const size_t table[][3] = {{1, 1, 1},        {64, 1, 64},      {1024, 1, 1024},  {1025, 2, 576},
                               {4096, 2, 2048},  {5125, 2, 2624},  {8192, 2, 4096},  {8193, 4, 2112},
                               {12288, 4, 3072}, {16384, 4, 4096}, {16385, 8, 2112}, {65536, 16, 4096}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t length;
        ck_assert_uint_eq(ref_blocks(table[i][0], &length), table[i][1]);
        ck_assert_uint_eq(length, table[i][2]);
    }
}
END_TEST

START_TEST(head_of_a_row)
{
    const size_t table[][2] = {{1, 1},    {64, 1},    {65, 2},    {128, 2},     {129, 4},
                               {768, 16}, {1024, 16}, {4096, 64}, {65536, 1024}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ck_assert_uint_eq(ref_head(table[i][0]), table[i][1]);
    }
}
END_TEST

/* An arithmetic said a second time: its sums, in double, where `add` rounds a sum of two once more if it must. */
typedef struct second_way {
    const char *spec; /* but for h= */
    size_t lanes;
    int rounds_to_float;
} second_way;

static const second_way second_ways[] = {
    {"rmsnorm f32", 64, 1},
    {"rmsnorm bf16 acc=f64", 32, 0},
    {"rmsnorm f64", 32, 0},
};
enum { SECOND_WAYS = sizeof second_ways / sizeof *second_ways };

static double add(const second_way *way, double a, double b)
{
    return way->rounds_to_float ? (double)(float)(a + b) : a + b;
}

static double add_square(const second_way *way, double a, double sum)
{
    return way->rounds_to_float ? (double)oracle_fma((float)a, (float)a, (float)sum) : oracle_fma_f64(a, a, sum);
}

/* What lane j holds when w lanes are left: the halving tree, from its root. */
static double tree_from_root(const second_way *way, const double *lane, size_t j, size_t w)
{
    return w == way->lanes ? lane[j]
                           : add(way, tree_from_root(way, lane, j, 2 * w), tree_from_root(way, lane, j + w, 2 * w));
}

/* A block, lane by lane instead of stripe by stripe. */
static double block_from_lanes(const second_way *way, const double *value, size_t n, int squares)
{
    double lane[64] = {0};
    for (size_t j = 0; j < way->lanes; j++) {
        for (size_t i = j; i < n; i += way->lanes) {
            lane[j] = squares ? add_square(way, value[i], lane[j]) : add(way, lane[j], value[i]);
        }
    }
    return tree_from_root(way, lane, 0, 1);
}

/* Blocks of a row from its `first` on, from the root of their tree. */
static double blocks_from_root(const second_way *way, const double *value, size_t n, size_t length, size_t first,
                               size_t blocks, int squares)
{
    if (blocks > 1) {
        return add(way, blocks_from_root(way, value, n, length, first, blocks / 2, squares),
                   blocks_from_root(way, value, n, length, first + blocks / 2, blocks / 2, squares));
    }
    const size_t start = first * length < n ? first * length : n;
    const size_t end = start + length < n ? start + length : n;
    return block_from_lanes(way, value + start, end - start, squares);
}

START_TEST(sums_in_their_order)
{
    const size_t lengths[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 1000, 1024, 1025, 4096, 5125, 8193, 65536};
    static double value[REF_MAX_H], reals[REF_MAX_H];
    const second_way *way = &second_ways[_i];
    uint64_t random = 5;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i];
        char text[64];
        ref_spec spec;
        size_t length;
        const size_t blocks = ref_blocks(n, &length);
        snprintf(text, sizeof text, "%s h=%zu", way->spec, n);
        ck_assert_int_eq(ref_spec_parse(text, &spec), 0);
        data_kinds[1].fill(value, n, &random);
        call_narrow(spec.x, reals, value, n);
        call_widen(spec.x, value, reals, n);
        ck_assert_uint_eq(spec.arithmetic->lanes, way->lanes);
        ck_assert(spec.arithmetic->sum(reals, n) == blocks_from_root(way, value, n, length, 0, blocks, 0));
        ck_assert(spec.arithmetic->sum_of_squares(reals, n) == blocks_from_root(way, value, n, length, 0, blocks, 1));
    }
}
END_TEST

/* "Lanes start at +0." */
START_TEST(sum_of_negative_zeros_is_positive_zero)
{
    const float value[] = {-0.0f, -0.0f};
    ck_assert_uint_eq(ref_bits_of_f64(ref_f32.sum(value, 2)), 0);
}
END_TEST

/* The formula of layernorm, in the order of the contract, for rows of three elements: no tree to speak of. Row scalars
 * are doubles, rounded where they meet an element. */
START_TEST(acc_f64_rounds_row_scalars_once)
{
    const float eps = 1e-5f;
    uint64_t random = 9;
    for (int row = 0; row < 1000; row++) {
        float x[3], y[3], mean, rstd;
        data_fill_floats(&data_kinds[row % 4], x, 3, &random);
        const call c = {.in[REF_X] = x,
                        .scalar[REF_EPS] = (double)eps,
                        .out[REF_Y] = y,
                        .out[REF_MEAN] = &mean,
                        .out[REF_RSTD] = &rstd};
        call_reference("layernorm f32 h=3 affine=none acc=f64 stats", 1, &c);
        const float d[] = {x[0] - x[0], x[1] - x[0], x[2] - x[0]};
        const double delta = ((double)d[0] + (double)d[2] + (double)d[1]) / 3;
        const double squares =
            ((double)d[0] * (double)d[0] + (double)d[2] * (double)d[2]) + (double)d[1] * (double)d[1];
        const double v = oracle_fma_f64(-delta, delta, squares / 3);
        const double want_rstd = 1 / sqrt((v < 0 ? 0 : v) + (double)eps);
        ck_assert(rstd == (float)want_rstd);
        ck_assert(mean == (float)((double)x[0] + delta));
        for (size_t i = 0; i < 3; i++) {
            ck_assert(y[i] == (d[i] - (float)delta) * (float)want_rstd);
        }
    }
}
END_TEST

/* "center=full takes mu over the whole row": the variance of a row whose head is far away is as good as any. */
START_TEST(center_full_moves_the_pivot)
{
    const float x[] = {1e6f, 1, 2, 4};
    float y[4], mean;
    const call c = {
        .in[REF_X] = x, .scalar[REF_EPS] = 0, .out[REF_Y] = y, .out[REF_MEAN] = &mean, .out[REF_RSTD] = &(float){0}};
    call_reference("layernorm f32 h=4 affine=none stats center=full", 1, &c);
    const float mu = ((1e6f + 2.0f) + (1.0f + 4.0f)) / 4.0f;
    ck_assert_float_eq_tol(mean, mu, 0.02f);
    ck_assert_float_eq_tol(y[0], 1.7320508f, 1e-6f);
}
END_TEST

/* Every word that says where results go or come from changes no bit of y. */
START_TEST(words_that_change_no_bit)
{
    enum { N = 200, ROWS = 3 };
    const char *const words[] = {"layernorm bf16 addout", "rmsnorm f16 cast=llama", "rmsnorm f32 acc=f64"};
    const char *const more[] = {"", "stats", "strided", "stats strided"};
    float x[ROWS * N], residual[ROWS * N], gamma[N], beta[N], want[ROWS * N], y[ROWS * N], sum[ROWS * N];
    float mean[ROWS], rstd[ROWS];
    uint64_t random = 11;
    data_fill_floats(&data_kinds[1], x, ROWS * N, &random);
    data_fill_floats(&data_kinds[0], residual, ROWS * N, &random);
    data_float_parameters(gamma, N, &random);
    data_float_parameters(beta, N, &random);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char text[128];
        const call c = {.in[REF_X] = x,
                        .in[REF_RESIDUAL] = residual,
                        .in[REF_GAMMA_ROW] = gamma,
                        .in[REF_BETA_ROW] = beta,
                        .scalar[REF_ALPHA] = 0,
                        .scalar[REF_EPS] = 1e-5,
                        .out[REF_Y] = i == 0 ? want : y,
                        .out[REF_SUM] = sum,
                        .out[REF_MEAN] = mean,
                        .out[REF_RSTD] = rstd};
        snprintf(text, sizeof text, "%s h=%d %s", words[_i], N, more[i]);
        call_reference(text, ROWS, &c);
        ck_assert(i == 0 || memcmp(y, want, sizeof y) == 0);
    }
}
END_TEST

/* "h = round_R(fma(alpha, residual, x))": with alpha = 1 the bits of no alpha, and a product that is not rounded. */
START_TEST(alpha_is_fused)
{
    const float x[] = {-1, 3}, residual[] = {0x1.000002p0f, 1}, gamma[] = {1, 1};
    const float alpha = 0x1.000002p0f;
    float y[2], sum[2];
    const call c = {.in[REF_X] = x,
                    .in[REF_RESIDUAL] = residual,
                    .in[REF_GAMMA_ROW] = gamma,
                    .scalar[REF_ALPHA] = (double)alpha,
                    .scalar[REF_EPS] = 1e-5,
                    .out[REF_Y] = y,
                    .out[REF_SUM] = sum};
    call_reference("rmsnorm f32 h=2 addout alpha", 1, &c);
    ck_assert(sum[0] == 0x1.000001p-22f);
    ck_assert(sum[1] == 3 + alpha);
}
END_TEST

/* "t = round_Y(norm(x)), y = round_R(residual + t)": 1 + 2^-9 is a bf16 tie that goes to 1; with a residual of 2^-9 and
 * no rounding to Y in between the result would be 1 + 2^-8. */
START_TEST(addafter_rounds_twice)
{
    const float x[] = {1}, gamma[] = {1 + 0x1p-9f}, residual[] = {0x1p-9f};
    float y[1];
    const call c = {.in[REF_X] = x,
                    .in[REF_RESIDUAL] = residual,
                    .in[REF_GAMMA_ROW] = gamma,
                    .scalar[REF_ALPHA] = 0,
                    .scalar[REF_EPS] = 0,
                    .out[REF_Y] = y};
    call_reference("rmsnorm bf16 gamma=f32 residual=f32 h=1 addafter", 1, &c);
    ck_assert(y[0] == 1 + 0x1p-9f);
    call_reference("rmsnorm bf16 gamma=f32 residual=f32 h=1 addafter out=f32", 1, &c);
    ck_assert(y[0] == 1 + 0x1p-8f);
}
END_TEST

START_TEST(spec_understood)
{
    const char *const good[] = {
        "rmsnorm f32 h=1",
        "rmsnorm fwd bf16 h=65536 addout",
        "rmsnorm h=8 affine=gamma+beta offset=1 add residual=f32 bf16 gamma=f32 out=f32",
        "rmsnorm bf16 cast=llama h=64",
        "  layernorm   f32  h=768 affine=none ",
        "layernorm f16 h=768 out=bf16",
        "rmsnorm f64 h=3 residual=f64 gamma=f64 out=f64 add alpha stats strided",
        "layernorm f16 h=3 residual=bf16 gamma=f32 addafter acc=f64 center=full strided stats",
        "rmsnorm f16 h=3 cast=llama",
        "rmsnorm f16 h=3 zgate=before act=gelu acc=f64",
        "rmsnorm f32 h=3 act=tanh zgate=after addafter",
        "layernorm bf16 h=3 act=gelutanh",
        "rmsnorm f16 h=3 act=softplus addout",
        "layernorm f64 h=3 act=relu",
        "batchnorm infer f64 c=3 layout=nchw act=hardswish",
        "dyt f32 h=3 addout act=silu strided affine=none",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ref_spec spec;
        ck_assert_msg(ref_spec_parse(good[i], &spec) == 0, "%s", good[i]);
    }
}
END_TEST

START_TEST(spec_refused)
{
    const char *const bad[] = {
        "",
        "f32 rmsnorm h=4",
        "norm f32 h=4",
        "rmsnorm f32",
        "rmsnorm h=4",
        "rmsnorm f32 h=0",
        "rmsnorm f32 h=04",
        "rmsnorm f32 h=65537",
        "rmsnorm f32 h=99999999999999999999999999",
        "rmsnorm f32 h=4x",
        "rmsnorm f32 h=",
        "rmsnorm f32 h=4 h=4",
        "rmsnorm f32 bf16 h=4",
        "rmsnorm fwd fwd f32 h=4",
        "rmsnorm f32 h=4 add addout",
        "rmsnorm f32 h=4 affine=none affine=gamma",
        "rmsnorm f32 h=4 residual=f32",
        "rmsnorm f32 h=4 gamma=f8",
        "rmsnorm f32 h=4 affine=none offset=1",
        "rmsnorm f32 h=4 affine=none gamma=bf16",
        "rmsnorm f32 h=4 cast=llama",
        "rmsnorm bf16 h=4 affine=none cast=llama",
        "layernorm bf16 h=4 cast=llama",
        "rmsnorm f32 h=4 alpha",
        "rmsnorm f32 h=4 alpha addafter",
        "rmsnorm f32 h=4 add addafter",
        "rmsnorm f32 h=4 center=full",
        "layernorm f32 h=4 center=head",
        "layernorm f64 h=4 acc=f64",
        "layernorm f32 h=4 acc=f32",
        "layernorm f64 h=4 out=f32",
        "layernorm f64 h=4 gamma=bf16",
        "layernorm f32 h=4 gamma=f64",
        "layernorm f32 h=4 out=f64",
        "layernorm f32 h=4 add residual=f64",
        "layernorm f32 h=4 stats stats",
        "rmsnorm f64 h=4 cast=llama",
        "rmsnorm bf16 h=4 cast=llama affine=gamma+beta",
        "layernorm f32 h=4 zgate=after",
        "rmsnorm f32 h=4 zgate=before zgate=after",
        "rmsnorm f32 h=4 act=relu7",
        "rmsnorm f64 h=4 act=silu",
        "rmsnorm f64 h=4 act=mish",
        "rmsnorm f64 h=4 zgate=after",
        "dyt f64 h=4",
        "dyt f32 h=4 stats",
        "dyt f32 h=4 acc=f64",
        "dyt f32 h=4 add alpha",
        "dyt bf16 h=4 affine=gamma cast=llama",
        "dyt f32 h=4 zgate=before",
        "l2norm stats f32 h=4 shards=2",
        "dyt apply f32 h=4 shards=2",
        "fold merge f32 h=4 shards=2",
        "rmsnorm f32 h=4 whatever",
        "rmsnorm f32 h=4\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ref_spec spec;
        ck_assert_msg(ref_spec_parse(bad[i], &spec) == -1, "%s", bad[i]);
        ck_assert_int_eq(ng_reference(bad[i], 1, NULL, NULL, NULL), -1);
    }
}
END_TEST

START_TEST(spec_defaults)
{
    ref_spec spec;
    ck_assert_int_eq(ref_spec_parse("layernorm h=5 addout out=f32 bf16", &spec), 0);
    ck_assert_str_eq(spec.x->name, "bf16");
    ck_assert_str_eq(spec.residual->name, "bf16");
    ck_assert_str_eq(spec.gamma->name, "bf16");
    ck_assert_str_eq(spec.y->name, "f32");
    ck_assert_uint_eq(spec.h, 5);
    ck_assert_int_eq(spec.affine, REF_GAMMA_BETA);
    ck_assert_int_eq(spec.fusion, REF_ADDOUT);
    ck_assert_int_eq(ref_spec_parse("rmsnorm f32 h=5", &spec), 0);
    ck_assert_int_eq(spec.affine, REF_GAMMA);
}
END_TEST

START_TEST(no_rows_touch_nothing)
{
    ck_assert_int_eq(ng_reference("rmsnorm f32 h=5", 0, NULL, NULL, NULL), 0);
}
END_TEST

/* The arrays of the alias test: two rows of 70 values. */
enum { ALIAS_H = 70, ALIAS_N = 2 * ALIAS_H };

/* Runs layernorm with outputs in buffers `y` and `sum` (NULL: none) and inputs in x, residual. */
static void run_aliased(float *x, float *residual, float *y, float *sum)
{
    float gamma[ALIAS_H], beta[ALIAS_H];
    uint64_t random = 3;
    const double eps = 1e-5;
    data_float_parameters(gamma, ALIAS_H, &random);
    data_float_parameters(beta, ALIAS_H, &random);
    void *ptr[] = {x, residual, gamma, beta, y, sum};
    ck_assert_int_eq(
        ng_reference(sum != NULL ? "layernorm f32 h=70 addout" : "layernorm f32 h=70 add", 2, ptr, NULL, &eps), 0);
}

START_TEST(outputs_may_be_inputs)
{
    enum { NEW, FROM_X, FROM_RESIDUAL, NONE };
    const int forms[][2] = {{FROM_X, NONE}, {FROM_RESIDUAL, NONE}, {FROM_X, NEW},
                            {NEW, FROM_X},  {NEW, FROM_RESIDUAL},  {FROM_X, FROM_RESIDUAL}};
    float x[ALIAS_N], residual[ALIAS_N], want_y[ALIAS_N], want_sum[ALIAS_N], y[ALIAS_N], sum[ALIAS_N];
    uint64_t random = 4;
    data_fill_floats(&data_kinds[1], x, ALIAS_N, &random);
    data_fill_floats(&data_kinds[1], residual, ALIAS_N, &random);
    run_aliased(x, residual, want_y, want_sum);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        float a[ALIAS_N], b[ALIAS_N];
        float *const y_buffers[] = {y, a, b, NULL};
        float *const sum_buffers[] = {sum, a, b, NULL};
        float *const y_here = y_buffers[forms[i][0]];
        float *const sum_here = sum_buffers[forms[i][1]];
        memcpy(a, x, sizeof a);
        memcpy(b, residual, sizeof b);
        run_aliased(a, b, y_here, sum_here);
        ck_assert_mem_eq(y_here, want_y, sizeof want_y);
        if (sum_here != NULL) {
            ck_assert_mem_eq(sum_here, want_sum, sizeof want_sum);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reference");
    TCase *all = add_case(suite, "all");
    tcase_add_test(all, fma_of_special_values);
    tcase_add_test(all, fma_of_known_vectors);
    tcase_add_test(all, fma_of_random_values);
    tcase_add_test(all, fma_f64_of_special_values);
    tcase_add_test(all, fma_f64_of_random_values);
    tcase_add_loop_test(all, rounding_around_every_16_bit_value, 0, 2);
    tcase_add_test(all, widening_is_exact);
    tcase_add_loop_test(all, nan_stays_nan_with_any_payload, 0, 3);
    tcase_add_test(all, blocks_of_a_row);
    tcase_add_test(all, head_of_a_row);
    tcase_add_loop_test(all, sums_in_their_order, 0, SECOND_WAYS);
    tcase_add_test(all, sum_of_negative_zeros_is_positive_zero);
    tcase_add_test(all, acc_f64_rounds_row_scalars_once);
    tcase_add_test(all, center_full_moves_the_pivot);
    tcase_add_loop_test(all, words_that_change_no_bit, 0, 3);
    tcase_add_test(all, alpha_is_fused);
    tcase_add_test(all, addafter_rounds_twice);
    tcase_add_test(all, spec_understood);
    tcase_add_test(all, spec_refused);
    tcase_add_test(all, spec_defaults);
    tcase_add_test(all, no_rows_touch_nothing);
    tcase_add_test(all, outputs_may_be_inputs);
    return run_suite(suite);
}
