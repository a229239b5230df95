#include "report/judgement.h"
#include "report/mechanism.h"

#include <math.h>

static double *values_of(const struct claim_arm *arm)
{
    guint n = samples_count(arm->samples);
    double *x = g_new(double, n + 1);

    for (guint i = 0; i < n; i++)
        x[i] = samples_get(arm->samples, i);
    return x;
}

static struct interval in_claimed_direction(struct interval i, int better)
{
    if (better == CLAIM_LOWER) {
        double low = i.low;

        i.value = -i.value;
        i.low = -i.high;
        i.high = -low;
    }
    return i;
}

static void caution_if(struct judgement *j, bool when, enum caution caution)
{
    if (when)
        g_array_append_val(j->cautions, caution);
}

static bool without_spread(const struct summary *s)
{
    return s->sd.known && s->sd.value == 0;
}

/* The smallest two-sided p that ranks can give is 2 over the number of ways to deal them. */
static bool ranks_powerless(const struct judgement *j)
{
    double n = (double)j->control.n, m = (double)j->treatment.n, ways = 1;

    for (double i = 1; i <= n && ways < 1000; i++)
        ways *= (m + i) / i;
    return !j->comparison.paired && n > 0 && m > 0 && 2 / ways > 0.05;
}

static void look_for_cautions(struct judgement *j)
{
    caution_if(j, j->control.n < 2 || j->treatment.n < 2, CAUTION_TOO_FEW_RUNS);
    caution_if(j, j->claim->order == CLAIM_BLOCKED, CAUTION_BLOCKED_ORDER);
    caution_if(j, j->claim->order == CLAIM_ORDER_NOT_SAID, CAUTION_ORDER_NOT_SAID);
    caution_if(j, without_spread(&j->control) || without_spread(&j->treatment), CAUTION_NO_SPREAD);
    caution_if(j, ranks_powerless(j), CAUTION_RANKS_POWERLESS);
    caution_if(j, j->control.mean.known && j->control.mean.value == 0, CAUTION_NO_SCALE);
}

const struct claim_finding *judgement_absence(const struct judgement *j)
{
    const GArray *findings = j->claim->evidence.findings;

    for (guint i = 0; i < findings->len; i++) {
        const struct claim_finding *f = &g_array_index(findings, struct claim_finding, i);

        if (f->answer == MECHANISM_ABSENT)
            return f;
    }
    return NULL;
}

static void decide(struct judgement *j)
{
    struct verdict_evidence e = {.has_intervals = j->gain.bounded && j->gain_90.bounded && j->scale.known,
                                 .low = j->gain.low,
                                 .high = j->gain.high,
                                 .low_90 = j->gain_90.low,
                                 .high_90 = j->gain_90.high,
                                 .margin = j->margin.value,
                                 .required_absent = judgement_absence(j) != NULL};

    j->verdict = verdict_decide(&e);
}

struct judgement *judgement_new(const struct claim *claim)
{
    struct judgement *j = g_new0(struct judgement, 1);
    g_autofree double *control = values_of(&claim->control), *treatment = values_of(&claim->treatment);
    guint n = samples_count(claim->control.samples), m = samples_count(claim->treatment.samples);

    j->claim = claim;
    j->cautions = g_array_new(FALSE, FALSE, sizeof(enum caution));
    stats_summarise(control, n, &j->control);
    stats_summarise(treatment, m, &j->treatment);
    compare_arms(treatment, m, control, n, claim->order == CLAIM_PAIRED, claim->margin, &j->comparison);
    j->gain = in_claimed_direction(j->comparison.difference, claim->metric.better);
    j->gain_90 = in_claimed_direction(j->comparison.difference_90, claim->metric.better);
    j->margin = j->comparison.equivalence.margin;
    if (!j->control.mean.known)
        j->scale = quantity_unknown("the control has no runs");
    else if (j->control.mean.value == 0)
        j->scale = quantity_unknown("the control\u2019s mean is 0");
    else
        j->scale = quantity_of(fabs(j->control.mean.value));
    j->tightest_margin = j->gain_90.bounded ? quantity_of(fmax(fabs(j->gain_90.low), fabs(j->gain_90.high)))
                                            : quantity_unknown(j->gain_90.why);
    decide(j);
    look_for_cautions(j);
    return j;
}

void judgement_free(struct judgement *j)
{
    if (!j)
        return;
    g_array_unref(j->cautions);
    g_free(j);
}
