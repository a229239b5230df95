/* What the simulation says, in words. */
#include "report/wording.h"
#include "report/format.h"

#include <math.h>

/* "12.34 s", rounded to the spread of the runs. */
static char *mean_text(const struct summary *s, const char *unit)
{
    double doubt =
        s->sd.known && s->sd.value > 0 ? s->sd.value / sqrt((double)s->n) : fabs(s->mean.value) / 2000;
    g_autofree char *number = format_number(s->mean.value, doubt);

    return g_strconcat(number, FORMAT_NARROW, unit, NULL);
}

static char *join(const GPtrArray *list)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < list->len; i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "", (const char *)list->pdata[i]);
    return g_string_free(text, FALSE);
}

char *wording_simulated_gain(const struct judgement *j)
{
    const struct interval *g = &j->simulated.gain;
    double mean = fabs(j->simulated.control.mean.value), doubt = 0.001;

    if (!j->simulated.share.known)
        return g_strdup(j->simulated.share.why);
    if (g->bounded && g->high > g->low)
        doubt = (g->high - g->low) / 4 / mean;
    return format_percent(j->simulated.share.value, doubt, true);
}

char *wording_all_else(const struct judgement *j)
{
    const GPtrArray *d = j->simulated.differences;
    g_autofree char *list = join(d);

    if (d->len == 0)
        return g_strdup("nothing differs between the two scenarios");
    if (d->len == 1)
        return g_strdup_printf("all else equal: only the %s differs", list);
    return g_strdup_printf("%u things differ at once: %s", d->len, list);
}

char *wording_simulation(const struct judgement *j)
{
    const struct simulated *s = &j->simulated;
    const struct claim *c = j->claim;
    g_autofree char *with = NULL, *without = NULL, *gain = NULL, *else_equal = NULL;

    if (!s->known)
        return g_strdup("Not asked.");
    with = mean_text(&s->treatment, c->metric.unit);
    without = mean_text(&s->control, c->metric.unit);
    gain = wording_simulated_gain(j);
    else_equal = wording_all_else(j);
    return g_strdup_printf(
        "The simulated copy has a %s of %s with \u201c%s\u201d and %s with \u201c%s\u201d: gain "
        "%s; %s.%s",
        c->metric.name, with, c->treatment.label, without, c->control.label, gain, else_equal,
        s->fitted ? " It was fitted to these runs, so it confirms nothing." : "");
}

const char *wording_simulation_pill(const struct judgement *j)
{
    const struct simulated *s = &j->simulated;

    if (!s->known)
        return "not heard";
    if (s->fitted)
        return "fitted";
    if (!s->share.known)
        return "fails";
    if (j->claim->simulated_only || !j->gain.bounded)
        return s->share.value > 0 ? "a gain" : s->share.value < 0 ? "a loss" : "no effect";
    return simulated_agrees(s, &j->gain, j->scale.value) ? "agrees" : "disagrees";
}

char *wording_figure_off(const struct claim_figure *f)
{
    if (!f->has_measured || !f->simulated.samples || f->measured == 0)
        return g_strdup("\u2013");
    return format_percent(f->median / f->measured - 1, 0.01, true);
}

char *wording_figures(const struct claim *c)
{
    guint count[FIGURE_UNCONFIRMED + 1] = {0};
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < c->evidence.figures->len; i++)
        count[g_array_index(c->evidence.figures, struct claim_figure, i).outcome]++;
    if (count[FIGURE_CONFIRMED] + count[FIGURE_OFF] > 0)
        g_string_append_printf(text, "%u of %u predictions that were measured fit.", count[FIGURE_CONFIRMED],
                               count[FIGURE_CONFIRMED] + count[FIGURE_OFF]);
    else
        g_string_append(text, "No prediction that was measured.");
    if (count[FIGURE_FITTED])
        g_string_append_printf(text, " %u fitted: no confirmation.", count[FIGURE_FITTED]);
    if (count[FIGURE_UNCONFIRMED])
        g_string_append_printf(text, " %u never measured.", count[FIGURE_UNCONFIRMED]);
    return g_string_free(text, FALSE);
}
