/* What `copytrial replay` prints: the same facts as a JSON object with DESIGN.md's names, and as tables for people. */
#ifndef CLI_REPLAY_OUTPUT_H
#define CLI_REPLAY_OUTPUT_H

#include "replay/analysis.h"

#include <glib.h>
#include <jansson.h>

/* Returns owned. */
json_t *replay_json(const struct replay *r);
void replay_text(const struct replay *r, GString *to);

#endif
