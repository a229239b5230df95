/* Loss and what it costs: timers to the nanosecond, every pattern of loss at the end of a transfer, Linux's measured costs. */
#include "tests/model/net.h"

enum { RTT_NS = 100 * NS_PER_MS };

/* The server's first RTT sample on plain_link(): SYN-ACK of 52 bytes there, ACK of 40 back. */
enum { HANDSHAKE_NS = RTT_NS + (52 + 14) * 8 + ACK_NS };

static const int64_t MAX_RTO_NS = 120 * NS_PER_S;

/* A lone segment that is lost `times` times arrives after the sum of the timeouts, each twice the one before and none above 120
 * s. Returns the time from its first sending to its arrival. */
static int64_t lose_lone_segment(const struct tcp_profile *profile, int64_t rtt_ns, unsigned times)
{
    struct net n;
    int64_t took;

    net_init(&n, profile, rtt_ns);
    n.drop_down_data = (UINT64_C(1) << times) - 1;
    net_connect(&n);
    took = -n.queue.now_ns;
    net_write(&n, &n.server, n.server.mss);
    while (n.server.una < n.server.mss)
        g_assert_true(event_queue_step(&n.queue));
    g_assert_cmpuint(route_counters(&n.down).retransmissions, ==, times);
    took += n.delivered_ns;
    net_fini(&n);
    return took;
}

static int64_t series(int64_t rto_ns, unsigned times)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < times; i++)
        sum += MIN(rto_ns << i, MAX_RTO_NS);
    return sum;
}

/* RFC 6298 2.2, 2.4, 5.5: srtt + 4 * srtt/2, at least the floor. */
static void test_timeout_series(void)
{
    struct tcp_profile profile = plain_profile();

    profile.ack_every = 1;
    for (unsigned times = 0; times <= 12; times++) {
        profile.min_rto_ns = 300 * NS_PER_MS;
        g_assert_cmpint(lose_lone_segment(&profile, RTT_NS, times), ==,
                        series(3 * (int64_t)HANDSHAKE_NS, times) + DATA_NS + RTT_NS / 2);
        profile.min_rto_ns = NS_PER_S;
        g_assert_cmpint(lose_lone_segment(&profile, RTT_NS, times), ==,
                        series(NS_PER_S, times) + DATA_NS + RTT_NS / 2);
    }
}

/* Linux's floor is under the deviation term: srtt + 200 ms. The first expiry is the probe's, whose time is no later than the timeout's;
 * the timeout counts from there. */
static void test_timeout_series_of_linux(void)
{
    struct tcp_profile profile = net_profile_of("linux");
    /* Timestamps: 60 bytes of SYN-ACK, 52 of ACK; 1448 + 52 of data. */
    int64_t handshake = 50 * NS_PER_MS + (60 + 14) * 8 + (52 + 14) * 8, rto = handshake + 200 * NS_PER_MS;

    for (unsigned times = 1; times <= 8; times++)
        g_assert_cmpint(lose_lone_segment(&profile, 50 * NS_PER_MS, times), ==,
                        rto + series(rto, times - 1) + DATA_NS + 25 * NS_PER_MS);
}

/* However often one segment times out, the window has been halved once, and the segment goes alone. */
static void test_repeated_timeout_halves_once(void)
{
    struct tcp_profile profile = plain_profile();
    struct net n;

    profile.initial_window = 16;
    net_init(&n, &profile, RTT_NS);
    n.drop_down_data = 0x3ffff; /* the first flight of 16, and the first of them twice more */
    net_connect(&n);
    net_write(&n, &n.server, 16 * MSS);
    while (!n.received)
        g_assert_true(event_queue_step(&n.queue));
    g_assert_cmpuint(n.server.cc.ssthresh, ==, 8);
    g_assert_cmpuint(n.server.cc.cwnd, ==, 1);
    g_assert_cmpuint(route_counters(&n.down).retransmissions, ==, 3);
    net_drain(&n);
    g_assert_cmpuint(n.server.una, ==, 16 * MSS);
    net_fini(&n);
}

