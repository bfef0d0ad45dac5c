/* The kinds of data, as verify_data_f32.c and verify_data_f64.c compile them, each with its own type of real
 * and a name for the table.
 *
 * Exponents are given for f32, whose largest is 127; for a format with another range they are scaled to it. */
#ifndef NG_REFERENCE_VERIFY_KINDS_H
#define NG_REFERENCE_VERIFY_KINDS_H

#include "real.h"
#include "verify_data.h"

#define REAL(bits) ((real_bits)(bits))

enum { F32_MAX_EXPONENT = 127 };

static int max_exponent(const ref_dtype *dtype)
{
    return 1 - dtype->min_exponent;
}

static const ref_dtype *narrower(const ref_dtype *a, const ref_dtype *b)
{
    return max_exponent(a) < max_exponent(b) ? a : b;
}

/* The exponent that is for the array what `exponent` is for f32. A row must not leave the range of the sum. */
static int scaled(const verify_row *what, int exponent)
{
    return exponent * max_exponent(narrower(what->dtype, what->sum)) / F32_MAX_EXPONENT;
}

static real_bits sign_bit(void)
{
    return REAL(1) << (8 * sizeof(real) - 1);
}

/* 2^exponent, of a normal number. */
static real power_of_two(int exponent)
{
    return real_of_bits(REAL(exponent + REAL_BIAS) << REAL_FRACTION_BITS);
}

/* Close to N(0, 1): the sum of four 16-bit numbers, with its mean and standard deviation taken out. */
static real normal(verify_random *random)
{
    const uint64_t bits = verify_random_bits(random);
    const int sum = (int)(bits & 0xffff) + (int)(bits >> 16 & 0xffff) + (int)(bits >> 32 & 0xffff) + (int)(bits >> 48);
    return (real)(sum - 131070) * (1 / (real)37837);
}

/* A random sign and mantissa with a binary exponent from low to high. The exponent below that of the smallest normal
 * number gives subnormal ones. */
static real random_exponent(verify_random *random, int low, int high)
{
    const real_bits fraction = (REAL(1) << REAL_FRACTION_BITS) - 1;
    const real_bits bits = REAL(verify_random_bits(random)) & (sign_bit() | fraction);
    const uint32_t exponent = verify_random_below(random, (uint32_t)(high - low + 1));
    return real_of_bits(bits | REAL((int)exponent + low + REAL_BIAS) << REAL_FRACTION_BITS);
}

/* An infinity, or a NaN with its payload in the highest bits, the lowest bits or all. */
static real special(verify_random *random)
{
    static const uint32_t bits[] = {
        0x7f800000U, 0xff800000U, 0x7f800001U, 0xff800001U, 0x7fffffffU, 0xffffffffU, 0x7fc00000U, 0x7f80ffffU,
    };
    const uint32_t drawn = bits[verify_random_below(random, sizeof bits / sizeof *bits)];
    const real_bits sign = drawn >> 31 != 0 ? sign_bit() : 0;
    const real_bits exponent = REAL(2 * REAL_BIAS + 1) << REAL_FRACTION_BITS;
    const real_bits high = REAL(drawn >> 7 & 0xffff) << (REAL_FRACTION_BITS - 16);
    return real_of_bits(sign | exponent | high | (drawn & 0xffff));
}

static void fill_normal(verify_random *random, const verify_row *what, void *row)
{
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = normal(random);
    }
}

/* Mean -5, standard deviation 37: a norm that forgets either shows it. */
static void fill_shifted(verify_random *random, const verify_row *what, void *row)
{
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = real_fma(37, normal(random), -5);
    }
}

static void fill_wide(verify_random *random, const verify_row *what, void *row)
{
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = random_exponent(random, scaled(what, -70), scaled(what, 50));
    }
}

/* A mean 1e7 times the standard deviation, or as close to it as the format can hold. */
static void fill_huge_mean(verify_random *random, const verify_row *what, void *row)
{
    const real mean = random_exponent(random, 0, scaled(what, 20));
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = real_fma(mean * (real)1e-7, normal(random), mean);
    }
}

