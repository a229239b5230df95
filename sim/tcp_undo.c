/* Reductions of the window that were needless, because what seemed lost was late: how they are found out and taken back.
 *
 * Linux takes the last one back when DSACKs have reported every repair of it as a duplicate (RFC 3708), or when an ACK in recovery echoes a
 * timestamp from before the first repair (Eifel, RFC 3522). After a timeout F-RTO (RFC 5682, the form with SACK) looks whether data that
 * were sent once arrive all the same; if the first ACK can't tell, it sends new data instead of repairs and looks at the next one.
 * Once the path has been seen to reorder, a DSACK also makes RACK wait longer for what is late: RFC 8985 6.2 step 4. */
#include "sim/tcp.h"

enum { STEPS_HELD = 16, MOST_STEPS = 255 };

void tcp_undo_arm(struct tcp *t)
{
    t->undo = (struct tcp_undo){
        .armed = true,
        .marker = t->una,
        .repairs = t->retransmitted ? (int32_t)t->retransmitted : -1,
        .cwnd = t->cc.cwnd,
        .ssthresh = MAX(t->cc.ssthresh, t->cc.cwnd - t->cc.cwnd / 4),
    };
}

void tcp_undo_note_repair(struct tcp *t)
{
    if (!t->undo.armed)
        return;
    t->undo.repairs = MAX(t->undo.repairs, 0) + 1;
    if (!t->undo.first_repair_ns)
        t->undo.first_repair_ns = t->queue->now_ns;
}

static void wait_longer(struct tcp *t)
{
    if (!t->reordering_seen || t->una < t->reorder_round_end)
        return; /* at most one step a round trip */
    t->reorder_steps = MIN(t->reorder_steps + 1, MOST_STEPS);
    t->reorder_persist = STEPS_HELD;
    t->reorder_round_end = t->nxt;
}

void tcp_undo_dsack(struct tcp *t, const struct packet *p)
{
    uint64_t end = p->ack + (uint64_t)(int64_t)p->sack[0][1];
    bool of_probe = t->probe_sent && end == t->probe_end;

    if (!t->profile->undo || of_probe)
        return;
    if (t->undo.armed && t->undo.repairs > 0 && end > t->undo.marker)
        t->undo.repairs--;
    wait_longer(t);
}

static void take_back(struct tcp *t)
{
    t->cc.cwnd = MAX(t->cc.cwnd, t->undo.cwnd);
    t->cc.ssthresh = MAX(t->cc.ssthresh, t->undo.ssthresh);
    t->undo.armed = false;
    t->frto = t->frto_probing = false;
    t->duplicate_acks = 0;
}

/* The rest of what was held for lost is late, too; the timeout finds what isn't. */
static void unmark_lost(struct tcp *t)
{
    for (size_t i = 0; t->lost && i < t->segments.count; i++) {
        struct tcp_segment *s = ring_at(&t->segments, i);

        t->lost -= (s->flags & TCP_LOST) != 0;
        s->flags &= (uint8_t)~TCP_LOST;
    }
}

/* Eifel: the ACK was sent for an original. */
static bool is_of_original(const struct tcp *t, const struct packet *p)
{
    return t->recovery != TCP_OPEN && t->timestamps_on && p->echo_ns < t->undo.first_repair_ns;
}

bool tcp_undo_try(struct tcp *t, const struct packet *p, bool advanced)
{
    bool original, partial = t->recovery == TCP_RECOVERY && t->una < t->recovery_end;

    if (!t->undo.armed || !t->profile->undo)
        return false;
    original = advanced && is_of_original(t, p);
    t->reordering_seen |= original && partial;
    if (partial && t->retransmitted)
        original = false; /* other repairs are out: a later ACK decides */
    if (!original && t->undo.repairs != 0)
        return false;
    if (original || t->recovery == TCP_LOSS)
        unmark_lost(t);
    take_back(t);
    return true;
}

bool tcp_undo_after_timeout(struct tcp *t, bool advanced, bool sacked)
{
    bool more = t->write_end > t->nxt && t->peer_edge > t->nxt;

    if (!t->frto)
        return false;
    if (t->original_delivered && t->undo.armed) { /* step 3.b */
        unmark_lost(t);
        take_back(t);
        return true;
    }
    if (t->frto_probing) {
        if (sacked) /* step 3.a: the loss was real */
            t->frto = t->frto_probing = false;
    } else if (advanced && t->una < t->recovery_end) { /* step 2.b */
        t->recovery_end = t->nxt;
        t->frto = t->frto_probing = more;
    }
    return false;
}
