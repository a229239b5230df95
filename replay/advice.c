/* What would shorten a copy's largest wait, in the words of who can do something about it. */
#include "replay/findings.h"
#include "base/units.h"

#include <string.h>

static bool is_upload(const struct replay_connection *c)
{
    return c->bytes_written > c->bytes_read;
}

/* The size that moved the most data, as ", with blocks of 64 KiB"; owned. */
static char *block_text(const struct replay_connection *c)
{
    const GArray *sizes = is_upload(c) ? c->usage.writes.sizes : c->usage.reads.sizes;
    g_autofree char *size = NULL;

    if (!sizes->len || !g_array_index(sizes, struct replay_block, 0).bytes)
        return g_strdup("");
    size = units_format_size((int64_t)g_array_index(sizes, struct replay_block, 0).bytes, 3);
    return g_strdup_printf(" (now %s)", size);
}

/* Exchanges outstanding while there are any. */
static double mean_busy(const struct replay_connection *c)
{
    const struct replay_pending *p = &c->usage.pending;
    int64_t busy = p->total_ns - p->ns[0];

    return busy > 0 ? p->mean * (double)p->total_ns / (double)busy : 0;
}

static char *round_trips(const struct replay_connection *c, const struct calibration *k)
{
    g_autofree char *rtt = units_format_time((int64_t)calibrated_best(&k->rtt_ns), 3);
    g_autofree char *block = block_text(c);
    const double few_files = 10, one_at_once = 1.5;

    if ((double)c->opens >= few_files && mean_busy(c) < one_at_once)
        return g_strdup_printf("%.1f exchanges for each of %" G_GUINT64_FORMAT
                               " opens went one at a time, each for a round trip of %s: "
                               "copy several files at once, or pack them into one",
                               (double)c->exchanges / (double)c->opens, c->opens, rtt);
    if (mean_busy(c) < one_at_once)
        return g_strdup_printf("%" G_GUINT64_FORMAT
                               " exchanges went one at a time, each for a round trip of %s: a client "
                               "that keeps several requests outstanding, or larger blocks%s",
                               c->exchanges, rtt, block);
    return g_strdup_printf(
        "more requests outstanding (now %.1f on average), larger blocks%s, or a path shorter than %s",
        mean_busy(c), block, rtt);
}

static char *transmission(const struct replay_connection *c, const struct calibration *k)
{
    const struct calibrated *rate = &k->side[is_upload(c) ? REPLAY_UP : REPLAY_DOWN].rate_bps;
    g_autofree char *text = NULL;

    if (!rate->known)
        return g_strdup("a faster link, or fewer bytes (compression)");
    text = units_format_rate((int64_t)rate->value, 3);
    return g_strdup_printf(
        "a link faster than its %s, or fewer bytes (compression); the client kept the link busy, so "
        "another client gains little",
        text);
}

/* What the receiver's window lets through in a round trip, against the link. */
static char *tcp_window(const struct replay_connection *c, const struct calibration *k)
{
    enum replay_direction data = is_upload(c) ? REPLAY_UP : REPLAY_DOWN;
    const struct replay_tcp_side *receiver = &c->tcp.side[!data], *sender = &c->tcp.side[data];
    double rtt_s = calibrated_best(&k->rtt_ns) * 1e-9;
    double allowed = rtt_s > 0 ? (double)receiver->window_max_bytes * 8 / rtt_s : 0;
    const struct calibrated *rate = &k->side[data].rate_bps;
    g_autofree char *window = units_format_size(receiver->window_max_bytes, 3);
    g_autofree char *limit = units_format_rate((int64_t)allowed, 3);

    if (allowed > 0 && (!rate->known || allowed < rate->value))
        return g_strdup_printf("a larger receive window at the %s: its %s allow %s over this path",
                               data == REPLAY_UP ? "server" : "client", window, limit);
    if (sender->retransmissions > 0)
        return g_strdup_printf("fewer losses: %" G_GUINT64_FORMAT
                               " packets were sent again, and each loss shrinks the %s's window",
                               sender->retransmissions, data == REPLAY_UP ? "client" : "server");
    return g_strdup_printf(
        "a larger initial window or a longer connection: the %s's window was still growing",
        data == REPLAY_UP ? "client" : "server");
}

static char *loss_recovery(const struct replay_connection *c)
{
    const struct replay_tcp_side *up = &c->tcp.side[REPLAY_UP], *down = &c->tcp.side[REPLAY_DOWN];
    bool from_client = up->retransmissions > down->retransmissions;
    const struct replay_tcp_side *s = from_client ? up : down;

    return g_strdup_printf("find what drops packets on the way to the %s (%.2g %% were sent again): a short "
                           "queue, a policer, a bad "
                           "cable or radio%s",
                           from_client ? "server" : "client",
                           100 * (double)s->retransmissions / (double)MAX(s->data_packets, 1),
                           c->tcp.sack ? "" : "; and turn on SACK");
}

static char *server(const struct replay_connection *c)
{
    const struct replay_command *most = NULL;
    g_autofree char *median = NULL, *p95 = NULL;

    for (guint i = 0; i < c->commands->len; i++) {
        const struct replay_command *row = &g_array_index(c->commands, struct replay_command, i);

        if (row->service_samples > 0 && (!most || row->service_total_ns > most->service_total_ns))
            most = row;
    }
    if (!most)
        return g_strdup("look at the server: disk, processor, virus scanner");
    median = units_format_time(most->service_median_ns, 3);
    p95 = units_format_time(most->service_p95_ns, 3);
    return g_strdup_printf("look at the server (disk, processor, virus scanner): most of its time went into "
                           "%s, half of them up to %s "
                           "and 95 %% up to %s",
                           command_name(most->command), median, p95);
}

/* Pauses are nobody's fault: what matters then is the rest. */
static char *idle(const struct breakdown *b)
{
    int next = b->bottleneck == 0 ? 1 : 0;
    int64_t rest = 0;
    g_autofree char *left = NULL;

    for (int i = 0; i < WAIT_KINDS; i++) {
        if (i == b->bottleneck)
            continue;
        rest += b->waits.ns[i];
        next = b->waits.ns[i] > b->waits.ns[next] ? i : next;
    }
    left = units_format_time(rest, 3);
    return g_strdup_printf("look at what the user or the program did meanwhile, for nothing was asked for; "
                           "without the pauses %s "
                           "remain, most of them for %s",
                           left, WAIT_NAMES[next]);
}

char *advice_new(const struct replay_connection *c, const struct breakdown *b, const struct calibration *k)
{
    switch (b->bottleneck) {
    case WAIT_ROUND_TRIPS:
        return round_trips(c, k);
    case WAIT_TRANSMISSION:
        return transmission(c, k);
    case WAIT_TCP_WINDOW:
        return tcp_window(c, k);
    case WAIT_LOSS_RECOVERY:
        return loss_recovery(c);
    case WAIT_SERVER:
        return server(c);
    case WAIT_CLIENT:
        return g_strdup("look at the client (disk, processor, virus scanner, the copy program): the server "
                        "and the network waited "
                        "for its next request");
    case WAIT_PACKET_CAP:
        return g_strdup("lift the client's limit on packets: Windows sets it while multimedia plays "
                        "(NetworkThrottlingIndex)");
    default:
        return idle(b);
    }
}
