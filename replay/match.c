#include "replay/match.h"
#include "replay/array.h"

#include <string.h>

struct match_slot {
    struct replay_exchange x;
    uint32_t left;          /* elements without an answer; 0: the slot is free */
    uint64_t kept_at;       /* its number among all exchanges */
    uint32_t before, after; /* in the list of those that wait: index + 1, 0: none */
    uint64_t id;            /* of its first element */
    uint32_t asks;
    uint32_t replies; /* still to come, beyond the first, in place of one */
    struct open open; /* that it serves */
    char *name;       /* of the file that it is to open, owned, or NULL */
    uint64_t offset;  /* of what it reads */
    struct file_use use;
};

void match_init(struct match *m, bool keep, struct ledger *ledger, struct commands *commands)
{
    memset(m, 0, sizeof *m);
    m->ledger = ledger;
    m->commands = commands;
    m->slots = g_array_new(FALSE, TRUE, sizeof(struct match_slot));
    m->free_slots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    opaque_pairs_init(&m->opaque);
    channel_init(&m->channel);
    if (keep)
        m->kept = g_array_new(FALSE, FALSE, sizeof(struct replay_exchange));
}

void match_fini(struct match *m)
{
    for (guint i = 0; m->slots && i < m->slots->len; i++)
        g_free(g_array_index(m->slots, struct match_slot, i).name);
    idmap_fini(&m->by_id);
    channel_fini(&m->channel);
    g_clear_pointer(&m->slots, g_array_unref);
    g_clear_pointer(&m->free_slots, g_array_unref);
    opaque_pairs_fini(&m->opaque);
    g_clear_pointer(&m->kept, g_array_unref);
}

/* ---- slots ---------------------------------------------------------------------------------------------------- */

static struct match_slot *slot_at(const struct match *m, uint32_t index)
{
    return &g_array_index(m->slots, struct match_slot, index);
}

static uint32_t take_slot(struct match *m)
{
    uint32_t index;

    if (m->free_slots->len == 0) {
        g_array_set_size(m->slots, m->slots->len + 1);
        return m->slots->len - 1;
    }
    index = g_array_index(m->free_slots, uint32_t, m->free_slots->len - 1);
    g_array_set_size(m->free_slots, m->free_slots->len - 1);
    return index;
}

static void join_list(struct match *m, uint32_t index)
{
    slot_at(m, index)->before = m->newest;
    if (m->newest)
        slot_at(m, m->newest - 1)->after = index + 1;
    else
        m->oldest = index + 1;
    m->newest = index + 1;
}

static void leave_list(struct match *m, const struct match_slot *slot)
{
    if (slot->before)
        slot_at(m, slot->before - 1)->after = slot->after;
    else
        m->oldest = slot->after;
    if (slot->after)
        slot_at(m, slot->after - 1)->before = slot->before;
    else
        m->newest = slot->before;
}

static bool counts_as_waiting(const struct replay_exchange *x)
{
    return (x->flags & (REPLAY_BACKGROUND | REPLAY_ONE_WAY)) == 0;
}

/* Of the file that an exchange serves; NULL when that isn't known. View. */
static const char *file_name(const struct match *m, const struct match_slot *slot)
{
    uint16_t row = slot->open.row;

    return row > 0 && row != FILES_OTHERS
               ? g_array_index(m->channel.shared->files.rows, struct replay_file, row - 1).name
               : NULL;
}

static void use_file(struct match *m, struct match_slot *slot)
{
    slot->use.request_ns = slot->x.request_first_ns;
    slot->use.response_ns = slot->x.response_last_ns;
    if (slot->open.row > 0)
        channel_use(&m->channel, slot->open.row, &slot->use);
    g_clear_pointer(&slot->name, g_free);
}

/* The exchange is over, answered or not: what is known of it is final. */
static void close_slot(struct match *m, uint32_t index)
{
    struct match_slot *slot = slot_at(m, index);
    struct replay_exchange *x = &slot->x;

    slot->left = 0;
    leave_list(m, slot);
    if (counts_as_waiting(x)) {
        m->waiting--;
        pending_end(&m->pending, m->now_ns);
    }
    if (x->response_first_ns < 0) {
        x->flags |= REPLAY_NO_RESPONSE;
        if (!(x->flags & REPLAY_ONE_WAY)) {
            m->unanswered++;
            ledger_add(m->ledger, LEDGER_NO_RESPONSE, 1, x->request_bytes);
        }
    }
    if (m->timeline)
        timeline_exchange(m->timeline, x);
    use_file(m, slot);
    if (m->kept && slot->kept_at >= m->let_go)
        g_array_index(m->kept, struct replay_exchange, slot->kept_at - m->let_go) = *x;
    if (m->done)
        m->done(m->self, x, file_name(m, slot));
    g_array_append_val(m->free_slots, index);
}

