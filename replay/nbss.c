#include "replay/nbss.h"

#include <string.h>

/* RFC 1002, 4.3.1. Over TCP without NetBIOS only the first exists. */
enum {
    TYPE_MESSAGE = 0x00,
    TYPE_SESSION_REQUEST = 0x81,
    TYPE_KEEP_ALIVE = 0x85,
    LENGTH_NETBIOS = 0x1ffff, /* 17 bits; 24 without NetBIOS */
    IDENTIFIER = 4,
    SHORTEST = 16, /* a chained compression header */
    WHOLE_FIRST = 64 << 10,
};

/* A chunk while it is being consumed from its front. */
struct input {
    const uint8_t *data; /* NULL: a hole */
    uint64_t left;
    int64_t offset, time_ns;
    uint64_t frame;
};

static bool is_identifier(const uint8_t *b)
{
    return b[0] >= 0xfc && b[1] == 'S' && b[2] == 'M' && b[3] == 'B';
}

bool nbss_looks_like_smb(const uint8_t *bytes, size_t length)
{
    return length >= NBSS_PREFIX + IDENTIFIER && bytes[0] == TYPE_MESSAGE &&
           is_identifier(bytes + NBSS_PREFIX);
}

void nbss_init(struct nbss *n, bool from_start, const struct nbss_reader *reader, struct ledger *ledger)
{
    memset(n, 0, sizeof *n);
    n->reader = *reader;
    n->ledger = ledger;
    n->state = from_start ? NBSS_AT_PREFIX : NBSS_SEARCH;
}

void nbss_fini(struct nbss *n)
{
    g_clear_pointer(&n->whole, g_byte_array_unref);
}

static void advance(struct input *in, uint64_t count)
{
    if (in->data)
        in->data += count;
    in->left -= count;
    in->offset += (int64_t)count;
}

/* ---- parts ---------------------------------------------------------------------------------------------------- */

static void want_part(struct nbss *n, uint32_t at)
{
    n->wanted = true;
    n->want = at;
    n->want_end = MIN(n->message.length, at + NBSS_PART);
    n->copied = 0;
}

/* Bytes that come under another identifier than SMB's. Short ones pass as what they claim to be (raw reads and writes of
 * SMB1 have no header); a claim that NetBIOS couldn't make means that the place is lost. */
static void not_smb(struct nbss *n)
{
    n->other = true;
    n->wanted = false;
    ledger_add(n->ledger, LEDGER_NOT_SMB, 1, n->message.length);
    if (n->message.length > LENGTH_NETBIOS) {
        n->state = NBSS_SEARCH;
        n->prefix_length = 0;
        ledger_add(n->ledger, LEDGER_RESYNC, 1, 0);
    }
}

/* Hands out the wanted part, which starts at `bytes`, where `have` bytes lie, and the parts after it as long as they lie there
 * whole. What is there of the next one is copied, to be completed by the chunks to come; with `cut` none will come. */
static void deliver(struct nbss *n, const uint8_t *bytes, size_t have, bool cut)
{
    for (;;) {
        uint32_t at = n->want;
        size_t whole = n->want_end - at;
        uint32_t next;

        if (at == 0 && have >= IDENTIFIER && !is_identifier(bytes)) {
            not_smb(n);
            return;
        }
        n->wanted = false;
        next = n->reader.part(n->reader.self, &n->message, at, bytes, MIN(have, whole), cut && have < whole);
        if (next == NBSS_WHOLE && at == 0) {
            n->whole = g_byte_array_sized_new((guint)MIN(n->message.length, WHOLE_FIRST));
            g_byte_array_append(n->whole, bytes, (guint)have);
        }
        if (next <= at || next >= n->message.length)
            return;
        want_part(n, next);
        if (next - at >= have)
            return;
        bytes += next - at;
        have -= next - at;
        if (!cut && have < n->want_end - n->want) {
            memmove(n->copy, bytes, have);
            n->copied = have;
            return;
        }
    }
}

static void hand_over_whole(struct nbss *n)
{
    n->reader.whole(n->reader.self, &n->message, n->whole->data, n->whole->len);
    g_clear_pointer(&n->whole, g_byte_array_unref);
}

