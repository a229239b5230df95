#include "sim/link.h"
#include "base/rng.h"
#include "base/units.h"

#include <gsl/gsl_randist.h>

static int64_t queue_limit_ns(const struct network_direction *d)
{
    double ns = (double)d->queue_bytes * 8e9 / (double)d->rate_bps;

    return ns < 9e18 ? (int64_t)ns : INT64_MAX;
}

static void cross_init(struct link *l, const struct link_setup *s)
{
    g_autofree char *name = g_strconcat(s->name, "/cross", NULL);
    double packet_ns =
        (double)network_counted_bytes(s->counts, s->mtu_bytes) * 8e9 / (double)s->direction->rate_bps;

    if (s->direction->cross_traffic <= 0)
        return;
    l->cross = (struct link_cross){
        .rng = rng_stream(s->seed, s->run, name),
        .mean_gap_ns = packet_ns / s->direction->cross_traffic,
        .ip_bytes = (uint32_t)s->mtu_bytes,
    };
    l->cross.next_ns = (int64_t)gsl_ran_exponential(l->cross.rng, l->cross.mean_gap_ns);
}

void link_init(struct link *l, const struct link_setup *s)
{
    const struct network_direction *d = s->direction;

    g_assert(d->rate_bps > 0);
    *l = (struct link){
        .queue = s->queue,
        .rate_bps = d->rate_bps,
        .delay_ns = s->delay_ns,
        .queue_ns = queue_limit_ns(d),
        .counts = s->counts,
        .budget = {.per_ms = d->packets_per_ms},
    };
    impair_init(&l->impair, d, s->seed, s->run, s->name);
    cross_init(l, s);
    delay_line_init(&l->wire, s->queue);
}

void link_fini(struct link *l)
{
    delay_line_fini(&l->wire);
    impair_fini(&l->impair);
    g_clear_pointer(&l->cross.rng, gsl_rng_free);
}

void link_receiver(struct link *l, void (*receive)(void *owner, const struct packet *p), void *owner)
{
    l->wire.receive = receive;
    l->wire.owner = owner;
}

/* Almost all packets are of two sizes, so the divisions of the last two are kept. */
static const struct link_size *divide(struct link *l, uint32_t ip_bytes)
{
    struct link_size *s = &l->sizes[ip_bytes > LINK_SMALL_BYTES];

    if (s->ip_bytes != ip_bytes) {
        int64_t work = network_counted_bytes(l->counts, ip_bytes) * 8 * NS_PER_S;

        *s = (struct link_size){ip_bytes, work / l->rate_bps, work % l->rate_bps};
    }
    return s;
}

static int64_t serialise(struct link *l, uint32_t ip_bytes)
{
    const struct link_size *s = divide(l, ip_bytes);

    l->remainder += s->remainder;
    if (l->remainder < l->rate_bps)
        return s->ns;
    l->remainder -= l->rate_bps;
    return s->ns + 1;
}

/* When a packet offered at `now_ns` would start, or -1 when the queue is full. */
static int64_t admit(const struct link *l, int64_t now_ns)
{
    int64_t start = budget_start(&l->budget, MAX(now_ns, l->free_ns));

    return start - now_ns > l->queue_ns ? -1 : start;
}

/* Lets the other traffic that came before `now_ns` take its turns. */
static void pass_cross_traffic(struct link *l, int64_t now_ns)
{
    while (l->cross.next_ns <= now_ns) {
        int64_t start = admit(l, l->cross.next_ns);

        if (start >= 0) {
            budget_spend(&l->budget, start);
            l->free_ns = start + serialise(l, l->cross.ip_bytes);
        }
        l->cross.next_ns += 1 + (int64_t)gsl_ran_exponential(l->cross.rng, l->cross.mean_gap_ns);
    }
}

static void count(struct link *l, const struct packet *p)
{
    l->counters.packets++;
    l->counters.data_packets += p->payload_bytes > 0;
    l->counters.retransmissions += (p->flags & PACKET_RETRANSMISSION) != 0;
    l->counters.bytes += p->ip_bytes;
}

void link_send(struct link *l, const struct packet *p)
{
    int64_t now = l->queue->now_ns, start, turn, due;
    struct packet *sent;

    count(l, p);
    if (l->impair.active && impair_drops(&l->impair)) {
        l->counters.dropped_loss++;
        return;
    }
    if (l->cross.rng)
        pass_cross_traffic(l, now);
    turn = MAX(now, l->free_ns);
    start = admit(l, now);
    if (start < 0) {
        l->counters.dropped_queue++;
        return;
    }
    if (l->free_ns <= now) { /* idle */
        l->remainder = 0;
        l->busy_with_data = false;
    }
    budget_spend(&l->budget, start);
    l->free_ns = start + serialise(l, p->ip_bytes);
    due = l->free_ns + l->delay_ns;
    if (l->impair.active)
        due = impair_due(&l->impair, due);
    sent = delay_line_push(&l->wire, p, due);
    sent->cap_wait_ns += start - turn;
    if (l->busy_with_data)
        sent->flags |= PACKET_QUEUED;
    l->busy_with_data |= p->payload_bytes > 0;
}
