/* What hosts add: processor, its cores, adapter and its offloads, disk, credits, protection, compression. Each case states the system and what must come out. */
#include "sim/command.h"
#include "sim/copy.h"
#include "sim/run.h"
#include "base/units.h"

#include <glib.h>
#include <string.h>

enum { BLOCK = 1 << 20 };

struct bulk {
    uint64_t left, issued, depth;
    uint32_t flags;
    bool write, negotiates;
};

static bool next_of_bulk(void *self, int64_t now_ns, struct exchange *out)
{
    struct bulk *b = self;

    (void)now_ns;
    if (b->negotiates) {
        b->negotiates = false;
        *out = (struct exchange){.request_bytes = 200, .response_bytes = 200, .command = SMB2_NEGOTIATE};
        return true;
    }
    if (!b->left)
        return false;
    b->left--;
    *out = (struct exchange){
        .request_bytes = 117 + (b->write ? BLOCK : 0),
        .response_bytes = 84 + (b->write ? 0 : BLOCK),
        .data_bytes = BLOCK,
        .command = b->write ? SMB2_WRITE : SMB2_READ,
        .flags = (uint16_t)b->flags,
        .after = (uint32_t)(b->issued >= b->depth ? b->depth : 0),
    };
    b->issued++;
    return true;
}

struct world {
    struct network_profile network;
    struct tcp_profile tcp;
    struct host_profile client, server;
    struct server_profile profile;
    int64_t credits;
    bool pairs; /* two connections, each with half of the copy */
    struct sim_result result;
};

static void world_init(struct world *w)
{
    memset(w, 0, sizeof *w);
    network_profile_init(&w->network);
    w->network.rtt_ns = 200 * NS_PER_US;
    w->network.counts = NETWORK_COUNTS_WIRE;
    w->network.down = w->network.up =
        (struct network_direction){.rate_bps = 1000000000, .queue_bytes = 100000000};
    w->tcp = *tcp_profile_of(0);
    w->tcp.timestamps = false;
    host_profile_init(&w->client);
    host_profile_init(&w->server);
    server_profile_init(&w->profile);
}

static void run_world(struct world *w, struct bulk bulk)
{
    struct bulk half = bulk;
    struct sim_connection c[] = {{.source = {next_of_bulk, &bulk}}, {.source = {next_of_bulk, &half}}};
    struct sim_setup setup = {.network = &w->network,
                              .client_tcp = &w->tcp,
                              .server_tcp = &w->tcp,
                              .server = &w->profile,
                              .client_host = &w->client,
                              .server_host = &w->server,
                              .credits = w->credits,
                              .connections = c,
                              .connection_count = w->pairs ? 2 : 1};

    if (w->pairs)
        bulk.left = half.left = bulk.left / 2;
    sim_run(&setup, &w->result);
}

/* Rate of file data of a long copy, in bytes a second. */
static double copy_rate(struct world *w, struct bulk bulk)
{
    int64_t sum = 0;

    run_world(w, bulk);
    g_assert_false(w->result.failed);
    for (int k = 0; k < WAIT_KINDS; k++) {
        g_assert_cmpint(w->result.waits.ns[k], >=, 0);
        sum += w->result.waits.ns[k];
    }
    g_assert_cmpint(sum, ==, w->result.elapsed_ns);
    return (double)w->result.data_bytes / units_seconds(w->result.elapsed_ns);
}

static void check_rate(struct world *w, struct bulk bulk, double expected, double tolerance,
                       const char *bottleneck)
{
    double rate = copy_rate(w, bulk);

    g_assert_cmpfloat(rate, >, expected * (1 - tolerance));
    g_assert_cmpfloat(rate, <, expected * (1 + tolerance));
    g_assert_cmpstr(waits_largest(&w->result.waits), ==, bottleneck);
}

/* No costs: the wire's ceiling, 1460 of 1538 bytes at 1 Gbit/s. */
static void test_wire_ceiling(void)
{
    struct world w;

    world_init(&w);
    check_rate(&w, (struct bulk){.left = 400, .depth = 8}, 125e6 * 1460 / 1538, 0.01, "transmission");
}

