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
    [REASON_NOT_THERE] = "required_part_absent",
    [REASON_AT_ODDS] = "runs_and_mechanism_at_odds",
};

static struct verdict decide_by_samples(const struct verdict_evidence *e)
{
    if (!e->has_intervals)
        return (struct verdict){VERDICT_UNDECIDED, REASON_NO_INTERVAL, VERDICT_BY_SAMPLES};
    if (e->low > 0 && e->high_90 < e->margin)
        return (struct verdict){VERDICT_SUPPORTED_SMALL, REASON_SMALL_GAIN, VERDICT_BY_SAMPLES};
    if (e->low > 0)
        return (struct verdict){VERDICT_SUPPORTED, REASON_GAIN, VERDICT_BY_SAMPLES};
    if (e->high_90 >= e->margin)
        return (struct verdict){VERDICT_UNDECIDED, REASON_TOO_WIDE, VERDICT_BY_SAMPLES};
    if (e->high < 0)
        return (struct verdict){VERDICT_REFUTED, REASON_OPPOSITE, VERDICT_BY_SAMPLES};
    if (e->low_90 > -e->margin)
        return (struct verdict){VERDICT_REFUTED, REASON_EQUIVALENT, VERDICT_BY_SAMPLES};
    return (struct verdict){VERDICT_REFUTED, REASON_NO_GAIN, VERDICT_BY_SAMPLES};
}

struct verdict verdict_decide(const struct verdict_evidence *e)
{
    struct verdict v = decide_by_samples(e);

    if (e->simulated)
        v.basis = VERDICT_BY_SIMULATION;
    if (!e->required_absent)
        return v;
    if (v.decision == VERDICT_SUPPORTED || v.decision == VERDICT_SUPPORTED_SMALL)
        return (struct verdict){VERDICT_UNDECIDED, REASON_AT_ODDS, VERDICT_BY_MECHANISM};
    return (struct verdict){VERDICT_REFUTED, REASON_NOT_THERE, VERDICT_BY_MECHANISM};
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

const char *verdict_basis_name(enum verdict_basis basis)
{
    static const char *const NAMES[] = {[VERDICT_BY_SAMPLES] = "samples",
                                        [VERDICT_BY_MECHANISM] = "mechanism",
                                        [VERDICT_BY_SIMULATION] = "simulation"};

    return NAMES[basis];
}
