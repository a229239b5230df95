/* What `rdc` found, for people and as JSON. */
#ifndef CLI_RDC_OUTCOME_H
#define CLI_RDC_OUTCOME_H

#include "cli/rdc_times.h"

#include <jansson.h>

struct rdc_outcome {
    struct rdc_filter filter; /* of the files; signatures are cut by RDC_FILTER_SIGNATURES */
    uint64_t before_bytes, after_bytes;
    struct rdc_transfer *transfer;
    gint64 cut_us;                 /* both versions on this machine: cut, hashed and compared */
    const struct rdc_times *times; /* NULL: no network was named */
};

/* Returns owned. */
json_t *rdc_outcome_json(const struct rdc_outcome *r);
void rdc_outcome_text(const struct rdc_outcome *r, GString *to);

#endif