/* Karn: an ACK that covers a segment sent twice says nothing of the RTT, nor do those behind it, which waited for it at the receiver. */
static void test_no_rtt_sample_from_a_repair(void)
{
    for (int sack = 0; sack < 2; sack++) {
        struct tcp_profile profile = plain_profile();
        struct net n;

        profile.sack = sack;
        profile.initial_window = 20;
        profile.ack_every = 1;
        net_init(&n, &profile, RTT_NS);
        n.drop_down_data = 1;
        send_from_server(&n, 20);
        g_assert_cmpint(n.server.srtt_ns, <, RTT_NS + NS_PER_MS);
        net_fini(&n);
    }
}

/* A segment times out three times, then the next one once. With timestamps the repair's ACK is an RTT sample and ends the doubling; without, the
 * doubled timeout stays until a segment that was sent once is acknowledged (RFC 6298 5.7 and Karn). */
static void test_backoff_ends_with_a_sample(void)
{
    for (int timestamps = 0; timestamps < 2; timestamps++) {
        struct tcp_profile profile = plain_profile();
        int64_t written;
        struct net n;

        profile.timestamps = timestamps;
        profile.ack_every = 1;
        profile.min_rto_ns = NS_PER_S;
        net_init(&n, &profile, RTT_NS);
        n.drop_down_data = 0x17;
        send_from_server(&n, 1);
        written = n.queue.now_ns;
        net_write(&n, &n.server, n.server.mss);
        while (n.delivered_messages < 2)
            g_assert_true(event_queue_step(&n.queue));
        g_assert_cmpint(n.delivered_ns - written, ==, (timestamps ? 1 : 8) * NS_PER_S + DATA_NS + RTT_NS / 2);
        net_fini(&n);
    }
}

/* The handshake's last ACK is lost, and so is the first request: the server has sent its SYN-ACK again by then or the request comes
 * again; either way the exchange begins, and the client sees one connection. */
static void test_lost_end_of_handshake(void)
{
    for (uint64_t lost = 0; lost < 8; lost++) {
        struct tcp_profile profile = plain_profile();
        struct net n;

        net_init(&n, &profile, RTT_NS);
        n.drop_up_plain = lost;
        tcp_connect(&n.client);
        while (!n.up_and_running)
            g_assert_true(event_queue_step(&n.queue));
        net_write(&n, &n.client, 117);
        while (!n.delivered_messages)
            g_assert_true(event_queue_step(&n.queue));
        net_write(&n, &n.server, 3 * MSS);
        net_drain(&n);
        g_assert_cmpuint(n.delivered_messages, ==, 2);
        g_assert_cmpuint(n.client.una, ==, 117);
        g_assert_cmpuint(n.server.una, ==, 3 * MSS);
        net_fini(&n);
    }
}

static const char *const SYSTEMS[] = {"linux",     "windows-xp", "windows-7",
                                      "windows-8", "windows-10", "freebsd"};

/* Ten segments in one flight, every pattern of loss among them, with and without SACK: all arrive, and nothing is sent twice without
 * need where SACK tells what is held, but for one tail probe. Without SACK a timeout sends again what is out. */
