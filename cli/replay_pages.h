/* A replayed capture as pages: what `copytrial replay --pdf` writes. Turns the outcome's structs into the plain texts, tables
 * and charts that report/build_capture.h takes; the replay must have been read with its timeline. */
#ifndef CLI_REPLAY_PAGES_H
#define CLI_REPLAY_PAGES_H

#include "cli/replay_outcome.h"
#include "cli/report_file.h"

/* What the pages show. Returns owned. Reads the captures once more, for their sums. */
struct capture_pages *replay_pages_new(const struct replay_outcome *o, const char *command_line);
/* Writes the file and warns about fonts. */
bool replay_pages_write(const struct replay_outcome *o, const char *path, enum draw_format format,
                        const char *command_line, GError **error);

/* ---- between the files of this part; texts are returned owned ---- */

void replay_pages_charts(const struct replay_outcome *o, struct capture_pages *p);
void replay_pages_tables(const struct replay_outcome *o, struct capture_pages *p);
/* "The same copy on the network X": the subject of a sentence. */
char *replay_pages_predicted(const struct replay_outcome *o);
/* "round trips", "server". Static. */
const char *replay_pages_wait(int kind);
/* A time to so many digits; a dash for what isn't known (below 0). */
char *replay_pages_time(int64_t ns, int digits);
char *replay_pages_size(uint64_t bytes);
/* With its digits in groups. */
char *replay_pages_count(uint64_t count);
/* "1 read", "3 reads": `one` and `many` are the nouns. */
char *replay_pages_counted(uint64_t count, const char *one, const char *many);

#endif
