#include "report/contrast.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

static const char NO_SPREAD[] = "every run of both arms is equal, so there is no spread to test against";

static const char *why_no_spread(size_t n_treatment, size_t n_control)
{
    if (n_treatment == 0 || n_control == 0)
        return "an arm has no runs";
    return "an arm has one run only, and one run shows no spread";
}

/* Fills what needs no spread; returns whether both arms have some. */
static bool begin(struct contrast *c, const double *t, size_t nt, const double *k, size_t nk)
{
    *c = (struct contrast){.why = why_no_spread(nt, nk)};
    if (nt == 0 || nk == 0)
        return false;
    c->known = true;
    c->treatment_mean = gsl_stats_mean(t, 1, nt);
    c->control_mean = gsl_stats_mean(k, 1, nk);
    c->difference = c->treatment_mean - c->control_mean;
    return nt > 1 && nk > 1;
}

struct contrast contrast_welch(const double *treatment, size_t n_treatment, const double *control,
                               size_t n_control)
{
    struct contrast c;

    if (!begin(&c, treatment, n_treatment, control, n_control))
        return c;
    double df_t = (double)(n_treatment - 1), df_c = (double)(n_control - 1);

    c.treatment_var = gsl_stats_variance_m(treatment, 1, n_treatment, c.treatment_mean) / (double)n_treatment;
    c.control_var = gsl_stats_variance_m(control, 1, n_control, c.control_mean) / (double)n_control;
    c.has_spread = true;
    c.se = sqrt(c.treatment_var + c.control_var);
    /* Satterthwaite, from shares of the variance so that tiny or huge units can't overflow. Without any spread the
     * shares are taken as equal: the interval has no width whatever df is. */
    double share = c.se > 0 ? c.treatment_var / (c.treatment_var + c.control_var) : 0.5;

    c.df = 1 / (share * share / df_t + (1 - share) * (1 - share) / df_c);
    return c;
}

struct contrast contrast_paired(const double *treatment, const double *control, size_t n)
{
    g_autofree double *d = g_new(double, n + 1);
    struct contrast c;

    if (!begin(&c, treatment, n, control, n))
        return c;
    for (size_t i = 0; i < n; i++)
        d[i] = treatment[i] - control[i];
    c.difference = gsl_stats_mean(d, 1, n);
    c.treatment_var = gsl_stats_variance_m(treatment, 1, n, c.treatment_mean) / (double)n;
    c.control_var = gsl_stats_variance_m(control, 1, n, c.control_mean) / (double)n;
    c.covariance = gsl_stats_covariance(treatment, 1, control, 1, n) / (double)n;
    c.has_spread = true;
    c.se = gsl_stats_sd_m(d, 1, n, c.difference) / sqrt((double)n);
    c.df = (double)(n - 1);
    return c;
}

struct interval contrast_interval(const struct contrast *c, double level)
{
    struct interval i = {.known = c->known, .bounded = c->has_spread, .value = c->difference, .why = c->why};

    if (!c->has_spread)
        return i;
    double half = stats_t_quantile(level, c->df) * c->se;

    i.why = NULL;
    i.low = c->difference - half;
    i.high = c->difference + half;
    return i;
}

struct t_test contrast_test(const struct contrast *c)
{
    struct quantity unknown = quantity_unknown(c->has_spread ? NO_SPREAD : c->why);

    if (!c->has_spread || c->se == 0)
        return (struct t_test){unknown, unknown, unknown};
    double t = c->difference / c->se;

    return (struct t_test){quantity_of(t), quantity_of(c->df),
                           quantity_of(2 * gsl_cdf_tdist_Q(fabs(t), c->df))};
}

/* The ratios r for which (treatment mean - r × control mean) is within its own t interval of 0: a quadratic in r, solved
 * in units of the control's mean. */
struct interval contrast_ratio(const struct contrast *c)
{
    struct interval i = {.why = c->why};

    if (!c->known)
        return i;
    if (c->control_mean == 0) {
        i.why = "the control\u2019s mean is 0";
        return i;
    }
    i.known = true;
    i.value = c->treatment_mean / c->control_mean;
    if (!c->has_spread)
        return i;
    double m = c->control_mean, t = stats_t_quantile(0.95, c->df), t2 = t * t;
    double var_t = c->treatment_var / m / m, var_c = c->control_var / m / m, cov = c->covariance / m / m;
    double a = 1 - t2 * var_c;
    double b = i.value - t2 * cov;
    /* b² - a (value² - t² var_t), multiplied out so that large terms don't cancel */
    double discriminant =
        t2 * (var_t + i.value * i.value * var_c - 2 * i.value * cov) + t2 * t2 * (cov * cov - var_t * var_c);

    if (a <= 0) {
        i.why = "the control\u2019s mean is not told apart from 0";
        return i;
    }
    double root = sqrt(fmax(discriminant, 0)); /* not negative while a > 0, but for rounding */

    i.bounded = true;
    i.why = NULL;
    i.low = (b - root) / a;
    i.high = (b + root) / a;
    return i;
}

struct equivalence contrast_equivalence(const struct contrast *c, double margin)
{
    struct quantity unknown = quantity_unknown(c->has_spread ? NO_SPREAD : c->why);
    struct equivalence e = {c->known ? quantity_of(margin) : unknown, unknown, unknown, unknown};

    if (!c->has_spread || c->se == 0)
        return e;
    e.p_lower = quantity_of(gsl_cdf_tdist_Q((c->difference + margin) / c->se, c->df));
    e.p_upper = quantity_of(gsl_cdf_tdist_P((c->difference - margin) / c->se, c->df));
    e.p = quantity_of(MAX(e.p_lower.value, e.p_upper.value));
    return e;
}

struct quantity contrast_exceeds(const struct contrast *c, double sign, double bound)
{
    if (!c->has_spread || c->se == 0)
        return quantity_unknown(c->has_spread ? NO_SPREAD : c->why);
    return quantity_of(gsl_cdf_tdist_Q((sign * c->difference - bound) / c->se, c->df));
}
