/* Sums of products of two rows. */
#ifndef NG_REFERENCE_DOT_H
#define NG_REFERENCE_DOT_H

#include "sums.h"

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
