/* A judgement as a short text for a terminal. Returns owned. */
#ifndef REPORT_EXPORT_TEXT_H
#define REPORT_EXPORT_TEXT_H

#include "report/judgement.h"

char *export_text(const struct judgement *j);

#endif
