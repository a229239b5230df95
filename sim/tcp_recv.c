/* Receiver: order, acknowledgements, and the account of what the data waited for. */
#include "sim/tcp.h"
#include "base/units.h"

static const int64_t PING_PONG_NS = 40 * NS_PER_MS;

/* ---- acknowledging ---------------------------------------------------------------------------------------------- */

static void add_block(const struct tcp *t, struct packet *p, const struct tcp_range *r)
{
    int32_t *block = p->sack[p->sack_count++];

    block[0] = (int32_t)(r->start - t->rcv_nxt);
    block[1] = (int32_t)(r->end - t->rcv_nxt);
}

/* RFC 2883 4: what came twice; RFC 2018 4: then the block of the newest segment, then others. Data leave as much room as the MTU has: a full segment carries
 * none, and the ACK that each segment out of order gets at once has told the same. */
static void add_sack(struct tcp *t, struct packet *p)
{
    uint32_t left = t->mss - p->payload_bytes;
    unsigned room = left < 12 ? 0 : MIN((left - 4) / 8, PACKET_SACK_BLOCKS);

    if (!room)
        return;
    if (t->saw_duplicate) {
        p->flags |= PACKET_DUPLICATE;
        add_block(t, p, &t->duplicate);
    }
    for (size_t i = 0; i < t->held_count && p->sack_count < room; i++) {
        if (t->held[i].start <= t->last_held_start && t->last_held_start < t->held[i].end)
            add_block(t, p, &t->held[i]);
    }
    for (size_t i = t->held_count; i-- > 0 && p->sack_count < room;) {
        if (!(t->held[i].start <= t->last_held_start && t->last_held_start < t->held[i].end))
            add_block(t, p, &t->held[i]);
    }
    p->ip_bytes += 4 + 8U * p->sack_count;
}

void tcp_recv_stamp(struct tcp *t, struct packet *p)
{
    p->ack = t->acked_by_itself = t->rcv_nxt;
    p->echo_ns = t->recent_ns;
    p->window_bytes = t->window.advertised;
    if (G_UNLIKELY(t->held_count || t->saw_duplicate)) {
        if (t->sack_on)
            add_sack(t, p);
        t->saw_duplicate = false;
    }
    /* Answering within the delayed ACK's time makes later ACKs ride on answers. */
    if (p->payload_bytes && t->queue->now_ns - t->last_data_received_ns < PING_PONG_NS)
        t->ping_pong = true;
    t->unacked_bytes = 0;
    t->unacked_packets = 0;
    t->delack_on = false;
}

void tcp_send_ack(struct tcp *t)
{
    struct packet p = {
        .seq = t->nxt,
        .ip_bytes = t->header_bytes,
        .flags = PACKET_ACK,
        .connection = t->connection,
        .sent_ns = t->queue->now_ns,
    };

    t->quick_acks -= t->quick_acks > 0 && t->rcv_nxt > 0; /* the handshake's doesn't count */
    tcp_recv_stamp(t, &p);
    t->path.send(t->path.owner, &p);
}

void tcp_send_ack_unless_sent(struct tcp *t)
{
    if (t->nxt == 0)
        tcp_send_ack(t);
}

static void delay_ack(struct tcp *t)
{
    if (t->delack_on)
        return;
    t->delack_on = true;
    t->delack_due_ns = t->queue->now_ns + t->profile->delayed_ack_ns;
    if (!event_is_pending(&t->delack) || t->delack.due_ns > t->delack_due_ns)
        event_schedule(t->queue, &t->delack, t->delack_due_ns);
}

/* RFC 5681 4.2, with Linux's count by bytes (more than one full segment) where the system has it. */
static void acknowledge(struct tcp *t, bool at_once)
{
    bool enough = t->profile->ack_counts_bytes
                      ? t->unacked_bytes > (uint32_t)(t->profile->ack_every - 1) * t->peer->mss
                      : t->unacked_packets >= t->profile->ack_every;

    if (at_once || enough || (t->quick_acks && !t->ping_pong))
        tcp_send_ack(t);
    else
        delay_ack(t);
}

/* ---- attribution -------------------------------------------------------------------------------------------------- */

static const struct tcp_message *message_at(const struct tcp *t, uint64_t seq)
{
    const struct ring *messages = &t->peer->messages;

    for (size_t i = 0; i < messages->count; i++) {
        const struct tcp_message *m = ring_at(messages, i);

        if (m->end > seq)
            return m;
    }
    g_assert_not_reached();
}

static int64_t own_serialisation(const struct tcp *t, const struct packet *p)
{
    const struct tcp_path *path = &t->peer->path;

    return network_counted_bytes(path->counts, p->ip_bytes) * 8 * NS_PER_S / path->bottleneck_bps;
}

/* Charges the time since the account's last instant, or since the message was written, to what this segment waited for:
 * see DESIGN's breakdown. A segment that queued behind others of its burst waited for the link; one that was sent late
 * waited for the window, or for recovery when it had been lost; the first of a message waited for the path. */
