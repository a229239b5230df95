#include "report/dip.h"
#include "report/dip_table.h"

#include <glib.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum { FEWEST = 4 };

/* The runs' distribution: at each run, how many lie before it and how many up to it. Equal runs are steps on top of each other. */
struct steps {
    const double *at;
    double *below, *upto;
};

/* Corners of a hull over the steps low .. high, as indices that rise. */
struct hull {
    size_t *corner;
    size_t n;
};

static void steps_init(struct steps *s, const double *sorted, size_t n)
{
    *s = (struct steps){sorted, g_new(double, n), g_new(double, n)};
    for (size_t i = 0; i < n; i++) {
        s->below[i] = (double)i;
        s->upto[i] = (double)i + 1;
    }
}

static void steps_fini(struct steps *s)
{
    g_free(s->below);
    g_free(s->upto);
}

/* Does the middle of three points bend the hull the wrong way (sign 1: below, -1: above)? */
static bool bends(const struct steps *s, const double *height, size_t a, size_t b, size_t c, double sign)
{
    double left = (height[b] - height[a]) * (s->at[c] - s->at[b]);
    double right = (height[c] - height[b]) * (s->at[b] - s->at[a]);

    return sign * (left - right) >= 0;
}

/* The greatest convex line below the points (sign 1), or the least concave one above them (-1). */
static void hull_of(const struct steps *s, const double *height, size_t low, size_t high, double sign,
                    struct hull *out)
{
    out->n = 0;
    for (size_t i = low; i <= high; i++) {
        while (out->n > 1 && bends(s, height, out->corner[out->n - 2], out->corner[out->n - 1], i, sign))
            out->n--;
        out->corner[out->n++] = i;
    }
}

/* Height of the hull between corners k and k + 1 at step i. */
static double along(const struct steps *s, const double *height, const struct hull *h, size_t k, size_t i)
{
    size_t a = h->corner[k], b = h->corner[k + 1 < h->n ? k + 1 : k];

    if (a == b)
        return height[a];
    if (s->at[a] == s->at[b])
        return height[i];
    return height[a] + (height[b] - height[a]) * ((s->at[i] - s->at[a]) / (s->at[b] - s->at[a]));
}

