#include "report/compare.h"
#include "report/bayes.h"
#include "report/power.h"
#include "report/shift.h"

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

static void plan_ahead(struct comparison *out, const struct contrast *c, const struct arms *a)
{
    struct power_plan plan = {sd_of(a->treatment, a->n_treatment), sd_of(a->control, a->n_control),
                              out->paired};
    double margin = out->equivalence.margin.value;

    out->smallest_detectable = out->runs_needed_80 = out->runs_needed_90 = out->runs_to_find_80 =
        out->runs_to_find_90 = quantity_unknown(c->why);
    if (!c->has_spread)
        return;
    if (out->paired)
        plan.treatment_sd = c->se * sqrt((double)a->n_treatment);
    out->smallest_detectable = power_smallest_detectable(c->se, c->df);
    out->runs_needed_80 = power_runs_needed(&plan, margin, 0.80);
    out->runs_needed_90 = power_runs_needed(&plan, margin, 0.90);
    out->runs_to_find_80 = power_runs_to_find(&plan, margin, 0.80);
    out->runs_to_find_90 = power_runs_to_find(&plan, margin, 0.90);
}

static void resample(struct comparison *out, const struct arms *a, const double *d, uint64_t draws)
{
    struct bootstrap b;

    if (out->paired) {
        out->permutation = permute_paired(a->treatment, a->control, a->n_treatment, draws);
        bootstrap_means(d, a->n_treatment, NULL, 0, BOOTSTRAP_RESAMPLES, draws, &b);
        out->difference_bca = b.mean_a;
    } else {
        out->permutation = permute_independent(a->treatment, a->n_treatment, a->control, a->n_control, draws);
        bootstrap_means(a->treatment, a->n_treatment, a->control, a->n_control, BOOTSTRAP_RESAMPLES, draws,
                        &b);
        out->difference_bca = b.difference;
    }
    out->resamples = b.resamples;
}

static void rank_all(struct comparison *out, const struct arms *a, const double *d)
{
    struct quantity none = quantity_unknown("of pairs, only the differences count");

    if (out->paired) {
        out->ranks = ranks_signed(d, a->n_treatment);
        out->shift = shift_paired(d, a->n_treatment);
        out->equal_spread = (struct spread_test){none, none, none};
    } else {
        out->ranks = ranks_mann_whitney(a->treatment, a->n_treatment, a->control, a->n_control);
        out->shift = shift_independent(a->treatment, a->n_treatment, a->control, a->n_control);
        out->equal_spread = normality_equal_spread(a->treatment, a->n_treatment, a->control, a->n_control);
    }
}

void compare_effect(const double *treatment, size_t n_treatment, const double *control, size_t n_control,
                    const struct compare_options *options, struct comparison *out)
{
    double sign = options->lower_is_better ? -1 : 1, margin;
    struct contrast *c = &out->contrast;

    g_assert(!options->paired || n_treatment == n_control);
    *out = (struct comparison){.paired = options->paired};
    *c = options->paired ? contrast_paired(treatment, control, n_treatment)
                         : contrast_welch(treatment, n_treatment, control, n_control);
    margin = options->margin_share * fabs(c->control_mean);
    out->difference = contrast_interval(c, 0.95);
    out->difference_90 = contrast_interval(c, 0.90);
    out->t_test = contrast_test(c);
    out->equivalence = contrast_equivalence(c, margin);
    out->non_inferiority = contrast_exceeds(c, sign, -margin);
    out->minimal_effect = contrast_exceeds(c, sign, margin);
}

void compare_arms(const double *treatment, size_t n_treatment, const double *control, size_t n_control,
                  const struct compare_options *options, struct comparison *out)
{
    struct arms a = {treatment, control, n_treatment, n_control};
    g_autofree double *d = g_new(double, n_treatment + 1);

    compare_effect(treatment, n_treatment, control, n_control, options, out);
    for (size_t i = 0; options->paired && i < n_treatment; i++)
        d[i] = treatment[i] - control[i];
    out->ratio = contrast_ratio(&out->contrast);
    rank_all(out, &a, d);
    resample(out, &a, d, options->draws / 2);
    out->hedges_g = hedges_g(&out->contrast, &a);
    out->bayes_factor_01 = bayes_factor(&out->contrast, &a, options->paired);
    plan_ahead(out, &out->contrast, &a);
}
