#include "sim/tcp.h"

static struct tcp_segment *segment(const struct tcp *t, size_t i)
{
    return ring_at(&t->segments, i);
}

static uint64_t segment_end(const struct tcp_segment *s)
{
    return s->start + s->length;
}

/* ---- sending -------------------------------------------------------------------------------------------------- */

static void transmit(struct tcp *t, struct tcp_segment *s, int flags)
{
    struct packet p = {
        .seq = s->start,
        .payload_bytes = s->length,
        .ip_bytes = t->header_bytes + s->length,
        .flags = (uint8_t)(PACKET_ACK | flags),
        .connection = t->connection,
        .sent_ns = t->queue->now_ns,
    };

    s->sent_ns = p.sent_ns;
    tcp_loss_note_sent(t, s);
    t->last_data_sent_ns = p.sent_ns;
    t->prr_out++;
    tcp_recv_stamp(t, &p);
    t->path.send(t->path.owner, &p);
}

static void retransmit(struct tcp *t, size_t i)
{
    struct tcp_segment *s = segment(t, i);

    t->retransmitted += !(s->flags & TCP_RETRANSMITTED);
    s->flags |= TCP_RETRANSMITTED | TCP_EVER_RETRANSMITTED;
    tcp_undo_note_repair(t);
    transmit(t, s, PACKET_RETRANSMISSION);
}

static bool next_lost(struct tcp *t, size_t *index)
{
    if (!t->lost)
        return false;
    for (; t->loss_hint < t->segments.count; t->loss_hint++) {
        const struct tcp_segment *s = segment(t, t->loss_hint);

        if (s->flags & TCP_LOST && !(s->flags & TCP_RETRANSMITTED)) {
            *index = t->loss_hint;
            return true;
        }
    }
    return false;
}

/* Payload of the next new segment, 0 when nothing may go. */
static uint32_t next_new(const struct tcp *t)
{
    uint64_t ready = t->write_end - t->nxt;
    uint32_t length = (uint32_t)MIN(ready, t->mss);

    if (!length || t->nxt + length > t->peer_edge)
        return 0; /* RFC 9293 3.8.6.2.1: no segment is cut to fit the window */
    /* RFC 9293 3.7.4, Nagle: a partial segment waits while anything is unacknowledged. */
    if (t->profile->nagle && length < t->mss && t->segments.count)
        return 0;
    return length;
}

static void send_new(struct tcp *t, uint32_t length)
{
    struct tcp_segment *s = ring_push(&t->segments);

    *s = (struct tcp_segment){.start = t->nxt, .length = length};
    t->nxt += length;
    transmit(t, s, 0);
}

/* Remembers whether the window was the limit: only then may it grow (RFC 7661's concern, in Linux's form). */
static void note_usage(struct tcp *t, bool limited)
{
    uint32_t out = (uint32_t)t->segments.count;

    if (t->una >= t->cwnd_usage_end || limited || (!t->cwnd_limited && out > t->max_in_flight)) {
        t->cwnd_limited = limited;
        t->max_in_flight = out;
        t->cwnd_usage_end = t->nxt;
    }
}

void tcp_push(struct tcp *t)
{
    bool sent = false, was_empty = t->segments.count == 0;
    uint32_t length;
    size_t i;

    if (t->state != TCP_ESTABLISHED)
        return;
    while (tcp_in_flight(t) < t->cc.cwnd) {
        if (!t->frto_probing && next_lost(t, &i))
            retransmit(t, i);
        else if ((length = next_new(t)) > 0)
            send_new(t, length);
        else
            break;
        sent = true;
    }
    if (sent || tcp_in_flight(t) >= t->cc.cwnd)
        note_usage(t, tcp_in_flight(t) >= t->cc.cwnd);
    if (sent && (was_empty || !t->timer_on || t->timer_is_probe))
        tcp_timer_arm(t);
}

