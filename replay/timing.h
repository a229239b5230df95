/* When each exchange was really issued, served and done, at the clocks of the ends: what a trace, a service fit and
 * a breakdown are made of.
 *
 * Release. A request waits for the response that completed last at the client before the request left, if one has since
 * the request before it; for all earlier ones, when that left none outstanding; else for nothing but the order. A request that shares its first segment with the tail of the one
 * before, or that an acknowledgement released at a full flight, had been issued earlier and waited in the client's
 * TCP: it counts as issued with its predecessor, and its think time is 0.
 *
 * Service. The server has one worker a connection, as in the simulator: it takes up a request when its last byte has arrived
 * and the answer before is written. An answer that queued behind others on the link, shares its first segment with
 * the tail of the one before, or left on an acknowledgement that let the window go on, was written at an instant that the capture doesn't show; its service time is then what the
 * fit of its command says, but no more than what fits in.
 *
 * Cost: one sort of the completions. */
#ifndef REPLAY_TIMING_H
#define REPLAY_TIMING_H

#include "replay/wire.h"

struct timing {
    int64_t issue_ns;  /* the client wrote the request */
    int64_t arrive_ns; /* its last byte at the server */
    int64_t taken_ns;  /* the server took it up */
    int64_t write_ns;  /* the server wrote the response; -1: none */
    int64_t done_ns;   /* the response's last byte at the client; -1: none */
    int64_t think_ns;
    int64_t service_ns; /* write - taken */
    uint32_t after;     /* distance back to the exchange that released it; 0: none */
    bool barrier;       /* nothing was outstanding when it was issued: it may have waited for all before it */
    bool held;          /* the issue was not seen: it waited in the client's TCP */
    bool hidden;        /* the write was not seen: service is an estimate */
    bool alone;         /* the server had answered everything before it arrived */
};

/* Returns owned GArray of struct timing, one for each exchange of the path's connection. `services` are the fits for
 * hidden answers, or NULL: those then take no time. */
GArray *timing_new(const struct wire *p, const GArray *services);
/* What a fit expects for a command that moves that many bytes. */
double timing_expected_ns(const GArray *services, uint16_t command, uint32_t data_bytes);

#endif
