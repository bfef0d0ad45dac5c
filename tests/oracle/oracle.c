#include "oracle.h"

#include <math.h>
#include <mpfr.h>

#include "contract.h"

enum { BITS = 200 };

/* The unit roundoff of float. */
static const double u = 0x1p-24;

/* The statistics of a row, exact up to 200 bits. */
typedef struct statistics {
    mpfr_t mean;   /* 0 for rmsnorm */
    mpfr_t square; /* mean square, or variance */
    mpfr_t rstd;
} statistics;

static void measure(const oracle_row *row, statistics *s)
{
    mpfr_t d;
    mpfr_inits2(BITS, d, s->mean, s->square, s->rstd, (mpfr_ptr)NULL);
    mpfr_set_zero(s->mean, 1);
    mpfr_set_zero(s->square, 1);
    for (size_t i = 0; row->layernorm && i < row->n; i++) {
        mpfr_add_d(s->mean, s->mean, (double)row->x[i], MPFR_RNDN);
    }
    mpfr_div_ui(s->mean, s->mean, row->n, MPFR_RNDN);
    for (size_t i = 0; i < row->n; i++) {
        mpfr_d_sub(d, (double)row->x[i], s->mean, MPFR_RNDN);
        mpfr_fma(s->square, d, d, s->square, MPFR_RNDN);
    }
    mpfr_div_ui(s->square, s->square, row->n, MPFR_RNDN);
    mpfr_add_d(s->rstd, s->square, (double)row->eps, MPFR_RNDN);
    mpfr_rec_sqrt(s->rstd, s->rstd, MPFR_RNDN);
    mpfr_clear(d);
}

static void forget(statistics *s)
{
    mpfr_clears(s->mean, s->square, s->rstd, (mpfr_ptr)NULL);
}

int oracle_in_domain(const oracle_row *row)
{
    statistics s;
    double sum = 0, sum_of_squares = 0;
    for (size_t i = 0; i < row->n; i++) {
        const double x = (double)row->x[i];
        sum += fabs(x);
        sum_of_squares += 4 * x * x; /* 4: room for the distance to the pivot */
    }
    measure(row, &s);
    const double scale = mpfr_get_d(s.square, MPFR_RNDN) + (double)row->eps;
    forget(&s);
    return sum < 0x1p127 && sum_of_squares < 0x1p127 && scale >= 0x1p-100;
}

/* What the error bound of a row needs besides the normalised value itself. */
typedef struct bound_terms {
    double relative; /* units of u that go with |z| */
    double absolute; /* and without it */
} bound_terms;

/* "h = min(m, 64) + 6 + log2 nb, m stripes in a block." */
static double depth(size_t n)
{
    size_t length;
    double h = 6;
    for (size_t blocks = ref_blocks(n, &length); blocks > 1; blocks /= 2) {
        h += 1;
    }
    const size_t stripes = (length + REF_LANES - 1) / REF_LANES;
    return h + (double)(stripes < 64 ? stripes : 64);
}

/* RMSNorm: sum h, mean 1 and + eps 1, halved by the root; root, reciprocal and product 1 each. */
static bound_terms rmsnorm_terms(const oracle_row *row)
{
    return (bound_terms){depth(row->n) / 2 + 4, 0};
}

/* LayerNorm: |z^ - z| <= u [(h/2 + 8 + (3h+5) rho^2 / 2 + (h+1) rho) |z| + (h+1) mean|x - mu^| r + rho std r], where
 * mu^ is the pivot and rho = |mean - mu^| / std. */
static bound_terms layernorm_terms(const oracle_row *row, const statistics *s)
{
    const double h = depth(row->n);
    const double std = sqrt(mpfr_get_d(s->square, MPFR_RNDN));
    const double rstd = mpfr_get_d(s->rstd, MPFR_RNDN);
    const float pivot = ref_mean(row->x, ref_head(row->n));
    double distance = 0;
    mpfr_t difference;
    mpfr_init2(difference, BITS);
    mpfr_sub_d(difference, s->mean, (double)pivot, MPFR_RNDN);
    const double delta = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    for (size_t i = 0; i < row->n; i++) {
        distance += fabs((double)row->x[i] - (double)pivot);
    }
    distance /= (double)row->n;
    const double rho = std > 0 ? delta / std : 0;
    return (bound_terms){h / 2 + 8 + (3 * h + 5) * rho * rho / 2 + (h + 1) * rho,
                         (h + 1) * distance * rstd + delta * rstd};
}

