#include "replay/wire.h"
#include "base/units.h"

/* What a pass over the segments of one connection keeps of each direction. */
struct link_state {
    int64_t free_ns;          /* before the link: end of the last serialisation */
    int64_t last_arrived_ns;  /* behind it: of the last frame; INT64_MIN: none */
    int64_t shift_ns;         /* from the receiver's clock back to the capture's */
    int64_t budget, phase_ns; /* packets a millisecond; 0: no cap */
    int64_t ms, used;         /* of the millisecond in progress */
    bool before;              /* the capture point is the sender */
    GArray *under_way;        /* of struct under_way: before the link, oldest first from `first` on */
    guint first;
    int64_t sooner_ns; /* by which the link was free before the rule has it, all told */
};

/* A segment whose arrival nothing has confirmed yet. */
struct under_way {
    guint segment;
    int64_t end;       /* of its bytes */
    int64_t sooner_ns; /* when it was sent */
};

enum { TIME_STAMP_NS = 1000 }; /* captures mostly have microseconds */

int64_t wire_serialisation_ns(const struct calibration *k, enum replay_direction d, int64_t ip_bytes)
{
    return (int64_t)((double)network_counted_bytes(k->counts, ip_bytes) * 8e9 / calibration_rate_bps(k, d));
}

/* Behind the link the receiver takes so many packets a millisecond, and the rest at the beginning of the next. */
static void pass_budget(const struct wire *p, struct link_state *l, struct wire_segment *out)
{
    int64_t phase_ns = l->phase_ns - p->one_way_ns; /* it was seen when the acknowledgements came back */
    int64_t ms = MAX((out->arrived_ns - phase_ns) / NS_PER_MS, l->ms);

    if (ms == l->ms && l->used >= l->budget)
        ms++;
    if (ms != l->ms)
        l->used = 0;
    l->ms = ms;
    l->used++;
    out->budget_wait_ns = MAX(phase_ns + ms * NS_PER_MS - out->arrived_ns, 0);
    out->arrived_ns += out->budget_wait_ns;
    out->queued |= out->budget_wait_ns > 0;
}

static void before_link(const struct wire *p, struct link_state *l, guint i, int64_t serialisation)
{
    const struct replay_segment *s = wire_seen(p, i);
    struct wire_segment *out = &p->segments[i];
    struct under_way u = {i, s->offset + (int64_t)s->payload_bytes, l->sooner_ns};
    int64_t start = MAX(s->time_ns, l->free_ns);

    out->sent_ns = s->time_ns;
    out->queued = start > s->time_ns;
    l->free_ns = start + serialisation;
    out->arrived_ns = l->free_ns + p->one_way_ns;
    if (l->budget > 0)
        pass_budget(p, l, out);
    if (s->payload_bytes)
        g_array_append_val(l->under_way, u);
}

/* Moves back what was sent before the link was found to be free sooner; never to before it could be there. */
static void settle(const struct wire *p, const struct calibration *k, const struct link_state *l,
                   const struct under_way *u)
{
    struct wire_segment *at = &p->segments[u->segment];
    const struct replay_segment *s = wire_seen(p, u->segment);
    int64_t least = at->sent_ns + wire_serialisation_ns(k, s->direction, s->ip_bytes) + p->one_way_ns;

    at->arrived_ns = MAX(at->arrived_ns - (l->sooner_ns - u->sooner_ns), MIN(least, at->arrived_ns));
}

/* The receiver has acknowledged all before `ack`, at `sent_ns`. */
static void confirm(const struct wire *p, const struct calibration *k, struct link_state *l, int64_t ack,
                    int64_t sent_ns)
{
    for (; l->first < l->under_way->len; l->first++) {
        const struct under_way *u = &g_array_index(l->under_way, struct under_way, l->first);
        int64_t late;

        if (u->end > ack)
            break;
        settle(p, k, l, u);
        late = p->segments[u->segment].arrived_ns - sent_ns;
        if (late <= 0)
            continue;
        p->segments[u->segment].arrived_ns = sent_ns;
        if (p->segments[u->segment].budget_wait_ns > 0)
            continue;
        l->sooner_ns += late;
        l->free_ns -= late;
    }
    if (l->first > 1024 && 2 * l->first > l->under_way->len) {
        g_array_remove_range(l->under_way, 0, l->first);
        l->first = 0;
    }
}

