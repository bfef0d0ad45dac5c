/* The arguments of kernels: which a spec has, and their formats. */
#include "arguments.h"

#include <string.h>

#include "norms.h"

/* "Saved statistics: [...] f32 (f64 for f64 specs)", and so numbers. */
static const ref_dtype *real_of(const ref_spec *spec)
{
    return ref_is_f64(spec->x) ? spec->x : ref_dtype_named("f32", 3);
}

static const ref_dtype *dtype_of_positions(const ref_spec *spec)
{
    return ref_has_positions(spec) ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_x(const ref_spec *spec)
{
    return ref_reads_matrix(spec) ? spec->x : NULL;
}

static const ref_dtype *dtype_of_residual(const ref_spec *spec)
{
    return spec->fusion != 0 ? spec->residual : NULL;
}

static const ref_dtype *dtype_of_z(const ref_spec *spec)
{
    return spec->zgate ? spec->x : NULL;
}

static const ref_dtype *dtype_of_gamma(const ref_spec *spec)
{
    return ref_has_gamma(spec) ? spec->gamma : NULL;
}

static const ref_dtype *dtype_of_beta(const ref_spec *spec)
{
    return ref_has_gamma(spec) && spec->affine != REF_GAMMA ? spec->gamma : NULL;
}

static const ref_dtype *dtype_of_alpha(const ref_spec *spec)
{
    return spec->alpha || spec->norm == REF_DYT ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_y(const ref_spec *spec)
{
    return !ref_writes_matrix(spec) ? NULL : spec->fusion == REF_ADDAFTER ? spec->residual : spec->y;
}

static const ref_dtype *dtype_of_sum(const ref_spec *spec)
{
    return spec->fusion == REF_ADDOUT || spec->fusion == REF_SANDWICH ? spec->residual : NULL;
}

static const ref_dtype *dtype_of_momentum(const ref_spec *spec)
{
    return ref_has_momentum(spec) ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_eps(const ref_spec *spec)
{
    const int is_missing =
        spec->direction == REF_STATS || spec->direction == REF_APPLY || spec->direction == REF_INFER_FOLDED;
    return is_missing || !ref_norms[spec->norm].has_eps ? NULL : real_of(spec);
}

static const ref_dtype *dtype_of_gate(const ref_spec *spec)
{
    return spec->gate ? spec->gamma : NULL;
}

static const ref_dtype *dtype_of_modulation(const ref_spec *spec)
{
    return spec->mod ? spec->gamma : NULL;
}

static const ref_dtype *dtype_of_rows_per_batch(const ref_spec *spec)
{
    return spec->mod || spec->gate ? real_of(spec) : NULL;
}

static int has_second(const ref_spec *spec)
{
    return spec->twin || spec->fusion == REF_SANDWICH;
}

static const ref_dtype *dtype_of_gamma2(const ref_spec *spec)
{
    return has_second(spec) ? dtype_of_gamma(spec) : NULL;
}

static const ref_dtype *dtype_of_beta2(const ref_spec *spec)
{
    return has_second(spec) ? dtype_of_beta(spec) : NULL;
}

static const ref_dtype *dtype_of_y2(const ref_spec *spec)
{
    return spec->twin ? spec->y : NULL;
}

static const ref_dtype *dtype_of_bias(const ref_spec *spec)
{
    return spec->norm == REF_FOLD && spec->affine == REF_GAMMA_BETA ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_yscale(const ref_spec *spec)
{
    return spec->quant == REF_STATIC ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_yzero(const ref_spec *spec)
{
    return strcmp(spec->y->name, "u8") == 0 ? dtype_of_yscale(spec) : NULL;
}

static const ref_dtype *dtype_of_yscale_row(const ref_spec *spec)
{
    return spec->quant == REF_ROW ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_side(const ref_spec *spec)
{
    return spec->side ? spec->x : NULL;
}

const struct ref_argument_info ref_arguments[REF_ARGUMENTS] = {
#define ARGUMENT(constant, name, kind, outer, inner, way, format)                                                      \
    [REF_##constant] = {name, REF_##kind, {REF_##outer, REF_##inner}, REF_##way, format},
#include "arguments.inc"
};

/* "Also store mean and rstd (rstd alone for rmsnorm) per row." */
static int is_saved(const ref_spec *spec, ref_argument argument)
{
    return spec->stats && (argument == REF_RSTD || (argument == REF_MEAN && ref_norms[spec->norm].has_mean));
}

/* A bit for each norm and direction. */
enum {
#define NORM(constant, ...) constant = 1 << REF_##constant,
#include "norms.inc"
    FWD = 1 << REF_FWD,
    INFER = 1 << REF_INFER,
    STATS = 1 << REF_STATS,
    MERGE = 1 << REF_MERGE,
    APPLY = 1 << REF_APPLY,
    FOLDSTATS = 1 << REF_FOLDSTATS,
    FOLDED = 1 << REF_INFER_FOLDED
};

/* What norms bring along: numbers and statistics of their own. */
static const struct {
    ref_argument argument;
    int norms, directions;
} own[] = {
    {REF_G_ROW, WEIGHTNORM, FWD},
    {REF_G, SCALENORM, FWD},
    {REF_MEAN_IN, BATCHNORM, INFER | FOLDSTATS},
    {REF_VAR_IN, BATCHNORM, INFER | FOLDSTATS},
    {REF_MEAN_IN, BATCHNORM | LAYERNORM, APPLY},
    {REF_SHIFT_IN, BATCHNORM | LAYERNORM, APPLY},
    {REF_RSTD_IN, BATCHNORM | LAYERNORM | RMSNORM, APPLY},
    {REF_SQUARE_IN, POWERNORM, INFER},
    {REF_A_IN, BATCHNORM, FOLDED},
    {REF_B_IN, BATCHNORM, FOLDED},
    {REF_PART_MEAN, BATCHNORM | LAYERNORM, MERGE},
    {REF_PART_SHIFT, BATCHNORM | LAYERNORM, MERGE},
    {REF_PART_M2, BATCHNORM | LAYERNORM | RMSNORM, MERGE},
    {REF_MEAN, BATCHNORM, FWD},
    {REF_MEAN, BATCHNORM | LAYERNORM, STATS | MERGE},
    {REF_SHIFT, BATCHNORM | LAYERNORM, STATS | MERGE},
    {REF_RSTD, BATCHNORM, FWD},
    {REF_RSTD, BATCHNORM | LAYERNORM | RMSNORM, MERGE},
    {REF_M2, BATCHNORM | LAYERNORM | RMSNORM, STATS},
    {REF_SQUARE, POWERNORM, FWD},
    {REF_A, BATCHNORM, FOLDSTATS},
    {REF_B, BATCHNORM, FOLDSTATS},
    {REF_RUNNING_MEAN, BATCHNORM, FWD | MERGE},
    {REF_RUNNING_VAR, BATCHNORM, FWD | MERGE},
    {REF_RUNNING_SQUARE, POWERNORM, FWD},
};

static int is_own(const ref_spec *spec, ref_argument argument)
{
    int found = 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        found = found || (own[i].argument == argument && (own[i].norms >> spec->norm & 1) &&
                          (own[i].directions >> spec->direction & 1));
    }
    return found;
}

const ref_dtype *ref_argument_dtype(const ref_spec *spec, ref_argument argument)
{
    if (ref_arguments[argument].dtype != NULL) {
        return ref_arguments[argument].dtype(spec);
    }
    return is_saved(spec, argument) || is_own(spec, argument) ? real_of(spec) : NULL;
}

int ref_is_array(ref_argument argument)
{
    return ref_arguments[argument].kind >= REF_ARRAY;
}

int ref_is_input(ref_argument argument)
{
    return ref_arguments[argument].output != REF_OUT;
}
