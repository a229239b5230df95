/* What is gathered of exchanges while they pass: block sizes, outstanding requests, errors, and how they merge. */
#include "replay/status_name.h"
#include "replay/usage.h"

static void test_blocks(void)
{
    struct blocks a = {0}, b = {0};
    struct replay_blocks f;
    const struct replay_block *first;

    for (int i = 0; i < 3; i++)
        blocks_add(&a, 65536, 1);
    blocks_add(&a, 0, 1);
    blocks_add(&a, 1, 1);
    blocks_add(&b, 65535, 2);
    blocks_add(&b, 65536, 1);
    blocks_merge(&a, &b);
    f = blocks_facts(&a);
    first = &g_array_index(f.sizes, struct replay_block, 0);
    g_assert_cmpuint(f.count, ==, 8);
    g_assert_cmpuint(f.bytes, ==, 4 * 65536 + 2 * 65535 + 1);
    g_assert_cmpuint(first->bytes, ==, 65536);
    g_assert_cmpuint(first->count, ==, 4);
    g_assert_cmpuint(f.octaves[0], ==, 1);
    g_assert_cmpuint(f.octaves[1], ==, 1);
    g_assert_cmpuint(f.octaves[16], ==, 2); /* 65535 is below 2^16 */
    g_assert_cmpuint(f.octaves[17], ==, 4);
    replay_blocks_clear(&f);
    blocks_fini(&b);
}

/* Sizes beyond the table are counted all the same. */
static void test_blocks_bounded(void)
{
    struct blocks b = {0};
    struct replay_blocks f;

    for (uint64_t i = 0; i < 3 * BLOCKS_SIZES; i++)
        blocks_add(&b, i, 1);
    blocks_add(&b, 5, 1);
    f = blocks_facts(&b);
    g_assert_cmpuint(f.sizes->len, ==, BLOCKS_SIZES);
    g_assert_cmpuint(f.other_count, ==, 2 * BLOCKS_SIZES);
    g_assert_cmpuint(f.count, ==, 3 * BLOCKS_SIZES + 1);
    replay_blocks_clear(&f);
}

static void test_pending(void)
{
    struct pending p = {0};

    pending_begin(&p, 100, 100); /* one from 100 on */
    pending_begin(&p, 150, 200); /* a second, whose request took from 150 to 200 */
    pending_end(&p, 300);
    pending_end(&p, 400);
    pending_begin(&p, 500, 500); /* nothing from 400 to 500 */
    pending_end(&p, 500);        /* in no time */
    pending_finish(&p);
    g_assert_cmpint(p.facts.ns[0], ==, 100);
    g_assert_cmpint(p.facts.ns[1], ==, 50 + 100);
    g_assert_cmpint(p.facts.ns[2], ==, 150);
    g_assert_cmpint(p.facts.total_ns, ==, 400);
    g_assert_cmpuint(p.facts.max, ==, 2);
    g_assert_cmpfloat_with_epsilon(p.facts.mean, (150 + 2 * 150) / 400.0, 1e-9);
}

/* A clock that runs back, and a request that seems to end before it began, neither crash nor count time twice. */
static void test_pending_backwards(void)
{
    struct pending p = {0};

    pending_begin(&p, 1000, 900);
    pending_end(&p, 800);
    pending_begin(&p, 2000, 1500);
    pending_end(&p, 2500);
    pending_finish(&p);
    g_assert_cmpint(p.facts.total_ns, >=, 0);
    g_assert_cmpint(p.facts.total_ns, <=, 2500 - 900);
    g_assert_cmpuint(p.facts.max, ==, 1);
}

/* Against a count at each instant, with more changes than are kept and requests that began up to 50 ns ago. */
static void test_pending_random(void)
{
    enum { TIMES = 4000, LONGEST = 50 };
    g_autofree unsigned *level = g_new0(unsigned, TIMES + 1);
    g_autofree int64_t *wanted = g_new0(int64_t, REPLAY_PENDING_LEVELS);
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    struct pending p = {0};
    unsigned now = 0, first = TIMES, open = 0;

    for (int64_t t = LONGEST; t < TIMES; t++) {
        unsigned what = (unsigned)g_rand_int_range(random, 0, 4);

        if (what == 0 && open < 40) {
            int64_t since = t - g_rand_int_range(random, 0, LONGEST);

            since = MAX(since, first == TIMES ? t : (int64_t)first);
            pending_begin(&p, since, t);
            first = MIN(first, (unsigned)since);
            for (int64_t i = since; i < TIMES; i++)
                level[i]++;
            open++;
            now = (unsigned)t;
        } else if (what == 1 && open > 0) {
            pending_end(&p, t);
            for (int64_t i = t; i < TIMES; i++)
                level[i]--;
            open--;
            now = (unsigned)t;
        }
    }
    for (unsigned t = first; t < now; t++)
        wanted[level[t]]++;
    pending_finish(&p);
    for (unsigned i = 0; i < REPLAY_PENDING_EXACT; i++)
        g_assert_cmpint(p.facts.ns[i], ==, wanted[i]);
    g_assert_cmpint(p.facts.total_ns, ==, now - first);
}

