/* Capture files in, frames out. The only file of the program that includes pcap.h.
 *
 * Reads pcap and pcapng as libpcap does, plain or gzip-compressed (recognised by content, not by name), with time at
 * nanosecond precision. A file that ends inside a frame gives its whole frames and then a warning.
 *
 * Ownership: capture_open() returns owned, capture_close() frees. A frame's bytes are a view that lives until the next
 * capture_next() of the same capture. Cost: one pcap_next_ex() a frame, no copy.
 * Errors: COPYTRIAL_ERROR_INPUT naming the file, from capture_open() alone. */
#ifndef REPLAY_CAPTURE_H
#define REPLAY_CAPTURE_H

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
};

struct capture *capture_open(const char *path, GError **error);
void capture_close(struct capture *c);
/* False at the end. */
bool capture_next(struct capture *c, struct capture_frame *frame);
/* What was wrong at the end, one sentence; NULL when nothing was. View, valid until capture_close(). */
const char *capture_warning(const struct capture *c);
/* Bytes of the file read so far, as they are on disk, and how many it has; 0 where that isn't known. */
uint64_t capture_position(const struct capture *c);
uint64_t capture_size(const struct capture *c);
enum frame_link capture_link(const struct capture *c);
/* "EN10MB", "LINUX_SLL2". View, valid as long as the program runs. */
const char *capture_link_name(const struct capture *c);

#endif
