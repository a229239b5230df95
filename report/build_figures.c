#include "report/build_figures.h"
#include "report/contradictions.h"
#include "report/mechanism.h"
#include "report/format.h"
#include "report/wording.h"

#include <math.h>

static const char DASH[] = "\u2013";

/* A table under construction: the column that comes next. */
struct row {
    struct doc_table *table;
    guint column;
};

static struct row row_of(struct doc_table *table)
{
    doc_table_row(table);
    return (struct row){table, 0};
}

static void cell(struct row *r, const char *text)
{
    doc_table_set(r->table, r->column++, text, NULL);
}

static void cell_take(struct row *r, char *text)
{
    cell(r, text);
    g_free(text);
}

static char *number_or_dash(struct quantity q, double uncertainty)
{
    return q.known ? format_number(q.value, uncertainty) : g_strdup(DASH);
}

char *build_mean(const struct summary *s)
{
    return s->mean.known ? format_number(s->mean.value, format_doubt(&s->mean)) : g_strdup(DASH);
}

static char *p_or_why(struct quantity p)
{
    return p.known ? format_p(p.value) : g_strdup_printf("not known: %s", p.why);
}

static void evidence_row(struct doc_table *t, const char *name, const char *pill, char *text,
                         const char *figures)
{
    struct row r = row_of(t);

    cell(&r, name);
    cell(&r, pill);
    cell_take(&r, text);
    if (figures)
        doc_table_set(t, 3, "p." FORMAT_NO_BREAK, figures);
}

static char *runs_text(const struct judgement *j)
{
    g_autofree char *value = wording_share(j, j->gain.value, true), *range = NULL, *p = NULL;

    if (!j->gain.bounded)
        return g_strdup_printf("No interval: %s.", j->gain.why);
    range = wording_range(j, j->gain.low, j->gain.high);
    p = p_or_why(j->comparison.t_test.p);
    return g_strdup_printf("Gain %s, 95" FORMAT_NARROW "%% interval %s (%s, %s).", value, range,
                           j->comparison.paired ? "paired t" : "Welch", p);
}

static char *equivalence_text(const struct judgement *j)
{
    g_autofree char *margin = wording_margin_value(j), *p = p_or_why(j->comparison.equivalence.p),
                    *tight = NULL;

    if (!j->tightest_margin.known)
        return g_strdup_printf("Whether the two are the same within %s is not known: %s.", margin,
                               j->tightest_margin.why);
    tight = wording_share(j, j->tightest_margin.value, false);
    return g_strdup_printf("Same within %s: %s. The tightest margin that these runs can show "
                           "is " FORMAT_PLUSMINUS "%s.",
                           margin, p, tight);
}

static const char *shown(struct quantity p)
{
    return !p.known ? "not known" : p.value < 0.05 ? "shown" : "not shown";
}

static char *ranks_text(const struct judgement *j)
{
    g_autofree char *ranks = p_or_why(j->comparison.ranks.p),
                    *shuffles = p_or_why(j->comparison.permutation.p);
    struct quantity p = j->comparison.permutation.p;

    return g_strdup_printf("By shuffled labels %s, by ranks %s.%s", shuffles, ranks,
                           p.known && p.value >= 0.05 ? " No sign of a difference; that is no proof of none."
                                                      : "");
}

/* Bayes factors read as odds: "2.3 to 1". Beyond a thousand the prior's shape says more than the runs. */
static char *odds(double factor)
{
    double larger = factor >= 1 ? factor : 1 / factor;
    g_autofree char *number = NULL;

    if (larger > 1000)
        return g_strdup("over 1" FORMAT_NARROW "000 to 1");
    number = format_number(larger, larger);
    return g_strdup_printf("%s to 1", number);
}

static char *bayes_text(const struct judgement *j)
{
    struct quantity b = j->comparison.bayes_factor_01;
    g_autofree char *text = NULL;

    if (!b.known)
        return g_strdup_printf("Not known: %s.", b.why);
    text = odds(b.value);
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
        evidence_row(t, "Mechanism", "not heard",
                     g_strdup("Not looked into: the verdict rests on the runs alone."), NULL);
        return;
    }
    if (!f)
        f = &g_array_index(findings, struct claim_finding, 0);
    evidence_row(t, "Mechanism", PILLS[f->answer], g_strdup_printf("%s: %s.%s", f->what, f->text, more),
                 figures);
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

