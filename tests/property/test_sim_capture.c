/* Captures of simulated runs, read back by the program's own reader: what went in comes out, whatever the client, the network and
 * the losses. g_test prints the seed; run one again with --seed. */
#include "replay/analysis.h"
#include "replay/duplicates.h"
#include "replay/ledger.h"
#include "replay/sim_capture.h"
#include "sim/command.h"
#include "sim/copy.h"
#include "base/units.h"
#include "tests/data.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static const char *const CLIENTS[] = {
    "curl",
    "linux-cifs",
    "one-at-a-time",
    "robocopy",
    "robocopy-compress",
    "robocopy-compress-2021",
    "robocopy-j",
    "robocopy-mt",
    "smbclient",
    "vista-explorer",
    "vista-sp1-explorer",
    "windows-10-explorer",
    "windows-11-explorer",
    "windows-7-explorer",
    "xp-explorer",
};

static int64_t between(int64_t low, int64_t high)
{
    return low + (int64_t)(g_test_rand_double() * (double)(high - low));
}

/* ---- one copy ---------------------------------------------------------------------------------------------------- */

enum { CONNECTIONS_MAX = 3 };

/* What the run showed, beside its capture. */
struct watch {
    struct sim_probe probe;
    const struct sim_probe *capture;
    bool ipv6;
    uint64_t packets[4], data_packets[4]; /* by enum sim_place */
    uint64_t requests[1 << 10];           /* by command, the elements of a compound singly */
    uint64_t elements, sealed;            /* of requests; encrypted messages both ways */
    int64_t first_syn_ns, syn_ack_ns;
    uint32_t window;  /* the server's last: it never shrinks */
    unsigned syns[2]; /* of the client, of the server */
    int64_t last_syn_ns[CONNECTIONS_MAX][4];
    unsigned twins[4]; /* by enum sim_place: see is_twin() */
};

/* When a SYN/ACK is lost, the server's timer sends it again in the same instant in which the client's, set to the same second, makes it
 * answer the SYN a second time. Over IPv6 the reader can't tell those two from one that was captured twice. */
static bool is_twin(struct watch *w, enum sim_place place, int64_t now_ns, const struct packet *p)
{
    int64_t *last_ns = &w->last_syn_ns[p->connection][place];
    bool twin;

    if (!(p->flags & PACKET_SYN))
        return false;
    twin = w->ipv6 && *last_ns && now_ns - *last_ns <= DUPLICATES_PLAIN_NS;
    *last_ns = now_ns;
    w->twins[place] += twin;
    return twin;
}

static void watch_message(void *self, const struct sim_message *m)
{
    struct watch *w = self;

    const struct exchange_chain *chain = m->exchange->chain;

    w->sealed += (m->exchange->flags & EXCHANGE_ENCRYPTED) != 0;
    for (uint32_t i = 0; !m->response && i < (chain ? chain->count : 1); i++) {
        w->requests[chain ? chain->elements[i].command : m->exchange->command]++;
        w->elements++;
    }
    w->capture->on_message(w->capture->self, m);
}

static void watch_packet(void *self, enum sim_place place, int64_t now_ns, const struct packet *p)
{
    struct watch *w = self;
    bool twin = is_twin(w, place, now_ns, p);

    w->packets[place]++;
    w->data_packets[place] += p->payload_bytes > 0;
    if (place == SIM_CLIENT_SENDS && p->flags & PACKET_SYN && w->syns[0]++ == 0)
        w->first_syn_ns = now_ns;
    if (place == SIM_SERVER_SENDS)
        w->window = p->window_bytes;
    if (place == SIM_SERVER_SENDS && p->flags & PACKET_SYN)
        w->syns[1] += !twin;
    if (place == SIM_CLIENT_RECEIVES && p->flags & PACKET_SYN)
        w->syn_ack_ns = now_ns;
    w->capture->on_packet(w->capture->self, place, now_ns, p);
}

