/* What the simulation says of a claim: the arms' simulated runs compared, beside the measured ones or in their place.
 *
 * Where nothing in the two simulations is random their runs are equal, and the gain is a point. Ownership: simulated_fini(). */
#ifndef REPORT_SIMULATED_H
#define REPORT_SIMULATED_H

#include "report/claim.h"
#include "report/stats.h"

struct simulated {
    bool known; /* both arms were simulated */
    struct summary control, treatment;
    struct interval gain;   /* in the claimed direction, 95 % */
    struct quantity share;  /* of the simulated control's mean */
    bool random;            /* runs differ */
    bool fitted;            /* values of a profile were fitted to these very runs */
    GPtrArray *differences; /* of char *: in what the two scenarios differ; NULL where it isn't known */
};

void simulated_init(struct simulated *s, const struct claim *claim);
void simulated_fini(struct simulated *s);
/* Whether the simulated gain, as a share, lies within the interval of the measured one. False where one of the two isn't known. */
bool simulated_agrees(const struct simulated *s, const struct interval *measured, double scale);

#endif
