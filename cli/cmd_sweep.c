#include "cli/commands.h"
#include "cli/copy_plan.h"
#include "cli/experiment.h"
#include "cli/prediction.h"
#include "cli/progress.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/units.h"

#include <math.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static const char DESCRIPTION[] =
    "EXPERIMENT.yaml lists networks, clients, servers, files and conditions; every combination is simulated\n"
    "and becomes a row of results.csv, with its seconds, interval, bottleneck and where the time goes:\n\n"
    "  networks: [branch-office, vpn]\n"
    "  clients: [robocopy, robocopy-mt]\n"
    "  servers: [windows-server-2022]\n"
    "  files: [1GiB, 1000x40KiB]\n"
    "  rtt: [5 ms, 20 ms, 80 ms]\n\n"
    "docs/formats.md has all keys and columns. Example: copytrial sweep experiment.yaml -o results.csv\n";

static const char HEADER[] =
    "network,client,server,files,direction,cache,at_once,rtt_s,down_rate_bps,up_rate_bps,down_queue_bytes,"
    "up_queue_bytes,down_loss,up_loss,bytes,exchanges,runs,failed,seconds,low_s,high_s,bytes_per_s,"
    "bottleneck,"
    "round_trips_s,transmission_s,server_s,client_s,tcp_window_s,loss_recovery_s,packet_cap_s,idle_s,"
    "size_over_rate_s,window_over_rtt_s,exchanges_times_rtt_s,fails\r\n";

struct sweep {
    const struct experiment *experiment;
    guint count;
    GString **rows;  /* of each combination */
    GError **errors; /* of each combination */
    struct progress progress;
    guint done;
};

/* An empty field where it isn't known. */
static void put_number(GString *row, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append_c(row, ',');
    if (isfinite(value))
        g_string_append(row, g_ascii_formatd(text, sizeof text, "%.9g", value));
}

static void put_count(GString *row, int64_t count)
{
    g_string_append_printf(row, ",%" G_GINT64_FORMAT, count);
}

static void put_conditions(GString *row, const struct question *q)
{
    const struct network_profile *n = &q->networks[0];

    csv_put(row, n->name);
    csv_put(row, q->client.name);
    csv_put(row, q->server.name);
    csv_put(row, q->files_spec);
    csv_put(row, q->upload ? "upload" : "download");
    csv_put(row, question_is_warm(q) ? "warm" : "cold");
    put_count(row, q->client.files_at_once);
    put_number(row, units_seconds(2 * network_one_way_ns(n)));
    put_count(row, n->down.rate_bps);
    put_count(row, n->up.rate_bps);
    put_count(row, n->down.queue_bytes);
    put_count(row, n->up.queue_bytes);
    put_number(row, n->down.loss);
    put_number(row, n->up.loss);
}

static void put_breakdown(GString *row, const struct waits *w)
{
    for (int i = 0; i < WAIT_KINDS; i++)
        put_number(row, units_seconds(w->ns[BREAKDOWN_ORDER[i]]));
}

/* When most runs fail there are no seconds: the last column says why. */
static void put_results(GString *row, const struct question *q, const struct simulation *s)
{
    bool fails = 2 * s->failed >= s->runs;
    int64_t bytes = file_groups_bytes(q->groups);
    struct baselines b = baselines_of(q->networks, 1, q->upload, bytes,
                                      tcp_profile_largest_window(q->upload ? &q->server.tcp : &q->client.tcp),
                                      s->typical.exchanges);

    put_count(row, bytes);
    put_count(row, (int64_t)s->typical.exchanges);
    put_count(row, s->runs);
    put_count(row, s->failed);
    put_number(row, fails ? NAN : s->seconds);
    put_number(row, fails ? NAN : s->low);
    put_number(row, fails ? NAN : s->high);
    put_number(row, fails || s->seconds <= 0 ? NAN : (double)bytes / s->seconds);
    csv_put(row, waits_largest(&s->typical.waits));
    put_breakdown(row, &s->typical.waits);
    put_number(row, b.size_over_rate);
    put_number(row, b.window_over_rtt);
    put_number(row, b.exchanges_times_rtt);
    csv_put(row, fails ? s->typical.fail_reason : "");
}

