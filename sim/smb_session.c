/* A session: its stages, its connections, and its time-out. */
#include "sim/command.h"
#include "sim/smb.h"
#include "base/units.h"

static const int64_t IDLE_NS = NS_PER_S; /* a later start than this is idle time, not the client's */

void smb_session_note_end(struct smb_session *s, const struct smb_connection *c, const struct waits *waits)
{
    s->end_ns = s->queue->now_ns;
    s->end_waits = *waits;
    s->end_at = c;
}

/* ---- stages -------------------------------------------------------------------------------------------------------- */

static void begin(struct smb_worker *w, const struct exchange_source *source, const struct waits *waits)
{
    w->source = source && source->next ? source : NULL;
    w->waits = *waits;
    w->idle = false;
    w->pauses = false;
}

/* The workers of a stage all go off before the first of them can be through with it. */
static void begin_stage(struct smb_session *s, enum smb_stage stage, const struct waits *at)
{
    const struct waits waits = *at;
    size_t count = stage == SMB_WORKERS ? s->what->worker_count : stage == SMB_DONE ? 0 : 1;

    s->stage = stage;
    s->busy = count;
    for (size_t i = 0; i < count; i++)
        begin(&s->workers[i],
              stage == SMB_WORKERS ? &s->what->workers[i]
              : stage == SMB_FIRST ? &s->what->source
                                   : &s->what->last,
              &waits);
    for (size_t i = 0; i < count; i++)
        smb_worker_advance(&s->workers[i]);
    if (!count && stage != SMB_DONE)
        begin_stage(s, stage + 1, &waits);
}

void smb_stage_leave(struct smb_worker *w)
{
    struct smb_session *s = w->session;

    w->idle = true;
    if (w->own) {
        w->own->usable = true;
        smb_room_offer(s, &w->waits);
    } else if (--s->busy == 0) {
        begin_stage(s, s->stage + 1, &w->waits);
    }
}

/* ---- connections --------------------------------------------------------------------------------------------------- */

static void start(void *owner)
{
    struct smb_connection *c = owner;

    tcp_connect(&c->client_tcp);
}

void smb_session_spread(struct smb_session *s, const struct waits *waits)
{
    s->spread = true;
    for (size_t i = 1; i < s->connection_count; i++) {
        struct smb_connection *c = &s->connections[i];

        c->start_ns = s->queue->now_ns;
        s->workers[s->worker_count + i - 1].waits = *waits;
        event_schedule(s->queue, &c->start, c->start_ns);
    }
}

void smb_session_established(struct smb_connection *c)
{
    struct smb_session *s = c->session;
    size_t place = (size_t)(c - s->connections);
    struct smb_worker *w = &s->workers[place ? s->worker_count + place - 1 : 0];
    int64_t now_ns = s->queue->now_ns, took = now_ns - c->start_ns;
    int64_t last_try = now_ns - c->client_tcp.syn_sent_ns;
    int64_t path = c->client_tcp.path.propagation_ns + c->server_tcp.path.propagation_ns;

    w->waits.ns[WAIT_ROUND_TRIPS] += path;
    w->waits.ns[WAIT_TRANSMISSION] += last_try - path;
    w->waits.ns[WAIT_LOSS_RECOVERY] += took - last_try;
    if (!c->client_tcp.connection)
        s->result->handshake_ns = took;
    smb_session_note_end(s, c, &w->waits);
    if (place) {
        begin(w, &s->what->further[place - 1].source, &w->waits);
        smb_worker_advance(w);
    } else {
        c->usable = true;
        begin_stage(s, SMB_FIRST, &w->waits);
    }
}

/* ---- the time-out -------------------------------------------------------------------------------------------------- */

/* The oldest exchange of a worker that is waited for; or NULL. */
static const struct smb_slot *oldest(const struct smb_worker *w)
{
    for (size_t i = 0; i < w->slots.count; i++) {
        const struct smb_slot *slot = ring_at(&w->slots, i);

        if (!slot->done && !(slot->exchange.flags & EXCHANGE_BACKGROUND))
            return slot;
    }
    return NULL;
}

/* What the rest of a wait without an end was for, as far as one can tell. */
static enum wait_kind kind_of_rest(const struct smb_connection *c)
{
    if (c->server.waiting.count)
        return WAIT_SERVER;
    if (c->client_tcp.una < c->client_tcp.nxt || c->server_tcp.una < c->server_tcp.nxt)
        return WAIT_LOSS_RECOVERY;
    return WAIT_TRANSMISSION;
}

