/* What can be known of a message whose header wasn't captured: its length, so that framing keeps its place, and its command.
 *
 * A response is taken for that to the oldest request outstanding (match.h): as long as the last response of its command, with
 * the data that the request asked for and the file has. A request is taken for one more like the last, when that was a READ or WRITE.
 * Nothing is known where neither has been seen yet. Framing checks the lengths against what comes after.
 *
 * All zeroes is empty, one for each direction of a connection. Messages of several commands teach it nothing. Cost: a few
 * assignments a message. */
#ifndef REPLAY_INFER_H
#define REPLAY_INFER_H

#include "replay/match.h"
#include "replay/smb.h"

struct infer {
    /* By protocol and command, of the last successful message of it; 0: none. */
    uint32_t length[3][256];
    uint32_t overhead[3][256]; /* without its data */
    struct smb_element last;   /* request; command 0: none, or not one that repeats */
    uint32_t last_length;
    uint64_t ids; /* given to requests whose own weren't captured */
};

/* Ids from here on are given to requests whose own weren't captured: neither protocol has such. */
#define INFER_ID (UINT64_C(1) << 62)

/* A message of one command has been seen whose header is whole. `length` is without the prefix. */
void infer_note(struct infer *i, const struct smb_element *e, uint32_t length);
/* Without the prefix; 0: not known. */
uint32_t infer_request_length(const struct infer *i);
uint32_t infer_response_length(const struct infer *i, const struct match_expected *x);
/* How many requests like the last one lead up to the one with that id; 0: more than `most`, or none. */
unsigned infer_requests_until(const struct infer *i, uint64_t id, unsigned most);
/* The next request after the last; becomes the last itself. infer_request_length() must have known it. */
struct smb_element infer_request(struct infer *i, uint32_t length);
struct smb_element infer_response(const struct infer *i, const struct match_expected *x, uint32_t length);
/* The data of a message that carries some and has `length`, where its own field of it wasn't captured. */
uint32_t infer_data(const struct infer *i, const struct smb_element *e, uint32_t length);

#endif
