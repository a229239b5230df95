/* The closed loop: random copies are simulated and written as captures, calibrated from these, and each parameter must lie in the
 * interval that the calibration states, or beyond its bound where the capture can't show it, as often as it says: 95 %.
 *
 *     test_closed_loop [SCENARIOS [SEED]]        30 and 1 unless given; 200 is the long form
 *
 * Prints how often each was known and right. A parameter fails when that few of that many would happen to a true 95 % in less
 * than one of 1000 runs. */
#include "replay/model.h"
#include "replay/sim_capture.h"
#include "replay/study.h"
#include "sim/command.h"
#include "sim/copy.h"
#include "base/rng.h"
#include "base/units.h"

#include <glib/gstdio.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a random copy ------------------------------------------------------------------------------------------------- */

struct scene {
    struct client_profile client;
    struct server_profile server;
    struct network_profile network;
    GArray *groups;
    struct copy plan;
    struct sim_setup setup;
    enum sim_capture_at at;
    bool upload, bulk;
    int64_t block_bytes, depth, think_ns, service_ns, service_bps;
    char *path;
};

static int64_t between(gsl_rng *rng, int64_t low, int64_t high)
{
    return (int64_t)gsl_ran_flat(rng, (double)low, (double)high);
}

/* As many small ones as large ones. */
static int64_t scaled(gsl_rng *rng, double low, double high)
{
    return (int64_t)exp(gsl_ran_flat(rng, log(low), log(high)));
}

static struct yaml_doc *parse(const char *text)
{
    struct yaml_doc *doc = yaml_load_text("scene.yaml", text, strlen(text), NULL);

    g_assert_nonnull(doc);
    return doc;
}

static void make_client(struct scene *s)
{
    static const char head[] = "client:\n  name: c\n  system: linux\n  dialect: 2.1\n  connect:\n"
                               "    - {command: SMB2 NEGOTIATE, request: 110 B, response: 240 B}\n"
                               "    - {command: SMB2 TREE_CONNECT, request: 110 B, response: 84 B}\n";
    g_autofree char *text = g_strdup_printf(
        "%s  %s:\n    - {command: SMB2 CREATE, request: 200 B, response: 156 B}\n"
        "    - {command: SMB2 %s, request: 117 B, response: 84 B, data: %s, block: %" G_GINT64_FORMAT
        " B, depth: %" G_GINT64_FORMAT ", think: %" G_GINT64_FORMAT " us}\n"
        "    - {command: SMB2 CLOSE, request: 92 B, response: 128 B}\n",
        head, s->upload ? "upload" : "download", s->upload ? "WRITE" : "READ", s->upload ? "write" : "read",
        s->block_bytes, s->depth, s->think_ns / NS_PER_US);
    struct yaml_doc *doc = parse(text);

    client_profile_init(&s->client);
    g_assert_true(client_profile_bind(&s->client, doc, NULL));
    yaml_doc_free(doc);
}

static void make_server(struct scene *s)
{
    g_autofree char *text =
        g_strdup_printf("server:\n  name: s\n  system: linux\n  service: {time: 100 us}\n  commands:\n"
                        "    SMB2 %s: {time: %" G_GINT64_FORMAT " us, rate: %" G_GINT64_FORMAT " bit/s}\n",
                        s->upload ? "WRITE" : "READ", s->service_ns / NS_PER_US, s->service_bps);
    struct yaml_doc *doc = parse(text);

    server_profile_init(&s->server);
    g_assert_true(server_profile_bind(&s->server, doc, NULL));
    yaml_doc_free(doc);
}

static struct network_direction make_direction(gsl_rng *rng)
{
    return (struct network_direction){
        .rate_bps = scaled(rng, 1e6, 2e8),
        .queue_bytes = scaled(rng, 30e3, 1e6),
        .loss = gsl_rng_uniform(rng) < 0.3 ? gsl_ran_flat(rng, 0.0005, 0.01) : 0,
    };
}

static void make_network(struct scene *s, gsl_rng *rng)
{
    network_profile_init(&s->network);
    s->network.rtt_ns = scaled(rng, 2e5, 1e8);
    s->network.counts = NETWORK_COUNTS_ETHERNET;
    s->network.mtu_bytes = gsl_rng_uniform(rng) < 0.7 ? 1500 : between(rng, 576, 9000);
    s->network.down = make_direction(rng);
    s->network.up = gsl_rng_uniform(rng) < 0.5 ? s->network.down : make_direction(rng);
    if (gsl_rng_uniform(rng) < 0.4 && s->network.down.rate_bps > 50000000)
        s->network.down.packets_per_ms = between(rng, 2, 5);
}