void build_evidence(struct doc *doc, const struct judgement *j, const char *figures)
{
    static const struct doc_column COLUMNS[] = {
        {0.17, DOC_CELL_STRONG}, {0.155, DOC_CELL_PILL}, {0.615, DOC_CELL_TEXT}, {0.06, DOC_CELL_MUTED}};
    const struct comparison *c = &j->comparison;
    struct quantity chance = c->permutation.p;
    struct doc_table *t;

    doc_add_heading(doc, "What each kind of evidence says", NULL);
    t = doc_add_table(doc, COLUMNS, G_N_ELEMENTS(COLUMNS), false);
    evidence_row(t, "Runs",
                 j->verdict.decision == VERDICT_SUPPORTED_SMALL ? "small gain"
                                                                : verdict_name(j->verdict.decision),
                 runs_text(j), figures);
    evidence_row(t, "Equivalence", shown(c->equivalence.p), equivalence_text(j), figures);
    evidence_row(t, "Chance alone",
                 !chance.known         ? "not known"
                 : chance.value < 0.05 ? "unlikely"
                                       : "explains it",
                 ranks_text(j), figures);
    evidence_row(t, "Odds (Bayes)", bayes_pill(c->bayes_factor_01), bayes_text(j), figures);
    mechanism_row(t, j, figures);
    contradiction_row(t, j, figures);
}

static void arm_row(struct doc_table *t, const struct claim_arm *arm, const struct summary *s)
{
    struct row r = row_of(t);
    double doubt = format_doubt(&s->mean);

    cell(&r, arm->label);
    cell_take(&r, format_plain((double)s->n));
    cell_take(&r, build_mean(s));
    if (s->mean.bounded) {
        g_autofree char *low = format_number(s->mean.low, doubt), *high = format_number(s->mean.high, doubt);

        cell_take(&r, g_strdup_printf("%s to %s", low, high));
    } else {
        cell(&r, DASH);
    }
    cell_take(&r, number_or_dash(s->median, doubt));
    cell_take(&r, number_or_dash(s->sd, s->sd.known && s->sd.value > 0 ? s->sd.value / 5 : 1));
    cell_take(&r, number_or_dash(s->min, doubt));
    cell_take(&r, number_or_dash(s->max, doubt));
}

static void add_arms(struct doc *doc, const struct judgement *j)
{
    static const struct doc_column COLUMNS[] = {
        {0.27, DOC_CELL_STRONG}, {0.06, DOC_CELL_NUMBER}, {0.11, DOC_CELL_NUMBER}, {0.18, DOC_CELL_NUMBER},
        {0.10, DOC_CELL_NUMBER}, {0.08, DOC_CELL_NUMBER}, {0.10, DOC_CELL_NUMBER}, {0.10, DOC_CELL_NUMBER}};
    static const char *const HEADS[] = {"",       "runs", "mean",  "95" FORMAT_NARROW "% interval",
                                        "median", "sd",   "least", "most"};
    const struct claim *c = j->claim;
    g_autofree char *aside = g_strdup_printf("%s, %s", c->metric.name, c->metric.unit);
    struct doc_table *t;
    struct row head;

    doc_add_heading(doc, "The two arms", aside);
    t = doc_add_table(doc, COLUMNS, G_N_ELEMENTS(COLUMNS), true);
    head = row_of(t);
    for (guint i = 0; i < G_N_ELEMENTS(HEADS); i++)
        cell(&head, HEADS[i]);
    for (int i = 0; i < 2; i++) {
        bool control = (i == 0) == c->control_first;

        arm_row(t, control ? &c->control : &c->treatment, control ? &j->control : &j->treatment);
    }
}

/* Takes value and range. Where the figure is not known, `why` says so in the method's place. */
static void figure_row(struct doc_table *t, const char *name, char *value, char *range, const char *method,
                       const char *why)
{
    struct row r = row_of(t);

    cell(&r, name);
    cell_take(&r, value);
    cell_take(&r, range);
    if (why)
        cell_take(&r, g_strdup_printf("not known: %s", why));
    else
        cell(&r, method);
}

