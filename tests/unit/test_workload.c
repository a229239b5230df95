#include "sim/command.h"
#include "sim/copy.h"
#include "sim/profile.h"
#include "sim/workload.h"
#include "base/error.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

static void test_specification(void)
{
    static const struct {
        const char *spec;
        guint groups;
        int64_t files, bytes;
    } good[] = {
        {"16x19.75MiB", 1, 16, INT64_C(16) * 20709376},
        {"16x19.75MiB,370x41KiB", 2, 386, INT64_C(16) * 20709376 + 370 * 41984},
        {"1GB", 1, 1, 1000000000},
        {" 3x0B , 1x1B ", 2, 4, 1},
    };
    static const char *const bad[] = {"",      "16",    "x1B",   "0x1B",           "16x",   "16x1",
                                      "-1x1B", "3x1Mb", "1x1B,", "99999999999x1B", "9x1EiB"};

    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autoptr(GArray) groups = file_groups_parse(good[i].spec, NULL);
        int64_t files = 0;

        g_assert_nonnull(groups);
        g_assert_cmpuint(groups->len, ==, good[i].groups);
        g_assert_cmpint(file_groups_bytes(groups), ==, good[i].bytes);
        for (guint k = 0; k < groups->len; k++)
            files += g_array_index(groups, struct file_group, k).count;
        g_assert_cmpint(files, ==, good[i].files);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;

        g_assert_null(file_groups_parse(bad[i], &error));
        g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
    }
}

static void test_list_and_folder(void)
{
    g_autofree char *folder = g_dir_make_tmp("copytrial-XXXXXX", NULL);
    g_autofree char *inner = g_build_filename(folder, "b", NULL);
    g_autofree char *one = g_build_filename(folder, "a.bin", NULL);
    g_autofree char *two = g_build_filename(inner, "c.bin", NULL);
    g_autofree char *list = g_build_filename(folder, "z.list", NULL);
    const char *text = "# sizes\n12345 one\n2 KiB a path with spaces\n1.5MiB two\n";
    g_autoptr(GArray) read = NULL, scanned = NULL;
    g_autoptr(GError) error = NULL;

    g_mkdir(inner, 0700);
    g_file_set_contents(one, "12345", 5, NULL);
    g_file_set_contents(two, "123", 3, NULL);
    g_file_set_contents(list, text, -1, NULL);
    read = file_groups_read(list, NULL);
    g_assert_nonnull(read);
    g_assert_cmpuint(read->len, ==, 3);
    g_assert_cmpint(g_array_index(read, struct file_group, 0).size_bytes, ==, 12345);
    g_assert_cmpint(g_array_index(read, struct file_group, 1).size_bytes, ==, 2048);
    g_assert_cmpint(g_array_index(read, struct file_group, 2).size_bytes, ==, 1572864);
    scanned = file_groups_scan(folder, NULL);
    g_assert_nonnull(scanned);
    g_assert_cmpuint(scanned->len, ==, 3);
    g_assert_cmpint(g_array_index(scanned, struct file_group, 0).size_bytes, ==, 5);
    g_assert_cmpint(g_array_index(scanned, struct file_group, 1).size_bytes, ==, 3);
    g_file_set_contents(list, "12 one\nnonsense\n", -1, NULL);
    g_assert_null(file_groups_read(list, &error));
    g_assert_nonnull(strstr(error->message, "z.list:2: "));
    g_unlink(list);
    g_unlink(two);
    g_unlink(one);
    g_rmdir(inner);
    g_clear_error(&error);
    g_assert_null(file_groups_scan(folder, &error)); /* nothing left to copy */
    g_rmdir(folder);
    g_clear_error(&error);
    g_assert_null(file_groups_scan(folder, &error));
    g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
}

static const char CLIENT[] =
    "client:\n"
    "  name: test\n  dialect: 2.1\n  system: linux\n"
    "  connect:\n"
    "    - {command: SMB2 NEGOTIATE, request: 100 B, response: 200 B}\n"
    "  download:\n"
    "    - {command: SMB2 CREATE, request: 101 B, response: 201 B, think: 1 ms}\n"
    "    - {command: SMB2 READ, request: 117 B, response: 84 B, data: read, block: 1000 B, depth: 2}\n"
    "    - {command: SMB2 CLOSE, request: 92 B, response: 128 B, repeat: 2}\n"
    "  disconnect:\n"
    "    - {command: SMB2 LOGOFF, request: 72 B, response: 72 B}\n";

/* From the lists in turn, with the first worker alone. */
static bool next_of(struct copy *copy, struct exchange *e)
{
    const struct sim_connection *c = &copy->connection;

    return c->source.next(c->source.self, 0, e) || c->workers[0].next(c->workers[0].self, 0, e) ||
           c->last.next(c->last.self, 0, e);
}

/* A 2500-byte and an empty file: each list in turn, three blocks at depth 2, no block for the empty one. */
static void test_copy_source(void)
{
    static const struct {
        const char *command;
        uint32_t data, after, file;
        bool barrier;
    } expected[] = {
        {"SMB2 NEGOTIATE", 0, 0, 0, true}, {"SMB2 CREATE", 0, 0, 0, true},  {"SMB2 READ", 1000, 0, 0, true},
        {"SMB2 READ", 1000, 0, 0, false},  {"SMB2 READ", 500, 2, 0, false}, {"SMB2 CLOSE", 0, 0, 0, true},
        {"SMB2 CLOSE", 0, 0, 0, true},     {"SMB2 CREATE", 0, 0, 1, true},  {"SMB2 CLOSE", 0, 0, 1, true},
        {"SMB2 CLOSE", 0, 0, 1, true},     {"SMB2 LOGOFF", 0, 0, 2, true},
    };
    struct yaml_doc *doc = yaml_load_text("client.yaml", CLIENT, strlen(CLIENT), NULL);
    g_autoptr(GArray) groups = file_groups_parse("2500B,0B", NULL);
    struct client_profile client;
    struct copy copy;
    struct exchange e;

    client_profile_init(&client);
    g_assert_true(client_profile_bind(&client, doc, NULL));
    copy_init(&copy, &(struct copy_setup){.client = &client, .groups = groups});
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_assert_true(next_of(&copy, &e));
        g_assert_cmpstr(command_name(e.command), ==, expected[i].command);
        g_assert_cmpuint(e.data_bytes, ==, expected[i].data);
        g_assert_cmpuint(e.after, ==, expected[i].after);
        g_assert_cmpuint(e.file, ==, expected[i].file);
        g_assert_true(((e.flags & EXCHANGE_BARRIER) != 0) == expected[i].barrier);
    }
    g_assert_false(next_of(&copy, &e));
    copy_clear(&copy);
    client_profile_clear(&client);
    yaml_doc_free(doc);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/workload/specification", test_specification);
    g_test_add_func("/workload/list-and-folder", test_list_and_folder);
    g_test_add_func("/workload/copy-source", test_copy_source);
    return g_test_run();
}
