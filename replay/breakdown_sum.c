/* From the critical path to its sums, and to the stretch that shows the largest of them. */
#include "replay/account.h"
#include "replay/breakdown.h"
#include "base/units.h"

#include <string.h>

static const struct account_step *step_at(const GArray *log, uint32_t i)
{
    return &g_array_index(log, struct account_step, i);
}

static void add_up(struct waits *waits, const GArray *log, const struct account *end)
{
    for (uint32_t i = end->tip; i != ACCOUNT_ROOT; i = step_at(log, i)->parent)
        waits->ns[step_at(log, i)->kind] += step_at(log, i)->ns;
}

static int largest(const struct waits *waits)
{
    int kind = 0;

    for (int k = 1; k < WAIT_KINDS; k++) {
        if (waits->ns[k] > waits->ns[kind])
            kind = k;
    }
    return kind;
}

/* A capture in the middle ends before the client has the last frame: that much of the path was not recorded. */
static void take_back(struct waits *waits, int64_t ns)
{
    int64_t path = MIN(ns, waits->ns[WAIT_ROUND_TRIPS]);

    waits->ns[WAIT_ROUND_TRIPS] -= path;
    for (ns -= path; ns > 0;) {
        int64_t *most = &waits->ns[largest(waits)], part = MIN(ns, *most);

        if (part <= 0)
            return; /* nothing is left of any kind */
        *most -= part;
        ns -= part;
    }
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

static void note_run(struct breakdown *b, const struct breakdown_run *run)
{
    struct breakdown_kind *k = &b->kinds[run->kind];

    if (run->ns <= k->longest_ns)
        return;
    k->longest_ns = run->ns;
    k->first_frame = MIN(run->first_frame, run->last_frame);
    k->last_frame = run->last_frame;
}

/* The chain's first run goes on where the window before ended, when that was of the same kind. */
static void join(struct breakdown *b, struct breakdown_run *first)
{
    if (!b->tail.ns || b->tail.kind != first->kind)
        return;
    b->kinds[first->kind].count--;
    first->ns += b->tail.ns;
    first->first_frame = b->tail.first_frame;
    note_run(b, first);
}

/* Runs of steps of one kind, from the last to the first. A run begins with the frame that ended the step before it. */
static void find_runs(struct breakdown *b, const struct replay_connection *c, const GArray *log,
                      const struct account *end)
{
    struct breakdown_run run = {.kind = WAIT_KINDS}, tail = {0};
    bool tail_done = false;

    for (uint32_t i = end->tip; i != ACCOUNT_ROOT; i = step_at(log, i)->parent) {
        const struct account_step *s = step_at(log, i);

        if ((int)s->kind != run.kind) {
            if (run.ns && !tail_done) {
                tail = run;
                tail_done = true;
            }
            run = (struct breakdown_run){.kind = (int)s->kind, .last_frame = s->frame};
            b->kinds[s->kind].count++;
        }
        run.ns += s->ns;
        run.first_frame = frame_before(log, i, c);
        note_run(b, &run);
    }
    if (run.ns)
        join(b, &run);
    if (tail_done || run.ns)
        b->tail = tail_done ? tail : run;
}

/* Appends the chain to the path, in the order of time. What lies behind the last frame isn't there. */
static void keep_path(GArray *path, const struct replay_connection *c, const GArray *log,
                      const struct account *end)
{
    int64_t until_ns = end->time_ns;
    guint first = path->len;

    for (uint32_t i = end->tip; i != ACCOUNT_ROOT; i = step_at(log, i)->parent) {
        const struct account_step *s = step_at(log, i);
        struct breakdown_stretch one = {until_ns - s->ns, MIN(until_ns, c->last_ns), (int)s->kind};
        struct breakdown_stretch *last =
            path->len > first ? &g_array_index(path, struct breakdown_stretch, path->len - 1) : NULL;

        until_ns = one.from_ns;
        if (last && last->kind == one.kind)
            last->from_ns = one.from_ns;
        else if (one.from_ns < one.until_ns)
            g_array_append_val(path, one);
    }
    for (guint i = first, k = path->len; i + 1 < k; i++, k--) {
        struct breakdown_stretch *a = &g_array_index(path, struct breakdown_stretch, i);
        struct breakdown_stretch *b = &g_array_index(path, struct breakdown_stretch, k - 1), kept = *a;

        *a = *b;
        *b = kept;
    }
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

void breakdown_sum(struct breakdown *b, const struct replay_connection *c, const GArray *log,
                   const struct account *end)
{
    struct waits waits = {{0}};

    add_up(&waits, log, end);
    take_back(&waits, MAX(end->time_ns - c->last_ns, 0));
    for (int k = 0; k < WAIT_KINDS; k++)
        b->waits.ns[k] += waits.ns[k];
    find_runs(b, c, log, end);
    if (b->path)
        keep_path(b->path, c, log, end);
}

void breakdown_conclude(struct breakdown *b, const struct replay_connection *c, const struct calibration *k)
{
    const struct breakdown_kind *kind;

    b->bottleneck = largest(&b->waits);
    kind = &b->kinds[b->bottleneck];
    b->count = kind->count;
    b->longest_ns = kind->longest_ns;
    b->first_frame = kind->last_frame ? kind->first_frame : c->last_frame;
    b->last_frame = kind->last_frame ? kind->last_frame : c->last_frame;
    describe(b, c, k);
}

void breakdown_clear(struct breakdown *b)
{
    g_clear_pointer(&b->evidence, g_free);
    g_clear_pointer(&b->filter, g_free);
}
