#include "exact.h"

#include <math.h>
#include <stdlib.h>

#include "arithmetic.h"
#include "call.h"
#include "contract.h"
#include "oracle.h"

static int has_mean(const ref_spec *spec)
{
    return spec->norm != REF_RMSNORM && spec->norm != REF_POWERNORM;
}

static double number(const mpfr_t value)
{
    return mpfr_get_d(value, MPFR_RNDN);
}

/* exact - value, of which both may be large. */
static double distance(const mpfr_t exact, double value)
{
    mpfr_t difference;
    mpfr_init2(difference, ORACLE_BITS);
    mpfr_sub_d(difference, exact, value, MPFR_RNDN);
    const double result = number(difference);
    mpfr_clear(difference);
    return result;
}

/* "A lane of k stripes costs k", and so does a run of k values; run sums are added one after the other. */
static double depth_of(const moments_chunk *c)
{
    const size_t L = c->spec->arithmetic->lanes;
    switch (c->order) {
    case MOMENTS_RUNS:
        return (double)((c->length < 64 ? c->length : 64) + (c->length + 63) / 64 - 1);
    case MOMENTS_LANES:
        return (double)(c->pieces * ((c->length + L - 1) / L)) + log2((double)L);
    default:
        return oracle_depth(L, c->length);
    }
}

/* The sum of up to 64 values in the arithmetic of the spec, one after the other. */
static double sum_in_turn(const ref_spec *spec, const double *value, size_t n)
{
    double wide = 0;
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        wide += value[i];
        sum += (float)value[i];
    }
    return ref_is_f64(spec->x) ? wide : (double)sum;
}

/* The mu that the contract gives. */
static double pivot_of(const moments_chunk *c)
{
    const size_t m = ref_head_within(c->pieces * c->length, c->length);
    const ref_dtype *real = ref_is_f64(c->spec->x) ? c->spec->x : ref_dtype_named("f32", 3);
    void *const reals = calloc(m, sizeof(double));
    call_narrow(real, reals, c->value, m);
    double mu = c->order == MOMENTS_RUNS ? sum_in_turn(c->spec, c->value, m) : c->spec->arithmetic->sum(reals, m);
    free(reals);
    mu /= (double)m; /* a power of two */
    call_hold(real, &mu, 1);
    return mu;
}

static void begin(moments *m, size_t n)
{
    *m = (moments){.n = n};
    mpfr_inits2(ORACLE_BITS, m->mean, m->m2, (mpfr_ptr)NULL);
    mpfr_set_zero(m->mean, 1);
    mpfr_set_zero(m->m2, 1);
}

void moments_forget(moments *m)
{
    mpfr_clears(m->mean, m->m2, (mpfr_ptr)NULL);
}

static void measure_exactly(moments *m, const moments_chunk *c)
{
    mpfr_t d;
    mpfr_init2(d, ORACLE_BITS);
    for (size_t i = 0; i < m->n && has_mean(c->spec); i++) {
        mpfr_add_d(m->mean, m->mean, c->value[i], MPFR_RNDN);
    }
    mpfr_div_ui(m->mean, m->mean, m->n, MPFR_RNDN);
    for (size_t i = 0; i < m->n; i++) {
        mpfr_d_sub(d, c->value[i], m->mean, MPFR_RNDN);
        mpfr_fma(m->m2, d, d, m->m2, MPFR_RNDN);
    }
    mpfr_clear(d);
}

void moments_measure(moments *m, const moments_chunk *c)
{
    const double u = oracle_unit(c->spec), h = depth_of(c);
    begin(m, c->pieces * c->length);
    measure_exactly(m, c);
    const double n = (double)m->n, m2 = number(m->m2);
    if (!has_mean(c->spec)) {
        m->m2_error = h * u * m2;
        return;
    }
    m->mu = pivot_of(c);
    const double delta = fabs(distance(m->mean, m->mu));
    double A = 0; /* sum of |d| */
    for (size_t i = 0; i < m->n; i++) {
        A += fabs(c->value[i] - m->mu);
    }
    const double Q = m2 + n * delta * delta;
    m->mean_error = (h + 1) * u * A / n;
    m->m2_error = u * ((h + 3) * Q + (2 * h + 2) * delta * A + m2) + (h + 1) * (h + 1) * u * u * A * A / n;
}

void moments_given(moments *m, size_t n, double mu, double delta, double m2)
{
    begin(m, n);
    m->mu = mu;
    mpfr_set_d(m->mean, mu, MPFR_RNDN);
    mpfr_add_d(m->mean, m->mean, delta, MPFR_RNDN);
    mpfr_set_d(m->m2, m2, MPFR_RNDN);
}

/* mean = mean_a + w diff, M2 = M2_a + M2_b + n_a w diff^2, of real numbers. */
static void merge_exactly(moments *a, const moments *b, const mpfr_t difference)
{
    mpfr_t part;
    mpfr_init2(part, ORACLE_BITS);
    mpfr_mul_ui(part, difference, b->n, MPFR_RNDN);
    mpfr_div_ui(part, part, a->n + b->n, MPFR_RNDN);
    mpfr_add(a->mean, a->mean, part, MPFR_RNDN);
    mpfr_mul(part, part, difference, MPFR_RNDN);
    mpfr_mul_ui(part, part, a->n, MPFR_RNDN);
    mpfr_add(a->m2, a->m2, b->m2, MPFR_RNDN);
    mpfr_add(a->m2, a->m2, part, MPFR_RNDN);
    mpfr_clear(part);
}

/* Joins b to a. */
static void merge(const ref_spec *spec, moments *a, const moments *b)
{
    mpfr_t exact;
    const double u = oracle_unit(spec), n_a = (double)a->n, w = (double)b->n / (double)(a->n + b->n);
    const double squares = number(a->m2) + a->m2_error + number(b->m2) + b->m2_error;
    const double deltas = fabs(distance(b->mean, b->mu) - distance(a->mean, a->mu));
    mpfr_init2(exact, ORACLE_BITS);
    mpfr_sub(exact, b->mean, a->mean, MPFR_RNDN);
    const double difference = fabs(number(exact)), rounding = u * (fabs(b->mu - a->mu) + deltas + difference);
    const double error = a->mean_error + b->mean_error + rounding;
    const double largest = difference + error, between = n_a * w * largest * largest;
    merge_exactly(a, b, exact);
    a->n += b->n;
    a->mean_error = (1 - w) * a->mean_error + w * b->mean_error + w * rounding + u * w * difference +
                    u * fabs(distance(a->mean, a->mu));
    a->m2_error += b->m2_error + n_a * w * (2 * difference + error) * error + 3 * u * between + u * squares;
    if (has_mean(spec)) {
        a->m2_error += u * (squares + between);
    }
    mpfr_clear(exact);
}

void moments_merge_all(const ref_spec *spec, moments *s, size_t count)
{
    for (; count > 1; count = (count + 1) / 2) {
        for (size_t i = 0; 2 * i < count; i++) {
            if (2 * i + 1 < count) {
                merge(spec, &s[2 * i], &s[2 * i + 1]);
                moments_forget(&s[2 * i + 1]);
            }
            s[i] = s[2 * i];
        }
    }
}

double moments_variance(const moments *m)
{
    return number(m->m2) / (double)m->n;
}

double moments_root_error(const moments *m, double eps)
{
    const double exact = moments_variance(m) + eps;
    const double least = fmax(moments_variance(m) - m->m2_error / (double)m->n, 0) + eps;
    return sqrt(exact / least) - 1;
}
