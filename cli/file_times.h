/* Seconds of each group of files in a run whose files may go on side by side: from the end of the groups before it until the last
 * of its own exchanges is done. */
#ifndef CLI_FILE_TIMES_H
#define CLI_FILE_TIMES_H

#include "sim/workload.h"

struct file_times {
    int64_t *first_file; /* of each group, and behind the last */
    int64_t *end_ns;     /* of each group; -1: none of its exchanges is done */
    guint count;
    guint newest; /* group of which an exchange is done */
    guint last;   /* looked up */
};

void file_times_init(struct file_times *t, const GArray *groups);
void file_times_clear(struct file_times *t);
/* To be a run's observer. */
void file_times_note(void *self, const struct exchange *e, int64_t issued_ns, int64_t done_ns);
/* Returns owned GArray of double: of all groups, or of those that a failed run has left behind it. */
GArray *file_times_seconds(const struct file_times *t, bool failed);

#endif
