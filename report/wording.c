#include "report/wording.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

static double doubt(const struct judgement *j)
{
    return format_doubt(&j->gain);
}

char *wording_share(const struct judgement *j, double amount, bool sign)
{
    g_autofree char *number = NULL;

    if (j->scale.known)
        return format_percent(amount / j->scale.value, doubt(j) / j->scale.value, sign);
    number = sign ? format_signed(amount, doubt(j)) : format_number(amount, doubt(j));
    return g_strconcat(number, FORMAT_NARROW, j->claim->metric.unit, NULL);
}

char *wording_range(const struct judgement *j, double low, double high)
{
    g_autofree char *from = wording_share(j, low, true), *to = wording_share(j, high, true);

    if (low == high)
        return g_steal_pointer(&from);
    return g_strdup_printf("%s to %s", from, to);
}

char *wording_margin_value(const struct judgement *j)
{
    g_autofree char *percent = format_percent(j->claim->margin, 0, false);

    return g_strconcat(FORMAT_PLUSMINUS, percent, NULL);
}

char *wording_statement(const struct judgement *j)
{
    return g_strconcat("\u201c", j->claim->statement, "\u201d", NULL);
}

char *wording_margin(const struct judgement *j)
{
    g_autofree char *margin = wording_margin_value(j);

    return g_strdup_printf("Judged at a margin of %s: a smaller difference would not matter.", margin);
}

const char *wording_stamp(const struct judgement *j)
{
    switch (j->verdict.decision) {
    case VERDICT_SUPPORTED:
        return "SUPPORTED";
    case VERDICT_SUPPORTED_SMALL:
        return "SUPPORTED, BUT SMALL";
    case VERDICT_REFUTED:
        return "REFUTED";
    case VERDICT_UNDECIDED:
        break;
    }
    return "UNDECIDED";
}

char *wording_runs(size_t n)
{
    g_autofree char *number = format_plain((double)n);

    return g_strdup_printf("%s run%s", number, n == 1 ? "" : "s");
}

/* "10 runs", "40 simulated runs". */
static char *runs_of(const struct judgement *j, size_t n)
{
    g_autofree char *number = format_plain((double)n);

    return g_strdup_printf("%s %srun%s", number, j->claim->simulated_only ? "simulated " : "",
                           n == 1 ? "" : "s");
}

const char *wording_things(const struct judgement *j)
{
    static const char *const THINGS[] = {[DESIGN_RUNS] = "runs",
                                         [DESIGN_PAIRS] = "pairs",
                                         [DESIGN_BLOCKS] = "blocks",
                                         [DESIGN_CLUSTERS] = "clusters"};

    return THINGS[j->design.unit];
}

const char *wording_units(const struct judgement *j)
{
    static const char *const UNITS[] = {[DESIGN_RUNS] = "runs of each kind",
                                        [DESIGN_PAIRS] = "pairs of runs",
                                        [DESIGN_BLOCKS] = "blocks with both kinds",
                                        [DESIGN_CLUSTERS] = "clusters of each kind"};

    return UNITS[j->design.unit];
}

/* The opposite of the claim, and too small to matter all the same. */
static bool loss_is_small(const struct judgement *j)
{
    return j->verdict.reason == REASON_OPPOSITE && j->margin.known && j->gain_90.bounded &&
           j->gain_90.low > -j->margin.value;
}

char *wording_basis(const struct judgement *j)
{
    g_autofree char *runs = runs_of(j, j->control.n + j->treatment.n);

    if (j->verdict.reason == REASON_NOT_THERE)
        return g_strdup("by the mechanism: what the claim needs isn\u2019t there");
    if (j->verdict.reason == REASON_AT_ODDS)
        return g_strdup("runs and mechanism are at odds");
    if (j->verdict.reason == REASON_EQUIVALENT)
        return g_strdup_printf("by %s: the two are equivalent", runs);
    if (j->verdict.reason == REASON_OPPOSITE)
        return g_strdup_printf(loss_is_small(j) ? "by %s: no gain" : "by %s: the opposite is true", runs);
    if (j->verdict.reason == REASON_NO_GAIN)
        return g_strdup_printf("by %s: no gain that matters", runs);
    if (j->verdict.decision == VERDICT_UNDECIDED)
        return g_strdup_printf("%s can\u2019t tell", runs);
    return g_strdup_printf("by %s", runs);
}