/* Values of size 1.25, half of them negative; with eps = 4 - 1.25^2 the square root is exactly 2, the normalised values
 * are +-0.625, and products with 8-bit parameters are often exactly between two bf16 values. */
static void fill_midpoint(verify_random *random, const verify_row *what, void *row)
{
    static const real size[] = {
        [VERIFY_X_ALONE] = (real)1.25, [VERIFY_X_BESIDE_RESIDUAL] = 1, [VERIFY_RESIDUAL] = (real)0.25};
    (void)random;
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = i % 2 == 0 ? size[what->role] : -size[what->role];
    }
}

/* Subnormal numbers of the format, and the first normal ones. */
static void fill_subnormal(verify_random *random, const verify_row *what, void *row)
{
    const real_bits kept = sign_bit() | ((REAL(1) << (REAL_FRACTION_BITS + 1)) - 1);
    const real scale = power_of_two(what->dtype->min_exponent - (1 - REAL_BIAS));
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = real_of_bits(REAL(verify_random_bits(random)) & kept) * scale;
    }
}

/* Infinities and NaNs in every other row or so. */
static void fill_special(verify_random *random, const verify_row *what, void *row)
{
    fill_normal(random, what, row);
    const uint32_t draw = verify_random_below(random, 6);
    for (uint32_t i = 3; i < draw; i++) {
        const uint32_t column = verify_random_below(random, (uint32_t)what->h);
        ((real *)row)[column] = special(random);
    }
}

static void fill_constant(verify_random *random, const verify_row *what, void *row)
{
    const real value = random_exponent(random, scaled(what, -20), scaled(what, 20));
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = value;
    }
}

static void fill_zero(verify_random *random, const verify_row *what, void *row)
{
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = verify_random_below(random, 2) == 0 ? 0 : -(real)0;
    }
}

/* Squares, and now and then sums, that overflow. */
static void fill_overflow(verify_random *random, const verify_row *what, void *row)
{
    const int top = verify_random_below(random, 4) == 0 ? 127 : 70;
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = random_exponent(random, scaled(what, 60), scaled(what, top));
    }
}

/* The head of the row, where the pivot comes from, is far from the rest. */
static void fill_outliers(verify_random *random, const verify_row *what, void *row)
{
    fill_normal(random, what, row);
    for (size_t i = 0; i < ref_head(what->h); i++) {
        ((real *)row)[i] = real_fma(100, ((real *)row)[i], 10000);
    }
}

/* Constant but for one element that is one place of the format larger. */
static void fill_almost_constant(verify_random *random, const verify_row *what, void *row)
{
    fill_constant(random, what, row);
    const real place = power_of_two(1 - what->dtype->precision);
    real *const odd = (real *)row + verify_random_below(random, (uint32_t)what->h);
    *odd = real_fma(*odd, place, *odd);
}

/* The largest numbers, and what decides whether a sum with them overflows, among normal data. */
static void fill_edge(verify_random *random, const verify_row *what, void *row)
{
    const int top = max_exponent(narrower(what->dtype, what->sum));
    const int places = what->sum->precision;
    const int precision = places < what->dtype->precision ? places : what->dtype->precision;
    const real largest = power_of_two(top) * (2 - power_of_two(1 - precision));
    const real half_place = power_of_two(top - places);
    const real steps[] = {half_place, half_place * (1 - power_of_two(-places)), 0, -half_place};
    fill_normal(random, what, row);
    for (uint32_t i = verify_random_below(random, 3); i < 3; i++) {
        const size_t column = i * what->h / 3;
        const real step = steps[verify_random_below(random, sizeof steps / sizeof *steps)];
        ((real *)row)[column] = what->role == VERIFY_RESIDUAL ? step : largest;
    }
}

/* Signs, exponents and mantissas all random: no two neighbours alike. */
static void fill_parameter(verify_random *random, const verify_row *what, void *row)
{
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = random_exponent(random, -3, 2);
    }
}