static void prepare(const void *question, uint64_t run, struct simulation_run *out)
{
    copy_plan_prepare(question, run, out);
}

static void simulate(struct sweep *s, guint combination)
{
    struct question q;
    struct simulation result;
    struct simulation_plan plan = {prepare, copy_plan_release, NULL, &q};

    question_init(&q);
    if (experiment_question(s->experiment, combination, &q, &s->errors[combination])) {
        simulation_run(&plan, (guint)q.runs, &result);
        s->rows[combination] = g_string_new(NULL);
        put_conditions(s->rows[combination], &q);
        put_results(s->rows[combination], &q, &result);
        g_string_append(s->rows[combination], "\r\n");
    }
    question_clear(&q);
#ifdef _OPENMP
#pragma omp critical
#endif
    progress_steps(&s->progress, ++s->done, s->count);
}

/* Whether each combination can be run is known before the first one is. */
static bool check(const struct sweep *s, GError **error)
{
    for (guint i = 0; i < s->count; i++) {
        struct question q;
        bool ok;

        question_init(&q);
        ok = experiment_question(s->experiment, i, &q, error);
        question_clear(&q);
        if (!ok)
            return false;
    }
    return true;
}

/* Combinations side by side when there are enough of them for all cores, else the runs of each. */
static void simulate_all(struct sweep *s)
{
    progress_begin(&s->progress);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) if ((int)s->count >= omp_get_max_threads())
#endif
    for (guint i = 0; i < s->count; i++)
        simulate(s, i);
    progress_end(&s->progress);
}

static bool write_rows(struct sweep *s, const char *path, GError **error)
{
    g_autoptr(GString) text = g_string_new(HEADER);

    for (guint i = 0; i < s->count; i++) {
        if (s->errors[i]) { /* a file that changed since the check */
            g_propagate_error(error, g_steal_pointer(&s->errors[i]));
            return false;
        }
        g_string_append_len(text, s->rows[i]->str, (gssize)s->rows[i]->len);
    }
    return outfile_write(path, text->str, text->len, error);
}

static bool sweep(const struct experiment *e, const char *path, GError **error)
{
    struct sweep s = {.experiment = e, .count = experiment_count(e)};
    bool ok;

    if (!check(&s, error))
        return false;
    s.rows = g_new0(GString *, s.count);
    s.errors = g_new0(GError *, s.count);
    simulate_all(&s);
    ok = write_rows(&s, path, error);
    for (guint i = 0; i < s.count; i++) {
        if (s.rows[i])
            g_string_free(s.rows[i], TRUE);
        g_clear_error(&s.errors[i]);
    }
    g_free(s.rows);
    g_free(s.errors);
    return ok;
}

struct options {
    char *output;
    char **files;
};

static bool parse(int argc, char **argv, struct options *o, GError **error)
{
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o->output,
         "Write the rows to this file (default: standard output)", "results.csv"},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->files, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GOptionContext) context =
        g_option_context_new("EXPERIMENT.yaml - simulate every combination of lists, a row each");

    g_option_context_set_description(context, DESCRIPTION);
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, error))
        return false;
    if (o->files && !o->files[1])
        return !o->output || strcmp(o->output, "-") == 0 || outfile_probe(o->output, error);
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                "takes one experiment file; \"copytrial sweep --help\" explains");
    return false;
}

bool cmd_sweep(int argc, char **argv, int *status, GError **error)
{
    struct options o = {0};
    struct experiment *e = NULL;
    bool ok;

    (void)status;
    ok = parse(argc, argv, &o, error);
    if (ok)
        e = experiment_read(o.files[0], error);
    ok = e && sweep(e, o.output ? o.output : "-", error);
    experiment_free(e);
    g_free(o.output);
    g_strfreev(o.files);
    return ok;
}
