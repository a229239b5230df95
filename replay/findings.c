#include "replay/findings.h"
#include "replay/status_name.h"
#include "base/units.h"

#include <string.h>

static void free_finding(void *item)
{
    struct finding *f = item;

    g_free(f->text);
    g_free(f->advice);
    g_free(f->filter);
    g_free(f);
}

const char *finding_port(const char *end)
{
    const char *colon = strrchr(end, ':');

    return colon ? colon + 1 : end;
}

/* Takes `text` and `filter`. */
static struct finding *add(GPtrArray *list, const char *kind, char *text, char *filter, uint64_t first,
                           uint64_t last)
{
    struct finding *f = g_new0(struct finding, 1);

    *f = (struct finding){kind, text, NULL, filter, first, last};
    g_ptr_array_add(list, f);
    return f;
}

static const char *end_name(int d)
{
    return d == REPLAY_UP ? "client" : "server";
}

static const char *sender_port(const struct replay_connection *c, int d)
{
    return finding_port(d == REPLAY_UP ? c->client : c->server);
}

static const char *other_port(const struct replay_connection *c, int d)
{
    return finding_port(d == REPLAY_UP ? c->server : c->client);
}

/* ---- TCP ---------------------------------------------------------------------------------------------------------- */

/* Filter for what one end of this connection sent. */
static char *sent_by(const struct replay_connection *c, int d, const char *what)
{
    return g_strdup_printf("tcp.srcport == %s && tcp.dstport == %s && %s", sender_port(c, d),
                           other_port(c, d), what);
}

static void find_retransmissions(const struct replay_connection *c, int d, GPtrArray *list)
{
    const struct replay_tcp_side *s = &c->tcp.side[d];
    uint64_t timeouts = s->retransmissions - s->fast_retransmissions - s->spurious_retransmissions;

    if (!s->retransmissions)
        return;
    add(list, "retransmissions",
        g_strdup_printf("the %s sent %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                        " data packets again: %" G_GUINT64_FORMAT " after duplicate ACKs, %" G_GUINT64_FORMAT
                        " late or by timeout, %" G_GUINT64_FORMAT
                        " needlessly; the first is frame %" G_GUINT64_FORMAT,
                        end_name(d), s->retransmissions, s->data_packets, s->fast_retransmissions, timeouts,
                        s->spurious_retransmissions, s->first_retransmission),
        sent_by(c, d, "tcp.analysis.retransmission"), s->first_retransmission, c->last_frame);
}

static void find_closed_window(const struct replay_connection *c, int d, GPtrArray *list)
{
    const struct replay_tcp_side *s = &c->tcp.side[d];
    struct finding *f;

    if (!s->zero_windows)
        return;
    f = add(list, "closed_window",
            g_strdup_printf("the %s closed its receive window in %" G_GUINT64_FORMAT
                            " packets, first in frame %" G_GUINT64_FORMAT,
                            end_name(d), s->zero_windows, s->first_zero_window),
            sent_by(c, d, "tcp.analysis.zero_window"), s->first_zero_window, c->last_frame);
    f->advice =
        g_strdup_printf("the program or disk of the %s does not keep up with what arrives", end_name(d));
}

static void find_delayed_acks(const struct replay_connection *c, int d, GPtrArray *list)
{
    const struct replay_tcp_side *s = &c->tcp.side[d];
    g_autofree char *total = NULL, *mean = NULL;

    if (!s->delayed_acks_known || s->delayed_acks < 3)
        return;
    total = units_format_time(s->delayed_ack_ns, 3);
    mean = units_format_time(s->delayed_ack_ns / (int64_t)s->delayed_acks, 3);
    add(list, "delayed_acks",
        g_strdup_printf(
            "the %s delayed %" G_GUINT64_FORMAT " acknowledgements, by %s on average and %s in all, which "
            "costs time where the other end waits for them; the first is frame %" G_GUINT64_FORMAT,
            end_name(d), s->delayed_acks, mean, total, s->first_delayed_ack),
        sent_by(c, d, "tcp.len == 0 && tcp.analysis.ack_rtt > 0.01"), s->first_delayed_ack, c->last_frame);
}

static void find_window_scaling(const struct replay_connection *c, GPtrArray *list)
{
    const struct replay_tcp_side *up = &c->tcp.side[REPLAY_UP], *down = &c->tcp.side[REPLAY_DOWN];
    g_autofree char *rate = NULL, *rtt = NULL;

    if (!c->tcp.window_scale_known || c->tcp.rtt_ns < 2 * NS_PER_MS ||
        (up->window_scale >= 0 && down->window_scale >= 0))
        return;
    rate = units_format_rate((int64_t)(65535.0 * 8 / units_seconds(c->tcp.rtt_ns)), 3);
    rtt = units_format_time(c->tcp.rtt_ns, 3);
    add(list, "window_scaling",
        g_strdup_printf(
            "TCP window scaling is off, as the %s did not offer it: at most 64 KiB are under way, which is "
            "%s over %s",
            end_name(up->window_scale < 0 ? REPLAY_UP : REPLAY_DOWN), rate, rtt),
        g_strdup_printf("tcp.port == %s && tcp.flags.syn == 1", finding_port(c->client)), c->first_frame,
        c->first_frame);
}

