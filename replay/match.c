#include "replay/match.h"
#include "replay/array.h"

#include <string.h>

struct match_slot {
    struct replay_exchange x;
    uint32_t left;    /* elements without an answer; 0: the slot is free */
    uint64_t kept_at; /* its number among all exchanges */
};

void match_init(struct match *m, bool keep, struct ledger *ledger, struct commands *commands)
{
    memset(m, 0, sizeof *m);
    m->ledger = ledger;
    m->commands = commands;
    m->slots = g_array_new(FALSE, FALSE, sizeof(struct match_slot));
    m->free_slots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    m->opaque = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    if (keep)
        m->kept = g_array_new(FALSE, FALSE, sizeof(struct replay_exchange));
}

void match_fini(struct match *m)
{
    idmap_fini(&m->by_id);
    opens_fini(&m->opens);
    g_clear_pointer(&m->slots, g_array_unref);
    g_clear_pointer(&m->free_slots, g_array_unref);
    g_clear_pointer(&m->opaque, g_array_unref);
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

static bool counts_as_waiting(const struct replay_exchange *x)
{
    return (x->flags & (REPLAY_BACKGROUND | REPLAY_ONE_WAY)) == 0;
}

/* The exchange is over, answered or not: what is known of it is final. */
static void close_slot(struct match *m, uint32_t index)
{
    struct match_slot *slot = slot_at(m, index);
    struct replay_exchange *x = &slot->x;

    slot->left = 0;
    if (counts_as_waiting(x))
        m->waiting--;
    if (x->response_first_ns < 0) {
        x->flags |= REPLAY_NO_RESPONSE;
        if (!(x->flags & REPLAY_ONE_WAY)) {
            m->unanswered++;
            ledger_add(m->ledger, LEDGER_NO_RESPONSE, 1, x->request_bytes);
        }
    }
    if (m->timeline)
        timeline_exchange(m->timeline, x);
    if (m->kept && slot->kept_at >= m->let_go)
        g_array_index(m->kept, struct replay_exchange, slot->kept_at - m->let_go) = *x;
    g_array_append_val(m->free_slots, index);
}

static void complete(struct match *m, uint32_t index)
{
    const struct replay_exchange *x = &slot_at(m, index)->x;

    if (!(x->flags & REPLAY_OPAQUE))
        commands_service(m->commands, x->command, x->response_first_ns - x->request_last_ns);
    close_slot(m, index);
}

static void give_up_all(struct match *m)
{
    for (uint32_t i = 0; i < m->slots->len; i++) {
        if (slot_at(m, i)->left > 0)
            close_slot(m, i);
    }
    idmap_clear(&m->by_id);
    g_array_set_size(m->opaque, 0);
    m->opaque_head = 0;
}

void match_finish(struct match *m)
{
    give_up_all(m);
}

void match_let_go(struct match *m, guint count)
{
    if (count == 0)
        return;
    m->kept = array_without_first(m->kept, count);
    m->let_go += count;
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

static uint32_t message_bytes(const struct nbss_message *f)
{
    return f->length + NBSS_PREFIX;
}

static void describe(struct match *m, const struct match_message *message, struct replay_exchange *x)
{
    const struct nbss_message *f = message->frame;

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
    for (unsigned i = 0; i < message->count; i++) {
        const struct smb_element *e = &message->elements[i];

        x->data_bytes += e->data_bytes;
        if (e->has_file)
            x->file = opens_number(&m->opens, e, x->file);
        if (e->background)
            x->flags |= REPLAY_BACKGROUND;
        if (e->opaque)
            x->flags |= REPLAY_OPAQUE;
    }
    if (message->count == 1 && message->elements[0].one_way)
        x->flags |= REPLAY_ONE_WAY;
    if (message->cut)
        x->flags |= REPLAY_CUT;
}

/* Files are forgotten with the request that closes them, for an id may be given out again before the response is seen. */
static void forget_closed(struct match *m, const struct match_message *message)
{
    for (unsigned i = 0; i < message->count; i++) {
        if (message->elements[i].command == SMB2_CLOSE || message->elements[i].command == SMB1_CLOSE)
            opens_close(&m->opens, &message->elements[i]);
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
    describe(m, message, &slot->x);
    slot->left = message->count;
    if (m->kept) {
        slot->kept_at = m->let_go + m->kept->len;
        g_array_append_val(m->kept, slot->x);
        g_array_index(m->kept, struct replay_exchange, m->kept->len - 1).flags |= REPLAY_OPEN;
    }
    m->exchanges++;
    if (counts_as_waiting(&slot->x) && ++m->waiting > m->max_waiting)
        m->max_waiting = m->waiting;
    return index;
}

void match_request(struct match *m, const struct match_message *message)
{
    const struct smb_element *first = &message->elements[0];
    uint32_t index;

    if (first->secondary) {
        extend(m, message);
        return;
    }
    index = open_slot(m, message);
    forget_closed(m, message);
    if (slot_at(m, index)->x.flags & REPLAY_ONE_WAY) {
        close_slot(m, index);
        return;
    }
    if (first->opaque) {
        g_array_append_val(m->opaque, index);
        return;
    }
    if (first->command == COMMAND(1, 0x72))
        m->negotiate_id = first->id;
    for (unsigned i = 0; i < message->count; i++)
        enlist(m, message->elements[i].id, index);
}

/* ---- responses -------------------------------------------------------------------------------------------------------- */

static bool pop_opaque(struct match *m, uint32_t *index)
{
    if (m->opaque_head >= m->opaque->len)
        return false;
    *index = g_array_index(m->opaque, uint32_t, m->opaque_head++);
    if (m->opaque_head == m->opaque->len) {
        g_array_set_size(m->opaque, 0);
        m->opaque_head = 0;
    } else if (m->opaque_head >= 1024 && m->opaque_head * 2 >= m->opaque->len) {
        g_array_remove_range(m->opaque, 0, m->opaque_head);
        m->opaque_head = 0;
    }
    return true;
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
    if (first) {
        x->status = e->status;
        if (e->error)
            x->flags |= REPLAY_ERROR;
    }
    x->data_bytes += e->data_bytes;
    if (e->opens && !e->error)
        x->file = opens_number(&m->opens, e, x->file);
}

void match_response(struct match *m, const struct match_message *message)
{
    uint32_t noted = UINT32_MAX; /* the exchange that has this message's times already */

    for (unsigned i = 0; i < message->count; i++) {
        const struct smb_element *e = &message->elements[i];
        uint32_t index;
        uint64_t id = 0;

        if (e->unasked) {
            ledger_add(m->ledger, LEDGER_OPLOCK_BREAK, 1, message_bytes(message->frame));
            continue;
        }
        if (e->opaque ? !pop_opaque(m, &index) : !find_request(m, e, &id, &index)) {
            ledger_add(m->ledger, LEDGER_NO_REQUEST, 1, i == 0 ? message_bytes(message->frame) : 0);
            continue;
        }
        if (e->interim) {
            slot_at(m, index)->x.flags |= REPLAY_INTERIM;
            continue;
        }
        answer(m, index, e, message, index != noted);
        noted = index;
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
