/* Are the verdicts as often wrong as they say? Experiments with a known truth go through report's own judgement, and are counted.
 *
 *   verdict_calibration [EXPERIMENTS [SEED]]
 *
 * Each cell is a kind of noise, a number of runs an arm, and a true gain: none, the margin, or 1.5 margins. Rows go to standard output, separated by TABs;
 * calibration_table.py makes the document's table of them. The exit status is 1 where a rate or a coverage leaves its bound by more than four
 * standard errors of the Monte Carlo; there are some hundred rates, so a rare one passes three.
 *
 * False: supported at a true gain of 0 or less, or refuted at a true gain of the margin or more. An experiment with a caution counts
 * too, unless the caution names the noise: drift or a change of level where there is drift, neighbours alike where there are clusters. */
#include "base/rng.h"
#include "report/judgement.h"
#include "report/ranks.h"
#include "report/shift.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum noise { NORMAL, QUIET, UNEQUAL, LOGNORMAL, HEAVY, DRIFT, SESSIONS, CLUSTERS, HIDDEN_CLUSTERS, N_NOISES };
enum { MOST_RUNS = 30, N_SIZES = 5, N_EFFECTS = 3 };

static const char *const NOISES[] = {"normal", "quiet",    "unequal",  "lognormal", "heavy",
                                     "drift",  "sessions", "clusters", "hidden"};
static const guint SIZES[N_SIZES] = {3, 5, 8, 15, 30};
static const double EFFECTS[N_EFFECTS] = {0, 1, 1.5}; /* in margins */
static const double MEAN = 100, MARGIN = 0.05;

struct cell {
    enum noise noise;
    guint n;
    double effect; /* true gain */
    double sd;
};

/* Counts over the experiments of a cell. */
struct counts {
    double experiments, supported, refuted, equivalent, false_verdicts, warned, named;
    double covered, covered_90, ratio, shift,
        shifts; /* intervals that hold the truth; shifts: experiments with such an interval */
    double bca, bcas, arm_bca,
        arm_bcas; /* the same of the bootstrap's: of the difference, and of the control's mean */
    double hyperfine_faster, hyperfine_apart, hyperfine_warned, benchstat_faster, benchstat_same,
        benchstat_covered;
};

/* One set of runs: the control's and the treatment's, in the order in which they are made, in turns. */
struct runs {
    double x[MOST_RUNS], y[MOST_RUNS];
};

/* Spread at which n runs find the margin now and then, or, when they are quiet, mostly. */
static double sd_for(enum noise noise, guint n)
{
    return (noise == QUIET ? 0.2 : 0.45) * MARGIN * MEAN * sqrt(n);
}

static double noise_of(const struct cell *c, gsl_rng *rng, guint i, bool treatment)
{
    switch (c->noise) {
    case UNEQUAL:
        return gsl_ran_gaussian(rng, treatment ? 1.4 * c->sd : 0.6 * c->sd);
    case HEAVY:
        return c->sd / sqrt(3) * gsl_ran_tdist(rng, 3);
    case DRIFT: /* twice the sd from the first run to the last */
        return gsl_ran_gaussian(rng, c->sd) + 2 * c->sd * (2.0 * i + (treatment ? 1 : 0)) / (2.0 * c->n - 1);
    default:
        return gsl_ran_gaussian(rng, c->sd);
    }
}

