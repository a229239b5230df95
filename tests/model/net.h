/* Two TCP ends over two links, without SMB. The test writes messages, drops chosen packets on arrival, and watches: every
 * arrival of data at the client and the state of the server after each packet that it received. Header only. The client
 * connects; the server is the sender of most tests. Ends on a link with a rate that divides evenly, unless told. */
#ifndef TESTS_MODEL_NET_H
#define TESTS_MODEL_NET_H

#include "sim/route.h"
#include "sim/tcp.h"
#include "base/units.h"

#include <glib.h>

enum { MSS = 1460, NET_WATCHED = 4096 };

/* A packet that comes late. */
struct net_late {
    struct event event;
    struct packet packet;
    struct net *net;
};

struct net {
    struct event_queue queue;
    struct network_profile profile;
    struct route up, down;
    struct tcp client, server;
    /* what is dropped: bit i means the i-th of its kind, in the order of arrival */
    uint64_t drop_down_data; /* data packets towards the client */
    uint64_t drop_syn;       /* the client's SYNs */
    uint64_t drop_up_plain;  /* packets towards the server that aren't SYNs */
    uint64_t
        drop_seq; /* the first transmission of the segment at this offset of the server's stream; 0: none */
    /* data packets towards the client that arrive no sooner than then, others perhaps before them */
    uint64_t late_down_data;
    int64_t late_until_ns;
    struct net_late late[64];
    unsigned down_data, syns, up_plain;
    uint64_t down_packets, up_packets; /* that arrived, dropped ones included */

    unsigned pure_acks;       /* towards the server */
    int64_t first_up_data_ns; /* arrival of the first data at the server */
    int64_t delivered_ns;
    uint64_t delivered_messages;
    int64_t data_ns[NET_WATCHED]; /* arrival of the i-th data packet at the client, dropped ones left out */
    uint64_t data_seq[NET_WATCHED];
    unsigned received;
    bool up_and_running;
    /* Called after the server has dealt with a packet, unless NULL. */
    void (*after_ack)(struct net *n);
    void *self;
};

static inline bool net_drops(uint64_t mask, unsigned i)
{
    return i < 64 && mask >> i & 1;
}

static void net_arrive(struct net *n, const struct packet *p)
{
    if (p->payload_bytes) {
        if (n->received < NET_WATCHED) {
            n->data_seq[n->received] = p->seq;
            n->data_ns[n->received++] = n->queue.now_ns;
        }
    }
    tcp_receive(&n->client, p);
}

static void net_arrive_late(void *owner)
{
    struct net_late *late = owner;

    net_arrive(late->net, &late->packet);
}

static void net_to_client(void *owner, const struct packet *p)
{
    struct net *n = owner;

    n->down_packets++;
    if (p->payload_bytes) {
        unsigned i = n->down_data++;

        if (net_drops(n->drop_down_data, i) ||
            (n->drop_seq && p->seq == n->drop_seq && !(p->flags & PACKET_RETRANSMISSION)))
            return;
        if (net_drops(n->late_down_data, i) && n->queue.now_ns < n->late_until_ns) {
            n->late[i].packet = *p;
            n->late[i].net = n;
            event_init(&n->late[i].event, net_arrive_late, &n->late[i]);
            event_schedule(&n->queue, &n->late[i].event, n->late_until_ns);
            return;
        }
    }
    net_arrive(n, p);
}

static void net_to_server(void *owner, const struct packet *p)
{
    struct net *n = owner;

    n->up_packets++;
    if (p->flags & PACKET_SYN) {
        if (net_drops(n->drop_syn, n->syns++))
            return;
    } else if (net_drops(n->drop_up_plain, n->up_plain++)) {
        return;
    }
    n->pure_acks += !p->payload_bytes && !(p->flags & PACKET_SYN);
    if (p->payload_bytes && !n->first_up_data_ns)
        n->first_up_data_ns = n->queue.now_ns;
    tcp_receive(&n->server, p);
    if (n->after_ack)
        n->after_ack(n);
}

static void net_delivered(void *owner, uint64_t cookie, const struct waits *waits)
{
    struct net *n = owner;

    (void)cookie;
    (void)waits;
    n->delivered_ns = n->queue.now_ns;
    n->delivered_messages++;
}

static void net_established(void *owner)
{
    ((struct net *)owner)->up_and_running = true;
}

