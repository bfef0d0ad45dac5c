#include "oracle.h"

#include <check.h>
#include <math.h>
#include <mpfr.h>

#include "arithmetic.h"
#include "call.h"
#include "contract.h"
#include "functions.h"

enum { BITS = 200 };

/* The statistics of a row, exact up to 200 bits. */
typedef struct statistics {
    mpfr_t mean;   /* 0 where the norm has none */
    mpfr_t square; /* mean square, or variance; of the norms of lengths the sum of squares, or of magnitudes */
    mpfr_t rstd;   /* the factor of the row */
} statistics;

/* Applies a function to v. */
static void apply(int function, mpfr_t v)
{
    mpfr_t argument;
    mpfr_init2(argument, BITS);
    mpfr_set(argument, v, MPFR_RNDN);
    oracle_functions[function].exact(v, argument);
    mpfr_clear(argument);
}

/* v times silu(z). */
static void apply_gate(const oracle_row *row, size_t i, mpfr_t v)
{
    mpfr_t gate;
    mpfr_init2(gate, BITS);
    mpfr_set_d(gate, row->z[i], MPFR_RNDN);
    apply(REF_SILU, gate);
    mpfr_mul(v, v, gate, MPFR_RNDN);
    mpfr_clear(gate);
}

/* What the norm reads. */
static void set_input(const oracle_row *row, size_t i, mpfr_t v)
{
    mpfr_set_d(v, row->x[i], MPFR_RNDN);
    if (row->spec->zgate == REF_ZGATE_BEFORE) {
        apply_gate(row, i, v);
    }
}

/* Sums up the squares of the distances from the mean. */
static void sum_squares(const oracle_row *row, statistics *s)
{
    mpfr_t d;
    mpfr_init2(d, BITS);
    for (size_t i = 0; i < row->spec->h; i++) {
        set_input(row, i, d);
        mpfr_sub(d, d, s->mean, MPFR_RNDN);
        mpfr_fma(s->square, d, d, s->square, MPFR_RNDN);
    }
    mpfr_clear(d);
}

static void sum_magnitudes(const oracle_row *row, statistics *s)
{
    mpfr_t d;
    mpfr_init2(d, BITS);
    for (size_t i = 0; i < row->spec->h; i++) {
        set_input(row, i, d);
        mpfr_abs(d, d, MPFR_RNDN);
        mpfr_add(s->square, s->square, d, MPFR_RNDN);
    }
    mpfr_clear(d);
}

/* "1 / sqrt(mean(x * x) + eps)", and with the mean taken off that of LayerNorm. */
static void set_rms_factor(const oracle_row *row, statistics *s)
{
    sum_squares(row, s);
    mpfr_div_ui(s->square, s->square, row->spec->h, MPFR_RNDN);
    mpfr_add_d(s->rstd, s->square, row->eps, MPFR_RNDN);
    mpfr_rec_sqrt(s->rstd, s->rstd, MPFR_RNDN);
}

static void set_layernorm_factor(const oracle_row *row, statistics *s)
{
    for (size_t i = 0; i < row->spec->h; i++) {
        mpfr_add_d(s->mean, s->mean, row->x[i], MPFR_RNDN);
    }
    mpfr_div_ui(s->mean, s->mean, row->spec->h, MPFR_RNDN);
    set_rms_factor(row, s);
}

/* "g / max(length, eps)". */
static void set_quotient(statistics *s, double g, double eps)
{
    mpfr_t least;
    mpfr_init2(least, BITS);
    mpfr_set_d(least, eps, MPFR_RNDN);
    mpfr_max(s->rstd, s->rstd, least, MPFR_RNDN);
    mpfr_d_div(s->rstd, g, s->rstd, MPFR_RNDN);
    mpfr_clear(least);
}

static void set_l2norm_factor(const oracle_row *row, statistics *s)
{
    const int form = row->spec->epsform;
    sum_squares(row, s);
    mpfr_add_d(s->rstd, s->square, form == 0 ? row->eps : 0, MPFR_RNDN);
    mpfr_sqrt(s->rstd, s->rstd, MPFR_RNDN);
    mpfr_add_d(s->rstd, s->rstd, form == REF_OUTSIDE ? row->eps : 0, MPFR_RNDN);
    set_quotient(s, 1, form == REF_MAX ? row->eps : 0);
}

static void set_scalenorm_factor(const oracle_row *row, statistics *s)
{
    sum_squares(row, s);
    mpfr_sqrt(s->rstd, s->square, MPFR_RNDN);
    set_quotient(s, row->g, row->eps);
}