/* The account of a session that gives up: that of the newest data at either end, and the rest until now. */
static void note_giving_up(struct smb_session *s)
{
    const struct smb_connection *at = NULL;
    struct waits waits = s->end_waits;
    int64_t until_ns = s->end_ns;

    for (size_t i = 0; i < s->connection_count; i++) {
        const struct smb_connection *c = &s->connections[i];
        const struct tcp *ends[] = {&c->client_tcp, &c->server_tcp};

        for (size_t k = 0; k < G_N_ELEMENTS(ends); k++) {
            if (ends[k]->waits_ns > until_ns) {
                until_ns = ends[k]->waits_ns;
                waits = ends[k]->waits;
                at = c;
            }
        }
    }
    if (!at)
        at = s->end_at;
    waits.ns[kind_of_rest(at)] += s->queue->now_ns - until_ns;
    smb_session_note_end(s, at, &waits);
}

static void timed_out(void *owner)
{
    struct smb_session *s = owner;
    const struct smb_slot *first = NULL;
    g_autofree char *after = NULL;

    for (size_t i = 0; i < s->all_workers; i++) {
        const struct smb_slot *slot = oldest(&s->workers[i]);

        if (slot && (!first || slot->issued_ns < first->issued_ns))
            first = slot;
    }
    if (!first)
        return;
    if (first->issued_ns + s->timeout_ns > s->queue->now_ns) {
        event_schedule(s->queue, &s->timeout, first->issued_ns + s->timeout_ns);
        return;
    }
    after = units_format_time(s->timeout_ns, 3);
    note_giving_up(s);
    s->result->failed = true;
    s->result->failed_at_ns = s->queue->now_ns;
    g_snprintf(s->result->fail_reason, sizeof s->result->fail_reason,
               "%s issued at %.3f s was not answered within the client's time-out of %s",
               command_name(first->exchange.command), units_seconds(first->issued_ns), after);
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

static void connection_init(struct smb_session *s, size_t i, const struct sim_setup *setup,
                            struct smb_machines *machines)
{
    struct smb_connection *c = &s->connections[i];

    c->session = s;
    c->queue = s->queue;
    c->probe = setup->probe;
    c->credits = c->credit_total = 1; /* [MS-SMB2] 3.2.5.1: enough for NEGOTIATE */
    event_init(&c->start, start, c);
    smb_server_init(c, setup, machines);
}

void smb_session_init(struct smb_session *s, struct event_queue *queue, const struct sim_setup *setup,
                      const struct sim_connection *what, struct smb_connection *connections,
                      struct smb_machines *machines, struct sim_result *result)
{
    *s = (struct smb_session){
        .queue = queue,
        .what = what,
        .worker_count = MAX(what->worker_count, 1),
        .connections = connections,
        .connection_count = 1 + what->further_count,
        .timeout_ns = setup->request_timeout_ns,
        .machine = &machines->client,
        .disk = setup->client_host ? &machines->client_disk : NULL,
        .processor_free_ns = INT64_MIN,
        .credits_wanted = setup->server ? MIN(setup->credits, setup->server->max_credits) : setup->credits,
        .credit_step = setup->server ? setup->server->credit_step : setup->credits,
        .most_outstanding = (uint64_t)setup->most_outstanding,
        .result = result,
        .on_exchange = setup->on_exchange,
        .observer = setup->observer,
    };
    s->all_workers = s->worker_count + what->further_count;
    s->workers = g_new0(struct smb_worker, s->all_workers);
    s->end_at = &s->connections[0];
    ring_init(&s->line, sizeof(struct smb_worker *));
    event_init(&s->timeout, timed_out, s);
    for (size_t i = 0; i < s->connection_count; i++)
        connection_init(s, i, setup, machines);
    smb_client_init(s);
    connections[0].start_ns = what->start_ns;
    s->workers[0].waits.ns[what->start_ns > IDLE_NS ? WAIT_IDLE : WAIT_CLIENT] = what->start_ns;
    event_schedule(queue, &connections[0].start, what->start_ns);
}

void smb_session_fini(struct smb_session *s)
{
    for (size_t i = 0; i < s->all_workers; i++)
        ring_fini(&s->workers[i].slots);
    g_clear_pointer(&s->workers, g_free);
    ring_fini(&s->line);
    for (size_t i = 0; i < s->connection_count; i++) {
        tcp_fini(&s->connections[i].client_tcp);
        tcp_fini(&s->connections[i].server_tcp);
        smb_server_fini(&s->connections[i]);
    }
}
