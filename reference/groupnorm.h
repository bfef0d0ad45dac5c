#ifndef NG_REFERENCE_GROUPNORM_H
#define NG_REFERENCE_GROUPNORM_H

#include "chunks.h"
#include "layernorm.h"

/* One group of one row in the layout nchw: "A group is a row of n = (c/g) * positions elements in memory order; mean,
 * variance, rstd exactly as for LayerNorm on rows of n elements". */
static void normalise_group_nchw(const field *f, real *h, size_t row, size_t channel, size_t channels, real eps)
{
    const ref_spec as_row = {.center_full = 0};
    layernorm(&as_row, h + element_at(f, row, channel, 0), channels * f->positions, (numbers){eps, 0, 0});
}

/* The same in the layout nhwc: "each channel over the positions of the row first; then the c/g channels of a group in
 * the same pairwise way over the channel index". */
static void normalise_group_nhwc(const field *f, real *h, size_t row, size_t channel, size_t channels, real eps)
{
    moments *each = allocate(channels, sizeof *each);
    for (size_t i = 0; i < channels; i++) {
        each[i] = measure_whole_series(h + element_at(f, row, channel + i, 0), f->channels, f->positions,
                                       measure_around_mean);
    }
    const moments all = merge_all(each, channels);
    const real rstd = rstd_of(all, eps);
    for (size_t i = 0; i < channels * f->positions; i++) {
        real *const x = &h[element_at(f, row, channel + i % channels, i / channels)];
        *x = normalised(*x, all, rstd);
    }
    free(each);
}

/* GroupNorm (Wu, He 2018); InstanceNorm (Ulyanov, Vedaldi, Lempitsky 2016) has a group for each channel. */
static void groupnorm(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    const size_t channels = f.channels / spec->g;
    const real eps = (real)call->scalars.of[REF_EPS];
    real *h = read_field(spec, call, &f);
    for (size_t row = 0; row < f.rows; row++) {
        for (size_t channel = 0; channel < f.channels; channel += channels) {
            (f.is_nchw ? normalise_group_nchw : normalise_group_nhwc)(&f, h, row, channel, channels, eps);
        }
    }
    write_field(spec, call, &f, h);
    free(h);
}

#endif
