/* Simulated runs, single figures and captures in `copytrial verdict --json`. Return owned. */
#ifndef REPORT_JSON_SIMULATION_H
#define REPORT_JSON_SIMULATION_H

#include "report/judgement.h"

#include <jansson.h>

/* Null where the arms weren't simulated. */
json_t *json_simulation(const struct judgement *j);
json_t *json_claim_figures(const struct claim *c);
json_t *json_captures(const struct claim *c);

#endif
