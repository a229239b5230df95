#include "report/build_figures.h"
#include "report/build_parts.h"
#include "report/contradictions.h"
#include "report/format.h"
#include "report/wording.h"

static void add_rule(struct doc *doc, const struct judgement *j)
{
    g_autofree char *margin = wording_margin_value(j);
    g_autofree char *rule = g_strdup_printf(
        "Supported: the whole 95" FORMAT_NARROW
        "%% interval of the gain lies above 0; but small, if the 90" FORMAT_NARROW
        "%% interval stays below the margin (%s of the control\u2019s mean). Refuted: otherwise, if the "
        "90" FORMAT_NARROW "%% interval stays below the margin. Undecided: the rest. \u201cNo significant "
        "difference\u201d never counts as "
        "\u201cno difference\u201d.",
        margin);

    doc_add_heading(doc, "How the verdict is reached", NULL);
    doc_add(doc, DOC_PARAGRAPH, rule);
    if (j->claim->evidence.findings->len > 0)
        doc_add(doc, DOC_PARAGRAPH,
                "Mechanism: where a complete listing or a capture shows that something the claim needs "
                "isn\u2019t there, "
                "a claim that "
                "the runs don\u2019t support is refuted, and one that they do support is undecided.");
    if (j->simulated.known)
        doc_add(doc, DOC_PARAGRAPH,
                j->claim->simulated_only ? "Simulation: nothing was measured, so the simulated runs decide, "
                                           "and the verdict holds for the "
                                           "model and its profiles."
                                         : "Simulation: it stands beside the runs and decides nothing; where "
                                           "it disagrees with them, that "
                                           "is said.");
}

/* Numbers that can't all be right stand before anything that was reckoned with them. */
static void add_contradictions(struct doc *doc, const struct judgement *j)
{
    const GArray *found = j->claim->evidence.contradictions;

    if (found->len == 0)
        return;
    doc_add_heading(doc, "Numbers that contradict each other", NULL);
    for (guint i = 0; i < found->len; i++) {
        g_autofree char *text = wording_contradiction(&g_array_index(found, struct contradiction, i));

        doc_add(doc, DOC_BULLET, text);
    }
}

static void add_findings(struct doc *doc, const struct judgement *j)
{
    const GArray *findings = j->claim->evidence.findings;

    if (findings->len == 0)
        return;
    doc_add_heading(doc, "Mechanism", "what listings and captures say about the things that the claim needs");
    for (guint i = 0; i < findings->len; i++) {
        g_autofree char *text = wording_finding(&g_array_index(findings, struct claim_finding, i));

        doc_add(doc, DOC_BULLET, text);
    }
}

static void add_remarks(struct doc *doc, const struct judgement *j)
{
    static const guint MOST = 20;
    const GPtrArray *remarks = j->claim->evidence.remarks;

    if (remarks->len == 0)
        return;
    doc_add_heading(doc, "How the logs were read", NULL);
    for (guint i = 0; i < MIN(remarks->len, MOST); i++)
        doc_add(doc, DOC_BULLET, remarks->pdata[i]);
    if (remarks->len > MOST) {
        g_autofree char *more = g_strdup_printf("And %u remarks more, in the JSON.", remarks->len - MOST);

        doc_add(doc, DOC_BULLET, more);
    }
}

static bool has_outliers(const struct judgement *j)
{
    for (guint i = 0; i < j->n_arms; i++) {
        if (j->arms[i].outliers > 0)
            return true;
    }
    return false;
}

static void add_values(struct doc *doc, const struct judgement *j)
{
    static const guint MOST = 500;
    const struct claim *c = j->claim;
    g_autofree char *aside = g_strdup_printf("%s, in the order measured", c->metric.unit);

    doc_add_heading(doc, "Every value", aside);
    for (guint a = 0; a < j->n_arms; a++) {
        const struct claim_arm *arm = claim_arm_at(c, a);
        guint n = samples_count(arm->samples);
        g_autoptr(GString) text = g_string_new(arm->label);

        for (guint i = 0; i < MIN(n, MOST); i++) {
            g_autofree char *value = format_plain(samples_get(arm->samples, i));

            g_string_append_printf(text, "%s%s%s", i ? "; " : ": ", value, j->arms[a].marked[i] ? "*" : "");
        }
        if (n == 0)
            g_string_append(text, ": no runs");
        if (n > MOST)
            g_string_append_printf(text, "; and %u more, drawn on page 1 and listed in the claim file",
                                   n - MOST);
        doc_add(doc, DOC_PARAGRAPH, text->str);
    }
    if (has_outliers(j))
        doc_add(doc, DOC_NOTE, "* far from the others; counted like them");
}

/* The claim's author speaks: nothing of it was reckoned here. */
static void add_background(struct doc *doc, const struct judgement *j)
{
    const GPtrArray *background = j->claim->background;

    if (!background)
        return;
    if (background->len > 0)
        doc_add_heading(doc, "What to know about this claim", "as its file says");
    for (guint i = 0; i < background->len; i++)
        doc_add(doc, DOC_BULLET, background->pdata[i]);
}

void build_figures(struct doc *doc, const struct judgement *j, const char *figures)
{
    add_contradictions(doc, j);
    add_background(doc, j);
    build_arms(doc, j, figures);
    build_comparison(doc, j);
    for (guint i = 0; i < j->others->len; i++)
        build_comparison(doc, j->others->pdata[i]);
    build_experiment(doc, j);
    build_simulation(doc, j);
    build_captures(doc, j);
    add_rule(doc, j);
    add_findings(doc, j);
    add_remarks(doc, j);
    add_values(doc, j);
}
