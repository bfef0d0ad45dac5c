/* PowerNorm (Shen, Yao, Gholami, Mahoney, Keutzer 2020): the quadratic mean of the batch in the place of its variance.
 */
#ifndef NG_REFERENCE_POWERNORM_H
#define NG_REFERENCE_POWERNORM_H

#include "batch.h"

/* y = x * (1 / sqrt(square + eps)) with gamma and beta; `square` is the argument that has it for each channel. */
static void scale_by(const ref_spec *spec, const ref_call *call, const field *f, real *h, ref_argument square)
{
    const moments no_mean = {0};
    for (size_t channel = 0; channel < f->channels; channel++) {
        const real eps = (real)call->scalars.of[REF_EPS];
        normalise_channel(f, h, channel, no_mean, reciprocal_root(statistic_at(call, square, channel), eps));
    }
    write_field(spec, call, f, h);
}

static void powernorm_infer(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    real *h = read_field(spec, call, &f);
    scale_by(spec, call, &f, h, REF_SQUARE_IN);
    free(h);
}

/* Algorithm 1: "with the running value before the call; square = S / n; then running_square is updated". */
static void powernorm_fwd(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    real *h = read_field(spec, call, &f);
    for (size_t channel = 0; channel < f.channels; channel++) {
        set_statistic(call, REF_SQUARE, channel, mean_of_m2(measure_channel(&f, h, channel, measure_squares)));
    }
    scale_by(spec, call, &f, h, REF_RUNNING_SQUARE);
    for (size_t channel = 0; channel < f.channels; channel++) {
        update_running(spec, call, REF_RUNNING_SQUARE, channel, statistic_at(call, REF_SQUARE, channel));
    }
    free(h);
}

#endif
