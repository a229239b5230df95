/* An experiment: lists of networks, clients, servers, files and conditions, of which sweep simulates every combination.
 *
 * docs/formats.md describes the file. Combinations count with the last list of the table there fastest, and are numbered from 0.
 * Errors are COPYTRIAL_ERROR_INPUT with the experiment's file and line; an error of a combination names it as well. */
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include "cli/question.h"

enum { EXPERIMENT_MOST_COMBINATIONS = 100000 };

struct experiment;

/* Returns owned: free with experiment_free(). */
struct experiment *experiment_read(const char *path, GError **error);
void experiment_free(struct experiment *e);
guint experiment_count(const struct experiment *e);
/* Fills in a question that question_init() has seen; clear it either way. May be called from several threads. */
bool experiment_question(const struct experiment *e, guint combination, struct question *q, GError **error);

#endif
