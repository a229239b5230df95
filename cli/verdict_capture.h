/* A capture as evidence for a claim: what replay reads of it, and the frames that show things. */
#ifndef CLI_VERDICT_CAPTURE_H
#define CLI_VERDICT_CAPTURE_H

#include "replay/analysis.h"
#include "report/evidence.h"

/* The first frames of a connection that show something; 0: none. */
struct verdict_frames {
    uint64_t negotiate;       /* the last answer to NEGOTIATE that succeeded */
    GHashTable *read, *write; /* from a block's size to the frame in which the first such block ended */
};

struct verdict_capture {
    struct replay *replay;
    GHashTable *frames; /* from "client server" to struct verdict_frames */
};

/* Returns owned, or NULL with an error that names the file. */
struct verdict_capture *verdict_capture_read(const char *path, GError **error);
void verdict_capture_free(struct verdict_capture *v);
/* View; never NULL. */
const struct verdict_frames *verdict_capture_frames(const struct verdict_capture *v,
                                                    const struct replay_connection *c);

/* One run: "seconds", "bytes", "rate", and the parts of the time where enough was decoded; the ledger as facts. */
void verdict_capture_evidence(const struct verdict_capture *v, struct evidence *e);

#endif
