#include "replay/tcp_measure.h"
#include "base/units.h"

#include <string.h>

enum { OUTLIER = 1 << 30 };

static const int64_t FAST_LIMIT_NS = 20 * NS_PER_MS;
static const int64_t DELAYED_ACK_LEAST_NS = 10 * NS_PER_MS, DELAYED_ACK_MOST_NS = 500 * NS_PER_MS;
static const int64_t REORDER_DEFAULT_NS = 3 * NS_PER_MS;

void tcp_measure_init(struct tcp_measure *m)
{
    memset(m, 0, sizeof *m);
    for (int d = 0; d < REPLAY_DIRECTIONS; d++) {
        m->syn_ns[d] = -1;
        m->facts.side[d].mss_bytes = -1;
        m->facts.side[d].window_scale = -1;
    }
    m->facts.handshake_rtt_ns = -1;
    m->facts.server_half_ns = -1;
    m->facts.client_half_ns = -1;
    m->facts.rtt_ns = -1;
}

/* ---- offsets -------------------------------------------------------------------------------------------------- */

/* The offset of a sequence number, taken as the one nearest to `near`. */
static int64_t unwrap(const struct tcp_stream *s, uint32_t seq, int64_t near)
{
    uint32_t near_seq = s->base + (uint32_t)(uint64_t)near;

    return near + (int32_t)(seq - near_seq);
}

static void number_from(struct tcp_stream *s, uint32_t base)
{
    if (!s->numbered) {
        s->numbered = true;
        s->base = base;
    }
}

/* ---- RTT samples ------------------------------------------------------------------------------------------------ */

static void outstanding_add(struct tcp_stream *s, int64_t end, int64_t time_ns)
{
    unsigned at = (s->ring_head + s->ring_count) % TCP_MEASURE_OUTSTANDING;

    if (s->ring_count ==
        TCP_MEASURE_OUTSTANDING) /* the newest matter least: they will be sampled another time */
        return;
    s->ring[at] = (struct tcp_outstanding){end, time_ns};
    s->ring_count++;
}

static void sample_half(struct replay_tcp *facts, enum replay_direction to, int64_t rtt_ns)
{
    int64_t *least = to == REPLAY_UP ? &facts->server_half_ns : &facts->client_half_ns;

    if (rtt_ns < 0)
        return;
    if (*least < 0 || rtt_ns < *least)
        *least = rtt_ns;
    if (to == REPLAY_UP)
        facts->server_half_samples++;
    else
        facts->client_half_samples++;
}

/* An ACK gives one sample: that of the last segment that it covers, for the others waited for their fellows. */
static void outstanding_acked(struct tcp_measure *m, enum replay_direction sender, int64_t ack,
                              int64_t time_ns)
{
    struct tcp_stream *s = &m->stream[sender];
    int64_t sent_ns = -1;

    while (s->ring_count > 0 && s->ring[s->ring_head].end <= ack) {
        sent_ns = s->ring[s->ring_head].time_ns;
        s->ring_head = (s->ring_head + 1) % TCP_MEASURE_OUTSTANDING;
        s->ring_count--;
    }
    if (sent_ns >= 0)
        sample_half(&m->facts, sender, time_ns - sent_ns);
}

/* ---- what kind of segment ----------------------------------------------------------------------------------------- */

static int64_t reorder_limit_ns(const struct tcp_measure *m)
{
    return m->facts.handshake_rtt_ns > 0 ? m->facts.handshake_rtt_ns : REORDER_DEFAULT_NS;
}

static bool left_later(const struct tcp_stream *own, const struct frame *f)
{
    if (f->ip_id && own->next_ip_id && f->ip_id != own->next_ip_id)
        return (int16_t)(uint16_t)(f->ip_id - own->next_ip_id) > 0;
    return f->timestamps && (int32_t)(f->timestamp - own->next_timestamp) > 0;
}

static uint16_t kind_of_repeat(const struct tcp_measure *m, const struct tcp_stream *own,
                               const struct tcp_stream *other, const struct frame *f,
                               const struct replay_segment *g, int64_t end)
{
    if (g->payload_bytes > 0 && other->acked && end <= other->ack)
        return REPLAY_RETRANSMISSION | REPLAY_SPURIOUS;
    if (other->acked && other->duplicates >= 2 && other->ack == g->offset &&
        g->time_ns - other->ack_ns < FAST_LIMIT_NS)
        return REPLAY_RETRANSMISSION | REPLAY_FAST;
    if (end != own->next && g->time_ns - own->next_ns < reorder_limit_ns(m))
        return left_later(own, f) ? REPLAY_OUT_OF_ORDER | REPLAY_RESENT : REPLAY_OUT_OF_ORDER;
    return REPLAY_RETRANSMISSION;
}