static void make_tcp(struct tcp_profile *t, gsl_rng *rng)
{
    t->initial_window = between(rng, 2, 20);
    t->delayed_ack_ns = between(rng, 20, 200) * NS_PER_MS;
    if (gsl_rng_uniform(rng) < 0.4) {
        t->autotuning = TCP_WINDOW_FIXED;
        t->receive_window_bytes = scaled(rng, 16e3, 500e3);
    }
}

/* Mostly small ones; every fourth copy is one large file, many blocks at once, which fills links and queues. */
static void make_files(struct scene *s, gsl_rng *rng)
{
    struct file_group large = {.count = 1, .size_bytes = between(rng, 2000000, 6000000)};

    s->groups = g_array_new(FALSE, FALSE, sizeof(struct file_group));
    if (s->bulk)
        g_array_append_val(s->groups, large);
    for (int i = 0; i < 3 && !s->bulk; i++) {
        struct file_group g = {.count = between(rng, 1, 10), .size_bytes = scaled(rng, 1e4, 4e5)};

        g_array_append_val(s->groups, g);
    }
}

static void scene_init(struct scene *s, gsl_rng *rng)
{
    *s = (struct scene){
        .at = gsl_rng_uniform(rng) < 0.5 ? SIM_CAPTURE_CLIENT : SIM_CAPTURE_SERVER,
        .upload = gsl_rng_uniform(rng) < 0.4,
        .block_bytes = scaled(rng, 4096, 65536),
        .depth = gsl_rng_uniform(rng) < 0.5 ? 1 : between(rng, 2, 8),
        .think_ns = scaled(rng, 20, 2000) * NS_PER_US,
        .service_ns = scaled(rng, 50, 5000) * NS_PER_US,
        .service_bps = scaled(rng, 1e8, 1e10),
        .bulk = gsl_rng_uniform(rng) < 0.25,
    };
    if (s->bulk) {
        s->block_bytes = 65536;
        s->depth = between(rng, 8, 32);
        s->think_ns = s->service_ns = 50 * NS_PER_US;
    }
    make_client(s);
    make_server(s);
    make_network(s, rng);
    make_tcp(&s->client.tcp, rng);
    make_tcp(&s->server.tcp, rng);
    make_files(s, rng);
    s->setup = (struct sim_setup){.network = &s->network,
                                  .client_tcp = &s->client.tcp,
                                  .server_tcp = &s->server.tcp,
                                  .server = &s->server,
                                  .connections = &s->plan.connection,
                                  .connection_count = 1,
                                  .seed = gsl_rng_get(rng)};
}

