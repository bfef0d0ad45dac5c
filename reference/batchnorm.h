/* BatchNorm (Ioffe, Szegedy 2015): with running statistics, with those of the batch, and the latter in three steps. */
#ifndef NG_REFERENCE_BATCHNORM_H
#define NG_REFERENCE_BATCHNORM_H

#include "batch.h"

/* "xhat = (x - mean) * (1 / sqrt(var + eps))." */
static void batchnorm_infer(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    real *h = read_field(spec, call, &f);
    for (size_t i = 0; i < field_elements(&f); i++) {
        const size_t channel = channel_of(&f, i);
        const real rstd = reciprocal_root(statistic_at(call, REF_VAR_IN, channel), (real)call->scalars.of[REF_EPS]);
        h[i] = (h[i] - statistic_at(call, REF_MEAN_IN, channel)) * rstd;
    }
    write_field(spec, call, &f, h);
    free(h);
}

/* "folded: y = fma(x, a, b)." */
static void batchnorm_folded(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    real *h = read_field(spec, call, &f);
    for (size_t i = 0; i < field_elements(&f); i++) {
        const size_t channel = channel_of(&f, i);
        h[i] = real_fma(h[i], statistic_at(call, REF_A_IN, channel), statistic_at(call, REF_B_IN, channel));
    }
    write_field(spec, call, &f, h);
    free(h);
}

/* "foldstats: a = gamma * rstd (gamma+1 with offset=1; rstd without gamma), b = fma(-mean, a, beta)"; `rows` sets of
 * statistics at once, with parameters for each. */
static void batchnorm_foldstats(const ref_spec *spec, const ref_call *call)
{
    const size_t n = call->scalars.rows * spec->c;
    const void *gamma = call->array[REF_GAMMA_ROW], *beta = call->array[REF_BETA_ROW];
    real *scale = gamma != NULL ? load_reals(spec->gamma, gamma, n) : NULL;
    real *shift = beta != NULL ? load_reals(spec->gamma, beta, n) : NULL;
    for (size_t i = 0; i < n; i++) {
        const real mean = statistic_at(call, REF_MEAN_IN, i);
        const real rstd = reciprocal_root(statistic_at(call, REF_VAR_IN, i), (real)call->scalars.of[REF_EPS]);
        const real stored = scale != NULL ? scale[i] : 1;
        const real a = scale == NULL ? rstd : (spec->offset == 1 ? stored + 1 : stored) * rstd;
        set_statistic(call, REF_A, i, a);
        set_statistic(call, REF_B, i, real_fma(-mean, a, shift != NULL ? shift[i] : 0));
    }
    free(scale);
    free(shift);
}

/* What is known of a channel once its chunks are merged: "batch mean = mu + delta; unbiased = M2 / (real)(n - 1), for n
 * = 1: M2 / 1". Returns rstd. */
static real finish_channel(const ref_spec *spec, const ref_call *call, size_t channel, moments s)
{
    const real rstd = rstd_of(s, (real)call->scalars.of[REF_EPS]);
    set_statistic(call, REF_RSTD, channel, rstd);
    update_running(spec, call, REF_RUNNING_MEAN, channel, s.mu + s.delta);
    update_running(spec, call, REF_RUNNING_VAR, channel, s.m2 / (real)(s.n > 1 ? s.n - 1 : 1));
    return rstd;
}

static void batchnorm_fwd(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    real *h = read_field(spec, call, &f);
    for (size_t channel = 0; channel < f.channels; channel++) {
        const moments s = measure_channel(&f, h, channel, measure_around_mean);
        normalise_channel(&f, h, channel, s, finish_channel(spec, call, channel, s));
        set_statistic(call, REF_MEAN, channel, s.mu + s.delta);
    }
    write_field(spec, call, &f, h);
    free(h);
}

/* "stats: mean, shift, m2 (each ["chunks","c"], out)": mu, delta and M2 of each chunk. */
static void batchnorm_stats(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    const size_t count = ref_batch_chunks(f.is_nchw, f.rows, f.positions);
    moments *chunks = allocate(count, sizeof *chunks);
    real *h = read_field(spec, call, &f);
    for (size_t channel = 0; channel < f.channels; channel++) {
        measure_batch(&f, h, channel, measure_around_mean, chunks);
        for (size_t k = 0; k < count; k++) {
            set_statistic(call, REF_MEAN, k * f.channels + channel, chunks[k].mu);
            set_statistic(call, REF_SHIFT, k * f.channels + channel, chunks[k].delta);
            set_statistic(call, REF_M2, k * f.channels + channel, chunks[k].m2);
        }
    }
    free(h);
    free(chunks);
}

/* "merge: [...] rows counts all ranks' rows." */
static void batchnorm_merge(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    const size_t count = ref_batch_chunks(f.is_nchw, f.rows, f.positions);
    moments *chunks = allocate(count, sizeof *chunks);
    for (size_t channel = 0; channel < f.channels; channel++) {
        for (size_t k = 0; k < count; k++) {
            const size_t i = k * f.channels + channel;
            chunks[k] = (moments){chunk_size(&f, k), statistic_at(call, REF_PART_MEAN, i),
                                  statistic_at(call, REF_PART_SHIFT, i), statistic_at(call, REF_PART_M2, i)};
        }
        const moments s = merge_all(chunks, count);
        finish_channel(spec, call, channel, s);
        set_statistic(call, REF_MEAN, channel, s.mu);
        set_statistic(call, REF_SHIFT, channel, s.delta);
    }
    free(chunks);
}

static void batchnorm_apply(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    real *h = read_field(spec, call, &f);
    for (size_t channel = 0; channel < f.channels; channel++) {
        const moments s = {0, statistic_at(call, REF_MEAN_IN, channel), statistic_at(call, REF_SHIFT_IN, channel), 0};
        normalise_channel(&f, h, channel, s, statistic_at(call, REF_RSTD_IN, channel));
    }
    write_field(spec, call, &f, h);
    free(h);
}

#endif
