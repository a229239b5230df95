#include "report/bayes.h"
#include "report/integrate.h"

#include <math.h>

static const double PRIOR_SCALE = 0.707;

struct jzs {
    double t, df, n;
    double peak; /* subtracted in the exponent, so that extreme t neither overflow nor vanish */
};

static double log_likelihood(const struct jzs *j, double spread)
{
    return -0.5 * log(spread) - (j->df + 1) / 2 * log1p(j->t * j->t / (spread * j->df));
}

/* The integrand over g, as a function of u = log g: in that scale its width is moderate for any t and n. The prior of g
 * is inverse gamma(1/2, 1/2). */
static double log_integrand(const struct jzs *j, double u)
{
    double g = exp(u), spread = 1 + j->n * g * PRIOR_SCALE * PRIOR_SCALE;

    return log_likelihood(j, spread) - 0.5 * log(2 * M_PI) - 0.5 * u - 0.5 / g;
}

static double scaled_integrand(double u, void *data)
{
    const struct jzs *j = data;

    return exp(log_integrand(j, u) - j->peak);
}

struct quantity bayes_factor_01(double t, double df, double n_effective)
{
    static const double LOW = -8, HIGH = 90; /* exp(-0.5 / g) is 0 below; the tail above is under 1e-19 */
    struct jzs j = {t, df, n_effective, -INFINITY};
    double area, step = 0.125, at = LOW;

    for (double u = LOW; u < HIGH; u += step) {
        double height = log_integrand(&j, u);

        if (height > j.peak) {
            j.peak = height;
            at = u;
        }
    }
    /* The peak bounds one side of each part, so the rule can't step over it. */
    area = integrate(scaled_integrand, &j, LOW, at) + integrate(scaled_integrand, &j, at, HIGH);
    return quantity_if_finite(exp(log_likelihood(&j, 1) - j.peak - log(area)),
                              "the integral does not converge");
}
