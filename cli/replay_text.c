#include "cli/replay_output.h"
#include "base/units.h"

#include <string.h>

enum { NAME_WIDTH = 18, TIME_WIDTH = 9 };

/* printf counts bytes, and the micro sign has two. */
static void put_right(GString *to, const char *text, int width)
{
    for (int pad = width - (int)g_utf8_strlen(text, -1); pad > 0; pad--)
        g_string_append_c(to, ' ');
    g_string_append(to, text);
}

static void put_name(GString *to, const char *name)
{
    g_string_append_printf(to, "  %-*s ", NAME_WIDTH, name);
}

/* "-" for what isn't known. View of `buffer`. */
static const char *time_text(int64_t ns, char *buffer, size_t size)
{
    g_autofree char *text = ns < 0 ? NULL : units_format_time(ns, 4);

    g_strlcpy(buffer, text ? text : "-", size);
    return buffer;
}

static char *size_text(uint64_t bytes)
{
    return units_format_size((int64_t)bytes, 4);
}

static void capture_text(const struct replay *r, GString *to)
{
    g_autofree char *size = size_text(r->bytes);
    g_autofree char *duration = units_format_time(r->duration_ns, 4);
    g_autoptr(GString) line = g_string_new(NULL);

    for (guint i = 0; i < r->files->len; i++)
        g_string_append_printf(line, "%s%s", i > 0 ? ", " : "", (const char *)g_ptr_array_index(r->files, i));
    g_string_append_printf(line, ": %" G_GUINT64_FORMAT " packets, %s, %s, link type %s", r->packets, size,
                           duration, r->link_type);
    wrapped_text(line->str, "", to);
    for (guint i = 0; i < r->warnings->len; i++) {
        g_autofree char *warning = g_strconcat("warning: ", g_ptr_array_index(r->warnings, i), NULL);

        wrapped_text(warning, "", to);
    }
}

static void protection_text(const struct replay_connection *c, GString *to)
{
    if (c->signed_ == REPLAY_YES)
        g_string_append(to, ", signed");
    if (c->encrypted)
        g_string_append(to, ", encrypted");
    if (c->compressed_bytes > 0)
        g_string_append_printf(to, ", compressed %.2f to 1",
                               (double)c->original_bytes / (double)c->compressed_bytes);
}

static void retransmissions_text(const struct replay_tcp_side *s, const char *from, GString *to)
{
    put_name(to, from);
    g_string_append_printf(to, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " data packets sent again",
                           s->retransmissions, s->data_packets);
    if (s->retransmissions > 0)
        g_string_append_printf(to, " (%" G_GUINT64_FORMAT " fast, %" G_GUINT64_FORMAT " needless)",
                               s->fast_retransmissions, s->spurious_retransmissions);
    g_string_append_c(to, '\n');
    if (s->zero_windows > 0) {
        put_name(to, "");
        g_string_append_printf(to, "%" G_GUINT64_FORMAT " times its receive window was closed\n",
                               s->zero_windows);
    }
}

static void round_trip_text(const struct replay_tcp *t, GString *to)
{
    static const char *const PLACES[] = {
        [REPLAY_POINT_CLIENT] = "captured at the client",
        [REPLAY_POINT_SERVER] = "captured at the server",
        [REPLAY_POINT_MIDDLE] = "captured between client and server",
        [REPLAY_POINT_UNKNOWN] = "captured at an unknown place",
    };
    char rtt[32], near[32], far[32];

    put_name(to, "round trip");
    g_string_append_printf(to, "%s, %s\n", time_text(t->rtt_ns, rtt, sizeof rtt), PLACES[t->point]);
    if (t->client_half_ns < 0 && t->server_half_ns < 0)
        return;
    put_name(to, "");
    g_string_append_printf(to, "(to the client and back %s, to the server and back %s)\n",
                           time_text(t->client_half_ns, near, sizeof near),
                           time_text(t->server_half_ns, far, sizeof far));
}

static void tcp_text(const struct replay_tcp *t, GString *to)
{
    const struct replay_tcp_side *client = &t->side[REPLAY_UP], *server = &t->side[REPLAY_DOWN];

    round_trip_text(t, to);
    if (client->mss_bytes > 0 && server->mss_bytes > 0) {
        put_name(to, "TCP");
        g_string_append_printf(to, "MSS %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " bytes%s%s\n",
                               client->mss_bytes, server->mss_bytes, t->sack ? ", SACK" : "",
                               t->timestamps ? ", timestamps" : "");
    }
    retransmissions_text(client, "from the client", to);
    retransmissions_text(server, "from the server", to);
}

static void totals_text(const struct replay_connection *c, GString *to)
{
    g_autofree char *in = size_text(c->bytes_read);
    g_autofree char *out = size_text(c->bytes_written);

    put_name(to, "file data");
    g_string_append_printf(to, "%s read, %s written\n", in, out);
    put_name(to, "exchanges");
    g_string_append_printf(to, "%" G_GUINT64_FORMAT ", at most %" G_GUINT64_FORMAT " at once", c->exchanges,
                           c->max_pending);
    if (c->unanswered > 0)
        g_string_append_printf(to, ", %" G_GUINT64_FORMAT " without an answer", c->unanswered);
    g_string_append_c(to, '\n');
    if (c->opaque_messages > 0) {
        g_autofree char *opaque = size_text(c->opaque_bytes);

        put_name(to, "encrypted");
        g_string_append_printf(to, "%" G_GUINT64_FORMAT " messages, %s: commands can't be seen\n",
                               c->opaque_messages, opaque);
    }
}

