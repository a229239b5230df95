/* The files that a connection's exchanges serve, with bytes and seconds: a row a name.
 *
 * A name that is opened again adds to its row. An open whose CREATE the capture doesn't hold has a row of its own without a name. Exchanges
 * are counted when they are over, in the order of their responses. At most FILES_MAX rows; what belongs to no row is summed up in a
 * last one, `others`.
 *
 * round_trips is the length of the longest chain of exchanges of the file of which each was sent after the one before was
 * answered (earliest end first, which is the greedy solution of interval scheduling and optimal).
 *
 * All zeroes is empty. Cost: a look-up an open, a few additions an exchange. */
#ifndef REPLAY_FILES_H
#define REPLAY_FILES_H

#include "replay/facts.h"
#include "replay/smb.h"

enum { FILES_MAX = 4096, FILES_OTHERS = UINT16_MAX };

struct file_state {
    int64_t free_at_ns; /* when the row's current round trip ended */
    int64_t end;        /* of the file, as the open said or as it was written since; -1: not known */
};

struct files {
    GArray *rows;        /* of struct replay_file, without `others` */
    GArray *states;      /* of struct file_state, beside the rows */
    GHashTable *by_name; /* to the row; the names are the rows' */
    struct replay_file others;
    struct file_state others_state;
};

/* What one exchange did to a file. */
struct file_use {
    int64_t request_ns, response_ns; /* -1: no response */
    uint64_t read, written;
    uint64_t end; /* the file reaches at least as far as this, for its offset and length; 0: not known */
    bool opened;
};

void files_fini(struct files *f);
/* The row of a name, from 1 on, added when it is new; FILES_OTHERS when there is no more room. `name` may be NULL: a new row without one. */
uint16_t files_row(struct files *f, const char *name);
/* What a response said of the file's size and kind. */
void files_note_size(struct files *f, uint16_t row, uint64_t size, bool directory);
/* Where the file ends; -1: not known, for how far it was read doesn't say. */
int64_t files_size(const struct files *f, uint16_t row);
void files_use(struct files *f, uint16_t row, const struct file_use *use);
/* Counts without names, to go on from. `to` is empty. */
void files_copy(const struct files *from, struct files *to);
/* Name, size and kind of a row are those of another table's. */
void files_describe(struct files *f, uint16_t row, const struct files *other, uint16_t other_row);
/* Returns owned: GArray of struct replay_file (clear function set). `read` and `written` are the connection's: what the rows lack
 * of them goes to `others`. */
GArray *files_facts(struct files *f, uint64_t read, uint64_t written);

#endif
