/* An SMB client and server: a session over one or more TCP connections.
 *
 * The client's workers pull exchanges from their sources and issue each when its release rule (workload.h) allows and a connection
 * has room for it. Who finds no room waits in line for it, in the order of asking. The server has one worker a connection, as smbd
 * has one process: requests are served in order of arrival, each for its service time, and answered at its end. Background
 * exchanges (CHANGE_NOTIFY) don't occupy it.
 *
 * Every issue, answer and completion carries the account of where the time until then went (struct waits), so the run's
 * breakdown needs no log to be walked back. Only outstanding exchanges are kept. */
#ifndef SIM_SMB_H
#define SIM_SMB_H

#include "sim/disk.h"
#include "sim/event.h"
#include "sim/host.h"
#include "sim/ring.h"
#include "sim/run.h"
#include "sim/tcp.h"

struct smb_session;

struct smb_slot {
    struct exchange exchange;
    int64_t issued_ns;
    bool done;
};

struct smb_server {
    const struct server_profile *profile;
    struct machine *machine;
    struct disk *disk; /* of all connections; or NULL */
    struct event served;
    struct ring waiting; /* of struct smb_job: the head is being served */
    struct waits waits;  /* at the start of the service in progress */
    int64_t service_ns;
};

/* One of those who issue a session's exchanges, each in its own order. */
struct smb_worker {
    struct smb_session *session;
    uint64_t number;
    const struct exchange_source *source; /* or NULL: nothing (more) to do */
    struct smb_connection *own;           /* the connection that it sets up; NULL: it takes any */
    struct exchange next;
    struct smb_connection *via; /* where there is room for `next`, which is spoken for; or NULL */
    bool has_next;
    bool pauses; /* asks for the next exchange when all of its own are done */
    bool in_line;
    bool idle;
    uint64_t next_index;
    uint64_t first_index; /* of the oldest slot */
    struct ring slots;    /* of struct smb_slot: issued, the oldest not done */
    uint64_t foreground;  /* outstanding exchanges that a barrier waits for */
    struct event think;
    struct waits waits;       /* where time has gone until its present instant */
    struct waits think_waits; /* and until the end of the think time in progress */
    int64_t ready_ns;         /* it is busy with what it received until then */
};

/* A TCP connection of a session, with the server's end. */
struct smb_connection {
    struct smb_session *session;
    struct event_queue *queue;
    struct tcp client_tcp, server_tcp;
    struct smb_server server;
    GSList *background; /* of struct background_job: requests being answered out of turn */
    struct event start;
    int64_t start_ns;
    bool usable; /* set up: every worker may use it */
    uint64_t outstanding;
    /* Credits: what may be spent on it, and what the client holds or has out. */
    int64_t credits, credit_total;
    const struct sim_probe *probe;
};

/* What a session does one after the other. */
enum smb_stage { SMB_FIRST, SMB_WORKERS, SMB_LAST, SMB_DONE };

struct smb_session {
    struct event_queue *queue;
    const struct sim_connection *what;
    struct smb_worker *workers; /* the session's, then one for each further connection */
    size_t worker_count, all_workers;
    struct smb_connection *connections;
    size_t connection_count;
    enum smb_stage stage;
    size_t busy;      /* workers of this stage that aren't through */
    struct ring line; /* of struct smb_worker *: they wait for room */
    bool spread;      /* the further connections have begun */

    struct event timeout;
    int64_t timeout_ns;
    struct machine *machine;
    struct disk *disk;                   /* of all sessions; or NULL */
    int64_t processor_free_ns;           /* the client's work on messages is done by then */
    int64_t credits_wanted, credit_step; /* wanted 0: none are counted */
    uint64_t most_outstanding;           /* on a connection; 0: no limit */

    int64_t end_ns; /* last frame with payload so far, at the client */
    struct waits end_waits;
    const struct smb_connection *end_at;
    struct sim_result *result;
    void (*on_exchange)(void *observer, const struct exchange *e, int64_t issued_ns, int64_t done_ns);
    void *observer;
};

/* The two hosts, shared by their connections. */
struct smb_machines {
    struct machine client, server;
    struct disk client_disk, server_disk;
};

/* `connections` are 1 + what->further_count, whose TCP ends the caller initialises. Borrows everything. */
void smb_session_init(struct smb_session *s, struct event_queue *queue, const struct sim_setup *setup,
                      const struct sim_connection *what, struct smb_connection *connections,
                      struct smb_machines *machines, struct sim_result *result);
void smb_session_fini(struct smb_session *s);

/* Of a session whose counts and connections stand: its workers, and its part of the TCP ends. */
void smb_client_init(struct smb_session *s);

void smb_server_init(struct smb_connection *c, const struct sim_setup *setup, struct smb_machines *machines);
void smb_server_fini(struct smb_connection *c);
/* The request or the response is about to be written: shows it to the probe, if there is one. */
void smb_show_message(const struct smb_connection *c, const struct exchange *e, uint64_t index,
                      bool response);
/* The slot of an exchange that is not done, by the number that TCP carries for it; or NULL. */
struct smb_slot *smb_slot_at(const struct smb_connection *c, uint64_t number);

/* ---- between the files of the client ---- */

/* Goes on as far as it can: issues what is released, thinks, or waits. */
void smb_worker_advance(struct smb_worker *w);
/* Room on a connection for the worker's next exchange, which is then spoken for. False: it waits in line. */
bool smb_room_take(struct smb_worker *w);
/* Room may have come, by what arrived with this account. */
void smb_room_offer(struct smb_session *s, const struct waits *waits);
/* An exchange has left, or its answer has come: [MS-SMB2] 3.3.1.2. */
void smb_room_leave(struct smb_connection *c, const struct exchange *e);
/* The worker is through with its source. */
void smb_stage_leave(struct smb_worker *w);
/* A further connection is up and its handshake done. */
void smb_session_established(struct smb_connection *c);
/* A read or write is about to leave: the further connections begin now, if they haven't. */
void smb_session_spread(struct smb_session *s, const struct waits *waits);
void smb_session_note_end(struct smb_session *s, const struct smb_connection *c, const struct waits *waits);

#endif
