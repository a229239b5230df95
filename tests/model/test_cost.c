/* What a simulated copy costs, in events and memory rather than in seconds: in proportion to its segments, whatever time they take. */
#include "sim/command.h"
#include "sim/run.h"
#include "base/units.h"

#include <glib.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_ALLOCATOR
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define OWN_ALLOCATOR
#endif
#if defined(__GLIBC__) && !defined(OWN_ALLOCATOR)
#define COUNTS_ALLOCATIONS
#endif

/* ---- allocations ------------------------------------------------------------------------------------------------------ */

static uint64_t allocations;

#ifdef COUNTS_ALLOCATIONS
#include <malloc.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);

/* In the C library's place, for all that this program does. */
void *malloc(size_t bytes)
{
    allocations++;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    allocations++;
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    allocations++;
    return __libc_realloc(block, bytes);
}
#endif

static uint64_t bytes_in_use(void)
{
#ifdef COUNTS_ALLOCATIONS
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
#else
    return 0;
#endif
}

/* ---- copies ----------------------------------------------------------------------------------------------------------- */

struct list {
    uint64_t left, issued;
    uint32_t bytes, depth;
    int64_t think_ns;
    uint64_t most_in_use;
};

static bool next_of_list(void *self, int64_t now_ns, struct exchange *out)
{
    struct list *l = self;

    (void)now_ns;
    l->most_in_use = MAX(l->most_in_use, bytes_in_use());
    if (!l->left)
        return false;
    l->left--;
    *out = (struct exchange){.request_bytes = 117,
                             .response_bytes = 84 + l->bytes,
                             .data_bytes = l->bytes,
                             .command = SMB2_READ,
                             .flags = EXCHANGE_SERVER_TIMED,
                             .think_ns = l->think_ns,
                             .after = l->issued >= l->depth ? l->depth : 0};
    l->issued++;
    return true;
}

struct cost {
    struct sim_result result;
    uint64_t allocations, most_in_use;
    double packets;
};

static struct cost run(struct list l, int64_t rtt_ns)
{
    struct network_profile n;
    struct sim_connection c = {.source = {next_of_list, &l}};
    struct sim_setup setup = {.network = &n,
                              .client_tcp = tcp_profile_of(0),
                              .server_tcp = tcp_profile_of(0),
                              .connections = &c,
                              .connection_count = 1};
    uint64_t before = allocations;
    struct cost cost;

    network_profile_init(&n);
    n.rtt_ns = rtt_ns;
    n.down = n.up = (struct network_direction){.rate_bps = 1000000000, .queue_bytes = 512000};
    sim_run(&setup, &cost.result);
    g_assert_false(cost.result.failed);
    cost.allocations = allocations - before;
    cost.most_in_use = l.most_in_use;
    cost.packets = (double)(cost.result.up.packets + cost.result.down.packets);
    return cost;
}

static struct cost bulk(uint64_t mebibytes)
{
    return run((struct list){.left = mebibytes, .bytes = 1 << 20, .depth = 8}, 200 * NS_PER_US);
}

static void test_linear_in_segments(void)
{
    struct cost small = bulk(100), large = bulk(400), huge = bulk(1600);
    double early = (double)(large.result.events - small.result.events) / (large.packets - small.packets);
    double late = (double)(huge.result.events - large.result.events) / (huge.packets - large.packets);

    g_test_message("%.3f and %.3f events a packet", early, late);
    g_assert_cmpfloat_with_epsilon(late, early, 0.01 * early);
    g_assert_cmpfloat(late, <, 3);
}

/* 10,000 small files: as many packets over 300 ms, and with ten minutes between two files, as over 0.3 ms; for each its arrival, and a
 * timer or two that isn't overtaken. */
static void test_flat_in_time(void)
{
    const struct list files = {.left = 10000, .bytes = 2000, .depth = 1};
    struct list slow = files;
    struct cost near = run(files, 300 * NS_PER_US), far = run(files, 300 * NS_PER_MS), idle;

    slow.think_ns = 600 * NS_PER_S;
    idle = run(slow, 300 * NS_PER_US);
    g_test_message("events a packet: %.3f near, %.3f far, %.3f idle",
                   (double)near.result.events / near.packets, (double)far.result.events / far.packets,
                   (double)idle.result.events / idle.packets);
    g_assert_cmpint(far.result.elapsed_ns, >, 500 * near.result.elapsed_ns);
    g_assert_cmpfloat((double)far.result.events, <, 3 * far.packets);
    g_assert_cmpfloat((double)idle.result.events, <, 3 * idle.packets);
    g_assert_cmpfloat(idle.packets, <, 1.3 * near.packets);
    g_assert_cmpfloat(far.packets, <, 1.3 * near.packets);
}

static void test_memory(void)
{
    struct cost large = bulk(400), huge = bulk(1600);

    g_test_message("%lu and %lu allocations, at most %lu and %lu B in use", (unsigned long)large.allocations,
                   (unsigned long)huge.allocations, (unsigned long)large.most_in_use,
                   (unsigned long)huge.most_in_use);
#ifdef COUNTS_ALLOCATIONS
    g_assert_cmpuint(large.allocations, >, 0);
    g_assert_cmpuint(huge.allocations, <, large.allocations + 20);
    g_assert_cmpuint(huge.most_in_use, <, large.most_in_use + 65536);
#else
    g_test_skip("the C library's allocator isn't counted here");
#endif
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cost/linear-in-segments", test_linear_in_segments);
    g_test_add_func("/cost/flat-in-time", test_flat_in_time);
    g_test_add_func("/cost/memory", test_memory);
    return g_test_run();
}
