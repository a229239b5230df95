#include "replay/breakdown.h"
#include "replay/account.h"
#include "replay/messages.h"
#include "replay/repair.h"
#include "base/units.h"

static const int64_t IDLE_NS = NS_PER_S; /* as in sim/smb_client.c */

/* In the order in which events of one instant happen. */
enum event_kind { EVENT_ARRIVE, EVENT_WRITE, EVENT_ISSUE };

struct event_at {
    int64_t time_ns;
    guint index; /* of a segment or an exchange */
    int kind;
};

struct lane {
    GArray *messages;     /* of struct message */
    guint place;          /* of the message at the last segment */
    guint arrived;        /* messages noted as arrived */
    struct account front; /* at the receiver */
    int64_t lost_ns;      /* when the last segment that was lost would have been there */
    int64_t last_sent_ns; /* of the last data segment */
};

struct pass {
    const struct wire *wire;
    const struct calibration *calibration;
    GArray *timings; /* of struct timing */
    GArray *log;     /* of struct account_step */
    bool *repairs;   /* of each segment: it replaced a lost one */
    bool *lost;      /* of each segment: it was seen leaving and never arrived */
    struct lane lanes[REPLAY_DIRECTIONS];
    struct account
        *begun[REPLAY_DIRECTIONS]; /* of each exchange's request and response: when it was written */
    struct account *there[REPLAY_DIRECTIONS]; /* and when it had arrived */
    bool *has_begun[REPLAY_DIRECTIONS];
    struct account client;               /* at the client's last issue, or at the end of the handshake */
    struct account server;               /* at the server's last answer */
    int64_t acked_ns[REPLAY_DIRECTIONS]; /* when the sender of that direction last heard an acknowledgement */
    int64_t last_done_ns;
};

/* ---- layout ----------------------------------------------------------------------------------------------------- */

static const struct replay_exchange *exchange_at(const struct pass *p, guint i)
{
    return &g_array_index(p->wire->connection->exchanges_kept, struct replay_exchange, i);
}

static const struct timing *timing_at(const struct pass *p, guint i)
{
    return &g_array_index(p->timings, struct timing, i);
}

static int compare(const struct event_at *x, const struct event_at *y)
{
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind - y->kind;
    return x->index < y->index ? -1 : x->index > y->index;
}

static int by_time(gconstpointer a, gconstpointer b)
{
    return compare(a, b);
}

/* What comes of itself in the order of time, or nearly so: arrivals each way, issues, writes. The events of a pass are these
 * lists merged, which costs less than to sort them all. */
enum { LIST_ISSUES = REPLAY_DIRECTIONS, LIST_WRITES, LISTS };

struct events {
    GArray *lists[LISTS]; /* of struct event_at */
    guint next[LISTS];
    bool unsorted[LISTS];
};

static void list_event(struct events *e, int list, int64_t time_ns, guint index, int kind)
{
    GArray *to = e->lists[list];
    struct event_at at = {time_ns, index, kind};

    e->unsorted[list] |= to->len && compare(&g_array_index(to, struct event_at, to->len - 1), &at) > 0;
    g_array_append_val(to, at);
}

static void events_init(struct events *e, const struct pass *p)
{
    *e = (struct events){0};
    for (int i = 0; i < LISTS; i++)
        e->lists[i] = g_array_new(FALSE, FALSE, sizeof(struct event_at));
    for (guint i = 0; i < p->wire->connection->segments_kept->len; i++)
        list_event(e, wire_seen(p->wire, i)->direction, p->wire->segments[i].arrived_ns, i, EVENT_ARRIVE);
    for (guint i = 0; i < p->timings->len; i++) {
        const struct timing *t = timing_at(p, i);

        list_event(e, LIST_ISSUES, t->issue_ns, i, EVENT_ISSUE);
        if (t->done_ns >= 0)
            list_event(e, LIST_WRITES, t->write_ns, i, EVENT_WRITE);
    }
    for (int i = 0; i < LISTS; i++) {
        if (e->unsorted[i])
            g_array_sort(e->lists[i], by_time);
    }
}

