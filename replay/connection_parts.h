/* The parts of a connection that carries SMB, for the files that make it up: connection.c (life and frames), connection_framing.c (from
 * stream to commands), connection_inferred.c (messages without a header), connection_messages.c (what a whole message
 * means to it), connection_facts.c (the end). Nobody else includes it. */
#ifndef REPLAY_CONNECTION_PARTS_H
#define REPLAY_CONNECTION_PARTS_H

#include "replay/capture_marks.h"
#include "replay/connection.h"
#include "replay/infer.h"
#include "replay/match.h"
#include "replay/nbss.h"
#include "replay/smb2_facts.h"
#include "replay/smb2_transform.h"
#include "replay/stream.h"
#include "replay/tcp_measure.h"

enum { CONNECTION_PORT_SMB = 445, CONNECTION_PORT_NETBIOS = 139 };

struct conversation;

/* One direction: stream, framing, and the message that is being decoded. */
struct half {
    struct conversation *session;
    struct stream stream;
    struct nbss nbss;
    GArray *elements;  /* of struct smb_element */
    GByteArray *names; /* of the elements, whose own views end with the part */
    struct infer infer;
    bool malformed;
};

struct conversation {
    struct connection *connection;
    struct half half[REPLAY_DIRECTIONS];
    struct usage usage;
    struct match match;
    struct smb2_transform *transform;
    struct smb2_facts smb2;
    uint64_t messages; /* decoded */
    uint64_t decoded_bytes;
};

struct connection {
    struct connection_shared *shared;
    struct frame_end first, second;
    bool ipv6;
    enum replay_direction first_sends; /* the direction in which the first frame went */
    bool roles_known;
    unsigned looks; /* payload frames looked at for SMB */
    struct tcp_measure tcp;
    uint64_t packets, bytes;          /* for the ledger, when it has no SMB */
    bool finished[REPLAY_DIRECTIONS]; /* by FIN or RST */
    struct capture_marks marks[2];    /* of the first end's frames, and of the second's */
    struct replay_connection *facts;
    struct conversation *smb; /* NULL until there is SMB */
};

static inline enum replay_direction half_sender(const struct half *h)
{
    const struct connection *c = h->session->connection;

    return h == &h->session->half[0] ? c->first_sends : (enum replay_direction) !c->first_sends;
}

static inline struct half *half_other(const struct half *h)
{
    return &h->session->half[h == &h->session->half[0]];
}

/* Empties the list of the message's commands. */
static inline void half_start_elements(struct half *h)
{
    g_array_set_size(h->elements, 0);
    if (h->names->len > 0)
        g_byte_array_set_size(h->names, 0);
}

/* Of the roles as they are known by now. */
void connection_name_ends(struct connection *c);
/* What framing asks of a direction (replay/nbss.h). */
struct nbss_reader connection_reader(struct half *h);
/* A message whose commands are in h->elements: counted, and matched. One that the capture cuts short is no message for the counts,
 * but its bytes took their time. */
void connection_use_message(struct half *h, const struct nbss_message *m, bool cut);
/* Parts of that reader for messages whose headers were cut off. */
uint32_t connection_infer_length(void *half, unsigned ahead);
uint32_t connection_infer_between(void *half);
void connection_take_inferred(void *half, const struct nbss_message *m, bool sure, bool broken);
/* A message that is there by its length alone. False when it can't be what was expected. */
bool connection_use_inferred(struct half *h, const struct nbss_message *m, bool sure, bool broken);

#endif
