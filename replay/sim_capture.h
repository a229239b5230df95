/* The traffic of a simulated run as a capture, taken at the client or at the server.
 *
 * Every packet that leaves or reaches that host is a frame, at the instant when it does, with the bytes of the SMB messages that it
 * carries (encode.h) and headers as the two systems' TCP has them: SYN options, scaled windows, SACK blocks, timestamps of a
 * millisecond. What the run doesn't model is added: the closing handshake, a reset after a copy that fails or ends with data under way,
 * initial sequence numbers (from the seed). Time 0 is 2000-01-01 00:00 UTC.
 *
 * Memory is what is in flight. Equal runs give equal files. */
#ifndef REPLAY_SIM_CAPTURE_H
#define REPLAY_SIM_CAPTURE_H

#include "replay/encode.h"
#include "sim/probe.h"
#include "sim/run.h"

enum sim_capture_at { SIM_CAPTURE_CLIENT, SIM_CAPTURE_SERVER };

struct sim_capture;

/* `setup` is the run's, except for its probe; `encode` is for each of its connections. Borrows nothing of them but encode->self and the
 * TCP profiles. Returns owned, or NULL with COPYTRIAL_ERROR_OUTPUT. */
struct sim_capture *sim_capture_open(const char *path, const struct sim_setup *setup,
                                     const struct encode_setup *encode, enum sim_capture_at at,
                                     GError **error);
/* To be the setup's probe for one run. View of the capture. */
const struct sim_probe *sim_capture_probe(struct sim_capture *c);
/* Both take `c`. A failure during the run is reported here: COPYTRIAL_ERROR_INPUT for an exchange that can't be encoded,
 * COPYTRIAL_ERROR_OUTPUT for a file that can't be written. */
bool sim_capture_commit(struct sim_capture *c, GError **error);
void sim_capture_discard(struct sim_capture *c);

#endif
