#include "report/build_parts.h"
#include "report/build_figures.h"
#include "report/build_rows.h"
#include "report/chart_arms.h"
#include "report/format.h"
#include "report/sorting.h"

char *build_mean(const struct summary *s)
{
    return s->mean.known ? format_number(s->mean.value, format_doubt(&s->mean)) : g_strdup(BUILD_DASH);
}

static struct doc_table *table_of(struct doc *doc, const struct doc_column *columns, guint n,
                                  const char *const *heads)
{
    struct doc_table *t = doc_add_table(doc, columns, n, true);
    struct build_row head = build_row(t);

    for (guint i = 0; i < n; i++)
        build_cell(&head, heads[i]);
    return t;
}

static void estimates_row(struct doc_table *t, const char *label, const struct arm *arm)
{
    const struct summary *s = &arm->summary;
    struct build_row r = build_row(t);
    double doubt = format_doubt(&s->mean);

    build_cell(&r, label);
    build_cell_take(&r, format_plain((double)s->n));
    build_cell_take(&r, build_mean(s));
    build_cell_take(&r, build_range(s->mean, doubt, false));
    build_cell_take(&r, build_number(s->median, doubt));
    build_cell_take(&r, build_number(s->sd, s->sd.known && s->sd.value > 0 ? s->sd.value / 5 : 1));
    build_cell_take(&r, build_number(s->min, doubt));
    build_cell_take(&r, build_number(s->max, doubt));
}

static void checks_row(struct doc_table *t, const char *label, const struct arm *arm)
{
    struct build_row r = build_row(t);
    double doubt = format_doubt(&arm->summary.mean);

    build_cell(&r, label);
    build_cell_take(&r, build_range(arm->mean_bca, doubt, false));
    build_cell_take(&r, build_range(arm->median, doubt, false));
    build_cell_take(&r, format_plain((double)arm->outliers));
    build_cell_take(&r, build_p_value(arm->normality.p));
    build_cell_take(&r, build_p_value(arm->dip.p));
}

/* "12.1 (11.8 to 12.9)", and without the interval where so few runs give none. */
static char *quantile(struct interval q, double doubt)
{
    g_autofree char *value = q.known ? format_number(q.value, doubt) : g_strdup(BUILD_DASH);
    g_autofree char *range = build_range(q, doubt, false);

    return q.bounded ? g_strdup_printf("%s (%s)", value, range) : g_steal_pointer(&value);
}

static void quantiles_row(struct doc_table *t, const char *label, const struct arm *arm)
{
    struct build_row r = build_row(t);

    build_cell(&r, label);
    for (int i = 0; i < ARM_QUANTILES; i++)
        build_cell_take(&r, quantile(arm->quantiles[i], format_doubt(&arm->summary.mean)));
}

static void add_rows(struct doc_table *t, const struct judgement *j,
                     void (*row)(struct doc_table *t, const char *label, const struct arm *arm))
{
    for (guint i = 0; i < j->n_arms; i++)
        row(t, claim_arm_at(j->claim, i)->label, &j->arms[i]);
}

/* Why a column has a dash, once for all arms. */
static void add_reasons(struct doc *doc, const struct judgement *j)
{
    const char *bca = NULL, *exact = NULL;
    g_autofree char *resamples = NULL, *text = NULL;
    guint64 most = 0;

    for (guint i = 0; i < j->n_arms; i++) {
        bca = bca ? bca : j->arms[i].mean_bca.why;
        for (int q = 0; q < ARM_QUANTILES; q++)
            exact = exact ? exact : j->arms[i].quantiles[q].why;
        most = MAX(most, j->arms[i].resamples);
    }
    resamples = format_plain((double)most);
    text = g_strdup_printf(
        "Mean, resampled: bootstrap BCa, %s resamples%s%s. Median and quantiles: exact by order "
        "statistics%s%s. Far off: over 3.5 robust standard deviations from the median, kept. Normal: p of "
        "Shapiro and Wilk; one peak: p of the dip test; both reported only, the latter with a "
        "caution below 5" FORMAT_NARROW "%%.",
        resamples, bca ? "; where it is missing, " : "", bca ? bca : "",
        exact ? "; where an interval is missing, " : "", exact ? exact : "");
    doc_add(doc, DOC_NOTE, text);
}