static void test_every_loss_in_the_last_window(void)
{
    for (size_t s = 0; s < 2 * G_N_ELEMENTS(SYSTEMS); s++) {
        for (uint64_t lost = 0; lost < 1 << 10; lost++) {
            struct tcp_profile profile = net_profile_of(SYSTEMS[s / 2]);
            uint64_t again, needed = 0;
            struct net n;

            for (int i = 0; i < 10; i++)
                needed += lost >> i & 1;
            profile.initial_window = 10;
            profile.sack = s % 2;
            profile.delayed_ack_ns = 40 * NS_PER_MS; /* else XP's comes after the timeout */
            net_init(&n, &profile, RTT_NS);
            n.drop_down_data = lost;
            send_from_server(&n, 10);
            again = route_counters(&n.down).retransmissions;
            g_assert_cmpuint(again, >=, needed);
            g_assert_cmpuint(again, <=, profile.sack ? needed + profile.rack : needed + 10);
            net_drain(&n);
            g_assert_cmpuint(n.delivered_messages, ==, 1);
            g_assert_cmpuint(tcp_in_flight(&n.server), ==, 0);
            g_assert_cmpuint(n.server.segments.count + n.server.messages.count + n.client.held_count, ==, 0);
            net_fini(&n);
        }
    }
}

/* A loss in a long transfer, then a tail probe and a timeout: when the copy goes on, the window has been reduced once for each episode and
 * never again when an ACK passes the probe. */
static void test_probe_is_forgotten_by_a_timeout(void)
{
    struct tcp_profile profile = net_profile_of("linux");
    struct net n;
    uint32_t threshold;

    profile.initial_window = 20;
    net_init(&n, &profile, 50 * NS_PER_MS);
    n.drop_down_data = 0x1fffff; /* the whole flight and the probe */
    net_connect(&n);
    net_write(&n, &n.server, 20 * n.server.mss);
    while (!n.received)
        g_assert_true(event_queue_step(&n.queue));
    threshold = n.server.cc.ssthresh;
    g_assert_cmpuint(threshold, ==, 20 * 717 / 1024);
    net_drain(&n);
    net_write(&n, &n.server, 40 * n.server.mss);
    net_drain(&n);
    g_assert_cmpuint(n.server.cc.ssthresh, ==, threshold);
    net_fini(&n);
}

/* ---- Linux's costs: 23 segments at once over 20 Mbit/s and 25 ms each way, in ms --------------------------------------------- */

static const double SEGMENT_MS = 1514 * 8e-3 / 20, ROUND_TRIP_MS = 50 + (1514 + 74) * 8e-3 / 20;

/* The answer's duration, from its first segment's arrival to its last one's. A request goes before it, so the client's ACKs ride or wait
 * as in any copy. */
static double linux_answer_ms(uint64_t lost)
{
    struct tcp_profile profile = net_profile_of("linux");
    struct network_profile network = plain_link(50 * NS_PER_MS);
    struct net n;
    double ms;

    network.down.rate_bps = network.up.rate_bps = 20000000;
    profile.initial_window = 23;
    net_init_on(&n, &profile, &network, 0);
    n.drop_down_data = lost;
    net_connect(&n);
    net_write(&n, &n.client, 117);
    while (!n.delivered_messages)
        g_assert_true(event_queue_step(&n.queue));
    net_write(&n, &n.server, 23 * n.server.mss);
    while (n.delivered_messages < 2)
        g_assert_true(event_queue_step(&n.queue));
    ms = (double)(n.delivered_ns - n.data_ns[0]) / 1e6;
    net_fini(&n);
    return ms;
}

static void check_answer(const char *what, uint64_t lost, double low_ms, double high_ms)
{
    double ms = linux_answer_ms(lost);

    g_test_message("%s: %.1f ms, %.1f to %.1f expected", what, ms, low_ms, high_ms);
    g_assert_cmpfloat(ms, >=, low_ms);
    g_assert_cmpfloat(ms, <=, high_ms);
}

/* RACK: three later segments prove a loss at once; one or two do after a quarter of the smallest RTT, and a timer's margin. */
static void test_linux_repairs_by_sack(void)
{
    double reorder_ms = ROUND_TRIP_MS / 4;

    check_answer("none lost", 0, 22 * SEGMENT_MS - 0.1, 22 * SEGMENT_MS + 0.1);
    check_answer("the 11th lost", 1 << 10, 13 * SEGMENT_MS + ROUND_TRIP_MS - 0.1,
                 13 * SEGMENT_MS + ROUND_TRIP_MS + 0.1);
    check_answer("the third from the end lost", 1 << 20, 22 * SEGMENT_MS + ROUND_TRIP_MS + reorder_ms,
                 22 * SEGMENT_MS + ROUND_TRIP_MS + reorder_ms + 6);
    check_answer("the second from the end lost", 1 << 21, 22 * SEGMENT_MS + ROUND_TRIP_MS + reorder_ms,
                 22 * SEGMENT_MS + ROUND_TRIP_MS + reorder_ms + 6);
}

