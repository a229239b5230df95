/* TCP behaviour on one connection whose packets the test can drop: growth, acknowledgement, loss recovery, timers. */
#include "tests/model/net.h"

#include <string.h>

/* Rounds of slow start: segments that arrive within half a round trip of the round's first. */
static unsigned rounds_of(const struct net *n, unsigned *sizes, unsigned room)
{
    unsigned rounds = 0;

    for (unsigned i = 0; i < n->received && rounds < room; i++) {
        if (i == 0 || n->data_ns[i] - n->data_ns[i - 1] > 50 * NS_PER_MS)
            sizes[rounds++] = 0;
        sizes[rounds - 1]++;
    }
    return rounds;
}

/* 100 ms RTT, no loss. Counting every acknowledged segment, the window doubles: 2, 4, 8, 16, then the rest. */
static void test_slow_start_by_segments(void)
{
    struct tcp_profile profile = plain_profile();
    struct net n;
    unsigned sizes[8] = {0};

    net_init(&n, &profile, 100 * NS_PER_MS);
    send_from_server(&n, 40);
    g_assert_cmpuint(rounds_of(&n, sizes, 8), ==, 5);
    g_assert_cmpuint(sizes[0], ==, 2);
    g_assert_cmpuint(sizes[1], ==, 4);
    g_assert_cmpuint(sizes[2], ==, 8);
    g_assert_cmpuint(sizes[3], ==, 16);
    g_assert_cmpuint(sizes[4], ==, 10);
    net_fini(&n);
}

/* The same with one segment a delayed ACK (RFC 5681 without byte counting): 2, then 3, since two segments make
 * one ACK. */
static void test_slow_start_by_acks(void)
{
    struct tcp_profile profile = plain_profile();
    struct net n;
    unsigned sizes[12] = {0};

    profile.growth_limit = 1;
    net_init(&n, &profile, 100 * NS_PER_MS);
    send_from_server(&n, 17);
    rounds_of(&n, sizes, 12);
    g_assert_cmpuint(sizes[0], ==, 2);
    g_assert_cmpuint(sizes[1], ==, 3);
    net_fini(&n);
}

/* One ACK for each two of 10 segments, and none more. */
static void test_acknowledges_every_second(void)
{
    struct tcp_profile profile = plain_profile();
    struct net n;

    profile.initial_window = 10;
    net_init(&n, &profile, 100 * NS_PER_MS);
    send_from_server(&n, 10);
    g_assert_cmpuint(n.pure_acks, ==, 5);
    net_fini(&n);
}

/* A single segment is acknowledged by the delayed-ACK timer: RTT + 200 ms after it was sent. */
static void test_delays_an_odd_ack(void)
{
    struct tcp_profile profile = plain_profile();
    struct net n;
    int64_t sent;

    profile.min_rto_ns = NS_PER_S; /* else the timeout of 3 RTT comes first */
    net_init(&n, &profile, 100 * NS_PER_MS);
    send_from_server(&n, 1);
    sent = n.server.last_data_sent_ns;
    g_assert_cmpuint(n.pure_acks, ==, 1);
    /* 1500 bytes (+14) there, 40 (+14) back, at 1 Gbit/s. */
    g_assert_cmpint(n.queue.now_ns - sent, ==, 300 * NS_PER_MS + 1514 * 8 + 54 * 8);
    net_fini(&n);
}

/* The 4th of 20 segments is lost. Three later ones are reported, it goes again at once, and everything is there one RTT after
 * the others; the window, 20 and the two that the first ACK covered, halves. */
static void test_fast_retransmit(void)
{
    struct tcp_profile profile = plain_profile();
    struct net n;

    profile.initial_window = 20;
    net_init(&n, &profile, 100 * NS_PER_MS);
    n.drop_down_data = 1 << 3;
    send_from_server(&n, 20);
    g_assert_cmpuint(route_counters(&n.down).retransmissions, ==, 1);
    g_assert_cmpuint(n.down_data, ==, 21);
    /* Sent again when the third report (of segment 7, 0-based 6) is back. */
    g_assert_cmpint(n.delivered_ns - n.data_ns[0], ==, 100 * NS_PER_MS + 6 * 1514 * 8 + 66 * 8 + 1514 * 8);
    g_assert_cmpuint(n.server.cc.ssthresh, ==, 11);
    net_fini(&n);
}