static void watch_end(void *self, int64_t now_ns, bool failed)
{
    struct watch *w = self;

    w->capture->on_end(w->capture->self, now_ns, failed);
}

struct scene {
    struct client_profile client;
    struct server_profile server;
    struct network_profile network;
    GArray *groups;
    struct copy plan;
    struct sim_setup setup;
    struct watch watch;
    struct sim_result result;
    enum sim_capture_at at;
    bool upload;
    char *path;
};

static void load_client(struct client_profile *c, const char *name)
{
    g_autofree char *file = g_strdup_printf("examples/clients/%s.yaml", name);
    g_autofree char *path = data_source_path(file);
    struct yaml_doc *doc = yaml_load_file(path, NULL);

    g_assert_nonnull(doc);
    client_profile_init(c);
    g_assert_true(client_profile_bind(c, doc, NULL));
    yaml_doc_free(doc);
}

static void load_server(struct server_profile *s)
{
    static const char text[] = "server:\n  name: s\n  system: linux\n  service: {time: 100 us}\n";
    struct yaml_doc *doc = yaml_load_text("s.yaml", text, strlen(text), NULL);

    server_profile_init(s);
    g_assert_true(server_profile_bind(s, doc, NULL));
    yaml_doc_free(doc);
    s->tcp = *tcp_profile_of((int)between(0, 13));
}

static struct network_direction quiet(void)
{
    return (struct network_direction){.rate_bps = between(500000, 100000000), .queue_bytes = 1 << 30};
}

/* Every so often each of the things that a network may do to packets. */
static struct network_direction troubled(void)
{
    struct network_direction d = quiet();

    d.queue_bytes = between(30000, 300000);
    d.loss = g_test_rand_bit() ? g_test_rand_double() * 0.02 : 0;
    if (g_test_rand_bit())
        d.jitter_ns = between(0, 5 * NS_PER_MS);
    if (g_test_rand_bit())
        d.reordering = (struct network_reordering){0.02, between(0, 10 * NS_PER_MS)};
    if (g_test_rand_bit())
        d.bursts = (struct network_bursts){0.002, 0.3, 0.5};
    return d;
}

static int random_protection(const char *dialect)
{
    if (dialect[0] == 'S')
        return CLIENT_PROTECTION_NONE;
    return (int)between(CLIENT_PROTECTION_NONE,
                        dialect[0] == '3' ? CLIENT_PROTECTION_ENCRYPT + 1 : CLIENT_PROTECTION_ENCRYPT);
}

static void scene_init(struct scene *c, const char *client, bool trouble)
{
    bool mixes;

    memset(c, 0, sizeof *c);
    load_client(&c->client, client);
    load_server(&c->server);
    network_profile_init(&c->network);
    /* Sent again within 20 us, a frame of IPv6 can't be told from one that was captured twice. */
    c->network.rtt_ns = between(NS_PER_MS / 5, 80 * NS_PER_MS);
    c->network.mtu_bytes = between(576, 9000);
    c->network.down = trouble ? troubled() : quiet();
    c->network.up = trouble ? troubled() : quiet();
    /* Nor can equal ACKs, or two repeats of a segment, that jitter or reordering makes arrive together. */
    mixes = c->network.down.jitter_ns || c->network.up.jitter_ns || c->network.down.reordering.share > 0 ||
            c->network.up.reordering.share > 0;
    c->client.files_at_once = g_test_rand_bit() ? 1 : between(2, 6);
    c->client.protection = random_protection(c->client.dialect);
    c->upload = c->client.upload && g_test_rand_bit();
    c->at = g_test_rand_bit() ? SIM_CAPTURE_CLIENT : SIM_CAPTURE_SERVER;
    c->groups = g_array_new(FALSE, FALSE, sizeof(struct file_group));
    for (int64_t i = between(1, 4); i > 0; i--) {
        struct file_group g = {between(1, 4), between(0, 3) ? between(0, 300000) : 0, 0};

        g_array_append_val(c->groups, g);
    }
    c->setup = (struct sim_setup){.network = &c->network,
                                  .client_tcp = &c->client.tcp,
                                  .server_tcp = &c->server.tcp,
                                  .server = &c->server,
                                  .connections = &c->plan.connection,
                                  .connection_count = 1,
                                  .ip_header_bytes = g_test_rand_bit() && !mixes ? 40 : 20,
                                  .seed = (uint64_t)g_test_rand_int()};
}

