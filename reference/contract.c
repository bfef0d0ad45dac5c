/* What all arithmetics of the contract share: fma without hardware, the blocks of a row, its head. */
#include "contract.h"

#include <math.h>

float ref_fma_portable(float a, float b, float c)
{
    const double product =
        (double)a * b; /* exact: 24 + 24 bits fit 53, and the exponent range of double is wide enough */
    const double sum = product + c;
    if (!isfinite(sum)) {
        return (float)sum;
    }
    /* two-sum: product + c = sum + error, exactly */
    const double part = sum - product;
    const double error = (product - (sum - part)) + (c - part);
    uint64_t bits = ref_bits_of_f64(sum);
    if (error != 0 && (bits & 1) == 0) {
        /* round to odd: of the two doubles around the exact sum take the one with an odd last bit */
        bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
    }
    return (float)ref_f64_of_bits(bits);
}

__extension__ typedef unsigned __int128 uint128;

/* A finite number that is not zero: magnitude * 2^exponent, with the top bit of the magnitude at TOP_BIT, so that two
 * magnitudes can be added. */
typedef struct number {
    uint128 magnitude;
    int exponent;
    int negative;
} number;

enum { TOP_BIT = 125, F64_FRACTION_BITS = 52, F64_LEAST_EXPONENT = -1074 };

/* Index of the highest bit that is set. */
static int highest_bit(uint128 value)
{
    const uint64_t high = (uint64_t)(value >> 64);
    return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)value);
}

static number normalised(uint128 magnitude, int exponent, int negative)
{
    const int shift = TOP_BIT - highest_bit(magnitude);
    return (number){magnitude << shift, exponent - shift, negative};
}

static uint64_t f64_fraction(uint64_t bits)
{
    const uint64_t hidden = (uint64_t)1 << F64_FRACTION_BITS;
    return (bits & (hidden - 1)) | ((bits << 1 >> (F64_FRACTION_BITS + 1)) != 0 ? hidden : 0);
}

/* The exponent of the last place of a double. */
static int f64_exponent(uint64_t bits)
{
    const int biased = (int)(bits << 1 >> (F64_FRACTION_BITS + 1));
    return (biased > 0 ? biased : 1) - 1 + F64_LEAST_EXPONENT;
}

/* value / 2^shift, shift >= 0, cut; if what is cut off is not zero, the last bit is set. */
static uint128 shift_right_sticky(uint128 value, int shift)
{
    if (shift > 127) {
        return value != 0;
    }
    const uint128 kept = value >> shift;
    return kept | (kept << shift != value);
}

/* a + b where a is not smaller in exponent. Only bits far below the last place of a double are lost to the sticky bit:
 * the lower 19 bits of both are zero, and for a larger distance at most one leading bit cancels. */
static number add_numbers(number a, number b)
{
    const uint128 aligned = shift_right_sticky(b.magnitude, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        return (number){a.magnitude + aligned, a.exponent, a.negative};
    }
    const int swapped = a.magnitude < aligned;
    return (number){swapped ? aligned - a.magnitude : a.magnitude - aligned, a.exponent,
                    swapped ? b.negative : a.negative};
}

/* The number as a double, to nearest even, once. */
static double round_to_f64(number value)
{
    if (value.magnitude == 0) {
        return 0; /* a sum that cancels is +0 */
    }
    const int lowest = value.exponent + highest_bit(value.magnitude) - F64_FRACTION_BITS;
    const int last_place = lowest > F64_LEAST_EXPONENT ? lowest : F64_LEAST_EXPONENT;
    const int shift = last_place - 2 - value.exponent; /* keeps a bit for the half and a sticky one */
    const uint128 kept = shift > 0 ? shift_right_sticky(value.magnitude, shift) : value.magnitude << -shift;
    const uint64_t quarters = (uint64_t)kept;
    const uint64_t rounded = (quarters >> 2) + ((quarters & 3) > 2 || (quarters & 7) == 6);
    const double result = ldexp((double)rounded, last_place);
    return value.negative ? -result : result;
}

double ref_fma_f64_portable(double a, double b, double c)
{
    const uint64_t a_bits = ref_bits_of_f64(a);
    const uint64_t b_bits = ref_bits_of_f64(b);
    const uint64_t c_bits = ref_bits_of_f64(c);
    if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0) {
        const volatile double product =
            a * b; /* infinite, NaN or zero: exact; volatile, so that nothing here can be fused */
        return product + c;
    }
    if (!isfinite(c)) {
        return c; /* the product is finite, even where a * b overflows */
    }
    if (c == 0) {
        return a * b;
    }
    const number product = normalised((uint128)f64_fraction(a_bits) * f64_fraction(b_bits),
                                      f64_exponent(a_bits) + f64_exponent(b_bits), (a_bits ^ b_bits) >> 63 != 0);
    const number summand = normalised(f64_fraction(c_bits), f64_exponent(c_bits), c_bits >> 63 != 0);
    return round_to_f64(product.exponent >= summand.exponent ? add_numbers(product, summand)
                                                             : add_numbers(summand, product));
}

size_t ref_blocks(size_t n, size_t *length)
{
    enum { STRIPE = 64 };
    size_t blocks = 1;
    *length = n;
    while (n > REF_SINGLE_BLOCK && (blocks == 1 || *length > REF_LONGEST_BLOCK)) {
        blocks *= 2;
        const size_t stripe = STRIPE * blocks;
        *length = STRIPE * ((n + stripe - 1) / stripe);
    }
    return blocks;
}

size_t ref_head(size_t n)
{
    size_t m = 1;
    while (m * 64 < n) {
        m *= 2;
    }
    return m;
}

size_t ref_head_within(size_t n, size_t length)
{
    size_t m = ref_head(n);
    while (m > length) {
        m /= 2;
    }
    return m;
}

size_t ref_series_chunks(size_t n)
{
    return (n + REF_CHUNK - 1) / REF_CHUNK;
}

/* The R rows of a chunk, or 0 where rows are cut into pieces. */
static size_t rows_of_chunk(size_t positions)
{
    const size_t stripes = (positions + 63) / 64;
    return 64 / stripes;
}

ref_chunk ref_batch_chunk(size_t rows, size_t positions, size_t k)
{
    const size_t whole = rows_of_chunk(positions);
    if (whole > 0) {
        const size_t first = k * whole, left = rows - first;
        return (ref_chunk){first, left < whole ? left : whole, 0, positions};
    }
    const size_t pieces = ref_series_chunks(positions);
    const size_t start = k % pieces * REF_CHUNK, left = positions - start;
    return (ref_chunk){k / pieces, 1, start, left < REF_CHUNK ? left : REF_CHUNK};
}

size_t ref_batch_chunks(int is_nchw, size_t rows, size_t positions)
{
    if (rows == 0 || positions == 0) {
        return 0;
    }
    const size_t whole = rows_of_chunk(positions);
    return !is_nchw    ? ref_series_chunks(rows * positions)
           : whole > 0 ? (rows + whole - 1) / whole
                       : rows * ref_series_chunks(positions);
}
