/* The receive window: what it begins with, and how it grows with what the connection carries. The reader keeps up with the network.
 *
 * Linux: a buffer of 128 KiB at first, of which the window may be 168/256 (what full frames of 1448 bytes leave beside their own
 * cost), opened from one unscaled window by two segments for each segment that arrives; dynamic right-sizing (Fisk and Feng 2001) as of
 * 6.18: once in a receiver's round trip, when more was read in it than in any before, the window may be twice that and the growth's
 * share twice more. Windows: 64 KiB at first, and twice what a round trip brought, which doubles it while it is the limit; the pace is
 * assumed, the largest window is the level's (Microsoft's NIC tuning guide). */
#include "sim/tcp.h"

enum {
    FIRST_LINUX = 131072 / 256 * 168,
    FIRST_MEASURE = 10,     /* segments in a round trip that grow nothing */
    SMALLEST_OPENING = 128, /* payload that opens the window */
};

/* Windows' levels: left shifts of 64 KiB. */
static int64_t largest_of_level(int autotuning)
{
    static const int shifts[] = {
        [TCP_WINDOW_DISABLED] = 0, [TCP_WINDOW_HIGHLY_RESTRICTED] = 2, [TCP_WINDOW_RESTRICTED] = 4,
        [TCP_WINDOW_NORMAL] = 8,   [TCP_WINDOW_EXPERIMENTAL] = 14,
    };

    return autotuning < TCP_WINDOW_DISABLED ? INT64_MAX : (int64_t)UINT16_MAX << shifts[autotuning];
}

int64_t tcp_profile_largest_window(const struct tcp_profile *p)
{
    return MIN(p->receive_window_bytes, largest_of_level(p->autotuning));
}

int tcp_window_scale(const struct tcp_profile *p)
{
    int scale = 0;

    while (tcp_profile_largest_window(p) >> scale > UINT16_MAX && scale < 14) /* RFC 7323 2.3 */
        scale++;
    return scale;
}

static uint32_t whole_units(const struct tcp_window *w, uint32_t bytes)
{
    uint32_t unit = UINT32_C(1) << w->scale;

    return MIN((bytes + unit - 1) & ~(unit - 1), w->largest);
}

void tcp_window_init(struct tcp *t, bool scaled, uint32_t offered_mss)
{
    struct tcp_window *w = &t->window;
    const struct tcp_profile *p = t->profile;
    int64_t largest = tcp_profile_largest_window(p);

    w->scale = scaled ? tcp_window_scale(p) : 0;
    largest = MIN(largest, (int64_t)UINT16_MAX << w->scale);
    w->largest = (uint32_t)largest & ~((UINT32_C(1) << w->scale) - 1);
    w->open = w->clamp = w->largest;
    if (p->autotuning >= TCP_WINDOW_DISABLED)
        w->open = w->clamp = MIN(w->largest, UINT16_MAX);
    if (p->autotuning == TCP_WINDOW_LINUX) {
        w->clamp = MIN(w->largest, FIRST_LINUX);
        w->open = MIN(w->largest, UINT16_MAX);
        if (w->open > offered_mss)
            w->open -= w->open % offered_mss;
    }
    w->most = p->autotuning == TCP_WINDOW_LINUX ? MIN(w->open, FIRST_MEASURE * t->mss) : w->open / 2;
    w->advertised = whole_units(w, w->open);
}

uint32_t tcp_window_of_syn(const struct tcp *t)
{
    return MIN(t->window.open, UINT16_MAX); /* RFC 7323 2.2: never scaled */
}

/* The receiver's round trip: how old the echoed timestamp of a full segment is, smoothed; without timestamps the least time in which one
 * window arrived. */
static void measure_rtt(struct tcp *t, const struct packet *p)
{
    struct tcp_window *w = &t->window;
    int64_t now = t->queue->now_ns;

    if (t->timestamps_on) {
        if (p->payload_bytes < t->peer->mss || p->echo_ns == w->last_echo_ns)
            return;
        w->last_echo_ns = p->echo_ns;
        w->rtt_ns += w->rtt_ns ? (now - p->echo_ns - w->rtt_ns) / 8 : now - p->echo_ns;
    } else if (t->rcv_nxt >= w->window_end) {
        if (w->window_end && (!w->rtt_ns || now - w->window_ns < w->rtt_ns))
            w->rtt_ns = now - w->window_ns;
        w->window_end = t->rcv_nxt + w->advertised;
        w->window_ns = now;
    }
}

void tcp_window_opens(struct tcp *t, const struct packet *p)
{
    struct tcp_window *w = &t->window;

    measure_rtt(t, p);
    if (w->open >= w->clamp || p->payload_bytes < SMALLEST_OPENING)
        return;
    w->open = MIN(w->open + 2 * MAX(t->mss, p->payload_bytes), w->clamp);
    w->advertised = whole_units(w, w->open);
    t->quick_acks |= t->profile->quick_acks > 0; /* each opening is told */
}

/* Linux lets the window open to the new size, Windows opens it. */
static void resize(struct tcp *t, uint64_t wanted)
{
    struct tcp_window *w = &t->window;

    w->clamp = (uint32_t)CLAMP(wanted, w->clamp, w->largest);
    if (t->profile->autotuning != TCP_WINDOW_LINUX) {
        w->open = w->clamp;
        w->advertised = whole_units(w, w->open);
    }
}

void tcp_window_read(struct tcp *t)
{
    struct tcp_window *w = &t->window;
    int64_t now = t->queue->now_ns;
    uint64_t copied = t->rcv_nxt - w->measured;

    if (!w->rtt_ns || now - w->measured_ns < w->rtt_ns)
        return;
    if (copied > w->most) {
        uint64_t twice = 2 * copied;

        if (t->profile->autotuning == TCP_WINDOW_LINUX)
            twice += 2 * twice * (copied - w->most) / w->most;
        if (t->held_count)
            twice += t->held[t->held_count - 1].end - t->rcv_nxt;
        resize(t, twice);
        w->most = (uint32_t)MIN(copied, UINT32_MAX);
    }
    w->measured = t->rcv_nxt;
    w->measured_ns = now;
}
