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

/* The stretch of a's runs that make up members above `low` and up to `high` with one run, j after j: from `from`, below `to`. */
struct stretch {
    size_t from, to;
};

static struct stretch stretch_of(const struct pile *p)
{
    return p->b ? (struct stretch){0, 0} : (struct stretch){p->n, p->n};
}

static double member(const struct pile *p, size_t i, size_t j)
{
    return p->b ? p->a[i] - p->b[j] : p->a[i] / 2 + p->a[j] / 2;
}

static void stretch_next(struct stretch *s, const struct pile *p, size_t j, double low, double high)
{
    if (p->b) {
        while (s->from < p->n && member(p, s->from, j) <= low)
            s->from++;
        while (s->to < p->n && member(p, s->to, j) <= high)
            s->to++;
    } else {
        while (s->from > 0 && member(p, s->from - 1, j) > low)
            s->from--;
        while (s->to > 0 && member(p, s->to - 1, j) > high)
            s->to--;
    }
}

static size_t stretch_end(const struct stretch *s, const struct pile *p, size_t j)
{
    return p->b ? s->to : MIN(s->to, j + 1);
}

/* The ends become the least and the largest member above `low` and up to `high`. */
static void tighten(const struct pile *p, double *low, double *high)
{
    struct stretch s = stretch_of(p);
    double least = INFINITY, most = -INFINITY;

    for (size_t j = 0; j < (p->b ? p->m : p->n); j++) {
        stretch_next(&s, p, j, *low, *high);
        if (s.from < stretch_end(&s, p, j)) {
            least = fmin(least, member(p, s.from, j));
            most = fmax(most, member(p, stretch_end(&s, p, j) - 1, j));
        }
    }
    *low = least;
    *high = most;
}

/* Those above `low` and up to `high`, ascending. Returns owned. */
static double *between(const struct pile *p, double low, double high, size_t count)
{
    double *found = g_new(double, count + 1);
    struct stretch s = stretch_of(p);
    size_t n = 0;

    for (size_t j = 0; j < (p->b ? p->m : p->n); j++) {
        stretch_next(&s, p, j, low, high);
        for (size_t i = s.from; i < stretch_end(&s, p, j); i++)
            found[n++] = member(p, i, j);
    }
    g_assert(n == count);
    sorting_ascend(found, n);
    return found;
}

enum { IDLE = 3 }; /* steps that find no fewer, before it is taken to be clumps */

/* Where the k-th is: `under` of the pile lie below `low`, `within` from there to `high`, each as the key of a double. */
struct bracket {
    uint64_t low, high, under, within;
    double over;         /* all of those within are larger */
    double below, above; /* by how many the ends are off, for guess() */
    int side;            /* that moved last */
};

/* Where the count would reach k if it grew evenly between the ends; by halves when that doesn't get on. */
static uint64_t guess(const struct bracket *b, unsigned int idle)
{
    double from = value_of(b->low), to = value_of(b->high);
    double at = from + (to - from) * (b->below / (b->below + b->above));

    if (idle >= IDLE || !(at > from && at < to))
        return b->low + (b->high - b->low) / 2;
    return CLAMP(key_of(at), b->low, b->high - 1);
}

static void narrow(struct bracket *b, const struct pile *p, uint64_t k, uint64_t middle)
{
    uint64_t found = up_to(p, value_of(middle));

    if (found >= k) {
        b->high = middle;
        b->within = found - b->under;
        b->above = (double)(found - k) + 0.5;
        b->below = b->side > 0 ? b->below / 2 : b->below;
        b->side = 1;
    } else {
        b->low = middle + 1;
        b->over = value_of(middle);
        b->within -= found - b->under;
        b->under = found;
        b->below = (double)(k - found) - 0.5;
        b->above = b->side < 0 ? b->above / 2 : b->above;
        b->side = -1;
    }
}

/* The k-th smallest, from 1; *next becomes the one after it, or NaN where that was not come by. By the false position of Illinois (the
 * end that stays counts half the next time) until so few are left between the ends that they can be written down. Runs
 * with few digits have many differences that are equal but for their last bits: once the steps find no fewer, the ends
 * close in on what is there, and halve what is left. */
static double smallest(const struct pile *p, uint64_t k, double *next)
{
    enum { FEW = 10000 };
    double least = p->b ? p->a[0] - p->b[p->m - 1] : p->a[0];
    double most = p->b ? p->a[p->n - 1] - p->b[0] : p->a[p->n - 1];
    struct bracket b = {
        key_of(least), key_of(most), 0, p->count, -INFINITY, (double)k, (double)(p->count - k) + 1, 0};
    unsigned int idle = 0;

    while (b.low < b.high && b.within > FEW) {
        uint64_t before = b.within;

        narrow(&b, p, k, guess(&b, idle));
        idle = b.within > before / 2 ? idle + 1 : 0;
        if (idle == IDLE) {
            double low = b.over, high = value_of(b.high);

            tighten(p, &low, &high);
            b.low = key_of(low);
            b.high = key_of(high);
        }
    }
    *next = b.under + b.within > k ? value_of(b.low) + 0.0 : NAN; /* no minus zero */
    if (b.low < b.high) {
        g_autofree double *left = between(p, b.over, value_of(b.high), b.within);

        *next = b.under + b.within > k ? left[k - b.under] + 0.0 : NAN;
        return left[k - b.under - 1] + 0.0;
    }
    return value_of(b.low) + 0.0;
}

/* `cut`: that many of the pile lie outside at either end, counting the end itself. */
static struct interval middle_of(const struct pile *p, uint64_t cut)
{
    struct interval i = {.known = true, .why = "so few runs give no 95 % interval by ranks"};
    double next;

    i.value = smallest(p, (p->count + 1) / 2, &next);
    if (p->count % 2 == 0)
        i.value = (i.value + (isnan(next) ? smallest(p, p->count / 2 + 1, &next) : next)) / 2;
    if (cut == 0)
        return i;
    i.bounded = true;
    i.why = NULL;
    i.low = smallest(p, cut, &next);
    i.high = smallest(p, p->count + 1 - cut, &next);
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
