/* Copies by client profiles that a test writes, on networks with a closed form. Header only. */
#ifndef TESTS_MODEL_COPIES_H
#define TESTS_MODEL_COPIES_H

#include "sim/copy.h"
#include "base/units.h"

#include <glib.h>
#include <string.h>

struct copies {
    struct client_profile client;
    struct server_profile server;
    struct network_profile network;
    GArray *groups;
    struct copy plan;
    struct copy_setup what;
    struct sim_setup setup;
    struct sim_result result;
};

/* A window that never limits, and no timestamps: 1460-byte segments. */
static inline struct tcp_profile copies_wide_tcp(void)
{
    struct tcp_profile t = *tcp_profile_of(0);

    t.initial_window = 100000;
    t.timestamps = false;
    t.receive_window_bytes = 1 << 30;
    t.autotuning = TCP_WINDOW_FIXED;
    return t;
}

/* 1000 Gbit/s: a packet takes some nanoseconds, so what remains is the path. */
static inline struct network_profile copies_latency(int64_t rtt_ns)
{
    struct network_profile n;

    network_profile_init(&n);
    n.rtt_ns = rtt_ns;
    n.down = n.up = (struct network_direction){.rate_bps = INT64_C(1000000000000), .queue_bytes = 1000000000};
    n.counts = NETWORK_COUNTS_IP;
    return n;
}

/* `client` is the file's text behind "client:", its name and system. The server answers at once. */
static inline void copies_init(struct copies *c, const char *client, const char *files, int64_t rtt_ns)
{
    static const char server[] = "server:\n  name: s\n  system: linux\n  service: {time: 0 s}\n";
    g_autofree char *text = g_strconcat("client:\n  name: c\n  system: linux\n", client, NULL);
    struct yaml_doc *doc = yaml_load_text("c.yaml", text, strlen(text), NULL);
    g_autoptr(GError) error = NULL;

    memset(c, 0, sizeof *c);
    g_assert_nonnull(doc);
    client_profile_init(&c->client);
    client_profile_bind(&c->client, doc, &error);
    g_assert_no_error(error);
    yaml_doc_free(doc);
    doc = yaml_load_text("s.yaml", server, strlen(server), NULL);
    server_profile_init(&c->server);
    g_assert_true(server_profile_bind(&c->server, doc, NULL));
    yaml_doc_free(doc);
    c->client.tcp = c->server.tcp = copies_wide_tcp();
    c->server.tcp.quick_acks = 0; /* its answers carry its ACKs */
    c->server.tcp.ack_every = 1000;
    c->server.tcp.ack_counts_bytes = false;
    c->network = copies_latency(rtt_ns);
    c->groups = file_groups_parse(files, NULL);
    c->what = (struct copy_setup){.client = &c->client, .groups = c->groups, .rtt_ns = rtt_ns};
    c->setup = (struct sim_setup){.network = &c->network,
                                  .client_tcp = &c->client.tcp,
                                  .server_tcp = &c->server.tcp,
                                  .server = &c->server,
                                  .connections = &c->plan.connection,
                                  .connection_count = 1};
}

/* Runs it, and checks what every copy has to hold. */
static inline void copies_run(struct copies *c)
{
    int64_t sum = 0;

    c->setup.credits = c->client.credits;
    c->setup.most_outstanding = profiles_max_requests(&c->client, &c->server);
    copy_init(&c->plan, &c->what);
    sim_run(&c->setup, &c->result);
    copy_clear(&c->plan);
    g_assert_cmpstr(c->result.fail_reason, ==, "");
    for (int k = 0; k < WAIT_KINDS; k++)
        sum += c->result.waits.ns[k];
    g_assert_cmpint(sum, ==, c->result.elapsed_ns);
}

static inline void copies_fini(struct copies *c)
{
    client_profile_clear(&c->client);
    server_profile_clear(&c->server);
    network_profile_clear(&c->network);
    g_array_unref(c->groups);
}

/* IP bytes of a message of that many TCP bytes. */
static inline int64_t copies_wire_bytes(int64_t message)
{
    return message + (message + 1459) / 1460 * 40;
}

#endif
