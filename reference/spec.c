/* The spec parser of the reference: tables of words, one loop. */
#include "spec.h"

#include <stdio.h>

#include "arithmetic.h"
#include "contract.h"

enum { FWD = 1 << REF_FWD, IN_STEPS = 1 << REF_STATS | 1 << REF_MERGE | 1 << REF_APPLY, INFER = 1 << REF_INFER };
enum {
    NO_LAYOUT = 1 << 0,
    NCHW_NHWC = 1 << REF_NCHW | 1 << REF_NHWC,
    ANY_LAYOUT = NCHW_NHWC | 1 << REF_ROWS_ONLY,
    MAYBE_NCHW = 1 << REF_NCHW | NO_LAYOUT
};

/* A norm, what it sets by default, and which words it knows. */
static const struct {
    const char *name;
    int norm;
    int affine;
    int has_cast;
    int has_mean; /* and so center= */
    int has_rstd; /* and so stats */
    int has_eps;
    int directions;   /* a bit for each; with shards= there are others */
    int layouts;      /* a bit for each; bit 0: none */
    int has_channels; /* c= in the place of h= */
    int is_of_weights;
} norms[] = {
    {"rmsnorm", REF_RMSNORM, REF_GAMMA, 1, 0, 1, 1, FWD, MAYBE_NCHW, 0, 0},
    {"layernorm", REF_LAYERNORM, REF_GAMMA_BETA, 0, 1, 1, 1, FWD, MAYBE_NCHW, 0, 0},
    {"l2norm", REF_L2NORM, REF_NO_AFFINE, 0, 0, 1, 1, FWD, NO_LAYOUT, 0, 0},
    {"scalenorm", REF_SCALENORM, REF_NO_AFFINE, 0, 0, 0, 1, FWD, NO_LAYOUT, 0, 0},
    {"lpnorm", REF_LPNORM, REF_NO_AFFINE, 0, 0, 0, 0, FWD, NO_LAYOUT, 0, 0},
    {"weightnorm", REF_WEIGHTNORM, REF_NO_AFFINE, 0, 0, 0, 0, FWD, NO_LAYOUT, 0, 1},
    {"fold", REF_FOLD, REF_GAMMA_BETA, 0, 0, 0, 0, FWD, NO_LAYOUT, 0, 1},
    {"dyt", REF_DYT, REF_GAMMA_BETA, 0, 0, 0, 0, FWD, NO_LAYOUT, 0, 0},
    {"groupnorm", REF_GROUPNORM, REF_GAMMA_BETA, 0, 1, 0, 1, FWD, NCHW_NHWC, 1, 0},
    {"instancenorm", REF_INSTANCENORM, REF_GAMMA_BETA, 0, 1, 0, 1, FWD, NCHW_NHWC, 1, 0},
    {"batchnorm", REF_BATCHNORM, REF_GAMMA_BETA, 0, 1, 0, 1, FWD | INFER | IN_STEPS | 1 << REF_FOLDSTATS, ANY_LAYOUT, 1,
     0},
    {"powernorm", REF_POWERNORM, REF_GAMMA_BETA, 0, 0, 0, 1, FWD | INFER, ANY_LAYOUT, 1, 0},
    {"mvn", REF_MVN, REF_NO_AFFINE, 0, 1, 0, 1, FWD, ANY_LAYOUT, 1, 0},
};
enum { NORMS = sizeof norms / sizeof *norms };

