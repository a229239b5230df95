#include "sim/sample.h"
#include "sim/path.h"
#include "sim/smb.h"

static void add_stream(const struct tcp *from, const struct tcp *to, struct sim_sample_direction *d)
{
    d->bytes += to->rcv_nxt;
    if (from->state == TCP_ESTABLISHED)
        d->window_bytes += (uint64_t)from->cc.cwnd * from->mss;
}

void sample_connections(const struct smb_connection *connections, size_t count, struct sim_sample *s)
{
    for (size_t i = 0; i < count; i++) {
        const struct smb_connection *c = &connections[i];

        add_stream(&c->server_tcp, &c->client_tcp, &s->down);
        add_stream(&c->client_tcp, &c->server_tcp, &s->up);
        s->outstanding += c->outstanding;
    }
}

static uint64_t queued(const struct route *r, int64_t now_ns)
{
    uint64_t sum = 0;

    for (guint i = 0; i < r->count; i++) {
        const struct link *l = &r->links[i];

        if (l->free_ns > now_ns)
            sum += (uint64_t)((double)(l->free_ns - now_ns) * (double)l->rate_bps / 8e9);
    }
    return sum;
}

void sample_paths(const struct path *paths, size_t count, int64_t now_ns, struct sim_sample *s)
{
    for (size_t i = 0; i < count; i++) {
        s->down.queue_bytes += queued(&paths[i].down, now_ns);
        s->up.queue_bytes += queued(&paths[i].up, now_ns);
    }
}