/* A client that takes 20 us for each received packet takes 50,000 a second. */
static void test_slow_receiver(void)
{
    struct world w;

    world_init(&w);
    w.client.cpu.receive_packet_ns = 20 * NS_PER_US;
    check_rate(&w, (struct bulk){.left = 200, .depth = 8}, 50000 * 1460, 0.02, "client");
}

/* A server that takes 25 us to send a packet sends 40,000 a second; with one core the ACKs that it receives cost too. */
static void test_slow_sender(void)
{
    struct world w;

    world_init(&w);
    w.server.cpu.send_packet_ns = 25 * NS_PER_US;
    w.server.cpu.receive_packet_ns = 10 * NS_PER_US;
    check_rate(&w, (struct bulk){.left = 200, .depth = 8}, 40000 * 1460, 0.02, "server");
    w.server.cpu.cores = 1;
    check_rate(&w, (struct bulk){.left = 200, .depth = 8}, 1460 / (25e-6 + 10e-6 / 2), 0.02, "server");
}

/* Vista's throttle with one, two and three adapters. The ring holds what waits; a short one drops. */
static void test_multimedia_throttle(void)
{
    static const double packets[] = {0, 10000, 8000, 6000};
    struct world w;

    for (int adapters = 1; adapters <= 3; adapters++) {
        world_init(&w);
        w.client.nic.packets_per_ms = 10;
        w.client.nic.adapters = adapters;
        check_rate(&w, (struct bulk){.left = 100, .depth = 8}, packets[adapters] * 1460, 0.02, "packet_cap");
        g_assert_cmpuint(w.result.down.dropped_ring, ==, 0);
    }
    w.client.nic.ring_frames = 64;
    copy_rate(&w, (struct bulk){.left = 100, .depth = 8});
    g_assert_cmpuint(w.result.down.dropped_ring, >, 0);
}

/* Interrupts 1 ms apart delay each of 200 one-at-a-time answers to the next one: at most 1 ms, and more than none. */
static void test_interrupt_moderation(void)
{
    struct world w;
    int64_t plain_ns;

    world_init(&w);
    copy_rate(&w, (struct bulk){.left = 200, .depth = 1});
    plain_ns = w.result.elapsed_ns;
    w.client.nic.moderation_ns = NS_PER_MS;
    copy_rate(&w, (struct bulk){.left = 200, .depth = 1});
    g_assert_cmpint(w.result.elapsed_ns, >, plain_ns + 200 * NS_PER_MS / 10);
    g_assert_cmpint(w.result.elapsed_ns, <, plain_ns + 202 * NS_PER_MS);
}

/* One drive of 60 MB/s is the limit; two give 120 MB/s, more than the wire; behind a bus of 67 MB/s a third adds nothing. */
static void test_raid(void)
{
    struct world w;
    struct bulk bulk = {.left = 300, .depth = 8};

    world_init(&w);
    w.server.disk = (struct disk_profile){.rate_bps = 480000000, .drives = 1, .read_ahead_bytes = 4 << 20};
    check_rate(&w, bulk, 60e6, 0.03, "server");
    w.server.disk.drives = 2;
    check_rate(&w, bulk, 125e6 * 1460 / 1538, 0.03, "transmission");
    w.server.disk.drives = 3;
    w.server.disk.bus_rate_bps = 67 * 8000000;
    check_rate(&w, bulk, 67e6, 0.03, "server");
}

/* The inner half of a 100/50 MB/s drive: 75 MB/s. Writes go to the cache at wire speed until it is full. */
static void test_position_and_cache(void)
{
    struct world w;
    struct bulk bulk = {.left = 200, .depth = 8};

    world_init(&w);
    w.client.disk = (struct disk_profile){
        .rate_bps = 800000000, .inner_rate_bps = 400000000, .position = 0.5, .drives = 1};
    check_rate(&w, bulk, 75e6, 0.03, "client");
    w.client.disk.write_behind_bytes = INT64_C(1) << 30;
    check_rate(&w, bulk, 125e6 * 1460 / 1538, 0.02, "transmission");
}

/* 1 MiB reads take 16 credits each. With 64 credits four are out at once, however deep the client would go: over 100 ms that is
 * 4 MiB a round trip. A client that gets fewer than one read needs waits for ever, and the run says so. */
