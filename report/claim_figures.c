#include "report/claim_figures.h"
#include "report/claim.h"
#include "report/contradictions.h"
#include "report/sorting.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

const struct yaml_field CLAIM_FIGURE_FIELDS[] = {
    {.key = "what", .type = YAML_TEXT, .offset = offsetof(struct claim_figure_text, what), .required = true},
    {.key = "measured", .type = YAML_TEXT, .offset = offsetof(struct claim_figure_text, measured)},
    {.key = "within", .type = YAML_PERCENT, .offset = offsetof(struct claim_figure_text, within)},
    {.key = "simulation",
     .type = YAML_MAP,
     .offset = offsetof(struct claim_figure_text, simulation),
     .fields = SCENARIO_FIELDS},
    {.type = YAML_LINE, .offset = offsetof(struct claim_figure_text, line)},
    {.type = YAML_END},
};

static void clear_figure(void *data)
{
    struct claim_figure *f = data;

    g_free(f->what);
    g_free(f->unit);
    claim_simulated_clear(&f->simulated);
}

GArray *claim_figures_new(void)
{
    GArray *figures = g_array_new(FALSE, TRUE, sizeof(struct claim_figure));

    g_array_set_clear_func(figures, clear_figure);
    return figures;
}

enum claim_figure_outcome claim_figure_judge(const struct claim_figure *f)
{
    if (!f->simulated.samples)
        return FIGURE_MEASURED;
    if (f->simulated.scenario.basis == SCENARIO_FITTED)
        return FIGURE_FITTED;
    if (!f->has_measured)
        return FIGURE_UNCONFIRMED;
    return fabs(f->median - f->measured) <= f->within * fabs(f->measured) + f->half_step ? FIGURE_CONFIRMED
                                                                                         : FIGURE_OFF;
}

const char *claim_figure_outcome_name(enum claim_figure_outcome outcome)
{
    static const char *const NAMES[] = {[FIGURE_MEASURED] = "measured",
                                        [FIGURE_FITTED] = "fitted",
                                        [FIGURE_CONFIRMED] = "confirmed",
                                        [FIGURE_OFF] = "off",
                                        [FIGURE_UNCONFIRMED] = "unconfirmed"};

    return NAMES[outcome];
}

/* A time or a rate; without a measurement in the claim's own unit. */
static bool take_measured(const char *claim_path, const struct claim_figure_text *t, const char *unit,
                          struct claim_figure *f, GError **error)
{
    struct stated s = {0};
    g_autoptr(GError) why = NULL;

    f->has_measured = t->measured != NULL;
    if (!t->measured) {
        f->unit = g_strdup(unit);
        return true;
    }
    if (!stated_parse_time(t->measured, &s, NULL) && !stated_parse_rate(t->measured, &s, &why))
        return claim_fail(claim_path, t->line, error, "measured: %s", why->message);
    f->measured = s.number.value;
    f->half_step = s.number.half_step;
    f->unit = s.unit;
    return true;
}

static void summarise(struct claim_figure *f)
{
    guint n = samples_count(f->simulated.samples);
    g_autofree double *x = g_new(double, n);

    for (guint i = 0; i < n; i++)
        x[i] = samples_get(f->simulated.samples, i);
    sorting_ascend(x, n);
    f->median = gsl_stats_median_from_sorted_data(x, 1, n);
    f->least = x[0];
    f->most = x[n - 1];
}

static bool read_figure(struct claim_figure *f, struct claim_evidence *e, const char *claim_path,
                        const struct claim_figure_text *t, const struct scenario *common, const char *unit,
                        GError **error)
{
    f->what = g_strdup(t->what);
    if (!claim_tidy(claim_path, t->line, "what", f->what, error) ||
        !take_measured(claim_path, t, unit, f, error))
        return false;
    if (!t->simulation.line && !t->measured)
        return claim_fail(claim_path, t->line, error, "\"%s\" is neither measured nor simulated", f->what);
    if (!t->simulation.line)
        return true;
    if (!claim_outside_simulate(e, claim_path, f->what, &t->simulation, common, f->unit, &f->simulated,
                                error))
        return false;
    summarise(f);
    return true;
}

bool claim_figures_read(GArray *figures, struct claim_evidence *e, const char *claim_path,
                        const GArray *items, const struct scenario *common, const char *unit, double within,
                        GError **error)
{
    for (guint i = 0; items && i < items->len; i++) {
        const struct claim_figure_text *t = &g_array_index(items, struct claim_figure_text, i);
        struct claim_figure *f;

        g_array_set_size(figures, i + 1);
        f = &g_array_index(figures, struct claim_figure, i);
        f->within = t->within > 0 ? t->within : within;
        if (!read_figure(f, e, claim_path, t, common, unit, error))
            return false;
        f->outcome = claim_figure_judge(f);
    }
    return true;
}
