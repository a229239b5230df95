/* Evidence in: what other programs logged about a copy, as runs with named figures.
 *
 * A reader turns one file into runs. A run has figures (name, value, unit, what rounding may hide, line) and facts
 * (name and text). Three figure names mean the same in every format: "rate", "seconds" and "bytes" of the run; others are
 * listed above each reader. Whatever was not used is in the notes with its line, and so is whatever is odd about the file;
 * a line that should hold a figure and can't be read is an error that names it. A missing figure is missing, never 0.
 *
 * Formats are recognised by shape; asking for one by name skips the guess. One file is normally one run: parts of a run
 * (intervals, single I/Os, rows of a log) and summaries (a mean without its runs) are marked as such, because they are
 * not independent samples.
 *
 * Ownership: everything in a struct evidence is owned by it. Errors: COPYTRIAL_ERROR_INPUT naming file and line. */
#ifndef REPORT_EVIDENCE_H
#define REPORT_EVIDENCE_H

#include "report/text_input.h"

#include <glib.h>
#include <stdbool.h>

enum evidence_kind {
    EVIDENCE_RUN,     /* one copy, or one run of a benchmark: a sample */
    EVIDENCE_PART,    /* a piece of a run */
    EVIDENCE_SUMMARY, /* a mean of runs that the file doesn't hold one by one */
    EVIDENCE_FAILED,  /* measured nothing: `why` says so */
};

struct evidence_figure {
    const char *name;
    const char *unit;    /* without ambiguity: "MiB/min" where a log says MB and means 2^20; "" for counts */
    const char *written; /* the unit as the program writes it, where that differs, else NULL */
    double value;
    double half_step; /* half of the last digit given; 0: to the precision of a double */
    int line;
};

struct evidence_fact {
    const char *name, *value;
    int line;
};

struct evidence_run {
    enum evidence_kind kind;
    const char *label; /* command, job, row kind: what tells it from others; NULL when nothing does */
    const char *why;   /* for EVIDENCE_FAILED */
    int line;
    guint first_figure, figures, first_fact, facts;
};

enum evidence_note_kind {
    EVIDENCE_IGNORED,       /* a line that was passed over, with the reason */
    EVIDENCE_REMARK,        /* how a figure came about, or what to keep in mind */
    EVIDENCE_CONTRADICTION, /* figures of the file that can't all be right */
};

struct evidence_note {
    enum evidence_note_kind kind;
    int line;
    const char *text;
};

struct evidence;

struct evidence_format {
    const char *name;  /* in claim files: "robocopy" */
    const char *title; /* for people: "robocopy log" */
    bool (*recognise)(const struct text_input *in);
    bool (*read)(const struct text_input *in, struct evidence *e, GError **error);
};

struct evidence {
    const struct evidence_format *format;
    char *file;
    bool complete; /* false: the file ends early; a note says where */
    GArray *runs;  /* of struct evidence_run, in the file's order */
    GArray *figures;
    GArray *facts;
    GArray *notes;
    guint file_facts; /* the first facts belong to the file */
    GStringChunk *strings;
};

/* All formats in the order in which they are tried, ended by a row without name. Static. */
const struct evidence_format *evidence_formats(void);
/* NULL with a COPYTRIAL_ERROR_INPUT that names the nearest known one. */
const struct evidence_format *evidence_format_named(const char *name, GError **error);

/* Of evidence that doesn't come as text: this folder has no readers for it. Static. */
const struct evidence_format *evidence_capture_format(void);
const struct evidence_format *evidence_simulation_format(void);

/* Without any runs, for whoever fills it with evidence_reader.h. Returns owned. */
struct evidence *evidence_new(const char *file, const struct evidence_format *format);
/* `format` NULL: recognised by shape. Return owned, or NULL with an error. */
struct evidence *evidence_load(const char *path, const struct evidence_format *format, GError **error);
struct evidence *evidence_read(const struct text_input *in, const struct evidence_format *format,
                               GError **error);
void evidence_free(struct evidence *e);

guint evidence_count(const struct evidence *e);
const struct evidence_run *evidence_run(const struct evidence *e, guint index);
/* First figure of that name, or NULL. View. */
const struct evidence_figure *evidence_figure(const struct evidence *e, const struct evidence_run *run,
                                              const char *name);
/* Of the run, or of the file where `run` is NULL. NULL when there is none. View. */
const char *evidence_fact(const struct evidence *e, const struct evidence_run *run, const char *name);

#endif
