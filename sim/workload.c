#include "sim/workload.h"

uint32_t exchange_chain_bytes(const struct exchange_chain *c, bool response)
{
    enum { FRAMING = 4, ALIGNED = 8 };
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < c->count; i++) {
        const struct exchange_element *e = &c->elements[i];

        bytes = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
        bytes += (response ? e->response_bytes : e->request_bytes) - FRAMING;
    }
    return FRAMING + bytes;
}

static void clear_connection(void *item)
{
    struct trace_connection *c = item;

    g_clear_pointer(&c->exchanges, g_array_unref);
}

struct trace *trace_new(void)
{
    struct trace *t = g_new0(struct trace, 1);

    t->connections = g_array_new(FALSE, TRUE, sizeof(struct trace_connection));
    g_array_set_clear_func(t->connections, clear_connection);
    return t;
}

void trace_free(struct trace *t)
{
    if (!t)
        return;
    g_array_unref(t->connections);
    g_free(t);
}

struct trace_connection *trace_add_connection(struct trace *t)
{
    struct trace_connection c = {.finish_ns = -1,
                                 .exchanges = g_array_new(FALSE, TRUE, sizeof(struct exchange))};

    g_array_append_val(t->connections, c);
    return &g_array_index(t->connections, struct trace_connection, t->connections->len - 1);
}

static bool next_of_trace(void *self, int64_t now_ns, struct exchange *out)
{
    struct trace_cursor *c = self;

    (void)now_ns;
    if (c->next >= c->connection->exchanges->len)
        return false;
    *out = g_array_index(c->connection->exchanges, struct exchange, c->next++);
    return true;
}

void trace_cursor_init(struct trace_cursor *c, const struct trace_connection *connection)
{
    *c = (struct trace_cursor){.connection = connection, .source = {next_of_trace, c}};
}
