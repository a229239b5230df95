/* Two TCP ends of random systems over random links, with data both ways and losses, duplicates' and reordering's look-alikes included: every
 * message arrives once and in order, no sender exceeds the receiver's window, and when all has come to rest nothing is left: no packet
 * on a link, no segment unacknowledged, no range held, no timer running. g_test prints the seed; run one again with --seed. */
#include "tests/model/net.h"

enum { SCENARIOS = 150, MESSAGES = 40 };

static int64_t between(int64_t low, int64_t high)
{
    return low + (int64_t)(g_test_rand_double() * (double)(high - low));
}

struct reader {
    uint64_t next_cookie, bytes;
};

struct scenario {
    struct net net;
    struct reader at_client, at_server;
    uint64_t sizes[2][MESSAGES]; /* towards the client, towards the server */
};

static void read_at(struct reader *r, uint64_t cookie)
{
    g_assert_cmpuint(cookie, ==, r->next_cookie);
    r->next_cookie++;
}

static void at_client(void *owner, uint64_t cookie, const struct waits *waits)
{
    struct scenario *s = owner;

    (void)waits;
    read_at(&s->at_client, cookie);
    s->at_client.bytes += s->sizes[0][cookie];
    g_assert_cmpuint(s->net.client.rcv_nxt, >=, s->at_client.bytes);
}

static void at_server(void *owner, uint64_t cookie, const struct waits *waits)
{
    struct scenario *s = owner;

    (void)waits;
    read_at(&s->at_server, cookie);
    s->at_server.bytes += s->sizes[1][cookie];
    g_assert_cmpuint(s->net.server.rcv_nxt, >=, s->at_server.bytes);
}

static struct network_direction random_direction(void)
{
    struct network_direction d = {
        .rate_bps = between(300000, 200000000),
        .queue_bytes = between(5000, 300000),
        .loss = between(0, 3) ? g_test_rand_double() * 0.05 : 0,
    };

    if (!between(0, 4))
        d.bursts = (struct network_bursts){.enter = 0.01, .leave = 0.2, .loss = 0.7};
    if (!between(0, 3))
        d.reordering = (struct network_reordering){.share = 0.02, .delay_ns = between(0, 20 * NS_PER_MS)};
    if (!between(0, 3))
        d.jitter_ns = between(0, 10 * NS_PER_MS);
    return d;
}

static struct tcp_profile random_profile(void)
{
    struct tcp_profile p = *tcp_profile_of((int)between(0, 13));

    if (!between(0, 4))
        p.sack = false;
    if (!between(0, 4))
        p.receive_window_bytes = between(3000, 100000);
    p.nagle = !between(0, 4);
    return p;
}

static void write_all(struct scenario *s, struct tcp *end, uint64_t *sizes)
{
    struct waits none = {{0}};

    for (uint64_t i = 0; i < MESSAGES; i++) {
        sizes[i] = (uint64_t)between(1, between(0, 4) ? 3000 : 150000);
        tcp_write(end, (uint32_t)sizes[i], i, &none);
        if (between(0, 2)) /* let some time pass, so that some writes find an idle connection */
            net_run_until(&s->net, s->net.queue.now_ns + between(0, 300 * NS_PER_MS));
    }
}

static void check_window(struct net *n)
{
    g_assert_cmpuint(n->server.nxt - n->server.una, <=, (uint64_t)n->client.profile->receive_window_bytes);
    g_assert_cmpuint(n->client.nxt - n->client.una, <=, (uint64_t)n->server.profile->receive_window_bytes);
}

static void check_rest(const struct tcp *t)
{
    g_assert_cmpuint(t->una, ==, t->write_end);
    g_assert_cmpuint(t->segments.count + t->messages.count + t->held_count, ==, 0);
    g_assert_cmpuint(t->sacked + t->lost + t->retransmitted, ==, 0);
    g_assert_false(t->timer_on || t->delack_on);
    g_assert_cmpuint(t->rcv_nxt, ==, t->peer->write_end);
}

static void check_links(const struct route *r, uint64_t arrived)
{
    struct sim_direction_counters c = route_counters(r);

    g_assert_cmpuint(c.packets, ==, arrived + c.dropped_loss + c.dropped_queue);
    for (guint i = 0; i < r->count; i++)
        g_assert_cmpuint(delay_line_count(&r->links[i].wire), ==, 0);
}

static void run_one(uint64_t number)
{
    struct tcp_profile client = random_profile(), server = random_profile();
    struct network_profile network = plain_link(between(0, 150 * NS_PER_MS));
    struct scenario s = {0};

    network.down = random_direction();
    network.up = random_direction();
    network.mtu_bytes = between(576, 9000);
    net_init_between(&s.net, &client, &server, &network, number);
    s.net.after_ack = check_window;
    s.net.client.on_message = at_client;
    s.net.server.on_message = at_server;
    s.net.client.owner = s.net.server.owner = &s;
    net_connect(&s.net);
    write_all(&s, &s.net.server, s.sizes[0]);
    write_all(&s, &s.net.client, s.sizes[1]);
    net_drain(&s.net);
    g_assert_cmpuint(s.at_client.next_cookie, ==, MESSAGES);
    g_assert_cmpuint(s.at_server.next_cookie, ==, MESSAGES);
    check_rest(&s.net.client);
    check_rest(&s.net.server);
    check_links(&s.net.down, s.net.down_packets);
    check_links(&s.net.up, s.net.up_packets);
    net_fini(&s.net);
}

static void test_streams(void)
{
    for (uint64_t i = 0; i < SCENARIOS; i++)
        run_one(i);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tcp-streams/all-arrive-and-nothing-is-left", test_streams);
    return g_test_run();
}
