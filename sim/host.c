#include "sim/host.h"

/* ---- what the adapters of a host share ------------------------------------------------------------------------------- */

/* Vista's throttle shares its budget badly: 8,000 packets a second in all with two adapters, 6,000 with three. */
static int64_t adapters_budget(const struct nic_profile *nic, size_t paths)
{
    static const int percent[] = {100, 100, 80, 60};

    return nic->packets_per_ms * percent[CLAMP(MAX(nic->adapters, (int64_t)paths), 1, 3)] / 100;
}

void machine_init(struct machine *m, const struct host_profile *profile, size_t paths)
{
    *m = (struct machine){.profile = profile};
    if (!profile)
        return;
    processor_init(&m->processor, profile);
    m->budget.per_ms = adapters_budget(&profile->nic, paths);
}

void machine_fini(struct machine *m)
{
    processor_fini(&m->processor);
}

/* ---- one adapter ------------------------------------------------------------------------------------------------------- */

bool host_is_needed(const struct cpu_profile *cpu, const struct nic_profile *nic)
{
    return cpu->send_packet_ns || cpu->receive_packet_ns || cpu->byte_rate_bps || cpu->checksum_rate_bps ||
           nic->moderation_ns || nic->packets_per_ms;
}

void host_init(struct host *h, struct event_queue *q, struct machine *machine)
{
    *h = (struct host){.queue = q, .machine = machine, .last_interrupt_ns = INT64_MIN / 2};
    h->sent.at_ns = h->received.at_ns = -1;
    delay_line_init(&h->sending, q);
    delay_line_init(&h->receiving, q);
}

void host_fini(struct host *h)
{
    delay_line_fini(&h->sending);
    delay_line_fini(&h->receiving);
}

/* Whether the packet goes along with the one before it: large send and large receive offload. */
static bool goes_along(struct batch *b, int64_t most_bytes, const struct packet *p, int64_t at_ns)
{
    int64_t bytes = b->bytes + p->payload_bytes;

    if (p->payload_bytes && b->at_ns == at_ns && b->connection == p->connection && bytes <= most_bytes) {
        b->bytes = bytes;
        return true;
    }
    *b = (struct batch){at_ns, p->payload_bytes, p->connection};
    return false;
}

static int64_t bytes_at(uint32_t bytes, int64_t rate_bps)
{
    return rate_bps ? (int64_t)bytes * 8 * NS_PER_S / rate_bps : 0;
}

static int64_t bytes_cost_ns(const struct host *h, uint32_t bytes)
{
    const struct host_profile *p = h->machine->profile;

    return bytes_at(bytes, p->cpu.byte_rate_bps) +
           (p->nic.checksum_offload ? 0 : bytes_at(bytes, p->cpu.checksum_rate_bps));
}

void host_send(struct host *h, const struct packet *p)
{
    const struct host_profile *profile = h->machine->profile;
    int64_t now_ns = h->queue->now_ns, cost_ns = bytes_cost_ns(h, p->ip_bytes), done_ns;
    struct packet *sent;
    bool waited;

    if (!goes_along(&h->sent, profile->nic.send_offload_bytes, p, now_ns))
        cost_ns += profile->cpu.send_packet_ns;
    done_ns = processor_send(&h->machine->processor, now_ns, cost_ns, &waited);
    sent = delay_line_push(&h->sending, p, done_ns);
    sent->sender_ns += done_ns - now_ns;
    if (waited)
        sent->flags |= PACKET_SENDER_BUSY;
}

static int64_t next_interrupt(struct host *h)
{
    int64_t now_ns = h->queue->now_ns, moderation_ns = h->machine->profile->nic.moderation_ns;

    if (!moderation_ns)
        return now_ns;
    if (h->last_interrupt_ns < now_ns)
        h->last_interrupt_ns = MAX(now_ns, h->last_interrupt_ns + moderation_ns);
    return h->last_interrupt_ns;
}

void host_receive(struct host *h, const struct packet *p)
{
    const struct host_profile *profile = h->machine->profile;
    struct budget *budget = &h->machine->budget;
    int64_t interrupt_ns, start_ns, done_ns, cost_ns = bytes_cost_ns(h, p->ip_bytes);
    struct packet *kept;
    bool waited;

    if (profile->nic.ring_frames && delay_line_count(&h->receiving) >= (size_t)profile->nic.ring_frames) {
        h->dropped++;
        return;
    }
    interrupt_ns = next_interrupt(h);
    start_ns = budget_start(budget, interrupt_ns);
    budget_spend(budget, start_ns);
    if (!goes_along(&h->received, profile->nic.receive_offload_bytes, p, interrupt_ns))
        cost_ns += profile->cpu.receive_packet_ns;
    done_ns = processor_receive(&h->machine->processor, p->connection, start_ns, cost_ns, &waited);
    kept = delay_line_push(&h->receiving, p, done_ns);
    kept->cap_wait_ns += start_ns - interrupt_ns;
    kept->receiver_ns += done_ns - h->queue->now_ns - (start_ns - interrupt_ns);
    if (waited)
        kept->flags |= PACKET_RECEIVER_BUSY;
}
