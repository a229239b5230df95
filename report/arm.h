/* All figures of one arm, from its runs in the order measured.
 *
 * Ownership: arm_fini() frees the marks. Undefined figures say why. Cost: the bootstrap's, `draws` values at most. */
#ifndef REPORT_ARM_H
#define REPORT_ARM_H

#include "report/dip.h"
#include "report/normality.h"
#include "report/stats.h"

#include <stdint.h>

enum { ARM_QUANTILES = 4 };

extern const double ARM_LEVELS[ARM_QUANTILES]; /* 0.05, 0.25, 0.75, 0.95 */

struct arm {
    struct summary summary;
    struct interval mean_bca; /* bootstrap, 95 % */
    uint64_t resamples;
    struct interval median;                   /* exact: at least 95 % */
    struct interval quantiles[ARM_QUANTILES]; /* likewise */
    size_t outliers;
    bool *marked; /* which runs they are */
    struct normality normality;
    struct dip_test dip;
};

/* What a verdict and its cautions need: summary and dip. The rest is left empty. */
void arm_init(struct arm *arm, const double *x, size_t n);
/* All figures. */
void arm_complete(struct arm *arm, const double *x, size_t n, uint64_t draws);
void arm_fini(struct arm *arm);

#endif