static struct chart_arm plot_row(const struct claim_arm *arm, const struct summary *s)
{
    guint n = samples_count(arm->samples);
    struct chart_arm row = {.name = g_strdup(arm->label),
                            .value = build_mean(s),
                            .runs = g_array_sized_new(FALSE, FALSE, sizeof(double), n),
                            .mean = s->mean.value,
                            .has_interval = s->mean.bounded,
                            .low = s->mean.low,
                            .high = s->mean.high};
    double *runs;

    for (guint i = 0; i < n; i++) {
        double value = samples_get(arm->samples, i);

        g_array_append_val(row.runs, value);
    }
    runs = (double *)(void *)row.runs->data;
    sorting_ascend(runs, n);
    row.q25 = stats_quantile(runs, n, 0.25);
    row.median = stats_quantile(runs, n, 0.5);
    row.q75 = stats_quantile(runs, n, 0.75);
    return row;
}

/* A row for each arm that has runs. */
static void add_plot(struct doc *doc, const struct judgement *j)
{
    struct chart_arms *chart = chart_arms_new();

    for (guint i = 0; i < j->n_arms; i++) {
        const struct claim_arm *arm = claim_arm_at(j->claim, i);
        struct chart_arm row;

        if (samples_count(arm->samples) == 0)
            continue;
        row = plot_row(arm, &j->arms[i].summary);
        g_array_append_val(chart->rows, row);
    }
    if (chart->rows->len > 0)
        doc_add_chart(doc, &chart->base);
    else
        chart_free(&chart->base);
}

void build_arms(struct doc *doc, const struct judgement *j, const char *figures)
{
    static const struct doc_column ESTIMATES[] = {
        {0.27, DOC_CELL_STRONG}, {0.06, DOC_CELL_NUMBER}, {0.11, DOC_CELL_NUMBER}, {0.18, DOC_CELL_NUMBER},
        {0.10, DOC_CELL_NUMBER}, {0.08, DOC_CELL_NUMBER}, {0.10, DOC_CELL_NUMBER}, {0.10, DOC_CELL_NUMBER}};
    static const char *const ESTIMATE_HEADS[] = {"",       "runs", "mean",  "95" FORMAT_NARROW "% interval",
                                                 "median", "sd",   "least", "most"};
    static const struct doc_column CHECKS[] = {{0.27, DOC_CELL_STRONG}, {0.19, DOC_CELL_NUMBER},
                                               {0.19, DOC_CELL_NUMBER}, {0.09, DOC_CELL_NUMBER},
                                               {0.13, DOC_CELL_NUMBER}, {0.13, DOC_CELL_NUMBER}};
    static const char *const CHECK_HEADS[] = {"",        "mean, resampled", "median, 95" FORMAT_NARROW "%",
                                              "far off", "normal, p",       "one peak, p"};
    static const struct doc_column QUANTILES[] = {{0.27, DOC_CELL_STRONG},
                                                  {0.16, DOC_CELL_NUMBER},
                                                  {0.19, DOC_CELL_NUMBER},
                                                  {0.19, DOC_CELL_NUMBER},
                                                  {0.19, DOC_CELL_NUMBER}};
    static const char *const QUANTILE_HEADS[] = {"quantiles, 95" FORMAT_NARROW "%", "5" FORMAT_NARROW "%",
                                                 "25" FORMAT_NARROW "%", "75" FORMAT_NARROW "%",
                                                 "95" FORMAT_NARROW "%"};
    const struct claim *c = j->claim;
    g_autofree char *aside = g_strdup_printf("%s, %s", c->metric.name, c->metric.unit);

    doc_add_heading(doc, j->n_arms == 2 ? "The two arms" : "The arms", aside)->name = figures;
    add_plot(doc, j);
    add_rows(table_of(doc, ESTIMATES, G_N_ELEMENTS(ESTIMATES), ESTIMATE_HEADS), j, estimates_row);
    if (judgement_is_exact(j)) {
        doc_add(
            doc, DOC_NOTE,
            "Nothing in these simulations is random: a run stands for all, and an interval has no width.");
        return;
    }
    add_rows(table_of(doc, CHECKS, G_N_ELEMENTS(CHECKS), CHECK_HEADS), j, checks_row);
    add_rows(table_of(doc, QUANTILES, G_N_ELEMENTS(QUANTILES), QUANTILE_HEADS), j, quantiles_row);
    add_reasons(doc, j);
}
