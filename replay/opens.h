/* Numbers for the opens of a connection, so that exchanges say which open they serve.
 *
 * An open is known by its file id (SMB1: FID) from the response that opened it, or in mid-stream from the first request
 * that names it, until its CLOSE. Bounded: when OPENS_MAX are known at once, all are forgotten, and those still in use get
 * new numbers. */
#ifndef REPLAY_OPENS_H
#define REPLAY_OPENS_H

#include "replay/idmap.h"
#include "replay/smb.h"

enum { OPENS_MAX = 1 << 16 };

/* All zeroes is empty. */
struct opens {
    struct idmap by_id;
    uint32_t last; /* number given out last */
};

void opens_fini(struct opens *o);
/* The number of the open that an element names, 0 when it names none. A file id of all ones means, in a related compound, what the
 * element before it meant: `previous`. */
uint32_t opens_number(struct opens *o, const struct smb_element *e, uint32_t previous);
/* The open that an element names is closed. */
void opens_close(struct opens *o, const struct smb_element *e);

#endif