/* So small that results are subnormal or vanish. */
static void fill_tiny_parameter(verify_random *random, const verify_row *what, void *row)
{
    for (size_t i = 0; i < what->h; i++) {
        const real small = random_exponent(random, -REAL_BIAS, -REAL_BIAS + 12);
        ((real *)row)[i] = small * power_of_two(6 - REAL_FRACTION_BITS - 1);
    }
}

/* Results around the smallest normal number of the output's format. */
static void fill_small_parameter(verify_random *random, const verify_row *what, void *row)
{
    const int smallest = what->output->min_exponent;
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = random_exponent(random, -what->output->precision, 2) * power_of_two(smallest);
    }
}

/* Results around the largest number of the output's format. */
static void fill_large_parameter(verify_random *random, const verify_row *what, void *row)
{
    const int top = max_exponent(narrower(what->dtype, what->output));
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = random_exponent(random, top - 4, top);
    }
}

/* Infinities, NaNs with all kinds of payloads, zeros and subnormals in every eighth column. */
static void fill_special_parameter(verify_random *random, const verify_row *what, void *row)
{
    fill_parameter(random, what, row);
    for (size_t i = verify_random_below(random, 8); i < what->h; i += 8) {
        const uint64_t bits = verify_random_bits(random);
        const real small = real_of_bits((bits >> 31 & 1 ? sign_bit() : 0) | REAL(bits & 0xff));
        ((real *)row)[i] = verify_random_below(random, 2) == 0 ? special(random) : small;
    }
}

/* Statistics as parameters are, but never negative where they are squares. */
static void fill_statistic(verify_random *random, const verify_row *what, void *row)
{
    for (size_t i = 0; i < what->h; i++) {
        const real value = random_exponent(random, -3, 2);
        ((real *)row)[i] = what->is_square && value < 0 ? -value : value;
    }
}

/* So large that what is made of them overflows, so small that it underflows. */
static void fill_large_statistic(verify_random *random, const verify_row *what, void *row)
{
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = random_exponent(random, REAL_BIAS - 4, REAL_BIAS);
    }
}

static void fill_small_statistic(verify_random *random, const verify_row *what, void *row)
{
    for (size_t i = 0; i < what->h; i++) {
        ((real *)row)[i] = random_exponent(random, -REAL_BIAS, 2 - REAL_BIAS);
    }
}

const verify_kind VERIFY_TABLE[VERIFY_KINDS] = {
    {"shifted", fill_shifted, fill_parameter, fill_statistic, -1},
    {"normal", fill_normal, fill_parameter, fill_statistic, -1},
    {"wide", fill_wide, fill_parameter, fill_statistic, -1},
    {"tiny-parameters", fill_normal, fill_tiny_parameter, fill_statistic, -1},
    {"huge-mean", fill_huge_mean, fill_parameter, fill_statistic, -1},
    {"midpoint", fill_midpoint, fill_parameter, fill_statistic, 2.4375},
    {"subnormal", fill_subnormal, fill_parameter, fill_small_statistic, -1},
    {"special", fill_special, fill_parameter, fill_special_parameter, -1},
    {"outliers", fill_outliers, fill_parameter, fill_statistic, -1},
    {"special-parameters", fill_shifted, fill_special_parameter, fill_special_parameter, -1},
    {"constant", fill_constant, fill_parameter, fill_statistic, -1},
    {"zero", fill_zero, fill_parameter, fill_statistic, -1},
    {"overflow", fill_overflow, fill_parameter, fill_large_statistic, -1},
    {"large-results", fill_normal, fill_large_parameter, fill_statistic, -1},
    {"small-results", fill_normal, fill_small_parameter, fill_statistic, -1},
    {"edge", fill_edge, fill_parameter, fill_statistic, -1},
    {"almost-constant", fill_almost_constant, fill_parameter, fill_statistic, 0},
};

#endif
