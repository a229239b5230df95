/* Reassembly against the plain byte string: random segments, order, overlaps, repetitions, losses, snap lengths. */
#include "replay/stream.h"

#include <stdbool.h>
#include <string.h>

/* What a byte at an offset has to be. */
static uint8_t byte_at(int64_t offset)
{
    return (uint8_t)((uint64_t)(offset + 1) * UINT64_C(2654435761) >> 13);
}

struct output {
    int64_t next;
    uint64_t data, holes;
    int64_t hole_from, hole_to; /* the only place where a hole may be; equal: none */
    bool snap;                  /* holes may be anywhere */
};

static void take(void *self, const struct stream_chunk *chunk)
{
    struct output *o = self;

    g_assert_cmpint(chunk->offset, ==, o->next); /* in order, without gaps or repetition */
    g_assert_cmpuint(chunk->length, >, 0);
    o->next += (int64_t)chunk->length;
    if (!chunk->data) {
        o->holes += chunk->length;
        if (!o->snap) {
            g_assert_cmpint(chunk->offset, >=, o->hole_from);
            g_assert_cmpint(o->next, <=, o->hole_to);
        }
        return;
    }
    o->data += chunk->length;
    for (uint64_t i = 0; i < chunk->length; i++)
        g_assert_cmpuint(chunk->data[i], ==, byte_at(chunk->offset + (int64_t)i));
}

/* Segments live in heap blocks of their exact size that are freed at once: views must not outlive the call. */
static void give(struct stream *s, int64_t offset, uint32_t length, uint32_t seen)
{
    uint8_t *bytes = g_malloc(seen + 1);

    for (uint32_t i = 0; i < seen; i++)
        bytes[1 + i] = byte_at(offset + i);
    stream_segment(s, offset, bytes + 1, length, seen, 1, offset);
    g_free(bytes);
}

/* At random from [from, to), but at most `limit`. */
static uint32_t random_up_to(GRand *rand, int from, int to, int64_t limit)
{
    int64_t value = g_rand_int_range(rand, from, to);

    return (uint32_t)(value < limit ? value : limit);
}

struct piece {
    int64_t offset;
    uint32_t length;
};

/* Cuts [0, total) into pieces, repeats and overlaps some, and shuffles within a window. */
static GArray *pieces_of(GRand *rand, int64_t total, int window)
{
    GArray *pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));

    for (int64_t at = 0; at < total;) {
        uint32_t length = random_up_to(rand, 1, 1500, total - at);
        struct piece p = {at, length};

        g_array_append_val(pieces, p);
        if (g_rand_int_range(rand, 0, 5) == 0) { /* again, with other borders */
            p.offset = at - random_up_to(rand, 0, 2000, at);
            p.length = random_up_to(rand, 1, 4000, total - p.offset);
            g_array_append_val(pieces, p);
        }
        at += length;
    }
    for (guint i = 0; window > 0 && i < pieces->len; i++) {
        guint j = i + random_up_to(rand, 0, window + 1, pieces->len - 1 - i);
        struct piece p = g_array_index(pieces, struct piece, i);

        g_array_index(pieces, struct piece, i) = g_array_index(pieces, struct piece, j);
        g_array_index(pieces, struct piece, j) = p;
    }
    return pieces;
}

static void test_complete(void)
{
    for (guint32 seed = 1; seed <= 200; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        int64_t total = g_rand_int_range(rand, 1, 100000);
        g_autoptr(GArray) pieces = pieces_of(rand, total, (int)(seed % 20));
        struct ledger ledger = {0};
        struct output o = {0};
        struct stream s;

        stream_init(&s, take, &o, &ledger);
        for (guint i = 0; i < pieces->len; i++) {
            const struct piece *p = &g_array_index(pieces, struct piece, i);

            give(&s, p->offset, p->length, p->length);
            if (o.next > 0)
                stream_acked(&s, o.next); /* a receiver acknowledges no more than it has */
        }
        g_assert_cmpint(o.next, ==, total);
        g_assert_cmpuint(o.holes, ==, 0);
        stream_finish(&s);
        g_assert_cmpint(o.next, ==, total);
        stream_fini(&s);
    }
}

