/* Clients of a newer SMB beside the captured one, as changes that might help: the capture's files, copied by them.
 *
 * For a capture of SMB 1 these are a client of SMB 2 and one of SMB 3, for one of SMB 2 the latter; for one of SMB 3, or whose dialect
 * wasn't seen, there is none. Each is a replay_as on the capture's own network. */
#ifndef CLI_REPLAY_CLIENTS_H
#define CLI_REPLAY_CLIENTS_H

#include "cli/replay_as.h"

struct replay_client {
    const char *name, *what, *basis; /* as in struct what_if. Static */
    struct replay_as as;
};

/* Returns owned array of struct replay_client *, which borrow the model; it frees them. Empty when the capture moves no file data. */
GPtrArray *replay_clients(const struct replay *r, const struct replay_model *m, uint64_t seed);

#endif
