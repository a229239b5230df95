#include "replay/sim_capture.h"
#include "replay/encode_packet.h"
#include "replay/pcap_writer.h"
#include "replay/sim_stream.h"
#include "sim/tcp.h"
#include "base/rng.h"
#include "base/units.h"

static const int64_t START_UNIX_NS = 946684800 * NS_PER_S; /* 2000-01-01 00:00 UTC */

enum { FRAME_ROOM = 14 + 65535, FIRST_PORT = 49152, PORTS = 16384, ETHERNET_HEADER = 14 };

/* From `since_ns` on the end echoes `value`. */
struct echo {
    int64_t since_ns;
    uint32_t value;
};

/* A packet that was sent then has arrived. */
struct arrival {
    int64_t at_ns, sent_ns;
};

/* One of the two hosts of a connection, as a sender and as a receiver. */
struct end {
    struct tcp_offer offer;
    struct sim_stream stream;
    uint32_t first_seq;
    uint16_t ip_id;
    int scale;                /* of its windows; 0 without scaling */
    uint32_t window;          /* in its last packet */
    uint64_t sent_end;        /* stream bytes sent so far */
    uint64_t received;        /* of the other's stream, without a hole */
    uint64_t acked_by_itself; /* in its last packet: RFC 7323's Last.ACK.sent */
    struct ring echoes;       /* of struct echo; the oldest may be needed */
    struct ring arrivals; /* of struct arrival: of packets from here, younger than the overtaking may last */
    int64_t seen_ns;      /* no packet sent before is yet to be seen */
};

enum { CLIENT, SERVER, ENDS };

struct connection {
    struct encoder *encoder;
    struct end ends[ENDS];
    int64_t mtu_bytes;
    int64_t syn_ns; /* the client's last */
    int64_t rtt_ns; /* of the handshake */
    bool begun, scaled, timestamps;
};

