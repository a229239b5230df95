/* The facade of the folder: a judgement in, the bytes of a report out. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/draw_cairo.h"
#include "report/judgement.h"

struct report_options {
    const char *program; /* name and version, shown on every page */
    enum draw_format format;
    bool has_epoch;
    int64_t epoch; /* creation date, seconds since 1970; shown in the metadata only */
};

/* Appends the file's bytes to `out`. *missing_glyphs receives the number of characters that no installed font has. */
bool report_render(const struct judgement *j, const struct report_options *options, GByteArray *out,
                   int *missing_glyphs, GError **error);

#endif
