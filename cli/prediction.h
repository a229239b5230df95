/* A prediction as the commands show it: the simulation, the naive baselines beside it, and what limits its validity. */
#ifndef CLI_PREDICTION_H
#define CLI_PREDICTION_H

#include "cli/simulation.h"

#include <glib.h>
#include <jansson.h>

/* Estimates that need no simulator, in seconds; NAN where the input for one is unknown. */
struct baselines {
    double size_over_rate;
    double window_over_rtt;
    double exchanges_times_rtt;
};

struct prediction {
    const char *network; /* view */
    const char
        *client; /* the program that copies instead of the captured one; NULL: the captured one. View */
    struct simulation simulation;
    struct baselines baselines;
    GPtrArray *validity; /* of char *: whole sentences; owned by the caller */
};

/* `data_bytes` move in that direction, over `count` networks side by side; the round trip is the first one's; `window_bytes` is the
 * receiver's largest window. */
struct baselines baselines_of(const struct network_profile *networks, guint count, bool upload,
                              int64_t data_bytes, int64_t window_bytes, uint64_t exchanges);

/* The waits in the order in which results list them. */
extern const int BREAKDOWN_ORDER[WAIT_KINDS];

/* The `prediction` object of DESIGN's JSON, and the `breakdown_s` object. Return owned. */
json_t *prediction_json(const struct prediction *p);
json_t *breakdown_json(const struct waits *w);
/* A real number, or null when it isn't finite. Returns owned. */
json_t *number_json(double value);

/* Prints an object, which it takes, and a newline. */
bool print_json(json_t *object, GError **error);

/* Text for people: the seconds, the breakdown, the baselines, the validity. */
void prediction_text(const struct prediction *p, GString *to);
/* A paragraph in lines of at most 80 columns, each behind `indent`; a list item when the text begins with "- ". */
void wrapped_text(const char *text, const char *indent, GString *to);
/* The parts in order of size, a line each. */
void breakdown_text(const struct waits *w, GString *to);
/* "1,234 s (20 min 34 s)", "12.3 s", "0.123 s". Returns owned. */
char *seconds_text(double seconds);

#endif
