#include "sim/tcp_cc.h"

#include <glib.h>

enum { CAUTIOUS_DIVISOR = 4 }; /* RFC 9406 4.2 */

const struct tcp_cc_ops *tcp_cc_find(int congestion)
{
    static const struct tcp_cc_ops *const rows[] = {
        [TCP_NEWRENO] = &TCP_CC_NEWRENO,
        [TCP_CUBIC] = &TCP_CC_CUBIC,
        [TCP_COMPOUND] = &TCP_CC_COMPOUND,
    };

    return rows[congestion];
}

uint32_t tcp_cc_slow_start(struct tcp_cc *cc, uint32_t acked)
{
    uint32_t counted = cc->growth_limit ? MIN(acked, cc->growth_limit) : acked;
    uint32_t grown;

    if (tcp_cc_is_cautious(cc)) {
        cc->counter += counted;
        counted = cc->counter / CAUTIOUS_DIVISOR;
        cc->counter %= CAUTIOUS_DIVISOR;
    }
    grown = MIN(cc->cwnd + counted, cc->ssthresh);
    counted -= grown - cc->cwnd;
    cc->cwnd = grown;
    return counted;
}

void tcp_cc_additive(struct tcp_cc *cc, uint32_t every, uint32_t acked)
{
    /* A counter left over from a time when growth was slower counts once. */
    if (cc->counter >= every) {
        cc->counter = 0;
        cc->cwnd++;
    }
    cc->counter += acked;
    if (cc->counter >= every) {
        cc->cwnd += cc->counter / every;
        cc->counter %= every;
    }
}

void tcp_cc_newreno_grow(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    uint32_t acked = ack->acked;

    if (cc->cwnd < cc->ssthresh)
        acked = tcp_cc_slow_start(cc, acked);
    if (cc->growth_limit == 1)
        acked = MIN(acked, 1); /* RFC 5681 (3): where ACKs are counted, they are in avoidance too */
    if (acked && cc->cwnd >= cc->ssthresh)
        tcp_cc_additive(cc, cc->cwnd, acked);
}

void tcp_cc_note_delay(struct tcp_cc *cc, int64_t rtt_ns)
{
    if (cc->delay_min_ns < 0 || rtt_ns < cc->delay_min_ns)
        cc->delay_min_ns = MAX(rtt_ns, 1);
}
