/* What copy programs do: several files at once, bursts of requests. Times have a closed form. */
#include "tests/model/copies.h"

static const int64_t RTT = 20 * NS_PER_MS;

#define STEP(command) "    - {command: " command ", request: 200 B, response: 200 B}\n"
#define READ(more)                                                                                           \
    "    - {command: SMB2 READ, request: 117 B, response: 84 B, data: read, block: 64 KiB" more "}\n"

/* The handshake and so many round trips; the packets themselves take some microseconds. */
static void check_round_trips(const struct copies *c, int64_t count)
{
    g_assert_cmpint(c->result.elapsed_ns, >=, (1 + count) * RTT);
    g_assert_cmpint(c->result.elapsed_ns, <, (1 + count) * RTT + 200 * NS_PER_US);
}

/* 10 files of three exchanges by n workers: the connect list, ceil(10 / n) times three round trips, the disconnect list. */
static void test_files_at_once(void)
{
    static const int workers[] = {1, 2, 3, 4, 9, 10, 64};

    for (size_t i = 0; i < G_N_ELEMENTS(workers); i++) {
        g_autofree char *client =
            g_strdup_printf("  dialect: 2.1\n  files_at_once: %d\n  connect:\n" STEP("SMB2 NEGOTIATE")
                                STEP("SMB2 SESSION_SETUP") "  download:\n" STEP("SMB2 CREATE") READ("")
                                    STEP("SMB2 CLOSE") "  disconnect:\n" STEP("SMB2 LOGOFF"),
                            workers[i]);
        struct copies c;

        copies_init(&c, client, "10x1000B", RTT);
        copies_run(&c);
        check_round_trips(&c, 2 + (10 + workers[i] - 1) / workers[i] * 3 + 1);
        g_assert_cmpuint(c.result.exchanges, ==, 2 + 30 + 1);
        g_assert_cmpuint(c.result.data_bytes, ==, 10000);
        copies_fini(&c);
    }
}

/* A worker takes the next file when it is through with its own: beside one of ten blocks, read one at a time, the other worker
 * copies the small ones. */
static void test_who_is_free_takes_the_next(void)
{
    struct copies c;

    copies_init(&c,
                "  dialect: 2.1\n  files_at_once: 2\n  download:\n" STEP("SMB2 CREATE") READ("")
                    STEP("SMB2 CLOSE"),
                "1x640KiB,4x1KiB", RTT);
    copies_run(&c);
    check_round_trips(&c, 12);
    copies_fini(&c);
}

#define SMB1_FILE                                                                                            \
    "    - {command: SMB1 NT_CREATE_ANDX, request: 120 B, response: 107 B}\n"                                \
    "    - {command: SMB1 READ_ANDX, request: 63 B, response: 64 B, data: read, block: 32 KiB}\n"            \
    "    - {command: SMB1 CLOSE, request: 45 B, response: 39 B}\n"

/* However many workers: a connection has no more requests out than the smaller of what client and server allow. */
static void test_smb1_limit(void)
{
    static const struct {
        int client, server, at_once;
    } cases[] = {{0, 0, 12}, {3, 0, 3}, {0, 4, 4}, {6, 4, 4}, {2, 50, 2}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *client = g_strdup_printf(
            "  dialect: SMB1\n  files_at_once: 12\n  max_requests: %d\n  download:\n" SMB1_FILE,
            cases[i].client);
        struct copies c;

        copies_init(&c, client, "12x1000B", RTT);
        c.server.max_requests = cases[i].server;
        copies_run(&c);
        check_round_trips(&c, 12 / cases[i].at_once * 3);
        copies_fini(&c);
    }
}

/* Eight workers with reads of 16 credits each share the connection's credits: with 64 there are four reads out at once. SMB 2.0.2
 * has no charge in its header, but each request takes a credit. */
static void test_credits_are_shared(void)
{
    struct copies c;

    copies_init(&c,
                "  dialect: 2.1\n  credits: 64\n  files_at_once: 8\n  connect:\n" STEP(
                    "SMB2 NEGOTIATE") "  download:\n"
                                      "    - {command: SMB2 READ, request: 117 B, response: 84 B, data: "
                                      "read, block: 1 MiB}\n",
                "16x1MiB", RTT);
    copies_run(&c);
    g_assert_cmpint(c.result.elapsed_ns, >=, (2 + 16 / 4) * RTT);
    g_assert_cmpint(c.result.elapsed_ns, <, (2 + 16 / 4) * RTT + 2 * NS_PER_MS);
    copies_fini(&c);
    copies_init(&c,
                "  dialect: 2.0.2\n  credits: 5\n  files_at_once: 10\n  connect:\n" STEP(
                    "SMB2 NEGOTIATE") "  download:\n" READ(""),
                "10x64KiB", RTT);
    copies_run(&c);
    check_round_trips(&c, 1 + 10 / 5);
    copies_fini(&c);
}

