/* The receive window: what is advertised, segment by segment, against Linux's rules and what a recorded Linux did; Windows' levels; and what a window
 * that grows costs a transfer. */
#include "tests/model/net.h"

#include <math.h>

enum { RTT_NS = 100 * NS_PER_MS };

static uint32_t up_to(uint32_t unit, uint32_t bytes)
{
    return (bytes + unit - 1) / unit * unit;
}

/* SYN and SYN-ACK as recorded: whole segments of 1460, and of 1448, within 64 KiB; jumbo frames: seven of 8960 and of 8948. What comes
 * after is in units of the scale. */
static void check_first(int64_t mtu_bytes, uint32_t syn, uint32_t syn_ack)
{
    struct tcp_profile profile = net_profile_of("linux");
    struct network_profile network = plain_link(RTT_NS);
    struct net n;

    network.mtu_bytes = mtu_bytes;
    net_init_on(&n, &profile, &network, 0);
    tcp_connect(&n.client);
    while (n.server.state == TCP_CLOSED)
        g_assert_true(event_queue_step(&n.queue));
    g_assert_cmpuint(n.server.peer_edge, ==, syn);
    while (n.client.state != TCP_ESTABLISHED)
        g_assert_true(event_queue_step(&n.queue));
    g_assert_cmpuint(n.client.peer_edge, ==, syn_ack);
    while (n.server.state != TCP_ESTABLISHED)
        g_assert_true(event_queue_step(&n.queue));
    g_assert_cmpuint(n.server.peer_edge, ==, up_to(1 << n.client.window.scale, syn));
    net_fini(&n);
}

static void test_first_windows(void)
{
    check_first(1500, 64240, 65160);
    check_first(9000, 62720, 62636);
}

/* As recorded with a scale of 10: each pair of segments opens the window by four, until 86,016 bytes are all that the first buffer
 * holds. */
static void test_opening(void)
{
    static const uint32_t recorded[] = {64512, 70656, 76800, 81920, 86016, 86016};
    struct tcp_profile profile = net_profile_of("linux");
    struct net n;

    profile.receive_window_bytes = 22 << 20; /* tcp_rmem's 32 MiB */
    profile.quick_acks = 0;
    net_init(&n, &profile, RTT_NS);
    net_connect(&n);
    g_assert_cmpint(n.client.window.scale, ==, 9);
    n.client.window.scale = 10; /* the kernel's is of the buffer, twice the window */
    for (size_t i = 1; i < G_N_ELEMENTS(recorded); i++) {
        net_write(&n, &n.server, 2 * n.server.mss);
        net_drain(&n);
        g_assert_cmpuint(n.server.peer_edge - n.server.una, ==, recorded[i]);
    }
    net_fini(&n);
}

/* ---- a steady sender: dynamic right-sizing against its rule ------------------------------------------------------------------------ */

struct growth {
    uint64_t old, new;
    uint32_t clamp;
};

/* Runs a slow start of doublings without loss on a link that is far from full and writes down each measurement that grew the clamp. */
static GArray *watch_growth(const struct tcp_profile *profile, uint32_t bytes)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct growth));
    struct growth last = {0};
    struct net n;

    net_init(&n, profile, RTT_NS);
    net_connect(&n);
    net_write(&n, &n.server, bytes);
    last = (struct growth){0, n.client.window.most, n.client.window.clamp};
    while (n.delivered_messages < 1) {
        const struct tcp_window *w = &n.client.window;

        g_assert_true(event_queue_step(&n.queue));
        g_assert_cmpuint(w->open, <=, w->clamp);
        g_assert_cmpuint(w->clamp, <=, w->largest);
        if (w->most == last.new)
            continue;
        last = (struct growth){last.new, w->most, w->clamp};
        g_array_append_val(list, last);
    }
    net_fini(&n);
    return list;
}

/* 2 new + 4 new (new - old) / old, from ten segments on, never less than before. */
static void test_linux_rule(void)
{
    struct tcp_profile profile = net_profile_of("linux");
    g_autoptr(GArray) list = watch_growth(&profile, 20000000);
    uint32_t clamp = 131072 / 256 * 168;

    g_assert_cmpuint(list->len, >=, 4);
    g_assert_cmpuint(g_array_index(list, struct growth, 0).old, ==, 10 * 1448);
    for (guint i = 0; i < list->len; i++) {
        const struct growth *g = &g_array_index(list, struct growth, i);
        double wanted =
            2.0 * (double)g->new + 4.0 * (double)g->new *(double)(g->new - g->old) / (double)g->old;

        clamp = (uint32_t)CLAMP(wanted, clamp, 4 << 20);
        g_test_message("%u bytes in a round trip after %u: up to %u", (unsigned)g->new, (unsigned)g->old,
                       g->clamp);
        g_assert_cmpfloat_with_epsilon(g->clamp, clamp, 1);
    }
    g_assert_cmpuint(clamp, ==, 4 << 20);
}

