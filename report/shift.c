#include "report/shift.h"
#include "report/ranks.h"
#include "report/sorting.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* The differences, or the means of two differences, as a sorted list that is never written down: how many are at most v? */
struct pile {
    const double *a, *b; /* sorted; b NULL: means of a's pairs */
    size_t n, m;
    uint64_t count;
};

/* a[i] - b[j] grows with i and falls with j. */
static uint64_t differences_up_to(const struct pile *p, double v)
{
    uint64_t total = 0;
    size_t i = 0;

    for (size_t j = 0; j < p->m; j++) {
        while (i < p->n && p->a[i] - p->b[j] <= v)
            i++;
        total += i;
    }
    return total;
}

/* (a[i] + a[j]) / 2 for i <= j. */
static uint64_t means_up_to(const struct pile *p, double v)
{
    uint64_t total = 0;
    size_t i = p->n;

    for (size_t j = 0; j < p->n; j++) {
        while (i > 0 && p->a[i - 1] / 2 + p->a[j] / 2 > v)
            i--;
        total += MIN(i, j + 1);
    }
    return total;
}

static uint64_t up_to(const struct pile *p, double v)
{
    return p->b ? differences_up_to(p, v) : means_up_to(p, v);
}

/* Doubles in the order of their values as integers, and back. */
static uint64_t key_of(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Where the count would reach k if it grew evenly between the ends, which are off by those many; by halves when that doesn't get on. */
static uint64_t guess(uint64_t low, uint64_t high, double below, double above, unsigned int step)
{
    enum { PATIENCE = 40 };
    double from = value_of(low), to = value_of(high);
    double at = from + (to - from) * (below / (below + above));

    if (step >= PATIENCE || !(at > from && at < to))
        return low + (high - low) / 2;
    return CLAMP(key_of(at), low, high - 1);
}

/* Those above `low` and up to `high`, ascending. Returns owned. */
static double *between(const struct pile *p, double low, double high, size_t count)
{
    double *found = g_new(double, count + 1);
    size_t n = 0, from = p->b ? 0 : p->n, to = from;

    for (size_t j = 0; p->b && j < p->m; j++) {
        while (from < p->n && p->a[from] - p->b[j] <= low)
            from++;
        for (to = MAX(to, from); to < p->n && p->a[to] - p->b[j] <= high; to++)
            ;
        for (size_t i = from; i < to; i++)
            found[n++] = p->a[i] - p->b[j];
    }
    for (size_t j = 0; !p->b && j < p->n; j++) {
        while (from > 0 && p->a[from - 1] / 2 + p->a[j] / 2 > low)
            from--;
        while (to > 0 && p->a[to - 1] / 2 + p->a[j] / 2 > high)
            to--;
        for (size_t i = from; i < MIN(to, j + 1); i++)
            found[n++] = p->a[i] / 2 + p->a[j] / 2;
    }
    g_assert(n == count);
    sorting_ascend(found, n);
    return found;
}

/* The k-th smallest, from 1. By the false position of Illinois (the end that stays counts half the next time) until so few are left
 * between the ends that they can be written down. */
static double smallest(const struct pile *p, uint64_t k)
{
    enum { FEW = 10000 };
    double least = p->b ? p->a[0] - p->b[p->m - 1] : p->a[0];
    double most = p->b ? p->a[p->n - 1] - p->b[0] : p->a[p->n - 1];
    double below = (double)k, above = (double)(p->count - k) + 1;
    uint64_t low = key_of(least), high = key_of(most), under = 0, up_to_high = p->count;
    int side = 0;

    for (unsigned int step = 0; low < high && up_to_high - under > FEW; step++) {
        uint64_t middle = guess(low, high, below, above, step), found = up_to(p, value_of(middle));

        if (found >= k) {
            high = middle;
            up_to_high = found;
            above = (double)(found - k) + 0.5;
            below = side > 0 ? below / 2 : below;
            side = 1;
        } else {
            low = middle + 1;
            under = found;
            below = (double)(k - found) - 0.5;
            above = side < 0 ? above / 2 : above;
            side = -1;
        }
    }
    if (low < high) {
        g_autofree double *left =
            between(p, under ? value_of(low - 1) : -INFINITY, value_of(high), up_to_high - under);

        return left[k - under - 1] + 0.0; /* no minus zero */
    }
    return value_of(low) + 0.0;
}

/* `cut`: that many of the pile lie outside at either end, counting the end itself. */
static struct interval middle_of(const struct pile *p, uint64_t cut)
{
    struct interval i = {.known = true, .why = "so few runs give no 95 % interval by ranks"};

    i.value = smallest(p, (p->count + 1) / 2);
    if (p->count % 2 == 0)
        i.value = (i.value + smallest(p, p->count / 2 + 1)) / 2;
    if (cut == 0)
        return i;
    i.bounded = true;
    i.why = NULL;
    i.low = smallest(p, cut);
    i.high = smallest(p, p->count + 1 - cut);
    return i;
}

static uint64_t normal_cut(double mean, double variance)
{
    double cut = floor(mean - gsl_cdf_ugaussian_Pinv(0.975) * sqrt(variance));

    return cut > 0 ? (uint64_t)cut : 0;
}

struct interval shift_independent(const double *treatment, size_t n_treatment, const double *control,
                                  size_t n_control)
{
    double n = (double)n_treatment, m = (double)n_control;

    if (n_treatment == 0 || n_control == 0)
        return (struct interval){.why = "an arm has no runs"};
    g_autofree double *a = stats_sorted(treatment, n_treatment), *b = stats_sorted(control, n_control);
    struct pile p = {a, b, n_treatment, n_control, (uint64_t)n_treatment * n_control};
    bool exact = n_treatment < RANKS_EXACT_BELOW && n_control < RANKS_EXACT_BELOW;

    return middle_of(&p, exact ? ranks_critical_u(n_treatment, n_control, 0.025)
                               : normal_cut(n * m / 2, n * m * (n + m + 1) / 12));
}

struct interval shift_paired(const double *d, size_t n)
{
    double k = (double)n;

    if (n == 0)
        return (struct interval){.why = "an arm has no runs"};
    g_autofree double *a = stats_sorted(d, n);
    struct pile p = {a, NULL, n, 0, (uint64_t)n * (n + 1) / 2};

    return middle_of(&p, n < RANKS_EXACT_BELOW ? ranks_critical_signed(n, 0.025)
                                               : normal_cut(k * (k + 1) / 4, k * (k + 1) * (2 * k + 1) / 24));
}
