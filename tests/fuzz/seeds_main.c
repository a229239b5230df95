/* Feeds every file below the given folders to a fuzz target: its test where libFuzzer isn't there. */
#include "tests/fuzz/fuzz.h"

#include <glib.h>
#include <stdio.h>

static unsigned feed(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    g_autofree char *data = NULL;
    const char *name;
    unsigned fed = 0;
    gsize length;

    if (!dir) {
        if (!g_file_get_contents(path, &data, &length, NULL))
            return 0;
        LLVMFuzzerTestOneInput((const uint8_t *)data, length);
        return 1;
    }
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *below = g_build_filename(path, name, NULL);

        fed += feed(below);
    }
    return fed;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        unsigned fed = feed(argv[i]);

        printf("%s: %u inputs\n", argv[i], fed);
        if (!fed)
            return 1; /* a seed folder that is gone or empty would make the test pass for nothing */
    }
    return 0;
}
