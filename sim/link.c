#include "sim/link.h"
#include "base/rng.h"
#include "base/units.h"

struct link_slot {
    int64_t arrival_ns;
    struct packet packet;
};

static void arrive(void *owner);

static int64_t queue_limit_ns(const struct network_direction *d)
{
    double ns = (double)d->queue_bytes * 8e9 / (double)d->rate_bps;

    return ns < 9e18 ? (int64_t)ns : INT64_MAX;
}

void link_init(struct link *l, struct event_queue *q, const struct network_profile *n,
               const struct network_direction *d, uint64_t seed, uint64_t run, const char *name)
{
    g_assert(d->rate_bps > 0);
    *l = (struct link){
        .queue = q,
        .rate_bps = d->rate_bps,
        .delay_ns = network_one_way_ns(n),
        .queue_ns = queue_limit_ns(d),
        .packets_per_ms = d->packets_per_ms,
        .loss = d->loss,
        .counts = n->counts,
        .rng = d->loss > 0 ? rng_stream(seed, run, name) : NULL,
    };
    ring_init(&l->in_flight, sizeof(struct link_slot));
    event_init(&l->arrive, arrive, l);
}

void link_fini(struct link *l)
{
    ring_fini(&l->in_flight);
    g_clear_pointer(&l->rng, gsl_rng_free);
}

/* The earliest instant at or after `start_ns` whose millisecond has budget left. */
static int64_t budget_start(const struct link *l, int64_t start_ns)
{
    int64_t ms = start_ns / NS_PER_MS;

    if (ms < l->budget_ms)
        ms = l->budget_ms;
    if (ms == l->budget_ms && l->budget_used >= l->packets_per_ms)
        ms++;
    return MAX(start_ns, ms * NS_PER_MS);
}

static void budget_spend(struct link *l, int64_t start_ns)
{
    int64_t ms = start_ns / NS_PER_MS;

    if (ms != l->budget_ms) {
        l->budget_ms = ms;
        l->budget_used = 0;
    }
    l->budget_used++;
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

void link_send(struct link *l, const struct packet *p)
{
    int64_t now = l->queue->now_ns;
    bool idle = l->free_ns <= now;
    int64_t turn = MAX(now, l->free_ns);
    int64_t start = l->packets_per_ms ? budget_start(l, turn) : turn;
    struct link_slot *slot;

    l->counters.packets++;
    l->counters.data_packets += p->payload_bytes > 0;
    l->counters.retransmissions += (p->flags & PACKET_RETRANSMISSION) != 0;
    l->counters.bytes += p->ip_bytes;
    if (l->on_offer)
        l->on_offer(l->owner, p);
    if (l->loss > 0 && gsl_rng_uniform(l->rng) < l->loss) {
        l->counters.dropped_loss++;
        return;
    }
    if (start - now > l->queue_ns) {
        l->counters.dropped_queue++;
        return;
    }
    if (idle) {
        l->remainder = 0;
        l->busy_with_data = false;
    }
    if (l->packets_per_ms)
        budget_spend(l, start);
    slot = ring_push(&l->in_flight);
    slot->packet = *p;
    slot->packet.cap_wait_ns = start - turn;
    if (l->busy_with_data)
        slot->packet.flags |= PACKET_QUEUED;
    l->busy_with_data |= p->payload_bytes > 0;
    l->free_ns = start + serialise(l, p->ip_bytes);
    slot->arrival_ns = l->free_ns + l->delay_ns;
    if (!event_is_pending(&l->arrive))
        event_schedule(l->queue, &l->arrive, slot->arrival_ns);
}

static void arrive(void *owner)
{
    struct link *l = owner;
    struct link_slot *slot = ring_at(&l->in_flight, 0);
    struct packet p = slot->packet; /* the receiver may send, which may move the ring */

    ring_pop(&l->in_flight);
    if (l->in_flight.count) {
        slot = ring_at(&l->in_flight, 0);
        event_schedule(l->queue, &l->arrive, slot->arrival_ns);
    }
    l->receive(l->owner, &p);
}
