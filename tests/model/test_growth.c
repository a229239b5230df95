/* How a window grows and what limits it, to the nanosecond. Each case states the system and the arrivals that must come out.
 * On plain_link() a full segment takes DATA_NS and a pure ACK ACK_NS to serialise; RTT is propagation alone. */
#include "tests/model/net.h"

enum { RTT_NS = 100 * NS_PER_MS };

/* Segments of each round arrive back to back, and round k+1 begins `period` after round k: the first ACK that leaves, its way, the
 * data's way. */
static void check_rounds(const struct net *n, const unsigned *sizes, unsigned rounds, int64_t period)
{
    int64_t first = n->data_ns[0];
    unsigned i = 0;

    for (unsigned k = 0; k < rounds; k++, first += period) {
        for (unsigned j = 0; j < sizes[k]; j++, i++)
            g_assert_cmpint(n->data_ns[i], ==, first + j * (int64_t)DATA_NS);
    }
    g_assert_cmpuint(n->received, ==, i);
}

/* An ACK for each segment, each segment counted: 2, 4, 8, 16, 32. */
static void test_slow_start_without_delayed_ack(void)
{
    static const unsigned sizes[] = {2, 4, 8, 16, 32};
    struct tcp_profile profile = plain_profile();
    struct net n;

    profile.ack_every = 1;
    net_init(&n, &profile, RTT_NS);
    send_from_server(&n, 62);
    check_rounds(&n, sizes, 5, RTT_NS + ACK_NS + DATA_NS);
    net_fini(&n);
}

/* An ACK for two segments, each segment counted, as Linux does: the same sizes, one segment's time later each round. */
static void test_slow_start_with_delayed_ack(void)
{
    static const unsigned sizes[] = {2, 4, 8, 16, 32};
    struct tcp_profile profile = plain_profile();
    struct net n;

    net_init(&n, &profile, RTT_NS);
    send_from_server(&n, 62);
    check_rounds(&n, sizes, 5, RTT_NS + ACK_NS + 2 * DATA_NS);
    net_fini(&n);
}

/* An ACK for two segments, ACKs counted (RFC 5681 without byte counting): half again each round. */
static void test_slow_start_by_acks(void)
{
    static const unsigned sizes[] = {8, 12, 18, 27};
    struct tcp_profile profile = plain_profile();
    struct net n;

    profile.growth_limit = 1;
    profile.initial_window = 8;
    net_init(&n, &profile, RTT_NS);
    send_from_server(&n, 65);
    check_rounds(&n, sizes, 4, RTT_NS + ACK_NS + 2 * DATA_NS);
    net_fini(&n);
}

/* The window counts segments, not bytes: MTU 240 gives 200-byte segments, and the rounds are the same. RFC 5681 would let the
 * initial window hold more of them, and byte-counting systems grow by them alike. */
static void test_slow_start_of_small_segments(void)
{
    static const unsigned sizes[] = {2, 4, 8, 16, 32};
    struct tcp_profile profile = plain_profile();
    struct network_profile network = plain_link(RTT_NS);
    struct net n;
    int64_t data_ns = (240 + 14) * 8, first;
    unsigned i = 0;

    network.mtu_bytes = 240;
    net_init_on(&n, &profile, &network, 0);
    g_assert_cmpuint(n.server.mss, ==, 200);
    send_from_server(&n, 62);
    first = n.data_ns[0];
    for (unsigned k = 0; k < 5; k++, first += RTT_NS + ACK_NS + 2 * data_ns) {
        for (unsigned j = 0; j < sizes[k]; j++, i++)
            g_assert_cmpint(n.data_ns[i], ==, first + j * data_ns);
    }
    net_fini(&n);
}

/* With a receive window of `window` segments and data for many, each segment follows the one a window before it by exactly the
 * time that the pair's ACK took to come and the answer to go. */
static void check_window_limit(uint32_t window_bytes, const struct network_profile *network, unsigned rounds)
{
    struct tcp_profile profile = plain_profile();
    unsigned window = window_bytes / MSS;
    int64_t data_ns = (MSS + 54) * INT64_C(8000000000) / network->down.rate_bps;
    int64_t ack_ns = 54 * INT64_C(8000000000) / network->up.rate_bps;
    int64_t period = network->rtt_ns + 2 * data_ns + ack_ns;
    struct net n;

    g_assert_cmpuint(window % 2, ==, 0);
    profile.receive_window_bytes = window_bytes;
    profile.initial_window = window;
    net_init_on(&n, &profile, network, 0);
    send_from_server(&n, window * rounds);
    for (unsigned i = window; i < n.received; i++)
        g_assert_cmpint(n.data_ns[i] - n.data_ns[i - window], ==, period);
    g_test_message("window %u B over %.3f ms: %.3f Mbit/s of payload", window_bytes,
                   (double)network->rtt_ns / 1e6, (double)window * MSS * 8e3 / (double)period);
    net_fini(&n);
}

/* 44 segments, as XP advertises, over 100 ms: 5.1 Mbit/s whatever the link could carry. */
static void test_window_limit(void)
{
    struct network_profile network = plain_link(RTT_NS);

    check_window_limit(44 * MSS, &network, 20);
}

/* A window beyond 64 KiB, so a scaled one: 1 MB over 100 ms of 100 Mbit/s is 684 segments a round trip, four fifths of the link. */
static void test_scaled_window_limit(void)
{
    struct network_profile network = plain_link(RTT_NS);

    network.down.rate_bps = network.up.rate_bps = 100000000;
    check_window_limit(1000000, &network, 5);
}

/* 4 MiB over 16 ms of a fast link: 2.097 Gbit/s by the fluid model, a thousandth less with the segments' own time. */
static void test_large_window_limit(void)
{
    struct network_profile network = plain_link(16 * NS_PER_MS);

    network.down.rate_bps = network.up.rate_bps = INT64_C(8000000000);
    check_window_limit(1 << 22, &network, 3);
}

