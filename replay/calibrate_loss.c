/* Losses and queues. Each episode of loss comes with the delay that the path's queue showed at that moment. Episodes that
 * happen at the longest delay are drops of a full queue, and that delay is the queue's length; others are random. */
#include "replay/calibrate_parts.h"
#include "replay/repair.h"
#include "base/units.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

static const double FULL_SHARE = 0.7;  /* of the longest delay: the queue was as good as full */
static const int64_t LEAST_FRAMES = 4; /* a shorter queue is within the noise of one burst */

/* Losses that one event caused: the repairs that came within a round trip of each other. */
struct episode {
    double delay_ns;    /* of the queue at that moment; -1: not seen */
    guint first, count; /* in the list of repairs */
};

struct losses {
    GArray *repairs;
    GArray *episodes;
    double longest_ns; /* queueing delay seen at any time */
};

/* Queueing delays as the sender saw them: RTT samples of full segments, which no application answers, less the empty
 * path and the segment's own serialisation. Each segment's entry holds the last sample before it; -1: none. Returns owned. */
static double *sampled_delays(const struct wire *w, enum replay_direction d, const struct calibration *k,
                              double *longest)
{
    guint count = w->connection->segments_kept->len, waiting = 0;
    double *delays = g_new(double, MAX(count, 1)), delay = -1;
    double empty = 2.0 * (double)w->one_way_ns + (double)wire_serialisation_ns(k, d, k->mtu_bytes);
    bool any = false; /* `waiting` is a segment without its acknowledgement */

    for (guint i = 0; i < count; i++) {
        const struct replay_segment *s = wire_seen(w, i), *o = any ? wire_seen(w, waiting) : NULL;

        if (s->direction == d && s->payload_bytes) {
            if (s->flags & (REPLAY_RETRANSMISSION | REPLAY_RESENT))
                any = false; /* Karn, RFC 6298 3 */
            else if (!any && (int64_t)s->ip_bytes >= k->mtu_bytes) {
                any = true;
                waiting = i;
            }
        } else if (o && s->direction != d && s->flags & REPLAY_ACK &&
                   s->ack >= o->offset + (int64_t)o->payload_bytes) {
            if (!s->payload_bytes)
                delay = MAX((double)(s->time_ns - o->time_ns) - empty, 0);
            *longest = MAX(*longest, delay);
            any = false;
        }
        delays[i] = delay;
    }
    return delays;
}

/* The queueing delay around a repair. From the receiver's side: the sender repairs a hole when it hears of it, so that
 * takes a round trip and the queue's delay; what only a timer repaired tells nothing. */
static double delay_at(const struct wire *w, enum replay_direction d, const struct calibration *k,
                       const struct repair *r, const double *sampled)
{
    double empty = 2.0 * (double)w->one_way_ns + (double)wire_serialisation_ns(k, d, k->mtu_bytes);

    if (sampled)
        return sampled[r->segment];
    if (r->missed_ns < 0)
        return -1;
    return MAX((double)(w->segments[r->segment].arrived_ns - r->missed_ns) - empty, 0);
}

static void find_episodes(const struct wire *w, enum replay_direction d, const struct calibration *k,
                          const double *sampled, struct losses *l)
{
    int64_t end_ns = INT64_MIN;

    for (guint i = 0; i < l->repairs->len; i++) {
        const struct repair *r = &g_array_index(l->repairs, struct repair, i);
        int64_t now = w->segments[r->segment].arrived_ns;

        if (r->segment < w->window.fresh_segment)
            continue;
        if (now > end_ns) {
            struct episode e = {delay_at(w, d, k, r, sampled), i, 0};

            g_array_append_val(l->episodes, e);
            l->longest_ns = MAX(l->longest_ns, e.delay_ns);
        }
        g_array_index(l->episodes, struct episode, l->episodes->len - 1).count++;
        end_ns = now + 2 * w->one_way_ns;
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

    for (guint i = 0; i < l->episodes->len; i++) {
        const struct episode *e = &g_array_index(l->episodes, struct episode, i);

        if (e->delay_ns >= 0)
            g_array_append_val(delays, e->delay_ns);
    }
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

/* Without a loss: the rate at which none in that many would be a 5 % chance. */
struct calibrated calibrate_proportion(uint64_t lost, uint64_t of)
{
    double n = (double)of, p = (double)lost / n, z = gsl_cdf_ugaussian_Pinv(0.975);
    double centre, reach;

    if (!of)
        return calibrated_unknown(1);
    if (!lost)
        return calibrated_unknown(1 - pow(0.05, 1 / n));
    centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    reach = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    return calibrated_value(p, MAX(centre - reach, 0), MIN(centre + reach, 1));
}

static int by_number(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Packets of this window in that direction. */
static uint64_t packets_of(const struct wire *w, enum replay_direction d)
{
    uint64_t packets = 0;

    for (guint i = w->window.fresh_segment; i < w->connection->segments_kept->len; i++)
        packets += wire_seen(w, i)->direction == d;
    return packets;
}

static void list_lost(const struct wire *w, enum replay_direction d, const struct losses *l,
                      const struct episode *e, GArray *lost)
{
    for (guint j = 0; j < e->count; j++) {
        uint64_t number = g_array_index(l->repairs, struct repair, e->first + j).number + w->window.sent[d];

        g_array_append_val(lost, number);
    }
}

static void judge(const struct wire *w, const struct losses *l, const struct calibration *k,
                  enum replay_direction d, struct calibration_direction *side)
{
    double rate = calibration_rate_bps(k, d), low = 0, high = 0;
    double least = (double)(LEAST_FRAMES * wire_serialisation_ns(k, d, k->mtu_bytes));
    double full = full_queue_ns(l, least, &low, &high);

    for (guint i = 0; i < l->episodes->len; i++) {
        const struct episode *e = &g_array_index(l->episodes, struct episode, i);

        if (full > 0 && e->delay_ns >= FULL_SHARE * full) {
            side->queue_drops += e->count;
            continue;
        }
        list_lost(w, d, l, e, side->lost);
    }
    g_array_sort(side->lost, by_number);
    side->packets = packets_of(w, d);
    side->loss = calibrate_proportion(side->lost->len, side->packets);
    if (full > 0)
        side->queue_bytes = calibrated_value(full * rate / 8e9, low * rate / 8e9, high * rate / 8e9);
    else
        side->queue_bytes = calibrated_unknown(l->longest_ns * rate / 8e9);
}

void calibrate_losses(const struct wire *w, struct calibration *k)
{
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        g_autofree double *sampled = NULL;
        struct losses l = {
            .repairs = repair_list(w, d),
            .episodes = g_array_new(FALSE, FALSE, sizeof(struct episode)),
        };

        if (wire_at_sender(w, d))
            sampled = sampled_delays(w, d, k, &l.longest_ns);
        find_episodes(w, d, k, sampled, &l);
        judge(w, &l, k, d, &k->side[d]);
        g_array_unref(l.repairs);
        g_array_unref(l.episodes);
    }
}
