#include "replay/frame.h"
#include "replay/frame_layers.h"

#include <string.h>

static void decode_option(uint8_t kind, struct cursor *body, struct frame *out)
{
    enum { MSS = 2, WINDOW_SCALE = 3, SACK_PERMITTED = 4, SACK = 5, TIMESTAMPS = 8 };

    switch (kind) {
    case MSS:
        if (body->left == 2)
            out->mss = cursor_be16(body);
        break;
    case WINDOW_SCALE:
        if (body->left == 1) {
            out->wscale = cursor_u8(body);
            if (out->wscale > 14) /* RFC 7323, 2.3 */
                out->wscale = 14;
        }
        break;
    case SACK_PERMITTED:
        out->sack_permitted = true;
        break;
    case SACK:
        out->sack_blocks = (uint8_t)(body->left / 8);
        break;
    case TIMESTAMPS:
        out->timestamps = body->left == 8;
        out->timestamp = cursor_be32(body);
        break;
    default:
        break;
    }
}

/* Options that are cut or malformed end the list; the segment itself still counts. */
static void decode_options(struct cursor options, struct frame *out)
{
    while (options.left > 0 && !options.failed) {
        uint8_t kind = cursor_u8(&options);
        uint8_t length;
        const uint8_t *body;

        if (kind == 0) /* end of list */
            return;
        if (kind == 1) /* no operation */
            continue;
        length = cursor_u8(&options);
        if (length < 2)
            return;
        body = cursor_bytes(&options, (size_t)length - 2);
        if (body) {
            struct cursor inner = cursor_over(body, (size_t)length - 2);

            decode_option(kind, &inner, out);
        }
    }
}

/* RFC 9293, 3.1. */
static enum frame_outcome decode_tcp(struct frame_packet p, struct frame *out)
{
    struct cursor c = p.rest;
    struct cursor options;
    uint32_t header_bytes;

    out->tcp = c.at;
    out->from.port = cursor_be16(&c);
    out->to.port = cursor_be16(&c);
    out->seq = cursor_be32(&c);
    out->ack = cursor_be32(&c);
    header_bytes = (uint32_t)(cursor_u8(&c) >> 4) * 4;
    out->flags = cursor_u8(&c);
    out->window = cursor_be16(&c);
    cursor_skip(&c, 4);
    if (p.after_headers < 20)
        return FRAME_MALFORMED;
    if (!cursor_ok(&c))
        return FRAME_CUT;
    if (header_bytes < 20 || header_bytes > p.after_headers)
        return FRAME_MALFORMED;
    out->mss = -1;
    out->wscale = -1;
    options = c;
    cursor_limit(&options, header_bytes - 20);
    out->tcp_seen = (uint8_t)(20 + options.left);
    decode_options(options, out);
    out->ip_bytes = p.ip_bytes;
    out->payload_bytes = p.after_headers - header_bytes;
    cursor_skip(&c, header_bytes - 20);
    if (cursor_ok(&c)) {
        out->payload = c.at;
        out->payload_seen = (uint32_t)c.left;
    }
    return FRAME_TCP;
}

enum frame_outcome frame_decode(enum frame_link link, const uint8_t *bytes, size_t captured, size_t wire,
                                struct frame *out)
{
    struct frame_packet p = {.rest = cursor_over(bytes, captured)};
    uint16_t type;

    if (link == FRAME_LINK_UNSUPPORTED)
        return FRAME_UNREAD;
    memset(out, 0, offsetof(struct frame, fragment));
    type = frame_link_header(link, &p.rest, out);
    if (!cursor_ok(&p.rest))
        return FRAME_CUT;
    out->link = bytes;
    out->link_seen = (uint8_t)(captured - p.rest.left);
    wire = wire > captured ? wire : captured;
    p.after_headers = (uint32_t)(wire - out->link_seen);
    for (int tunnels = 0; type != 0 && tunnels <= FRAME_TUNNELS_MAX; tunnels++) {
        enum frame_outcome outcome = frame_ip_header(type, &p, out);

        if (outcome != FRAME_TCP)
            return outcome == FRAME_NOT_IP && tunnels > 0 ? FRAME_NOT_TCP : outcome;
        if (p.protocol == PROTOCOL_TCP)
            return decode_tcp(p, out);
        outcome = frame_tunnel_header(&p, &type);
        if (outcome != FRAME_TCP)
            return outcome;
    }
    return type == 0 ? FRAME_NOT_IP : FRAME_NOT_TCP;
}
