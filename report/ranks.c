#include "report/ranks.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

enum { EXACT_BELOW = 50 };

struct ranked {
    double value;
    bool treatment;
};

static int by_value(gconstpointer a, gconstpointer b)
{
    const struct ranked *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* Sum of the treatment's mid-ranks; *ties receives the sum of t³ - t over groups of t equal values. */
static double rank_sum(struct ranked *all, size_t n, double *ties)
{
    double sum = 0;

    qsort(all, n, sizeof *all, by_value);
    *ties = 0;
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && all[j].value == all[i].value; j++)
            ;
        double size = (double)(j - i), mid_rank = (double)(i + 1 + j) / 2;

        *ties += size * size * size - size;
        for (size_t k = i; k < j; k++)
            sum += all[k].treatment ? mid_rank : 0;
    }
    return sum;
}

/* P(U <= u) without ties, every choice of ranks for the treatment's n values among n + m being equally likely. Ranks are
 * offered in rising order; taking rank r as the k-th adds r - k, the control's values below it, to U. Counts pass 2^53
 * but are only ever added, so they keep their relative precision. */
static double exact_tail(size_t n, size_t m, double u)
{
    size_t width = n * m + 1;
    g_autofree double *ways = g_new0(double, (n + 1) * width); /* [taken][U so far] */
    double below = 0, all = 0;

    ways[0] = 1;
    for (size_t r = 1; r <= n + m; r++) {
        for (size_t k = MIN(r, n); k >= 1; k--) {
            for (size_t sum = r - k; sum < width; sum++)
                ways[k * width + sum] += ways[(k - 1) * width + sum - (r - k)];
        }
    }
    for (size_t sum = 0; sum < width; sum++) {
        all += ways[n * width + sum];
        below += (double)sum <= u ? ways[n * width + sum] : 0;
    }
    return below / all;
}

static double normal_p(double u, double n, double m, double ties)
{
    double total = n + m;
    double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
    double away = fmax(fabs(u - n * m / 2) - 0.5, 0);

    return fmin(1, 2 * gsl_cdf_ugaussian_Q(away / sqrt(variance)));
}

struct rank_test ranks_mann_whitney(const double *treatment, size_t n_treatment, const double *control,
                                    size_t n_control)
{
    size_t total = n_treatment + n_control;
    g_autofree struct ranked *all = g_new(struct ranked, total + 1);
    double n = (double)n_treatment, m = (double)n_control, ties, u, p;
    bool exact;

    if (n_treatment == 0 || n_control == 0) {
        struct quantity none = quantity_unknown("an arm has no runs");

        return (struct rank_test){none, none, false};
    }
    for (size_t i = 0; i < n_treatment; i++)
        all[i] = (struct ranked){treatment[i], true};
    for (size_t i = 0; i < n_control; i++)
        all[n_treatment + i] = (struct ranked){control[i], false};
    u = rank_sum(all, total, &ties) - n * (n + 1) / 2;
    exact = ties == 0 && n_treatment < EXACT_BELOW && n_control < EXACT_BELOW;
    if (all[0].value == all[total - 1].value) {
        exact = true;
        p = 1;
    } else if (exact) {
        p = fmin(1, 2 * exact_tail(n_treatment, n_control, fmin(u, n * m - u)));
    } else {
        p = normal_p(u, n, m, ties);
    }
    return (struct rank_test){quantity_of(u), quantity_of(p), exact};
}