static void set_weightnorm_factor(const oracle_row *row, statistics *s)
{
    sum_squares(row, s);
    mpfr_sqrt(s->rstd, s->square, MPFR_RNDN);
    mpfr_d_div(s->rstd, row->g, s->rstd, MPFR_RNDN);
}

static void set_lpnorm_factor(const oracle_row *row, statistics *s)
{
    sum_magnitudes(row, s);
    mpfr_d_div(s->rstd, 1, s->square, MPFR_RNDN);
}

/* What most norms make of an element. */
static void scale(const oracle_row *row, const statistics *s, mpfr_t z)
{
    (void)row;
    mpfr_sub(z, z, s->mean, MPFR_RNDN);
    mpfr_mul(z, z, s->rstd, MPFR_RNDN);
}

static void set_nothing(const oracle_row *row, statistics *s)
{
    (void)row;
    (void)s;
}

static void apply_dyt(const oracle_row *row, const statistics *s, mpfr_t z)
{
    (void)s;
    mpfr_mul_d(z, z, row->alpha, MPFR_RNDN);
    mpfr_tanh(z, z, MPFR_RNDN);
}

double oracle_unit(const ref_spec *spec)
{
    return ref_is_f64(spec->x) ? 0x1p-53 : 0x1p-24;
}

/* The unit roundoff of sums and row scalars, in units of that of elements. */
static double unit_of_sums(const ref_spec *spec)
{
    return spec->acc_f64 ? 0x1p-53 / oracle_unit(spec) : 1;
}

/* acc=f64: each row scalar is rounded once more, where it meets an element. */
static double rounding_of_scalars(const ref_spec *spec)
{
    return spec->acc_f64 ? 1 : 0;
}

/* What the error bound of a row needs besides the normalised value itself, in units of the unit roundoff. */
typedef struct bound_terms {
    double relative; /* goes with |z| */
    double absolute; /* and what does not */
    double rstd;     /* relative, of rstd as stored */
    double mean;     /* absolute, of the mean as stored but for its last rounding */
} bound_terms;

double oracle_depth(size_t lanes, size_t n)
{
    size_t length;
    double h = log2((double)lanes);
    for (size_t blocks = ref_blocks(n, &length); blocks > 1; blocks /= 2) {
        h += 1;
    }
    return h + (double)((length + lanes - 1) / lanes);
}

static double depth(const ref_spec *spec)
{
    return oracle_depth(spec->arithmetic->lanes, spec->h);
}

/* The error of a function in units of the unit roundoff: a unit in the last place is at most two of them. */
static double roundings(int function)
{
    return 2 * oracle_functions[function].ulps;
}

/* RMSNorm, with w for a rounding of a sum or row scalar: the sum h w, mean w and + eps w are halved by the root; root
 * and reciprocal w each; rstd may be rounded once more; the product with x 1. In f32 that is h/2 + 4. With acc=f64 it
 * is 2, and with gamma 3, whatever the length. */
static bound_terms rmsnorm_terms(const oracle_row *row, const statistics *s)
{
    (void)s;
    const double w = unit_of_sums(row->spec);
    /* zgate=before: each element is off by the error of silu and of a product, and so, at most, is rstd. */
    const double gate = row->spec->zgate == REF_ZGATE_BEFORE ? roundings(REF_SILU) + 1 : 0;
    const double rstd = (depth(row->spec) / 2 + 3) * w + rounding_of_scalars(row->spec) + gate;
    return (bound_terms){rstd + 1 + gate, 0, rstd, 0};
}

/* DyT: the product with alpha is rounded, and tanh does not make a relative error larger. */
static bound_terms dyt_terms(const oracle_row *row, const statistics *s)
{
    (void)row;
    (void)s;
    return (bound_terms){1 + roundings(REF_TANH), 0, 0, 0};
}

/* Norms of lengths, with w as above: what they divide by is off by `length` w, the division w; the factor may be
 * rounded once more; the product with x 1. */
static bound_terms length_terms(const oracle_row *row, double length)
{
    const double factor = (length + 1) * unit_of_sums(row->spec) + rounding_of_scalars(row->spec);
    return (bound_terms){factor + 1, 0, factor, 0};
}

/* The sum, of numbers of one sign, h w, halved by a root w. */
static bound_terms root_terms(const oracle_row *row, const statistics *s)
{
    (void)s;
    return length_terms(row, depth(row->spec) / 2 + 1);
}

