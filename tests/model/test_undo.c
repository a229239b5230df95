/* What was late and not lost: spurious timeouts and repairs are found out and cost no window; real losses still do. */
#include "tests/model/net.h"

enum { RTT_NS = 100 * NS_PER_MS, FLIGHT = 10 };

struct outcome {
    uint32_t ssthresh, cwnd;
    uint64_t retransmissions;
};

/* Ten segments in one flight, of which some are late or lost, and `more` segments behind them; when all have arrived: the
 * sender's state. */
static struct outcome send_flight(const struct tcp_profile *profile, uint64_t late, int64_t until_ns,
                                  uint64_t lost, unsigned more)
{
    struct outcome o;
    struct net n;

    net_init(&n, profile, RTT_NS);
    n.late_down_data = late;
    n.drop_down_data = lost;
    net_connect(&n);
    n.late_until_ns = n.queue.now_ns + until_ns;
    net_write(&n, &n.server, (FLIGHT + more) * n.server.mss);
    net_drain(&n);
    g_assert_cmpuint(n.server.una, ==, (FLIGHT + more) * n.server.mss);
    o = (struct outcome){n.server.cc.ssthresh, n.server.cc.cwnd, route_counters(&n.down).retransmissions};
    net_fini(&n);
    return o;
}

static struct tcp_profile flight_profile(void)
{
    struct tcp_profile p = plain_profile();

    p.initial_window = FLIGHT;
    return p;
}

/* ---- F-RTO -------------------------------------------------------------------------------------------------------------- */

/* Nothing arrives for a second, and then all at once: the timeout is spurious. With F-RTO the head alone goes twice (or three times: the timeout is 0.3 s, doubled
 * once), and the window is as if nothing had been; without, the flight goes again and the threshold is half of it. An ACK for each segment
 * leaves the first one undecided (step 2.b), an ACK for two decides at once. */
static void test_spurious_timeout(void)
{
    for (int every = 1; every <= 2; every++) {
        struct tcp_profile profile = flight_profile();
        struct outcome with, without;

        profile.ack_every = every;
        without = send_flight(&profile, UINT64_MAX, NS_PER_S, 0, 30);
        profile.frto = true;
        with = send_flight(&profile, UINT64_MAX, NS_PER_S, 0, 30);
        g_assert_cmpuint(without.ssthresh, ==, FLIGHT / 2);
        g_assert_cmpuint(without.retransmissions, >=, FLIGHT);
        g_assert_cmpuint(with.ssthresh, ==, TCP_CC_NO_THRESHOLD);
        g_assert_cmpuint(with.cwnd, >=, FLIGHT);
        g_assert_cmpuint(with.retransmissions, <=, 2);
    }
}

/* The flight is lost: the same look at the first ACKs finds nothing that was sent once, and the reduction stays. Two segments of the flight have arrived
 * before, or none. */
static void test_real_timeout(void)
{
    for (int every = 1; every <= 2; every++) {
        for (int arrived = 0; arrived <= 2; arrived += 2) {
            struct tcp_profile profile = flight_profile();
            uint64_t lost = (UINT64_C(1) << (FLIGHT - arrived)) - 1;
            struct outcome with, without;

            profile.ack_every = every;
            without = send_flight(&profile, 0, 0, lost, 30);
            profile.frto = true;
            with = send_flight(&profile, 0, 0, lost, 30);
            g_assert_cmpuint(with.ssthresh, ==, FLIGHT / 2);
            g_assert_cmpuint(without.ssthresh, ==, FLIGHT / 2);
            g_assert_cmpuint(with.retransmissions, >=, FLIGHT - (unsigned)arrived);
            g_assert_cmpuint(with.retransmissions, <=, without.retransmissions);
        }
    }
}

/* ---- Eifel and DSACK ------------------------------------------------------------------------------------------------------- */

/* The second segment comes 20 ms late, so three later ones are SACKed before it and it goes again. The original's ACK
 * echoes a timestamp from before the repair; without timestamps the repair's DSACK tells, a round trip later. Either takes the
 * reduction back; a system without the rule keeps it. */
static void test_late_segment(void)
{
    for (int timestamps = 0; timestamps < 2; timestamps++) {
        for (int dsack = 0; dsack < 2; dsack++) {
            struct tcp_profile profile = flight_profile();
            struct outcome o;

            profile.timestamps = timestamps;
            profile.dsack = dsack;
            o = send_flight(&profile, 2, 70 * NS_PER_MS, 0, 30);
            g_assert_cmpuint(o.retransmissions, ==, 1);
            g_assert_cmpuint(o.ssthresh, ==, FLIGHT / 2);
            profile.undo = true;
            o = send_flight(&profile, 2, 70 * NS_PER_MS, 0, 30);
            g_assert_cmpuint(o.retransmissions, ==, 1);
            g_assert_cmpuint(o.ssthresh, ==, timestamps || dsack ? TCP_CC_NO_THRESHOLD : FLIGHT / 2);
        }
    }
}

