/* Accounts of time: chains of waits that share their beginnings. Steps live in one log; an account is the tip of a chain and
 * the instant up to which it accounts, so copying one costs nothing. Private to the breakdown. */
#ifndef REPLAY_ACCOUNT_H
#define REPLAY_ACCOUNT_H

#include "replay/breakdown.h"

#include <glib.h>
#include <stdint.h>

enum { ACCOUNT_ROOT = UINT32_MAX };

struct account_step {
    int64_t ns;
    uint64_t frame;  /* that ended the wait */
    uint32_t parent; /* ACCOUNT_ROOT: none */
    uint32_t kind;   /* enum wait_kind */
};

struct account {
    int64_t time_ns;
    uint32_t tip; /* index in the log */
};

/* Charges the time up to `until_ns` to `kind`. Nothing when the account is that far already. */
static inline void account_until(GArray *log, struct account *a, int kind, int64_t until_ns, uint64_t frame)
{
    struct account_step s = {until_ns - a->time_ns, frame, a->tip, (uint32_t)kind};

    if (s.ns <= 0)
        return;
    a->time_ns = until_ns;
    a->tip = log->len;
    g_array_append_val(log, s);
}

/* Adds the chain that ends at `end`. */
void breakdown_sum(struct breakdown *b, const struct replay_connection *c, const GArray *log,
                   const struct account *end);

#endif