static void test_pending_levels(void)
{
    g_assert_cmpuint(pending_level(63), ==, 63);
    g_assert_cmpuint(pending_level(64), ==, 64);
    g_assert_cmpuint(pending_level(65), ==, 128);
    for (unsigned n = 1; n < 300; n += 37) {
        struct pending p = {0};
        unsigned found = 0;

        for (unsigned i = 0; i < n; i++)
            pending_begin(&p, 0, 0);
        for (unsigned i = 0; i < n; i++)
            pending_end(&p, 10);
        pending_finish(&p);
        for (unsigned i = 0; i < REPLAY_PENDING_LEVELS; i++) {
            if (p.facts.ns[i] > 0)
                found = i;
        }
        g_assert_cmpuint(pending_level(found), <=, n);
        g_assert_cmpuint(pending_level(found + 1), >, n);
    }
}

static void test_errors(void)
{
    struct errors e = {0}, other = {0};
    const struct replay_error rare = {0xc0000022, SMB2_CREATE, 1, 9, 9};
    g_autoptr(GArray) rows = NULL;

    errors_add(&e, &rare);
    for (uint64_t frame = 20; frame > 10; frame--) {
        const struct replay_error often = {0xc0000034, SMB2_CREATE, 1, frame, frame};

        errors_add(frame % 2 ? &e : &other, &often);
    }
    for (uint32_t i = 0; i < 2 * ERRORS_KINDS; i++) {
        const struct replay_error odd = {0xc1000000 + i, SMB2_CREATE, 1, 30, 30};

        errors_add(&other, &odd);
    }
    g_assert_cmpuint(other.more, ==, ERRORS_KINDS + 1);
    errors_merge(&e, &other);
    g_assert_cmpuint(e.more, >=, ERRORS_KINDS + 1);
    rows = errors_facts(&e);
    g_assert_cmpuint(rows->len, ==, ERRORS_KINDS);
    g_assert_cmphex(g_array_index(rows, struct replay_error, 0).status, ==, 0xc0000034);
    g_assert_cmpuint(g_array_index(rows, struct replay_error, 0).count, ==, 10);
    g_assert_cmpuint(g_array_index(rows, struct replay_error, 0).first_frame, ==, 11);
    g_assert_cmpuint(g_array_index(rows, struct replay_error, 0).last_frame, ==, 20);
    errors_fini(&other);
}

static void test_status_names(void)
{
    static const struct {
        uint32_t status;
        unsigned protocol;
        const char *name, *filter;
    } cases[] = {
        {0xc0000022, 2, "STATUS_ACCESS_DENIED", "smb2.nt_status == 0xc0000022"},
        {0xc0000034, 1, "STATUS_OBJECT_NAME_NOT_FOUND", "smb.nt_status == 0xc0000034"},
        {0xc0fffffe, 2, "0xc0fffffe", "smb2.nt_status == 0xc0fffffe"},
        {0x00020001, 1, "DOS 1/2", "smb.error_class == 1 && smb.error_code == 2"},
    };

    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *name = status_name(cases[i].status);
        g_autofree char *filter = status_filter(cases[i].status, cases[i].protocol);

        g_assert_cmpstr(name, ==, cases[i].name);
        g_assert_cmpstr(filter, ==, cases[i].filter);
    }
}

/* Parts merged are as good as the whole, exact and in classes. */
static void test_durations_merge(void)
{
    static const int counts[] = {10, 3000, 20000};

    for (gsize n = 0; n < G_N_ELEMENTS(counts); n++) {
        struct durations whole = {0}, parts[3] = {{0}}, sum = {0};

        for (int i = 0; i < counts[n]; i++) {
            int64_t ns = (int64_t)i * 7919 % 100003 * 1000;

            durations_add(&whole, ns);
            durations_add(&parts[i % 3], ns);
        }
        for (int i = 0; i < 3; i++)
            durations_merge(&sum, &parts[i]);
        g_assert_cmpuint(sum.count, ==, whole.count);
        g_assert_cmpint(sum.most, ==, whole.most);
        g_assert_cmpint(sum.total, ==, whole.total);
        for (double share = 0.1; share < 1; share += 0.2)
            g_assert_cmpint(durations_quantile(&sum, share), ==, durations_quantile(&whole, share));
        g_assert_cmpint(durations_quantile(&sum, 1), <=, sum.most);
        durations_fini(&whole);
        durations_fini(&sum);
        for (int i = 0; i < 3; i++)
            durations_fini(&parts[i]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/usage/blocks", test_blocks);
    g_test_add_func("/usage/blocks-bounded", test_blocks_bounded);
    g_test_add_func("/usage/pending", test_pending);
    g_test_add_func("/usage/pending-backwards", test_pending_backwards);
    g_test_add_func("/usage/pending-random", test_pending_random);
    g_test_add_func("/usage/pending-levels", test_pending_levels);
    g_test_add_func("/usage/errors", test_errors);
    g_test_add_func("/usage/status-names", test_status_names);
    g_test_add_func("/usage/durations-merge", test_durations_merge);
    return g_test_run();
}
