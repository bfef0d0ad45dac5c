#include "elementary.h"

#include <math.h>

#include "contract.h"

enum { SCALE = 64 };
static const float magic = 12582912; /* 1.5 * 2^23 */
static const float down = 0x1p-64F;
static const float ln_2 = 0x1.62e43p-1F;
static const float ln_2_low = -0x1.05c61p-29F;

static float fma_minus(float a, float b, float c)
{
    return ref_fma(-a, b, c);
}

/* "a NaN stays": the lower limit of x. */
static float at_least(float x, float limit)
{
    return limit > x ? limit : x;
}

/* "2^k from v = 1.5 * 2^23 + k": the low bits of v become the exponent. */
static float power_of_two(float v)
{
    return ref_f32_of_bits((ref_bits_of_f32(v) << 23) + 0x3f800000U);
}

/* "Polynomials are evaluated from the highest coefficient down, each step an fma." */
static float polynomial(float v, const float *coefficient, int degree)
{
    float sum = coefficient[degree];
    for (int i = degree - 1; i >= 0; i--) {
        sum = ref_fma(sum, v, coefficient[i]);
    }
    return sum;
}

/* "exp(w) = 2^k (1 + t)" */
typedef struct exponential {
    float biased; /* 1.5 * 2^23 + scale + k */
    float k;
    float r;
} exponential;

static exponential reduced(float w, int scale)
{
    const float biased = ref_fma(w, 0x1.715476p+0F, magic + (float)scale);
    const float k = biased - (magic + (float)scale);
    return (exponential){biased, k, fma_minus(k, ln_2_low, fma_minus(k, ln_2, w))};
}

/* The same for w + low: "what w lacks joins the low part of the product". */
static exponential reduced_pair(float w, float low, int scale)
{
    exponential e = reduced(w, scale);
    e.r = fma_minus(e.k, ln_2, w) + fma_minus(e.k, ln_2_low, low);
    return e;
}

static float exp_minus_1(float r)
{
    static const float c[] = {0x1p-1F, 0x1.555556p-3F, 0x1.5555p-5F, 0x1.110fc2p-7F, 0x1.6d3074p-10F, 0x1.a2d982p-13F};
    return ref_fma(polynomial(r, c, 5), r * r, r);
}

/* "exp: twice a factor 2^(k/2), so that the only rounding below the normal numbers is the last one" */
float ref_exp(float x)
{
    const float w = -at_least(-at_least(x, -104), -89);
    const exponential e = reduced(w, 0);
    const float second = ref_fma(e.k, 0.5F, magic) - magic;
    const float first = e.k - second;
    const float power = power_of_two(first + magic);
    return ref_fma(power, exp_minus_1(e.r), power) * power_of_two(second + magic);
}

/* "share(f, p, t, b): f v / (b + v / 2^64) for v = p (1 + t)" */
static float share(float factor, float power, float t, float base)
{
    const float scaled = ref_fma(power, t, power);
    const float below = ref_fma(scaled, down, base);
    const float lost = ref_fma(scaled, down, base - below);
    const float part = ref_fma(below, -0.5F, 1.5F) * lost;
    const float above = factor * power;
    return ref_fma(above, fma_minus(part, t + 1, t), above) / below;
}

/* "f * exp(w) / (1 + exp(w)), times 2^64" */
static float logistic(float factor, exponential e)
{
    return share(factor, power_of_two(e.biased), exp_minus_1(e.r), 1);
}

/* "max(x, 0), with the sign of a zero, plus v" */
static float mirrored(float x, float v, float factor)
{
    return ref_fma(v, factor, x < 0 ? 0 : x);
}

float ref_sigmoid(float x)
{
    const float v = logistic(1, reduced(at_least(-fabsf(x), -120), SCALE));
    return x < 0 ? v * down : fma_minus(v, down, 1);
}

float ref_silu(float x)
{
    const float w = at_least(-fabsf(x), -120);
    return mirrored(x, logistic(w, reduced(w, SCALE)), down);
}

