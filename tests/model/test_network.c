/* Links and paths by themselves: what comes out, when, and what is lost. */
#include "sim/route.h"
#include "base/units.h"

#include <glib.h>
#include <math.h>

enum { PACKETS = 200000 };

struct seen {
    struct event_queue *queue;
    uint64_t count, last_seq;
    int64_t last_ns;
    bool overtaken;
    GArray *seqs; /* of uint64_t, or NULL */
};

static void receive(void *owner, const struct packet *p)
{
    struct seen *s = owner;

    s->count++;
    s->overtaken |= p->seq < s->last_seq;
    s->last_seq = MAX(p->seq, s->last_seq);
    s->last_ns = s->queue->now_ns;
    if (s->seqs)
        g_array_append_val(s->seqs, p->seq);
}

struct offered {
    struct route *path;
    struct event_queue *queue;
    struct event event;
    uint64_t left, seq;
    int64_t gap_ns;
    uint32_t ip_bytes;
};

static void offer(void *owner)
{
    struct offered *o = owner;
    struct packet p = {.seq = o->seq++, .payload_bytes = o->ip_bytes - 40, .ip_bytes = o->ip_bytes};

    link_send(&o->path->links[0], &p);
    if (--o->left)
        event_schedule(o->queue, &o->event, o->queue->now_ns + o->gap_ns);
}

/* Offers `count` packets of 1500 bytes, one each `gap_ns`, downwards. */
static struct sim_direction_counters pass(const struct network_profile *n, uint64_t count, int64_t gap_ns,
                                          struct seen *seen)
{
    struct event_queue queue;
    struct route path;
    struct offered o = {.path = &path, .queue = &queue, .left = count, .gap_ns = gap_ns, .ip_bytes = 1500};
    struct sim_direction_counters counters;

    event_queue_init(&queue);
    seen->queue = &queue;
    route_init(
        &path,
        &(struct route_setup){
            .queue = &queue, .network = n, .down = true, .seed = 5, .receive = receive, .owner = seen});
    event_init(&o.event, offer, &o);
    event_schedule(&queue, &o.event, 0);
    while (event_queue_step(&queue))
        ;
    for (guint i = 0; i < path.count; i++)
        g_assert_cmpuint(delay_line_count(&path.links[i].wire), ==, 0); /* nothing is left on the way */
    counters = route_counters(&path);
    route_fini(&path);
    event_queue_fini(&queue);
    g_assert_cmpuint(seen->count + counters.dropped_loss + counters.dropped_queue, ==, counters.packets);
    return counters;
}

static void network_init(struct network_profile *n, int64_t rate_bps)
{
    network_profile_init(n);
    n->counts = NETWORK_COUNTS_IP;
    n->one_way_delay_ns = 10 * NS_PER_MS;
    n->down = n->up = (struct network_direction){.rate_bps = rate_bps, .queue_bytes = 10000000};
}

/* A rate that doesn't divide: 3 Mbit/s takes 1500 bytes in 4 ms sharp, 7 Mbit/s in 12/7 ms, and the remainder is carried: after
 * 7000 packets the end is exact. */
static void test_rate_is_exact(void)
{
    struct network_profile n;
    struct seen seen = {0};

    network_init(&n, 7000000);
    n.down.queue_bytes = 100000000;
    pass(&n, 7000, 0, &seen);
    g_assert_cmpint(seen.last_ns, ==, 12 * NS_PER_S + 10 * NS_PER_MS);
}

/* 24,000 bytes at 1500 a packet: the backlog may be 0, 1500, ... 24,000 when a packet comes, so 17 of a burst pass. */
static void test_queue_overflow(void)
{
    struct network_profile n;
    struct seen seen = {0};

    network_init(&n, 20000000);
    n.down.queue_bytes = 24000;
    g_assert_cmpuint(pass(&n, 40, 0, &seen).dropped_queue, ==, 23);
    g_assert_cmpuint(seen.count, ==, 17);
}

/* Propagation takes no room: ten seconds of the link's own pace are on the way, 10,000 packets, and a queue of nothing drops none. */
static void test_delay_takes_no_queue(void)
{
    struct network_profile n;
    struct seen seen = {0};

    network_init(&n, 12000000);
    n.one_way_delay_ns = 10 * NS_PER_S;
    n.down.queue_bytes = 0;
    g_assert_cmpuint(pass(&n, 20000, NS_PER_MS, &seen).dropped_queue, ==, 0);
    g_assert_cmpint(seen.last_ns, ==, 30 * NS_PER_S);
}

static void test_listed_losses(void)
{
    struct network_profile n;
    struct yaml_number lost[] = {{1, 0}, {4, 0}, {9, 0}};
    struct seen seen = {.seqs = g_array_new(FALSE, FALSE, sizeof(uint64_t))};
    static const uint64_t expected[] = {1, 2, 4, 5, 6, 7, 9};

    network_init(&n, 20000000);
    n.down.lost_packets = g_array_new(FALSE, FALSE, sizeof(struct yaml_number));
    g_array_append_vals(n.down.lost_packets, lost, G_N_ELEMENTS(lost));
    pass(&n, 10, 0, &seen);
    g_assert_cmpuint(seen.seqs->len, ==, G_N_ELEMENTS(expected));
    for (guint i = 0; i < seen.seqs->len; i++)
        g_assert_cmpuint(g_array_index(seen.seqs, uint64_t, i), ==, expected[i]);
    g_array_unref(seen.seqs);
    g_array_unref(n.down.lost_packets);
}

