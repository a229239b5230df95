/* Evidence that cli reads or makes for a claim, through claim_sources.h: captures as runs, captures as mechanism evidence, simulated runs.
 *
 * Errors: COPYTRIAL_ERROR_INPUT naming the file, or the claim file and the line. Ownership: what is returned is owned. */
#ifndef REPORT_CLAIM_OUTSIDE_H
#define REPORT_CLAIM_OUTSIDE_H

#include "report/claim_evidence.h"
#include "report/claim_sources.h"
#include "report/evidence_samples.h"

/* The name of the format is "capture", or there is none and the file begins like a pcap or pcapng file. */
bool claim_outside_is_capture(const char *format, const char *path);
/* Adds the file to the inputs. */
struct evidence *claim_outside_capture(struct claim_evidence *e, const char *path, GError **error);
bool claim_outside_finding(struct claim_evidence *e, const char *path, const char *required,
                           struct claim_finding *found, GError **error);

/* Simulated runs. */
struct claim_simulated {
    struct samples *samples;  /* in the unit asked for; NULL: there is no simulation */
    struct scenario scenario; /* whole: with what it inherits */
    char *random;             /* what differs between the runs; NULL: nothing does */
};

void claim_simulated_clear(struct claim_simulated *s);
/* `own` becomes whole by `common`. Appends to the inputs and remarks of `e`. */
bool claim_outside_simulate(struct claim_evidence *e, const char *claim_path, const char *name,
                            const struct scenario *own, const struct scenario *common, const char *unit,
                            struct claim_simulated *out, GError **error);

#endif
