/* Sums of products of two rows. */
#ifndef NG_REFERENCE_DOT_H
#define NG_REFERENCE_DOT_H

#include "sums.h"

/* The sum of one block over the products with another row: "a product is accumulated with fused multiply-add". */
static acc block_dot(const real *value, const real *other, size_t n)
{
    acc lane[LANES] = {0};
    for (size_t i = 0; i < n; i++) {
        lane[i % LANES] = acc_fma((acc)value[i], (acc)other[i], lane[i % LANES]);
    }
    return halving_tree(lane);
}

/* "Block sums meet in a pairwise tree over the block index: b[i] = b[2i] + b[2i+1]." */
static acc pairwise_tree(acc *sum, size_t blocks)
{
    for (size_t left = blocks / 2; left >= 1; left /= 2) {
        for (size_t i = 0; i < left; i++) {
            sum[i] = sum[2 * i] + sum[2 * i + 1];
        }
    }
    return sum[0];
}

/* sum(value * other), by the same rules. */
static acc dot(const real *value, const real *other, size_t n)
{
    acc sum[REF_MAX_H / REF_SINGLE_BLOCK];
    size_t length;
    const size_t blocks = ref_blocks(n, &length);
    for (size_t b = 0; b < blocks; b++) {
        const size_t start = b * length < n ? b * length : n;
        sum[b] = block_dot(value + start, other + start, n - start < length ? n - start : length);
    }
    return pairwise_tree(sum, blocks);
}

#endif