static void account(struct tcp *t, const struct packet *p)
{
    int64_t now = t->queue->now_ns, gap = now - t->waits_ns;
    int64_t cap = MIN(p->cap_wait_ns, gap);
    int held = p->flags & PACKET_RETRANSMISSION ? WAIT_LOSS_RECOVERY : WAIT_TCP_WINDOW;
    int own = t->is_client ? WAIT_CLIENT : WAIT_SERVER, other = t->is_client ? WAIT_SERVER : WAIT_CLIENT;
    const struct tcp_message *m;

    if (p->flags & (PACKET_QUEUED | PACKET_SENDER_BUSY | PACKET_RECEIVER_BUSY) &&
        !(p->flags & PACKET_RETRANSMISSION)) {
        int limit = p->flags & PACKET_RECEIVER_BUSY ? own
                    : p->flags & PACKET_QUEUED      ? WAIT_TRANSMISSION
                                                    : other;

        t->waits.ns[WAIT_PACKET_CAP] += cap;
        t->waits.ns[limit] += gap - cap;
        t->waits_ns = now;
        return;
    }
    m = message_at(t, p->seq);
    if (p->sent_ns > m->write_ns && t->waits_ns >= m->write_ns + t->peer->path.propagation_ns) {
        int64_t sending = MIN(gap - cap, own_serialisation(t, p));

        t->waits.ns[WAIT_PACKET_CAP] += cap;
        t->waits.ns[WAIT_TRANSMISSION] += sending;
        t->waits.ns[held] += gap - cap - sending;
    } else {
        t->waits = m->at_write;
        t->waits.ns[held] += p->sent_ns - m->write_ns;
        t->waits.ns[WAIT_ROUND_TRIPS] += t->peer->path.propagation_ns;
        t->waits.ns[WAIT_PACKET_CAP] += p->cap_wait_ns;
        t->waits.ns[own] += p->receiver_ns;
        t->waits.ns[other] += p->sender_ns;
        t->waits.ns[WAIT_TRANSMISSION] +=
            now - p->sent_ns - t->peer->path.propagation_ns - p->cap_wait_ns - p->receiver_ns - p->sender_ns;
    }
    t->waits_ns = now;
}

/* ---- order ---------------------------------------------------------------------------------------------------------- */

static void remove_held(struct tcp *t, size_t first, size_t count)
{
    memmove(t->held + first, t->held + first + count, (t->held_count - first - count) * sizeof *t->held);
    t->held_count -= count;
}

/* Merges [start, end) into the held ranges. False when it was there already. */
static bool hold(struct tcp *t, uint64_t start, uint64_t end)
{
    size_t first = 0, last;

    while (first < t->held_count && t->held[first].end < start)
        first++;
    last = first;
    if (first < t->held_count && t->held[first].start <= start && end <= t->held[first].end)
        return false;
    while (last < t->held_count && t->held[last].start <= end) {
        start = MIN(start, t->held[last].start);
        end = MAX(end, t->held[last].end);
        last++;
    }
    if (last > first) {
        t->held[first] = (struct tcp_range){start, end};
        remove_held(t, first + 1, last - first - 1);
        return true;
    }
    if (t->held_count == t->held_capacity) {
        t->held_capacity = MAX(16, 2 * t->held_capacity);
        t->held = g_renew(struct tcp_range, t->held, t->held_capacity);
    }
    memmove(t->held + first + 1, t->held + first, (t->held_count - first) * sizeof *t->held);
    t->held[first] = (struct tcp_range){start, end};
    t->held_count++;
    return true;
}

static void advance(struct tcp *t, uint64_t end)
{
    t->rcv_nxt = end;
    if (t->held_count && t->held[0].start <= t->rcv_nxt) {
        t->rcv_nxt = MAX(t->rcv_nxt, t->held[0].end);
        remove_held(t, 0, 1);
    }
}

static bool deliver(struct tcp *t)
{
    bool any = false;

    while (t->peer->messages.count) {
        struct tcp_message m = *(struct tcp_message *)ring_at(&t->peer->messages, 0);

        if (m.end > t->rcv_nxt)
            break;
        ring_pop(&t->peer->messages);
        any = true;
        t->on_message(t->owner, m.cookie, &t->waits);
    }
    return any;
}

static void duplicate(struct tcp *t, const struct packet *p)
{
    t->saw_duplicate = t->profile->dsack;
    t->duplicate = (struct tcp_range){p->seq, p->seq + p->payload_bytes};
    t->quick_acks = MAX(t->quick_acks, (uint32_t)t->profile->quick_acks);
    tcp_send_ack(t);
}

void tcp_on_data(struct tcp *t, const struct packet *p)
{
    uint64_t end = p->seq + p->payload_bytes;
    bool holes = t->held_count > 0, message;

    if (end <= t->rcv_nxt) {
        duplicate(t, p);
        return;
    }
    if (p->seq > t->rcv_nxt) {
        if (!hold(t, p->seq, end)) {
            duplicate(t, p);
            return;
        }
        account(t, p);
        t->last_held_start = p->seq;
        t->last_data_received_ns = t->queue->now_ns;
        tcp_send_ack(t); /* RFC 5681 4.2: out of order, at once */
        return;
    }
    account(t, p);
    advance(t, end);
    t->unacked_bytes += p->payload_bytes;
    t->unacked_packets++;
    t->last_data_received_ns = t->queue->now_ns;
    if (t->window.advertised < t->window.largest)
        tcp_window_opens(t, p);
    acknowledge(t, holes);
    if (t->window.clamp < t->window.largest)
        tcp_window_read(t);
    message = deliver(t);
    /* The application's read empties the queue: outside request and answer, that sends the ACK. */
    if (message && t->delack_on && !t->ping_pong && t->profile->quick_acks)
        tcp_send_ack(t);
}
