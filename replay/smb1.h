/* SMB1 messages, [MS-CIFS] 2.2.3 and 2.2.4, with [MS-SMB]'s 64-bit offsets and large reads and writes. The clause stands at the
 * lines that implement it. */
#ifndef REPLAY_SMB1_H
#define REPLAY_SMB1_H

#include "replay/smb.h"

/* Decodes the message that starts at `bytes`: header and first command. */
enum smb_outcome smb1_decode(const uint8_t *bytes, size_t length, struct smb_element *out);
/* Decodes a later command of an AndX chain, whose parameters start at `bytes`; `before` is the one that led to it. */
enum smb_outcome smb1_decode_andx(const uint8_t *bytes, size_t length, const struct smb_element *before,
                                  struct smb_element *out);

#endif
