/* The tables of a verdict's document: what each kind of evidence says (page 1), and all figures with their method. */
#ifndef REPORT_BUILD_FIGURES_H
#define REPORT_BUILD_FIGURES_H

#include "report/doc.h"
#include "report/judgement.h"

/* `figures` is the anchor that the evidence refers to and that the figures carry (static). */
void build_evidence(struct doc *doc, const struct judgement *j, const char *figures);
void build_figures(struct doc *doc, const struct judgement *j, const char *figures);

/* Returns owned: an arm's mean rounded to its uncertainty, or a dash. */
char *build_mean(const struct summary *s);

#endif
