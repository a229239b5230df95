#include "report/build_figures.h"
#include "report/build_parts.h"
#include "report/build_rows.h"
#include "report/contradictions.h"
#include "report/mechanism.h"
#include "report/format.h"
#include "report/wording.h"

static void evidence_row(struct doc_table *t, const char *name, const char *pill, char *text,
                         const char *figures)
{
    struct build_row r = build_row(t);

    build_cell(&r, name);
    build_cell(&r, pill);
    build_cell_take(&r, text);
    if (figures)
        doc_table_set(t, 3, "p." FORMAT_NO_BREAK, figures);
}

static char *runs_text(const struct judgement *j)
{
    g_autofree char *value = wording_share(j, j->gain.value, true), *range = NULL, *p = NULL;

    if (!j->gain.bounded)
        return g_strdup_printf("No interval: %s.", j->gain.why);
    range = wording_range(j, j->gain.low, j->gain.high);
    p = build_p_or_why(j->comparison.t_test.p);
    return g_strdup_printf("Gain %s, 95" FORMAT_NARROW "%% interval %s (%s, %s).", value, range,
                           j->comparison.paired ? "paired t" : "Welch", p);
}

static char *equivalence_text(const struct judgement *j)
{
    g_autofree char *margin = wording_margin_value(j), *p = build_p_or_why(j->comparison.equivalence.p),
                    *tight = NULL;

    if (!j->tightest_margin.known)
        return g_strdup_printf("Whether the two are the same within %s is not known: %s.", margin,
                               j->tightest_margin.why);
    tight = wording_share(j, j->tightest_margin.value, false);
    return g_strdup_printf("Same within %s: %s; the tightest margin shown is " FORMAT_PLUSMINUS "%s.", margin,
                           p, tight);
}

static const char *shown(struct quantity p)
{
    return !p.known ? "not known" : p.value < 0.05 ? "shown" : "not shown";
}

static char *ranks_text(const struct judgement *j)
{
    g_autofree char *ranks = build_p_or_why(j->comparison.ranks.p),
                    *shuffles = build_p_or_why(j->comparison.permutation.p);
    struct quantity p = j->comparison.permutation.p;

    return g_strdup_printf("Shuffled labels: %s; ranks: %s%s", shuffles, ranks,
                           p.known && p.value >= 0.05 ? ". No sign of a difference, no proof of none." : ".");
}

static char *bayes_text(const struct judgement *j)
{
    struct quantity b = j->comparison.bayes_factor_01;
    g_autofree char *text = NULL;

    if (!b.known)
        return g_strdup_printf("Not known: %s.", b.why);
    text = build_odds(b.value);
    return g_strdup_printf("Odds for %s: %s, if both were as likely before the runs.",
                           b.value >= 1 ? "no effect at all" : "an effect", text);
}

static const char *bayes_pill(struct quantity b)
{
    if (!b.known)
        return "not known";
    if (b.value >= 3)
        return "no effect";
    return b.value <= 1.0 / 3 ? "an effect" : "open";
}

/* One line each, so that the first page stays one page; the lists with their sources stand with the figures. */
static void mechanism_row(struct doc_table *t, const struct judgement *j, const char *figures)
{
    static const char *const PILLS[] = {[MECHANISM_PRESENT] = "present",
                                        [MECHANISM_ABSENT] = "absent",
                                        [MECHANISM_CANT_TELL] = "can\u2019t tell"};
    const GArray *findings = j->claim->evidence.findings;
    const struct claim_finding *f = judgement_absence(j);
    g_autofree char *more =
        findings->len > 1 ? g_strdup_printf(" And %u more.", findings->len - 1) : g_strdup("");

    if (findings->len == 0) {
        evidence_row(t, "Mechanism", "not heard", g_strdup("Not looked into."), NULL);
        return;
    }
    if (!f)
        f = &g_array_index(findings, struct claim_finding, 0);
    evidence_row(t, "Mechanism", PILLS[f->answer], g_strdup_printf("%s: %s.%s", f->what, f->text, more),
                 figures);
}

