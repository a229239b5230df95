/* Times that have a closed form, to the nanosecond. Each case states the system and what must come out. */
#include "sim/command.h"
#include "sim/run.h"
#include "base/units.h"

#include <glib.h>

struct list {
    const struct exchange *items;
    size_t count, next;
};

static bool next_of_list(void *self, int64_t now_ns, struct exchange *out)
{
    struct list *l = self;

    (void)now_ns;
    if (l->next >= l->count)
        return false;
    *out = l->items[l->next++];
    return true;
}

struct bulk {
    uint64_t left;
    uint32_t depth, block;
    uint64_t issued;
};

static bool next_of_bulk(void *self, int64_t now_ns, struct exchange *out)
{
    struct bulk *b = self;

    (void)now_ns;
    if (!b->left)
        return false;
    b->left--;
    *out = (struct exchange){.request_bytes = 117,
                             .response_bytes = 84 + b->block,
                             .data_bytes = b->block,
                             .command = SMB2_READ,
                             .flags = EXCHANGE_SERVER_TIMED,
                             .after = b->issued >= b->depth ? b->depth : 0};
    b->issued++;
    return true;
}

static struct network_profile plain_network(int64_t rtt_ns, int64_t rate_bps)
{
    struct network_profile n;

    network_profile_init(&n);
    n.rtt_ns = rtt_ns;
    n.down = n.up = (struct network_direction){.rate_bps = rate_bps, .queue_bytes = 10000000};
    n.counts = NETWORK_COUNTS_IP;
    return n;
}

/* A window that never limits, and no timestamps: 1460-byte segments. */
static struct tcp_profile wide_tcp(void)
{
    struct tcp_profile t = *tcp_profile_of(0);

    t.initial_window = 1000;
    t.autotuning = TCP_WINDOW_FIXED;
    t.timestamps = false;
    return t;
}

static void run_between(const struct network_profile *n, const struct tcp_profile *client,
                        const struct tcp_profile *server, struct exchange_source source,
                        struct sim_result *result)
{
    struct sim_connection c = {.source = source};
    struct sim_setup setup = {
        .network = n, .client_tcp = client, .server_tcp = server, .connections = &c, .connection_count = 1};
    int64_t sum = 0;

    sim_run(&setup, result);
    g_assert_false(result->failed);
    for (int k = 0; k < WAIT_KINDS; k++)
        sum += result->waits.ns[k];
    g_assert_cmpint(sum, ==, result->elapsed_ns);
}

static void run(const struct network_profile *n, const struct tcp_profile *tcp, struct exchange_source source,
                struct sim_result *result)
{
    run_between(n, tcp, tcp, source, result);
}

/* IP bytes of a message of that many TCP bytes. */
static int64_t wire_bytes(int64_t message)
{
    return message + (message + 1459) / 1460 * 40;
}

/* One 60 KiB block, asked for and answered, on 2 Mbit/s counted in IP bytes with 25 ms RTT and 3 ms of service:
 * handshake (two SYNs of 52 bytes and one RTT) + request + service + response + RTT. */
static void test_stop_and_wait(void)
{
    struct exchange block = {.request_bytes = 63,
                             .response_bytes = 64 + 61440,
                             .data_bytes = 61440,
                             .service_ns = 3 * NS_PER_MS,
                             .command = SMB1_READ_ANDX,
                             .flags = EXCHANGE_SERVER_TIMED};
    struct list l = {&block, 1, 0};
    struct network_profile n = plain_network(25 * NS_PER_MS, 2000000);
    struct tcp_profile tcp = wide_tcp();
    struct sim_result r;
    int64_t byte_ns = 4000;
    int64_t handshake = 25 * NS_PER_MS + 2 * 52 * byte_ns;
    /* The ACK that ends the handshake is the request itself. */
    int64_t exchange =
        25 * NS_PER_MS + wire_bytes(63) * byte_ns + 3 * NS_PER_MS + wire_bytes(61504) * byte_ns;

    run(&n, &tcp, (struct exchange_source){next_of_list, &l}, &r);
    g_assert_cmpint(r.elapsed_ns, ==, handshake + exchange);
    g_assert_cmpint(r.waits.ns[WAIT_ROUND_TRIPS], ==, 50 * NS_PER_MS);
    g_assert_cmpint(r.waits.ns[WAIT_SERVER], ==, 3 * NS_PER_MS);
    g_assert_cmpint(r.waits.ns[WAIT_TRANSMISSION], ==,
                    (2 * 52 + wire_bytes(63) + wire_bytes(61504)) * byte_ns);
}

