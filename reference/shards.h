/* LayerNorm and RMSNorm of rows whose elements are shared out to several ranks: shards=K. */
#ifndef NG_REFERENCE_SHARDS_H
#define NG_REFERENCE_SHARDS_H

#include "field.h"
#include "moments.h"

/* "A shard's statistics (stats h=N shards=K, layernorm): row sums as for rows of N/K elements: mu (head, lanes, tree),
 * D, Q, then delta = D / n and M2 = clamp0(fma(-delta, D, Q)); rmsnorm: m2 = sum(x*x)." Overwrites the row. */
static moments measure_shard(const ref_spec *spec, real *row, size_t n)
{
    if (spec->norm == REF_RMSNORM) {
        return (moments){n, 0, 0, sum_blocks(row, n, block_sum_of_squares)};
    }
    const real mu = mean(row, ref_head(n));
    for (size_t i = 0; i < n; i++) {
        row[i] = row[i] - mu;
    }
    const real D = sum_blocks(row, n, block_sum), Q = sum_blocks(row, n, block_sum_of_squares);
    const real delta = D / (real)n;
    return (moments){n, mu, delta, clamp0(real_fma(-delta, D, Q))};
}

static void shard_stats(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    real *x = read_field(spec, call, &f);
    for (size_t row = 0; row < f.rows; row++) {
        const moments s = measure_shard(spec, x + row * f.channels, f.channels);
        set_statistic(call, REF_MEAN, row, s.mu);
        set_statistic(call, REF_SHIFT, row, s.delta);
        set_statistic(call, REF_M2, row, s.m2);
    }
    free(x);
}

/* A statistic of a row, 0 if the norm does not have it. */
static real part_at(const ref_call *call, ref_argument argument, size_t i)
{
    return call->array[argument] != NULL ? statistic_at(call, argument, i) : 0;
}

/* "shards: the K shards likewise over the shard index"; parts are ["shards","rows"]. */
static void shard_merge(const ref_spec *spec, const ref_call *call)
{
    const size_t rows = call->scalars.rows;
    moments *shards = allocate(spec->shards, sizeof *shards);
    for (size_t row = 0; row < rows; row++) {
        for (size_t k = 0; k < spec->shards; k++) {
            const size_t i = k * rows + row;
            shards[k] = (moments){spec->h / spec->shards, part_at(call, REF_PART_MEAN, i),
                                  part_at(call, REF_PART_SHIFT, i), part_at(call, REF_PART_M2, i)};
        }
        const moments s = merge_all(shards, spec->shards);
        set_statistic(call, REF_MEAN, row, s.mu);
        set_statistic(call, REF_SHIFT, row, s.delta);
        set_statistic(call, REF_RSTD, row, rstd_of(s, (real)call->scalars.of[REF_EPS]));
    }
    free(shards);
}

static void shard_apply(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    real *x = read_field(spec, call, &f);
    for (size_t i = 0; i < field_elements(&f); i++) {
        const size_t row = i / f.channels;
        const moments s = {0, part_at(call, REF_MEAN_IN, row), part_at(call, REF_SHIFT_IN, row), 0};
        x[i] = normalised(x[i], s, part_at(call, REF_RSTD_IN, row));
    }
    write_field(spec, call, &f, x);
    free(x);
}

#endif