static void simulation_rows(struct doc_table *t, const struct judgement *j, const char *figures)
{
    evidence_row(t, "Simulation",
                 j->claim->simulated_only ? verdict_name(j->by_runs.decision) : wording_simulation_pill(j),
                 wording_simulation(j), j->simulated.known ? figures : NULL);
    if (j->claim->evidence.figures->len > 0)
        evidence_row(t, "Figures", "see there", wording_figures(j->claim), figures);
}

static void contradiction_row(struct doc_table *t, const struct judgement *j, const char *figures)
{
    guint found = j->claim->evidence.contradictions->len;

    if (found > 0)
        evidence_row(t, "Numbers", "contradict",
                     found == 1 ? g_strdup("A reported number can\u2019t be right.")
                                : g_strdup_printf("%u reported numbers can\u2019t be right.", found),
                     figures);
}

/* All further treatments in one row. */
static void others_row(struct doc_table *t, const struct judgement *j, const char *figures)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < j->others->len; i++) {
        const struct judgement *other = j->others->pdata[i];
        g_autofree char *gain =
            other->gain.known ? wording_share(other, other->gain.value, true) : g_strdup(BUILD_DASH);

        g_string_append_printf(text, "%s%s: %s (gain %s)", i ? "; " : "", other->claim->treatment.label,
                               verdict_name(other->verdict.decision), gain);
    }
    g_string_append_c(text, '.');
    if (j->others->len > 0)
        evidence_row(t, "Other treatments", "see there", g_strdup(text->str), figures);
}

/* What the order and the shape of the runs say about the experiment itself. */
static void experiment_row(struct doc_table *t, const struct judgement *j, const char *figures)
{
    g_autoptr(GString) doubts = g_string_new(NULL);

    for (guint i = 0; i < j->cautions->len; i++)
        g_string_append_printf(doubts, "%s%s", i ? "; " : "",
                               wording_caution_name(g_array_index(j->cautions, enum caution, i)));
    if (doubts->len > 0)
        evidence_row(t, "Experiment", "doubts", g_strdup_printf("To be careful about: %s.", doubts->str),
                     figures);
    else
        evidence_row(t, "Experiment", "no doubts",
                     g_strdup("No drift, no jump, no clusters and no second peak were seen in the runs."),
                     figures);
}

/* What one page has no room for stands with the figures. */
static void statistics_rows(struct doc_table *t, const struct judgement *j, const char *figures)
{
    const struct comparison *c = &j->comparison;
    struct quantity chance = c->permutation.p;

    evidence_row(t, "Runs",
                 j->by_runs.decision == VERDICT_SUPPORTED_SMALL ? "small gain"
                                                                : verdict_name(j->by_runs.decision),
                 runs_text(j), figures);
    evidence_row(t, "Equivalence", shown(c->equivalence.p), equivalence_text(j), figures);
    if (j->simulated.known || j->claim->evidence.figures->len > 0)
        return;
    evidence_row(t, "Chance alone",
                 !chance.known         ? "not known"
                 : chance.value < 0.05 ? "unlikely"
                                       : "explains it",
                 ranks_text(j), figures);
    evidence_row(t, "Odds (Bayes)", bayes_pill(c->bayes_factor_01), bayes_text(j), figures);
}

void build_evidence(struct doc *doc, const struct judgement *j, const char *figures)
{
    static const struct doc_column COLUMNS[] = {
        {0.17, DOC_CELL_STRONG}, {0.155, DOC_CELL_PILL}, {0.615, DOC_CELL_TEXT}, {0.06, DOC_CELL_MUTED}};
    struct doc_table *t;

    doc_add_heading(doc, "What each kind of evidence says", NULL);
    t = doc_add_table(doc, COLUMNS, G_N_ELEMENTS(COLUMNS), false);
    if (j->claim->simulated_only)
        evidence_row(t, "Runs", "not heard", g_strdup("Nothing was measured."), NULL);
    else
        statistics_rows(t, j, figures);
    others_row(t, j, figures);
    experiment_row(t, j, figures);
    mechanism_row(t, j, figures);
    simulation_rows(t, j, figures);
    contradiction_row(t, j, figures);
}
