/* pcapng files built in code, for tests. Header only; each test program includes it once. */
#ifndef TESTS_PCAPNG_H
#define TESTS_PCAPNG_H

#include "tests/packets.h"

struct pcapng_writer {
    GByteArray *bytes;
    bool big_endian;
};

G_GNUC_UNUSED static inline void ng_put(const struct pcapng_writer *w, GByteArray *to, uint64_t value,
                                        int bytes)
{
    if (w->big_endian)
        put_be(to, value, bytes);
    else
        put_le(to, value, bytes);
}

G_GNUC_UNUSED static inline void ng_option(const struct pcapng_writer *w, GByteArray *to, unsigned code,
                                           const void *value, unsigned length)
{
    ng_put(w, to, code, 2);
    ng_put(w, to, length, 2);
    g_byte_array_append(to, value, length);
    put_zeros(to, -length & 3);
}

/* An option whose value is a number. */
G_GNUC_UNUSED static inline void ng_option_number(const struct pcapng_writer *w, GByteArray *to,
                                                  unsigned code, uint64_t value, int bytes)
{
    g_autoptr(GByteArray) number = g_byte_array_new();

    ng_put(w, number, value, bytes);
    ng_option(w, to, code, number->data, number->len);
}

G_GNUC_UNUSED static inline void ng_block(const struct pcapng_writer *w, uint32_t type,
                                          const GByteArray *body)
{
    unsigned length = 12 + body->len + (-body->len & 3);

    ng_put(w, w->bytes, type, 4);
    ng_put(w, w->bytes, length, 4);
    put_array(w->bytes, body);
    put_zeros(w->bytes, -body->len & 3);
    ng_put(w, w->bytes, length, 4);
}

G_GNUC_UNUSED static inline void ng_section(struct pcapng_writer *w, bool big_endian, unsigned major)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    w->big_endian = big_endian;
    ng_put(w, body, 0x1a2b3c4d, 4);
    ng_put(w, body, major, 2);
    ng_put(w, body, 0, 2);
    ng_put(w, body, UINT64_MAX, 8);
    ng_block(w, 0x0a0d0d0a, body);
}

struct interface_spec {
    unsigned link_type, snap_length;
    const char *name;
    int resolution; /* the option's byte; -1: no such option */
    int64_t offset_s;
};

G_GNUC_UNUSED static inline void ng_interface(const struct pcapng_writer *w, const struct interface_spec *s)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    ng_put(w, body, s->link_type, 2);
    ng_put(w, body, 0, 2);
    ng_put(w, body, s->snap_length, 4);
    if (s->name)
        ng_option(w, body, 2, s->name, (unsigned)strlen(s->name));
    if (s->resolution >= 0)
        ng_option_number(w, body, 9, (uint64_t)s->resolution, 1);
    if (s->offset_s != 0)
        ng_option_number(w, body, 14, (uint64_t)s->offset_s, 8);
    ng_option(w, body, 0, NULL, 0);
    ng_block(w, 1, body);
}

/* An Enhanced Packet Block. `captured` 0: all of the frame; `direction` 0: not said. */
G_GNUC_UNUSED static inline void ng_packet(const struct pcapng_writer *w, uint32_t interface, uint64_t ticks,
                                           const GByteArray *frame, uint32_t captured, unsigned direction)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    captured = captured == 0 || captured > frame->len ? frame->len : captured;
    ng_put(w, body, interface, 4);
    ng_put(w, body, ticks >> 32, 4);
    ng_put(w, body, ticks & UINT32_MAX, 4);
    ng_put(w, body, captured, 4);
    ng_put(w, body, frame->len, 4);
    g_byte_array_append(body, frame->data, captured);
    put_zeros(body, -captured & 3);
    if (direction > 0) {
        ng_option_number(w, body, 2, direction, 4);
        ng_option(w, body, 0, NULL, 0);
    }
    ng_block(w, 6, body);
}

G_GNUC_UNUSED static inline void ng_simple_packet(const struct pcapng_writer *w, const GByteArray *frame,
                                                  uint32_t captured)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    ng_put(w, body, frame->len, 4);
    g_byte_array_append(body, frame->data, captured);
    ng_block(w, 3, body);
}

G_GNUC_UNUSED static inline void ng_old_packet(const struct pcapng_writer *w, unsigned interface,
                                               unsigned drops, uint64_t ticks, const GByteArray *frame)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    ng_put(w, body, interface, 2);
    ng_put(w, body, drops, 2);
    ng_put(w, body, ticks >> 32, 4);
    ng_put(w, body, ticks & UINT32_MAX, 4);
    ng_put(w, body, frame->len, 4);
    ng_put(w, body, frame->len, 4);
    put_array(body, frame);
    ng_block(w, 2, body);
}

/* Drops by the interface; `since` 0: not said. */
G_GNUC_UNUSED static inline void ng_statistics(const struct pcapng_writer *w, uint32_t interface,
                                               uint64_t since, uint64_t dropped)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    ng_put(w, body, interface, 4);
    ng_put(w, body, 0, 8);
    if (since) {
        g_autoptr(GByteArray) time = g_byte_array_new();

        ng_put(w, time, since >> 32, 4);
        ng_put(w, time, since & UINT32_MAX, 4);
        ng_option(w, body, 2, time->data, time->len);
    }
    ng_option_number(w, body, 5, dropped, 8);
    ng_option(w, body, 0, NULL, 0);
    ng_block(w, 5, body);
}

/* A block of any type with a text in it. */
G_GNUC_UNUSED static inline void ng_other(const struct pcapng_writer *w, uint32_t type, const char *text)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    g_byte_array_append(body, (const uint8_t *)text, (guint)strlen(text));
    ng_block(w, type, body);
}

G_GNUC_UNUSED static inline void ng_secrets(const struct pcapng_writer *w, uint32_t kind, const char *text)
{
    g_autoptr(GByteArray) body = g_byte_array_new();

    ng_put(w, body, kind, 4);
    ng_put(w, body, strlen(text), 4);
    g_byte_array_append(body, (const uint8_t *)text, (guint)strlen(text));
    ng_block(w, 10, body);
}

#endif
