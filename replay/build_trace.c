#include "replay/build_trace.h"

static void convert(const struct replay_exchange *e, const struct timing *t, struct exchange *out)
{
    *out = (struct exchange){
        .think_ns = t->think_ns,
        .service_ns = t->service_ns,
        .request_bytes = MAX(e->request_bytes, 1),
        .response_bytes = e->response_bytes,
        .data_bytes = e->data_bytes,
        .after = t->after,
        .command = e->command,
        .flags = EXCHANGE_SERVER_TIMED,
        .file = e->file,
    };
    if (t->barrier)
        out->flags |= EXCHANGE_BARRIER;
    if (e->flags & (REPLAY_NO_RESPONSE | REPLAY_ONE_WAY) || !e->response_bytes) {
        out->flags |= EXCHANGE_NO_RESPONSE;
        out->response_bytes = 0;
    }
    if (e->flags & REPLAY_BACKGROUND)
        out->flags |= EXCHANGE_BACKGROUND;
}

static int64_t last_done_ns(const GArray *timings)
{
    int64_t last = -1;

    for (guint i = 0; i < timings->len; i++)
        last = MAX(last, g_array_index(timings, struct timing, i).done_ns);
    return last;
}

struct trace_connection *build_trace(struct trace *trace, const struct wire *p, const GArray *timings)
{
    const struct replay_connection *c = p->connection;
    struct trace_connection *out = trace_add_connection(trace);
    int64_t done = last_done_ns(timings);

    out->start_ns = c->first_ns;
    if (c->client_fin_ns >= 0 && done >= 0)
        out->finish_ns = MAX(c->client_fin_ns - done, 0);
    g_array_set_size(out->exchanges, timings->len);
    for (guint i = 0; i < timings->len; i++)
        convert(&g_array_index(c->exchanges_kept, struct replay_exchange, i),
                &g_array_index(timings, struct timing, i),
                &g_array_index(out->exchanges, struct exchange, i));
    return out;
}
