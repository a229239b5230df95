#include "report/build_parts.h"
#include "report/build_rows.h"
#include "report/format.h"
#include "report/wording.h"

#include <math.h>

static char *amount(double value)
{
    return format_signed(value, fabs(value) / 10);
}

static void sequence_rows(struct doc_table *t, const struct judgement *j)
{
    const struct sequence *s = &j->sequence;
    const char *series = j->design.paired ? "differences" : "kinds aside";
    g_autofree char *after = g_strdup_printf("after %zu", s->change_after);
    g_autofree char *slope =
        g_strdup_printf("least-squares slope over the order of measuring, %s; t test", series);

    build_figure(t, "Drift, first to last",
                 s->slope.known ? amount(s->slope.value * s->turns) : g_strdup(BUILD_DASH),
                 build_p(s->drift_p), slope, s->slope.known ? s->drift_p.why : s->slope.why);
    build_figure(
        t, "Change of level", s->change_p.known ? g_strdup_printf("%s", after) : g_strdup(BUILD_DASH),
        build_p(s->change_p), "largest rank sum before a cut, Pettitt 1979; by shuffling", s->change_p.why);
    build_figure(t, "Neighbours", build_labelled("r", s->lag_1, 0.05), build_p(s->lag_1_p),
                 "correlation with the run before, of the same kind; by shuffling", s->lag_1_p.why);
    build_figure(t, "First run", s->first_p.known ? amount(s->first_off) : g_strdup(BUILD_DASH),
                 build_p(s->first_p), "the likeliest of all kinds to be unlike its others; t test",
                 s->first_p.why);
}

static void cluster_rows(struct doc_table *t, const struct judgement *j)
{
    const struct design *d = &j->design;
    g_autofree char *control = build_number(d->effective_control, 0.5),
                    *treatment = build_number(d->effective_treatment, 0.5);

    if (d->unit != DESIGN_CLUSTERS)
        return;
    build_figure(t, "Within clusters", build_labelled("icc", d->icc, 0.05), g_strdup(""),
                 "intraclass correlation, by analysis of variance", d->icc.why);
    build_figure(t, "Runs\u2019 worth", g_strdup_printf("%s; %s", control, treatment),
                 g_strdup("control; treatment"), "independent runs that would say as much, Kish 1965",
                 d->icc.why);
}

static void add_list(struct doc *doc, const struct judgement *j, const GArray *list)
{
    for (guint i = 0; i < list->len; i++) {
        g_autofree char *text = wording_caution(j, g_array_index(list, enum caution, i));

        doc_add(doc, DOC_BULLET, text);
    }
}

static void sequence_table(struct doc *doc, const struct judgement *j)
{
    struct doc_table *t;

    doc_add_heading(doc, "The experiment", "did something change while the runs were made?");
    t = build_figure_table(doc);
    sequence_rows(t, j);
    cluster_rows(t, j);
}

void build_experiment(struct doc *doc, const struct judgement *j)
{
    if (!judgement_is_exact(j))
        sequence_table(doc, j);
    if (j->cautions->len > 0)
        doc_add_heading(doc, "Cautions", NULL);
    add_list(doc, j, j->cautions);
    if (j->notes->len > 0)
        doc_add_heading(doc, "Notes", NULL);
    add_list(doc, j, j->notes);
}