/* A window beyond bandwidth times delay: after the first, segments arrive back to back to the last, so the payload's rate is the link's
 * times payload over frame. */
static void test_pipelined_ceiling(void)
{
    struct tcp_profile profile = plain_profile();
    struct network_profile network = plain_link(10 * NS_PER_MS);
    struct net n;

    network.down.rate_bps = network.up.rate_bps = 100000000;
    profile.initial_window = 200; /* the path holds 83 */
    net_init_on(&n, &profile, &network, 0);
    send_from_server(&n, 4000);
    for (unsigned i = 0; i < 4000; i++)
        g_assert_cmpint(n.data_ns[i] - n.data_ns[0], ==, i * (int64_t)DATA_NS * 10);
    net_fini(&n);
}

/* A queue of Q bytes before 1 Mbit/s, and a first flight of 60 frames of 1514 bytes at once: floor(Q / 1514) + 1 of them pass. */
static void test_queue_overflow(void)
{
    static const int64_t queues[] = {0, 1513, 1514, 1515, 24000, 45419, 45420};

    for (size_t i = 0; i < G_N_ELEMENTS(queues); i++) {
        struct tcp_profile profile = plain_profile();
        struct network_profile network = plain_link(RTT_NS);
        struct net n;

        network.down.rate_bps = 1000000;
        network.down.queue_bytes = queues[i];
        profile.initial_window = 60;
        net_init_on(&n, &profile, &network, 0);
        net_connect(&n);
        net_write(&n, &n.server, 60 * MSS);
        g_assert_cmpuint(route_counters(&n.down).dropped_queue, ==, 60 - ((uint64_t)queues[i] / 1514 + 1));
        net_fini(&n);
    }
}

/* Exchanges of one segment leave the window where it was, however many: nothing has shown that the path holds more. */
static void test_no_growth_without_use(void)
{
    static const char *const systems[] = {"linux", "windows-10", "windows-7"};

    for (size_t s = 0; s < G_N_ELEMENTS(systems); s++) {
        struct tcp_profile profile = net_profile_of(systems[s]);
        struct net n;
        uint64_t done = 0;

        profile.initial_window = 10;
        net_init(&n, &profile, RTT_NS);
        net_connect(&n);
        for (int i = 0; i < 200; i++) {
            net_write(&n, i % 2 ? &n.server : &n.client, 117);
            for (done++; n.delivered_messages < done;)
                g_assert_true(event_queue_step(&n.queue));
        }
        g_assert_cmpuint(n.server.cc.cwnd, ==, 10);
        g_assert_cmpuint(n.client.cc.cwnd, ==, 10);
        net_fini(&n);
    }
}

struct windows {
    GArray *list; /* of uint32_t: each value that the server's window takes after an ACK, in turn */
    uint32_t drop_at;
};

static void note_window(struct net *n)
{
    struct windows *w = n->self;
    uint32_t now = n->server.cc.cwnd;

    if (w->list->len && g_array_index(w->list, uint32_t, w->list->len - 1) == now)
        return;
    g_array_append_val(w->list, now);
    if (now == w->drop_at && !n->drop_seq)
        n->drop_seq = n->server.nxt;
}

static void check_windows(const struct tcp_profile *profile, uint32_t drop_at, const uint32_t *expected,
                          guint count)
{
    struct windows w = {g_array_new(FALSE, FALSE, sizeof(uint32_t)), drop_at};
    struct net n;

    net_init(&n, profile, RTT_NS);
    n.server.cc.ssthresh = 8;
    n.after_ack = note_window;
    n.self = &w;
    send_from_server(&n, 170);
    g_assert_cmpuint(route_counters(&n.down).retransmissions, ==, 1);
    g_assert_cmpuint(w.list->len, >=, count);
    for (guint i = 0; i < count; i++)
        g_assert_cmpuint(g_array_index(w.list, uint32_t, i), ==, expected[i]);
    g_array_unref(w.list);
    net_fini(&n);
}

/* NewReno's sawtooth: slow start to the threshold of 8, one more segment a round trip after it. The segment sent first when the window
 * has reached 14 is lost; the 14 ACKs that are ahead of its absence make the window 15. Fast retransmit halves that to
 * 7, holds it until the hole is filled, and growth goes on from there. */
static void test_sawtooth(void)
{
    static const uint32_t expected[] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 7, 8, 9, 10};
    struct tcp_profile profile = plain_profile();

    profile.initial_window = 4;
    profile.ack_every = 1;
    check_windows(&profile, 14, expected, G_N_ELEMENTS(expected));
    profile.sack = false;
    check_windows(&profile, 14, expected, G_N_ELEMENTS(expected));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/growth/slow-start/without-delayed-ack", test_slow_start_without_delayed_ack);
    g_test_add_func("/growth/slow-start/with-delayed-ack", test_slow_start_with_delayed_ack);
    g_test_add_func("/growth/slow-start/by-acks", test_slow_start_by_acks);
    g_test_add_func("/growth/slow-start/small-segments", test_slow_start_of_small_segments);
    g_test_add_func("/growth/window-limit", test_window_limit);
    g_test_add_func("/growth/scaled-window-limit", test_scaled_window_limit);
    g_test_add_func("/growth/large-window-limit", test_large_window_limit);
    g_test_add_func("/growth/pipelined-ceiling", test_pipelined_ceiling);
    g_test_add_func("/growth/queue-overflow", test_queue_overflow);
    g_test_add_func("/growth/not-without-use", test_no_growth_without_use);
    g_test_add_func("/growth/sawtooth", test_sawtooth);
    return g_test_run();
}
