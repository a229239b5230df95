#include "cli/replay_output.h"
#include "base/units.h"

#include <stdio.h>
#include <string.h>

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

    for (guint i = 0; i < r->files->len; i++)
        g_string_append_printf(to, "%s%s", i > 0 ? ", " : "", (const char *)g_ptr_array_index(r->files, i));
    g_string_append_printf(to, ": %" G_GUINT64_FORMAT " packets, %s, %s, link type %s\n", r->packets, size,
                           duration, r->link_type);
    for (guint i = 0; i < r->warnings->len; i++)
        g_string_append_printf(to, "warning: %s\n", (const char *)g_ptr_array_index(r->warnings, i));
}

static void protection_text(const struct replay_connection *c, GString *to)
{
    if (c->signed_ == REPLAY_YES)
        g_string_append(to, ", signed");
    if (c->encrypted)
        g_string_append(to, ", encrypted");
    if (c->compressed)
        g_string_append(to, ", compressed");
}

static void retransmissions_text(const struct replay_tcp_side *s, const char *from, GString *to)
{
    g_string_append_printf(to,
                           "  %-18s %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " data packets sent again",
                           from, s->retransmissions, s->data_packets);
    if (s->retransmissions > 0)
        g_string_append_printf(to, " (%" G_GUINT64_FORMAT " fast, %" G_GUINT64_FORMAT " needless)",
                               s->fast_retransmissions, s->spurious_retransmissions);
    if (s->zero_windows > 0)
        g_string_append_printf(to, ", %" G_GUINT64_FORMAT " zero windows", s->zero_windows);
    g_string_append_c(to, '\n');
}

static void tcp_text(const struct replay_tcp *t, GString *to)
{
    const struct replay_tcp_side *client = &t->side[REPLAY_UP], *server = &t->side[REPLAY_DOWN];
    char rtt[32], near[32], far[32];

    g_string_append_printf(to, "  %-18s %s", "round trip", time_text(t->rtt_ns, rtt, sizeof rtt));
    if (t->point != REPLAY_POINT_UNKNOWN)
        g_string_append_printf(to, " (to the client %s, to the server %s: taken %s)",
                               time_text(t->client_half_ns, near, sizeof near),
                               time_text(t->server_half_ns, far, sizeof far),
                               t->point == REPLAY_POINT_MIDDLE   ? "between them"
                               : t->point == REPLAY_POINT_CLIENT ? "at the client"
                                                                 : "at the server");
    g_string_append_c(to, '\n');
    if (client->mss_bytes > 0 && server->mss_bytes > 0)
        g_string_append_printf(to, "  %-18s MSS %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " bytes%s%s\n",
                               "TCP", client->mss_bytes, server->mss_bytes, t->sack ? ", SACK" : "",
                               t->timestamps ? ", timestamps" : "");
    retransmissions_text(client, "from the client", to);
    retransmissions_text(server, "from the server", to);
}

static void totals_text(const struct replay_connection *c, GString *to)
{
    g_autofree char *in = size_text(c->bytes_read);
    g_autofree char *out = size_text(c->bytes_written);

    g_string_append_printf(to, "  %-18s %s read, %s written\n", "file data", in, out);
    g_string_append_printf(to, "  %-18s %" G_GUINT64_FORMAT ", at most %" G_GUINT64_FORMAT " at once",
                           "exchanges", c->exchanges, c->max_pending);
    if (c->unanswered > 0)
        g_string_append_printf(to, ", %" G_GUINT64_FORMAT " without an answer", c->unanswered);
    g_string_append_c(to, '\n');
    if (c->opaque_messages > 0) {
        g_autofree char *opaque = size_text(c->opaque_bytes);

        g_string_append_printf(to,
                               "  %-18s %" G_GUINT64_FORMAT " messages, %s: their commands can't be seen\n",
                               "encrypted", c->opaque_messages, opaque);
    }
}

static gint by_bytes(gconstpointer a, gconstpointer b)
{
    const struct replay_command *x = a, *y = b;

    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
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
        g_autofree char *bytes = units_format_size((int64_t)c->bytes, 3);
        char median[32], p95[32];
        bool known = c->service_samples > 0;

        if (c->requests + c->responses == 0)
            continue;
        g_string_append_printf(to,
                               "  %-24.24s %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %6" G_GUINT64_FORMAT
                               " %8s %9s %9s\n",
                               command_name(c->command), c->requests, c->responses, c->errors, bytes,
                               time_text(known ? c->service_median_ns : -1, median, sizeof median),
                               time_text(known ? c->service_p95_ns : -1, p95, sizeof p95));
    }
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
    g_string_append_printf(to, "  %-18s %s%s", "protocol",
                           !c->dialect                       ? "SMB, dialect not seen"
                           : strcmp(c->dialect, "SMB1") == 0 ? ""
                                                             : "SMB ",
                           c->dialect ? c->dialect : "");
    protection_text(c, to);
    g_string_append_printf(to, "\n  %-18s %s\n", "recorded",
                           time_text(replay_recorded_ns(c), recorded, sizeof recorded));
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
    if (o->predicted) {
        g_string_append_c(to, '\n');
        prediction_text(&o->prediction, to);
    }
}