static void draw(const struct cell *c, gsl_rng *rng, struct runs *r)
{
    double own[2] = {0, 0};
    /* Multiplicative noise with mean 1: each run's factor. The sd is at most half of the mean. */
    double relative = fmin(0.5, c->sd / MEAN), sigma = sqrt(log1p(relative * relative));

    for (guint i = 0; i < c->n; i++) {
        /* A session or a cluster is three runs of an arm long, with as much spread between as within. */
        if (i % 3 == 0) {
            own[0] = gsl_ran_gaussian(rng, c->sd);
            own[1] = c->noise == SESSIONS ? own[0] : gsl_ran_gaussian(rng, c->sd);
        }
        if (c->noise == LOGNORMAL) {
            r->x[i] = MEAN * gsl_ran_lognormal(rng, -sigma * sigma / 2, sigma);
            r->y[i] = (MEAN + c->effect) * gsl_ran_lognormal(rng, -sigma * sigma / 2, sigma);
            continue;
        }
        r->x[i] = MEAN + noise_of(c, rng, i, false) + (c->noise >= SESSIONS ? own[0] : 0);
        r->y[i] = MEAN + c->effect + noise_of(c, rng, i, true) + (c->noise >= SESSIONS ? own[1] : 0);
    }
}

static void set_arm(struct claim_arm *arm, const char *label, int role, const double *values, guint n,
                    bool clustered)
{
    *arm = (struct claim_arm){
        .label = g_strdup(label), .role = role, .samples = samples_new(label, "MB/s", SAMPLES_MEASURED)};
    for (guint i = 0; i < n; i++)
        samples_add(arm->samples, values[i], NULL, 0);
    arm->block = clustered ? g_ptr_array_new_with_free_func(g_free) : NULL;
    for (guint i = 0; clustered && i < n; i++)
        g_ptr_array_add(arm->block, g_strdup_printf("%s%u", label, i / 3));
}

/* Returns owned: what a claim file with these runs, measured in turns, would hold. */
static struct claim *claim_of(const struct cell *c, const struct runs *r)
{
    struct claim *claim = g_new0(struct claim, 1);

    claim->title = g_strdup("calibration");
    claim->statement = g_strdup("calibration");
    claim->metric = (struct claim_metric){g_strdup("rate"), g_strdup("MB/s"), CLAIM_HIGHER};
    claim->margin = MARGIN;
    claim->order = CLAIM_INTERLEAVED;
    claim->file = g_strdup("calibration.yaml");
    claim->sha256 = g_strdup("");
    claim_evidence_init(&claim->evidence, NULL);
    set_arm(&claim->control, "A", CLAIM_CONTROL, r->x, c->n, c->noise == CLUSTERS);
    set_arm(&claim->treatment, "B", CLAIM_TREATMENT, r->y, c->n, c->noise == CLUSTERS);
    return claim;
}

static bool has_caution(const struct judgement *j, enum caution caution)
{
    for (guint i = 0; i < j->cautions->len; i++) {
        if (g_array_index(j->cautions, enum caution, i) == caution)
            return true;
    }
    return false;
}

/* Does a caution name what is wrong with these runs? */
static bool names(const struct judgement *j, enum noise noise)
{
    if (noise == DRIFT)
        return has_caution(j, CAUTION_DRIFT) || has_caution(j, CAUTION_CHANGE);
    return noise >= SESSIONS && has_caution(j, CAUTION_NEIGHBOURS);
}

static bool holds(struct interval i, double truth)
{
    return i.bounded && i.low <= truth && truth <= i.high;
}

static void count_verdict(struct counts *n, const struct cell *c, const struct judgement *j)
{
    bool supported =
        j->verdict.decision == VERDICT_SUPPORTED || j->verdict.decision == VERDICT_SUPPORTED_SMALL;
    bool refuted = j->verdict.decision == VERDICT_REFUTED, named = names(j, c->noise);
    bool wrong = (supported && c->effect <= 0) || (refuted && c->effect >= MARGIN * MEAN);

    n->experiments += 1;
    n->supported += supported;
    n->refuted += refuted;
    n->equivalent +=
        j->gain_90.bounded && j->gain_90.low > -j->margin.value && j->gain_90.high < j->margin.value;
    n->named += named;
    n->warned += j->cautions->len > 0;
    n->false_verdicts += wrong && !named;
    n->covered += !j->gain.bounded || holds(j->gain, c->effect);
    n->covered_90 += !j->gain_90.bounded || holds(j->gain_90, c->effect);
}