static void check_between(int64_t is_ns, int64_t from_ns, int64_t more_ns)
{
    g_assert_cmpint(is_ns, >=, from_ns);
    g_assert_cmpint(is_ns, <, from_ns + more_ns);
}

/* Bursts of n blocks of 64 KiB over 2 Mbit/s, each when the one before is through: the n answers take their serialisation, and
 * each burst a round trip; what goes up takes nanoseconds. A sliding depth of 2 keeps the link busy from the first answer on;
 * it may carry ACKs beside the answers. */
static void test_bursts(void)
{
    static const int depths[] = {1, 2, 4, 8};
    const int64_t byte_ns = 4000, block = copies_wire_bytes(84 + 65536) * byte_ns, blocks = 16;
    const int64_t begin = RTT + 52 * byte_ns;

    for (size_t i = 0; i < G_N_ELEMENTS(depths); i++) {
        g_autofree char *client =
            g_strdup_printf("  dialect: 2.1\n  download:\n" READ(", depth: %d, wait: all"), depths[i]);
        struct copies c;

        copies_init(&c, client, "1MiB", RTT);
        c.network.down.rate_bps = 2000000;
        copies_run(&c);
        check_between(c.result.elapsed_ns, begin + blocks / depths[i] * (RTT + depths[i] * block), NS_PER_US);
        g_array_index(c.client.download, struct client_step, 0).wait = CLIENT_WAIT_EACH;
        copies_run(&c);
        if (depths[i] > 1)
            check_between(c.result.elapsed_ns, begin + RTT + blocks * block, blocks * 40 * byte_ns);
        copies_fini(&c);
    }
}

#define CACHES                                                                                               \
    "  dialect: 2.1\n  file_cache: {above: 10 ms, rate: 8 MB/s}\n  download:\n"                              \
    "    - {command: SMB2 QUERY_DIRECTORY, request: 200 B, response: 200 B, cached: directory, cached_for: " \
    "1 s}\n" STEP("SMB2 CREATE") READ(", cached: file")                                                      \
        STEP("SMB2 CLOSE") "    - {command: SMB2 QUERY_INFO, request: 200 B, response: 200 B, cached: "      \
                           "connection}\n"

static void copy_again(struct copies *c, bool warm, int64_t round_trips, int64_t exchanges)
{
    c->what.warm = warm;
    copies_run(c);
    check_round_trips(c, round_trips);
    g_assert_cmpuint(c->result.exchanges, ==, (uint64_t)exchanges);
}

/* Five files of one directory: the listing and the query once; in the second copy neither, and no read. */
static void test_caches(void)
{
    struct copies c;

    copies_init(&c, CACHES, "5x1000B", RTT);
    copy_again(&c, false, 5 * 3 + 2, 5 * 3 + 2);
    g_assert_cmpuint(c.result.data_bytes, ==, 5000);
    c.what.rtt_ns = RTT;
    g_array_index(c.groups, struct file_group, 0).size_bytes = 800000; /* 100 ms from the cache */
    c.what.warm = true;
    copies_run(&c);
    g_assert_cmpuint(c.result.data_bytes, ==, 0);
    g_assert_cmpuint(c.result.exchanges, ==, 5 * 2);
    g_assert_cmpint(c.result.waits.ns[WAIT_CLIENT], ==, 5 * 100 * NS_PER_MS);
    g_assert_cmpint(c.result.elapsed_ns - 500 * NS_PER_MS, >=, (1 + 10) * RTT);
    g_assert_cmpint(c.result.elapsed_ns - 500 * NS_PER_MS, <, (1 + 10) * RTT + 100 * NS_PER_US);
    copies_fini(&c);
}

/* Not above the threshold: the second copy reads again. */
static void test_threshold(void)
{
    struct copies c;

    copies_init(&c, CACHES, "5x1000B", 10 * NS_PER_MS);
    c.what.warm = true;
    copies_run(&c);
    g_assert_cmpuint(c.result.data_bytes, ==, 5000);
    g_assert_cmpuint(c.result.exchanges, ==, 5 * 3);
    c.what.rtt_ns++;
    copies_run(&c);
    g_assert_cmpuint(c.result.data_bytes, ==, 0);
    copies_fini(&c);
}

/* Other directories are listed again, and the same one when the cache has forgotten it: 60 files of three round trips of 20 ms last 3.6 s,
 * and the cache keeps a listing for 1 s. */
static void test_directories(void)
{
    struct copies c;

    copies_init(&c, CACHES, "2x1000B,2x1000B,2x1000B", RTT);
    for (guint i = 0; i < 3; i++)
        g_array_index(c.groups, struct file_group, i).directory = i;
    copy_again(&c, false, 6 * 3 + 3 + 1, 6 * 3 + 3 + 1);
    copies_fini(&c);
    copies_init(&c, CACHES, "60x1000B", RTT);
    copy_again(&c, false, 60 * 3 + 4 + 1, 60 * 3 + 4 + 1);
    copies_fini(&c);
}

