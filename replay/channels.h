/* What the connections of one SMB3 session share while they are read (multichannel, [MS-SMB2] 3.2.4.20.1): opens, files, and where the
 * session's time went. A connection of its own, as most are, is a session of one.
 *
 * A file that was opened on one connection is known by its id on the others ([MS-SMB2] 3.3.1.10: opens belong to the session), so they
 * share one table of opens and one of files. What the exchanges of each connection did is in a table of its own besides (struct
 * channel), which is begun when the second connection joins.
 *
 * channels_join() finds the connections of a session by its id, which stands in all of its messages. Servers choose ids at random, so
 * two servers may have one: connections belong together when the client's GUID is the same, or where one wasn't seen, when one of them
 * asked to be bound to a session. A connection that has used files already stays where it is.
 *
 * Ownership: counted references; `joint` is of session_path.h. Cost: a look-up for each session id of a connection. */
#ifndef REPLAY_CHANNELS_H
#define REPLAY_CHANNELS_H

#include "replay/files.h"
#include "replay/opens.h"
#include "replay/session_path.h"
#include "replay/smb2_facts.h"

struct channels {
    unsigned references;
    unsigned connections; /* that joined, the first one included */
    bool ended;           /* before another joined */
    struct opens opens;
    struct files files; /* of all of them */
    struct files
        before; /* copy of those as they were when the second joined, for the first to take; empty afterwards */
    struct session_path path;
};

/* Returns owned. */
struct channels *channels_new(void);
struct channels *channels_ref(struct channels *c);
void channels_unref(struct channels *c);

/* One connection's part. All zeroes but `shared` is its beginning. */
struct channel {
    struct channels *shared; /* owned */
    struct files own;
    GArray *own_rows; /* of uint16_t: the own row of each shared one, 0: none yet; NULL: nobody has joined */
    bool joined;      /* it was not the first */
};

void channel_init(struct channel *c);
void channel_fini(struct channel *c);
void channel_use(struct channel *c, uint16_t row, const struct file_use *use);
/* As files_facts(), of this connection's. Once, at its end. */
GArray *channel_files(struct channel *c, uint64_t read, uint64_t written);

/* All sessions of a capture, by their ids. */
struct channels_table {
    GHashTable *by_id; /* NULL: none yet */
};

void channels_table_fini(struct channels_table *t);
/* After a message with a session id that the connection hasn't had before: the last of f->sessions. */
void channels_join(struct channels_table *t, struct channel *c, const struct smb2_facts *f);

#endif
