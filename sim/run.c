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
    struct path *paths;
    size_t path_count;
    struct smb_machines machines;
    struct smb_session *sessions;
    size_t session_count;
    struct smb_connection *connections; /* of all sessions */
    size_t count;
    const struct sim_probe *probe;
    const struct sim_sampler *sampler;
    struct event sampling;
    uint64_t samplings;
    const struct sim_result *result;
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

/* ---- building ------------------------------------------------------------------------------------------------------ */

size_t sim_connection_total(const struct sim_setup *setup)
{
    size_t sum = 0;

    for (size_t i = 0; i < setup->connection_count; i++)
        sum += 1 + setup->connections[i].further_count;
    return sum;
}

static void build_paths(struct sim *s, const struct sim_setup *setup)
{
    static const struct disk_profile none;

    s->path_count = 1 + setup->further_network_count;
    machine_init(&s->machines.client, setup->client_host, s->path_count);
    machine_init(&s->machines.server, setup->server_host, s->path_count);
    s->paths = g_new0(struct path, s->path_count);
    for (size_t i = 0; i < s->path_count; i++) {
        struct path_setup p = {
            .queue = &s->queue,
            .setup = setup,
            .number = i,
            .client = &s->machines.client,
            .server = &s->machines.server,
            .reach_client = reach_client,
            .reach_server = reach_server,
            .owner = s,
        };

        path_init(&s->paths[i], &p);
    }
    disk_init(&s->machines.client_disk, setup->client_host ? &setup->client_host->disk : &none);
    disk_init(&s->machines.server_disk, setup->server_host ? &setup->server_host->disk : &none);
}

static void build_connection(struct sim *s, const struct sim_setup *setup, size_t i, size_t network)
{
    struct smb_connection *c = &s->connections[i];
    struct tcp_setup tcp = {
        .queue = &s->queue,
        .path = path_of_client(&s->paths[network]),
        .profile = setup->client_tcp,
        .peer_profile = setup->server_tcp,
        .connection = (uint16_t)i,
        .mtu_bytes = sim_network(setup, network)->mtu_bytes,
        .ip_header_bytes = setup->ip_header_bytes ? setup->ip_header_bytes : 20,
        .initiator = true,
    };

    tcp_init(&c->client_tcp, &tcp);
    tcp.path = path_of_server(&s->paths[network]);
    tcp.profile = setup->server_tcp;
    tcp.peer_profile = setup->client_tcp;
    tcp.initiator = false;
    tcp_init(&c->server_tcp, &tcp);
    c->client_tcp.peer = &c->server_tcp;
    c->server_tcp.peer = &c->client_tcp;
}

static void build_sessions(struct sim *s, const struct sim_setup *setup, struct sim_result *result)
{
    size_t at = 0;

    s->connections = g_new0(struct smb_connection, s->count);
    s->sessions = g_new0(struct smb_session, s->session_count);
    for (size_t i = 0; i < s->session_count; i++) {
        const struct sim_connection *what = &setup->connections[i];

        for (size_t k = 0; k <= what->further_count; k++)
            build_connection(s, setup, at + k, k ? what->further[k - 1].network : 0);
        smb_session_init(&s->sessions[i], &s->queue, setup, what, &s->connections[at], &s->machines, result);
        at += 1 + what->further_count;
    }
}

/* Sessions are done. A request that nobody answers is done when it has left. */
static bool all_finished(const struct sim *s)
{
    for (size_t i = 0; i < s->session_count; i++) {
        const struct smb_session *k = &s->sessions[i];

        if (k->stage != SMB_DONE)
            return false;
        for (size_t n = 0; n < k->connection_count; n++) {
            const struct tcp *t = &k->connections[n].client_tcp;

            if (k->connections[n].usable && t->nxt < t->write_end)
                return false;
        }
    }
    return true;
}

/* ---- the series over time ------------------------------------------------------------------------------------------ */

static void take_sample(const struct sim *s)
{
    struct sim_sample sample = {.at_ns = s->queue.now_ns, .data_bytes = s->result->data_bytes};

    sample_connections(s->connections, s->count, &sample);
    sample_paths(s->paths, s->path_count, s->queue.now_ns, &sample);
    s->sampler->on_sample(s->sampler->self, &sample);
}

/* A run in which nothing else is left to happen stalls: the series doesn't keep it alive. */
static void sample_and_go_on(void *owner)
{
    struct sim *s = owner;

    s->samplings++;
    take_sample(s);
    if (s->queue.count)
        event_schedule(&s->queue, &s->sampling, s->queue.now_ns + s->sampler->every_ns);
}

/* ---- running ------------------------------------------------------------------------------------------------------- */

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

static void collect(const struct sim *s, const struct sim_setup *setup, struct sim_result *result)
{
    const struct smb_session *last = &s->sessions[0];
    int64_t first = INT64_MAX, still_ns;

    for (size_t i = 0; i < s->session_count; i++) {
        first = MIN(first, setup->connections[i].start_ns);
        if (s->sessions[i].end_ns > last->end_ns)
            last = &s->sessions[i];
    }
    still_ns = MAX(last->end_at->client_tcp.last_data_sent_ns - last->end_ns, 0);
    result->elapsed_ns = last->end_ns + still_ns - first;
    result->waits = last->end_waits;
    result->waits.ns[WAIT_TRANSMISSION] += still_ns;
    collect_server(s, result);
    /* The account of a session begins at 0, the run with its first frame. */
    result->waits.ns[first > NS_PER_S ? WAIT_IDLE : WAIT_CLIENT] -= first;
    result->events = s->queue.executed - s->samplings;
    for (size_t i = 0; i < s->path_count; i++)
        path_count(&s->paths[i], result);
}

static void clear(struct sim *s)
{
    for (size_t i = 0; i < s->session_count; i++)
        smb_session_fini(&s->sessions[i]);
    g_free(s->sessions);
    g_free(s->connections);
    for (size_t i = 0; i < s->path_count; i++)
        path_fini(&s->paths[i]);
    g_free(s->paths);
    machine_fini(&s->machines.client);
    machine_fini(&s->machines.server);
    event_queue_fini(&s->queue);
}

void sim_run(const struct sim_setup *setup, struct sim_result *result)
{
    struct sim s = {.session_count = setup->connection_count,
                    .count = sim_connection_total(setup),
                    .probe = setup->probe,
                    .sampler = setup->sampler,
                    .result = result};

    g_assert(s.count > 0 && s.count <= UINT16_MAX);
    memset(result, 0, sizeof *result);
    event_queue_init(&s.queue);
    build_paths(&s, setup);
    build_sessions(&s, setup, result);
    event_init(&s.sampling, sample_and_go_on, &s);
    if (s.sampler)
        event_schedule(&s.queue, &s.sampling, 0);
    while (!result->failed && !all_finished(&s)) {
        if (event_queue_step(&s.queue))
            continue;
        result->failed = true;
        result->failed_at_ns = s.queue.now_ns;
        g_strlcpy(result->fail_reason, "the copy stalls: both ends wait for each other",
                  sizeof result->fail_reason);
    }
    if (s.sampler)
        take_sample(&s);
    if (s.probe)
        s.probe->on_end(s.probe->self, s.queue.now_ns, result->failed);
    collect(&s, setup, result);
    clear(&s);
}
