#include "report/power.h"
#include "report/integrate.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdint.h>

struct chi {
    double df, log_scale;
    double critical; /* t beyond which the test rejects */
    double effect;   /* true difference or margin, in standard errors */
};

static double density(const struct chi *c, double s)
{
    return s > 0 ? exp(c->log_scale + (c->df - 1) * log(s) - c->df * s * s / 2) : 0;
}

static double reject_two_sided(double s, void *data)
{
    const struct chi *c = data;
    double cut = c->critical * s;

    return density(c, s) * (gsl_cdf_ugaussian_Q(cut - c->effect) + gsl_cdf_ugaussian_P(-cut - c->effect));
}

static double reject_both(double s, void *data)
{
    const struct chi *c = data;
    double room = c->effect - c->critical * s;

    return room > 0 ? density(c, s) * erf(room / sqrt(2)) : 0;
}

static struct chi chi_of(double df, double level, double effect)
{
    double log_scale = log(2) + df / 2 * log(df / 2) - gsl_sf_lngamma(df / 2);

    return (struct chi){df, log_scale, stats_t_quantile(level, df), effect};
}

/* All but 1e-15 of the distribution of s lies within ten standard deviations of 1. */
static double mean_over_chi(integrand f, struct chi *c, double top)
{
    double reach = 10 / sqrt(2 * c->df), low = fmax(0, 1 - reach), high = fmin(1 + reach, top);
    double middle = CLAMP(1.0, low, high);

    if (high <= low)
        return 0;
    return CLAMP(integrate(f, c, low, middle) + integrate(f, c, middle, high), 0, 1);
}

double power_t_test(double effect, double se, double df)
{
    struct chi c = chi_of(df, 0.95, effect / se);

    return mean_over_chi(reject_two_sided, &c, INFINITY);
}

double power_equivalence(double margin, double se, double df)
{
    struct chi c = chi_of(df, 0.90, margin / se);

    return mean_over_chi(reject_both, &c, c.effect / c.critical);
}

struct quantity power_smallest_detectable(double se, double df)
{
    double low = 0, high = se;

    if (se == 0)
        return quantity_unknown("the runs show no spread");
    while (!(power_t_test(high, se, df) >= 0.80) && high < 1e6 * se)
        high *= 2;
    if (high >= 1e6 * se)
        return quantity_unknown("the power's integral does not converge");
    for (int i = 0; i < 60 && high - low > 1e-13 * high; i++) {
        double middle = low + (high - low) / 2;

        *(power_t_test(middle, se, df) >= 0.80 ? &high : &low) = middle;
    }
    return quantity_of(high);
}

/* Power at a true difference or a margin of `size`. */
typedef double (*power_of)(double size, double se, double df);

static double planned_power(const struct power_plan *plan, power_of test, double size, int64_t runs)
{
    double n = (double)runs, vt = plan->treatment_sd * plan->treatment_sd,
           vc = plan->control_sd * plan->control_sd;
    double share = vt / (vt + vc);

    if (plan->paired)
        return test(size, sqrt(vt / n), n - 1);
    return test(size, sqrt((vt + vc) / n), (n - 1) / (share * share + (1 - share) * (1 - share)));
}

static struct quantity runs_for(const struct power_plan *plan, power_of test, double size, double power)
{
    static const int64_t MOST = 1000000000;
    int64_t low = 1, high = 2;

    if (plan->treatment_sd == 0 && (plan->paired || plan->control_sd == 0))
        return quantity_unknown("the runs show no spread");
    while (high <= MOST && !(planned_power(plan, test, size, high) >= power)) {
        low = high;
        high *= 2;
    }
    if (high > MOST)
        return quantity_unknown("no feasible number of runs would do");
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        *(planned_power(plan, test, size, middle) >= power ? &high : &low) = middle;
    }
    return quantity_of((double)high);
}

struct quantity power_runs_needed(const struct power_plan *plan, double margin, double power)
{
    return runs_for(plan, power_equivalence, margin, power);
}

struct quantity power_runs_to_find(const struct power_plan *plan, double effect, double power)
{
    return runs_for(plan, power_t_test, effect, power);
}
