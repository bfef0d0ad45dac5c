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

/* "Also store mean and rstd (rstd alone for rmsnorm) per row." */
static int is_saved(const ref_spec *spec, ref_argument argument)
{
    return spec->stats && (argument == REF_RSTD || (argument == REF_MEAN && ref_norms[spec->norm].has_mean));
}

/* Which statistics the directions of norms over other axes have. */
enum {
    BATCHNORM = 1 << REF_BATCHNORM,
    POWERNORM = 1 << REF_POWERNORM,
    LAYERNORM = 1 << REF_LAYERNORM,
    RMSNORM = 1 << REF_RMSNORM,
    FWD = 1 << REF_FWD,
    INFER = 1 << REF_INFER,
    STATS = 1 << REF_STATS,
    MERGE = 1 << REF_MERGE,
    APPLY = 1 << REF_APPLY,
    FOLDSTATS = 1 << REF_FOLDSTATS,
    FOLDED = 1 << REF_INFER_FOLDED
};

static const struct {
    ref_argument argument;
    int norms, directions; /* a bit for each */
} statistics[] = {
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

static int has_statistic(const ref_spec *spec, ref_argument argument)
{
    int found = 0;
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++) {
        found = found || (statistics[i].argument == argument && (statistics[i].norms >> spec->norm & 1) &&
                          (statistics[i].directions >> spec->direction & 1));
    }
    return found;
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

static const ref_dtype *dtype_of_g_row(const ref_spec *spec)
{
    return spec->norm == REF_WEIGHTNORM ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_g(const ref_spec *spec)
{
    return spec->norm == REF_SCALENORM ? real_of(spec) : NULL;
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

/* Statistics have no function for their format. */
const struct ref_argument_info ref_arguments[REF_ARGUMENTS] = {
    [REF_POSITION_COUNT] = {"positions", REF_COUNT, {REF_NO_AXIS}, REF_IN, dtype_of_positions},
    [REF_ROWS_PER_BATCH] = {"rows_per_batch", REF_COUNT, {REF_NO_AXIS}, REF_IN, dtype_of_rows_per_batch},
    [REF_X] = {"x", REF_MATRIX, {REF_ROWS, REF_H}, REF_IN, dtype_of_x},
    [REF_RESIDUAL] = {"residual", REF_MATRIX, {REF_ROWS, REF_H}, REF_IN, dtype_of_residual},
    [REF_Z] = {"z", REF_MATRIX, {REF_ROWS, REF_H}, REF_IN, dtype_of_z},
    [REF_GATE] = {"gate", REF_ARRAY, {REF_BATCH, REF_H}, REF_IN, dtype_of_gate},
    [REF_GAMMA_ROW] = {"gamma", REF_ARRAY, {REF_H}, REF_IN, dtype_of_gamma},
    [REF_BETA_ROW] = {"beta", REF_ARRAY, {REF_H}, REF_IN, dtype_of_beta},
    [REF_MEAN_IN] = {"mean", REF_ARRAY, {REF_ROWS}, REF_IN, NULL},
    [REF_VAR_IN] = {"var", REF_ARRAY, {REF_ROWS}, REF_IN, NULL},
    [REF_SHIFT_IN] = {"shift", REF_ARRAY, {REF_ROWS}, REF_IN, NULL},
    [REF_RSTD_IN] = {"rstd", REF_ARRAY, {REF_ROWS}, REF_IN, NULL},
    [REF_SQUARE_IN] = {"square", REF_ARRAY, {REF_ROWS}, REF_IN, NULL},
    [REF_A_IN] = {"a", REF_ARRAY, {REF_ROWS}, REF_IN, NULL},
    [REF_B_IN] = {"b", REF_ARRAY, {REF_ROWS}, REF_IN, NULL},
    [REF_PART_MEAN] = {"part_mean", REF_ARRAY, {REF_SHARDS, REF_ROWS}, REF_IN, NULL},
    [REF_PART_SHIFT] = {"part_shift", REF_ARRAY, {REF_SHARDS, REF_ROWS}, REF_IN, NULL},
    [REF_PART_M2] = {"part_m2", REF_ARRAY, {REF_SHARDS, REF_ROWS}, REF_IN, NULL},
    [REF_G_ROW] = {"g", REF_ARRAY, {REF_ROWS}, REF_IN, dtype_of_g_row},
    [REF_BIAS] = {"bias", REF_ARRAY, {REF_ROWS}, REF_IN, dtype_of_bias},
    [REF_GAMMA2_ROW] = {"gamma2", REF_ARRAY, {REF_H}, REF_IN, dtype_of_gamma2},
    [REF_BETA2_ROW] = {"beta2", REF_ARRAY, {REF_H}, REF_IN, dtype_of_beta2},
    [REF_SCALE] = {"scale", REF_ARRAY, {REF_BATCH, REF_H}, REF_IN, dtype_of_modulation},
    [REF_MOD_SHIFT] = {"shift", REF_ARRAY, {REF_BATCH, REF_H}, REF_IN, dtype_of_modulation},
    [REF_ALPHA] = {"alpha", REF_NUMBER, {REF_NO_AXIS}, REF_IN, dtype_of_alpha},
    [REF_MOMENTUM] = {"momentum", REF_NUMBER, {REF_NO_AXIS}, REF_IN, dtype_of_momentum},
    [REF_EPS] = {"eps", REF_NUMBER, {REF_NO_AXIS}, REF_IN, dtype_of_eps},
    [REF_G] = {"g", REF_NUMBER, {REF_NO_AXIS}, REF_IN, dtype_of_g},
    [REF_YSCALE] = {"yscale", REF_NUMBER, {REF_NO_AXIS}, REF_IN, dtype_of_yscale},
    [REF_YZERO] = {"yzero", REF_NUMBER, {REF_NO_AXIS}, REF_IN, dtype_of_yzero},
    [REF_Y] = {"y", REF_MATRIX, {REF_ROWS, REF_H}, REF_OUT, dtype_of_y},
    [REF_Y2] = {"y2", REF_MATRIX, {REF_ROWS, REF_H}, REF_OUT, dtype_of_y2},
    [REF_SUM] = {"sum", REF_MATRIX, {REF_ROWS, REF_H}, REF_OUT, dtype_of_sum},
    [REF_MEAN] = {"mean", REF_ARRAY, {REF_ROWS, REF_PARTS}, REF_OUT, NULL},
    [REF_SHIFT] = {"shift", REF_ARRAY, {REF_ROWS}, REF_OUT, NULL},
    [REF_RSTD] = {"rstd", REF_ARRAY, {REF_ROWS, REF_PARTS}, REF_OUT, NULL},
    [REF_M2] = {"m2", REF_ARRAY, {REF_ROWS}, REF_OUT, NULL},
    [REF_SQUARE] = {"square", REF_ARRAY, {REF_ROWS}, REF_OUT, NULL},
    [REF_A] = {"a", REF_ARRAY, {REF_ROWS}, REF_OUT, NULL},
    [REF_B] = {"b", REF_ARRAY, {REF_ROWS}, REF_OUT, NULL},
    [REF_YBIAS] = {"ybias", REF_ARRAY, {REF_ROWS}, REF_OUT, dtype_of_bias},
    [REF_YSCALE_ROW] = {"yscale", REF_ARRAY, {REF_ROWS}, REF_OUT, dtype_of_yscale_row},
    [REF_SIDE] = {"side", REF_MATRIX, {REF_ROWS, REF_H}, REF_OUT, dtype_of_side},
    [REF_RUNNING_MEAN] = {"running_mean", REF_ARRAY, {REF_ROWS}, REF_INOUT, NULL},
    [REF_RUNNING_VAR] = {"running_var", REF_ARRAY, {REF_ROWS}, REF_INOUT, NULL},
    [REF_RUNNING_SQUARE] = {"running_square", REF_ARRAY, {REF_ROWS}, REF_INOUT, NULL},
};

const ref_dtype *ref_argument_dtype(const ref_spec *spec, ref_argument argument)
{
    if (ref_arguments[argument].dtype != NULL) {
        return ref_arguments[argument].dtype(spec);
    }
    return is_saved(spec, argument) || has_statistic(spec, argument) ? real_of(spec) : NULL;
}

int ref_is_array(ref_argument argument)
{
    return ref_arguments[argument].kind >= REF_ARRAY;
}

int ref_is_input(ref_argument argument)
{
    return ref_arguments[argument].output != REF_OUT;
}