/* RFC 2861 in Linux's form: the window halves for each RTO of silence, and the threshold remembers it. */
static void restart_after_idle(struct tcp *t)
{
    int64_t idle = t->queue->now_ns - t->last_data_sent_ns;
    uint32_t floor = MIN((uint32_t)t->profile->initial_window, t->cc.cwnd);

    if (t->profile->idle_restart && idle > t->rto_ns) {
        t->cc.ssthresh = MAX(t->cc.ssthresh, t->cc.cwnd - t->cc.cwnd / 4);
        while ((idle -= t->rto_ns) > 0 && t->cc.cwnd > floor)
            t->cc.cwnd /= 2;
        t->cc.cwnd = MAX(t->cc.cwnd, floor);
    }
}

void tcp_write(struct tcp *t, uint32_t bytes, uint64_t cookie, const struct waits *waits)
{
    struct tcp_message *m;

    g_assert(bytes > 0);
    if (t->nxt == t->write_end && !t->segments.count && t->write_end > 0) {
        restart_after_idle(t);
        t->cc_ops->on_restart(&t->cc, t->queue->now_ns, t->queue->now_ns - t->last_data_sent_ns);
    }
    t->write_end += bytes;
    m = ring_push(&t->messages);
    *m = (struct tcp_message){
        .end = t->write_end, .write_ns = t->queue->now_ns, .cookie = cookie, .at_write = *waits};
    tcp_push(t);
}

/* ---- loss recovery ---------------------------------------------------------------------------------------------- */

/* The first lost segment, whatever the window says. */
static void retransmit_at_once(struct tcp *t)
{
    size_t i;

    if (next_lost(t, &i))
        retransmit(t, i);
}

void tcp_enter_recovery(struct tcp *t)
{
    tcp_undo_arm(t);
    t->recovery = TCP_RECOVERY;
    t->recovery_end = t->nxt;
    t->prior_cwnd = t->cc.cwnd;
    t->cc.ssthresh = t->cc_ops->ssthresh(&t->cc);
    t->cc.counter = 0;
    t->prr_delivered = t->prr_out = 0;
    t->probe_sent = false;
    /* RFC 6937 leads the window to the threshold; RFC 6675 sets it at once, and the first retransmission goes regardless. */
    t->cc.cwnd = t->profile->prr ? tcp_in_flight(t) + 1 : t->cc.ssthresh;
    if (!t->profile->prr)
        retransmit_at_once(t);
}

static void enter_loss(struct tcp *t)
{
    t->frto = t->profile->frto && t->sack_on;
    t->frto_probing = false;
    if (t->recovery != TCP_LOSS || t->una >= t->recovery_end) {
        if (t->recovery == TCP_OPEN)
            tcp_undo_arm(t);
        t->cc.ssthresh = t->recovery == TCP_OPEN ? t->cc_ops->ssthresh(&t->cc) : t->cc.ssthresh;
        t->recovery_end = t->nxt;
    }
    t->recovery = TCP_LOSS;
    t->cc.counter = 0;
    t->duplicate_acks = 0;
    t->probe_sent = false;
    t->cc_ops->on_timeout(&t->cc);
    tcp_loss_mark_all(t);
    t->cc.cwnd = tcp_in_flight(t) + 1;
    t->backoff++;
}

/* RFC 8985 7.3: new data when there are any, else the last segment again. */
static void send_probe(struct tcp *t)
{
    uint32_t length = next_new(t);

    t->probe_sent = true;
    t->probe_was_new = length > 0;
    if (length)
        send_new(t, length);
    else
        retransmit(t, t->segments.count - 1);
    t->probe_end = t->nxt;
}

void tcp_on_timer(struct tcp *t)
{
    if (!t->segments.count)
        return;
    if (t->timer_is_probe) {
        send_probe(t);
    } else {
        enter_loss(t);
        tcp_push(t);
    }
    tcp_timer_arm(t);
}

/* RFC 6937. `fresh_loss`: this ACK has shown another loss. */
static void proportional_rate(struct tcp *t, uint32_t delivered, bool advanced, bool fresh_loss)
{
    uint32_t flight = tcp_in_flight(t), allowed;
    int64_t room = (int64_t)t->cc.ssthresh - flight;

    t->prr_delivered += delivered;
    if (room < 0) {
        uint64_t due = ((uint64_t)t->cc.ssthresh * t->prr_delivered + t->prior_cwnd - 1) / t->prior_cwnd;

        allowed = due > t->prr_out ? (uint32_t)due - t->prr_out : 0;
    } else {
        int64_t owed = MAX((int64_t)t->prr_delivered - t->prr_out, (int64_t)delivered);

        allowed = (uint32_t)MIN(owed + (advanced && !fresh_loss), room);
    }
    if (!t->prr_out)
        allowed = MAX(allowed, 1);
    t->cc.cwnd = flight + allowed;
}