/* The stretch of `count` bytes from `position` on passes; those that a whole message lacks are appended to it. */
static void pass_whole(struct nbss *n, const uint8_t *data, uint32_t count)
{
    uint32_t known = n->whole->len - n->position;

    if (data && known < count)
        g_byte_array_append(n->whole, data + known, count - known);
    if (n->whole->len == n->message.length || (!data && known < count))
        hand_over_whole(n);
}

/* The stretch of `count` bytes from `position` on passes, and the next wanted byte lies in it: keeps what is wanted, or hands
 * it out. Either way the next wanted byte moves on. */
static void pass_wanted(struct nbss *n, const uint8_t *data, uint32_t count)
{
    uint32_t need = n->want + (uint32_t)n->copied;
    uint32_t there = n->position + count - need;
    uint32_t take = MIN(there, n->want_end - need);

    if (!data) {
        deliver(n, n->copy, n->copied, true);
    } else if (n->copied == 0 && take == n->want_end - need) {
        deliver(n, data + (need - n->position), there, false);
    } else {
        memcpy(n->copy + n->copied, data + (need - n->position), take);
        n->copied += take;
        if (need + take == n->want_end)
            deliver(n, n->copy, n->copied, false);
    }
}

/* ---- states ----------------------------------------------------------------------------------------------------- */

static void begin_message(struct nbss *n)
{
    uint8_t type = n->prefix[0];
    uint32_t length = (uint32_t)n->prefix[1] << 16 | (uint32_t)n->prefix[2] << 8 | n->prefix[3];

    n->prefix_length = 0;
    n->position = 0;
    n->wanted = false;
    n->other = type != TYPE_MESSAGE || length < IDENTIFIER;
    n->message.length = length;
    if (type != TYPE_MESSAGE &&
        (type < TYPE_SESSION_REQUEST || type > TYPE_KEEP_ALIVE || length > LENGTH_NETBIOS)) {
        n->state = NBSS_SEARCH;
        ledger_add(n->ledger, LEDGER_RESYNC, 1, NBSS_PREFIX);
        return;
    }
    n->state = NBSS_IN_MESSAGE;
    if (n->other)
        ledger_add(n->ledger, LEDGER_NETBIOS_SESSION, 1, NBSS_PREFIX + length);
    else
        want_part(n, 0);
}

static void end_message(struct nbss *n, bool broken)
{
    if (!n->other)
        n->reader.end(n->reader.self, &n->message, broken);
    n->state = NBSS_AT_PREFIX;
}

static void note_time(struct nbss_message *m, const struct input *in)
{
    if (in->time_ns >= m->last_ns) {
        m->last_ns = in->time_ns;
        m->last_frame = in->frame;
    }
}

static void start_prefix(struct nbss *n, const struct input *in)
{
    n->message = (struct nbss_message){.offset = in->offset,
                                       .first_ns = in->time_ns,
                                       .last_ns = in->time_ns,
                                       .first_frame = in->frame,
                                       .last_frame = in->frame};
}

static void at_prefix(struct nbss *n, struct input *in)
{
    size_t take = (size_t)MIN(in->left, NBSS_PREFIX - n->prefix_length);

    if (!in->data) {
        n->state = NBSS_SEARCH;
        n->prefix_length = 0;
        ledger_add(n->ledger, LEDGER_RESYNC, 1, 0);
        return;
    }
    if (n->prefix_length == 0)
        start_prefix(n, in);
    note_time(&n->message, in);
    memcpy(n->prefix + n->prefix_length, in->data, take);
    n->prefix_length += take;
    advance(in, take);
    if (n->prefix_length < NBSS_PREFIX)
        return;
    begin_message(n);
    if (n->state == NBSS_IN_MESSAGE && n->message.length == 0)
        end_message(n, false);
}

static void in_message(struct nbss *n, struct input *in)
{
    uint32_t count = (uint32_t)MIN(in->left, (uint64_t)(n->message.length - n->position));

    if (in->data)
        note_time(&n->message, in);
    else
        n->message.missing += count;
    while (n->wanted && n->want + n->copied < n->position + count)
        pass_wanted(n, in->data, count);
    if (n->state != NBSS_IN_MESSAGE)
        return;
    if (n->whole)
        pass_whole(n, in->data, count);
    n->position += count;
    advance(in, count);
    if (n->position == n->message.length)
        end_message(n, false);
}

