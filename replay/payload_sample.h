/* How well a copy's file data compress: a sample of what the capture holds of them.
 *
 * Data pass message by message. Whenever so much has passed since the last sample that it stands for an eighth of all before, the next
 * message whose data the capture holds whole is a sample: the first PAYLOAD_SAMPLE_BYTES of its data, compressed at once with the
 * algorithm that Windows prefers, plain LZ77 (Microsoft's documentation of robocopy /COMPRESS calls it XPRESS). Its matches reach 8 KiB back
 * ([MS-XCA] 2.3), so that a sample compresses as a whole block would. Each ratio counts by the data that it stands for. A sample that doesn't shrink
 * counts as it is, which is how it would be sent.
 *
 * Memory: none beyond the struct. Cost: some 90 samples in the first GiB, and 6 for each doubling from there. */
#ifndef REPLAY_PAYLOAD_SAMPLE_H
#define REPLAY_PAYLOAD_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAYLOAD_SAMPLE_BYTES = 64 << 10, PAYLOAD_SAMPLE_LEAST = 4096 };

struct payload_sample {
    bool on;
    uint64_t passed_bytes;     /* file data in messages that the reader could decode */
    uint64_t compressed_bytes; /* of them, what came compressed */
    uint64_t sampled_bytes;    /* of them, what was compressed here */
    uint64_t next_at, last_at; /* of passed_bytes: when the next sample is due; the last one */
    unsigned refused;          /* messages in a row that were due and not whole */
    double weight, packed;     /* of all samples */
};

/* Whether a message with so much file data should be kept whole for payload_sample_take(). */
bool payload_sample_wants(const struct payload_sample *s, uint32_t data_bytes);
/* The data of such a message. */
void payload_sample_take(struct payload_sample *s, const uint8_t *data, size_t length);
/* It wasn't whole: after many such messages no more are asked for. */
void payload_sample_refuse(struct payload_sample *s);
/* Each message with file data, taken or not, after it. */
void payload_sample_pass(struct payload_sample *s, uint32_t data_bytes, bool compressed);
/* Compressed over original size; NAN where there is no sample. */
double payload_sample_ratio(const struct payload_sample *s);

#endif
