/* One replication: builds hosts and links from profiles, runs the workload, and reports.
 *
 * Deterministic: equal setups give equal results to the bit. Everything hangs off one struct sim (sim/sim.h); two runs
 * may go on in two threads. A run can't fail as an operation: a copy that doesn't end is a result (`fails`). */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "sim/probe.h"
#include "sim/profile.h"
#include "sim/sample.h"
#include "sim/workload.h"

#include <stdbool.h>
#include <stdint.h>

/* Where time goes: DESIGN.md's breakdown, in the order in which overlaps are decided. */
enum wait_kind {
    WAIT_LOSS_RECOVERY,
    WAIT_PACKET_CAP,
    WAIT_TCP_WINDOW,
    WAIT_TRANSMISSION,
    WAIT_SERVER,
    WAIT_CLIENT,
    WAIT_ROUND_TRIPS,
    WAIT_IDLE,
    WAIT_KINDS
};

/* "loss_recovery", ...: the names in JSON. */
extern const char *const WAIT_NAMES[WAIT_KINDS];

struct waits {
    int64_t ns[WAIT_KINDS];
};

/* The kind that holds most, by name. */
const char *waits_largest(const struct waits *w);

/* A further connection of a session: SMB 3's multichannel. */
struct sim_further {
    size_t network;                /* which of the setup's it goes over */
    struct exchange_source source; /* what sets it up; then all of the session's workers use it */
};

/* A session: what one client does with a server. `source` goes first, by itself. When all that it issued is answered, the workers
 * go on side by side; when theirs is, `last`. Workers and `last` may be missing. A further connection begins with the first
 * read or write. */
struct sim_connection {
    int64_t start_ns;
    struct exchange_source source;
    const struct exchange_source *workers;
    size_t worker_count;
    struct exchange_source last;
    const struct sim_further *further;
    size_t further_count;
};

struct sim_setup {
    const struct network_profile *network;
    const struct tcp_profile *client_tcp;
    const struct tcp_profile *server_tcp;
    const struct server_profile *server; /* NULL when every exchange is EXCHANGE_SERVER_TIMED */
    const struct host_profile *client_host, *server_host; /* NULL: work and disks cost nothing */
    const struct network_profile *const
        *further_networks; /* the networks 1 and so on, which sim_further names */
    size_t further_network_count;
    int64_t credits;            /* that the client asks for on a connection; 0: none are counted */
    int64_t most_outstanding;   /* requests on a connection; 0: no limit */
    int64_t request_timeout_ns; /* 0: the client waits for ever */
    const struct sim_connection *connections;
    size_t connection_count;
    uint32_t ip_header_bytes; /* 20 (the default for 0) or 40 */
    uint64_t seed, run;       /* of the random streams */
    /* Called at each completion, unless NULL. */
    void (*on_exchange)(void *observer, const struct exchange *e, int64_t issued_ns, int64_t done_ns);
    void *observer;
    const struct sim_probe *probe;     /* NULL: none */
    const struct sim_sampler *sampler; /* NULL: none */
};

struct sim_direction_counters {
    uint64_t packets, data_packets, bytes; /* IP bytes offered to the link */
    uint64_t dropped_queue, dropped_loss;
    uint64_t dropped_ring; /* by the receiving adapter */
    uint64_t retransmissions;
};

struct sim_result {
    int64_t
        elapsed_ns; /* first frame to last frame with TCP payload, as seen at the client; or until it gives up */
    int64_t server_elapsed_ns; /* the same as seen at the server, whose first frame is a SYN that arrived */
    int64_t handshake_ns;      /* of the first connection */
    struct waits waits;        /* sum to elapsed_ns */
    uint64_t exchanges;
    uint64_t data_bytes; /* file data moved */
    uint64_t events;
    struct sim_direction_counters down, up;
    bool failed;
    int64_t failed_at_ns;
    char fail_reason[160];
};

void sim_run(const struct sim_setup *setup, struct sim_result *result);

/* The network of that number: 0 is the setup's first. View. */
const struct network_profile *sim_network(const struct sim_setup *setup, size_t number);
/* TCP connections of all sessions, further ones included. They are numbered session by session. */
size_t sim_connection_total(const struct sim_setup *setup);

#endif
