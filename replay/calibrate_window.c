/* Receive windows. The largest that an end advertised is its limit only if the other end kept running into it: Linux and
 * Windows grow theirs while a connection goes on, so that one which never held data back may yet grow. */
#include "replay/calibrate_parts.h"
#include "base/units.h"

static const double LARGEST = 0.95; /* of the largest: the same window, but for what isn't read yet */
static const int64_t LASTING_ROUND_TRIPS = 4; /* one that still grows doubles sooner ... */
static const int64_t LEAST_ROUND_TRIP_NS =
    4 * NS_PER_MS; /* ... but on a LAN hosts don't get round to it at each */

void room_hear(struct room *r, const struct wire *w, enum replay_direction receiver, int64_t time_ns)
{
    for (; r->next < w->connection->segments_kept->len; r->next++) {
        const struct replay_segment *s = wire_seen(w, r->next);

        if (s->direction != receiver || !(s->flags & REPLAY_ACK))
            continue;
        if (w->segments[r->next].arrived_ns > time_ns)
            return;
        r->window = s->window_bytes;
        r->edge = MAX(r->edge, s->ack + r->window);
    }
}

/* How long the largest window kept the sender from sending a full segment more. */
static int64_t held_ns(const struct wire *w, enum replay_direction receiver, int64_t largest, int64_t segment)
{
    struct room room = {0};
    int64_t first = -1, last = -1;

    for (guint i = 0; i < w->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(w, i);
        int64_t now = w->segments[i].sent_ns;

        if (s->direction == receiver || !s->payload_bytes)
            continue;
        room_hear(&room, w, receiver, now);
        if ((double)room.window < LARGEST * (double)largest ||
            s->offset + (int64_t)s->payload_bytes + segment <= room.edge)
            continue;
        first = first < 0 ? now : first;
        last = now;
    }
    return last - first;
}

struct calibrated calibrate_receive_window(const struct wire *w, enum replay_direction receiver,
                                           int64_t segment)
{
    const struct replay_tcp *tcp = &w->connection->tcp;
    int64_t largest = tcp->side[receiver].window_max_bytes;
    bool scaled = tcp->side[REPLAY_UP].window_scale >= 0 && tcp->side[REPLAY_DOWN].window_scale >= 0;
    double window = (double)largest;

    if (!tcp->window_scale_known || largest <= 0)
        return calibrated_unknown(window);
    if (!scaled || held_ns(w, receiver, largest, segment) >
                       LASTING_ROUND_TRIPS * MAX(2 * w->one_way_ns, LEAST_ROUND_TRIP_NS))
        return calibrated_value(window, window, window);
    return calibrated_unknown(window);
}