/* A stretch never comes. It is told as a hole when the receiver acknowledges it, or at the end. */
static void test_lost_in_capture(void)
{
    for (guint32 seed = 1; seed <= 200; seed++) {
        bool acknowledged = seed % 2;
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        int64_t total = g_rand_int_range(rand, 10000, 100000);
        int64_t from = g_rand_int_range(rand, 0, 5000);
        int64_t to = from + g_rand_int_range(rand, 1, 4000);
        g_autoptr(GArray) pieces = pieces_of(rand, total, (int)(seed % 7));
        struct ledger ledger = {0};
        struct output o = {.hole_from = from, .hole_to = to};
        struct stream s;

        stream_init(&s, take, &o, &ledger);
        for (guint i = 0; i < pieces->len; i++) {
            struct piece p = g_array_index(pieces, struct piece, i);
            int64_t end = p.offset + p.length;

            if (p.offset < from)
                give(&s, p.offset, (uint32_t)(MIN(end, from) - p.offset),
                     (uint32_t)(MIN(end, from) - p.offset));
            if (end > to) {
                int64_t start = MAX(p.offset, to);

                give(&s, start, (uint32_t)(end - start), (uint32_t)(end - start));
            }
        }
        g_assert_cmpint(o.next, ==, from);
        if (acknowledged) {
            stream_acked(&s, to);
            g_assert_cmpint(o.next, ==, total);
            g_assert_cmpuint(ledger.bytes[LEDGER_HOLE_NOT_CAPTURED], ==, (uint64_t)(to - from));
        }
        stream_finish(&s);
        g_assert_cmpint(o.next, ==, total);
        g_assert_cmpuint(o.holes, ==, (uint64_t)(to - from));
        g_assert_cmpuint(o.data + o.holes, ==, (uint64_t)total);
        g_assert_cmpuint(s.hole_bytes, ==, o.holes);
        stream_fini(&s);
    }
}

static void test_snap_length(void)
{
    for (guint32 seed = 1; seed <= 100; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        int64_t total = g_rand_int_range(rand, 1, 50000);
        g_autoptr(GArray) pieces = pieces_of(rand, total, (int)(seed % 5));
        uint32_t snap = (uint32_t)g_rand_int_range(rand, 0, 200);
        struct ledger ledger = {0};
        struct output o = {.snap = true};
        struct stream s;

        stream_init(&s, take, &o, &ledger);
        for (guint i = 0; i < pieces->len; i++) {
            const struct piece *p = &g_array_index(pieces, struct piece, i);

            give(&s, p->offset, p->length, MIN(p->length, snap));
        }
        stream_finish(&s);
        g_assert_cmpint(o.next, ==, total);
        g_assert_cmpuint(ledger.bytes[LEDGER_HOLE_SNAP_LENGTH], ==, o.holes);
        g_assert_cmpuint(s.hole_bytes, ==, 0);
        stream_fini(&s);
    }
}

/* Data that waits behind a hole for which no ACK comes is bounded. */
static void test_bounded(void)
{
    enum { SEGMENT = 60000, COUNT = 1000 };
    struct ledger ledger = {0};
    struct output o = {.hole_from = 0, .hole_to = 100};
    struct stream s;

    stream_init(&s, take, &o, &ledger);
    for (int64_t i = 0; i < COUNT; i++) {
        give(&s, 100 + i * SEGMENT, SEGMENT, SEGMENT);
        g_assert_cmpuint(s.waiting_bytes, <=, STREAM_WAITING_BYTES);
    }
    g_assert_cmpint(o.next, ==, 100 + (int64_t)COUNT * SEGMENT);
    g_assert_cmpuint(ledger.bytes[LEDGER_HOLE_GIVEN_UP], ==, 100);
    stream_fini(&s);
}

/* Offsets beyond what 32 bits hold. */
static void test_large_offsets(void)
{
    const int64_t start = INT64_C(5) << 32;
    struct ledger ledger = {0};
    struct output o = {.next = start};
    struct stream s;

    stream_init(&s, take, &o, &ledger);
    s.next = start;
    give(&s, start + 10, 10, 10);
    give(&s, start, 10, 10);
    give(&s, start - 5, 30, 30);
    g_assert_cmpint(o.next, ==, start + 25);
    stream_fini(&s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stream/complete", test_complete);
    g_test_add_func("/stream/lost-in-capture", test_lost_in_capture);
    g_test_add_func("/stream/snap-length", test_snap_length);
    g_test_add_func("/stream/bounded", test_bounded);
    g_test_add_func("/stream/large-offsets", test_large_offsets);
    return g_test_run();
}