static char *p_or_dash(struct quantity p)
{
    return p.known ? format_p(p.value) : g_strdup(DASH);
}

static char *interval_text(struct interval i, double doubt, bool sign)
{
    g_autofree char *low = NULL, *high = NULL;

    if (!i.bounded)
        return g_strdup(DASH);
    low = sign ? format_signed(i.low, doubt) : format_number(i.low, doubt);
    high = sign ? format_signed(i.high, doubt) : format_number(i.high, doubt);
    return g_strdup_printf("%s to %s", low, high);
}

static void difference_rows(struct doc_table *t, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    double doubt = format_doubt(&c->difference), ratio_doubt = format_doubt(&c->ratio);
    const char *method = c->paired ? "treatment \u2212 control, t interval of the pairs"
                                   : "treatment \u2212 control, t interval with Welch\u2019s df";
    struct interval i = c->difference;

    figure_row(t, "Difference", i.known ? format_signed(i.value, doubt) : g_strdup(DASH),
               interval_text(i, doubt, true), method, i.why);
    figure_row(t, "Difference, 90" FORMAT_NARROW "%", g_strdup(""),
               interval_text(c->difference_90, doubt, true), "what the equivalence test goes by",
               c->difference_90.why);
    figure_row(t, "Ratio", c->ratio.known ? format_number(c->ratio.value, ratio_doubt) : g_strdup(DASH),
               interval_text(c->ratio, ratio_doubt, false), "treatment over control, Fieller 1954",
               c->ratio.why);
}

static char *labelled(const char *label, struct quantity q, double uncertainty)
{
    g_autofree char *number = number_or_dash(q, uncertainty);

    return q.known ? g_strdup_printf("%s" FORMAT_NO_BREAK "=" FORMAT_NO_BREAK "%s", label, number)
                   : g_strdup(DASH);
}

static void test_rows(struct doc_table *t, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    g_autofree char *t_value = labelled("t", c->t_test.t, 0.5),
                    *df = labelled("df", c->t_test.df, c->paired ? 5 : 0.5);
    g_autofree char *shuffles = format_plain((double)c->permutation.arrangements);

    figure_row(t, c->paired ? "Paired t test" : "Welch\u2019s t test",
               c->t_test.t.known ? g_strdup_printf("%s, %s", t_value, df) : g_strdup(DASH),
               p_or_dash(c->t_test.p), "two-sided", c->t_test.t.why);
    figure_row(t, "Mann-Whitney", labelled("U", c->ranks.u, 0), p_or_dash(c->ranks.p),
               c->ranks.exact ? "ranks, exact" : "ranks, normal approximation", c->ranks.u.why);
    figure_row(t, "Permutation", g_strdup_printf("%s shuffles", shuffles), p_or_dash(c->permutation.p),
               c->permutation.exact ? "all arrangements of the labels, exact"
                                    : "random arrangements of the labels, fixed seed",
               c->permutation.p.why);
}

static void equivalence_row(struct doc_table *t, const struct judgement *j)
{
    const struct equivalence *e = &j->comparison.equivalence;
    g_autofree char *margin = wording_margin_value(j);
    g_autofree char *name = g_strdup_printf("Same within %s", margin);
    g_autofree char *amount = number_or_dash(e->margin, format_doubt(&j->comparison.difference));
    g_autofree char *lower = format_p_value(e->p_lower.value), *upper = format_p_value(e->p_upper.value);
    g_autofree char *method =
        g_strdup_printf("two one-sided tests (%s below, %s above), Schuirmann 1987", lower, upper);

    figure_row(t, name, e->margin.known ? g_strconcat(FORMAT_PLUSMINUS, amount, NULL) : g_strdup(DASH),
               p_or_dash(e->p), method, e->p.why);
}

static void size_rows(struct doc_table *t, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    struct quantity b = c->bayes_factor_01;
    const char *side = !b.known ? DASH : b.value >= 1 ? "for no effect" : "for an effect";

    figure_row(t, "Hedges\u2019 g",
               c->hedges_g.known ? format_signed(c->hedges_g.value, 0.05) : g_strdup(DASH), g_strdup(""),
               "difference in standard deviations", c->hedges_g.why);
    figure_row(t, "Bayes factor", b.known ? odds(b.value) : g_strdup(DASH), g_strdup(side),
               "JZS, prior scale 0.707, Rouder and others 2009", b.why);
}

