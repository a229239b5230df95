#include "replay/nbss_inferred.h"

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
    bool cut; /* by the snap length */
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
    g_clear_pointer(&n->inferred, g_array_unref);
    g_clear_pointer(&n->log, g_array_unref);
}

static void advance(struct input *in, uint64_t count)
{
    if (in->data)
        in->data += count;
    in->left -= count;
    in->offset += (int64_t)count;
}

/* Bytes pass unread in the search for a prefix. */
static void skip(struct nbss *n, uint64_t bytes)
{
    n->skipped += bytes;
    ledger_add(n->ledger, LEDGER_RESYNC, 0, bytes);
}

static void lose_place(struct nbss *n, uint64_t bytes)
{
    n->state = NBSS_SEARCH;
    n->wanted = false;
    n->prefix_length = 0;
    n->skipped = 0;
    ledger_add(n->ledger, LEDGER_RESYNC, 1, 0);
    skip(n, bytes);
}

/* ---- inferred messages ------------------------------------------------------------------------------------------ */

/* What comes isn't what was expected behind the inferred messages: the next prefix may explain why. */
static void doubt_inferred(struct nbss *n)
{
    n->doubtful = nbss_inferred(n) > 0;
}

/* The prefix begins at, or goes on into, bytes that were cut off. True when the reader knows the message's length. */
static bool start_inferred(struct nbss *n)
{
    uint32_t length = n->reader.infer && nbss_inferred(n) < NBSS_INFERRED_MAX
                          ? n->reader.infer(n->reader.self, nbss_inferred(n))
                          : 0;
    const uint8_t would_be[NBSS_PREFIX] = {TYPE_MESSAGE, (uint8_t)(length >> 16), (uint8_t)(length >> 8),
                                           (uint8_t)length};

    if (length < SHORTEST || memcmp(would_be, n->prefix, n->prefix_length) != 0)
        return false;
    if (nbss_inferred(n) == 0) {
        if (n->log)
            g_array_set_size(n->log, 0);
        nbss_inferred_log(n, n->message.offset, n->message.first_ns, n->message.first_frame);
    }
    n->message.length = length;
    n->position = (uint32_t)n->prefix_length;
    n->prefix_length = 0;
    n->state = NBSS_IN_INFERRED;
    return true;
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
    n->raw = true;
    n->wanted = false;
    if (n->message.length > LENGTH_NETBIOS || nbss_inferred(n) > 0) {
        ledger_add(n->ledger, LEDGER_NOT_SMB, 1, n->message.length);
        doubt_inferred(n);
        lose_place(n, 0);
    }
}

/* A prefix has been seen, with `have` bytes behind it. If the identifier is among them, or the length is the one expected, what was inferred
 * before it is right. False when it isn't. */
static bool settle_inferred(struct nbss *n, size_t have)
{
    if (nbss_inferred(n) == 0)
        return true;
    if (have >= IDENTIFIER || n->reader.infer(n->reader.self, nbss_inferred(n)) == n->message.length) {
        nbss_inferred_hand_over(n, nbss_inferred(n), true);
        return true;
    }
    doubt_inferred(n);
    lose_place(n, 0);
    return false;
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
        if (at == 0 && !settle_inferred(n, have))
            return;
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
    n->raw = n->other && type == TYPE_MESSAGE;
    n->message.length = length;
    if (n->other && nbss_inferred(n) > 0) {
        doubt_inferred(n);
        lose_place(n, NBSS_PREFIX);
        return;
    }
    if (type != TYPE_MESSAGE &&
        (type < TYPE_SESSION_REQUEST || type > TYPE_KEEP_ALIVE || length > LENGTH_NETBIOS)) {
        lose_place(n, NBSS_PREFIX);
        return;
    }
    n->state = NBSS_IN_MESSAGE;
    if (!n->other)
        want_part(n, 0);
}

