#include "cli/commands.h"
#include "cli/prediction.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/units.h"
#include "replay/codec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char SUMMARY[] =
    "Measures how well and how fast each SMB compression algorithm packs your own files: the ratio to put "
    "into a client\nprofile's compression key, instead of a guess.";

static const char DESCRIPTION[] =
    "Files are read block by block, as an SMB client would send them, and each block is packed by itself. A "
    "block that\n"
    "doesn't shrink is sent as it is, and counts so. Each packed block is unpacked again and compared.\n\n"
    "  copytrial compress disk.vhdx\n"
    "  copytrial compress --block 64KiB *.docx --json\n\n"
    "Exit status: 0 done, 2 usage, 3 a file that can't be read, 4 output, 70 a block that doesn't unpack to "
    "itself.";

/* Speeds are of the data before packing. */
struct measured {
    const struct smb_codec *codec;
    uint64_t packed_bytes;
    uint64_t blocks, kept; /* all blocks, and those sent as they are */
    gint64 pack_us, unpack_us;
};

struct compress {
    char *block_text;
    gboolean as_json;
    char **files;
    int64_t block_bytes;
    uint64_t bytes;
    GArray *measured; /* of struct measured */
    uint8_t *in, *packed, *out;
};

static bool parse(struct compress *c, int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {
        {"block", 'b', 0, G_OPTION_ARG_STRING, &c->block_text,
         "Size of a block (default: 1 MiB, Windows' largest request)", "SIZE"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &c->as_json, "Print one JSON object", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &c->files, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GOptionContext) context = g_option_context_new("FILE…");

    g_option_context_set_summary(context, SUMMARY);
    g_option_context_set_description(context, DESCRIPTION);
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, error))
        return false;
    if (!c->files) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                    "takes at least one file; \"copytrial compress --help\" explains");
        return false;
    }
    if (c->block_text && !units_parse_size(c->block_text, &c->block_bytes, error)) {
        g_prefix_error(error, "--block: ");
        return false;
    }
    if (c->block_bytes >= 4096 && c->block_bytes <= 8 << 20)
        return true;
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "--block must be between 4 KiB and 8 MiB");
    return false;
}

static bool measure_block(struct compress *c, struct measured *m, size_t length, const char *file,
                          GError **error)
{
    gint64 start = g_get_monotonic_time(), packed;
    size_t size = m->codec->encode(c->in, length, c->packed, length - 1), written = 0;

    packed = g_get_monotonic_time();
    m->pack_us += packed - start;
    m->blocks++;
    if (!size) {
        m->kept++;
        m->packed_bytes += length;
        return true;
    }
    m->packed_bytes += size;
    if (m->codec->decode(c->packed, size, c->out, length, &written) != CODEC_OK ||
        memcmp(c->in, c->out, length) != 0) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                    "%s: a block packed by %s doesn't unpack to itself", file, m->codec->name);
        return false;
    }
    m->unpack_us += g_get_monotonic_time() - packed;
    return true;
}

static bool measure_file(struct compress *c, const char *path, GError **error)
{
    FILE *f = fopen(path, "rb");
    size_t length;
    bool ok = true;

    while (f && ok && (length = fread(c->in, 1, (size_t)c->block_bytes, f)) > 0) {
        c->bytes += length;
        for (guint i = 0; ok && length > 1 && i < c->measured->len; i++)
            ok = measure_block(c, &g_array_index(c->measured, struct measured, i), length, path, error);
    }
    if (!f || ferror(f)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: can't be read: %s", path,
                    g_strerror(errno));
        ok = false;
    }
    if (f)
        fclose(f);
    return ok;
}

static double ratio(const struct compress *c, const struct measured *m)
{
    return (double)m->packed_bytes / (double)c->bytes;
}

static double megabytes_a_second(uint64_t bytes, gint64 us)
{
    return (double)bytes / (double)MAX(us, 1);
}

static json_t *compress_json(const struct compress *c)
{
    json_t *codecs = json_array();

    for (guint i = 0; i < c->measured->len; i++) {
        const struct measured *m = &g_array_index(c->measured, struct measured, i);

        json_array_append_new(
            codecs,
            json_pack("{s:s, s:I, s:f, s:I, s:I, s:f, s:o}", "algorithm", m->codec->name, "packed_bytes",
                      (json_int_t)m->packed_bytes, "ratio", ratio(c, m), "blocks", (json_int_t)m->blocks,
                      "blocks_sent_as_they_are", (json_int_t)m->kept, "pack_bytes_per_s",
                      1e6 * megabytes_a_second(c->bytes, m->pack_us), "unpack_bytes_per_s",
                      m->kept == m->blocks ? json_null()
                                           : json_real(1e6 * megabytes_a_second(c->bytes, m->unpack_us))));
    }
    return json_pack("{s:I, s:I, s:o}", "bytes", (json_int_t)c->bytes, "block_bytes",
                     (json_int_t)c->block_bytes, "codecs", codecs);
}

/* Where every block was sent as it is, nothing was unpacked. */
static char *speed_text(const struct measured *m, gint64 us, uint64_t bytes)
{
    return m->kept == m->blocks ? g_strdup("-") : g_strdup_printf("%.0f MB/s", megabytes_a_second(bytes, us));
}

static bool show(const struct compress *c, GError **error)
{
    g_autofree char *size = units_format_size((int64_t)c->bytes, 5),
                    *block = units_format_size(c->block_bytes, 4);
    g_autoptr(GString) text = g_string_new(NULL);

    if (c->as_json)
        return print_json(compress_json(c), error);
    g_string_append_printf(text, "%s in blocks of %s\n\n  %-14s %10s %14s %14s %16s\n", size, block,
                           "algorithm", "ratio", "pack", "unpack", "sent as it is");
    for (guint i = 0; i < c->measured->len; i++) {
        const struct measured *m = &g_array_index(c->measured, struct measured, i);
        g_autofree char *unpack = speed_text(m, m->unpack_us, c->bytes);

        g_string_append_printf(
            text, "  %-14s %8.1f %% %9.0f MB/s %14s %5" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "\n",
            m->codec->name, 100 * ratio(c, m), megabytes_a_second(c->bytes, m->pack_us), unpack, m->kept,
            m->blocks);
    }
    g_string_append(text, "\nThe ratio is packed over original size: the smaller, the better. Speeds are "
                          "this machine's, with our own\n"
                          "encoders; a Windows host's differ.\n");
    return outfile_write("-", text->str, text->len, error);
}

static bool compress(struct compress *c, GError **error)
{
    c->measured = g_array_new(FALSE, TRUE, sizeof(struct measured));
    for (const struct smb_codec *s = SMB_CODECS; s->name; s++) {
        struct measured m = {.codec = s};

        g_array_append_val(c->measured, m);
    }
    c->in = g_malloc((gsize)c->block_bytes);
    c->packed = g_malloc((gsize)c->block_bytes);
    c->out = g_malloc((gsize)c->block_bytes);
    for (char **f = c->files; *f; f++) {
        if (!measure_file(c, *f, error))
            return false;
    }
    if (c->bytes)
        return show(c, error);
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                "%s: nothing to compress: no file holds a byte", c->files[0]);
    return false;
}

bool cmd_compress(int argc, char **argv, int *status, GError **error)
{
    struct compress c = {.block_bytes = 1 << 20};
    bool ok = parse(&c, argc, argv, error) && compress(&c, error);

    (void)status;
    g_free(c.block_text);
    g_strfreev(c.files);
    g_clear_pointer(&c.measured, g_array_unref);
    g_free(c.in);
    g_free(c.packed);
    g_free(c.out);
    return ok;
}
