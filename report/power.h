/* What runs like these can show, by the exact distributions of the tests with the measured variances taken as true.
 *
 * The t statistic's denominator is a chi variable over the root of its degrees of freedom; given it, the numerator is
 * normal. Power is the mean over that variable: one integral gives the two-sided t test (noncentral t) and the two one-sided
 * tests (the bivariate noncentral t, Owen 1965). For arms with unequal variances the degrees of freedom are Welch's
 * for the planned number of runs, an approximation.
 * Cost: some tens of integrals. */
#ifndef REPORT_POWER_H
#define REPORT_POWER_H

#include "report/stats.h"

/* Spread of one run in each arm; paired plans use treatment_sd for the sd of the differences and ignore control_sd. */
struct power_plan {
    double treatment_sd, control_sd;
    bool paired;
};

/* Power of the two-sided 5 % t test at a true difference of `effect`, for a contrast with this se and df. */
double power_t_test(double effect, double se, double df);

/* Power of the two one-sided tests at 5 % each, at a true difference of 0. */
double power_equivalence(double margin, double se, double df);

/* The difference that the two-sided 5 % test finds with 80 % power. */
struct quantity power_smallest_detectable(double se, double df);

/* Runs per arm (pairs, when paired) until the two one-sided tests reach `power` at a true difference of 0. */
struct quantity power_runs_needed(const struct power_plan *plan, double margin, double power);

/* Runs per arm until the two-sided 5 % t test finds a true difference of `effect` with `power`. */
struct quantity power_runs_to_find(const struct power_plan *plan, double effect, double power);

#endif
