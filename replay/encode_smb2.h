/* SMB2 and SMB3: the builders of single commands, by their clauses of [MS-SMB2]. */
#ifndef REPLAY_ENCODE_SMB2_H
#define REPLAY_ENCODE_SMB2_H

#include "replay/encode_parts.h"

enum { SMB2_HEADER = 64 };

/* Where the body begins in a message, framing included, and what offsets in it count from. */
enum { SMB2_BODY = ENCODE_PREFIX + SMB2_HEADER };

/* An offset field that says where the writer stands now, or will after `ahead` more bytes. */
static inline uint64_t encode_smb2_offset(const struct pdu *p, size_t ahead)
{
    return p->at + ahead - ENCODE_PREFIX;
}

/* Handles of the two kinds: an open file's, and that of the folder, which stands open throughout. */
void encode_smb2_handle(struct pdu *p, uint64_t handle);
static const uint64_t ENCODE_FOLDER = 0xf01de4;

/* encode_smb2_session.c */
void encode_smb2_negotiate_request(struct encode_call *c);
void encode_smb2_session_request(struct encode_call *c);
void encode_smb2_session_response(struct encode_call *c);
void encode_smb2_tree_request(struct encode_call *c);
void encode_smb2_tree_response(struct encode_call *c);
void encode_smb2_untree_request(struct encode_call *c);

/* encode_smb2_file.c */
void encode_smb2_create_request(struct encode_call *c);
void encode_smb2_create_response(struct encode_call *c);
void encode_smb2_close_request(struct encode_call *c);
void encode_smb2_close_response(struct encode_call *c);
void encode_smb2_read_request(struct encode_call *c);
void encode_smb2_read_response(struct encode_call *c);
void encode_smb2_write_request(struct encode_call *c);
void encode_smb2_write_response(struct encode_call *c);
void encode_smb2_flush_request(struct encode_call *c);
void encode_smb2_lock_request(struct encode_call *c);
void encode_smb2_break_message(struct encode_call *c);

/* encode_smb2_query.c */
void encode_smb2_query_info_request(struct encode_call *c);
void encode_smb2_query_info_response(struct encode_call *c);
void encode_smb2_set_info_request(struct encode_call *c);
void encode_smb2_directory_request(struct encode_call *c);
void encode_smb2_directory_response(struct encode_call *c);
void encode_smb2_notify_request(struct encode_call *c);
void encode_smb2_notify_response(struct encode_call *c);
void encode_smb2_ioctl_request(struct encode_call *c);
void encode_smb2_ioctl_response(struct encode_call *c);

#endif
