/* The verdict rule: one pure function, used by every output.
 *
 * d is the effect in the claimed direction (positive: what the claim says), m the margin below which an effect doesn't
 * matter, [L, U] the 95 % and [L90, U90] the 90 % interval of d:
 *
 *   L > 0 and U90 < m   supported_small    there is a gain, and it is too small to matter
 *   else L > 0          supported
 *   else U90 < m        refuted            opposite if U < 0, equivalent if L90 > -m, otherwise no gain that matters
 *   else                undecided
 *
 * That is what the runs say. Where a complete listing shows that something the claim requires isn't there, a claim that the runs
 * don't support is refuted by the mechanism, and one that they do support is undecided: one of the two is wrong.
 *
 * Simulated runs decide only where nothing was measured, by the same rule; the basis says so.
 *
 * The 90 % interval is the one that two one-sided tests at 5 % correspond to. Without intervals nothing is decided. */
#ifndef REPORT_VERDICT_H
#define REPORT_VERDICT_H

#include <stdbool.h>

enum verdict_decision {
    VERDICT_UNDECIDED,
    VERDICT_SUPPORTED,
    VERDICT_SUPPORTED_SMALL,
    VERDICT_REFUTED,
};

enum verdict_reason {
    REASON_NO_INTERVAL, /* undecided: too few runs for any interval */
    REASON_TOO_WIDE,    /* undecided: the interval holds both "no gain" and a gain that matters */
    REASON_GAIN,        /* supported */
    REASON_SMALL_GAIN,  /* supported_small */
    REASON_OPPOSITE,    /* refuted */
    REASON_EQUIVALENT,  /* refuted */
    REASON_NO_GAIN,     /* refuted: no gain that matters, perhaps a loss */
    REASON_NOT_THERE,   /* refuted: what the claim requires is absent */
    REASON_AT_ODDS,     /* undecided: the runs show a gain by something that is absent */
};

/* What the verdict rests on. */
enum verdict_basis { VERDICT_BY_SAMPLES, VERDICT_BY_MECHANISM, VERDICT_BY_SIMULATION };

struct verdict_evidence {
    bool has_intervals;
    double low, high;       /* L, U */
    double low_90, high_90; /* L90, U90 */
    double margin;          /* m */
    bool required_absent;   /* shown by a complete listing */
    bool simulated;         /* the intervals are those of simulated runs: nothing was measured */
};

struct verdict {
    enum verdict_decision decision;
    enum verdict_reason reason;
    enum verdict_basis basis;
};

struct verdict verdict_decide(const struct verdict_evidence *e);

/* "supported", "supported_small", "refuted", "undecided": the name in files and options. Static. */
const char *verdict_name(enum verdict_decision decision);
/* False for a name that is none of the four. */
bool verdict_from_name(const char *name, enum verdict_decision *decision);
/* "opposite", "equivalent", ...: the name in files. Static. */
const char *verdict_reason_name(enum verdict_reason reason);
/* "samples", "mechanism", "simulation". Static. */
const char *verdict_basis_name(enum verdict_basis basis);

#endif