/* The answer to a keep-alive or a probe repeats the last ACK too, but says nothing of a loss. */
static bool is_duplicate_ack(const struct tcp_stream *own, const struct tcp_stream *other,
                             const struct frame *f, const struct replay_segment *g)
{
    return g->payload_bytes == 0 && (f->flags & (FRAME_SYN | FRAME_FIN | FRAME_RST)) == 0 && own->acked &&
           g->ack == own->ack && g->offset == own->next && f->window != 0 && f->window == own->window &&
           !other->probed;
}

static uint16_t classify(const struct tcp_measure *m, const struct tcp_stream *own,
                         const struct tcp_stream *other, const struct frame *f,
                         const struct replay_segment *g, int64_t end)
{
    bool control = (f->flags & (FRAME_SYN | FRAME_FIN | FRAME_RST)) != 0;
    uint16_t flags = 0;

    if (!own->sent)
        return 0;
    if (g->payload_bytes == 1 && g->offset == own->next && other->sent && other->window == 0)
        return REPLAY_WINDOW_PROBE;
    if (g->payload_bytes <= 1 && !control && g->offset == own->next - 1)
        return REPLAY_KEEP_ALIVE;
    if (g->offset > own->next && !(f->flags & FRAME_RST))
        flags |= REPLAY_AFTER_GAP;
    if (f->flags & FRAME_ACK && is_duplicate_ack(own, other, f, g))
        flags |= REPLAY_DUPLICATE_ACK;
    if (end > g->offset && g->offset < own->next)
        flags |= kind_of_repeat(m, own, other, f, g, end);
    return flags;
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

static void count_kind(struct replay_tcp_side *side, uint16_t flags)
{
    side->fast_retransmissions += (flags & REPLAY_FAST) != 0;
    side->spurious_retransmissions += (flags & REPLAY_SPURIOUS) != 0;
    side->out_of_order += (flags & REPLAY_OUT_OF_ORDER) != 0;
    side->resent += (flags & REPLAY_RESENT) != 0;
    side->duplicate_acks += (flags & REPLAY_DUPLICATE_ACK) != 0;
    side->keep_alives += (flags & REPLAY_KEEP_ALIVE) != 0;
    side->window_probes += (flags & REPLAY_WINDOW_PROBE) != 0;
    side->lost_segments += (flags & REPLAY_AFTER_GAP) != 0;
}

/* Counts, and remembers the first frame. */
static void count_at(uint64_t *count, uint64_t *first, const struct replay_segment *g)
{
    if ((*count)++ == 0)
        *first = g->frame;
}

static void count_segment(struct tcp_measure *m, enum replay_direction direction, const struct frame *f,
                          const struct replay_segment *g)
{
    struct replay_tcp_side *side = &m->facts.side[direction];

    side->packets++;
    side->ip_bytes += g->ip_bytes;
    if (g->payload_bytes > 0) {
        side->data_packets++;
        side->payload_bytes += g->payload_bytes;
        if (g->payload_bytes > side->largest_segment_bytes)
            side->largest_segment_bytes = g->payload_bytes;
    }
    if (f->flags & FRAME_ACK && g->window_bytes > side->window_max_bytes)
        side->window_max_bytes = g->window_bytes;
    if (f->window == 0 && !(f->flags & (FRAME_SYN | FRAME_FIN | FRAME_RST)))
        count_at(&side->zero_windows, &side->first_zero_window, g);
    if (g->flags & REPLAY_RETRANSMISSION)
        count_at(&side->retransmissions, &side->first_retransmission, g);
    count_kind(side, g->flags);
    m->sack_seen |= f->sack_blocks > 0;
    m->timestamps_seen |= f->timestamps && !(f->flags & FRAME_SYN);
}

static void note_syn(struct tcp_measure *m, enum replay_direction direction, const struct frame *f,
                     int64_t time_ns)
{
    struct replay_tcp_side *side = &m->facts.side[direction];
    enum replay_direction other = direction == REPLAY_UP ? REPLAY_DOWN : REPLAY_UP;

    side->mss_bytes = f->mss;
    side->window_scale = f->wscale;
    side->sack_permitted = f->sack_permitted;
    side->timestamps = f->timestamps;
    m->syn_ns[direction] = m->syn_seen[direction] ? -1 : time_ns;
    m->syn_seen[direction] = true;
    if (f->flags & FRAME_ACK && m->syn_seen[other]) {
        m->facts.handshake = true;
        if (m->syn_ns[other] >= 0 && m->syn_ns[direction] >= 0)
            sample_half(&m->facts, other, time_ns - m->syn_ns[other]);
    }
}

/* The ACK that completes the handshake, when no part of it was repeated. */
static void note_handshake_ack(struct tcp_measure *m, int64_t time_ns)
{
    int64_t syn = m->syn_ns[REPLAY_UP], syn_ack = m->syn_ns[REPLAY_DOWN];

    if (syn < 0 || syn_ack < 0 || m->facts.handshake_rtt_ns >= 0)
        return;
    if (time_ns >= syn)
        m->facts.handshake_rtt_ns = time_ns - syn;
    sample_half(&m->facts, REPLAY_DOWN, time_ns - syn_ack);
}

/* Both ends must have announced a scale for either to apply, RFC 7323, 2.2. */
static uint32_t scaled_window(const struct tcp_measure *m, enum replay_direction direction,
                              const struct frame *f)
{
    const struct replay_tcp_side *own = &m->facts.side[direction];
    const struct replay_tcp_side *other = &m->facts.side[direction == REPLAY_UP ? REPLAY_DOWN : REPLAY_UP];

    if (f->flags & FRAME_SYN || own->window_scale < 0 || other->window_scale < 0)
        return f->window;
    return (uint32_t)f->window << own->window_scale;
}

/* ---- one segment ----------------------------------------------------------------------------------------------------- */

static void advance_sender(struct tcp_stream *own, const struct frame *f, const struct replay_segment *g,
                           int64_t end)
{
    bool repeat = (g->flags & (REPLAY_RETRANSMISSION | REPLAY_OUT_OF_ORDER)) != 0;

    if (repeat)
        own->ring_count = 0; /* no telling what an ACK answers now */
    if (g->flags & REPLAY_WINDOW_PROBE)
        return;
    if (!own->sent || end > own->next) {
        if (g->payload_bytes > 0 && !repeat && own->sent)
            outstanding_add(own, end, g->time_ns);
        own->next = end;
        own->next_ns = g->time_ns;
        own->next_timestamp = f->timestamp;
        own->next_ip_id = f->ip_id;
    }
}

/* A pure ACK of all that was sent, long after the last of it: a timer's. RFC 1122, 4.2.3.2 allows it 500 ms. */
static void note_delayed_ack(struct replay_tcp_side *side, const struct tcp_stream *own,
                             const struct tcp_stream *other, const struct replay_segment *g)
{
    int64_t delay_ns = g->time_ns - other->next_ns;

    if (g->payload_bytes > 0 || g->flags & (REPLAY_SYN | REPLAY_FIN | REPLAY_RST) || !own->acked ||
        g->ack <= own->ack || g->ack != other->next || delay_ns < DELAYED_ACK_LEAST_NS ||
        delay_ns > DELAYED_ACK_MOST_NS)
        return;
    count_at(&side->delayed_acks, &side->first_delayed_ack, g);
    side->delayed_ack_ns += delay_ns;
}

static void advance_acks(struct tcp_measure *m, enum replay_direction direction, const struct frame *f,
                         const struct replay_segment *g)
{
    enum replay_direction sender = direction == REPLAY_UP ? REPLAY_DOWN : REPLAY_UP;
    struct tcp_stream *own = &m->stream[direction], *other = &m->stream[sender];

    if (!(f->flags & FRAME_ACK) || (other->sent && g->ack > other->next + OUTLIER))
        return;
    if (g->flags & REPLAY_DUPLICATE_ACK)
        own->duplicates++;
    else if (!own->acked || g->ack != own->ack)
        own->duplicates = 0;
    note_delayed_ack(&m->facts.side[direction], own, other, g);
    outstanding_acked(m, sender, g->ack, g->time_ns);
    if (other->sent && g->ack > other->next && g->ack > other->unseen) {
        m->facts.side[direction].unseen_acks++;
        other->unseen = g->ack;
    }
    own->acked = true;
    own->ack = g->ack;
    own->ack_ns = g->time_ns;
    if (direction == REPLAY_UP && !(f->flags & FRAME_SYN) && g->ack >= 0)
        note_handshake_ack(m, g->time_ns);
}

bool tcp_measure_segment(struct tcp_measure *m, enum replay_direction direction, const struct frame *f,
                         uint64_t number, int64_t time_ns, struct replay_segment *out)
{
    struct tcp_stream *own = &m->stream[direction];
    struct tcp_stream *other = &m->stream[direction == REPLAY_UP ? REPLAY_DOWN : REPLAY_UP];
    bool syn = (f->flags & FRAME_SYN) != 0;
    int64_t end;

    number_from(own, syn ? f->seq + 1 : f->seq);
    if (f->flags & FRAME_ACK)
        number_from(other, f->ack);
    memset(out, 0, sizeof *out);
    out->time_ns = time_ns;
    out->frame = number;
    out->direction = (uint8_t)direction;
    out->payload_bytes = f->payload_bytes;
    out->ip_bytes = f->ip_bytes;
    out->offset = unwrap(own, f->seq, own->sent ? own->next : 0);
    if (f->flags & FRAME_ACK)
        out->ack = unwrap(other, f->ack, other->sent ? other->next : 0);
    if (own->sent && (out->offset > own->next + OUTLIER || out->offset < own->next - OUTLIER))
        return false;
    end = out->offset + out->payload_bytes + syn + ((f->flags & FRAME_FIN) != 0);
    out->flags =
        (uint16_t)(syn * REPLAY_SYN | ((f->flags & FRAME_FIN) != 0) * REPLAY_FIN |
                   ((f->flags & FRAME_RST) != 0) * REPLAY_RST | ((f->flags & FRAME_ACK) != 0) * REPLAY_ACK);
    out->flags |= classify(m, own, other, f, out, end);
    if (syn)
        note_syn(m, direction, f, time_ns);
    out->window_bytes = scaled_window(m, direction, f);
    count_segment(m, direction, f, out);
    advance_sender(own, f, out, end);
    advance_acks(m, direction, f, out);
    own->sent = true;
    own->window = f->window;
    own->probed = (out->flags & (REPLAY_KEEP_ALIVE | REPLAY_WINDOW_PROBE)) != 0;
    return true;
}

/* ---- the whole connection ---------------------------------------------------------------------------------------------- */

void tcp_measure_swap(struct tcp_measure *m)
{
    struct tcp_stream stream = m->stream[REPLAY_UP];
    struct replay_tcp_side side = m->facts.side[REPLAY_UP];
    int64_t half = m->facts.server_half_ns;
    uint64_t samples = m->facts.server_half_samples;

    m->stream[REPLAY_UP] = m->stream[REPLAY_DOWN];
    m->stream[REPLAY_DOWN] = stream;
    m->facts.side[REPLAY_UP] = m->facts.side[REPLAY_DOWN];
    m->facts.side[REPLAY_DOWN] = side;
    m->facts.server_half_ns = m->facts.client_half_ns;
    m->facts.client_half_ns = half;
    m->facts.server_half_samples = m->facts.client_half_samples;
    m->facts.client_half_samples = samples;
}

/* An end that answers in a small part of the other's time is where the capture was taken. Below the time that a host
 * needs to answer at all, the halves tell nothing. */
static enum replay_capture_point point_of(int64_t client_ns, int64_t server_ns)
{
    const int64_t host_ns = 50 * NS_PER_US;
    const int64_t ratio = 4;

    if (client_ns < 0 || server_ns < 0 || (client_ns < host_ns && server_ns < host_ns))
        return REPLAY_POINT_UNKNOWN;
    if (client_ns < server_ns / ratio)
        return REPLAY_POINT_CLIENT;
    if (server_ns < client_ns / ratio)
        return REPLAY_POINT_SERVER;
    return REPLAY_POINT_MIDDLE;
}

void tcp_measure_finish(struct tcp_measure *m)
{
    struct replay_tcp *t = &m->facts;
    const struct replay_tcp_side *up = &t->side[REPLAY_UP], *down = &t->side[REPLAY_DOWN];

    t->window_scale_known = m->syn_seen[REPLAY_UP] && m->syn_seen[REPLAY_DOWN];
    t->sack = m->sack_seen || (up->sack_permitted && down->sack_permitted);
    t->timestamps = m->timestamps_seen || (up->timestamps && down->timestamps);
    t->rtt_ns = t->handshake_rtt_ns;
    if (t->server_half_ns >= 0 && t->client_half_ns >= 0) {
        int64_t sum = t->server_half_ns + t->client_half_ns;

        if (t->rtt_ns < 0 || sum < t->rtt_ns)
            t->rtt_ns = sum;
    }
    t->side[REPLAY_UP].delayed_acks_known = t->client_half_ns >= 0 && t->client_half_ns < NS_PER_MS;
    t->side[REPLAY_DOWN].delayed_acks_known = t->server_half_ns >= 0 && t->server_half_ns < NS_PER_MS;
    t->point = point_of(t->client_half_ns, t->server_half_ns);
}
