#include "replay/nbss_inferred.h"

enum { LOG_MAX = 1 << 16, BETWEEN_MAX = 64, ODD_MAX = 256 };

struct log_entry {
    int64_t offset, time_ns;
    uint64_t frame;
};

static struct nbss_message *inferred_at(const struct nbss *n, guint i)
{
    return &g_array_index(n->inferred, struct nbss_message, i);
}

unsigned nbss_inferred(const struct nbss *n)
{
    return n->inferred ? n->inferred->len : 0;
}

void nbss_inferred_keep(struct nbss *n)
{
    if (!n->inferred)
        n->inferred = g_array_new(FALSE, FALSE, sizeof(struct nbss_message));
    g_array_append_val(n->inferred, n->message);
}

void nbss_inferred_log(struct nbss *n, int64_t offset, int64_t time_ns, uint64_t frame)
{
    struct log_entry e = {offset, time_ns, frame};

    if (!n->log)
        n->log = g_array_new(FALSE, FALSE, sizeof(struct log_entry));
    if (n->log->len < LOG_MAX)
        g_array_append_val(n->log, e);
}

void nbss_inferred_hand_over(struct nbss *n, unsigned count, bool sure)
{
    if (count == 0)
        return;
    for (guint i = 0; i < count; i++)
        n->reader.inferred(n->reader.self, inferred_at(n, i), sure, false);
    g_array_remove_range(n->inferred, 0, count);
}

void nbss_inferred_drop(struct nbss *n)
{
    for (guint i = 0; i < nbss_inferred(n); i++)
        ledger_add(n->ledger, LEDGER_RESYNC, 0, (uint64_t)inferred_at(n, i)->length + NBSS_PREFIX);
    if (n->inferred)
        g_array_set_size(n->inferred, 0);
}

/* ---- explanations ------------------------------------------------------------------------------------------------- */

/* The last entry at or before an offset. */
static const struct log_entry *logged(const struct nbss *n, int64_t offset)
{
    guint low = 0, high = n->log->len;

    while (high - low > 1) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(n->log, struct log_entry, middle).offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return &g_array_index(n->log, struct log_entry, low);
}

/* Some of the expected messages, as they may fill a stretch. */
struct filling {
    unsigned count;
    uint32_t early; /* length of one that comes out of turn, as the last of them; 0: none does */
    uint64_t between;
};

/* Whether `sum` and messages between fill the stretch. */
static bool fills(const struct nbss *n, uint64_t stretch, uint64_t sum, uint64_t *between)
{
    uint32_t extra = n->reader.between ? n->reader.between(n->reader.self) : 0;
    uint64_t each = (uint64_t)extra + NBSS_PREFIX;

    if (sum > stretch || (sum < stretch && extra == 0))
        return false;
    *between = (stretch - sum) / each;
    return (stretch - sum) % each == 0 && *between <= BETWEEN_MAX;
}

/* The length of the first expected message that isn't as long as the first, such as a file's last read; 0: none. */
static uint32_t odd_length(const struct nbss *n)
{
    uint32_t first = n->reader.infer(n->reader.self, 0), length = first;

    for (unsigned i = 1; length == first && i < ODD_MAX; i++)
        length = n->reader.infer(n->reader.self, i);
    return length == first ? 0 : length;
}

/* The last of all that are expected may be shorter, where the size of a file isn't known. */
static bool is_remainder(const struct nbss *n, unsigned count, uint64_t stretch, uint64_t sum,
                         uint32_t length)
{
    enum { HEADERS = 64 };

    return stretch > sum + HEADERS && stretch - sum < length && n->reader.infer(n->reader.self, count) == 0;
}

/* The most messages that fill `stretch`, in turn, or with the odd one before its turn. Its count is 0 when none do. */
static struct filling find_filling(const struct nbss *n, uint64_t stretch)
{
    uint32_t odd = odd_length(n);
    struct filling found = {0};
    uint64_t sum = 0, between;

    for (unsigned count = 1; count <= NBSS_INFERRED_MAX && sum <= stretch; count++) {
        uint32_t length = n->reader.infer(n->reader.self, count - 1);

        if (odd > 0 && fills(n, stretch, sum + odd + NBSS_PREFIX, &between))
            found = (struct filling){count, odd, between};
        if (length == 0)
            break;
        if (found.count == 0 && is_remainder(n, count, stretch, sum, length))
            found = (struct filling){count, (uint32_t)(stretch - sum - NBSS_PREFIX), 0};
        sum += (uint64_t)length + NBSS_PREFIX;
        if (fills(n, stretch, sum, &between))
            found = (struct filling){count, 0, between};
    }
    return found;
}

bool nbss_inferred_explain(struct nbss *n, int64_t offset)
{
    int64_t at = nbss_inferred(n) > 0 ? inferred_at(n, 0)->offset : n->message.offset;
    struct filling filling;
    GArray *messages;

    if (!n->log || n->log->len == 0 || n->log->len >= LOG_MAX || offset <= at)
        return false;
    filling = find_filling(n, (uint64_t)(offset - at));
    if (filling.count == 0)
        return false;
    messages = g_array_new(FALSE, FALSE, sizeof(struct nbss_message));
    for (unsigned i = 0; i < filling.count; i++) {
        struct nbss_message m = {.offset = at, .length = n->reader.infer(n->reader.self, i)};

        const struct log_entry *first = logged(n, at), *last;

        if (filling.early > 0 && i == filling.count - 1)
            m.length = filling.early;
        at += (int64_t)m.length + NBSS_PREFIX;
        last = logged(n, at - 1);
        m.first_ns = first->time_ns;
        m.first_frame = first->frame;
        m.last_ns = MAX(first->time_ns, last->time_ns);
        m.last_frame = last->frame;
        g_array_append_val(messages, m);
    }
    g_clear_pointer(&n->inferred, g_array_unref);
    n->inferred = messages;
    ledger_add(n->ledger, LEDGER_INFERRED, filling.between, (uint64_t)(offset - at));
    nbss_inferred_hand_over(n, filling.count, true);
    return true;
}
