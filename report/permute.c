#include "report/permute.h"
#include "base/rng.h"

#include <glib.h>
#include <gsl/gsl_rng.h>
#include <math.h>

static const uint64_t EXACT_LIMIT = 1000000;
static const uint64_t MOST_ARRANGEMENTS = 99999, FEWEST_ARRANGEMENTS = 19;
static const uint64_t SEED = 1;

/* Sums of the same values in another order differ in the last bits: an arrangement that ties with the observed one must
 * count. */
static double threshold(double observed, double scale)
{
    return fabs(observed) - 1e-10 * scale;
}

static double largest(const double *x, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* From how many of `tried` random arrangements, and the observed one, did `hits` differ as much? */
static struct permutation_test from_random(uint64_t hits, uint64_t tried)
{
    struct quantity p = tried < FEWEST_ARRANGEMENTS ? quantity_unknown("so many runs leave too few shuffles")
                                                    : quantity_of((double)(hits + 1) / (double)(tried + 1));

    return (struct permutation_test){p, false, tried};
}

/* Arrangements of n values within the limit of draws. */
static uint64_t arrangements_for(size_t n, uint64_t draws)
{
    uint64_t most = MIN(draws / n, MOST_ARRANGEMENTS);

    return most < FEWEST_ARRANGEMENTS ? 0 : most;
}

/* n choose k, or a number above EXACT_LIMIT. */
static uint64_t choose(size_t n, size_t k)
{
    uint64_t ways = 1;

    k = MIN(k, n - k);
    for (size_t i = 1; i <= k && ways <= EXACT_LIMIT; i++)
        ways = ways * (n - k + i) / i;
    return ways;
}

/* Steps `pick`, k rising indices below n, to the next combination. False after the last one. */
static bool next_combination(size_t *pick, size_t k, size_t n)
{
    size_t i = k;

    while (i > 0 && pick[i - 1] == n - k + i - 1)
        i--;
    if (i == 0)
        return false;
    pick[i - 1]++;
    for (; i < k; i++)
        pick[i] = pick[i - 1] + 1;
    return true;
}

/* Values are centred on their common mean, so that a sum of k of them is (up to a factor) the difference of means. */
static double *pool(const double *a, size_t n_a, const double *b, size_t n_b)
{
    double *x = g_new(double, n_a + n_b), mean = 0;

    for (size_t i = 0; i < n_a + n_b; i++) {
        x[i] = i < n_a ? a[i] : b[i - n_a];
        mean += (x[i] - mean) / (double)(i + 1);
    }
    for (size_t i = 0; i < n_a + n_b; i++)
        x[i] -= mean;
    return x;
}

static double sum(const double *x, size_t n)
{
    double total = 0;

    for (size_t i = 0; i < n; i++)
        total += x[i];
    return total;
}

static struct permutation_test all_deals(const double *x, size_t n, size_t k, double least)
{
    g_autofree size_t *pick = g_new(size_t, k);
    uint64_t hits = 0, tried = 0;

    for (size_t i = 0; i < k; i++)
        pick[i] = i;
    do {
        double total = 0;

        for (size_t i = 0; i < k; i++)
            total += x[pick[i]];
        hits += fabs(total) >= least;
        tried++;
    } while (next_combination(pick, k, n));
    return (struct permutation_test){quantity_of((double)hits / (double)tried), true, tried};
}

/* Moves k random values to the front and returns their sum. */
static double deal(double *x, size_t n, size_t k, gsl_rng *rng)
{
    double total = 0;

    for (size_t i = 0; i < k; i++) {
        size_t other = i + (size_t)((uint64_t)gsl_rng_get(rng) * (n - i) >> 32);
        double value = x[other];

        x[other] = x[i];
        x[i] = value;
        total += value;
    }
    return total;
}

/* The sums of both arms are equal but for the sign, so dealing the smaller arm's will do. */
static struct permutation_test random_deals(double *x, size_t n, size_t k, double least, uint64_t draws)
{
    gsl_rng *rng = rng_stream(SEED, 0, "report/permutation");
    uint64_t hits = 0, tries = arrangements_for(n, draws);

    for (uint64_t d = 0; d < tries; d++) {
        hits += fabs(deal(x, n, k, rng)) >= least;
    }
    gsl_rng_free(rng);
    return from_random(hits, tries);
}

struct permutation_test permute_independent(const double *treatment, size_t n_treatment,
                                            const double *control, size_t n_control, uint64_t draws)
{
    size_t n = n_treatment + n_control;

    if (n_treatment == 0 || n_control == 0)
        return (struct permutation_test){quantity_unknown("an arm has no runs"), false, 0};
    g_autofree double *x = pool(treatment, n_treatment, control, n_control);
    double least = threshold(sum(x, n_treatment), largest(x, n) * (double)n_treatment);

    if (choose(n, n_treatment) <= EXACT_LIMIT)
        return all_deals(x, n, n_treatment, least);
    return random_deals(x, n, MIN(n_treatment, n_control), least, draws);
}

static struct permutation_test all_signs(const double *d, size_t n, double least)
{
    uint64_t hits = 0, ways = UINT64_C(1) << n;

    for (uint64_t signs = 0; signs < ways; signs++) {
        double total = 0;

        for (size_t i = 0; i < n; i++)
            total += signs >> i & 1 ? d[i] : -d[i];
        hits += fabs(total) >= least;
    }
    return (struct permutation_test){quantity_of((double)hits / (double)ways), true, ways};
}

static struct permutation_test random_signs(const double *d, size_t n, double least, uint64_t draws)
{
    gsl_rng *rng = rng_stream(SEED, 0, "report/permutation");
    uint64_t hits = 0, tries = arrangements_for(n, draws);

    for (uint64_t k = 0; k < tries; k++) {
        double total = 0;

        for (size_t i = 0; i < n; i++)
            total += gsl_rng_uniform(rng) < 0.5 ? d[i] : -d[i];
        hits += fabs(total) >= least;
    }
    gsl_rng_free(rng);
    return from_random(hits, tries);
}

struct permutation_test permute_paired(const double *treatment, const double *control, size_t n,
                                       uint64_t draws)
{
    g_autofree double *d = g_new(double, n + 1);
    double least;

    if (n == 0)
        return (struct permutation_test){quantity_unknown("an arm has no runs"), false, 0};
    for (size_t i = 0; i < n; i++)
        d[i] = treatment[i] - control[i];
    least = threshold(sum(d, n), largest(d, n) * (double)n);
    if (n < 20)
        return all_signs(d, n, least);
    return random_signs(d, n, least, draws);
}
