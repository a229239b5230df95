/* What the two TCP ends showed of themselves. */
#include "replay/calibrate_parts.h"
#include "replay/flight.h"
#include "replay/messages.h"
#include "base/units.h"

#include <gsl/gsl_statistics_double.h>

enum { ENOUGH_DELAYS = 3 };

/* ---- initial window ------------------------------------------------------------------------------------------------- */

/* The largest flight before an acknowledgement came that can have let the window grow, as one can when more than one packet was
 * out. What may have been heard up to `doubt_ns` after a segment left counts as heard: where round trips are shorter, little does. */
static guint flown_at_once(const struct wire *w, enum replay_direction d, guint until, int64_t doubt_ns)
{
    bool may_grow = false;
    struct flight f;
    guint most;

    flight_init(&f, w, d);
    for (guint i = 0; i < until && !may_grow; i++) {
        const struct replay_segment *s = wire_seen(w, i);
        guint out = flight_now(&f), acked = f.acked;

        if (s->direction != d || !s->payload_bytes)
            continue;
        flight_hear(&f, w->segments[i].sent_ns + doubt_ns);
        may_grow = (out > 1 && f.acked > acked) || f.acked_to > s->offset;
        if (!may_grow)
            flight_add(&f, s);
    }
    most = f.largest;
    flight_fini(&f);
    return most;
}

/* What was in flight when an end, in the middle of a message, first stopped until an acknowledgement came. It is the initial
 * window unless acknowledgements heard before can have let the window grow, to twice the largest flight until then at
 * most, or the receiver's window had no room for a segment more. A pause shorter than a millisecond may be the host's own. What leaves after a longer one with nothing
 * heard may be a tail loss probe, which is sent beyond the window (RFC 8985, 7.3): nothing counts from there on. */
static struct calibrated initial_window(const struct wire *w, enum replay_direction d, bool at_sender,
                                        int64_t mss)
{
    g_autoptr(GArray) messages = messages_list(w->connection, d);
    struct calibrated found = calibrated_unknown(0);
    int64_t last_ns = 0, sent_end = 0, least_ns = MAX(w->one_way_ns / 4, NS_PER_MS);
    guint place = 0, i = 0;
    struct room room = {0};
    struct flight f;

    flight_init(&f, w, d);
    for (; i < w->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(w, i);
        const struct wire_segment *at = &w->segments[i];
        const struct message *m;

        if (s->direction != d || !s->payload_bytes)
            continue;
        if (s->flags & (REPLAY_RETRANSMISSION | REPLAY_AFTER_GAP))
            break; /* from here on the window is another */
        flight_hear(&f, last_ns);
        m = messages_find(messages, &place, s->offset);
        if ((at_sender || !at->queued) && at->sent_ns - last_ns > least_ns && flight_now(&f) > 1) {
            guint stopped_at = flight_now(&f), grown = 2 * f.largest_before;
            bool heard;

            room_hear(&room, w, !d, last_ns);
            flight_hear(&f, at->sent_ns + least_ns / 2);
            heard = at->sent_ns - f.heard_ns < least_ns;
            if (heard && m && m->start < s->offset && stopped_at > grown && sent_end + mss <= room.edge)
                found = calibrated_value(stopped_at, stopped_at, stopped_at);
            if (!heard || (m && m->start < s->offset))
                break;
        }
        flight_add(&f, s);
        last_ns = at->sent_ns;
        sent_end = MAX(sent_end, s->offset + (int64_t)s->payload_bytes);
    }
    if (!found.known)
        found.bound = flown_at_once(w, d, i, least_ns / 2);
    flight_fini(&f);
    return found;
}

/* ---- delayed acknowledgements --------------------------------------------------------------------------------------- */

static int ascending(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Pure ACKs that an end sent long after the data they cover, seen at that end, and that no further segment had released: its
 * timer. */
static struct calibrated delayed_ack(const struct wire *p, enum replay_direction end)
{
    static const int64_t least_ns = 10 * NS_PER_MS, most_ns = 500 * NS_PER_MS;
    g_autoptr(GArray) delays = g_array_new(FALSE, FALSE, sizeof(double));
    int64_t data_ns = -1,
            heard_ns = -1; /* the first segment without an acknowledgement; the last one of any kind */

    for (guint i = 0; i < p->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(p, i);

        if (s->direction != end) {
            if (s->payload_bytes && data_ns < 0)
                data_ns = s->time_ns;
            heard_ns = s->time_ns;
            continue;
        }
        if (data_ns >= 0 && !s->payload_bytes && s->flags & REPLAY_ACK &&
            s->time_ns - heard_ns >= NS_PER_MS) {
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

void calibrate_ends(const struct wire *p, struct calibration *k)
{
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        struct calibration_end *end = &k->end[d];
        enum replay_capture_point own = d == REPLAY_UP ? REPLAY_POINT_CLIENT : REPLAY_POINT_SERVER;

        end->initial_window =
            p->window.continues ? calibrated_unknown(0) : initial_window(p, d, k->point == own, k->mss_bytes);
        if (k->point == own)
            calibrate_cuts(p, d, &end->cuts);
        end->receive_window_bytes = calibrate_receive_window(p, d, k->mss_bytes);
        if (k->point == own)
            end->delayed_ack_ns = delayed_ack(p, d);
    }
}
