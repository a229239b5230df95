#include "report/outliers.h"
#include "report/stats.h"

#include <glib.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum { FEWEST = 4 };

static const double FAR = 3.5;
/* The normal distribution's sd over its median and its mean absolute deviation. */
static const double OF_MEDIAN = 1.482602218505602, OF_MEAN = 1.2533141373155001;

static double unit_of(const double *distance, size_t n)
{
    g_autofree double *sorted = stats_sorted(distance, n);
    double median = stats_quantile(sorted, n, 0.5);

    return median > 0 ? OF_MEDIAN * median : OF_MEAN * gsl_stats_mean(distance, 1, n);
}

size_t outliers_mark(const double *x, size_t n, bool *marked)
{
    g_autofree double *sorted = stats_sorted(x, n), *distance = g_new(double, n + 1);
    size_t count = 0;
    double middle, unit;

    for (size_t i = 0; i < n; i++)
        marked[i] = false;
    if (n < FEWEST)
        return 0;
    middle = stats_quantile(sorted, n, 0.5);
    for (size_t i = 0; i < n; i++)
        distance[i] = fabs(x[i] - middle);
    unit = unit_of(distance, n);
    for (size_t i = 0; i < n; i++) {
        marked[i] = distance[i] > FAR * unit;
        count += marked[i];
    }
    return count;
}
