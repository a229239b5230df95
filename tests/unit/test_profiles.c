/* Profile files: what is read, and the one sentence that each mistake gets. */
#include "sim/command.h"
#include "sim/profile.h"
#include "base/error.h"
#include "base/units.h"

#include <glib.h>
#include <string.h>

#define SIDES                                                                                                \
    "  down: {rate: 2 Mbit/s, queue: 64 kB, loss: 0.5 %, packets_per_ms: 10}\n  up: {rate: 1 MB/s, queue: "  \
    "64 KiB}\n"

static bool bind_network(const char *text, struct network_profile *n, GError **error)
{
    struct yaml_doc *doc = yaml_load_text("n.yaml", text, strlen(text), error);
    bool ok = false;

    network_profile_init(n);
    if (doc)
        ok = network_profile_bind(n, doc, error);
    yaml_doc_free(doc);
    return ok;
}

static void test_network(void)
{
    struct network_profile n;

    g_assert_true(
        bind_network("network:\n  name: x\n  rtt: 25 ms\n" SIDES "  mtu: 1400 B\n  counts: ip\n", &n, NULL));
    g_assert_cmpint(network_one_way_ns(&n), ==, 12500000);
    g_assert_cmpint(n.down.rate_bps, ==, 2000000);
    g_assert_cmpint(n.up.rate_bps, ==, 8000000);
    g_assert_cmpint(n.down.queue_bytes, ==, 64000);
    g_assert_cmpint(n.up.queue_bytes, ==, 65536);
    g_assert_cmpfloat_with_epsilon(n.down.loss, 0.005, 1e-12);
    g_assert_cmpint(n.down.packets_per_ms, ==, 10);
    g_assert_cmpint(n.counts, ==, NETWORK_COUNTS_IP);
    network_profile_clear(&n);
    g_assert_true(bind_network("network:\n  name: x\n  one_way_delay: 20 ms\n" SIDES, &n, NULL));
    g_assert_cmpint(network_one_way_ns(&n), ==, 20000000);
    network_profile_clear(&n);
}

static void test_network_mistakes(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"network:\n  name: x\n  rtt: 25\n" SIDES, "n.yaml:3: rtt: *unit*ms*"},
        {"network:\n  name: x\n  latencey: 25 ms\n" SIDES, "n.yaml:3: unknown key \"latencey\"*"},
        {"network:\n  name: x\n" SIDES, "n.yaml:1: *rtt*one_way_delay*"},
        {"network:\n  name: x\n  rtt: 1 ms\n  one_way_delay: 1 ms\n" SIDES, "n.yaml:1: *once*"},
        {"network:\n  rtt: 1 ms\n" SIDES, "n.yaml:*\"name\" is missing*"},
        {"network:\n  name: x\n  rtt: 1 ms\n  down: {rate: 0 bit/s, queue: 1 B}\n  up: {rate: 1 bit/s, "
         "queue: 1 B}\n",
         "n.yaml:1: *down: rate*"},
        {"network:\n  name: x\n  rtt: 1 ms\n  down: {rate: 1 Mbps, queue: 1 B}\n  up: {rate: 1 bit/s, queue: "
         "1 B}\n",
         "n.yaml:4: rate: *ambiguous*"},
        {"network:\n  name: x\n  rtt: 1 ms\n" SIDES "  mtu: 100 B\n", "*mtu*"},
        {"network:\n  name: x\n  rtt: 1 ms\n" SIDES "  counts: wires\n", "*did you mean \"wire\"*"},
        {"client:\n  name: x\n", "n.yaml: has no section \"network:\""},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct network_profile n;
        g_autoptr(GError) error = NULL;

        g_assert_false(bind_network(cases[i].text, &n, &error));
        g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
        if (!g_pattern_match_simple(cases[i].message, error->message))
            g_error("case %zu: got \"%s\", expected \"%s\"", i, error->message, cases[i].message);
        network_profile_clear(&n);
    }
}

static bool bind_client(const char *text, struct client_profile *c, GError **error)
{
    struct yaml_doc *doc = yaml_load_text("c.yaml", text, strlen(text), error);
    bool ok = false;

    client_profile_init(c);
    if (doc)
        ok = client_profile_bind(c, doc, error);
    yaml_doc_free(doc);
    return ok;
}

#define CLIENT "client:\n  name: x\n  dialect: 2.1\n  system: windows-xp\n"

