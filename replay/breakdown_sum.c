/* From the critical path to its sums, and to the stretch that shows the largest of them. */
#include "replay/account.h"
#include "replay/breakdown.h"
#include "base/units.h"

#include <string.h>

static const struct account_step *step_at(const GArray *log, uint32_t i)
{
    return &g_array_index(log, struct account_step, i);
}

static void add_up(struct breakdown *b, const GArray *log, const struct account *end)
{
    for (uint32_t i = end->tip; i != ACCOUNT_ROOT; i = step_at(log, i)->parent)
        b->waits.ns[step_at(log, i)->kind] += step_at(log, i)->ns;
    b->bottleneck = 0;
    for (int k = 1; k < WAIT_KINDS; k++) {
        if (b->waits.ns[k] > b->waits.ns[b->bottleneck])
            b->bottleneck = k;
    }
}

/* A capture in the middle ends before the client has the last frame: that much of the path was not recorded. */
static void take_back(struct breakdown *b, int64_t ns)
{
    int64_t path = MIN(ns, b->waits.ns[WAIT_ROUND_TRIPS]);

    b->waits.ns[WAIT_ROUND_TRIPS] -= path;
    b->waits.ns[b->bottleneck] -= ns - path;
}

/* The frame before the step's own on the chain. */
static uint64_t frame_before(const GArray *log, uint32_t i, const struct replay_connection *c)
{
    uint64_t frame = step_at(log, i)->frame;

    while ((i = step_at(log, i)->parent) != ACCOUNT_ROOT) {
        if (step_at(log, i)->frame != frame)
            return step_at(log, i)->frame;
    }
    return c->first_frame;
}

/* The longest run of steps of the largest kind. It begins with the frame that ended the step before it. */
static void find_stretch(struct breakdown *b, const struct replay_connection *c, const GArray *log,
                         const struct account *end)
{
    int64_t run_ns = 0;
    uint64_t run_last = 0;

    for (uint32_t i = end->tip; i != ACCOUNT_ROOT; i = step_at(log, i)->parent) {
        const struct account_step *s = step_at(log, i);

        if ((int)s->kind != b->bottleneck) {
            run_ns = 0;
            continue;
        }
        if (!run_ns) {
            run_last = s->frame;
            b->count++;
        }
        run_ns += s->ns;
        if (run_ns > b->longest_ns) {
            b->longest_ns = run_ns;
            b->last_frame = run_last;
            b->first_frame = frame_before(log, i, c);
        }
    }
    if (!b->last_frame)
        b->first_frame = b->last_frame = c->last_frame;
    b->first_frame = MIN(b->first_frame, b->last_frame);
}

static const char *const MEANS[WAIT_KINDS] = {
    [WAIT_LOSS_RECOVERY] = "waiting for what was lost to be sent again",
    [WAIT_PACKET_CAP] = "waiting for the next millisecond's packet budget",
    [WAIT_TCP_WINDOW] = "with data ready that TCP's window held back",
    [WAIT_TRANSMISSION] = "queueing for the link and crossing it",
    [WAIT_SERVER] = "waiting for the server's answer",
    [WAIT_CLIENT] = "waiting for the client to go on",
    [WAIT_ROUND_TRIPS] = "under way between the hosts",
    [WAIT_IDLE] = "with nothing outstanding",
};

/* ", at the 10 Mbit/s that the link gave": what the calibration adds to it. Returns owned. */
static char *remark(const struct breakdown *b, const struct calibration *k)
{
    const struct calibrated *down = &k->side[REPLAY_DOWN].rate_bps, *up = &k->side[REPLAY_UP].rate_bps;
    g_autofree char *text = NULL;

    switch (b->bottleneck) {
    case WAIT_TRANSMISSION:
        if (!down->known && !up->known)
            break;
        text = units_format_rate((int64_t)(down->known ? down->value : up->value), 3);
        return g_strdup_printf(", at a link rate of %s", text);
    case WAIT_ROUND_TRIPS:
        text = units_format_time((int64_t)calibrated_best(&k->rtt_ns), 3);
        return g_strdup_printf(", with a round-trip time of %s", text);
    case WAIT_PACKET_CAP:
        return g_strdup_printf(", at %.0f packets a millisecond", k->side[REPLAY_DOWN].packets_per_ms.value);
    default:
        break;
    }
    return g_strdup("");
}

static void describe(struct breakdown *b, const struct replay_connection *c, const struct calibration *k)
{
    int64_t part = b->waits.ns[b->bottleneck], whole = MAX(replay_recorded_ns(c), 1);
    g_autofree char *longest = units_format_time(b->longest_ns, 3);
    g_autofree char *added = remark(b, k);
    const char *port = strrchr(c->client, ':');

    b->evidence = g_strdup_printf(
        "%.3f s of %.3f s (%.0f %%) were spent %s%s, in %" G_GUINT64_FORMAT
        " stretches; the longest, %s, lies between frames %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT,
        units_seconds(part), units_seconds(whole), 100 * (double)part / (double)whole, MEANS[b->bottleneck],
        added, b->count, longest, b->first_frame, b->last_frame);
    b->filter = g_strdup_printf("tcp.port == %s && frame.number >= %" G_GUINT64_FORMAT
                                " && frame.number <= %" G_GUINT64_FORMAT,
                                port ? port + 1 : "445", b->first_frame, b->last_frame);
}

void breakdown_sum(struct breakdown *b, const struct replay_connection *c, const struct calibration *k,
                   const GArray *log, const struct account *end)
{
    *b = (struct breakdown){0};
    add_up(b, log, end);
    take_back(b, MAX(end->time_ns - c->last_ns, 0));
    find_stretch(b, c, log, end);
    describe(b, c, k);
}

void breakdown_clear(struct breakdown *b)
{
    g_clear_pointer(&b->evidence, g_free);
    g_clear_pointer(&b->filter, g_free);
}
