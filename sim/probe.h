/* What a run shows of its traffic to whoever looks: each message as it is written and each packet at both ends.
 *
 * An observer follows the streams by these calls alone: a message is shown before the first packet that holds a byte of it,
 * and the calls come in the order of time. Without a probe a run makes none of them. The pointers are borrowed for the
 * length of the call. */
#ifndef SIM_PROBE_H
#define SIM_PROBE_H

#include "sim/packet.h"
#include "sim/workload.h"

#include <stdbool.h>
#include <stdint.h>

/* A packet leaves a host before the link may drop it, and reaches the other one only if the link did not. */
enum sim_place {
    SIM_CLIENT_SENDS,
    SIM_SERVER_RECEIVES,
    SIM_SERVER_SENDS,
    SIM_CLIENT_RECEIVES,
};

struct sim_message {
    uint16_t connection; /* index in the setup */
    bool response;
    uint64_t number; /* the exchange's own on its connection: its request and its response have the same */
    uint64_t start;  /* stream offset of its first byte */
    const struct exchange *exchange;
};

struct sim_probe {
    void (*on_message)(void *self, const struct sim_message *m);
    void (*on_packet)(void *self, enum sim_place place, int64_t now_ns, const struct packet *p);
    /* Once, when nothing follows: the copy is through, or has failed. */
    void (*on_end)(void *self, int64_t now_ns, bool failed);
    void *self;
};

#endif
