#include "replay/files.h"

static const struct replay_file *row(const GArray *rows, guint i)
{
    g_assert_cmpuint(i, <, rows->len);
    return &g_array_index(rows, struct replay_file, i);
}

static void use(struct files *f, uint16_t at, int64_t request, int64_t response, uint64_t read)
{
    struct file_use u = {.request_ns = request, .response_ns = response, .read = read};

    files_use(f, at, &u);
}

static void test_name_has_one_row(void)
{
    struct files f = {0};
    uint16_t a = files_row(&f, "a"), none = files_row(&f, NULL), b = files_row(&f, "b");
    g_autoptr(GArray) rows = NULL;

    g_assert_cmpuint(files_row(&f, "a"), ==, a);
    g_assert_cmpuint(files_row(&f, NULL), !=, none);
    use(&f, a, 0, 1, 100);
    use(&f, b, 2, 3, 10);
    use(&f, a, 4, 5, 1);
    rows = files_facts(&f, 111, 0);
    g_assert_cmpuint(rows->len, ==, 4);
    g_assert_cmpstr(row(rows, 0)->name, ==, "a");
    g_assert_cmpuint(row(rows, 0)->bytes_read, ==, 101);
    g_assert_cmpint(row(rows, 0)->last_ns, ==, 5);
    g_assert_null(row(rows, 1)->name);
    g_assert_cmpuint(row(rows, 2)->bytes_read, ==, 10);
    files_fini(&f);
}

/* Four requests sent at once take one round trip; three, each after the one before, take three. */
static void test_round_trips(void)
{
    struct files f = {0};
    uint16_t at_once = files_row(&f, "at once"), in_turn = files_row(&f, "in turn");
    uint16_t mixed = files_row(&f, "mixed");
    g_autoptr(GArray) rows = NULL;

    for (int64_t i = 0; i < 4; i++)
        use(&f, at_once, i, 100 + i, 0);
    for (int64_t i = 0; i < 3; i++)
        use(&f, in_turn, 100 * i, 100 * i + 99, 0);
    use(&f, mixed, 0, 10, 0);
    use(&f, mixed, 5, 20, 0);
    use(&f, mixed, 10, 30, 0);
    use(&f, mixed, 40, -1, 0); /* unanswered: no round trip */
    rows = files_facts(&f, 0, 0);
    g_assert_cmpuint(row(rows, 0)->round_trips, ==, 1);
    g_assert_cmpuint(row(rows, 1)->round_trips, ==, 3);
    g_assert_cmpuint(row(rows, 2)->round_trips, ==, 2);
    g_assert_cmpuint(row(rows, 2)->exchanges, ==, 4);
    files_fini(&f);
}

static void test_size(void)
{
    struct files f = {0};
    uint16_t a = files_row(&f, "a");
    struct file_use write = {.request_ns = 1, .response_ns = 2, .written = 10, .end = 4096};
    g_autoptr(GArray) rows = NULL;

    files_note_size(&f, a, 5, true);
    files_use(&f, a, &write);
    write.end = 100;
    files_use(&f, a, &write);
    files_row(&f, "never sized");
    rows = files_facts(&f, 0, 20);
    g_assert_cmpint(row(rows, 0)->size_bytes, ==, 4096);
    g_assert_true(row(rows, 0)->directory);
    g_assert_cmpint(row(rows, 1)->size_bytes, ==, -1);
    g_assert_cmpuint(rows->len, ==, 2);
    files_fini(&f);
}

/* Beyond the bound, and for what belongs to no row at all, bytes still sum to the connection's. */
static void test_others(void)
{
    struct files f = {0};
    g_autoptr(GArray) rows = NULL;
    uint64_t sum = 0;

    for (int i = 0; i < 2 * FILES_MAX; i++) {
        char name[16];

        g_snprintf(name, sizeof name, "%d", i);
        use(&f, files_row(&f, name), i, i + 1, 10);
    }
    rows = files_facts(&f, 20 * FILES_MAX + 7, 3);
    g_assert_cmpuint(rows->len, ==, FILES_MAX + 1);
    for (guint i = 0; i < rows->len; i++) {
        g_assert_cmpint(row(rows, i)->others, ==, i == FILES_MAX);
        sum += row(rows, i)->bytes_read;
    }
    g_assert_cmpuint(sum, ==, 20 * FILES_MAX + 7);
    g_assert_cmpuint(row(rows, FILES_MAX)->bytes_written, ==, 3);
    g_assert_cmpuint(row(rows, FILES_MAX)->exchanges, ==, FILES_MAX);
    g_assert_cmpuint(row(rows, FILES_MAX)->round_trips, ==, FILES_MAX);
    files_fini(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/files/name-has-one-row", test_name_has_one_row);
    g_test_add_func("/files/round-trips", test_round_trips);
    g_test_add_func("/files/size", test_size);
    g_test_add_func("/files/others", test_others);
    return g_test_run();
}
