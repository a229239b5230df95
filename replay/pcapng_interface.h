/* The interfaces of a pcapng file: what its description blocks and statistics blocks say.
 *
 * A section has a table of its own, by number; what is told of an interface at the end is kept under its name and link type, so that a
 * file of many sections, such as captures put one behind the other, says it once. Private to the pcapng reader.
 * Source: draft-ietf-opsawg-pcapng, 4.2 (Interface Description Block) and 4.6 (Interface Statistics Block). */
#ifndef REPLAY_PCAPNG_INTERFACE_H
#define REPLAY_PCAPNG_INTERFACE_H

#include "replay/cursor.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* What is kept of an interface. */
struct pcapng_interface {
    char *name; /* NULL: the file names none. UTF-8 without control characters */
    uint16_t link_type;
    bool counts_drops;
    uint64_t frames;
    uint64_t dropped; /* frames that the capturing machine says it lost */
    uint64_t missing; /* the same, as its packet blocks say */
    uint64_t since;   /* when the counting of `dropped` began, in the file's own ticks; 0: not said */
    uint64_t counted; /* the last count since then */
    uint64_t section; /* that said so */
};

/* How to read its blocks. */
struct pcapng_decoding {
    uint16_t link_type;
    uint32_t snap_length; /* 0: none */
    /* A tick is 10^-exponent s, or 2^-exponent s. */
    bool binary;
    uint8_t exponent;
    int64_t offset_s; /* added to every time */
    uint64_t dropped; /* as its last statistics block says */
    bool counted;     /* it had one */
    guint fact;       /* index in `facts` */
};

struct pcapng_interfaces {
    GPtrArray *facts; /* of struct pcapng_interface *, owned */
    GArray *section;  /* of struct pcapng_decoding */
    uint64_t sections;
};

void pcapng_interfaces_init(struct pcapng_interfaces *t);
void pcapng_interfaces_fini(struct pcapng_interfaces *t);
void pcapng_interfaces_new_section(struct pcapng_interfaces *t);
/* The bodies of blocks. False when they are cut or, for a description, when the table is full. */
bool pcapng_interfaces_describe(struct pcapng_interfaces *t, struct cursor body, bool big_endian);
bool pcapng_interfaces_statistics(struct pcapng_interfaces *t, struct cursor body, bool big_endian);
/* NULL when the section has none of this number. View until the next block. */
struct pcapng_decoding *pcapng_interfaces_get(struct pcapng_interfaces *t, uint32_t number);
struct pcapng_interface *pcapng_interfaces_fact(struct pcapng_interfaces *t, const struct pcapng_decoding *d);

/* Nanoseconds since 1970; the nearest that fits when that is beyond 64 bits. */
int64_t pcapng_time_ns(const struct pcapng_decoding *d, uint64_t ticks);

/* ---- what all blocks share -------------------------------------------------------------------------------------- */

static inline uint16_t pcapng_u16(struct cursor *c, bool big_endian)
{
    return big_endian ? cursor_be16(c) : cursor_le16(c);
}

static inline uint32_t pcapng_u32(struct cursor *c, bool big_endian)
{
    return big_endian ? cursor_be32(c) : cursor_le32(c);
}

static inline uint64_t pcapng_u64(struct cursor *c, bool big_endian)
{
    return big_endian ? cursor_be64(c) : cursor_le64(c);
}

/* The next option of a block: its code and a cursor over its value. False at their end or where they are cut. */
bool pcapng_option(struct cursor *options, bool big_endian, uint16_t *code, struct cursor *value);

#endif
