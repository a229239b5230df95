#include "cli/commands.h"
#include "cli/prediction.h"
#include "cli/rdc_outcome.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/units.h"

#include <string.h>

static const char SUMMARY[] = "Says what Remote Differential Compression would move to turn OLD, which the "
                              "receiver has, into NEW: the bytes\n"
                              "of the file that travel, and the signatures; over a network, how long that "
                              "takes beside a copy of the whole "
                              "file.";

static const char DESCRIPTION[] =
    "Both files are cut into chunks by RDC's FilterMax algorithm. NEW is put together again from OLD and "
    "what "
    "travels, and\n"
    "compared. No copy program uses RDC; DFS Replication does.\n\n"
    "  copytrial rdc report-monday.docx report-tuesday.docx\n"
    "  copytrial rdc old.vhdx new.vhdx --network branch-office --json\n\n"
    "Exit status: 0 done, 2 usage, 3 a file that can't be read, 4 output, 70 NEW can't be put together.";

struct options {
    char *window, *horizon;
    int depth;
    gboolean json;
    char **files;
};

static bool usage(GError **error, const char *message)
{
    g_set_error_literal(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, message);
    return false;
}

static bool read_size(const char *option, const char *text, int64_t least, int64_t most, uint32_t *into,
                      GError **error)
{
    int64_t bytes;

    if (!text)
        return true;
    if (!units_parse_size(text, &bytes, error)) {
        g_prefix_error(error, "%s: ", option);
        return false;
    }
    *into = (uint32_t)CLAMP(bytes, least, most);
    if (*into == bytes)
        return true;
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                "%s must be between %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " B", option, least, most);
    return false;
}

static bool check(const struct options *o, const struct rdc_times *t, struct rdc_outcome *r, GError **error)
{
    if (!o->files || g_strv_length(o->files) != 2)
        return usage(error,
                     "takes two files, the old and the new version; \"copytrial rdc --help\" explains");
    if (o->depth != G_MININT && (o->depth < 1 || o->depth > RDC_LEVELS_MOST))
        return usage(error, "--depth must be between 1 and 8");
    if (t->runs != G_MININT && (t->runs < 1 || t->runs > 100000))
        return usage(error, "--runs must be between 1 and 100000");
    if (!t->network_name && (t->client_name || t->server_name || t->runs != G_MININT))
        return usage(error, "--client, --server and --runs need --network");
    return read_size("--window", o->window, RDC_WINDOW_LEAST, RDC_WINDOW_MOST, &r->filter.window, error) &&
           read_size("--horizon", o->horizon, RDC_HORIZON_LEAST, RDC_HORIZON_MOST, &r->filter.horizon, error);
}

static bool parse(int argc, char **argv, struct options *o, struct rdc_times *t, struct rdc_outcome *r,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"network", 'n', 0, G_OPTION_ARG_STRING, &t->network_name,
         "Say how long it takes over a network: a name (copytrial list networks) or a file", "NAME|FILE"},
        {"client", 'c', 0, G_OPTION_ARG_STRING, &t->client_name,
         "Copy program of the whole file (default: robocopy)", "NAME|FILE"},
        {"server", 's', 0, G_OPTION_ARG_STRING, &t->server_name, "Server (default: windows-server-2022)",
         "NAME|FILE"},
        {"window", 0, 0, G_OPTION_ARG_STRING, &o->window,
         "Bytes that the rolling hash is taken over (default: 48 B, Windows')", "SIZE"},
        {"horizon", 0, 0, G_OPTION_ARG_STRING, &o->horizon,
         "Bytes on each side that a cut's hash must exceed (default: 1024 B, Windows')", "SIZE"},
        {"depth", 0, 0, G_OPTION_ARG_INT, &o->depth,
         "Levels of signatures, 1 to 8 (default: one more while signatures fill over 64 KiB)", "N"},
        {"runs", 'r', 0, G_OPTION_ARG_INT, &t->runs,
         "Simulated runs (default: 40 where anything is random, else 1)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &t->seed, "Seed of the random streams (default: 1)", "N"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &o->json, "Print one JSON object", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->files, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GOptionContext) context = g_option_context_new("OLD NEW");

    g_option_context_set_summary(context, SUMMARY);
    g_option_context_set_description(context, DESCRIPTION);
    g_option_context_add_main_entries(context, entries, NULL);
    return g_option_context_parse(context, &argc, &argv, error) && check(o, t, r, error);
}

