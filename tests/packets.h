/* Frames, capture files and SMB messages built in code, for tests. Header only; each test program includes it once. */
#ifndef TESTS_PACKETS_H
#define TESTS_PACKETS_H

#include "replay/frame.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    LINKTYPE_NULL = 0,
    LINKTYPE_ETHERNET = 1,
    LINKTYPE_RAW = 101,
    LINKTYPE_SLL = 113,
    LINKTYPE_SLL2 = 276
};

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

G_GNUC_UNUSED static inline void put_u8(GByteArray *b, unsigned value)
{
    uint8_t byte = (uint8_t)value;

    g_byte_array_append(b, &byte, 1);
}

G_GNUC_UNUSED static inline void put_be(GByteArray *b, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        put_u8(b, (unsigned)(value >> (8 * i)) & 0xff);
}

G_GNUC_UNUSED static inline void put_le(GByteArray *b, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        put_u8(b, (unsigned)(value >> (8 * i)) & 0xff);
}

G_GNUC_UNUSED static inline void put_zeros(GByteArray *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put_u8(b, 0);
}

G_GNUC_UNUSED static inline void put_array(GByteArray *b, const GByteArray *more)
{
    g_byte_array_append(b, more->data, more->len);
}

/* ---- frames --------------------------------------------------------------------------------------------------------- */

struct tcp_spec {
    bool from_server; /* 198.51.100.2:445 to 198.51.100.1:50000, else the other way */
    uint16_t client_port, server_port;
    uint32_t seq, ack;
    uint8_t flags; /* FRAME_SYN ... */
    uint16_t window;
    const uint8_t *options; /* a multiple of four bytes */
    uint8_t options_length;
    const uint8_t *payload;
    uint32_t payload_length;
};

G_GNUC_UNUSED static inline void put_tcp(GByteArray *b, const struct tcp_spec *t)
{
    uint16_t client = t->client_port ? t->client_port : 50000, server = t->server_port ? t->server_port : 445;

    put_be(b, t->from_server ? server : client, 2);
    put_be(b, t->from_server ? client : server, 2);
    put_be(b, t->seq, 4);
    put_be(b, t->ack, 4);
    put_u8(b, (unsigned)(5 + t->options_length / 4) << 4);
    put_u8(b, t->flags);
    put_be(b, t->window ? t->window : 65535, 2);
    put_zeros(b, 4);
    g_byte_array_append(b, t->options, t->options_length);
    g_byte_array_append(b, t->payload, t->payload_length);
}

G_GNUC_UNUSED static inline void put_ipv4(GByteArray *b, const struct tcp_spec *t)
{
    static const uint8_t CLIENT[] = {198, 51, 100, 1}, SERVER[] = {198, 51, 100, 2};
    uint32_t total = 20 + 20 + t->options_length + t->payload_length;

    put_u8(b, 0x45);
    put_u8(b, 0);
    put_be(b, total > 65535 ? 0 : total, 2); /* as adapters that segment by themselves leave it */
    put_be(b, 0x4000, 4);
    put_u8(b, 64);
    put_u8(b, 6);
    put_zeros(b, 2);
    g_byte_array_append(b, t->from_server ? SERVER : CLIENT, 4);
    g_byte_array_append(b, t->from_server ? CLIENT : SERVER, 4);
    put_tcp(b, t);
}

/* With `extensions` bytes of extension headers, the first of type `next`. */
G_GNUC_UNUSED static inline void put_ipv6(GByteArray *b, const struct tcp_spec *t, uint8_t next,
                                          const uint8_t *extensions, uint8_t extensions_length)
{
    put_be(b, 0x60000000, 4);
    put_be(b, 20U + t->options_length + t->payload_length + extensions_length, 2);
    put_u8(b, extensions_length ? next : 6);
    put_u8(b, 64);
    put_be(b, 0x20010db800000000, 8);
    put_be(b, t->from_server ? 2 : 1, 8);
    put_be(b, 0x20010db800000000, 8);
    put_be(b, t->from_server ? 1 : 2, 8);
    g_byte_array_append(b, extensions, extensions_length);
    put_tcp(b, t);
}

G_GNUC_UNUSED static inline void put_ethernet(GByteArray *b, uint16_t type)
{
    put_be(b, 0x020000000001, 6);
    put_be(b, 0x020000000002, 6);
    put_be(b, type, 2);
}

/* ---- capture files ---------------------------------------------------------------------------------------------------- */

