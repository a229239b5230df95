#include "sim/host.h"

bool host_is_needed(const struct cpu_profile *cpu, const struct nic_profile *nic)
{
    return cpu->send_packet_ns || cpu->receive_packet_ns || cpu->byte_rate_bps || nic->moderation_ns ||
           nic->packets_per_ms;
}

/* Vista's throttle shares its budget badly: 8,000 packets a second in all with two adapters, 6,000 with three. */
static int64_t adapters_budget(const struct nic_profile *nic)
{
    static const int percent[] = {100, 100, 80, 60};

    return nic->packets_per_ms * percent[CLAMP(nic->adapters, 1, 3)] / 100;
}

void host_init(struct host *h, struct event_queue *q, const struct cpu_profile *cpu,
               const struct nic_profile *nic)
{
    *h = (struct host){.queue = q, .cpu = cpu, .nic = nic, .budget = {.per_ms = adapters_budget(nic)}};
    h->last_interrupt_ns = INT64_MIN / 2;
    delay_line_init(&h->sending, q);
    delay_line_init(&h->receiving, q);
}

void host_fini(struct host *h)
{
    delay_line_fini(&h->sending);
    delay_line_fini(&h->receiving);
}

static int64_t cost_ns(const struct host *h, int64_t packet_ns, uint32_t bytes)
{
    return packet_ns + (h->cpu->byte_rate_bps ? (int64_t)bytes * 8 * NS_PER_S / h->cpu->byte_rate_bps : 0);
}

/* Takes the core from `ready_ns` on; returns when the work is done and whether it had to wait. */
static int64_t work(struct host *h, int64_t *core_free_ns, int64_t ready_ns, int64_t cost, bool *waited)
{
    int64_t begin = MAX(ready_ns, *core_free_ns);

    *waited = begin > ready_ns;
    *core_free_ns = begin + cost;
    if (h->cpu->cores < 2)
        h->send_free_ns = h->receive_free_ns = begin + cost;
    return begin + cost;
}

void host_send(struct host *h, const struct packet *p)
{
    bool waited;
    int64_t done =
        work(h, &h->send_free_ns, h->queue->now_ns, cost_ns(h, h->cpu->send_packet_ns, p->ip_bytes), &waited);
    struct packet *sent = delay_line_push(&h->sending, p, done);

    sent->sender_ns += done - h->queue->now_ns;
    if (waited)
        sent->flags |= PACKET_SENDER_BUSY;
}

static int64_t next_interrupt(struct host *h)
{
    int64_t now = h->queue->now_ns;

    if (!h->nic->moderation_ns)
        return now;
    if (h->last_interrupt_ns < now)
        h->last_interrupt_ns = MAX(now, h->last_interrupt_ns + h->nic->moderation_ns);
    return h->last_interrupt_ns;
}

void host_receive(struct host *h, const struct packet *p)
{
    int64_t interrupt, start, done;
    struct packet *kept;
    bool waited;

    if (h->nic->ring_frames && delay_line_count(&h->receiving) >= (size_t)h->nic->ring_frames) {
        h->dropped++;
        return;
    }
    interrupt = next_interrupt(h);
    start = budget_start(&h->budget, interrupt);
    budget_spend(&h->budget, start);
    done = work(h, &h->receive_free_ns, start, cost_ns(h, h->cpu->receive_packet_ns, p->ip_bytes), &waited);
    kept = delay_line_push(&h->receiving, p, done);
    kept->cap_wait_ns += start - interrupt;
    kept->receiver_ns += done - h->queue->now_ns - (start - interrupt);
    if (waited)
        kept->flags |= PACKET_RECEIVER_BUSY;
}