static void test_credits(void)
{
    struct world w;
    struct bulk bulk = {.left = 120, .depth = 64, .negotiates = true};
    double rate;

    world_init(&w);
    w.network.rtt_ns = 100 * NS_PER_MS;
    w.network.down.rate_bps = w.network.up.rate_bps = INT64_C(10000000000);
    w.tcp.initial_window = 100000;
    w.tcp.receive_window_bytes = 1 << 30;
    w.credits = 64;
    rate = copy_rate(&w, bulk);
    g_assert_cmpfloat(rate, <, 4.3 * BLOCK / 0.1);
    g_assert_cmpfloat(rate, >, 3.2 * BLOCK / 0.1);
    w.credits = 15;
    run_world(&w, bulk);
    g_assert_true(w.result.failed);
    g_assert_nonnull(strstr(w.result.fail_reason, "stalls"));
}

/* Signing at 50 MB/s on the server holds a copy to that; so do encryption and decompression on the client. A host pays only for what
 * the copy has. */
static void test_protection(void)
{
    struct bulk bulk = {.left = 200, .depth = 8};
    struct world w;

    world_init(&w);
    w.server.cpu.signing_rate_bps = w.client.cpu.encryption_rate_bps = 400000000;
    w.client.cpu.decompression_rate_bps = 240000000;
    check_rate(&w, bulk, 125e6 * 1460 / 1538, 0.02, "transmission");
    bulk.flags = EXCHANGE_SIGNED;
    check_rate(&w, bulk, 50e6, 0.03, "server");
    bulk.flags = EXCHANGE_ENCRYPTED;
    check_rate(&w, bulk, 50e6, 0.03, "client");
    bulk.flags = EXCHANGE_COMPRESSED;
    check_rate(&w, bulk, 30e6, 0.03, "client");
}

/* Packets at 10 us each way and signing at 100 MB/s: on one core a segment takes its own time, that of signing it, and that of half an
 * ACK; with a core for each, signing alone is the limit. */
static void test_cores(void)
{
    struct bulk bulk = {.left = 200, .depth = 8, .flags = EXCHANGE_SIGNED};
    struct world w;

    world_init(&w);
    w.server.cpu.send_packet_ns = w.server.cpu.receive_packet_ns = 10 * NS_PER_US;
    w.server.cpu.signing_rate_bps = 800000000;
    w.server.cpu.cores = 1;
    check_rate(&w, bulk, 1460 / (10e-6 + 14.6e-6 + 5e-6), 0.04, "server");
    w.server.cpu.cores = 3;
    check_rate(&w, bulk, 100e6, 0.04, "server");
}

/* Two connections to a client that takes 20 us for each received packet: one core takes 50,000 a second whatever the others do, two
 * queues on two cores more than the wire has. */
static void test_receive_queues(void)
{
    const double wire = 125e6 * 1460 / 1538;
    struct world w;

    world_init(&w);
    w.pairs = true;
    w.client.cpu.receive_packet_ns = 20 * NS_PER_US;
    w.client.cpu.cores = 4;
    check_rate(&w, (struct bulk){.left = 200, .depth = 8}, 50000 * 1460, 0.03, "client");
    w.client.nic.receive_queues = 2;
    g_assert_cmpfloat_with_epsilon(copy_rate(&w, (struct bulk){.left = 200, .depth = 8}), wire, 0.03 * wire);
    w.client.cpu.cores = 2; /* one of them sends */
    check_rate(&w, (struct bulk){.left = 200, .depth = 8}, 50000 * 1460, 0.03, "client");
}

/* What the adapter does itself costs the processor nothing: checksums at 50 MB/s; 40,000 packets a second to send, and as many to receive
 * with one interrupt each 100 us, when they may be 64 KiB long. */