struct sim_capture {
    struct sim_probe probe;
    struct pcap_writer *file;
    enum sim_capture_at at;
    bool ipv6;
    int64_t overtaking_ns; /* a packet may come out later by this than one sent after it */
    struct connection *connections;
    size_t count;
    GError *error; /* the first failure; nothing is done after it */
    uint8_t frame[FRAME_ROOM];
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void end_init(struct end *e, const struct tcp_profile *own, const struct tcp_profile *peer,
                     bool initiator, gsl_rng *rng)
{
    e->offer = tcp_offer_of(own, peer, initiator);
    e->scale = tcp_window_scale(own);
    e->first_seq = (uint32_t)(gsl_rng_uniform(rng) * 4294967296.0);
    sim_stream_init(&e->stream);
    ring_init(&e->echoes, sizeof(struct echo));
    ring_init(&e->arrivals, sizeof(struct arrival));
}

/* `first` is the connection on which its session began, or the connection itself. */
static void connection_init(struct connection *k, const struct sim_setup *setup, size_t network,
                            const struct encode_setup *encode, struct connection *first, gsl_rng *rng)
{
    const struct tcp_profile *client = setup->client_tcp, *server = setup->server_tcp;

    k->mtu_bytes = sim_network(setup, network)->mtu_bytes;
    k->encoder = encoder_new(encode);
    if (k != first)
        encoder_bind(k->encoder, first->encoder);
    end_init(&k->ends[CLIENT], client, server, true, rng);
    end_init(&k->ends[SERVER], server, client, false, rng);
    k->scaled = k->ends[CLIENT].offer.window_scaling;
    k->timestamps = k->ends[SERVER].offer.timestamps;
}

static void connection_fini(struct connection *k)
{
    encoder_free(k->encoder);
    for (int i = 0; i < ENDS; i++) {
        sim_stream_fini(&k->ends[i].stream);
        ring_fini(&k->ends[i].echoes);
        ring_fini(&k->ends[i].arrivals);
    }
}

static int64_t longest_overtaking_ns(const struct sim_setup *setup, bool down)
{
    int64_t most = 0;

    for (size_t k = 0; k <= setup->further_network_count; k++) {
        const struct network_profile *n = sim_network(setup, k);
        int64_t sum = 0;

        for (guint i = 0; i < network_hop_count(n); i++)
            sum += network_hop_direction(n, i, down)->reordering.delay_ns;
        most = MAX(most, sum);
    }
    return most;
}

static void connections_init(struct sim_capture *c, const struct sim_setup *setup,
                             const struct encode_setup *encode)
{
    gsl_rng *rng = rng_stream(setup->seed, setup->run, "capture/sequence");
    struct connection *k;

    c->count = sim_connection_total(setup);
    c->connections = k = g_new0(struct connection, c->count);
    for (size_t i = 0; i < setup->connection_count; i++) {
        const struct sim_connection *what = &setup->connections[i];
        struct connection *first = k;

        connection_init(k++, setup, 0, encode, first, rng);
        for (size_t n = 0; n < what->further_count; n++)
            connection_init(k++, setup, what->further[n].network, encode, first, rng);
    }
    gsl_rng_free(rng);
}

static void on_message(void *self, const struct sim_message *m);
static void on_packet(void *self, enum sim_place place, int64_t now_ns, const struct packet *p);
static void on_end(void *self, int64_t now_ns, bool failed);

struct sim_capture *sim_capture_open(const char *path, const struct sim_setup *setup,
                                     const struct encode_setup *encode, enum sim_capture_at at,
                                     GError **error)
{
    struct pcap_writer *file = pcap_writer_open(path, error);
    struct sim_capture *c;

    if (!file)
        return NULL;
    c = g_new0(struct sim_capture, 1);
    c->probe = (struct sim_probe){on_message, on_packet, on_end, c};
    c->file = file;
    c->at = at;
    c->ipv6 = setup->ip_header_bytes == 40;
    c->overtaking_ns = longest_overtaking_ns(setup, at == SIM_CAPTURE_CLIENT);
    connections_init(c, setup, encode);
    return c;
}

static void release(struct sim_capture *c)
{
    for (size_t i = 0; i < c->count; i++)
        connection_fini(&c->connections[i]);
    g_free(c->connections);
    g_clear_error(&c->error);
    g_free(c);
}

const struct sim_probe *sim_capture_probe(struct sim_capture *c)
{
    return &c->probe;
}

bool sim_capture_commit(struct sim_capture *c, GError **error)
{
    bool ok = !c->error;

    if (ok) {
        ok = pcap_writer_commit(c->file, error);
    } else {
        pcap_writer_discard(c->file);
        g_propagate_error(error, g_steal_pointer(&c->error));
    }
    release(c);
    return ok;
}

void sim_capture_discard(struct sim_capture *c)
{
    if (!c)
        return;
    pcap_writer_discard(c->file);
    release(c);
}

/* ---- timestamps: RFC 7323 4.3 -------------------------------------------------------------------------------------- */

static uint32_t timestamp_of(const struct end *e, int64_t ns)
{
    return e->first_seq + (uint32_t)(ns / NS_PER_MS);
}

static void note_echo(struct end *e, uint32_t value, int64_t now_ns)
{
    size_t n = e->echoes.count;

    if (n && ((struct echo *)ring_at(&e->echoes, n - 1))->value == value)
        return;
    *(struct echo *)ring_push(&e->echoes) = (struct echo){now_ns, value};
}

/* What the end echoed in a packet that it sent then. */
static uint32_t echo_at(struct end *e, int64_t sent_ns)
{
    size_t i = e->echoes.count;

    while (i > 0 && ((struct echo *)ring_at(&e->echoes, i - 1))->since_ns > sent_ns)
        i--;
    return i > 0 ? ((struct echo *)ring_at(&e->echoes, i - 1))->value : 0;
}

/* All but the last one before `sent_ns` are dropped. */
static void forget_echoes(struct end *e, int64_t sent_ns)
{
    while (e->echoes.count > 1 && ((struct echo *)ring_at(&e->echoes, 1))->since_ns <= sent_ns)
        ring_pop(&e->echoes);
}

/* ---- frames ---------------------------------------------------------------------------------------------------------- */

/* Sequence numbers: offset 0 follows the SYN. */
static uint32_t seq_of(const struct end *e, uint64_t offset)
{
    return e->first_seq + 1 + (uint32_t)offset;
}

static void write_frame(struct sim_capture *c, const struct encode_packet *h, int64_t now_ns)
{
    size_t length = encode_packet(h, c->frame);

    if (!c->error)
        pcap_writer_frame(c->file, START_UNIX_NS + now_ns, c->frame, length, &c->error);
}

/* What all packets of an end have in common. */
static struct encode_packet header_of(struct sim_capture *c, size_t connection, int from, int64_t sent_ns)
{
    struct connection *k = &c->connections[connection];
    struct end *e = &k->ends[from];