/* What is encrypted isn't seen. */
static void stay_readable(struct scene *c)
{
    c->client.protection = MIN(c->client.protection, CLIENT_PROTECTION_SIGN);
}

static void scene_run(struct scene *c)
{
    struct encode_setup encode = encode_setup_of(&c->client, &c->server);
    g_autoptr(GError) error = NULL;
    struct sim_capture *capture;
    int fd;

    g_clear_pointer(&c->path, g_free);
    fd = g_file_open_tmp("copytrial-XXXXXX.pcap", &c->path, NULL);
    g_assert_cmpint(fd, >=, 0);
    close(fd);
    copy_init(&c->plan, &(struct copy_setup){.client = &c->client, .groups = c->groups, .upload = c->upload});
    capture = sim_capture_open(c->path, &c->setup, &encode, c->at, &error);
    g_assert_no_error(error);
    memset(&c->watch, 0, sizeof c->watch);
    c->watch.probe = (struct sim_probe){watch_message, watch_packet, watch_end, &c->watch};
    c->watch.capture = sim_capture_probe(capture);
    c->watch.ipv6 = c->setup.ip_header_bytes == 40;
    c->setup.probe = &c->watch.probe;
    sim_run(&c->setup, &c->result);
    copy_clear(&c->plan);
    sim_capture_commit(capture, &error);
    g_assert_no_error(error);
}

static void scene_fini(struct scene *c)
{
    g_unlink(c->path);
    g_free(c->path);
    g_array_unref(c->groups);
    client_profile_clear(&c->client);
    server_profile_clear(&c->server);
    network_profile_clear(&c->network);
}

static struct replay *read_back(const struct scene *c)
{
    const char *paths[] = {c->path, NULL};
    g_autoptr(GError) error = NULL;
    struct replay *r = replay_read(paths, NULL, &error);

    g_assert_no_error(error);
    g_assert_cmpuint(r->connections->len, ==, 1);
    return r;
}

/* ---- what must come out -------------------------------------------------------------------------------------------- */

static void check_messages(const struct scene *c, const struct replay_connection *k)
{
    uint64_t answers = 0;

    g_assert_cmpuint(k->exchanges, ==, c->result.exchanges);
    g_assert_cmpuint(k->unanswered, ==, 0);
    g_assert_cmpuint(k->opaque_messages, ==, c->watch.sealed);
    if (c->watch.sealed)
        return; /* nobody has the key */
    g_assert_cmpuint(k->bytes_read + k->bytes_written, ==, c->result.data_bytes);
    g_assert_cmpuint(c->upload ? k->bytes_read : k->bytes_written, ==, 0);
    g_assert_cmpstr(k->dialect, ==, c->client.dialect);
    for (guint i = 0; i < k->commands->len; i++) {
        const struct replay_command *m = &g_array_index(k->commands, struct replay_command, i);

        g_assert_cmpuint(m->requests, ==, c->watch.requests[m->command]);
        answers += m->responses;
    }
    g_assert_cmpuint(answers, ==, c->watch.elements);
}

/* Every packet that TCP sent or received there is a frame, and the closing handshake adds two of the client's and one of the
 * server's. A reset stands for it when the copy ends with data on their way. */
