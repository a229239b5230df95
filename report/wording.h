/* The plain words of a judgement: one place for every sentence that people read about a verdict, so that page, terminal
 * and JSON say the same.
 *
 * Ownership: returns owned strings. Numbers are rounded and set by format.h. */
#ifndef REPORT_WORDING_H
#define REPORT_WORDING_H

#include "report/claim_figures.h"
#include "report/contradictions.h"
#include "report/judgement.h"

/* "“File copies are ... removed.”" */
char *wording_statement(const struct judgement *j);
/* "Judged at a margin of ±5 %: ..." */
char *wording_margin(const struct judgement *j);
/* "UNDECIDED" */
const char *wording_stamp(const struct judgement *j);
/* "10 runs", "1 run" */
char *wording_runs(size_t n);
/* What the comparison counts: "runs", "pairs", "blocks", "clusters"; and how many of them would settle a question: "runs of each kind".
 * Static. */
const char *wording_things(const struct judgement *j);
const char *wording_units(const struct judgement *j);
/* "by 10 runs" */
char *wording_basis(const struct judgement *j);
/* One to three sentences: what was found, how sure, what would settle it. */
char *wording_reason(const struct judgement *j);
/* A doubt, and what it does to the verdict; or a note. In wording_cautions.c. */
char *wording_caution(const struct judgement *j, enum caution caution);
/* A word or two for it: "drift". Static. */
const char *wording_caution_name(enum caution caution);
/* "msrdc.dll: in none of the 152 rows of a complete listing (modules.txt)." */
char *wording_finding(const struct claim_finding *finding);
/* "the article's first row: 16.6 GB in 91 s is 182.4 MB/s, and not 138 MB/s." */
char *wording_contradiction(const struct contradiction *c);
/* What the simulation says, and a word for it: "agrees". The word is static. In wording_simulation.c. */
char *wording_simulation(const struct judgement *j);
const char *wording_simulation_pill(const struct judgement *j);
/* "+9 %", of the simulated control's mean; "all else equal: only the client (robocopy, robocopy-compress) differs". */
char *wording_simulated_gain(const struct judgement *j);
char *wording_all_else(const struct judgement *j);
/* How far the simulation is off a figure: "+1.5 %", or a dash; and what all figures come to. */
char *wording_figure_off(const struct claim_figure *f);
char *wording_figures(const struct claim *c);
/* What to do next. Returns an array of owned strings. */
GPtrArray *wording_next_steps(const struct judgement *j);

/* An amount of the metric: a percentage of the control's mean where there is one, else in the metric's unit. */
char *wording_share(const struct judgement *j, double amount, bool sign);
/* "−9.1 % to +8.8 %", or one amount where the two are equal */
char *wording_range(const struct judgement *j, double low, double high);
/* "±5 %" */
char *wording_margin_value(const struct judgement *j);

#endif
