#include "replay/timing.h"

/* ---- the client ------------------------------------------------------------------------------------------------- */

/* Follows the flight of what the client sends, to tell a request that its TCP held back. */
struct flight {
    guint next;         /* first segment not yet looked at */
    int64_t sent;       /* highest offset sent + 1 */
    int64_t acked;      /* highest offset acknowledged */
    int64_t largest;    /* flight so far, in bytes */
    int64_t at_ack;     /* flight when the last acknowledgement came */
    int64_t ack_ns;     /* when that was at the client; INT64_MIN: none since the last data */
    int64_t largest_at; /* `largest` at that moment */
};

/* Up to the segment before `end`. */
static void follow(struct flight *f, const struct wire *p, guint end)
{
    for (; f->next < end; f->next++) {
        const struct replay_segment *s = wire_seen(p, f->next);

        if (s->direction == REPLAY_UP) {
            f->sent = MAX(f->sent, s->offset + (int64_t)s->payload_bytes);
            f->largest = MAX(f->largest, f->sent - f->acked);
            if (s->payload_bytes)
                f->ack_ns = INT64_MIN;
        } else if (s->flags & REPLAY_ACK && s->ack > f->acked) {
            f->at_ack = f->sent - f->acked;
            f->largest_at = f->largest;
            f->acked = s->ack;
            f->ack_ns = p->segments[f->next].arrived_ns;
        }
    }
}

/* At `first`, the request's first segment: released by an acknowledgement of a flight that had never been larger. */
static bool released_by_ack(const struct flight *f, const struct wire *p, guint first)
{
    const struct replay_segment *s = wire_seen(p, first);
    int64_t waited = p->segments[first].sent_ns - f->ack_ns;

    return f->ack_ns != INT64_MIN && f->at_ack > (int64_t)s->payload_bytes && f->at_ack >= f->largest_at &&
           waited < p->one_way_ns;
}

static int64_t established_ns(const struct wire *p)
{
    for (guint i = 0; i < p->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(p, i);

        if (s->payload_bytes)
            break;
        if (s->direction == REPLAY_DOWN && s->flags & REPLAY_SYN)
            return p->segments[i].arrived_ns;
    }
    return p->connection->segments_kept->len ? p->segments[0].sent_ns : 0;
}

struct completion {
    int64_t done_ns;
    guint index;
};

static int by_time(gconstpointer a, gconstpointer b)
{
    const struct completion *x = a, *y = b;

    if (x->done_ns != y->done_ns)
        return x->done_ns < y->done_ns ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Responses that may release a request, in the order in which the client had them. Returns owned. */
static GArray *completions(const GArray *exchanges, const GArray *timings)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct completion));

    for (guint i = 0; i < timings->len; i++) {
        struct completion c = {g_array_index(timings, struct timing, i).done_ns, i};

        if (c.done_ns >= 0 &&
            !(g_array_index(exchanges, struct replay_exchange, i).flags & REPLAY_BACKGROUND))
            g_array_append_val(list, c);
    }
    g_array_sort(list, by_time);
    return list;
}

/* Fills in issue, think and release of each exchange. */
static void time_requests(const struct wire *p, GArray *timings)
{
    const GArray *exchanges = p->connection->exchanges_kept;
    g_autoptr(GArray) done = completions(exchanges, timings);
    struct flight flight = {.ack_ns = INT64_MIN};
    int64_t ready = established_ns(p); /* the client has sent all before, or has what released the last */
    int64_t issued = ready;
    guint next = 0;

    for (guint i = 0; i < timings->len; i++) {
        const struct replay_exchange *e = &g_array_index(exchanges, struct replay_exchange, i);
        struct timing *t = &g_array_index(timings, struct timing, i);
        guint first = wire_find(p, e->request_first_frame);
        int64_t sent = p->segments[first].sent_ns;
        bool fresh = false;

        follow(&flight, p, first);
        while (next < done->len && g_array_index(done, struct completion, next).done_ns <= sent) {
            const struct completion *c = &g_array_index(done, struct completion, next++);

            t->after = i - c->index;
            ready = MAX(ready, c->done_ns);
            fresh = true;
        }
        t->held = i > 0 && (wire_seen(p, first)->offset < e->request_offset ||
                            (!fresh && released_by_ack(&flight, p, first)));
        if (t->held) {
            t->after = 0;
            t->issue_ns = issued;
        } else {
            t->issue_ns = sent;
            t->think_ns = MAX(sent - ready, 0);
        }
        issued = t->issue_ns;
        ready = MAX(ready, p->segments[wire_find(p, e->request_last_frame)].sent_ns);
    }
}

/* ---- the server --------------------------------------------------------------------------------------------------- */

double timing_expected_ns(const GArray *services, uint16_t command, uint32_t data_bytes)
{
    for (guint i = 0; services && i < services->len; i++) {
        const struct calibration_service *s = &g_array_index(services, struct calibration_service, i);

        if (s->command == command)
            return calibrated_best(&s->base_ns) + calibrated_best(&s->per_byte_ns) * data_bytes;
    }
    return 0;
}

static void serve(const struct wire *p, const struct replay_exchange *e, struct timing *t,
                  const GArray *services, int64_t *free_ns)
{
    guint first = wire_find(p, e->response_first_frame);
    const struct wire_segment *s = &p->segments[first];

    t->alone = *free_ns <= t->arrive_ns;
    t->taken_ns = e->flags & REPLAY_BACKGROUND ? t->arrive_ns : MAX(t->arrive_ns, *free_ns);
    t->hidden = s->queued || wire_seen(p, first)->offset < e->response_offset;
    t->write_ns = MAX(s->sent_ns, t->taken_ns);
    if (t->hidden) {
        int64_t expected = (int64_t)timing_expected_ns(services, e->command, e->data_bytes);

        t->write_ns = MIN(t->write_ns, t->taken_ns + expected);
    }
    t->service_ns = t->write_ns - t->taken_ns;
    if (!(e->flags & REPLAY_BACKGROUND))
        *free_ns = MAX(*free_ns, t->write_ns);
}

static void time_responses(const struct wire *p, GArray *timings, const GArray *services)
{
    const GArray *exchanges = p->connection->exchanges_kept;
    int64_t free_ns = INT64_MIN; /* the server's worker */

    for (guint i = 0; i < timings->len; i++) {
        const struct replay_exchange *e = &g_array_index(exchanges, struct replay_exchange, i);
        struct timing *t = &g_array_index(timings, struct timing, i);

        t->arrive_ns = p->segments[wire_find(p, e->request_last_frame)].arrived_ns;
        t->write_ns = t->done_ns = -1;
        if (!e->response_first_frame)
            continue;
        t->done_ns = p->segments[wire_find(p, e->response_last_frame)].arrived_ns;
        serve(p, e, t, services, &free_ns);
    }
}

GArray *timing_new(const struct wire *p, const GArray *services)
{
    GArray *timings = g_array_new(FALSE, TRUE, sizeof(struct timing));

    g_array_set_size(timings, p->connection->exchanges_kept->len);
    time_responses(p, timings, services);
    time_requests(p, timings);
    return timings;
}
