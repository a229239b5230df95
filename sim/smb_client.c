#include "sim/smb.h"
#include "sim/command.h"
#include "sim/smb_cost.h"
#include "base/units.h"

#include <stdio.h>

static const int64_t IDLE_NS =
    NS_PER_S; /* nothing outstanding for longer than this is idle time, not the client's */

struct smb_slot *smb_slot_at(const struct smb_connection *c, uint64_t index)
{
    const struct smb_client *k = &c->client;

    return index >= k->first_index ? ring_at(&k->slots, index - k->first_index) : NULL;
}

void smb_show_message(const struct smb_connection *c, const struct exchange *e, uint64_t index, bool response)
{
    const struct tcp *from = response ? &c->server_tcp : &c->client_tcp;
    struct sim_message m = {.connection = from->connection,
                            .response = response,
                            .index = index,
                            .start = from->write_end,
                            .exchange = e};

    if (c->probe)
        c->probe->on_message(c->probe->self, &m);
}

static bool is_done(const struct smb_connection *c, uint64_t index)
{
    const struct smb_slot *s = smb_slot_at(c, index);

    return !s || s->done;
}

static void note_end(struct smb_connection *c)
{
    c->end_ns = c->queue->now_ns;
    c->end_waits = c->client.waits;
}

static void fetch(struct smb_client *k)
{
    k->has_next = k->source->next(k->source->self, &k->next);
}

static bool is_released(const struct smb_connection *c)
{
    const struct smb_client *k = &c->client;

    if (k->credits_wanted && k->credits < smb_credit_charge(&k->next))
        return false;
    if (k->next.flags & EXCHANGE_BARRIER)
        return k->foreground == 0;
    return !k->next.after || k->next.after > k->next_index || is_done(c, k->next_index - k->next.after);
}

static void drop_done(struct smb_client *k)
{
    while (k->slots.count && ((struct smb_slot *)ring_at(&k->slots, 0))->done) {
        ring_pop(&k->slots);
        k->first_index++;
    }
}

static void issue(struct smb_connection *c)
{
    struct smb_client *k = &c->client;
    struct smb_slot *s = ring_push(&k->slots);
    uint64_t index = k->next_index++;
    uint32_t bytes = k->next.request_bytes;
    bool answered = !(k->next.flags & EXCHANGE_NO_RESPONSE);

    *s = (struct smb_slot){.exchange = k->next, .issued_ns = c->queue->now_ns, .done = !answered};
    if (answered && !(k->next.flags & EXCHANGE_BACKGROUND)) {
        k->foreground++;
        if (k->timeout_ns && !event_is_pending(&k->timeout))
            event_schedule(c->queue, &k->timeout, s->issued_ns + k->timeout_ns);
    }
    if (k->credits_wanted)
        k->credits -= smb_credit_charge(&s->exchange);
    c->result->exchanges++;
    if (!answered) {
        c->result->data_bytes += s->exchange.data_bytes;
        drop_done(k);
    }
    smb_show_message(c, &s->exchange, index, false);
    fetch(k);
    note_end(c);
    tcp_write(&c->client_tcp, bytes, index, &k->waits);
}

/* How long from now until the next request can leave: the client is through with what it received, has thought, and has made
 * the request, with the data that it carries read from disk. */
static int64_t preparation_ns(struct smb_client *k, int64_t now_ns)
{
    int64_t ready = MAX(now_ns, k->ready_ns) + k->next.think_ns;

    if (k->disk && command_is_write(k->next.command))
        ready = disk_read(k->disk, ready, k->next.file, k->next.data_bytes);
    return ready + smb_message_cost_ns(k->host, &k->next, false, true) - now_ns;
}

static void advance(struct smb_connection *c)
{
    struct smb_client *k = &c->client;

    while (k->has_next && !event_is_pending(&k->think) && is_released(c)) {
        int64_t wait = preparation_ns(k, c->queue->now_ns);

        if (wait > 0) {
            k->think_waits = k->waits;
            k->think_waits.ns[wait > IDLE_NS && !k->foreground ? WAIT_IDLE : WAIT_CLIENT] += wait;
            event_schedule(c->queue, &k->think, c->queue->now_ns + wait);
            return;
        }
        issue(c);
    }
    if (!k->has_next && !k->foreground && !event_is_pending(&k->think))
        c->finished = true;
}

static void thought(void *owner)
{
    struct smb_connection *c = owner;

    c->client.waits = c->client.think_waits;
    issue(c);
    advance(c);
}

/* The client's work on an answer: its credits, processor time, and the disk when file data came with it. */
static void take_in(struct smb_client *k, const struct exchange *e, int64_t now_ns)
{
    int64_t charge = smb_credit_charge(e), extra;

    k->ready_ns = MAX(k->ready_ns, now_ns) + smb_message_cost_ns(k->host, e, true, false);
    if (k->disk && command_is_read(e->command))
        k->ready_ns = disk_write(k->disk, k->ready_ns, e->data_bytes);
    if (!k->credits_wanted)
        return;
    /* [MS-SMB2] 3.3.1.2: the server grants what was spent and, in steps, what the client wants more. */
    extra = CLAMP(k->credits_wanted - k->credit_total, 0, k->credit_step);
    k->credits += charge + extra;
    k->credit_total += extra;
}

