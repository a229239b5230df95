/* Compound TCP: Tan, Song, Zhang, Sridharan, "A Compound TCP Approach for High-Speed and Long Distance Networks", INFOCOM 2006. The window is
 * a loss window, which is NewReno's, and a delay window on top of it, which grows by alpha win^k - 1 a round trip while fewer than
 * gamma segments wait in the path's queues, and shrinks by zeta times their number when more do. A loss takes beta of the sum.
 *
 * cc->cwnd is the sum. Segments that wait are win (1 - base / rtt), with the mean RTT of the round. Windows adapts gamma to the path (5 to
 * 30); here it is the paper's. */
#include "sim/tcp_cc.h"

#include <glib.h>
#include <math.h>

static const double ALPHA = 0.125, BETA = 0.5, GAMMA = 30, ZETA = 1; /* k = 3/4: see power() */

static void init(struct tcp_cc *cc)
{
    cc->counter = 0;
    cc->delay_min_ns = -1;
    cc->delay_window = 0;
    cc->delay_segments = 0;
    cc->delay_round_end = 0;
    cc->rtt_sum_ns = 0;
    cc->rtt_count = 0;
    tcp_hystart_init(cc);
}

static void on_rtt(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    tcp_cc_note_delay(cc, ack->rtt_ns);
    cc->rtt_sum_ns += ack->rtt_ns;
    cc->rtt_count++;
    tcp_hystart_on_rtt(cc, ack);
}

/* Exact to the bit wherever square roots are, which pow() needn't be. */
static double power(double window)
{
    return sqrt(window) * sqrt(sqrt(window));
}

static uint32_t loss_window(const struct tcp_cc *cc)
{
    return cc->cwnd > cc->delay_segments ? cc->cwnd - cc->delay_segments : 0;
}

static void set_delay_window(struct tcp_cc *cc, double window)
{
    uint32_t loss = loss_window(cc);

    cc->delay_window = MAX(window, 0);
    cc->delay_segments = (uint32_t)cc->delay_window;
    cc->cwnd = loss + cc->delay_segments;
    cc->ssthresh = MIN(cc->ssthresh, cc->cwnd); /* no slow start for what the delay took */
}

/* Once a round trip: equations 4 and 5. */
static void adapt(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    if (cc->rtt_count) {
        double rtt = (double)cc->rtt_sum_ns / cc->rtt_count, window = cc->cwnd;
        double waiting = window * (1 - (double)cc->delay_min_ns / rtt);

        if (waiting < GAMMA)
            set_delay_window(cc, cc->delay_window + MAX(ALPHA * power(window) - 1, 0));
        else
            set_delay_window(cc, cc->delay_window - ZETA * waiting);
    }
    cc->rtt_sum_ns = 0;
    cc->rtt_count = 0;
    cc->delay_round_end = ack->nxt;
}

static void grow(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    tcp_cc_newreno_grow(cc, ack);
    if (cc->cwnd >= cc->ssthresh && ack->una >= cc->delay_round_end)
        adapt(cc, ack);
}

/* The loss window halves, and the delay window makes up what is missing to (1 - beta) of the sum. */
static uint32_t ssthresh(struct tcp_cc *cc)
{
    double window = cc->cwnd, loss = loss_window(cc) / 2;

    cc->delay_window = MAX(window * (1 - BETA) - loss, 0);
    cc->delay_segments = (uint32_t)cc->delay_window;
    return MAX((uint32_t)loss + cc->delay_segments, 2);
}

static void on_timeout(struct tcp_cc *cc)
{
    cc->counter = 0;
    cc->delay_window = 0;
    cc->delay_segments = 0;
}

static void on_restart(struct tcp_cc *cc, int64_t now_ns, int64_t idle_ns)
{
    (void)cc;
    (void)now_ns;
    (void)idle_ns;
}

const struct tcp_cc_ops TCP_CC_COMPOUND = {"compound", init, on_rtt, grow, ssthresh, on_timeout, on_restart};
