/* Numbers for the opens of a connection, so that exchanges say which open they serve.
 *
 * An open is known by its file id (SMB1: FID) from the response that opened it, or in mid-stream from the first request
 * that names it, until its CLOSE. Bounded: when OPENS_MAX are known at once, all are forgotten, and those still in use get
 * new numbers. */
#ifndef REPLAY_OPENS_H
#define REPLAY_OPENS_H

#include "replay/idmap.h"
#include "replay/smb.h"

#include <glib.h>

enum { OPENS_MAX = 1 << 16 };

struct open {
    uint32_t number; /* 0: none */
    uint16_t row;    /* of its file in files.h; 0: none */
};

/* All zeroes is empty. */
struct opens {
    struct idmap by_id;  /* to the index in `known` */
    GArray *known;       /* of struct open */
    GArray *free_places; /* of uint32_t: indices into `known` */
    uint32_t last;       /* number given out last */
};

void opens_fini(struct opens *o);
/* The open that an element names; number 0 when it names none. A file id of all ones means, in a related compound, what the
 * element before it meant: `previous`. An open that is new has number `last` and row 0. */
struct open opens_find(struct opens *o, const struct smb_element *e, struct open previous);
/* The open that an element names has this row from now on. */
void opens_set_row(struct opens *o, const struct smb_element *e, uint16_t row);
/* The open that an element names is closed. */
void opens_close(struct opens *o, const struct smb_element *e);

#endif
