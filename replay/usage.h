/* What a connection's commands and exchanges were like, gathered while they pass: counts and service times by command, block sizes,
 * errors, and how many were outstanding. Memory is bounded, whatever passes. Of several connections they merge into one. */
#ifndef REPLAY_USAGE_H
#define REPLAY_USAGE_H

#include "replay/blocks.h"
#include "replay/commands.h"
#include "replay/errors.h"
#include "replay/pending.h"

/* All zeroes is empty. */
struct usage {
    struct commands commands;
    struct blocks reads, writes;
    struct errors errors;
};

void usage_fini(struct usage *u);
/* A decoded command in the message that ended with that frame: block sizes and errors. Commands are counted by commands_count(). */
void usage_element(struct usage *u, const struct smb_element *e, uint64_t frame);
void usage_merge(struct usage *to, const struct usage *from);
/* What replay_usage_clear() frees; empties all of `u` but its commands. `pending` has finished. */
struct replay_usage usage_facts(struct usage *u, const struct pending *pending);
void replay_usage_clear(struct replay_usage *u);

#endif
