/* What is doubtful about a claim's runs, found from figures that a judgement has already.
 *
 * Each look at the runs themselves is a test, and on clean runs each warns seldom: drift, change, neighbours at 1 % if their
 * correlation is 0.05 or more, so that it matters, first run at 0.5 %, two groups at 5 % of the dip test, if a gap of at least 4 + 12 / (n - 2) standard deviations within the groups parts them.
 * Together that is under 5 % (tests/model/verdict_calibration.c counts them). Cost: none. */
#ifndef REPORT_CAUTIONS_H
#define REPORT_CAUTIONS_H

#include "report/judgement.h"

void cautions_find(struct judgement *j);
/* Needs the complete figures of the arms. */
void cautions_find_notes(struct judgement *j);
/* Do the runs of this arm fall into two groups? */
bool cautions_two_groups(const struct arm *arm);

#endif
