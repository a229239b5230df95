#include "replay/timing.h"
#include "replay/flight.h"
#include "replay/messages.h"
#include "replay/repair.h"

/* ---- the client ------------------------------------------------------------------------------------------------- */

/* Sent as soon as an acknowledgement came, by a client whose flight had never been larger: the window had held it. */
static bool released_by_ack(const struct flight *f, const struct wire_segment *at)
{
    return f->before > 1 && f->before >= f->largest_before && at->sent_ns - f->heard_ns < f->wire->one_way_ns;
}

/* Adds what the client sends before segment `end`, with the acknowledgements in between. */
static void follow(struct flight *f, guint *added, guint end)
{
    for (; *added < end; (*added)++) {
        const struct replay_segment *s = wire_seen(f->wire, *added);

        if (s->direction != REPLAY_UP || !s->payload_bytes)
            continue;
        flight_hear(f, f->wire->segments[*added].sent_ns);
        flight_add(f, s);
    }
}

/* When the client's handshake would have been through on the wire alone: what it took longer is the hosts' own time, which
 * counts as the client's first think. */
static int64_t established_ns(const struct wire *p)
{
    int64_t there_ns = -1;

    for (guint i = 0; i < p->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(p, i);
        const struct wire_segment *at = &p->segments[i];

        if (s->payload_bytes)
            break;
        if (s->direction == REPLAY_UP && s->flags & REPLAY_SYN)
            there_ns = at->arrived_ns;
        else if (there_ns >= 0 && s->flags & REPLAY_SYN)
            return there_ns + at->arrived_ns - at->sent_ns;
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

/* Where the client wasn't seen itself, its instants are no better known than the path's delay: a response that seems to have
 * arrived a little after a request left may well have released it. */
static int64_t doubt_ns(const struct wire *p)
{
    return wire_at_sender(p, REPLAY_UP) ? 0 : p->doubt_ns;
}

/* Fills in issue, think and release of each exchange. */
static void time_requests(const struct wire *p, GArray *timings)
{
    const GArray *exchanges = p->connection->exchanges_kept;
    g_autoptr(GArray) done = completions(exchanges, timings);
    int64_t ready = established_ns(p); /* the client has sent all before, or has what released the last */
    int64_t issued = ready, doubt = doubt_ns(p);
    guint next = 0, added = 0,
          asked = 0; /* completions seen, segments added, requests that will be answered */
    struct flight flight;

    flight_init(&flight, p, REPLAY_UP);
    for (guint i = 0; i < timings->len; i++) {
        const struct replay_exchange *e = &g_array_index(exchanges, struct replay_exchange, i);
        struct timing *t = &g_array_index(timings, struct timing, i);
        guint first = wire_find(p, e->request_first_frame);
        int64_t sent = p->segments[first].sent_ns;
        bool fresh = false;

        follow(&flight, &added, first);
        flight_hear(&flight, sent);
        while (next < done->len && g_array_index(done, struct completion, next).done_ns <= sent + doubt) {
            const struct completion *c = &g_array_index(done, struct completion, next);

            if (c->index >= i) /* its own response, or a later one's: the doubt reaches too far */
                break;
            next++;
            t->after = i - c->index;
            ready = MAX(ready, c->done_ns);
            fresh = true;
        }
        t->barrier = fresh && next == asked;
        asked += t->done_ns >= 0 && !(e->flags & REPLAY_BACKGROUND);
        t->held = i > 0 && (wire_seen(p, first)->offset < e->request_offset ||
                            (!fresh && released_by_ack(&flight, &p->segments[first])));
        if (t->held) {
            t->after = 0;
            t->barrier = false;
            t->issue_ns = issued;
        } else {
            t->issue_ns = MAX(sent, MIN(ready, sent + doubt));
            t->think_ns = MAX(sent - ready, 0);
        }
        issued = t->issue_ns;
        ready = MAX(ready, p->segments[wire_find(p, e->request_last_frame)].sent_ns);
    }
    flight_fini(&flight);
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

/* Whether the server's TCP had the bytes of a segment before it sent them: they left on one of the first acknowledgements since the
 * segment before, with others still outstanding. A server that had nothing to send would have let more of them pass. */
static bool left_on_ack(const struct flight *f, int64_t sent_ns, int64_t tolerance_ns)
{
    enum { FEW = 2 }; /* in recovery, every second one releases a segment */

    return f->heard > 0 && f->heard <= FEW && flight_now(f) > 0 && sent_ns - f->heard_ns <= tolerance_ns;
}

/* For each segment of the server's that the window had held back, when the one before it was sent: the server was writing until
 * then at least. INT64_MIN for all others. Returns owned. */
static int64_t *held_since_ns(const struct wire *p)
{
    guint count = p->connection->segments_kept->len;
    int64_t *since = g_new(int64_t, MAX(count, 1)), before_ns = INT64_MIN;
    struct flight flight;

    flight_init(&flight, p, REPLAY_DOWN);
    for (guint i = 0; i < count; i++) {
        const struct replay_segment *s = wire_seen(p, i);
        int64_t sent_ns = p->segments[i].sent_ns, tolerance_ns = p->full_ns[REPLAY_DOWN];

        since[i] = INT64_MIN;
        if (s->direction != REPLAY_DOWN || !s->payload_bytes || s->flags & REPLAY_KEEP_ALIVE)
            continue;
        flight_hear(&flight, sent_ns + tolerance_ns);
        if (left_on_ack(&flight, sent_ns, tolerance_ns))
            since[i] = before_ns;
        flight_add(&flight, s);
        before_ns = sent_ns;
    }
    flight_fini(&flight);
    return since;
}

static void serve(const struct wire *p, const struct replay_exchange *e, struct timing *t,
                  const GArray *services, const int64_t *held_since, int64_t *free_ns)
{
    guint first = wire_find(p, e->response_first_frame);
    const struct wire_segment *s = &p->segments[first];

    t->alone = *free_ns <= t->arrive_ns;
    t->taken_ns = e->flags & REPLAY_BACKGROUND ? t->arrive_ns : MAX(t->arrive_ns, *free_ns);
    t->hidden =
        s->queued || wire_seen(p, first)->offset < e->response_offset || held_since[first] >= t->arrive_ns;
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
    g_autofree int64_t *held_since = held_since_ns(p);
    int64_t free_ns = INT64_MIN; /* the server's worker */

    for (guint i = 0; i < timings->len; i++) {
        const struct replay_exchange *e = &g_array_index(exchanges, struct replay_exchange, i);

        if (e->response_first_frame)
            serve(p, e, &g_array_index(timings, struct timing, i), services, held_since, &free_ns);
    }
}

/* ---- arrivals ----------------------------------------------------------------------------------------------------- */

/* When the segments that repair seen losses arrived, for each message that they belong to. Returns owned array beside
 * `messages`; -1: none. */
static int64_t *repaired_ns(const struct wire *p, enum replay_direction d, const GArray *messages)
{
    g_autoptr(GArray) repairs = repair_list(p, d);
    int64_t *late = g_new(int64_t, MAX(messages->len, 1));
    guint place = 0;

    for (guint i = 0; i < messages->len; i++)
        late[i] = -1;
    for (guint i = 0; i < repairs->len; i++) {
        const struct repair *r = &g_array_index(repairs, struct repair, i);

        if (r->lost != REPAIR_UNSEEN && messages_find(messages, &place, wire_seen(p, r->segment)->offset))
            late[place] = MAX(late[place], p->segments[r->segment].arrived_ns);
    }
    return late;
}

/* Messages are there when their last byte is, and all before it: what was seen leaving may have been lost. */
static void time_arrivals(const struct wire *p, enum replay_direction d, GArray *timings)
{
    g_autoptr(GArray) messages = messages_list(p->connection, d);
    g_autofree int64_t *late = repaired_ns(p, d, messages);
    int64_t there_ns = 0;

    for (guint i = 0; i < messages->len; i++) {
        const struct message *m = &g_array_index(messages, struct message, i);
        struct timing *t = &g_array_index(timings, struct timing, m->exchange);

        there_ns = MAX(there_ns, p->segments[wire_find(p, m->last_frame)].arrived_ns);
        there_ns = MAX(there_ns, late[i]);
        if (d == REPLAY_UP)
            t->arrive_ns = there_ns;
        else
            t->done_ns = there_ns;
    }
}

GArray *timing_new(const struct wire *p, const GArray *services)
{
    GArray *timings = g_array_new(FALSE, TRUE, sizeof(struct timing));

    g_array_set_size(timings, p->connection->exchanges_kept->len);
    for (guint i = 0; i < timings->len; i++)
        g_array_index(timings, struct timing, i).write_ns = g_array_index(timings, struct timing, i).done_ns =
            -1;
    time_arrivals(p, REPLAY_UP, timings);
    time_arrivals(p, REPLAY_DOWN, timings);
    time_responses(p, timings, services);
    time_requests(p, timings);
    return timings;
}
