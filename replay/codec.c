#include "replay/codec.h"
#include "replay/lz4_block.h"
#include "replay/lz77.h"
#include "replay/lz77_huffman.h"
#include "replay/lznt1.h"
#include "replay/pattern_v1.h"

const struct smb_codec SMB_CODECS[] = {
    {"LZNT1", SMB_CODEC_LZNT1, lznt1_decode, lznt1_encode},
    {"LZ77", SMB_CODEC_LZ77, lz77_decode, lz77_encode},
    {"LZ77+Huffman", SMB_CODEC_LZ77_HUFFMAN, lz77_huffman_decode, lz77_huffman_encode},
    {"Pattern_V1", SMB_CODEC_PATTERN_V1, pattern_v1_decode, pattern_v1_encode},
    {"LZ4", SMB_CODEC_LZ4, lz4_block_decode, lz4_block_encode},
    {NULL, SMB_CODEC_NONE, NULL, NULL},
};

const struct smb_codec *smb_codec_find(uint16_t id)
{
    for (const struct smb_codec *c = SMB_CODECS; c->name; c++) {
        if (c->id == id)
            return c;
    }
    return NULL;
}