/* CREATE, QUERY_INFO and CLOSE in one message take one round trip for each file, where by themselves they take three; each costs its
 * credit and its service time. */
static void test_compounds(void)
{
    static const char open[] =
        "  dialect: 3.1.1\n  credits: 64\n  connect:\n"
        "    - {command: SMB2 NEGOTIATE, request: 290 B, response: 380 B}\n  download:\n"
        "    - {command: SMB2 CREATE, request: 140 B, response: 156 B}\n";
    int64_t elapsed_ns[2];

    for (int joined = 0; joined < 2; joined++) {
        const char *more = joined ? ", compound: true" : "";
        g_autofree char *client =
            g_strdup_printf("%s    - {command: SMB2 QUERY_INFO, request: 109 B, response: 180 B%s}\n"
                            "    - {command: SMB2 CLOSE, request: 92 B, response: 128 B%s}\n",
                            open, more, more);
        struct copies c;

        copies_init(&c, client, "10x1B", 20 * NS_PER_MS);
        c.server.other.time_ns = NS_PER_MS;
        copies_run(&c);
        g_assert_cmpuint(c.result.exchanges, ==, 1 + (joined ? 10 : 30));
        elapsed_ns[joined] = c.result.elapsed_ns - c.result.handshake_ns;
        copies_fini(&c);
    }
    g_assert_cmpint(elapsed_ns[0] / NS_PER_MS, ==, 31 * (20 + 1));
    g_assert_cmpint(elapsed_ns[1] / NS_PER_MS, ==, (20 + 1) + 10 * (20 + 3));
}

/* Each element but the last fills up to a multiple of eight bytes: [MS-SMB2] 3.2.4.1.4. */
static void test_compound_bytes(void)
{
    const struct exchange_chain chain = {.count = 3,
                                         .elements = {{140, 156, 0}, {109, 180, 0}, {92, 128, 0}}};

    g_assert_cmpuint(exchange_chain_bytes(&chain, false), ==, 4 + 136 + 112 + 88);
    g_assert_cmpuint(exchange_chain_bytes(&chain, true), ==, 4 + 152 + 176 + 124);
}

/* Two reads of 8 MiB take 33 s each at 2 Mbit/s: a client that waits for 20 s gives up, small blocks go through. The account says what it
 * waited for. When the server takes longer than that, it is the server's. */
static void check_giving_up(const char *block, int64_t rate_bps, int64_t service_ns, const char *bottleneck)
{
    g_autofree char *client =
        g_strdup_printf("  dialect: 3.1.1\n  request_timeout: 20 s\n  download:\n"
                        "    - {command: SMB2 CREATE, request: 140 B, response: 156 B}\n"
                        "    - {command: SMB2 READ, request: 117 B, response: 84 B, "
                        "data: read, block: %s, depth: 2}\n",
                        block);
    struct copies c;
    int64_t sum = 0;

    copies_init(&c, client, "20MiB", 50 * NS_PER_MS);
    c.network.down.rate_bps = rate_bps;
    c.server.other.time_ns = service_ns;
    c.setup.request_timeout_ns = c.client.request_timeout_ns;
    copy_init(&c.plan, &c.what);
    sim_run(&c.setup, &c.result);
    copy_clear(&c.plan);
    g_assert_cmpint(c.result.failed, ==, bottleneck != NULL);
    for (int k = 0; k < WAIT_KINDS; k++)
        sum += c.result.waits.ns[k];
    g_assert_cmpint(sum, ==, c.result.elapsed_ns);
    if (bottleneck) {
        g_assert_nonnull(strstr(c.result.fail_reason, "time-out of 20 s"));
        g_assert_cmpint(c.result.elapsed_ns, ==, c.result.failed_at_ns);
        g_assert_cmpstr(waits_largest(&c.result.waits), ==, bottleneck);
    }
    copies_fini(&c);
}

static void test_giving_up(void)
{
    check_giving_up("8 MiB", 2000000, 0, "transmission");
    check_giving_up("64 KiB", 2000000, 0, NULL);
    check_giving_up("64 KiB", 2000000, 25 * NS_PER_S, "server");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/copies/files-at-once", test_files_at_once);
    g_test_add_func("/copies/who-is-free-takes-the-next", test_who_is_free_takes_the_next);
    g_test_add_func("/copies/smb1-limit", test_smb1_limit);
    g_test_add_func("/copies/credits-are-shared", test_credits_are_shared);
    g_test_add_func("/copies/bursts", test_bursts);
    g_test_add_func("/copies/caches", test_caches);
    g_test_add_func("/copies/threshold", test_threshold);
    g_test_add_func("/copies/directories", test_directories);
    g_test_add_func("/copies/compounds", test_compounds);
    g_test_add_func("/copies/giving-up", test_giving_up);
    g_test_add_func("/copies/compound-bytes", test_compound_bytes);
    return g_test_run();
}
