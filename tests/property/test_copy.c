/* Copies by random client profiles over random networks: bytes, exchanges and credits are conserved. g_test prints the seed; run one
 * again with --seed. */
#include "sim/command.h"
#include "sim/smb_cost.h"
#include "tests/model/copies.h"

enum { SCENARIOS = 150, MOST_FILES = 200, MOST_CONNECTIONS = 8 };

static int64_t between(int64_t low, int64_t high)
{
    return low + (int64_t)(g_test_rand_double() * (double)(high - low));
}

/* ---- what a run shows ---------------------------------------------------------------------------------------------- */

struct watched {
    int64_t spent, held; /* credits of a connection */
    uint64_t outstanding;
};

struct watch {
    struct copies *c;
    struct watched connections[MOST_CONNECTIONS];
    uint64_t requests, responses, data_bytes, compounds;
    bool smb1, opened[MOST_FILES];
    int64_t open_files, most_open;
};

static void see_request(struct watch *w, const struct sim_message *m)
{
    struct watched *k = &w->connections[m->connection];

    w->requests++;
    k->outstanding++;
    k->spent += smb_credit_charge(m->exchange);
    if (w->c->client.credits)
        g_assert_cmpint(k->spent, <=, k->held);
    if (w->smb1)
        g_assert_cmpuint(k->outstanding, <=, (uint64_t)w->c->client.max_requests);
    if (m->exchange->command == SMB2_CREATE) {
        g_assert_false(w->opened[m->exchange->file]);
        w->opened[m->exchange->file] = true;
        w->open_files++;
        w->most_open = MAX(w->most_open, w->open_files);
    }
}

static void see_response(struct watch *w, const struct sim_message *m)
{
    struct watched *k = &w->connections[m->connection];
    int64_t elements = m->exchange->chain ? m->exchange->chain->count : 1;

    w->responses++;
    w->data_bytes += m->exchange->data_bytes;
    w->open_files -= m->exchange->command == SMB2_CLOSE;
    g_assert_cmpuint(k->outstanding, >, 0);
    k->outstanding--;
    k->spent -= smb_credit_charge(m->exchange);
    k->held = MIN(w->c->client.credits, k->held + w->c->server.credit_step * elements);
    w->compounds += elements > 1;
}

static void see_message(void *self, const struct sim_message *m)
{
    if (m->response)
        see_response(self, m);
    else
        see_request(self, m);
}

static void see_packet(void *self, enum sim_place place, int64_t now_ns, const struct packet *p)
{
    (void)self;
    (void)place;
    (void)now_ns;
    (void)p;
}

static void see_end(void *self, int64_t now_ns, bool failed)
{
    (void)now_ns;
    (void)failed;
    (void)self;
}

/* ---- scenarios ----------------------------------------------------------------------------------------------------- */

#define QUERY "    - {command: SMB2 QUERY_INFO, request: 109 B, response: 180 B, compound: true}\n"

/* SMB1, 2.1, or 3.1.1 with up to three connections on each network. */
static char *random_client(bool smb1, bool multichannel, bool compound, int workers)
{
    g_autofree char *connections =
        multichannel ? g_strdup_printf("  connections: %d\n", (int)between(1, 4)) : g_strdup("");
    const char *p = smb1 ? "SMB1" : "SMB2", *read = smb1 ? "SMB1 READ_ANDX" : "SMB2 READ";
    const char *open = smb1 ? "SMB1 NT_CREATE_ANDX" : "SMB2 CREATE";
    g_autofree char *limit = smb1 ? g_strdup_printf("  max_requests: %d\n", (int)between(1, 20))
                                  : g_strdup_printf("  credits: %d\n", (int)between(1 + compound, 40));

    return g_strdup_printf(
        "  dialect: %s\n  files_at_once: %d\n%s%s"
        "  connect:\n    - {command: %s NEGOTIATE, request: 150 B, response: 150 B}\n"
        "  download:\n    - {command: %s, request: 150 B, response: 150 B, think: %d us}\n%s"
        "    - {command: %s, request: 117 B, response: 84 B, data: read, block: %d B, "
        "depth: %d, wait: %s}\n"
        "    - {command: %s CLOSE, request: 92 B, response: 128 B}\n",
        smb1           ? "SMB1"
        : multichannel ? "3.1.1"
                       : "2.1",
        workers, limit, connections, p, open, (int)between(0, 3000), compound ? QUERY : "", read,
        (int)between(1000, 65536), (int)between(1, 20), g_test_rand_bit() ? "all" : "each", p);
}

static void random_network(struct network_profile *n)
{
    network_profile_init(n);
    n->rtt_ns = between(0, 50 * NS_PER_MS);
    n->down.rate_bps = between(2000000, 1000000000);
    n->up.rate_bps = between(2000000, 1000000000);
    n->down.queue_bytes = n->up.queue_bytes = between(50000, 1000000);
    n->down.loss = g_test_rand_bit() ? 0 : g_test_rand_double() * 0.01;
}

static void check(struct copies *c, struct watch *w, int workers)
{
    int64_t files = file_groups_count(c->groups);

    g_assert_cmpuint(w->data_bytes, ==, (uint64_t)file_groups_bytes(c->groups));
    g_assert_cmpuint(c->result.data_bytes, ==, w->data_bytes);
    g_assert_cmpuint(c->result.exchanges, ==, w->requests);
    for (int i = 0; i < MOST_CONNECTIONS; i++) {
        uint64_t out = w->connections[i].outstanding;

        /* A further connection may be in the middle of its set-up when the copy is through. */
        g_assert_cmpuint(out, <=, i > 0);
        g_assert_cmpint(w->connections[i].spent, ==, (int64_t)out);
        w->responses += out;
    }
    g_assert_cmpuint(w->requests, ==, w->responses);
    if (w->smb1)
        return;
    for (int64_t i = 0; i < files; i++)
        g_assert_true(w->opened[i]);
    g_assert_cmpint(w->most_open, <=, MIN(workers, files));
    g_assert_cmpint(w->open_files, ==, 0);
}

static void test_conservation(void)
{
    for (int i = 0; i < SCENARIOS; i++) {
        bool smb1 = g_test_rand_bit(), multichannel = !smb1 && g_test_rand_bit();
        struct network_profile second;
        const struct network_profile *further = &second;
        int workers = (int)between(1, 12);
        bool compound = !smb1 && g_test_rand_bit();
        g_autofree char *client = random_client(smb1, multichannel, compound, workers);
        g_autofree char *files =
            g_strdup_printf("%dx%dB,%dx0B,%dx%dB", (int)between(1, 20), (int)between(1, 200000),
                            (int)between(1, 5), (int)between(1, 40), (int)between(1, 3000));
        struct copies c;
        struct watch w = {.c = &c, .smb1 = smb1};
        struct sim_probe probe = {see_message, see_packet, see_end, &w};

        copies_init(&c, client, files, 0);
        random_network(&c.network);
        random_network(&second);
        if (multichannel && g_test_rand_bit()) {
            c.what.networks = 2;
            c.setup.further_networks = &further;
            c.setup.further_network_count = 1;
        }
        c.client.tcp = *tcp_profile_of((int)between(0, 13));
        c.server.credit_step = between(1, 20);
        c.setup.probe = &probe;
        for (int k = 0; k < MOST_CONNECTIONS; k++)
            w.connections[k].held = 1;
        copies_run(&c);
        check(&c, &w, workers);
        g_assert_cmpuint(w.compounds, ==, compound ? (uint64_t)file_groups_count(c.groups) : 0);
        copies_fini(&c);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/copy/conservation", test_conservation);
    return g_test_run();
}
