/* Our pcapng reader against libpcap: every frame that libpcap gives has the same place, lengths, bytes and time in ours. Files are the
 * public pcapng captures, and the recorded traces as editcap and mergecap write them. What libpcap refuses, ours may read. */
#include "replay/capture.h"
#include "replay/link_type.h"
#include "tests/bytes.h"
#include "tests/data.h"
#include "tests/packets.h"

#include <pcap/pcap.h>

static bool is_pcapng(const char *path)
{
    static const uint8_t MAGIC[] = {0x0a, 0x0d, 0x0d, 0x0a};
    uint8_t head[4] = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;

    if (f)
        fclose(f);
    return n == sizeof head && memcmp(head, MAGIC, sizeof head) == 0;
}

/* A time before 1970 or beyond 64-bit nanoseconds has no one right form: there the readers may differ. */
static bool has_plain_time(const struct pcap_pkthdr *h)
{
    return h->ts.tv_sec > 0 && h->ts.tv_sec < INT64_MAX / 1000000000 - 4;
}

/* Returns how many frames were compared. */
static guint compare_frames(const char *path, pcap_t *theirs, struct capture *ours)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    struct capture_frame f;
    guint compared = 0;
    int got;

    while ((got = pcap_next_ex(theirs, &header, &bytes)) == 1) {
        if (!capture_next(ours, &f))
            g_error("%s: libpcap has more than our %u frames", path, compared);
        compared++;
        assert_same_bytes(f.bytes, f.captured, bytes, header->caplen);
        g_assert_cmpuint(f.wire, ==, MAX(header->len, header->caplen));
        if (has_plain_time(header) &&
            f.time_unix_ns != (int64_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec)
            g_error("%s: frame %u: %" G_GINT64_FORMAT " ns, libpcap: %ld.%09ld", path, compared,
                    f.time_unix_ns, (long)header->ts.tv_sec, (long)header->ts.tv_usec);
        g_assert_cmpint(f.link, ==,
                        link_type_of((uint16_t)(pcap_datalink(theirs) == DLT_RAW ? LINKTYPE_RAW
                                                                                 : pcap_datalink(theirs))));
    }
    if (got == PCAP_ERROR_BREAK && capture_next(ours, &f))
        g_error("%s: libpcap ends after frame %u, ours doesn't", path, compared);
    return compared;
}

/* Returns whether libpcap accepts the file. */
static bool compare(const char *path, guint *frames)
{
    char message[PCAP_ERRBUF_SIZE];
    g_autoptr(GError) error = NULL;
    pcap_t *theirs = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, message);
    struct capture *ours = capture_open(path, &error);

    if (theirs && !ours)
        g_error("libpcap reads it, ours doesn't: %s", error->message);
    if (theirs)
        *frames += compare_frames(path, theirs, ours);
    if (theirs)
        pcap_close(theirs);
    capture_close(ours);
    return theirs != NULL;
}

static void compare_folder(const char *folder, guint *files, guint *refused, guint *frames)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = g_build_filename(folder, name, NULL);

        if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
            compare_folder(path, files, refused, frames);
        } else if (is_pcapng(path)) {
            bool accepted = compare(path, frames);

            *files += accepted;
            *refused += !accepted;
        }
    }
    if (dir)
        g_dir_close(dir);
}

static void test_public(void)
{
    g_autofree char *folder = data_shared_path("captures");
    guint files = 0, refused = 0, frames = 0;

    if (!folder)
        return;
    compare_folder(folder, &files, &refused, &frames);
    g_test_message("%u files with %u frames; libpcap refuses %u more", files, frames, refused);
    g_assert_cmpuint(files, >=, 20);
}

static void check_written(const char *const *arguments, const char *output)
{
    g_autoptr(GError) error = NULL;
    int status = 0;
    guint frames = 0;

    g_spawn_sync(NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                 NULL, NULL, &status, &error);
    g_assert_no_error(error);
    g_assert_cmpint(status, ==, 0);
    g_assert_true(is_pcapng(output));
    g_assert_true(compare(output, &frames));
    g_assert_cmpuint(frames, >, 100);
}

static void test_written(void)
{
    g_autofree char *editcap = g_find_program_in_path("editcap");
    g_autofree char *one = data_source_path("traces/smb3-smbclient-get.pcap");
    g_autofree char *other = data_source_path("traces/smb2-impacket-get.pcap");
    g_autofree char *output = temporary_file("", 0);

    if (!editcap) {
        g_test_skip("editcap isn't installed");
    } else {
        check_written((const char *const[]){"editcap", "-F", "pcapng", one, output, NULL}, output);
        check_written((const char *const[]){"editcap", "-F", "pcapng", "-s", "96", other, output, NULL},
                      output);
        check_written((const char *const[]){"mergecap", "-F", "pcapng", "-w", output, one, other, NULL},
                      output);
        check_written((const char *const[]){"mergecap", "-a", "-I", "all", "-F", "pcapng", "-w", output,
                                            other, one, NULL},
                      output);
    }
    g_unlink(output);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pcapng-files/public", test_public);
    g_test_add_func("/pcapng-files/written", test_written);
    return g_test_run();
}