static void check_packets(const struct scene *c, const struct replay_connection *k)
{
    bool at_client = c->at == SIM_CAPTURE_CLIENT;
    enum sim_place up = at_client ? SIM_CLIENT_SENDS : SIM_SERVER_RECEIVES;
    enum sim_place down = at_client ? SIM_CLIENT_RECEIVES : SIM_SERVER_SENDS;
    const struct replay_tcp_side *client = &k->tcp.side[REPLAY_UP], *server = &k->tcp.side[REPLAY_DOWN];

    g_assert_cmpuint(client->packets, ==, c->watch.packets[up] + 2 - c->watch.twins[up]);
    g_assert_cmpuint(server->packets, ==, c->watch.packets[down] + 1 - c->watch.twins[down]);
    g_assert_cmpuint(client->data_packets, ==, c->watch.data_packets[up]);
    g_assert_cmpuint(server->data_packets, ==, c->watch.data_packets[down]);
    g_assert_cmpuint(client->hole_bytes + server->hole_bytes, ==, 0);
    if (at_client) {
        g_assert_cmpuint(client->packets, ==, c->result.up.packets + 2);
        g_assert_cmpint(replay_recorded_ns(k), ==, c->result.elapsed_ns);
    } else {
        g_assert_cmpuint(server->packets, ==, c->result.down.packets + 1 - c->watch.twins[down]);
    }
}

static void check_tcp(const struct scene *c, const struct replay_connection *k)
{
    const struct tcp_profile *a = &c->client.tcp, *b = &c->server.tcp;
    int64_t mss = c->network.mtu_bytes - c->setup.ip_header_bytes - 20;

    g_assert_cmpint(k->tcp.side[REPLAY_UP].mss_bytes, ==, mss);
    g_assert_cmpint(k->tcp.side[REPLAY_DOWN].mss_bytes, ==, mss);
    g_assert_true(k->tcp.handshake);
    g_assert_cmpint(k->tcp.side[REPLAY_UP].sack_permitted, ==, a->sack);
    g_assert_cmpint(k->tcp.side[REPLAY_DOWN].sack_permitted, ==, a->sack && b->sack);
    g_assert_cmpint(k->tcp.side[REPLAY_UP].timestamps, ==, a->timestamps);
    g_assert_cmpint(k->tcp.timestamps, ==, a->timestamps && b->timestamps);
    g_assert_cmpint(k->tcp.side[REPLAY_UP].window_scale >= 0, ==, a->window_scaling);
    g_assert_cmpint(k->tcp.side[REPLAY_DOWN].window_scale >= 0, ==, a->window_scaling);
    g_assert_cmpint(k->tcp.side[REPLAY_DOWN].window_max_bytes, ==, c->watch.window);
    if (k->tcp.rtt_ns >= 0)
        g_assert_cmpint(k->tcp.rtt_ns, >=, c->network.rtt_ns);
}

/* What a host sends again, a capture there shows twice; the reader takes some of it for late rather than repeated. */
static void check_retransmissions(const struct scene *c, const struct replay_connection *k)
{
    bool at_client = c->at == SIM_CAPTURE_CLIENT;
    const struct replay_tcp_side *side = &k->tcp.side[at_client ? REPLAY_UP : REPLAY_DOWN];
    uint64_t sent = at_client ? c->result.up.retransmissions : c->result.down.retransmissions;
    unsigned syns = c->watch.syns[at_client ? 0 : 1];

    g_assert_cmpuint(side->retransmissions + side->out_of_order, ==, sent + syns - 1);
}

/* Nothing of the file is left over, but what a network that loses and reorders makes appear late. */
static void check_ledger(const struct replay *r)
{
    static const enum ledger_reason NEVER[] = {
        LEDGER_NOT_IP,
        LEDGER_NOT_TCP,
        LEDGER_FRAME_CUT,
        LEDGER_FRAME_MALFORMED,
        LEDGER_OTHER_TCP,
        LEDGER_NOT_SMB,
        LEDGER_MESSAGE_UNFINISHED,
        LEDGER_HEADER_MALFORMED,
        LEDGER_CHAIN_CUT,
        LEDGER_NO_REQUEST,
        LEDGER_NO_RESPONSE,
        LEDGER_ID_REUSED,
        LEDGER_NETBIOS_SESSION,
        LEDGER_HOLE_NOT_CAPTURED,
        LEDGER_RESYNC,
    };

    for (size_t i = 0; i < G_N_ELEMENTS(NEVER); i++) {
        if (tally_count(&r->ledger, ledger_name(NEVER[i])))
            g_error("%s", ledger_name(NEVER[i]));
    }
    g_assert_cmpfloat(r->coverage, ==, 1);
}