/* "The mean copy rate of “B” is 3.1 % lower than that of “A”". */
static char *finding(const struct judgement *j)
{
    const struct claim *c = j->claim;
    double difference = j->comparison.difference.value;
    g_autofree char *size = wording_share(j, fabs(difference), false);

    if (difference == 0)
        return g_strdup_printf("The mean %s of \u201c%s\u201d equals that of \u201c%s\u201d", c->metric.name,
                               c->treatment.label, c->control.label);
    return g_strdup_printf("The mean %s of \u201c%s\u201d is %s %s than that of \u201c%s\u201d",
                           c->metric.name, c->treatment.label, size, difference < 0 ? "lower" : "higher",
                           c->control.label);
}

static char *settle(const struct judgement *j)
{
    struct quantity runs = j->comparison.runs_needed_80;
    g_autofree char *number = NULL;

    if (!runs.known)
        return g_strdup_printf("How many would is not known: %s.", runs.why);
    number = format_plain(runs.value);
    return g_strdup_printf("If there is no effect, it takes %s %s to show that.", number, wording_units(j));
}

static char *reason_too_wide(const struct judgement *j)
{
    g_autofree char *found = finding(j), *range = wording_range(j, j->gain.low, j->gain.high);
    g_autofree char *margin = wording_margin_value(j), *runs = runs_of(j, j->control.n + j->treatment.n);
    g_autofree char *more = settle(j);

    return g_strdup_printf("%s, but runs differ so much that any gain of %s fits: none at all, and one "
                           "beyond the margin of %s. "
                           "So these %s can\u2019t tell. %s",
                           found, range, margin, runs, more);
}

static char *reason_too_few(const struct judgement *j)
{
    const char *why = j->gain.bounded ? j->scale.why : j->gain.why;

    return g_strdup_printf("Nothing can be decided: %s.", why);
}

static char *reason_gain(const struct judgement *j)
{
    g_autofree char *found = finding(j), *range = wording_range(j, j->gain.low, j->gain.high);
    bool all_matters = j->gain_90.low > j->margin.value;

    return g_strdup_printf(
        "%s; the true gain is most likely %s. %s", found, range,
        all_matters ? "All of that is large enough to matter."
                    : "It is there, but these runs can\u2019t say whether it is large enough to matter.");
}

static char *reason_small_gain(const struct judgement *j)
{
    g_autofree char *found = finding(j), *range = wording_range(j, j->gain.low, j->gain.high);
    g_autofree char *margin = wording_margin_value(j);

    return g_strdup_printf(
        "%s; the true gain is most likely %s. It is there, but smaller than the margin of %s: "
        "too small to matter.",
        found, range, margin);
}

static char *reason_refuted(const struct judgement *j)
{
    g_autofree char *found = finding(j), *range = wording_range(j, j->gain.low, j->gain.high);
    g_autofree char *margin = wording_margin_value(j);

    switch (j->verdict.reason) {
    case REASON_OPPOSITE:
        return g_strdup_printf(loss_is_small(j)
                                   ? "%s: no gain, and a loss too small to matter. The true gain is "
                                     "most likely %s."
                                   : "%s: the opposite of the claim. The true gain is most likely %s.",
                               found, range);
    case REASON_EQUIVALENT: {
        struct quantity p = j->comparison.equivalence.p;
        g_autofree char *text = p.known ? format_p(p.value) : g_strdup("the runs show no spread");

        return g_strdup_printf(
            "%s. The runs show that the two are the same within %s (%s): if there is a gain, it is "
            "too small to matter.",
            found, margin, text);
    }
    default:
        return g_strdup_printf(
            "%s. The runs rule out a gain as large as the margin of %s; whether there is a loss, they "
            "can\u2019t say (gain %s).",
            found, margin, range);
    }
}

static const char *shown_by(const struct claim_finding *f)
{
    return f->in_capture ? "the capture" : "a complete listing";
}

static char *reason_not_there(const struct judgement *j)
{
    const struct claim_finding *f = judgement_absence(j);
    g_autofree char *found = j->comparison.difference.known ? finding(j) : NULL;

    return g_strdup_printf("The claim needs %s, and %s shows that it isn\u2019t there.%s%s%s", f->what,
                           shown_by(f), found ? " " : "", found ? found : "",
                           found ? "; whatever caused that was something else." : "");
}

static char *reason_at_odds(const struct judgement *j)
{
    const struct claim_finding *f = judgement_absence(j);
    g_autofree char *found = finding(j), *range = wording_range(j, j->gain.low, j->gain.high);

    return g_strdup_printf(
        "%s; the true gain is most likely %s. But the claim needs %s, and %s shows that it "
        "isn\u2019t there: the gain has another cause, or the %s is of another machine or time.",
        found, range, f->what, shown_by(f), f->in_capture ? "capture" : "listing");
}