/* As a verdict resamples, with the truth that both means are MEAN. */
static void count_bootstrap(struct counts *n, const struct judgement *j)
{
    struct bootstrap b;

    bootstrap_means(j->design.treatment, j->design.n_treatment, j->design.control, j->design.n_control,
                    BOOTSTRAP_RESAMPLES, UINT64_MAX, &b);
    n->bcas += b.difference.bounded;
    n->bca += holds(b.difference, 0);
    n->arm_bcas += b.mean_b.bounded;
    n->arm_bca += holds(b.mean_b, MEAN);
}

/* What the arms' other intervals make of it. */
static void count_intervals(struct counts *n, const struct cell *c, const struct judgement *j, guint64 number)
{
    struct interval ratio = contrast_ratio(&j->comparison.contrast), shift;

    n->ratio += !ratio.bounded || holds(ratio, (MEAN + c->effect) / MEAN);
    /* The exact distribution of ranks is made anew each time, and so are the resamples: one experiment in ten has to do. */
    if (number % 10 != 0)
        return;
    shift =
        shift_independent(j->design.treatment, j->design.n_treatment, j->design.control, j->design.n_control);
    n->shifts += shift.bounded;
    n->shift += holds(shift, c->effect);
    if (c->effect == 0)
        count_bootstrap(n, j);
}

/* hyperfine's: "B ran r ± s times faster", s from the standard deviations of the runs, and the reader who believes it where r - s > 1; or
 * who wants the two mean ± sd not to overlap. Its warning: a run over 14.826 median absolute deviations from the median. */
static bool far_off(const double *x, guint n)
{
    double sorted[MOST_RUNS], off[MOST_RUNS], middle, unit;

    memcpy(sorted, x, n * sizeof *x);
    gsl_sort(sorted, 1, n);
    middle = gsl_stats_median_from_sorted_data(sorted, 1, n);
    for (guint i = 0; i < n; i++)
        off[i] = fabs(x[i] - middle);
    gsl_sort(off, 1, n);
    unit = gsl_stats_median_from_sorted_data(off, 1, n);
    return off[n - 1] > 14.826 * unit;
}

static void count_hyperfine(struct counts *n, guint runs, const struct runs *r)
{
    double x = gsl_stats_mean(r->x, 1, runs), y = gsl_stats_mean(r->y, 1, runs);
    double sx = gsl_stats_sd(r->x, 1, runs), sy = gsl_stats_sd(r->y, 1, runs);
    double ratio = y / x, error = ratio * sqrt(sx * sx / x / x + sy * sy / y / y);

    n->hyperfine_faster += ratio - error > 1;
    n->hyperfine_apart += y - sy > x + sx;
    n->hyperfine_warned += far_off(r->x, runs) || far_off(r->y, runs);
}

/* benchstat's: medians compared where Mann-Whitney has p < 0.05 (and "~" where not), which many read as "no difference". */
static void count_benchstat(struct counts *n, const struct cell *c, const struct runs *r, guint64 critical)
{
    double u = 0, cut = (double)critical, pairs = (double)c->n * c->n;

    for (guint i = 0; i < c->n; i++) {
        for (guint k = 0; k < c->n; k++)
            u += r->y[i] > r->x[k];
    }
    n->benchstat_faster += pairs - u < cut;
    n->benchstat_same += u >= cut && pairs - u >= cut;
}

static void run_experiment(struct counts *n, const struct cell *c, guint64 number, guint64 seed,
                           guint64 critical)
{
    g_autofree char *name = g_strdup_printf("calibration/%s/%u/%g", NOISES[c->noise], c->n, c->effect);
    gsl_rng *rng = rng_stream(seed, number, name);
    struct runs r;
    struct claim *claim;
    struct judgement *j;

    draw(c, rng, &r);
    claim = claim_of(c, &r);
    j = judgement_decide(claim);
    count_verdict(n, c, j);
    count_intervals(n, c, j, number);
    count_hyperfine(n, c->n, &r);
    count_benchstat(n, c, &r, critical);
    judgement_free(j);
    claim_free(claim);
    gsl_rng_free(rng);
}

