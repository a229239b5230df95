/* A worker of the client: what it issues when, and what it does with the answers. */
#include "sim/command.h"
#include "sim/smb.h"
#include "sim/smb_cost.h"
#include "base/units.h"

static const int64_t IDLE_NS =
    NS_PER_S; /* nothing outstanding for longer than this is idle time, not the client's */

/* The number that TCP carries: who issued it, and which of its own it is. */
enum { INDEX_BITS = 48 };

struct smb_slot *smb_slot_at(const struct smb_connection *c, uint64_t number)
{
    const struct smb_worker *w = &c->session->workers[number >> INDEX_BITS];
    uint64_t index = number & ((UINT64_C(1) << INDEX_BITS) - 1);

    return index >= w->first_index ? ring_at(&w->slots, index - w->first_index) : NULL;
}

void smb_show_message(const struct smb_connection *c, const struct exchange *e, uint64_t number,
                      bool response)
{
    const struct tcp *from = response ? &c->server_tcp : &c->client_tcp;
    struct sim_message m = {.connection = from->connection,
                            .response = response,
                            .number = number,
                            .start = from->write_end,
                            .exchange = e};

    if (c->probe)
        c->probe->on_message(c->probe->self, &m);
}

static bool is_done(const struct smb_worker *w, uint64_t index)
{
    const struct smb_slot *s = index >= w->first_index ? ring_at(&w->slots, index - w->first_index) : NULL;

    return !s || s->done;
}

/* Asks the source for the next exchange, unless it is too early or there is none. */
static bool has_next(struct smb_worker *w)
{
    if (w->has_next)
        return true;
    if (!w->source || (w->pauses && w->foreground))
        return false;
    w->has_next = w->source->next(w->source->self, w->session->queue->now_ns, &w->next);
    if (!w->has_next)
        w->source = NULL;
    return w->has_next;
}

static bool is_released(const struct smb_worker *w)
{
    if (w->next.flags & EXCHANGE_BARRIER)
        return w->foreground == 0;
    return !w->next.after || w->next.after > w->next_index || is_done(w, w->next_index - w->next.after);
}

static void drop_done(struct smb_worker *w)
{
    while (w->slots.count && ((struct smb_slot *)ring_at(&w->slots, 0))->done) {
        ring_pop(&w->slots);
        w->first_index++;
    }
}

static void issue(struct smb_worker *w)
{
    struct smb_session *k = w->session;
    struct smb_connection *c = w->via;
    struct smb_slot *s = ring_push(&w->slots);
    uint64_t number = w->number << INDEX_BITS | w->next_index++;
    uint32_t bytes = w->next.request_bytes;
    bool answered = !(w->next.flags & EXCHANGE_NO_RESPONSE);

    *s = (struct smb_slot){.exchange = w->next, .issued_ns = k->queue->now_ns, .done = !answered};
    if (answered && !(w->next.flags & EXCHANGE_BACKGROUND)) {
        w->foreground++;
        if (k->timeout_ns && !event_is_pending(&k->timeout))
            event_schedule(k->queue, &k->timeout, s->issued_ns + k->timeout_ns);
    }
    w->via = NULL;
    w->has_next = false;
    w->pauses = (w->next.flags & EXCHANGE_PAUSE) != 0;
    k->result->exchanges++;
    smb_show_message(c, &s->exchange, number, false);
    if (!answered) {
        k->result->data_bytes += s->exchange.data_bytes;
        drop_done(w);
    }
    if (!k->spread && (command_is_read(w->next.command) || command_is_write(w->next.command)))
        smb_session_spread(k, &w->waits);
    smb_session_note_end(k, c, &w->waits);
    tcp_write(&c->client_tcp, bytes, number, &w->waits);
}

/* How long from now until the next request can leave: the client is through with what it received, has thought, and has made
 * the request, with the data that it carries read from disk. */
