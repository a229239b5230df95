#include "sim/route.h"

static void forward(void *owner, const struct packet *p)
{
    link_send(owner, p);
}

void route_init(struct route *p, const struct route_setup *s)
{
    guint count = network_hop_count(s->network);

    *p = (struct route){.links = g_new0(struct link, count), .count = count};
    for (guint i = 0; i < count; i++) {
        guint hop = s->down ? count - 1 - i : i;
        g_autofree char *prefix = s->number ? g_strdup_printf("path%zu/", s->number) : g_strdup("");
        g_autofree char *name = g_strdup_printf("%s%s/hop%u", prefix, s->down ? "down" : "up", hop);
        struct link_setup setup = {
            .queue = s->queue,
            .direction = network_hop_direction(s->network, hop, s->down),
            .delay_ns = network_hop_delay_ns(s->network, hop),
            .mtu_bytes = s->network->mtu_bytes,
            .counts = s->network->counts,
            .seed = s->seed,
            .run = s->run,
            .name = name,
        };

        link_init(&p->links[i], &setup);
        if (i > 0)
            link_receiver(&p->links[i - 1], forward, &p->links[i]);
    }
    link_receiver(&p->links[count - 1], s->receive, s->owner);
}

void route_fini(struct route *p)
{
    for (guint i = 0; i < p->count; i++)
        link_fini(&p->links[i]);
    g_clear_pointer(&p->links, g_free);
}

struct link *route_last(struct route *p)
{
    return &p->links[p->count - 1];
}

struct tcp_path route_for_tcp(struct route *p)
{
    struct tcp_path t = {.send = forward, .owner = &p->links[0]};

    for (guint i = 0; i < p->count; i++) {
        const struct link *l = &p->links[i];

        t.propagation_ns += l->delay_ns;
        if (i == 0 || l->rate_bps < t.bottleneck_bps) {
            t.bottleneck_bps = l->rate_bps;
            t.counts = l->counts;
        }
    }
    return t;
}

struct sim_direction_counters route_counters(const struct route *p)
{
    struct sim_direction_counters c = p->links[0].counters;

    for (guint i = 1; i < p->count; i++) {
        c.dropped_loss += p->links[i].counters.dropped_loss;
        c.dropped_queue += p->links[i].counters.dropped_queue;
    }
    return c;
}
