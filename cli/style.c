#include "cli/style.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_LEAST = 40, WIDTH_MOST = 80 };

static bool wants_colour(void)
{
    const char *term = g_getenv("TERM"), *no_color = g_getenv("NO_COLOR");

    if (no_color && *no_color) /* https://no-color.org: when present and not empty */
        return false;
    return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

static int terminal_width(void)
{
    struct winsize size;

    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return WIDTH_MOST;
    return CLAMP((int)size.ws_col, WIDTH_LEAST, WIDTH_MOST);
}

bool style_init(struct style *s, const char *when, GError **error)
{
    s->width = terminal_width();
    if (!when || strcmp(when, "auto") == 0)
        s->colour = wants_colour();
    else if (strcmp(when, "always") == 0)
        s->colour = true;
    else if (strcmp(when, "never") == 0)
        s->colour = false;
    else {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                    "--color takes auto, always or never, not \"%s\"", when);
        return false;
    }
    return true;
}

static const char *code_of(enum style_kind kind)
{
    switch (kind) {
    case STYLE_HEADING:
        return "\033[1m";
    case STYLE_STRONG:
        return "\033[1;36m";
    case STYLE_WARNING:
        return "\033[33m";
    case STYLE_FAINT:
        return "\033[2m";
    default:
        return NULL;
    }
}

void style_put(const struct style *s, enum style_kind kind, const char *text, GString *to)
{
    const char *code = s->colour ? code_of(kind) : NULL;

    if (code)
        g_string_append(to, code);
    g_string_append(to, text);
    if (code)
        g_string_append(to, "\033[0m");
}

void style_wrap(const struct style *s, enum style_kind kind, const char *text, const char *indent,
                GString *to)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    g_autoptr(GString) line = g_string_new(NULL);
    glong room = s->width - (glong)strlen(indent), hang = g_str_has_prefix(text, "- ") ? 2 : 0;

    for (char **w = words; *w; w++) {
        glong column = g_utf8_strlen(line->str, -1);

        if (column > hang && column + 1 + g_utf8_strlen(*w, -1) > room) {
            g_string_append(to, indent);
            style_put(s, kind, line->str, to);
            g_string_append_c(to, '\n');
            g_string_assign(line, hang ? "  " : "");
        } else if (w != words) {
            g_string_append_c(line, ' ');
        }
        g_string_append(line, *w);
    }
    g_string_append(to, indent);
    style_put(s, kind, line->str, to);
    g_string_append_c(to, '\n');
}
