/* The arithmetic of the contract that all norms share: fma, sums, means, the head of a row. */
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
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && (bits & 1) == 0) {
        /* round to odd: of the two doubles around the exact sum take the one with an odd last bit */
        bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
    }
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return (float)odd;
}

size_t ref_blocks(size_t n, size_t *length)
{
    size_t blocks = 1;
    *length = n;
    while (n > REF_SINGLE_BLOCK && (blocks == 1 || *length > REF_LONGEST_BLOCK)) {
        blocks *= 2;
        const size_t stripe = REF_LANES * blocks;
        *length = REF_LANES * ((n + stripe - 1) / stripe);
    }
    return blocks;
}

/* The halving tree over all lanes of a block; leaves the sum in lane 0. */
static float halving_tree(float lane[REF_LANES])
{
    for (size_t w = REF_LANES / 2; w >= 1; w /= 2) {
        for (size_t j = 0; j < w; j++) {
            lane[j] += lane[j + w];
        }
    }
    return lane[0];
}

/* The sum of one block of n <= 4096 elements. */
static float block_sum(const float *value, size_t n)
{
    float lane[REF_LANES] = {0};
    for (; n >= REF_LANES; value += REF_LANES, n -= REF_LANES) {
        for (size_t j = 0; j < REF_LANES; j++) {
            lane[j] += value[j];
        }
    }
    for (size_t j = 0; j < n; j++) {
        lane[j] += value[j];
    }
    return halving_tree(lane);
}

/* The sum of the squares of one block of n <= 4096 elements. */
static float block_sum_of_squares(const float *value, size_t n)
{
    float lane[REF_LANES] = {0};
    for (; n >= REF_LANES; value += REF_LANES, n -= REF_LANES) {
        for (size_t j = 0; j < REF_LANES; j++) {
            lane[j] = ref_fma(value[j], value[j], lane[j]);
        }
    }
    for (size_t j = 0; j < n; j++) {
        lane[j] = ref_fma(value[j], value[j], lane[j]);
    }
    return halving_tree(lane);
}

/* Cuts a row into its blocks, sums each with `sum_block` and joins the block sums in the pairwise tree. "The last
 * blocks may be short or empty (an empty one sums to +0)." */
static float sum_blocks(const float *value, size_t n, float (*sum_block)(const float *value, size_t n))
{
    float sum[REF_MAX_H / REF_SINGLE_BLOCK];
    size_t length;
    const size_t blocks = ref_blocks(n, &length);
    for (size_t b = 0; b < blocks; b++) {
        const size_t start = b * length < n ? b * length : n;
        sum[b] = sum_block(value + start, n - start < length ? n - start : length);
    }
    for (size_t left = blocks / 2; left >= 1; left /= 2) {
        for (size_t i = 0; i < left; i++) {
            sum[i] = sum[2 * i] + sum[2 * i + 1];
        }
    }
    return sum[0];
}

float ref_sum(const float *value, size_t n)
{
    return sum_blocks(value, n, block_sum);
}

float ref_sum_of_squares(const float *value, size_t n)
{
    return sum_blocks(value, n, block_sum_of_squares);
}

float ref_mean(const float *value, size_t n)
{
    return ref_sum(value, n) / (float)n;
}

float ref_mean_of_squares(const float *value, size_t n)
{
    return ref_sum_of_squares(value, n) / (float)n;
}

size_t ref_head(size_t n)
{
    size_t m = 1;
    while (m * 64 < n) {
        m *= 2;
    }
    return m;
}

float ref_rstd(float v, float eps)
{
    return 1.0f / sqrtf(v + eps);
}