static GArray *packet_numbers(int64_t first, int64_t last)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct yaml_number));

    for (int64_t i = first; i <= last; i++) {
        struct yaml_number number = {.value = (double)i};

        g_array_append_val(list, number);
    }
    return list;
}

/* The account of a small exchange after a handshake that lost its first packets in one direction: `cost_ns` more than without
 * loss, all of it recovery, and nothing else has changed. */
static void check_lost_syns(bool down, int64_t lost, int64_t client_rto_ns, int64_t server_rto_ns,
                            int64_t cost_ns)
{
    struct exchange small = {
        .request_bytes = 63, .response_bytes = 64, .command = SMB1_READ_ANDX, .flags = EXCHANGE_SERVER_TIMED};
    struct tcp_profile client = wide_tcp(), server = wide_tcp();
    struct sim_result r[2];

    client.initial_rto_ns = client_rto_ns;
    server.initial_rto_ns = server_rto_ns;
    for (int with = 0; with < 2; with++) {
        struct network_profile n = plain_network(25 * NS_PER_MS, 2000000);
        struct list l = {&small, 1, 0};

        if (with)
            *(down ? &n.down.lost_packets : &n.up.lost_packets) = packet_numbers(1, lost);
        run_between(&n, &client, &server, (struct exchange_source){next_of_list, &l}, &r[with]);
        network_profile_clear(&n);
    }
    g_assert_cmpint(r[1].elapsed_ns, ==, r[0].elapsed_ns + cost_ns);
    for (int k = 0; k < WAIT_KINDS; k++)
        g_assert_cmpint(r[1].waits.ns[k], ==, r[0].waits.ns[k] + (k == WAIT_LOSS_RECOVERY ? cost_ns : 0));
}

/* The SYN lost once and twice, and the SYN-ACK lost: the client's timer repairs that, or the server's where it is shorter. */
static void test_lost_syn(void)
{
    check_lost_syns(false, 1, NS_PER_S, 3 * NS_PER_S, NS_PER_S);
    check_lost_syns(false, 2, NS_PER_S, 3 * NS_PER_S, 3 * NS_PER_S);
    check_lost_syns(true, 1, NS_PER_S, 3 * NS_PER_S, NS_PER_S);
    check_lost_syns(true, 1, 3 * NS_PER_S, NS_PER_S, NS_PER_S);
}

/* 10 packets a millisecond of 1460 payload bytes on a fast link: 14.6 MB/s. */
static void test_packet_cap(void)
{
    struct bulk b = {.left = 400, .depth = 8, .block = 1 << 20};
    struct network_profile n = plain_network(200000, 1000000000);
    struct tcp_profile tcp = wide_tcp();
    struct sim_result r;
    double rate;

    n.down.packets_per_ms = 10;
    n.down.queue_bytes = 1000000000;
    run(&n, &tcp, (struct exchange_source){next_of_bulk, &b}, &r);
    rate = (double)r.down.data_packets * 1460 / units_seconds(r.elapsed_ns);
    g_assert_cmpfloat_with_epsilon(rate, 14.6e6, 0.01e6);
    g_assert_cmpstr(waits_largest(&r.waits), ==, "packet_cap");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/closed-forms/stop-and-wait", test_stop_and_wait);
    g_test_add_func("/closed-forms/lost-syn", test_lost_syn);
    g_test_add_func("/closed-forms/packet-cap", test_packet_cap);
    return g_test_run();
}
