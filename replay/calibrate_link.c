/* Rates, caps, RTT: what the distances between frames say. */
#include "replay/calibrate_parts.h"
#include "base/units.h"

#include <gsl/gsl_statistics_double.h>

static const double FULL = 0.9;                  /* of the largest packet */
static const int64_t PASSED_SHORTEST_NS = 15000; /* within the scatter of hosts and time stamps */

static bool sees_behind_link(const struct calibration *k, enum replay_direction d)
{
    if (k->point == REPLAY_POINT_MIDDLE)
        return true;
    return (k->point == REPLAY_POINT_SERVER) == (d == REPLAY_UP);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static void arrivals(const GArray *segments, enum replay_direction d, const struct calibration *k,
                     GArray *events)
{
    for (guint i = 0; i < segments->len; i++) {
        const struct replay_segment *s = &g_array_index(segments, struct replay_segment, i);
        struct rate_event e = {
            .time_ns = s->time_ns,
            .bytes = network_counted_bytes(k->counts, s->ip_bytes),
            .packets = 1,
            .full = s->ip_bytes >= FULL * (double)k->mtu_bytes,
        };

        if (s->direction == d)
            g_array_append_val(events, e);
    }
}

/* What was sent since the link was idle, and when it was acknowledged, counted from its first packet. */
struct passed {
    int64_t bytes, took_ns;
};

/* The rate that a link has at least: beyond what a small packet takes to come back, a full one took so much longer. */
static double passed_bps(const GArray *list, const struct calibration *k)
{
    struct passed small = {0, INT64_MAX};
    double least = 0;

    for (guint i = 0; i < list->len; i++) {
        const struct passed *p = &g_array_index(list, struct passed, i);

        if (p->bytes < k->mtu_bytes && p->took_ns < small.took_ns)
            small = *p;
    }
    for (guint i = 0; i < list->len && small.bytes; i++) {
        const struct passed *p = &g_array_index(list, struct passed, i);

        if (p->bytes >= k->mtu_bytes)
            least = MAX(least, (double)(p->bytes - small.bytes) * 8e9 /
                                   (double)MAX(p->took_ns - small.took_ns, PASSED_SHORTEST_NS));
    }
    return least;
}

/* Where only the sender is seen: its packets have passed the link when the other end acknowledges them. */
static void acknowledged(const GArray *segments, enum replay_direction d, const struct calibration *k,
                         GArray *events, GArray *passed)
{
    int64_t acked = 0, begun_ns = -1;
    struct passed p = {0};
    guint next = 0, heard = 0; /* first segment of `d` not yet acknowledged; the last acknowledgement */

    for (guint i = 0; i < segments->len; i++) {
        const struct replay_segment *a = &g_array_index(segments, struct replay_segment, i);
        struct rate_event e = {.time_ns = a->time_ns, .full = true};

        if (a->direction == d || !(a->flags & REPLAY_ACK) || a->ack <= acked)
            continue;
        for (; next < i; next++) {
            const struct replay_segment *s = &g_array_index(segments, struct replay_segment, next);

            if (s->direction != d || !s->payload_bytes)
                continue;
            if (s->offset + (int64_t)s->payload_bytes > a->ack)
                break;
            /* Sent when nothing was under way: the link had been idle. */
            if (e.packets == 0 && s->offset <= acked && next > heard) {
                e.first = true;
                begun_ns = s->time_ns;
                p.bytes = 0;
            }
            e.bytes += network_counted_bytes(k->counts, s->ip_bytes);
            e.packets++;
            e.full &= s->ip_bytes >= FULL * (double)k->mtu_bytes;
        }
        acked = a->ack;
        heard = i;
        if (e.packets)
            g_array_append_val(events, e);
        p.bytes += e.bytes;
        p.took_ns = a->time_ns - begun_ns;
        if (begun_ns >= 0)
            g_array_append_val(passed, p);
    }
}

void calibrate_rates(const GArray *segments, struct calibration *k)
{
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        struct calibration_direction *side = &k->side[d];
        g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(struct rate_event));
        g_autoptr(GArray) passed = g_array_new(FALSE, FALSE, sizeof(struct passed));

        if (sees_behind_link(k, d))
            arrivals(segments, d, k, events);
        else
            acknowledged(segments, d, k, events, passed);
        side->packets_per_ms = rate_packet_cap(events, &side->budget_phase_ns);
        if (side->packets_per_ms.known)
            rate_split(events, side->budget_phase_ns);
        side->rate_bps = rate_estimate(events);
        if (!side->rate_bps.known)
            side->rate_bps.bound = MAX(side->rate_bps.bound, passed_bps(passed, k));
    }
}

