/* The parts of the reference, each against a second way to say the same. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "data.h"
#include "oracle.h"
#include "reference.h"
#include "spec.h"

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

/* What lane j holds when w lanes are left: the halving tree, from its root. */
static float tree_from_root(const float lane[REF_LANES], size_t j, size_t w)
{
    return w == REF_LANES ? lane[j] : tree_from_root(lane, j, 2 * w) + tree_from_root(lane, j + w, 2 * w);
}

/* A block, lane by lane instead of stripe by stripe. */
static float block_from_lanes(const float *value, size_t n, int squares)
{
    float lane[REF_LANES];
    for (size_t j = 0; j < REF_LANES; j++) {
        lane[j] = 0;
        for (size_t i = j; i < n; i += REF_LANES) {
            lane[j] = squares ? oracle_fma(value[i], value[i], lane[j]) : lane[j] + value[i];
        }
    }
    return tree_from_root(lane, 0, 1);
}

/* Blocks from `first` on, from the root of their tree. */
static float blocks_from_root(const float *value, size_t n, size_t length, size_t first, size_t blocks, int squares)
{
    if (blocks > 1) {
        return blocks_from_root(value, n, length, first, blocks / 2, squares) +
               blocks_from_root(value, n, length, first + blocks / 2, blocks / 2, squares);
    }
    const size_t start = first * length < n ? first * length : n;
    const size_t end = start + length < n ? start + length : n;
    return block_from_lanes(value + start, end - start, squares);
}

START_TEST(sums_in_their_order)
{
    const size_t lengths[] = {1, 2, 63, 64, 65, 127, 128, 1000, 1024, 1025, 4096, 5125, 8193, 65536};
    static float value[REF_MAX_H];
    uint64_t random = 5;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i];
        size_t length;
        const size_t blocks = ref_blocks(n, &length);
        data_kinds[1].fill(value, n, &random);
        ck_assert(ref_sum(value, n) == blocks_from_root(value, n, length, 0, blocks, 0));
        ck_assert(ref_sum_of_squares(value, n) == blocks_from_root(value, n, length, 0, blocks, 1));
        ck_assert(ref_mean(value, n) == ref_sum(value, n) / (float)n);
    }
}
END_TEST

/* "Lanes start at +0." */
START_TEST(sum_of_negative_zeros_is_positive_zero)
{
    const float value[] = {-0.0f, -0.0f};
    ck_assert_uint_eq(ref_bits_of_f32(ref_sum(value, 2)), 0);
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
    data_parameters(gamma, ALIAS_H, &random);
    data_parameters(beta, ALIAS_H, &random);
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
    data_kinds[1].fill(x, ALIAS_N, &random);
    data_kinds[1].fill(residual, ALIAS_N, &random);
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
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 600);
    tcase_add_test(all, fma_of_special_values);
    tcase_add_test(all, fma_of_known_vectors);
    tcase_add_test(all, fma_of_random_values);
    tcase_add_loop_test(all, rounding_around_every_16_bit_value, 0, 2);
    tcase_add_test(all, widening_is_exact);
    tcase_add_loop_test(all, nan_stays_nan_with_any_payload, 0, 3);
    tcase_add_test(all, blocks_of_a_row);
    tcase_add_test(all, head_of_a_row);
    tcase_add_test(all, sums_in_their_order);
    tcase_add_test(all, sum_of_negative_zeros_is_positive_zero);
    tcase_add_test(all, spec_understood);
    tcase_add_test(all, spec_refused);
    tcase_add_test(all, spec_defaults);
    tcase_add_test(all, no_rows_touch_nothing);
    tcase_add_test(all, outputs_may_be_inputs);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
