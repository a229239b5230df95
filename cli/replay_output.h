/* What `copytrial replay` prints: the same facts as a JSON object with DESIGN.md's names, and as tables for people. */
#ifndef CLI_REPLAY_OUTPUT_H
#define CLI_REPLAY_OUTPUT_H

#include "cli/replay_outcome.h"

#include <glib.h>
#include <jansson.h>

/* Returns owned. */
json_t *replay_json(const struct replay_outcome *o);
/* {value, low, high}, or {value: null, bound}. Returns owned. */
json_t *calibration_json(const struct calibration *k);
void replay_text(const struct replay_outcome *o, GString *to);
/* What the capture says about the network, a line each. */
void calibration_text(const struct calibration *k, GString *to);

#endif
