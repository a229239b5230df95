#include "replay/capture.h"
#include "base/error.h"
#include "replay/byte_stream.h"
#include "replay/link_type.h"
#include "replay/pcap_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { STREAM_BUFFER = 1 << 18 };

struct capture {
    char *name; /* for people */
    struct byte_source *source;
    struct byte_window window;
    char *buffer;           /* of the stream that libpcap reads from */
    struct pcap_file *pcap; /* one of these two */
    struct pcapng *pcapng;
    enum frame_link link; /* of a pcap file */
    uint64_t frames;
};

static void fail(GError **error, const struct capture *c, const char *what, const char *why)
{
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: %s%s%s", c->name, what, why ? ": " : "",
                why ? why : "");
}

static bool open_pcap(struct capture *c, GError **error)
{
    FILE *stream = byte_stream_open(&c->window);
    g_autofree char *problem = NULL;

    if (!stream) {
        fail(error, c, "can't be read", g_strerror(errno));
        return false;
    }
    c->buffer = g_malloc(STREAM_BUFFER);
    setvbuf(stream, c->buffer, _IOFBF, STREAM_BUFFER);
    c->pcap = pcap_file_open(stream, &problem);
    if (!c->pcap) {
        fail(error, c, "isn't a pcap or pcapng capture that can be read", problem);
        fclose(stream);
        return false;
    }
    c->link = link_type_of(pcap_file_link_type(c->pcap));
    return true;
}

static bool open_format(struct capture *c, GError **error)
{
    static const uint8_t PCAPNG[] = {0x0a, 0x0d, 0x0d, 0x0a};
    const uint8_t *head = byte_window_need(&c->window, sizeof PCAPNG);

    if (byte_window_left(&c->window) == 0) {
        const char *problem = byte_source_problem(c->source);

        fail(error, c, problem ? problem : "is empty, not a capture file", NULL);
        return false;
    }
    if (!head || memcmp(head, PCAPNG, sizeof PCAPNG) != 0)
        return open_pcap(c, error);
    c->pcapng = pcapng_new(&c->window);
    if (!c->pcapng)
        fail(error, c, "isn't a pcap or pcapng capture that can be read",
             "its section header is damaged or new");
    return c->pcapng != NULL;
}

struct capture *capture_open(const char *path, GError **error)
{
    struct byte_source *source = byte_source_open(path, error);
    struct capture *c;

    if (!source)
        return NULL;
    c = g_new0(struct capture, 1);
    c->name = g_strdup(strcmp(path, "-") == 0 ? "standard input" : path);
    c->source = source;
    byte_window_init(&c->window, source);
    if (open_format(c, error))
        return c;
    capture_close(c);
    return NULL;
}

void capture_close(struct capture *c)
{
    if (!c)
        return;
    pcap_file_close(c->pcap);
    pcapng_free(c->pcapng);
    byte_window_fini(&c->window);
    byte_source_free(c->source);
    g_free(c->buffer);
    g_free(c->name);
    g_free(c);
}

static bool next_of_pcap(struct capture *c, struct capture_frame *frame)
{
    struct pcap_frame f;

    if (!pcap_file_next(c->pcap, &f))
        return false;
    *frame = (struct capture_frame){f.time_unix_ns, f.bytes, f.captured, f.wire, c->link, FRAME_ANYWHERE};
    return true;
}

static bool next_of_pcapng(struct capture *c, struct capture_frame *frame)
{
    struct pcapng_frame f;

    if (!pcapng_next(c->pcapng, &f))
        return false;
    *frame =
        (struct capture_frame){f.time_unix_ns,
                               f.bytes,
                               f.captured,
                               f.wire,
                               f.interface ? link_type_of(f.interface->link_type) : FRAME_LINK_UNSUPPORTED,
                               f.heading};
    return true;
}

bool capture_next(struct capture *c, struct capture_frame *frame)
{
    bool got = c->pcapng ? next_of_pcapng(c, frame) : next_of_pcap(c, frame);

    c->frames += got;
    return got;
}

uint64_t capture_position(const struct capture *c)
{
    return byte_source_position(c->source);
}

bool capture_is_file(const struct capture *c)
{
    return byte_source_is_file(c->source);
}

static void collect_pcap(const struct capture *c, struct capture_facts *to)
{
    const char *link_name = pcap_file_link_name(pcap_file_link_type(c->pcap));
    const char *problem = byte_source_problem(c->source) ? NULL : pcap_file_problem(c->pcap);

    capture_facts_interface(to, (struct capture_interface){.link_name = link_name ? link_name : "unknown",
                                                           .readable = c->link != FRAME_LINK_UNSUPPORTED,
                                                           .frames = c->frames,
                                                           .dropped = -1});
    if (problem)
        g_ptr_array_add(to->warnings,
                        g_strdup_printf("%s: is cut or damaged after frame %" G_GUINT64_FORMAT " (%s)",
                                        c->name, c->frames, problem));
}

void capture_collect(const struct capture *c, struct capture_facts *to)
{
    const char *problem = byte_source_problem(c->source);

    if (c->pcap)
        collect_pcap(c, to);
    else
        capture_facts_pcapng(to, c->pcapng, c->name);
    if (problem)
        g_ptr_array_add(to->warnings,
                        g_strdup_printf("%s: %s; only its first %" G_GUINT64_FORMAT " frames were read",
                                        c->name, problem, c->frames));
}
