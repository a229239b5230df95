/* What the two TCP ends showed of themselves. */
#include "replay/calibrate_parts.h"
#include "base/units.h"

#include <gsl/gsl_statistics_double.h>

enum { LEAST_SEGMENTS = 4, ENOUGH_DELAYS = 3 };

/* ---- initial window ------------------------------------------------------------------------------------------------- */

/* Start and end of the first message of an end that takes more than LEAST_SEGMENTS segments. */
static bool first_long_message(const struct replay_connection *c, enum replay_direction d, int64_t *start,
                               int64_t *end, int64_t segment)
{
    for (guint i = 0; i < c->exchanges_kept->len; i++) {
        const struct replay_exchange *e = &g_array_index(c->exchanges_kept, struct replay_exchange, i);
        int64_t offset = d == REPLAY_UP ? e->request_offset : e->response_offset;
        int64_t bytes = d == REPLAY_UP ? e->request_bytes : e->response_bytes;

        if (offset < 0 || bytes <= LEAST_SEGMENTS * segment)
            continue;
        *start = offset;
        *end = offset + bytes;
        return true;
    }
    return false;
}

/* Segments of its first flight: those that left within a round trip of the first. Exact when the message goes on after a
 * pause; else the link or the message was over before the window. */
static struct calibrated initial_window(const struct path *p, enum replay_direction d, bool at_sender,
                                        int64_t segment)
{
    int64_t start, end, first_ns = -1, round_trip = 2 * p->one_way_ns;
    unsigned count = 0;

    if (segment <= 0 || !first_long_message(p->connection, d, &start, &end, segment))
        return calibrated_unknown(0);
    for (guint i = 0; i < p->connection->segments_kept->len; i++) {
        const struct replay_segment *s = path_seen(p, i);
        const struct path_segment *at = &p->segments[i];

        if (s->direction != d || !s->payload_bytes || s->offset + (int64_t)s->payload_bytes <= start)
            continue;
        if (s->flags & REPLAY_RETRANSMISSION || s->offset >= end)
            break;
        if (first_ns < 0)
            first_ns = at->sent_ns;
        if (at->sent_ns - first_ns >= round_trip - round_trip / 10) {
            if (at->queued && !at_sender)
                break;
            return calibrated_value(count, count, count);
        }
        count += (s->payload_bytes + (uint32_t)segment - 1) / (uint32_t)segment;
    }
    return calibrated_unknown(count);
}

/* ---- delayed acknowledgements --------------------------------------------------------------------------------------- */

static int ascending(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Pure ACKs that an end sent long after the data they cover, seen at that end: its timer. */
static struct calibrated delayed_ack(const struct path *p, enum replay_direction end)
{
    static const int64_t least_ns = 10 * NS_PER_MS, most_ns = 500 * NS_PER_MS;
    g_autoptr(GArray) delays = g_array_new(FALSE, FALSE, sizeof(double));
    int64_t data_ns = -1;

    for (guint i = 0; i < p->connection->segments_kept->len; i++) {
        const struct replay_segment *s = path_seen(p, i);

        if (s->direction != end) {
            if (s->payload_bytes && data_ns < 0)
                data_ns = s->time_ns;
            continue;
        }
        if (data_ns >= 0 && !s->payload_bytes && s->flags & REPLAY_ACK) {
            double delay = (double)(s->time_ns - data_ns);

            if (delay >= (double)least_ns && delay <= (double)most_ns)
                g_array_append_val(delays, delay);
        }
        data_ns = -1;
    }
    if (delays->len < ENOUGH_DELAYS)
        return calibrated_unknown(0);
    g_array_sort(delays, ascending);
    return calibrated_value(
        gsl_stats_median_from_sorted_data(&g_array_index(delays, double, 0), 1, delays->len),
        g_array_index(delays, double, 0), g_array_index(delays, double, delays->len - 1));
}

void calibrate_ends(const struct path *p, struct calibration *k)
{
    const struct replay_tcp *tcp = &p->connection->tcp;
    int64_t segment = k->mss_bytes - (k->timestamps ? 12 : 0);

    for (int d = 0; d < REPLAY_DIRECTIONS; d++) {
        struct calibration_end *end = &k->end[d];
        enum replay_capture_point own = d == REPLAY_UP ? REPLAY_POINT_CLIENT : REPLAY_POINT_SERVER;
        double window = (double)tcp->side[d].window_max_bytes;

        end->initial_window = initial_window(p, d, k->point == own, segment);
        if (tcp->window_scale_known)
            end->receive_window_bytes = calibrated_value(window, window, window);
        else
            end->receive_window_bytes = calibrated_unknown(window);
        if (k->point == own)
            end->delayed_ack_ns = delayed_ack(p, d);
    }
}
