/* Rate of a link from the distances between frames that went over it back to back.
 *
 * Model (packet-train dispersion). Frames that queue for a link leave it one serialisation apart, so stretches of full
 * frames pass at the link's rate whenever it was the limit, and at scattered, lower rates when something else was. The rate is
 * known when the rates of all stretches of a given length pile up in a narrow band; else the capture gives only a
 * lower bound, the rate that the fastest twentieth of them reached (0 without full frames). */
#ifndef REPLAY_RATE_H
#define REPLAY_RATE_H

#include "replay/calibrate.h"

/* What passed the link since the event before. */
struct rate_event {
    int64_t time_ns;
    int64_t bytes; /* as the rate counts them */
    uint32_t packets;
    bool full;  /* nothing but full frames */
    bool first; /* begins a stretch: what came before it says nothing */
};

/* `events` is an array of struct rate_event in the order of time. Cost: a sort. */
struct calibrated rate_estimate(const GArray *events);
/* The packet cap of the same link: counts in whole milliseconds that pile up at one value, with silence after it. Fills in
 * the phase of the milliseconds when known. */
struct calibrated rate_packet_cap(const GArray *events, int64_t *phase_ns);
/* Marks the first event of each whole millisecond as `first`, so that stretches don't span a wait for the budget. */
void rate_split(GArray *events, int64_t phase_ns);

#endif
