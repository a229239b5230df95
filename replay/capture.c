#include "replay/capture.h"
#include "base/error.h"
#include "base/units.h"
#include "replay/gzfile.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { READ_BUFFER = 1 << 18 };

struct capture {
    char *path;
    pcap_t *pcap; /* owns the FILE */
    struct gzfile *gz;
    char *warning;
    char *buffer;
    uint64_t frames;
    enum frame_link link;
};

static void fail(GError **error, const char *path, const char *what, const char *why)
{
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: %s%s%s", path, what, why ? ": " : "",
                why ? why : "");
}

/* libpcap only sees a FILE; this looks at the first bytes to say what kind of FILE that has to be, and to tell an empty
 * file from a wrong one. */
static bool sniff(const char *path, bool *compressed, GError **error)
{
    uint8_t head[2];
    FILE *f;
    size_t n;

    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        fail(error, path, "is a folder, not a capture file", NULL);
        return false;
    }
    f = fopen(path, "rb");
    if (!f) {
        fail(error, path, "can't be read", g_strerror(errno));
        return false;
    }
    n = fread(head, 1, sizeof head, f);
    if (n == 0)
        fail(error, path, ferror(f) ? "can't be read" : "is empty, not a capture file", NULL);
    fclose(f);
    *compressed = n == 2 && head[0] == 0x1f && head[1] == 0x8b;
    return n > 0;
}

static FILE *open_stream(struct capture *c, bool compressed, GError **error)
{
    FILE *stream = NULL;

    if (compressed) {
        c->gz = gzfile_open(c->path);
        stream = c->gz ? gzfile_stream(c->gz) : NULL;
    } else {
        stream = fopen(c->path, "rb");
    }
    if (!stream)
        fail(error, c->path, "can't be read", g_strerror(errno));
    else
        setvbuf(stream, c->buffer, _IOFBF, READ_BUFFER);
    return stream;
}

static enum frame_link link_of(int dlt)
{
    switch (dlt) {
    case DLT_EN10MB:
        return FRAME_LINK_ETHERNET;
    case DLT_LINUX_SLL:
        return FRAME_LINK_SLL;
#ifdef DLT_LINUX_SLL2
    case DLT_LINUX_SLL2:
        return FRAME_LINK_SLL2;
#endif
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
        return FRAME_LINK_RAW;
    case DLT_NULL:
    case DLT_LOOP:
        return FRAME_LINK_NULL;
    default:
        return FRAME_LINK_UNSUPPORTED;
    }
}

struct capture *capture_open(const char *path, GError **error)
{
    char message[PCAP_ERRBUF_SIZE] = "";
    struct capture *c;
    bool compressed;
    FILE *stream;

    if (!sniff(path, &compressed, error))
        return NULL;
    c = g_new0(struct capture, 1);
    c->path = g_strdup(path);
    c->buffer = g_malloc(READ_BUFFER);
    stream = open_stream(c, compressed, error);
    if (!stream) {
        capture_close(c);
        return NULL;
    }
    c->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, message);
    if (!c->pcap) {
        fail(error, path, "isn't a pcap or pcapng capture that can be read", message);
        fclose(stream);
        capture_close(c);
        return NULL;
    }
    c->link = link_of(pcap_datalink(c->pcap));
    return c;
}

void capture_close(struct capture *c)
{
    if (!c)
        return;
    if (c->pcap)
        pcap_close(c->pcap);
    if (c->gz)
        gzfile_free(c->gz);
    g_free(c->warning);
    g_free(c->buffer);
    g_free(c->path);
    g_free(c);
}

/* The file's clock is what a stranger wrote there: a time beyond 64-bit nanoseconds becomes the last that fits. */
static int64_t to_ns(const struct timeval *ts)
{
    int64_t seconds = ts->tv_sec, fraction = ts->tv_usec; /* nanoseconds: asked for at opening */
    int64_t limit = INT64_MAX / NS_PER_S - 1;

    if (seconds > limit || seconds < -limit)
        return seconds > 0 ? INT64_MAX : INT64_MIN;
    if (fraction > 4 * NS_PER_S || fraction < 0)
        fraction = 0;
    return seconds > limit - 4 ? seconds * NS_PER_S : seconds * NS_PER_S + fraction;
}

bool capture_next(struct capture *c, struct capture_frame *frame)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    int got;

    if (c->warning)
        return false;
    got = pcap_next_ex(c->pcap, &header, &bytes);
    if (got == 1) {
        c->frames++;
        frame->time_unix_ns = to_ns(&header->ts);
        frame->bytes = bytes;
        frame->captured = header->caplen;
        frame->wire = header->len > header->caplen ? header->len : header->caplen;
        return true;
    }
    if (c->gz && gzfile_problem(c->gz))
        c->warning = g_strdup_printf("%s: %s; only its first %" G_GUINT64_FORMAT " frames were read", c->path,
                                     gzfile_problem(c->gz), c->frames);
    else if (got == PCAP_ERROR)
        c->warning = g_strdup_printf("%s: is cut or damaged after frame %" G_GUINT64_FORMAT " (%s)", c->path,
                                     c->frames, pcap_geterr(c->pcap));
    return false;
}

uint64_t capture_position(const struct capture *c)
{
    off_t at;

    if (c->gz)
        return gzfile_position(c->gz);
    at = ftello(pcap_file(c->pcap));
    return at < 0 ? 0 : (uint64_t)at;
}

uint64_t capture_size(const struct capture *c)
{
    struct stat st;

    return stat(c->path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

const char *capture_warning(const struct capture *c)
{
    return c->warning;
}

enum frame_link capture_link(const struct capture *c)
{
    return c->link;
}

const char *capture_link_name(const struct capture *c)
{
    const char *name = pcap_datalink_val_to_name(pcap_datalink(c->pcap));

    return name ? name : "unknown";
}
