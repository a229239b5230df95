/* A window that moves over the bytes of a source: whoever reads asks for as many contiguous bytes as it needs and gets a view.
 *
 * Views are valid until the next byte_window_need() or byte_window_read(). Cost: nothing but an addition while the bytes are there; the
 * part of a structure that stands at the end of the buffer is moved to its front when the buffer is filled again. The
 * buffer grows to at most four times the greatest need, so that moving costs no more than reading does. */
#ifndef REPLAY_BYTE_WINDOW_H
#define REPLAY_BYTE_WINDOW_H

#include "replay/byte_source.h"

struct byte_window {
    struct byte_source *source; /* borrowed */
    uint8_t *buffer;
    size_t capacity, at, end;
    bool ended; /* the source has no more */
};

void byte_window_init(struct byte_window *w, struct byte_source *source);
void byte_window_fini(struct byte_window *w);
/* Reads on until `n` bytes are there. False when the source has no more. */
bool byte_window_fill(struct byte_window *w, size_t n);
/* Copies up to `size` bytes out and moves past them; 0 at the end. */
size_t byte_window_read(struct byte_window *w, uint8_t *to, size_t size);

static inline size_t byte_window_left(const struct byte_window *w)
{
    return w->end - w->at;
}

/* View of the next `n` bytes, or NULL when the source has fewer left; those stay and can be asked for. */
static inline const uint8_t *byte_window_need(struct byte_window *w, size_t n)
{
    if (w->end - w->at < n && !byte_window_fill(w, n))
        return NULL;
    return w->buffer + w->at;
}

/* Moves past `n` bytes that byte_window_need() gave. */
static inline void byte_window_skip(struct byte_window *w, size_t n)
{
    g_assert(n <= w->end - w->at);
    w->at += n;
}

#endif