/* A word that sets one int of the spec; a second word for the same int is an error. */
static const struct {
    const char *word;
    size_t field;
    int value;
} flags[] = {
    {"fwd", offsetof(ref_spec, direction), REF_FWD},
    {"infer", offsetof(ref_spec, direction), REF_INFER},
    {"foldstats", offsetof(ref_spec, direction), REF_FOLDSTATS},
    {"merge", offsetof(ref_spec, direction), REF_MERGE},
    {"apply", offsetof(ref_spec, direction), REF_APPLY},
    {"add", offsetof(ref_spec, fusion), REF_ADD},
    {"addout", offsetof(ref_spec, fusion), REF_ADDOUT},
    {"addafter", offsetof(ref_spec, fusion), REF_ADDAFTER},
    {"sandwich", offsetof(ref_spec, fusion), REF_SANDWICH},
    {"alpha", offsetof(ref_spec, alpha), 1},
    {"gate", offsetof(ref_spec, gate), 1},
    {"mod", offsetof(ref_spec, mod), 1},
    {"twin", offsetof(ref_spec, twin), 1},
    {"epsform=outside", offsetof(ref_spec, epsform), REF_OUTSIDE},
    {"epsform=max", offsetof(ref_spec, epsform), REF_MAX},
    {"quant=row", offsetof(ref_spec, quant), REF_ROW},
    {"quant=static", offsetof(ref_spec, quant), REF_STATIC},
    {"round=io", offsetof(ref_spec, round_io), 1},
    {"side", offsetof(ref_spec, side), 1},
    {"offset=1", offsetof(ref_spec, offset), 1},
    {"cast=llama", offsetof(ref_spec, cast), REF_LLAMA},
    {"zgate=before", offsetof(ref_spec, zgate), REF_ZGATE_BEFORE},
    {"zgate=after", offsetof(ref_spec, zgate), REF_ZGATE_AFTER},
#define ACTIVATION(name, NAME, type) {"act=" #name, offsetof(ref_spec, act), REF_##NAME},
#include "activations.inc"
    {"affine=none", offsetof(ref_spec, affine), REF_NO_AFFINE},
    {"affine=gamma", offsetof(ref_spec, affine), REF_GAMMA},
    {"affine=gamma+beta", offsetof(ref_spec, affine), REF_GAMMA_BETA},
    {"affine=group", offsetof(ref_spec, affine), REF_GROUP},
    {"acc=f64", offsetof(ref_spec, acc_f64), 1},
    {"center=full", offsetof(ref_spec, center_full), 1},
    {"stats", offsetof(ref_spec, stats), 1},
    {"strided", offsetof(ref_spec, strided), 1},
    {"layout=nchw", offsetof(ref_spec, layout), REF_NCHW},
    {"layout=nhwc", offsetof(ref_spec, layout), REF_NHWC},
    {"layout=rows", offsetof(ref_spec, layout), REF_ROWS_ONLY},
    {"momentum=torch", offsetof(ref_spec, momentum), REF_TORCH},
    {"momentum=onnx", offsetof(ref_spec, momentum), REF_ONNX},
    {"folded", offsetof(ref_spec, folded), 1},
};

/* A key that sets one dtype of the spec. */
static const struct {
    const char *key;
    size_t field;
} dtype_keys[] = {
    {"", offsetof(ref_spec, x)},
    {"residual=", offsetof(ref_spec, residual)},
    {"gamma=", offsetof(ref_spec, gamma)},
    {"out=", offsetof(ref_spec, y)},
};

/* A key that sets one size of the spec. */
static const struct {
    const char *key;
    size_t field;
} size_keys[] = {
    {"h=", offsetof(ref_spec, h)},           {"c=", offsetof(ref_spec, c)},
    {"g=", offsetof(ref_spec, g)},           {"shards=", offsetof(ref_spec, shards)},
    {"groups=", offsetof(ref_spec, groups)}, {"heads=", offsetof(ref_spec, heads)},
};

/* A size without sign, leading zero or anything else. Returns 0 if that is no valid one. */
static size_t parse_size(const char *digit, size_t length)
{
    size_t h = 0;
    if (length == 0 || *digit == '0') {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        if (digit[i] < '0' || digit[i] > '9') {
            return 0;
        }
        h = h * 10 + (size_t)(digit[i] - '0');
        if (h > REF_MAX_H) {
            return 0;
        }
    }
    return h;
}

static int set_flag(ref_spec *spec, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strlen(flags[i].word) == length && memcmp(flags[i].word, word, length) == 0) {
            int *field = (int *)(void *)((char *)spec + flags[i].field);
            const int repeated = *field != 0;
            *field = flags[i].value;
            return repeated ? -1 : 0;
        }
    }
    return -1;
}

