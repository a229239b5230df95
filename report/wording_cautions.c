#include "report/cautions.h"
#include "report/format.h"
#include "report/wording.h"

#include <math.h>

/* An amount in the metric's unit, to two digits. */
static char *amount(const struct judgement *j, double value)
{
    g_autofree char *number = format_number(fabs(value), fabs(value) / 10);

    return g_strdup_printf("%s" FORMAT_NARROW "%s", number, j->claim->metric.unit);
}

static char *blocked(const struct judgement *j)
{
    return g_strdup_printf(
        "All runs of \u201c%s\u201d were made first, so whatever drifted or changed in the meantime "
        "is mixed with the effect, and no formula can part them.",
        claim_arm_at(j->claim, 0)->label);
}

/* What a slope over the runs does to a difference, by how they were ordered. */
static char *drift(const struct judgement *j)
{
    const struct sequence *s = &j->sequence;
    g_autofree char *p = format_p(s->drift_p.value), *whole = amount(j, s->slope.value * s->turns);
    g_autofree char *step = amount(j, s->slope.value);
    const char *rises = s->slope.value > 0 ? "rise" : "fall";

    if (j->design.paired)
        return g_strdup_printf(
            "The difference drifts: over the %s it comes to %s %s (%s). The gain is the mean over "
            "them, and no figure for any one of them.",
            wording_units(j), whole, s->slope.value > 0 ? "more" : "less", p);
    if (j->claim->order == CLAIM_INTERLEAVED)
        return g_strdup_printf(
            "The runs drift: they %s by %s from the first to the last (%s). The kinds took turns, so "
            "it moves the gain by no more than one step, %s; but it makes the interval wider, and "
            "a gain harder to see.",
            rises, whole, p, step);
    return g_strdup_printf(
        "The runs drift: they %s by %s over the experiment (%s). That is mixed with the effect: a "
        "gain of that size may be drift alone.",
        rises, whole, p);
}

static char *change(const struct judgement *j)
{
    const struct sequence *s = &j->sequence;
    g_autofree char *p = format_p(s->change_p.value), *size = amount(j, s->change_size.value);

    return g_strdup_printf(
        "Something changed after %s %zu in the order of measuring, by a jump, a drift or a cluster: from "
        "there on values are %s %s, whatever the kind (%s). %s",
        j->design.paired ? "place" : "run", s->change_after, size,
        s->change_size.value > 0 ? "higher" : "lower", p,
        j->claim->order == CLAIM_INTERLEAVED || j->design.paired
            ? "Both kinds have it, so it widens the interval more than it moves the gain."
            : "Unless both kinds ran before and after, a gain of that size may be the change.");
}

static char *neighbours(const struct judgement *j)
{
    const struct sequence *s = &j->sequence;
    double lag = s->lag_1.value, n = (double)(j->control.n + j->treatment.n);
    g_autofree char *p = format_p(s->lag_1_p.value), *r = format_number(lag, 0.05);
    g_autofree char *worth = format_plain(fmax(2, round(n * (1 - lag) / (1 + lag))));

    return g_strdup_printf(
        "Runs resemble the ones before them (correlation %s, %s): they come in clusters or drift, and "
        "say about as much as %s independent runs. The intervals are narrower than they should be, "
        "unless both kinds share what they resemble each other by; block labels would tell.",
        r, p, worth);
}

static char *first_run(const struct judgement *j)
{
    const struct sequence *s = &j->sequence;
    g_autofree char *p = format_p(s->first_p.value), *off = amount(j, s->first_off);
    const char *than = s->first_off > 0 ? "above" : "below";

    if (j->design.paired || j->design.unit == DESIGN_CLUSTERS || s->first_series >= j->n_arms)
        return g_strdup_printf(
            "The first difference or run of a series lies %s %s the others (%s), as with cold caches. "
            "It counts like the others.",
            off, than, p);
    return g_strdup_printf(
        "The first run of \u201c%s\u201d lies %s %s its others (%s), as with cold caches. It counts "
        "like the others, so the verdict rests on it in part.",
        claim_arm_at(j->claim, s->first_series)->label, off, than, p);
}

static char *two_groups(const struct judgement *j)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < j->n_arms; i++) {
        const struct arm *arm = &j->arms[i];
        g_autofree char *low = NULL, *high = NULL, *p = NULL;

        if (!cautions_two_groups(arm))
            continue;
        low = amount(j, arm->dip.low_group);
        high = amount(j, arm->dip.high_group);
        p = format_p(arm->dip.p.value);
        g_string_append_printf(
            text,
            "The runs of \u201c%s\u201d are bimodal, in two groups: %zu around %s, %zu around %s (dip test, "
            "%s). ",
            claim_arm_at(j->claim, i)->label, arm->dip.in_low, low, arm->summary.n - arm->dip.in_low, high,
            p);
    }
    g_string_append(
        text, "Some may have come from a cache. The verdict compares mixtures, and holds only where they mix "
              "alike.");
    return g_string_free(text, FALSE);
}

static char *left_out(const struct judgement *j)
{
    g_autofree char *runs = wording_runs(j->design.left_out);

    return g_strdup_printf("Left out: %s whose %s has no run of the other kind.", runs,
                           j->design.unit == DESIGN_PAIRS ? "pair" : "block");
}

