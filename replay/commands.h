/* Counts by command, as DESIGN.md's `commands` has them, with service times. */
#ifndef REPLAY_COMMANDS_H
#define REPLAY_COMMANDS_H

#include "replay/durations.h"
#include "replay/facts.h"
#include "replay/smb.h"

/* All zeroes is empty. */
struct commands {
    GArray *rows;        /* of struct command_row, in the order of first use */
    uint16_t at[3][256]; /* by protocol and code: index + 1, or 0 */
};

void commands_fini(struct commands *c);
/* One decoded command with its bytes on the wire. `chained`: it stands later in an AndX chain. */
void commands_count(struct commands *c, const struct smb_element *e, bool chained, uint64_t bytes);
/* An exchange with its answer. */
void commands_service(struct commands *c, const struct replay_exchange *x);
void commands_merge(struct commands *to, const struct commands *from);
/* Returns owned: GArray of struct replay_command. */
GArray *commands_facts(struct commands *c);

#endif
