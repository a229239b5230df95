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
    int slow_start_exit;   /* enum tcp_slow_start_exit */
    int64_t delay_min_ns;  /* smallest RTT; -1: none */

    /* CUBIC, RFC 9438; times in ns */
    uint32_t last_max;
    int64_t epoch_ns; /* -1: none */
    uint32_t origin;
    int64_t k_ms1024; /* in 1/1024 s */
    uint32_t friendly_cwnd, friendly_acked;
    uint32_t count; /* ACKs for one more segment */
    int64_t last_update_ns;
    uint32_t last_cwnd;

    /* Compound TCP: what of cwnd the delay window is, and the RTTs of a round */
    double delay_window;
    uint32_t delay_segments; /* its whole part */
    uint64_t delay_round_end;
    int64_t rtt_sum_ns;
    uint32_t rtt_count;

    /* HyStart and HyStart++ */
    bool hystart_found;
    uint64_t round_end;
    int64_t round_start_ns, last_ack_ns;
    int64_t round_min_ns, last_round_min_ns; /* -1: none */
    uint32_t round_samples;
    int64_t cautious_min_ns; /* conservative slow start: the RTT that began it; -1: not in it */
    uint32_t cautious_rounds;
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

enum { TCP_CC_NO_THRESHOLD = UINT32_MAX / 2 };

const struct tcp_cc_ops *tcp_cc_find(int congestion);

/* Slow start up to the threshold: returns the ACKed segments left for avoidance. RFC 5681 3.1. */
uint32_t tcp_cc_slow_start(struct tcp_cc *cc, uint32_t acked);
/* One more segment for each `every` ACKed. */
void tcp_cc_additive(struct tcp_cc *cc, uint32_t every, uint32_t acked);
/* Slow start and RFC 5681's avoidance. */
void tcp_cc_newreno_grow(struct tcp_cc *cc, const struct tcp_cc_ack *ack);
void tcp_cc_note_delay(struct tcp_cc *cc, int64_t rtt_ns);

/* RFC 9406's conservative slow start, which grows by a quarter of it. */
static inline bool tcp_cc_is_cautious(const struct tcp_cc *cc)
{
    return cc->cautious_min_ns >= 0;
}

/* Early ends of slow start: tcp_hystart.c. on_rtt: each RTT sample in slow start, after tcp_cc_note_delay(). */
void tcp_hystart_init(struct tcp_cc *cc);
void tcp_hystart_on_rtt(struct tcp_cc *cc, const struct tcp_cc_ack *ack);

extern const struct tcp_cc_ops TCP_CC_NEWRENO;
extern const struct tcp_cc_ops TCP_CC_CUBIC;
extern const struct tcp_cc_ops TCP_CC_COMPOUND;

#endif
