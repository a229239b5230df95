/* Where a claim's evidence comes from when this folder can't read or make it: captures and simulations. cli fills the table, so that
 * neither folder knows the other.
 *
 * Each function returns false with an error that names file or line. */
#ifndef REPORT_CLAIM_SOURCES_H
#define REPORT_CLAIM_SOURCES_H

#include "report/evidence.h"
#include "report/scenario.h"

struct claim_finding;

struct claim_sources {
    void *self;
    /* A capture as one run: the figures "seconds", "bytes" and "rate", its line the number of the first frame. */
    bool (*capture)(void *self, const char *path, struct evidence *e, GError **error);
    /* Whether what a claim requires is in a capture. Fills `found` but for `what`. */
    bool (*mechanism)(void *self, const char *path, const char *required, struct claim_finding *found,
                      GError **error);
    /* The runs of a scenario: the figures "seconds", "bytes" and "rate", each line the number of the run. File facts: "random", what differs between the
     * runs, absent where nothing does; "input", each file that was read. Names of files are relative to the claim file. */
    bool (*simulate)(void *self, const char *claim_path, const struct scenario *scenario, struct evidence *e,
                     GError **error);
};

#endif
