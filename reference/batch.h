/* What the norms over a batch share: each channel has statistics over all rows and positions. */
#ifndef NG_REFERENCE_BATCH_H
#define NG_REFERENCE_BATCH_H

#include "chunks.h"

/* The statistics of one channel of a batch. */
static moments measure_channel(const field *f, const real *h, size_t channel, measure *measure_chunk)
{
    const size_t count = ref_batch_chunks(f->is_nchw, f->rows, f->positions);
    moments *chunks = allocate(count, sizeof *chunks);
    measure_batch(f, h, channel, measure_chunk, chunks);
    const moments all = merge_all(chunks, count);
    free(chunks);
    return all;
}

/* Normalises one channel. */
static void normalise_channel(const field *f, real *h, size_t channel, moments s, real rstd)
{
    for (size_t i = 0; i < f->rows * f->positions; i++) {
        real *const x = &h[element_at(f, i / f->positions, channel, i % f->positions)];
        *x = normalised(*x, s, rstd);
    }
}

/* "torch: running = fma(momentum, batch - running, running); onnx: running = fma(momentum, running - batch, batch)." */
static void update_running(const ref_spec *spec, const ref_call *call, ref_argument argument, size_t channel,
                           real batch)
{
    const real momentum = (real)call->scalars.of[REF_MOMENTUM], running = statistic_at(call, argument, channel);
    const real updated = spec->momentum == REF_ONNX ? real_fma(momentum, running - batch, batch)
                                                    : real_fma(momentum, batch - running, running);
    set_statistic(call, argument, channel, updated);
}

/* MVN, ONNX MeanVarianceNormalization: "scale = 1 / (sqrt(variance) + eps), xhat = ((x - mu) - delta) * scale". */
static void mvn(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    real *h = read_field(spec, call, &f);
    for (size_t channel = 0; channel < f.channels; channel++) {
        const moments s = measure_channel(&f, h, channel, measure_around_mean);
        normalise_channel(&f, h, channel, s, 1 / (root(mean_of_m2(s)) + (real)call->scalars.of[REF_EPS]));
    }
    write_field(spec, call, &f, h);
    free(h);
}

#endif
