/* When slow start ends before a loss: Linux's HyStart (Ha and Rhee 2011, "Taming the elephants", with the constants as Linux has them)
 * and HyStart++ (RFC 9406), which Windows has. */
#include "sim/tcp_cc.h"
#include "base/units.h"

#include <glib.h>

enum {
    SAMPLES = 8,
    LINUX_WINDOW = 16, /* no judgement below */
    CAUTIOUS_ROUNDS = 5,
};

static const int64_t TRAIN_GAP_NS = 2 * NS_PER_MS;
static const int64_t TRAIN_CUSHION_NS = 1 * NS_PER_MS;

void tcp_hystart_init(struct tcp_cc *cc)
{
    cc->hystart_found = false;
    cc->round_end = 0;
    cc->round_start_ns = -1;
    cc->round_min_ns = cc->last_round_min_ns = cc->cautious_min_ns = -1;
    cc->round_samples = cc->cautious_rounds = 0;
}

static int64_t delay_growth(int64_t rtt_ns)
{
    return CLAMP(rtt_ns / 8, 4 * NS_PER_MS, 16 * NS_PER_MS);
}

static void begin_round(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    cc->round_start_ns = cc->last_ack_ns = ack->now_ns;
    cc->round_end = ack->nxt;
    cc->last_round_min_ns = cc->round_min_ns;
    cc->round_min_ns = -1;
    cc->round_samples = 0;
}

static void note_sample(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    if (cc->round_min_ns < 0 || ack->rtt_ns < cc->round_min_ns)
        cc->round_min_ns = ack->rtt_ns;
}

/* Slow start ends when ACKs of one round keep coming for half the path's delay, or when the delay has grown. */
static void linux_form(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    if (cc->hystart_found || cc->cwnd >= cc->ssthresh)
        return;
    if (cc->round_start_ns < 0 || ack->una > cc->round_end)
        begin_round(cc, ack);
    if (cc->cwnd < LINUX_WINDOW)
        return;
    if (ack->now_ns - cc->last_ack_ns <= TRAIN_GAP_NS) {
        cc->last_ack_ns = ack->now_ns;
        if (ack->now_ns - cc->round_start_ns > (cc->delay_min_ns + TRAIN_CUSHION_NS) / 2)
            cc->hystart_found = true;
    }
    note_sample(cc, ack);
    if (cc->round_samples < SAMPLES)
        cc->round_samples++;
    else if (cc->round_min_ns > cc->delay_min_ns + delay_growth(cc->delay_min_ns))
        cc->hystart_found = true;
    if (cc->hystart_found)
        cc->ssthresh = cc->cwnd;
}

/* RFC 9406 4.2: what the samples of this round say. */
static void judge_round(struct tcp_cc *cc)
{
    if (cc->round_samples < SAMPLES)
        return;
    if (tcp_cc_is_cautious(cc)) {
        if (cc->round_min_ns < cc->cautious_min_ns) /* the growth was noise */
            cc->cautious_min_ns = -1;
    } else if (cc->last_round_min_ns >= 0 &&
               cc->round_min_ns >= cc->last_round_min_ns + delay_growth(cc->last_round_min_ns)) {
        cc->cautious_min_ns = cc->round_min_ns;
        cc->cautious_rounds = 0;
    }
}

/* It acts in the first slow start alone, while no threshold is known. The ACK that ends a round is of a segment of that round. */
static void plus_form(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    if (cc->ssthresh < TCP_CC_NO_THRESHOLD)
        return;
    if (cc->round_start_ns < 0)
        begin_round(cc, ack);
    note_sample(cc, ack);
    cc->round_samples++;
    judge_round(cc);
    if (ack->una < cc->round_end)
        return;
    begin_round(cc, ack);
    if (tcp_cc_is_cautious(cc) && ++cc->cautious_rounds >= CAUTIOUS_ROUNDS) {
        cc->ssthresh = cc->cwnd;
        cc->cautious_min_ns = -1;
    }
}

void tcp_hystart_on_rtt(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    if (cc->slow_start_exit == TCP_EXIT_HYSTART)
        linux_form(cc, ack);
    else if (cc->slow_start_exit == TCP_EXIT_HYSTART_PLUS)
        plus_form(cc, ack);
}
