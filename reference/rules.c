#include "rules.h"

#include "norms.h"

/* The steps of a row that ranks share. */
enum { IN_STEPS = 1 << REF_STATS | 1 << REF_MERGE | 1 << REF_APPLY };

/* Are the sizes those of the norm, and do they divide each other? */
static int has_sizes(const ref_spec *spec)
{
    const int has_channels = ref_norms[spec->norm].has_channels;
    const int groups_fit = spec->norm == REF_GROUPNORM ? spec->g != 0 && spec->c % spec->g == 0 : spec->g == 0;
    return (has_channels ? spec->c != 0 && spec->h == 0 : spec->h != 0 && spec->c == 0) && groups_fit &&
           (spec->shards == 0 || (ref_norms[spec->norm].has_shards && spec->h % spec->shards == 0));
}

/* Direction and layout: foldstats and shards have no layout. */
static int has_direction(const ref_spec *spec)
{
    const int direction = spec->direction == REF_INFER_FOLDED ? REF_INFER : spec->direction;
    const int directions = spec->shards != 0 ? IN_STEPS : ref_norms[spec->norm].directions;
    const int has_layout = spec->shards == 0 && direction != REF_FOLDSTATS;
    return (directions >> direction & 1) &&
           (has_layout ? ref_norms[spec->norm].layouts >> spec->layout & 1 : spec->layout == 0);
}

/* The rules of norms over other axes alone. */
static int consistent_over_axes(const ref_spec *spec)
{
    const int words_of_rows = spec->alpha || spec->cast || spec->acc_f64 || spec->center_full || spec->epsform ||
                              spec->zgate || spec->gate || spec->mod || spec->twin || spec->quant || spec->round_io ||
                              spec->side || spec->stats || spec->strided || ref_parts(spec) != 1;
    const int fuses = spec->shards == 0 && (spec->fusion == REF_ADDAFTER ? ref_writes_matrix(spec)
                                            : spec->fusion == REF_ADD    ? ref_reads_matrix(spec)
                                                                         : 0);
    return !words_of_rows && (spec->fusion == 0 || fuses) && (spec->residual == NULL || spec->fusion != 0) &&
           (spec->y == NULL || ref_writes_matrix(spec)) &&
           (spec->act == 0 || (ref_writes_matrix(spec) && spec->shards == 0)) &&
           (ref_has_gamma(spec) || (spec->offset == 0 && spec->gamma == NULL));
}

/* The norm's own words, and what goes with its kind. */
static int fits_norm(const ref_spec *spec)
{
    const ref_norm *const norm = &ref_norms[spec->norm];
    const int has_plain_rows =
        spec->fusion == 0 && !spec->mod && !spec->quant && !spec->twin && !spec->act && ref_parts(spec) == 1;
    return (spec->cast == 0 || (norm->has_cast && spec->affine == REF_GAMMA && spec->x->size == 2)) &&
           (spec->center_full == 0 || norm->has_mean) && (spec->zgate == 0 || spec->norm == REF_RMSNORM) &&
           (spec->norm != REF_DYT || (!spec->acc_f64 && !spec->alpha)) &&
           (spec->stats == 0 || (norm->has_rstd && spec->fusion != REF_SANDWICH)) &&
           (spec->epsform == 0 || spec->norm == REF_L2NORM) &&
           (spec->norm != REF_FOLD || spec->affine != REF_NO_AFFINE) && (!norm->is_of_weights || has_plain_rows);
}

/* Words that need, or exclude, others. */
static int consistent_rows(const ref_spec *spec)
{
    const int gamma = spec->affine != REF_NO_AFFINE;
    const int is_last = spec->fusion == REF_ADDAFTER || spec->fusion == REF_SANDWICH;
    return (spec->residual == NULL || spec->fusion != 0) && (gamma || spec->offset == 0) &&
           (gamma || spec->mod || spec->gate || spec->gamma == NULL) && (spec->alpha == 0 || ref_adds_before(spec)) &&
           (spec->gate == 0 || (ref_adds_before(spec) && !spec->alpha)) &&
           (spec->twin == 0 || (gamma && !spec->mod && !is_last && !spec->act && !spec->zgate)) &&
           (spec->fusion != REF_SANDWICH || (gamma && !spec->mod && ref_parts(spec) == 1)) &&
           spec->h % ref_parts(spec) == 0 && (spec->groups == 1 || spec->heads == 1) &&
           (spec->quant == 0 || (!is_last && !spec->twin && ref_parts(spec) == 1)) &&
           (spec->round_io == 0 || (spec->quant != 0 && spec->x->size == 2)) && (spec->side == 0 || spec->quant != 0);
}

int ref_words_fit(const ref_spec *spec, int affine_given)
{
    return spec->x != NULL && has_sizes(spec) && has_direction(spec) &&
           (!affine_given || ref_knows_gamma(spec) || (spec->norm == REF_MVN && spec->affine == REF_NO_AFFINE)) &&
           (spec->affine != REF_GROUP || spec->norm == REF_GROUPNORM) &&
           (spec->momentum == 0 || ref_has_momentum(spec)) &&
           (ref_is_over_axes(spec) ? consistent_over_axes(spec) : fits_norm(spec) && consistent_rows(spec));
}

/* Integers and e4m3 are for results that are quantised. */
static int has_right_formats(const ref_spec *spec)
{
    return spec->x->size > 1 && spec->residual->size > 1 && spec->gamma->size > 1 &&
           (spec->y->size == 1) == (spec->quant != 0);
}

/* "f64 mixes with nothing." "Elementary functions are computed in f32." */
static int mixes(const ref_spec *spec)
{
    const int f64 = ref_is_f64(spec->x);
    const int has_elementary = spec->zgate || (spec->act && spec->act < REF_RELU) || spec->norm == REF_DYT;
    return ref_is_f64(spec->residual) == f64 && ref_is_f64(spec->gamma) == f64 && ref_is_f64(spec->y) == f64 &&
           !(f64 && (spec->acc_f64 || has_elementary));
}

int ref_formats_fit(const ref_spec *spec)
{
    return mixes(spec) && has_right_formats(spec);
}
