/* A capture file in, frames out.
 *
 * Reads pcap (through libpcap, replay/pcap_file.h) and pcapng (replay/pcapng.h), told apart by content; plain, gzip- or
 * zstd-compressed; from a file, a pipe or, as "-", standard input; with time at nanosecond precision. A file that ends inside a frame
 * gives its whole frames and then a warning.
 *
 * Ownership: capture_open() returns owned, capture_close() frees. A frame's bytes are a view that lives until the next
 * capture_next() of the same capture. Cost: none beyond that of the two readers.
 * Errors: COPYTRIAL_ERROR_INPUT naming the file, from capture_open() alone. */
#ifndef REPLAY_CAPTURE_H
#define REPLAY_CAPTURE_H

#include "replay/capture_facts.h"
#include "replay/frame.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct capture;

struct capture_frame {
    int64_t time_unix_ns;
    const uint8_t *bytes;
    uint32_t captured; /* bytes in the file */
    uint32_t wire;     /* bytes that the frame had, at least `captured` */
    enum frame_link link;
    enum frame_heading heading; /* as the file marks it */
};

struct capture *capture_open(const char *path, GError **error);
void capture_close(struct capture *c);
/* False at the end. */
bool capture_next(struct capture *c, struct capture_frame *frame);
/* Bytes read so far, as they are on disk, which runs ahead of the frames by a buffer. */
uint64_t capture_position(const struct capture *c);
/* Whether capture_open() of the same path gives the same frames again. */
bool capture_is_file(const struct capture *c);
/* After the last frame: adds what the file said beside its frames. */
void capture_collect(const struct capture *c, struct capture_facts *to);

#endif
