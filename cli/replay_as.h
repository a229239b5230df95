/* The files of a capture, copied by another program: `replay --as`.
 *
 * The files are those that moved data in the capture's main direction, in their order, with the bytes that moved of each. The client is
 * a profile's, the server the captured one as `calibrate` writes it (replay/calibrated_profile.h). */
#ifndef CLI_REPLAY_AS_H
#define CLI_REPLAY_AS_H

#include "cli/simulation.h"
#include "replay/model.h"

struct replay_as {
    struct client_profile client;
    struct server_profile server;
    GArray *groups; /* of struct file_group */
    bool upload;
    const struct network_profile *network; /* borrowed */
    uint64_t seed;
};

/* `client` is a name or a file. False with an error when it can't be had, has no list for that direction, or the capture moves
 * no file data. Its profiles are initialised by the caller, who clears it either way. */
bool replay_as_init(struct replay_as *a, const struct replay *r, const struct replay_model *m,
                    const char *client, const struct network_profile *network, uint64_t seed, GError **error);
void replay_as_clear(struct replay_as *a);
/* A plan whose self is `a`; its times are those at the client. */
struct simulation_plan replay_as_plan(const struct replay_as *a);

#endif
