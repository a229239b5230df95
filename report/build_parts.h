/* The parts of a verdict's figures, each a heading with its tables. */
#ifndef REPORT_BUILD_PARTS_H
#define REPORT_BUILD_PARTS_H

#include "report/doc.h"
#include "report/judgement.h"

/* The first heading carries the anchor `figures` (static). */
void build_arms(struct doc *doc, const struct judgement *j, const char *figures);
/* Of one treatment with the control. */
void build_comparison(struct doc *doc, const struct judgement *j);
void build_experiment(struct doc *doc, const struct judgement *j);
/* Simulated against measured; where the time went in the captures. Nothing where there is none. */
void build_simulation(struct doc *doc, const struct judgement *j);
void build_captures(struct doc *doc, const struct judgement *j);
/* Bayes factors read as odds: "2.3 to 1". Returns owned. */
char *build_odds(double factor);

#endif
