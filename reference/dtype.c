/* Conversions are integer code on the bits of a float (shifts on uint32_t), so that they need no particular hardware,
 * byte order or rounding mode. */
#include "dtype.h"

#include <math.h>

#include "contract.h"

/* f32 is kept as it is, and so is f64 below; bit copies, so that a signalling NaN passes untouched. */
static float widen_f32(uint32_t bits)
{
    return ref_f32_of_bits(bits);
}

static uint32_t round_f32(float value)
{
    return ref_bits_of_f32(value);
}

/* bf16 is the upper half of an f32. */
static float widen_bf16(uint32_t bits)
{
    return ref_f32_of_bits(bits << 16);
}

/* Round to nearest even by adding just under half of the last place kept, plus one if that place is odd; a carry into
 * the exponent is right, up to infinity. A NaN is cut, and made quiet so that it stays a NaN without its low bits. */
static uint32_t round_bf16(float value)
{
    const uint32_t bits = ref_bits_of_f32(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) {
        return bits >> 16 | 0x40U;
    }
    return (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
}

/* f16: 1 sign, 5 exponent, 10 mantissa bits. A subnormal is its integer mantissa times 2^-24, exact in f32. */
static float widen_f16(uint32_t bits)
{
    const uint32_t sign = (bits & 0x8000U) << 16;
    const uint32_t exponent = bits >> 10 & 0x1fU;
    const uint32_t mantissa = bits & 0x3ffU;
    if (exponent == 0) {
        return ref_f32_of_bits(sign | ref_bits_of_f32((float)mantissa * 0x1p-24f));
    }
    const uint32_t wide = exponent == 0x1fU ? 0xffU : exponent + 112U;
    return ref_f32_of_bits(sign | wide << 23 | mantissa << 13);
}

/* value / 2^shift of an integer, to nearest even. */
static uint32_t shift_to_even(uint32_t value, uint32_t shift)
{
    return (value + ((1U << (shift - 1U)) - 1U) + (value >> shift & 1U)) >> shift;
}

static uint32_t round_f16(float value)
{
    const uint32_t bits = ref_bits_of_f32(value);
    const uint32_t sign = bits >> 31 << 15;
    const uint32_t magnitude = bits & 0x7fffffffU;
    const uint32_t exponent = magnitude >> 23;
    if (magnitude > 0x7f800000U) {
        return sign | 0x7e00U | (magnitude >> 13 & 0x3ffU);
    }
    if (exponent >= 143) { /* 2^16 and more, infinity */
        return sign | 0x7c00U;
    }
    if (exponent >= 113) { /* 2^-14 and more; a carry may reach infinity */
        return sign | shift_to_even(magnitude - (112U << 23), 13);
    }
    if (exponent < 102) { /* less than half of 2^-24 */
        return sign;
    }
    return sign | shift_to_even((magnitude & 0x7fffffU) | 0x800000U, 126U - exponent);
}

static void copy_f32(void *to, const void *from, size_t n)
{
    memcpy(to, from, n * sizeof(float));
}

static void copy_f64(void *to, const void *from, size_t n)
{
    memcpy(to, from, n * sizeof(double));
}

static uint32_t half_at(const void *array, size_t i)
{
    uint16_t bits;
    memcpy(&bits, (const char *)array + i * sizeof bits, sizeof bits);
    return bits;
}

static void set_half(void *array, size_t i, uint32_t bits)
{
    const uint16_t half = (uint16_t)bits;
    memcpy((char *)array + i * sizeof half, &half, sizeof half);
}

static void load_bf16(void *row, const void *array, size_t n)
{
    float *to = row;
    for (size_t i = 0; i < n; i++) {
        to[i] = widen_bf16(half_at(array, i));
    }
}

static void store_bf16(void *array, const void *row, size_t n)
{
    const float *from = row;
    for (size_t i = 0; i < n; i++) {
        set_half(array, i, round_bf16(from[i]));
    }
}

static void load_f16(void *row, const void *array, size_t n)
{
    float *to = row;
    for (size_t i = 0; i < n; i++) {
        to[i] = widen_f16(half_at(array, i));
    }
}

static void store_f16(void *array, const void *row, size_t n)
{
    const float *from = row;
    for (size_t i = 0; i < n; i++) {
        set_half(array, i, round_f16(from[i]));
    }
}

/* Integers: "to nearest even, saturating, NaN as 0". */
static uint32_t round_integer(float value, float least, float most)
{
    const float bounded = value < least ? least : value > most ? most : value;
    return (uint32_t)(isnan(value) ? 0 : (int)nearbyintf(bounded)) & 0xffU;
}

static uint32_t round_s8(float value)
{
    return round_integer(value, -128, 127);
}

static uint32_t round_u8(float value)
{
    return round_integer(value, 0, 255);
}

static float widen_s8(uint32_t bits)
{
    return (float)bits - (bits >= 128 ? 256 : 0);
}

static float widen_u8(uint32_t bits)
{
    return (float)bits;
}

/* e4m3: 1 sign, 4 exponent, 3 mantissa bits, bias 7; there is no infinity, and 0x7f is NaN (OCP, FP8, 5.2). */
static float widen_e4m3(uint32_t bits)
{
    const int exponent = (int)(bits >> 3 & 0xfU);
    const float mantissa = (float)(bits & 7U) + (exponent > 0 ? 8 : 0);
    const float magnitude = ldexpf(mantissa, (exponent > 0 ? exponent : 1) - 10);
    return (bits & 0x7fU) == 0x7fU ? NAN : bits & 0x80U ? -magnitude : magnitude;
}

/* "To nearest even, saturating, NaN as 0x7f." Units of the last place are 2^-9 up to 2^-6, and then an eighth of the
 * power of two. */
static uint32_t round_e4m3(float value)
{
    const float magnitude = fabsf(value);
    const uint32_t sign = signbit(value) ? 0x80U : 0;
    if (isnan(value)) {
        return 0x7f;
    }
    if (magnitude >= 448) {
        return sign | 0x7eU;
    }
    const int exponent = magnitude >= 0x1p-6f ? ilogbf(magnitude) : -6;
    const float units = nearbyintf(ldexpf(magnitude, 3 - exponent));
    return sign | ((uint32_t)units + (uint32_t)(exponent + 6) * 8);
}

static void load_bytes(void *row, const void *array, size_t n, float (*widen)(uint32_t bits))
{
    float *to = row;
    const unsigned char *from = array;
    for (size_t i = 0; i < n; i++) {
        to[i] = widen(from[i]);
    }
}

static void store_bytes(void *array, const void *row, size_t n, uint32_t (*round)(float value))
{
    const float *from = row;
    unsigned char *to = array;
    for (size_t i = 0; i < n; i++) {
        to[i] = (unsigned char)round(from[i]);
    }
}

static void load_s8(void *row, const void *array, size_t n)
{
    load_bytes(row, array, n, widen_s8);
}

static void store_s8(void *array, const void *row, size_t n)
{
    store_bytes(array, row, n, round_s8);
}

static void load_u8(void *row, const void *array, size_t n)
{
    load_bytes(row, array, n, widen_u8);
}

static void store_u8(void *array, const void *row, size_t n)
{
    store_bytes(array, row, n, round_u8);
}

static void load_e4m3(void *row, const void *array, size_t n)
{
    load_bytes(row, array, n, widen_e4m3);
}

static void store_e4m3(void *array, const void *row, size_t n)
{
    store_bytes(array, row, n, round_e4m3);
}

/* Those of 8 bits have no infinity; that of e4m3 stands for its NaN, of which there is one. */
static const ref_dtype dtypes[] = {
    {"f32", 4, 24, -126, 0x7f800000U, widen_f32, round_f32, copy_f32, copy_f32},
    {"bf16", 2, 8, -126, 0x7f80U, widen_bf16, round_bf16, load_bf16, store_bf16},
    {"f16", 2, 11, -14, 0x7c00U, widen_f16, round_f16, load_f16, store_f16},
    {"s8", 1, 7, -6, 0x80U, widen_s8, round_s8, load_s8, store_s8},
    {"u8", 1, 8, -6, 0x80U, widen_u8, round_u8, load_u8, store_u8},
    {"e4m3", 1, 4, -6, 0x7fU, widen_e4m3, round_e4m3, load_e4m3, store_e4m3},
    {"f64", 8, 53, -1022, 0x7ff0000000000000U, NULL, NULL, copy_f64, copy_f64},
};

const ref_dtype *ref_dtype_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        if (strlen(dtypes[i].name) == length && memcmp(dtypes[i].name, name, length) == 0) {
            return &dtypes[i];
        }
    }
    return NULL;
}