static void leave_recovery(struct tcp *t)
{
    t->recovery = TCP_OPEN;
    t->cc.cwnd = t->cc.ssthresh;
    t->duplicate_acks = 0;
    if (t->reorder_persist && --t->reorder_persist == 0)
        t->reorder_steps = 1;
}

static void leave_loss(struct tcp *t)
{
    t->recovery = TCP_OPEN;
    t->frto = t->frto_probing = false;
}

/* ---- acknowledgements --------------------------------------------------------------------------------------------- */

struct ack_news {
    uint32_t covered;                    /* segments newly covered by the cumulative ACK */
    uint32_t acked;                      /* of those, the ones that no ACK had reported before */
    uint32_t delivered;                  /* segments newly reported, cumulatively or not */
    uint32_t sacked;                     /* newly SACKed */
    int64_t first_sent_ns, last_sent_ns; /* of those never sent twice; -1: none */
    bool advanced, duplicate, repaired;  /* repaired: a segment sent twice is among them */
    int64_t repair_sent_ns; /* last transmission of the first covered one, when sent twice; else -1 */
};

static void take_acked(struct tcp *t, uint64_t ack, struct ack_news *news)
{
    while (t->segments.count) {
        const struct tcp_segment *s = segment(t, 0);

        if (segment_end(s) > ack)
            break;
        news->covered++;
        news->acked += !(s->flags & TCP_SACKED);
        if (!(s->flags & TCP_SACKED))
            tcp_loss_note_delivered(t, s);
        if (t->frto || s->start < t->sacked_end)
            tcp_loss_note_order(t, s, t->sacked_end);
        if (s->flags & TCP_EVER_RETRANSMITTED) {
            news->repaired = true;
            if (news->covered == 1)
                news->repair_sent_ns = s->sent_ns;
        } else if (!(s->flags & TCP_SACKED)) {
            if (news->first_sent_ns < 0)
                news->first_sent_ns = s->sent_ns;
            news->last_sent_ns = s->sent_ns;
        }
        t->sacked -= (s->flags & TCP_SACKED) != 0;
        t->lost -= (s->flags & TCP_LOST) != 0;
        t->retransmitted -= (s->flags & TCP_RETRANSMITTED) != 0;
        t->loss_hint -= t->loss_hint > 0;
        ring_pop(&t->segments);
    }
    t->una = ack;
    tcp_loss_forget_acked(t);
}

/* Without SACK a duplicate ACK tells of one segment delivered, which the ACK that covers it must not count again. */
static void count_duplicate(struct tcp *t, const struct packet *p, struct ack_news *news)
{
    if (t->sack_on)
        return;
    if (news->advanced) {
        /* A partial ACK: all but the hole itself had been counted as duplicates. */
        uint32_t counted =
            t->recovery == TCP_RECOVERY && news->covered ? news->covered - 1 : t->duplicate_acks;

        counted = MIN(t->duplicate_acks, counted);
        t->duplicate_acks -= counted;
        news->acked -= MIN(news->acked, counted);
    } else if (p->ack == t->una && !p->payload_bytes && t->segments.count) {
        t->duplicate_acks++;
        news->delivered++;
        news->duplicate = true;
    }
}

/* RFC 8985 7.4: a probe that was needed shows a loss, which costs one reduction. */
static void judge_probe(struct tcp *t, const struct packet *p)
{
    if (!t->probe_sent || p->ack < t->probe_end)
        return;
    if (t->probe_was_new || p->flags & PACKET_DUPLICATE) {
        t->probe_sent = false;
    } else if (p->ack > t->probe_end) {
        t->probe_sent = false;
        t->cc.ssthresh = t->cc_ops->ssthresh(&t->cc);
        t->cc.cwnd = t->cc.ssthresh;
    }
}

