/* The facade of the folder: a judgement or a capture's facts in, the bytes of a report out.
 *
 * The last line of a report says what family it is set in where that isn't the one it was made for, and how many
 * characters no installed font has. Errors: COPYTRIAL_ERROR_OUTPUT, also where no font is installed at all. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/build_capture.h"
#include "report/draw_cairo.h"
#include "report/judgement.h"

struct report_options {
    const char *program;      /* name and version, shown on every page */
    const char *command_line; /* of a verdict, shown with the inputs; or NULL */
    enum draw_format format;
    bool has_epoch;
    int64_t epoch; /* creation date, seconds since 1970; shown in the metadata only */
};

/* What the machine lacks. */
struct report_lack {
    int glyphs;       /* characters that no installed font has: they show as boxes with their codes */
    char family[128]; /* what the pages are set in instead of their own family; "": they have it */
    bool stand_in;    /* and that isn't the fallback either: the machine has neither */
};

/* Append the file's bytes to `out`. */
bool report_render(const struct judgement *j, const struct report_options *options, GByteArray *out,
                   struct report_lack *lack, GError **error);
/* Takes the charts of `pages`. */
bool report_render_capture(struct capture_pages *pages, const struct report_options *options, GByteArray *out,
                           struct report_lack *lack, GError **error);

#endif
