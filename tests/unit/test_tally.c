#include "base/tally.h"

static void test_order_and_sums(void)
{
    char first[] = "not TCP", again[] = "not TCP"; /* equal strings at two addresses are one counter */
    struct tally t;
    const struct tally_row *rows;

    tally_init(&t);
    tally_add(&t, first, 1, 60);
    tally_add(&t, "cut short", 1, 96);
    tally_add(&t, again, 2, 120);
    tally_add(&t, "never seen", 0, 0);

    g_assert_cmpuint(t.rows->len, ==, 3);
    rows = (const struct tally_row *)(const void *)t.rows->data;
    g_assert_cmpstr(rows[0].name, ==, "not TCP");
    g_assert_cmpuint(rows[0].count, ==, 3);
    g_assert_cmpuint(rows[0].bytes, ==, 180);
    g_assert_cmpstr(rows[1].name, ==, "cut short");
    g_assert_cmpuint(rows[1].bytes, ==, 96);
    g_assert_cmpstr(rows[2].name, ==, "never seen");
    g_assert_cmpuint(tally_count(&t, "not TCP"), ==, 3);
    g_assert_cmpuint(tally_count(&t, "never seen"), ==, 0);
    g_assert_cmpuint(tally_count(&t, "absent"), ==, 0);
    g_assert_cmpuint(t.rows->len, ==, 3); /* asking adds nothing */
    tally_fini(&t);
}

static void test_large_counts(void)
{
    struct tally t;

    tally_init(&t);
    tally_add(&t, "bytes", UINT32_MAX, UINT64_C(1) << 62);
    tally_add(&t, "bytes", 1, UINT64_C(1) << 62);
    g_assert_cmpuint(tally_count(&t, "bytes"), ==, UINT64_C(1) << 32);
    g_assert_cmpuint(g_array_index(t.rows, struct tally_row, 0).bytes, ==, UINT64_C(1) << 63);
    tally_fini(&t);
}

static void test_fini_twice(void)
{
    struct tally t;

    tally_init(&t);
    tally_fini(&t);
    g_assert_null(t.rows);
    tally_fini(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tally/order-and-sums", test_order_and_sums);
    g_test_add_func("/tally/large-counts", test_large_counts);
    g_test_add_func("/tally/fini-twice", test_fini_twice);
    return g_test_run();
}
