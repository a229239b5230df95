/* CUBIC in the integer arithmetic of Linux 6: C = 0.4, beta = 717/1024, fast convergence, Reno-friendly region, 5 % a round trip while
 * no loss has been seen. Sources: RFC 9438; the constants as Linux has them. Times are in 1/1024 s where the published arithmetic has them so. */
#include "sim/tcp_cc.h"
#include "base/units.h"

#include <glib.h>

enum {
    BETA = 717,          /* of 1024 */
    FRIENDLY_SCALE = 15, /* eighths of a window for one more segment: 8 (1024 + BETA) / 3 / (1024 - BETA) */
    CUBE_FACTOR_SHIFT = 40, /* window = 410 t^3 / 2^40 with t in 1/1024 s */
    CUBE_FACTOR = 410,
    SLOWEST_COUNT_WITHOUT_LOSS = 20,
};

static const int64_t JIFFY_NS = 4 * NS_PER_MS;
static const int64_t UPDATE_NS = 31 * NS_PER_MS;

static void forget(struct tcp_cc *cc)
{
    cc->last_max = 0;
    cc->epoch_ns = -1;
    cc->delay_min_ns = -1;
    cc->friendly_acked = 0;
    cc->last_cwnd = 0;
    cc->last_update_ns = 0;
    cc->count = 0;
    tcp_hystart_init(cc);
}

static void init(struct tcp_cc *cc)
{
    cc->counter = 0;
    forget(cc);
}

static void on_rtt(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    if (cc->epoch_ns >= 0 && ack->now_ns - cc->epoch_ns < NS_PER_S)
        return; /* samples right after a loss still carry the queue that caused it */
    tcp_cc_note_delay(cc, ack->rtt_ns);
    tcp_hystart_on_rtt(cc, ack);
}

static int64_t to_ms1024(int64_t ns)
{
    return ns / 1000 * 1024 / 1000000;
}

/* Integer cube root, rounded down. */
static int64_t cube_root(int64_t value)
{
    int64_t low = 0, high = (1 << 21) - 1; /* its cube fits */

    while (low < high) {
        int64_t mid = (low + high + 1) / 2;

        if (mid * mid * mid <= value)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static void begin_epoch(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    cc->epoch_ns = ack->now_ns;
    cc->friendly_acked = ack->acked;
    cc->friendly_cwnd = cc->cwnd;
    if (cc->last_max <= cc->cwnd) {
        cc->k_ms1024 = 0;
        cc->origin = cc->cwnd;
    } else {
        cc->k_ms1024 = cube_root((INT64_C(1) << CUBE_FACTOR_SHIFT) / CUBE_FACTOR * (cc->last_max - cc->cwnd));
        cc->origin = cc->last_max;
    }
}

/* Segments to be ACKed for one more, by the cubic curve: RFC 9438 4.2, with the offset truncated towards the origin. */
static uint32_t cubic_count(const struct tcp_cc *cc, int64_t now_ns)
{
    int64_t t = to_ms1024(now_ns - cc->epoch_ns + MAX(cc->delay_min_ns, 0));
    int64_t offset = t < cc->k_ms1024 ? cc->k_ms1024 - t : t - cc->k_ms1024;
    int64_t delta, target;

    offset = MIN(offset, 1 << 17); /* 128 s: far beyond any growth that matters, and the cube still fits */
    delta = CUBE_FACTOR * offset * offset * offset >> CUBE_FACTOR_SHIFT;
    target = t < cc->k_ms1024 ? (int64_t)cc->origin - delta : (int64_t)cc->origin + delta;
    if (target > cc->cwnd)
        return (uint32_t)MAX(cc->cwnd / (target - cc->cwnd), 1);
    return 100 * cc->cwnd;
}

/* RFC 9438 4.3: never slower than a Reno flow of the same beta. */
static uint32_t friendly_count(struct tcp_cc *cc, uint32_t count)
{
    uint32_t step = MAX(cc->cwnd * FRIENDLY_SCALE >> 3, 1);

    while (cc->friendly_acked > step) {
        cc->friendly_acked -= step;
        cc->friendly_cwnd++;
    }
    if (cc->friendly_cwnd > cc->cwnd)
        return MIN(count, cc->cwnd / (cc->friendly_cwnd - cc->cwnd));
    return count;
}

static void update(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    bool same_window = cc->last_cwnd == cc->cwnd;

    cc->friendly_acked += ack->acked;
    if (same_window && cc->epoch_ns >= 0 && ack->now_ns - cc->last_update_ns <= UPDATE_NS)
        return;
    if (cc->epoch_ns < 0 || ack->now_ns / JIFFY_NS != cc->last_update_ns / JIFFY_NS || !cc->count) {
        cc->last_cwnd = cc->cwnd;
        cc->last_update_ns = ack->now_ns;
        if (cc->epoch_ns < 0)
            begin_epoch(cc, ack);
        cc->count = cubic_count(cc, ack->now_ns);
        if (!cc->last_max)
            cc->count = MIN(cc->count, SLOWEST_COUNT_WITHOUT_LOSS);
    }
    cc->count = MAX(friendly_count(cc, cc->count), 2);
}

static void grow(struct tcp_cc *cc, const struct tcp_cc_ack *ack)
{
    struct tcp_cc_ack rest = *ack;

    if (cc->cwnd < cc->ssthresh) {
        rest.acked = tcp_cc_slow_start(cc, ack->acked);
        if (!rest.acked)
            return;
    }
    update(cc, &rest);
    tcp_cc_additive(cc, cc->count, rest.acked);
}

static uint32_t ssthresh(struct tcp_cc *cc)
{
    cc->epoch_ns = -1;
    cc->last_max = cc->cwnd < cc->last_max ? cc->cwnd * (1024 + BETA) / 2048 : cc->cwnd; /* RFC 9438 4.7 */
    return MAX(cc->cwnd * BETA / 1024, 2);
}

static void on_timeout(struct tcp_cc *cc)
{
    forget(cc);
}

/* The cubic clock stands still while nothing is being sent. */
static void on_restart(struct tcp_cc *cc, int64_t now_ns, int64_t idle_ns)
{
    if (cc->epoch_ns >= 0)
        cc->epoch_ns = MIN(cc->epoch_ns + idle_ns, now_ns);
}

const struct tcp_cc_ops TCP_CC_CUBIC = {"cubic", init, on_rtt, grow, ssthresh, on_timeout, on_restart};
