/* Framing: the same messages whatever the chunks, with parts asked for anywhere, holes, and starts in mid-stream. */
#include "replay/nbss.h"
#include "tests/packets.h"

enum { MESSAGES = 40, HOP = 300 };

/* A message as the reader saw it. */
struct seen {
    int64_t offset;
    uint32_t length;
    guint parts;
    bool cut, broken;
    uint64_t missing;
};

struct reading {
    const GByteArray *stream;
    GArray *seen;
    struct seen current;
};

/* Checks a part against the stream, and asks for another one a bit further on, as a compound chain would. */
static uint32_t take_part(void *self, const struct nbss_message *m, uint32_t at, const uint8_t *bytes,
                          size_t length, bool cut)
{
    struct reading *r = self;
    size_t start = (size_t)m->offset + NBSS_PREFIX + at;

    if (at == 0)
        r->current = (struct seen){0};
    g_assert_cmpuint(start + length, <=, r->stream->len);
    g_assert_cmpint(memcmp(bytes, r->stream->data + start, length), ==, 0);
    if (!cut)
        g_assert_cmpuint(length, ==, MIN(m->length - at, NBSS_PART));
    r->current.parts++;
    r->current.cut |= cut;
    return at + HOP + (at * 7 + m->length) % 2000;
}

static void take_end(void *self, const struct nbss_message *m, bool broken)
{
    struct reading *r = self;

    r->current.offset = m->offset;
    r->current.length = m->length;
    r->current.broken = broken;
    r->current.missing = m->missing;
    g_array_append_val(r->seen, r->current);
    g_assert_cmpint(m->first_ns, <=, m->last_ns);
}

static void reading_init(struct reading *r, const GByteArray *stream)
{
    r->stream = stream;
    r->seen = g_array_new(FALSE, FALSE, sizeof(struct seen));
}

/* Messages of random lengths with bytes that don't look like a start by chance. */
static GByteArray *random_stream(GRand *rand, GArray *wanted)
{
    GByteArray *b = g_byte_array_new();

    for (int i = 0; i < MESSAGES; i++) {
        uint32_t length = (uint32_t)g_rand_int_range(rand, 16, i % 5 ? 400 : 9000);
        struct seen w = {.offset = b->len, .length = length};

        if (g_rand_int_range(rand, 0, 8) == 0) {
            put_be(b, 0x85000000, 4); /* NetBIOS keep-alive */
            w.offset = b->len;
        }
        put_prefix(b, length);
        put_be(b, 0xfe534d42, 4);
        for (uint32_t k = 4; k < length; k++)
            put_u8(b, (unsigned)g_rand_int_range(rand, 0x80, 0x100));
        g_array_append_val(wanted, w);
    }
    return b;
}

static void feed(struct nbss *n, const uint8_t *data, int64_t offset, uint64_t length)
{
    struct stream_chunk chunk = {
        offset, length, data ? g_memdup2(data, (gsize)length) : NULL, offset, (uint64_t)offset + 1, false};

    nbss_chunk(n, &chunk);
    g_free((void *)chunk.data);
}

/* At random from [1, most], but at most `limit`. */
static guint random_up_to(GRand *rand, int most, guint limit)
{
    guint value = (guint)g_rand_int_range(rand, 1, most + 1);

    return MIN(value, limit);
}

static guint parts_wanted(uint32_t length)
{
    guint parts = 0;

    for (uint32_t at = 0; at < length; at += HOP + (at * 7 + length) % 2000)
        parts++;
    return parts;
}

static void check_all(const GArray *seen, const GArray *wanted)
{
    g_assert_cmpuint(seen->len, ==, wanted->len);
    for (guint i = 0; i < seen->len; i++) {
        const struct seen *s = &g_array_index(seen, struct seen, i);
        const struct seen *w = &g_array_index(wanted, struct seen, i);

        g_assert_cmpint(s->offset, ==, w->offset);
        g_assert_cmpuint(s->length, ==, w->length);
        g_assert_cmpuint(s->parts, ==, parts_wanted(w->length));
        g_assert_false(s->cut || s->broken);
        g_assert_cmpuint(s->missing, ==, 0);
    }
}

static void test_any_chunks(void)
{
    for (guint32 seed = 1; seed <= 60; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(struct seen));
        g_autoptr(GByteArray) stream = random_stream(rand, wanted);
        struct ledger ledger = {0};
        struct reading r;
        struct nbss_reader reader = {take_part, NULL, take_end, &r, NULL, NULL, NULL, NULL};
        struct nbss n;
        int most = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 50 : 20000;

        reading_init(&r, stream);
        nbss_init(&n, seed % 2, &reader, &ledger); /* a search finds the start as well */
        for (guint at = 0; at < stream->len;) {
            guint length = random_up_to(rand, most, stream->len - at);

            feed(&n, stream->data + at, at, length);
            at += length;
        }
        nbss_finish(&n);
        check_all(r.seen, wanted);
        g_assert_cmpuint(ledger.count[LEDGER_NOT_SMB], ==, 0);
        g_array_unref(r.seen);
    }
}

