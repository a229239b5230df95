/* Traces changed: bytes stay, and what waited for an exchange waits for what took its place. */
#include "replay/trace_change.h"
#include "sim/command.h"

#include <glib.h>

enum { QUERY = COMMAND(2, 16), NTCREATE1 = COMMAND(1, 0xa2) };

struct row {
    uint16_t command;
    uint32_t file, request, response, data, after;
    int64_t think, service;
    uint16_t flags;
};

static struct trace *make(const struct row *rows, size_t count)
{
    struct trace *t = trace_new();
    struct trace_connection *c = trace_add_connection(t);

    c->start_ns = 7;
    c->finish_ns = 9;
    for (size_t i = 0; i < count; i++) {
        const struct row *r = &rows[i];
        struct exchange e = {.think_ns = r->think,
                             .service_ns = r->service,
                             .request_bytes = r->request,
                             .response_bytes = r->response,
                             .data_bytes = r->data,
                             .after = r->after,
                             .command = r->command,
                             .flags = r->flags,
                             .file = r->file};

        g_array_append_val(c->exchanges, e);
    }
    return t;
}

static const GArray *exchanges(const struct trace *t, guint connection)
{
    return g_array_index(t->connections, struct trace_connection, connection).exchanges;
}

static void check(const GArray *got, const struct row *rows, size_t count)
{
    g_assert_cmpuint(got->len, ==, count);
    for (size_t i = 0; i < count; i++) {
        const struct exchange *e = &g_array_index(got, struct exchange, i);

        g_test_message("exchange %d", (int)i);
        g_assert_cmpuint(e->command, ==, rows[i].command);
        g_assert_cmpuint(e->file, ==, rows[i].file);
        g_assert_cmpuint(e->request_bytes, ==, rows[i].request);
        g_assert_cmpuint(e->response_bytes, ==, rows[i].response);
        g_assert_cmpuint(e->data_bytes, ==, rows[i].data);
        g_assert_cmpuint(e->after, ==, rows[i].after);
        g_assert_cmpint(e->think_ns, ==, rows[i].think);
        g_assert_cmpint(e->service_ns, ==, rows[i].service);
        g_assert_cmpuint(e->flags, ==, rows[i].flags);
    }
}

/* One file of six blocks, two outstanding. */
static const struct row FILE_OF_SIX[] = {
    {SMB2_CREATE, 1, 150, 160, 0, 0, 5, 50, 0},   {SMB2_READ, 1, 117, 1084, 1000, 1, 1, 30, EXCHANGE_BARRIER},
    {SMB2_READ, 1, 117, 1084, 1000, 2, 1, 30, 0}, {SMB2_READ, 1, 117, 1084, 1000, 2, 1, 32, 0},
    {SMB2_READ, 1, 117, 1084, 1000, 2, 1, 30, 0}, {SMB2_READ, 1, 117, 1084, 1000, 2, 1, 30, 0},
    {SMB2_READ, 1, 117, 584, 500, 2, 1, 25, 0},   {SMB2_CLOSE, 1, 92, 128, 0, 1, 2, 20, EXCHANGE_BARRIER},
};

static void test_larger_blocks(void)
{
    /* Two outstanding still; a saved request costs the server what the quicker of the two cost: 30 + 30 - 30. */
    static const struct row twos[] = {
        {SMB2_CREATE, 1, 150, 160, 0, 0, 5, 50, 0},
        {SMB2_READ, 1, 117, 2084, 2000, 1, 2, 30, EXCHANGE_BARRIER},
        {SMB2_READ, 1, 117, 2084, 2000, 2, 2, 32, 0},
        {SMB2_READ, 1, 117, 1584, 1500, 2, 2, 30, 0},
        {SMB2_CLOSE, 1, 92, 128, 0, 1, 2, 20, EXCHANGE_BARRIER},
    };
    struct trace *t = make(FILE_OF_SIX, G_N_ELEMENTS(FILE_OF_SIX)),
                 *larger = trace_larger_blocks(t, 2, 65536);

    check(exchanges(larger, 0), twos, G_N_ELEMENTS(twos));
    g_assert_cmpint(g_array_index(larger->connections, struct trace_connection, 0).start_ns, ==, 7);
    g_assert_cmpint(g_array_index(larger->connections, struct trace_connection, 0).finish_ns, ==, 9);
    trace_free(larger);
    g_assert_null(trace_larger_blocks(t, 2, 1400)); /* no two fit into one */
    trace_free(t);
}