/* A system without any peculiarity: each test adds the one that it is about. */
static inline struct tcp_profile plain_profile(void)
{
    return (struct tcp_profile){
        .congestion = TCP_NEWRENO,
        .initial_window = 2,
        .receive_window_bytes = 10000000,
        .delayed_ack_ns = 200 * NS_PER_MS,
        .ack_every = 2,
        .min_rto_ns = 300 * NS_PER_MS,
        .initial_rto_ns = 3 * NS_PER_S,
        .duplicate_acks = 3,
        .sack = true,
        .window_scaling = true,
    };
}

/* A system's shipped values. */
static inline struct tcp_profile net_profile_of(const char *system)
{
    for (int i = 0; TCP_SYSTEMS[i]; i++) {
        if (g_str_equal(TCP_SYSTEMS[i], system))
            return *tcp_profile_of(i);
    }
    g_assert_not_reached();
}

/* 1 Gbit/s of Ethernet frames each way and a queue that never fills: 8 ns a byte. */
static inline struct network_profile plain_link(int64_t rtt_ns)
{
    struct network_profile n;

    network_profile_init(&n);
    n.rtt_ns = rtt_ns;
    n.down = n.up = (struct network_direction){.rate_bps = 1000000000, .queue_bytes = 100000000};
    return n;
}

static inline void net_init_between(struct net *n, const struct tcp_profile *client,
                                    const struct tcp_profile *server, const struct network_profile *network,
                                    uint64_t run)
{
    struct route_setup path;
    struct tcp_setup setup;

    *n = (struct net){.profile = *network};
    event_queue_init(&n->queue);
    path = (struct route_setup){.queue = &n->queue,
                                .network = &n->profile,
                                .seed = 1,
                                .run = run,
                                .receive = net_to_server,
                                .owner = n};
    route_init(&n->up, &path);
    path.down = true;
    path.receive = net_to_client;
    route_init(&n->down, &path);
    setup = (struct tcp_setup){.queue = &n->queue,
                               .path = route_for_tcp(&n->up),
                               .profile = client,
                               .peer_profile = server,
                               .mtu_bytes = n->profile.mtu_bytes,
                               .ip_header_bytes = 20,
                               .initiator = true};
    tcp_init(&n->client, &setup);
    setup.path = route_for_tcp(&n->down);
    setup.profile = server;
    setup.peer_profile = client;
    setup.initiator = false;
    tcp_init(&n->server, &setup);
    n->client.peer = &n->server;
    n->server.peer = &n->client;
    n->client.owner = n->server.owner = n;
    n->client.on_message = n->server.on_message = net_delivered;
    n->client.on_established = net_established;
}

static inline void net_init_on(struct net *n, const struct tcp_profile *profile,
                               const struct network_profile *network, uint64_t run)
{
    net_init_between(n, profile, profile, network, run);
}

static inline void net_init(struct net *n, const struct tcp_profile *profile, int64_t rtt_ns)
{
    struct network_profile network = plain_link(rtt_ns);

    net_init_on(n, profile, &network, 0);
}

static inline void net_fini(struct net *n)
{
    tcp_fini(&n->client);
    tcp_fini(&n->server);
    route_fini(&n->up);
    route_fini(&n->down);
    event_queue_fini(&n->queue);
}

static inline void net_run_until(struct net *n, int64_t ns)
{
    while (n->queue.count && n->queue.heap[1].due_ns <= ns)
        event_queue_step(&n->queue);
}

/* Until nothing is left to happen. */
static inline void net_drain(struct net *n)
{
    while (event_queue_step(&n->queue))
        ;
}

static inline void net_connect(struct net *n)
{
    tcp_connect(&n->client);
    while (!(n->server.state == TCP_ESTABLISHED && n->client.state == TCP_ESTABLISHED))
        g_assert_true(event_queue_step(&n->queue));
    n->pure_acks = 0;
}

static inline void net_write(struct net *n, struct tcp *end, uint32_t bytes)
{
    struct waits none = {{0}};

    (void)n;
    tcp_write(end, bytes, 0, &none);
}

/* Connects, then has the server send `segments` full segments; runs until all are acknowledged. */
static inline void send_from_server(struct net *n, unsigned segments)
{
    uint32_t bytes = segments * n->server.mss;

    net_connect(n);
    net_write(n, &n->server, bytes);
    while (n->server.una < bytes)
        g_assert_true(event_queue_step(&n->queue));
}

/* Serialisation of a full segment and of a pure ACK on plain_link(), without timestamps. */
enum { DATA_NS = (MSS + 54) * 8, ACK_NS = 54 * 8 };

#endif