/* The window is ahead of slow start all the way, as recorded: a transfer with it takes as long as with the largest window at once. */
static int64_t transfer_ns(const char *system, int autotuning, int64_t largest, uint32_t bytes)
{
    struct tcp_profile profile = net_profile_of(system);
    struct network_profile network = plain_link(40 * NS_PER_MS);
    struct net n;
    int64_t took;

    network.down.rate_bps = network.up.rate_bps = 50000000;
    profile.autotuning = autotuning;
    profile.receive_window_bytes = largest;
    profile.quick_acks = 0;
    net_init_on(&n, &profile, &network, 0);
    net_connect(&n);
    net_write(&n, &n.server, bytes);
    while (!n.delivered_messages)
        g_assert_true(event_queue_step(&n.queue));
    took = n.delivered_ns;
    net_fini(&n);
    return took;
}

static void test_linux_never_limits(void)
{
    int64_t fixed = transfer_ns("linux", TCP_WINDOW_FIXED, 4 << 20, 8000000);

    g_assert_cmpint(transfer_ns("linux", TCP_WINDOW_LINUX, 4 << 20, 8000000), ==, fixed);
    g_assert_cmpint(transfer_ns("linux", TCP_WINDOW_LINUX, 100000, 8000000), >, fixed + fixed / 3);
}

/* ---- Windows' levels ------------------------------------------------------------------------------------------------------------------ */

/* Where the window is the limit from the beginning, it grows to about twice in each round trip (and to no more than 5/2), up to the level's largest: 64 KiB << 2, 4, 8 and so
 * on. */
static void check_level(int autotuning, int shift)
{
    struct tcp_profile profile = net_profile_of("windows-10");
    struct network_profile network = plain_link(RTT_NS);
    struct net n;
    uint32_t last = 65535;
    int64_t last_ns = 0;

    network.down.rate_bps = network.up.rate_bps = INT64_C(100000000000);
    profile.autotuning = autotuning;
    profile.initial_window = 100000;
    net_init_on(&n, &profile, &network, 0);
    net_connect(&n);
    g_assert_cmpuint(n.client.window.open, ==, last);
    net_write(&n, &n.server, 300000000);
    while (n.queue.now_ns < 30 * NS_PER_S && !n.delivered_messages) {
        uint32_t now = n.client.window.open;

        g_assert_true(event_queue_step(&n.queue));
        if (now == last)
            continue;
        g_assert_cmpuint(now, <=, MIN(5 * last / 2, n.client.window.largest));
        g_assert_cmpint(n.queue.now_ns - last_ns, >=, RTT_NS);
        last = now;
        last_ns = n.queue.now_ns;
    }
    g_assert_cmpuint(n.client.window.largest, ==, (65535U << shift) & ~((1U << n.client.window.scale) - 1));
    if (shift <= 8)
        g_assert_cmpuint(last, ==, n.client.window.largest);
    net_fini(&n);
}

static void test_windows_levels(void)
{
    check_level(TCP_WINDOW_DISABLED, 0);
    check_level(TCP_WINDOW_HIGHLY_RESTRICTED, 2);
    check_level(TCP_WINDOW_RESTRICTED, 4);
    check_level(TCP_WINDOW_NORMAL, 8);
    check_level(TCP_WINDOW_EXPERIMENTAL, 14);
}

/* `disabled` doesn't offer scaling; 64 KiB over 40 ms is then the limit, whatever the link. */
static void test_disabled(void)
{
    struct tcp_profile profile = net_profile_of("windows-10");
    int64_t took = transfer_ns("windows-10", TCP_WINDOW_DISABLED, 1 << 30, 8000000);
    double windows = 8000000.0 / (44 * MSS); /* whole segments in 65,535 bytes */

    g_assert_true(tcp_offer_of(&profile, &profile, true).window_scaling);
    profile.autotuning = TCP_WINDOW_DISABLED;
    g_assert_false(tcp_offer_of(&profile, &profile, true).window_scaling);
    g_assert_cmpfloat_with_epsilon((double)took / 1e6, windows * 40.5, 0.05 * windows * 40.5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/window/first", test_first_windows);
    g_test_add_func("/window/linux/opening", test_opening);
    g_test_add_func("/window/linux/rule", test_linux_rule);
    g_test_add_func("/window/linux/never-limits", test_linux_never_limits);
    g_test_add_func("/window/windows/levels", test_windows_levels);
    g_test_add_func("/window/windows/disabled", test_disabled);
    return g_test_run();
}
