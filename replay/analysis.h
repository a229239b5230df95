/* Captures in, facts out: the facade of this folder.
 *
 * replay_read() reads one capture, or several as one in time order, once from front to back, and returns what it learnt
 * of every TCP connection that carried an SMB message. With no `keep_` option and no `trace` memory doesn't grow with the
 * capture, except for what lists connections; each kept exchange and segment costs its struct, and an exchange of the trace
 * sizeof(struct exchange).
 *
 * Times are nanoseconds after the first frame of the (first) capture, at the capture point; -1 means not seen. They never run
 * back: a frame that was stamped before its predecessor counts as of that one, and when a clock was set back by over a
 * second the time goes on from where it was. Frames
 * are numbered from 1 through all files, as Wireshark does for one file. Lengths come from the IP headers, so a capture
 * cut to a snap length counts the bytes that were on the wire. Directions are seen from the client: REPLAY_UP is client to
 * server.
 *
 * Stream offsets are 64-bit: the sequence number without wraps, counted so that the first payload byte after the SYN is
 * offset 0 (the SYN itself is -1). Without a SYN the first byte seen or acknowledged is 0, and a late arrival from
 * before it is negative. The same numbering serves segments and exchanges.
 *
 * Errors: COPYTRIAL_ERROR_INPUT naming the file. A damaged capture is no error: what is whole is used, and the warnings
 * and the ledger say what is not. */
#ifndef REPLAY_ANALYSIS_H
#define REPLAY_ANALYSIS_H

#include "base/tally.h"
#include "replay/facts.h"
#include "replay/payload_sample.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct replay_options {
    bool keep_exchanges; /* fill replay_connection.exchanges */
    bool keep_segments;  /* fill replay_connection.segments */
    bool measure;        /* fill replay_connection.study and replay.network: calibration and breakdown */
    bool timeline;       /* fill replay.timeline (replay/timeline.h) */
    bool trace;          /* with `measure`: what can be replayed, too */
    uint64_t window;     /* segments that `measure` keeps at a time; 0: STUDY_WINDOW (replay/study.h). With
                      * `keep_exchanges` there is one window. */
    const GArray
        *keys; /* of struct smb2_key_entry (replay/smb2_key_list.h), to decrypt with; or NULL. Borrowed */
    /* Called with each exchange when all is known of it, in the order in which they end; or NULL. Of the connection its ends are
     * known, and what has been seen of it so far; `file` is the name of the file that the exchange serves, or NULL. Views, valid during the call. */
    void (*exchange)(void *self, const struct replay_connection *c, const struct replay_exchange *x,
                     const char *file);
    /* Called now and then, and at the end, with how much of the files has been read; `of` is 0 where that isn't known. Or NULL. */
    void (*progress)(void *self, uint64_t read, uint64_t of);
    void *self; /* of both. Borrowed */
};

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

struct replay_interface {
    char *name;            /* owned; NULL: the file names none */
    const char *link_type; /* static */
    uint64_t packets;
    int64_t dropped; /* that the capturing machine says it lost; -1: it doesn't say */
};

struct replay {
    GPtrArray *files;      /* of char *, as given */
    const char *link_type; /* "EN10MB", "LINUX_SLL", ...; "mixed". Static */
    /* Frames, their lengths on the wire, and what the files hold of them. */
    uint64_t packets, bytes, captured_bytes;
    uint64_t tcp_packets;  /* duplicates included */
    int64_t start_unix_ns; /* wall clock of time 0 */
    int64_t duration_ns;   /* first to last frame */
    GPtrArray *warnings;   /* of char *: whole sentences */
    GPtrArray *
        interfaces; /* of struct replay_interface *: those that the files name, and one for those that name none */
    GPtrArray *secrets;     /* of char *: the kinds of decryption secrets in the files, "TLS keys" */
    GPtrArray *connections; /* of struct replay_connection *, in the order of their first frames */
    GArray *sessions;       /* of struct replay_session, in the order of their first connections */
    struct calibration
        *network;              /* with `measure`: what the connections show of the network that they share */
    struct timeline *timeline; /* with `timeline` */
    struct tally ledger;       /* what was not used, by reason; see replay/ledger.h */
    /* Share of the connections' stream bytes that belongs to decoded messages. Opaque ones count as decoded, for their
     * sizes are used; so do bytes inside a message that the snap length cut off, for their frames are there. */
    double coverage;
    /* All connections together. Time with exchanges outstanding adds up over connections that ran side by side. */
    GArray *commands; /* of struct replay_command */
    struct replay_usage total;
    struct payload_sample payload; /* with `trace` */
};

/* Below this coverage of a connection neither its calibration nor its breakdown can be trusted, and it isn't simulated: the time of what
 * isn't decoded is charged to waits that never were. Ten recorded copies, thinned by 0.5 % to 40 % of their frames, at random or in one
 * piece, tell where to draw the line: of 79 with a coverage of 0.8 or more, 2 named another bottleneck than the whole
 * recording, and self-replays were off by up to 12 %; of 61 below it, 24 did, and were off by up to 38 %. */
#define REPLAY_COVERAGE_LEAST 0.8

double replay_coverage(const struct replay_connection *c);
/* Its coverage is REPLAY_COVERAGE_LEAST or more. */
bool replay_is_trusted(const struct replay_connection *c);

/* Reads captures; `paths` is NULL-terminated and holds at least one. `options` may be NULL. Returns owned, or NULL with
 * COPYTRIAL_ERROR_INPUT: missing, not a capture, empty, or no SMB message in any of them (the message says what was
 * there). */
struct replay *replay_read(const char *const *paths, const struct replay_options *options, GError **error);
void replay_free(struct replay *r);

/* The connection that moved most file data, or most exchanges when none moved any. View. */
const struct replay_connection *replay_main_connection(const struct replay *r);
const char *replay_point_name(enum replay_capture_point point);

#endif
