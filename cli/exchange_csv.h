/* replay's --csv: the exchanges of a capture, a row each, written while it is read. RFC 4180: CRLF, and quotes where a field needs them.
 *
 * Rows come in the order in which exchanges end. What isn't known is an empty field. */
#ifndef CLI_EXCHANGE_CSV_H
#define CLI_EXCHANGE_CSV_H

#include "base/outfile.h"
#include "replay/facts.h"

struct exchange_csv {
    struct outfile *file; /* NULL: closed */
    GString *row;
    GError *error; /* the first that writing met */
};

/* False with an error when the file can't be made. */
bool exchange_csv_open(struct exchange_csv *c, const char *path, GError **error);
void exchange_csv_row(struct exchange_csv *c, const struct replay_connection *connection,
                      const struct replay_exchange *x, const char *file);
/* Puts the file under its name. */
bool exchange_csv_commit(struct exchange_csv *c, GError **error);
/* Nothing stands under the name when it wasn't committed. */
void exchange_csv_clear(struct exchange_csv *c);

#endif