static void on_response(void *owner, uint64_t index, const struct waits *waits)
{
    struct smb_connection *c = owner;
    struct smb_client *k = &c->client;
    struct smb_slot *s = smb_slot_at(c, index);

    s->done = true;
    take_in(k, &s->exchange, c->queue->now_ns);
    if (!(s->exchange.flags & EXCHANGE_BACKGROUND))
        k->foreground--;
    c->result->data_bytes += s->exchange.data_bytes;
    if (c->on_exchange)
        c->on_exchange(c->observer, &s->exchange, s->issued_ns, c->queue->now_ns);
    drop_done(k);
    k->waits = *waits;
    note_end(c);
    advance(c);
}

static void established(void *owner)
{
    struct smb_connection *c = owner;
    struct smb_client *k = &c->client;
    int64_t took = c->queue->now_ns - c->start_ns, last_try = c->queue->now_ns - c->client_tcp.syn_sent_ns;
    int64_t path = c->client_tcp.path.propagation_ns + c->server_tcp.path.propagation_ns;

    k->waits.ns[WAIT_ROUND_TRIPS] += path;
    k->waits.ns[WAIT_TRANSMISSION] += last_try - path;
    k->waits.ns[WAIT_LOSS_RECOVERY] += took - last_try;
    if (!c->client_tcp.connection)
        c->result->handshake_ns = took;
    note_end(c);
    fetch(k);
    advance(c);
}

static void timed_out(void *owner)
{
    struct smb_connection *c = owner;
    struct smb_client *k = &c->client;

    for (size_t i = 0; i < k->slots.count; i++) {
        const struct smb_slot *s = ring_at(&k->slots, i);
        g_autofree char *after = NULL;

        if (s->done || s->exchange.flags & EXCHANGE_BACKGROUND)
            continue;
        if (s->issued_ns + k->timeout_ns > c->queue->now_ns) {
            event_schedule(c->queue, &k->timeout, s->issued_ns + k->timeout_ns);
            return;
        }
        after = units_format_time(k->timeout_ns, 3);
        c->result->failed = true;
        c->result->failed_at_ns = c->queue->now_ns;
        g_snprintf(c->result->fail_reason, sizeof c->result->fail_reason,
                   "%s issued at %.3f s was not answered within the client's time-out of %s",
                   command_name(s->exchange.command), units_seconds(s->issued_ns), after);
        return;
    }
}

static void start(void *owner)
{
    struct smb_connection *c = owner;

    tcp_connect(&c->client_tcp);
}

void smb_client_init(struct smb_connection *c, const struct sim_setup *setup, struct smb_disks *disks)
{
    struct smb_client *k = &c->client;

    k->timeout_ns = setup->request_timeout_ns;
    k->host = setup->client_host;
    k->disk = setup->client_host ? &disks->client : NULL;
    k->ready_ns = INT64_MIN;
    k->credits_wanted = setup->server ? MIN(setup->credits, setup->server->max_credits) : setup->credits;
    k->credit_step = setup->server ? setup->server->credit_step : setup->credits;
    k->credits = k->credit_total = 1; /* [MS-SMB2] 3.2.5.1: enough for NEGOTIATE */
    k->waits.ns[c->start_ns > IDLE_NS ? WAIT_IDLE : WAIT_CLIENT] = c->start_ns;
    ring_init(&k->slots, sizeof(struct smb_slot));
    event_init(&k->think, thought, c);
    event_init(&k->timeout, timed_out, c);
    event_init(&c->start, start, c);
    event_schedule(c->queue, &c->start, c->start_ns);
    c->client_tcp.on_established = established;
    c->client_tcp.on_message = on_response;
    c->client_tcp.owner = c;
}

void smb_connection_init(struct smb_connection *c, struct event_queue *queue, const struct sim_setup *setup,
                         const struct sim_connection *what, struct smb_disks *disks,
                         struct sim_result *result)
{
    c->queue = queue;
    c->client = (struct smb_client){.source = &what->source};
    c->start_ns = what->start_ns;
    c->result = result;
    c->on_exchange = setup->on_exchange;
    c->observer = setup->observer;
    c->probe = setup->probe;
    smb_client_init(c, setup, disks);
    smb_server_init(c, setup, disks);
}

void smb_connection_fini(struct smb_connection *c)
{
    tcp_fini(&c->client_tcp);
    tcp_fini(&c->server_tcp);
    ring_fini(&c->client.slots);
    ring_fini(&c->server.waiting);
    g_slist_free_full(c->background, g_free);
}
