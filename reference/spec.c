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
    int is_gated; /* knows zgate= */
    ref_argument scalar;
} norms[] = {
    {"rmsnorm", REF_RMSNORM, REF_GAMMA, 1, 0, 1, REF_EPS},
    {"layernorm", REF_LAYERNORM, REF_GAMMA_BETA, 0, 1, 0, REF_EPS},
    {"dyt", REF_DYT, REF_GAMMA_BETA, 0, 0, 0, REF_ALPHA},
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
    {"alpha", offsetof(ref_spec, alpha), 1},
    {"offset=1", offsetof(ref_spec, offset), 1},
    {"cast=llama", offsetof(ref_spec, cast), REF_LLAMA},
    {"zgate=before", offsetof(ref_spec, zgate), REF_ZGATE_BEFORE},
    {"zgate=after", offsetof(ref_spec, zgate), REF_ZGATE_AFTER},
    {"act=silu", offsetof(ref_spec, act), REF_SILU},
    {"act=gelu", offsetof(ref_spec, act), REF_GELU},
    {"act=gelutanh", offsetof(ref_spec, act), REF_GELUTANH},
    {"act=tanh", offsetof(ref_spec, act), REF_TANH},
    {"act=sigmoid", offsetof(ref_spec, act), REF_SIGMOID},
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

/* h=N without sign, leading zero or anything else. Returns 0 if that is no valid h. */
static size_t parse_h(const char *digit, size_t length)
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

static int set_word(ref_spec *spec, const char *word, size_t length)
{
    if (length > 2 && memcmp(word, "h=", 2) == 0) {
        const int repeated = spec->h != 0;
        spec->h = parse_h(word + 2, length - 2);
        return repeated || spec->h == 0 ? -1 : 0;
    }
    return set_dtype(spec, word, length) == 0 || set_flag(spec, word, length) == 0 ? 0 : -1;
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

/* Rules that tie words to each other. */
static int consistent(const ref_spec *spec)
{
    const size_t norm = row_of(spec);
    const int has_gamma = spec->affine != REF_NO_AFFINE;
    return spec->x != NULL && spec->h != 0 && (spec->residual == NULL || spec->fusion != 0) &&
           (has_gamma || (spec->offset == 0 && spec->gamma == NULL)) &&
           (spec->cast == 0 || (norms[norm].has_cast && spec->affine == REF_GAMMA && spec->x->size == 2)) &&
           (spec->alpha == 0 || ref_adds_before(spec)) && (spec->center_full == 0 || norms[norm].has_mean) &&
           (spec->zgate == 0 || norms[norm].is_gated);
}

/* "DyT has neither sums nor statistics, and an alpha of its own." */
static int fits_dyt(const ref_spec *spec)
{
    return !spec->acc_f64 && !spec->stats && !spec->alpha;
}

/* "f64 mixes with nothing." "Elementary functions are computed in f32." */
static int mixes(const ref_spec *spec)
{
    const int f64 = ref_is_f64(spec->x);
    return ref_is_f64(spec->residual) == f64 && ref_is_f64(spec->gamma) == f64 && ref_is_f64(spec->y) == f64 &&
           !(f64 && (spec->acc_f64 || spec->zgate || spec->act || spec->norm == REF_DYT));
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
    spec->affine = spec->affine != 0 ? spec->affine : norms[norm].affine;
    if (!consistent(spec) || (spec->norm == REF_DYT && !fits_dyt(spec))) {
        return -1;
    }
    spec->residual = spec->residual != NULL ? spec->residual : spec->x;
    spec->gamma = spec->gamma != NULL ? spec->gamma : spec->x;
    spec->y = spec->y != NULL ? spec->y : spec->x;
    spec->arithmetic = arithmetic_of(spec);
    return mixes(spec) ? 0 : -1;
}

int ref_spec_equal(const ref_spec *a, const ref_spec *b)
{
    return a->h == b->h && a->x == b->x && a->residual == b->residual && a->gamma == b->gamma && a->y == b->y &&
           a->norm == b->norm && a->direction == b->direction && a->affine == b->affine && a->offset == b->offset &&
           a->fusion == b->fusion && a->alpha == b->alpha && a->cast == b->cast && a->zgate == b->zgate &&
           a->act == b->act && a->acc_f64 == b->acc_f64 && a->center_full == b->center_full && a->stats == b->stats &&
           a->strided == b->strided;
}

ref_argument ref_norm_scalar(const ref_spec *spec)
{
    return norms[row_of(spec)].scalar;
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

static const ref_dtype *dtype_of_z(const ref_spec *spec)
{
    return spec->zgate ? spec->x : NULL;
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
    return spec->alpha || norms[row_of(spec)].scalar == REF_ALPHA ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_eps(const ref_spec *spec)
{
    return norms[row_of(spec)].scalar == REF_EPS ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_y(const ref_spec *spec)
{
    return spec->fusion == REF_ADDAFTER ? spec->residual : spec->y;
}

static const ref_dtype *dtype_of_sum(const ref_spec *spec)
{
    return spec->fusion == REF_ADDOUT ? spec->residual : NULL;
}

static const ref_dtype *dtype_of_mean(const ref_spec *spec)
{
    return spec->stats && norms[row_of(spec)].has_mean ? real_of(spec) : NULL;
}

static const ref_dtype *dtype_of_rstd(const ref_spec *spec)
{
    return spec->stats ? real_of(spec) : NULL;
}

const struct ref_argument_info ref_arguments[REF_ARGUMENTS] = {
    [REF_X] = {"x", REF_MATRIX, {REF_ROWS, REF_H}, 0, dtype_of_x},
    [REF_RESIDUAL] = {"residual", REF_MATRIX, {REF_ROWS, REF_H}, 0, dtype_of_residual},
    [REF_Z] = {"z", REF_MATRIX, {REF_ROWS, REF_H}, 0, dtype_of_z},
    [REF_GAMMA_ROW] = {"gamma", REF_ARRAY, {REF_H}, 0, dtype_of_gamma},
    [REF_BETA_ROW] = {"beta", REF_ARRAY, {REF_H}, 0, dtype_of_beta},
    [REF_ALPHA] = {"alpha", REF_NUMBER, {REF_NO_AXIS}, 0, dtype_of_alpha},
    [REF_EPS] = {"eps", REF_NUMBER, {REF_NO_AXIS}, 0, dtype_of_eps},
    [REF_Y] = {"y", REF_MATRIX, {REF_ROWS, REF_H}, 1, dtype_of_y},
    [REF_SUM] = {"sum", REF_MATRIX, {REF_ROWS, REF_H}, 1, dtype_of_sum},
    [REF_MEAN] = {"mean", REF_ARRAY, {REF_ROWS}, 1, dtype_of_mean},
    [REF_RSTD] = {"rstd", REF_ARRAY, {REF_ROWS}, 1, dtype_of_rstd},
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
    [REF_ROWS] = {"rows", 1},
    [REF_H] = {"h", 0},
};

size_t ref_extent(const ref_spec *spec, ref_axis axis, const ref_scalars *scalars)
{
    const size_t extents[REF_AXES] = {
        [REF_NO_AXIS] = 1,
        [REF_ROWS] = scalars->rows,
        [REF_H] = spec->h,
    };
    return extents[axis];
}

void ref_shape_text(const ref_spec *spec, ref_argument argument, char text[REF_SHAPE_LENGTH])
{
    static const ref_scalars no_scalars;
    const struct ref_argument_info *info = &ref_arguments[argument];
    size_t length = (size_t)snprintf(text, REF_SHAPE_LENGTH, "%s", info->axes[0] == REF_NO_AXIS ? "scalar" : "");
    for (int i = 0; i < REF_MAX_AXES && info->axes[i] != REF_NO_AXIS; i++) {
        const char *name = axes[info->axes[i]].name;
        const char *comma = i > 0 ? "," : "";
        char *const end = text + length;
        const size_t left = REF_SHAPE_LENGTH - length;
        length +=
            (size_t)(name != NULL ? snprintf(end, left, "%s%s", comma, name)
                                  : snprintf(end, left, "%s%zu", comma, ref_extent(spec, info->axes[i], &no_scalars)));
    }
}

ref_layout ref_layout_of(const ref_spec *spec, ref_argument argument, const ref_scalars *scalars)
{
    const ref_axis *axis = ref_arguments[argument].axes;
    ref_layout layout = {1, 1};
    for (int i = 0; i < REF_MAX_AXES; i++) {
        size_t *const counted = i == 0 && axes[axis[i]].of_call ? &layout.rows : &layout.columns;
        *counted *= ref_extent(spec, axis[i], scalars);
    }
    return layout;
}