char *wording_finding(const struct claim_finding *finding)
{
    const char *slash = strrchr(finding->source, '/');

    return g_strdup_printf("%s: %s (%s).", finding->what, finding->text, slash ? slash + 1 : finding->source);
}

char *wording_contradiction(const struct contradiction *c)
{
    return g_strdup_printf("%s: %s.", c->source, c->text);
}

char *wording_reason(const struct judgement *j)
{
    switch (j->verdict.reason) {
    case REASON_NOT_THERE:
        return reason_not_there(j);
    case REASON_AT_ODDS:
        return reason_at_odds(j);
    case REASON_NO_INTERVAL:
        return reason_too_few(j);
    case REASON_TOO_WIDE:
        return reason_too_wide(j);
    case REASON_GAIN:
        return reason_gain(j);
    case REASON_SMALL_GAIN:
        return reason_small_gain(j);
    default:
        return reason_refuted(j);
    }
}

static void next_undecided(const struct judgement *j, GPtrArray *steps)
{
    struct quantity r80 = j->comparison.runs_needed_80, r90 = j->comparison.runs_needed_90;
    struct quantity least = j->comparison.smallest_detectable;
    g_autofree char *margin = wording_margin_value(j);

    if (j->verdict.reason == REASON_AT_ODDS) {
        g_ptr_array_add(
            steps,
            g_strdup("Don\u2019t act on the claim yet: look for what else differed between the two kinds of "
                     "runs, and list the modules or settings during a run."));
        return;
    }
    if (j->verdict.reason == REASON_NO_INTERVAL && j->gain.bounded) {
        g_ptr_array_add(steps, g_strdup("Choose a control whose mean is not 0, or another metric."));
        return;
    }
    if (j->verdict.reason == REASON_NO_INTERVAL) {
        g_ptr_array_add(steps,
                        g_strdup("Measure at least five runs of each kind, alternating between them."));
        return;
    }
    g_ptr_array_add(steps, g_strdup("Don\u2019t act on the claim yet: the runs fit both a gain and none."));
    if (r80.known && r90.known) {
        g_autofree char *n80 = format_plain(r80.value), *n90 = format_plain(r90.value);

        g_ptr_array_add(steps,
                        g_strdup_printf("To settle %s: %s %s, or %s to be surer (80 and 90" FORMAT_NARROW
                                        "%% power, if in truth there is no effect).",
                                        margin, n80, wording_units(j), n90));
    }
    if (least.known) {
        g_autofree char *size = wording_share(j, least.value, false);

        g_ptr_array_add(
            steps,
            g_strdup_printf("The smallest effect that runs like these find four times in five is %s.", size));
    }
}

static void next_decided(const struct judgement *j, GPtrArray *steps)
{
    g_autofree char *range = wording_range(j, j->gain.low, j->gain.high);

    switch (j->verdict.reason) {
    case REASON_GAIN:
        g_ptr_array_add(steps,
                        g_strdup_printf("Expect a gain of %s where conditions are as measured.", range));
        break;
    case REASON_SMALL_GAIN:
        g_ptr_array_add(steps, g_strdup("Don\u2019t spend effort on it: nobody will notice the gain."));
        break;
    case REASON_OPPOSITE:
        g_ptr_array_add(steps, g_strdup(loss_is_small(j) ? "Leave things as they are: the change makes no "
                                                           "difference that matters."
                                                         : "Don\u2019t make the change: it does harm."));
        break;
    case REASON_NOT_THERE:
        g_ptr_array_add(
            steps,
            g_strdup(
                "Leave things as they are: what isn\u2019t there can\u2019t slow a copy down, nor speed it "
                "up."));
        break;
    default:
        g_ptr_array_add(steps, g_strdup("Leave things as they are: the change gains nothing that matters."));
        break;
    }
    g_ptr_array_add(
        steps,
        g_strdup(
            j->claim->simulated_only
                ? "This holds for the machines, files and network that the profiles describe."
                : "This holds for the machines, files and network of these runs; elsewhere, measure again."));
}

GPtrArray *wording_next_steps(const struct judgement *j)
{
    GPtrArray *steps = g_ptr_array_new_with_free_func(g_free);

    if (j->claim->simulated_only)
        g_ptr_array_add(
            steps, g_strdup("Measure a few runs of each kind, alternating, before anything is decided for "
                            "good: this verdict rests on a simulation."));
    if (j->verdict.decision == VERDICT_UNDECIDED)
        next_undecided(j, steps);
    else
        next_decided(j, steps);
    if (j->claim->order == CLAIM_BLOCKED)
        g_ptr_array_add(
            steps,
            g_strdup("Next time alternate the two kinds, so that drift can\u2019t pass for an effect."));
    return steps;
}