/* The ACK of a repair shows that what left before it and hasn't come is lost: the end of the same burst, behind which nothing was that
 * could be SACKed. Seen on the real link as repairs a round trip apart; a timer would take 200 ms. */
static void test_linux_repair_shows_the_tail(void)
{
    const double first_repair = 7 * SEGMENT_MS + ROUND_TRIP_MS;

    check_answer("the 5th and the last lost", 1 << 4 | 1 << 22, first_repair + ROUND_TRIP_MS - 1,
                 first_repair + ROUND_TRIP_MS + 1);
    check_answer("the 5th and the last two lost", 1 << 4 | 3 << 21, first_repair + ROUND_TRIP_MS - 1,
                 first_repair + ROUND_TRIP_MS + 1 + SEGMENT_MS);
}

/* The tail: the probe comes 2 srtt + 2 ms after the last ACK, or srtt + 200 ms when one segment is out; its SACK proves the others lost, and
 * 1, 2, 4, ... of them go per round trip. srtt lies between the empty path's and what the burst's queue adds. Seen on the real link: 7
 * lost of 23 cost 382 ms against 64.5 ms without loss, 318 ms more. */
static void test_linux_repairs_the_tail(void)
{
    double queued = 22 * SEGMENT_MS;

    for (unsigned m = 1; m <= 7; m += 2) {
        g_autofree char *what = g_strdup_printf("the last %u lost", m);
        double last_ack = (22 - m) * SEGMENT_MS + ROUND_TRIP_MS / 2;
        double probe = m == 1 ? 200 + ROUND_TRIP_MS : 2 * ROUND_TRIP_MS + 2;
        double rounds = m == 1 ? 0.5 : m == 3 ? 2.5 : 3.5;

        check_answer(what, (UINT64_C(0x7fffff) << (23 - m)) & 0x7fffff,
                     last_ack + probe + rounds * ROUND_TRIP_MS - 1,
                     last_ack + probe + rounds * ROUND_TRIP_MS + (m == 1 ? queued : 2 * queued));
    }
    check_answer("as seen, the last 7 lost", 0x7f << 16, 0.96 * (22 * SEGMENT_MS + 318),
                 1.04 * (22 * SEGMENT_MS + 318));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/recovery/timeout-series", test_timeout_series);
    g_test_add_func("/recovery/timeout-series-of-linux", test_timeout_series_of_linux);
    g_test_add_func("/recovery/repeated-timeout-halves-once", test_repeated_timeout_halves_once);
    g_test_add_func("/recovery/no-rtt-sample-from-a-repair", test_no_rtt_sample_from_a_repair);
    g_test_add_func("/recovery/backoff-ends-with-a-sample", test_backoff_ends_with_a_sample);
    g_test_add_func("/recovery/lost-end-of-handshake", test_lost_end_of_handshake);
    g_test_add_func("/recovery/every-loss-in-the-last-window", test_every_loss_in_the_last_window);
    g_test_add_func("/recovery/probe-is-forgotten-by-a-timeout", test_probe_is_forgotten_by_a_timeout);
    g_test_add_func("/recovery/linux/by-sack", test_linux_repairs_by_sack);
    g_test_add_func("/recovery/linux/repair-shows-tail", test_linux_repair_shows_the_tail);
    g_test_add_func("/recovery/linux/tail", test_linux_repairs_the_tail);
    return g_test_run();
}
