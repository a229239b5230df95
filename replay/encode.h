/* SMB messages of simulated exchanges: the bytes that a client and a server would have sent.
 *
 * A message is exactly as long as its exchange says. What the exchange doesn't know (names, security tokens, information classes) is
 * chosen so that the structure fills that length: a longer name or token, a class whose record fits, more dialects, a create context,
 * a salt; what none of these can take up stands as zeros behind the last structure, where a message may be padded. A length below the
 * success form's but enough for an error is an error, with the status that such an answer mostly has (no such name, end of file, no
 * more files). Ids, credits and offsets go on from message to message; file data are a pattern of file and offset.
 *
 * What is left out: AndX chains (one message a command), interim responses.
 * Encrypted exchanges have a transform header
 * and pattern bytes behind it, signed ones a signature that isn't one; compressed blocks are chained as plain bytes and a repetition. Tokens of NTLM are of the right shape, but
 * nothing stands behind them. A directory is searched, and a name queried, through a handle that was opened before.
 *
 * Sources: [MS-SMB2], [MS-CIFS], [MS-SMB], [MS-NLMP], RFC 4178; the clause stands at the builder. An encoder keeps what is outstanding
 * and the files that are open, so memory doesn't grow with the copy. */
#ifndef REPLAY_ENCODE_H
#define REPLAY_ENCODE_H

#include "sim/profile.h"
#include "sim/workload.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum encode_dialect {
    ENCODE_SMB1 = 1,
    ENCODE_SMB_2_0_2 = 0x0202,
    ENCODE_SMB_2_1 = 0x0210,
    ENCODE_SMB_3_0 = 0x0300,
    ENCODE_SMB_3_0_2 = 0x0302,
    ENCODE_SMB_3_1_1 = 0x0311,
};

struct encode_setup {
    enum encode_dialect dialect;
    unsigned session_legs; /* SESSION_SETUP exchanges until the session stands */
    int64_t credits;       /* SMB2: that the client asks for */
    int64_t credit_step;   /* most that an answer adds */
    /* Size of a file, for the answer to its CREATE; NULL: 0. */
    int64_t (*file_size)(void *self, uint32_t file);
    void *self;
};

/* A message: `head`, then `data_bytes` of pattern, then `tail`. */
struct encoded {
    uint8_t *head; /* owned: encoded_clear() */
    uint8_t tail[16];
    uint32_t head_bytes, data_bytes, tail_bytes;
    uint32_t file;
    uint64_t data_offset;
};

void encoded_clear(struct encoded *m);
static inline uint32_t encoded_bytes(const struct encoded *m)
{
    return m->head_bytes + m->data_bytes + m->tail_bytes;
}
/* Bytes [from, from + count) of the message, which holds them. */
void encoded_copy(const struct encoded *m, uint32_t from, uint8_t *to, uint32_t count);

struct encoder;

/* Returns owned; borrows `setup->self`. */
struct encoder *encoder_new(const struct encode_setup *setup);
void encoder_free(struct encoder *e);
/* Makes `e` encode a further connection of the session that `first` has, whose id, trees and open files it shares: SMB 3's multichannel.
 * Before its first message. Borrows `first`. */
void encoder_bind(struct encoder *e, struct encoder *first);
/* The request of the connection's exchange with that number, in the order of their issue, then its response. On failure
 * COPYTRIAL_ERROR_INPUT: the command can't be encoded, or the length is too short for it or too long for its framing. */
bool encoder_request(struct encoder *e, uint64_t number, const struct exchange *x, struct encoded *out,
                     GError **error);
bool encoder_response(struct encoder *e, uint64_t number, const struct exchange *x, struct encoded *out,
                      GError **error);

/* Whether both messages of an exchange can be made. COPYTRIAL_ERROR_INPUT as above. */
bool encode_check(const struct exchange *x, GError **error);
/* Dialect, legs and credits as the profiles have them; no file sizes. */
struct encode_setup encode_setup_of(const struct client_profile *client, const struct server_profile *server);
/* Whether the messages of all its steps can be made, before a run is begun. COPYTRIAL_ERROR_INPUT names the step's line. */
bool encode_check_client(const struct client_profile *client, bool upload, GError **error);

#endif
