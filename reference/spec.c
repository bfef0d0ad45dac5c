/* What a spec says: tables of words and one loop that reads them, and the questions that others ask of it. */
#include "spec.h"

#include "arithmetic.h"
#include "contract.h"
#include "norms.h"
#include "rules.h"

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

/* Returns the norm of that name, or REF_NORMS. */
static int find_norm(const char *word, size_t length)
{
    int norm = 0;
    while (norm < REF_NORMS &&
           !(strlen(ref_norms[norm].word) == length && memcmp(ref_norms[norm].word, word, length) == 0)) {
        norm++;
    }
    return norm;
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
    spec->norm = find_norm(text, norm_length);
    if (spec->norm == REF_NORMS) {
        return -1;
    }
    for (const char *word = text + norm_length; *(word += strspn(word, " ")) != '\0';) {
        const size_t length = strcspn(word, " ");
        if (set_word(spec, word, length) != 0) {
            return -1;
        }
        word += length;
    }
    const int affine_given = spec->affine != 0;
    spec->affine = affine_given ? spec->affine : spec->mod ? REF_NO_AFFINE : ref_norms[spec->norm].affine;
    spec->groups = spec->groups != 0 ? spec->groups : 1;
    spec->heads = spec->heads != 0 ? spec->heads : 1;
    if (settle_direction(spec) != 0 || !ref_words_fit(spec, affine_given)) {
        return -1;
    }
    spec->g = spec->norm == REF_INSTANCENORM ? spec->c : spec->g;
    spec->momentum = ref_has_momentum(spec) && spec->momentum == 0 ? REF_TORCH : spec->momentum;
    spec->residual = spec->residual != NULL ? spec->residual : spec->x;
    spec->gamma = spec->gamma != NULL ? spec->gamma : spec->x;
    spec->y = spec->y != NULL ? spec->y : spec->x;
    spec->arithmetic = arithmetic_of(spec);
    return ref_formats_fit(spec) ? 0 : -1;
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

int ref_is_over_axes(const ref_spec *spec)
{
    return ref_norms[spec->norm].has_channels || spec->layout != 0 || spec->shards != 0;
}

int ref_has_positions(const ref_spec *spec)
{
    return spec->layout == REF_NCHW || spec->layout == REF_NHWC;
}

size_t ref_channels(const ref_spec *spec)
{
    return spec->shards != 0 ? spec->h / spec->shards : spec->c != 0 ? spec->c : spec->h;
}

static int is_any(int value, int first, int second, int third)
{
    return value == first || value == second || value == third;
}

int ref_reads_matrix(const ref_spec *spec)
{
    return spec->direction != REF_MERGE && spec->direction != REF_FOLDSTATS;
}

int ref_writes_matrix(const ref_spec *spec)
{
    return !is_any(spec->direction, REF_STATS, REF_MERGE, REF_FOLDSTATS);
}

int ref_knows_gamma(const ref_spec *spec)
{
    return spec->norm != REF_MVN && !is_any(spec->direction, REF_STATS, REF_MERGE, REF_INFER_FOLDED);
}

int ref_has_gamma(const ref_spec *spec)
{
    return ref_knows_gamma(spec) && spec->affine != REF_NO_AFFINE;
}

int ref_has_momentum(const ref_spec *spec)
{
    return (spec->norm == REF_BATCHNORM && (spec->direction == REF_FWD || spec->direction == REF_MERGE)) ||
           (spec->norm == REF_POWERNORM && spec->direction == REF_FWD);
}
