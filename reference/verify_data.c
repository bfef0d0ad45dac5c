#include "verify_data.h"

#include "contract.h"

static uint64_t next_bits(verify_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

verify_random verify_random_for(uint64_t seed, uint64_t index)
{
    verify_random random = {seed};
    random.state = next_bits(&random) + index;
    return random;
}

uint32_t verify_random_below(verify_random *random, uint32_t n)
{
    return (uint32_t)((next_bits(random) >> 32) * n >> 32);
}

/* Close to N(0, 1): the sum of four 16-bit numbers, with its mean and standard deviation taken out. */
static float normal(verify_random *random)
{
    const uint64_t bits = next_bits(random);
    const int sum = (int)(bits & 0xffff) + (int)(bits >> 16 & 0xffff) + (int)(bits >> 32 & 0xffff) + (int)(bits >> 48);
    return (float)(sum - 131070) * (1.0f / 37837.0f);
}

/* A random sign and mantissa with a binary exponent from low to high. */
static float random_exponent(verify_random *random, int low, int high)
{
    const uint32_t fraction = (uint32_t)next_bits(random) & 0x807fffffU;
    const uint32_t exponent = verify_random_below(random, (uint32_t)(high - low + 1));
    return ref_f32_of_bits(fraction | (exponent + (uint32_t)(low + 127)) << 23);
}

static float special(verify_random *random)
{
    static const uint32_t bits[] = {
        0x7f800000U, 0xff800000U, 0x7f800001U, 0xff800001U, 0x7fffffffU, 0xffffffffU, 0x7fc00000U, 0x7f80ffffU,
    };
    return ref_f32_of_bits(bits[verify_random_below(random, sizeof bits / sizeof *bits)]);
}

static void fill_normal(verify_random *random, float *row, size_t h, verify_role role)
{
    (void)role;
    for (size_t i = 0; i < h; i++) {
        row[i] = normal(random);
    }
}

/* Mean -5, standard deviation 37: a norm that forgets either shows it. */
static void fill_shifted(verify_random *random, float *row, size_t h, verify_role role)
{
    (void)role;
    for (size_t i = 0; i < h; i++) {
        row[i] = ref_fma(37.0f, normal(random), -5.0f);
    }
}

static void fill_wide(verify_random *random, float *row, size_t h, verify_role role)
{
    (void)role;
    for (size_t i = 0; i < h; i++) {
        row[i] = random_exponent(random, -70, 50);
    }
}

/* A mean 1e7 times the standard deviation, or as close to it as the format can hold. */
static void fill_huge_mean(verify_random *random, float *row, size_t h, verify_role role)
{
    (void)role;
    const float mean = random_exponent(random, 0, 20);
    for (size_t i = 0; i < h; i++) {
        row[i] = ref_fma(mean * 1e-7f, normal(random), mean);
    }
}

/* Values of size 1.25, half of them negative; with eps = 4 - 1.25^2 the square root is exactly 2, the normalised values
 * are
 * +-0.625, and products with 8-bit parameters are often exactly between two bf16 values. */
static void fill_midpoint(verify_random *random, float *row, size_t h, verify_role role)
{
    static const float size[] = {
        [VERIFY_X_ALONE] = 1.25f, [VERIFY_X_BESIDE_RESIDUAL] = 1.0f, [VERIFY_RESIDUAL] = 0.25f};
    (void)random;
    for (size_t i = 0; i < h; i++) {
        row[i] = i % 2 == 0 ? size[role] : -size[role];
    }
}

static void fill_subnormal(verify_random *random, float *row, size_t h, verify_role role)
{
    (void)role;
    for (size_t i = 0; i < h; i++) {
        row[i] = ref_f32_of_bits((uint32_t)next_bits(random) & 0x80ffffffU);
    }
}

/* Infinities and NaNs in every other row or so. */
static void fill_special(verify_random *random, float *row, size_t h, verify_role role)
{
    fill_normal(random, row, h, role);
    const uint32_t draw = verify_random_below(random, 6);
    for (uint32_t i = 3; i < draw; i++) {
        const uint32_t column = verify_random_below(random, (uint32_t)h);
        row[column] = special(random);
    }
}

static void fill_constant(verify_random *random, float *row, size_t h, verify_role role)
{
    (void)role;
    const float value = random_exponent(random, -20, 20);
    for (size_t i = 0; i < h; i++) {
        row[i] = value;
    }
}

static void fill_zero(verify_random *random, float *row, size_t h, verify_role role)
{
    (void)role;
    for (size_t i = 0; i < h; i++) {
        row[i] = ref_f32_of_bits(verify_random_below(random, 2) << 31);
    }
}

/* Squares, and now and then sums, that overflow. */
static void fill_overflow(verify_random *random, float *row, size_t h, verify_role role)
{
    (void)role;
    const int top = verify_random_below(random, 4) == 0 ? 127 : 70;
    for (size_t i = 0; i < h; i++) {
        row[i] = random_exponent(random, 60, top);
    }
}

/* The head of the row, where the pivot comes from, is far from the rest. */
static void fill_outliers(verify_random *random, float *row, size_t h, verify_role role)
{
    fill_normal(random, row, h, role);
    for (size_t i = 0; i < ref_head(h); i++) {
        row[i] = ref_fma(100.0f, row[i], 1e4f);
    }
}

/* Signs, exponents and mantissas all random: no two neighbours alike. */
static void fill_parameter(verify_random *random, float *parameter, size_t h)
{
    for (size_t i = 0; i < h; i++) {
        parameter[i] = random_exponent(random, -3, 2);
    }
}

/* So small that results are subnormal or vanish. */
static void fill_tiny_parameter(verify_random *random, float *parameter, size_t h)
{
    for (size_t i = 0; i < h; i++) {
        parameter[i] = random_exponent(random, -127, -115) * 0x1p-18f;
    }
}

/* Infinities, NaNs with all kinds of payloads, zeros and subnormals in every eighth column. */
static void fill_special_parameter(verify_random *random, float *parameter, size_t h)
{
    fill_parameter(random, parameter, h);
    for (size_t i = verify_random_below(random, 8); i < h; i += 8) {
        const uint32_t small = (uint32_t)next_bits(random) & 0x800000ffU;
        parameter[i] = verify_random_below(random, 2) == 0 ? special(random) : ref_f32_of_bits(small);
    }
}

const verify_kind verify_kinds[VERIFY_KINDS] = {
    {"shifted", fill_shifted, fill_parameter, -1},     {"normal", fill_normal, fill_parameter, -1},
    {"wide", fill_wide, fill_parameter, -1},           {"tiny-parameters", fill_normal, fill_tiny_parameter, -1},
    {"huge-mean", fill_huge_mean, fill_parameter, -1}, {"midpoint", fill_midpoint, fill_parameter, 2.4375},
    {"subnormal", fill_subnormal, fill_parameter, -1}, {"special", fill_special, fill_parameter, -1},
    {"outliers", fill_outliers, fill_parameter, -1},   {"special-parameters", fill_shifted, fill_special_parameter, -1},
    {"constant", fill_constant, fill_parameter, -1},   {"zero", fill_zero, fill_parameter, -1},
    {"overflow", fill_overflow, fill_parameter, -1},
};