static void test_deeper(void)
{
    static const struct row deep[] = {
        {SMB2_CREATE, 1, 150, 160, 0, 0, 5, 50, 0},
        {SMB2_READ, 1, 117, 1084, 1000, 1, 1, 30, EXCHANGE_BARRIER},
        {SMB2_READ, 1, 117, 1084, 1000, 2, 1, 30, 0},
        {SMB2_READ, 1, 117, 1084, 1000, 3, 1, 32, 0},
        {SMB2_READ, 1, 117, 1084, 1000, 4, 1, 30, 0},
        {SMB2_READ, 1, 117, 1084, 1000, 4, 1, 30, 0},
        {SMB2_READ, 1, 117, 584, 500, 4, 1, 25, 0},
        {SMB2_CLOSE, 1, 92, 128, 0, 1, 2, 20, EXCHANGE_BARRIER},
    };
    struct trace *t = make(FILE_OF_SIX, G_N_ELEMENTS(FILE_OF_SIX)), *deeper = trace_deeper_pipeline(t, 2);

    check(exchanges(deeper, 0), deep, G_N_ELEMENTS(deep));
    trace_free(deeper);
    trace_free(t);
}

static const struct row TWO_SMALL[] = {
    {SMB2_NEGOTIATE, 0, 200, 300, 0, 0, 3, 10, 0}, {SMB2_CREATE, 1, 150, 160, 0, 1, 5, 50, 0},
    {QUERY, 1, 100, 200, 0, 1, 4, 40, 0},          {SMB2_READ, 1, 117, 1084, 1000, 1, 1, 30, 0},
    {SMB2_CLOSE, 1, 92, 128, 0, 1, 2, 20, 0},      {SMB2_CREATE, 2, 150, 160, 0, 1, 5, 50, 0},
    {SMB2_READ, 2, 117, 1084, 1000, 1, 1, 30, 0},  {SMB2_CLOSE, 2, 92, 128, 0, 1, 2, 20, 0},
};

static void test_cached_queries(void)
{
    static const struct row cached[] = {
        {SMB2_NEGOTIATE, 0, 200, 300, 0, 0, 3, 10, 0}, {SMB2_CREATE, 1, 150, 160, 0, 1, 5, 50, 0},
        {SMB2_READ, 1, 117, 1084, 1000, 1, 5, 30, 0},  {SMB2_CLOSE, 1, 92, 128, 0, 1, 2, 20, 0},
        {SMB2_CREATE, 2, 150, 160, 0, 1, 5, 50, 0},    {SMB2_READ, 2, 117, 1084, 1000, 1, 1, 30, 0},
        {SMB2_CLOSE, 2, 92, 128, 0, 1, 2, 20, 0},
    };
    struct trace *t = make(TWO_SMALL, G_N_ELEMENTS(TWO_SMALL)), *changed = trace_cached_queries(t);

    check(exchanges(changed, 0), cached, G_N_ELEMENTS(cached));
    g_assert_null(trace_cached_queries(changed));
    trace_free(changed);
    trace_free(t);
}

static void test_compounded(void)
{
    static const struct row threes[] = {
        {SMB2_NEGOTIATE, 0, 200, 300, 0, 0, 3, 10, 0},
        {SMB2_READ, 1, 367, 1444, 1000, 1, 10, 120, 0},
        {SMB2_CLOSE, 1, 92, 128, 0, 1, 2, 20, 0},
        {SMB2_READ, 2, 359, 1372, 1000, 1, 8, 100, 0},
    };
    struct trace *t = make(TWO_SMALL, G_N_ELEMENTS(TWO_SMALL)), *changed = trace_compounded(t, 3);

    check(exchanges(changed, 0), threes, G_N_ELEMENTS(threes));
    trace_free(changed);
    trace_free(t);
}