static void scene_run(struct scene *s)
{
    struct encode_setup encode = encode_setup_of(&s->client, &s->server);
    struct copy_setup what = {
        .client = &s->client, .groups = s->groups, .upload = s->upload, .rtt_ns = s->network.rtt_ns};
    g_autoptr(GError) error = NULL;
    struct sim_capture *capture;
    struct sim_result result;
    int fd = g_file_open_tmp("copytrial-XXXXXX.pcap", &s->path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    copy_init(&s->plan, &what);
    capture = sim_capture_open(s->path, &s->setup, &encode, s->at, &error);
    g_assert_no_error(error);
    s->setup.probe = sim_capture_probe(capture);
    sim_run(&s->setup, &result);
    g_assert_false(result.failed);
    copy_clear(&s->plan);
    sim_capture_commit(capture, &error);
    g_assert_no_error(error);
}

static void scene_fini(struct scene *s)
{
    g_unlink(s->path);
    g_free(s->path);
    g_array_unref(s->groups);
    client_profile_clear(&s->client);
    server_profile_clear(&s->server);
    network_profile_clear(&s->network);
}

/* ---- what must come back --------------------------------------------------------------------------------------------- */

enum parameter {
    RTT,
    RATE,
    QUEUE,
    LOSS,
    CAP,
    MTU,
    RECEIVE_WINDOW,
    DELAYED_ACK,
    INITIAL_WINDOW,
    SERVICE,
    SERVICE_BYTE,
    THINK,
    PARAMETERS
};

static const char *const NAMES[PARAMETERS] = {"rtt",
                                              "rate",
                                              "queue",
                                              "loss",
                                              "packet cap",
                                              "mtu",
                                              "receive window",
                                              "delayed ACK",
                                              "initial window",
                                              "service",
                                              "service per byte",
                                              "think"};

struct tally_of {
    unsigned known, inside, unknown, beyond;
};

struct loop {
    struct tally_of of[PARAMETERS];
    bool verbose;
    unsigned scene;
};

enum bound { AT_LEAST, AT_MOST };

/* `grain` is what a capture's time stamps and whole packets leave open. */
static void compare(struct loop *l, enum parameter p, const struct calibrated *c, double truth,
                    enum bound way, double grain)
{
    struct tally_of *t = &l->of[p];
    bool right;

    if (c->known) {
        right = truth >= c->low - grain && truth <= c->high + grain;
        t->known++;
        t->inside += right;
    } else {
        right = way == AT_LEAST ? truth >= c->bound - grain : truth <= c->bound + grain;
        t->unknown++;
        t->beyond += right;
    }
    if (!right && l->verbose)
        printf("scene %u: %s is %g; %s %g (%g to %g), bound %g\n", l->scene, NAMES[p], truth,
               c->known ? "known as" : "unknown", c->value, c->low, c->high, c->bound);
}

static void compare_direction(struct loop *l, const struct calibration_direction *c,
                              const struct network_direction *d, double packet_bytes)
{
    double rate = (double)d->rate_bps;

    /* Full packets and nothing else show no difference between a cap that went unseen and a slower link. */
    if (d->packets_per_ms && !c->packets_per_ms.known && c->rate_bps.known)
        rate = MIN(rate, (double)d->packets_per_ms * 8000 * packet_bytes);
    compare(l, RATE, &c->rate_bps, rate, AT_LEAST, 0.002 * rate);
    compare(l, QUEUE, &c->queue_bytes, (double)d->queue_bytes, AT_LEAST, packet_bytes);
    compare(l, LOSS, &c->loss, d->loss, AT_MOST, 0);
    if (d->packets_per_ms || c->packets_per_ms.known)
        compare(l, CAP, &c->packets_per_ms, (double)d->packets_per_ms, AT_LEAST, 0);
}

static void compare_end(struct loop *l, const struct calibration_end *c, const struct tcp_profile *t)
{
    compare(l, RECEIVE_WINDOW, &c->receive_window_bytes, (double)t->receive_window_bytes, AT_LEAST,
            0.02 * (double)t->receive_window_bytes);
    if (c->delayed_ack_ns.known)
        compare(l, DELAYED_ACK, &c->delayed_ack_ns, (double)t->delayed_ack_ns, AT_LEAST, 2e3);
    compare(l, INITIAL_WINDOW, &c->initial_window, (double)t->initial_window, AT_LEAST, 0);
}

static void compare_service(struct loop *l, const struct scene *s, const GArray *services)
{
    uint16_t command = s->upload ? SMB2_WRITE : SMB2_READ;

    for (guint i = 0; i < services->len; i++) {
        const struct calibration_service *v = &g_array_index(services, struct calibration_service, i);

        if (v->command != command || !v->per_byte_ns.known)
            continue;
        compare(l, SERVICE, &v->base_ns, (double)s->service_ns, AT_LEAST, 2e3);
        compare(l, SERVICE_BYTE, &v->per_byte_ns, 8e9 / (double)s->service_bps, AT_LEAST, 0.01);
    }
}

static int ascending(gconstpointer a, gconstpointer b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Of the data requests that were asked for one at a time: the quarter points of their think times are the interval. Seen at the server,
 * they are what the round trip and the links leave, and no better known than these. */
static void compare_think(struct loop *l, const struct scene *s, const struct calibration *k,
                          const GArray *trace)
{
    double open_ns = 0;
    g_autoptr(GArray) thinks = g_array_new(FALSE, FALSE, sizeof(int64_t));
    struct calibrated c = {.known = true};

    for (guint i = 0; i < trace->len; i++) {
        const struct exchange *e = &g_array_index(trace, struct exchange, i);

        if (e->data_bytes && e->flags & EXCHANGE_BARRIER)
            g_array_append_val(thinks, e->think_ns);
    }
    if (s->depth > 1 || thinks->len < 8)
        return;
    if (s->at == SIM_CAPTURE_SERVER) {
        if (!k->side[REPLAY_UP].rate_bps.known || !k->side[REPLAY_DOWN].rate_bps.known)
            return;
        open_ns = k->rtt_ns.high - k->rtt_ns.low;
    }
    g_array_sort(thinks, ascending);
    c.low = (double)g_array_index(thinks, int64_t, thinks->len / 4);
    c.high = (double)g_array_index(thinks, int64_t, 3 * thinks->len / 4);
    c.value = (double)g_array_index(thinks, int64_t, thinks->len / 2);
    compare(l, THINK, &c, (double)s->think_ns, AT_LEAST, 2e3 + open_ns);
}

static void describe(const struct loop *l, const struct scene *s)
{
    const struct network_direction *d = &s->network.down, *u = &s->network.up;

    printf("scene %u: %s at the %s, blocks of %" G_GINT64_FORMAT " B, %" G_GINT64_FORMAT
           " at once; RTT %.3f ms, MTU %" G_GINT64_FORMAT
           "; down %.3f Mbit/s, queue %.1f kB, loss %.3f %%, %" G_GINT64_FORMAT
           " a ms; up %.3f Mbit/s, queue %.1f kB, loss %.3f %%\n",
           l->scene, s->upload ? "upload" : "download", s->at == SIM_CAPTURE_CLIENT ? "client" : "server",
           s->block_bytes, s->depth, (double)s->network.rtt_ns / 1e6, s->network.mtu_bytes,
           (double)d->rate_bps / 1e6, (double)d->queue_bytes / 1e3, 100 * d->loss, d->packets_per_ms,
           (double)u->rate_bps / 1e6, (double)u->queue_bytes / 1e3, 100 * u->loss);
}

static void check(struct loop *l, const struct scene *s)
{
    const char *paths[] = {s->path, NULL};
    struct replay_options options = {.measure = true, .trace = true};
    struct replay *r = replay_read(paths, &options, NULL);
    const struct replay_connection *c;
    struct calibrated mtu;

    if (l->verbose)
        describe(l, s);
    g_assert_nonnull(r);
    g_assert_cmpuint(r->connections->len, ==, 1);
    c = g_ptr_array_index(r->connections, 0);
    mtu = calibrated_value((double)r->network->mtu_bytes, (double)r->network->mtu_bytes,
                           (double)r->network->mtu_bytes);
    compare(l, RTT, &r->network->rtt_ns, (double)s->network.rtt_ns, AT_MOST, 2e3);
    compare(l, MTU, &mtu, (double)s->network.mtu_bytes, AT_LEAST, 0);
    compare_direction(l, &r->network->side[REPLAY_DOWN], &s->network.down,
                      (double)network_counted_bytes(s->network.counts, s->network.mtu_bytes));
    compare_direction(l, &r->network->side[REPLAY_UP], &s->network.up,
                      (double)network_counted_bytes(s->network.counts, s->network.mtu_bytes));
    compare_end(l, &r->network->end[REPLAY_UP], &s->client.tcp);
    compare_end(l, &r->network->end[REPLAY_DOWN], &s->server.tcp);
    compare_service(l, s, c->study->calibration.services);
    compare_think(l, s, r->network, c->study->trace);
    replay_free(r);
}

enum { LONG_FORM = 200 }; /* shows each parameter at least once */

/* Whether so many right of so many could be a true 95 %. */
static bool is_credible(unsigned right, unsigned of)
{
    return right == of || gsl_cdf_binomial_P(right, 0.95, of) > 0.001;
}

static bool report(const struct loop *l, unsigned scenes)
{
    bool good = true;

    printf("%-18s %6s %7s   %7s %7s\n", "parameter", "known", "inside", "unknown", "beyond");
    for (int p = 0; p < PARAMETERS; p++) {
        const struct tally_of *t = &l->of[p];
        bool ok = is_credible(t->inside, t->known) && is_credible(t->beyond, t->unknown);

        printf("%-18s %6u %7u   %7u %7u%s\n", NAMES[p], t->known, t->inside, t->unknown, t->beyond,
               ok ? "" : "   too few");
        good &= ok && (t->known > 0 || scenes < LONG_FORM);
    }
    return good;
}

int main(int argc, char **argv)
{
    unsigned scenes = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 30;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct loop loop = {.verbose = argc > 1};

    gsl_set_error_handler_off();
    for (unsigned i = 0; i < scenes; i++) {
        gsl_rng *rng = rng_stream(seed, i, "closed loop");
        struct scene s;

        loop.scene = i;
        scene_init(&s, rng);
        scene_run(&s);
        check(&loop, &s);
        scene_fini(&s);
        gsl_rng_free(rng);
    }
    return report(&loop, scenes) ? 0 : 1;
}
