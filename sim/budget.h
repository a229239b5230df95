/* A packet budget of each whole millisecond, as Windows' multimedia throttle has it: what is left of one millisecond is
 * not carried into the next. Times are asked for in their order. */
#ifndef SIM_BUDGET_H
#define SIM_BUDGET_H

#include "base/units.h"

#include <glib.h>
#include <stdint.h>

struct budget {
    int64_t per_ms; /* 0: no limit */
    int64_t ms, used;
};

/* The earliest instant at or after `start_ns` whose millisecond has budget left. */
static inline int64_t budget_start(const struct budget *b, int64_t start_ns)
{
    int64_t ms = start_ns / NS_PER_MS;

    if (!b->per_ms)
        return start_ns;
    if (ms < b->ms)
        ms = b->ms;
    if (ms == b->ms && b->used >= b->per_ms)
        ms++;
    return MAX(start_ns, ms * NS_PER_MS);
}

static inline void budget_spend(struct budget *b, int64_t start_ns)
{
    int64_t ms;

    if (!b->per_ms)
        return;
    ms = start_ns / NS_PER_MS;
    if (ms != b->ms) {
        b->ms = ms;
        b->used = 0;
    }
    b->used++;
}

#endif
