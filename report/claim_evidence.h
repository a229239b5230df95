/* What a claim file points at besides numbers: logs of the runs, listings about the mechanism, numbers that somebody reported.
 *
 *   arms:
 *     - label: Without RDC
 *       role: treatment
 *       files:
 *         format: robocopy                # recognised when left out; capture: each file is a run
 *         paths: ["logs/without-*.log"]   # relative to the claim file; "*" and "?"; in natural order ("run-2" before "run-10")
 *         column: rate                    # which figure; by the metric's unit when left out
 *         job: copy                       # which label or number of run; all when left out
 *         unit: MB/s                      # of the column, when the file doesn't say
 *         size: 3 GB                      # what each run copied: turns seconds into rates
 *   mechanism:
 *     - kind: module-list                 # or service-list, settings
 *       file: modules.txt
 *       process: robocopy.exe             # everywhere when left out
 *       required_by_claim: msrdc.dll      # for settings "name" or "name = value"
 *     - kind: capture                     # what the capture itself shows
 *       file: copy.pcap
 *       required_by_claim: compression    # signing, dialect = 3.1.1, read block = 60 KiB, ...
 *   reported:
 *     - {what: the article's first row, size: 16.6 GB, time: 91 s, rate: 138 MB/s, wire: 1 Gbit/s}
 *
 * Tables and targets for base/yaml.h, and the reading of what they name.
 * Errors: COPYTRIAL_ERROR_INPUT naming the file that is wrong, or the claim file and the line that names it. */
#ifndef REPORT_CLAIM_EVIDENCE_H
#define REPORT_CLAIM_EVIDENCE_H

#include "base/samples.h"
#include "base/yaml.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct claim_files {
    char *format, *column, *job, *unit;
    GPtrArray *paths;
    int64_t size_bytes;
    int line; /* 0: the arm has no files */
};

enum { CLAIM_MECHANISM_CAPTURE = 3 };

struct claim_mechanism {
    int kind; /* enum mechanism_kind, or CLAIM_MECHANISM_CAPTURE */
    char *file, *process, *required;
    int line;
};

struct claim_reported {
    char *what, *size, *time, *rate;
    int64_t wire_bps;
    int line;
};

extern const struct yaml_field CLAIM_FILES_FIELDS[], CLAIM_MECHANISM_FIELDS[], CLAIM_REPORTED_FIELDS[];

/* What a listing or a capture says about a thing that the claim requires. */
struct claim_finding {
    char *what;
    int answer; /* enum mechanism_answer */
    char *text, *source;
    bool in_capture;
};

struct claim_input {
    char *file, *sha256; /* name without folders, UTF-8 */
};

struct claim_sources;

/* What was read beside the numbers of the claim file itself. */
struct claim_evidence {
    const struct claim_sources *sources; /* borrowed, for as long as the claim is read; may be NULL */
    GArray *findings;                    /* of struct claim_finding */
    GArray *contradictions;              /* of struct contradiction */
    GPtrArray *remarks;                  /* of char *: runs that were left out, and how figures came about */
    GArray *inputs;                      /* of struct claim_input */
    GArray *figures;                     /* of struct claim_figure, report/claim_figures.h */
    GPtrArray *captures;                 /* of struct evidence *: the arms' captures */
};

void claim_evidence_init(struct claim_evidence *e, const struct claim_sources *sources);
/* A file that was read, once each. */
bool claim_evidence_add_input(struct claim_evidence *e, const char *path, GError **error);
void claim_evidence_fini(struct claim_evidence *e);

/* Appends an arm's samples. `meaning` gets what `unit` means in these files (owned by the caller). */
bool claim_evidence_read_files(struct claim_evidence *e, const char *claim_path,
                               const struct claim_files *files, const char *unit, struct samples *into,
                               char **meaning, GError **error);
/* `items` may be NULL: of struct claim_mechanism, of struct claim_reported. */
bool claim_evidence_read_mechanism(struct claim_evidence *e, const char *claim_path, const GArray *items,
                                   GError **error);
bool claim_evidence_read_reported(struct claim_evidence *e, const char *claim_path, const GArray *items,
                                  GError **error);

#endif
