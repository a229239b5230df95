/* What stands out in a connection, in sentences with their numbers, most telling first. The first is what held the copy back, with what would
 * help; the others are what an engineer would look at next. Each names frames and a display filter that shows them in
 * Wireshark. They are made of the facts alone: equal facts, equal findings. */
#ifndef REPLAY_FINDINGS_H
#define REPLAY_FINDINGS_H

#include "replay/analysis.h"
#include "replay/breakdown.h"

struct finding {
    const char *
        kind; /* "bottleneck", "retransmissions", "closed_window", "delayed_acks", "window_scaling", "credits", "errors", "slowest",
                       * "unanswered". Static */
    char *text;
    char *advice; /* NULL: none */
    char *filter;
    uint64_t first_frame, last_frame;
};

/* Returns owned: GPtrArray of struct finding *. The breakdown and calibration are the connection's; NULL when its coverage is too
 * low for them, and then the findings are without the bottleneck. */
GPtrArray *findings_new(const struct replay_connection *c, const struct breakdown *b,
                        const struct calibration *k);
/* What would shorten the largest wait. Returns owned. */
char *advice_new(const struct replay_connection *c, const struct breakdown *b, const struct calibration *k);
/* The port in "192.0.2.1:445" or "[2001:db8::1]:445". View. */
const char *finding_port(const char *end);

#endif
