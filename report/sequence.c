#include "report/sequence.h"
#include "report/sorting.h"
#include "base/rng.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

enum { SHUFFLES = 999, ENOUGH = 50, MOST_SHUFFLED = 1000, FEWEST_IN_SERIES = 4 };

static const uint64_t SEED = 1;
static const char TOO_FEW[] = "it takes four runs of a kind", EQUAL[] = "every run of a kind is equal";

/* One series: where its runs stand in the sequence. */
struct series {
    size_t *at, n;
    double mean, mean_turn, squares;
};

/* The sequence as distances from the series' means, and their ranks around the middle rank. */
struct state {
    const struct sequence_run *runs;
    size_t n;
    struct series *series;
    unsigned int n_series;
    double *off, *rank;
    double squares; /* of all distances */
};

static int by_turn(gconstpointer a, gconstpointer b)
{
    const struct sequence_run *x = a, *y = b;

    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return (x->series > y->series) - (x->series < y->series);
}

static void collect(struct state *s)
{
    for (size_t i = 0; i < s->n; i++)
        s->series[s->runs[i].series].n++;
    for (unsigned int k = 0; k < s->n_series; k++) {
        s->series[k].at = g_new(size_t, s->series[k].n + 1);
        s->series[k].n = 0;
    }
    for (size_t i = 0; i < s->n; i++) {
        struct series *own = &s->series[s->runs[i].series];

        own->at[own->n++] = i;
        own->mean += (s->runs[i].value - own->mean) / (double)own->n;
        own->mean_turn += (s->runs[i].turn - own->mean_turn) / (double)own->n;
    }
    for (size_t i = 0; i < s->n; i++) {
        struct series *own = &s->series[s->runs[i].series];

        /* Equal runs are at no distance, whatever the last bits of their mean are. */
        s->off[i] =
            fabs(s->runs[i].value - own->mean) > 1e-14 * fabs(own->mean) ? s->runs[i].value - own->mean : 0;
        own->squares += s->off[i] * s->off[i];
        s->squares += s->off[i] * s->off[i];
    }
}

static void rank(struct state *s)
{
    g_autofree size_t *order = g_new(size_t, s->n + 1);

    sorting_index(order, s->off, s->n);
    for (size_t i = 0, j; i < s->n; i = j) {
        for (j = i + 1; j < s->n && s->off[order[j]] == s->off[order[i]]; j++)
            ;
        for (size_t k = i; k < j; k++)
            s->rank[order[k]] = (double)(i + 1 + j) / 2 - (double)(s->n + 1) / 2;
    }
}

static void find_drift(const struct state *s, struct sequence *out)
{
    double turns = 0, both = 0, df = (double)s->n - (double)s->n_series - 1, slope, left;

    for (size_t i = 0; i < s->n; i++) {
        double turn = s->runs[i].turn - s->series[s->runs[i].series].mean_turn;

        turns += turn * turn;
        both += turn * s->off[i];
    }
    if (df < 1 || turns == 0)
        return;
    slope = both / turns;
    left = s->squares - slope * both;
    out->slope = quantity_of(slope);
    out->by_slope = slope * both / s->squares;
    if (left <= 1e-12 * s->squares)
        out->drift_p = quantity_of(0); /* a straight line */
    else
        out->drift_p = quantity_of(2 * gsl_cdf_tdist_Q(fabs(slope) / sqrt(left / df / turns), df));
}

static double lag_1(const struct state *s)
{
    double sum = 0;

    for (unsigned int k = 0; k < s->n_series; k++) {
        const struct series *own = &s->series[k];

        for (size_t i = 1; i < own->n; i++)
            sum += s->off[own->at[i - 1]] * s->off[own->at[i]];
    }
    return sum / s->squares;
}

/* Pettitt's K; *after gets the number of runs before the cut. */
static double pettitt(const struct state *s, size_t *after)
{
    double sum = 0, most = 0;

    for (size_t i = 0; i + 1 < s->n; i++) {
        sum += s->rank[i];
        if (fabs(sum) > most) {
            most = fabs(sum);
            *after = i + 1;
        }
    }
    return 2 * most;
}

static void shuffle(struct state *s, gsl_rng *rng)
{
    for (unsigned int k = 0; k < s->n_series; k++) {
        const struct series *own = &s->series[k];

        for (size_t i = own->n; i > 1; i--) {
            size_t a = own->at[i - 1], b = own->at[(size_t)((uint64_t)gsl_rng_get(rng) * i >> 32)];
            double off = s->off[a], place = s->rank[a];

            s->off[a] = s->off[b];
            s->rank[a] = s->rank[b];
            s->off[b] = off;
            s->rank[b] = place;
        }
    }
}