static void complete(struct match *m, uint32_t index)
{
    const struct replay_exchange *x = &slot_at(m, index)->x;

    if (!(x->flags & REPLAY_OPAQUE))
        commands_service(m->commands, x);
    close_slot(m, index);
}

static uint32_t message_bytes(const struct nbss_message *f)
{
    return f->length + NBSS_PREFIX;
}

/* Times and bytes of a message that answers an exchange: called once for each. */
static void note_response(struct replay_exchange *x, const struct nbss_message *f)
{
    if (x->response_first_ns < 0) {
        x->response_first_ns = f->first_ns;
        x->response_first_frame = f->first_frame;
        x->response_offset = f->offset;
    }
    x->response_last_ns = f->last_ns;
    x->response_last_frame = f->last_frame;
    x->response_bytes += message_bytes(f);
    x->flags &= (uint16_t)~REPLAY_NO_RESPONSE;
}

/* Ends exchanges whose answers were held, at the times of these. */
static void settle_opaque(struct match *m, bool end)
{
    int64_t now_ns = m->now_ns;
    struct nbss_message response;
    uint32_t index;

    while (opaque_pairs_settle(&m->opaque, end, &index, &response)) {
        note_response(&slot_at(m, index)->x, &response);
        m->now_ns = response.last_ns;
        complete(m, index);
    }
    m->now_ns = now_ns;
}

static void give_up_all(struct match *m)
{
    for (uint32_t i = 0; i < m->slots->len; i++) {
        if (slot_at(m, i)->left > 0)
            close_slot(m, i);
    }
    idmap_clear(&m->by_id);
    opaque_pairs_clear(&m->opaque);
}

void match_finish(struct match *m)
{
    settle_opaque(m, true);
    give_up_all(m);
    pending_finish(&m->pending);
}

/* ---- what is waited for ----------------------------------------------------------------------------------------------- */

static uint32_t data_expected(const struct match *m, const struct match_slot *slot)
{
    int64_t size = files_size(&m->channel.shared->files, slot->open.row);
    uint64_t left;

    if (size < 0 || slot->offset > INT64_MAX)
        return slot->asks;
    left = slot->offset < (uint64_t)size ? (uint64_t)size - slot->offset : 0;
    return (uint32_t)MIN(left, slot->asks);
}

static void expect(const struct match *m, const struct match_slot *slot, struct match_expected *out)
{
    *out = (struct match_expected){slot->x.command, slot->x.elements, slot->id, data_expected(m, slot),
                                   command_is_read(slot->x.command) && slot->asks == 0};
}

bool match_knows(const struct match *m, uint64_t id)
{
    uint32_t index;

    return idmap_get(&m->by_id, id, &index);
}

bool match_expects(const struct match *m, unsigned ahead, struct match_expected *out)
{
    for (uint32_t i = m->oldest; i > 0; i = slot_at(m, i - 1)->after) {
        const struct match_slot *slot = slot_at(m, i - 1);

        if (!counts_as_waiting(&slot->x) || slot->x.flags & REPLAY_OPAQUE)
            continue;
        if (ahead-- > 0)
            continue;
        expect(m, slot, out);
        return true;
    }
    return false;
}

bool match_expects_command(const struct match *m, uint16_t command, struct match_expected *out)
{
    for (uint32_t i = m->oldest; i > 0; i = slot_at(m, i - 1)->after) {
        const struct match_slot *slot = slot_at(m, i - 1);

        if (slot->x.command == command && slot->left == slot->x.elements) {
            expect(m, slot, out);
            return true;
        }
    }
    return false;
}

