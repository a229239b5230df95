#include "replay/connection_parts.h"
#include "replay/study.h"

#include <string.h>

enum { LOOKS = 8 };

static bool is_smb_port(uint16_t port)
{
    return port == CONNECTION_PORT_SMB || port == CONNECTION_PORT_NETBIOS;
}

/* ---- life --------------------------------------------------------------------------------------------------------------- */

/* A match's `done`. */
static void hand_out(void *self, const struct replay_exchange *x, const char *file)
{
    struct connection *c = self;
    const struct replay_options *o = &c->shared->options;

    if (!c->facts->client)
        connection_name_ends(c);
    o->exchange(o->self, c->facts, x, file);
}

static void start_smb(struct connection *c)
{
    struct ledger *ledger = &c->shared->ledger;
    struct conversation *s = g_new0(struct conversation, 1);

    c->smb = s;
    s->connection = c;
    s->transform = smb2_transform_new(c->shared->sessions);
    match_init(&s->match, c->shared->options.keep_exchanges || c->facts->study, ledger, &s->usage.commands);
    s->match.timeline = c->shared->timeline;
    if (c->facts->study)
        session_path_add(&s->match.channel.shared->path, c->facts->study);
    if (c->shared->options.exchange) {
        s->match.done = hand_out;
        s->match.self = c;
    }
    for (int i = 0; i < REPLAY_DIRECTIONS; i++) {
        struct half *h = &s->half[i];
        enum replay_direction direction = i == 0 ? c->first_sends : (enum replay_direction) !c->first_sends;
        struct nbss_reader reader = connection_reader(h);

        h->session = s;
        h->elements = g_array_new(FALSE, FALSE, sizeof(struct smb_element));
        h->names = g_byte_array_new();
        nbss_init(&h->nbss, c->tcp.syn_seen[direction], &reader, ledger);
        stream_init(&h->stream, nbss_chunk, &h->nbss, ledger);
    }
}

static void free_smb(struct conversation *s)
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
    channels_unref(c->channels);
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
