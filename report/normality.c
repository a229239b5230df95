#include "report/normality.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_poly.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum { FEWEST = 3, MOST = 5000 };

/* Royston's polynomials for the two outermost weights, in 1/√n. */
static const double OUTER[] = {0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056};
static const double SECOND[] = {0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633};

/* weights[i] belongs to the i-th largest run, and with a minus sign to the i-th smallest: the upper half suffices. */
static void royston_weights(size_t n, double *weights)
{
    size_t half = n / 2, done = n > 5 ? 2 : 1;
    double root = 1 / sqrt((double)n), squares = 0, rest, left = 1;

    if (n == 3) {
        weights[0] = sqrt(0.5);
        return;
    }
    for (size_t i = 0; i < half; i++) {
        weights[i] = gsl_cdf_ugaussian_Qinv(((double)i + 0.625) / ((double)n + 0.25));
        squares += 2 * weights[i] * weights[i];
    }
    rest = squares;
    for (size_t i = 0; i < done; i++) {
        double score = weights[i];

        weights[i] = score / sqrt(squares) + gsl_poly_eval(i ? SECOND : OUTER, 6, root);
        rest -= 2 * score * score;
        left -= 2 * weights[i] * weights[i];
    }
    for (size_t i = done; i < half; i++)
        weights[i] /= sqrt(rest / left);
}

static double royston_p(double w, size_t n)
{
    static const double SMALL_MEAN[] = {0.544, -0.39978, 0.025054, -6.714e-4},
                        SMALL_SD[] = {1.3822, -0.77857, 0.062767, -0.0020322},
                        MEAN[] = {-1.5861, -0.31082, -0.083751, 0.0038915},
                        SD[] = {-0.4803, -0.082676, 0.0030302};
    double count = (double)n, y = log1p(-w), bound = -2.273 + 0.459 * count;

    if (n == 3)
        return fmax(0, 6 / M_PI * (asin(sqrt(w)) - asin(sqrt(0.75))));
    if (n > 11)
        return gsl_cdf_ugaussian_Q((y - gsl_poly_eval(MEAN, 4, log(count))) /
                                   exp(gsl_poly_eval(SD, 3, log(count))));
    if (y >= bound)
        return 0;
    return gsl_cdf_ugaussian_Q((-log(bound - y) - gsl_poly_eval(SMALL_MEAN, 4, count)) /
                               exp(gsl_poly_eval(SMALL_SD, 4, count)));
}

struct normality normality_test(const double *sorted, size_t n)
{
    const char *why = n < FEWEST ? "it takes three runs" : n > MOST ? "the test ends at 5000 runs" : NULL;
    double mean, squares = 0, slope = 0, scale, w;

    if (!why && sorted[0] == sorted[n - 1])
        why = "every run is equal";
    if (why)
        return (struct normality){quantity_unknown(why), quantity_unknown(why)};
    g_autofree double *weights = g_new(double, n);

    royston_weights(n, weights);
    scale = sorted[n - 1] - sorted[0]; /* tiny and huge values: their squares stay in range */
    mean = gsl_stats_mean(sorted, 1, n);
    for (size_t i = 0; i < n; i++)
        squares += (sorted[i] - mean) / scale * ((sorted[i] - mean) / scale);
    for (size_t i = 0; i < n / 2; i++)
        slope += weights[i] * ((sorted[n - 1 - i] - sorted[i]) / scale);
    w = fmin(1, slope * slope / squares);
    return (struct normality){quantity_of(w), quantity_of(CLAMP(royston_p(w, n), 0, 1))};
}

/* Distances of the runs from their median; returns their mean. */
static double distances(const double *x, size_t n, double *out)
{
    g_autofree double *sorted = stats_sorted(x, n);
    double middle = stats_quantile(sorted, n, 0.5);

    for (size_t i = 0; i < n; i++)
        out[i] = fabs(x[i] - middle);
    return gsl_stats_mean(out, 1, n);
}

struct spread_test normality_equal_spread(const double *a, size_t n_a, const double *b, size_t n_b)
{
    const char *why = n_a < 2 || n_b < 2 ? "an arm has fewer than two runs" : "the runs show no spread";
    struct quantity none = quantity_unknown(why);
    g_autofree double *from_a = g_new(double, n_a + 1), *from_b = g_new(double, n_b + 1);
    double mean_a, mean_b, within, se, t, df;

    if (n_a < 2 || n_b < 2)
        return (struct spread_test){none, none, none};
    mean_a = distances(a, n_a, from_a);
    mean_b = distances(b, n_b, from_b);
    within = gsl_stats_tss_m(from_a, 1, n_a, mean_a) + gsl_stats_tss_m(from_b, 1, n_b, mean_b);
    df = (double)(n_a + n_b) - 2;
    se = df > 0 ? sqrt(within / df * (1 / (double)n_a + 1 / (double)n_b)) : 0;
    if (!(se > 0))
        return (struct spread_test){none, none, none};
    t = (mean_a - mean_b) / se;
    return (struct spread_test){quantity_if_finite(t * t, "it is too large"), quantity_of(df),
                                quantity_of(2 * gsl_cdf_tdist_Q(fabs(t), df))};
}