static GMappedFile *map(const char *path, const uint8_t **bytes, size_t *length, GError **error)
{
    g_autoptr(GError) cause = NULL;
    GMappedFile *file = g_mapped_file_new(path, FALSE, &cause);

    if (!file) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: can't be read: %s", path,
                    cause->message);
        return NULL;
    }
    *length = g_mapped_file_get_length(file);
    *bytes = *length ? (const uint8_t *)g_mapped_file_get_contents(file) : (const uint8_t *)"";
    if (*length <= RDC_FILE_MOST)
        return file;
    g_mapped_file_unref(file);
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: files may have up to 128 GiB", path);
    return NULL;
}

/* The file that is put together, compared with NEW as it grows. */
struct comparison {
    const struct rdc_versions *versions;
    uint64_t at;
    bool equal;
};

static const uint8_t *fetch(void *self, uint64_t offset, uint64_t length)
{
    const struct comparison *c = self;

    return offset + length <= c->versions->after_bytes ? c->versions->after + offset : NULL;
}

static void put(void *self, const uint8_t *bytes, size_t length)
{
    struct comparison *c = self;

    c->equal = c->equal && length <= c->versions->after_bytes - c->at &&
               memcmp(bytes, c->versions->after + c->at, length) == 0;
    c->at += length;
}

static bool rebuild(const struct rdc_outcome *r, const struct rdc_versions *v, const char *path,
                    GError **error)
{
    struct comparison c = {.versions = v, .equal = true};
    struct rdc_ends ends = {v->before, v->before_bytes, fetch, put, &c};

    if (rdc_transfer_rebuild(&r->transfer->levels[0], &ends) && c.equal && c.at == v->after_bytes)
        return true;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                "%s: what is put together of the old version and what travels isn't equal to it", path);
    return false;
}

static bool work(const struct options *o, struct rdc_times *t, struct rdc_outcome *r,
                 const struct rdc_versions *v, GError **error)
{
    gint64 start = g_get_monotonic_time();
    guint depth = o->depth != G_MININT
                      ? (guint)o->depth
                      : rdc_transfer_depth(&r->filter, &RDC_FILTER_SIGNATURES, v->after_bytes);

    r->before_bytes = v->before_bytes;
    r->after_bytes = v->after_bytes;
    r->transfer = rdc_transfer_new(&r->filter, &RDC_FILTER_SIGNATURES, depth, v);
    r->cut_us = MAX(g_get_monotonic_time() - start, 1);
    if (!rebuild(r, v, o->files[1], error))
        return false;
    if (t->network_name) {
        rdc_times_run(t, r->transfer, v->after_bytes);
        r->times = t;
    }
    if (o->json)
        return print_json(rdc_outcome_json(r), error);
    g_autoptr(GString) text = g_string_new(NULL);
    rdc_outcome_text(r, text);
    return outfile_write("-", text->str, text->len, error);
}

static bool rdc(const struct options *o, struct rdc_times *t, struct rdc_outcome *r, GError **error)
{
    struct rdc_versions v = {0};
    g_autoptr(GMappedFile) before = map(o->files[0], &v.before, &v.before_bytes, error);
    g_autoptr(GMappedFile) after = before ? map(o->files[1], &v.after, &v.after_bytes, error) : NULL;

    return after && (!t->network_name || rdc_times_load(t, error)) && work(o, t, r, &v, error);
}

bool cmd_rdc(int argc, char **argv, int *status, GError **error)
{
    struct options o = {.depth = G_MININT};
    struct rdc_outcome r = {.filter = RDC_FILTER_FILES};
    struct rdc_times t;
    bool ok;

    (void)status;
    rdc_times_init(&t);
    ok = parse(argc, argv, &o, &t, &r, error) && rdc(&o, &t, &r, error);
    rdc_transfer_free(r.transfer);
    rdc_times_clear(&t);
    g_free(o.window);
    g_free(o.horizon);
    g_strfreev(o.files);
    return ok;
}
