/* Losses and queues. Each episode of loss comes with the delay that the path's queue showed at that moment. Episodes that
 * happen at the longest delay are drops of a full queue, and that delay is the queue's length; others are random. */
#include "replay/calibrate_parts.h"
#include "base/units.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

static const double FULL_SHARE = 0.7;  /* of the longest delay: the queue was as good as full */
static const int64_t LEAST_FRAMES = 4; /* a shorter queue is within the noise of one burst */

struct episode {
    double delay_ns; /* beyond the empty path's */
    uint64_t segments;
};

struct losses {
    GArray *episodes;
    double longest_ns; /* queueing delay seen at any time */
};

/* ---- seen from the sender: samples of RTT ------------------------------------------------------------------------- */

struct outstanding {
    int64_t end, time_ns;
};

static void from_sender(const struct wire *p, enum replay_direction d, const struct calibration *k,
                        struct losses *out)
{
    g_autoptr(GArray) sent = g_array_new(FALSE, FALSE, sizeof(struct outstanding));
    double delay = 0, full = (double)wire_serialisation_ns(k, d, k->mtu_bytes);
    int64_t episode_end_ns = -1;
    guint head = 0;

    for (guint i = 0; i < p->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(p, i);
        struct outstanding o = {s->offset + (int64_t)s->payload_bytes, s->time_ns};

        if (s->direction == d && s->flags & REPLAY_RETRANSMISSION && s->payload_bytes) {
            head = sent->len; /* Karn */
            if (s->flags & REPLAY_SPURIOUS)
                continue;
            if (s->time_ns > episode_end_ns) {
                struct episode e = {delay, 0};

                g_array_append_val(out->episodes, e);
            }
            g_array_index(out->episodes, struct episode, out->episodes->len - 1).segments++;
            episode_end_ns = s->time_ns + 2 * p->one_way_ns + (int64_t)delay;
        } else if (s->direction == d && s->payload_bytes) {
            g_array_append_val(sent, o);
        } else if (s->direction != d && s->flags & REPLAY_ACK) {
            bool any = false;

            for (; head < sent->len && g_array_index(sent, struct outstanding, head).end <= s->ack; head++) {
                delay = (double)(s->time_ns - g_array_index(sent, struct outstanding, head).time_ns);
                any = true;
            }
            if (any) {
                delay = MAX(delay - 2.0 * (double)p->one_way_ns - full, 0);
                out->longest_ns = MAX(out->longest_ns, delay);
            }
        }
    }
}

/* ---- seen from the receiver: the wait for a replacement ----------------------------------------------------------- */

/* The sender repairs a hole when it hears of it: the replacement takes a round trip and the queue's delay. Only repairs
 * that an acknowledgement set off tell; those of a timer come later. */
static void from_receiver(const struct wire *p, enum replay_direction d, const struct calibration *k,
                          struct losses *out)
{
    double full = (double)wire_serialisation_ns(k, d, k->mtu_bytes);
    int64_t next = 0, top = 0, hole_ns = -1;

    for (guint i = 0; i < p->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(p, i);
        int64_t end = s->offset + (int64_t)s->payload_bytes;

        if (s->direction != d || !s->payload_bytes)
            continue;
        if (s->offset > next && hole_ns < 0 && s->offset > top - 1)
            hole_ns = s->time_ns;
        if (s->flags & REPLAY_RETRANSMISSION && !(s->flags & REPLAY_SPURIOUS)) {
            if (s->offset <= next && hole_ns >= 0) {
                struct episode e = {(double)(s->time_ns - hole_ns) - 2.0 * (double)p->one_way_ns - full, 0};

                e.delay_ns = MAX(e.delay_ns, 0);
                g_array_append_val(out->episodes, e);
                hole_ns = -1;
            } else if (!out->episodes->len) {
                struct episode e = {0, 0};

                g_array_append_val(out->episodes, e);
            }
            g_array_index(out->episodes, struct episode, out->episodes->len - 1).segments++;
        }
        top = MAX(top, end);
        if (s->offset <= next)
            next = MAX(next, s->flags & REPLAY_RETRANSMISSION ? top : end);
    }
}

/* ---- judging ---------------------------------------------------------------------------------------------------------- */

static int ascending(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Median delay of the episodes at a full queue, when they are the rule; else -1. */
static double full_queue_ns(const struct losses *l, double least_ns, double *low, double *high)
{
    g_autoptr(GArray) delays = g_array_new(FALSE, FALSE, sizeof(double));
    double longest = 0;
    guint first = 0;
    const double *sorted;

    for (guint i = 0; i < l->episodes->len; i++)
        g_array_append_val(delays, g_array_index(l->episodes, struct episode, i).delay_ns);
    if (!delays->len)
        return -1;
    g_array_sort(delays, ascending);
    sorted = &g_array_index(delays, double, 0);
    longest = gsl_stats_quantile_from_sorted_data(sorted, 1, delays->len, 0.9);
    while (sorted[first] < FULL_SHARE * longest)
        first++;
    if (longest < least_ns || 2 * first > delays->len)
        return -1;
    *low = sorted[first];
    *high = sorted[delays->len - 1];
    return gsl_stats_median_from_sorted_data(sorted + first, 1, delays->len - first);
}

/* Clopper and Pearson 1934. */
static struct calibrated proportion(uint64_t lost, uint64_t of)
{
    double n = (double)of, x = (double)lost;

    if (!of)
        return calibrated_unknown(1);
    if (!lost)
        return calibrated_unknown(1 - pow(0.05, 1 / n));
    return calibrated_value(x / n, gsl_cdf_beta_Pinv(0.025, x, n - x + 1),
                            lost == of ? 1 : gsl_cdf_beta_Pinv(0.975, x + 1, n - x));
}

static void judge(const struct losses *l, uint64_t packets, const struct calibration *k,
                  enum replay_direction d, struct calibration_direction *side)
{
    double rate = calibration_rate_bps(k, d), low = 0, high = 0;
    double least = (double)(LEAST_FRAMES * wire_serialisation_ns(k, d, k->mtu_bytes));
    double full = full_queue_ns(l, least, &low, &high);
    uint64_t lost = 0;

    for (guint i = 0; i < l->episodes->len; i++) {
        const struct episode *e = &g_array_index(l->episodes, struct episode, i);

        if (full > 0 && e->delay_ns >= FULL_SHARE * full)
            side->queue_drops += e->segments;
        else
            lost += e->segments;
    }
    side->loss = proportion(lost, packets);
    if (full > 0)
        side->queue_bytes = calibrated_value(full * rate / 8e9, low * rate / 8e9, high * rate / 8e9);
    else
        side->queue_bytes = calibrated_unknown(l->longest_ns * rate / 8e9);
}

void calibrate_losses(const struct wire *p, struct calibration *k)
{
    for (int d = 0; d < REPLAY_DIRECTIONS; d++) {
        struct losses l = {.episodes = g_array_new(FALSE, FALSE, sizeof(struct episode))};
        bool at_sender = (k->point == REPLAY_POINT_SERVER) == (d == REPLAY_DOWN);

        if (at_sender)
            from_sender(p, d, k, &l);
        else
            from_receiver(p, d, k, &l);
        judge(&l, p->connection->tcp.side[d].data_packets, k, d, &k->side[d]);
        g_array_unref(l.episodes);
    }
}