static void add_counts(struct counts *to, const struct counts *from)
{
    double *sum = (double *)to;
    const double *more = (const double *)from;

    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++)
        sum[i] += more[i];
}

static struct counts run_cell(const struct cell *c, guint64 experiments, guint64 seed)
{
    guint64 critical = ranks_critical_u(c->n, c->n, 0.025);
    struct counts all = {0};

#pragma omp parallel
    {
        struct counts own = {0};

#pragma omp for schedule(dynamic, 64)
        for (guint64 i = 0; i < experiments; i++)
            run_experiment(&own, c, i, seed, critical);
#pragma omp critical
        add_counts(&all, &own);
    }
    return all;
}

/* The power that the tests have by theory, on normal runs with these spreads: the mean, over both arms' chi-squared
 * variances, of what the normal distribution of the difference leaves beyond the bound. */
enum { STEPS = 250 };

struct theory {
    double t, tost;
};

static void add_power(struct theory *sum, const struct cell *c, double vx, double vy, double sigma)
{
    double n = c->n, se = sqrt((vx + vy) / n), share = vx / (vx + vy);
    double df = (n - 1) / (share * share + (1 - share) * (1 - share));
    double cut = gsl_cdf_tdist_Pinv(0.975, df) * se, room = MARGIN * MEAN - gsl_cdf_tdist_Pinv(0.95, df) * se;

    sum->t += gsl_cdf_ugaussian_Q((cut - c->effect) / sigma);
    if (room > 0)
        sum->tost += gsl_cdf_ugaussian_P((room - c->effect) / sigma) -
                     gsl_cdf_ugaussian_P((-room - c->effect) / sigma);
}

static struct theory theory_of(const struct cell *c)
{
    double sx = c->noise == UNEQUAL ? 0.6 * c->sd : c->sd, sy = c->noise == UNEQUAL ? 1.4 * c->sd : c->sd;
    double df = c->n - 1, sigma = sqrt((sx * sx + sy * sy) / c->n);
    struct theory sum = {0, 0};
    double v[STEPS];

    for (int i = 0; i < STEPS; i++)
        v[i] = gsl_cdf_chisq_Pinv((i + 0.5) / STEPS, df) / df;
    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k < STEPS; k++)
            add_power(&sum, c, sx * sx * v[i], sy * sy * v[k], sigma);
    }
    return (struct theory){sum.t / STEPS / STEPS, sum.tost / STEPS / STEPS};
}

/* Is the rate above (sign 1) or below (-1) its bound by more than chance? */
static bool leaves(double hits, double of, double bound, double sign)
{
    return of > 0 && sign * (hits / of - bound) > 4 * sqrt(bound * (1 - bound) / of);
}

static bool complain(const struct cell *c, const char *what, double rate, double bound)
{
    fprintf(stderr, "%s, n = %u, gain %g: %s is %.4f, and should be %.4f\n", NOISES[c->noise], c->n,
            c->effect, what, rate, bound);
    return false;
}

/* The margin is a share of the control's sample mean: the rule holds it fixed, but it varies with the runs, and with it the
 * difference between gain and margin. For "higher is better" that makes 5 % a little more. */
static double margin_alpha(void)
{
    return gsl_cdf_ugaussian_Q(gsl_cdf_ugaussian_Pinv(0.95) / sqrt((1 + (1 + MARGIN) * (1 + MARGIN)) / 2));
}

