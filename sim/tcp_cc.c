#include "sim/tcp_cc.h"

#include <glib.h>

const struct tcp_cc_ops *tcp_cc_find(int congestion)
{
    static const struct tcp_cc_ops *const rows[] = {
        [TCP_NEWRENO] = &TCP_CC_NEWRENO,
        [TCP_CUBIC] = &TCP_CC_CUBIC,
    };

    return rows[congestion];
}

uint32_t tcp_cc_slow_start(struct tcp_cc *cc, uint32_t acked)
{
    uint32_t counted = cc->growth_limit ? MIN(acked, cc->growth_limit) : acked;
    uint32_t grown = MIN(cc->cwnd + counted, cc->ssthresh);

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
