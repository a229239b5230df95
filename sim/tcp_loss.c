/* The scoreboard: which segments the peer holds, which are lost. RACK (RFC 8985) where the system has it, else the
 * duplicate threshold (RFC 6675 with SACK, RFC 5681 without). */
#include "sim/tcp.h"
#include "base/units.h"

#include <string.h>

static const int64_t REORDER_TIMER_MARGIN_NS = 2 * NS_PER_MS;

static struct tcp_segment *segment(const struct tcp *t, size_t i)
{
    return ring_at(&t->segments, i);
}

static uint64_t segment_end(const struct tcp_segment *s)
{
    return s->start + s->length;
}

/* The newest delivered segment by transmission time: RFC 8985 6.2 step 2. */
void tcp_loss_note_delivered(struct tcp *t, const struct tcp_segment *s)
{
    int64_t rtt = t->queue->now_ns - s->sent_ns;

    if (s->flags & TCP_EVER_RETRANSMITTED && rtt < t->min_rtt_ns)
        return; /* the ACK is of the original */
    if (s->sent_ns < t->newest_sent_ns ||
        (s->sent_ns == t->newest_sent_ns && segment_end(s) <= t->newest_end))
        return;
    t->newest_sent_ns = s->sent_ns;
    t->newest_end = segment_end(s);
    t->newest_rtt_ns = rtt;
}

void tcp_loss_note_order(struct tcp *t, const struct tcp_segment *s, uint64_t reached)
{
    if (s->flags & (TCP_EVER_RETRANSMITTED | TCP_SACKED))
        return;
    t->reordering_seen |= s->start < reached;
    t->original_delivered |= segment_end(s) <= t->recovery_end;
}

