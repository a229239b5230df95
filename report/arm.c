#include "report/arm.h"
#include "report/bootstrap.h"
#include "report/order.h"
#include "report/outliers.h"

#include <glib.h>

const double ARM_LEVELS[ARM_QUANTILES] = {0.05, 0.25, 0.75, 0.95};

void arm_init(struct arm *arm, const double *x, size_t n)
{
    g_autofree double *sorted = stats_sorted(x, n);

    *arm = (struct arm){.resamples = 0};
    stats_summarise(x, n, &arm->summary);
    arm->dip = dip_of_runs(sorted, n);
}

void arm_complete(struct arm *arm, const double *x, size_t n, uint64_t draws)
{
    g_autofree double *sorted = stats_sorted(x, n);
    struct bootstrap b;

    bootstrap_means(x, n, NULL, 0, BOOTSTRAP_RESAMPLES, draws, &b);
    arm->mean_bca = b.mean_a;
    arm->resamples = b.resamples;
    arm->median = order_quantile(sorted, n, 0.5, 0.95);
    for (int i = 0; i < ARM_QUANTILES; i++)
        arm->quantiles[i] = order_quantile(sorted, n, ARM_LEVELS[i], 0.95);
    arm->marked = g_new(bool, n + 1);
    arm->outliers = outliers_mark(x, n, arm->marked);
    arm->normality = normality_test(sorted, n);
}

void arm_fini(struct arm *arm)
{
    g_free(arm->marked);
}
