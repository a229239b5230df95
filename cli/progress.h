/* A progress bar on standard error, for a person who waits: only on a terminal, only after half a second, and gone when the work is
 * done. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool on;
    bool shown;
    gint64 start_us, drawn_us;
};

void progress_begin(struct progress *p);
/* `of` is 0 where it isn't known: then the bytes are shown alone. */
void progress_show(struct progress *p, uint64_t done, uint64_t of);
/* The same for pieces of work, `of` being more than 0. */
void progress_steps(struct progress *p, guint done, guint of);
/* Takes the bar away. */
void progress_end(struct progress *p);

#endif
