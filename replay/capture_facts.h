/* What capture files say beside their frames: interfaces with what they lost, decryption secrets, and what was wrong.
 *
 * Interfaces of one name and link type are one, through all files and sections: the pieces of a ring-buffer capture say the same
 * thing each. Ownership: capture_facts_init() and capture_facts_fini() make and free what hangs off the struct. */
#ifndef REPLAY_CAPTURE_FACTS_H
#define REPLAY_CAPTURE_FACTS_H

#include "replay/pcapng.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct capture_interface {
    char *name;            /* owned; NULL: the file names none, as no classic pcap file does */
    const char *link_name; /* "EN10MB", "LINUX_SLL2". Static */
    bool readable;         /* frames of its link type are read */
    uint64_t frames;
    int64_t dropped; /* frames that the capturing machine says it lost; -1: it doesn't say */
    uint64_t since;  /* of that count, in the file's ticks; 0: not said */
};

struct capture_facts {
    GPtrArray *interfaces; /* of struct capture_interface *, owned */
    GArray *secrets;       /* of struct pcapng_secrets */
    GPtrArray *warnings;   /* of char *, owned: whole sentences */
};

void capture_facts_init(struct capture_facts *f);
void capture_facts_fini(struct capture_facts *f);
/* Adds one; takes fresh.name. */
void capture_facts_interface(struct capture_facts *f, struct capture_interface fresh);
void capture_facts_pcapng(struct capture_facts *f, const struct pcapng *p, const char *path);
/* Once all are there: appends sentences about unreadable link types, losses and secrets. */
void capture_facts_conclude(struct capture_facts *f);
/* The link type that all interfaces with frames share, or "mixed". */
const char *capture_facts_link_name(const struct capture_facts *f);

#endif
