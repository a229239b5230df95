/* The runs of a copy from profiles, as a question asks for it: what predict and a claim's scenarios simulate. */
#ifndef CLI_COPY_PLAN_H
#define CLI_COPY_PLAN_H

#include "cli/question.h"
#include "cli/simulation.h"

/* For a simulation_plan; the question must outlive the run. */
void copy_plan_prepare(const struct question *q, uint64_t run, struct simulation_run *out);
void copy_plan_release(struct simulation_run *run);

#endif
