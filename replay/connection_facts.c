/* A connection's facts: while it is read, and at its end. */
#include "replay/connection_parts.h"
#include "replay/study.h"

#include <gio/gio.h>

static char *end_text(const struct frame_end *e, bool ipv6)
{
    g_autoptr(GInetAddress) address =
        g_inet_address_new_from_bytes(e->address, ipv6 ? G_SOCKET_FAMILY_IPV6 : G_SOCKET_FAMILY_IPV4);
    g_autofree char *text = g_inet_address_to_string(address);

    return g_strdup_printf(ipv6 ? "[%s]:%u" : "%s:%u", text, e->port);
}

void connection_name_ends(struct connection *c)
{
    const struct frame_end *client = c->first_sends == REPLAY_UP ? &c->first : &c->second;
    const struct frame_end *server = c->first_sends == REPLAY_UP ? &c->second : &c->first;

    g_free(c->facts->client);
    g_free(c->facts->server);
    c->facts->client = end_text(client, c->ipv6);
    c->facts->server = end_text(server, c->ipv6);
}

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
    const struct conversation *s = c->smb;
    struct replay_connection *facts = c->facts;
    struct tcp_measure tcp = c->tcp;

    tcp_measure_finish(&tcp);
    facts->tcp = tcp.facts;
    take_marks(c);
    facts->tcp.side[c->first_sends].hole_bytes = s->half[0].stream.hole_bytes;
    facts->tcp.side[!c->first_sends].hole_bytes = s->half[1].stream.hole_bytes;
    connection_name_ends(c);
}

static void advance(struct connection *c, bool end)
{
    struct conversation *s = c->smb;
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

/* It may turn out to be one of several of a session. SMB1 and encrypted messages show no session's id. */
static bool is_of_unknown_session(const struct connection *c)
{
    enum { SETUP = 1024 }; /* stretches, more than a session's set-up has */
    const GArray *path = c->facts->study->breakdown.path;

    return c->smb->smb2.session_count == 0 && path && path->len < SETUP;
}

void connection_advance_session(struct connection *c)
{
    if (c->smb && !is_of_unknown_session(c))
        session_path_advance(&c->smb->match.channel.shared->path);
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
    struct conversation *s = c->smb;
    struct replay_connection *facts = c->facts;

    if (facts->study)
        advance(c, true);
    else
        take_facts(c);
    usage_merge(&c->shared->total, &s->usage);
    pending_merge(&c->shared->pending, &s->match.pending);
    facts->commands = commands_facts(&s->usage.commands);
    facts->usage = usage_facts(&s->usage, &s->match.pending);
    facts->files = channel_files(&s->match.channel, facts->bytes_read, facts->bytes_written);
    facts->channels = channels_ref(s->match.channel.shared);
    smb2_facts_finish(&s->smb2, facts);
    facts->exchanges = s->match.exchanges;
    facts->unanswered = s->match.unanswered;
    facts->unpaired_bytes = s->match.opaque.unasked_bytes;
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
    return (c->first.port == CONNECTION_PORT_SMB || c->second.port == CONNECTION_PORT_SMB) &&
           c->smb->half[0].stream.cut_bytes + c->smb->half[1].stream.cut_bytes > 0;
}

struct replay_connection *connection_finish(struct connection *c)
{
    struct conversation *s = c->smb;

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
