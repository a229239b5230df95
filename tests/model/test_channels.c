/* SMB 3's multichannel: one session over several connections, on one network or on several. */
#include "tests/model/copies.h"

#define CLIENT                                                                                               \
    "  dialect: 3.1.1\n  connect:\n"                                                                         \
    "    - {command: SMB1 NEGOTIATE, request: 77 B, response: 240 B}\n"                                      \
    "    - {command: SMB2 NEGOTIATE, request: 290 B, response: 380 B}\n"                                     \
    "    - {command: SMB2 SESSION_SETUP, request: 220 B, response: 330 B, repeat: 2}\n"                      \
    "    - {command: SMB2 TREE_CONNECT, request: 120 B, response: 84 B}\n"                                   \
    "  download:\n"                                                                                          \
    "    - {command: SMB2 READ, request: 117 B, response: 84 B, data: read, block: 1 MiB, depth: 8}\n"

struct channels {
    struct copies c;
    struct network_profile second;
    const struct network_profile *further[1];
};

static void channels_init(struct channels *k, const char *more, const char *files, int64_t first_bps,
                          int64_t second_bps)
{
    g_autofree char *client = g_strconcat(more, CLIENT, NULL);

    copies_init(&k->c, client, files, 2 * NS_PER_MS);
    k->second = k->c.network;
    k->c.network.down.rate_bps = k->c.network.up.rate_bps = first_bps;
    k->second.down.rate_bps = k->second.up.rate_bps = second_bps;
    k->further[0] = &k->second;
    if (!second_bps)
        return;
    k->c.what.networks = 2;
    k->c.setup.further_networks = k->further;
    k->c.setup.further_network_count = 1;
}

static double copy_rate(struct channels *k)
{
    copies_run(&k->c);
    return (double)k->c.result.data_bytes * 8 / units_seconds(k->c.result.elapsed_ns);
}

static double rate_of(const char *more, int64_t first_bps, int64_t second_bps)
{
    struct channels k;
    double rate;

    channels_init(&k, more, "200MiB", first_bps, second_bps);
    rate = copy_rate(&k);
    copies_fini(&k.c);
    return rate;
}

/* Two equal paths carry twice as much; a second connection on the same one adds nothing. */
static void test_equal_paths(void)
{
    double one = rate_of("", 100000000, 0), two = rate_of("", 100000000, 100000000);
    double shared = rate_of("  connections: 2\n", 100000000, 0);

    g_assert_cmpfloat_with_epsilon(one, 100e6 * 1460 / 1500, 1e6);
    g_assert_cmpfloat_with_epsilon(two, 2 * one, 0.03 * two);
    g_assert_cmpfloat_with_epsilon(shared, one, 0.02 * one);
}

/* Requests go to the connection with the fewest outstanding, and leave in order: a block on a path of a fifth of the rate holds up those
 * behind it, so that both together carry less than the fast one alone, and more than twice the slow one. */
static void test_unequal_paths(void)
{
    double both = rate_of("", 100000000, 20000000), fast = rate_of("", 100000000, 0);

    g_test_message("%.1f Mbit/s with the slow path, %.1f without", both / 1e6, fast / 1e6);
    g_assert_cmpfloat(both, >, 2 * 20e6 * 1460 / 1500);
    g_assert_cmpfloat(both, <, 0.9 * fast);
}

/* Two adapters of a client that plays music: 8,000 packets a second over both together, where each path alone would carry more. */
static void test_throttle_of_both(void)
{
    struct channels k;
    double rate;

    channels_init(&k, "  nic: {packets_per_ms: 10}\n", "100MiB", 1000000000, 1000000000);
    k.c.setup.client_host = &k.c.client.host;
    rate = copy_rate(&k);
    g_test_message("%.0f packets a second", rate / 8 / 1460);
    g_assert_cmpfloat_with_epsilon(rate / 8 / 1460, 8000, 200);
    g_assert_cmpstr(waits_largest(&k.c.result.waits), ==, "packet_cap");
    copies_fini(&k.c);
}

/* A connection has credits of its own: a file of 64 KiB takes one, a worker has one file, and so each connection one at a time. The
 * further ones are bound while the first file is read: that takes them the handshake, NEGOTIATE and two legs. */
static void test_credits_of_each(void)
{
    struct channels k;
    const int64_t rtt = 2 * NS_PER_MS;

    channels_init(&k, "  credits: 1\n  connections: 4\n  files_at_once: 16\n", "20x64KiB",
                  INT64_C(1000000000000), 0);
    k.c.network.rtt_ns = rtt;
    copies_run(&k.c);
    /* Handshake and five exchanges; four files alone meanwhile; sixteen by four. */
    g_assert_cmpint(k.c.result.elapsed_ns, >=, (1 + 5 + 4 + 4) * rtt);
    g_assert_cmpint(k.c.result.elapsed_ns, <, (1 + 5 + 4 + 4) * rtt + 200 * NS_PER_US);
    g_assert_cmpuint(k.c.result.exchanges, ==, 5 + 3 * 3 + 20);
    copies_fini(&k.c);
}

/* The second path's losses are its own: they come from its own stream, and the first path's aren't changed by there being another. */
static void test_streams(void)
{
    struct channels k;
    uint64_t alone;

    channels_init(&k, "  connections: 1\n", "20MiB", 100000000, 0);
    k.c.network.down.loss = 0.001;
    copies_run(&k.c);
    alone = k.c.result.down.dropped_loss;
    copies_fini(&k.c);
    channels_init(&k, "", "20MiB", 100000000, 100000000);
    k.second.down.loss = 0.01;
    copies_run(&k.c);
    g_assert_cmpuint(k.c.result.down.dropped_loss, >, alone);
    copies_fini(&k.c);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/channels/equal-paths", test_equal_paths);
    g_test_add_func("/channels/unequal-paths", test_unequal_paths);
    g_test_add_func("/channels/throttle-of-both", test_throttle_of_both);
    g_test_add_func("/channels/credits-of-each", test_credits_of_each);
    g_test_add_func("/channels/streams", test_streams);
    return g_test_run();
}
