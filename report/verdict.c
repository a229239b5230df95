#include "report/verdict.h"

#include <glib.h>
#include <string.h>

static const char *const DECISIONS[] = {
    [VERDICT_UNDECIDED] = "undecided",
    [VERDICT_SUPPORTED] = "supported",
    [VERDICT_SUPPORTED_SMALL] = "supported_small",
    [VERDICT_REFUTED] = "refuted",
};

static const char *const REASONS[] = {
    [REASON_NO_INTERVAL] = "too_few_runs",
    [REASON_TOO_WIDE] = "interval_too_wide",
    [REASON_GAIN] = "gain",
    [REASON_SMALL_GAIN] = "small_gain",
    [REASON_OPPOSITE] = "opposite",
    [REASON_EQUIVALENT] = "equivalent",
    [REASON_NO_GAIN] = "no_gain_that_matters",
};

struct verdict verdict_decide(const struct verdict_evidence *e)
{
    if (!e->has_intervals)
        return (struct verdict){VERDICT_UNDECIDED, REASON_NO_INTERVAL};
    if (e->low > 0 && e->high_90 < e->margin)
        return (struct verdict){VERDICT_SUPPORTED_SMALL, REASON_SMALL_GAIN};
    if (e->low > 0)
        return (struct verdict){VERDICT_SUPPORTED, REASON_GAIN};
    if (e->high_90 >= e->margin)
        return (struct verdict){VERDICT_UNDECIDED, REASON_TOO_WIDE};
    if (e->high < 0)
        return (struct verdict){VERDICT_REFUTED, REASON_OPPOSITE};
    if (e->low_90 > -e->margin)
        return (struct verdict){VERDICT_REFUTED, REASON_EQUIVALENT};
    return (struct verdict){VERDICT_REFUTED, REASON_NO_GAIN};
}

const char *verdict_name(enum verdict_decision decision)
{
    return DECISIONS[decision];
}

bool verdict_from_name(const char *name, enum verdict_decision *decision)
{
    for (guint i = 0; i < G_N_ELEMENTS(DECISIONS); i++) {
        if (strcmp(name, DECISIONS[i]) == 0) {
            *decision = (enum verdict_decision)i;
            return true;
        }
    }
    return false;
}

const char *verdict_reason_name(enum verdict_reason reason)
{
    return REASONS[reason];
}