static double change_size(const struct state *s, size_t after)
{
    double before = 0, behind = 0;

    for (size_t i = 0; i < s->n; i++)
        *(i < after ? &before : &behind) += s->off[i];
    return behind / (double)(s->n - after) - before / (double)after;
}

/* p by shuffling, one shuffle after the other (Besag and Clifford 1991): over once ENOUGH shuffles were as extreme as the runs. */
struct tail {
    int hits, tried;
};

static bool look(struct tail *t, bool as_extreme)
{
    if (t->hits < ENOUGH) {
        t->tried++;
        t->hits += as_extreme;
    }
    return t->hits < ENOUGH;
}

static struct quantity tail_p(const struct tail *t)
{
    if (t->hits == ENOUGH)
        return quantity_of((double)t->hits / t->tried);
    return quantity_of((double)(t->hits + 1) / (t->tried + 1));
}

static void by_shuffling(struct state *s, double lag, double k, struct sequence *out)
{
    gsl_rng *rng = rng_stream(SEED, 0, "report/sequence");
    struct tail lags = {0, 0}, cuts = {0, 0};
    bool open = true;

    for (int i = 0; open && i < SHUFFLES; i++) {
        size_t after;

        shuffle(s, rng);
        open = look(&lags, lag_1(s) >= lag - 1e-12);
        open = look(&cuts, pettitt(s, &after) >= k - 1e-9) || open;
    }
    gsl_rng_free(rng);
    out->lag_1_p = tail_p(&lags);
    out->change_p = tail_p(&cuts);
}

static void by_formula(const struct state *s, double lag, double k, struct sequence *out)
{
    double n = (double)s->n;

    out->lag_1_p = quantity_of(gsl_cdf_ugaussian_Q((lag + (double)s->n_series / n) * sqrt(n)));
    out->change_p = quantity_of(fmin(1, 2 * exp(-6 * k * k / (n * n * n + n * n))));
}

static void find_neighbours(struct state *s, struct sequence *out)
{
    double lag = lag_1(s), k = pettitt(s, &out->change_after);
    double size = change_size(s, out->change_after), before = (double)out->change_after;

    out->lag_1 = quantity_of(lag);
    out->change_size = quantity_of(size);
    out->by_step = size * size * before * (1 - before / (double)s->n) / s->squares;
    if (s->n <= MOST_SHUFFLED)
        by_shuffling(s, lag, k, out);
    else
        by_formula(s, lag, k, out);
}

static void find_first(const struct state *s, struct sequence *out)
{
    unsigned int looked_at = 0;
    double least = 2;

    for (unsigned int k = 0; k < s->n_series; k++) {
        const struct series *own = &s->series[k];
        double n = (double)own->n, rest = n - 1, off, left, p;

        if (own->n < FEWEST_IN_SERIES || own->squares == 0)
            continue;
        /* The others' mean lies beyond the series' own, away from the first run. */
        off = s->off[own->at[0]] * n / rest;
        left = own->squares - off * off * rest / n;
        looked_at++;
        p = left <= 1e-12 * own->squares
                ? 0
                : 2 * gsl_cdf_tdist_Q(fabs(off) / sqrt(left / (rest - 1) * (1 + 1 / rest)), rest - 1);
        if (p < least) {
            least = p;
            out->first_series = k;
            out->first_off = off;
        }
    }
    if (looked_at > 0)
        out->first_p = quantity_of(fmin(1, least * looked_at));
}

static size_t longest(const struct state *s)
{
    size_t most = 0;

    for (unsigned int k = 0; k < s->n_series; k++)
        most = MAX(most, s->series[k].n);
    return most;
}

void sequence_check(struct sequence_run *runs, size_t n, unsigned int n_series, struct sequence *out)
{
    struct state s = {
        runs, n, g_new0(struct series, n_series + 1), n_series, g_new0(double, n + 1), g_new0(double, n + 1),
        0};
    struct quantity few = quantity_unknown(TOO_FEW);

    *out = (struct sequence){few, few, 0, few, few, few, few, 0, 0, 0, few, 0, 0};
    if (n > 0)
        qsort(runs, n, sizeof *runs, by_turn);
    collect(&s);
    if (n > 0 && s.squares == 0) {
        struct quantity equal = quantity_unknown(EQUAL);

        *out = (struct sequence){equal, equal, 0, equal, equal, equal, equal, 0, 0, 0, equal, 0, 0};
    } else if (n > 0) {
        out->turns = runs[n - 1].turn - runs[0].turn;
        rank(&s);
        find_drift(&s, out);
        find_first(&s, out);
        if (longest(&s) >= FEWEST_IN_SERIES)
            find_neighbours(&s, out);
    }
    for (unsigned int k = 0; k < n_series; k++)
        g_free(s.series[k].at);
    g_free(s.series);
    g_free(s.off);
    g_free(s.rank);
}
