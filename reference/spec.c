/* The spec parser of the reference: tables of words, one loop. */
#include "spec.h"

#include "contract.h"
#include "norms.h"

/* A norm and what it sets by default. */
static const struct {
    const char *name;
    ref_norm *norm;
    int affine;
    int cast_allowed;
} norms[] = {
    {"rmsnorm", ref_rmsnorm, REF_GAMMA, 1},
    {"layernorm", ref_layernorm, REF_GAMMA_BETA, 0},
};

/* A word that sets one int of the spec; a second word for the same int is an error. */
static const struct {
    const char *word;
    size_t field;
    int value;
} flags[] = {
    {"fwd", offsetof(ref_spec, direction), REF_FWD},
    {"add", offsetof(ref_spec, fusion), REF_ADD},
    {"addout", offsetof(ref_spec, fusion), REF_ADDOUT},
    {"offset=1", offsetof(ref_spec, offset), 1},
    {"cast=llama", offsetof(ref_spec, cast), REF_LLAMA},
    {"affine=none", offsetof(ref_spec, affine), REF_NO_AFFINE},
    {"affine=gamma", offsetof(ref_spec, affine), REF_GAMMA},
    {"affine=gamma+beta", offsetof(ref_spec, affine), REF_GAMMA_BETA},
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

/* Sets the norm and returns its default affine, or 0. */
static int set_norm(ref_spec *spec, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
        if (strlen(norms[i].name) == length && memcmp(norms[i].name, word, length) == 0) {
            spec->norm = norms[i].norm;
            spec->cast_allowed = norms[i].cast_allowed;
            return norms[i].affine;
        }
    }
    return 0;
}

/* Rules that tie words to each other. */
static int consistent(const ref_spec *spec)
{
    const int has_gamma = spec->affine != REF_NO_AFFINE;
    return spec->x != NULL && spec->h != 0 && (spec->residual == NULL || spec->fusion != 0) &&
           (has_gamma || (spec->offset == 0 && spec->gamma == NULL)) &&
           (spec->cast == 0 || (spec->cast_allowed && has_gamma && spec->x->size == 2));
}

int ref_spec_parse(const char *text, ref_spec *spec)
{
    static const ref_spec empty;
    int default_affine = 0;
    *spec = empty;
    for (const char *word = text + strspn(text, " "); *word != '\0'; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        if (spec->norm == NULL) {
            default_affine = set_norm(spec, word, length);
            if (default_affine == 0) {
                return -1;
            }
        } else if (set_word(spec, word, length) != 0) {
            return -1;
        }
        word += length;
    }
    spec->affine = spec->affine != 0 ? spec->affine : default_affine;
    if (!consistent(spec)) {
        return -1;
    }
    spec->residual = spec->residual != NULL ? spec->residual : spec->x;
    spec->gamma = spec->gamma != NULL ? spec->gamma : spec->x;
    spec->y = spec->y != NULL ? spec->y : spec->x;
    return 0;
}