static void test_files_at_once(void)
{
    static const struct row first[] = {
        {SMB2_NEGOTIATE, 0, 200, 300, 0, 0, 3, 10, 0}, {SMB2_CREATE, 1, 150, 160, 0, 1, 5, 50, 0},
        {QUERY, 1, 100, 200, 0, 1, 4, 40, 0},          {SMB2_READ, 1, 117, 1084, 1000, 1, 1, 30, 0},
        {SMB2_CLOSE, 1, 92, 128, 0, 1, 2, 20, 0},
    };
    static const struct row second[] = {
        {SMB2_CREATE, 2, 150, 160, 0, 0, 5, 50, 0},
        {SMB2_READ, 2, 117, 1084, 1000, 1, 1, 30, 0},
        {SMB2_CLOSE, 2, 92, 128, 0, 1, 2, 20, 0},
    };
    struct trace *t = make(TWO_SMALL, G_N_ELEMENTS(TWO_SMALL)), *changed = trace_files_at_once(t, 2);

    g_assert_cmpuint(changed->connections->len, ==, 2);
    check(exchanges(changed, 0), first, G_N_ELEMENTS(first));
    check(exchanges(changed, 1), second, G_N_ELEMENTS(second));
    trace_free(changed);
    trace_free(t);
    t = make(FILE_OF_SIX, G_N_ELEMENTS(FILE_OF_SIX));
    g_assert_null(trace_files_at_once(t, 2)); /* one file stays where it is */
    trace_free(t);
}

static void test_compressed(void)
{
    static const struct row old[] = {
        {SMB2_CREATE, 1, 150, 160, 0, 0, 5, 50, 0},
        {SMB2_READ, 1, 117, 10084, 10000, 1, 1, 30, EXCHANGE_BARRIER},
        {SMB2_WRITE, 1, 2116, 84, 2000, 1, 1, 30, 0},
        {SMB2_READ, 1, 117, 104, 20, 1, 1, 30, 0}, /* with a header it would grow */
    };
    static const struct row packed[] = {
        {SMB2_CREATE, 1, 150, 160, 0, 0, 5, 50, 0},
        {SMB2_READ, 1, 117, 2600, 10000, 1, 1, 30, EXCHANGE_BARRIER | EXCHANGE_COMPRESSED},
        {SMB2_WRITE, 1, 632, 84, 2000, 1, 1, 30, EXCHANGE_COMPRESSED},
        {SMB2_READ, 1, 117, 104, 20, 1, 1, 30, EXCHANGE_COMPRESSED},
    };
    struct trace *t = make(old, G_N_ELEMENTS(old)), *compressed = trace_compressed(t, 0.25);

    check(exchanges(compressed, 0), packed, G_N_ELEMENTS(packed));
    trace_free(compressed);
    trace_free(t);
}

static void test_nothing_to_change(void)
{
    static const struct row old[] = {{NTCREATE1, 1, 100, 139, 0, 0, 0, 10, 0},
                                     {SMB1_CLOSE, 1, 45, 39, 0, 1, 0, 10, 0}};
    struct trace *t = make(old, G_N_ELEMENTS(old));

    g_assert_null(trace_larger_blocks(t, 8, 65536));
    g_assert_null(trace_deeper_pipeline(t, 3));
    g_assert_null(trace_compounded(t, 3)); /* SMB1 has none */
    g_assert_null(trace_compressed(t, 0.5));
    trace_free(t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace-change/larger-blocks", test_larger_blocks);
    g_test_add_func("/trace-change/deeper", test_deeper);
    g_test_add_func("/trace-change/cached-queries", test_cached_queries);
    g_test_add_func("/trace-change/compounded", test_compounded);
    g_test_add_func("/trace-change/files-at-once", test_files_at_once);
    g_test_add_func("/trace-change/compressed", test_compressed);
    g_test_add_func("/trace-change/nothing", test_nothing_to_change);
    return g_test_run();
}
