/* Connections joined by the SMB3 session that they carry (multichannel, [MS-SMB2] 3.2.4.20.1): those on which messages have the same session
 * id, whose client has the same GUID, or one of which asked to be bound to a session. Servers choose ids at random, so two servers
 * with one id are none by the GUID. Cost: a look-up a connection and session. */
#ifndef REPLAY_SESSIONS_H
#define REPLAY_SESSIONS_H

#include "replay/facts.h"

/* `connections` is of struct replay_connection *, whose `session` is set. Returns owned: GArray of struct replay_session, in the
 * order of their first connections. */
GArray *sessions_join(GPtrArray *connections);

#endif
