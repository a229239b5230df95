#include "replay/connection.h"
#include "replay/capture_marks.h"
#include "replay/infer.h"
#include "replay/match.h"
#include "replay/nbss.h"
#include "replay/smb1.h"
#include "replay/smb2.h"
#include "replay/smb2_facts.h"
#include "replay/smb2_transform.h"
#include "replay/stream.h"
#include "replay/study.h"
#include "replay/subcommands.h"
#include "replay/tcp_measure.h"
#include "replay/usage.h"

#include <gio/gio.h>
#include <string.h>

enum { PORT_SMB = 445, PORT_NETBIOS = 139, CHAIN_MAX = 1024, LOOKS = 8 };

struct smb_session;

/* One direction: stream, framing, and the message that is being decoded. */
struct half {
    struct smb_session *session;
    struct stream stream;
    struct nbss nbss;
    GArray *elements;  /* of struct smb_element */
    GByteArray *names; /* of the elements, whose own views end with the part */
    struct infer infer;
    bool malformed;
};

struct smb_session {
    struct connection *connection;
    struct half half[REPLAY_DIRECTIONS];
    struct usage usage;
    struct match match;
    struct smb2_transform *transform;
    struct smb2_facts smb2;
    uint64_t messages; /* decoded */
    uint64_t decoded_bytes;
};

struct connection {
    struct connection_shared *shared;
    struct frame_end first, second;
    bool ipv6;
    enum replay_direction first_sends; /* the direction in which the first frame went */
    bool roles_known;
    unsigned looks; /* payload frames looked at for SMB */
    struct tcp_measure tcp;
    uint64_t packets, bytes;          /* for the ledger, when it has no SMB */
    bool finished[REPLAY_DIRECTIONS]; /* by FIN or RST */
    struct capture_marks marks[2];    /* of the first end's frames, and of the second's */
    struct replay_connection *facts;
    struct smb_session *smb; /* NULL until there is SMB */
};

