#include "sim/run.h"
#include "sim/path.h"
#include "sim/smb.h"
#include "base/units.h"

#include <string.h>

const char *const WAIT_NAMES[WAIT_KINDS] = {
    [WAIT_LOSS_RECOVERY] = "loss_recovery",
    [WAIT_PACKET_CAP] = "packet_cap",
    [WAIT_TCP_WINDOW] = "tcp_window",
    [WAIT_TRANSMISSION] = "transmission",
    [WAIT_SERVER] = "server",
    [WAIT_CLIENT] = "client",
    [WAIT_ROUND_TRIPS] = "round_trips",
    [WAIT_IDLE] = "idle",
};

const char *waits_largest(const struct waits *w)
{
    int best = 0;

    for (int k = 1; k < WAIT_KINDS; k++) {
        if (w->ns[k] > w->ns[best])
            best = k;
    }
    return WAIT_NAMES[best];
}

struct sim {
    struct event_queue queue;
    struct path down, up;
    struct smb_connection *connections;
    size_t count;
};

static void reach_client(void *owner, const struct packet *p)
{
    struct sim *s = owner;

    tcp_receive(&s->connections[p->connection].client_tcp, p);
}

static void reach_server(void *owner, const struct packet *p)
{
    struct sim *s = owner;

    tcp_receive(&s->connections[p->connection].server_tcp, p);
}

static void build_paths(struct sim *s, const struct sim_setup *setup)
{
    struct path_setup p = {
        .queue = &s->queue,
        .network = setup->network,
        .down = true,
        .seed = setup->seed,
        .run = setup->run,
        .receive = reach_client,
        .owner = s,
    };

    path_init(&s->down, &p);
    p.down = false;
    p.receive = reach_server;
    path_init(&s->up, &p);
}

static void build_connection(struct sim *s, const struct sim_setup *setup, size_t i,
                             struct sim_result *result)
{
    struct smb_connection *c = &s->connections[i];
    struct tcp_setup tcp = {
        .queue = &s->queue,
        .path = path_for_tcp(&s->up),
        .profile = setup->client_tcp,
        .peer_profile = setup->server_tcp,
        .connection = (uint16_t)i,
        .mtu_bytes = setup->network->mtu_bytes,
        .ip_header_bytes = setup->ip_header_bytes ? setup->ip_header_bytes : 20,
    };

    tcp_init(&c->client_tcp, &tcp);
    tcp.path = path_for_tcp(&s->down);
    tcp.profile = setup->server_tcp;
    tcp.peer_profile = setup->client_tcp;
    tcp_init(&c->server_tcp, &tcp);
    c->client_tcp.peer = &c->server_tcp;
    c->server_tcp.peer = &c->client_tcp;
    smb_connection_init(c, &s->queue, setup, &setup->connections[i], result);
}

static bool all_finished(const struct sim *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!s->connections[i].finished)
            return false;
    }
    return true;
}

static void collect(const struct sim *s, struct sim_result *result)
{
    const struct smb_connection *last = &s->connections[0];
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < s->count; i++) {
        first = MIN(first, s->connections[i].start_ns);
        if (s->connections[i].end_ns > last->end_ns)
            last = &s->connections[i];
    }
    result->elapsed_ns = last->end_ns - first;
    result->waits = last->end_waits;
    /* The account of a connection begins at 0, the run with its first frame. */
    result->waits.ns[first > NS_PER_S ? WAIT_IDLE : WAIT_CLIENT] -= first;
    result->events = s->queue.executed;
    result->down = path_counters(&s->down);
    result->up = path_counters(&s->up);
}

void sim_run(const struct sim_setup *setup, struct sim_result *result)
{
    struct sim s = {.count = setup->connection_count};

    g_assert(s.count > 0 && s.count <= UINT16_MAX);
    memset(result, 0, sizeof *result);
    event_queue_init(&s.queue);
    build_paths(&s, setup);
    s.connections = g_new0(struct smb_connection, s.count);
    for (size_t i = 0; i < s.count; i++)
        build_connection(&s, setup, i, result);
    while (!result->failed && !all_finished(&s)) {
        if (event_queue_step(&s.queue))
            continue;
        result->failed = true;
        result->failed_at_ns = s.queue.now_ns;
        g_strlcpy(result->fail_reason, "the copy stalls: both ends wait for each other",
                  sizeof result->fail_reason);
    }
    collect(&s, result);
    for (size_t i = 0; i < s.count; i++)
        smb_connection_fini(&s.connections[i]);
    g_free(s.connections);
    path_fini(&s.down);
    path_fini(&s.up);
    event_queue_fini(&s.queue);
}