/* ---- search ------------------------------------------------------------------------------------------------------- */

/* Position of the first prefix with identifier, or `length`. */
static size_t find_start(const uint8_t *bytes, size_t length)
{
    enum { S = NBSS_PREFIX + 1 };

    for (size_t from = S; from + 2 < length; from++) {
        const uint8_t *s = memchr(bytes + from, 'S', length - from - 2);

        if (!s)
            return length;
        from = (size_t)(s - bytes);
        if (nbss_looks_like_smb(s - S, NBSS_PREFIX + IDENTIFIER))
            return from - S;
    }
    return length;
}

static void found_start(struct nbss *n, const struct input *in)
{
    n->state = NBSS_AT_PREFIX;
    n->prefix_length = 0;
    start_prefix(n, in);
}

/* A start may lie across two chunks: the tail of the last one is looked at together with the head of this one. True when
 * it does; the tail's share of the prefix is then in place. */
static bool search_tail(struct nbss *n, const struct input *in)
{
    uint8_t joint[2 * NBSS_TAIL];
    size_t head = (size_t)MIN(in->left, NBSS_TAIL);
    size_t tail = n->prefix_length, start;
    struct input before = *in;

    memcpy(joint, n->prefix, tail);
    memcpy(joint + tail, in->data, head);
    start = find_start(joint, tail + head);
    if (start >= tail)
        return false;
    before.offset -= (int64_t)(tail - start);
    ledger_add(n->ledger, LEDGER_RESYNC, 0, start);
    found_start(n, &before);
    before.data = joint + start;
    before.left = tail - start;
    at_prefix(n, &before);
    if (before.left > 0)
        in_message(n, &before);
    return true;
}

static void keep_tail(struct nbss *n, const struct input *in)
{
    size_t take = (size_t)MIN(in->left, NBSS_TAIL);
    size_t keep = MIN(n->prefix_length, NBSS_TAIL - take);

    ledger_add(n->ledger, LEDGER_RESYNC, 0, n->prefix_length - keep);
    memmove(n->prefix, n->prefix + (n->prefix_length - keep), keep);
    memcpy(n->prefix + keep, in->data + (in->left - take), take);
    n->prefix_length = keep + take;
}

static void search(struct nbss *n, struct input *in)
{
    size_t start;

    if (!in->data) {
        ledger_add(n->ledger, LEDGER_RESYNC, 0, n->prefix_length);
        n->prefix_length = 0;
        advance(in, in->left);
        return;
    }
    if (n->prefix_length > 0 && search_tail(n, in))
        return;
    start = find_start(in->data, (size_t)in->left);
    if (start == in->left) {
        uint64_t skipped = in->left - MIN(in->left, NBSS_TAIL);

        keep_tail(n, in);
        ledger_add(n->ledger, LEDGER_RESYNC, 0, skipped);
        advance(in, in->left);
        return;
    }
    ledger_add(n->ledger, LEDGER_RESYNC, 0, n->prefix_length + start);
    advance(in, start);
    found_start(n, in);
}

void nbss_chunk(void *self, const struct stream_chunk *chunk)
{
    struct nbss *n = self;
    struct input in = {chunk->data, chunk->length, chunk->offset, chunk->time_ns, chunk->frame};

    while (in.left > 0) {
        switch (n->state) {
        case NBSS_SEARCH:
            search(n, &in);
            break;
        case NBSS_AT_PREFIX:
            at_prefix(n, &in);
            break;
        case NBSS_IN_MESSAGE:
            in_message(n, &in);
            break;
        }
    }
}

void nbss_finish(struct nbss *n)
{
    if (n->state != NBSS_IN_MESSAGE)
        return;
    if (n->whole)
        hand_over_whole(n);
    if (!n->other)
        ledger_add(n->ledger, LEDGER_MESSAGE_UNFINISHED, 1, n->position);
    n->message.length = n->position;
    end_message(n, true);
}

int64_t nbss_whole_until(const struct nbss *n, int64_t next)
{
    return n->state == NBSS_IN_MESSAGE ? n->message.offset : next - (int64_t)n->prefix_length;
}
