/* Losses and queues. Each episode of loss comes with the delay that the path's queue showed at that moment. Episodes that
 * happen at the longest delay are drops of a full queue, and that delay is the queue's length; others are random. */
#include "replay/calibrate_parts.h"
#include "replay/repair.h"
#include "base/units.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

static const double FULL_SHARE = 0.7; /* of the longest delay: the queue was as good as full */
static const double CHANCE = 0.01;
static const double MANY_AT_ONCE = 2; /* losses of one episode */
static const double CUT = 0.7;        /* CUBIC's: how much of path and queue a sender fills on after a loss */
static const double GROWTH = 2;       /* of both in a round trip of slow start */
enum { BURST = 8 };
static const int64_t LEAST_FRAMES = 4; /* a shorter queue is within the noise of one burst */

/* Losses that one event caused: the repairs that came within a round trip of each other. */
struct episode {
    double delay_ns;    /* of the queue at that moment; -1: not seen */
    guint first, count; /* in the list of repairs */
};

struct losses {
    GArray *repairs;
    GArray *episodes;
    GArray *samples;   /* of double: all queueing delays that the sender saw; empty at the receiver */
    GArray *packets;   /* of double: of each data packet, the last of those before it */
    double longest_ns; /* of them, but for the last tenth, which hosts may have held up */
};

/* Queueing delays as the sender saw them: RTT samples of full segments, which no application answers, less the empty
 * path and the segment's own serialisation; of acknowledgements of more than one of them, for the timer may have sent others. Each
 * segment's entry holds the last sample before it; -1: none. Returns owned. */
static double *sampled_delays(const struct wire *w, enum replay_direction d, const struct calibration *k,
                              struct losses *l)
{
    guint count = w->connection->segments_kept->len, waiting = 0;
    double *delays = g_new(double, MAX(count, 1)), delay = -1;
    double empty = 2.0 * (double)w->one_way_ns + (double)wire_serialisation_ns(k, d, k->mtu_bytes);
    int64_t top = 0, acked = 0, recovered = 0; /* from where on no hole holds acknowledgements back */
    bool any = false;                          /* `waiting` is a segment without its acknowledgement */

