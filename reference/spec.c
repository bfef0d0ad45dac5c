/* The spec parser of the reference: tables of words, one loop. */
#include "spec.h"

#include <stdio.h>

#include "arithmetic.h"
#include "contract.h"

/* A norm, what it sets by default, and which words it knows. */
static const struct {
    const char *name;
    int norm;
    int affine;
    int has_cast;
    int has_mean; /* and so center= */
    int has_rstd; /* and so stats */
    int has_eps;
    int is_of_weights;
} norms[] = {
    {"rmsnorm", REF_RMSNORM, REF_GAMMA, 1, 0, 1, 1, 0},   {"layernorm", REF_LAYERNORM, REF_GAMMA_BETA, 0, 1, 1, 1, 0},
    {"l2norm", REF_L2NORM, REF_NO_AFFINE, 0, 0, 1, 1, 0}, {"scalenorm", REF_SCALENORM, REF_NO_AFFINE, 0, 0, 0, 1, 0},
    {"lpnorm", REF_LPNORM, REF_NO_AFFINE, 0, 0, 0, 0, 0}, {"weightnorm", REF_WEIGHTNORM, REF_NO_AFFINE, 0, 0, 0, 0, 1},
    {"fold", REF_FOLD, REF_GAMMA_BETA, 0, 0, 0, 0, 1},
};
enum { NORMS = sizeof norms / sizeof *norms };

