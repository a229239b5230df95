#include "cli/series_option.h"
#include "base/error.h"
#include "base/units.h"

#include <string.h>

static const gsize PIECE_BYTES = 65536;

bool series_option_check(struct series_option *o, GError **error)
{
    const char *wrong = NULL;

    o->sampler.every_ns = 100 * NS_PER_MS;
    if (o->every && !units_parse_time(o->every, &o->sampler.every_ns, error)) {
        g_prefix_error(error, "--series-every: ");
        return false;
    }
    if (o->every && !o->path)
        wrong = "--series-every needs --series";
    else if (o->sampler.every_ns < NS_PER_US)
        wrong = "--series-every must be at least 1 us";
    else if (o->path && strcmp(o->path, "-") == 0)
        wrong = "--series needs a file: standard output has the prediction";
    if (wrong)
        g_set_error_literal(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, wrong);
    return !wrong;
}

static void flush(struct series_option *o)
{
    if (!o->error)
        outfile_append(o->file, o->text->str, o->text->len, &o->error);
    g_string_truncate(o->text, 0);
}

static void add_line(void *self, const struct sim_sample *s)
{
    struct series_option *o = self;

    g_string_append_printf(
        o->text,
        "%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
        ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
        ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "\n",
        s->at_ns / NS_PER_S, s->at_ns % NS_PER_S, s->data_bytes, s->down.bytes, s->up.bytes,
        s->down.window_bytes, s->up.window_bytes, s->down.queue_bytes, s->up.queue_bytes, s->outstanding);
    if (o->text->len >= PIECE_BYTES)
        flush(o);
}

bool series_option_begin(struct series_option *o, GError **error)
{
    if (!o->path)
        return true;
    o->file = outfile_open(o->path, error);
    if (!o->file)
        return false;
    o->sampler.on_sample = add_line;
    o->sampler.self = o;
    o->text = g_string_new("time_s,data_bytes,down_bytes,up_bytes,down_window_bytes,up_window_bytes,"
                           "down_queue_bytes,up_queue_bytes,outstanding\n");
    return true;
}

const struct sim_sampler *series_option_sampler(const struct series_option *o)
{
    return o->file ? &o->sampler : NULL;
}

bool series_option_end(struct series_option *o, GError **error)
{
    if (!o->file)
        return true;
    flush(o);
    if (!o->error)
        return outfile_commit(g_steal_pointer(&o->file), error);
    outfile_discard(g_steal_pointer(&o->file));
    g_propagate_error(error, g_steal_pointer(&o->error));
    return false;
}

void series_option_clear(struct series_option *o)
{
    g_free(o->path);
    g_free(o->every);
    if (o->text)
        g_string_free(o->text, TRUE);
    if (o->file)
        outfile_discard(o->file);
    g_clear_error(&o->error);
}