static void power_rows(struct doc_table *t, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    struct quantity least = c->smallest_detectable, n80 = c->runs_needed_80, n90 = c->runs_needed_90;
    g_autofree char *few = number_or_dash(n80, 0), *many = number_or_dash(n90, 0);

    figure_row(t, "Smallest detectable",
               least.known ? format_number(least.value, least.value / 5) : g_strdup(DASH),
               least.known ? wording_share(j, least.value, false) : g_strdup(DASH),
               "by the t test at 5" FORMAT_NARROW "%, power 80" FORMAT_NARROW "%", least.why);
    figure_row(t, "Runs needed", g_strdup_printf("%s; %s", few, many),
               g_strdup(c->paired ? "pairs" : "of each kind"),
               "to show equivalence where there is no effect; power 80" FORMAT_NARROW "%; 90" FORMAT_NARROW
               "%",
               n80.known ? n90.why : n80.why);
}

static void add_comparison(struct doc *doc, const struct judgement *j)
{
    static const struct doc_column COLUMNS[] = {
        {0.215, DOC_CELL_STRONG}, {0.195, DOC_CELL_NUMBER}, {0.18, DOC_CELL_NUMBER}, {0.41, DOC_CELL_TEXT}};
    const struct claim *c = j->claim;
    struct doc_table *t;
    struct row head;

    doc_add_heading(doc, "The comparison", c->metric.unit);
    t = doc_add_table(doc, COLUMNS, G_N_ELEMENTS(COLUMNS), true);
    head = row_of(t);
    cell(&head, "");
    cell(&head, "value");
    cell(&head, "95" FORMAT_NARROW "% interval, or p");
    cell(&head, "method");
    difference_rows(t, j);
    test_rows(t, j);
    equivalence_row(t, j);
    size_rows(t, j);
    power_rows(t, j);
}

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
                "Mechanism: where a complete listing shows that something the claim needs isn\u2019t there, "
                "a claim that "
                "the runs don\u2019t support is refuted, and one that they do support is undecided.");
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
    doc_add_heading(doc, "Mechanism", "what listings say about the things that the claim needs");
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

static void add_cautions(struct doc *doc, const struct judgement *j)
{
    if (j->cautions->len == 0)
        return;
    doc_add_heading(doc, "Cautions", NULL);
    for (guint i = 0; i < j->cautions->len; i++) {
        g_autofree char *text = wording_caution(j, g_array_index(j->cautions, enum caution, i));

        doc_add(doc, DOC_BULLET, text);
    }
}

static void add_values(struct doc *doc, const struct judgement *j)
{
    static const guint MOST = 500;
    const struct claim *c = j->claim;
    g_autofree char *aside = g_strdup_printf("%s, in the order measured", c->metric.unit);

    doc_add_heading(doc, "Every value", aside);
    for (int a = 0; a < 2; a++) {
        const struct claim_arm *arm = (a == 0) == c->control_first ? &c->control : &c->treatment;
        guint n = samples_count(arm->samples);
        g_autoptr(GString) text = g_string_new(arm->label);

        for (guint i = 0; i < MIN(n, MOST); i++) {
            g_autofree char *value = format_plain(samples_get(arm->samples, i));

            g_string_append_printf(text, "%s%s", i ? "; " : ": ", value);
        }
        if (n == 0)
            g_string_append(text, ": no runs");
        if (n > MOST)
            g_string_append_printf(text, "; and %u more, drawn on page 1 and listed in the claim file",
                                   n - MOST);
        doc_add(doc, DOC_PARAGRAPH, text->str);
    }
}

void build_figures(struct doc *doc, const struct judgement *j, const char *figures)
{
    add_contradictions(doc, j);
    add_arms(doc, j);
    ((struct doc_block *)g_ptr_array_index(doc->blocks, doc->blocks->len - 2))->name = figures;
    add_comparison(doc, j);
    add_rule(doc, j);
    add_findings(doc, j);
    add_cautions(doc, j);
    add_remarks(doc, j);
    add_values(doc, j);
}