/* A hole somewhere: every message that doesn't touch it comes out whole, except that the first after it must follow a
 * prefix that can be found. */
static void test_hole(void)
{
    for (guint32 seed = 1; seed <= 300; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(struct seen));
        g_autoptr(GByteArray) stream = random_stream(rand, wanted);
        guint from = (guint)g_rand_int_range(rand, 0, (gint32)stream->len - 1);
        guint to = from + random_up_to(rand, 12000, stream->len - from);
        struct ledger ledger = {0};
        struct reading r;
        struct nbss_reader reader = {take_part, NULL, take_end, &r, NULL, NULL, NULL, NULL};
        struct nbss n;
        guint found = 0;

        reading_init(&r, stream);
        nbss_init(&n, true, &reader, &ledger);
        for (guint at = 0; at < stream->len;) {
            guint until = at < from ? from : at < to ? to : stream->len;
            guint length = random_up_to(rand, 1460, until - at);

            feed(&n, at >= from && at < to ? NULL : stream->data + at, at, length);
            at += length;
        }
        nbss_finish(&n);
        for (guint i = 0; i < wanted->len; i++) {
            const struct seen *w = &g_array_index(wanted, struct seen, i);
            bool touched = w->offset < to && w->offset + NBSS_PREFIX + w->length > from;

            while (found < r.seen->len && g_array_index(r.seen, struct seen, found).offset < w->offset)
                found++;
            if (touched)
                continue;
            g_assert_cmpuint(found, <, r.seen->len);
            g_assert_cmpint(g_array_index(r.seen, struct seen, found).offset, ==, w->offset);
            g_assert_cmpuint(g_array_index(r.seen, struct seen, found).missing, ==, 0);
        }
        g_array_unref(r.seen);
    }
}

/* A hole in a message's body leaves its place and its length. */
static void test_hole_in_body(void)
{
    g_autoptr(GByteArray) stream = g_byte_array_new();
    struct ledger ledger = {0};
    struct reading r;
    struct nbss_reader reader = {take_part, NULL, take_end, &r, NULL, NULL, NULL, NULL};
    struct nbss n;

    for (int i = 0; i < 2; i++) {
        put_prefix(stream, 60000);
        put_be(stream, 0xff534d42, 4);
        put_zeros(stream, 60000 - 4);
    }
    reading_init(&r, stream);
    nbss_init(&n, true, &reader, &ledger);
    feed(&n, stream->data, 0, 100);
    feed(&n, NULL, 100, 59904);
    feed(&n, stream->data + 60004, 60004, 60004);
    g_assert_cmpuint(r.seen->len, ==, 2);
    g_assert_cmpuint(g_array_index(r.seen, struct seen, 0).missing, ==, 59904);
    g_assert_true(g_array_index(r.seen, struct seen, 0).cut);
    g_assert_cmpuint(g_array_index(r.seen, struct seen, 1).missing, ==, 0);
    g_assert_cmpuint(ledger.count[LEDGER_RESYNC], ==, 0);
    g_array_unref(r.seen);
}

static void test_cut_at_end(void)
{
    g_autoptr(GByteArray) stream = g_byte_array_new();
    struct ledger ledger = {0};
    struct reading r;
    struct nbss_reader reader = {take_part, NULL, take_end, &r, NULL, NULL, NULL, NULL};
    struct nbss n;

    put_prefix(stream, 5000);
    put_be(stream, 0xfe534d42, 4);
    put_zeros(stream, 2000);
    reading_init(&r, stream);
    nbss_init(&n, true, &reader, &ledger);
    feed(&n, stream->data, 0, stream->len);
    g_assert_cmpuint(r.seen->len, ==, 0);
    nbss_finish(&n);
    g_assert_cmpuint(r.seen->len, ==, 1);
    g_assert_true(g_array_index(r.seen, struct seen, 0).broken);
    g_assert_cmpuint(g_array_index(r.seen, struct seen, 0).length, ==, 2004);
    g_assert_cmpuint(ledger.count[LEDGER_MESSAGE_UNFINISHED], ==, 1);
    g_array_unref(r.seen);
}