/* ---- SMB ---------------------------------------------------------------------------------------------------------- */

static void find_errors(const struct replay_connection *c, GPtrArray *list)
{
    const struct replay_error *e;
    g_autofree char *name = NULL, *status = NULL;

    if (c->usage.errors->len == 0)
        return;
    e = &g_array_index(c->usage.errors, struct replay_error, 0);
    if (e->count < 3)
        return;
    name = status_name(e->status);
    status = status_filter(e->status, COMMAND_PROTOCOL(e->command));
    add(list, "errors",
        g_strdup_printf("%" G_GUINT64_FORMAT " times %s failed with %s, first in frame %" G_GUINT64_FORMAT,
                        e->count, command_name(e->command), name, e->first_frame),
        g_strdup_printf("tcp.port == %s && %s", finding_port(c->client), status), e->first_frame,
        e->last_frame);
}

static const struct replay_command *slowest_command(const struct replay_connection *c)
{
    const struct replay_command *slowest = NULL;

    for (guint i = 0; i < c->commands->len; i++) {
        const struct replay_command *row = &g_array_index(c->commands, struct replay_command, i);

        if (row->service_samples > 0 && (!slowest || row->service_max_ns > slowest->service_max_ns))
            slowest = row;
    }
    return slowest;
}

/* An answer that took a good part of the whole. */
static void find_slowest(const struct replay_connection *c, GPtrArray *list)
{
    const struct replay_command *r = slowest_command(c);
    g_autofree char *most = NULL, *median = NULL;

    if (!r || r->service_max_ns < replay_recorded_ns(c) / 50 ||
        r->service_max_ns < c->tcp.rtt_ns + 10 * NS_PER_MS)
        return;
    most = units_format_time(r->service_max_ns, 3);
    median = units_format_time(r->service_median_ns, 3);
    add(list, "slowest",
        g_strdup_printf("the slowest answer, %s after %s, is to the %s in frame %" G_GUINT64_FORMAT
                        " and begins in frame %" G_GUINT64_FORMAT " (half of these take up to %s)",
                        most, "its request", command_name(r->command), r->slowest_request,
                        r->slowest_response, median),
        g_strdup_printf("frame.number == %" G_GUINT64_FORMAT " || frame.number == %" G_GUINT64_FORMAT,
                        r->slowest_request, r->slowest_response),
        r->slowest_request, r->slowest_response);
}

/* Without credits a client waits for the server's leave to send more. */
static void find_credits(const struct replay_connection *c, GPtrArray *list)
{
    const struct replay_smb2 *s = &c->smb2;
    struct finding *f;

    /* The exchanges that set up a session have one each. */
    if (!s->credits_known || s->credits_none < 5 || s->credits_none * 10 < c->exchanges)
        return;
    f = add(list, "credits",
            g_strdup_printf(
                "%" G_GUINT64_FORMAT
                " requests used up the client's last credit; it never had more than %" G_GINT64_FORMAT,
                s->credits_none, s->credits_most),
            g_strdup_printf("tcp.port == %s && smb2.flags.response == 0 && frame.number >= %" G_GUINT64_FORMAT
                            " && frame.number <= %" G_GUINT64_FORMAT,
                            finding_port(c->client), s->first_credits_none, s->last_credits_none),
            s->first_credits_none, s->last_credits_none);
    f->advice =
        g_strdup("more credits, which the server grants and the client asks for, let it send more at once");
}

static void find_unanswered(const struct replay_connection *c, GPtrArray *list)
{
    if (c->unanswered == 0)
        return;
    add(list, "unanswered",
        g_strdup_printf("%" G_GUINT64_FORMAT " request%s no answer in the capture", c->unanswered,
                        c->unanswered == 1 ? " has" : "s have"),
        g_strdup_printf("tcp.port == %s && ((smb2.flags.response == 0 && !smb2.response_in) || "
                        "(smb.flags.response == 0 && !smb.response_in))",
                        finding_port(c->client)),
        c->first_frame, c->last_frame);
}

GPtrArray *findings_new(const struct replay_connection *c, const struct breakdown *b,
                        const struct calibration *k)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(free_finding);

    if (b && b->evidence) {
        struct finding *f = add(list, "bottleneck", g_strdup(b->evidence), g_strdup(b->filter),
                                b->first_frame, b->last_frame);

        f->advice = advice_new(c, b, k);
    }
    find_window_scaling(c, list);
    for (int d = 0; d < REPLAY_DIRECTIONS; d++) {
        find_retransmissions(c, d, list);
        find_closed_window(c, d, list);
        find_delayed_acks(c, d, list);
    }
    find_slowest(c, list);
    find_credits(c, list);
    find_errors(c, list);
    find_unanswered(c, list);
    return list;
}