/* The same, and + eps w: inside, where it is halved, or outside. */
static bound_terms l2norm_terms(const oracle_row *row, const statistics *s)
{
    (void)s;
    return length_terms(row, depth(row->spec) / 2 + 1 + (row->spec->epsform == REF_OUTSIDE ? 1 : 0.5));
}

static bound_terms lpnorm_terms(const oracle_row *row, const statistics *s)
{
    (void)s;
    return length_terms(row, depth(row->spec));
}

/* The mu that the contract gives, of the head or of the whole row. */
static double pivot(const oracle_row *row)
{
    static double reals[REF_MAX_H]; /* or floats */
    const ref_spec *spec = row->spec;
    const size_t m = spec->center_full ? spec->h : ref_head(spec->h);
    const ref_dtype *real = ref_is_f64(spec->x) ? spec->x : ref_dtype_named("f32", 3);
    call_narrow(real, reals, row->x, m);
    double mu = spec->arithmetic->sum(reals, m) / (double)m;
    call_narrow(real, reals, &mu, 1);
    call_widen(real, &mu, reals, 1);
    return mu;
}

/* LayerNorm, with mu the pivot, rho = |mean - mu| / std, r = 1 / sqrt(variance + eps), D = mean|x - mu|; w as above,
 * and c = 1 if row scalars are rounded once more, else 0: d       1, so the sum of d is off by (1 + h w) D, the mean of
 * d*d by 2 + (h+1) w v       relative to the variance 2 + (h+2) w + rho^2 (4 + (3h+1) w) + 2 rho (1 + h w) rstd    half
 * of that, 2.5 w for eps, root and reciprocal, and c z       3 more for d, the subtraction of delta and the product; in
 * (1 + h w) D r comes delta, in rho std r the rounding of d, and once more, times c, that of delta With w = 1, c = 0:
 * |z^ - z| <= u [(h/2 + 8 + (3h+5) rho^2 / 2 + (h+1) rho) |z| + (h+1) D r + rho std r]. With acc=f64: u [(5 + 2 rho^2 +
 * rho) |z| + D r + 2 rho std r], whatever the length. */
static bound_terms layernorm_terms(const oracle_row *row, const statistics *s)
{
    const size_t n = row->spec->h;
    const double h = depth(row->spec);
    const double w = unit_of_sums(row->spec);
    const double c = rounding_of_scalars(row->spec);
    const double std = sqrt(mpfr_get_d(s->square, MPFR_RNDN));
    const double r = mpfr_get_d(s->rstd, MPFR_RNDN);
    const double mu = pivot(row);
    double distance = 0;
    mpfr_t difference;
    mpfr_init2(difference, BITS);
    mpfr_sub_d(difference, s->mean, mu, MPFR_RNDN);
    const double delta = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    for (size_t i = 0; i < n; i++) {
        distance += fabs(row->x[i] - mu) / (double)n;
    }
    const double rho = std > 0 ? delta / std : 0;
    const double v = 2 + (h + 2) * w + (4 + (3 * h + 1) * w) * rho * rho + 2 * (1 + h * w) * rho;
    const double rstd = v / 2 + 3 * w + c;
    const double mean = (1 + h * w) * distance;
    return (bound_terms){rstd + 3, mean * r + (1 + c) * delta * r, rstd, mean};
}

/* The norms of rows over the real numbers: the statistics of a row, of which all are 0 before, what becomes of an
 * element, and the error that it may have. */
static const struct definition {
    void (*measure)(const oracle_row *row, statistics *s);
    void (*normalise)(const oracle_row *row, const statistics *s, mpfr_t z);
    bound_terms (*terms)(const oracle_row *row, const statistics *s);
} definitions[REF_NORMS] = {
    [REF_RMSNORM] = {set_rms_factor, scale, rmsnorm_terms},
    [REF_LAYERNORM] = {set_layernorm_factor, scale, layernorm_terms},
    [REF_L2NORM] = {set_l2norm_factor, scale, l2norm_terms},
    [REF_SCALENORM] = {set_scalenorm_factor, scale, root_terms},
    [REF_WEIGHTNORM] = {set_weightnorm_factor, scale, root_terms},
    [REF_LPNORM] = {set_lpnorm_factor, scale, lpnorm_terms},
    [REF_DYT] = {set_nothing, apply_dyt, dyt_terms},
};

static const struct definition *definition_of(const oracle_row *row)
{
    const struct definition *const definition = &definitions[row->spec->norm];
    ck_assert_msg(definition->measure != NULL, "norm %d has no definition in oracle.c", row->spec->norm);
    return definition;
}