/* The only segment is lost: it goes again after the retransmission timeout, srtt + 4 deviations = 3 RTT here. */
static void test_timeout(void)
{
    struct tcp_profile profile = plain_profile();
    struct net n;

    net_init(&n, &profile, 200 * NS_PER_MS);
    n.drop_down_data = 1;
    send_from_server(&n, 1);
    g_assert_cmpuint(route_counters(&n.down).retransmissions, ==, 1);
    g_assert_cmpuint(n.server.cc.ssthresh, ==, 2);
    g_assert_cmpint(n.delivered_ns, >, 900 * NS_PER_MS);
    g_assert_cmpint(n.delivered_ns, <, 1100 * NS_PER_MS);
    net_fini(&n);
}

/* Lost SYNs are sent again after 3 and 6 more seconds (RFC 6298 5.5). The window starts from one segment after the first (RFC 5681
 * 3.1), or after the second where the system's initial window is RFC 6928's. With timestamps the handshake gives an RTT sample all the
 * same; without, the timeout is 3 s until there is one (RFC 6298 5.7). */
static void check_syn_series(unsigned lost, int64_t forgiven, bool timestamps, uint32_t cwnd)
{
    struct tcp_profile profile = plain_profile();
    int64_t rtt_ns = 100 * NS_PER_MS, before = ((1 << lost) - 1) * profile.initial_rto_ns;
    struct net n;

    profile.initial_window = 10;
    profile.forgiven_syns = forgiven;
    profile.timestamps = timestamps;
    net_init(&n, &profile, rtt_ns);
    n.drop_syn = (1U << lost) - 1;
    tcp_connect(&n.client);
    net_run_until(&n, 20 * NS_PER_S);
    g_assert_true(n.up_and_running);
    g_assert_cmpuint(n.syns, ==, lost + 1);
    g_assert_cmpint(n.client.syn_sent_ns, ==, before);
    g_assert_cmpuint(n.client.cc.cwnd, ==, cwnd);
    if (lost && !timestamps)
        g_assert_cmpint(n.client.rto_ns, ==, 3 * NS_PER_S);
    else
        g_assert_cmpfloat_with_epsilon((double)n.client.rto_ns, 3 * (double)rtt_ns, 0.01 * (double)rtt_ns);
    net_fini(&n);
}

static void test_syn_series(void)
{
    for (int timestamps = 0; timestamps < 2; timestamps++) {
        check_syn_series(0, 0, timestamps, 10);
        check_syn_series(1, 0, timestamps, 1);
        check_syn_series(1, 1, timestamps, 10);
        check_syn_series(2, 1, timestamps, 1);
    }
}

/* The last segment of an answer is lost. With RACK a probe finds it after two RTTs; without, the timeout does. */
static void test_tail_loss_probe(void)
{
    struct tcp_profile profile = plain_profile();
    struct net n;
    int64_t with, without;

    profile.initial_window = 10;
    profile.min_rto_ns = NS_PER_S;
    net_init(&n, &profile, 50 * NS_PER_MS);
    n.drop_down_data = 1 << 7;
    send_from_server(&n, 8);
    without = n.delivered_ns;
    net_fini(&n);
    profile.rack = true;
    net_init(&n, &profile, 50 * NS_PER_MS);
    n.drop_down_data = 1 << 7;
    send_from_server(&n, 8);
    with = n.delivered_ns;
    g_assert_cmpuint(route_counters(&n.down).retransmissions, ==, 1);
    net_fini(&n);
    g_assert_cmpint(without, >, NS_PER_S);
    g_assert_cmpint(with, <, NS_PER_S + 300 * NS_PER_MS);
    g_assert_cmpint(with, <, without);
}

