/* What a message means to its connection: facts and counts, roles, and the exchange that it is part of. */
#include "replay/connection_parts.h"
#include "replay/study.h"
#include "replay/subcommands.h"

static void note_dialect(struct replay_connection *facts, const struct smb_element *e)
{
    const char *name = smb_dialect_name(e->dialect);

    if (name)
        facts->dialect = name;
    else if (!facts->dialect && COMMAND_PROTOCOL(e->command) == 1 && e->command != COMMAND(1, 0x72))
        facts->dialect = smb_dialect_name(SMB_DIALECT_1);
}

/* Messages of the session's set-up are signed, or not, by rules of their own. */
static bool says_whether_signed(const struct smb_element *e)
{
    enum { SMB2_TREE_CONNECT = COMMAND(2, 3) };

    switch (e->command) {
    case COMMAND(1, 0x72):
    case COMMAND(1, 0x73):
    case COMMAND(1, 0x75):
    case SMB2_NEGOTIATE:
    case SMB2_SESSION_SETUP:
    case SMB2_TREE_CONNECT:
        return false;
    default:
        return !e->opaque && !e->hidden;
    }
}

static void note_element(struct replay_connection *facts, const struct smb_element *e)
{
    note_dialect(facts, e);
    if (says_whether_signed(e) && facts->signed_ != REPLAY_YES)
        facts->signed_ = e->signature ? REPLAY_YES : REPLAY_NO;
    facts->opens += e->opens && !e->error;
    if (!e->error && e->response && command_is_read(e->command))
        facts->bytes_read += e->data_bytes;
    if (!e->response && command_is_write(e->command))
        facts->bytes_written += e->data_bytes;
    facts->encrypted |= e->encrypted;
    facts->compressed |= e->compressed;
    facts->compressed_messages += e->compressed_bytes > 0;
    facts->original_bytes += e->original_bytes;
    facts->compressed_bytes += e->compressed_bytes;
}

static void note_protocol(struct conversation *s, const struct smb_element *e, uint64_t frame)
{
    if (e->opaque || e->hidden)
        return;
    if (COMMAND_PROTOCOL(e->command) == 2) {
        unsigned sessions = s->smb2.session_count;

        smb2_facts_element(&s->smb2, e, frame);
        if (s->smb2.session_count > sessions)
            channels_join(&s->connection->shared->channels, &s->match.channel, &s->smb2);
    }
    if (e->has_sub && !e->response)
        subcommands_count(s->connection->facts->subcommands, e->command, e->sub);
}

static void count_elements(struct conversation *s, const struct nbss_message *m, const GArray *elements)
{
    struct replay_connection *facts = s->connection->facts;
    uint64_t left = (uint64_t)m->length + NBSS_PREFIX;
    bool andx = false;

    for (guint i = 0; i < elements->len; i++) {
        const struct smb_element *e = &g_array_index(elements, struct smb_element, i);
        uint64_t bytes = e->length > 0 && e->length < left ? e->length + (i == 0 ? NBSS_PREFIX : 0) : left;

        note_element(facts, e);
        usage_element(&s->usage, e, m->last_frame);
        note_protocol(s, e, m->last_frame);
        if (e->opaque) {
            facts->opaque_messages++;
            facts->opaque_bytes += left;
        } else if (e->hidden) {
            ledger_add(&s->connection->shared->ledger, LEDGER_COMPRESSED, 1, left);
        } else {
            commands_count(&s->usage.commands, e, andx || (e->secondary && e->command == SMB1_WRITE_RAW),
                           bytes);
        }
        left -= bytes < left ? bytes : left;
        andx = andx || COMMAND_PROTOCOL(e->command) == 1;
    }
}

/* Without a SYN or a known port the roles were a guess: whoever sends the first request is the client. */
static void settle_roles(struct connection *c, enum replay_direction sender, const struct smb_element *first)
{
    enum replay_direction requests = first->response ? REPLAY_DOWN : REPLAY_UP;

    if (c->roles_known || first->opaque || first->hidden)
        return;
    c->roles_known = true;
    if (sender == requests)
        return;
    c->first_sends = c->first_sends == REPLAY_UP ? REPLAY_DOWN : REPLAY_UP;
    g_clear_pointer(&c->facts->client, g_free); /* exchanges of encrypted messages may have named the ends */
    tcp_measure_swap(&c->tcp);
    for (guint i = 0; c->facts->segments_kept && i < c->facts->segments_kept->len; i++)
        g_array_index(c->facts->segments_kept, struct replay_segment, i).direction ^= 1;
    if (c->facts->study)
        study_swap(c->facts->study);
}

static bool is_response(const struct connection *c, const struct half *h, const struct smb_element *e)
{
    bool from_first = h == &c->smb->half[0];

    if (!e->opaque)
        return e->response || e->unasked;
    return (from_first ? c->first_sends : !c->first_sends) == REPLAY_DOWN;
}

/* A response to a request that was inferred but not handed over yet shows that it was there. */
static void settle_requests(const struct half *h, const struct smb_element *e)
{
    struct half *requests = half_other(h);
    struct match_expected expected;
    unsigned most = nbss_inferred(&requests->nbss) + 1, count;

    if (e->opaque || (most == 1 && requests->nbss.state != NBSS_IN_INFERRED))
        return;
    if (e->no_id)
        count = requests->infer.last.command == e->command &&
                !match_expects_command(&h->session->match, e->command, &expected);
    else if (match_knows(&h->session->match, e->id))
        return;
    else
        count = infer_requests_until(&requests->infer, e->id, most);
    if (count > 0)
        nbss_answered(&requests->nbss, count);
}

/* What the snap length cut off of a message that was seen: its data's size follows from its length, its id from the order of
 * requests. */
static void complete_cut(struct half *h, const struct nbss_message *m, struct smb_element *e)
{
    struct ledger *ledger = &h->session->connection->shared->ledger;
    struct match_expected expected;

    if (e->no_data) {
        e->data_bytes = infer_data(&h->infer, e, m->length);
        ledger_add(ledger, LEDGER_SIZE_NOT_CAPTURED, 1, e->data_bytes);
    }
    if (!e->no_id)
        return;
    if (!e->response)
        e->id = INFER_ID + h->infer.ids++;
    else if (match_expects_command(&h->session->match, e->command, &expected))
        e->id = expected.id;
    ledger_add(ledger, LEDGER_ID_NOT_CAPTURED, 1, 0);
}

static void note_request(struct conversation *s, const struct match_message *message)
{
    match_request(&s->match, message);
    if (s->connection->facts->study)
        s->connection->shared->window_used += CONNECTION_EXCHANGE_WEIGHT;
}

void connection_use_message(struct half *h, const struct nbss_message *m, bool cut)
{
    struct conversation *s = h->session;
    struct connection *c = s->connection;
    struct smb_element *first = &g_array_index(h->elements, struct smb_element, 0);
    struct match_message message = {m, first, COMMAND_PROTOCOL(first->command) == 1 ? 1 : h->elements->len, 0,
                                    cut};

    message.chained = h->elements->len - message.count;
    settle_roles(c, half_sender(h), first);
    if (first->response)
        settle_requests(h, first);
    if (first->no_data || first->no_id)
        complete_cut(h, m, first);
    s->decoded_bytes += (uint64_t)m->length + NBSS_PREFIX - m->missing;
    if (!cut) {
        s->messages++;
        count_elements(s, m, h->elements);
    }
    if (first->hidden)
        return;
    if (is_response(c, h, first)) {
        match_response(&s->match, &message);
    } else {
        s->match.answered = nbss_inferred(&half_other(h)->nbss);
        note_request(s, &message);
    }
}
