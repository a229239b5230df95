/* How many times likelier are the data if there is no effect at all than if there is one? The JZS Bayes factor for the
 * null (Rouder, Speckman, Sun, Morey and Iverson 2009): a Cauchy prior of scale r = 0.707 on the standardised effect,
 * Jeffreys' prior on the variance.
 *
 * t is Student's (pooled variance, or of the paired differences), df its degrees of freedom, n_effective = n1 n2 / (n1 +
 * n2), or the number of pairs. Values over 1 speak for "no effect".
 * Cost: one numerical integration. */
#ifndef REPORT_BAYES_H
#define REPORT_BAYES_H

#include "report/stats.h"

struct quantity bayes_factor_01(double t, double df, double n_effective);

#endif
