#include "report/bootstrap.h"
#include "report/sorting.h"
#include "base/rng.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum { FEWEST_RESAMPLES = 200 };

static const uint64_t SEED = 1;

/* One arm and the means of its resamples. */
struct arm {
    const double *x;
    size_t n;
    double mean, variance; /* of the mean */
    double squares, cubes; /* sums over the runs of their influence on the mean */
    double *means;
};

static void describe(struct arm *arm, const double *x, size_t n)
{
    double count = (double)n, spread = 0;

    *arm = (struct arm){.x = x, .n = n, .mean = n ? gsl_stats_mean(x, 1, n) : 0};
    if (n < 2)
        return;
    spread = gsl_stats_sd_m(x, 1, n, arm->mean);
    arm->variance = spread * spread / count;
    for (size_t i = 0; i < n; i++) {
        double influence = (x[i] - arm->mean) / count;

        arm->squares += influence * influence;
        arm->cubes += influence * influence * influence;
    }
}

/* A number below n from 32 random bits; the bias is below n / 2^32. */
static size_t any_below(gsl_rng *rng, uint64_t n)
{
    return (size_t)((uint64_t)gsl_rng_get(rng) * n >> 32);
}

static void resample(struct arm *arm, const char *stream, uint64_t resamples)
{
    gsl_rng *rng = rng_stream(SEED, 0, stream);

    arm->means = g_new(double, resamples + 1);
    for (uint64_t r = 0; r < resamples; r++) {
        double sum = 0;

        for (size_t i = 0; i < arm->n; i++)
            sum += arm->x[any_below(rng, arm->n)] - arm->mean;
        arm->means[r] = arm->mean + sum / (double)arm->n;
    }
    gsl_rng_free(rng);
}

/* The resampled estimates, the estimate itself, and what BCa needs to know about it. */
struct estimate {
    double *resampled; /* gets sorted */
    uint64_t resamples;
    double value, acceleration;
    double widened; /* normal deviate whose tail stands for 2.5 % */
};

/* Share of the resamples below the estimate, those that equal it by half. Sums in another order differ in the last bits. */
static double share_below(const struct estimate *e)
{
    double reach = 1e-12 * fabs(e->value), below = 0;

    for (uint64_t r = 0; r < e->resamples; r++) {
        if (e->resampled[r] < e->value - reach)
            below += 1;
        else if (e->resampled[r] <= e->value + reach)
            below += 0.5;
    }
    return below / (double)e->resamples;
}

static double corrected(const struct estimate *e, double bias, double deviate)
{
    double moved = bias + deviate, level;

    level = gsl_cdf_ugaussian_P(bias + moved / fmax(1e-3, 1 - e->acceleration * moved));
    return stats_quantile(e->resampled, e->resamples, level);
}

static struct interval bca(struct estimate *e)
{
    struct interval i = {.known = true, .bounded = true, .value = e->value};
    double share = share_below(e), edge = 0.5 / (double)e->resamples;
    double bias = gsl_cdf_ugaussian_Pinv(CLAMP(share, edge, 1 - edge));

    sorting_ascend(e->resampled, e->resamples);
    i.low = fmin(e->value, corrected(e, bias, -e->widened));
    i.high = fmax(e->value, corrected(e, bias, e->widened));
    return i;
}

static const char *why_not(size_t least_runs, uint64_t resamples)
{
    if (least_runs < BOOTSTRAP_FEWEST_RUNS)
        return "with fewer than eight runs, resampling can\u2019t reach far enough";
    return resamples < FEWEST_RESAMPLES ? "so many runs leave too few resamples" : NULL;
}

static struct interval of_arm(struct arm *arm, uint64_t resamples)
{
    struct interval none = {.known = arm->n > 0, .value = arm->mean, .why = why_not(arm->n, resamples)};
    double count = (double)arm->n;
    struct estimate e = {arm->means, resamples, arm->mean, 0, 0};

    if (arm->n == 0)
        none.why = "there are no runs";
    if (none.why)
        return none;
    if (arm->squares > 0)
        e.acceleration = arm->cubes / (6 * pow(arm->squares, 1.5));
    e.widened = stats_t_quantile(0.95, count - 1) * sqrt(count / (count - 1));
    return bca(&e);
}

static struct interval of_difference(const struct arm *a, const struct arm *b, uint64_t resamples)
{
    struct interval none = {.known = a->n > 0 && b->n > 0,
                            .value = a->mean - b->mean,
                            .why = why_not(MIN(a->n, b->n), resamples)};
    g_autofree double *differences = g_new(double, resamples + 1);
    double squares = a->squares + b->squares, variance = a->variance + b->variance, share, df;
    struct estimate e = {differences, resamples, a->mean - b->mean, 0, gsl_cdf_ugaussian_Pinv(0.975)};

    if (!none.known)
        none.why = "an arm has no runs";
    if (none.why)
        return none;
    for (uint64_t r = 0; r < resamples; r++)
        differences[r] = a->means[r] - b->means[r];
    if (squares > 0) {
        share = a->variance / variance;
        df = 1 / (share * share / ((double)a->n - 1) + (1 - share) * (1 - share) / ((double)b->n - 1));
        e.acceleration = (a->cubes - b->cubes) / (6 * pow(squares, 1.5));
        e.widened = stats_t_quantile(0.95, df) * sqrt(variance / squares);
    }
    return bca(&e);
}

void bootstrap_means(const double *a, size_t n_a, const double *b, size_t n_b, uint64_t most, uint64_t draws,
                     struct bootstrap *out)
{
    struct arm arms[2];
    uint64_t resamples = n_a + n_b ? MIN(most, draws / (n_a + n_b)) : 0;
    uint64_t made = why_not(MAX(n_a, n_b), resamples) ? 0 : resamples;

    describe(&arms[0], a, n_a);
    describe(&arms[1], b, n_b);
    resample(&arms[0], "report/bootstrap/treatment", made);
    resample(&arms[1], "report/bootstrap/control", made);
    out->resamples = made;
    /* The difference first: the arms' own intervals sort their resamples. */
    out->difference = of_difference(&arms[0], &arms[1], resamples);
    out->mean_a = of_arm(&arms[0], resamples);
    out->mean_b = of_arm(&arms[1], resamples);
    g_free(arms[0].means);
    g_free(arms[1].means);
}