/* ---- round trips --------------------------------------------------------------------------------------------------- */

static double serialisation(const struct calibration *k, enum replay_direction d, uint32_t ip_bytes)
{
    return (double)wire_serialisation_ns(k, d, ip_bytes);
}

/* One side of the capture point: from a frame of direction `d` to the first frame that acknowledges it. */
static GArray *half_samples(const GArray *segments, enum replay_direction d, const struct calibration *k)
{
    GArray *samples = g_array_new(FALSE, FALSE, sizeof(double));
    const struct replay_segment *waiting = NULL;

    for (guint i = 0; i < segments->len; i++) {
        const struct replay_segment *s = &g_array_index(segments, struct replay_segment, i);
        int64_t end;

        if (s->direction == d) {
            if (s->flags & REPLAY_RETRANSMISSION)
                waiting = NULL; /* Karn, RFC 6298 3 */
            else if (!waiting && (s->payload_bytes || s->flags & REPLAY_SYN))
                waiting = s;
            continue;
        }
        end =
            waiting ? waiting->offset + (int64_t)waiting->payload_bytes + !!(waiting->flags & REPLAY_SYN) : 0;
        if (waiting && s->flags & REPLAY_ACK && s->ack >= end) {
            double sample = (double)(s->time_ns - waiting->time_ns) - serialisation(k, d, waiting->ip_bytes) -
                            serialisation(k, s->direction, s->ip_bytes);

            g_array_append_val(samples, sample);
            waiting = NULL;
        }
    }
    return samples;
}

static int ascending(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* A link whose rate was not seen may take no time for a packet, or far longer than one as fast as the other direction: how much a small
 * packet's way there and back may be shorter or longer than reckoned. */
static void open_ns(const struct calibration *k, uint32_t ip_bytes, double *shorter, double *longer)
{
    const double slower = 10; /* as the links of households are */

    *shorter = *longer = 0;
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        const struct calibrated *rate = &k->side[d].rate_bps;
        double reckoned = serialisation(k, d, ip_bytes), rate_bps = calibration_rate_bps(k, d);

        if (rate->known)
            continue;
        *longer += reckoned;
        *shorter += reckoned * ((rate->bound > 0 ? MAX(rate_bps / rate->bound, 1) : slower) - 1);
    }
}

/* The handshake is the one exchange that no application delays; other samples can only show that it was slow. */
void calibrate_rtt(const struct replay_connection *c, struct calibration *k)
{
    uint32_t syn = k->ip_header_bytes + (k->timestamps ? 40U : 32U);
    double lowest = 0, tenth = 0, handshake, shorter, longer, value, high;
    bool any = false;

    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        g_autoptr(GArray) samples = NULL;

        if (k->point != REPLAY_POINT_MIDDLE && !sees_behind_link(k, 1 - d))
            continue; /* the half between the capture point and its own host */
        samples = half_samples(c->segments_kept, d, k);
        if (!samples->len)
            continue;
        any = true;
        g_array_sort(samples, ascending);
        lowest += g_array_index(samples, double, 0);
        tenth +=
            gsl_stats_quantile_from_sorted_data(&g_array_index(samples, double, 0), 1, samples->len, 0.1);
    }
    if (c->tcp.handshake_rtt_ns < 0 && !any)
        return;
    if (c->tcp.handshake_rtt_ns >= 0) {
        handshake = (double)c->tcp.handshake_rtt_ns - serialisation(k, REPLAY_UP, syn) -
                    serialisation(k, REPLAY_DOWN, syn);
        k->handshake_ns = MAX(handshake, 0);
    } else {
        handshake = tenth;
    }
    if (!any)
        lowest = tenth = handshake;
    k->rtt_scatter_ns = (MAX(handshake, tenth) - MIN(lowest, handshake)) / 2;
    open_ns(k, syn, &shorter, &longer);
    value = MIN(handshake, tenth);
    high = MAX(MAX(handshake, tenth) + longer, 0);
    /* Reckoned too slow, a link of unknown rate leaves less than nothing. */
    k->rtt_ns =
        calibrated_value(value < 0 ? high / 2 : value, MAX(MIN(lowest, handshake) - shorter, 0), high);
}
