/* NewReno: RFC 5681 and 6582, one segment a round trip in avoidance, half the window after a loss. */
#include "sim/tcp_cc.h"

#include <glib.h>

static void init(struct tcp_cc *cc)
{
    cc->counter = 0;
}

static void on_rtt(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    (void)cc;
    (void)ack;
}

static void grow(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    uint32_t acked = ack->acked;

    if (cc->cwnd < cc->ssthresh)
        acked = tcp_cc_slow_start(cc, acked);
    if (cc->growth_limit == 1)
        acked = MIN(acked, 1); /* RFC 5681 (3): where ACKs are counted, they are in avoidance too */
    if (acked && cc->cwnd >= cc->ssthresh)
        tcp_cc_additive(cc, cc->cwnd, acked);
}

static uint32_t ssthresh(struct tcp_cc *cc)
{
    return MAX(cc->cwnd / 2, 2); /* RFC 5681 (4) */
}

static void on_timeout(struct tcp_cc *cc)
{
    cc->counter = 0;
}

static void on_restart(struct tcp_cc *cc, int64_t now_ns, int64_t idle_ns)
{
    (void)cc;
    (void)now_ns;
    (void)idle_ns;
}

const struct tcp_cc_ops TCP_CC_NEWRENO = {"newreno", init, on_rtt, grow, ssthresh, on_timeout, on_restart};
