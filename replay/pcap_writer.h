/* A capture file with one Ethernet interface: classic pcap with nanoseconds, least significant byte first, whatever the machine.
 *
 * Frames are written as they come, so memory doesn't grow; the file stands under its name only after pcap_writer_commit(). Errors:
 * COPYTRIAL_ERROR_OUTPUT naming the path. */
#ifndef REPLAY_PCAP_WRITER_H
#define REPLAY_PCAP_WRITER_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pcap_writer;

/* Returns owned. */
struct pcap_writer *pcap_writer_open(const char *path, GError **error);
/* `unix_ns` is at least 0. */
bool pcap_writer_frame(struct pcap_writer *w, int64_t unix_ns, const uint8_t *frame, size_t length,
                       GError **error);
/* Both take `w`. */
bool pcap_writer_commit(struct pcap_writer *w, GError **error);
void pcap_writer_discard(struct pcap_writer *w);

#endif
