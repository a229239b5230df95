/* One-dimensional integrals by GSL's adaptive Gauss-Kronrod rule, to a relative error of 1e-10.
 *
 * Returns NAN where the rule doesn't converge: callers turn that into "not known". */
#ifndef REPORT_INTEGRATE_H
#define REPORT_INTEGRATE_H

typedef double (*integrand)(double x, void *data);

double integrate(integrand f, void *data, double low, double high);

#endif
