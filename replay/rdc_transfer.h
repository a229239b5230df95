/* What RDC moves to turn an old version of a file into a new one, [MS-RDC] 3.1.5.3 and 3.1.5.5.
 *
 * The receiver has the old file, the sender the new one, and each makes signature files of its own: level 1 is of the file, level 2 of
 * level 1's signature file, and so on. The new file's signatures of the highest level travel whole. Of each level below, down to the
 * file itself (level 0), only the chunks travel whose signatures the receiver doesn't find among its own; the rest it has.
 *
 * Each level's signature file is really put together from its pieces before the next level is read from it. Views `before` and `after`
 * aren't needed once it is made. Memory is that of the signature files (about 1 % of the files) and of the pieces. Files may have up to
 * RDC_FILE_MOST bytes. */
#ifndef REPLAY_RDC_TRANSFER_H
#define REPLAY_RDC_TRANSFER_H

#include "replay/rdc_signature.h"

#include <stdbool.h>

/* [MS-RDC] 3.1.5.3.1: levels that any implementation must support. */
enum { RDC_LEVELS_MOST = 8 };
#define RDC_FILE_MOST (UINT64_C(128) << 30)

/* Neighbouring bytes that come from one place. */
struct rdc_piece {
    uint64_t offset, length; /* in the new file of that level */
    bool travels;            /* from the sender; else the receiver has it */
    uint64_t old_offset;     /* where the receiver has it */
};

struct rdc_level {
    uint64_t bytes;       /* of the new file of that level */
    uint64_t moved_bytes; /* of them travel */
    guint chunks;         /* that it is cut into; 0 at the highest level, which isn't cut */
    guint moved_pieces;   /* stretches that travel */
    GArray *pieces;       /* of struct rdc_piece, in order; at the highest level one that travels */
};

struct rdc_transfer {
    guint depth;                                  /* signature levels */
    struct rdc_level levels[RDC_LEVELS_MOST + 1]; /* 0 is the file */
};

struct rdc_versions {
    const uint8_t *before, *after;
    size_t before_bytes, after_bytes;
};

/* A depth that suits: a further level as long as the signature file above is larger than 64 KiB. `files` cuts level 0, `signatures` the
 * levels above. */
guint rdc_transfer_depth(const struct rdc_filter *files, const struct rdc_filter *signatures,
                         uint64_t file_bytes);
/* `depth` from 1 to RDC_LEVELS_MOST. Free with rdc_transfer_free(). */
struct rdc_transfer *rdc_transfer_new(const struct rdc_filter *files, const struct rdc_filter *signatures,
                                      guint depth, const struct rdc_versions *v);
void rdc_transfer_free(struct rdc_transfer *t);
/* Bytes of all levels that travel. */
uint64_t rdc_transfer_bytes(const struct rdc_transfer *t);

/* The two ends, while a level's new file is put together. */
struct rdc_ends {
    const uint8_t *before; /* the receiver's old file of that level */
    size_t before_bytes;
    /* The sender's bytes: a view, or NULL when they aren't there. */
    const uint8_t *(*fetch)(void *self, uint64_t offset, uint64_t length);
    void (*put)(void *self, const uint8_t *bytes, size_t length); /* the new file, in order; views */
    void *self;
};

/* Puts a level's new file together, piece by piece. False when a piece isn't there. */
bool rdc_transfer_rebuild(const struct rdc_level *level, const struct rdc_ends *ends);

#endif
