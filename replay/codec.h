/* The compression algorithms of SMB 3.1.1, [MS-SMB2] 2.2.3.1.3, as pure functions: bytes in, bytes out.
 *
 * A decoder is told the size that the data had before compression, which SMB always sends along. It never reads outside the
 * input, never writes beyond that size, and allocates nothing: memory is bounded by what the caller is willing to provide. The
 * outcome is CODEC_OK only when exactly `size` bytes came out and nothing but the algorithm's own padding was left over.
 * Otherwise *written says how many bytes are right, so the head of a message that was cut off can still be used.
 *
 * An encoder chooses matches much as Windows does, so that its sizes predict a Windows host's; they are within 2 % of Windows' own
 * over the published test files. It returns the encoded length, or 0 when that would exceed `capacity`, which is the usual
 * answer for data that doesn't compress: SMB then sends the data as it is. Encoders allocate their search tables (less than 1 MiB)
 * and release them. Cost: linear in the length for any input. */
#ifndef REPLAY_CODEC_H
#define REPLAY_CODEC_H

#include <stddef.h>
#include <stdint.h>

enum codec_outcome {
    CODEC_OK,
    CODEC_TRUNCATED, /* the input ended before the output was complete */
    CODEC_MALFORMED, /* the input breaks a rule of the algorithm, or goes on behind the end of the output */
};

/* [MS-SMB2] 2.2.3.1.3 */
enum smb_codec_id {
    SMB_CODEC_NONE = 0,
    SMB_CODEC_LZNT1 = 1,
    SMB_CODEC_LZ77 = 2,
    SMB_CODEC_LZ77_HUFFMAN = 3,
    SMB_CODEC_PATTERN_V1 = 4,
    SMB_CODEC_LZ4 = 5,
};

struct smb_codec {
    const char *name; /* as the specification calls it */
    uint16_t id;
    enum codec_outcome (*decode)(const uint8_t *in, size_t length, uint8_t *out, size_t size,
                                 size_t *written);
    size_t (*encode)(const uint8_t *in, size_t length, uint8_t *out, size_t capacity);
};

/* All but NONE, by id; ends with a row whose name is NULL. */
extern const struct smb_codec SMB_CODECS[];
/* NULL for NONE and for ids that aren't defined. */
const struct smb_codec *smb_codec_find(uint16_t id);

#endif