static bool is_smb_port(uint16_t port)
{
    return port == PORT_SMB || port == PORT_NETBIOS;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

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

static void note_protocol(struct smb_session *s, const struct smb_element *e)
{
    if (e->opaque || e->hidden)
        return;
    if (COMMAND_PROTOCOL(e->command) == 2)
        smb2_facts_element(&s->smb2, e);
    if (e->has_sub && !e->response)
        subcommands_count(s->connection->facts->subcommands, e->command, e->sub);
}

static void count_elements(struct smb_session *s, const struct nbss_message *m, const GArray *elements)
{
    struct replay_connection *facts = s->connection->facts;
    uint64_t left = (uint64_t)m->length + NBSS_PREFIX;
    bool andx = false;

    for (guint i = 0; i < elements->len; i++) {
        const struct smb_element *e = &g_array_index(elements, struct smb_element, i);
        uint64_t bytes = e->length > 0 && e->length < left ? e->length + (i == 0 ? NBSS_PREFIX : 0) : left;

        note_element(facts, e);
        usage_element(&s->usage, e, m->last_frame);
        note_protocol(s, e);
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

static enum replay_direction sender_of(const struct half *h)
{
    const struct connection *c = h->session->connection;

    return h == &h->session->half[0] ? c->first_sends : (enum replay_direction) !c->first_sends;
}

static struct half *other_half(const struct half *h)
{
    return &h->session->half[h == &h->session->half[0]];
}

/* A response to a request that was inferred but not handed over yet shows that it was there. */
static void settle_requests(const struct half *h, const struct smb_element *e)
{
    struct half *requests = other_half(h);
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

static void note_request(struct smb_session *s, const struct match_message *message)
{
    match_request(&s->match, message);
    if (s->connection->facts->study)
        s->connection->shared->window_used += CONNECTION_EXCHANGE_WEIGHT;
}

/* A message that the capture cuts short is no message for the counts, but its bytes took their time. */
static void use_message(struct half *h, const struct nbss_message *m, bool cut)
{
    struct smb_session *s = h->session;
    struct connection *c = s->connection;
    struct smb_element *first = &g_array_index(h->elements, struct smb_element, 0);
    struct match_message message = {m, first, COMMAND_PROTOCOL(first->command) == 1 ? 1 : h->elements->len, 0,
                                    cut};

    message.chained = h->elements->len - message.count;
    settle_roles(c, sender_of(h), first);
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
        s->match.answered = nbss_inferred(&other_half(h)->nbss);
        note_request(s, &message);
    }
}

/* ---- what framing asks for -------------------------------------------------------------------------------------------- */

static enum smb_outcome decode_at(const struct half *h, const struct nbss_message *m, uint32_t at,
                                  const uint8_t *bytes, size_t length, struct smb_element *out)
{
    if (at == 0)
        return smb_version(bytes, length) == 1 ? smb1_decode(bytes, length, out)
                                               : smb2_decode(bytes, length, m->length, out);
    if (COMMAND_PROTOCOL(g_array_index(h->elements, struct smb_element, 0).command) == 1)
        return smb1_decode_andx(bytes, length,
                                &g_array_index(h->elements, struct smb_element, h->elements->len - 1), out);
    return smb2_decode(bytes, length, m->length - at, out);
}

/* The name outlives the bytes that it was found in. Its place in `names` is known at the end only, for that may move. */
static void add_element(struct half *h, struct smb_element *e)
{
    if (e->name)
        g_byte_array_append(h->names, e->name, e->name_length);
    g_array_append_val(h->elements, *e);
}

static void place_names(struct half *h)
{
    const uint8_t *at = h->names->data;

    for (guint i = 0; h->names->len > 0 && i < h->elements->len; i++) {
        struct smb_element *e = &g_array_index(h->elements, struct smb_element, i);

        if (e->name) {
            e->name = at;
            at += e->name_length;
        }
    }
}

static void start_elements(struct half *h)
{
    g_array_set_size(h->elements, 0);
    if (h->names->len > 0)
        g_byte_array_set_size(h->names, 0);
}

static uint32_t take_part(void *self, const struct nbss_message *m, uint32_t at, const uint8_t *bytes,
                          size_t length, bool cut)
{
    struct half *h = self;
    struct smb_element e;
    enum smb_outcome outcome;

    (void)cut; /* a decoder sees by itself how far the bytes go */
    if (at == 0) {
        start_elements(h);
        h->malformed = false;
    }
    outcome = decode_at(h, m, at, bytes, length, &e);
    if (outcome != SMB_OK || h->elements->len == CHAIN_MAX) {
        h->malformed = outcome == SMB_MALFORMED;
        if (at > 0)
            ledger_add(&h->session->connection->shared->ledger, LEDGER_CHAIN_CUT, 1, m->length - at);
        return 0;
    }
    if (e.data_bytes > m->length && !e.compressed) { /* more than its message can hold */
        e.data_bytes = 0;
        ledger_add(&h->session->connection->shared->ledger, LEDGER_DATA_BEYOND_MESSAGE, 1, 0);
    }
    add_element(h, &e);
    if (e.command == SMB2_NEGOTIATE)
        smb2_negotiate_decode(&h->session->smb2.negotiated, bytes, length);
    if (at == 0 && smb2_transform_wants(h->session->transform, bytes, length))
        return NBSS_WHOLE;
    if (e.next == 0)
        return 0;
    return COMMAND_PROTOCOL(e.command) == 1 ? e.next : at + e.next;
}

/* ---- whole messages ----------------------------------------------------------------------------------------------------- */

/* The commands of a message of SMB2 that is there in full. */
static void decode_chain(struct half *h, const uint8_t *bytes, size_t length)
{
    struct smb_element e;
    size_t at = 0;

    start_elements(h);
    do {
        if (smb2_decode(bytes + at, length - at, (uint32_t)(length - at), &e) != SMB_OK ||
            h->elements->len == CHAIN_MAX) {
            h->malformed = at == 0;
            if (at > 0)
                ledger_add(&h->session->connection->shared->ledger, LEDGER_CHAIN_CUT, 1, length - at);
            return;
        }
        add_element(h, &e);
        at += e.next;
    } while (e.next > 0);
}

/* What the wire showed of a transformed message, where its commands share the bytes that they had there by their lengths. */
static void note_transform(struct half *h, const struct nbss_message *m, const struct smb2_undone *u)
{
    for (guint i = 0; i < h->elements->len; i++) {
        struct smb_element *e = &g_array_index(h->elements, struct smb_element, i);

        e->encrypted = u->encrypted;
        e->compressed = u->compressed;
        e->length = (uint32_t)((uint64_t)e->length * m->length / u->length);
        if (i == 0 && u->compressed) {
            e->original_bytes = (uint32_t)u->length;
            e->compressed_bytes = u->compressed_bytes;
        }
    }
}

/* A message that can't be undone stays what its header alone made of it. */
static void take_whole(void *self, const struct nbss_message *m, const uint8_t *bytes, size_t length)
{
    struct half *h = self;
    struct smb2_undone undone;

    if (length < m->length)
        return;
    if (!smb2_transform_is_needed(bytes, length)) {
        smb2_transform_observe(h->session->transform, bytes, length);
        decode_chain(h, bytes, length);
        return;
    }
    if (smb2_transform_undo(h->session->transform, sender_of(h), bytes, length, &undone) !=
        SMB2_TRANSFORM_DONE)
        return;
    decode_chain(h, undone.bytes, undone.length);
    note_transform(h, m, &undone);
}

/* ---- messages whose header was cut off ---------------------------------------------------------------------------------- */

static uint32_t infer_length(void *self, unsigned ahead)
{
    struct half *h = self;
    struct match_expected expected;

    if (sender_of(h) == REPLAY_UP)
        return infer_request_length(&h->infer);
    if (!match_expects(&h->session->match, ahead, &expected)) {
        /* The server goes on answering, so the requests that were inferred are there. */
        nbss_answered(&other_half(h)->nbss, nbss_inferred(&other_half(h)->nbss));
        if (!match_expects(&h->session->match, ahead, &expected))
            return 0;
    }
    return infer_response_length(&h->infer, &expected);
}

/* Interim responses of SMB2 come unforeseen, and are all alike: a header and [MS-SMB2] 2.2.2. */
static uint32_t infer_between(void *self)
{
    enum { HEADER = 64, ERROR_BODY = 9 };
    const struct half *h = self;
    struct match_expected expected;

    if (sender_of(h) == REPLAY_UP || !match_expects(&h->session->match, 0, &expected) ||
        COMMAND_PROTOCOL(expected.command) != 2)
        return 0;
    return HEADER + ERROR_BODY;
}

/* The response to the request that waits longest and lets one expect that length, or else more. */
static bool find_expected(const struct half *h, uint32_t length, struct match_expected *found)
{
    const struct match *match = &h->session->match;
    struct match_expected x;

    for (unsigned i = 0; i < NBSS_INFERRED_MAX && match_expects(match, i, &x); i++) {
        if (infer_response_length(&h->infer, &x) == length) {
            *found = x;
            return true;
        }
    }
    return match_expects(match, 0, found) && infer_response_length(&h->infer, found) > length;
}

/* A message that is there by its length alone. False when it can't be what was expected. */
static bool use_inferred(struct half *h, const struct nbss_message *m, bool sure, bool broken)
{
    struct match_expected expected;
    struct smb_element e;

    if (sender_of(h) == REPLAY_UP && infer_request_length(&h->infer) >= m->length)
        e = infer_request(&h->infer, m->length);
    else if (sender_of(h) == REPLAY_DOWN && find_expected(h, m->length, &expected))
        e = infer_response(&h->infer, &expected, m->length);
    else
        return false;
    e.inferred = true;
    if (!broken)
        ledger_add(&h->session->connection->shared->ledger,
                   sure ? LEDGER_INFERRED : LEDGER_INFERRED_UNCHECKED, 1, (uint64_t)m->length + NBSS_PREFIX);
    start_elements(h);
    g_array_append_val(h->elements, e);
    use_message(h, m, broken);
    start_elements(h);
    return true;
}

static void take_inferred(void *self, const struct nbss_message *m, bool sure, bool broken)
{
    struct half *h = self;

    if (!use_inferred(h, m, sure, broken) && !broken)
        ledger_add(&h->session->connection->shared->ledger, LEDGER_HEADER_NOT_CAPTURED, 1, m->length);
}

static void end_message(void *self, const struct nbss_message *m, bool broken)
{
    struct half *h = self;
    enum ledger_reason reason = h->malformed ? LEDGER_HEADER_MALFORMED : LEDGER_HEADER_NOT_CAPTURED;

    place_names(h);
    if (h->elements->len > 0) {
        const struct smb_element *first = &g_array_index(h->elements, struct smb_element, 0);

        use_message(h, m, broken);
        if (h->elements->len == 1 && !first->opaque && !first->hidden && !broken)
            infer_note(&h->infer, first, m->length);
        else
            h->infer.last.command = COMMAND_NONE;
    } else if (!broken && (h->malformed || m->missing > 0 || !use_inferred(h, m, true, false))) {
        ledger_add(&h->session->connection->shared->ledger, reason, 1, m->length);
    }
    start_elements(h);
}

/* [MS-CIFS] 2.2.4.22.2, 2.2.4.25: the data of a READ_RAW or WRITE_RAW stands alone in its message. What is being waited for says
 * which it is. */
static bool take_raw(void *self, const struct nbss_message *m)
{
    struct half *h = self;
    bool up = sender_of(h) == REPLAY_UP;
    uint16_t command = up ? SMB1_WRITE_RAW : SMB1_READ_RAW;
    struct match_expected x;
    struct smb_element e;

    if (!match_expects_command(&h->session->match, command, &x))
        return false;
    smb_element_init(&e);
    e.command = command;
    e.id = x.id;
    e.response = !up;
    e.secondary = up;
    e.data_bytes = m->length;
    start_elements(h);
    g_array_append_val(h->elements, e);
    use_message(h, m, false);
    start_elements(h);
    return true;
}

/* ---- life --------------------------------------------------------------------------------------------------------------- */

static char *end_text(const struct frame_end *e, bool ipv6)
{
    g_autoptr(GInetAddress) address =
        g_inet_address_new_from_bytes(e->address, ipv6 ? G_SOCKET_FAMILY_IPV6 : G_SOCKET_FAMILY_IPV4);
    g_autofree char *text = g_inet_address_to_string(address);

    return g_strdup_printf(ipv6 ? "[%s]:%u" : "%s:%u", text, e->port);
}

/* Of the roles as they are known by now. */
static void name_ends(struct connection *c)
{
    const struct frame_end *client = c->first_sends == REPLAY_UP ? &c->first : &c->second;
    const struct frame_end *server = c->first_sends == REPLAY_UP ? &c->second : &c->first;

    g_free(c->facts->client);
    g_free(c->facts->server);
    c->facts->client = end_text(client, c->ipv6);
    c->facts->server = end_text(server, c->ipv6);
}

/* A match's `done`. */
static void hand_out(void *self, const struct replay_exchange *x, const char *file)
{
    struct connection *c = self;
    const struct replay_options *o = &c->shared->options;

    if (!c->facts->client)
        name_ends(c);
    o->exchange(o->self, c->facts, x, file);
}

static void start_smb(struct connection *c)
{
    struct ledger *ledger = &c->shared->ledger;
    struct smb_session *s = g_new0(struct smb_session, 1);

    c->smb = s;
    s->connection = c;
    s->transform = smb2_transform_new(c->shared->sessions);
    match_init(&s->match, c->shared->options.keep_exchanges || c->facts->study, ledger, &s->usage.commands);
    s->match.timeline = c->shared->timeline;
    if (c->shared->options.exchange) {
        s->match.done = hand_out;
        s->match.self = c;
    }
    for (int i = 0; i < REPLAY_DIRECTIONS; i++) {
        struct half *h = &s->half[i];
        enum replay_direction direction = i == 0 ? c->first_sends : (enum replay_direction) !c->first_sends;
        struct nbss_reader reader = {take_part, take_whole,   end_message,   h,
                                     take_raw,  infer_length, infer_between, take_inferred};

        h->session = s;
        h->elements = g_array_new(FALSE, FALSE, sizeof(struct smb_element));
        h->names = g_byte_array_new();
        nbss_init(&h->nbss, c->tcp.syn_seen[direction], &reader, ledger);
        stream_init(&h->stream, nbss_chunk, &h->nbss, ledger);
    }
}

static void free_smb(struct smb_session *s)
{
    if (!s)
        return;
    for (int i = 0; i < REPLAY_DIRECTIONS; i++) {
        stream_fini(&s->half[i].stream);
        nbss_fini(&s->half[i].nbss);
        g_array_unref(s->half[i].elements);
        g_byte_array_unref(s->half[i].names);
    }
    smb2_transform_free(s->transform);
    match_fini(&s->match);
    usage_fini(&s->usage);
    g_free(s);
}

struct connection *connection_new(const struct frame *f, struct connection_shared *shared)
{
    struct connection *c = g_new0(struct connection, 1);
    bool syn = (f->flags & FRAME_SYN) != 0;

    c->shared = shared;
    c->first = f->from;
    c->second = f->to;
    c->ipv6 = f->ipv6;
    if (syn)
        c->first_sends = f->flags & FRAME_ACK ? REPLAY_DOWN : REPLAY_UP;
    else
        c->first_sends = is_smb_port(f->from.port) && !is_smb_port(f->to.port) ? REPLAY_DOWN : REPLAY_UP;
    c->roles_known = syn || is_smb_port(f->from.port) != is_smb_port(f->to.port);
    tcp_measure_init(&c->tcp);
    c->facts = g_new0(struct replay_connection, 1);
    c->facts->subcommands = g_array_new(FALSE, FALSE, sizeof(struct replay_subcommand));
    c->facts->client_fin_ns = -1;
    if (shared->options.keep_segments)
        c->facts->segments_kept = g_array_new(FALSE, FALSE, sizeof(struct replay_segment));
    if (shared->options.measure || shared->options.trace)
        c->facts->study = study_new(shared->options.trace);
    return c;
}

void replay_connection_free(struct replay_connection *c)
{
    if (!c)
        return;
    g_free(c->client);
    g_free(c->server);
    g_clear_pointer(&c->commands, g_array_unref);
    replay_usage_clear(&c->usage);
    g_clear_pointer(&c->files, g_array_unref);
    g_clear_pointer(&c->subcommands, g_array_unref);
    g_clear_pointer(&c->exchanges_kept, g_array_unref);
    g_clear_pointer(&c->segments_kept, g_array_unref);
    study_free(c->study);
    g_free(c);
}

void connection_free(struct connection *c)
{
    if (!c)
        return;
    free_smb(c->smb);
    replay_connection_free(c->facts);
    g_free(c);
}

bool connection_has_smb(const struct connection *c)
{
    return c->smb != NULL;
}

bool connection_is_closed(const struct connection *c)
{
    return c->finished[REPLAY_UP] && c->finished[REPLAY_DOWN];
}

bool connection_is_over(const struct connection *c, bool from_first, const struct frame *f)
{
    enum replay_direction direction = from_first ? c->first_sends : (enum replay_direction) !c->first_sends;
    const struct tcp_stream *s = &c->tcp.stream[direction];

    /* A SYN that repeats the first one has its sequence number; a SYN-ACK belongs to the SYN before it. */
    return (f->flags & (FRAME_SYN | FRAME_ACK)) == FRAME_SYN && s->sent && f->seq + 1 != s->base;
}

/* ---- frames --------------------------------------------------------------------------------------------------------------- */

static bool is_smb(struct connection *c, const struct frame *f)
{
    if (c->smb || is_smb_port(f->from.port) || is_smb_port(f->to.port))
        return true;
    if (c->looks >= LOOKS)
        return false;
    c->looks++;
    return nbss_looks_like_smb(f->payload, f->payload_seen);
}

static void note_frame(struct connection *c, const struct replay_segment *g)
{
    struct replay_connection *facts = c->facts;

    if (c->packets++ == 0) {
        facts->first_ns = g->time_ns;
        facts->first_frame = g->frame;
        facts->last_ns = g->time_ns;
        facts->last_frame = g->frame;
    }
    c->bytes += g->ip_bytes;
    facts->last_frame_ns = g->time_ns;
    if (g->payload_bytes > 0 && !(g->flags & REPLAY_KEEP_ALIVE)) {
        facts->last_ns = g->time_ns;
        facts->last_frame = g->frame;
    }
    if (g->direction == REPLAY_UP && g->flags & (REPLAY_FIN | REPLAY_RST) && facts->client_fin_ns < 0)
        facts->client_fin_ns = g->time_ns;
    if (g->flags & REPLAY_RST)
        c->finished[REPLAY_UP] = c->finished[REPLAY_DOWN] = true;
    if (g->flags & REPLAY_FIN)
        c->finished[g->direction] = true;
    if (facts->segments_kept)
        g_array_append_val(facts->segments_kept, *g);
    if (facts->study) {
        study_segment(facts->study, g);
        c->shared->window_used++;
    }
}

void connection_frame(struct connection *c, bool from_first, const struct frame *f, uint64_t number,
                      int64_t time_ns)
{
    enum replay_direction direction = from_first ? c->first_sends : (enum replay_direction) !c->first_sends;
    struct replay_segment g;

    if (!tcp_measure_segment(&c->tcp, direction, f, number, time_ns, &g)) {
        ledger_add(&c->shared->ledger, LEDGER_SEQUENCE_OUTLIER, 1, f->payload_bytes);
        return;
    }
    note_frame(c, &g);
    capture_marks_note(&c->marks[from_first ? 0 : 1], f);
    if (f->payload_bytes > 0 && !c->smb && is_smb(c, f))
        start_smb(c);
    if (!c->smb)
        return;
    if (c->shared->timeline && f->payload_bytes > 0)
        timeline_segment(c->shared->timeline, &g);
    /* A keep-alive's byte is none of the stream's. */
    if (f->payload_bytes > 0 && !(g.flags & (REPLAY_KEEP_ALIVE | REPLAY_SYN)))
        stream_segment(&c->smb->half[from_first ? 0 : 1].stream, g.offset, f->payload, f->payload_bytes,
                       f->payload_seen, number, time_ns);
    if (g.flags & REPLAY_ACK)
        stream_acked(&c->smb->half[from_first ? 1 : 0].stream, g.ack);
}

/* ---- the end ----------------------------------------------------------------------------------------------------------------- */

/* Marks on the frames say it better than round trips do. */
static void take_marks(struct connection *c)
{
    bool first = capture_marks_is_here(&c->marks[0]), second = capture_marks_is_here(&c->marks[1]);

    if (first != second)
        c->facts->tcp.point =
            first == (c->first_sends == REPLAY_UP) ? REPLAY_POINT_CLIENT : REPLAY_POINT_SERVER;
}

/* The facts as far as they are known. */
static void take_facts(struct connection *c)
{
    const struct smb_session *s = c->smb;
    struct replay_connection *facts = c->facts;
    struct tcp_measure tcp = c->tcp;

    tcp_measure_finish(&tcp);
    facts->tcp = tcp.facts;
    take_marks(c);
    facts->tcp.side[c->first_sends].hole_bytes = s->half[0].stream.hole_bytes;
    facts->tcp.side[!c->first_sends].hole_bytes = s->half[1].stream.hole_bytes;
    name_ends(c);
}

static void advance(struct connection *c, bool end)
{
    struct smb_session *s = c->smb;
    struct study_limits limits = {.end = end};

    take_facts(c);
    for (int i = 0; i < REPLAY_DIRECTIONS; i++)
        limits.unfinished[i == 0 ? c->first_sends : (enum replay_direction) !c->first_sends] =
            nbss_whole_until(&s->half[i].nbss, s->half[i].stream.next);
    match_let_go(&s->match, study_advance(c->facts->study, c->facts, s->match.kept, &limits));
    if (end)
        study_finish(c->facts->study, c->facts);
}

void connection_advance(struct connection *c)
{
    if (c->smb)
        advance(c, false);
    else
        study_discard(c->facts->study);
}

void connection_share(struct connection *c, GArray *segments)
{
    if (c->smb)
        study_share(c->facts->study, segments);
}

const struct replay_connection *connection_studied(const struct connection *c)
{
    return c && c->facts && c->facts->study && c->facts->study->calibration.services ? c->facts : NULL;
}

uint64_t connection_window_used(const struct connection *c)
{
    uint64_t exchanges = c->smb ? c->smb->match.kept->len : 0;

    return c->facts->study->segments->len + exchanges * CONNECTION_EXCHANGE_WEIGHT;
}

static void take_results(struct connection *c)
{
    struct smb_session *s = c->smb;
    struct replay_connection *facts = c->facts;

    if (facts->study)
        advance(c, true);
    else
        take_facts(c);
    usage_merge(&c->shared->total, &s->usage);
    pending_merge(&c->shared->pending, &s->match.pending);
    facts->commands = commands_facts(&s->usage.commands);
    facts->usage = usage_facts(&s->usage, &s->match.pending);
    facts->files = files_facts(&s->match.files, facts->bytes_read, facts->bytes_written);
    smb2_facts_finish(&s->smb2, facts);
    facts->exchanges = s->match.exchanges;
    facts->unanswered = s->match.unanswered;
    facts->max_pending = s->match.max_waiting;
    if (c->shared->options.keep_exchanges)
        facts->exchanges_kept = g_steal_pointer(&s->match.kept);
    for (int i = 0; i < REPLAY_DIRECTIONS; i++)
        facts->stream_bytes += (uint64_t)s->half[i].stream.next;
    facts->decoded_bytes = s->decoded_bytes;
    c->shared->stream_bytes += facts->stream_bytes;
    c->shared->decoded_bytes += facts->decoded_bytes;
}

/* By its port it carries SMB, but so little of each frame was kept that no header can be seen: what TCP shows is still right. */
static bool is_cut_smb(const struct connection *c)
{
    return (c->first.port == PORT_SMB || c->second.port == PORT_SMB) &&
           c->smb->half[0].stream.cut_bytes + c->smb->half[1].stream.cut_bytes > 0;
}

struct replay_connection *connection_finish(struct connection *c)
{
    struct smb_session *s = c->smb;

    if (s) {
        for (int i = 0; i < REPLAY_DIRECTIONS; i++) {
            stream_finish(&s->half[i].stream);
            nbss_finish(&s->half[i].nbss);
        }
        match_finish(&s->match);
    }
    if (!s || (s->messages == 0 && !is_cut_smb(c))) {
        ledger_add(&c->shared->ledger, LEDGER_OTHER_TCP, c->packets, c->bytes);
        return NULL;
    }
    take_results(c);
    return g_steal_pointer(&c->facts);
}
