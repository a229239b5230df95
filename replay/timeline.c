#include "replay/timeline.h"

#include <string.h>

static const int64_t FIRST_BIN_NS = 1 << 10;

static void row_free(gpointer data)
{
    struct timeline_row *row = data;

    durations_fini(&row->service);
    g_free(row);
}

struct timeline *timeline_new(void)
{
    struct timeline *t = g_new0(struct timeline, 1);

    t->start_ns = -1;
    t->bin_ns = FIRST_BIN_NS;
    t->rows = g_ptr_array_new_with_free_func(row_free);
    t->beginning = g_array_new(FALSE, FALSE, sizeof(struct timeline_exchange));
    return t;
}

void timeline_free(struct timeline *t)
{
    if (!t)
        return;
    g_ptr_array_unref(t->rows);
    g_array_unref(t->beginning);
    g_clear_pointer(&t->stretch, g_array_unref);
    g_clear_pointer(&t->filling, g_array_unref);
    g_free(t);
}

/* ---- bins --------------------------------------------------------------------------------------------------------- */

static void merge_bin(struct timeline_bin *into, const struct timeline_bin *b)
{
    if (b->count > 0) {
        into->shortest_ns = into->count ? MIN(into->shortest_ns, b->shortest_ns) : b->shortest_ns;
        into->longest_ns = into->count ? MAX(into->longest_ns, b->longest_ns) : b->longest_ns;
    }
    into->count += b->count;
    into->unanswered += b->unanswered;
}

static void halve_row(struct timeline_row *row)
{
    for (guint i = 0; i < TIMELINE_BINS; i++) {
        struct timeline_bin from = row->bins[i];

        memset(&row->bins[i], 0, sizeof from);
        merge_bin(&row->bins[i / 2], &from);
    }
}

static void halve(struct timeline *t)
{
    for (guint i = 0; i < TIMELINE_BINS; i++) {
        struct timeline_flow from = t->flow[i];

        memset(&t->flow[i], 0, sizeof from);
        for (int d = 0; d < REPLAY_DIRECTIONS; d++) {
            t->flow[i / 2].bytes[d] += from.bytes[d];
            t->flow[i / 2].resent[d] += from.resent[d];
        }
    }
    for (guint i = 0; i < t->rows->len; i++)
        halve_row(g_ptr_array_index(t->rows, i));
    t->used_bins = (t->used_bins + 1) / 2;
    t->bin_ns *= 2;
}

static guint bin_at(struct timeline *t, int64_t time_ns)
{
    int64_t since;

    if (t->start_ns < 0)
        t->start_ns = MAX(time_ns, 0);
    since = MAX(time_ns - t->start_ns, 0);
    while (since / t->bin_ns >= TIMELINE_BINS)
        halve(t);
    t->used_bins = MAX(t->used_bins, (guint)(since / t->bin_ns) + 1);
    return (guint)(since / t->bin_ns);
}

void timeline_segment(struct timeline *t, const struct replay_segment *s)
{
    struct timeline_flow *flow = &t->flow[bin_at(t, s->time_ns)];

    flow->bytes[s->direction] += s->payload_bytes;
    if (s->flags & REPLAY_RETRANSMISSION)
        flow->resent[s->direction] += s->payload_bytes;
}

/* ---- exchanges ---------------------------------------------------------------------------------------------------- */

static guint row_of(struct timeline *t, const struct replay_exchange *x)
{
    bool opaque = (x->flags & REPLAY_OPAQUE) != 0;
    struct timeline_row *row;

    for (guint i = 0; i < t->rows->len; i++) {
        row = g_ptr_array_index(t->rows, i);
        if (row->opaque == opaque && (opaque || row->command == x->command) && !row->others)
            return i;
    }
    if (t->rows->len == TIMELINE_ROWS) {
        row = g_ptr_array_index(t->rows, TIMELINE_ROWS - 1);
        row->others = true;
        return TIMELINE_ROWS - 1;
    }
    row = g_new0(struct timeline_row, 1);
    row->command = x->command;
    row->opaque = opaque;
    g_ptr_array_add(t->rows, row);
    return t->rows->len - 1;
}

static guint size_class(uint32_t bytes)
{
    guint class = 0;

    while (class + 1 < TIMELINE_SIZES && (UINT64_C(1) << class) < bytes)
        class ++;
    return class;
}

static void keep(struct timeline *t, const struct timeline_exchange *e)
{
    uint64_t number = t->exchanges++;

    if (number < TIMELINE_STRETCH) {
        g_array_append_vals(t->beginning, e, 1);
        return;
    }
    if ((number & (number - 1)) == 0) {
        g_clear_pointer(&t->filling, g_array_unref);
        t->filling = g_array_new(FALSE, FALSE, sizeof *e);
    }
    if (!t->filling)
        return;
    g_array_append_vals(t->filling, e, 1);
    if (t->filling->len == TIMELINE_STRETCH) {
        g_clear_pointer(&t->stretch, g_array_unref);
        t->stretch = g_steal_pointer(&t->filling);
    }
}

static void note_duration(struct timeline_row *row, struct timeline_bin *bin, const struct replay_exchange *x)
{
    int64_t ns = MAX(x->response_last_ns - x->request_first_ns, 0);
    const struct timeline_bin one = {.count = 1, .shortest_ns = ns, .longest_ns = ns};

    merge_bin(bin, &one);
    row->count++;
    durations_add(&row->service, x->response_first_ns - x->request_last_ns);
    if (ns >= row->longest_ns) {
        row->longest_ns = ns;
        row->longest_frame = x->request_first_frame;
    }
}

void timeline_exchange(struct timeline *t, const struct replay_exchange *x)
{
    guint at = bin_at(t, x->request_first_ns), index = row_of(t, x);
    struct timeline_row *row = g_ptr_array_index(t->rows, index);
    bool answered = x->response_first_ns >= 0;
    const struct timeline_exchange e = {index,
                                        x->data_bytes,
                                        x->request_first_ns,
                                        x->response_first_ns,
                                        x->response_last_ns,
                                        x->request_first_frame,
                                        answered ? x->response_last_frame : x->request_last_frame};

    keep(t, &e);
    if (answered) {
        note_duration(row, &row->bins[at], x);
    } else {
        row->unanswered++;
        row->bins[at].unanswered++;
    }
    if (x->data_bytes > 0) {
        row->blocks[size_class(x->data_bytes)]++;
        row->block_bytes[size_class(x->data_bytes)] += x->data_bytes;
    }
}
