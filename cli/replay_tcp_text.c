/* The TCP facts of a connection as a table: what each end sent, and where the capture was taken. */
#include "cli/replay_output.h"
#include "cli/table.h"
#include "base/units.h"

static char *count_text(uint64_t n)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT, n);
}

static char *size_text(int64_t bytes)
{
    return bytes < 0 ? NULL : units_format_size(bytes, 3);
}

/* Of a segment: no digit is left out. */
static char *segment_text(int64_t bytes)
{
    return bytes < 0 ? NULL : g_strdup_printf("%" G_GINT64_FORMAT " B", bytes);
}

static char *time_text(int64_t ns)
{
    return ns < 0 ? NULL : units_format_time(ns, 3);
}

/* Takes both texts. */
static void row(struct table *t, const char *what, char *client, char *server)
{
    table_add(t, g_strdup(what));
    table_add(t, client);
    table_add(t, server);
}

/* Counts of what is mostly absent. */
static void rare_row(struct table *t, const char *what, uint64_t client, uint64_t server)
{
    if (client + server > 0)
        row(t, what, count_text(client), count_text(server));
}

static char *scale_text(const struct replay_tcp_side *s, bool known)
{
    if (s->window_scale < 0)
        return known ? g_strdup("not offered") : NULL;
    return g_strdup_printf("x %u", 1U << s->window_scale);
}

static char *delayed_text(const struct replay_tcp_side *s)
{
    g_autofree char *sum = NULL;

    if (!s->delayed_acks_known)
        return g_strdup("can't tell");
    sum = units_format_time(s->delayed_ack_ns, 3);
    return s->delayed_acks > 0 ? g_strdup_printf("%" G_GUINT64_FORMAT " (%s)", s->delayed_acks, sum)
                               : g_strdup("0");
}

static uint64_t timeouts(const struct replay_tcp_side *s)
{
    return s->retransmissions - s->fast_retransmissions - s->spurious_retransmissions;
}

static void rows_of(const struct replay_tcp *t, struct table *table)
{
    const struct replay_tcp_side *c = &t->side[REPLAY_UP], *s = &t->side[REPLAY_DOWN];

    row(table, "round trip from the capture to it", time_text(t->client_half_ns),
        time_text(t->server_half_ns));
    row(table, "MSS announced", segment_text(c->mss_bytes), segment_text(s->mss_bytes));
    row(table, "largest segment sent", segment_text(c->largest_segment_bytes),
        segment_text(s->largest_segment_bytes));
    row(table, "window scaling", scale_text(c, t->window_scale_known), scale_text(s, t->window_scale_known));
    row(table, "largest receive window", size_text(c->window_max_bytes), size_text(s->window_max_bytes));
    row(table, "packets sent", count_text(c->packets), count_text(s->packets));
    row(table, "with data", count_text(c->data_packets), count_text(s->data_packets));
    row(table, "sent again", count_text(c->retransmissions), count_text(s->retransmissions));
    rare_row(table, "  after duplicate ACKs", c->fast_retransmissions, s->fast_retransmissions);
    rare_row(table, "  late or by timeout", timeouts(c), timeouts(s));
    rare_row(table, "  needlessly", c->spurious_retransmissions, s->spurious_retransmissions);
    rare_row(table, "out of order", c->out_of_order, s->out_of_order);
    rare_row(table, "duplicate ACKs", c->duplicate_acks, s->duplicate_acks);
    row(table, "delayed ACKs", delayed_text(c), delayed_text(s));
    rare_row(table, "packets with a closed window", c->zero_windows, s->zero_windows);
    rare_row(table, "window probes", c->window_probes, s->window_probes);
    rare_row(table, "keep-alives", c->keep_alives, s->keep_alives);
    rare_row(table, "came after a gap", c->lost_segments, s->lost_segments);
    rare_row(table, "bytes that the capture lacks", c->hole_bytes, s->hole_bytes);
}

void tcp_text(const struct replay_tcp *t, const struct replay_view *v, GString *to)
{
    static const struct table_column columns[] = {{"", true, 0}, {"client", false, 0}, {"server", false, 0}};
    static const char *const places[] = {
        [REPLAY_POINT_CLIENT] = "captured at the client",
        [REPLAY_POINT_SERVER] = "captured at the server",
        [REPLAY_POINT_MIDDLE] = "captured between client and server",
        [REPLAY_POINT_UNKNOWN] = "captured at a place that the times don't tell",
    };
    g_autofree char *rtt = time_text(t->rtt_ns);
    g_autofree char *title =
        g_strdup_printf("TCP: round trip %s, %s%s%s", rtt ? rtt : "unknown", places[t->point],
                        t->sack ? ", SACK" : "", t->timestamps ? ", timestamps" : "");
    struct table table = table_new(columns, G_N_ELEMENTS(columns));

    heading_text(title, v, to);
    rows_of(t, &table);
    table_print(&table, &v->style, to);
}
