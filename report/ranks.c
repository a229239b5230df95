#include "report/ranks.h"
#include "report/sorting.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

struct ranked {
    double value;
    bool chosen;  /* of the treatment, or of a positive difference */
    size_t twice; /* its mid-rank, doubled so that it is whole */
};

static void sort_ranked(struct ranked *all, size_t n)
{
    g_autofree size_t *order = g_new(size_t, n + 1);
    g_autofree struct ranked *copy = NULL;
    double *values = g_new(double, n + 1);

    for (size_t i = 0; i < n; i++)
        values[i] = all[i].value;
    sorting_index(order, values, n);
    g_free(values);
    copy = g_new(struct ranked, n + 1);
    for (size_t i = 0; i < n; i++)
        copy[i] = all[i];
    for (size_t i = 0; i < n; i++)
        all[i] = copy[order[i]];
}

/* Sum of the doubled mid-ranks of the chosen; *ties receives the sum of t³ - t over groups of t equal values. */
static size_t rank_sum(struct ranked *all, size_t n, double *ties)
{
    size_t sum = 0;

    sort_ranked(all, n);
    *ties = 0;
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && all[j].value == all[i].value; j++)
            ;
        double size = (double)(j - i);

        *ties += size * size * size - size;
        for (size_t k = i; k < j; k++) {
            all[k].twice = i + 1 + j;
            sum += all[k].chosen ? all[k].twice : 0;
        }
    }
    return sum;
}

/* ways[sum]: in how many ways can n of the ranks (n = 0: any number of them) add up to it? Counts pass 2^53 but are only ever
 * added, so they keep their relative precision. Returns owned, *width entries. */
static double *deal_ranks(const struct ranked *all, size_t total, size_t n, size_t *width)
{
    size_t levels = n ? n : 1, wide = 1;
    double *ways;

    for (size_t i = 0; i < total; i++)
        wide += all[i].twice;
    ways = g_new0(double, (levels + 1) * wide); /* [taken][sum] */
    ways[n ? 0 : wide] = 1;
    for (size_t i = 0; i < total; i++) {
        for (size_t k = n ? MIN(i + 1, n) : 1; k >= 1; k--) {
            double *to = ways + k * wide, *from = n ? to - wide : to;

            for (size_t sum = wide - 1; sum >= all[i].twice; sum--)
                to[sum] += from[sum - all[i].twice];
        }
    }
    for (size_t sum = 0; sum < wide; sum++)
        ways[sum] = ways[levels * wide + sum];
    *width = wide;
    return ways;
}

/* Twice the smaller tail. */
static double exact_p(const struct ranked *all, size_t total, size_t n, size_t observed)
{
    size_t width;
    g_autofree double *ways = deal_ranks(all, total, n, &width);
    double below = 0, above = 0, sum = 0;

    for (size_t i = 0; i < width; i++) {
        sum += ways[i];
        below += i <= observed ? ways[i] : 0;
        above += i >= observed ? ways[i] : 0;
    }
    return fmin(1, 2 * fmin(below, above) / sum);
}

static double normal_p(double away, double variance)
{
    return fmin(1, 2 * gsl_cdf_ugaussian_Q(fmax(fabs(away) - 0.5, 0) / sqrt(variance)));
}

/* One of all deals, twice. */
static double smallest_deal(double n, double m)
{
    return fmin(1, 2 * exp(gsl_sf_lngamma(n + 1) + gsl_sf_lngamma(m + 1) - gsl_sf_lngamma(n + m + 1)));
}

static struct rank_test nothing(const char *why)
{
    struct quantity none = quantity_unknown(why);

    return (struct rank_test){none, none, false, none, 1};
}

struct rank_test ranks_mann_whitney(const double *treatment, size_t n_treatment, const double *control,
                                    size_t n_control)
{
    size_t total = n_treatment + n_control, sum;
    g_autofree struct ranked *all = g_new(struct ranked, total + 1);
    double n = (double)n_treatment, m = (double)n_control, ties, u, p, variance;
    bool exact = n_treatment < RANKS_EXACT_BELOW && n_control < RANKS_EXACT_BELOW;

    if (n_treatment == 0 || n_control == 0)
        return nothing("an arm has no runs");
    for (size_t i = 0; i < n_treatment; i++)
        all[i] = (struct ranked){treatment[i], true, 0};
    for (size_t i = 0; i < n_control; i++)
        all[n_treatment + i] = (struct ranked){control[i], false, 0};
    sum = rank_sum(all, total, &ties);
    u = (double)sum / 2 - n * (n + 1) / 2;
    variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)));
    if (all[0].value == all[total - 1].value) {
        exact = true;
        p = 1;
    } else if (exact) {
        p = exact_p(all, total, n_treatment, sum);
    } else {
        p = normal_p(u - n * m / 2, variance);
    }
    return (struct rank_test){quantity_of(u), quantity_of(p), exact, quantity_of(u / (n * m)),
                              smallest_deal(n, m)};
}

struct rank_test ranks_signed(const double *d, size_t n)
{
    g_autofree struct ranked *all = g_new(struct ranked, n + 1);
    size_t used = 0, positive = 0, sum;
    double ties, k, v, p, share;
    bool exact;

    if (n == 0)
        return nothing("an arm has no runs");
    for (size_t i = 0; i < n; i++) {
        if (d[i] != 0)
            all[used++] = (struct ranked){fabs(d[i]), d[i] > 0, 0};
        positive += d[i] > 0;
    }
    share = ((double)positive + (double)(n - used) / 2) / (double)n;
    sum = rank_sum(all, used, &ties);
    v = (double)sum / 2;
    k = (double)used;
    exact = used < RANKS_EXACT_BELOW;
    if (used == 0)
        p = 1;
    else if (exact)
        p = exact_p(all, used, 0, sum);
    else
        p = normal_p(v - k * (k + 1) / 4, k * (k + 1) * (2 * k + 1) / 24 - ties / 48);
    return (struct rank_test){quantity_of(v), quantity_of(p), exact, quantity_of(share),
                              fmin(1, 2 * pow(0.5, k))};
}

/* The ranks 1 to total, none tied. */
static uint64_t critical(size_t total, size_t n, size_t least, double tail)
{
    g_autofree struct ranked *all = g_new(struct ranked, total + 1);
    size_t width;
    double sum = 0, below = 0;
    uint64_t c = 0;

    for (size_t i = 0; i < total; i++)
        all[i].twice = 2 * (i + 1);
    g_autofree double *ways = deal_ranks(all, total, n, &width);

    for (size_t i = 0; i < width; i++)
        sum += ways[i];
    for (size_t i = 2 * least; i < width; i += 2) {
        below += ways[i];
        if (below > tail * sum)
            break;
        c++;
    }
    return c;
}

uint64_t ranks_critical_u(size_t n, size_t m, double tail)
{
    return critical(n + m, n, n * (n + 1) / 2, tail);
}

uint64_t ranks_critical_signed(size_t n, double tail)
{
    return critical(n, 0, 0, tail);
}
