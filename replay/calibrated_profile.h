/* A capture as a profile that `predict` reads: its network, its client and its server in one YAML text.
 *
 * Every value that was measured stands with the interval in which the capture places it, as a range that predictions draw from where
 * the profile has such a key, else in a comment; what the capture can't show is assumed, and the comment says with what bound. The
 * client is the copy program of the main connection (replay/derive_client.h), the server its service times.
 *
 * Errors: COPYTRIAL_ERROR_INPUT naming the file, when the capture holds no copy to learn from. */
#ifndef REPLAY_CALIBRATED_PROFILE_H
#define REPLAY_CALIBRATED_PROFILE_H

#include "replay/model.h"

/* `r` was read with options.trace. Returns owned text, or NULL. */
char *calibrated_profile(const struct replay *r, const struct replay_model *m, GError **error);

#endif
