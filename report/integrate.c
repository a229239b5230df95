#include "report/integrate.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>

enum { WORKSPACE = 400 };

double integrate(integrand f, void *data, double low, double high)
{
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(WORKSPACE);
    gsl_function function = {f, data};
    double result = NAN, error;
    int status;

    status = gsl_integration_qag(&function, low, high, 1e-300, 1e-10, WORKSPACE, GSL_INTEG_GAUSS31, space,
                                 &result, &error);
    gsl_integration_workspace_free(space);
    /* Rounding may keep the last digits from settling: the value is still good for what is printed. */
    return status == GSL_SUCCESS || status == GSL_EROUND ? result : NAN;
}
