#include "cli/report_file.h"
#include "base/error.h"

#include <stdio.h>

bool report_file_format(const char *option, const char *path, enum draw_format *format, GError **error)
{
    static const struct {
        const char *suffix;
        enum draw_format format;
    } FORMATS[] = {{".pdf", DRAW_PDF}, {".png", DRAW_PNG}, {".svg", DRAW_SVG}};

    for (guint i = 0; i < G_N_ELEMENTS(FORMATS); i++) {
        if (g_str_has_suffix(path, FORMATS[i].suffix)) {
            *format = FORMATS[i].format;
            return true;
        }
    }
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                "%s %s: a report's name ends in .pdf, .png or .svg", option, path);
    return false;
}

bool report_file_epoch(struct report_options *options, GError **error)
{
    const char *text = g_getenv("SOURCE_DATE_EPOCH");
    guint64 epoch;

    if (!text || !*text)
        return true;
    if (!g_ascii_string_to_unsigned(text, 10, 0, G_GINT64_CONSTANT(253402300799), &epoch, NULL)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                    "SOURCE_DATE_EPOCH is \"%s\", and should be seconds since 1970", text);
        return false;
    }
    options->has_epoch = true;
    options->epoch = (int64_t)epoch;
    return true;
}

void report_file_warn(const char *name, const char *path, const struct report_lack *lack)
{
    if (lack->stand_in)
        fprintf(stderr, "copytrial %s: %s: set in %s, for neither Inter nor DejaVu Sans is installed\n", name,
                path, lack->family);
    if (lack->glyphs > 0)
        fprintf(stderr,
                "copytrial %s: %s: %d characters have no glyph in the installed fonts; they show as boxes\n",
                name, path, lack->glyphs);
}

char *report_file_command_line(int argc, char **argv)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";
    g_autoptr(GString) line = g_string_new("copytrial");

    for (int i = 0; i < argc; i++) {
        bool plain = argv[i][0] && strspn(argv[i], PLAIN) == strlen(argv[i]);
        g_autofree char *quoted = plain ? g_strdup(argv[i]) : g_shell_quote(argv[i]);

        g_string_append_printf(line, " %s", quoted);
    }
    return g_utf8_make_valid(line->str, -1);
}
