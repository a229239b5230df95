/* Speed of the simulator: one bulk SMB copy over a clean fast link. Prints data segments and events per second of processor
 * time; each segment and each ACK has an arrival of its own. Usage: bench_sim [GIGABYTES] [RATE_MBIT] [RTT_US]. */
#include "sim/command.h"
#include "sim/run.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct bulk {
    uint64_t left, issued;
};

enum { BLOCK = 1 << 20, DEPTH = 8 };

static bool next(void *self, int64_t now_ns, struct exchange *out)
{
    struct bulk *b = self;

    (void)now_ns;
    if (!b->left)
        return false;
    b->left--;
    *out = (struct exchange){.request_bytes = 117,
                             .response_bytes = 84 + BLOCK,
                             .data_bytes = BLOCK,
                             .command = SMB2_READ,
                             .flags = EXCHANGE_SERVER_TIMED,
                             .after = b->issued >= DEPTH ? DEPTH : 0};
    b->issued++;
    return true;
}

int main(int argc, char **argv)
{
    double gigabytes = argc > 1 ? atof(argv[1]) : 4;
    double rate_mbit = argc > 2 ? atof(argv[2]) : 1000;
    double rtt_us = argc > 3 ? atof(argv[3]) : 200;
    struct bulk bulk = {.left = (uint64_t)(gigabytes * 1e9 / BLOCK)};
    struct network_profile n;
    struct sim_connection c = {.source = {next, &bulk}};
    struct sim_setup setup = {.network = &n,
                              .client_tcp = tcp_profile_of(0),
                              .server_tcp = tcp_profile_of(0),
                              .connections = &c,
                              .connection_count = 1};
    struct sim_result r;
    clock_t begin;
    double cpu_s, segments;

    network_profile_init(&n);
    n.rtt_ns = (int64_t)(rtt_us * 1e3);
    n.down = n.up = (struct network_direction){.rate_bps = (int64_t)(rate_mbit * 1e6), .queue_bytes = 512000};
    begin = clock();
    sim_run(&setup, &r);
    cpu_s = (double)(clock() - begin) / CLOCKS_PER_SEC;
    segments = (double)(r.down.data_packets + r.up.data_packets);
    printf("%.2f GB in %.2f simulated s, %.3f s of processor time\n", gigabytes, units_seconds(r.elapsed_ns),
           cpu_s);
    printf("data segments %.0f (%.2f million/s), ACKs %.0f, events %.0f (%.1f million/s)\n", segments,
           segments / cpu_s / 1e6, (double)(r.down.packets + r.up.packets) - segments, (double)r.events,
           (double)r.events / cpu_s / 1e6);
    printf("retransmissions %.0f, dropped by the queue %.0f\n", (double)r.down.retransmissions,
           (double)r.down.dropped_queue);
    return r.failed;
}
