/* Does a capture show what a claim requires? Present, absent, or can't tell, with the frames that show it.
 *
 *   compression           messages went compressed
 *   negotiated compression  the two ends agreed on it, used or not
 *   signing, encryption, multichannel
 *   dialect = 3.1.1
 *   read block = 60 KiB, write block = 60 KiB   most of the bytes moved in blocks of this size
 *   several requests at once                    more than one exchange was outstanding at a time
 *   server-side copy      the server copied data by itself
 *   window scaling, selective acknowledgements  of TCP
 *
 * "= off" behind those without a value turns the question round. Absence is said only where the capture would have shown the thing: the
 * negotiation is in it, or enough of its bytes were decoded and none of them stayed encrypted. Of several connections those count that moved file
 * data, or all when none did; one that has the thing is enough.
 *
 * Errors: COPYTRIAL_ERROR_INPUT: the text asks for something else; it names the nearest that is known. */
#ifndef CLI_VERDICT_MECHANISM_H
#define CLI_VERDICT_MECHANISM_H

#include "cli/verdict_capture.h"
#include "report/claim_evidence.h"

/* Fills `found` but for `what`. */
bool verdict_mechanism_find(const struct verdict_capture *v, const char *path, const char *required,
                            struct claim_finding *found, GError **error);

#endif
