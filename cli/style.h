/* How text for people is laid out: colour or none, and the width that there is. */
#ifndef CLI_STYLE_H
#define CLI_STYLE_H

#include <glib.h>
#include <stdbool.h>

enum style_kind { STYLE_PLAIN, STYLE_HEADING, STYLE_STRONG, STYLE_WARNING, STYLE_FAINT };

struct style {
    bool colour;
    int width; /* columns: the terminal's, 40 to 80; 80 where standard output is none */
};

/* `when` is "auto" (or NULL), "always" or "never"; auto means a terminal, without NO_COLOR in the environment and with a TERM that
 * isn't "dumb". False with a usage error for anything else. */
bool style_init(struct style *s, const char *when, GError **error);
/* The text in its style. */
void style_put(const struct style *s, enum style_kind kind, const char *text, GString *to);
/* Words wrapped at the width, every line indented, those after the first by two more when the text begins with "- ". A word that is
 * wider stands alone. */
void style_wrap(const struct style *s, enum style_kind kind, const char *text, const char *indent,
                GString *to);

#endif
