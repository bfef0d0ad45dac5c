/* Sums over chunks of values that do not lie behind each other. */
#ifndef NG_REFERENCE_CHUNKS_H
#define NG_REFERENCE_CHUNKS_H

#include "field.h"
#include "moments.h"

/* "outer_sum: runs of 64 consecutive t: each run has one accumulator that starts at +0 and takes its values in
 * ascending t (a product by fma); the run sums are added to a total that starts at +0, in ascending order." `pieces`
 * is 1. */
static real sum_runs(const real *value, size_t pieces, size_t length)
{
    enum { RUN = 64 };
    real total = 0;
    for (size_t start = 0; start < pieces * length; start += RUN) {
        real run = 0;
        for (size_t t = start; t < length && t < start + RUN; t++) {
            run = run + value[t];
        }
        total = total + run;
    }
    return total;
}

static real sum_squares_runs(const real *value, size_t pieces, size_t length)
{
    enum { RUN = 64 };
    real total = 0;
    for (size_t start = 0; start < pieces * length; start += RUN) {
        real run = 0;
        for (size_t t = start; t < length && t < start + RUN; t++) {
            run = real_fma(value[t], value[t], run);
        }
        total = total + run;
    }
    return total;
}

/* nchw batches: "L lanes start at +0; value at position p of its piece goes to lane p mod L, rows ascending, p
 * ascending; then the halving tree." */
static real sum_lanes(const real *value, size_t pieces, size_t length)
{
    real lane[LANES] = {0};
    for (size_t i = 0; i < pieces * length; i++) {
        real *const to = &lane[i % length % LANES];
        *to = *to + value[i];
    }
    return halving_tree(lane);
}

static real sum_squares_lanes(const real *value, size_t pieces, size_t length)
{
    real lane[LANES] = {0};
    for (size_t i = 0; i < pieces * length; i++) {
        real *const to = &lane[i % length % LANES];
        *to = real_fma(value[i], value[i], *to);
    }
    return halving_tree(lane);
}

/* The two orders in which the values of a chunk are added. */
typedef struct order {
    real (*sum)(const real *value, size_t pieces, size_t length);
    real (*sum_squares)(const real *value, size_t pieces, size_t length);
} order;

static const order runs = {sum_runs, sum_squares_runs}, lanes = {sum_lanes, sum_squares_lanes};

/* The statistics of a chunk of `pieces` pieces of `length` values each, which it overwrites. */
typedef moments measure(real *value, size_t pieces, size_t length, const order *o);

/* "Head: m = smallest power of two >= n/64; mu = sum(first m) / m; d = x - mu; D = sum(d), Q = sum(d*d) by fma; delta =
 * D / n; M2 = clamp0(fma(-delta, D, Q))." In nchw batches the head is that of the first piece. */
static moments measure_around_mean(real *value, size_t pieces, size_t length, const order *o)
{
    const size_t n = pieces * length, m = ref_head_within(n, length);
    const real mu = o->sum(value, 1, m) / (real)m;
    for (size_t i = 0; i < n; i++) {
        value[i] = value[i] - mu;
    }
    const real D = o->sum(value, pieces, length), Q = o->sum_squares(value, pieces, length);
    const real delta = D / (real)n;
    return (moments){n, mu, delta, clamp0(real_fma(-delta, D, Q))};
}

/* "S = sum(x*x) by fma, chunk statistics (n, S)." */
static moments measure_squares(real *value, size_t pieces, size_t length, const order *o)
{
    return (moments){pieces * length, 0, 0, o->sum_squares(value, pieces, length)};
}

/* "Chunk k holds t in [4096 k, min(4096 (k+1), T))": the statistics of the chunks of `n` values that lie `stride`
 * apart, one after the other to `to`. */
static void measure_series(const real *value, size_t stride, size_t n, measure *measure_chunk, moments *to)
{
    real chunk[REF_CHUNK];
    for (size_t start = 0; start < n; start += REF_CHUNK) {
        const size_t length = n - start < REF_CHUNK ? n - start : REF_CHUNK;
        for (size_t i = 0; i < length; i++) {
            chunk[i] = value[(start + i) * stride];
        }
        *to++ = measure_chunk(chunk, 1, length, &runs);
    }
}

/* The same, merged. */
static moments measure_whole_series(const real *value, size_t stride, size_t n, measure *measure_chunk)
{
    moments *chunks = allocate(ref_series_chunks(n), sizeof *chunks);
    measure_series(value, stride, n, measure_chunk, chunks);
    const moments all = merge_all(chunks, ref_series_chunks(n));
    free(chunks);
    return all;
}

/* The statistics of the chunks of one channel of a batch, to `to`. */
static void measure_batch(const field *f, const real *h, size_t channel, measure *measure_chunk, moments *to)
{
    real chunk[REF_CHUNK];
    if (!f->is_nchw) { /* "values t = 0..T-1 over (row, position) in memory order" */
        measure_series(h + channel, f->channels, f->rows * f->positions, measure_chunk, to);
        return;
    }
    for (size_t k = 0; k < ref_batch_chunks(1, f->rows, f->positions); k++) {
        const ref_chunk c = ref_batch_chunk(f->rows, f->positions, k);
        for (size_t row = 0; row < c.rows; row++) {
            const size_t first = element_at(f, c.first_row + row, channel, c.first_position);
            memcpy(chunk + row * c.length, h + first, c.length * sizeof *chunk);
        }
        to[k] = measure_chunk(chunk, c.rows, c.length, &lanes);
    }
}

/* The number of values in chunk k of a channel of a batch. */
static size_t chunk_size(const field *f, size_t k)
{
    const size_t left = f->rows * f->positions - (f->is_nchw ? 0 : k * REF_CHUNK);
    if (!f->is_nchw) {
        return left < REF_CHUNK ? left : REF_CHUNK;
    }
    const ref_chunk c = ref_batch_chunk(f->rows, f->positions, k);
    return c.rows * c.length;
}

#endif
