/* Samples: a named series of measurements with unit and origin. The currency between sim, replay, report and cli:
 * it carries numbers and where they came from, and no statistics. */
#ifndef BASE_SAMPLES_H
#define BASE_SAMPLES_H

#include <glib.h>
#include <stdbool.h>

enum samples_origin {
    SAMPLES_MEASURED,  /* a real run */
    SAMPLES_SIMULATED, /* a run of the simulator: says nothing about the real world by itself */
};

struct sample {
    double value;
    const char *file; /* view of a string that the series owns, or NULL */
    int line;         /* 1-based, 0 when unknown */
};

struct samples {
    char *name;
    char *unit;
    enum samples_origin origin;
    GArray *values;        /* of struct sample, in the order measured */
    GStringChunk *strings; /* file names */
};

/* Returns owned. Copies both strings. */
struct samples *samples_new(const char *name, const char *unit, enum samples_origin origin);
void samples_free(struct samples *s);
/* Room for so many more, which spares copying while they are added. */
void samples_expect(struct samples *s, guint count);
/* Appends. Copies `file`, which may be NULL. */
void samples_add(struct samples *s, double value, const char *file, int line);
guint samples_count(const struct samples *s);
double samples_get(const struct samples *s, guint index);

#endif