static void measure(const oracle_row *row, statistics *s)
{
    mpfr_inits2(BITS, s->mean, s->square, s->rstd, (mpfr_ptr)NULL);
    mpfr_set_zero(s->mean, 1);
    mpfr_set_zero(s->square, 1);
    mpfr_set_zero(s->rstd, 1);
    definition_of(row)->measure(row, s);
}

static void forget(statistics *s)
{
    mpfr_clears(s->mean, s->square, s->rstd, (mpfr_ptr)NULL);
}

int oracle_in_domain(const oracle_row *row)
{
    statistics s;
    double sum = 0, sum_of_squares = 0;
    for (size_t i = 0; i < row->spec->h; i++) {
        sum += fabs(row->x[i]);
        sum_of_squares += 4 * row->x[i] * row->x[i]; /* 4: room for the distance to the pivot */
    }
    measure(row, &s);
    const double scale = mpfr_get_d(s.square, MPFR_RNDN) + row->eps;
    forget(&s);
    return sum < 0x1p127 && sum_of_squares < 0x1p127 && scale >= 0x1p-100;
}

/* cast=llama: t is exact, so that only what follows it is judged. */
static bound_terms terms_of(const oracle_row *row, const statistics *s)
{
    bound_terms terms = definition_of(row)->terms(row, s);
    if (row->t != NULL) {
        terms.relative = 0;
        terms.absolute = 0;
    }
    return terms;
}

double oracle_tiny(const ref_spec *spec)
{
    return ref_is_f64(spec->x) ? 0x1p-1074 : 0x1p-149;
}

/* The error that y = z * gamma + beta may have before it is rounded to its format, where the exact values are z, whose
 * error is given, and y. */
static double affine_bound(const ref_spec *spec, double z_error, int has_gamma, double z, double gamma, double y)
{
    const double u = oracle_unit(spec);
    double error = fabs(gamma) * (z_error + oracle_tiny(spec));
    if (has_gamma) {
        error += u * fabs(y) + oracle_tiny(spec);
    }
    if (spec->offset) {
        error += u * fabs(z * gamma);
    }
    return error * (1 + 1024 * u); /* products of errors */
}

/* The error after the rounding to a format. */
static double rounded_bound(const ref_dtype *format, double y, double error)
{
    if (format->precision < 24) {
        error += ldexp(fmax(fabs(y) + error, ldexp(1, format->min_exponent)), -format->precision);
    }
    return error;
}

/* Applies the activation to the exact y, which is known up to an error; returns the error after that and the rounding
 * to Y. */
static double activate(const ref_spec *spec, mpfr_t y, double error)
{
    if (spec->act != 0) {
        apply(spec->act, y);
        error *= oracle_functions[spec->act].slope;
        error += oracle_unit(spec) * roundings(spec->act) * (fabs(mpfr_get_d(y, MPFR_RNDN)) + error) +
                 roundings(spec->act) * oracle_tiny(spec);
    }
    return rounded_bound(spec->y, mpfr_get_d(y, MPFR_RNDN), error);
}

double oracle_finish(const ref_spec *spec, double z_error, int has_gamma, double z, double gamma, mpfr_t y)
{
    return activate(spec, y, affine_bound(spec, z_error, has_gamma, z, gamma, mpfr_get_d(y, MPFR_RNDN)));
}

/* Applies what comes after gamma and beta to the exact y, which is known up to an error; returns the error after that.
 */
static double finish(const oracle_row *row, size_t i, mpfr_t y, double error)
{
    const double u = oracle_unit(row->spec);
    if (row->spec->zgate == REF_ZGATE_AFTER) {
        mpfr_t gate;
        mpfr_init2(gate, BITS);
        mpfr_set_ui(gate, 1, MPFR_RNDN);
        apply_gate(row, i, gate);
        apply_gate(row, i, y);
        const double silu = fabs(mpfr_get_d(gate, MPFR_RNDN));
        mpfr_clear(gate);
        error = error * silu * (1 + 16 * u) + u * (roundings(REF_SILU) + 1) * fabs(mpfr_get_d(y, MPFR_RNDN)) +
                oracle_tiny(row->spec);
    }
    return activate(row->spec, y, error);
}

