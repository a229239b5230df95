/* Between the encode_ files: what a builder of one command's messages gets, and the table that finds it. */
#ifndef REPLAY_ENCODE_PARTS_H
#define REPLAY_ENCODE_PARTS_H

#include "replay/encode.h"
#include "replay/pdu.h"
#include "sim/command.h"

enum {
    ENCODE_PREFIX = 4,                     /* direct TCP's length, [MS-SMB2] 2.1 */
    ENCODE_TRANSFORM = ENCODE_PREFIX + 52, /* what an encrypted message has in the clear */
    ENCODE_TREES = 16,                     /* shares connected at once */
    ENCODE_COMPONENT = 64,                 /* characters between the separators of a generated path */
};

/* An open file. */
struct encode_open {
    uint64_t handle;
    uint64_t read_next, write_next; /* offsets */
};

/* What a request leaves for its response. */
struct encode_pending {
    uint64_t message_id, session_id;
    uint32_t tree_id;
    uint32_t status;  /* of the response */
    uint32_t variant; /* the information class, control code, subcommand or index that the request named */
    uint16_t credits;
    bool fails; /* the response has the error form */
    uint64_t handle;
    uint64_t offset;
};

struct encoder {
    struct encode_setup setup;
    struct encoder *
        session; /* of its first connection, which has the session's id, trees and open files; itself there */
    GHashTable *pending; /* of struct encode_pending, by the exchange's number */
    GHashTable *opens;   /* of struct encode_open, by file */
    uint64_t handles;    /* given so far */
    uint64_t next_message_id;
    uint64_t session_id; /* 0: none yet */
    unsigned session_setups;
    uint32_t trees[ENCODE_TREES]; /* connected, the newest last */
    unsigned tree_count;
    uint32_t trees_given;
    int64_t credit_total; /* SMB2: that the client holds or has spent on what is outstanding */
    bool talks;           /* the set-up of the session has begun with a token */
    bool smb1_tokens;     /* SMB1 with extended security: session set-up carries tokens, not passwords */
};

/* One message to build. `out` is as long as the message without file data; its first 4 bytes are the framing's. */
struct encode_call {
    struct encoder *e;
    const struct exchange *x;
    struct encode_pending *p;
    struct pdu *out;
    uint32_t bytes; /* of the whole message */
    uint32_t data;  /* file data in it, before compression */
};

/* A builder writes the body behind the header. A request's may also change what the response will need: the call's `p`. */
typedef void (*encode_builder)(struct encode_call *c);

struct encode_row {
    uint16_t command;
    uint32_t least_request,
        least_response; /* bytes with the framing, without file data; the success form's */
    encode_builder request, response;
    uint32_t error_status; /* of an answer that is shorter than success */
    uint32_t
        most_response; /* bytes before file data, where the field that points to them is narrow; 0: any */
};

struct encode_protocol {
    const struct encode_row *rows;
    size_t row_count;
    encode_builder request_header, response_header;
    encode_builder error_body; /* instead of the row's response */
    uint32_t least_error;      /* bytes of the shortest error response */
};

const struct encode_protocol *encode_smb1(void);
const struct encode_protocol *encode_smb2(void);
const struct encode_protocol *encode_transform(void); /* encrypted messages */

/* The answer to a multi-protocol SMB1 NEGOTIATE is SMB2's: [MS-SMB2] 3.3.5.3.1. */
void encode_smb2_response_header(struct encode_call *c);
void encode_smb2_negotiate_response(struct encode_call *c);

/* A message of one command; and a compound of several, whose elements the exchange's chain has. */
bool encode_single(struct encoder *e, uint64_t number, const struct exchange *x, bool response,
                   struct encoded *out, GError **error);
bool encode_compound(struct encoder *e, uint64_t number, const struct exchange *x, bool response,
                     struct encoded *out, GError **error);

/* ---- what builders share ---------------------------------------------------------------------------------------- */

/* [MS-ERREF] 2.3.1 */
#define STATUS_SUCCESS         UINT32_C(0)
#define STATUS_NO_MORE_FILES   UINT32_C(0x80000006)
#define STATUS_END_OF_FILE     UINT32_C(0xc0000011)
#define STATUS_MORE_PROCESSING UINT32_C(0xc0000016)
#define STATUS_ACCESS_DENIED   UINT32_C(0xc0000022)
#define STATUS_NO_SUCH_NAME    UINT32_C(0xc0000034)
#define STATUS_LOGON_FAILURE   UINT32_C(0xc000006d)
#define STATUS_DISK_FULL       UINT32_C(0xc000007f)
#define STATUS_NO_SUCH_SHARE   UINT32_C(0xc00000cc)
#define STATUS_CANCELLED       UINT32_C(0xc0000120)
#define STATUS_NOT_FOUND       UINT32_C(0xc0000225)

/* 2000-01-01 00:00 UTC as a FILETIME: when the simulated files were made. */
static const uint64_t ENCODE_FILETIME = 125911584000000000;

/* The open file that an exchange serves; opened on demand, for a trace may begin in the middle. View. */
struct encode_open *encode_open_of(struct encoder *e, uint32_t file);
/* Opens it anew. View. */
struct encode_open *encode_open_new(struct encoder *e, uint32_t file);
void encode_open_close(struct encoder *e, uint32_t file);
int64_t encode_file_size(const struct encoder *e, uint32_t file);
/* What a file of that size takes on disk, in clusters of 4 KiB. */
static inline uint64_t encode_allocation(int64_t size)
{
    return (uint64_t)(size + 4095) / 4096 * 4096;
}
uint32_t encode_tree(const struct encoder *e);
uint32_t encode_tree_connect(struct encoder *e);
void encode_tree_disconnect(struct encoder *e);

/* A path of exactly `count` characters that differs from file to file; UTF-16 or one byte each. */
void encode_name(struct pdu *p, size_t count, uint32_t number, bool wide);
/* "\\server\share" cut or lengthened to `count` characters. */
void encode_share(struct pdu *p, size_t count, bool wide);

/* Security tokens: RFC 4178 around [MS-NLMP] 2.2.1. */
enum encode_token { TOKEN_HINTS, TOKEN_NEGOTIATE, TOKEN_CHALLENGE, TOKEN_AUTHENTICATE, TOKEN_ACCEPTED };
/* Bytes of the shortest token of that kind, and of the one that fills `room` best; 0: none fits. */
size_t encode_token_least(enum encode_token kind);
size_t encode_token_size(enum encode_token kind, size_t room);
/* The same for the next token of a session's set-up: none where the first had no room. */
size_t encode_session_token(struct encoder *e, enum encode_token kind, size_t room);
/* Writes one of a size that these have given. */
void encode_token(struct pdu *p, enum encode_token kind, size_t size);

#endif
