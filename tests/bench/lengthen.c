/* Lengthens a capture: writes its frames TIMES times over, each time as connections of their own, a second after the last.
 *
 *     bench_lengthen IN.pcap OUT.pcap TIMES
 *
 * IN is Ethernet with IPv4 and TCP. Client ports are shifted by the number of the repetition; no checksum is mended, for readers
 * of captures don't look at it. */
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ETHERNET = 14, PROTOCOL = ETHERNET + 9, TCP = 6, SMB_PORT = 445, PORTS_FROM = 1024, PORTS = 64000 };

static int64_t microseconds(const struct pcap_pkthdr *h)
{
    return (int64_t)h->ts.tv_sec * 1000000 + h->ts.tv_usec;
}

static void shift_port(unsigned char *at, unsigned by)
{
    unsigned port = at[0] * 256U + at[1];

    if (port == SMB_PORT)
        return;
    port = PORTS_FROM + (port + by - PORTS_FROM) % PORTS;
    at[0] = (unsigned char)(port / 256);
    at[1] = (unsigned char)port;
}

static void shift_ports(unsigned char *frame, unsigned length, unsigned by)
{
    unsigned tcp;

    if (length <= PROTOCOL || frame[PROTOCOL] != TCP)
        return;
    tcp = ETHERNET + 4U * (frame[ETHERNET] & 15U);
    if (length < tcp + 4)
        return;
    shift_port(frame + tcp, by);
    shift_port(frame + tcp + 2, by);
}

/* One repetition, later by `shift_us`. Sets the time that the capture takes, with the second behind it; false: it can't be read. */
static int repeat(const char *path, pcap_dumper_t *out, unsigned number, int64_t shift_us, int64_t *period_us)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *in = pcap_open_offline(path, error);
    struct pcap_pkthdr *header;
    const unsigned char *bytes;
    int64_t first_us = -1;

    if (!in) {
        fprintf(stderr, "%s\n", error);
        return 0;
    }
    while (pcap_next_ex(in, &header, &bytes) == 1) {
        struct pcap_pkthdr shifted = *header;
        unsigned char *copy = malloc(header->caplen + 1U);
        int64_t us = microseconds(header);

        if (!copy)
            abort();
        first_us = first_us < 0 ? us : first_us;
        *period_us = us - first_us + 1000000;
        shifted.ts.tv_sec = (us + shift_us) / 1000000;
        shifted.ts.tv_usec = (us + shift_us) % 1000000;
        memcpy(copy, bytes, header->caplen);
        shift_ports(copy, header->caplen, number);
        pcap_dump((unsigned char *)out, &shifted, copy);
        free(copy);
    }
    pcap_close(in);
    return 1;
}

int main(int argc, char **argv)
{
    unsigned times = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    pcap_t *format = pcap_open_dead(DLT_EN10MB, 1 << 18);
    pcap_dumper_t *out = times ? pcap_dump_open(format, argv[2]) : NULL;
    int64_t period_us = 0;
    int done = out != NULL;

    if (!times)
        fprintf(stderr, "usage: bench_lengthen IN.pcap OUT.pcap TIMES\n");
    else if (!out)
        fprintf(stderr, "%s\n", pcap_geterr(format));
    for (unsigned i = 0; done && i < times; i++)
        done = repeat(argv[1], out, i, i * period_us, &period_us);
    if (out)
        pcap_dump_close(out);
    pcap_close(format);
    return !done;
}