/* A partial segment waits for the acknowledgement of the one before it only under Nagle: with a delayed ACK, 200 ms. */
static void test_nagle(void)
{
    struct tcp_profile profile = plain_profile();
    struct waits none = {{0}};
    struct net n;

    for (int on = 0; on < 2; on++) {
        profile.nagle = on;
        profile.initial_window = 10;
        net_init(&n, &profile, 10 * NS_PER_MS);
        tcp_connect(&n.client);
        while (n.server.state != TCP_ESTABLISHED)
            event_queue_step(&n.queue);
        tcp_write(&n.server, MSS + 1, 0, &none);
        while (!n.delivered_ns)
            event_queue_step(&n.queue);
        if (on)
            g_assert_cmpint(n.delivered_ns, >, 200 * NS_PER_MS);
        else
            g_assert_cmpint(n.delivered_ns, <, 30 * NS_PER_MS);
        net_fini(&n);
    }
}

/* Without window scaling no more than 65,535 bytes are ever unacknowledged, whatever the receiver could hold: RFC 7323 1.1. */
static void test_window_without_scaling(void)
{
    struct tcp_profile profile = plain_profile();
    struct waits none = {{0}};
    struct net n;

    for (int scaling = 0; scaling < 2; scaling++) {
        uint64_t most = 0;

        profile.window_scaling = scaling;
        net_init(&n, &profile, 50 * NS_PER_MS);
        tcp_connect(&n.client);
        while (n.server.state != TCP_ESTABLISHED)
            event_queue_step(&n.queue);
        tcp_write(&n.server, 400 * MSS, 0, &none);
        while (!n.delivered_ns) {
            event_queue_step(&n.queue);
            most = MAX(most, n.server.nxt - n.server.una);
        }
        if (scaling)
            g_assert_cmpuint(most, >, 100000);
        else
            g_assert_cmpuint(most, ==, UINT16_MAX / MSS * MSS);
        net_fini(&n);
    }
}

/* Options of SYN and SYN-ACK, in bytes. */
static void test_offers(void)
{
    static const struct {
        const char *client, *server;
        uint32_t syn, syn_ack;
    } rows[] = {
        {"linux", "linux", 20, 20},    {"linux", "windows-11", 20, 12}, {"windows-11", "linux", 12, 12},
        {"windows-xp", "linux", 8, 8}, {"linux", "windows-xp", 20, 12},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        int client = 0, server = 0;
        struct tcp_offer offer;

        while (strcmp(TCP_SYSTEMS[client], rows[i].client) != 0)
            client++;
        while (strcmp(TCP_SYSTEMS[server], rows[i].server) != 0)
            server++;
        offer = tcp_offer_of(tcp_profile_of(client), tcp_profile_of(server), true);
        g_assert_cmpuint(tcp_offer_bytes(&offer), ==, rows[i].syn);
        offer = tcp_offer_of(tcp_profile_of(server), tcp_profile_of(client), false);
        g_assert_cmpuint(tcp_offer_bytes(&offer), ==, rows[i].syn_ack);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tcp/slow-start-by-segments", test_slow_start_by_segments);
    g_test_add_func("/tcp/slow-start-by-acks", test_slow_start_by_acks);
    g_test_add_func("/tcp/acknowledges-every-second", test_acknowledges_every_second);
    g_test_add_func("/tcp/delays-an-odd-ack", test_delays_an_odd_ack);
    g_test_add_func("/tcp/fast-retransmit", test_fast_retransmit);
    g_test_add_func("/tcp/timeout", test_timeout);
    g_test_add_func("/tcp/syn-series", test_syn_series);
    g_test_add_func("/tcp/tail-loss-probe", test_tail_loss_probe);
    g_test_add_func("/tcp/nagle", test_nagle);
    g_test_add_func("/tcp/window-without-scaling", test_window_without_scaling);
    g_test_add_func("/tcp/offers", test_offers);
    return g_test_run();
}
