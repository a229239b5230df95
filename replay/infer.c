#include "replay/infer.h"

/* Of messages that are built as they mostly are: [MS-SMB2] 2.2.20 and 2.2.21, [MS-CIFS] 2.2.4.42.2 and 2.2.4.43.1, with the
 * data behind one byte of padding. */
static uint32_t usual_overhead(uint16_t command)
{
    switch (command) {
    case SMB2_READ:
        return 64 + 16;
    case SMB2_WRITE:
        return 64 + 48;
    case SMB1_READ_ANDX:
        return 32 + 1 + 24 + 2 + 1;
    case SMB1_WRITE_ANDX:
        return 32 + 1 + 28 + 2 + 1;
    default:
        return 0;
    }
}

static uint32_t overhead_of(const struct infer *i, uint16_t command)
{
    uint32_t learnt = i->overhead[COMMAND_PROTOCOL(command) % 3][COMMAND_CODE(command)];

    return learnt ? learnt : usual_overhead(command);
}

static bool repeats(const struct smb_element *e)
{
    return command_is_read(e->command) || command_is_write(e->command);
}

void infer_note(struct infer *i, const struct smb_element *e, uint32_t length)
{
    unsigned protocol = COMMAND_PROTOCOL(e->command) % 3, code = COMMAND_CODE(e->command);

    if (e->next == 0 && !e->error && !e->interim) {
        i->length[protocol][code] = length;
        if (!e->no_data && length >= e->data_bytes)
            i->overhead[protocol][code] = length - e->data_bytes;
    }
    if (e->response)
        return;
    i->last = *e;
    i->last.name = NULL;
    i->last_length = length;
    if (!repeats(e) || e->next > 0)
        i->last.command = COMMAND_NONE;
}

uint32_t infer_request_length(const struct infer *i)
{
    return i->last.command == COMMAND_NONE ? 0 : i->last_length;
}

uint32_t infer_response_length(const struct infer *i, const struct match_expected *x)
{
    uint32_t overhead = overhead_of(i, x->command);

    if (x->count != 1 || (overhead == 0 && x->data_bytes > 0))
        return 0;
    if (x->no_asks)
        return i->length[COMMAND_PROTOCOL(x->command) % 3][COMMAND_CODE(x->command)];
    return overhead + (command_is_read(x->command) ? x->data_bytes : 0);
}

/* SMB2's ids are counted by credits; those of SMB1 are the client's to choose, and most count. */
static void advance_id(struct smb_element *e)
{
    enum { MID = 0xffff };

    if (e->no_id)
        e->id++;
    else if (COMMAND_PROTOCOL(e->command) == 1)
        e->id = (e->id & ~(uint64_t)MID) | ((e->id + 1) & MID);
    else
        e->id += e->credit_charge ? e->credit_charge : 1;
}

unsigned infer_requests_until(const struct infer *i, uint64_t id, unsigned most)
{
    struct smb_element e = i->last;

    if (e.command == COMMAND_NONE)
        return 0;
    for (unsigned count = 1; count <= most; count++) {
        advance_id(&e);
        if (e.id == id)
            return count;
    }
    return 0;
}

struct smb_element infer_request(struct infer *i, uint32_t length)
{
    struct smb_element *e = &i->last, next;

    e->offset += command_is_write(e->command) ? e->data_bytes : e->asks;
    if (e->no_id)
        e->id = INFER_ID + i->ids++;
    else
        advance_id(e);
    if (command_is_write(e->command))
        e->data_bytes = infer_data(i, e, length);
    i->last_length = length;
    next = *e;
    next.no_id = next.no_data = false;
    return next;
}

struct smb_element infer_response(const struct infer *i, const struct match_expected *x, uint32_t length)
{
    struct smb_element e;

    smb_element_init(&e);
    e.command = x->command;
    e.response = true;
    e.id = x->id;
    if (command_is_read(e.command))
        e.data_bytes = infer_data(i, &e, length);
    return e;
}

uint32_t infer_data(const struct infer *i, const struct smb_element *e, uint32_t length)
{
    uint32_t overhead = overhead_of(i, e->command);

    return overhead > 0 && length > overhead ? length - overhead : 0;
}