static void end_message(struct nbss *n, bool broken)
{
    bool taken = n->raw && n->reader.raw && n->reader.raw(n->reader.self, &n->message);

    if (!n->other)
        n->reader.end(n->reader.self, &n->message, broken);
    else if (n->raw && n->message.length > 0 && !taken)
        ledger_add(n->ledger, LEDGER_NOT_SMB, 1, n->message.length);
    else if (!taken)
        ledger_add(n->ledger, LEDGER_NETBIOS_SESSION, 1, NBSS_PREFIX + n->message.length);
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

    if (n->prefix_length == 0)
        start_prefix(n, in);
    if (!in->data) {
        if (in->cut && start_inferred(n))
            return;
        doubt_inferred(n);
        lose_place(n, 0);
        return;
    }
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

    if (in->data || in->cut)
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

/* Its position counts from the prefix on. */
static void in_inferred(struct nbss *n, struct input *in)
{
    uint64_t length = (uint64_t)n->message.length + NBSS_PREFIX, count = MIN(in->left, length - n->position);

    if (in->data && n->position >= SHORTEST + NBSS_PREFIX &&
        nbss_looks_like_smb(in->data, (size_t)in->left)) {
        if (!nbss_inferred_explain(n, in->offset)) {
            n->message.length = n->position - NBSS_PREFIX;
            nbss_inferred_keep(n);
        }
        n->state = NBSS_AT_PREFIX;
        return;
    }
    if (!in->data && !in->cut) {
        nbss_inferred_drop(n);
        lose_place(n, n->position);
        return;
    }
    note_time(&n->message, in);
    n->position += (uint32_t)count;
    advance(in, count);
    if (n->position < length)
        return;
    nbss_inferred_keep(n);
    n->state = NBSS_AT_PREFIX;
    if (in->left == 0 && in->cut) /* its end is a segment's end */
        nbss_inferred_hand_over(n, nbss_inferred(n), true);
}

void nbss_answered(struct nbss *n, unsigned count)
{
    if (n->doubtful)
        return;
    if (count > nbss_inferred(n) && n->state == NBSS_IN_INFERRED && n->position >= SHORTEST + NBSS_PREFIX) {
        n->message.length = n->position - NBSS_PREFIX;
        nbss_inferred_keep(n);
        n->state = NBSS_AT_PREFIX;
    }
    nbss_inferred_hand_over(n, MIN(count, nbss_inferred(n)), true);
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

/* What the search passed was in those messages, if the start found at `offset` explains them. */
static void settle_doubt(struct nbss *n, int64_t offset)
{
    if (!n->doubtful)
        return;
    n->doubtful = false;
    if (!nbss_inferred_explain(n, offset)) {
        nbss_inferred_drop(n);
        return;
    }
    n->ledger->count[LEDGER_RESYNC]--;
    n->ledger->bytes[LEDGER_RESYNC] -= n->skipped;
}

static void found_start(struct nbss *n, const struct input *in)
{
    settle_doubt(n, in->offset);
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
    skip(n, start);
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

    skip(n, n->prefix_length - keep);
    memmove(n->prefix, n->prefix + (n->prefix_length - keep), keep);
    memcpy(n->prefix + keep, in->data + (in->left - take), take);
    n->prefix_length = keep + take;
}

static void search(struct nbss *n, struct input *in)
{
    size_t start;

    if (!in->data) {
        skip(n, n->prefix_length);
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
        skip(n, skipped);
        advance(in, in->left);
        return;
    }
    skip(n, n->prefix_length + start);
    advance(in, start);
    found_start(n, in);
}

void nbss_chunk(void *self, const struct stream_chunk *chunk)
{
    struct nbss *n = self;
    struct input in = {chunk->data, chunk->length, chunk->offset, chunk->time_ns, chunk->frame, chunk->cut};

    if (nbss_inferred(n) > 0 || n->state == NBSS_IN_INFERRED)
        nbss_inferred_log(n, in.offset, in.time_ns, in.frame);
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
        case NBSS_IN_INFERRED:
            in_inferred(n, &in);
            break;
        }
    }
}

void nbss_finish(struct nbss *n)
{
    if (n->doubtful)
        nbss_inferred_drop(n);
    nbss_inferred_hand_over(n, nbss_inferred(n), n->state == NBSS_AT_PREFIX && n->prefix_length == 0);
    if (n->state == NBSS_IN_INFERRED && n->position > NBSS_PREFIX) {
        ledger_add(n->ledger, LEDGER_MESSAGE_UNFINISHED, 1, n->position);
        n->message.length = n->position - NBSS_PREFIX;
        n->reader.inferred(n->reader.self, &n->message, false, true);
    }
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
    if (nbss_inferred(n) > 0)
        return g_array_index(n->inferred, struct nbss_message, 0).offset;
    return n->state == NBSS_IN_MESSAGE || n->state == NBSS_IN_INFERRED ? n->message.offset
                                                                       : next - (int64_t)n->prefix_length;
}