G_GNUC_UNUSED static inline GByteArray *pcap_new(uint32_t link_type)
{
    GByteArray *b = g_byte_array_new();

    put_le(b, 0xa1b23c4d, 4); /* nanoseconds */
    put_le(b, 2, 2);
    put_le(b, 4, 2);
    put_zeros(b, 8);
    put_le(b, 262144, 4);
    put_le(b, link_type, 4);
    return b;
}

/* `captured` of the bytes of `frame`; 0: all. */
G_GNUC_UNUSED static inline void pcap_add(GByteArray *b, int64_t time_ns, const GByteArray *frame,
                                          uint32_t captured)
{
    if (captured == 0 || captured > frame->len)
        captured = frame->len;
    put_le(b, (uint64_t)(1700000000 + time_ns / 1000000000), 4);
    put_le(b, (uint64_t)(time_ns % 1000000000), 4);
    put_le(b, captured, 4);
    put_le(b, frame->len, 4);
    g_byte_array_append(b, frame->data, captured);
}

G_GNUC_UNUSED static inline void pcap_add_tcp(GByteArray *b, int64_t time_ns, const struct tcp_spec *t,
                                              uint32_t captured)
{
    g_autoptr(GByteArray) frame = g_byte_array_new();

    put_ethernet(frame, 0x0800);
    put_ipv4(frame, t);
    pcap_add(b, time_ns, frame, captured);
}

/* Writes `length` bytes to a new file in the temporary folder. Returns owned: its path. */
G_GNUC_UNUSED static inline char *temporary_file(const void *bytes, size_t length)
{
    g_autoptr(GError) error = NULL;
    char *path = NULL;
    int fd = g_file_open_tmp("copytrial-XXXXXX", &path, &error);

    g_assert_no_error(error);
    g_close(fd, NULL);
    g_file_set_contents(path, bytes, (gssize)length, &error);
    g_assert_no_error(error);
    return path;
}

/* ---- SMB messages -------------------------------------------------------------------------------------------------------- */

G_GNUC_UNUSED static inline void put_prefix(GByteArray *b, uint32_t length)
{
    put_be(b, length, 4);
}

struct smb2_spec {
    uint16_t code;
    uint32_t status;
    uint32_t flags; /* 1 response, 2 async, 8 signed */
    uint32_t next;
    uint64_t id;
};

G_GNUC_UNUSED static inline void put_smb2(GByteArray *b, const struct smb2_spec *s)
{
    put_be(b, 0xfe534d42, 4);
    put_le(b, 64, 2);
    put_le(b, 1, 2);
    put_le(b, s->status, 4);
    put_le(b, s->code, 2);
    put_le(b, 1, 2);
    put_le(b, s->flags, 4);
    put_le(b, s->next, 4);
    put_le(b, s->id, 8);
    put_zeros(b, 32);
}

/* A READ request of `wanted` bytes, [MS-SMB2] 2.2.19. */
G_GNUC_UNUSED static inline void put_smb2_read(GByteArray *b, uint64_t id, uint32_t wanted, uint64_t file)
{
    struct smb2_spec header = {.code = 8, .id = id};

    put_smb2(b, &header);
    put_le(b, 49, 2);
    put_le(b, 0, 2);
    put_le(b, wanted, 4);
    put_le(b, 0, 8);
    put_le(b, file, 8);
    put_le(b, file, 8);
    put_zeros(b, 17);
}

/* Its response with `data` bytes of zeros, 2.2.20. */
G_GNUC_UNUSED static inline void put_smb2_read_response(GByteArray *b, uint64_t id, uint32_t status,
                                                        uint32_t data)
{
    struct smb2_spec header = {.code = 8, .id = id, .status = status, .flags = 1};

    put_smb2(b, &header);
    put_le(b, 17, 2);
    put_le(b, 80, 2);
    put_le(b, data, 4);
    put_zeros(b, 8 + data);
}

struct smb1_spec {
    uint8_t code;
    uint32_t status;
    bool response;
    uint16_t mid;
    uint16_t pid;
};

G_GNUC_UNUSED static inline void put_smb1(GByteArray *b, const struct smb1_spec *s)
{
    put_be(b, 0xff534d42, 4);
    put_u8(b, s->code);
    put_le(b, s->status, 4);
    put_u8(b, s->response ? 0x88 : 0x08);
    put_le(b, 0xc001, 2); /* NT status, Unicode */
    put_zeros(b, 12);
    put_le(b, 1, 2);
    put_le(b, s->pid, 2);
    put_le(b, 1, 2);
    put_le(b, s->mid, 2);
}

#endif
