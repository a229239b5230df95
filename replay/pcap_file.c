#include "replay/pcap_file.h"
#include "base/units.h"

#include <pcap/pcap.h>

struct pcap_file {
    pcap_t *pcap; /* owns the FILE */
    bool failed;
};

/* Where the numbers of libpcap's interface and those of files differ. */
static const struct {
    int dlt;
    uint16_t link_type;
} DIFFERENT[] = {
    {DLT_PPP_SERIAL, 50}, {DLT_PPP_ETHER, 51},   {DLT_ATM_RFC1483, 100},
    {DLT_RAW, 101},       {DLT_SLIP_BSDOS, 102}, {DLT_PPP_BSDOS, 103},
};

struct pcap_file *pcap_file_open(FILE *stream, char **problem)
{
    char message[PCAP_ERRBUF_SIZE] = "";
    pcap_t *pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, message);
    struct pcap_file *f;

    if (!pcap) {
        *problem = g_strdup(message);
        return NULL;
    }
    f = g_new0(struct pcap_file, 1);
    f->pcap = pcap;
    return f;
}

void pcap_file_close(struct pcap_file *f)
{
    if (!f)
        return;
    pcap_close(f->pcap);
    g_free(f);
}

/* Seconds are 32 bits without a sign (draft-ietf-opsawg-pcap, 4); libpcap before 1.10.5 takes those after 2038 for negative. A fraction
 * may be anything that a stranger wrote. */
static int64_t to_ns(const struct timeval *ts)
{
    int64_t seconds = (int64_t)ts->tv_sec & UINT32_MAX;
    int64_t fraction = ts->tv_usec; /* nanoseconds: asked for at opening */

    return seconds * NS_PER_S + (fraction < 0 || fraction > 4 * NS_PER_S ? 0 : fraction);
}

bool pcap_file_next(struct pcap_file *f, struct pcap_frame *frame)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    int got = pcap_next_ex(f->pcap, &header, &bytes);

    if (got == 1) {
        frame->time_unix_ns = to_ns(&header->ts);
        frame->bytes = bytes;
        frame->captured = header->caplen;
        frame->wire = MAX(header->len, header->caplen);
        return true;
    }
    f->failed = got == PCAP_ERROR;
    return false;
}

const char *pcap_file_problem(const struct pcap_file *f)
{
    return f->failed ? pcap_geterr(f->pcap) : NULL;
}

uint16_t pcap_file_link_type(const struct pcap_file *f)
{
    int dlt = pcap_datalink(f->pcap);

    for (size_t i = 0; i < G_N_ELEMENTS(DIFFERENT); i++) {
        if (DIFFERENT[i].dlt == dlt)
            return DIFFERENT[i].link_type;
    }
    return (uint16_t)dlt;
}

const char *pcap_file_link_name(uint16_t link_type)
{
    for (size_t i = 0; i < G_N_ELEMENTS(DIFFERENT); i++) {
        if (DIFFERENT[i].link_type == link_type)
            return pcap_datalink_val_to_name(DIFFERENT[i].dlt);
    }
    return pcap_datalink_val_to_name(link_type);
}