/* Every set of real losses in a flight costs Linux its 0.7 once, whatever else the ACKs look like. The last segment arrives, so that none is
 * a probe's business. */
static void test_real_losses(void)
{
    struct tcp_profile profile = net_profile_of("linux");

    for (uint64_t lost = 1; lost < 1 << (FLIGHT - 1); lost++) {
        struct outcome o = send_flight(&profile, 0, 0, lost, 0);

        g_assert_cmpuint(o.ssthresh, >=, 7);
        g_assert_cmpuint(o.ssthresh, <=, 2 * 7); /* ACKs before the loss may have grown the window */
    }
}

/* ---- RACK's waiting ------------------------------------------------------------------------------------------------------------ */

/* One in a hundred segments is overtaken by 40 ms, more than a quarter of the round trip. Each DSACK adds a quarter to what RACK waits, so after
 * two of them nothing goes twice without need; without adaptation every late segment does. */
static uint64_t repairs_on_a_reordering_path(bool adapts, uint32_t *steps)
{
    struct tcp_profile profile = net_profile_of("linux");
    struct network_profile network = plain_link(RTT_NS);
    struct net n;
    uint64_t repairs;

    profile.undo = adapts;
    network.down.reordering = (struct network_reordering){.share = 0.01, .delay_ns = 40 * NS_PER_MS};
    net_init_on(&n, &profile, &network, 0);
    send_from_server(&n, 10000);
    repairs = route_counters(&n.down).retransmissions;
    *steps = n.server.reorder_steps;
    net_fini(&n);
    return repairs;
}

static void test_reordering(void)
{
    uint32_t steps;
    uint64_t without = repairs_on_a_reordering_path(false, &steps), with;

    g_assert_cmpuint(steps, ==, 1);
    with = repairs_on_a_reordering_path(true, &steps);
    g_test_message("10,000 segments, a hundredth late: %u needless repairs, %u with adaptation",
                   (unsigned)without, (unsigned)with);
    g_assert_cmpuint(without, >=, 80);
    g_assert_cmpuint(with, <=, 20);
    g_assert_cmpuint(steps, ==, 2);
}

/* A longer wait is held for 16 recoveries. */
static void test_waiting_ends(void)
{
    struct tcp_profile profile = net_profile_of("linux");
    struct net n;

    net_init(&n, &profile, RTT_NS);
    net_connect(&n);
    n.server.reorder_steps = 5;
    n.server.reorder_persist = 16;
    for (unsigned i = 1; i <= 16; i++) {
        g_assert_cmpuint(n.server.reorder_steps, ==, 5);
        n.drop_seq = n.server.nxt + n.server.mss;
        net_write(&n, &n.server, 8 * n.server.mss);
        net_drain(&n);
        g_assert_cmpuint(route_counters(&n.down).retransmissions, ==, i);
    }
    g_assert_cmpuint(n.server.reorder_steps, ==, 1);
    net_fini(&n);
}

static void keep_packet(void *owner, const struct packet *p)
{
    *(struct packet *)owner = *p;
}

/* RFC 2883 4.1: what came twice is the first block, here below the acknowledgement. */
static void test_blocks(void)
{
    struct tcp_profile profile = plain_profile();
    struct packet again = {.flags = PACKET_ACK, .payload_bytes = MSS, .ip_bytes = MSS + 40, .seq = MSS};
    struct packet ack = {0};
    struct net n;

    profile.dsack = true;
    net_init(&n, &profile, RTT_NS);
    net_connect(&n);
    net_write(&n, &n.server, 4 * MSS);
    net_drain(&n);
    n.client.path = (struct tcp_path){.send = keep_packet, .owner = &ack, .bottleneck_bps = 1};
    tcp_receive(&n.client, &again);
    g_assert_cmpuint(ack.ack, ==, 4 * MSS);
    g_assert_cmpuint(ack.sack_count, ==, 1);
    g_assert_cmpuint(ack.flags & PACKET_DUPLICATE, !=, 0);
    g_assert_cmpint(ack.sack[0][0], ==, -3 * MSS);
    g_assert_cmpint(ack.sack[0][1], ==, -2 * MSS);
    g_assert_cmpuint(ack.ip_bytes, ==, 40 + 12);
    net_fini(&n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/undo/spurious-timeout", test_spurious_timeout);
    g_test_add_func("/undo/real-timeout", test_real_timeout);
    g_test_add_func("/undo/late-segment", test_late_segment);
    g_test_add_func("/undo/real-losses", test_real_losses);
    g_test_add_func("/undo/reordering", test_reordering);
    g_test_add_func("/undo/waiting-ends", test_waiting_ends);
    g_test_add_func("/undo/blocks", test_blocks);
    return g_test_run();
}