/* A tcp: section changes single values of the system's row. */
static void test_client(void)
{
    struct client_profile c;

    g_assert_true(bind_client(
        CLIENT "  tcp: {receive_window: 17520 B}\n  download:\n"
               "    - {command: SMB2 READ, request: 117 B, response: 84 B, data: read, block: 64 KiB}\n",
        &c, NULL));
    g_assert_cmpint(c.tcp.receive_window_bytes, ==, 17520);
    g_assert_cmpint(c.tcp.delayed_ack_ns, ==, 200 * NS_PER_MS);
    g_assert_cmpuint(c.download->len, ==, 1);
    g_assert_cmpint(g_array_index(c.download, struct client_step, 0).depth, ==, 1);
    g_assert_cmpuint(g_array_index(c.download, struct client_step, 0).command, ==, SMB2_READ);
    client_profile_clear(&c);
}

#define SMB(dialect) "client:\n  name: x\n  dialect: " dialect "\n  system: linux\n"
#define DATA(command, way, block)                                                                            \
    "{command: " command ", request: 1 B, response: 1 B, data: " way ", block: " block "}\n"

#define CLOSE  "{command: SMB2 CLOSE, request: 92 B, response: 128 B}\n"
#define JOINED "{command: SMB2 CLOSE, request: 92 B, response: 128 B, compound: true}\n"

static void test_client_mistakes(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {CLIENT, "c.yaml:1: client: needs a download or an upload list"},
        {CLIENT "  download:\n    - {command: SMB2 REED, request: 1 B, response: 1 B}\n",
         "c.yaml:6: *SMB2 REED*"},
        {CLIENT "  download:\n    - {command: SMB2 READ, request: 1 B, response: 1 B, data: read}\n",
         "c.yaml:6: *block*"},
        {CLIENT
         "  download:\n    - {command: SMB2 READ, request: 1 B, response: 1 B, data: write, block: 1 B}\n",
         "c.yaml:6: *doesn't belong*"},
        {CLIENT "  download:\n    - {command: SMB2 READ, request: 0 B, response: 1 B}\n",
         "c.yaml:6: *request*"},
        {CLIENT "  download:\n    - {command: SMB2 READ, request: 1 B, response: 1 B, depth: 4}\n",
         "c.yaml:6: *depth*"},
        {"client:\n  name: x\n  dialect: 4.0\n  system: linux\n  download:\n"
         "    - {command: SMB2 READ, request: 1 B, response: 1 B}\n",
         "*dialect*4.0*"},
        {"client:\n  name: x\n  dialect: 2.1\n  system: beos\n", "c.yaml:4: *beos*"},
        {SMB("SMB1") "  upload:\n    - " DATA("SMB1 WRITE_ANDX", "write", "128 KiB"), "c.yaml:6: *65535 B*"},
        {SMB("2.0.2") "  download:\n    - " DATA("SMB2 READ", "read", "65537 B"), "c.yaml:6: *65536 B*"},
        {SMB("SMB1") "  credits: 10\n  download:\n    - " DATA("SMB1 READ_ANDX", "read", "1 B"), "*credits*"},
        {CLIENT "  max_requests: 10\n  download:\n    - " DATA("SMB2 READ", "read", "1 B"), "*SMB1*"},
        {CLIENT "  connections: 2\n  download:\n    - " DATA("SMB2 READ", "read", "1 B"), "*SMB3*"},
        {SMB("3.0") "  connections: 33\n  download:\n    - " DATA("SMB2 READ", "read", "1 B"), "*1 to 32*"},
        {CLIENT "  files_at_once: 0\n  download:\n    - " DATA("SMB2 READ", "read", "1 B"), "*1 to 1024*"},
        {CLIENT "  protection: encrypt\n  download:\n    - " DATA("SMB2 READ", "read", "1 B"), "*SMB3*"},
        {SMB("3.0") "  compression: {ratio: 50 %}\n  download:\n    - " DATA("SMB2 READ", "read", "1 B"),
         "*3.1.1*"},
        {CLIENT "  nic: {receive_queues: 0}\n  download:\n    - " DATA("SMB2 READ", "read", "1 B"),
         "*receive_queues*"},
        {CLIENT "  download:\n    - " JOINED, "c.yaml:6: compound: there is no step before it*"},
        {CLIENT "  connect:\n    - " CLOSE "    - " JOINED "  download:\n    - " CLOSE,
         "c.yaml:7: compound: *download*"},
        {CLIENT "  download:\n    - " DATA("SMB2 READ", "read", "1 B") "    - " JOINED,
         "c.yaml:7: *file data*"},
        {CLIENT "  download:\n    - " CLOSE
                "    - {command: SMB2 CLOSE, request: 92 B, response: 128 B, compound: true, think: 1 s}\n",
         "c.yaml:7: *think*"},
        {CLIENT "  download:\n    - " CLOSE
                "    - {command: SMB2 CLOSE, request: 92 B, response: 0 B, compound: true}\n",
         "c.yaml:7: *72 B*"},
        {SMB("SMB1") "  download:\n    - {command: SMB1 CLOSE, request: 92 B, response: 92 B}\n"
                     "    - {command: SMB1 CLOSE, request: 92 B, response: 92 B, compound: true}\n",
         "c.yaml:7: *SMB2*"},
        {CLIENT "  download:\n    - " CLOSE "    - " JOINED "    - " JOINED "    - " JOINED "    - " JOINED
                "    - " JOINED "    - " JOINED "    - " JOINED "    - " JOINED,
         "c.yaml:14: *at most 8*"},
        {CLIENT "  download:\n    - {command: SMB2 CLOSE, request: 1 B, response: 1 B, wait: all}\n",
         "c.yaml:6: *wait*"},
        {CLIENT "  download:\n    - {command: SMB2 CLOSE, request: 1 B, response: 1 B, cached: file}\n",
         "c.yaml:6: *file_cache*"},
        {CLIENT "  download:\n    - {command: SMB2 CLOSE, request: 1 B, response: 1 B, cached_for: 1 s}\n",
         "c.yaml:6: *cached_for*"},
        {CLIENT "  connect:\n    - {command: SMB2 CLOSE, request: 1 B, response: 1 B, cached: connection}\n"
                "  download:\n    - " DATA("SMB2 READ", "read", "1 B"),
         "c.yaml:6: *cached*"},
        {CLIENT "  download:\n    - {command: SMB2 CLOSE, request: 1 B, response: 1 B, cached: directory}\n",
         "c.yaml:6: *isn't cached*"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct client_profile c;
        g_autoptr(GError) error = NULL;

        g_assert_false(bind_client(cases[i].text, &c, &error));
        g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
        if (!g_pattern_match_simple(cases[i].message, error->message))
            g_error("case %zu: got \"%s\", expected \"%s\"", i, error->message, cases[i].message);
        client_profile_clear(&c);
    }
}

