/* --series FILE: the first run as a table over time, a line for each instant. */
#ifndef CLI_SERIES_OPTION_H
#define CLI_SERIES_OPTION_H

#include "base/outfile.h"
#include "sim/sample.h"

#include <glib.h>
#include <stdbool.h>

struct series_option {
    char *path, *every; /* as given; owned */
    struct sim_sampler sampler;
    struct outfile *file; /* NULL: none asked for */
    GString *text;        /* not written yet */
    GError *error;        /* the first; nothing is done after it */
};

bool series_option_check(struct series_option *o, GError **error);
bool series_option_begin(struct series_option *o, GError **error);
/* For the run's setup. View; NULL when no series was asked for. */
const struct sim_sampler *series_option_sampler(const struct series_option *o);
/* Of what was begun. */
bool series_option_end(struct series_option *o, GError **error);
void series_option_clear(struct series_option *o);

#endif
