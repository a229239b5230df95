#include "report/stats.h"
#include "report/sorting.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct quantity quantity_of(double value)
{
    return (struct quantity){.known = true, .value = value};
}

struct quantity quantity_unknown(const char *why)
{
    return (struct quantity){.why = why};
}

struct quantity quantity_if_finite(double value, const char *why)
{
    return isfinite(value) ? quantity_of(value) : quantity_unknown(why);
}

double *stats_sorted(const double *x, size_t n)
{
    double *sorted = g_new(double, n + 1);
    bool rises = true;

    for (size_t i = 0; i < n; i++) {
        sorted[i] = x[i];
        rises = rises && (i == 0 || x[i - 1] <= x[i]);
    }
    if (!rises)
        sorting_ascend(sorted, n);
    return sorted;
}

double stats_quantile(const double *sorted, size_t n, double p)
{
    g_assert(n > 0);
    return gsl_stats_quantile_from_sorted_data(sorted, 1, n, p);
}

double stats_t_quantile(double level, double df)
{
    return gsl_cdf_tdist_Pinv(0.5 + level / 2, df);
}

void stats_summarise(const double *x, size_t n, struct summary *out)
{
    g_autofree double *sorted = NULL;
    const char *why = n == 0 ? "there are no runs" : "one run shows no spread";

    *out = (struct summary){.n = n};
    out->mean.why = why;
    out->median = out->sd = out->min = out->max = quantity_unknown(why);
    if (n == 0)
        return;
    sorted = stats_sorted(x, n);
    out->mean.known = true;
    out->mean.value = gsl_stats_mean(x, 1, n);
    out->median = quantity_of(stats_quantile(sorted, n, 0.5));
    out->min = quantity_of(sorted[0]);
    out->max = quantity_of(sorted[n - 1]);
    if (n < 2)
        return;
    out->sd = quantity_of(gsl_stats_sd_m(x, 1, n, out->mean.value));
    double half = stats_t_quantile(0.95, (double)(n - 1)) * out->sd.value / sqrt((double)n);
    out->mean.bounded = true;
    out->mean.low = out->mean.value - half;
    out->mean.high = out->mean.value + half;
}
