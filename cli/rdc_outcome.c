#include "cli/rdc_outcome.h"
#include "cli/prediction.h"
#include "base/units.h"

#include <math.h>

/* DFS Replication leaves smaller files alone (Microsoft's DFS Replication FAQ). */
enum { WORTH_BYTES = 64 << 10 };

static double mean_chunk(const struct rdc_outcome *r)
{
    const struct rdc_level *file = &r->transfer->levels[0];

    return file->chunks ? (double)file->bytes / file->chunks : NAN;
}

static double share(const struct rdc_outcome *r)
{
    return r->after_bytes ? (double)rdc_transfer_bytes(r->transfer) / (double)r->after_bytes : NAN;
}

/* Bytes of one version that this machine cuts and hashes in a second. */
static double speed(const struct rdc_outcome *r)
{
    return 1e6 * (double)(r->before_bytes + r->after_bytes) / (double)r->cut_us;
}

/* The rate at which what RDC spares takes as long as cutting the larger version; NAN when it spares nothing. Both ends cut at once. */
static double break_even_bps(const struct rdc_outcome *r)
{
    double spared = (double)r->after_bytes - (double)rdc_transfer_bytes(r->transfer),
           seconds = (double)MAX(r->before_bytes, r->after_bytes) / speed(r);

    return spared > 0 ? 8 * spared / seconds : NAN;
}

static json_t *simulation_json(const struct simulation *s)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I}", "seconds", number_json(s->seconds > 0 ? s->seconds : NAN),
                     "low_s", number_json(s->seconds > 0 ? s->low : NAN), "high_s",
                     number_json(s->seconds > 0 ? s->high : NAN), "runs", (json_int_t)s->runs, "failed",
                     (json_int_t)s->failed);
}

static json_t *levels_json(const struct rdc_transfer *t)
{
    json_t *levels = json_array();

    for (guint i = 0; i <= t->depth; i++) {
        const struct rdc_level *l = &t->levels[i];

        json_array_append_new(levels, json_pack("{s:I, s:I, s:o, s:I, s:I}", "level", (json_int_t)i, "bytes",
                                                (json_int_t)l->bytes, "chunks",
                                                i < t->depth ? json_integer(l->chunks) : json_null(),
                                                "moved_bytes", (json_int_t)l->moved_bytes, "moved_pieces",
                                                (json_int_t)l->moved_pieces));
    }
    return levels;
}

json_t *rdc_outcome_json(const struct rdc_outcome *r)
{
    json_t *o = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:o, s:f, s:o}", "old_bytes", (json_int_t)r->before_bytes,
        "new_bytes", (json_int_t)r->after_bytes, "window_bytes", (json_int_t)r->filter.window,
        "horizon_bytes", (json_int_t)r->filter.horizon, "depth", (json_int_t)r->transfer->depth,
        "mean_chunk_bytes", number_json(mean_chunk(r)), "levels", levels_json(r->transfer), "moved_bytes",
        (json_int_t)rdc_transfer_bytes(r->transfer), "moved_share", number_json(share(r)), "cut_bytes_per_s",
        speed(r), "break_even_bps", number_json(break_even_bps(r)));

    json_object_set_new(o, "network", r->times ? json_string(r->times->network.name) : json_null());
    json_object_set_new(o, "whole_file", r->times ? simulation_json(&r->times->whole) : json_null());
    json_object_set_new(o, "rdc", r->times ? simulation_json(&r->times->rdc) : json_null());
    return o;
}

static void level_line(const struct rdc_level *l, const char *name, GString *to)
{
    g_autofree char *bytes = units_format_size((int64_t)l->bytes, 4),
                    *moved = units_format_size((int64_t)l->moved_bytes, 4);

    g_string_append_printf(to, "  %-24s %12s %12s %10u\n", name, bytes, moved, l->moved_pieces);
}

static void levels_text(const struct rdc_outcome *r, GString *to)
{
    const struct rdc_transfer *t = r->transfer;
    g_autofree char *moved = units_format_size((int64_t)rdc_transfer_bytes(t), 4);

    g_string_append_printf(to, "  %-24s %12s %12s %10s\n", "", "size", "travels", "stretches");
    level_line(&t->levels[0], "the new version", to);
    for (guint i = 1; i <= t->depth; i++) {
        g_autofree char *name = g_strdup_printf("signatures, level %u", i);

        level_line(&t->levels[i], name, to);
    }
    g_string_append_printf(to, "  %-24s %12s %12s", "in all", "", moved);
    if (!isnan(share(r)))
        g_string_append_printf(to, "   %.3g %% of it", 100 * share(r));
    g_string_append(to, "\n\nPut together from the old version and what travels, the new one is right.\n");
}

static void time_line(const struct simulation *s, const char *name, GString *to)
{
    g_autofree char *seconds = seconds_text(s->seconds), *low = seconds_text(s->low),
                    *high = seconds_text(s->high);

    if (s->failed * 2 >= s->runs)
        g_string_append_printf(to, "  %-24s fails: %s\n", name, s->typical.fail_reason);
    else if (s->low < s->high)
        g_string_append_printf(to, "  %-24s %s (90 %% of runs: %s to %s)\n", name, seconds, low, high);
    else
        g_string_append_printf(to, "  %-24s %s\n", name, seconds);
}

static void times_text(const struct rdc_times *t, GString *to)
{
    g_string_append_printf(to, "\nOver \"%s\", \"%s\" and \"%s\":\n", t->network.name, t->client.name,
                           t->server.name);
    time_line(&t->whole, "the whole file", to);
    time_line(&t->rdc, "by RDC", to);
}

static void cost_text(const struct rdc_outcome *r, GString *to)
{
    double rate = break_even_bps(r);
    g_autofree char *link = isnan(rate) ? NULL : units_format_rate((int64_t)CLAMP(rate, 1, 1e15), 2);

    g_string_append_printf(to, "\nCutting and hashing ran at %.0f MB/s here, and is in no time above. ",
                           speed(r) / 1e6);
    if (link)
        g_string_append_printf(to, "Over a link faster than\n%s it takes longer than what it spares.\n",
                               link);
    else
        g_string_append(to, "It spares nothing:\nRDC would move more than the file has.\n");
    if (r->after_bytes < WORTH_BYTES)
        g_string_append(to, "DFS Replication doesn't use RDC for files under 64 KiB.\n");
}

void rdc_outcome_text(const struct rdc_outcome *r, GString *to)
{
    g_autofree char *before = units_format_size((int64_t)r->before_bytes, 5),
                    *after = units_format_size((int64_t)r->after_bytes, 5);

    g_string_append_printf(to, "The old version has %s, the new one %s", before, after);
    if (!isnan(mean_chunk(r)))
        g_string_append_printf(to, " in %u chunks of %.0f B on average", r->transfer->levels[0].chunks,
                               mean_chunk(r));
    g_string_append_printf(to, "\n(hash window %u B, horizon %u B)\n\n", r->filter.window, r->filter.horizon);
    levels_text(r, to);
    if (r->times)
        times_text(r->times, to);
    cost_text(r, to);
}
