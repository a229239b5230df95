#include "replay/pending.h"

#include <string.h>

static unsigned class_of(uint32_t level)
{
    unsigned index = REPLAY_PENDING_EXACT;

    if (level < REPLAY_PENDING_EXACT)
        return level;
    for (level /= 2 * REPLAY_PENDING_EXACT; level > 0 && index < REPLAY_PENDING_LEVELS - 1; level >>= 1)
        index++;
    return index;
}

uint64_t pending_level(unsigned index)
{
    return index < REPLAY_PENDING_EXACT ? index
                                        : (uint64_t)REPLAY_PENDING_EXACT << (index - REPLAY_PENDING_EXACT);
}

static int64_t end_of(const struct pending *p, unsigned i)
{
    return i + 1 < p->count ? p->spans[i + 1].start_ns : p->now_ns;
}

/* Counts the oldest spans for good. */
static void settle(struct pending *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        int64_t ns = end_of(p, i) - p->spans[i].start_ns;

        p->facts.ns[class_of(p->spans[i].level)] += ns;
        p->facts.total_ns += ns;
        if (ns > 0 && p->spans[i].level > p->facts.max)
            p->facts.max = p->spans[i].level;
        p->weighted_ns += (double)p->spans[i].level * (double)ns;
    }
    memmove(p->spans, p->spans + count, (p->count - count) * sizeof p->spans[0]);
    p->count -= count;
}

static void insert(struct pending *p, unsigned at, int64_t start_ns, uint32_t level)
{
    memmove(p->spans + at + 1, p->spans + at, (p->count - at) * sizeof p->spans[0]);
    p->spans[at] = (struct pending_span){start_ns, level};
    p->count++;
}

/* Room for two more, and a span that begins now. */
static void move_to(struct pending *p, int64_t now_ns)
{
    uint32_t level = p->count > 0 ? p->spans[p->count - 1].level : 0;

    if (p->count + 2 > PENDING_SPANS)
        settle(p, PENDING_SPANS / 2);
    if (p->count == 0)
        p->now_ns = now_ns;
    if (now_ns > p->now_ns)
        p->now_ns = now_ns;
    if (p->count == 0 || p->spans[p->count - 1].start_ns < p->now_ns)
        insert(p, p->count, p->now_ns, level);
}

/* The level changes by `by` from then on; what lies before the oldest span has been counted. */
static void change_from(struct pending *p, int64_t from_ns, int by)
{
    unsigned i;

    from_ns = MIN(from_ns, p->now_ns);
    for (i = p->count; i > 0 && p->spans[i - 1].start_ns >= from_ns; i--)
        ;
    if (i > 0 && i < p->count && p->spans[i].start_ns > from_ns)
        insert(p, i, from_ns, p->spans[i - 1].level);
    for (; i < p->count; i++) {
        if (by > 0 || p->spans[i].level > 0)
            p->spans[i].level += (uint32_t)by;
    }
}

void pending_begin(struct pending *p, int64_t since_ns, int64_t now_ns)
{
    if (p->count == 0)
        move_to(p, since_ns);
    move_to(p, now_ns);
    change_from(p, since_ns, 1);
}

void pending_end(struct pending *p, int64_t at_ns)
{
    move_to(p, at_ns);
    change_from(p, at_ns, -1);
}

void pending_finish(struct pending *p)
{
    settle(p, p->count);
    p->facts.mean = p->facts.total_ns > 0 ? p->weighted_ns / (double)p->facts.total_ns : 0;
}

void pending_merge(struct pending *to, const struct pending *from)
{
    for (unsigned i = 0; i < REPLAY_PENDING_LEVELS; i++)
        to->facts.ns[i] += from->facts.ns[i];
    to->facts.total_ns += from->facts.total_ns;
    to->weighted_ns += from->weighted_ns;
    if (from->facts.max > to->facts.max)
        to->facts.max = from->facts.max;
    to->facts.mean = to->facts.total_ns > 0 ? to->weighted_ns / (double)to->facts.total_ns : 0;
}
