/* From a capture's facts to what the simulator runs: the facade between replay and cli.
 *
 * A model holds the capture's exchanges as a trace, the network and the two TCP ends that the capture shows. Run 0 replays
 * every service and think time as recorded; any other run draws them anew as spread.h says, so that a prediction has the spread
 * of its measurements and of the hosts.
 *
 * The self-replay is a run on the model's own network; a prediction is the same trace on another one. What the capture
 * can't show of its own network is filled in as calibration_network() says.
 *
 * Seconds: sim reports what the client sees; a capture taken elsewhere saw the copy begin later and end sooner.
 * replay_model_seen_ns() turns the one into the other. */
#ifndef REPLAY_MODEL_H
#define REPLAY_MODEL_H

#include "replay/analysis.h"
#include "replay/calibrate.h"
#include "sim/run.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct replay_model {
    struct trace *trace;            /* one connection for each of the capture that has exchanges */
    GArray *sources;                /* of guint: which of replay.connections each of the trace's is */
    struct calibration calibration; /* of the network that all connections share */
    struct network_profile network; /* the capture's own */
    struct tcp_profile client_tcp, server_tcp;
    const struct host_profile
        *host; /* what either end's work costs beyond the measured times; NULL: nothing. Borrowed */
    double
        payload_ratio; /* that its data compress to (replay/payload_sample.h); 0: not known, or they came compressed */
    double payload_share; /* of the data that were sampled */
    uint32_t ip_header_bytes;
    enum replay_capture_point point;
    bool handshake;      /* the capture's first frames are a handshake, as a run's are */
    int64_t recorded_ns; /* earliest first frame to latest frame with TCP payload, as recorded */
};

/* Needs what replay_options.trace asks for. Returns owned, or NULL with COPYTRIAL_ERROR_INPUT when no connection has an
 * exchange that can be replayed. Borrows nothing. */
struct replay_model *replay_model_new(const struct replay *r, GError **error);
void replay_model_free(struct replay_model *m);

/* One run in preparation: the setup and the cursors that it points to. */
struct replay_run {
    struct sim_setup setup;
    struct sim_connection *connections;
    struct trace_cursor *cursors;
    struct network_profile network; /* a view, with this run's values */
    struct trace *drawn;            /* the trace with times drawn anew, or NULL: as recorded */
};

/* `other` is the network to run on; NULL: the model's own. Borrows the model and `other` until replay_run_fini().
 * The caller may change run->setup before sim_run(). Cost: a copy of the trace when run > 0 or `other` is given. */
void replay_run_init(struct replay_run *run, const struct replay_model *m,
                     const struct network_profile *other, uint64_t seed, uint64_t run_number);
void replay_run_fini(struct replay_run *run);

/* The elapsed time of a run as the model's capture point would have recorded it: half-way between the ends' in the middle, and
 * without the handshake when the capture began after it. */
int64_t replay_model_seen_ns(const struct replay_model *m, const struct sim_result *result);

#endif