int ref_is_f64(const ref_dtype *dtype)
{
    return dtype->size == sizeof(double);
}

void ref_round_row(const ref_dtype *dtype, void *row, size_t n)
{
    enum { PIECE = 4096 };
    const size_t real_size = ref_is_f64(dtype) ? sizeof(double) : sizeof(float);
    uint64_t stored[PIECE];
    for (size_t i = 0; i < n; i += PIECE) {
        const size_t length = n - i < PIECE ? n - i : PIECE;
        void *const piece = (char *)row + i * real_size;
        dtype->store(stored, piece, length);
        dtype->load(piece, stored, length);
    }
}

uint64_t ref_element_bits(const ref_dtype *dtype, const void *array, size_t i)
{
    uint64_t wide;
    uint32_t bits;
    switch (dtype->size) {
    case sizeof wide:
        memcpy(&wide, (const char *)array + i * sizeof wide, sizeof wide);
        return wide;
    case sizeof bits:
        memcpy(&bits, (const char *)array + i * sizeof bits, sizeof bits);
        return bits;
    case 1:
        return ((const unsigned char *)array)[i];
    default:
        return half_at(array, i);
    }
}

static uint64_t magnitude(const ref_dtype *dtype, uint64_t bits)
{
    const uint64_t sign = (uint64_t)1 << (8 * dtype->size - 1);
    return bits & ~sign;
}

int ref_is_finite(const ref_dtype *dtype, uint64_t bits)
{
    return magnitude(dtype, bits) < dtype->infinity;
}

int ref_is_nan(const ref_dtype *dtype, uint64_t bits)
{
    return magnitude(dtype, bits) > dtype->infinity;
}
