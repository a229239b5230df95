/* Tables in the flow: columns of fixed shares, cells that wrap, a thin rule under each row. A row that is taller than
 * what is left of a page starts a new one, and is split where it is taller than a whole page. */
#ifndef REPORT_LAYOUT_TABLE_H
#define REPORT_LAYOUT_TABLE_H

#include "report/galley.h"

void layout_table(struct galley *g, const struct doc_table *table);

#endif
