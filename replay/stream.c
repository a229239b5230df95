#include "replay/stream.h"

#include <string.h>

struct waiting {
    int64_t offset;
    uint32_t length, seen;
    uint8_t *copy; /* of the `seen` bytes, owned */
    uint64_t frame;
    int64_t time_ns;
};

void stream_init(struct stream *s, stream_sink *sink, void *self, struct ledger *ledger)
{
    memset(s, 0, sizeof *s);
    s->sink = sink;
    s->self = self;
    s->ledger = ledger;
}

static struct waiting *waiting_at(const struct stream *s, guint i)
{
    return &g_array_index(s->waiting, struct waiting, i);
}

static guint waiting_count(const struct stream *s)
{
    return s->waiting ? s->waiting->len : 0;
}

void stream_fini(struct stream *s)
{
    for (guint i = 0; i < waiting_count(s); i++)
        g_free(waiting_at(s, i)->copy);
    g_clear_pointer(&s->waiting, g_array_unref);
}

static void emit_hole(struct stream *s, uint64_t length, enum ledger_reason reason, uint64_t frame,
                      int64_t time_ns)
{
    struct stream_chunk hole = {s->next, length, NULL, time_ns, frame, reason == LEDGER_HOLE_SNAP_LENGTH};

    ledger_add(s->ledger, reason, 1, length);
    if (reason == LEDGER_HOLE_SNAP_LENGTH)
        s->cut_bytes += length;
    else
        s->hole_bytes += length;
    s->next += (int64_t)length;
    s->sink(s->self, &hole);
}

/* A segment whose turn has come: it starts at or before `next`. */
static void emit_segment(struct stream *s, const struct waiting *w)
{
    uint64_t old = (uint64_t)(s->next - w->offset);

    if (old >= w->length)
        return;
    if (old < w->seen) {
        struct stream_chunk data = {s->next, w->seen - old, w->copy + old, w->time_ns, w->frame, false};

        s->next += (int64_t)data.length;
        s->sink(s->self, &data);
        old = w->seen;
    }
    if (old < w->length)
        emit_hole(s, w->length - old, LEDGER_HOLE_SNAP_LENGTH, w->frame, w->time_ns);
}

static void drop_first(struct stream *s, guint count)
{
    if (count == 0)
        return;
    for (guint i = 0; i < count; i++) {
        s->waiting_bytes -= waiting_at(s, i)->seen;
        g_free(waiting_at(s, i)->copy);
    }
    g_array_remove_range(s->waiting, 0, count);
}

/* Lets out the segments whose turn has come. */
static void drain(struct stream *s)
{
    guint done = 0;

    while (done < waiting_count(s) && waiting_at(s, done)->offset <= s->next)
        emit_segment(s, waiting_at(s, done++));
    drop_first(s, done);
}

/* Turns into holes what is missing and known to have been received. */
static void settle_acked(struct stream *s)
{
    while (waiting_count(s) > 0 && s->acked > s->next) {
        const struct waiting *first = waiting_at(s, 0);
        int64_t until = MIN(first->offset, s->acked);

        if (until > s->next)
            emit_hole(s, (uint64_t)(until - s->next), LEDGER_HOLE_NOT_CAPTURED, first->frame, first->time_ns);
        if (first->offset > s->next)
            return;
        drain(s);
    }
}

static void give_up_hole(struct stream *s)
{
    const struct waiting *first = waiting_at(s, 0);

    if (first->offset > s->next)
        emit_hole(s, (uint64_t)(first->offset - s->next), LEDGER_HOLE_GIVEN_UP, first->frame, first->time_ns);
    drain(s);
}

/* Segments mostly wait in the order of their offsets, so the search starts at the end. */
static void keep_waiting(struct stream *s, const struct waiting *view)
{
    struct waiting kept = *view;
    guint at;

    if (!s->waiting)
        s->waiting = g_array_new(FALSE, FALSE, sizeof(struct waiting));
    at = s->waiting->len;
    while (at > 0 && waiting_at(s, at - 1)->offset > kept.offset)
        at--;
    if (at > 0) {
        const struct waiting *before = waiting_at(s, at - 1);

        if (before->offset + before->seen >= kept.offset + kept.length)
            return; /* nothing new in it */
    }
    kept.copy = g_memdup2(view->copy, view->seen);
    g_array_insert_val(s->waiting, at, kept);
    s->waiting_bytes += kept.seen;
}

void stream_segment(struct stream *s, int64_t offset, const uint8_t *data, uint32_t length, uint32_t seen,
                    uint64_t frame, int64_t time_ns)
{
    /* The cast only lets one struct serve views and copies: a view is never written to. */
    struct waiting view = {offset, length, seen, (uint8_t *)data, frame, time_ns};

    if (length == 0 || offset + (int64_t)length <= s->next)
        return;
    if (offset <= s->next) {
        emit_segment(s, &view);
        drain(s);
        settle_acked(s);
        return;
    }
    keep_waiting(s, &view);
    settle_acked(s);
    while (s->waiting_bytes > STREAM_WAITING_BYTES || waiting_count(s) > STREAM_WAITING_SEGMENTS)
        give_up_hole(s);
}

void stream_acked(struct stream *s, int64_t offset)
{
    if (offset <= s->acked)
        return;
    s->acked = offset;
    if (s->waiting)
        settle_acked(s);
}

void stream_finish(struct stream *s)
{
    while (waiting_count(s) > 0)
        give_up_hole(s);
}