/* Bytes that can't be a prefix are passed over up to the next message. */
static void test_garbage(void)
{
    g_autoptr(GByteArray) stream = g_byte_array_new();
    struct ledger ledger = {0};
    struct reading r;
    struct nbss_reader reader = {take_part, NULL, take_end, &r, NULL, NULL, NULL, NULL};
    struct nbss n;

    put_be(stream, 0x474554202f20, 6); /* "GET / " */
    put_prefix(stream, 100);
    put_be(stream, 0xfd534d42, 4);
    put_zeros(stream, 96);
    put_prefix(stream, 20); /* raw data of SMB1 has no header */
    put_zeros(stream, 20);
    put_be(stream, 0x81000044, 4); /* a NetBIOS session request */
    put_zeros(stream, 0x44);
    put_be(stream, 0x82000000, 4);
    put_prefix(stream, 50);
    put_be(stream, 0xfc534d42, 4);
    put_zeros(stream, 46);
    reading_init(&r, stream);
    nbss_init(&n, true, &reader, &ledger);
    feed(&n, stream->data, 0, stream->len);
    nbss_finish(&n);
    g_assert_cmpuint(r.seen->len, ==, 2);
    g_assert_cmpint(g_array_index(r.seen, struct seen, 0).offset, ==, 6);
    g_assert_cmpuint(ledger.count[LEDGER_NOT_SMB], ==, 1);
    g_assert_cmpuint(ledger.count[LEDGER_NETBIOS_SESSION], ==, 2);
    g_assert_cmpuint(ledger.bytes[LEDGER_RESYNC], ==, 6);
    g_array_unref(r.seen);
}

/* ---- whole messages ------------------------------------------------------------------------------------------------ */

static uint32_t ask_for_all(void *self, const struct nbss_message *m, uint32_t at, const uint8_t *bytes,
                            size_t length, bool cut)
{
    take_part(self, m, at, bytes, length, cut);
    g_assert_cmpuint(at, ==, 0);
    return NBSS_WHOLE;
}

/* What comes is the stream's, and all of it unless something is missing. */
static void take_whole(void *self, const struct nbss_message *m, const uint8_t *bytes, size_t length)
{
    struct reading *r = self;

    g_assert_cmpuint(length, <=, m->length);
    g_assert_cmpint(memcmp(bytes, r->stream->data + m->offset + NBSS_PREFIX, length), ==, 0);
    g_assert_cmpuint(r->current.parts, ==, 1);
    if (length == m->length) {
        r->current.parts = 0; /* in place of a flag: it came whole */
        g_assert_cmpuint(m->missing, ==, 0);
    }
}

/* Whatever the chunks, every message that doesn't touch a hole comes whole, and every other one as far as the hole. */
static void test_whole(void)
{
    for (guint32 seed = 1; seed <= 200; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(struct seen));
        g_autoptr(GByteArray) stream = random_stream(rand, wanted);
        guint from = (guint)g_rand_int_range(rand, 0, (gint32)stream->len), until = from + seed % 3 * 2000;
        struct ledger ledger = {0};
        struct reading r;
        struct nbss_reader reader = {ask_for_all, take_whole, take_end, &r, NULL, NULL, NULL, NULL};
        struct nbss n;
        int most = seed % 4 == 0 ? 1 : seed % 4 == 1 ? 50 : 20000;

        reading_init(&r, stream);
        nbss_init(&n, true, &reader, &ledger);
        until = MIN(until, stream->len);
        for (guint at = 0; at < stream->len;) {
            guint limit = at < from ? from : at < until ? until : stream->len;
            guint length = random_up_to(rand, most, limit - at);

            feed(&n, at >= from && at < until ? NULL : stream->data + at, at, length);
            at += length;
        }
        nbss_finish(&n);
        for (guint i = 0; i < r.seen->len; i++) {
            const struct seen *s = &g_array_index(r.seen, struct seen, i);

            g_assert_cmpint(s->parts == 0, ==, s->missing == 0);
        }
        if (from == until)
            g_assert_cmpuint(r.seen->len, ==, wanted->len);
        nbss_fini(&n);
        g_array_unref(r.seen);
    }
}

/* A whole message that the stream's end cuts off is handed over as far as it came, and freed. */
static void test_whole_cut(void)
{
    g_autoptr(GByteArray) stream = g_byte_array_new();
    struct ledger ledger = {0};
    struct reading r;
    struct nbss_reader reader = {ask_for_all, take_whole, take_end, &r, NULL, NULL, NULL, NULL};
    struct nbss n;

    put_prefix(stream, 5000);
    put_be(stream, 0xfe534d42, 4);
    put_zeros(stream, 2000);
    for (int finish = 0; finish < 2; finish++) {
        reading_init(&r, stream);
        nbss_init(&n, true, &reader, &ledger);
        feed(&n, stream->data, 0, stream->len);
        if (finish) {
            nbss_finish(&n);
            g_assert_cmpuint(g_array_index(r.seen, struct seen, 0).parts, ==, 1);
        }
        nbss_fini(&n);
        g_array_unref(r.seen);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/nbss/any-chunks", test_any_chunks);
    g_test_add_func("/nbss/hole", test_hole);
    g_test_add_func("/nbss/hole-in-body", test_hole_in_body);
    g_test_add_func("/nbss/cut-at-end", test_cut_at_end);
    g_test_add_func("/nbss/garbage", test_garbage);
    g_test_add_func("/nbss/whole", test_whole);
    g_test_add_func("/nbss/whole-cut", test_whole_cut);
    return g_test_run();
}