static void check_frames(const struct scene *c, const struct replay *r, const struct replay_connection *k)
{
    const unsigned *twins = c->watch.twins;
    unsigned dropped = c->at == SIM_CAPTURE_CLIENT ? twins[SIM_CLIENT_SENDS] + twins[SIM_CLIENT_RECEIVES]
                                                   : twins[SIM_SERVER_SENDS] + twins[SIM_SERVER_RECEIVES];

    g_assert_cmpuint(tally_count(&r->ledger, ledger_name(LEDGER_DUPLICATE)), ==, dropped);
    g_assert_cmpuint(r->packets, ==,
                     k->tcp.side[REPLAY_UP].packets + k->tcp.side[REPLAY_DOWN].packets + dropped);
}

static void check(const struct scene *c)
{
    struct replay *r = read_back(c);
    const struct replay_connection *k = g_ptr_array_index(r->connections, 0);

    check_frames(c, r, k);
    check_messages(c, k);
    check_packets(c, k);
    check_tcp(c, k);
    check_retransmissions(c, k);
    check_ledger(r);
    replay_free(r);
}

static void check_clients(int each, bool trouble)
{
    for (size_t i = 0; i < G_N_ELEMENTS(CLIENTS); i++) {
        for (int n = 0; n < each; n++) {
            struct scene c;

            scene_init(&c, CLIENTS[i], trouble);
            scene_run(&c);
            if (c.result.failed)
                g_error("%s: %s", CLIENTS[i], c.result.fail_reason);
            check(&c);
            scene_fini(&c);
        }
    }
}

static void test_quiet(void)
{
    check_clients(8, false);
}

static void test_troubled(void)
{
    check_clients(16, true);
}

/* On a path that only delays, the reader finds the round trip to the nanosecond, and counts what timers sent again without need. */
static void test_round_trip(void)
{
    for (int i = 0; i < 20; i++) {
        struct scene c;
        struct replay *r;
        const struct replay_connection *k;

        scene_init(&c, "xp-explorer", false);
        c.at = SIM_CAPTURE_CLIENT;
        scene_run(&c);
        r = read_back(&c);
        k = g_ptr_array_index(r->connections, 0);
        g_assert_cmpint(k->tcp.handshake_rtt_ns, ==, c.watch.syn_ack_ns - c.watch.first_syn_ns);
        g_assert_cmpuint(k->tcp.side[REPLAY_UP].retransmissions, ==, c.result.up.retransmissions);
        g_assert_cmpuint(k->tcp.side[REPLAY_DOWN].retransmissions, ==, c.result.down.retransmissions);
        g_assert_cmpint(k->tcp.point, ==, c.network.rtt_ns > NS_PER_MS ? REPLAY_POINT_CLIENT : k->tcp.point);
        replay_free(r);
        scene_fini(&c);
    }
}

/* ---- several connections ------------------------------------------------------------------------------------------- */

