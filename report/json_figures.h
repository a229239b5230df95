/* Figures as JSON: numbers, intervals, arms, comparisons and the experiment. What is not known is null, and its reason is kept under
 * the figure's path: {"comparison.hedges_g": "the runs show no spread"}.
 *
 * Ownership: functions return new references. */
#ifndef REPORT_JSON_FIGURES_H
#define REPORT_JSON_FIGURES_H

#include "report/judgement.h"

#include <jansson.h>

struct json_reasons {
    json_t *object;     /* borrowed */
    const char *prefix; /* of the paths, ends in a dot */
};

/* The arm at this place of the file. */
json_t *json_arm(struct json_reasons *r, const struct judgement *j, guint place);
json_t *json_comparison(struct json_reasons *r, const struct judgement *j);
json_t *json_experiment(struct json_reasons *r, const struct judgement *j);

#endif
