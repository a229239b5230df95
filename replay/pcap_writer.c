#include "replay/pcap_writer.h"
#include "replay/pdu.h"
#include "base/outfile.h"
#include "base/units.h"

/* draft-ietf-opsawg-pcap: the magic number of files with nanoseconds, version 2.4, link type Ethernet. */
enum { FILE_HEADER = 24, RECORD_HEADER = 16, LINK_ETHERNET = 1, SNAP_LENGTH = 262144 };

struct pcap_writer {
    struct outfile *file;
};

struct pcap_writer *pcap_writer_open(const char *path, GError **error)
{
    uint8_t bytes[FILE_HEADER] = {0};
    struct pdu p = pdu_over(bytes, sizeof bytes);
    struct outfile *file = outfile_open(path, error);
    struct pcap_writer *w;

    if (!file)
        return NULL;
    pdu_le32(&p, 0xa1b23c4d);
    pdu_le16(&p, 2);
    pdu_le16(&p, 4);
    pdu_zeros(&p, 8);
    pdu_le32(&p, SNAP_LENGTH);
    pdu_le32(&p, LINK_ETHERNET);
    if (!outfile_append(file, bytes, sizeof bytes, error)) {
        outfile_discard(file);
        return NULL;
    }
    w = g_new0(struct pcap_writer, 1);
    w->file = file;
    return w;
}

bool pcap_writer_frame(struct pcap_writer *w, int64_t unix_ns, const uint8_t *frame, size_t length,
                       GError **error)
{
    uint8_t bytes[RECORD_HEADER] = {0};
    struct pdu p = pdu_over(bytes, sizeof bytes);

    g_assert(unix_ns >= 0 && length <= SNAP_LENGTH);
    pdu_le32(&p, (uint64_t)(unix_ns / NS_PER_S));
    pdu_le32(&p, (uint64_t)(unix_ns % NS_PER_S));
    pdu_le32(&p, length);
    pdu_le32(&p, length);
    return outfile_append(w->file, bytes, sizeof bytes, error) &&
           outfile_append(w->file, frame, length, error);
}

bool pcap_writer_commit(struct pcap_writer *w, GError **error)
{
    struct outfile *file = w->file;

    g_free(w);
    return outfile_commit(file, error);
}

void pcap_writer_discard(struct pcap_writer *w)
{
    if (!w)
        return;
    outfile_discard(w->file);
    g_free(w);
}