static int set_dtype(ref_spec *spec, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof dtype_keys / sizeof *dtype_keys; i++) {
        const size_t key = strlen(dtype_keys[i].key);
        const ref_dtype *dtype = NULL;
        if (length > key && memcmp(dtype_keys[i].key, word, key) == 0) {
            dtype = ref_dtype_named(word + key, length - key);
        }
        if (dtype != NULL) {
            const ref_dtype **field = (const ref_dtype **)(void *)((char *)spec + dtype_keys[i].field);
            const int repeated = *field != NULL;
            *field = dtype;
            return repeated ? -1 : 0;
        }
    }
    return -1;
}

static int set_size(ref_spec *spec, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof size_keys / sizeof *size_keys; i++) {
        const size_t key = strlen(size_keys[i].key);
        if (length > key && memcmp(size_keys[i].key, word, key) == 0) {
            size_t *field = (size_t *)(void *)((char *)spec + size_keys[i].field);
            const int repeated = *field != 0;
            *field = parse_size(word + key, length - key);
            return repeated || *field == 0 ? -1 : 0;
        }
    }
    return -1;
}

static int set_word(ref_spec *spec, const char *word, size_t length)
{
    const int understood =
        set_size(spec, word, length) == 0 || set_dtype(spec, word, length) == 0 || set_flag(spec, word, length) == 0;
    return understood ? 0 : -1;
}

/* Returns the row of the norm of that name, or NORMS. */
static size_t find_norm(const char *word, size_t length)
{
    size_t i = 0;
    while (i < NORMS && !(strlen(norms[i].name) == length && memcmp(norms[i].name, word, length) == 0)) {
        i++;
    }
    return i;
}

static size_t row_of(const ref_spec *spec)
{
    size_t i = 0;
    while (norms[i].norm != spec->norm) {
        i++;
    }
    return i;
}

int ref_is_over_axes(const ref_spec *spec)
{
    return norms[row_of(spec)].has_channels || spec->layout != 0 || spec->shards != 0;
}

static int is_any(int value, int first, int second, int third)
{
    return value == first || value == second || value == third;
}

/* Kernels that do not read a matrix, and those that do not write one. */
static int reads_matrix(const ref_spec *spec)
{
    return spec->direction != REF_MERGE && spec->direction != REF_FOLDSTATS;
}

static int writes_matrix(const ref_spec *spec)
{
    return !is_any(spec->direction, REF_STATS, REF_MERGE, REF_FOLDSTATS);
}

/* May there be a gamma? */
static int knows_gamma(const ref_spec *spec)
{
    return spec->norm != REF_MVN && !is_any(spec->direction, REF_STATS, REF_MERGE, REF_INFER_FOLDED);
}

static int has_gamma(const ref_spec *spec)
{
    return knows_gamma(spec) && spec->affine != REF_NO_AFFINE;
}

static int has_momentum(const ref_spec *spec)
{
    return (spec->norm == REF_BATCHNORM && (spec->direction == REF_FWD || spec->direction == REF_MERGE)) ||
           (spec->norm == REF_POWERNORM && spec->direction == REF_FWD);
}

/* With batchnorm or shards= "the bare word stats is the direction; elsewhere it is the old flag"; and "folded" makes
 * "infer" a direction of its own. Returns 0, or -1 if there are two directions, or "folded" without "infer". */
static int settle_direction(ref_spec *spec)
{
    if (spec->stats && (spec->norm == REF_BATCHNORM || spec->shards != 0)) {
        const int repeated = spec->direction != 0;
        spec->direction = REF_STATS;
        spec->stats = 0;
        return repeated ? -1 : 0;
    }
    spec->direction = spec->direction != 0 ? spec->direction : REF_FWD;
    if (spec->folded && (spec->norm != REF_BATCHNORM || spec->direction != REF_INFER)) {
        return -1;
    }
    spec->direction = spec->folded ? REF_INFER_FOLDED : spec->direction;
    return 0;
}

