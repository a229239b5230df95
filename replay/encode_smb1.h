/* SMB1: the builders of single commands, by their clauses of [MS-CIFS], with [MS-SMB]'s extensions. Strings are OEM, one byte a
 * character, so every length can be met. */
#ifndef REPLAY_ENCODE_SMB1_H
#define REPLAY_ENCODE_SMB1_H

#include "replay/encode_parts.h"

enum { SMB1_HEADER = 32, SMB1_BODY = ENCODE_PREFIX + SMB1_HEADER };

/* An AndX block (2.2.3.4) that nothing follows. */
static inline void encode_smb1_no_andx(struct pdu *p)
{
    pdu_u8(p, 0xff);
    pdu_u8(p, 0);
    pdu_le16(p, 0);
}

/* The count of the data bytes, which are all that is left. */
static inline void encode_smb1_byte_count(struct pdu *p)
{
    pdu_le16(p, pdu_left(p) - MIN(2, pdu_left(p)));
}

/* Least bytes of a message by words and data bytes: the header, a count, the words, a count, the bytes. */
#define ENCODE_SMB1_LEAST(words, bytes) (SMB1_BODY + 1 + 2 * (words) + 2 + (bytes))

/* Bytes of a NEGOTIATE response from which on its session is set up with tokens. */
uint32_t encode_smb1_tokens_from(void);

/* A string of `size` bytes, its NUL included. */
static inline void encode_smb1_text(struct pdu *p, char with, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++)
        pdu_u8(p, (uint8_t)with);
    pdu_zeros(p, size > 0);
}

/* File ids have 16 bits, and are neither 0 nor 0xffff. */
static inline uint64_t encode_smb1_fid(uint64_t handle)
{
    return 0x4000 + handle % 0x4000;
}

/* encode_smb1_session.c */
void encode_smb1_negotiate_request(struct encode_call *c);
void encode_smb1_negotiate_response(struct encode_call *c);
void encode_smb1_session_request(struct encode_call *c);
void encode_smb1_session_response(struct encode_call *c);
void encode_smb1_tree_request(struct encode_call *c);
void encode_smb1_tree_response(struct encode_call *c);
void encode_smb1_untree_request(struct encode_call *c);

/* encode_smb1_file.c */
void encode_smb1_create_request(struct encode_call *c);
void encode_smb1_create_response(struct encode_call *c);
void encode_smb1_close_request(struct encode_call *c);
void encode_smb1_flush_request(struct encode_call *c);
void encode_smb1_read_request(struct encode_call *c);
void encode_smb1_read_response(struct encode_call *c);
void encode_smb1_write_request(struct encode_call *c);
void encode_smb1_write_response(struct encode_call *c);

/* encode_smb1_query.c */
void encode_smb1_transaction2_request(struct encode_call *c);
void encode_smb1_transaction2_response(struct encode_call *c);

#endif
