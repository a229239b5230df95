#include "sim/tcp.h"
#include "base/units.h"

static const int64_t RTO_WITHOUT_SAMPLE_NS = 3 * NS_PER_S;

static void delack_fired(void *owner)
{
    struct tcp *t = owner;

    if (!t->delack_on)
        return;
    if (t->delack_due_ns > t->queue->now_ns) {
        event_schedule(t->queue, &t->delack, t->delack_due_ns);
        return;
    }
    t->ping_pong = false; /* the application did not answer in time */
    tcp_send_ack(t);
}

/* What the MTU holds, but no more than half of a window that the peer could open (RFC 9293 3.8.6.2.1): a segment that never fits would
 * never be sent. */
static uint32_t full_segment(const struct tcp_setup *setup, uint32_t options)
{
    int64_t mss = setup->mtu_bytes - setup->ip_header_bytes - 20 - options;

    return (uint32_t)CLAMP(tcp_profile_largest_window(setup->peer_profile) / 2, 1, mss);
}

/* Linux reckons its first window in these: a SYN's without the options that its segments will have. */
static uint32_t offered_mss(const struct tcp_setup *setup, uint32_t options)
{
    return (uint32_t)setup->mtu_bytes - setup->ip_header_bytes - 20 - (setup->initiator ? 0 : options);
}

static bool offers_scale(const struct tcp_profile *p)
{
    return p->window_scaling && p->autotuning != TCP_WINDOW_DISABLED;
}

struct tcp_offer tcp_offer_of(const struct tcp_profile *own, const struct tcp_profile *peer, bool initiator)
{
    return (struct tcp_offer){
        .timestamps = own->timestamps && (initiator || peer->timestamps),
        .sack = own->sack && (initiator || peer->sack),
        .window_scaling = offers_scale(initiator ? own : peer),
    };
}

uint32_t tcp_offer_bytes(const struct tcp_offer *offer)
{
    return 4U + (offer->timestamps ? 12U : offer->sack ? 4U : 0U) + (offer->window_scaling ? 4U : 0U);
}

void tcp_init(struct tcp *t, const struct tcp_setup *setup)
{
    const struct tcp_profile *p = setup->profile;
    bool timestamps = p->timestamps && setup->peer_profile->timestamps;
    uint32_t options = timestamps ? 12 : 0;
    struct tcp_offer offer = tcp_offer_of(p, setup->peer_profile, setup->initiator);

    *t = (struct tcp){
        .queue = setup->queue,
        .path = setup->path,
        .profile = p,
        .connection = setup->connection,
        .header_bytes = setup->ip_header_bytes + 20 + options,
        .mss = full_segment(setup, options),
        .syn_bytes = setup->ip_header_bytes + 20 + tcp_offer_bytes(&offer),
        .sack_on = p->sack && setup->peer_profile->sack,
        .timestamps_on = timestamps,
        .quick_acks = (uint32_t)p->quick_acks,
        .cc_ops = tcp_cc_find(p->congestion),
        .last_data_received_ns = INT64_MIN / 2,
        .reorder_steps = 1,
    };
    t->cc.cwnd = (uint32_t)p->initial_window;
    t->cc.ssthresh = TCP_CC_NO_THRESHOLD;
    t->cc.growth_limit = (uint32_t)p->growth_limit;
    t->cc.slow_start_exit = p->slow_start_exit;
    t->cc_ops->init(&t->cc);
    tcp_window_init(t, offer.window_scaling, offered_mss(setup, options));
    ring_init(&t->messages, sizeof(struct tcp_message));
    ring_init(&t->segments, sizeof(struct tcp_segment));
    ring_init(&t->transmissions, sizeof(struct tcp_transmission));
    tcp_rtt_init(t);
    event_init(&t->timer, tcp_timer_fired, t);
    event_init(&t->reorder_timer, tcp_loss_reorder_timer, t);
    event_init(&t->delack, delack_fired, t);
}

void tcp_fini(struct tcp *t)
{
    ring_fini(&t->messages);
    ring_fini(&t->segments);
    ring_fini(&t->transmissions);
    g_clear_pointer(&t->held, g_free);
}

