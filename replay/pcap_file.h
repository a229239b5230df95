/* Classic pcap files, read by libpcap: both byte orders, micro- and nanoseconds, and the variants that libpcap knows. The only file
 * of the program that includes pcap.h.
 *
 * Ownership: pcap_file_open() returns owned and takes the stream when it succeeds; a frame's bytes are a view until the next
 * pcap_file_next(). Cost: one pcap_next_ex() a frame. */
#ifndef REPLAY_PCAP_FILE_H
#define REPLAY_PCAP_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pcap_file;

struct pcap_frame {
    int64_t time_unix_ns;
    const uint8_t *bytes;
    uint32_t captured, wire; /* wire >= captured */
};

/* NULL, with libpcap's words in *problem (owned), when it isn't such a file. */
struct pcap_file *pcap_file_open(FILE *stream, char **problem);
void pcap_file_close(struct pcap_file *f);
/* False at the end. */
bool pcap_file_next(struct pcap_file *f, struct pcap_frame *frame);
/* Libpcap's words for what ended the reading, or NULL when it was the end of the file. View until the close. */
const char *pcap_file_problem(const struct pcap_file *f);
/* The LINKTYPE_ number. */
uint16_t pcap_file_link_type(const struct pcap_file *f);
/* "EN10MB", "LINUX_SLL2"; NULL for a number without a name. Static. */
const char *pcap_file_link_name(uint16_t link_type);

#endif