/* Each file has one row and its name, though it was opened on one connection and read on others. */
static void check_session_files(const struct scene *c, const struct replay *r)
{
    const struct replay_session *s = &g_array_index(r->sessions, struct replay_session, 0);
    guint expected = 0, found = 0;
    uint64_t moved = 0, by_connection = 0, exchanges = 0, parts = 0;

    for (guint i = 0; i < c->groups->len; i++)
        expected += g_array_index(c->groups, struct file_group, i).size_bytes > 0
                        ? (guint)g_array_index(c->groups, struct file_group, i).count
                        : 0;
    for (guint i = 0; i < s->files->len; i++) {
        const struct replay_file *f = &g_array_index(s->files, struct replay_file, i);

        g_assert_nonnull(f->name);
        found += !f->directory && f->bytes_read + f->bytes_written > 0;
        moved += f->bytes_read + f->bytes_written;
        exchanges += f->exchanges;
    }
    g_assert_cmpuint(found, ==, expected);
    g_assert_cmpuint(moved, ==, s->bytes_read + s->bytes_written);
    for (guint k = 0; k < r->connections->len; k++) {
        const struct replay_connection *q = g_ptr_array_index(r->connections, k);

        for (guint i = 0; i < q->files->len; i++) {
            const struct replay_file *f = &g_array_index(q->files, struct replay_file, i);

            g_assert_nonnull(f->name);
            by_connection += f->bytes_read + f->bytes_written;
            parts += f->exchanges;
        }
    }
    g_assert_cmpuint(by_connection, ==, moved);
    g_assert_cmpuint(parts, ==, exchanges);
}

static void check_session_waits(const struct replay *r)
{
    const struct replay_session *s = &g_array_index(r->sessions, struct replay_session, 0);
    int64_t sum = 0;

    g_assert_true(s->waits_known);
    for (int k = 0; k < WAIT_KINDS; k++) {
        g_assert_cmpint(s->waits.ns[k], >=, 0);
        sum += s->waits.ns[k];
    }
    g_assert_cmpint(sum, ==, s->last_ns - s->first_ns);
}

/* A session over three connections: the reader finds all of them, and on them every exchange and every byte once; worked through
 * as a whole or in windows. */