static void send_syn(struct tcp *t)
{
    struct packet p = {
        .ip_bytes = t->syn_bytes,
        .flags = PACKET_SYN,
        .connection = t->connection,
        .sent_ns = t->queue->now_ns,
        .echo_ns = t->recent_ns,
        .window_bytes = tcp_window_of_syn(t),
    };

    if (t->state == TCP_SYN_RECEIVED)
        p.flags |= PACKET_ACK;
    if (t->handshake_tries++ == 0)
        t->first_syn_ns = p.sent_ns;
    t->syn_sent_ns = p.sent_ns;
    t->path.send(t->path.owner, &p);
    /* RFC 6298 5.5: doubled with each expiry. */
    t->timer_on = true;
    t->timer_due_ns = p.sent_ns + (t->profile->initial_rto_ns << MIN(t->handshake_timeouts, 6U));
    if (!event_is_pending(&t->timer) || t->timer.due_ns > t->timer_due_ns)
        event_schedule(t->queue, &t->timer, t->timer_due_ns);
}

void tcp_connect(struct tcp *t)
{
    g_assert(t->state == TCP_CLOSED);
    t->is_client = true;
    t->state = TCP_SYN_SENT;
    send_syn(t);
}

static void handshake_timeout(struct tcp *t)
{
    t->handshake_timeouts++;
    send_syn(t);
}

void tcp_timer_fired(void *owner)
{
    struct tcp *t = owner;

    if (!t->timer_on)
        return;
    if (t->timer_due_ns > t->queue->now_ns) {
        event_schedule(t->queue, &t->timer, t->timer_due_ns);
        return;
    }
    t->timer_on = false;
    if (t->state == TCP_ESTABLISHED)
        tcp_on_timer(t);
    else
        handshake_timeout(t);
}

/* Which of several SYNs is answered the echoed timestamp tells, to the client; a server goes without a sample. */
static void sample_handshake(struct tcp *t, const struct packet *p)
{
    if (t->handshake_tries == 1)
        tcp_rtt_sample(t, t->queue->now_ns - t->syn_sent_ns);
    else if (t->is_client && t->timestamps_on)
        tcp_rtt_sample(t, t->queue->now_ns - p->echo_ns);
    else
        t->rto_ns = MAX(t->rto_ns, RTO_WITHOUT_SAMPLE_NS); /* RFC 6298 5.7 */
}

static void established(struct tcp *t, const struct packet *p)
{
    t->state = TCP_ESTABLISHED;
    t->timer_on = false;
    sample_handshake(t, p);
    if (t->handshake_timeouts > (uint32_t)t->profile->forgiven_syns)
        t->cc.cwnd = 1;
    if (t->on_established)
        t->on_established(t->owner);
}

/* Returns whether the packet needs no more than the handshake's attention. */
static bool handshake(struct tcp *t, const struct packet *p)
{
    switch (t->state) {
    case TCP_CLOSED:
        if (p->flags & PACKET_SYN) {
            t->state = TCP_SYN_RECEIVED;
            t->recent_ns = p->sent_ns;
            t->syn_way_ns = t->queue->now_ns - p->sent_ns;
            t->peer_edge = p->window_bytes;
            send_syn(t);
        }
        return true;
    case TCP_SYN_SENT:
        if ((p->flags & (PACKET_SYN | PACKET_ACK)) == (PACKET_SYN | PACKET_ACK)) {
            t->peer_edge = p->window_bytes;
            t->recent_ns = p->sent_ns;
            t->syn_sent_ns = p->sent_ns - t->peer->syn_way_ns;
            established(t, p);
            tcp_send_ack_unless_sent(t);
        }
        return true;
    case TCP_SYN_RECEIVED:
        if (p->flags & PACKET_SYN) {
            send_syn(t);
            return true;
        }
        established(t, p);
        return false;
    default:
        if (p->flags & PACKET_SYN)
            tcp_send_ack(t); /* our last ACK of the handshake was lost */
        return (p->flags & PACKET_SYN) != 0;
    }
}

void tcp_receive(struct tcp *t, const struct packet *p)
{
    if (t->state != TCP_ESTABLISHED || p->flags & PACKET_SYN) {
        if (handshake(t, p))
            return;
    }
    if (p->seq <= t->acked_by_itself)
        t->recent_ns = MAX(t->recent_ns, p->sent_ns);
    tcp_on_ack(t, p);
    if (p->payload_bytes)
        tcp_on_data(t, p);
}
