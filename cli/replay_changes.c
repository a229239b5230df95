#include "cli/replay_changes.h"
#include "cli/prediction.h"
#include "cli/replay_clients.h"
#include "base/units.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

enum { LEAST_RUNS = 3, SEGMENTS_IN_ALL = 4000000, SEGMENT_BYTES = 1448, QUANTILES_FROM = 20 };
static const double WORTH_SHOWING = 0.005; /* of the copy's time */

/* ---- running ---------------------------------------------------------------------------------------------------- */

static double run_model(const struct replay_model *m, uint64_t seed, guint number)
{
    struct sim_result result;
    struct replay_run run;
    double seconds;

    replay_run_init(&run, m, NULL, seed, number);
    sim_run(&run.setup, &result);
    seconds = result.failed ? NAN : units_seconds(replay_model_seen_ns(m, &result));
    replay_run_fini(&run);
    return seconds;
}

static double run_client(const struct replay_as *as, guint number)
{
    struct simulation_plan plan = replay_as_plan(as);
    struct simulation_run run;
    struct sim_result result;

    plan.prepare(plan.self, number, &run);
    sim_run(&run.setup, &result);
    plan.release(&run);
    return result.failed ? NAN : units_seconds(result.elapsed_ns);
}

static guint affordable(const struct replay_model *m, guint changes, guint runs)
{
    double segments = 0;

    for (guint i = 0; i < m->trace->connections->len; i++) {
        const GArray *exchanges = g_array_index(m->trace->connections, struct trace_connection, i).exchanges;

        for (guint j = 0; j < exchanges->len; j++)
            segments += 2 + (double)g_array_index(exchanges, struct exchange, j).data_bytes / SEGMENT_BYTES;
    }
    return (guint)CLAMP(SEGMENTS_IN_ALL / MAX(segments, 1) / (changes + 1), LEAST_RUNS, runs);
}

/* What is compared: the changed models, and the other clients. */
struct changes {
    GPtrArray *models;  /* of struct what_if */
    GPtrArray *clients; /* of struct replay_client */
};

static guint changes_count(const struct changes *c)
{
    return c->models->len + c->clients->len;
}

/* Seconds of each run: of the model first, then of each change; `runs` each. Returns owned. */
static double *simulate_all(const struct replay_model *m, const struct changes *changes, guint runs,
                            uint64_t seed)
{
    guint count = (changes_count(changes) + 1) * runs;
    double *seconds = g_new(double, count);

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
    for (guint i = 0; i < count; i++) {
        guint which = i / runs, number = i % runs, models = changes->models->len;

        if (which == 0)
            seconds[i] = run_model(m, seed, number);
        else if (which <= models)
            seconds[i] =
                run_model(&((const struct what_if *)g_ptr_array_index(changes->models, which - 1))->model,
                          seed, number);
        else
            seconds[i] = run_client(
                &((const struct replay_client *)g_ptr_array_index(changes->clients, which - 1 - models))->as,
                number);
    }
    return seconds;
}

/* ---- judging ------------------------------------------------------------------------------------------------------ */

static void set_interval(struct replay_change *c, const double *sorted, size_t n)
{
    double mean, reach;

    c->saved = gsl_stats_median_from_sorted_data(sorted, 1, n);
    c->low = c->high = c->saved;
    if (n >= QUANTILES_FROM) {
        c->low = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.05);
        c->high = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.95);
    } else if (n > 1) {
        mean = gsl_stats_mean(sorted, 1, n);
        reach = gsl_cdf_tdist_Pinv(0.95, (double)n - 1) * gsl_stats_sd_m(sorted, 1, n, mean) *
                sqrt(1 + 1 / (double)n);
        c->low = MIN(mean - reach, c->saved);
        c->high = MAX(mean + reach, c->saved);
    }
}

static struct replay_change judge(struct replay_change c, const double *base, const double *with, guint runs)
{
    g_autofree double *saved = g_new(double, runs);
    g_autofree double *seconds = g_new(double, runs);
    size_t n = 0;

    for (guint i = 0; i < runs; i++) {
        if (isnan(base[i]) || isnan(with[i]))
            continue;
        saved[n] = base[i] - with[i];
        seconds[n++] = with[i];
    }
    c.fails = 2 * n < runs;
    if (c.fails)
        return c;
    gsl_sort(saved, 1, n);
    gsl_sort(seconds, 1, n);
    c.seconds = gsl_stats_median_from_sorted_data(seconds, 1, n);
    set_interval(&c, saved, n);
    return c;
}

