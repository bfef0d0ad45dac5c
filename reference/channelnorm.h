#ifndef NG_REFERENCE_CHANNELNORM_H
#define NG_REFERENCE_CHANNELNORM_H

#include "chunks.h"

/* LayerNorm and RMSNorm over the channels of each position, in the layout nchw: "slot [...] a position: values over the
 * channels t = 0..h-1". */
static void channelnorm(const ref_spec *spec, const ref_call *call)
{
    const field f = field_of(spec, call);
    const real eps = (real)call->scalars.of[REF_EPS];
    measure *const of_norm = spec->norm == REF_LAYERNORM ? measure_around_mean : measure_squares;
    real *h = read_field(spec, call, &f);
    for (size_t i = 0; i < f.rows * f.positions; i++) {
        real *const x = h + element_at(&f, i / f.positions, 0, i % f.positions);
        const moments all = measure_whole_series(x, f.positions, f.channels, of_norm);
        const real rstd = rstd_of(all, eps);
        for (size_t channel = 0; channel < f.channels; channel++) {
            x[channel * f.positions] = normalised(x[channel * f.positions], all, rstd);
        }
    }
    write_field(spec, call, &f, h);
    free(h);
}

#endif
