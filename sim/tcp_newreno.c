/* NewReno: RFC 5681 and 6582, one segment a round trip in avoidance, half the window after a loss. */
#include "sim/tcp_cc.h"

#include <glib.h>

static void init(struct tcp_cc *cc)
{
    cc->counter = 0;
    cc->delay_min_ns = -1;
    tcp_hystart_init(cc);
}

static void on_rtt(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    tcp_cc_note_delay(cc, ack->rtt_ns);
    tcp_hystart_on_rtt(cc, ack);
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

const struct tcp_cc_ops TCP_CC_NEWRENO = {"newreno", init,       on_rtt,    tcp_cc_newreno_grow,
                                          ssthresh,  on_timeout, on_restart};