static int most_saved_first(gconstpointer a, gconstpointer b)
{
    const struct replay_change *x = a, *y = b;

    if (x->fails != y->fails)
        return x->fails - y->fails;
    return x->saved > y->saved ? -1 : x->saved < y->saved;
}

static struct replay_change unjudged(const struct changes *changes, guint i)
{
    if (i < changes->models->len) {
        const struct what_if *w = g_ptr_array_index(changes->models, i);

        return (struct replay_change){.name = w->name, .what = w->what, .basis = g_strdup(w->basis)};
    } else {
        const struct replay_client *c = g_ptr_array_index(changes->clients, i - changes->models->len);

        return (struct replay_change){.name = c->name, .what = c->what, .basis = g_strdup(c->basis)};
    }
}

static void clear_change(void *item)
{
    g_free(((struct replay_change *)item)->basis);
}

GArray *replay_changes(const struct replay *r, const struct replay_model *m, guint runs, uint64_t seed)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct replay_change));
    struct changes changes = {what_if_list(m), replay_clients(r, m, seed)};
    guint afford = affordable(m, changes_count(&changes), runs);
    g_autofree double *seconds = simulate_all(m, &changes, afford, seed);

    g_array_set_clear_func(list, clear_change);
    for (guint i = 0; i < changes_count(&changes); i++) {
        struct replay_change c =
            judge(unjudged(&changes, i), seconds, seconds + (gsize)(i + 1) * afford, afford);

        g_array_append_val(list, c);
    }
    g_array_sort(list, most_saved_first);
    what_if_list_free(changes.models);
    g_ptr_array_unref(changes.clients);
    return list;
}

/* ---- showing ---------------------------------------------------------------------------------------------------------- */

json_t *replay_changes_json(const GArray *changes)
{
    json_t *array = json_array();

    for (guint i = 0; i < changes->len; i++) {
        const struct replay_change *c = &g_array_index(changes, struct replay_change, i);
        json_t *saved = c->fails ? json_null()
                                 : json_pack("{s:o, s:o, s:o}", "value", number_json(c->saved), "low",
                                             number_json(c->low), "high", number_json(c->high));

        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:o, s:o, s:s}", "change", c->name, "what", c->what,
                                        "seconds", c->fails ? json_null() : number_json(c->seconds),
                                        "saved_s", saved, "basis", c->basis));
    }
    return array;
}

static bool helps(const struct replay_change *c, double seconds)
{
    return !c->fails && c->saved > WORTH_SHOWING * seconds;
}

static void list_others(const GArray *changes, double seconds, const struct style *style, GString *to)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < changes->len; i++) {
        const struct replay_change *c = &g_array_index(changes, struct replay_change, i);

        if (!helps(c, seconds))
            g_string_append_printf(text, "%s%s%s", text->len ? "; " : "", c->what,
                                   c->fails ? " (the copy then fails)" : "");
    }
    if (!text->len)
        return;
    g_string_prepend(text, "No gain: ");
    g_string_append_c(text, '.');
    style_wrap(style, STYLE_PLAIN, text->str, "  ", to);
}

/* "2.44 s", or "2.42 to 2.46 s" where the runs differ in what is shown. Returns owned. */
static char *range_text(double low, double high)
{
    g_autofree char *from = g_strdup_printf("%.3g", low);
    g_autofree char *to = g_strdup_printf("%.3g", high);

    return strcmp(from, to) == 0 ? g_strdup_printf("%s s", to) : g_strdup_printf("%s to %s s", from, to);
}

void replay_changes_text(const GArray *changes, double seconds, const struct style *style, GString *to)
{
    g_string_append_c(to, '\n');
    style_wrap(style, STYLE_HEADING, "What would help (each alone, simulated on the capture's own network)",
               "", to);
    for (guint i = 0; i < changes->len; i++) {
        const struct replay_change *c = &g_array_index(changes, struct replay_change, i);
        g_autofree char *basis = NULL;
        g_autofree char *saved = NULL;
        g_autofree char *line = NULL;

        if (!helps(c, seconds))
            break;
        saved = range_text(c->low, c->high);
        basis = g_strdup_printf("saves %s, if %s", saved, c->basis);
        line = g_strdup_printf("%4.0f %%  %6.3g s  %s", -100 * c->saved / seconds, c->seconds, c->what);
        style_wrap(style, STYLE_PLAIN, line, "  ", to);
        style_wrap(style, STYLE_PLAIN, basis, "                   ", to);
    }
    list_others(changes, seconds, style, to);
}
