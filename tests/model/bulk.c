/* One bulk TCP transfer in the simulator, for comparison with other implementations: the client connects and sends. Prints, one line a run,
 * the seconds from the first SYN to the last byte at the server, and those from the first data at the server.
 *
 * Usage: bulk RATE_BPS RTT_US QUEUE_BYTES LOSS BYTES CONTROL RUNS THRESHOLD [COUNTS]
 * CONTROL: linux (the shipped profile), cubic, reno (segments counted), newreno (ACKs counted); the last three are Linux's values without
 * RACK, which ns-3 lacks, and without quick ACKs. Queue and loss are those of the direction of the data. THRESHOLD: segments at
 * which slow start ends, 0: unknown at first, as usual. COUNTS: ip (default), ethernet. */
#include "tests/model/net.h"

#include <stdio.h>
#include <stdlib.h>

static struct tcp_profile profile_of(const char *control)
{
    struct tcp_profile p = *tcp_profile_of(0);

    p.receive_window_bytes = 1 << 28;
    p.autotuning = TCP_WINDOW_FIXED;
    if (g_str_equal(control, "linux"))
        return p;
    p.rack = false;
    p.quick_acks = 0;
    p.congestion = g_str_equal(control, "cubic") ? TCP_CUBIC : TCP_NEWRENO;
    p.growth_limit = g_str_equal(control, "newreno");
    return p;
}

static void transfer(const struct tcp_profile *p, const struct network_profile *network, uint64_t bytes,
                     uint32_t threshold, uint64_t run)
{
    struct net n;
    uint64_t messages = 0;

    net_init_on(&n, p, network, run);
    if (threshold)
        n.client.cc.ssthresh = threshold;
    tcp_connect(&n.client);
    while (!n.up_and_running)
        g_assert_true(event_queue_step(&n.queue));
    for (uint64_t left = bytes, part; left; left -= part, messages++) {
        part = MIN(left, 1 << 30);
        net_write(&n, &n.client, (uint32_t)part);
    }
    while (n.delivered_messages < messages)
        g_assert_true(event_queue_step(&n.queue));
    printf("%.6f %.6f\n", units_seconds(n.delivered_ns), units_seconds(n.delivered_ns - n.first_up_data_ns));
    net_fini(&n);
}

int main(int argc, char **argv)
{
    struct network_profile network;
    struct tcp_profile profile;

    if (argc < 9) {
        fprintf(stderr,
                "usage: bulk RATE_BPS RTT_US QUEUE_BYTES LOSS BYTES CONTROL RUNS THRESHOLD [COUNTS]\n");
        return 2;
    }
    network = plain_link(atoll(argv[2]) * 1000);
    network.counts =
        argc > 9 && g_str_equal(argv[9], "ethernet") ? NETWORK_COUNTS_ETHERNET : NETWORK_COUNTS_IP;
    network.down.rate_bps = network.up.rate_bps = atoll(argv[1]);
    network.up.queue_bytes = atoll(argv[3]);
    network.up.loss = atof(argv[4]);
    profile = profile_of(argv[6]);
    for (uint64_t run = 0; run < (uint64_t)atoll(argv[7]); run++)
        transfer(&profile, &network, (uint64_t)atoll(argv[5]), (uint32_t)atoi(argv[8]), run);
    return 0;
}