static int64_t preparation_ns(struct smb_worker *w)
{
    struct smb_session *k = w->session;
    int64_t now_ns = k->queue->now_ns, ready = MAX(now_ns, w->ready_ns) + w->next.think_ns, making_ns;

    if (k->disk && command_is_write(w->next.command))
        ready = disk_read(k->disk, ready, w->next.file, w->next.data_bytes);
    making_ns = smb_message_cost_ns(k->machine->profile, &w->next, false, true);
    return ready + processor_queue_ns(&k->machine->processor, now_ns, making_ns) + making_ns - now_ns;
}

void smb_worker_advance(struct smb_worker *w)
{
    while (!event_is_pending(&w->think) && has_next(w) && is_released(w) && smb_room_take(w)) {
        int64_t wait = preparation_ns(w), now_ns = w->session->queue->now_ns;

        if (wait > 0) {
            w->think_waits = w->waits;
            w->think_waits.ns[wait > IDLE_NS && !w->foreground ? WAIT_IDLE : WAIT_CLIENT] += wait;
            event_schedule(w->session->queue, &w->think, now_ns + wait);
            return;
        }
        issue(w);
    }
    if (!w->idle && !w->has_next && !w->source && !w->foreground)
        smb_stage_leave(w);
}

static void thought(void *owner)
{
    struct smb_worker *w = owner;

    w->waits = w->think_waits;
    issue(w);
    smb_worker_advance(w);
}

/* The client's work on an answer: processor time, and the disk when file data came with it. */
static void take_in(struct smb_worker *w, const struct exchange *e)
{
    struct smb_session *k = w->session;
    int64_t now_ns = k->queue->now_ns, begin = MAX(MAX(w->ready_ns, k->processor_free_ns), now_ns);
    int64_t taking_ns = smb_message_cost_ns(k->machine->profile, e, true, false);

    w->ready_ns =
        MAX(begin, now_ns + processor_queue_ns(&k->machine->processor, now_ns, taking_ns)) + taking_ns;
    k->processor_free_ns = w->ready_ns;
    if (k->disk && command_is_read(e->command))
        w->ready_ns = disk_write(k->disk, w->ready_ns, e->data_bytes);
}

static void on_response(void *owner, uint64_t number, const struct waits *waits)
{
    struct smb_connection *c = owner;
    struct smb_session *k = c->session;
    struct smb_worker *w = &k->workers[number >> INDEX_BITS];
    struct smb_slot *s = smb_slot_at(c, number);

    s->done = true;
    take_in(w, &s->exchange);
    smb_room_leave(c, &s->exchange);
    if (!(s->exchange.flags & EXCHANGE_BACKGROUND))
        w->foreground--;
    k->result->data_bytes += s->exchange.data_bytes;
    if (k->on_exchange)
        k->on_exchange(k->observer, &s->exchange, s->issued_ns, k->queue->now_ns);
    drop_done(w);
    w->waits = *waits;
    smb_session_note_end(k, c, waits);
    smb_room_offer(k, waits);
    smb_worker_advance(w);
}

static void established(void *owner)
{
    smb_session_established(owner);
}

static void worker_init(struct smb_session *k, size_t i)
{
    struct smb_worker *w = &k->workers[i];

    *w = (struct smb_worker){.session = k, .number = i, .idle = true, .ready_ns = INT64_MIN};
    if (i >= k->worker_count)
        w->own = &k->connections[1 + i - k->worker_count];
    ring_init(&w->slots, sizeof(struct smb_slot));
    event_init(&w->think, thought, w);
}

void smb_client_init(struct smb_session *k)
{
    for (size_t i = 0; i < k->all_workers; i++)
        worker_init(k, i);
    for (size_t i = 0; i < k->connection_count; i++) {
        struct tcp *t = &k->connections[i].client_tcp;

        t->on_established = established;
        t->on_message = on_response;
        t->owner = &k->connections[i];
    }
}
