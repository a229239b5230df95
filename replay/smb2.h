/* SMB2 and SMB3 messages, [MS-SMB2] 2.2. The clause stands at the lines that implement it. */
#ifndef REPLAY_SMB2_H
#define REPLAY_SMB2_H

#include "replay/smb.h"

/* Decodes the command that starts at `bytes`: its header and what its body says about files and data. Transform headers (encryption,
 * compression) only stand at the start of a message and are decoded the same way; `remaining` is the message's length from
 * `bytes` on, captured or not. */
enum smb_outcome smb2_decode(const uint8_t *bytes, size_t length, uint32_t remaining,
                             struct smb_element *out);

#endif