/* Index of the first segment that ends after `offset`. */
static size_t find_segment(const struct tcp *t, uint64_t offset)
{
    size_t low = 0, high = t->segments.count;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (segment_end(segment(t, mid)) > offset)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* Where the part of a block begins that the last ACK's blocks didn't report: most blocks grow at their end, and walking all of each
 * for every ACK would cost the square of the window. */
static uint64_t first_unreported(const struct tcp *t, uint64_t start)
{
    for (unsigned b = 0; b < PACKET_SACK_BLOCKS; b++) {
        const struct tcp_range *r = &t->reported[b];

        if (r->start <= start && start < r->end)
            return r->end;
    }
    return start;
}

uint32_t tcp_loss_sack(struct tcp *t, const struct packet *p)
{
    struct tcp_range blocks[PACKET_SACK_BLOCKS] = {{0, 0}};
    uint64_t reached = t->sacked_end;
    uint32_t fresh = 0;

    for (unsigned b = p->flags & PACKET_DUPLICATE ? 1 : 0; b < p->sack_count; b++) {
        uint64_t start = p->ack + (uint32_t)p->sack[b][0], end = p->ack + (uint32_t)p->sack[b][1];

        blocks[b] = (struct tcp_range){start, end};
        start = first_unreported(t, start);
        for (size_t i = find_segment(t, start); i < t->segments.count; i++) {
            struct tcp_segment *s = segment(t, i);

            if (segment_end(s) > end)
                break;
            if (s->flags & TCP_SACKED || s->start < start)
                continue;
            tcp_loss_note_delivered(t, s);
            tcp_loss_note_order(t, s, reached);
            t->lost -= (s->flags & TCP_LOST) != 0;
            t->retransmitted -= (s->flags & TCP_RETRANSMITTED) != 0;
            s->flags = (uint8_t)((s->flags & TCP_EVER_RETRANSMITTED) | TCP_SACKED);
            t->sacked++;
            t->sacked_end = MAX(t->sacked_end, segment_end(s));
            fresh++;
        }
    }
    memcpy(t->reported, blocks, sizeof blocks);
    return fresh;
}

static void mark_lost(struct tcp *t, size_t i)
{
    struct tcp_segment *s = segment(t, i);

    t->lost += !(s->flags & TCP_LOST);
    t->retransmitted -= (s->flags & TCP_RETRANSMITTED) != 0;
    s->flags = (uint8_t)((s->flags & ~TCP_RETRANSMITTED) | TCP_LOST);
    t->loss_hint = MIN(t->loss_hint, i);
}

static bool is_candidate(const struct tcp_segment *s)
{
    return !(s->flags & TCP_SACKED) && (!(s->flags & TCP_LOST) || s->flags & TCP_RETRANSMITTED);
}

/* RFC 8985 6.2 step 4: nothing is waited for once enough was SACKed, or in recovery, unless the path has been seen to reorder. */
static int64_t reorder_window(const struct tcp *t)
{
    if (!(t->reordering_seen && t->profile->undo) &&
        (t->recovery != TCP_OPEN || t->sacked >= (uint32_t)t->profile->duplicate_acks))
        return 0;
    return MIN(t->min_rtt_ns / 4 * t->reorder_steps, t->srtt_ns);
}

static bool is_by_time(const struct tcp *t)
{
    return t->profile->rack && t->sack_on;
}

void tcp_loss_note_sent(struct tcp *t, const struct tcp_segment *s)
{
    if (is_by_time(t))
        *(struct tcp_transmission *)ring_push(&t->transmissions) =
            (struct tcp_transmission){s->start, s->sent_ns};
}

void tcp_loss_forget_acked(struct tcp *t)
{
    while (t->transmissions.count &&
           ((struct tcp_transmission *)ring_at(&t->transmissions, 0))->start < t->una)
        ring_pop(&t->transmissions);
}

/* Index of the segment whose present transmission that is and that may be lost; segments.count: none. */
static size_t outstanding(const struct tcp *t, const struct tcp_transmission *sent)
{
    size_t i = sent->start < t->una ? t->segments.count : find_segment(t, sent->start);

    if (i < t->segments.count && (segment(t, i)->sent_ns != sent->sent_ns || !is_candidate(segment(t, i))))
        return t->segments.count;
    return i;
}

/* RFC 8985 6.2 step 5. Goes through the transmissions in their order, up to the newest that was delivered; what is settled at the
 * beginning is dropped, so each is looked at about once. */
static uint32_t detect_by_time(struct tcp *t)
{
    int64_t now = t->queue->now_ns, window = reorder_window(t), latest = 0;
    uint32_t fresh = 0;

    /* Nothing was delivered out of turn; a repair that an ACK has just covered was, and what left before it is late. */
    if (!t->sacked && !t->retransmitted && t->recovery == TCP_OPEN)
        return 0;
    for (size_t k = 0; k < t->transmissions.count;) {
        const struct tcp_transmission *sent = ring_at(&t->transmissions, k);
        size_t i = outstanding(t, sent);
        int64_t remaining = sent->sent_ns + t->newest_rtt_ns + window - now;

        if (i < t->segments.count) {
            if (sent->sent_ns > t->newest_sent_ns)
                break;
            if (sent->sent_ns == t->newest_sent_ns && segment_end(segment(t, i)) > t->newest_end) {
                k++;
                continue;
            }
            if (remaining > 0) {
                latest = MAX(latest, remaining);
                k++;
                continue;
            }
            mark_lost(t, i);
            fresh++;
        }
        if (k == 0)
            ring_pop(&t->transmissions);
        else
            k++;
    }
    if (latest)
        event_schedule(t->queue, &t->reorder_timer, now + latest + REORDER_TIMER_MARGIN_NS);
    else
        event_cancel(t->queue, &t->reorder_timer);
    return fresh;
}

/* RFC 6675 4, IsLost: as many SACKed segments above as the threshold says. What is below them was judged when they were reported, so
 * the walk goes down from the highest to where the last one began. */
static uint32_t detect_by_count(struct tcp *t)
{
    uint32_t above = 0, fresh = 0;
    uint64_t judged = t->judged_end;

    if (t->sacked < (uint32_t)t->profile->duplicate_acks)
        return 0;
    for (size_t i = find_segment(t, t->sacked_end - 1) + 1; i-- > 0;) {
        const struct tcp_segment *s = segment(t, i);

        if (segment_end(s) <= t->judged_end)
            break;
        if (s->flags & TCP_SACKED) {
            if (++above == (uint32_t)t->profile->duplicate_acks)
                judged = s->start;
        } else if (above >= (uint32_t)t->profile->duplicate_acks &&
                   !(s->flags & (TCP_LOST | TCP_EVER_RETRANSMITTED))) {
            mark_lost(t, i);
            fresh++;
        }
    }
    t->judged_end = MAX(judged, t->judged_end);
    return fresh;
}

/* Without SACK only the first hole is known: RFC 6582. In recovery each partial ACK shows the next one; the ACK that covers
 * all that was out at its beginning shows none. */
static uint32_t detect_without_sack(struct tcp *t)
{
    const struct tcp_segment *head = segment(t, 0);
    bool show = t->recovery == TCP_RECOVERY ? t->una < t->recovery_end
                                            : t->duplicate_acks >= (uint32_t)t->profile->duplicate_acks;

    if (!show || head->flags & (TCP_LOST | TCP_RETRANSMITTED))
        return 0;
    mark_lost(t, 0);
    return 1;
}

uint32_t tcp_loss_detect(struct tcp *t)
{
    if (!t->segments.count)
        return 0;
    if (!t->sack_on)
        return detect_without_sack(t);
    return t->profile->rack ? detect_by_time(t) : detect_by_count(t);
}

void tcp_loss_mark_all(struct tcp *t)
{
    for (size_t i = 0; i < t->segments.count; i++) {
        if (!(segment(t, i)->flags & TCP_SACKED))
            mark_lost(t, i);
    }
}

void tcp_loss_reorder_timer(void *owner)
{
    struct tcp *t = owner;

    if (!tcp_loss_detect(t))
        return;
    if (t->recovery == TCP_OPEN)
        tcp_enter_recovery(t);
    tcp_push(t);
}
