/* The public captures and the recorded ones, against what tshark, the recorder and the network's own clock say of them. */
#include "replay/analysis.h"
#include "base/error.h"
#include "tests/data.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* A table file with a line of column names; lines that start with # are comments. */
struct table {
    GPtrArray *rows; /* of char **, the names first */
};

static void table_read(struct table *t, const char *path)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;

    t->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (**line && **line != '#')
            g_ptr_array_add(t->rows, g_strsplit(*line, "\t", -1));
    }
}

static const char *cell(const struct table *t, guint row, const char *column)
{
    char **names = g_ptr_array_index(t->rows, 0);
    char **values = g_ptr_array_index(t->rows, row);

    for (guint i = 0; names[i] && values[i]; i++) {
        if (strcmp(names[i], column) == 0)
            return values[i];
    }
    return "";
}

static uint64_t number(const struct table *t, guint row, const char *column)
{
    return g_ascii_strtoull(cell(t, row, column), NULL, 10);
}

/* What tshark counted, or what the list of differences says that we count instead. */
static uint64_t wanted(const struct table *index, guint row, const char *column, const struct table *known)
{
    for (guint i = 1; i < known->rows->len; i++) {
        if (strcmp(cell(known, i, "file"), cell(index, row, "file")) == 0 &&
            strcmp(cell(known, i, "field"), column) == 0) {
            g_assert_cmpuint(number(known, i, "tshark"), ==, number(index, row, column));
            return number(known, i, "copytrial");
        }
    }
    return number(index, row, column);
}

enum { REQUESTS, RESPONSES, SUCCESSES };

static uint64_t messages(const struct replay *r, uint16_t command, int kind)
{
    uint64_t sum = 0;

    for (guint i = 0; r && i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);

        for (guint k = 0; k < c->commands->len; k++) {
            const struct replay_command *row = &g_array_index(c->commands, struct replay_command, k);

            if (row->command == command)
                sum += kind == REQUESTS    ? row->requests
                       : kind == RESPONSES ? row->responses
                                           : row->responses - row->errors - row->interim;
        }
    }
    return sum;
}

static uint64_t file_bytes(const struct replay *r, bool written)
{
    uint64_t sum = 0;

    for (guint i = 0; r && i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);

        sum += written ? c->bytes_written : c->bytes_read;
    }
    return sum;
}

static void check_counts(const struct replay *r, const struct table *index, guint row,
                         const struct table *known)
{
    /* The index leaves failed and interim answers to reads out. */
    const struct {
        const char *column;
        uint64_t ours;
    } CASES[] = {
        {"smb2_read_req", messages(r, SMB2_READ, REQUESTS)},
        {"smb2_read_resp", messages(r, SMB2_READ, SUCCESSES)},
        {"smb2_write_req", messages(r, SMB2_WRITE, REQUESTS)},
        {"smb2_write_resp", messages(r, SMB2_WRITE, RESPONSES)},
        {"smb1_read_req", messages(r, SMB1_READ_ANDX, REQUESTS)},
        {"smb1_read_resp", messages(r, SMB1_READ_ANDX, SUCCESSES)},
        {"smb1_write_req", messages(r, SMB1_WRITE_ANDX, REQUESTS)},
        {"smb1_write_resp", messages(r, SMB1_WRITE_ANDX, RESPONSES)},
        {"read_bytes", file_bytes(r, false)},
        {"write_bytes", file_bytes(r, true)},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        uint64_t expected = wanted(index, row, CASES[i].column, known);

        if (CASES[i].ours != expected) {
            g_test_message("%s: %s: %" G_GUINT64_FORMAT " wanted, %" G_GUINT64_FORMAT " found",
                           cell(index, row, "file"), CASES[i].column, expected, CASES[i].ours);
            g_test_fail();
        }
    }
    if (r)
        g_assert_cmpuint(r->packets, ==, number(index, row, "packets"));
}

