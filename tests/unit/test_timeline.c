#include "replay/timeline.h"
#include "replay/analysis.h"
#include "replay/study.h"
#include "tests/data.h"

static struct replay_exchange exchange_at(int64_t ns, int64_t takes_ns, uint16_t command, uint32_t bytes)
{
    return (struct replay_exchange){.request_first_ns = ns,
                                    .request_last_ns = ns,
                                    .response_first_ns = takes_ns < 0 ? -1 : ns + takes_ns,
                                    .response_last_ns = takes_ns < 0 ? -1 : ns + takes_ns,
                                    .request_first_frame = (uint64_t)ns + 1,
                                    .response_last_frame = (uint64_t)ns + 2,
                                    .data_bytes = bytes,
                                    .command = command};
}

static const struct timeline_row *row_at(const struct timeline *t, guint i)
{
    return g_ptr_array_index(t->rows, i);
}

/* A million exchanges over a day, with one short and one long one: counts, sums and extremes survive all halvings. */
static void test_million(void)
{
    const uint64_t n = 1000000;
    struct timeline *t = timeline_new();
    const struct timeline_row *row;
    uint64_t count = 0, unanswered = 0, bytes = 0, resent = 0;
    int64_t shortest = INT64_MAX, longest = 0;

    for (uint64_t i = 0; i < n; i++) {
        int64_t at = (int64_t)i * 86400000, takes = i == 700001 ? 3 : i == 123456 ? 9000000000 : 5000000;
        struct replay_exchange x = exchange_at(at, i == 5 ? -1 : takes, 8, 65536);
        struct replay_segment s = {.time_ns = at,
                                   .payload_bytes = 1000,
                                   .direction = REPLAY_DOWN,
                                   .flags = i % 1000 == 0 ? REPLAY_RETRANSMISSION : 0};

        timeline_segment(t, &s);
        timeline_exchange(t, &x);
    }
    row = row_at(t, 0);
    for (guint i = 0; i < TIMELINE_BINS; i++) {
        const struct timeline_bin *b = &row->bins[i];

        count += b->count;
        unanswered += b->unanswered;
        bytes += t->flow[i].bytes[REPLAY_DOWN];
        resent += t->flow[i].resent[REPLAY_DOWN];
        if (b->count) {
            shortest = MIN(shortest, b->shortest_ns);
            longest = MAX(longest, b->longest_ns);
        }
        /* An exchange lies in its own bin. */
        if (b->longest_ns == 9000000000)
            g_assert_cmpint(i, ==, INT64_C(123456) * 86400000 / t->bin_ns);
    }
    g_assert_cmpuint(count, ==, n - 1);
    g_assert_cmpuint(unanswered, ==, 1);
    g_assert_cmpuint(bytes, ==, 1000 * n);
    g_assert_cmpuint(resent, ==, n);
    g_assert_cmpint(shortest, ==, 3);
    g_assert_cmpint(longest, ==, 9000000000);
    g_assert_cmpuint(row->longest_frame, ==, UINT64_C(123456) * 86400000 + 1);
    g_assert_cmpuint(row->blocks[16], ==, n);
    g_assert_cmpuint(row->block_bytes[16], ==, 65536 * n);
    g_assert_cmpuint(t->used_bins, >, TIMELINE_BINS / 2);
    g_assert_cmpuint(t->beginning->len, ==, TIMELINE_STRETCH);
    g_assert_cmpint(g_array_index(t->stretch, struct timeline_exchange, 0).request_ns, ==,
                    INT64_C(524288) * 86400000);
    timeline_free(t);
}

/* More commands than rows: the last row takes the rest, and nothing is lost. */
static void test_many_commands(void)
{
    struct timeline *t = timeline_new();
    uint64_t count = 0;

    for (uint16_t c = 0; c < 40; c++) {
        struct replay_exchange x = exchange_at(c, 1, c, 0);

        timeline_exchange(t, &x);
    }
    g_assert_cmpuint(t->rows->len, ==, TIMELINE_ROWS);
    g_assert_true(row_at(t, TIMELINE_ROWS - 1)->others);
    g_assert_false(row_at(t, 0)->others);
    for (guint i = 0; i < t->rows->len; i++)
        count += row_at(t, i)->count;
    g_assert_cmpuint(count, ==, 40);
    g_assert_null(t->stretch);
    timeline_free(t);
}

/* Sizes are classed by the power of two that holds them. */
static void test_sizes(void)
{
    static const struct {
        uint32_t bytes;
        guint class;
    } CASES[] = {{1, 0}, {2, 1}, {3, 2}, {4, 2}, {61440, 16}, {65536, 16}, {65537, 17}, {UINT32_MAX, 32}};
    struct timeline *t = timeline_new();

    for (guint i = 0; i < G_N_ELEMENTS(CASES); i++) {
        struct replay_exchange x = exchange_at(i, 1, 8, CASES[i].bytes);
        uint64_t before = 0, *classes;

        if (i > 0)
            before = row_at(t, 0)->blocks[CASES[i].class];
        timeline_exchange(t, &x);
        classes = ((struct timeline_row *)g_ptr_array_index(t->rows, 0))->blocks;
        g_assert_cmpuint(classes[CASES[i].class], ==, before + 1);
    }
    timeline_free(t);
}

/* What reading a capture books agrees with what it says otherwise. */
static void test_capture(void)
{
    g_autofree char *path = data_source_path("traces/smb3-smbclient-small.pcap");
    const struct replay_options options = {.measure = true, .timeline = true, .window = 100};
    struct replay *r = replay_read((const char *const[]){path, NULL}, &options, NULL);
    const struct replay_connection *c;
    uint64_t exchanges = 0, down = 0, blocks = 0;

    g_assert_nonnull(r);
    c = replay_main_connection(r);
    for (guint i = 0; i < r->timeline->rows->len; i++) {
        exchanges += row_at(r->timeline, i)->count + row_at(r->timeline, i)->unanswered;
        for (guint k = 0; k < TIMELINE_SIZES; k++)
            blocks += row_at(r->timeline, i)->block_bytes[k];
    }
    for (guint i = 0; i < TIMELINE_BINS; i++)
        down += r->timeline->flow[i].bytes[REPLAY_DOWN];
    g_assert_cmpuint(exchanges, ==, c->exchanges);
    g_assert_cmpuint(blocks, ==, c->bytes_read + c->bytes_written);
    g_assert_cmpuint(down, ==, c->tcp.side[REPLAY_DOWN].payload_bytes);
    replay_free(r);
    r = replay_read((const char *const[]){path, NULL}, NULL, NULL);
    g_assert_null(r->timeline);
    replay_free(r);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/timeline/million", test_million);
    g_test_add_func("/timeline/many-commands", test_many_commands);
    g_test_add_func("/timeline/sizes", test_sizes);
    g_test_add_func("/timeline/capture", test_capture);
    return g_test_run();
}
