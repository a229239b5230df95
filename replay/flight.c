#include "replay/flight.h"

void flight_init(struct flight *f, const struct wire *w, enum replay_direction d)
{
    *f = (struct flight){
        .wire = w,
        .direction = d,
        .ends = g_array_new(FALSE, FALSE, sizeof(int64_t)),
        .heard_ns = INT64_MIN / 2,
    };
}

void flight_fini(struct flight *f)
{
    g_clear_pointer(&f->ends, g_array_unref);
}

void flight_add(struct flight *f, const struct replay_segment *s)
{
    int64_t end = s->offset + (int64_t)s->payload_bytes;

    if (f->ends->len && g_array_index(f->ends, int64_t, f->ends->len - 1) >= end)
        return; /* sent again */
    g_array_append_val(f->ends, end);
    f->largest = MAX(f->largest, flight_now(f));
    f->heard = 0;
}

void flight_hear(struct flight *f, int64_t time_ns)
{
    for (; f->next < f->wire->connection->segments_kept->len; f->next++) {
        const struct replay_segment *s = wire_seen(f->wire, f->next);
        guint outstanding = flight_now(f);

        if (s->direction == f->direction || !(s->flags & REPLAY_ACK))
            continue;
        if (f->wire->segments[f->next].arrived_ns > time_ns)
            break;
        if (!outstanding || g_array_index(f->ends, int64_t, f->acked) > s->ack)
            continue;
        f->acked_to = MAX(f->acked_to, s->ack);
        f->before = outstanding;
        f->largest_before = f->largest;
        f->heard++;
        f->heard_ns = f->wire->segments[f->next].arrived_ns;
        while (f->acked < f->ends->len && g_array_index(f->ends, int64_t, f->acked) <= s->ack)
            f->acked++;
    }
}