/* cast=llama: t is exact, so that only what follows it is judged. */
static bound_terms terms_of(const oracle_row *row, const statistics *s)
{
    if (row->t != NULL) {
        return (bound_terms){0, 0};
    }
    return row->layernorm ? layernorm_terms(row, s) : rmsnorm_terms(row);
}

/* The error that the output may have where the exact values are z and y = z * gamma + beta. */
static double error_bound(const oracle_row *row, const bound_terms *terms, double z, double gamma, double y)
{
    const double tiny = 0x1p-149; /* every rounding below the normal range */
    double error = fabs(gamma) * (u * (terms->relative * fabs(z) + terms->absolute) + tiny);
    if (row->gamma != NULL) {
        error += u * fabs(y) + tiny;
    }
    if (row->offset) {
        error += u * fabs(z * gamma);
    }
    error *= 1 + 1024 * u; /* products of errors */
    if (row->y->precision < 24) {
        error += ldexp(fmax(fabs(y) + error, ldexp(1, row->y->min_exponent)), -row->y->precision);
    }
    return error;
}

double oracle_worst_ratio(const oracle_row *row, const float *output)
{
    double worst = 0;
    statistics s;
    mpfr_t z, y, gamma;
    mpfr_inits2(BITS, z, y, gamma, (mpfr_ptr)NULL);
    measure(row, &s);
    const bound_terms terms = terms_of(row, &s);
    for (size_t i = 0; i < row->n; i++) {
        mpfr_d_sub(z, (double)row->x[i], s.mean, MPFR_RNDN);
        mpfr_mul(z, z, s.rstd, MPFR_RNDN);
        if (row->t != NULL) {
            mpfr_set_d(z, (double)row->t[i], MPFR_RNDN);
        }
        mpfr_set_d(gamma, row->gamma != NULL ? (double)row->gamma[i] : 1.0, MPFR_RNDN);
        mpfr_add_ui(gamma, gamma, (unsigned long)row->offset, MPFR_RNDN);
        mpfr_mul(y, z, gamma, MPFR_RNDN);
        mpfr_add_d(y, y, row->beta != NULL ? (double)row->beta[i] : 0.0, MPFR_RNDN);
        const double bound =
            error_bound(row, &terms, mpfr_get_d(z, MPFR_RNDN), mpfr_get_d(gamma, MPFR_RNDN), mpfr_get_d(y, MPFR_RNDN));
        mpfr_sub_d(y, y, (double)output[i], MPFR_RNDN);
        const double error = fabs(mpfr_get_d(y, MPFR_RNDN));
        const double ratio = error == 0 ? 0 : isfinite(error) ? error / bound : INFINITY;
        worst = fmax(worst, ratio);
    }
    forget(&s);
    mpfr_clears(z, y, gamma, (mpfr_ptr)NULL);
    return worst;
}

float oracle_add(float x, float y, const ref_dtype *dtype)
{
    mpfr_t sum;
    mpfr_init2(sum, 2 * BITS);
    mpfr_set_d(sum, (double)x, MPFR_RNDN);
    mpfr_add_d(sum, sum, (double)y, MPFR_RNDN);
    mpfr_prec_round(sum, dtype->precision, MPFR_RNDN);
    const float result = mpfr_get_flt(sum, MPFR_RNDN);
    mpfr_clear(sum);
    return result;
}

float oracle_fma(float a, float b, float c)
{
    mpfr_t x, y, z;
    mpfr_inits2(1024, x, y, z, (mpfr_ptr)NULL);
    mpfr_set_d(x, (double)a, MPFR_RNDN);
    mpfr_set_d(y, (double)b, MPFR_RNDN);
    mpfr_set_d(z, (double)c, MPFR_RNDN);
    mpfr_fma(x, x, y, z, MPFR_RNDN);
    const float result = mpfr_get_flt(x, MPFR_RNDN);
    mpfr_clears(x, y, z, (mpfr_ptr)NULL);
    return result;
}
