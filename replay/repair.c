#include "replay/repair.h"
#include "replay/flight.h"
#include "replay/messages.h"
#include "base/units.h"

static const int64_t TIMER_NS = 2 * NS_PER_MS;

/* ---- from the receiver's side ------------------------------------------------------------------------------------- */

struct hole {
    int64_t start, end;
    int64_t missed_ns;
    uint64_t number; /* of its first packet */
};

struct search {
    const struct wire *wire;
    enum replay_direction direction;
    GArray *holes;  /* of struct hole */
    int64_t top;    /* end of the highest segment so far */
    uint64_t sent;  /* packets that the sender has sent by now, lost ones included */
    uint32_t full;  /* payload of a full segment */
    GArray *result; /* of struct repair */
};

static void open_hole(struct search *s, int64_t start, int64_t end, int64_t now)
{
    struct hole h = {start, end, now, s->sent + 1};

    s->sent += (uint64_t)((end - start + s->full - 1) / s->full);
    g_array_append_val(s->holes, h);
}

/* A segment below the top: the hole that it fills shrinks from the front. */
static void fill_hole(struct search *s, guint segment, int64_t start, int64_t end)
{
    int64_t now = s->wire->segments[segment].arrived_ns;

    for (guint i = 0; i < s->holes->len; i++) {
        struct hole *h = &g_array_index(s->holes, struct hole, i);
        struct repair r = {segment, REPAIR_UNSEEN, h->missed_ns, h->number};

        if (end <= h->start || start >= h->end)
            continue;
        r.number += (uint64_t)((MAX(start, h->start) - h->start) / s->full);
        /* Within a tenth of a round trip: the estimate of it is no better. */
        if (now - h->missed_ns >= 2 * s->wire->one_way_ns - s->wire->one_way_ns / 5)
            g_array_append_val(s->result, r);
        if (start <= h->start) {
            h->number += (uint64_t)((MIN(end, h->end) - h->start) / s->full);
            h->start = MIN(end, h->end);
        } else if (end >= h->end) {
            h->end = start;
        }
        if (h->start >= h->end)
            g_array_remove_index(s->holes, i);
        return;
    }
}

/* Whether this next segment in order ends a pause that nothing but its sender's timer explains. No timer is shorter than two
 * milliseconds beyond the round trips (RFC 8985 7.2 as Linux has it). */
static bool ends_silence(const struct search *s, const struct flight *f, guint segment, bool continues,
                         int64_t last_ns)
{
    const struct wire_segment *at = &s->wire->segments[segment];
    int64_t one_way = s->wire->one_way_ns;

    return continues && !at->queued && at->sent_ns - last_ns > 3 * one_way + TIMER_NS &&
           at->sent_ns - f->heard_ns > one_way + TIMER_NS;
}

static void from_receiver(struct search *s)
{
    g_autoptr(GArray) messages = messages_list(s->wire->connection, s->direction);
    int64_t last_ns = 0;
    struct flight flight;
    guint place = 0;

    flight_init(&flight, s->wire, s->direction);
    for (guint i = 0; i < s->wire->connection->segments_kept->len; i++) {
        const struct replay_segment *seen = wire_seen(s->wire, i);
        const struct wire_segment *at = &s->wire->segments[i];
        int64_t end = seen->offset + (int64_t)seen->payload_bytes;

        if (seen->direction != s->direction)
            continue;
        if (seen->payload_bytes && !(seen->flags & (REPLAY_KEEP_ALIVE | REPLAY_WINDOW_PROBE))) {
            const struct message *m = messages_find(messages, &place, seen->offset);

            flight_hear(&flight, at->sent_ns);
            if (seen->offset > s->top)
                open_hole(s, s->top, seen->offset, at->arrived_ns);
            else if (seen->offset < s->top)
                fill_hole(s, i, seen->offset, end);
            else if (ends_silence(s, &flight, i, m && m->start < seen->offset, last_ns)) {
                struct repair r = {i, REPAIR_UNSEEN, -1, ++s->sent};

                g_array_append_val(s->result, r);
            }
            flight_add(&flight, seen);
            s->top = MAX(s->top, end);
            last_ns = at->sent_ns;
        }
        s->sent++;
    }
    flight_fini(&flight);
}

/* ---- from the sender's side ------------------------------------------------------------------------------------------ */

/* The last transmission of a stretch of new data. */
struct original {
    int64_t end;
    uint64_t number;
    guint segment;
};

static struct original *original_of(const GArray *originals, int64_t offset)
{
    guint low = 0, high = originals->len;

    while (low < high) {
        guint mid = low + (high - low) / 2;

        if (g_array_index(originals, struct original, mid).end <= offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low < originals->len ? &g_array_index(originals, struct original, low) : NULL;
}

/* Whether the acknowledgement of what is sent again came too soon to be for the repeat: the first one was only late. */
static bool was_late(const struct search *s, guint segment)
{
    const struct replay_segment *repeat = wire_seen(s->wire, segment);
    int64_t end = repeat->offset + (int64_t)repeat->payload_bytes;
    int64_t soonest = repeat->time_ns + 2 * s->wire->one_way_ns - s->wire->one_way_ns / 5;

    for (guint i = segment + 1; i < s->wire->connection->segments_kept->len; i++) {
        const struct replay_segment *a = wire_seen(s->wire, i);

        if (a->time_ns >= soonest)
            return false;
        if (a->direction != s->direction && a->flags & REPLAY_ACK && a->ack >= end)
            return true;
    }
    return false;
}

static void from_sender(struct search *s)
{
    g_autoptr(GArray) originals = g_array_new(FALSE, FALSE, sizeof(struct original));

    for (guint i = 0; i < s->wire->connection->segments_kept->len; i++) {
        const struct replay_segment *seen = wire_seen(s->wire, i);
        struct original o = {seen->offset + (int64_t)seen->payload_bytes, s->sent + 1, i};

        if (seen->direction != s->direction)
            continue;
        s->sent++;
        if (!seen->payload_bytes || seen->flags & (REPLAY_KEEP_ALIVE | REPLAY_WINDOW_PROBE))
            continue;
        if (o.end > s->top) {
            g_array_append_val(originals, o);
            s->top = o.end;
        } else if (seen->flags & REPLAY_RETRANSMISSION && !(seen->flags & REPLAY_SPURIOUS) &&
                   !was_late(s, i)) {
            struct original *lost = original_of(originals, seen->offset);
            struct repair r = {i, REPAIR_UNSEEN, -1, s->sent};

            if (!lost)
                continue; /* it was first sent before the window */
            r.lost = lost->segment;
            r.number = lost->number;
            g_array_append_val(s->result, r);
            lost->segment = i; /* that may be lost too */
            lost->number = s->sent;
        }
    }
}

GArray *repair_list(const struct wire *w, enum replay_direction d)
{
    const struct replay_tcp_side *side = &w->connection->tcp.side[d];
    struct search s = {
        .wire = w,
        .direction = d,
        .holes = g_array_new(FALSE, FALSE, sizeof(struct hole)),
        .full = (uint32_t)MAX(side->largest_segment_bytes, 1),
        .result = g_array_new(FALSE, FALSE, sizeof(struct repair)),
    };

    if (wire_at_sender(w, d))
        from_sender(&s);
    else
        from_receiver(&s);
    g_array_unref(s.holes);
    return s.result;
}