static bool may_grow(const struct tcp *t)
{
    if (t->recovery == TCP_LOSS)
        return true;
    if (t->cc.cwnd < t->cc.ssthresh && t->cc.cwnd < 2 * t->max_in_flight)
        return true;
    return t->cwnd_limited;
}

static void sample_rtt(struct tcp *t, const struct ack_news *news)
{
    struct tcp_cc_ack ack = {t->queue->now_ns, news->acked, -1, t->una, t->nxt};

    /* Karn, RFC 6298 3: which of two transmissions is meant isn't known, and what came behind has waited for the repair. An
     * echoed timestamp tells (RFC 7323 4.1); were it the first one's, the time since the last would be too short. */
    if (news->repaired && t->timestamps_on && news->repair_sent_ns >= 0 &&
        ack.now_ns - news->repair_sent_ns >= t->min_rtt_ns)
        tcp_rtt_sample(t, ack.now_ns - news->repair_sent_ns);
    if (news->first_sent_ns < 0 || news->repaired)
        return;
    tcp_rtt_sample(t, ack.now_ns - news->first_sent_ns);
    ack.rtt_ns = ack.now_ns - news->last_sent_ns;
    t->cc_ops->on_rtt(&t->cc, &ack);
}

static void control_window(struct tcp *t, const struct ack_news *news, uint32_t fresh_lost)
{
    if (t->recovery == TCP_RECOVERY && t->una >= t->recovery_end)
        leave_recovery(t);
    if (t->recovery == TCP_LOSS && t->una >= t->recovery_end)
        leave_loss(t);
    if (t->recovery == TCP_OPEN && fresh_lost)
        tcp_enter_recovery(t);
    if (t->recovery == TCP_RECOVERY) {
        if (t->profile->prr)
            proportional_rate(t, news->delivered, news->advanced, fresh_lost > 0);
        else if (fresh_lost && !t->sack_on)
            retransmit_at_once(t); /* RFC 6582 3.2: a partial ACK shows the next hole */
    } else if (news->advanced && may_grow(t)) {
        struct tcp_cc_ack ack = {t->queue->now_ns, news->acked, -1, t->una, t->nxt};

        t->cc_ops->grow(&t->cc, &ack);
    }
}

static void consider_undo(struct tcp *t, const struct packet *p, const struct ack_news *news)
{
    if (tcp_undo_try(t, p, news->advanced) ||
        (t->recovery == TCP_LOSS &&
         tcp_undo_after_timeout(t, news->advanced, news->sacked || news->duplicate)))
        t->recovery = TCP_OPEN;
}

static void take_ack(struct tcp *t, const struct packet *p)
{
    struct ack_news news = {
        .first_sent_ns = -1, .last_sent_ns = -1, .repair_sent_ns = -1, .advanced = p->ack > t->una};
    uint32_t fresh_lost;

    t->original_delivered = false;
    if (news.advanced)
        take_acked(t, p->ack, &news);
    if (p->flags & PACKET_DUPLICATE)
        tcp_undo_dsack(t, p);
    if (p->sack_count)
        news.sacked = tcp_loss_sack(t, p);
    news.delivered += news.sacked;
    count_duplicate(t, p, &news);
    news.delivered += news.acked;
    if (news.advanced)
        sample_rtt(t, &news);
    judge_probe(t, p);
    if (t->undo.armed && (t->recovery != TCP_OPEN || !t->undo.repairs))
        consider_undo(t, p, &news);
    fresh_lost = tcp_loss_detect(t);
    if (news.advanced || news.delivered || fresh_lost)
        control_window(t, &news, fresh_lost);
    if (news.advanced)
        tcp_timer_arm(t);
    tcp_push(t);
}

void tcp_on_ack(struct tcp *t, const struct packet *p)
{
    if (p->ack < t->una)
        return; /* overtaken by a later one */
    t->peer_edge = MAX(t->peer_edge, p->ack + p->window_bytes);
    if (p->ack > t->una || p->sack_count || t->segments.count || t->nxt < t->write_end)
        take_ack(t, p); /* else nothing of ours is out or waits */
}
