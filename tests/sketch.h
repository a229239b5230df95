/* Connections drawn in code, with the truth known to the nanosecond: messages sent over a link of given rate and delay, seen
 * at a client, a server or in the middle. Header only; the windows of both ends are endless, so a message leaves as one
 * burst. Times are the hosts' true ones; the finished connection has them as its capture point saw them. */
#ifndef TESTS_SKETCH_H
#define TESTS_SKETCH_H

#include "replay/connection.h"
#include "sim/profile.h"
#include "base/units.h"

#include <glib.h>

enum { SKETCH_SEGMENT = 1448, SKETCH_HEADERS = 52 };

struct sketch_segment {
    struct replay_segment segment;
    int64_t sent_ns, seen_ns;
    guint number; /* in the order of drawing */
};

/* Bytes of a stream that had arrived by then. */
struct sketch_arrival {
    int64_t time_ns, end;
};

struct sketch {
    int64_t one_way_ns, rate_bps;
    enum replay_capture_point point;
    struct replay_connection *connection;
    GArray *segments;                    /* of struct sketch_segment */
    GArray *arrivals[REPLAY_DIRECTIONS]; /* of struct sketch_arrival, as the link's order has them */
    int64_t free_ns[REPLAY_DIRECTIONS];
    int64_t sent[REPLAY_DIRECTIONS];
};

G_GNUC_UNUSED static inline int64_t sketch_serialisation(const struct sketch *k, int64_t ip_bytes)
{
    return network_counted_bytes(NETWORK_COUNTS_ETHERNET, ip_bytes) * 8 * NS_PER_S / k->rate_bps;
}

/* When the capture point sees what leaves at `sent_ns` and arrives at `arrived_ns`. */
static inline int64_t sketch_seen(const struct sketch *k, enum replay_direction direction, int64_t sent_ns,
                                  int64_t arrived_ns)
{
    if (k->point == REPLAY_POINT_MIDDLE)
        return arrived_ns - k->one_way_ns / 2;
    return (k->point == REPLAY_POINT_SERVER) == (direction == REPLAY_DOWN) ? sent_ns : arrived_ns;
}

/* One frame; returns when it has arrived. Lost ones are seen only where they leave. */
static inline int64_t sketch_frame(struct sketch *k, enum replay_direction direction, int64_t at_ns,
                                   uint32_t bytes, uint16_t flags, bool lost)
{
    struct sketch_segment s = {
        .segment = {.offset = k->sent[direction],
                    .payload_bytes = bytes,
                    .ip_bytes = bytes + SKETCH_HEADERS + (flags & REPLAY_SYN ? 8 : 0),
                    .window_bytes = 65536,
                    .flags = flags,
                    .direction = (uint8_t)direction},
        .sent_ns = at_ns,
        .number = k->segments->len,
    };
    struct sketch_arrival there = {.end = k->sent[direction] + (flags & REPLAY_SYN ? 1 : bytes)};
    int64_t start = MAX(at_ns, k->free_ns[direction]), arrived;

    k->free_ns[direction] = start + sketch_serialisation(k, s.segment.ip_bytes);
    arrived = k->free_ns[direction] + k->one_way_ns;
    s.seen_ns = sketch_seen(k, direction, at_ns, arrived);
    if (!lost || s.seen_ns == at_ns)
        g_array_append_val(k->segments, s);
    there.time_ns = arrived;
    if (!lost)
        g_array_append_val(k->arrivals[direction], there);
    return arrived;
}

/* A message; returns when its last byte has arrived. Its segments are *first to *last in the order of drawing. */
static inline int64_t sketch_message(struct sketch *k, enum replay_direction direction, int64_t at_ns,
                                     uint32_t bytes, guint *first, guint *last)
{
    int64_t arrived = at_ns;

    *first = k->segments->len;
    for (uint32_t done = 0; done < bytes; done += SKETCH_SEGMENT) {
        uint32_t length = MIN(bytes - done, SKETCH_SEGMENT);

        arrived = sketch_frame(k, direction, at_ns, length, REPLAY_ACK, false);
        k->sent[direction] += length;
    }
    *last = k->segments->len - 1;
    return arrived;
}

struct sketch_exchange {
    int64_t issue_ns, arrive_ns, write_ns, done_ns;
};

static inline void sketch_init(struct sketch *k, int64_t one_way_ns, int64_t rate_bps,
                               enum replay_capture_point point)
{
    struct replay_connection *c = g_new0(struct replay_connection, 1);

    *k = (struct sketch){.one_way_ns = one_way_ns, .rate_bps = rate_bps, .point = point, .connection = c};
    k->segments = g_array_new(FALSE, FALSE, sizeof(struct sketch_segment));
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        k->arrivals[d] = g_array_new(FALSE, FALSE, sizeof(struct sketch_arrival));
    c->client = g_strdup("192.0.2.1:50000");
    c->server = g_strdup("192.0.2.2:445");
    c->client_fin_ns = -1;
    c->stream_bytes = c->decoded_bytes = 1; /* all of it */
    c->commands = g_array_new(FALSE, TRUE, sizeof(struct replay_command));
    c->exchanges_kept = g_array_new(FALSE, TRUE, sizeof(struct replay_exchange));
    c->segments_kept = g_array_new(FALSE, TRUE, sizeof(struct replay_segment));
    c->tcp = (struct replay_tcp){
        .handshake = true, .window_scale_known = true, .sack = true, .timestamps = true, .point = point};
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        c->tcp.side[d] = (struct replay_tcp_side){.mss_bytes = 1460, .largest_segment_bytes = SKETCH_SEGMENT};
}