static void events_fini(struct events *e)
{
    for (int i = 0; i < LISTS; i++)
        g_array_unref(e->lists[i]);
}

/* The next of all; NULL at the end. */
static const struct event_at *events_next(struct events *e)
{
    const struct event_at *best = NULL;
    int from = 0;

    for (int i = 0; i < LISTS; i++) {
        const struct event_at *at;

        if (e->next[i] == e->lists[i]->len)
            continue;
        at = &g_array_index(e->lists[i], struct event_at, e->next[i]);
        if (!best || compare(at, best) < 0) {
            best = at;
            from = i;
        }
    }
    if (best)
        e->next[from]++;
    return best;
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

static void add(struct pass *p, struct account *a, int kind, int64_t until_ns, uint64_t frame)
{
    account_until(p->log, a, kind, until_ns, frame);
}

/* The handshake: one round trip, longer when a SYN was lost or the server was slow. `sent_ns` is of the last SYN. */
static void established(struct pass *p, const struct replay_segment *s, int64_t now)
{
    int64_t sent_ns = p->lanes[REPLAY_UP].last_sent_ns;
    int64_t path = 2 * p->wire->one_way_ns;
    int64_t link = wire_serialisation_ns(p->calibration, REPLAY_UP, s->ip_bytes) +
                   wire_serialisation_ns(p->calibration, REPLAY_DOWN, s->ip_bytes);

    add(p, &p->client, WAIT_LOSS_RECOVERY, sent_ns, s->frame);
    add(p, &p->client, WAIT_SERVER, now - path - link, s->frame);
    add(p, &p->client, WAIT_TRANSMISSION, MIN(now - path, p->client.time_ns + link), s->frame);
    add(p, &p->client, WAIT_ROUND_TRIPS, now, s->frame);
    p->lanes[REPLAY_DOWN].front = p->lanes[REPLAY_UP].front = p->server = p->client;
}

static void issue(struct pass *p, guint i)
{
    const struct timing *t = timing_at(p, i);
    uint64_t frame = exchange_at(p, i)->request_first_frame;
    bool idle = t->think_ns > IDLE_NS && p->last_done_ns >= t->issue_ns - t->think_ns - NS_PER_MS;

    if (t->after && p->there[REPLAY_DOWN][i - t->after].time_ns >= p->client.time_ns)
        p->client = p->there[REPLAY_DOWN][i - t->after];
    add(p, &p->client, WAIT_TCP_WINDOW, t->issue_ns - t->think_ns, frame);
    add(p, &p->client, idle ? WAIT_IDLE : WAIT_CLIENT, t->issue_ns, frame);
    p->begun[REPLAY_UP][i] = p->client;
    p->has_begun[REPLAY_UP][i] = true;
}

static void write_answer(struct pass *p, guint i)
{
    const struct timing *t = timing_at(p, i);
    const struct replay_exchange *e = exchange_at(p, i);
    struct account from = p->there[REPLAY_UP][i];

    if (!(e->flags & REPLAY_BACKGROUND) && p->server.time_ns > from.time_ns)
        from = p->server;
    add(p, &from, WAIT_SERVER, t->write_ns, e->response_first_frame);
    p->begun[REPLAY_DOWN][i] = from;
    p->has_begun[REPLAY_DOWN][i] = true;
    if (!(e->flags & REPLAY_BACKGROUND))
        p->server = from;
}

/* Where the message that holds the byte began, when that has been seen; else NULL. */
static const struct account *begun_with(struct pass *p, enum replay_direction d, int64_t offset)
{
    const struct message *m = messages_find(p->lanes[d].messages, &p->lanes[d].place, offset);

    return m && p->has_begun[d][m->exchange] ? &p->begun[d][m->exchange] : NULL;
}

/* What a segment that was ready earlier waited for at its sender. */
static int held_by(const struct pass *p, const struct replay_segment *s, const struct wire_segment *at,
                   bool again)
{
    int64_t since_ack = at->sent_ns - p->acked_ns[s->direction];
    int64_t tolerance = wire_serialisation_ns(p->calibration, s->direction, p->calibration->mtu_bytes);

    if (again)
        return WAIT_LOSS_RECOVERY;
    if (since_ack <= MAX(tolerance, (at->sent_ns - p->lanes[s->direction].last_sent_ns) / 8))
        return WAIT_TCP_WINDOW;
    return s->direction == REPLAY_DOWN ? WAIT_SERVER : WAIT_CLIENT;
}

static void judge(struct pass *p, const struct replay_segment *s, const struct wire_segment *at, bool again)
{
    struct account *front = &p->lanes[s->direction].front;
    const struct account *begun = begun_with(p, s->direction, s->offset);
    int64_t now = at->arrived_ns, path = p->wire->one_way_ns;
    int64_t serialisation = wire_serialisation_ns(p->calibration, s->direction, s->ip_bytes);
    int64_t behind_ns = MAX(front->time_ns, p->lanes[s->direction].lost_ns);

    if (at->queued && !again && behind_ns > now - at->budget_wait_ns - 2 * serialisation) {
        add(p, front, WAIT_PACKET_CAP, MIN(front->time_ns + at->budget_wait_ns, now), s->frame);
        add(p, front, WAIT_TRANSMISSION, now, s->frame);
    } else if (begun && (at->sent_ns <= begun->time_ns || front->time_ns < begun->time_ns + path)) {
        *front = *begun;
        add(p, front, held_by(p, s, at, again), at->sent_ns, s->frame);
        add(p, front, WAIT_ROUND_TRIPS, MIN(front->time_ns + path, now), s->frame);
        add(p, front, WAIT_PACKET_CAP, MIN(front->time_ns + at->budget_wait_ns, now), s->frame);
        add(p, front, WAIT_TRANSMISSION, now, s->frame);
    } else {
        add(p, front, held_by(p, s, at, again), now - at->budget_wait_ns - serialisation, s->frame);
        add(p, front, WAIT_PACKET_CAP, now - serialisation, s->frame);
        add(p, front, WAIT_TRANSMISSION, now, s->frame);
    }
}

static void note_arrived(struct pass *p, const struct replay_segment *s)
{
    struct lane *l = &p->lanes[s->direction];

    for (; l->arrived < l->messages->len; l->arrived++) {
        const struct message *m = &g_array_index(l->messages, struct message, l->arrived);
        const struct timing *t = timing_at(p, m->exchange);

        if ((s->direction == REPLAY_UP ? t->arrive_ns : t->done_ns) > l->front.time_ns)
            break;
        p->there[s->direction][m->exchange] = l->front;
        if (s->direction == REPLAY_DOWN)
            p->last_done_ns = l->front.time_ns;
    }
}

static void arrive(struct pass *p, guint i)
{
    const struct replay_segment *s = wire_seen(p->wire, i);
    const struct wire_segment *at = &p->wire->segments[i];

    if (s->flags & REPLAY_SYN && s->direction == REPLAY_DOWN && !p->last_done_ns) {
        established(p, s, at->arrived_ns);
    } else if (s->payload_bytes && !p->lost[i] && !(s->flags & (REPLAY_KEEP_ALIVE | REPLAY_SPURIOUS))) {
        judge(p, s, at, p->repairs[i]);
        note_arrived(p, s);
    } else if (s->payload_bytes && p->lost[i]) {
        p->lanes[s->direction].lost_ns = at->arrived_ns;
    }
    if (s->payload_bytes || s->flags & REPLAY_SYN)
        p->lanes[s->direction].last_sent_ns = at->sent_ns;
    if (s->flags & REPLAY_ACK)
        p->acked_ns[1 - s->direction] = at->arrived_ns;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

/* A path that ends at an instant, in the middle of a wait if need be. */
static void trim(GArray *log, struct account *end, int64_t until_ns)
{
    while (end->tip != ACCOUNT_ROOT && end->time_ns > until_ns) {
        struct account_step *s = &g_array_index(log, struct account_step, end->tip);
        int64_t excess = MIN(end->time_ns - until_ns, s->ns);

        s->ns -= excess;
        end->time_ns -= excess;
        if (s->ns == 0)
            end->tip = s->parent;
    }
}

/* The account at the last payload frame, as the capture point saw it. One that was seen leaving, or a window's, is accounted for up
 * to its arrival, and then as much of that taken back as came later. */
static struct account at_the_end(struct pass *p, guint last)
{
    const struct replay_segment *s = wire_seen(p->wire, last);
    struct account end = p->lanes[s->direction].front;

    add(p, &end, WAIT_TRANSMISSION, p->wire->connection->last_ns, s->frame);
    if (wire_at_sender(p->wire, s->direction) || p->wire->window.goes_on)
        trim(p->log, &end, p->wire->connection->last_ns);
    return end;
}

static void walk(struct pass *p, struct account *end)
{
    const struct replay_connection *c = p->wire->connection;
    const struct event_at *e;
    struct events events;
    guint last = wire_find(p->wire, c->last_frame);

    events_init(&events, p);
    while ((e = events_next(&events)) != NULL) {
        if (e->kind == EVENT_ISSUE)
            issue(p, e->index);
        else if (e->kind == EVENT_WRITE)
            write_answer(p, e->index);
        else
            arrive(p, e->index);
        if (e->kind == EVENT_ARRIVE && e->index == last)
            break;
    }
    events_fini(&events);
    *end = at_the_end(p, last);
}

static void mark_repairs(struct pass *p, enum replay_direction d)
{
    g_autoptr(GArray) repairs = repair_list(p->wire, d);

    for (guint i = 0; i < repairs->len; i++) {
        const struct repair *r = &g_array_index(repairs, struct repair, i);

        p->repairs[r->segment] = true;
        if (r->lost != REPAIR_UNSEEN)
            p->lost[r->lost] = true;
    }
}

static void begin(struct pass *p)
{
    const struct account root = {p->wire->connection->first_ns, ACCOUNT_ROOT};
    guint count = p->timings->len;

    p->log = g_array_new(FALSE, FALSE, sizeof(struct account_step));
    p->client = p->server = root;
    p->repairs = g_new0(bool, p->wire->connection->segments_kept->len);
    p->lost = g_new0(bool, p->wire->connection->segments_kept->len);
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        mark_repairs(p, d);
        p->lanes[d].messages = messages_list(p->wire->connection, d);
        p->lanes[d].front = root;
        p->lanes[d].lost_ns = INT64_MIN;
        p->lanes[d].last_sent_ns = p->acked_ns[d] = root.time_ns;
        p->begun[d] = g_new(struct account, count);
        p->there[d] = g_new(struct account, count);
        p->has_begun[d] = g_new0(bool, count);
        for (guint i = 0; i < count; i++)
            p->begun[d][i] = p->there[d][i] = root;
    }
}

static void finish(struct pass *p)
{
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        g_array_unref(p->lanes[d].messages);
        g_free(p->begun[d]);
        g_free(p->there[d]);
        g_free(p->has_begun[d]);
    }
    g_free(p->repairs);
    g_free(p->lost);
    g_array_unref(p->log);
}

void breakdown_add(struct breakdown *b, const struct wire *w, const struct calibration *k, GArray *timings)
{
    struct pass p = {.wire = w, .calibration = k, .timings = timings};
    struct account end;

    begin(&p);
    walk(&p, &end);
    breakdown_sum(b, w->connection, p.log, &end);
    finish(&p);
}

void breakdown_init(struct breakdown *b, const struct replay_connection *c, const struct calibration *k)
{
    const struct window whole = {0};
    g_autoptr(GArray) timings = NULL;
    struct wire wire;

    *b = (struct breakdown){0};
    wire_init(&wire, c, k, &whole);
    timings = timing_new(&wire, k->services);
    breakdown_add(b, &wire, k, timings);
    breakdown_conclude(b, c, k);
    wire_fini(&wire);
}
