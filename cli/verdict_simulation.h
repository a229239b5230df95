/* The runs of a claim's scenario, by the simulator. */
#ifndef CLI_VERDICT_SIMULATION_H
#define CLI_VERDICT_SIMULATION_H

#include "report/evidence.h"
#include "report/scenario.h"

/* As claim_sources.simulate has it. Where nothing is random one run is simulated and counted twice, for a second one would be equal. */
bool verdict_simulation_run(const char *claim_path, const struct scenario *s, struct evidence *e,
                            GError **error);

#endif
