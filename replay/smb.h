/* One command of an SMB message, as smb1.c and smb2.c decode it: what exchanges are made of, in one struct for both.
 *
 * Decoders are pure: bytes in, plain struct out. A command is decoded as far as the bytes go: with the header whole the
 * outcome is SMB_OK (as it is from the header's part with command and flags on, see no_id), and fields that were cut off or make no sense stay at their "unknown" values, which are all
 * zeroes. */
#ifndef REPLAY_SMB_H
#define REPLAY_SMB_H

#include "sim/command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum smb_outcome {
    SMB_OK,
    SMB_TRUNCATED, /* the bytes end inside the header */
    SMB_MALFORMED, /* not a header of that protocol */
};

enum smb_status {
    SMB_STATUS_PENDING = 0x00000103,
    SMB_STATUS_MORE_PROCESSING = 0xc0000016,
};

enum {
    SMB_DIALECT_UNKNOWN = 0,
    SMB_DIALECT_1 = 1,
    SMB_DIALECT_WILDCARD = 0x02ff, /* "2.???": a second NEGOTIATE follows */
};

struct smb_element {
    uint16_t command; /* sim/command.h */
    uint32_t
        next; /* where the next command starts, from this one's first byte (SMB2) or the message's (AndX); 0: none */
    uint16_t next_command; /* AndX: its code is in its predecessor */
    uint32_t length;       /* bytes up to the next command; 0: up to the end */
    uint64_t id;           /* a request's and its response's are equal, and no other's at the time */
    bool inferred;         /* nothing of it was captured: infer.h */
    bool no_id;            /* the capture cut the header off before it */
    uint32_t status;
    bool response;
    bool error;       /* the status says that the command failed */
    bool interim;     /* STATUS_PENDING: the final response follows */
    bool more;        /* an SMB1 transaction: further responses follow */
    bool secondary;   /* an SMB1 transaction: goes on with an earlier request, has no response of its own */
    uint16_t replies; /* SMB1's ECHO: that it asks for; 0 in all others */
    bool one_way;     /* is never answered */
    bool unasked;     /* an oplock or lease break, sent without a request */
    bool background;  /* may be held back for as long as the server likes */
    bool signature;   /* carries a signature */
    bool encrypted;   /* it was on the wire, and has been decrypted or is opaque */
    bool opaque;      /* encrypted: nothing else is known but `id`, which then is the session's */
    bool compressed;
    bool hidden;             /* compressed, and the header lies in the compressed part */
    uint32_t original_bytes; /* of its message before compression, and ... */
    uint32_t
        compressed_bytes; /* ... after it; 0 when it wasn't compressed, and for all but a message's first command */
    uint16_t dialect; /* NEGOTIATE response: SMB_DIALECT_... or the revision that it chose */
    bool has_file;
    uint64_t file[2];    /* file id, or SMB1's FID in the first */
    uint32_t data_bytes; /* file data in this message: READ responses, WRITE requests */
    bool no_data;        /* a READ response or WRITE request that was cut off before the field that says so */
    uint32_t asks;       /* READ requests: the bytes that they ask for */
    uint16_t credit_charge, credits; /* SMB2: that the message costs; that it requests or grants */
    bool opens;                      /* a response that opened a file */
    uint64_t offset;                 /* of that data in its file; in READ and WRITE requests */
    const uint8_t
        *name; /* of a file to be opened, as far as it was captured: a view of the bytes decoded, or NULL */
    uint16_t name_length; /* bytes */
    bool name_wide;       /* UTF-16, little-endian; in SMB1 so are all strings of the message */
    bool has_size;        /* a response that says how large the file is: */
    uint64_t size;
    bool has_sub;      /* a request of a command that has subcommands: */
    uint32_t sub;      /* as in struct replay_subcommand */
    uint16_t contexts; /* of a CREATE, as bits by enum replay_context (facts.h) */
    bool lease;        /* a break of a lease, not of an oplock */
    bool binds;        /* a SESSION_SETUP request that adds this connection to a session */
    uint64_t session;  /* SMB2: its id; 0: none */
    uint64_t copied;   /* bytes that the server copied itself, in the answer to an IOCTL */
    bool directory;    /* it is one */
};

void smb_element_init(struct smb_element *e);
/* Its name as UTF-8, without a leading separator; what is no Unicode becomes U+FFFD. Returns owned. `name` must not be NULL. */
char *smb_element_name(const struct smb_element *e);
/* NT status codes of severity "error", but for the one that only says "go on" ([MS-ERREF] 2.3). */
bool smb_status_is_error(uint32_t status);
/* "2.0.2" ... "3.1.1", "SMB1"; NULL for what isn't a final dialect. Static. */
const char *smb_dialect_name(uint16_t dialect);
/* Which decoder takes a message: 1, 2, or 0 when the bytes name neither. */
int smb_version(const uint8_t *bytes, size_t length);

#endif
