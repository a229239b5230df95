/* The sessions of a capture, with what is one for all connections of each: bytes, seconds, files, and where the time went. Which
 * connections belong together is found while they are read (replay/channels.h). Cost: a look-up a connection. */
#ifndef REPLAY_SESSIONS_H
#define REPLAY_SESSIONS_H

#include "replay/facts.h"

/* `connections` is of struct replay_connection *, whose `session` is set. Takes the files of their channels. Returns owned: GArray
 * of struct replay_session (clear function set), in the order of their first connections. */
GArray *sessions_join(GPtrArray *connections);

#endif