/* Whether this frame opens a whole millisecond after one whose budget was used up. */
static bool waited_for_budget(struct link_state *l, int64_t time_ns)
{
    int64_t ms = (time_ns - l->phase_ns) / NS_PER_MS;
    bool full = l->budget > 0 && ms == l->ms + 1 && l->used >= l->budget;

    if (ms != l->ms) {
        l->ms = ms;
        l->used = 0;
    }
    l->used++;
    return full;
}

static void behind_link(const struct wire *p, struct link_state *l, const struct replay_segment *s,
                        int64_t serialisation, struct wire_segment *out)
{
    int64_t gap = l->last_arrived_ns == INT64_MIN ? INT64_MAX : s->time_ns - l->last_arrived_ns;

    out->arrived_ns = s->time_ns + l->shift_ns;
    out->sent_ns = out->arrived_ns - p->one_way_ns - serialisation;
    out->queued = gap <= serialisation + serialisation / 2; /* less than half a frame's silence is none */
    if (waited_for_budget(l, s->time_ns)) {
        out->queued = true;
        out->budget_wait_ns = MAX(gap - serialisation, 0);
    }
    l->last_arrived_ns = s->time_ns;
}

static void begin(struct link_state *l, const struct wire *w, const struct calibration *k,
                  enum replay_direction d)
{
    const struct replay_tcp *tcp = &w->connection->tcp;

    *l = (struct link_state){
        .free_ns = w->window.through_ns[d],
        .last_arrived_ns = INT64_MIN,
        .before = wire_at_sender(w, d),
        .under_way = g_array_new(FALSE, FALSE, sizeof(struct under_way)),
        .budget = k->side[d].packets_per_ms.known ? (int64_t)k->side[d].packets_per_ms.value : 0,
        .phase_ns = k->side[d].budget_phase_ns,
        .ms = INT64_MIN / 2,
    };
    if (w->point == REPLAY_POINT_MIDDLE)
        l->shift_ns = MAX(d == REPLAY_UP ? tcp->server_half_ns : tcp->client_half_ns, 0) / 2;
}

static void end(const struct wire *p, const struct calibration *k, struct link_state *l)
{
    for (; l->first < l->under_way->len; l->first++)
        settle(p, k, l, &g_array_index(l->under_way, struct under_way, l->first));
    g_array_unref(l->under_way);
}

void wire_init(struct wire *p, const struct replay_connection *c, const struct calibration *k,
               const struct window *window)
{
    struct link_state links[REPLAY_DIRECTIONS];
    guint count = c->segments_kept->len;

    *p = (struct wire){
        .connection = c,
        .window = *window,
        .segments = g_new0(struct wire_segment, count),
        .one_way_ns = (int64_t)calibrated_best(&k->rtt_ns) / 2,
        .doubt_ns = k->rtt_ns.known ? (int64_t)(k->rtt_ns.value - k->rtt_ns.low) + TIME_STAMP_NS : 0,
        .point = k->point == REPLAY_POINT_UNKNOWN ? REPLAY_POINT_CLIENT : k->point,
    };
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        p->full_ns[d] = wire_serialisation_ns(k, d, k->mtu_bytes);
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        begin(&links[d], p, k, d);
    for (guint i = 0; i < count; i++) {
        const struct replay_segment *s = wire_seen(p, i);
        struct link_state *l = &links[s->direction];
        int64_t serialisation = wire_serialisation_ns(k, s->direction, s->ip_bytes);

        if (l->before)
            before_link(p, l, i, serialisation);
        else
            behind_link(p, l, s, serialisation, &p->segments[i]);
        if (s->flags & REPLAY_ACK && links[1 - s->direction].before && !l->before)
            confirm(p, k, &links[1 - s->direction], s->ack, p->segments[i].sent_ns);
    }
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        end(p, k, &links[d]);
}

void wire_fini(struct wire *p)
{
    g_clear_pointer(&p->segments, g_free);
}

guint wire_find(const struct wire *p, uint64_t frame)
{
    guint low = 0, high = p->connection->segments_kept->len;

    while (low < high) {
        guint mid = low + (high - low) / 2;

        if (wire_seen(p, mid)->frame < frame)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
