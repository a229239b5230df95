/* What `copytrial replay` prints: the same facts as a JSON object with DESIGN.md's names, and as tables for people. */
#ifndef CLI_REPLAY_OUTPUT_H
#define CLI_REPLAY_OUTPUT_H

#include "cli/replay_outcome.h"
#include "cli/style.h"

#include <glib.h>
#include <jansson.h>

struct replay_view {
    struct style style;
    guint files; /* rows of files to print; G_MAXUINT: all */
};

/* Returns owned. */
json_t *replay_json(const struct replay_outcome *o);
/* {value, low, high}, or {value: null, bound}. Returns owned. */
json_t *calibration_json(const struct calibration *k);
/* Block sizes, outstanding requests, errors. Returns owned. */
json_t *usage_json(const struct replay_usage *u);
/* session, smb2, subcommands. Returns owned. */
json_t *smb2_facts_json(const struct replay_connection *c);
/* Rows of struct replay_file. Returns owned. */
json_t *files_json(const GArray *files);
json_t *sessions_json(const GArray *sessions);
json_t *findings_json(const GPtrArray *findings);
void replay_text(const struct replay_outcome *o, const struct replay_view *v, GString *to);
/* What the capture says about the network, a line each. */
void calibration_text(const struct calibration *k, const struct replay_view *v, GString *to);

/* ---- tables: each with its heading, and nothing where there is nothing to say -------------------------------------- */

void commands_text(const GArray *commands, const struct replay_view *v, GString *to);
void usage_text(const struct replay_usage *u, const struct replay_view *v, GString *to);
void files_text(const GArray *files, const struct replay_view *v, GString *to);
void tcp_text(const struct replay_tcp *t, const struct replay_view *v, GString *to);
void heading_text(const char *text, const struct replay_view *v, GString *to);
/* `share` of a whole as a bar of at most `width` characters. Returns owned. */
char *bar_text(double share, int width);

#endif
