/* Where the time of a session over several connections went: one critical path made of the connections' own.
 *
 * Each connection's breakdown says what it waited for at each instant (breakdown.path). On one of several channels "for the client", or
 * nothing outstanding, mostly means that the copy went on over another. So the session's path is walked back from its last payload frame
 * on that frame's connection, and where that one waits for the client it goes on from the last answer on any connection, and is
 * that one's. Each instant counts once, so the parts sum to the session's seconds, from the first frame of any to the
 * last of any. With many files at a time, the answer that the client went on from may be another: then parts are less certain.
 *
 * The paths are joined window by window, as far as all connections are worked through, so memory doesn't grow with
 * the capture: a connection that shows nothing for PATH_PENDING stretches of the others is taken to wait for nothing.
 *
 * Cost: a step for each stretch, and a look at all members where it changes over. Borrows the studies, which stay until the end. */
#ifndef REPLAY_SESSION_PATH_H
#define REPLAY_SESSION_PATH_H

#include "sim/run.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct study;

enum { PATH_PENDING = 1 << 16 };

/* All zeroes has no members. */
struct session_path {
    GPtrArray *members; /* of struct study * */
    struct waits waits;
    bool begun;                /* the three below mean something */
    int64_t from_ns, until_ns; /* what the waits account for */
};

void session_path_fini(struct session_path *p);
/* Without members from now on: their paths aren't needed. */
void session_path_drop(struct session_path *p);
/* From now on the study's breakdown keeps its path. */
void session_path_add(struct session_path *p, struct study *s);
/* All members of `from`, which hasn't begun, are members of `to`. */
void session_path_move(struct session_path *from, struct session_path *to);
bool session_path_begun(const struct session_path *p);
/* After the members have advanced by a window. */
void session_path_advance(struct session_path *p);
/* When all members are worked through: the waits sum to `last_ns` - `first_ns`, the session's. Once. */
void session_path_finish(struct session_path *p, int64_t first_ns, int64_t last_ns);

#endif
