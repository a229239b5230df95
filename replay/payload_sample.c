#include "replay/payload_sample.h"
#include "replay/codec.h"

#include <glib.h>
#include <math.h>

enum { SHARE = 8, PATIENCE = 256 };

bool payload_sample_wants(const struct payload_sample *s, uint32_t data_bytes)
{
    return s->on && data_bytes >= PAYLOAD_SAMPLE_LEAST && s->passed_bytes >= s->next_at &&
           s->refused < PATIENCE;
}

void payload_sample_take(struct payload_sample *s, const uint8_t *data, size_t length)
{
    size_t whole = MIN(length, PAYLOAD_SAMPLE_BYTES), packed;
    g_autofree uint8_t *out = g_malloc(whole);
    uint64_t stands_for = MAX(s->passed_bytes - s->last_at, whole);

    packed = smb_codec_find(SMB_CODEC_LZ77)->encode(data, whole, out, whole - 1);
    s->sampled_bytes += whole;
    s->weight += (double)stands_for;
    s->packed += (double)stands_for * (double)(packed ? packed : whole) / (double)whole;
    s->last_at = s->passed_bytes;
    s->next_at = s->passed_bytes + MAX(s->passed_bytes / SHARE, PAYLOAD_SAMPLE_BYTES);
    s->refused = 0;
}

void payload_sample_refuse(struct payload_sample *s)
{
    s->refused++;
}

void payload_sample_pass(struct payload_sample *s, uint32_t data_bytes, bool compressed)
{
    s->passed_bytes += data_bytes;
    s->compressed_bytes += compressed ? data_bytes : 0;
}

double payload_sample_ratio(const struct payload_sample *s)
{
    return s->weight > 0 ? s->packed / s->weight : NAN;
}
