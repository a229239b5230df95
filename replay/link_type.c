#include "replay/link_type.h"

enum frame_link link_type_of(uint16_t number)
{
    switch (number) {
    case 1:
        return FRAME_LINK_ETHERNET;
    case 113:
        return FRAME_LINK_SLL;
    case 276:
        return FRAME_LINK_SLL2;
    case 12: /* OpenBSD's files have its own DLT_RAW, 14, or that of all others */
    case 14:
    case 101:
    case 228: /* IPv4 alone */
    case 229: /* IPv6 alone */
        return FRAME_LINK_RAW;
    case 0:
    case 108: /* LOOP: the family in network order */
        return FRAME_LINK_NULL;
    default:
        return FRAME_LINK_UNSUPPORTED;
    }
}
