/* Requests counted by subcommand: information classes, control codes, transactions. Names are those of [MS-FSCC] 2.3 and 2.4,
 * [MS-FSCC] 2.5, [MS-SMB2] 2.2.31 and [MS-CIFS] 2.2.2.2.
 *
 * Plain storage; at most SUBCOMMANDS_MAX rows, beyond which new ones aren't counted (damaged bytes make up many). Cost: a search of the few
 * rows. */
#ifndef REPLAY_SUBCOMMANDS_H
#define REPLAY_SUBCOMMANDS_H

#include "replay/facts.h"

enum { SUBCOMMANDS_MAX = 128 };

/* Adds a request to `rows`, of struct replay_subcommand. */
void subcommands_count(GArray *rows, uint16_t command, uint32_t code);
/* "FileStandardInformation"; NULL: not known. Static. */
const char *subcommand_name(uint16_t command, uint32_t code);

#endif