    for (guint i = 0; i < count; i++) {
        const struct replay_segment *s = wire_seen(w, i), *o = any ? wire_seen(w, waiting) : NULL;

        if (s->direction == d && s->payload_bytes) {
            top = MAX(top, s->offset + (int64_t)s->payload_bytes);
            if (delay >= 0)
                g_array_append_val(l->packets, delay);
            if (s->flags & (REPLAY_RETRANSMISSION | REPLAY_RESENT)) {
                any = false; /* Karn, RFC 6298 3 */
                recovered = top;
            } else if (!any && acked >= recovered && (int64_t)s->ip_bytes >= k->mtu_bytes) {
                any = true;
                waiting = i;
            }
        } else if (o && s->direction != d && s->flags & REPLAY_ACK &&
                   s->ack >= o->offset + (int64_t)o->payload_bytes) {
            if (!s->payload_bytes && s->ack > o->offset + (int64_t)o->payload_bytes) {
                delay = MAX((double)(s->time_ns - o->time_ns) - empty, 0);
                g_array_append_val(l->samples, delay);
            }
            any = false;
        }
        if (s->direction != d && s->flags & REPLAY_ACK)
            acked = MAX(acked, s->ack);
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

static double quantile(const GArray *values, double share)
{
    g_autoptr(GArray) sorted = g_array_copy((GArray *)values);

    g_array_sort(sorted, ascending);
    return sorted->len
               ? gsl_stats_quantile_from_sorted_data(&g_array_index(sorted, double, 0), 1, sorted->len, share)
               : 0;
}

/* The share of the sender's packets that met a delay of that much: a random loss strikes each alike, and of the long flights that
 * make the delay there are more packets than samples. */
static double share_above(const struct losses *l, double delay_ns)
{
    guint above = 0;

    for (guint i = 0; i < l->packets->len; i++)
        above += g_array_index(l->packets, double, i) >= delay_ns;
    return l->packets->len ? above / (double)l->packets->len : 1;
}

/* Whether these losses tell of a full queue. Random ones strike at the usual delay, which may be long as well. From the sender's side: if
 * of as many random losses hardly so many would have met a delay as long. From the receiver's, where the usual delay isn't
 * seen: if many were dropped at a time, more than once or a whole burst. */
static bool is_drop_tail(const struct losses *l, double delay_ns)
{
    guint lost = 0, episodes = 0, of = 0;

    for (guint i = 0; i < l->episodes->len; i++) {
        const struct episode *e = &g_array_index(l->episodes, struct episode, i);

        of += e->delay_ns >= 0;
        if (e->delay_ns >= delay_ns) {
            lost += e->count;
            episodes++;
        }
    }
    if (l->samples->len)
        return gsl_cdf_binomial_Q(episodes - 1, share_above(l, delay_ns), of) < CHANCE;
    return (double)lost >= MANY_AT_ONCE * episodes && (episodes > 1 || lost >= BURST);
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
    if (longest < least_ns || 2 * first > delays->len || !is_drop_tail(l, sorted[first]))
        return -1;
    /* The sender's sample is from before the loss, the receiver's from when the queue had begun to drain. */
    *low = sorted[first];
    *high = sorted[delays->len - 1];
    *high *= l->samples->len && delays->len == 1 ? GROWTH : 1 / CUT;
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

struct calibrated calibrate_loss_of(const struct calibration_direction *side)
{
    struct calibrated loss = calibrate_proportion(side->lost->len, side->packets);

    if (!side->queue_bytes.known)
        loss.low = 0; /* it may have dropped them all */
    return loss;
}

static uint64_t runs_of(const GArray *lost)
{
    uint64_t runs = 0;

    for (guint i = 0; i < lost->len; i++)
        runs += i == 0 || g_array_index(lost, uint64_t, i) != g_array_index(lost, uint64_t, i - 1) + 1;
    return runs;
}

struct calibrated calibrate_burst_of(const struct calibration_direction *side)
{
    const double by_chance = 0.01;
    uint64_t losses = side->lost->len, runs = runs_of(side->lost), neighbours = losses - runs;
    struct calibrated leave;

    if (losses < 2)
        return calibrated_unknown(NAN);
    leave = calibrate_proportion(runs, losses);
    if (!neighbours || gsl_cdf_binomial_Q((unsigned)neighbours - 1, (double)losses / (double)side->packets,
                                          (unsigned)losses - 1) > by_chance)
        return calibrated_unknown(1 / leave.low);
    return calibrated_value(1 / leave.value, 1 / leave.high, 1 / leave.low);
}

static int by_number(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Packets of this window in that direction whose loss would show: nothing repairs an acknowledgement. */
static uint64_t packets_of(const struct wire *w, enum replay_direction d)
{
    uint64_t packets = 0;

    for (guint i = w->window.fresh_segment; i < w->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(w, i);

        packets += s->direction == d && (s->payload_bytes || s->flags & (REPLAY_SYN | REPLAY_FIN));
    }
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
    if (full > 0)
        side->queue_bytes = calibrated_value(full * rate / 8e9, low * rate / 8e9, high * rate / 8e9);
    else
        side->queue_bytes = calibrated_unknown(l->longest_ns * rate / 8e9);
    side->loss = calibrate_loss_of(side);
    side->loss_burst_packets = calibrate_burst_of(side);
}

void calibrate_losses(const struct wire *w, struct calibration *k)
{
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        g_autofree double *sampled = NULL;
        struct losses l = {
            .repairs = repair_list(w, d),
            .episodes = g_array_new(FALSE, FALSE, sizeof(struct episode)),
            .samples = g_array_new(FALSE, FALSE, sizeof(double)),
            .packets = g_array_new(FALSE, FALSE, sizeof(double)),
        };

        if (wire_at_sender(w, d)) {
            sampled = sampled_delays(w, d, k, &l);
            l.longest_ns = quantile(l.samples, 0.9);
        }
        find_episodes(w, d, k, sampled, &l);
        judge(w, &l, k, d, &k->side[d]);
        g_array_unref(l.repairs);
        g_array_unref(l.episodes);
        g_array_unref(l.samples);
        g_array_unref(l.packets);
    }
}
