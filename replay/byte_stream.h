/* The rest of a window as a stdio stream, for libraries that read from a FILE. The window has to outlive the stream; fclose() leaves it
 * open. NULL with errno where the C library can't make such streams. */
#ifndef REPLAY_BYTE_STREAM_H
#define REPLAY_BYTE_STREAM_H

#include "replay/byte_window.h"

#include <stdio.h>

FILE *byte_stream_open(struct byte_window *window);

#endif
