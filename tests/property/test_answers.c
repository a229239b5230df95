/* What the answers of a capture must add up to, on every recording under traces/ and every public capture that can be read. */
#include "replay/analysis.h"
#include "replay/findings.h"
#include "tests/data.h"

#include <string.h>

struct seen {
    uint64_t exchanges, progress;
    uint64_t last_read, of;
};

static void on_exchange(void *self, const struct replay_connection *c, const struct replay_exchange *x,
                        const char *file)
{
    g_assert_nonnull(c->client);
    g_assert_nonnull(c->server);
    g_assert_true(!file || x->file > 0);
    ((struct seen *)self)->exchanges++;
}

static void on_progress(void *self, uint64_t read, uint64_t of)
{
    struct seen *s = self;

    g_assert_cmpuint(read, >=, s->last_read);
    s->last_read = read;
    s->of = of;
    s->progress++;
}

static void check_blocks(const struct replay_blocks *b)
{
    uint64_t count = b->other_count, bytes = b->other_bytes, octaves = 0;

    for (guint i = 0; i < b->sizes->len; i++) {
        const struct replay_block *block = &g_array_index(b->sizes, struct replay_block, i);

        count += block->count;
        bytes += block->bytes * block->count;
    }
    for (unsigned i = 0; i < REPLAY_OCTAVES; i++)
        octaves += b->octaves[i];
    g_assert_cmpuint(count, ==, b->count);
    g_assert_cmpuint(octaves, ==, b->count);
    g_assert_cmpuint(bytes, ==, b->bytes);
}

static void check_usage(const struct replay_usage *u)
{
    int64_t ns = 0;

    check_blocks(&u->reads);
    check_blocks(&u->writes);
    for (unsigned i = 0; i < REPLAY_PENDING_LEVELS; i++)
        ns += u->pending.ns[i];
    g_assert_cmpint(ns, ==, u->pending.total_ns);
    g_assert_cmpfloat(u->pending.mean, <=, (double)u->pending.max + 1e-9);
}

/* Sums over rows of commands. */
static void check_commands(const GArray *commands, const struct replay_usage *u)
{
    uint64_t reads = 0, writes = 0, errors = 0, listed = u->errors_more, andx = 0;

    for (guint i = 0; i < commands->len; i++) {
        const struct replay_command *c = &g_array_index(commands, struct replay_command, i);

        andx += c->andx;
        errors += c->errors;
        if (command_is_read(c->command))
            reads += c->responses - c->interim - c->errors;
        if (command_is_write(c->command))
            writes += c->requests;
        if (c->service_samples == 0)
            continue;
        g_assert_cmpint(c->service_median_ns, <=, c->service_p90_ns);
        g_assert_cmpint(c->service_p90_ns, <=, c->service_p95_ns);
        g_assert_cmpint(c->service_p95_ns, <=, c->service_p99_ns);
        g_assert_cmpint(c->service_p99_ns, <=, c->service_max_ns);
        g_assert_cmpuint(c->slowest_request, >, 0);
    }
    for (guint i = 0; i < u->errors->len; i++)
        listed += g_array_index(u->errors, struct replay_error, i).count;
    if (andx ==
        0) { /* a chain counts under its first command, and its later ones' blocks and errors count as theirs */
        g_assert_cmpuint(u->reads.count, ==, reads);
        g_assert_cmpuint(u->writes.count, ==, writes);
        g_assert_cmpuint(listed, ==, errors);
    }
}

static void check_capture(const char *path)
{
    struct seen seen = {0};
    const struct replay_options options = {.exchange = on_exchange, .progress = on_progress, .self = &seen};
    const char *paths[] = {path, NULL};
    struct replay *r = replay_read(paths, &options, NULL);
    uint64_t exchanges = 0, reads = 0, writes = 0;
    int64_t outstanding = 0;

    if (!r)
        return;
    for (guint i = 0; i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);
        g_autoptr(GPtrArray) findings = findings_new(c, NULL, NULL);

        check_usage(&c->usage);
        check_commands(c->commands, &c->usage);
        g_assert_cmpuint(c->usage.reads.bytes, ==, c->bytes_read);
        g_assert_cmpuint(c->usage.writes.bytes, ==, c->bytes_written);
        g_assert_cmpuint(c->decoded_bytes, <=, c->stream_bytes);
        for (guint k = 0; k < findings->len; k++) {
            const struct finding *f = g_ptr_array_index(findings, k);

            g_assert_cmpuint(f->first_frame, >, 0);
            g_assert_cmpuint(f->first_frame, <=, r->packets);
        }
        exchanges += c->exchanges;
        reads += c->usage.reads.count;
        writes += c->usage.writes.count;
        outstanding += c->usage.pending.total_ns;
    }
    check_usage(&r->total);
    check_commands(r->commands, &r->total);
    g_assert_cmpuint(r->total.reads.count, ==, reads);
    g_assert_cmpuint(r->total.writes.count, ==, writes);
    g_assert_cmpint(r->total.pending.total_ns, ==, outstanding);
    /* Connections in which not one message was whole had exchanges, too, but are none of the result. */
    g_assert_cmpuint(seen.exchanges, >=, exchanges);
    g_assert_cmpuint(seen.progress, >, 0);
    g_assert_cmpuint(seen.last_read, <=, seen.of);
    replay_free(r);
}

static guint check_folder(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    guint checked = 0;

    for (const char *name = dir ? g_dir_read_name(dir) : NULL; name; name = g_dir_read_name(dir)) {
        g_autofree char *path = g_build_filename(folder, name, NULL);

        if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
            checked += check_folder(path);
        } else if (strstr(name, "cap")) {
            check_capture(path);
            checked++;
        }
    }
    return checked;
}

static void test_traces(void)
{
    g_autofree char *folder = data_source_path("traces");

    g_assert_cmpuint(check_folder(folder), >=, 9);
}

static void test_captures(void)
{
    g_autofree char *folder = data_shared_path("captures");

    if (folder)
        g_assert_cmpuint(check_folder(folder), >, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/answers/traces", test_traces);
    g_test_add_func("/answers/captures", test_captures);
    return g_test_run();
}
