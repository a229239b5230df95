/* For the readers of listings: filling a struct mechanism_listing, and what each reader offers. */
#ifndef REPORT_MECHANISM_READER_H
#define REPORT_MECHANISM_READER_H

#include "report/mechanism.h"

/* Copies the strings. */
void mechanism_add(struct mechanism_listing *l, enum mechanism_state state, const char *where,
                   const char *name, const char *value, int line);
/* The first reason stays. */
void mechanism_set_incomplete(struct mechanism_listing *l, int line, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/* Whether somebody cut the listing here: "...", "<!-- snip -->", "-- More --". */
bool mechanism_is_cut_mark(const char *text);
/* The name behind the last slash or backslash. View into `path`. */
const char *mechanism_basename(const char *path);

/* One row a format. A reader finds at least one entry, or says why it can't tell (returns true), or fails. */
struct mechanism_format {
    const char *name; /* for people */
    enum mechanism_kind kind;
    bool (*recognise)(const struct text_input *in);
    bool (*read)(const struct text_input *in, struct mechanism_listing *l, GError **error);
};

bool mechanism_debugger_recognise(const struct text_input *in);
bool mechanism_debugger_read(const struct text_input *in, struct mechanism_listing *l, GError **error);
bool mechanism_tasklist_recognise(const struct text_input *in);
bool mechanism_tasklist_read(const struct text_input *in, struct mechanism_listing *l, GError **error);
bool mechanism_services_recognise(const struct text_input *in);
bool mechanism_listdlls_recognise(const struct text_input *in);
bool mechanism_listdlls_read(const struct text_input *in, struct mechanism_listing *l, GError **error);
bool mechanism_maps_recognise(const struct text_input *in);
bool mechanism_maps_read(const struct text_input *in, struct mechanism_listing *l, GError **error);
bool mechanism_lsmod_recognise(const struct text_input *in);
bool mechanism_lsmod_read(const struct text_input *in, struct mechanism_listing *l, GError **error);
bool mechanism_table_recognise(const struct text_input *in);
bool mechanism_table_read(const struct text_input *in, struct mechanism_listing *l, GError **error);
bool mechanism_registry_recognise(const struct text_input *in);
bool mechanism_registry_read(const struct text_input *in, struct mechanism_listing *l, GError **error);
bool mechanism_pairs_recognise(const struct text_input *in);
bool mechanism_pairs_read(const struct text_input *in, struct mechanism_listing *l, GError **error);

#endif
