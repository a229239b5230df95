#include "report/compare.h"
#include "report/bayes.h"
#include "report/power.h"

#include <glib.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

struct arms {
    const double *treatment, *control;
    size_t n_treatment, n_control;
};

static double sd_of(const double *x, size_t n)
{
    return n > 1 ? gsl_stats_sd(x, 1, n) : 0;
}

static double pooled_sd(const struct arms *a)
{
    double vt = sd_of(a->treatment, a->n_treatment), vc = sd_of(a->control, a->n_control);
    double dt = (double)a->n_treatment - 1, dc = (double)a->n_control - 1;

    return sqrt((dt * vt * vt + dc * vc * vc) / (dt + dc));
}

static struct quantity hedges_g(const struct contrast *c, const struct arms *a)
{
    double df = (double)(a->n_treatment + a->n_control) - 2, sd;

    if (!c->has_spread)
        return quantity_unknown(c->why);
    sd = pooled_sd(a);
    if (sd == 0)
        return quantity_unknown("the runs show no spread");
    return quantity_of(c->difference / sd * exp(gsl_sf_lngamma(df / 2) - gsl_sf_lngamma((df - 1) / 2)) /
                       sqrt(df / 2));
}

static struct quantity bayes_factor(const struct contrast *c, const struct arms *a, bool paired)
{
    double n = (double)a->n_treatment, m = (double)a->n_control, effective = n * m / (n + m);

    if (!c->has_spread)
        return quantity_unknown(c->why);
    if (c->se == 0)
        return quantity_unknown("the runs show no spread");
    if (paired)
        return bayes_factor_01(c->difference / c->se, c->df, n);
    return bayes_factor_01(c->difference / pooled_sd(a) * sqrt(effective), n + m - 2, effective);
}

static void plan_ahead(struct comparison *out, const struct contrast *c, const struct arms *a, double margin)
{
    struct power_plan plan = {sd_of(a->treatment, a->n_treatment), sd_of(a->control, a->n_control),
                              out->paired};

    if (!c->has_spread) {
        out->smallest_detectable = out->runs_needed_80 = out->runs_needed_90 = quantity_unknown(c->why);
        return;
    }
    if (out->paired)
        plan.treatment_sd = c->se * sqrt((double)a->n_treatment);
    out->smallest_detectable = power_smallest_detectable(c->se, c->df);
    out->runs_needed_80 = power_runs_needed(&plan, margin, 0.80);
    out->runs_needed_90 = power_runs_needed(&plan, margin, 0.90);
}

void compare_arms(const double *treatment, size_t n_treatment, const double *control, size_t n_control,
                  bool paired, double margin_share, struct comparison *out)
{
    struct arms a = {treatment, control, n_treatment, n_control};
    struct contrast c;
    double margin;

    g_assert(!paired || n_treatment == n_control);
    c = paired ? contrast_paired(treatment, control, n_treatment)
               : contrast_welch(treatment, n_treatment, control, n_control);
    margin = margin_share * fabs(c.control_mean);
    *out = (struct comparison){.paired = paired};
    out->difference = contrast_interval(&c, 0.95);
    out->difference_90 = contrast_interval(&c, 0.90);
    out->ratio = contrast_ratio(&c);
    out->t_test = contrast_test(&c);
    out->equivalence = contrast_equivalence(&c, margin);
    if (paired) {
        struct quantity none = quantity_unknown("the runs are paired, so they are not independent");

        out->ranks = (struct rank_test){none, none, false};
        out->permutation = permute_paired(treatment, control, n_treatment);
    } else {
        out->ranks = ranks_mann_whitney(treatment, n_treatment, control, n_control);
        out->permutation = permute_independent(treatment, n_treatment, control, n_control);
    }
    out->hedges_g = hedges_g(&c, &a);
    out->bayes_factor_01 = bayes_factor(&c, &a, paired);
    plan_ahead(out, &c, &a, margin);
}
