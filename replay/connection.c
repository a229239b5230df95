#include "replay/connection.h"
#include "replay/capture_marks.h"
#include "replay/match.h"
#include "replay/nbss.h"
#include "replay/smb1.h"
#include "replay/smb2.h"
#include "replay/smb2_transform.h"
#include "replay/stream.h"
#include "replay/study.h"
#include "replay/tcp_measure.h"

#include <gio/gio.h>
#include <string.h>

enum { PORT_SMB = 445, PORT_NETBIOS = 139, CHAIN_MAX = 1024, LOOKS = 8 };

struct smb_session;

/* One direction: stream, framing, and the message that is being decoded. */
struct half {
    struct smb_session *session;
    struct stream stream;
    struct nbss nbss;
    GArray *elements; /* of struct smb_element */
    bool malformed;
};

struct smb_session {
    struct connection *connection;
    struct half half[REPLAY_DIRECTIONS];
    struct commands commands;
    struct match match;
    struct smb2_transform *transform;
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

static void count_elements(struct smb_session *s, const struct nbss_message *m, const GArray *elements)
{
    struct replay_connection *facts = s->connection->facts;
    uint64_t left = (uint64_t)m->length + NBSS_PREFIX;
    bool andx = false;

    for (guint i = 0; i < elements->len; i++) {
        const struct smb_element *e = &g_array_index(elements, struct smb_element, i);
        uint64_t bytes = e->length > 0 && e->length < left ? e->length + (i == 0 ? NBSS_PREFIX : 0) : left;

        note_element(facts, e);
        if (e->opaque) {
            facts->opaque_messages++;
            facts->opaque_bytes += left;
        } else if (e->hidden) {
            ledger_add(&s->connection->shared->ledger, LEDGER_COMPRESSED, 1, left);
        } else {
            commands_count(&s->commands, e, andx, bytes);
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
    const struct smb_element *first = &g_array_index(h->elements, struct smb_element, 0);
    enum replay_direction sender =
        h == &s->half[0] ? c->first_sends : (enum replay_direction) !c->first_sends;
    struct match_message message = {m, first, COMMAND_PROTOCOL(first->command) == 1 ? 1 : h->elements->len,
                                    cut};

    settle_roles(c, sender, first);
    if (!cut) {
        s->messages++;
        s->decoded_bytes += (uint64_t)m->length + NBSS_PREFIX - m->missing;
        count_elements(s, m, h->elements);
    }
    if (first->hidden)
        return;
    if (is_response(c, h, first))
        match_response(&s->match, &message);
    else
        note_request(s, &message);
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

static uint32_t take_part(void *self, const struct nbss_message *m, uint32_t at, const uint8_t *bytes,
                          size_t length, bool cut)
{
    struct half *h = self;
    struct smb_element e;
    enum smb_outcome outcome;

    (void)cut; /* a decoder sees by itself how far the bytes go */
    if (at == 0) {
        g_array_set_size(h->elements, 0);
        h->malformed = false;
    }
    outcome = decode_at(h, m, at, bytes, length, &e);
    if (outcome != SMB_OK || h->elements->len == CHAIN_MAX) {
        h->malformed = outcome == SMB_MALFORMED;
        if (at > 0)
            ledger_add(&h->session->connection->shared->ledger, LEDGER_CHAIN_CUT, 1, m->length - at);
        return 0;
    }
    g_array_append_val(h->elements, e);
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

    g_array_set_size(h->elements, 0);
    do {
        if (smb2_decode(bytes + at, length - at, (uint32_t)(length - at), &e) != SMB_OK ||
            h->elements->len == CHAIN_MAX) {
            h->malformed = at == 0;
            if (at > 0)
                ledger_add(&h->session->connection->shared->ledger, LEDGER_CHAIN_CUT, 1, length - at);
            return;
        }
        g_array_append_val(h->elements, e);
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
    struct connection *c = h->session->connection;
    enum replay_direction sender =
        h == &h->session->half[0] ? c->first_sends : (enum replay_direction) !c->first_sends;
    struct smb2_undone undone;

    if (length < m->length)
        return;
    if (!smb2_transform_is_needed(bytes, length)) {
        smb2_transform_observe(h->session->transform, bytes, length);
        decode_chain(h, bytes, length);
        return;
    }
    if (smb2_transform_undo(h->session->transform, sender, bytes, length, &undone) != SMB2_TRANSFORM_DONE)
        return;
    decode_chain(h, undone.bytes, undone.length);
    note_transform(h, m, &undone);
}

static void end_message(void *self, const struct nbss_message *m, bool broken)
{
    struct half *h = self;
    enum ledger_reason reason = h->malformed ? LEDGER_HEADER_MALFORMED : LEDGER_HEADER_NOT_CAPTURED;

    if (h->elements->len > 0)
        use_message(h, m, broken);
    else if (!broken)
        ledger_add(&h->session->connection->shared->ledger, reason, 1, m->length);
    g_array_set_size(h->elements, 0);
}

/* ---- life --------------------------------------------------------------------------------------------------------------- */

static void start_smb(struct connection *c)
{
    struct ledger *ledger = &c->shared->ledger;
    struct smb_session *s = g_new0(struct smb_session, 1);

    c->smb = s;
    s->connection = c;
    s->transform = smb2_transform_new(c->shared->sessions);
    match_init(&s->match, c->shared->options.keep_exchanges || c->facts->study, ledger, &s->commands);
    s->match.timeline = c->shared->timeline;
    for (int i = 0; i < REPLAY_DIRECTIONS; i++) {
        struct half *h = &s->half[i];
        enum replay_direction direction = i == 0 ? c->first_sends : (enum replay_direction) !c->first_sends;
        struct nbss_reader reader = {take_part, take_whole, end_message, h};

        h->session = s;
        h->elements = g_array_new(FALSE, FALSE, sizeof(struct smb_element));
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
    }
    smb2_transform_free(s->transform);
    match_fini(&s->match);
    commands_fini(&s->commands);
    g_free(s);
}

static char *end_text(const struct frame_end *e, bool ipv6)
{
    g_autoptr(GInetAddress) address =
        g_inet_address_new_from_bytes(e->address, ipv6 ? G_SOCKET_FAMILY_IPV6 : G_SOCKET_FAMILY_IPV4);
    g_autofree char *text = g_inet_address_to_string(address);

    return g_strdup_printf(ipv6 ? "[%s]:%u" : "%s:%u", text, e->port);
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
    if (g->payload_bytes > 0) {
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
    const struct frame_end *client = c->first_sends == REPLAY_UP ? &c->first : &c->second;
    const struct frame_end *server = c->first_sends == REPLAY_UP ? &c->second : &c->first;
    struct tcp_measure tcp = c->tcp;

    tcp_measure_finish(&tcp);
    facts->tcp = tcp.facts;
    take_marks(c);
    facts->tcp.side[c->first_sends].hole_bytes = s->half[0].stream.hole_bytes;
    facts->tcp.side[!c->first_sends].hole_bytes = s->half[1].stream.hole_bytes;
    g_free(facts->client);
    g_free(facts->server);
    facts->client = end_text(client, c->ipv6);
    facts->server = end_text(server, c->ipv6);
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
    facts->commands = commands_facts(&s->commands);
    facts->exchanges = s->match.exchanges;
    facts->unanswered = s->match.unanswered;
    facts->max_pending = s->match.max_waiting;
    if (c->shared->options.keep_exchanges)
        facts->exchanges_kept = g_steal_pointer(&s->match.kept);
    for (int i = 0; i < REPLAY_DIRECTIONS; i++)
        c->shared->stream_bytes += (uint64_t)s->half[i].stream.next;
    c->shared->decoded_bytes += s->decoded_bytes;
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
    if (!s || s->messages == 0) {
        ledger_add(&c->shared->ledger, LEDGER_OTHER_TCP, c->packets, c->bytes);
        return NULL;
    }
    take_results(c);
    return g_steal_pointer(&c->facts);
}
