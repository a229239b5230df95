/* The link types that are read, by the numbers that capture files have for them (LINKTYPE_ values of tcpdump.org). */
#ifndef REPLAY_LINK_TYPE_H
#define REPLAY_LINK_TYPE_H

#include "replay/frame.h"

enum frame_link link_type_of(uint16_t number);

#endif
