/* A whole capture file, from the disk to the calibration: all at once, or, when its size is odd, in windows of a few segments. */
#include "tests/fuzz/fuzz.h"
#include "replay/analysis.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct replay_options ALL = {
        .keep_exchanges = true, .keep_segments = true, .measure = true, .trace = true};
    static const struct replay_options WINDOWS = {.measure = true, .trace = true, .window = 16};
    g_autofree char *name = g_strdup_printf("copytrial-fuzz-%ld.pcap", (long)getpid());
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), name, NULL);
    g_autoptr(GError) error = NULL;
    struct replay *r;

    g_assert(g_file_set_contents_full(path, (const char *)data, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0600,
                                      NULL));
    r = replay_read((const char *const[]){path, NULL}, size % 2 ? &WINDOWS : &ALL, &error);
    g_assert((r == NULL) == (error != NULL));
    g_assert(!error || g_str_has_prefix(error->message, path));
    g_assert(!r || (r->connections->len > 0 && r->coverage >= 0 && r->coverage <= 1));
    replay_free(r);
    g_unlink(path);
    return 0;
}
