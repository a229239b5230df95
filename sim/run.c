#include "sim/run.h"
#include "sim/host.h"
#include "sim/route.h"
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
    struct route down, up;
    struct host client_host, server_host; /* stages between TCP and the paths, where they are needed */
    bool has_client_host, has_server_host;
    struct smb_disks disks;
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

static void reach_client_host(void *owner, const struct packet *p)
{
    host_receive(&((struct sim *)owner)->client_host, p);
}

static void reach_server_host(void *owner, const struct packet *p)
{
    host_receive(&((struct sim *)owner)->server_host, p);
}

static void send_through_host(void *owner, const struct packet *p)
{
    host_send(owner, p);
}

/* Puts a host between TCP and its two paths. */
static bool build_host(struct sim *s, struct host *h, const struct host_profile *profile,
                       void (*reach_tcp)(void *owner, const struct packet *p), struct route *out)
{
    struct tcp_path path = route_for_tcp(out);

    if (!profile || !host_is_needed(&profile->cpu, &profile->nic))
        return false;
    host_init(h, &s->queue, &profile->cpu, &profile->nic);
    h->receiving.receive = reach_tcp;
    h->receiving.owner = s;
    h->sending.receive = path.send;
    h->sending.owner = path.owner;
    return true;
}

static void build_hosts(struct sim *s, const struct sim_setup *setup)
{
    static const struct disk_profile none;

    s->has_client_host = build_host(s, &s->client_host, setup->client_host, reach_client, &s->up);
    s->has_server_host = build_host(s, &s->server_host, setup->server_host, reach_server, &s->down);
    if (s->has_client_host)
        link_receiver(route_last(&s->down), reach_client_host, s);
    if (s->has_server_host)
        link_receiver(route_last(&s->up), reach_server_host, s);
    disk_init(&s->disks.client, setup->client_host ? &setup->client_host->disk : &none);
    disk_init(&s->disks.server, setup->server_host ? &setup->server_host->disk : &none);
}

static struct tcp_path way_out(struct route *path, struct host *host, bool has_host)
{
    struct tcp_path t = route_for_tcp(path);

    if (has_host) {
        t.send = send_through_host;
        t.owner = host;
    }
    return t;
}

static void build_paths(struct sim *s, const struct sim_setup *setup)
{
    struct route_setup p = {
        .queue = &s->queue,
        .network = setup->network,
        .down = true,
        .seed = setup->seed,
        .run = setup->run,
        .receive = reach_client,
        .owner = s,
    };

    route_init(&s->down, &p);
    p.down = false;
    p.receive = reach_server;
    route_init(&s->up, &p);
}

static void build_connection(struct sim *s, const struct sim_setup *setup, size_t i,
                             struct sim_result *result)
{
    struct smb_connection *c = &s->connections[i];
    struct tcp_setup tcp = {
        .queue = &s->queue,
        .path = way_out(&s->up, &s->client_host, s->has_client_host),
        .profile = setup->client_tcp,
        .peer_profile = setup->server_tcp,
        .connection = (uint16_t)i,
        .mtu_bytes = setup->network->mtu_bytes,
        .ip_header_bytes = setup->ip_header_bytes ? setup->ip_header_bytes : 20,
    };

    tcp_init(&c->client_tcp, &tcp);
    tcp.path = way_out(&s->down, &s->server_host, s->has_server_host);
    tcp.profile = setup->server_tcp;
    tcp.peer_profile = setup->client_tcp;
    tcp_init(&c->server_tcp, &tcp);
    c->client_tcp.peer = &c->server_tcp;
    c->server_tcp.peer = &c->client_tcp;
    smb_connection_init(c, &s->queue, setup, &setup->connections[i], &s->disks, result);
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
    result->down = route_counters(&s->down);
    result->up = route_counters(&s->up);
    result->down.dropped_ring = s->client_host.dropped;
    result->up.dropped_ring = s->server_host.dropped;
}

void sim_run(const struct sim_setup *setup, struct sim_result *result)
{
    struct sim s = {.count = setup->connection_count};

    g_assert(s.count > 0 && s.count <= UINT16_MAX);
    memset(result, 0, sizeof *result);
    event_queue_init(&s.queue);
    build_paths(&s, setup);
    build_hosts(&s, setup);
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
    if (s.has_client_host)
        host_fini(&s.client_host);
    if (s.has_server_host)
        host_fini(&s.server_host);
    route_fini(&s.down);
    route_fini(&s.up);
    event_queue_fini(&s.queue);
}
