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
};

int64_t wire_serialisation_ns(const struct calibration *k, enum replay_direction d, int64_t ip_bytes)
{
    return (int64_t)((double)network_counted_bytes(k->counts, ip_bytes) * 8e9 / calibration_rate_bps(k, d));
}

static void before_link(const struct wire *p, struct link_state *l, const struct replay_segment *s,
                        int64_t serialisation, struct wire_segment *out)
{
    int64_t start = MAX(s->time_ns, l->free_ns);

    out->sent_ns = s->time_ns;
    out->queued = start > s->time_ns;
    l->free_ns = start + serialisation;
    out->arrived_ns = l->free_ns + p->one_way_ns;
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
        .budget = k->side[d].packets_per_ms.known ? (int64_t)k->side[d].packets_per_ms.value : 0,
        .phase_ns = k->side[d].budget_phase_ns,
        .ms = INT64_MIN / 2,
    };
    if (w->point == REPLAY_POINT_MIDDLE)
        l->shift_ns = MAX(d == REPLAY_UP ? tcp->server_half_ns : tcp->client_half_ns, 0) / 2;
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
        .point = k->point == REPLAY_POINT_UNKNOWN ? REPLAY_POINT_CLIENT : k->point,
    };
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        begin(&links[d], p, k, d);
    for (guint i = 0; i < count; i++) {
        const struct replay_segment *s = wire_seen(p, i);
        struct link_state *l = &links[s->direction];
        int64_t serialisation = wire_serialisation_ns(k, s->direction, s->ip_bytes);

        if (l->before)
            before_link(p, l, s, serialisation, &p->segments[i]);
        else
            behind_link(p, l, s, serialisation, &p->segments[i]);
    }
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
