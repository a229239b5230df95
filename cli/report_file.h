/* A report's file: which kind its name asks for, the date that goes into it, and the warnings about what it lacks. */
#ifndef CLI_REPORT_FILE_H
#define CLI_REPORT_FILE_H

#include "report/report.h"

/* By the ending of the name; `option` is named in the error. */
bool report_file_format(const char *option, const char *path, enum draw_format *format, GError **error);
/* SOURCE_DATE_EPOCH is the only date on the pages: set by whoever wants reproducible files with a date in them. */
bool report_file_epoch(struct report_options *options, GError **error);
/* A command with its arguments, as it can be typed again. Returns owned. */
char *report_file_command_line(int argc, char **argv);
/* On standard error, as command `name`. */
void report_file_warn(const char *name, const char *path, const struct report_lack *lack);

#endif
