#include "replay/cursor.h"

#include <string.h>

static void test_orders(void)
{
    static const uint8_t BYTES[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct cursor c = cursor_over(BYTES, sizeof BYTES);

    g_assert_cmpuint(cursor_u8(&c), ==, 1);
    g_assert_cmpuint(cursor_le64(&c), ==, UINT64_C(0x0908070605040302));
    g_assert_true(cursor_ok(&c));
    c = cursor_over(BYTES, sizeof BYTES);
    g_assert_cmpuint(cursor_be16(&c), ==, 0x0102);
    g_assert_cmpuint(cursor_le16(&c), ==, 0x0403);
    c = cursor_over(BYTES, sizeof BYTES);
    g_assert_cmpuint(cursor_be32(&c), ==, 0x01020304);
    g_assert_cmpuint(cursor_le32(&c), ==, 0x08070605);
}

static void test_failure_sticks(void)
{
    static const uint8_t BYTES[] = {1, 2, 3};
    struct cursor c = cursor_over(BYTES, sizeof BYTES);

    g_assert_cmpuint(cursor_be32(&c), ==, 0);
    g_assert_false(cursor_ok(&c));
    g_assert_cmpuint(c.left, ==, 3);
    g_assert_cmpuint(cursor_u8(&c), ==, 0); /* there is a byte, but the cursor failed before */
    g_assert_null(cursor_bytes(&c, 0));
}

static void test_empty(void)
{
    struct cursor c = cursor_over(NULL, 0);

    cursor_skip(&c, 0);
    g_assert_true(cursor_ok(&c));
    cursor_skip(&c, 1);
    g_assert_false(cursor_ok(&c));
}

static void test_limit(void)
{
    static const uint8_t BYTES[] = {1, 2, 3};
    struct cursor c = cursor_over(BYTES, sizeof BYTES);

    cursor_limit(&c, 2);
    cursor_limit(&c, 10);
    g_assert_cmpuint(c.left, ==, 2);
    cursor_skip(&c, 2);
    g_assert_cmpuint(cursor_u8(&c), ==, 0);
    g_assert_false(cursor_ok(&c));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cursor/orders", test_orders);
    g_test_add_func("/cursor/failure-sticks", test_failure_sticks);
    g_test_add_func("/cursor/empty", test_empty);
    g_test_add_func("/cursor/limit", test_limit);
    return g_test_run();
}
