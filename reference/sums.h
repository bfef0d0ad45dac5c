/* Sums, means and the reciprocal root of one arithmetic; real.h says which. */
#ifndef NG_REFERENCE_SUMS_H
#define NG_REFERENCE_SUMS_H

#include <math.h>

#include "real.h"

/* "Then the halving tree: for w = L/2 ... 1: lane[j] += lane[j+w] for j < w." */
static acc halving_tree(acc lane[LANES])
{
    for (size_t w = LANES / 2; w >= 1; w /= 2) {
        for (size_t j = 0; j < w; j++) {
            lane[j] += lane[j + w];
        }
    }
    return lane[0];
}

/* "Lanes start at +0; element i of the block goes to lane i mod L, in ascending i." The sum of one block of n <= 4096
 * elements. */
static acc block_sum(const real *value, size_t n)
{
    acc lane[LANES] = {0};
    for (; n >= LANES; value += LANES, n -= LANES) {
        for (size_t j = 0; j < LANES; j++) {
            lane[j] += (acc)value[j];
        }
    }
    for (size_t j = 0; j < n; j++) {
        lane[j] += (acc)value[j];
    }
    return halving_tree(lane);
}

/* The same over the products with another row: "a product is accumulated with fused multiply-add". */
static acc block_dot(const real *value, const real *other, size_t n)
{
    acc lane[LANES] = {0};
    for (; n >= LANES; value += LANES, other += LANES, n -= LANES) {
        for (size_t j = 0; j < LANES; j++) {
            lane[j] = acc_fma((acc)value[j], (acc)other[j], lane[j]);
        }
    }
    for (size_t j = 0; j < n; j++) {
        lane[j] = acc_fma((acc)value[j], (acc)other[j], lane[j]);
    }
    return halving_tree(lane);
}

/* And over the squares. */
static acc block_sum_of_squares(const real *value, size_t n)
{
    return block_dot(value, value, n);
}

typedef acc block_summer(const real *value, size_t n);

/* The sum of `blocks` neighbouring blocks of a row, from number `first` on: "Block sums meet in a pairwise tree over
 * the block index: b[i] = b[2i] + b[2i+1]. [...] The last blocks may be short or empty (an empty one sums to +0)." */
static acc sum_tree(const real *value, size_t n, size_t first, size_t blocks, size_t length, block_summer *sum_block)
{
    if (blocks > 1) {
        const acc left = sum_tree(value, n, first, blocks / 2, length, sum_block);
        return left + sum_tree(value, n, first + blocks / 2, blocks / 2, length, sum_block);
    }
    const size_t start = first * length < n ? first * length : n;
    return sum_block(value + start, n - start < length ? n - start : length);
}

/* Cuts a row into its blocks, sums each with `sum_block` and joins the block sums. */
static acc sum_blocks(const real *value, size_t n, block_summer *sum_block)
{
    size_t length;
    const size_t blocks = ref_blocks(n, &length);
    return sum_tree(value, n, 0, blocks, length, sum_block);
}

/* "mean(v) = sum(v) / n: a real division, n as (f32)n, never a product with 1/n." */
static acc mean(const real *value, size_t n)
{
    return sum_blocks(value, n, block_sum) / (acc)n;
}

/* mean(v * v), by the same rule. */
static acc mean_of_squares(const real *value, size_t n)
{
    return sum_blocks(value, n, block_sum_of_squares) / (acc)n;
}

/* "IEEE square root." */
static acc root(acc v)
{
#if defined(REF_F64) || defined(REF_ACC_F64)
    return sqrt(v);
#else
    return sqrtf(v);
#endif
}

/* "rstd = 1 / sqrt(v + eps), IEEE square root and division." */
static acc reciprocal_root(acc v, acc eps)
{
    return 1 / root(v + eps);
}

/* For tests: the sums of the contract, which a double can hold. */
static double sum_of_row(const void *row, size_t n)
{
    return (double)sum_blocks(row, n, block_sum);
}

static double sum_of_squares_of_row(const void *row, size_t n)
{
    return (double)sum_blocks(row, n, block_sum_of_squares);
}

/* The table of an arithmetic, for files that have a function `compute`. */
#define REF_ARITHMETIC                                                                                                 \
    {                                                                                                                  \
        LANES, sum_of_row, sum_of_squares_of_row, compute                                                              \
    }

#endif
