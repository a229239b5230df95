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
    const struct sim_probe *probe;
    struct tcp_path client_way, server_way; /* out of the two ends, behind the probe */
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

/* ---- with a probe: each packet is shown as TCP sends or receives it --------------------------------------------- */

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

static void show_and_leave_client(void *owner, const struct packet *p)
{
    struct sim *s = owner;

    show(s, SIM_CLIENT_SENDS, p);
    s->client_way.send(s->client_way.owner, p);
}

static void show_and_leave_server(void *owner, const struct packet *p)
{
    struct sim *s = owner;

    show(s, SIM_SERVER_SENDS, p);
    s->server_way.send(s->server_way.owner, p);
}

/* ---- building ------------------------------------------------------------------------------------------------------ */

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

    s->has_client_host = build_host(s, &s->client_host, setup->client_host,
                                    s->probe ? show_and_reach_client : reach_client, &s->up);
    s->has_server_host = build_host(s, &s->server_host, setup->server_host,
                                    s->probe ? show_and_reach_server : reach_server, &s->down);
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
        .receive = s->probe ? show_and_reach_client : reach_client,
        .owner = s,
    };

    route_init(&s->down, &p);
    p.down = false;
    p.receive = s->probe ? show_and_reach_server : reach_server;
    route_init(&s->up, &p);
}

/* The paths as the TCP ends see them. */
static void build_ways(struct sim *s, struct tcp_path *from_client, struct tcp_path *from_server)
{
    *from_client = s->client_way = way_out(&s->up, &s->client_host, s->has_client_host);
    *from_server = s->server_way = way_out(&s->down, &s->server_host, s->has_server_host);
    if (!s->probe)
        return;
    from_client->send = show_and_leave_client;
    from_server->send = show_and_leave_server;
    from_client->owner = from_server->owner = s;
}

static void build_connection(struct sim *s, const struct sim_setup *setup, size_t i,
                             struct sim_result *result)
{
    struct smb_connection *c = &s->connections[i];
    struct tcp_path from_client, from_server;
    struct tcp_setup tcp = {
        .queue = &s->queue,
        .profile = setup->client_tcp,
        .peer_profile = setup->server_tcp,
        .connection = (uint16_t)i,
        .mtu_bytes = setup->network->mtu_bytes,
        .ip_header_bytes = setup->ip_header_bytes ? setup->ip_header_bytes : 20,
        .initiator = true,
    };

    build_ways(s, &from_client, &from_server);
    tcp.path = from_client;
    tcp_init(&c->client_tcp, &tcp);
    tcp.path = from_server;
    tcp.profile = setup->server_tcp;
    tcp.peer_profile = setup->client_tcp;
    tcp.initiator = false;
    tcp_init(&c->server_tcp, &tcp);
    c->client_tcp.peer = &c->server_tcp;
    c->server_tcp.peer = &c->client_tcp;
    smb_connection_init(c, &s->queue, setup, &setup->connections[i], &s->disks, result);
}

static bool all_finished(const struct sim *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct smb_connection *c = &s->connections[i];

        /* A request that nobody answers is done when it has left. */
        if (!c->finished || c->client_tcp.nxt < c->client_tcp.write_end)
            return false;
    }
    return true;
}

/* The last payload frame that an end has seen. */
static int64_t last_payload_ns(const struct tcp *t)
{
    return MAX(t->last_data_sent_ns, t->last_data_received_ns);
}

static void collect_server(const struct sim *s, struct sim_result *result)
{
    int64_t first = INT64_MAX, last = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct tcp *t = &s->connections[i].server_tcp;

        if (t->state == TCP_CLOSED)
            continue;
        first = MIN(first, t->first_syn_ns);
        last = MAX(last, last_payload_ns(t));
    }
    result->server_elapsed_ns = MAX(last - first, 0);
}

static void collect(const struct sim *s, struct sim_result *result)
{
    const struct smb_connection *last = &s->connections[0];
    int64_t first = INT64_MAX, still_ns;

    for (size_t i = 0; i < s->count; i++) {
        first = MIN(first, s->connections[i].start_ns);
        if (s->connections[i].end_ns > last->end_ns)
            last = &s->connections[i];
    }
    still_ns = MAX(last->client_tcp.last_data_sent_ns - last->end_ns, 0);
    result->elapsed_ns = last->end_ns + still_ns - first;
    result->waits = last->end_waits;
    result->waits.ns[WAIT_TRANSMISSION] += still_ns;
    collect_server(s, result);
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
    struct sim s = {.count = setup->connection_count, .probe = setup->probe};

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
    if (s.probe)
        s.probe->on_end(s.probe->self, s.queue.now_ns, result->failed);
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
