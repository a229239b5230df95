/* One or several captures as one sequence of frames in time order.
 *
 * Several files are merged by time, frame by frame (ties: in the order given), so that the pieces of a ring-buffer
 * capture make one. Frames of one file keep their order even where its clock runs back. Frames are numbered from 1 through
 * all files, and their times are relative to the first.
 *
 * Of many files only those are open that overlap in time: each is opened once to see when it begins, and again when its turn comes.
 * Pipes stay open.
 *
 * Ownership and views as in capture.h. Cost: a comparison a frame; a look at every file where the turn passes from one to
 * another. */
#ifndef REPLAY_CAPTURE_SET_H
#define REPLAY_CAPTURE_SET_H

#include "replay/capture.h"

struct set_frame {
    uint64_t number;
    int64_t time_ns;
    const uint8_t *bytes;
    uint32_t captured, wire;
    enum frame_link link;
    enum frame_heading heading;
};

struct capture_set;

/* `paths` is NULL-terminated; "-" may stand once. Returns owned; NULL with the error of the first file that can't be opened. */
struct capture_set *capture_set_open(const char *const *paths, GError **error);
void capture_set_close(struct capture_set *s);
bool capture_set_next(struct capture_set *s, struct set_frame *frame);

/* Bytes of all files that have been read, and how many there are; `of` is 0 when one of them doesn't tell. */
void capture_set_position(const struct capture_set *s, uint64_t *read, uint64_t *of);
/* Wall clock of time 0; 0 before the first frame. */
int64_t capture_set_start_unix_ns(const struct capture_set *s);
/* What the files said beside their frames, once those are read. View, until capture_set_close(). */
const struct capture_facts *capture_set_facts(const struct capture_set *s);

#endif
