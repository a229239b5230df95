/* An implementation of report/draw.h that writes down the calls, one a line, in a font whose every character is 0.55 of its
 * size wide. Golden tests compare the record: it depends on no font and no version of a library. */
#ifndef TESTS_GOLDEN_DRAW_RECORD_H
#define TESTS_GOLDEN_DRAW_RECORD_H

#include "report/draw.h"

/* Returns owned. finish() appends the record. */
struct draw *draw_record_new(void);

#endif
