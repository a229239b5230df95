/* The copy program behind a trace, as a client profile lists it: what it exchanges once to connect, for each file, and at the end.
 *
 * A file's stretch runs from its first exchange to the next file's. The per-file list is the sequence of commands that most
 * files have, reads and writes of a stretch taken together as one data step; sizes and think times are medians over those files,
 * the block is the largest one seen, and the depth the most that were outstanding at once in the step. Requests that were never
 * answered are left out. A program that works on several files at once has stretches without such an order: `alike` then is small
 * against `files`.
 *
 * Ownership: derived_client_clear() frees the arrays. Cost: a few passes, a sort for each median. */
#ifndef REPLAY_DERIVE_CLIENT_H
#define REPLAY_DERIVE_CLIENT_H

#include "sim/profile.h"
#include "sim/workload.h"

struct derived_step {
    uint16_t command;
    int data;                              /* enum client_data */
    int64_t request_bytes, response_bytes; /* without file data */
    int64_t think_ns;
    int64_t think_least_ns, think_most_ns; /* among the samples */
    int64_t block_bytes, depth;
    uint64_t samples;
};

struct derived_client {
    GArray *connect, *per_file, *disconnect; /* of struct derived_step */
    bool upload;
    guint files; /* that moved data in that direction */
    guint alike; /* of them with the sequence of `per_file` */
};

/* `exchanges` is an array of struct exchange: one connection of a trace. False when no file data moved in it; clear it either
 * way. */
bool derive_client(const GArray *exchanges, struct derived_client *out);
void derived_client_clear(struct derived_client *d);

#endif
