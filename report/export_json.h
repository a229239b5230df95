/* A judgement as JSON, with the names that the manual fixes. Unknown figures are null, and `unknown` beside them says
 * why; NaN and infinities can't occur. Doubles carry 15 significant digits. */
#ifndef REPORT_EXPORT_JSON_H
#define REPORT_EXPORT_JSON_H

#include "report/judgement.h"

/* Returns owned: UTF-8 text ending in a line break. */
char *export_json(const struct judgement *j);

#endif
