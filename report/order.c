#include "report/order.h"

#include <gsl/gsl_cdf.h>

/* The largest k with P(B < k) <= tail, for B binomial(n, p). 0: not even the smallest run will do. */
static unsigned int lower_rank(unsigned int n, double p, double tail)
{
    unsigned int low = 0, high = n; /* P(B < low) <= tail */

    while (low < high) {
        unsigned int middle = low + (high - low + 1) / 2;

        if (gsl_cdf_binomial_P(middle - 1, p, n) <= tail)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

struct interval order_quantile(const double *sorted, size_t n, double p, double level)
{
    struct interval i = {.why = "there are no runs"};
    double tail = (1 - level) / 2;
    unsigned int runs = (unsigned int)n, low, high;

    if (n == 0)
        return i;
    i.known = true;
    i.value = stats_quantile(sorted, n, p);
    i.why = "so few runs need not enclose it";
    low = lower_rank(runs, p, tail);
    high = lower_rank(runs, 1 - p, tail); /* from the other end */
    if (low == 0 || high == 0)
        return i;
    i.bounded = true;
    i.why = NULL;
    i.low = sorted[low - 1];
    i.high = sorted[n - high];
    return i;
}
