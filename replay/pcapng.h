/* The blocks of a pcapng file, as frames.
 *
 * Any number of sections, each in its own byte order, and of interfaces, each with its own link type, snap length, time
 * resolution and offset. Packet blocks of all three kinds are read; statistics (drop counts), decryption secrets (their kinds
 * alone) and interface names become facts; all other blocks are passed over. What is damaged or cut is left out, told of in
 * pcapng_warnings(), and reading goes on at the next block that is whole: one whose two lengths agree.
 *
 * A Simple Packet Block has no time: its frame gets the time of the frame before. A frame that names an interface that its section doesn't
 * describe is handed out with interface NULL, and with the time of the frame before.
 *
 * Ownership: pcapng_new() returns owned and borrows the window; a frame's bytes are a view until the next pcapng_next(). Cost: no
 * copy; the window grows with the greatest block, at most BLOCK_MAX (16 MiB, as libpcap has it). No errors.
 * Source: draft-ietf-opsawg-pcapng. */
#ifndef REPLAY_PCAPNG_H
#define REPLAY_PCAPNG_H

#include "replay/byte_window.h"
#include "replay/frame.h"
#include "replay/pcapng_interface.h"

enum { PCAPNG_MAGIC = 0x0a0d0d0a };

struct pcapng;

struct pcapng_frame {
    int64_t time_unix_ns;
    const uint8_t *bytes;
    uint32_t captured, wire;                  /* wire >= captured */
    const struct pcapng_interface *interface; /* or NULL. View, as long as the reader lives */
    enum frame_heading heading;
    bool timed; /* it has a time of its own */
};

/* Kinds of secrets, by the four letters that stand for them. */
struct pcapng_secrets {
    uint32_t kind;
    uint64_t blocks;
};

/* NULL when the window doesn't begin with a whole section header of version 1. */
struct pcapng *pcapng_new(struct byte_window *window);
void pcapng_free(struct pcapng *p);
/* False at the end. */
bool pcapng_next(struct pcapng *p, struct pcapng_frame *frame);
/* Whether the file ends within a block. */
bool pcapng_is_cut(const struct pcapng *p);
/* Of struct pcapng_interface *, in the order of their descriptions. View, growing while frames are read. */
const GPtrArray *pcapng_interfaces(const struct pcapng *p);
/* Of struct pcapng_secrets. View, likewise. */
const GArray *pcapng_secrets(const struct pcapng *p);
/* Appends what was wrong, as owned sentences that begin with `path`. */
void pcapng_warnings(const struct pcapng *p, const char *path, GPtrArray *to);
/* "TLS keys", or NULL for a kind without a name. Static. */
const char *pcapng_secrets_name(uint32_t kind);

#endif