static void test_multichannel(void)
{
    for (int i = 0; i < 20; i++) {
        const char *paths[2] = {NULL};
        const struct replay_options options = {.measure = true, .window = i % 3 ? 200 : 0};
        uint64_t exchanges = 0, bytes = 0, packets = 3 * CONNECTIONS_MAX;
        g_autoptr(GError) error = NULL;
        struct file_group many = {.count = 30, .size_bytes = 300000};
        struct replay *r;
        struct scene c;

        scene_init(&c, i % 2 ? "smbclient" : "windows-11-explorer", i % 4 > 1);
        stay_readable(&c);
        g_array_append_val(c.groups, many);
        c.client.connections = CONNECTIONS_MAX;
        c.client.files_at_once = 4;
        scene_run(&c);
        paths[0] = c.path;
        r = replay_read(paths, &options, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(r->connections->len, ==, CONNECTIONS_MAX);
        g_assert_cmpuint(r->sessions->len, ==, 1);
        check_session_files(&c, r);
        check_session_waits(r);
        for (guint k = 0; k < CONNECTIONS_MAX; k++) {
            const struct replay_connection *q = g_ptr_array_index(r->connections, k);

            g_assert_cmpstr(q->dialect, ==, "3.1.1");
            g_assert_cmpuint(q->bytes_read + q->bytes_written, >, 0);
            exchanges += q->exchanges;
            bytes += q->bytes_read + q->bytes_written;
        }
        g_assert_cmpuint(exchanges, ==, c.result.exchanges);
        g_assert_cmpuint(bytes, ==, c.result.data_bytes);
        packets += c.at == SIM_CAPTURE_CLIENT
                       ? c.watch.packets[SIM_CLIENT_SENDS] + c.watch.packets[SIM_CLIENT_RECEIVES]
                       : c.watch.packets[SIM_SERVER_SENDS] + c.watch.packets[SIM_SERVER_RECEIVES];
        g_assert_cmpuint(r->packets, ==, packets);
        check_ledger(r);
        replay_free(r);
        scene_fini(&c);
    }
}

/* ---- determinism --------------------------------------------------------------------------------------------------- */

static char *run_and_read(struct scene *c, gsize *length)
{
    char *bytes;

    scene_run(c);
    g_assert_true(g_file_get_contents(c->path, &bytes, length, NULL));
    g_unlink(c->path);
    return bytes;
}

/* Equal seeds give equal files, another seed another one. */
static void test_determinism(void)
{
    struct scene c;
    gsize lengths[3];
    char *files[3];

    scene_init(&c, "smbclient", true);
    for (int i = 0; i < 3; i++) {
        c.setup.seed += i == 2;
        files[i] = run_and_read(&c, &lengths[i]);
    }
    g_assert_cmpuint(lengths[0], ==, lengths[1]);
    g_assert_true(memcmp(files[0], files[1], lengths[0]) == 0);
    g_assert_false(lengths[0] == lengths[2] && memcmp(files[0], files[2], lengths[0]) == 0);
    for (int i = 0; i < 3; i++)
        g_free(files[i]);
    scene_fini(&c);
}

/* ---- failures ------------------------------------------------------------------------------------------------------ */

/* A copy that the client gives up ends with a reset, and what it had asked for isn't answered whole. */
static void test_failed_copy(void)
{
    struct scene c;
    struct replay *r;
    const struct replay_connection *k;
    struct file_group big = {1, 8 << 20, 0};

    scene_init(&c, "smbclient", false);
    stay_readable(&c);
    c.at = SIM_CAPTURE_CLIENT;
    c.upload = false;
    c.network.down.rate_bps = 1000000;
    g_array_set_size(c.groups, 0);
    g_array_append_val(c.groups, big);
    c.setup.request_timeout_ns = 20 * NS_PER_S;
    scene_run(&c);
    g_assert_true(c.result.failed);
    r = read_back(&c);
    k = g_ptr_array_index(r->connections, 0);
    g_assert_cmpuint(k->exchanges, ==, c.result.exchanges);
    g_assert_cmpuint(k->unanswered + tally_count(&r->ledger, ledger_name(LEDGER_MESSAGE_UNFINISHED)), >, 0);
    g_assert_cmpint(k->client_fin_ns, >=, 20 * NS_PER_S);
    g_assert_cmpuint(k->tcp.side[REPLAY_UP].packets, ==, c.watch.packets[SIM_CLIENT_SENDS] + 1);
    replay_free(r);
    scene_fini(&c);
}

/* An exchange that no message can be made for is told, and no file is left. */
static void test_impossible_exchange(void)
{
    struct encode_setup encode;
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp("copytrial-XXXXXX", NULL);
    struct sim_capture *capture;
    struct scene c;

    scene_init(&c, "one-at-a-time", false);
    stay_readable(&c);
    g_array_index(c.client.download, struct client_step, 0).request_bytes = 80;
    c.upload = false;
    c.path = g_build_filename(folder, "x.pcap", NULL);
    encode = encode_setup_of(&c.client, &c.server);
    g_assert_false(encode_check_client(&c.client, false, &error));
    g_assert_nonnull(
        strstr(error->message, "SMB2 CREATE: a request of 80 B can't be made: the shortest has 125 B"));
    g_clear_error(&error);
    capture = sim_capture_open(c.path, &c.setup, &encode, c.at, &error);
    copy_init(&c.plan, &(struct copy_setup){.client = &c.client, .groups = c.groups});
    c.setup.probe = sim_capture_probe(capture);
    sim_run(&c.setup, &c.result);
    g_assert_false(c.result.failed);
    g_assert_false(sim_capture_commit(capture, &error));
    g_assert_nonnull(strstr(error->message, "SMB2 CREATE"));
    copy_clear(&c.plan);
    scene_fini(&c);
    g_assert_cmpint(g_rmdir(folder), ==, 0); /* it is empty */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim-capture/quiet", test_quiet);
    g_test_add_func("/sim-capture/troubled", test_troubled);
    g_test_add_func("/sim-capture/round-trip", test_round_trip);
    g_test_add_func("/sim-capture/multichannel", test_multichannel);
    g_test_add_func("/sim-capture/determinism", test_determinism);
    g_test_add_func("/sim-capture/failed-copy", test_failed_copy);
    g_test_add_func("/sim-capture/impossible-exchange", test_impossible_exchange);
    return g_test_run();
}