/* Service time is a constant and a share of the data, by command. */
static void test_server(void)
{
    static const char text[] =
        "server:\n  name: x\n  system: linux\n  service: {time: 1 ms}\n"
        "  commands:\n    SMB2 READ: {time: 100 us, rate: 80 Mbit/s}\n  max_block: 64 KiB\n";
    struct yaml_doc *doc = yaml_load_text("s.yaml", text, strlen(text), NULL);
    struct server_profile s;

    server_profile_init(&s);
    g_assert_true(server_profile_bind(&s, doc, NULL));
    g_assert_cmpint(server_service_ns(&s, SMB2_CREATE, 0), ==, 1000000);
    g_assert_cmpint(server_service_ns(&s, SMB2_READ, 10000), ==, 100000 + 1000000);
    g_assert_cmpint(s.max_block_bytes, ==, 65536);
    server_profile_clear(&s);
    yaml_doc_free(doc);
}

/* What a link's rate counts of a packet. */
static void test_counted_bytes(void)
{
    g_assert_cmpint(network_counted_bytes(NETWORK_COUNTS_IP, 1500), ==, 1500);
    g_assert_cmpint(network_counted_bytes(NETWORK_COUNTS_ETHERNET, 1500), ==, 1514);
    g_assert_cmpint(network_counted_bytes(NETWORK_COUNTS_WIRE, 1500), ==, 1538);
    g_assert_cmpint(network_counted_bytes(NETWORK_COUNTS_WIRE, 40), ==, 84);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/profiles/network", test_network);
    g_test_add_func("/profiles/network-mistakes", test_network_mistakes);
    g_test_add_func("/profiles/client", test_client);
    g_test_add_func("/profiles/client-mistakes", test_client_mistakes);
    g_test_add_func("/profiles/server", test_server);
    g_test_add_func("/profiles/counted-bytes", test_counted_bytes);
    return g_test_run();
}