static char *clusters(const struct judgement *j)
{
    const struct design *d = &j->design;
    GString *text = g_string_new(NULL);

    g_string_printf(
        text,
        "The runs come in clusters, %zu of the control\u2019s and %zu of the treatment\u2019s; each "
        "cluster\u2019s mean counts once.",
        d->n_control, d->n_treatment);
    if (d->icc.known) {
        g_autofree char *icc = format_number(d->icc.value, 0.05);
        g_autofree char *control = format_number(d->effective_control.value, 0.5);
        g_autofree char *treatment = format_number(d->effective_treatment.value, 0.5);

        g_string_append_printf(text,
                               " Runs of a cluster correlate by %s, so %zu and %zu runs are worth %s and %s.",
                               icc, j->control.n, j->treatment.n, control, treatment);
    }
    return g_string_free(text, FALSE);
}

static char *outliers(const struct judgement *j)
{
    GString *text = g_string_new("Far from the others, marked and kept:");
    const char *comma = " ";

    for (guint i = 0; i < j->n_arms; i++) {
        if (j->arms[i].outliers > 0) {
            g_string_append_printf(text, "%s%zu of \u201c%s\u201d", comma, j->arms[i].outliers,
                                   claim_arm_at(j->claim, i)->label);
            comma = ", ";
        }
    }
    g_string_append(text, ". To drop runs is to choose a result.");
    return g_string_free(text, FALSE);
}

static char *disagrees(const struct judgement *j)
{
    g_autofree char *simulated = wording_simulated_gain(j),
                    *range = wording_range(j, j->gain.low, j->gain.high);

    return g_strdup_printf(
        "The simulation has a gain of %s, outside what the runs allow (%s). The verdict goes by the "
        "runs; either the model misses something, or something else differed between them.",
        simulated, range);
}

static char *note(const struct judgement *j, enum caution caution)
{
    switch (caution) {
    case NOTE_PAIRS:
        return g_strdup_printf("The runs are compared in %zu pairs: what both runs of a pair share cancels.",
                               j->design.n_control);
    case NOTE_BLOCKS:
        return g_strdup_printf(
            "The runs are compared within %zu blocks, by the means of each kind: what a block\u2019s runs "
            "share cancels.",
            j->design.n_control);
    case NOTE_CLUSTERS:
        return clusters(j);
    case NOTE_OUTLIERS:
        return outliers(j);
    case NOTE_HOLM:
        return g_strdup_printf(
            "%u treatments have %u chances to look good, so the intervals of the gains are wider by "
            "Holm\u2019s correction. The verdict above is that on \u201c%s\u201d.",
            j->n_treatments, j->n_treatments, j->claim->treatment.label);
    default:
        return g_strdup_printf("So few %s can\u2019t ever be significant at 5" FORMAT_NARROW
                               "%% in a rank test.",
                               j->design.paired ? "pairs" : "runs");
    }
}

char *wording_caution(const struct judgement *j, enum caution caution)
{
    switch (caution) {
    case CAUTION_BLOCKED_ORDER:
        return blocked(j);
    case CAUTION_ORDER_NOT_SAID:
        return g_strdup(
            "The claim file doesn\u2019t say in which order the runs were made, so drift can\u2019t be ruled "
            "out.");
    case CAUTION_TOO_FEW_RUNS:
        return g_strdup_printf("An arm has fewer than two %s, so nothing is known of how much they differ.",
                               wording_things(j));
    case CAUTION_NO_SPREAD:
        return g_strdup(
            "Every run of an arm has the same value, which real measurements seldom do: check how they were "
            "recorded.");
    case CAUTION_NO_SCALE:
        return g_strdup("The control\u2019s mean is 0, so no margin can be a share of it.");
    case CAUTION_LEFT_OUT:
        return left_out(j);
    case CAUTION_DRIFT:
        return drift(j);
    case CAUTION_CHANGE:
        return change(j);
    case CAUTION_NEIGHBOURS:
        return neighbours(j);
    case CAUTION_FIRST_RUN:
        return first_run(j);
    case CAUTION_TWO_GROUPS:
        return two_groups(j);
    case CAUTION_SIMULATED:
        return g_strdup(
            "Nothing was measured: these are runs of a simulator, so the verdict is about the model and its "
            "profiles. A few measured runs of each kind would test it.");
    case CAUTION_DISAGREES:
        return disagrees(j);
    default:
        return note(j, caution);
    }
}

const char *wording_caution_name(enum caution caution)
{
    static const char *const NAMES[] = {[CAUTION_BLOCKED_ORDER] = "one kind first",
                                        [CAUTION_ORDER_NOT_SAID] = "order not said",
                                        [CAUTION_TOO_FEW_RUNS] = "too few runs",
                                        [CAUTION_NO_SPREAD] = "no spread",
                                        [CAUTION_NO_SCALE] = "a mean of 0",
                                        [CAUTION_LEFT_OUT] = "runs left out",
                                        [CAUTION_DRIFT] = "drift",
                                        [CAUTION_CHANGE] = "a change of level",
                                        [CAUTION_NEIGHBOURS] = "runs like their neighbours",
                                        [CAUTION_FIRST_RUN] = "an odd first run",
                                        [CAUTION_TWO_GROUPS] = "two groups of runs",
                                        [CAUTION_SIMULATED] = "nothing was measured",
                                        [CAUTION_DISAGREES] = "the simulation disagrees",
                                        [NOTE_RANKS_POWERLESS] = "few runs for ranks",
                                        [NOTE_PAIRS] = "pairs",
                                        [NOTE_BLOCKS] = "blocks",
                                        [NOTE_CLUSTERS] = "clusters",
                                        [NOTE_OUTLIERS] = "outliers",
                                        [NOTE_HOLM] = "several treatments"};

    return NAMES[caution];
}
