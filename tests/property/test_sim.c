/* Properties of whole runs over random scenarios. g_test prints the seed; run one again with --seed. */
#include "sim/command.h"
#include "sim/run.h"
#include "base/units.h"

#include <glib.h>
#include <string.h>

enum { SCENARIOS = 60, MAX_EXCHANGES = 120 };

struct list {
    struct exchange items[MAX_EXCHANGES];
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

static int64_t between(int64_t low, int64_t high)
{
    return low + (int64_t)(g_test_rand_double() * (double)(high - low));
}

static void random_workload(struct list *l)
{
    l->count = (size_t)between(1, MAX_EXCHANGES);
    l->next = 0;
    for (size_t i = 0; i < l->count; i++) {
        uint32_t data = between(0, 3) ? (uint32_t)between(0, 200000) : 0;
        bool read = g_test_rand_bit();

        l->items[i] = (struct exchange){
            .think_ns = between(0, 4) ? between(0, 3 * NS_PER_MS) : between(0, 2 * NS_PER_S),
            .service_ns = between(0, 2 * NS_PER_MS),
            .request_bytes = 100 + (read ? 0 : data),
            .response_bytes = 84 + (read ? data : 0),
            .data_bytes = data,
            .after = (uint32_t)between(0, 8),
            .command = read ? SMB2_READ : SMB2_WRITE,
            .flags = EXCHANGE_SERVER_TIMED,
        };
        switch (between(0, 12)) {
        case 0:
            l->items[i].flags |= EXCHANGE_BARRIER;
            break;
        case 1:
            l->items[i].flags |= EXCHANGE_NO_RESPONSE;
            l->items[i].response_bytes = 0;
            break;
        case 2:
            l->items[i].flags |= EXCHANGE_BACKGROUND;
            break;
        default:
            break;
        }
    }
}

static void random_network(struct network_profile *n, bool lossy)
{
    network_profile_init(n);
    n->rtt_ns = between(0, 100 * NS_PER_MS);
    n->counts = (int)between(0, 3);
    n->mtu_bytes = between(576, 9000);
    n->down.rate_bps = between(200000, 2000000000);
    n->up.rate_bps = between(200000, 2000000000);
    n->down.queue_bytes = between(20000, 2000000);
    n->up.queue_bytes = between(20000, 2000000);
    n->down.packets_per_ms = between(0, 3) ? 0 : between(1, 30);
    if (lossy)
        n->down.loss = n->up.loss = g_test_rand_double() * 0.03;
}

struct scenario {
    struct network_profile network;
    struct tcp_profile client, server;
    struct list workload;
    struct sim_connection connection;
    struct sim_setup setup;
};

static void scenario_init(struct scenario *s, bool lossy)
{
    random_network(&s->network, lossy);
    s->client = *tcp_profile_of((int)between(0, 13));
    s->server = *tcp_profile_of((int)between(0, 13));
    s->client.sack = between(0, 4) != 0;
    random_workload(&s->workload);
    s->connection = (struct sim_connection){.source = {next_of_list, &s->workload}};
    s->setup = (struct sim_setup){.network = &s->network,
                                  .client_tcp = &s->client,
                                  .server_tcp = &s->server,
                                  .connections = &s->connection,
                                  .connection_count = 1,
                                  .seed = 7};
}

static void run(struct scenario *s, uint64_t number, struct sim_result *r)
{
    s->workload.next = 0;
    s->setup.run = number;
    sim_run(&s->setup, r);
}

/* Every run ends, moves each byte once, and its account sums to its time, whatever is lost. */
static void check_conservation(bool lossy)
{
    for (int i = 0; i < SCENARIOS; i++) {
        struct scenario s;
        struct sim_result r;
        int64_t sum = 0;
        uint64_t data = 0;

        scenario_init(&s, lossy);
        run(&s, 0, &r);
        if (r.failed)
            g_error("scenario %d: %s", i, r.fail_reason);
        for (int k = 0; k < WAIT_KINDS; k++) {
            g_assert_cmpint(r.waits.ns[k], >=, 0);
            sum += r.waits.ns[k];
        }
        g_assert_cmpint(sum, ==, r.elapsed_ns);
        for (size_t k = 0; k < s.workload.count; k++) {
            if (!(s.workload.items[k].flags & EXCHANGE_BACKGROUND))
                data += s.workload.items[k].data_bytes;
        }
        g_assert_cmpuint(r.data_bytes, >=, data);
        g_assert_cmpuint(r.exchanges, ==, s.workload.count);
        g_assert_cmpint(r.elapsed_ns, >=, s.network.rtt_ns);
        if (!lossy)
            g_assert_cmpuint(r.down.dropped_loss + r.up.dropped_loss, ==, 0);
        network_profile_clear(&s.network);
    }
}

static void test_without_loss(void)
{
    check_conservation(false);
}

static void test_with_loss(void)
{
    check_conservation(true);
}

/* Equal seeds give equal results to the bit; another run number gives other losses. */
static void test_determinism(void)
{
    int differ = 0;

    for (int i = 0; i < 20; i++) {
        struct scenario s;
        struct sim_result a, b, c;

        scenario_init(&s, true);
        run(&s, 0, &a);
        run(&s, 0, &b);
        run(&s, 1, &c);
        g_assert_true(memcmp(&a, &b, sizeof a) == 0);
        differ += memcmp(&a, &c, sizeof a) != 0;
    }
    g_assert_cmpint(differ, >, 10);
}

/* Losses upwards come from a stream of their own: they don't change with losses downwards. */
static void test_streams_are_independent(void)
{
    struct scenario s;
    struct sim_result a, b;

    scenario_init(&s, false);
    s.workload.count = 1;
    s.workload.items[0].flags = EXCHANGE_SERVER_TIMED;
    s.workload.items[0].request_bytes = 3000000;
    s.workload.items[0].response_bytes = 100;
    s.network.up.loss = 0.02;
    s.network.up.queue_bytes = 100000000;
    s.network.mtu_bytes = 1500;
    s.network.down.packets_per_ms = 0;
    run(&s, 0, &a);
    s.network.down.loss = 1e-12; /* draws from its stream, loses nothing */
    run(&s, 0, &b);
    g_assert_cmpuint(a.up.dropped_loss, >, 0);
    g_assert_cmpint(a.elapsed_ns, ==, b.elapsed_ns);
    g_assert_cmpuint(a.up.dropped_loss, ==, b.up.dropped_loss);
}

struct seen {
    uint64_t packets[4]; /* by enum sim_place */
    uint64_t written[2]; /* bytes of the messages shown, by direction */
    int64_t last_ns;
    int64_t mtu_bytes;
    unsigned ends;
};

static void see_message(void *self, const struct sim_message *m)
{
    struct seen *s = self;

    g_assert_cmpuint(m->start, ==, s->written[m->response]);
    s->written[m->response] += m->response ? m->exchange->response_bytes : m->exchange->request_bytes;
}

static void see_packet(void *self, enum sim_place place, int64_t now_ns, const struct packet *p)
{
    struct seen *s = self;
    bool down = place == SIM_SERVER_SENDS || place == SIM_CLIENT_RECEIVES;

    s->packets[place]++;
    g_assert_cmpint(p->ip_bytes, <=, s->mtu_bytes);
    g_assert_cmpint(now_ns, >=, s->last_ns);
    s->last_ns = now_ns;
    if (p->payload_bytes)
        g_assert_cmpuint(p->seq + p->payload_bytes, <=, s->written[down]);
    if (place == SIM_CLIENT_SENDS || place == SIM_SERVER_SENDS)
        g_assert_cmpint(p->sent_ns, ==, now_ns);
    else
        g_assert_cmpint(p->sent_ns, <=, now_ns);
}

static void see_end(void *self, int64_t now_ns, bool failed)
{
    struct seen *s = self;

    g_assert_false(failed);
    g_assert_cmpint(now_ns, >=, s->last_ns);
    s->ends++;
}

/* A probe sees every packet of the counters, no byte before its message, and changes nothing. */
static void test_probe(void)
{
    for (int i = 0; i < SCENARIOS; i++) {
        struct scenario s;
        struct seen seen = {.last_ns = 0};
        struct sim_probe probe = {see_message, see_packet, see_end, &seen};
        struct sim_result alone, watched;

        scenario_init(&s, true);
        seen.mtu_bytes = s.network.mtu_bytes;
        run(&s, 0, &alone);
        s.setup.probe = &probe;
        run(&s, 0, &watched);
        g_assert_true(memcmp(&alone, &watched, sizeof alone) == 0);
        g_assert_cmpuint(seen.ends, ==, 1);
        g_assert_cmpuint(seen.packets[SIM_CLIENT_SENDS], ==, watched.up.packets);
        g_assert_cmpuint(seen.packets[SIM_SERVER_SENDS], ==, watched.down.packets);
        g_assert_cmpuint(seen.packets[SIM_SERVER_RECEIVES] + watched.up.dropped_loss +
                             watched.up.dropped_queue,
                         <=, watched.up.packets);
        g_assert_cmpuint(seen.packets[SIM_CLIENT_RECEIVES] + watched.down.dropped_loss +
                             watched.down.dropped_queue,
                         <=, watched.down.packets);
    }
}

struct series {
    uint64_t count;
    int64_t every_ns;
    struct sim_sample last;
};

static void see_sample(void *self, const struct sim_sample *s)
{
    struct series *k = self;

    g_assert_cmpint(s->at_ns, <=, (int64_t)k->count * k->every_ns);
    g_assert_cmpint(s->at_ns, >=, k->last.at_ns);
    g_assert_cmpuint(s->down.bytes, >=, k->last.down.bytes);
    g_assert_cmpuint(s->up.bytes, >=, k->last.up.bytes);
    g_assert_cmpuint(s->data_bytes, >=, k->last.data_bytes);
    k->last = *s;
    k->count++;
}

/* A series changes nothing, has a line each interval and one at the end, and ends with what the run delivered. */
static void test_series(void)
{
    for (int i = 0; i < SCENARIOS; i++) {
        struct scenario s;
        struct series series = {.every_ns = between(1000, NS_PER_S)};
        struct sim_sampler sampler = {series.every_ns, see_sample, &series};
        struct seen seen = {.last_ns = 0};
        struct sim_probe probe = {see_message, see_packet, see_end, &seen};
        struct sim_result alone, watched;

        scenario_init(&s, true);
        seen.mtu_bytes = s.network.mtu_bytes;
        run(&s, 0, &alone);
        if (alone.elapsed_ns / series.every_ns > 100000)
            series.every_ns = sampler.every_ns = alone.elapsed_ns / 1000;
        s.setup.sampler = &sampler;
        s.setup.probe = &probe;
        run(&s, 0, &watched);
        g_assert_true(memcmp(&alone, &watched, sizeof alone) == 0);
        g_assert_cmpuint(series.last.data_bytes, ==, watched.data_bytes);
        g_assert_cmpuint(series.last.down.bytes, <=, seen.written[1]);
        g_assert_cmpint((int64_t)series.count, ==, series.last.at_ns / series.every_ns + 2);
    }
}

/* A run that stalls ends also under a series: a client with one credit waits for ever to send what takes two. */
static void test_series_of_a_stall(void)
{
    struct scenario s;
    struct series series = {.every_ns = NS_PER_MS};
    struct sim_sampler sampler = {series.every_ns, see_sample, &series};
    struct sim_result r;

    scenario_init(&s, false);
    s.workload.count = 1;
    s.workload.items[0] = (struct exchange){.request_bytes = 117,
                                            .response_bytes = 70000,
                                            .data_bytes = 70000,
                                            .command = SMB2_READ,
                                            .flags = EXCHANGE_SERVER_TIMED};
    s.setup.credits = 1;
    s.setup.sampler = &sampler;
    run(&s, 0, &r);
    g_assert_true(r.failed);
    g_assert_nonnull(strstr(r.fail_reason, "stalls"));
    g_assert_cmpuint(series.count, >, 0);
}

/* A slower link, a longer path or a client's time-out: what must follow. */
static void test_timeout_fails_the_copy(void)
{
    struct scenario s;
    struct sim_result r;

    scenario_init(&s, false);
    s.workload.count = 1;
    s.workload.items[0] = (struct exchange){.request_bytes = 117,
                                            .response_bytes = 12000000,
                                            .command = SMB2_READ,
                                            .flags = EXCHANGE_SERVER_TIMED};
    random_network(&s.network, false);
    s.network.down.rate_bps = 2000000;
    s.network.down.queue_bytes = 100000000;
    s.setup.request_timeout_ns = 20 * NS_PER_S;
    run(&s, 0, &r);
    g_assert_true(r.failed);
    g_assert_cmpint(r.failed_at_ns, >=, 20 * NS_PER_S);
    g_assert_cmpint(r.failed_at_ns, <, 21 * NS_PER_S);
    g_assert_nonnull(strstr(r.fail_reason, "SMB2 READ"));
    s.setup.request_timeout_ns = 120 * NS_PER_S;
    run(&s, 0, &r);
    g_assert_false(r.failed);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/conservation/without-loss", test_without_loss);
    g_test_add_func("/sim/conservation/with-loss", test_with_loss);
    g_test_add_func("/sim/determinism", test_determinism);
    g_test_add_func("/sim/streams-are-independent", test_streams_are_independent);
    g_test_add_func("/sim/probe", test_probe);
    g_test_add_func("/sim/series", test_series);
    g_test_add_func("/sim/series-of-a-stall", test_series_of_a_stall);
    g_test_add_func("/sim/timeout-fails-the-copy", test_timeout_fails_the_copy);
    return g_test_run();
}
