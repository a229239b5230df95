#include "sim/smb.h"
#include "sim/command.h"
#include "sim/smb_cost.h"

struct smb_job {
    uint64_t index;
    struct waits at_arrival;
};

/* A request that is answered out of turn. Rare, so each has its own allocation. */
struct background_job {
    struct smb_connection *connection;
    uint64_t index;
    struct waits waits;
    struct event served;
};

/* From `now_ns` until the answer can be written: processor work and, behind or before it, the disk. A measured service time
 * holds all of that already. */
static int64_t service_time(struct smb_server *s, const struct exchange *e, int64_t now_ns)
{
    const struct host_profile *host = s->machine->profile;
    int64_t taking_ns, making_ns, done;

    if (e->flags & EXCHANGE_SERVER_TIMED)
        return e->service_ns;
    taking_ns = smb_message_cost_ns(host, e, false, false);
    making_ns = smb_message_cost_ns(host, e, true, true);
    done = now_ns + processor_queue_ns(&s->machine->processor, now_ns, taking_ns + making_ns) + taking_ns;
    if (s->disk && command_is_read(e->command))
        done = disk_read(s->disk, done, e->file, e->data_bytes);
    if (s->disk && command_is_write(e->command))
        done = disk_write(s->disk, done, e->data_bytes);
    done += smb_service_ns(s->profile, e);
    return done + making_ns - now_ns;
}

static void begin_service(struct smb_connection *c, const struct waits *waits)
{
    struct smb_server *s = &c->server;
    const struct smb_job *job = ring_at(&s->waiting, 0);

    s->waits = *waits;
    s->service_ns = service_time(s, &smb_slot_at(c, job->index)->exchange, c->queue->now_ns);
    event_schedule(c->queue, &s->served, c->queue->now_ns + s->service_ns);
}

static void answer(struct smb_connection *c, uint64_t index, const struct waits *waits)
{
    const struct exchange *e = &smb_slot_at(c, index)->exchange;

    smb_show_message(c, e, index, true);
    tcp_write(&c->server_tcp, e->response_bytes, index, waits);
}

static void served(void *owner)
{
    struct smb_connection *c = owner;
    struct smb_server *s = &c->server;
    struct smb_job job = *(struct smb_job *)ring_at(&s->waiting, 0);
    struct waits waits = s->waits;

    waits.ns[WAIT_SERVER] += s->service_ns;
    ring_pop(&s->waiting);
    answer(c, job.index, &waits);
    if (s->waiting.count)
        begin_service(c, &waits);
}

static void background_served(void *owner)
{
    struct background_job *job = owner;
    struct smb_connection *c = job->connection;

    answer(c, job->index, &job->waits);
    c->background = g_slist_remove(c->background, job);
    g_free(job);
}

static void serve_in_background(struct smb_connection *c, uint64_t index, const struct waits *waits)
{
    struct background_job *job = g_new0(struct background_job, 1);
    int64_t service = service_time(&c->server, &smb_slot_at(c, index)->exchange, c->queue->now_ns);

    job->connection = c;
    job->index = index;
    job->waits = *waits;
    job->waits.ns[WAIT_SERVER] += service;
    event_init(&job->served, background_served, job);
    event_schedule(c->queue, &job->served, c->queue->now_ns + service);
    c->background = g_slist_prepend(c->background, job);
}

static void on_request(void *owner, uint64_t index, const struct waits *waits)
{
    struct smb_connection *c = owner;
    uint16_t flags;

    if (!smb_slot_at(c, index))
        return; /* nobody waits for an answer */
    flags = smb_slot_at(c, index)->exchange.flags;
    if (flags & EXCHANGE_NO_RESPONSE)
        return;
    if (flags & EXCHANGE_BACKGROUND) {
        serve_in_background(c, index, waits);
        return;
    }
    *(struct smb_job *)ring_push(&c->server.waiting) = (struct smb_job){index, *waits};
    if (c->server.waiting.count == 1)
        begin_service(c, waits);
}

void smb_server_init(struct smb_connection *c, const struct sim_setup *setup, struct smb_machines *machines)
{
    struct smb_server *s = &c->server;

    *s = (struct smb_server){.profile = setup->server,
                             .machine = &machines->server,
                             .disk = setup->server_host ? &machines->server_disk : NULL};
    ring_init(&s->waiting, sizeof(struct smb_job));
    event_init(&s->served, served, c);
    c->server_tcp.on_message = on_request;
    c->server_tcp.owner = c;
}

void smb_server_fini(struct smb_connection *c)
{
    ring_fini(&c->server.waiting);
    g_slist_free_full(c->background, g_free);
}
