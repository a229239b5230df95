#include "replay/byte_window.h"

#include <string.h>

enum { WINDOW = 1 << 18 };

void byte_window_init(struct byte_window *w, struct byte_source *source)
{
    memset(w, 0, sizeof *w);
    w->source = source;
    w->capacity = WINDOW;
    w->buffer = g_malloc(w->capacity);
}

void byte_window_fini(struct byte_window *w)
{
    g_clear_pointer(&w->buffer, g_free);
}

bool byte_window_fill(struct byte_window *w, size_t n)
{
    if (w->ended)
        return w->end - w->at >= n;
    memmove(w->buffer, w->buffer + w->at, w->end - w->at);
    w->end -= w->at;
    w->at = 0;
    while (w->end < n && !w->ended) {
        size_t got;

        /* Only once it is half full: a length that merely claims to be large costs no more than what the file really has. */
        if (w->end > w->capacity / 2) {
            w->capacity *= 2;
            w->buffer = g_realloc(w->buffer, w->capacity);
        }
        got = byte_source_read(w->source, w->buffer + w->end, w->capacity - w->end);
        w->ended = got == 0;
        w->end += got;
    }
    return w->end >= n;
}

size_t byte_window_read(struct byte_window *w, uint8_t *to, size_t size)
{
    size_t n = MIN(size, w->end - w->at);

    if (n == 0)
        return byte_source_read(w->source, to, size);
    memcpy(to, w->buffer + w->at, n);
    w->at += n;
    return n;
}