/* Everything in the collection is read without harm; those that hold SMB say the same as tshark. */
static void test_public(void)
{
    g_autofree char *index_path = data_shared_path("captures/INDEX.tsv");
    g_autofree char *known_path = data_source_path("tests/golden/tshark_differences.tsv");
    struct table index, known;

    if (!index_path)
        return;
    table_read(&index, index_path);
    table_read(&known, known_path);
    for (guint row = 1; row < index.rows->len; row++) {
        g_autofree char *name = g_build_filename("captures", cell(&index, row, "file"), NULL);
        g_autofree char *path = data_shared_path(name);
        g_autoptr(GError) error = NULL;
        struct replay *r = replay_read((const char *const[]){path, NULL}, NULL, &error);

        if (!r)
            g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
        check_counts(r, &index, row, &known);
        replay_free(r);
    }
    g_ptr_array_unref(index.rows);
    g_ptr_array_unref(known.rows);
}

static struct replay *read_good(const char *path)
{
    g_autoptr(GError) error = NULL;
    struct replay *r = replay_read((const char *const[]){path, NULL}, NULL, &error);

    g_assert_no_error(error);
    g_assert_nonnull(r);
    return r;
}

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* The two-network recordings: seconds to the microsecond, round trips to 0.2 ms, for what the handshake saw also holds a
 * host's time to answer. */
static void test_bases(void)
{
    g_autofree char *path = data_shared_path("truth/bases.json");
    json_t *bases, *entry;
    const char *name;

    if (!path)
        return;
    bases = json_load_file(path, 0, NULL);
    g_assert_nonnull(bases);
    json_object_foreach(bases, name, entry)
    {
        g_autofree char *file = g_strdup_printf("truth/bases/%s.pcap.gz", name);
        g_autofree char *capture = data_shared_path(file);
        struct replay *r = read_good(capture);
        const struct replay_connection *c = replay_main_connection(r);
        double rtt_s = json_number_value(json_object_get(entry, "rtt_ms")) / 1e3;

        g_assert_cmpfloat(
            fabs(seconds(replay_recorded_ns(c)) - json_number_value(json_object_get(entry, "seconds"))), <,
            1e-6);
        g_assert_cmpfloat(fabs(seconds(c->tcp.rtt_ns) - rtt_s), <, 2e-4);
        g_assert_cmpint(c->tcp.point, ==, REPLAY_POINT_CLIENT);
        g_assert_cmpfloat(r->coverage, >, 0.99);
        replay_free(r);
    }
    json_decref(bases);
}

/* Our own recordings, against what the recorder wrote down. */
static void test_traces(void)
{
    g_autofree char *list = data_source_path("traces/traces.json");
    json_t *root = json_load_file(list, 0, NULL), *trace;
    size_t i;

    g_assert_nonnull(root);
    g_assert_cmpuint(json_array_size(json_object_get(root, "traces")), >=, 4);
    json_array_foreach(json_object_get(root, "traces"), i, trace)
    {
        const char *file = json_string_value(json_object_get(trace, "file"));
        const char *operation = json_string_value(json_object_get(trace, "operation"));
        uint64_t bytes = (uint64_t)json_integer_value(json_object_get(trace, "payload_bytes"));
        double link_rtt_s =
            json_number_value(json_object_get(json_object_get(trace, "link"), "rtt_ms")) / 1e3;
        g_autofree char *folder = g_path_get_dirname(list);
        g_autofree char *path = g_build_filename(folder, file, NULL);
        struct replay *r = read_good(path);
        const struct replay_connection *c = replay_main_connection(r);

        g_assert_cmpuint(r->packets, ==, (uint64_t)json_integer_value(json_object_get(trace, "frames")));
        g_assert_cmpfloat(
            fabs(seconds(replay_recorded_ns(c)) - json_number_value(json_object_get(trace, "recorded_s"))), <,
            1e-6);
        g_assert_cmpuint(strcmp(operation, "upload") == 0 ? c->bytes_written : c->bytes_read, ==, bytes);
        g_assert_cmpfloat(fabs(seconds(c->tcp.rtt_ns) - link_rtt_s), <, 1e-3);
        g_assert_cmpuint(c->unanswered, ==, 0);
        g_assert_cmpfloat(r->coverage, ==, 1);
        replay_free(r);
    }
    json_decref(root);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/captures/traces", test_traces);
    g_test_add_func("/captures/bases", test_bases);
    g_test_add_func("/captures/public", test_public);
    return g_test_run();
}