/* Index of the last corner at or before step i. */
static size_t corner_before(const struct hull *h, size_t i)
{
    size_t low = 0, high = h->n - 1;

    while (low < high) {
        size_t middle = (low + high + 1) / 2;

        if (h->corner[middle] <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The interval of the peak narrows to where the two hulls are furthest apart. */
struct widest {
    double gap;
    size_t low, high;
};

static struct widest furthest(const struct steps *s, const struct hull *convex, const struct hull *concave)
{
    struct widest w = {-1, convex->corner[0], convex->corner[convex->n - 1]};

    for (size_t k = 0; k < convex->n; k++) {
        size_t i = convex->corner[k], c = corner_before(concave, i);
        double gap = along(s, s->upto, concave, c, i) - s->below[i];

        if (gap > w.gap)
            w = (struct widest){gap, i,
                                concave->corner[concave->corner[c] < i && c + 1 < concave->n ? c + 1 : c]};
    }
    for (size_t k = 0; k < concave->n; k++) {
        size_t i = concave->corner[k];
        size_t c = corner_before(convex, i);
        double gap = s->upto[i] - along(s, s->below, convex, c, i);

        if (gap > w.gap)
            w = (struct widest){gap, convex->corner[c], i};
    }
    return w;
}

/* How far the runs' distribution leaves the convex hull below step `until`. */
static double off_convex(const struct steps *s, const struct hull *h, size_t until)
{
    double most = 0;

    for (size_t k = 0; k + 1 < h->n && h->corner[k] < until; k++) {
        for (size_t i = h->corner[k]; i <= h->corner[k + 1]; i++)
            most = fmax(most, s->upto[i] - along(s, s->below, h, k, i));
    }
    return most;
}

static double off_concave(const struct steps *s, const struct hull *h, size_t from)
{
    double most = 0;

    for (size_t k = 0; k + 1 < h->n; k++) {
        for (size_t i = h->corner[k]; h->corner[k] >= from && i <= h->corner[k + 1]; i++)
            most = fmax(most, along(s, s->upto, h, k, i) - s->below[i]);
    }
    return most;
}

double dip_statistic(const double *sorted, size_t n)
{
    struct steps s;
    struct hull convex = {g_new(size_t, n), 0}, concave = {g_new(size_t, n), 0};
    size_t low = 0, high = n - 1;
    double dip = 1; /* of any distribution: one run at a time */

    steps_init(&s, sorted, n);
    for (;;) {
        struct widest w;

        hull_of(&s, s.below, low, high, 1, &convex);
        hull_of(&s, s.upto, low, high, -1, &concave);
        w = furthest(&s, &convex, &concave);
        if (w.gap <= dip)
            break;
        dip = fmax(dip, fmax(off_convex(&s, &convex, w.low), off_concave(&s, &concave, w.high)));
        if (w.low >= w.high || (w.low == low && w.high == high))
            break;
        low = w.low;
        high = w.high;
    }
    steps_fini(&s);
    g_free(convex.corner);
    g_free(concave.corner);
    return dip / 2 / (double)n;
}

/* p where √n · dip stands in one row of the table. */
static double p_in_row(const double *row, double height)
{
    if (height <= row[0])
        return 1 - DIP_LEVELS[0] * height / row[0];
    for (size_t i = 1; i < DIP_COLUMNS; i++) {
        if (height < row[i])
            return 1 - DIP_LEVELS[i - 1] -
                   (DIP_LEVELS[i] - DIP_LEVELS[i - 1]) * (height - row[i - 1]) / (row[i] - row[i - 1]);
    }
    return 1 - DIP_LEVELS[DIP_COLUMNS - 1];
}

double dip_p(double dip, size_t n)
{
    double height = sqrt((double)n) * dip, share;
    size_t row = 0;

    while (row + 1 < DIP_ROWS && DIP_RUNS[row + 1] <= n)
        row++;
    if (row + 1 == DIP_ROWS || DIP_RUNS[row] == n)
        return p_in_row(DIP_QUANTILES[row], height);
    share = log((double)n / (double)DIP_RUNS[row]) / log((double)DIP_RUNS[row + 1] / (double)DIP_RUNS[row]);
    return (1 - share) * p_in_row(DIP_QUANTILES[row], height) +
           share * p_in_row(DIP_QUANTILES[row + 1], height);
}

/* In place: each group of equal values becomes as many, spread evenly over the smallest distance between two values. */
static void spread_ties(double *sorted, size_t n)
{
    double least = INFINITY;

    for (size_t i = 1; i < n; i++) {
        if (sorted[i] > sorted[i - 1])
            least = fmin(least, sorted[i] - sorted[i - 1]);
    }
    for (size_t i = 0, j; i < n; i = j) {
        double value = sorted[i];

        for (j = i + 1; j < n && sorted[j] == value; j++)
            ;
        for (size_t k = i; j > i + 1 && k < j; k++)
            sorted[k] = value + least * (((double)(k - i) + 0.5) / (double)(j - i) - 0.5);
    }
}

static void split(struct dip_test *t, const double *sorted, size_t n)
{
    double widest = 0, squares;

    for (size_t i = 1; i < n; i++) {
        if (sorted[i] - sorted[i - 1] > widest) {
            widest = sorted[i] - sorted[i - 1];
            t->in_low = i;
        }
    }
    t->low_group = gsl_stats_mean(sorted, 1, t->in_low);
    t->high_group = gsl_stats_mean(sorted + t->in_low, 1, n - t->in_low);
    squares = gsl_stats_tss_m(sorted, 1, t->in_low, t->low_group) +
              gsl_stats_tss_m(sorted + t->in_low, 1, n - t->in_low, t->high_group);
    t->apart = widest / sqrt(squares / (double)(n - 2));
}

struct dip_test dip_of_runs(const double *sorted, size_t n)
{
    struct quantity none = quantity_unknown(n < FEWEST ? "it takes four runs" : "every run is equal");
    struct dip_test t = {.dip = none, .p = none};
    double dip;

    if (n < FEWEST || sorted[0] == sorted[n - 1])
        return t;
    g_autofree double *spread = stats_sorted(sorted, n);

    spread_ties(spread, n);
    dip = dip_statistic(spread, n);
    t.dip = quantity_of(dip);
    t.p = quantity_of(dip_p(dip, n));
    split(&t, sorted, n);
    return t;
}
