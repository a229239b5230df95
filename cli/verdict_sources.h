/* Captures and simulations for the claim reader: what report/claim_sources.h asks for. */
#ifndef CLI_VERDICT_SOURCES_H
#define CLI_VERDICT_SOURCES_H

#include "report/claim_sources.h"

/* Captures that were read, so that one which is asked for several things is read once. Clear it with verdict_sources_clear(). */
struct verdict_sources {
    struct claim_sources table;
    GHashTable *captures; /* from path to struct verdict_capture */
};

void verdict_sources_init(struct verdict_sources *s);
void verdict_sources_clear(struct verdict_sources *s);

#endif
