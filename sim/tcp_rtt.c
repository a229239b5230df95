/* RTT estimate and retransmission timer: RFC 6298, and Linux's form of it, whose floor applies to the deviation term
 * and whose deviation falls slowly (an eighth of the step) when RTT falls below the average. */
#include "sim/tcp.h"
#include "base/units.h"

static const int64_t MAX_RTO_NS = 120 * NS_PER_S;
static const int64_t PROBE_MARGIN_NS = 2 * NS_PER_MS;

void tcp_rtt_init(struct tcp *t)
{
    t->srtt_ns = -1;
    t->min_rtt_ns = -1;
    t->rto_ns = t->profile->initial_rto_ns;
}

static void set_rto(struct tcp *t)
{
    const struct tcp_profile *p = t->profile;

    if (p->rto_floor_on_variance)
        t->rto_ns = t->srtt_ns + t->rttvar_ns;
    else
        t->rto_ns = MAX(p->min_rto_ns, t->srtt_ns + t->rttvar_ns);
    t->rto_ns = MIN(t->rto_ns, MAX_RTO_NS);
}

/* mdev_ns and rttvar_ns hold four mean deviations, the term that the RTO adds. */
static void first_sample(struct tcp *t, int64_t rtt)
{
    t->srtt_ns = rtt;
    t->mdev_ns = 2 * rtt; /* RFC 6298 2.2: 4 * R/2 */
    t->rttvar_ns = t->profile->rto_floor_on_variance ? MAX(t->mdev_ns, t->profile->min_rto_ns) : t->mdev_ns;
    t->mdev_max_ns = t->rttvar_ns;
    t->rtt_window_end = t->nxt;
}

static void linux_deviation(struct tcp *t, int64_t error)
{
    int64_t step = (error < 0 ? -error : error) - t->mdev_ns / 4;

    if (error < 0 && step > 0)
        step /= 8;
    t->mdev_ns += step;
    if (t->mdev_ns > t->mdev_max_ns) {
        t->mdev_max_ns = t->mdev_ns;
        t->rttvar_ns = MAX(t->rttvar_ns, t->mdev_max_ns);
    }
    if (t->una > t->rtt_window_end) { /* once a round trip */
        if (t->mdev_max_ns < t->rttvar_ns)
            t->rttvar_ns -= (t->rttvar_ns - t->mdev_max_ns) / 4;
        t->rtt_window_end = t->nxt;
        t->mdev_max_ns = t->profile->min_rto_ns;
    }
}

void tcp_rtt_sample(struct tcp *t, int64_t rtt_ns)
{
    if (t->min_rtt_ns < 0 || rtt_ns < t->min_rtt_ns)
        t->min_rtt_ns = rtt_ns;
    if (t->srtt_ns < 0) {
        first_sample(t, rtt_ns);
    } else {
        int64_t error = rtt_ns - t->srtt_ns;

        t->srtt_ns += error / 8;
        if (t->profile->rto_floor_on_variance)
            linux_deviation(t, error);
        else
            t->rttvar_ns += (4 * (error < 0 ? -error : error) - t->rttvar_ns) / 4; /* RFC 6298 2.3 */
    }
    t->backoff = 0;
    set_rto(t);
}

static bool may_probe(const struct tcp *t)
{
    return t->profile->rack && t->sack_on && t->recovery == TCP_OPEN && !t->probe_sent && t->srtt_ns >= 0 &&
           !t->lost;
}

/* RFC 8985 7.2, with the allowance for a delayed ACK when one segment is out. */
static int64_t probe_timeout(const struct tcp *t)
{
    return 2 * t->srtt_ns + (t->segments.count == 1 ? t->profile->min_rto_ns : PROBE_MARGIN_NS);
}

void tcp_timer_arm(struct tcp *t)
{
    int64_t wait = MIN(t->rto_ns << MIN(t->backoff, 10), MAX_RTO_NS);

    if (!t->segments.count) {
        t->timer_on = false;
        return;
    }
    t->timer_is_probe = may_probe(t);
    if (t->timer_is_probe)
        wait =
            MIN(wait,
                probe_timeout(t)); /* RFC 8985 7.2: no later than the timeout, which it takes the place of */
    t->timer_on = true;
    t->timer_due_ns = t->queue->now_ns + wait;
    if (!event_is_pending(&t->timer) || t->timer.due_ns > t->timer_due_ns)
        event_schedule(t->queue, &t->timer, t->timer_due_ns);
}