void match_let_go(struct match *m, guint count)
{
    if (count == 0)
        return;
    m->kept = array_without_first(m->kept, count);
    m->let_go += count;
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

/* The row of an id that no response gave out. If the capture cut the id off the response to just one open, that is it. */
static uint16_t claim_row(struct match *m)
{
    uint16_t row = m->unclaimed == 1 ? m->unclaimed_row : files_row(&m->channel.shared->files, NULL);

    m->unclaimed = 0;
    return row;
}

/* The open that an element of a request names, or, in a response, has opened. */
static void find_open(struct match *m, struct match_slot *slot, const struct smb_element *e)
{
    slot->open = opens_find(&m->channel.shared->opens, e, slot->open);
    if (slot->open.number > 0 && slot->open.row == 0) {
        slot->open.row = e->opens ? files_row(&m->channel.shared->files, slot->name) : claim_row(m);
        opens_set_row(&m->channel.shared->opens, e, slot->open.row);
    }
    slot->x.file = slot->open.number;
}

static void describe_element(struct match *m, struct match_slot *slot, const struct smb_element *e)
{
    slot->x.data_bytes += e->data_bytes;
    slot->offset = e->offset;
    if (command_is_write(e->command)) {
        slot->use.written += e->data_bytes;
        slot->use.end = MAX(slot->use.end, e->offset + e->data_bytes);
    }
    if (e->name && !slot->name)
        slot->name = smb_element_name(e);
    if (e->has_file)
        find_open(m, slot, e);
    if (e->background)
        slot->x.flags |= REPLAY_BACKGROUND;
    if (e->opaque)
        slot->x.flags |= REPLAY_OPAQUE;
    if (e->inferred)
        slot->x.flags |= REPLAY_INFERRED;
}

static void describe(struct match *m, const struct match_message *message, struct match_slot *slot)
{
    const struct nbss_message *f = message->frame;
    struct replay_exchange *x = &slot->x;

    *slot = (struct match_slot){.left = message->count};
    *x = (struct replay_exchange){.request_first_ns = f->first_ns,
                                  .request_last_ns = f->last_ns,
                                  .request_first_frame = f->first_frame,
                                  .request_last_frame = f->last_frame,
                                  .request_offset = f->offset,
                                  .response_first_ns = -1,
                                  .response_last_ns = -1,
                                  .response_offset = -1,
                                  .request_bytes = message_bytes(f),
                                  .command = message->elements[0].command,
                                  .elements = (uint16_t)message->count,
                                  .flags = REPLAY_NO_RESPONSE};
    for (unsigned i = 0; i < message->count + message->chained; i++)
        describe_element(m, slot, &message->elements[i]);
    if (message->count == 1 && message->elements[0].one_way)
        x->flags |= REPLAY_ONE_WAY;
    if (message->cut)
        x->flags |= REPLAY_CUT;
}

/* Files are forgotten with the request that closes them, for an id may be given out again before the response is seen. */
static void forget_closed(struct match *m, const struct match_message *message)
{
    for (unsigned i = 0; i < message->count + message->chained; i++) {
        if (message->elements[i].command == SMB2_CLOSE || message->elements[i].command == SMB1_CLOSE ||
            message->elements[i].command == SMB1_WRITE_AND_CLOSE)
            opens_close(&m->channel.shared->opens, &message->elements[i]);
    }
}

/* An element's id leads to its exchange from now on. An older exchange under the same id will not be answered any more. */
static void enlist(struct match *m, uint64_t id, uint32_t index)
{
    uint32_t old;

    if (idmap_get(&m->by_id, id, &old) && old != index) {
        ledger_add(m->ledger, LEDGER_ID_REUSED, 1, 0);
        if (--slot_at(m, old)->left == 0)
            close_slot(m, old);
    }
    idmap_put(&m->by_id, id, index);
}

/* A later message of an SMB1 transaction's request. */
static void extend(struct match *m, const struct match_message *message)
{
    const struct nbss_message *f = message->frame;
    uint32_t index;
    struct replay_exchange *x;

    if (!idmap_get(&m->by_id, message->elements[0].id, &index)) {
        ledger_add(m->ledger, LEDGER_NO_REQUEST, 1, message_bytes(f));
        return;
    }
    x = &slot_at(m, index)->x;
    x->request_last_ns = f->last_ns;
    x->request_last_frame = f->last_frame;
    x->request_bytes += message_bytes(f);
    x->data_bytes += message->elements[0].data_bytes;
    slot_at(m, index)->use.written += message->elements[0].data_bytes;
}

static uint32_t open_slot(struct match *m, const struct match_message *message)
{
    uint32_t index;
    struct match_slot *slot;

    if (m->slots->len - m->free_slots->len >= MATCH_WAITING) {
        ledger_add(m->ledger, LEDGER_TABLE_FULL, MATCH_WAITING, 0);
        give_up_all(m);
    }
    index = take_slot(m);
    slot = slot_at(m, index);
    describe(m, message, slot);
    slot->id = message->elements[0].id;
    slot->asks = message->elements[0].asks;
    slot->replies = message->elements[0].replies > 1 ? message->elements[0].replies - 1U : 0;
    join_list(m, index);
    if (m->kept) {
        slot->kept_at = m->let_go + m->kept->len;
        g_array_append_val(m->kept, slot->x);
        g_array_index(m->kept, struct replay_exchange, m->kept->len - 1).flags |= REPLAY_OPEN;
    }
    m->exchanges++;
    if (counts_as_waiting(&slot->x)) {
        pending_begin(&m->pending, message->frame->first_ns, m->now_ns);
        m->waiting++;
        m->max_waiting = MAX(m->max_waiting, m->waiting - MIN(m->waiting, m->answered));
    }
    return index;
}

void match_request(struct match *m, const struct match_message *message)
{
    const struct smb_element *first = &message->elements[0];
    uint32_t index;

    m->now_ns = message->frame->last_ns;
    if (first->secondary) {
        extend(m, message);
        return;
    }
    if (first->opaque)
        settle_opaque(m, false);
    index = open_slot(m, message);
    forget_closed(m, message);
    if (slot_at(m, index)->x.flags & REPLAY_ONE_WAY) {
        close_slot(m, index);
        return;
    }
    if (first->opaque) {
        opaque_pairs_request(&m->opaque, index);
        return;
    }
    if (first->command == COMMAND(1, 0x72))
        m->negotiate_id = first->id;
    for (unsigned i = 0; i < message->count; i++)
        enlist(m, message->elements[i].id, index);
}

/* ---- responses -------------------------------------------------------------------------------------------------------- */

/* False when nothing is answered, or not yet. */
static bool find_opaque(struct match *m, const struct nbss_message *f, uint32_t *index)
{
    switch (opaque_pairs_response(&m->opaque, f, index)) {
    case OPAQUE_UNASKED:
        ledger_add(m->ledger, LEDGER_NO_REQUEST, 1, message_bytes(f));
        return false;
    case OPAQUE_HELD:
        return false;
    case OPAQUE_ANSWER_AFTER_INTERIM:
        slot_at(m, *index)->x.flags |= REPLAY_INTERIM;
        return true;
    default:
        return true;
    }
}

static bool find_request(struct match *m, const struct smb_element *e, uint64_t *id, uint32_t *index)
{
    *id = e->id;
    if (idmap_get(&m->by_id, *id, index))
        return true;
    if (e->command == SMB2_NEGOTIATE && m->negotiate_id) {
        *id = m->negotiate_id; /* [MS-SMB2] 3.3.5.3.1 */
        return idmap_get(&m->by_id, *id, index);
    }
    return false;
}

static void answer_element(struct match *m, struct match_slot *slot, const struct smb_element *e)
{
    slot->x.data_bytes += e->data_bytes;
    if (e->error)
        return;
    if (e->opens) {
        find_open(m, slot, e);
        if (!e->has_file) {
            slot->open.row = files_row(&m->channel.shared->files, slot->name);
            m->unclaimed++;
            m->unclaimed_row = slot->open.row;
        }
        slot->use.opened = true;
    }
    if (e->has_size && slot->open.row > 0)
        files_note_size(&m->channel.shared->files, slot->open.row, e->size, e->directory);
    if (command_is_read(e->command)) {
        slot->use.read += e->data_bytes;
        slot->use.end = MAX(slot->use.end, slot->offset + e->data_bytes);
    }
}

static void answer(struct match *m, uint32_t index, const struct smb_element *e,
                   const struct match_message *message, bool new_message)
{
    struct match_slot *slot = slot_at(m, index);
    struct replay_exchange *x = &slot->x;
    bool first = x->response_first_ns < 0;

    if (new_message)
        note_response(x, message->frame);
    if (message->cut)
        x->flags |= REPLAY_CUT;
    if (e->inferred)
        x->flags |= REPLAY_INFERRED;
    if (first) {
        x->status = e->status;
        if (e->error)
            x->flags |= REPLAY_ERROR;
    }
    answer_element(m, slot, e);
    for (unsigned i = 0; i < message->chained; i++)
        answer_element(m, slot, &message->elements[message->count + i]);
}

void match_response(struct match *m, const struct match_message *message)
{
    uint32_t noted = UINT32_MAX; /* the exchange that has this message's times already */

    m->now_ns = message->frame->last_ns;
    for (unsigned i = 0; i < message->count; i++) {
        const struct smb_element *e = &message->elements[i];
        uint32_t index;
        uint64_t id = 0;

        if (e->unasked) {
            ledger_add(m->ledger, LEDGER_OPLOCK_BREAK, 1, message_bytes(message->frame));
            continue;
        }
        if (e->opaque) {
            if (!find_opaque(m, message->frame, &index))
                continue;
        } else if (!find_request(m, e, &id, &index)) {
            ledger_add(m->ledger, LEDGER_NO_REQUEST, 1, i == 0 ? message_bytes(message->frame) : 0);
            continue;
        }
        if (e->interim) {
            slot_at(m, index)->x.flags |= REPLAY_INTERIM;
            continue;
        }
        answer(m, index, e, message, index != noted);
        noted = index;
        if (slot_at(m, index)->replies > 0) {
            slot_at(m, index)->replies--;
            continue;
        }
        if (e->more)
            continue;
        if (!e->opaque)
            idmap_remove(&m->by_id, id);
        if (--slot_at(m, index)->left == 0) {
            complete(m, index);
            noted = UINT32_MAX;
        }
    }
}
