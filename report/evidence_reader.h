/* For the readers: filling a struct evidence, and what each reader offers to the table of formats. */
#ifndef REPORT_EVIDENCE_READER_H
#define REPORT_EVIDENCE_READER_H

#include "report/evidence.h"
#include "report/number_text.h"

/* Room for so many more, which spares copying while they are added. */
void evidence_expect(struct evidence *e, guint runs, guint figures);
/* Figures and facts that follow belong to this run; facts before the first run belong to the file. Strings are copied. */
void evidence_add_run(struct evidence *e, enum evidence_kind kind, const char *label, int line);
/* The present run measured nothing. */
void evidence_set_failed(struct evidence *e, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* A value that isn't finite makes no figure but a note. */
void evidence_add_figure(struct evidence *e, const char *name, const char *unit, double value,
                         double half_step, int line);
void evidence_add_number(struct evidence *e, const char *name, const char *unit, struct number number,
                         int line);
/* The program writes the unit differently: "MB/min" for MiB/min. */
void evidence_add_written(struct evidence *e, const char *name, const char *unit, const char *written,
                          struct number number, int line);
void evidence_add_fact(struct evidence *e, const char *name, const char *value, int line);
void evidence_add_note(struct evidence *e, enum evidence_note_kind kind, int line, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* The run that was added last. Valid until the next. */
const struct evidence_run *evidence_last(const struct evidence *e);

/* Whether the first line that isn't blank starts with `start`, blanks aside. */
bool evidence_starts_with(const struct text_input *in, const char *start);
/* Whether `what` stands in any line. */
bool evidence_contains(const struct text_input *in, const char *what);
/* Whether the pattern matches any of the first `lines` lines. */
bool evidence_matches(const struct text_input *in, guint lines, const char *pattern);
/* The same of the first and the last 2000 lines, where logs sum up: a table may have a million others. */
bool evidence_sums_up(const struct text_input *in, const char *pattern);
/* Compiles a pattern of the program's own, case ignored: it can't fail. Returns owned. */
GRegex *evidence_pattern(const char *pattern);
/* A group of a match as a number whose decimal mark is "."; "," may group. */
bool evidence_group(const GMatchInfo *match, int group, struct number *n);

/* One pair a format; see each source for the figures it gives. */
bool evidence_robocopy_recognise(const struct text_input *in);
bool evidence_robocopy_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_procmon_recognise(const struct text_input *in);
bool evidence_procmon_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_perfmon_recognise(const struct text_input *in);
bool evidence_perfmon_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_hyperfine_recognise(const struct text_input *in);
bool evidence_hyperfine_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_pyperf_recognise(const struct text_input *in);
bool evidence_pyperf_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_google_benchmark_recognise(const struct text_input *in);
bool evidence_google_benchmark_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_criterion_recognise(const struct text_input *in);
bool evidence_criterion_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_iperf3_recognise(const struct text_input *in);
bool evidence_iperf3_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_fio_recognise(const struct text_input *in);
bool evidence_fio_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_diskspd_recognise(const struct text_input *in);
bool evidence_diskspd_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_rsync_recognise(const struct text_input *in);
bool evidence_rsync_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_rclone_recognise(const struct text_input *in);
bool evidence_rclone_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_dd_recognise(const struct text_input *in);
bool evidence_dd_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_smbclient_recognise(const struct text_input *in);
bool evidence_smbclient_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_fastcopy_recognise(const struct text_input *in);
bool evidence_fastcopy_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_time_recognise(const struct text_input *in);
bool evidence_time_read(const struct text_input *in, struct evidence *e, GError **error);
bool evidence_csv_recognise(const struct text_input *in);
bool evidence_csv_read(const struct text_input *in, struct evidence *e, GError **error);

#endif