    return (struct encode_packet){
        .ipv6 = c->ipv6,
        .from_client = from == CLIENT,
        .client_port = (uint16_t)(FIRST_PORT + connection % PORTS),
        .ip_id = ++e->ip_id,
        .window_scale = -1,
        .timestamps = k->timestamps,
        .timestamp = timestamp_of(e, sent_ns),
        .timestamp_echo = echo_at(e, sent_ns),
    };
}

static void add_syn(const struct sim_capture *c, const struct end *e, const struct packet *p,
                    struct encode_packet *h)
{
    int64_t mtu_bytes = c->connections[p->connection].mtu_bytes;

    h->flags |= ENCODE_SYN;
    h->seq = e->first_seq;
    h->mss = (uint16_t)(mtu_bytes - (c->ipv6 ? 40 : 20) - 20);
    h->window_scale = e->offer.window_scaling ? e->scale : -1;
    h->sack_permitted = e->offer.sack;
    h->timestamps = e->offer.timestamps;
    h->window = (uint16_t)p->window_bytes;
}

static void add_sack(const struct end *other, const struct packet *p, struct encode_packet *h)
{
    h->sack_count = p->sack_count;
    for (unsigned i = 0; i < p->sack_count; i++) {
        h->sack[i][0] = seq_of(other, p->ack + (uint64_t)(int64_t)p->sack[i][0]);
        h->sack[i][1] = seq_of(other, p->ack + (uint64_t)(int64_t)p->sack[i][1]);
    }
}

static void capture(struct sim_capture *c, int from, const struct packet *p, int64_t now_ns)
{
    struct connection *k = &c->connections[p->connection];
    struct end *e = &k->ends[from], *other = &k->ends[!from];
    struct encode_packet h = header_of(c, p->connection, from, p->sent_ns);

    h.seq = seq_of(e, p->seq);
    h.window = (uint16_t)(p->window_bytes >> (k->scaled ? e->scale : 0));
    if (p->flags & PACKET_SYN)
        add_syn(c, e, p, &h);
    if (p->flags & PACKET_ACK) {
        h.flags |= ENCODE_ACK;
        h.ack = seq_of(other, p->ack);
    }
    add_sack(other, p, &h);
    h.payload_bytes = p->payload_bytes;
    g_assert(encode_packet_headers(&h) + p->payload_bytes == ETHERNET_HEADER + p->ip_bytes);
    if (p->payload_bytes &&
        sim_stream_copy(&e->stream, p->seq, c->frame + encode_packet_headers(&h), p->payload_bytes))
        h.flags |= ENCODE_PSH;
    write_frame(c, &h, now_ns);
}

/* ---- the probe ------------------------------------------------------------------------------------------------------- */

static void on_message(void *self, const struct sim_message *m)
{
    struct sim_capture *c = self;
    struct connection *k = &c->connections[m->connection];
    struct encoded encoded;
    bool ok;

    if (c->error)
        return;
    ok = m->response ? encoder_response(k->encoder, m->number, m->exchange, &encoded, &c->error)
                     : encoder_request(k->encoder, m->number, m->exchange, &encoded, &c->error);
    if (ok)
        sim_stream_push(&k->ends[m->response ? SERVER : CLIENT].stream, m->start, &encoded);
}

static void sends(struct end *e, const struct packet *p)
{
    e->sent_end = MAX(e->sent_end, p->seq + p->payload_bytes);
    e->acked_by_itself = p->ack;
    e->window = p->window_bytes;
    e->received = MAX(e->received, p->ack);
}

static void receives(struct connection *k, int to, const struct packet *p, int64_t now_ns)
{
    struct end *e = &k->ends[to], *from = &k->ends[!to];

    if (p->flags & PACKET_SYN && to == CLIENT)
        k->rtt_ns = now_ns - k->syn_ns;
    if (p->flags & PACKET_SYN || p->seq <= e->acked_by_itself)
        note_echo(e, timestamp_of(from, p->sent_ns), now_ns);
    if (p->seq <= e->received)
        e->received = MAX(e->received, p->seq + p->payload_bytes);
    if (p->flags & PACKET_ACK)
        sim_stream_acked(&e->stream, p->ack, now_ns);
}

/* A packet from the other end is here: what packets still under way can't need is dropped. */
static void forget(struct sim_capture *c, struct end *other, const struct packet *p, int64_t now_ns)
{
    *(struct arrival *)ring_push(&other->arrivals) = (struct arrival){now_ns, p->sent_ns};
    while (other->arrivals.count) {
        const struct arrival *a = ring_at(&other->arrivals, 0);

        if (a->at_ns + c->overtaking_ns > now_ns)
            break;
        other->seen_ns = MAX(other->seen_ns, a->sent_ns);
        ring_pop(&other->arrivals);
    }
    sim_stream_forget(&other->stream, other->seen_ns);
    forget_echoes(other, other->seen_ns);
}

static void on_packet(void *self, enum sim_place place, int64_t now_ns, const struct packet *p)
{
    struct sim_capture *c = self;
    struct connection *k = &c->connections[p->connection];
    bool sending = place == SIM_CLIENT_SENDS || place == SIM_SERVER_SENDS;
    int from = place == SIM_CLIENT_SENDS || place == SIM_SERVER_RECEIVES ? CLIENT : SERVER;
    int to = from == CLIENT ? SERVER : CLIENT, here = c->at == SIM_CAPTURE_CLIENT ? CLIENT : SERVER;

    if (c->error)
        return;
    if (sending && from == CLIENT && p->flags & PACKET_SYN)
        k->syn_ns = now_ns;
    k->begun = true;
    if ((sending ? from : to) == here)
        capture(c, from, p, now_ns);
    if (sending) {
        sends(&k->ends[from], p);
        return;
    }
    receives(k, to, p, now_ns);
    if (to == here) {
        forget(c, &k->ends[from], p, now_ns);
        sim_stream_forget(&k->ends[here].stream, INT64_MAX);
        forget_echoes(&k->ends[here], now_ns);
    }
}

/* ---- the end --------------------------------------------------------------------------------------------------------- */

static void send_control(struct sim_capture *c, size_t i, int from, unsigned flags,
                         const uint64_t after_fin[ENDS], int64_t now_ns)
{
    struct connection *k = &c->connections[i];
    struct end *e = &k->ends[from], *other = &k->ends[!from];
    struct encode_packet h = header_of(c, i, from, now_ns);

    h.seq = seq_of(e, e->sent_end + after_fin[from]);
    h.ack = seq_of(other, e->received + after_fin[!from]);
    h.flags = (uint8_t)(flags | ENCODE_ACK);
    h.window = (uint16_t)(e->window >> (k->scaled ? e->scale : 0));
    write_frame(c, &h, now_ns);
}

static bool all_received(const struct connection *k)
{
    return k->ends[CLIENT].received == k->ends[SERVER].sent_end &&
           k->ends[SERVER].received == k->ends[CLIENT].sent_end;
}

/* A frame that ends a connection. */
struct closing {
    int64_t time_ns;
    size_t connection;
    int step;
};

enum { CLOSE_STEPS = 3 };

/* FIN, FIN and ACK, ACK: RFC 9293 3.6, as the capture point sees them. */
static void list_closing(const struct sim_capture *c, size_t i, int64_t now_ns, GArray *list)
{
    int64_t rtt_ns = c->connections[i].rtt_ns, there_ns = rtt_ns / 2;
    bool at_client = c->at == SIM_CAPTURE_CLIENT;
    const int64_t times[CLOSE_STEPS] = {now_ns + (at_client ? 0 : there_ns),
                                        now_ns + (at_client ? rtt_ns : there_ns),
                                        now_ns + rtt_ns + (at_client ? 0 : there_ns)};

    for (int step = 0; step < CLOSE_STEPS; step++) {
        struct closing frame = {times[step], i, step};

        g_array_append_val(list, frame);
    }
}

static void write_closing(struct sim_capture *c, const struct closing *f)
{
    static const uint64_t FINS[CLOSE_STEPS][ENDS] = {{0, 0}, {1, 0}, {1, 1}};

    send_control(c, f->connection, f->step == 1 ? SERVER : CLIENT, f->step == 2 ? 0 : ENCODE_FIN,
                 FINS[f->step], f->time_ns);
}

static int by_time(gconstpointer a, gconstpointer b)
{
    const struct closing *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->step != y->step)
        return x->step - y->step;
    return x->connection < y->connection ? -1 : x->connection > y->connection;
}

static void on_end(void *self, int64_t now_ns, bool failed)
{
    static const uint64_t NO_FIN[ENDS] = {0};
    struct sim_capture *c = self;
    g_autoptr(GArray) closing = g_array_new(FALSE, FALSE, sizeof(struct closing));

    for (size_t i = 0; i < c->count && !c->error; i++) {
        const struct connection *k = &c->connections[i];

        if (!k->begun)
            continue;
        if (!failed && all_received(k))
            list_closing(c, i, now_ns, closing);
        else if (c->at == SIM_CAPTURE_CLIENT)
            send_control(c, i, CLIENT, ENCODE_RST, NO_FIN, now_ns);
    }
    g_array_sort(closing, by_time);
    for (guint i = 0; i < closing->len && !c->error; i++)
        write_closing(c, &g_array_index(closing, struct closing, i));
}