/* A word that sets one int of the spec; a second word for the same int is an error. */
static const struct {
    const char *word;
    size_t field;
    int value;
} flags[] = {
    {"fwd", offsetof(ref_spec, direction), REF_FWD},
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
    {"affine=none", offsetof(ref_spec, affine), REF_NO_AFFINE},
    {"affine=gamma", offsetof(ref_spec, affine), REF_GAMMA},
    {"affine=gamma+beta", offsetof(ref_spec, affine), REF_GAMMA_BETA},
    {"acc=f64", offsetof(ref_spec, acc_f64), 1},
    {"center=full", offsetof(ref_spec, center_full), 1},
    {"stats", offsetof(ref_spec, stats), 1},
    {"strided", offsetof(ref_spec, strided), 1},
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
    {"h=", offsetof(ref_spec, h)},
    {"groups=", offsetof(ref_spec, groups)},
    {"heads=", offsetof(ref_spec, heads)},
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
    return set_size(spec, word, length) == 0 || set_dtype(spec, word, length) == 0 || set_flag(spec, word, length) == 0
               ? 0
               : -1;
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

/* The norm's own words, and what goes with its kind. */
static int fits_norm(const ref_spec *spec)
{
    const size_t norm = row_of(spec);
    const int has_plain_rows = spec->fusion == 0 && !spec->mod && !spec->quant && !spec->twin && ref_parts(spec) == 1;
    return (spec->cast == 0 || (norms[norm].has_cast && spec->affine == REF_GAMMA && spec->x->size == 2)) &&
           (spec->center_full == 0 || norms[norm].has_mean) &&
           (spec->stats == 0 || (norms[norm].has_rstd && spec->fusion != REF_SANDWICH)) &&
           (spec->epsform == 0 || spec->norm == REF_L2NORM) &&
           (spec->norm != REF_FOLD || spec->affine != REF_NO_AFFINE) && (!norms[norm].is_of_weights || has_plain_rows);
}

/* Words that need, or exclude, others. */
static int consistent(const ref_spec *spec)
{
    const int has_gamma = spec->affine != REF_NO_AFFINE;
    const int is_last = spec->fusion == REF_ADDAFTER || spec->fusion == REF_SANDWICH;
    return (spec->residual == NULL || spec->fusion != 0) && (has_gamma || spec->offset == 0) &&
           (has_gamma || spec->mod || spec->gate || spec->gamma == NULL) &&
           (spec->alpha == 0 || ref_adds_before(spec)) &&
           (spec->gate == 0 || (ref_adds_before(spec) && !spec->alpha)) &&
           (spec->twin == 0 || (has_gamma && !spec->mod && !is_last)) &&
           (spec->fusion != REF_SANDWICH || (has_gamma && !spec->mod && ref_parts(spec) == 1)) &&
           spec->h % ref_parts(spec) == 0 && (spec->groups == 1 || spec->heads == 1) &&
           (spec->quant == 0 || (!is_last && !spec->twin && ref_parts(spec) == 1)) &&
           (spec->round_io == 0 || (spec->quant != 0 && spec->x->size == 2)) && (spec->side == 0 || spec->quant != 0);
}

/* Integers and e4m3 are for results that are quantised. */
static int has_right_formats(const ref_spec *spec)
{
    return spec->x->size > 1 && spec->residual->size > 1 && spec->gamma->size > 1 &&
           (spec->y->size == 1) == (spec->quant != 0);
}

/* "f64 mixes with nothing." */
static int mixes(const ref_spec *spec)
{
    const int f64 = ref_is_f64(spec->x);
    return ref_is_f64(spec->residual) == f64 && ref_is_f64(spec->gamma) == f64 && ref_is_f64(spec->y) == f64 &&
           !(f64 && spec->acc_f64);
}

static const ref_arithmetic *arithmetic_of(const ref_spec *spec)
{
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
    spec->direction = REF_FWD;
    spec->affine = spec->affine != 0 ? spec->affine : spec->mod ? REF_NO_AFFINE : norms[norm].affine;
    spec->groups = spec->groups != 0 ? spec->groups : 1;
    spec->heads = spec->heads != 0 ? spec->heads : 1;
    if (spec->x == NULL || spec->h == 0 || !fits_norm(spec) || !consistent(spec)) {
        return -1;
    }
    spec->residual = spec->residual != NULL ? spec->residual : spec->x;
    spec->gamma = spec->gamma != NULL ? spec->gamma : spec->x;
    spec->y = spec->y != NULL ? spec->y : spec->x;
    spec->arithmetic = arithmetic_of(spec);
    return mixes(spec) && has_right_formats(spec) ? 0 : -1;
}

int ref_spec_equal(const ref_spec *a, const ref_spec *b)
{
    return a->h == b->h && a->x == b->x && a->residual == b->residual && a->gamma == b->gamma && a->y == b->y &&
           a->norm == b->norm && a->direction == b->direction && a->affine == b->affine && a->offset == b->offset &&
           a->fusion == b->fusion && a->alpha == b->alpha && a->cast == b->cast && a->acc_f64 == b->acc_f64 &&
           a->center_full == b->center_full && a->groups == b->groups && a->heads == b->heads &&
           a->epsform == b->epsform && a->gate == b->gate && a->mod == b->mod && a->twin == b->twin &&
           a->quant == b->quant && a->round_io == b->round_io && a->side == b->side && a->stats == b->stats &&
           a->strided == b->strided;
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

static const ref_dtype *dtype_of_x(const ref_spec *spec)
{
    return spec->x;
}

static const ref_dtype *dtype_of_residual(const ref_spec *spec)
{
    return spec->fusion != 0 ? spec->residual : NULL;
}

static const ref_dtype *dtype_of_gamma(const ref_spec *spec)
{
    return spec->affine != REF_NO_AFFINE ? spec->gamma : NULL;
}

static const ref_dtype *dtype_of_beta(const ref_spec *spec)
{
    return spec->affine == REF_GAMMA_BETA ? spec->gamma : NULL;
}

static const ref_dtype *dtype_of_alpha(const ref_spec *spec)
{
    return spec->alpha ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_y(const ref_spec *spec)
{
    return spec->fusion == REF_ADDAFTER ? spec->residual : spec->y;
}

static const ref_dtype *dtype_of_sum(const ref_spec *spec)
{
    return spec->fusion == REF_ADDOUT || spec->fusion == REF_SANDWICH ? spec->residual : NULL;
}

static const ref_dtype *dtype_of_mean(const ref_spec *spec)
{
    return spec->stats && norms[row_of(spec)].has_mean ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_rstd(const ref_spec *spec)
{
    return spec->stats ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_eps(const ref_spec *spec)
{
    return norms[row_of(spec)].has_eps ? real_of(spec) : NULL;
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

const struct ref_argument_info ref_arguments[REF_ARGUMENTS] = {
    [REF_ROWS_PER_BATCH] = {"rows_per_batch", REF_COUNT, {REF_NO_AXIS}, 0, dtype_of_rows_per_batch},
    [REF_X] = {"x", REF_MATRIX, {REF_ROWS, REF_H}, 0, dtype_of_x},
    [REF_RESIDUAL] = {"residual", REF_MATRIX, {REF_ROWS, REF_H}, 0, dtype_of_residual},
    [REF_GATE] = {"gate", REF_ARRAY, {REF_BATCH, REF_H}, 0, dtype_of_gate},
    [REF_GAMMA_ROW] = {"gamma", REF_ARRAY, {REF_H}, 0, dtype_of_gamma},
    [REF_BETA_ROW] = {"beta", REF_ARRAY, {REF_H}, 0, dtype_of_beta},
    [REF_G_ROW] = {"g", REF_ARRAY, {REF_ROWS}, 0, dtype_of_g_row},
    [REF_BIAS] = {"bias", REF_ARRAY, {REF_ROWS}, 0, dtype_of_bias},
    [REF_GAMMA2_ROW] = {"gamma2", REF_ARRAY, {REF_H}, 0, dtype_of_gamma2},
    [REF_BETA2_ROW] = {"beta2", REF_ARRAY, {REF_H}, 0, dtype_of_beta2},
    [REF_SCALE] = {"scale", REF_ARRAY, {REF_BATCH, REF_H}, 0, dtype_of_modulation},
    [REF_SHIFT] = {"shift", REF_ARRAY, {REF_BATCH, REF_H}, 0, dtype_of_modulation},
    [REF_ALPHA] = {"alpha", REF_NUMBER, {REF_NO_AXIS}, 0, dtype_of_alpha},
    [REF_EPS] = {"eps", REF_NUMBER, {REF_NO_AXIS}, 0, dtype_of_eps},
    [REF_G] = {"g", REF_NUMBER, {REF_NO_AXIS}, 0, dtype_of_g},
    [REF_YSCALE] = {"yscale", REF_NUMBER, {REF_NO_AXIS}, 0, dtype_of_yscale},
    [REF_YZERO] = {"yzero", REF_NUMBER, {REF_NO_AXIS}, 0, dtype_of_yzero},
    [REF_Y] = {"y", REF_MATRIX, {REF_ROWS, REF_H}, 1, dtype_of_y},
    [REF_Y2] = {"y2", REF_MATRIX, {REF_ROWS, REF_H}, 1, dtype_of_y2},
    [REF_SUM] = {"sum", REF_MATRIX, {REF_ROWS, REF_H}, 1, dtype_of_sum},
    [REF_MEAN] = {"mean", REF_ARRAY, {REF_ROWS, REF_PARTS}, 1, dtype_of_mean},
    [REF_RSTD] = {"rstd", REF_ARRAY, {REF_ROWS, REF_PARTS}, 1, dtype_of_rstd},
    [REF_YBIAS] = {"ybias", REF_ARRAY, {REF_ROWS}, 1, dtype_of_bias},
    [REF_YSCALE_ROW] = {"yscale", REF_ARRAY, {REF_ROWS}, 1, dtype_of_yscale_row},
    [REF_SIDE] = {"side", REF_MATRIX, {REF_ROWS, REF_H}, 1, dtype_of_side},
};

const ref_dtype *ref_argument_dtype(const ref_spec *spec, ref_argument argument)
{
    return ref_arguments[argument].dtype(spec);
}

int ref_is_array(ref_argument argument)
{
    return ref_arguments[argument].kind >= REF_ARRAY;
}

/* What axes are: the name that shapes have, NULL where the size is a number there, and whether the call decides. */
static const struct {
    const char *name;
    int of_call;
} axes[REF_AXES] = {
    [REF_ROWS] = {"rows", 1}, [REF_BATCH] = {"batch", 1}, [REF_H] = {"h", 0},
    [REF_PARTS] = {NULL, 0},  [REF_HEADS] = {NULL, 0},    [REF_HEAD] = {NULL, 0},
};

/* "Rows of a batch lie one behind the other, rows_per_batch of them"; the last batch may have fewer. */
static size_t batches(const ref_scalars *scalars)
{
    const size_t rows = (size_t)scalars->of[REF_ROWS_PER_BATCH];
    return rows > 0 ? (scalars->rows + rows - 1) / rows : 0;
}

size_t ref_extent(const ref_spec *spec, ref_axis axis, const ref_scalars *scalars)
{
    const size_t extents[REF_AXES] = {
        [REF_NO_AXIS] = 1,
        [REF_ROWS] = scalars->rows,
        [REF_BATCH] = batches(scalars),
        [REF_H] = spec->h,
        [REF_HEADS] = spec->heads,
        [REF_HEAD] = spec->h / spec->heads,
        [REF_PARTS] = ref_parts(spec),
    };
    return extents[axis];
}

/* The axes of an argument as a spec has them: heads cut h in two, and where a row has no parts, they are no axis. */
static size_t axes_of(const ref_spec *spec, ref_argument argument, ref_axis to[REF_MAX_AXES])
{
    size_t count = 0;
    for (int i = 0; i < REF_MAX_AXES && ref_arguments[argument].axes[i] != REF_NO_AXIS; i++) {
        const ref_axis axis = ref_arguments[argument].axes[i];
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
    const ref_axis *axis = ref_arguments[argument].axes;
    ref_layout layout = {1, 1, ref_arguments[argument].kind == REF_MATRIX ? spec->heads : 1};
    for (int i = 0; i < REF_MAX_AXES; i++) {
        size_t *const counted = i == 0 && axes[axis[i]].of_call ? &layout.rows : &layout.columns;
        *counted *= ref_extent(spec, axis[i], scalars);
    }
    return layout;
}
