/* Names of what commands fail with: NT statuses ([MS-ERREF] 2.3.1) and the DOS errors of old SMB1 ([MS-CIFS] 2.2.2.4). */
#ifndef REPLAY_STATUS_NAME_H
#define REPLAY_STATUS_NAME_H

#include <stdint.h>

/* "STATUS_ACCESS_DENIED"; "0xc0123456" for one without a name here; "DOS 1/2" for a DOS error of that class and code. Returns
 * owned. */
char *status_name(uint32_t status);
/* The display filter for commands that failed so, of SMB1 or SMB2 and later. Returns owned. */
char *status_filter(uint32_t status, unsigned protocol);

#endif
