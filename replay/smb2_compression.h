/* Compressed messages, [MS-SMB2] 2.2.42: from the wire to the message before compression, and back.
 *
 * There are two forms. Unchained, the head of the message stands as it is and one algorithm holds the rest. Chained, any number of
 * parts follow each other, each with an algorithm of its own, and NONE and Pattern_V1 among them. Here both are lists of
 * parts.
 *
 * Decoding writes nothing beyond the caller's buffer and refuses, before it begins, a message that claims to be larger. A part
 * can't make more than it says, and the parts together make exactly what the header says. Pure; a decoder allocates
 * nothing. */
#ifndef REPLAY_SMB2_COMPRESSION_H
#define REPLAY_SMB2_COMPRESSION_H

#include "replay/codec.h"

#include <stdbool.h>

/* Senders make four at most: headers, run, compressed data, run. */
enum { SMB2_COMPRESSION_PARTS = 64 };

struct smb2_compression_part {
    uint16_t algorithm;      /* enum smb_codec_id, or one that isn't defined */
    uint32_t original_bytes; /* that it decodes to */
    const uint8_t *bytes;    /* view into the message */
    size_t length;
};

struct smb2_compression {
    bool chained;
    uint32_t original_bytes; /* of the whole message */
    unsigned count;
    struct smb2_compression_part parts[SMB2_COMPRESSION_PARTS];
};

/* Reads the headers. With CODEC_TRUNCATED the parts are those that are there, the last of them perhaps cut short; with
 * CODEC_MALFORMED there are none. */
enum codec_outcome smb2_compression_parse(const uint8_t *bytes, size_t length, struct smb2_compression *out);

/* Decodes a whole message into `out`, of `capacity` bytes. *written is its size, or how much of it is right. */
enum codec_outcome smb2_compression_decode(const uint8_t *bytes, size_t length, uint8_t *out, size_t capacity,
                                           size_t *written);

/* Makes a chained message as 3.1.4.4 has it: the first `head` bytes stay as they are, long runs at either end of the rest
 * become Pattern_V1, and `codec` takes what is between them, unless it gets no shorter. Returns the length, or 0 when the
 * whole gets no shorter than `length`, or longer than `capacity`: then it is sent as it is. */
size_t smb2_compression_encode(const struct smb_codec *codec, const uint8_t *message, size_t length,
                               size_t head, uint8_t *out, size_t capacity);

#endif