/* Are the sizes those of the norm, and do they divide each other? */
static int has_sizes(const ref_spec *spec)
{
    const int has_channels = norms[row_of(spec)].has_channels;
    const int groups_fit = spec->norm == REF_GROUPNORM ? spec->g != 0 && spec->c % spec->g == 0 : spec->g == 0;
    return (has_channels ? spec->c != 0 && spec->h == 0 && spec->shards == 0 : spec->h != 0 && spec->c == 0) &&
           groups_fit && (spec->shards == 0 || spec->h % spec->shards == 0);
}

/* Direction and layout: foldstats and shards have no layout. */
static int has_direction(const ref_spec *spec)
{
    const int direction = spec->direction == REF_INFER_FOLDED ? REF_INFER : spec->direction;
    const int directions = spec->shards != 0 ? IN_STEPS : norms[row_of(spec)].directions;
    const int layouts = spec->shards != 0 || direction == REF_FOLDSTATS ? NO_LAYOUT : norms[row_of(spec)].layouts;
    return (directions >> direction & 1) && (layouts >> spec->layout & 1);
}

/* The rules of norms over other axes alone. */
static int consistent_over_axes(const ref_spec *spec)
{
    const int words_of_rows = spec->alpha || spec->cast || spec->acc_f64 || spec->center_full || spec->epsform ||
                              spec->zgate || spec->gate || spec->mod || spec->twin || spec->quant || spec->round_io ||
                              spec->side || spec->stats || spec->strided || ref_parts(spec) != 1;
    const int fuses = spec->shards == 0 && (spec->fusion == REF_ADDAFTER ? writes_matrix(spec)
                                            : spec->fusion == REF_ADD    ? reads_matrix(spec)
                                                                         : 0);
    return !words_of_rows && (spec->fusion == 0 || fuses) && (spec->residual == NULL || spec->fusion != 0) &&
           (spec->y == NULL || writes_matrix(spec)) && (spec->act == 0 || (writes_matrix(spec) && spec->shards == 0)) &&
           (has_gamma(spec) || (spec->offset == 0 && spec->gamma == NULL));
}

