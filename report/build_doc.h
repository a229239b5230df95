/* A judgement as a document: page 1 for everyone, then method and figures. The only place that decides what a verdict's
 * pages say and in which order; words are wording.h's, numbers format.h's. */
#ifndef REPORT_BUILD_DOC_H
#define REPORT_BUILD_DOC_H

#include "report/doc.h"
#include "report/judgement.h"

/* `program` is name and version, for the header and the inputs. Returns owned. */
struct doc *build_doc(const struct judgement *j, const char *program, const char *command_line);

#endif
