/* Which congestion control an end uses, by how much its window shrinks at a loss: to half with NewReno (RFC 5681, 3.1) and at most that with
 * Compound TCP, to 0.7 with CUBIC (RFC 9438, 4.6).
 *
 * A flight shows the window where a sender with more of a message to send stops and goes on at the next ACK. A fast recovery begins with
 * the first repair after duplicate ACKs; the last window shown before it is the old one. It ends with the ACK of all that had been
 * sent by then; the new window is the largest that the round trip after it shows, since each recovery, proportional (RFC 6937) or
 * not, ends with it. Recoveries that a timer broke off don't count, nor do reductions that were taken back. For captures taken at
 * the sender alone: the other end's view of flights is too coarse (0.58 where it is 0.5). */
#include "replay/calibrate_parts.h"
#include "replay/flight.h"
#include "replay/messages.h"
#include "sim/profile.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

enum { LEAST_WINDOW = 12, FEWEST_CUTS = 3 };

static const double TAKEN_BACK = 0.92, TOO_DEEP = 0.3; /* no reduction of one loss */
static const double BETWEEN = 0.5916;                  /* of 0.5 and 0.7, the geometric mean */

enum phase { STEADY, RECOVERING, ROUND_AFTER };

struct watch {
    const struct wire *wire;
    enum replay_direction direction;
    GArray *messages;
    guint place;
    guint next_ack; /* segment from which to go on listening */
    struct flight flight;
    enum phase phase;
    int64_t top, acked;  /* ends of what was sent, and acknowledged */
    int64_t until;       /* the ACK that ends the phase */
    guint flight_shown;  /* flight at the last segment, if its message goes on; 0: it doesn't */
    guint steady;        /* the window last shown outside recoveries; 0: none */
    guint before, after; /* windows */
    bool clean;
    struct calibration_cuts *cuts;
};

static void add_cut(struct calibration_cuts *c, double log_ratio)
{
    double off = log_ratio - c->mean;

    c->count++;
    c->mean += off / (double)c->count;
    c->squares += off * (log_ratio - c->mean);
}

static void end_round(struct watch *w)
{
    double ratio = (double)w->after / (double)MAX(w->before, 1);

    if (w->clean && w->after > 1 && ratio > TOO_DEEP && ratio < TAKEN_BACK)
        add_cut(w->cuts, log(ratio));
    w->phase = STEADY;
}

static void heard(struct watch *w, int64_t ack)
{
    if (ack > w->acked && w->flight_shown) {
        if (w->phase == STEADY)
            w->steady = w->flight_shown;
        else if (w->phase == ROUND_AFTER)
            w->after = MAX(w->after, w->flight_shown);
        w->flight_shown = 0;
    }
    w->acked = MAX(w->acked, ack);
    if (w->phase == STEADY || w->acked < w->until)
        return;
    if (w->phase == RECOVERING) {
        w->phase = ROUND_AFTER;
        w->until = w->top + 1; /* something sent from here on */
        w->after = 0;
    } else {
        end_round(w);
    }
}

static void sent_again(struct watch *w, const struct replay_segment *s)
{
    bool fast = s->flags & (REPLAY_FAST | REPLAY_RESENT);

    if (w->phase == RECOVERING) {
        w->clean &= fast;
        return;
    }
    if (w->phase == ROUND_AFTER)
        w->phase = STEADY; /* lost again before the window was seen */
    if (!fast || w->steady < LEAST_WINDOW)
        return;
    w->phase = RECOVERING;
    w->clean = true;
    w->before = w->steady;
    w->steady = w->flight_shown = 0;
    w->until = w->top;
}

static bool has_more(struct watch *w, const struct replay_segment *s)
{
    const struct message *m = messages_find(w->messages, &w->place, s->offset);

    return m && m->end > s->offset + (int64_t)s->payload_bytes;
}

static void sent(struct watch *w, const struct replay_segment *s)
{
    flight_add(&w->flight, s);
    w->top = MAX(w->top, s->offset + (int64_t)s->payload_bytes);
    w->flight_shown = has_more(w, s) ? flight_now(&w->flight) : 0;
}

/* The ACKs that had reached the sender by then. */
static void hear_until(struct watch *w, int64_t time_ns)
{
    const GArray *segments = w->wire->connection->segments_kept;

    for (; w->next_ack < segments->len; w->next_ack++) {
        const struct replay_segment *s = wire_seen(w->wire, w->next_ack);
        int64_t arrived_ns = w->wire->segments[w->next_ack].arrived_ns;

        if (s->direction == w->direction || !(s->flags & REPLAY_ACK))
            continue;
        if (arrived_ns > time_ns)
            return;
        flight_hear(&w->flight, arrived_ns);
        heard(w, s->ack);
    }
}

void calibrate_cuts(const struct wire *wire, enum replay_direction d, struct calibration_cuts *cuts)
{
    struct watch w = {
        .wire = wire, .direction = d, .messages = messages_list(wire->connection, d), .cuts = cuts};

    flight_init(&w.flight, wire, d);
    for (guint i = 0; i < wire->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(wire, i);

        if (s->direction != d || !s->payload_bytes)
            continue;
        hear_until(&w, wire->segments[i].sent_ns);
        if (s->flags & (REPLAY_RETRANSMISSION | REPLAY_RESENT))
            sent_again(&w, s);
        else
            sent(&w, s);
    }
    flight_fini(&w.flight);
    g_array_unref(w.messages);
}

void calibration_cuts_merge(struct calibration_cuts *into, const struct calibration_cuts *more)
{
    double count = (double)(into->count + more->count), off = more->mean - into->mean;

    if (more->count == 0)
        return;
    into->squares += more->squares + off * off * (double)into->count * (double)more->count / count;
    into->mean += off * (double)more->count / count;
    into->count += more->count;
}

struct calibrated calibration_cut(const struct calibration_cuts *c)
{
    double n = (double)c->count, reach;

    if (c->count < FEWEST_CUTS)
        return calibrated_unknown(0);
    reach = gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt(c->squares / (n - 1) / n);
    return calibrated_value(exp(c->mean), exp(c->mean - reach), exp(c->mean + reach));
}

int calibration_family(const struct calibration_cuts *c)
{
    struct calibrated cut = calibration_cut(c);

    if (!cut.known || (cut.low <= BETWEEN && cut.high >= BETWEEN))
        return -1;
    return cut.value > BETWEEN ? TCP_CUBIC : TCP_NEWRENO;
}