/* The norm's own words, and what goes with its kind. */
static int fits_norm(const ref_spec *spec)
{
    const size_t norm = row_of(spec);
    const int has_plain_rows =
        spec->fusion == 0 && !spec->mod && !spec->quant && !spec->twin && !spec->act && ref_parts(spec) == 1;
    return (spec->cast == 0 || (norms[norm].has_cast && spec->affine == REF_GAMMA && spec->x->size == 2)) &&
           (spec->center_full == 0 || norms[norm].has_mean) && (spec->zgate == 0 || spec->norm == REF_RMSNORM) &&
           (spec->norm != REF_DYT || (!spec->acc_f64 && !spec->alpha)) &&
           (spec->stats == 0 || (norms[norm].has_rstd && spec->fusion != REF_SANDWICH)) &&
           (spec->epsform == 0 || spec->norm == REF_L2NORM) &&
           (spec->norm != REF_FOLD || spec->affine != REF_NO_AFFINE) && (!norms[norm].is_of_weights || has_plain_rows);
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

/* Rules that tie words to each other. `affine_given`: the spec says it. */
static int consistent(const ref_spec *spec, int affine_given)
{
    return spec->x != NULL && has_sizes(spec) && has_direction(spec) &&
           (!affine_given || knows_gamma(spec) || (spec->norm == REF_MVN && spec->affine == REF_NO_AFFINE)) &&
           (spec->affine != REF_GROUP || spec->norm == REF_GROUPNORM) && (spec->momentum == 0 || has_momentum(spec)) &&
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

static const ref_arithmetic *arithmetic_of(const ref_spec *spec)
{
    if (ref_is_over_axes(spec)) {
        return ref_is_f64(spec->x) ? &ref_axes_f64 : &ref_axes_f32;
    }
    return ref_is_f64(spec->x) ? &ref_f64 : spec->acc_f64 ? &ref_acc_f64 : &ref_f32;
}

int ref_spec_parse(const char *text, ref_spec *spec)
{
    static const ref_spec empty;
    *spec = empty;
    text += strspn(text, " ");
    const size_t norm_length = strcspn(text, " ");
    const size_t norm = find_norm(text, norm_length);
    if (norm == NORMS) {
        return -1;
    }
    spec->norm = norms[norm].norm;
    for (const char *word = text + norm_length; *(word += strspn(word, " ")) != '\0';) {
        const size_t length = strcspn(word, " ");
        if (set_word(spec, word, length) != 0) {
            return -1;
        }
        word += length;
    }
    const int affine_given = spec->affine != 0;
    spec->affine = affine_given ? spec->affine : spec->mod ? REF_NO_AFFINE : norms[norm].affine;
    spec->groups = spec->groups != 0 ? spec->groups : 1;
    spec->heads = spec->heads != 0 ? spec->heads : 1;
    if (settle_direction(spec) != 0 || !consistent(spec, affine_given)) {
        return -1;
    }
    spec->g = spec->norm == REF_INSTANCENORM ? spec->c : spec->g;
    spec->momentum = has_momentum(spec) && spec->momentum == 0 ? REF_TORCH : spec->momentum;
    spec->residual = spec->residual != NULL ? spec->residual : spec->x;
    spec->gamma = spec->gamma != NULL ? spec->gamma : spec->x;
    spec->y = spec->y != NULL ? spec->y : spec->x;
    spec->arithmetic = arithmetic_of(spec);
    return mixes(spec) && has_right_formats(spec) ? 0 : -1;
}

int ref_spec_equal(const ref_spec *a, const ref_spec *b)
{
    return a->h == b->h && a->c == b->c && a->g == b->g && a->shards == b->shards && a->x == b->x &&
           a->residual == b->residual && a->gamma == b->gamma && a->y == b->y && a->norm == b->norm &&
           a->direction == b->direction && a->affine == b->affine && a->offset == b->offset && a->fusion == b->fusion &&
           a->alpha == b->alpha && a->cast == b->cast && a->acc_f64 == b->acc_f64 && a->center_full == b->center_full &&
           a->zgate == b->zgate && a->act == b->act && a->groups == b->groups && a->heads == b->heads &&
           a->epsform == b->epsform && a->gate == b->gate && a->mod == b->mod && a->twin == b->twin &&
           a->quant == b->quant && a->round_io == b->round_io && a->side == b->side && a->stats == b->stats &&
           a->strided == b->strided && a->layout == b->layout && a->momentum == b->momentum;
}

size_t ref_parts(const ref_spec *spec)
{
    return spec->groups * spec->heads;
}

int ref_adds_before(const ref_spec *spec)
{
    return spec->fusion == REF_ADD || spec->fusion == REF_ADDOUT;
}

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
    return reads_matrix(spec) ? spec->x : NULL;
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
    return has_gamma(spec) ? spec->gamma : NULL;
}

static const ref_dtype *dtype_of_beta(const ref_spec *spec)
{
    return has_gamma(spec) && spec->affine != REF_GAMMA ? spec->gamma : NULL;
}

static const ref_dtype *dtype_of_alpha(const ref_spec *spec)
{
    return spec->alpha || spec->norm == REF_DYT ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_y(const ref_spec *spec)
{
    return !writes_matrix(spec) ? NULL : spec->fusion == REF_ADDAFTER ? spec->residual : spec->y;
}

static const ref_dtype *dtype_of_sum(const ref_spec *spec)
{
    return spec->fusion == REF_ADDOUT || spec->fusion == REF_SANDWICH ? spec->residual : NULL;
}

static const ref_dtype *dtype_of_momentum(const ref_spec *spec)
{
    return has_momentum(spec) ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_eps(const ref_spec *spec)
{
    const int is_missing = is_any(spec->direction, REF_STATS, REF_APPLY, REF_INFER_FOLDED);
    return is_missing || !norms[row_of(spec)].has_eps ? NULL : real_of(spec);
}

/* "Also store mean and rstd (rstd alone for rmsnorm) per row." */
static int is_saved(const ref_spec *spec, ref_argument argument)
{
    return spec->stats && (argument == REF_RSTD || (argument == REF_MEAN && norms[row_of(spec)].has_mean));
}

/* Which statistics the directions of norms over other axes have. */
enum {
    BATCHNORM = 1 << REF_BATCHNORM,
    POWERNORM = 1 << REF_POWERNORM,
    LAYERNORM = 1 << REF_LAYERNORM,
    RMSNORM = 1 << REF_RMSNORM,
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

int ref_has_positions(const ref_spec *spec)
{
    return spec->layout == REF_NCHW || spec->layout == REF_NHWC;
}

size_t ref_channels(const ref_spec *spec)
{
    return spec->shards != 0 ? spec->h / spec->shards : spec->c != 0 ? spec->c : spec->h;
}

size_t ref_positions(const ref_spec *spec, const ref_scalars *scalars)
{
    return ref_has_positions(spec) ? (size_t)scalars->of[REF_POSITION_COUNT] : 1;
}

/* Channels as shapes call them. */
static ref_axis channel_axis(const ref_spec *spec)
{
    return spec->shards != 0 ? REF_SHARD : spec->c != 0 ? REF_C : REF_H;
}

/* The axes of a norm over other axes: of x, residual and y; */
static const ref_axis *matrix_axes(const ref_spec *spec)
{
    static const ref_axis nchw_c[REF_MAX_AXES] = {REF_ROWS, REF_C, REF_POSITIONS},
                          nchw_h[REF_MAX_AXES] = {REF_ROWS, REF_H, REF_POSITIONS},
                          nhwc[REF_MAX_AXES] = {REF_ROWS, REF_POSITIONS, REF_C}, rows[REF_MAX_AXES] = {REF_ROWS, REF_C},
                          shard[REF_MAX_AXES] = {REF_ROWS, REF_SHARD};
    return spec->shards != 0             ? shard
           : spec->layout == REF_NHWC    ? nhwc
           : spec->layout != REF_NCHW    ? rows
           : channel_axis(spec) == REF_C ? nchw_c
                                         : nchw_h;
}

/* of gamma and beta; */
static const ref_axis *parameter_axes(const ref_spec *spec)
{
    static const ref_axis c[REF_MAX_AXES] = {REF_C}, g[REF_MAX_AXES] = {REF_GROUPS}, h[REF_MAX_AXES] = {REF_H},
                          shard[REF_MAX_AXES] = {REF_SHARD}, rows_c[REF_MAX_AXES] = {REF_ROWS, REF_C};
    return spec->affine == REF_GROUP          ? g
           : spec->direction == REF_FOLDSTATS ? rows_c
           : spec->shards != 0                ? shard
           : spec->c != 0                     ? c
                                              : h;
}

/* and of statistics, of the whole or of parts. */
static const ref_axis *statistic_axes(const ref_spec *spec, ref_argument argument)
{
    static const ref_axis c[REF_MAX_AXES] = {REF_C}, rows_c[REF_MAX_AXES] = {REF_ROWS, REF_C},
                          chunks_c[REF_MAX_AXES] = {REF_CHUNKS, REF_C};
    if (spec->shards != 0) {
        return ref_arguments[argument].axes;
    }
    const int is_part =
        spec->direction == REF_STATS || is_any((int)argument, REF_PART_MEAN, REF_PART_SHIFT, REF_PART_M2);
    return is_part ? chunks_c : spec->direction == REF_FOLDSTATS ? rows_c : c;
}

const ref_axis *ref_axes_of(const ref_spec *spec, ref_argument argument)
{
    return !ref_is_over_axes(spec) || !ref_is_array(argument)      ? ref_arguments[argument].axes
           : ref_arguments[argument].kind == REF_MATRIX            ? matrix_axes(spec)
           : argument == REF_GAMMA_ROW || argument == REF_BETA_ROW ? parameter_axes(spec)
                                                                   : statistic_axes(spec, argument);
}

/* What axes are: the name that shapes have, NULL where the size is a number there, and whether the call decides. */
static const struct {
    const char *name;
    int of_call;
} axes[REF_AXES] = {
    [REF_ROWS] = {"rows", 1},
    [REF_BATCH] = {"batch", 1},
    [REF_H] = {"h", 0},
    [REF_PARTS] = {NULL, 0},
    [REF_HEADS] = {NULL, 0},
    [REF_HEAD] = {NULL, 0},
    [REF_POSITIONS] = {"positions", 1},
    [REF_C] = {"c", 0},
    [REF_GROUPS] = {"g", 0},
    [REF_CHUNKS] = {"chunks", 1},
    [REF_SHARDS] = {"shards", 0},
    [REF_SHARD] = {"h/shards", 0},
};

/* "Rows of a batch lie one behind the other, rows_per_batch of them"; the last batch may have fewer. */
static size_t batches(const ref_scalars *scalars)
{
    const size_t rows = (size_t)scalars->of[REF_ROWS_PER_BATCH];
    return rows > 0 ? (scalars->rows + rows - 1) / rows : 0;
}

size_t ref_extent(const ref_spec *spec, ref_axis axis, const ref_scalars *scalars)
{
    const size_t positions = ref_positions(spec, scalars);
    const size_t extents[REF_AXES] = {
        [REF_NO_AXIS] = 1,
        [REF_ROWS] = scalars->rows,
        [REF_BATCH] = batches(scalars),
        [REF_H] = spec->h,
        [REF_HEADS] = spec->heads,
        [REF_HEAD] = spec->h / spec->heads,
        [REF_PARTS] = ref_parts(spec),
        [REF_POSITIONS] = positions,
        [REF_C] = spec->c,
        [REF_GROUPS] = spec->g,
        [REF_CHUNKS] = ref_batch_chunks(spec->layout == REF_NCHW, scalars->rows, positions),
        [REF_SHARDS] = spec->shards,
        [REF_SHARD] = ref_channels(spec),
    };
    return extents[axis];
}

/* The axes of an argument as a spec has them: heads cut h in two, and where a row has no parts, they are no axis. */
static size_t axes_of(const ref_spec *spec, ref_argument argument, ref_axis to[REF_MAX_AXES])
{
    size_t count = 0;
    for (int i = 0; i < REF_MAX_AXES && ref_axes_of(spec, argument)[i] != REF_NO_AXIS; i++) {
        const ref_axis axis = ref_axes_of(spec, argument)[i];
        if (axis == REF_H && spec->heads > 1) {
            to[count++] = REF_HEADS;
            to[count++] = REF_HEAD;
        } else if (axis != REF_PARTS || ref_parts(spec) > 1) {
            to[count++] = axis;
        }
    }
    return count;
}

void ref_shape_text(const ref_spec *spec, ref_argument argument, char text[REF_SHAPE_LENGTH])
{
    static const ref_scalars no_scalars;
    ref_axis shape[REF_MAX_AXES];
    const size_t count = axes_of(spec, argument, shape);
    size_t length = (size_t)snprintf(text, REF_SHAPE_LENGTH, "%s", count == 0 ? "scalar" : "");
    for (size_t i = 0; i < count; i++) {
        const char *name = axes[shape[i]].name;
        const char *comma = i > 0 ? "," : "";
        char *const end = text + length;
        const size_t left = REF_SHAPE_LENGTH - length;
        length += (size_t)(name != NULL ? snprintf(end, left, "%s%s", comma, name)
                                        : snprintf(end, left, "%s%zu", comma, ref_extent(spec, shape[i], &no_scalars)));
    }
}

ref_layout ref_layout_of(const ref_spec *spec, ref_argument argument, const ref_scalars *scalars)
{
    const ref_axis *const axis = ref_axes_of(spec, argument);
    ref_layout layout = {1, 1, ref_arguments[argument].kind == REF_MATRIX ? spec->heads : 1};
    for (int i = 0; i < REF_MAX_AXES; i++) {
        size_t *const counted = i == 0 && axes[axis[i]].of_call ? &layout.rows : &layout.columns;
        *counted *= ref_extent(spec, axis[i], scalars);
    }
    return layout;
}