float ref_gelutanh(float x)
{
    const float slope = 0x1.98845p+0F, slope_low = 0x1.9ea1b2p-23F, cubic = 0x1.2444f2p-4F, cubic_low = 0x1.49b16ap-29F;
    const float a = at_least(-fabsf(x), -11);
    const float square = a * a;
    const float square_low = -fma_minus(a, a, square);
    const float high = ref_fma(square, cubic, slope);
    float low = ref_fma(square, cubic, slope - high);
    low = ref_fma(square_low, cubic, low);
    low = ref_fma(square, cubic_low, low) + slope_low;
    const float w = high * a;
    const float w_low = -fma_minus(high, a, w);
    return mirrored(x, logistic(a, reduced_pair(w, ref_fma(low, a, w_low), SCALE)), down);
}

float ref_gelu(float x)
{
    static const float c[] = {0x1.a6b36ep-2F,  0x1.53031ep+0F, 0x1.eb76fcp-2F, -0x1.0071f2p-3F,
                              -0x1.883fd6p-4F, 0x1.7c6ae2p-5F, 0x1.92ed7ep-7F, -0x1.46defp-6F,
                              0x1.2d3c96p-8F,  0x1.2413fap-7F, 0x1.7756d4p-11F};
    const float a = at_least(-fabsf(x), -15);
    const float square = a * a;
    const exponential e = reduced_pair(-0.5F * square, 0.5F * fma_minus(a, a, square), SCALE);
    const float d = ref_fma(a, -0.75F, 1.96875F);
    const float q = a / d;
    const float p = polynomial(q + 0.375F, c, 10);
    const float inverse = ref_fma(q, 0x1.861862p-2F, 0x1.041042p-1F);
    const float rounding = ref_fma(a, -0.75F, 1.96875F - d);
    const float t = ref_fma(p + 1, fma_minus(rounding, inverse * inverse * 1.96875F, exp_minus_1(e.r)), p);
    const float scaled = q * power_of_two(e.biased);
    return mirrored(x, ref_fma(scaled, t, scaled), 0.5F * down);
}

float ref_tanh(float x)
{
    static const float c[] = {-0x1.555556p-2F, 0x1.11113ap-3F,  -0x1.ba1b1ep-5F,
                              0x1.65821ap-6F,  -0x1.15c6bep-7F, 0x1.3cd7b2p-9F};
    const float square = x * x;
    if (!(fabsf(x) > 0.625F)) {
        return ref_fma(polynomial(square, c, 5), square, 1) * x;
    }
    const exponential e = reduced(at_least(-2 * fabsf(x), -30), 0);
    const float power = power_of_two(e.biased);
    const float scaled = ref_fma(power, exp_minus_1(e.r), power);
    const float half = scaled / (scaled + 1);
    return x < 0 ? ref_fma(half, 2, -1) : fma_minus(half, 2, 1);
}

/* "e = fma(p, t, p) * 2^-64, log(1 + e) = e (1 + e L(e))" */
float ref_softplus(float x)
{
    static const float c[] = {-0x1p-1F,       0x1.55553p-2F,   -0x1.fff39cp-3F, 0x1.98e11cp-3F,  -0x1.4ff538p-3F,
                              0x1.0d21acp-3F, -0x1.7d99d4p-4F, 0x1.a1ed8p-5F,   -0x1.2828dap-6F, 0x1.88c46p-9F};
    const exponential exponent = reduced(at_least(-fabsf(x), -120), SCALE);
    const float power = power_of_two(exponent.biased);
    const float t = exp_minus_1(exponent.r);
    const float e = ref_fma(power, t, power) * down;
    const float s = ref_fma(polynomial(e, c, 9) * e, t + 1, t);
    return mirrored(x, ref_fma(power, s, power), down);
}

/* "g / (1 + g), g = e + e^2 / 2, for negative x, and 1 - g / (0.5 + e + g), g = e^2, for others" */
float ref_mish(float x)
{
    const float w = at_least(-fabsf(x), -120);
    const exponential exponent = reduced(w, SCALE);
    const float power = power_of_two(exponent.biased);
    const float t = exp_minus_1(exponent.r);
    const float e = ref_fma(power, t, power);
    const float base = x < 0 ? 1 : ref_fma(e, down, 0.5F);
    const float to_g = x < 0 ? ref_fma(e * 0x1p-65F, t + 1, t) : ref_fma(e * down, t + 1, -1);
    return mirrored(x, share(w, power, to_g, base), down);
}
