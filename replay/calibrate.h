/* Calibration: what one connection of a capture says about its network, its two ends and its server.
 *
 * Each value carries the interval in which the capture places it (95 %), or, where the capture can't show it, the bound
 * that it does give: a link that was never full has a rate of at least the busiest stretch seen, a path that lost
 * nothing a loss below what would have shown. Nothing is filled in here; calibration_network() and calibration_tcp() do
 * that for a simulation, and say with what.
 *
 * Times are ns, rates bit/s counted on Ethernet frames without FCS (calibration.counts), sizes bytes.
 *
 * Ownership: a calibration owns its arrays; calibration_clear() frees them. Cost: a few passes over the segments, and
 * one sort of their distances. */
#ifndef REPLAY_CALIBRATE_H
#define REPLAY_CALIBRATE_H

#include "replay/facts.h"
#include "sim/profile.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct calibrated {
    bool known;
    double value, low, high; /* when known */
    double bound; /* when not: the value is at least (rate, queue, window) or at most (loss, delay) this */
};

/* One direction of the network. */
struct calibration_direction {
    struct calibrated rate_bps;
    struct calibrated queue_bytes;
    struct calibrated loss;
    struct calibrated packets_per_ms;
    int64_t
        budget_phase_ns; /* with a packet cap: where in the milliseconds of the capture's clock nothing arrives */
    GArray *lost; /* of uint64_t: numbers, from 1, of the packets that were lost otherwise; ascending */
    uint64_t queue_drops; /* losses explained by a full queue, which `loss` leaves out */
};

/* What one end's TCP showed of itself. */
struct calibration_end {
    struct calibrated initial_window;       /* segments */
    struct calibrated receive_window_bytes; /* largest advertised */
    struct calibrated delayed_ack_ns;
};

/* Service time of a command: base + bytes * per_byte, from exchanges that the server had nothing else to do for. */
struct calibration_service {
    uint16_t command;
    uint64_t samples;
    struct calibrated base_ns;     /* of a single sample: unknown, and the bound is that sample */
    struct calibrated per_byte_ns; /* unknown when all moved like amounts; base_ns is the mean then */
    double residual_sd_ns;
};

struct calibration {
    enum replay_capture_point point;
    struct calibrated rtt_ns; /* propagation there and back, without serialisation */
    struct calibration_direction side[REPLAY_DIRECTIONS];
    struct calibration_end end[REPLAY_DIRECTIONS]; /* end[REPLAY_UP] is the client's */
    int counts;                                    /* enum network_counts: what the rates count; assumed */
    int64_t mss_bytes;        /* announced, or as the largest segment says; -1: unknown */
    int64_t mtu_bytes;        /* IP packet that a full segment fills; 1500 if unknown */
    uint32_t ip_header_bytes; /* 20 or 40 */
    bool timestamps, sack;
    GArray *services; /* of struct calibration_service, by command */
};

/* Needs the connection's exchanges and segments. */
void calibrate(const struct replay_connection *c, struct calibration *out);
void calibration_clear(struct calibration *k);

/* One calibration for connections that shared a network, each with its own in `of` (of struct calibration): rates and caps
 * from all their segments in one sequence, RTT and queue from the one that saw most. `connections` holds pointers to
 * struct replay_connection. The result has no services. */
void calibrate_shared(const GPtrArray *connections, const GArray *of, struct calibration *out);

/* The rate to reckon with: where it is unknown, the other direction's or the larger bound; 1 Gbit/s when there is none. */
double calibration_rate_bps(const struct calibration *k, enum replay_direction d);
/* The capture's own network, to simulate on. Where a value is unknown: the rate as above; a queue holds what was seen or,
 * if that is more, 256 kB; there is no loss and no cap. Owned: network_profile_clear(). */
void calibration_network(const struct calibration *k, struct network_profile *out);
/* One end's TCP: the Linux row, changed by what was seen of it. */
void calibration_tcp(const struct calibration *k, enum replay_direction end, struct tcp_profile *out);

/* ---- between the files of this part ---- */

static inline struct calibrated calibrated_value(double value, double low, double high)
{
    return (struct calibrated){.known = true, .value = value, .low = low, .high = high};
}

static inline struct calibrated calibrated_unknown(double bound)
{
    return (struct calibrated){.bound = bound};
}

/* What to compute with: the value, or the bound of an unknown one. */
static inline double calibrated_best(const struct calibrated *c)
{
    return c->known ? c->value : c->bound;
}

#endif