double oracle_ratio(const mpfr_t exact, double got, double bound)
{
    mpfr_t difference;
    mpfr_init2(difference, BITS);
    mpfr_sub_d(difference, exact, got, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error == 0 ? 0 : isfinite(error) ? error / bound : INFINITY;
}

/* The same for the statistics. */
static double statistics_ratio(const oracle_row *row, const oracle_output *output, const statistics *s,
                               const bound_terms *terms)
{
    const double u = oracle_unit(row->spec) * (1 + 1024 * oracle_unit(row->spec));
    const double mean = fabs(mpfr_get_d(s->mean, MPFR_RNDN));
    double worst = 0;
    if (output->mean != NULL) {
        worst = oracle_ratio(s->mean, *output->mean, u * (terms->mean + mean) + oracle_tiny(row->spec));
    }
    if (output->rstd != NULL) {
        const double bound = u * terms->rstd * mpfr_get_d(s->rstd, MPFR_RNDN);
        worst = fmax(worst, oracle_ratio(s->rstd, *output->rstd, bound));
    }
    return worst;
}

double oracle_worst_ratio(const oracle_row *row, const oracle_output *output)
{
    statistics s;
    mpfr_t z, y, gamma;
    mpfr_inits2(BITS, z, y, gamma, (mpfr_ptr)NULL);
    measure(row, &s);
    const bound_terms terms = terms_of(row, &s);
    double worst = statistics_ratio(row, output, &s, &terms);
    for (size_t i = 0; i < row->spec->h; i++) {
        set_input(row, i, z);
        definition_of(row)->normalise(row, &s, z);
        if (row->t != NULL) {
            mpfr_set_d(z, row->t[i], MPFR_RNDN);
        }
        mpfr_set_d(gamma, row->gamma != NULL ? row->gamma[i] : 1.0, MPFR_RNDN);
        mpfr_add_ui(gamma, gamma, (unsigned long)row->spec->offset, MPFR_RNDN);
        mpfr_mul(y, z, gamma, MPFR_RNDN);
        mpfr_add_d(y, y, row->beta != NULL ? row->beta[i] : 0.0, MPFR_RNDN);
        const double exact = mpfr_get_d(z, MPFR_RNDN);
        const double z_error = oracle_unit(row->spec) * (terms.relative * fabs(exact) + terms.absolute);
        const double affine = affine_bound(row->spec, z_error, row->gamma != NULL, exact, mpfr_get_d(gamma, MPFR_RNDN),
                                           mpfr_get_d(y, MPFR_RNDN));
        const double bound = finish(row, i, y, affine);
        worst = fmax(worst, oracle_ratio(y, output->y[i], bound));
    }
    forget(&s);
    mpfr_clears(z, y, gamma, (mpfr_ptr)NULL);
    return worst;
}

/* Rounds to nearest even in a format, subnormals included. */
static void round_to(const ref_dtype *dtype, mpfr_t value)
{
    if (mpfr_regular_p(value)) {
        const long top = mpfr_get_exp(value) - 1;
        const long place = (top > dtype->min_exponent ? top : dtype->min_exponent) - dtype->precision + 1;
        mpfr_mul_2si(value, value, -place, MPFR_RNDN);
        mpfr_roundeven(value, value);
        mpfr_mul_2si(value, value, place, MPFR_RNDN);
    }
}

/* a * b + c, exactly enough for any three doubles. */
static void set_fma(mpfr_t result, double a, double b, double c)
{
    mpfr_t x, y;
    mpfr_inits2(53, x, y, (mpfr_ptr)NULL);
    mpfr_init2(result, 5000);
    mpfr_set_d(x, a, MPFR_RNDN);
    mpfr_set_d(y, b, MPFR_RNDN);
    mpfr_set_d(result, c, MPFR_RNDN);
    mpfr_fma(result, x, y, result, MPFR_RNDN);
    mpfr_clears(x, y, (mpfr_ptr)NULL);
}

double oracle_fma_to(const ref_dtype *dtype, double a, double b, double c)
{
    mpfr_t value;
    set_fma(value, a, b, c);
    round_to(ref_is_f64(dtype) ? dtype : ref_dtype_named("f32", 3), value);
    round_to(dtype, value);
    const double result = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return result;
}

float oracle_fma(float a, float b, float c)
{
    mpfr_t value;
    set_fma(value, (double)a, (double)b, (double)c);
    const float result = mpfr_get_flt(value, MPFR_RNDN);
    mpfr_clear(value);
    return result;
}

double oracle_fma_f64(double a, double b, double c)
{
    mpfr_t value;
    set_fma(value, a, b, c);
    const double result = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return result;
}