/* Independent loss of 1 % of 200,000: within four standard deviations. */
static void test_independent_loss(void)
{
    struct network_profile n;
    struct seen seen = {0};
    double lost;

    network_init(&n, 1000000000);
    n.down.loss = 0.01;
    lost = (double)pass(&n, PACKETS, 20000, &seen).dropped_loss;
    g_assert_cmpfloat(fabs(lost - 0.01 * PACKETS), <, 4 * sqrt(PACKETS * 0.01 * 0.99));
}

/* The bad state holds a share enter / (enter + leave) of packets and loses half of them; losses come in runs. */
static void test_burst_loss(void)
{
    struct network_profile n;
    struct seen seen = {.seqs = g_array_new(FALSE, FALSE, sizeof(uint64_t))};
    double lost, share = 0.002 / (0.002 + 0.1) * 0.5;
    uint64_t runs = 0;

    network_init(&n, 1000000000);
    n.down.bursts = (struct network_bursts){.enter = 0.002, .leave = 0.1, .loss = 0.5};
    lost = (double)pass(&n, PACKETS, 20000, &seen).dropped_loss;
    g_assert_cmpfloat(lost / PACKETS, >, share * 0.8);
    g_assert_cmpfloat(lost / PACKETS, <, share * 1.2);
    for (guint i = 1; i < seen.seqs->len; i++)
        runs += g_array_index(seen.seqs, uint64_t, i) - g_array_index(seen.seqs, uint64_t, i - 1) > 1;
    g_assert_cmpfloat(lost / (double)runs, >,
                      1.5); /* independent losses at this rate come almost always alone: 1.01 */
    g_array_unref(seen.seqs);
}

/* Jitter delays and never reorders; reordering does. Neither loses. */
static void test_jitter_and_reordering(void)
{
    struct network_profile n;
    struct seen jittered = {0}, reordered = {0};

    network_init(&n, 1000000000);
    n.down.jitter_ns = 5 * NS_PER_MS;
    pass(&n, 5000, 100000, &jittered);
    g_assert_false(jittered.overtaken);
    g_assert_cmpuint(jittered.count, ==, 5000);
    n.down.jitter_ns = 0;
    n.down.reordering = (struct network_reordering){.share = 0.01, .delay_ns = 3 * NS_PER_MS};
    pass(&n, 5000, 100000, &reordered);
    g_assert_true(reordered.overtaken);
    g_assert_cmpuint(reordered.count, ==, 5000);
}

/* Two more hops: delays add, and the slowest link sets the pace. 100 packets of 1500 bytes: serialised on each hop once, the other 99
 * on the slowest. */
static void test_hops(void)
{
    struct network_profile n;
    struct network_hop hops[2];
    struct seen seen = {0};

    network_init(&n, 100000000);
    for (int i = 0; i < 2; i++) {
        hops[i] = (struct network_hop){.rtt_ns = -1, .one_way_delay_ns = (i + 1) * NS_PER_MS};
        hops[i].down = hops[i].up =
            (struct network_direction){.rate_bps = i ? 1000000000 : 10000000, .queue_bytes = 10000000};
    }
    n.beyond = g_array_new(FALSE, FALSE, sizeof(struct network_hop));
    g_array_append_vals(n.beyond, hops, 2);
    g_assert_cmpint(network_one_way_ns(&n), ==, 13 * NS_PER_MS);
    pass(&n, 100, 0, &seen);
    g_assert_cmpint(seen.last_ns, ==, 13 * NS_PER_MS + 12000 + 100 * 1200000 + 120000);
    g_array_unref(n.beyond);
}

/* Cross traffic of 30 % of the rate takes up to 30 % of it from a flow that would fill the link. */
static void test_cross_traffic(void)
{
    struct network_profile n;
    struct seen seen = {0};
    double share;

    network_init(&n, 12000000);
    n.down.cross_traffic = 0.3;
    n.down.queue_bytes = 100000;
    pass(&n, 20000, 1000000, &seen); /* exactly the link's rate on offer */
    share = (double)seen.count * 1e-3 / units_seconds(seen.last_ns);
    /* All that the link can't carry is dropped from both. An evenly spaced flow finds the slot that it waits for more often than a random
     * one, so it keeps more than its proportional 1/1.3. */
    g_assert_cmpfloat(share, >, 0.7);
    g_assert_cmpfloat(share, <, 0.9);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network/rate-is-exact", test_rate_is_exact);
    g_test_add_func("/network/queue-overflow", test_queue_overflow);
    g_test_add_func("/network/delay-takes-no-queue", test_delay_takes_no_queue);
    g_test_add_func("/network/listed-losses", test_listed_losses);
    g_test_add_func("/network/independent-loss", test_independent_loss);
    g_test_add_func("/network/burst-loss", test_burst_loss);
    g_test_add_func("/network/jitter-and-reordering", test_jitter_and_reordering);
    g_test_add_func("/network/hops", test_hops);
    g_test_add_func("/network/cross-traffic", test_cross_traffic);
    return g_test_run();
}
