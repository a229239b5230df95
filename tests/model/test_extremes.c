/* Links and streams at the ends of the range. */
#include "tests/model/net.h"

static int64_t deliver_all(struct net *n, uint64_t messages)
{
    while (n->delivered_messages < messages)
        g_assert_true(event_queue_step(&n->queue));
    return n->delivered_ns;
}

/* No delay at all and 400 Gbit/s: a full frame takes 30.28 ns and arrives as it leaves, so RTT samples are tens of nanoseconds. Segments
 * still arrive back to back, and the fractions of nanoseconds add up. */
static void test_fast_and_near(void)
{
    struct tcp_profile profile = *tcp_profile_of(0);
    struct network_profile network = plain_link(0);
    struct net n;

    network.down.rate_bps = network.up.rate_bps = INT64_C(400000000000);
    net_init_on(&n, &profile, &network, 0);
    net_connect(&n);
    net_write(&n, &n.server, 100000 * n.server.mss);
    deliver_all(&n, 1);
    g_assert_cmpuint(route_counters(&n.down).retransmissions, ==, 0);
    /* 1514 * 8 / 400 ns a frame, and arrivals rounded down to whole nanoseconds. */
    g_assert_cmpint(n.delivered_ns - n.data_ns[0], ==, 100000 * INT64_C(1514) * 8 / 400 - 1514 * 8 / 400);
    net_fini(&n);
}

/* The fastest link that a profile may ask for: a pure ACK takes less than a nanosecond. Time may stand still, the copy may not. */
static void test_fastest(void)
{
    struct tcp_profile profile = plain_profile();
    struct network_profile network = plain_link(0);
    struct net n;

    network.down.rate_bps = network.up.rate_bps = INT64_C(1000000000000);
    net_init_on(&n, &profile, &network, 0);
    net_connect(&n);
    net_write(&n, &n.server, 10000 * n.server.mss);
    deliver_all(&n, 1);
    g_assert_cmpuint(route_counters(&n.down).data_packets, ==, 10000);
    net_fini(&n);
}

/* 1 bit/s: a SYN of 66 bytes takes 528 s. With timeouts beyond that, a request of 100 bytes is there after two of them, the 432 s of
 * the ACK that goes before it, and its own 1,232 s. */
static void test_one_bit_a_second(void)
{
    struct tcp_profile profile = plain_profile();
    struct network_profile network = plain_link(0);
    struct net n;

    network.down.rate_bps = network.up.rate_bps = 1;
    profile.initial_rto_ns = 3000 * NS_PER_S;
    net_init_on(&n, &profile, &network, 0);
    tcp_connect(&n.client);
    while (!n.up_and_running)
        g_assert_true(event_queue_step(&n.queue));
    net_write(&n, &n.client, 100);
    g_assert_cmpint(deliver_all(&n, 1), ==, (528 + 528 + 432 + (100 + 54) * 8) * NS_PER_S);
    net_fini(&n);
}

/* The same with ordinary timeouts: dozens of needless SYNs and retransmissions queue for hours, and still each byte arrives once and the
 * last packet leaves the links. */
static void test_one_bit_a_second_impatient(void)
{
    struct tcp_profile profile = plain_profile();
    struct network_profile network = plain_link(0);
    struct net n;

    network.down.rate_bps = network.up.rate_bps = 1;
    network.down.queue_bytes = network.up.queue_bytes = 2000;
    net_init_on(&n, &profile, &network, 0);
    net_connect(&n);
    net_write(&n, &n.client, 100);
    deliver_all(&n, 1);
    net_write(&n, &n.server, 2000);
    net_drain(&n);
    g_assert_cmpuint(n.delivered_messages, ==, 2);
    g_assert_cmpuint(n.client.una, ==, 100);
    g_assert_cmpuint(n.server.una, ==, 2000);
    net_fini(&n);
}

/* A stream of 5 GiB, with losses on both sides of the 32-bit boundary: nothing wraps, and each loss costs one retransmission. */
static void test_beyond_4_gib(void)
{
    for (int64_t at = -1; at <= 1; at++) {
        struct tcp_profile profile = *tcp_profile_of(0);
        struct network_profile network = plain_link(NS_PER_MS);
        struct net n;

        network.mtu_bytes = 9000;
        network.down.rate_bps = network.up.rate_bps = INT64_C(10000000000);
        net_init_on(&n, &profile, &network, 0);
        net_connect(&n);
        n.drop_seq = (uint64_t)((INT64_C(1) << 32) / n.server.mss + at) * n.server.mss;
        for (int i = 0; i < 5; i++)
            net_write(&n, &n.server, 1 << 30);
        deliver_all(&n, 5);
        g_assert_cmpuint(n.client.rcv_nxt, ==, UINT64_C(5) << 30);
        g_assert_cmpuint(route_counters(&n.down).retransmissions, ==, 1);
        g_assert_cmpuint(route_counters(&n.down).bytes, >, UINT64_C(5) << 30);
        /* 5 GiB of payload in 9014-byte frames at 10 Gbit/s: 4.33 s, and next to nothing for the start and the loss. */
        g_assert_cmpfloat_with_epsilon(units_seconds(n.delivered_ns), 5.0 * (1 << 30) * 9014 / 8948 * 0.8e-9,
                                       0.03);
        net_fini(&n);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/extremes/fast-and-near", test_fast_and_near);
    g_test_add_func("/extremes/fastest", test_fastest);
    g_test_add_func("/extremes/one-bit-a-second", test_one_bit_a_second);
    g_test_add_func("/extremes/one-bit-a-second-impatient", test_one_bit_a_second_impatient);
    g_test_add_func("/extremes/beyond-4-gib", test_beyond_4_gib);
    return g_test_run();
}
