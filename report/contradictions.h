/* Reported numbers that can't all be right, found before any statistics.
 *
 * A statement gives some of: bytes, seconds, rate, each as written, so that what rounding hides is known. Bytes over seconds must
 * be the rate within rounding; where that fails, other readings are tried and named (GB as GiB, MB/s as Mbit/s), because the
 * likely mistake is worth more than the finding. A rate above what the wire can carry, values that were rounded, and units that
 * don't fit the metric are found too.
 *
 * Pure. Ownership: what is found is owned by the caller. Cost: linear in the samples. */
#ifndef REPORT_CONTRADICTIONS_H
#define REPORT_CONTRADICTIONS_H

#include "base/samples.h"
#include "report/evidence.h"
#include "report/number_text.h"

#include <glib.h>
#include <stdbool.h>

struct contradiction {
    char *what;   /* a word or two: "size, time and rate", "above the wire" */
    char *text;   /* one sentence */
    char *source; /* "file:line", or the file */
};

/* A quantity as somebody wrote it. */
struct stated {
    bool given;
    struct number number; /* in `unit` */
    char *unit;
};

struct statement {
    struct stated size, time, rate;
    double wire_bps; /* of the link, 0: not known */
    char *source;
};

/* "16.6 GB": number and unit, what rounding hides taken from the digits. False, with an error without a file name, when it is neither
 * or the unit is none of the quantity's. The unit is owned by the statement: statement_clear(). */
bool stated_parse_size(const char *text, struct stated *s, GError **error);
bool stated_parse_time(const char *text, struct stated *s, GError **error);
bool stated_parse_rate(const char *text, struct stated *s, GError **error);
void statement_clear(struct statement *s);

/* The array holds struct contradiction and frees its members. Returns owned. */
GArray *contradictions_new(void);
void contradictions_in_statement(GArray *found, const struct statement *s);
/* What the reader of a file found, and every run whose bytes, seconds and printed rate don't fit. */
void contradictions_in_evidence(GArray *found, const struct evidence *e);
/* Values too round or too equal to be measured, and rates above the wire. */
void contradictions_in_samples(GArray *found, const struct samples *s, double wire_bps);
/* A unit that measures something else than the metric's direction says: a time of which more is better. */
void contradictions_in_metric(GArray *found, const char *name, const char *unit, bool higher_is_better,
                              const char *source);

/* Most bytes a second of file data over Ethernet of this rate: jumbo frames of 9000 bytes, no TCP options. */
double contradictions_ceiling(double wire_bps);

#endif
