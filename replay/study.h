/* What is worked out of one connection while it is read: calibration, breakdown, trace.
 *
 * These need the segments around an instant, and some of what comes after it, but not the whole connection. So segments and
 * exchanges are kept for a window, which study_advance() works through and lets go of, but for a lead-in that gives the next window
 * its context: the last STUDY_LEAD_IN segments, and all since the oldest exchange that matters to one not yet
 * done. The window ends before the first message that isn't whole yet. A connection that fits into one window, as all but long
 * ones do, is worked through as a whole. In a longer one each window has its own calibration of the link (what it
 * can't show it has from those before), and the critical path of each ends where the next one's begins: against the path of
 * the whole that can misplace a round trip a window. An exchange that stays open for longer than half a window counts
 * as unanswered in the trace.
 *
 * Ownership: the study owns what it keeps. Cost: each segment is worked through about once; memory for a window. */
#ifndef REPLAY_STUDY_H
#define REPLAY_STUDY_H

#include "replay/breakdown.h"

enum { STUDY_WINDOW = 1 << 16, STUDY_LEAD_IN = 2048 };

struct study {
    /* Results, complete after study_finish(). */
    struct calibration calibration;
    struct breakdown breakdown;
    GArray *trace;        /* of struct exchange, or NULL when none was asked for */
    int64_t last_done_ns; /* of its last response at the client; -1: none */
    GArray *
        answers; /* of int64_t: when its responses were at the client, sorted; NULL unless breakdown.path is kept */

    /* The window. */
    GArray *segments; /* of struct replay_segment */
    struct window window;
    guint unshared;  /* the first segment that study_share() hasn't handed out */
    int64_t from_ns; /* where the path of this window begins */
    uint64_t from_frame;
    struct service_samples services;
};

/* Where a window may end. */
struct study_limits {
    bool end;                              /* the connection ends: everything is whole */
    int64_t unfinished[REPLAY_DIRECTIONS]; /* offset from which on messages aren't whole */
};

/* Returns owned. `trace`: fill in study.trace. */
struct study *study_new(bool trace);
void study_free(struct study *s);
void study_segment(struct study *s, const struct replay_segment *g);
/* The connection's roles were guessed the wrong way round. */
void study_swap(struct study *s);
/* Keeps breakdown.path and answers from now on, or no longer. Whoever uses them empties them. */
void study_keep_path(struct study *s);
void study_drop_path(struct study *s);
/* Forgets the window: the connection has shown no SMB. */
void study_discard(struct study *s);
/* Works through the window. `c` is the connection as known by now, `exchanges` its exchanges since those that earlier calls
 * let go of, open ones marked REPLAY_OPEN. Returns how many of them are not needed any more. */
guint study_advance(struct study *s, const struct replay_connection *c, const GArray *exchanges,
                    const struct study_limits *limits);
/* All of it at once, from a connection that has been read with its exchanges and segments kept. Returns owned, with a trace. */
struct study *study_whole(const struct replay_connection *c);
/* After the last advance: names the bottleneck, and frees the window. */
void study_finish(struct study *s, const struct replay_connection *c);
/* Appends the segments that came since the last call. */
void study_share(struct study *s, GArray *segments);

#endif
