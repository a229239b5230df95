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

static int by_time(gconstpointer a, gconstpointer b)
{
    const struct event_at *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind - y->kind;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Returns owned array of struct event_at. */
static GArray *list_events(const struct pass *p)
{
    GArray *events = g_array_new(FALSE, FALSE, sizeof(struct event_at));

    for (guint i = 0; i < p->wire->connection->segments_kept->len; i++) {
        struct event_at e = {p->wire->segments[i].arrived_ns, i, EVENT_ARRIVE};

        g_array_append_val(events, e);
    }
    for (guint i = 0; i < p->timings->len; i++) {
        const struct timing *t = timing_at(p, i);
        struct event_at issue = {t->issue_ns, i, EVENT_ISSUE}, write = {t->write_ns, i, EVENT_WRITE};

        g_array_append_val(events, issue);
        if (t->done_ns >= 0)
            g_array_append_val(events, write);
    }
    g_array_sort(events, by_time);
    return events;
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

    if (at->queued && !again && front->time_ns > now - at->budget_wait_ns - 2 * serialisation) {
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
    }
    if (s->payload_bytes || s->flags & REPLAY_SYN)
        p->lanes[s->direction].last_sent_ns = at->sent_ns;
    if (s->flags & REPLAY_ACK)
        p->acked_ns[1 - s->direction] = at->arrived_ns;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

/* The account at the last payload frame, as the capture point saw it. */
static struct account at_the_end(struct pass *p, guint last, bool seen_arriving)
{
    const struct replay_segment *s = wire_seen(p->wire, last);
    const struct account *begun = begun_with(p, s->direction, s->offset);
    struct account end = p->lanes[s->direction].front;

    if (!seen_arriving)
        end = begun ? *begun : s->direction == REPLAY_UP ? p->client : p->server;
    add(p, &end, seen_arriving ? WAIT_TRANSMISSION : WAIT_TCP_WINDOW, p->wire->connection->last_ns, s->frame);
    return end;
}

static void walk(struct pass *p, struct account *end)
{
    const struct replay_connection *c = p->wire->connection;
    g_autoptr(GArray) events = list_events(p);
    guint last = wire_find(p->wire, c->last_frame);
    bool leaving = wire_at_sender(p->wire, wire_seen(p->wire, last)->direction);

    for (guint i = 0; i < events->len; i++) {
        const struct event_at *e = &g_array_index(events, struct event_at, i);

        if (e->kind == EVENT_ISSUE)
            issue(p, e->index);
        else if (e->kind == EVENT_WRITE)
            write_answer(p, e->index);
        else
            arrive(p, e->index);
        if (e->kind == EVENT_ARRIVE && e->index == last)
            break;
    }
    *end = at_the_end(p, last, !leaving);
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

void breakdown_init(struct breakdown *b, const struct replay_connection *c, const struct calibration *k)
{
    struct wire wire;
    struct account end;
    struct pass p = {.wire = &wire, .calibration = k};

    wire_init(&wire, c, k);
    p.timings = timing_new(&wire, k->services);
    begin(&p);
    walk(&p, &end);
    breakdown_sum(b, c, k, p.log, &end);
    finish(&p);
    g_array_unref(p.timings);
    wire_fini(&wire);
}
