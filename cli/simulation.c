#include "cli/simulation.h"
#include "base/units.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

static void one_run(const struct simulation_plan *plan, uint64_t run, struct sim_result *result)
{
    struct simulation_run r = {0};

    plan->prepare(plan->self, run, &r);
    sim_run(&r.setup, result);
    if (plan->seen_ns)
        result->elapsed_ns = plan->seen_ns(plan->self, result);
    plan->release(&r);
}

static void set_interval(struct simulation *out, const double *sorted, size_t n)
{
    double mean = 0, square = 0, half;

    out->low = out->high = out->seconds;
    if (n < 2 || sorted[0] <= 0)
        return;
    if (n >= 20) {
        /* The k-th of n is where a future run lies below with the chance k / (n + 1). */
        double lowest = 0.05 * (double)(n + 1) - 1, share = lowest / (double)(n - 1);

        out->low = gsl_stats_quantile_from_sorted_data(sorted, 1, n, share);
        out->high = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 1 - share);
        return;
    }
    for (size_t i = 0; i < n; i++)
        mean += log(sorted[i]) / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (log(sorted[i]) - mean) * (log(sorted[i]) - mean);
    half = gsl_cdf_tdist_Pinv(0.95, (double)n - 1) * sqrt(square / (double)(n - 1)) * sqrt(1 + 1 / (double)n);
    out->low = exp(mean - half);
    out->high = exp(mean + half);
}

static void pick_typical(struct simulation *out, const struct sim_result *results, guint runs)
{
    bool want_failed = 2 * out->failed >= runs;
    double best = INFINITY;

    for (guint i = 0; i < runs; i++) {
        double distance = fabs(units_seconds(results[i].elapsed_ns) - out->seconds);

        if (results[i].failed != want_failed)
            continue;
        if (want_failed) {
            out->typical = results[i];
            return;
        }
        if (distance < best) {
            best = distance;
            out->typical = results[i];
        }
    }
}

void simulation_each(const struct simulation_plan *plan, guint runs, struct sim_result *results)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
    for (guint i = 0; i < runs; i++)
        one_run(plan, i, &results[i]);
}

void simulation_run(const struct simulation_plan *plan, guint runs, struct simulation *out)
{
    g_autofree struct sim_result *results = g_new0(struct sim_result, runs);
    g_autofree double *seconds = g_new(double, runs);
    size_t ended = 0;

    g_assert(runs >= 1);
    *out = (struct simulation){.runs = runs};
    simulation_each(plan, runs, results);
    for (guint i = 0; i < runs; i++) {
        out->failed += results[i].failed;
        if (!results[i].failed)
            seconds[ended++] = units_seconds(results[i].elapsed_ns);
    }
    gsl_sort(seconds, 1, ended);
    if (ended)
        out->seconds = gsl_stats_median_from_sorted_data(seconds, 1, ended);
    set_interval(out, seconds, ended);
    pick_typical(out, results, runs);
}

void simulation_widen(struct simulation *s, double share)
{
    double own = log1p(share), below, above;

    if (s->low <= 0)
        return;
    below = log(s->seconds / s->low);
    above = log(s->high / s->seconds);
    s->low = s->seconds * exp(-sqrt(below * below + own * own));
    s->high = s->seconds * exp(sqrt(above * above + own * own));
}
