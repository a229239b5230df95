/* A TCP session written into a capture, segment by segment, for tests. Header only. */
#ifndef TESTS_SESSION_H
#define TESTS_SESSION_H

#include "tests/packets.h"

enum { SESSION_MSS = 1460 };

struct session {
    GByteArray *pcap; /* borrowed */
    int64_t now_ns;
    int64_t gap_ns;  /* from frame to frame */
    uint32_t seq[2]; /* of the client's and the server's next byte */
    uint16_t client_port, server_port;
    uint32_t snap; /* bytes of a frame that are captured; 0: all */
    bool hide[2];  /* frames of that end aren't captured */
};

G_GNUC_UNUSED static inline void session_init(struct session *s, GByteArray *pcap)
{
    *s = (struct session){
        .pcap = pcap, .gap_ns = 1000000, .seq = {1000, 2000}, .client_port = 50000, .server_port = 445};
}

G_GNUC_UNUSED static inline void session_frame(struct session *s, int from, uint8_t flags,
                                               const uint8_t *payload, uint32_t length)
{
    static const uint8_t SYN_OPTIONS[] = {2, 4, 0x05, 0xb4, 1, 3, 3, 7};
    bool syn = flags & FRAME_SYN;
    struct tcp_spec t = {.from_server = from == 1,
                         .client_port = s->client_port,
                         .server_port = s->server_port,
                         .seq = s->seq[from],
                         .ack = flags & FRAME_ACK ? s->seq[!from] : 0,
                         .flags = flags,
                         .options = syn ? SYN_OPTIONS : NULL,
                         .options_length = syn ? sizeof SYN_OPTIONS : 0,
                         .payload = payload,
                         .payload_length = length};

    if (!s->hide[from])
        pcap_add_tcp(s->pcap, s->now_ns, &t, s->snap);
    s->now_ns += s->gap_ns;
    s->seq[from] += length + syn + ((flags & FRAME_FIN) != 0);
}

G_GNUC_UNUSED static inline void session_open(struct session *s)
{
    session_frame(s, 0, FRAME_SYN, NULL, 0);
    session_frame(s, 1, FRAME_SYN | FRAME_ACK, NULL, 0);
    session_frame(s, 0, FRAME_ACK, NULL, 0);
}

G_GNUC_UNUSED static inline void session_close(struct session *s)
{
    session_frame(s, 0, FRAME_FIN | FRAME_ACK, NULL, 0);
    session_frame(s, 1, FRAME_FIN | FRAME_ACK, NULL, 0);
    session_frame(s, 0, FRAME_ACK, NULL, 0);
}

/* Bytes from one end, cut into segments. */
G_GNUC_UNUSED static inline void session_send(struct session *s, int from, const GByteArray *bytes)
{
    for (guint at = 0; at < bytes->len; at += SESSION_MSS)
        session_frame(s, from, FRAME_ACK, bytes->data + at, MIN(bytes->len - at, (guint)SESSION_MSS));
}

/* One message, with its prefix. */
G_GNUC_UNUSED static inline void session_message(struct session *s, int from, const GByteArray *message)
{
    g_autoptr(GByteArray) framed = g_byte_array_new();

    put_prefix(framed, message->len);
    put_array(framed, message);
    session_send(s, from, framed);
}

/* A read of `bytes`: request and response. */
G_GNUC_UNUSED static inline void session_read(struct session *s, uint64_t id, uint32_t bytes)
{
    g_autoptr(GByteArray) request = g_byte_array_new();
    g_autoptr(GByteArray) response = g_byte_array_new();

    put_smb2_read(request, id, bytes, 0x77);
    put_smb2_read_response(response, id, 0, bytes);
    session_message(s, 0, request);
    session_message(s, 1, response);
}

#endif
