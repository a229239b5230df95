/* One TCP connection, from its frames to its facts: measurements, two streams put in order, framing, decoding, matching.
 *
 * Until the first payload that looks like SMB (or any payload on the ports 445 and 139) a connection is only measured; what
 * SMB needs is allocated then. Roles: the client sent the SYN; without one it is the end that talks to port 445 or 139; else the one
 * that sends the first request. */
#ifndef REPLAY_CONNECTION_H
#define REPLAY_CONNECTION_H

#include "replay/analysis.h"
#include "replay/channels.h"
#include "replay/frame.h"
#include "replay/ledger.h"
#include "replay/payload_sample.h"
#include "replay/smb2_sessions.h"
#include "replay/timeline.h"
#include "replay/usage.h"

/* What all connections of a capture share. */
struct connection_shared {
    struct ledger ledger;
    struct replay_options options;
    struct smb2_sessions *sessions; /* keys to decrypt with, or NULL */
    struct timeline *timeline;      /* or NULL */
    struct channels_table channels; /* the sessions that several connections may carry */
    struct usage total;             /* of the connections that have ended */
    struct pending pending;         /* likewise */
    struct payload_sample payload;
    uint64_t stream_bytes;  /* of SMB connections, holes included */
    uint64_t decoded_bytes; /* of them in decoded messages */
    uint64_t window_used;   /* segments and exchanges in the windows of all connections, an exchange counted
                                     * CONNECTION_EXCHANGE_WEIGHT times */
};

enum { CONNECTION_EXCHANGE_WEIGHT = 3 };

struct connection;

/* Returns owned: a connection whose first frame is `f`. Borrows `shared`. */
struct connection *connection_new(const struct frame *f, struct connection_shared *shared);
void connection_free(struct connection *c);
/* A frame of this connection. `from_first`: its sender is the sender of the first frame. */
void connection_frame(struct connection *c, bool from_first, const struct frame *f, uint64_t number,
                      int64_t time_ns);
/* True when `f`, a SYN, can't be of this connection. */
bool connection_is_over(const struct connection *c, bool from_first, const struct frame *f);
/* With options.measure: works through the window of what there is (replay/study.h), and lets go of what it can. */
void connection_advance(struct connection *c);
/* After all connections have advanced: so does the path of its session. */
void connection_advance_session(struct connection *c);
/* Appends its segments that came since the last call, if it has SMB. */
void connection_share(struct connection *c, GArray *segments);
/* As connection_shared.window_used, of this one. */
uint64_t connection_window_used(const struct connection *c);
/* Its facts, when a window of it has been worked through; else NULL. View. */
const struct replay_connection *connection_studied(const struct connection *c);
bool connection_has_smb(const struct connection *c);
/* Both ends have finished, or one has reset it. */
bool connection_is_closed(const struct connection *c);
/* Ends it. Returns owned, or NULL when it carried no SMB message. */
struct replay_connection *connection_finish(struct connection *c);
void replay_connection_free(struct replay_connection *c);

#endif
