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
    struct calibrated loss_burst_packets; /* lost in a row, mean; known when that is more than by chance */
    struct calibrated packets_per_ms;
    int64_t
        budget_phase_ns; /* with a packet cap: where in the milliseconds of the capture's clock nothing arrives */
    uint64_t packets; /* that `loss` is a share of */
    GArray *lost;     /* of uint64_t: numbers, from 1, of the packets that were lost otherwise; ascending */
    uint64_t queue_drops; /* losses explained by a full queue, which `loss` leaves out */
};

/* How deep an end cut its window at losses: the logarithms of new window over old. */
struct calibration_cuts {
    uint64_t count;
    double mean, squares; /* of their distances from the mean */
};

/* What one end's TCP showed of itself. */
struct calibration_end {
    struct calibrated initial_window;       /* segments */
    struct calibrated receive_window_bytes; /* largest advertised, if it ever held data back */
    struct calibrated delayed_ack_ns;
    struct calibration_cuts cuts;
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
    double rtt_scatter_ns;    /* of it, what its samples leave open: half of their range */
    double handshake_ns;      /* the same of the handshake, when the path was idle; -1: not seen */
    struct calibration_direction side[REPLAY_DIRECTIONS];
    struct calibration_end end[REPLAY_DIRECTIONS]; /* end[REPLAY_UP] is the client's */
    int counts;                                    /* enum network_counts: what the rates count; assumed */
    int64_t mss_bytes;        /* announced, or as the largest segment says; -1: unknown */
    int64_t mtu_bytes;        /* IP packet that a full segment fills; 1500 if unknown */
    uint32_t ip_header_bytes; /* 20 or 40 */
    bool timestamps, sack;
    GArray *services; /* of struct calibration_service, by command */
};

/* What of a connection's segments and exchanges a pass is about. Those before are there for their context: an earlier window
 * has counted them. All zero: a whole connection. */
struct window {
    guint fresh_segment, fresh_exchange;
    bool continues;                        /* the connection began before its first segment */
    bool goes_on;                          /* and goes on after its last one */
    uint64_t sent[REPLAY_DIRECTIONS];      /* packets that were seen before its first segment */
    int64_t through_ns[REPLAY_DIRECTIONS]; /* when the last of them was through a link that lay ahead */
};

/* Service times seen so far, by command: every second one, then every fourth ... of a command that has too many. */
struct service_samples {
    GArray *commands;
};
void service_samples_init(struct service_samples *s);
void service_samples_clear(struct service_samples *s);

/* Needs the connection's exchanges and segments. */
void calibrate(const struct replay_connection *c, struct calibration *out);
/* The same for one window of a longer connection, of which `c` holds the exchanges and segments. What the window can't show of
 * the link it has from `before`, the calibration of the windows before; NULL: there is none. Services are those of all
 * `samples`, to which the window's are added. */
void calibrate_window(const struct replay_connection *c, const struct window *window,
                      const struct calibration *before, struct service_samples *samples,
                      struct calibration *out);
/* Takes in the calibration of the next window: known beats unknown, two known values give their mean by packets and the
 * hull of their intervals, the least RTT stands, losses add up. Leaves `window` cleared. */
void calibration_merge(struct calibration *into, struct calibration *window);
/* An owned copy without services. */
void calibration_copy(const struct calibration *k, struct calibration *out);
void calibration_clear(struct calibration *k);

/* Rates and packet caps alone of connections that share a network, from all their `segments` (of struct replay_segment) in one
 * sequence, seen as `k` has it; they replace those of `k`. */
void calibrate_shared(const GArray *segments, struct calibration *k);
/* As calibration_merge(), of rates and caps alone. */
void calibration_merge_rates(struct calibration *into, const struct calibration *window);

/* The rate to reckon with: where it is unknown, the other direction's or the larger bound; 1 Gbit/s when there is none. */
double calibration_rate_bps(const struct calibration *k, enum replay_direction d);
/* The capture's own network, to simulate on. Where a value is unknown: the rate as above; a queue holds what was seen or,
 * if that is more, 256 kB; there is no loss and no cap. Owned: network_profile_clear(). */
void calibration_network(const struct calibration *k, struct network_profile *out);
/* What a loss leaves of the window, with the 95 % interval of the mean, over at least three losses. */
struct calibrated calibration_cut(const struct calibration_cuts *c);
/* TCP_CUBIC or TCP_NEWRENO (enum tcp_congestion), where that interval leaves but one; -1: not known. What keeps half may be Compound TCP. */
int calibration_family(const struct calibration_cuts *c);
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