static gint by_bytes(gconstpointer a, gconstpointer b)
{
    const struct replay_command *x = a, *y = b;

    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

static void command_text(const struct replay_command *c, GString *to)
{
    g_autofree char *bytes = units_format_size((int64_t)c->bytes, 3);
    bool known = c->service_samples > 0;
    char median[32], p95[32];

    g_string_append_printf(
        to, "  %-24.24s %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %6" G_GUINT64_FORMAT " %8s ",
        command_name(c->command), c->requests, c->responses, c->errors, bytes);
    put_right(to, time_text(known ? c->service_median_ns : -1, median, sizeof median), TIME_WIDTH);
    g_string_append_c(to, ' ');
    put_right(to, time_text(known ? c->service_p95_ns : -1, p95, sizeof p95), TIME_WIDTH);
    g_string_append_c(to, '\n');
}

static void commands_text(const GArray *commands, GString *to)
{
    g_autoptr(GArray) sorted = g_array_copy((GArray *)commands);

    if (sorted->len == 0)
        return;
    g_array_sort(sorted, by_bytes);
    g_string_append_printf(to, "\n  %-24s %8s %8s %6s %8s %9s %9s\n", "command", "requests", "answers",
                           "errors", "bytes", "service", "95 %");
    for (guint i = 0; i < sorted->len; i++) {
        const struct replay_command *c = &g_array_index(sorted, struct replay_command, i);

        if (c->requests + c->responses > 0) /* others only stood in AndX chains */
            command_text(c, to);
    }
}

static const char *protocol_text(const char *dialect)
{
    if (!dialect)
        return "dialect not seen";
    return strcmp(dialect, "SMB1") == 0 ? "" : "SMB ";
}

static void time_went_text(const struct breakdown *b, GString *to)
{
    g_string_append(to, "\n  Where the time went\n");
    breakdown_text(&b->waits, to);
    if (b->evidence) {
        g_autofree char *line =
            g_strdup_printf("held back by %s: %s", WAIT_NAMES[b->bottleneck], b->evidence);

        wrapped_text(line, "  ", to);
    }
    if (b->filter)
        g_string_append_printf(to, "  in Wireshark: %s\n", b->filter);
}

static void connection_text(const struct replay_connection *c, const struct breakdown *b,
                            const struct calibration *k, GString *to)
{
    char recorded[32];

    g_string_append_printf(to, "\n%s -> %s\n", c->client, c->server);
    put_name(to, "protocol");
    g_string_append_printf(to, "%s%s", protocol_text(c->dialect), c->dialect ? c->dialect : "");
    protection_text(c, to);
    g_string_append_c(to, '\n');
    put_name(to, "recorded");
    g_string_append_printf(to, "%s\n", time_text(replay_recorded_ns(c), recorded, sizeof recorded));
    totals_text(c, to);
    tcp_text(&c->tcp, to);
    commands_text(c->commands, to);
    time_went_text(b, to);
    calibration_text(k, to);
}

static void ledger_text(const struct replay *r, GString *to)
{
    if (r->ledger.rows->len == 0)
        return;
    g_string_append_printf(to, "\nNot used (%.1f %% of the connections' bytes were decoded)\n",
                           r->coverage * 100);
    for (guint i = 0; i < r->ledger.rows->len; i++) {
        const struct tally_row *row = &g_array_index(r->ledger.rows, struct tally_row, i);
        g_autofree char *bytes = size_text(row->bytes);

        g_string_append_printf(to, "  %-52s %10" G_GUINT64_FORMAT " %12s\n", row->name, row->count, bytes);
    }
}

static void self_replay_text(const struct replay_outcome *o, GString *to)
{
    g_autofree char *recorded = NULL, *simulated = NULL;

    if (o->why_not)
        g_string_append_printf(to, "\nNot replayed: %s\n", o->why_not);
    if (!o->model)
        return;
    recorded = seconds_text(units_seconds(o->model->recorded_ns));
    simulated = seconds_text(units_seconds(o->self_ns));
    g_string_append_printf(
        to,
        "\nSelf-replay: the same exchanges on the capture's own network take %s in the simulator\n"
        "and took %s in the capture: %+.2f %%.\n",
        simulated, recorded, replay_outcome_error_pct(o));
    if (o->self.failed)
        g_string_append_printf(to, "The simulated copy fails: %s.\n", o->self.fail_reason);
}

void replay_text(const struct replay_outcome *o, GString *to)
{
    const struct replay *r = o->replay;

    capture_text(r, to);
    for (guint i = 0; i < r->connections->len; i++)
        connection_text(g_ptr_array_index(r->connections, i),
                        &g_array_index(o->breakdowns, struct breakdown, i),
                        &g_array_index(o->calibrations, struct calibration, i), to);
    ledger_text(r, to);
    self_replay_text(o, to);
    if (o->changes)
        replay_changes_text(o->changes, units_seconds(o->self_ns), to);
    if (o->predicted) {
        g_string_append_c(to, '\n');
        prediction_text(&o->prediction, to);
    }
}
