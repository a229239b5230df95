/* An SMB client and server at the two ends of one TCP connection.
 *
 * The client pulls exchanges from its source and issues each when its release rule (workload.h) allows. The server has one
 * worker a connection, as smbd has one process: requests are served in order of arrival, each for its service time,
 * and answered at its end. Background exchanges (CHANGE_NOTIFY) don't occupy it.
 *
 * Every issue, answer and completion carries the account of where the time until then went (struct waits), so the run's
 * breakdown needs no log to be walked back. Only outstanding exchanges are kept. */
#ifndef SIM_SMB_H
#define SIM_SMB_H

#include "sim/disk.h"
#include "sim/event.h"
#include "sim/ring.h"
#include "sim/run.h"
#include "sim/tcp.h"

struct smb_slot {
    struct exchange exchange;
    int64_t issued_ns;
    bool done;
};

struct smb_server {
    const struct server_profile *profile;
    const struct host_profile *host; /* or NULL */
    struct disk *disk;               /* of all connections; or NULL */
    struct event served;
    struct ring waiting; /* of struct smb_job: the head is being served */
    struct waits waits;  /* at the start of the service in progress */
    int64_t service_ns;
};

struct smb_client {
    const struct exchange_source *source;
    struct exchange next;
    bool has_next;
    uint64_t next_index;
    uint64_t first_index; /* of the oldest slot */
    struct ring slots;    /* of struct smb_slot: issued, the oldest not done */
    uint64_t foreground;  /* outstanding exchanges that a barrier waits for */
    struct event think;
    struct waits waits;       /* where time has gone until the client's present instant */
    struct waits think_waits; /* and until the end of the think time in progress */
    struct event timeout;
    int64_t timeout_ns;
    const struct host_profile *host; /* or NULL */
    struct disk *disk;               /* of all connections; or NULL */
    int64_t ready_ns;                /* it is busy with what it received until then */
    /* Credits: what it may spend, and what it holds or has out. wanted 0: none are counted. */
    int64_t credits, credit_total, credits_wanted, credit_step;
};

/* The disks are those of the two hosts, shared by their connections. */
struct smb_disks {
    struct disk client, server;
};

struct smb_connection {
    struct event_queue *queue;
    struct tcp client_tcp, server_tcp;
    struct smb_client client;
    struct smb_server server;
    GSList *background; /* of struct background_job: requests being answered out of turn */
    struct event start;
    int64_t start_ns;
    bool finished;
    int64_t end_ns; /* last frame with payload so far, at the client */
    struct waits end_waits;
    struct sim_result *result;
    void (*on_exchange)(void *observer, const struct exchange *e, int64_t issued_ns, int64_t done_ns);
    void *observer;
    const struct sim_probe *probe;
};

/* The TCP ends are initialised by the caller. Borrows everything. */
void smb_connection_init(struct smb_connection *c, struct event_queue *queue, const struct sim_setup *setup,
                         const struct sim_connection *what, struct smb_disks *disks,
                         struct sim_result *result);
void smb_connection_fini(struct smb_connection *c);

void smb_client_init(struct smb_connection *c, const struct sim_setup *setup, struct smb_disks *disks);
void smb_server_init(struct smb_connection *c, const struct sim_setup *setup, struct smb_disks *disks);
/* The request or the response is about to be written: shows it to the probe, if there is one. */
void smb_show_message(const struct smb_connection *c, const struct exchange *e, uint64_t index,
                      bool response);
/* The slot of an exchange that is not done. */
struct smb_slot *smb_slot_at(const struct smb_connection *c, uint64_t index);

#endif
