/* A pcapng file, block by block, in memory of its exact size. */
#include "tests/fuzz/fuzz.h"
#include "replay/pcapng.h"

#include <glib.h>

static uint32_t sum(const struct pcapng_frame *f)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < f->captured; i++)
        total += f->bytes[i];
    return total;
}

static void read_all(struct pcapng *p, size_t size)
{
    struct pcapng_frame f;
    uint64_t frames = 0, known = 0, counted = 0;
    volatile uint32_t seen = 0;

    while (pcapng_next(p, &f)) {
        frames++;
        known += f.interface != NULL;
        g_assert(f.captured <= f.wire);
        g_assert(f.captured <= size);
        g_assert(f.timed <= (f.interface != NULL));
        seen = seen + sum(&f);
    }
    g_assert(frames <= size / 16);
    g_assert(!pcapng_next(p, &f));
    for (guint i = 0; i < pcapng_interfaces(p)->len; i++) {
        const struct pcapng_interface *one = g_ptr_array_index(pcapng_interfaces(p), i);

        counted += one->frames;
        g_assert(!one->name || g_utf8_validate(one->name, -1, NULL));
    }
    g_assert(counted == known);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct byte_window window = {
        .buffer = g_memdup2(data, size), .capacity = size, .end = size, .ended = true};
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    struct pcapng *p = pcapng_new(&window);

    if (p) {
        read_all(p, size);
        pcapng_warnings(p, "file", warnings);
        g_assert(warnings->len <= 6);
    }
    pcapng_free(p);
    byte_window_fini(&window);
    return 0;
}
