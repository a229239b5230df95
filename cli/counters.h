/* What a simulated run counted, as `predict` shows it. */
#ifndef CLI_COUNTERS_H
#define CLI_COUNTERS_H

#include "sim/run.h"

#include <glib.h>
#include <jansson.h>

/* The `counters` object. Returns owned. */
json_t *counters_json(const struct sim_result *r);
/* A line for each direction, behind a heading. */
void counters_text(const struct sim_result *r, GString *to);

#endif
