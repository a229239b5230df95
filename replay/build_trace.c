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

void build_trace_exchange(GArray *trace, const struct replay_exchange *e, const struct timing *t)
{
    struct exchange x;

    convert(e, t, &x);
    g_array_append_val(trace, x);
}