/* The handshake from 0 on; returns when the client may send. */
static inline int64_t sketch_handshake(struct sketch *k)
{
    int64_t there, back;

    k->sent[REPLAY_UP] = k->sent[REPLAY_DOWN] = -1;
    there = sketch_frame(k, REPLAY_UP, 0, 0, REPLAY_SYN, false);
    k->sent[REPLAY_UP] = 0;
    back = sketch_frame(k, REPLAY_DOWN, there, 0, REPLAY_SYN | REPLAY_ACK, false);
    k->sent[REPLAY_DOWN] = 0;
    k->connection->tcp.handshake_rtt_ns = back;
    if (k->point == REPLAY_POINT_MIDDLE) {
        k->connection->tcp.client_half_ns = k->one_way_ns;
        k->connection->tcp.server_half_ns = k->one_way_ns;
    }
    return back;
}

/* A request with its answer. The server takes it up at `free_ns` at the earliest. */
static inline struct sketch_exchange sketch_exchange(struct sketch *k, uint16_t command, int64_t issue_ns,
                                                     uint32_t request, uint32_t response, int64_t free_ns,
                                                     int64_t service_ns)
{
    struct sketch_exchange x = {.issue_ns = issue_ns};
    struct replay_exchange e = {
        .command = command, .request_bytes = request, .response_bytes = response, .elements = 1};
    guint first, last;

    e.request_offset = k->sent[REPLAY_UP];
    x.arrive_ns = sketch_message(k, REPLAY_UP, issue_ns, request, &first, &last);
    e.request_first_frame = first + 1;
    e.request_last_frame = last + 1;
    e.response_offset = k->sent[REPLAY_DOWN];
    x.write_ns = MAX(x.arrive_ns, free_ns) + service_ns;
    x.done_ns = sketch_message(k, REPLAY_DOWN, x.write_ns, response, &first, &last);
    e.response_first_frame = first + 1;
    e.response_last_frame = last + 1;
    if (response > SKETCH_SEGMENT)
        e.data_bytes = response - 84;
    g_array_append_val(k->connection->exchanges_kept, e);
    return x;
}

static inline int sketch_by_time(gconstpointer a, gconstpointer b)
{
    const struct sketch_segment *x = a, *y = b;

    if (x->seen_ns != y->seen_ns)
        return x->seen_ns < y->seen_ns ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* What the sender of the other direction had received by then. */
static inline int64_t sketch_received(const GArray *arrivals, int64_t time_ns)
{
    guint low = 0, high = arrivals->len;

    while (low < high) {
        guint mid = low + (high - low) / 2;

        if (g_array_index(arrivals, struct sketch_arrival, mid).time_ns <= time_ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? g_array_index(arrivals, struct sketch_arrival, low - 1).end : 0;
}

/* Puts everything in the order in which it was seen. Returns owned: free with replay_connection_free(). */
static inline struct replay_connection *sketch_finish(struct sketch *k)
{
    struct replay_connection *c = k->connection;
    g_autofree uint64_t *frame = g_new0(uint64_t, k->segments->len + 1);
    int64_t zero;

    g_array_sort(k->segments, sketch_by_time);
    zero = g_array_index(k->segments, struct sketch_segment, 0).seen_ns;
    for (guint i = 0; i < k->segments->len; i++) {
        struct sketch_segment *s = &g_array_index(k->segments, struct sketch_segment, i);

        s->segment.time_ns = s->seen_ns - zero;
        s->segment.ack = sketch_received(k->arrivals[1 - s->segment.direction], s->sent_ns);
        s->segment.frame = frame[s->number + 1] = i + 1;
        g_array_append_val(c->segments_kept, s->segment);
        c->tcp.side[s->segment.direction].packets++;
        c->tcp.side[s->segment.direction].data_packets += s->segment.payload_bytes > 0;
        if (s->segment.payload_bytes) {
            c->last_ns = s->segment.time_ns;
            c->last_frame = i + 1;
        }
    }
    c->first_frame = 1;
    for (guint i = 0; i < c->exchanges_kept->len; i++) {
        struct replay_exchange *e = &g_array_index(c->exchanges_kept, struct replay_exchange, i);

        e->request_first_frame = frame[e->request_first_frame];
        e->request_last_frame = frame[e->request_last_frame];
        e->response_first_frame = frame[e->response_first_frame];
        e->response_last_frame = frame[e->response_last_frame];
    }
    c->exchanges = c->exchanges_kept->len;
    g_array_unref(k->segments);
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        g_array_unref(k->arrivals[d]);
    return c;
}

#endif