/* Clusters that nothing in the claim tells of can't be allowed for: those rates are shown, not checked. */
static bool check_rates(const struct cell *c, const struct counts *n)
{
    double alpha = c->effect > 0 ? margin_alpha() : 0.025, e = n->experiments;
    bool ok = true;

    if (c->noise == HIDDEN_CLUSTERS)
        return true;
    if (leaves(n->false_verdicts, e, alpha, 1))
        ok = complain(c, "the rate of false verdicts", n->false_verdicts / e, alpha);
    if (leaves(n->covered, e, 0.95, -1) && c->noise != DRIFT)
        ok = complain(c, "the coverage of the 95 % interval", n->covered / e, 0.95);
    if (leaves(n->covered_90, e, 0.90, -1) && c->noise != DRIFT)
        ok = complain(c, "the coverage of the 90 % interval", n->covered_90 / e, 0.90);
    if (leaves(n->ratio, e, 0.95, -1) && c->noise != DRIFT)
        ok = complain(c, "the coverage of the ratio's interval", n->ratio / e, 0.95);
    /* Of heavy tails few runs show none: no way of drawing them again can make up for that. */
    if (leaves(n->bca, n->bcas, 0.95, -1) && c->noise != DRIFT && c->noise != HEAVY)
        ok = complain(c, "the coverage of the bootstrap's interval", n->bca / n->bcas, 0.95);
    if (c->noise <= QUIET && leaves(n->warned, e, 0.05, 1))
        ok = complain(c, "the share with a caution", n->warned / e, 0.05);
    return ok;
}

static bool check_power(const struct cell *c, const struct counts *n, const struct theory *t)
{
    double e = n->experiments, room = 0.02 + 4 * sqrt(0.25 / e);
    bool ok = true;

    if (fabs(n->supported / e - t->t) > room)
        ok = complain(c, "the power of the t test", n->supported / e, t->t);
    if (fabs(n->equivalent / e - t->tost) > room)
        ok = complain(c, "the power of the equivalence test", n->equivalent / e, t->tost);
    return ok;
}

static bool do_cell(enum noise noise, guint n, double margins, guint64 experiments, guint64 seed)
{
    struct cell c = {noise, n, margins * MARGIN * MEAN, sd_for(noise, n)};
    struct counts k = run_cell(&c, experiments, seed);
    struct theory t = {NAN, NAN};
    double e = k.experiments;
    bool ok = check_rates(&c, &k);

    if (noise <= UNEQUAL) {
        t = theory_of(&c);
        ok = check_power(&c, &k, &t) && ok;
    }
    printf("%s\t%u\t%g\t%.0f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%"
           ".5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\n",
           NOISES[noise], n, margins, e, k.false_verdicts / e, k.supported / e, k.refuted / e,
           k.equivalent / e, t.t, t.tost, k.covered / e, k.covered_90 / e, k.ratio / e,
           k.shifts > 0 ? k.shift / k.shifts : NAN, k.warned / e, k.named / e, k.hyperfine_faster / e,
           k.hyperfine_apart / e, k.hyperfine_warned / e, k.benchstat_faster / e, k.benchstat_same / e,
           k.bcas > 0 ? k.bca / k.bcas : NAN, k.arm_bcas > 0 ? k.arm_bca / k.arm_bcas : NAN);
    fflush(stdout);
    return ok;
}

int main(int argc, char **argv)
{
    guint64 experiments = argc > 1 ? g_ascii_strtoull(argv[1], NULL, 10) : 400;
    guint64 seed = argc > 2 ? g_ascii_strtoull(argv[2], NULL, 10) : 1;
    bool ok = experiments > 0;

    gsl_set_error_handler_off();
    printf("noise\tn\tmargins\texperiments\tfalse\tsupported\trefuted\tequivalent\tt_power\ttost_"
           "power\tcovered\tcovered_90\tratio\tshift\t"
           "warned\tnamed\thyperfine_faster\thyperfine_apart\thyperfine_warned\tbenchstat_faster\tbenchstat_"
           "same\tbca\tarm_bca\n");
    for (int noise = 0; noise < N_NOISES; noise++) {
        for (guint s = 0; s < N_SIZES; s++) {
            for (guint m = 0; m < N_EFFECTS; m++)
                ok = do_cell((enum noise)noise, SIZES[s], EFFECTS[m], experiments, seed) && ok;
        }
    }
    return ok ? 0 : 1;
}
