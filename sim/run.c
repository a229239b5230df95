#include "sim/run.h"
#include "sim/link.h"
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
    struct link down, up;
    struct smb_connection *connections;
    size_t count;
    const struct sim_probe *probe;
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

/* ---- with a probe: each packet is shown before it is dealt with ------------------------------------------------ */

static void show(const struct sim *s, enum sim_place place, const struct packet *p)
{
    s->probe->on_packet(s->probe->self, place, s->queue.now_ns, p);
}

static void show_and_reach_client(void *owner, const struct packet *p)
{
    show(owner, SIM_CLIENT_RECEIVES, p);
    reach_client(owner, p);
}

static void show_and_reach_server(void *owner, const struct packet *p)
{
    show(owner, SIM_SERVER_RECEIVES, p);
    reach_server(owner, p);
}

static void show_from_client(void *owner, const struct packet *p)
{
    show(owner, SIM_CLIENT_SENDS, p);
}

static void show_from_server(void *owner, const struct packet *p)
{
    show(owner, SIM_SERVER_SENDS, p);
}

static void build_links(struct sim *s, const struct sim_setup *setup)
{
    const struct network_profile *n = setup->network;

    link_init(&s->down, &s->queue, n, &n->down, setup->seed, setup->run, "down/loss");
    link_init(&s->up, &s->queue, n, &n->up, setup->seed, setup->run, "up/loss");
    s->down.receive = s->probe ? show_and_reach_client : reach_client;
    s->up.receive = s->probe ? show_and_reach_server : reach_server;
    s->down.on_offer = s->probe ? show_from_server : NULL;
    s->up.on_offer = s->probe ? show_from_client : NULL;
    s->down.owner = s->up.owner = s;
}

static void build_connection(struct sim *s, const struct sim_setup *setup, size_t i,
                             struct sim_result *result)
{
    struct smb_connection *c = &s->connections[i];
    struct tcp_setup tcp = {
        .queue = &s->queue,
        .out = &s->up,
        .profile = setup->client_tcp,
        .peer_profile = setup->server_tcp,
        .connection = (uint16_t)i,
        .mtu_bytes = setup->network->mtu_bytes,
        .ip_header_bytes = setup->ip_header_bytes ? setup->ip_header_bytes : 20,
        .initiator = true,
    };

    tcp_init(&c->client_tcp, &tcp);
    tcp.out = &s->down;
    tcp.profile = setup->server_tcp;
    tcp.peer_profile = setup->client_tcp;
    tcp.initiator = false;
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
    result->down = s->down.counters;
    result->up = s->up.counters;
}

void sim_run(const struct sim_setup *setup, struct sim_result *result)
{
    struct sim s = {.count = setup->connection_count, .probe = setup->probe};

    g_assert(s.count > 0 && s.count <= UINT16_MAX);
    memset(result, 0, sizeof *result);
    event_queue_init(&s.queue);
    build_links(&s, setup);
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
    if (s.probe)
        s.probe->on_end(s.probe->self, s.queue.now_ns, result->failed);
    collect(&s, result);
    for (size_t i = 0; i < s.count; i++)
        smb_connection_fini(&s.connections[i]);
    g_free(s.connections);
    link_fini(&s.down);
    link_fini(&s.up);
    event_queue_fini(&s.queue);
}
