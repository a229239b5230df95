#include "sim/path.h"

/* ---- with a probe: each packet is shown as TCP sends or receives it --------------------------------------------- */

static void show(const struct path *p, enum sim_place place, const struct packet *k)
{
    p->probe->on_packet(p->probe->self, place, p->queue->now_ns, k);
}

static void client_hears(void *owner, const struct packet *k)
{
    struct path *p = owner;

    show(p, SIM_CLIENT_RECEIVES, k);
    p->reach_client(p->owner, k);
}

static void server_hears(void *owner, const struct packet *k)
{
    struct path *p = owner;

    show(p, SIM_SERVER_RECEIVES, k);
    p->reach_server(p->owner, k);
}

static void client_says(void *owner, const struct packet *k)
{
    struct path *p = owner;

    show(p, SIM_CLIENT_SENDS, k);
    p->from_client.send(p->from_client.owner, k);
}

static void server_says(void *owner, const struct packet *k)
{
    struct path *p = owner;

    show(p, SIM_SERVER_SENDS, k);
    p->from_server.send(p->from_server.owner, k);
}

/* ---- building ------------------------------------------------------------------------------------------------------ */

static void to_client_host(void *owner, const struct packet *k)
{
    host_receive(&((struct path *)owner)->client_host, k);
}

static void to_server_host(void *owner, const struct packet *k)
{
    host_receive(&((struct path *)owner)->server_host, k);
}

static void through_host(void *owner, const struct packet *k)
{
    host_send(owner, k);
}

const struct network_profile *sim_network(const struct sim_setup *setup, size_t number)
{
    return number ? setup->further_networks[number - 1] : setup->network;
}

static void init_routes(struct path *p, const struct path_setup *s)
{
    struct route_setup r = {
        .queue = s->queue,
        .network = sim_network(s->setup, s->number),
        .number = s->number,
        .down = true,
        .seed = s->setup->seed,
        .run = s->setup->run,
        .receive = p->probe ? client_hears : p->reach_client,
        .owner = p->probe ? p : p->owner,
    };

    route_init(&p->down, &r);
    r.down = false;
    r.receive = p->probe ? server_hears : p->reach_server;
    route_init(&p->up, &r);
}

/* Puts a host between TCP and its two routes: it hears what `in` brings and says into `out`. */
static bool init_host(struct path *p, struct host *h, struct machine *machine, struct route *in,
                      struct route *out, const struct path_setup *s)
{
    const struct host_profile *profile = machine->profile;
    struct tcp_path path = route_for_tcp(out);
    const struct delay_line *wire = &route_last(in)->wire;

    if (!profile || !host_is_needed(&profile->cpu, &profile->nic))
        return false;
    host_init(h, s->queue, machine);
    h->receiving.receive = wire->receive;
    h->receiving.owner = wire->owner;
    h->sending.receive = path.send;
    h->sending.owner = path.owner;
    link_receiver(route_last(in), in == &p->down ? to_client_host : to_server_host, p);
    return true;
}

static struct tcp_path way_out(struct route *out, struct host *host, bool has_host)
{
    struct tcp_path t = route_for_tcp(out);

    if (has_host) {
        t.send = through_host;
        t.owner = host;
    }
    return t;
}

void path_init(struct path *p, const struct path_setup *s)
{
    *p = (struct path){
        .probe = s->setup->probe,
        .queue = s->queue,
        .reach_client = s->reach_client,
        .reach_server = s->reach_server,
        .owner = s->owner,
    };
    init_routes(p, s);
    p->has_client_host = init_host(p, &p->client_host, s->client, &p->down, &p->up, s);
    p->has_server_host = init_host(p, &p->server_host, s->server, &p->up, &p->down, s);
    p->from_client = way_out(&p->up, &p->client_host, p->has_client_host);
    p->from_server = way_out(&p->down, &p->server_host, p->has_server_host);
}

void path_fini(struct path *p)
{
    if (p->has_client_host)
        host_fini(&p->client_host);
    if (p->has_server_host)
        host_fini(&p->server_host);
    route_fini(&p->down);
    route_fini(&p->up);
}

static struct tcp_path with_probe(struct path *p, struct tcp_path t,
                                  void (*say)(void *owner, const struct packet *k))
{
    if (p->probe) {
        t.send = say;
        t.owner = p;
    }
    return t;
}

struct tcp_path path_of_client(struct path *p)
{
    return with_probe(p, p->from_client, client_says);
}

struct tcp_path path_of_server(struct path *p)
{
    return with_probe(p, p->from_server, server_says);
}

static void add(struct sim_direction_counters *to, const struct route *r, uint64_t dropped_ring)
{
    struct sim_direction_counters c = route_counters(r);

    to->packets += c.packets;
    to->data_packets += c.data_packets;
    to->bytes += c.bytes;
    to->dropped_queue += c.dropped_queue;
    to->dropped_loss += c.dropped_loss;
    to->dropped_ring += dropped_ring;
    to->retransmissions += c.retransmissions;
}

void path_count(const struct path *p, struct sim_result *result)
{
    add(&result->down, &p->down, p->has_client_host ? p->client_host.dropped : 0);
    add(&result->up, &p->up, p->has_server_host ? p->server_host.dropped : 0);
}
