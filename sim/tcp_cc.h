/* Congestion control: the state that algorithms share with the sender, and their table of functions. A new algorithm
 * is one file and one row in tcp_cc_find().
 *
 * The window counts segments. `acked` is the number of segments that an ACK newly covers. */
#ifndef SIM_TCP_CC_H
#define SIM_TCP_CC_H

#include "sim/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct tcp_cc {
    uint32_t cwnd;
    uint32_t ssthresh;
    uint32_t counter;      /* ACKed segments that have not yet grown the window in avoidance */
    uint32_t growth_limit; /* segments an ACK counts for in slow start at most; 0: all; 1: in avoidance too */

    /* CUBIC, RFC 9438; times in ns */
    uint32_t last_max;
    int64_t epoch_ns; /* -1: none */
    uint32_t origin;
    int64_t k_ms1024; /* in 1/1024 s */
    uint32_t friendly_cwnd, friendly_acked;
    uint32_t count; /* ACKs for one more segment */
    int64_t last_update_ns;
    uint32_t last_cwnd;
    int64_t delay_min_ns; /* -1: none */

    /* HyStart */
    bool hystart_found;
    uint64_t round_end;
    int64_t round_start_ns, last_ack_ns;
    int64_t round_min_ns; /* -1: none */
    uint32_t round_samples;
};

struct tcp_cc_ack {
    int64_t now_ns;
    uint32_t acked;
    int64_t rtt_ns; /* -1: no sample */
    uint64_t una, nxt;
};

struct tcp_cc_ops {
    const char *name;
    void (*init)(struct tcp_cc *cc);
    /* Each ACK of new data with an RTT sample, before growth. */
    void (*on_rtt)(struct tcp_cc *cc, const struct tcp_cc_ack *ack);
    /* Growth, when the window was the limit. */
    void (*grow)(struct tcp_cc *cc, const struct tcp_cc_ack *ack);
    /* The threshold after a loss, with whatever the algorithm remembers of it. */
    uint32_t (*ssthresh)(struct tcp_cc *cc);
    void (*on_timeout)(struct tcp_cc *cc);
    /* Data leave with nothing in flight, `idle_ns` after the last data. */
    void (*on_restart)(struct tcp_cc *cc, int64_t now_ns, int64_t idle_ns);
};

const struct tcp_cc_ops *tcp_cc_find(int congestion);

/* Slow start up to the threshold: returns the ACKed segments left for avoidance. RFC 5681 3.1. */
uint32_t tcp_cc_slow_start(struct tcp_cc *cc, uint32_t acked);
/* One more segment for each `every` ACKed. */
void tcp_cc_additive(struct tcp_cc *cc, uint32_t every, uint32_t acked);

extern const struct tcp_cc_ops TCP_CC_NEWRENO;
extern const struct tcp_cc_ops TCP_CC_CUBIC;

#endif
