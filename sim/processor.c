#include "sim/processor.h"

void processor_init(struct processor *p, const struct host_profile *profile)
{
    *p = (struct processor){.cores = profile->cpu.cores, .queues = profile->nic.receive_queues};
    p->free_ns = g_new(int64_t, (gsize)p->cores);
    for (int64_t i = 0; i < p->cores; i++)
        p->free_ns[i] = INT64_MIN;
}

void processor_fini(struct processor *p)
{
    g_clear_pointer(&p->free_ns, g_free);
}

static int64_t work(struct processor *p, int64_t core, int64_t ready_ns, int64_t cost_ns, bool *waited)
{
    int64_t begin_ns = MAX(ready_ns, p->free_ns[core]);

    *waited = begin_ns > ready_ns;
    p->free_ns[core] = begin_ns + cost_ns;
    return p->free_ns[core];
}

int64_t processor_send(struct processor *p, int64_t ready_ns, int64_t cost_ns, bool *waited)
{
    return work(p, 0, ready_ns, cost_ns, waited);
}

int64_t processor_receive(struct processor *p, uint16_t connection, int64_t ready_ns, int64_t cost_ns,
                          bool *waited)
{
    int64_t queue = connection % p->queues;

    return work(p, p->cores > 1 ? 1 + queue % (p->cores - 1) : 0, ready_ns, cost_ns, waited);
}

int64_t processor_queue_ns(struct processor *p, int64_t now_ns, int64_t cost_ns)
{
    int64_t core = 0;
    bool waited;

    if (!cost_ns)
        return 0;
    for (int64_t i = 1; i < p->cores; i++) {
        if (p->free_ns[i] < p->free_ns[core])
            core = i;
    }
    return work(p, core, now_ns, cost_ns, &waited) - cost_ns - now_ns;
}