static void test_offloads(void)
{
    const double wire = 125e6 * 1460 / 1538;
    struct bulk bulk = {.left = 200, .depth = 8};
    struct world w;

    world_init(&w);
    w.client.cpu.checksum_rate_bps = 400000000;
    check_rate(&w, bulk, 50e6 * 1460 / 1500, 0.03, "client");
    w.client.nic.checksum_offload = true;
    check_rate(&w, bulk, wire, 0.03, "transmission");

    world_init(&w);
    w.server.cpu.send_packet_ns = 25 * NS_PER_US;
    check_rate(&w, bulk, 40000 * 1460, 0.03, "server");
    w.server.nic.send_offload_bytes = 65536;
    check_rate(&w, bulk, wire, 0.03, "transmission");

    world_init(&w);
    w.client.cpu.receive_packet_ns = 25 * NS_PER_US;
    w.client.nic.moderation_ns = 100 * NS_PER_US;
    check_rate(&w, bulk, 40000 * 1460, 0.03, "client");
    w.client.nic.receive_offload_bytes = 65536;
    check_rate(&w, bulk, wire, 0.03, "transmission");
}

static void copy_flags(const char *client_yaml, int64_t size, struct exchange *sum)
{
    struct yaml_doc *doc = yaml_load_text("c.yaml", client_yaml, strlen(client_yaml), NULL);
    struct file_group group = {.count = 1, .size_bytes = size};
    g_autoptr(GArray) groups = g_array_new(FALSE, FALSE, sizeof group);
    struct client_profile client;
    struct copy copy;
    const struct exchange_source *source;
    struct exchange e;

    memset(sum, 0, sizeof *sum);
    g_array_append_val(groups, group);
    client_profile_init(&client);
    g_assert_true(client_profile_bind(&client, doc, NULL));
    copy_init(&copy, &(struct copy_setup){.client = &client, .groups = groups});
    source = &copy.connection.workers[0];
    while (source->next(source->self, 0, &e)) {
        sum->service_ns += e.response_bytes;
        sum->after += (e.flags & EXCHANGE_COMPRESSED) != 0;
        sum->file++;
    }
    copy_clear(&copy);
    client_profile_clear(&client);
    yaml_doc_free(doc);
}

#define CLIENT                                                                                               \
    "client:\n  name: x\n  dialect: 3.1.1\n  system: linux\n  download:\n"                                   \
    "    - {command: SMB2 READ, request: 117 B, response: 84 B, data: read, block: 1 MiB, depth: 8}\n"

/* Encryption adds 52 bytes to each message; compression to a half halves the data, and Windows' first rule gives up on a file
 * whose sample shrinks too little. */
static void test_sizes(void)
{
    struct exchange plain, sealed, packed, sampled, passed;

    copy_flags(CLIENT, 8 * BLOCK, &plain);
    copy_flags(CLIENT "  protection: encrypt\n", 8 * BLOCK, &sealed);
    g_assert_cmpint(sealed.service_ns - plain.service_ns, ==, 8 * 52);
    copy_flags(CLIENT "  compression: {ratio: 50 %}\n", 8 * BLOCK, &packed);
    g_assert_cmpint(packed.service_ns, ==, 8 * (84 + BLOCK / 2 + 16));
    g_assert_cmpuint(packed.after, ==, 8);
    copy_flags(CLIENT "  compression: {ratio: 90 %, sample: 4 MiB, threshold: 1 MiB}\n", 8 * BLOCK, &sampled);
    g_assert_cmpuint(sampled.after, ==, 4);
    copy_flags(CLIENT "  compression: {ratio: 70 %, sample: 4 MiB, threshold: 1 MiB}\n", 8 * BLOCK, &passed);
    g_assert_cmpuint(passed.after, ==, 8);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/hosts/wire-ceiling", test_wire_ceiling);
    g_test_add_func("/hosts/slow-receiver", test_slow_receiver);
    g_test_add_func("/hosts/slow-sender", test_slow_sender);
    g_test_add_func("/hosts/multimedia-throttle", test_multimedia_throttle);
    g_test_add_func("/hosts/interrupt-moderation", test_interrupt_moderation);
    g_test_add_func("/hosts/raid", test_raid);
    g_test_add_func("/hosts/position-and-cache", test_position_and_cache);
    g_test_add_func("/hosts/credits", test_credits);
    g_test_add_func("/hosts/protection", test_protection);
    g_test_add_func("/hosts/cores", test_cores);
    g_test_add_func("/hosts/receive-queues", test_receive_queues);
    g_test_add_func("/hosts/offloads", test_offloads);
    g_test_add_func("/hosts/sizes", test_sizes);
    return g_test_run();
}
