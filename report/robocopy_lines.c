#include "report/robocopy_lines.h"
#include "report/text_input.h"

#include <glib.h>
#include <string.h>

enum { TIME_COLUMNS = 4 };

/* What stands behind "label :", or NULL. The separator is "=" or a colon; no-break spaces may stand before it. */
static const char *behind_label(const char *text)
{
    const char *p = text_input_skip_blanks(text);
    const char *separator = p;

    while (*separator && *separator != ':' && *separator != '=' && !g_ascii_isdigit(*separator) &&
           *separator != '\\' && *separator != '/')
        separator++;
    if (separator == p || (*separator != ':' && *separator != '='))
        return NULL;
    return text_input_skip_blanks(separator + 1);
}

static bool at_end_of_token(const char *p)
{
    return *p == '\0' || g_ascii_isspace(*p);
}

/* "4321", "2.032 t", "19.8 m". The decimal mark of a size with a suffix is "." in every language, and such a size isn't
 * grouped; a mark without a suffix groups. */
static const char *take_amount(const char *p, struct number *n)
{
    static const char suffixes[] = "kmgt";
    size_t length = strspn(p, "0123456789.,");
    const char *after = p + length, *suffix;

    if (*after == ' ' && after[1] && (suffix = strchr(suffixes, g_ascii_tolower(after[1]))) &&
        at_end_of_token(after + 2)) {
        double factor = 1024;

        for (; suffix > suffixes; suffix--)
            factor *= 1024;
        if (memchr(p, ',', length) || !number_marked(p, length, '.', n))
            return NULL;
        n->value *= factor;
        n->half_step *= factor;
        return after + 2;
    }
    if (length == 0 || !at_end_of_token(after) || !number_whole(p, length, n))
        return NULL;
    n->half_step = 0; /* a count is exact */
    return after;
}

static bool read_values(const char *p, struct robocopy_figures *f)
{
    for (int i = 0; i < ROBOCOPY_COLUMNS; i++) {
        p = take_amount(text_input_skip_blanks(p), &f->values[i]);
        if (!p)
            return false;
    }
    return text_input_is_blank(p);
}

/* "15:11:31" in whole seconds, or "0:16.914" of the Resource Kit's versions. */
static const char *take_time(const char *p, struct number *n)
{
    double parts[3], milliseconds;
    int count = 0;

    for (;;) {
        size_t length = strspn(p, "0123456789");

        if (length == 0 || length > 6 || count == 3)
            return NULL;
        parts[count++] = (double)g_ascii_strtoull(p, NULL, 10);
        p += length;
        if (*p != ':')
            break;
        p++;
    }
    if (count == 3 && at_end_of_token(p)) {
        *n = (struct number){(parts[0] * 60 + parts[1]) * 60 + parts[2], 0.5};
        return p;
    }
    if (count != 2 || *p != '.' || strspn(p + 1, "0123456789") != 3 || !at_end_of_token(p + 4))
        return NULL;
    milliseconds = (double)g_ascii_strtoull(p + 1, NULL, 10);
    *n = (struct number){parts[0] * 60 + parts[1] + milliseconds / 1000, 0.0005};
    return p + 4;
}

static bool read_times(const char *p, struct robocopy_figures *f)
{
    static const int columns[TIME_COLUMNS] = {0, 1, 4, 5};

    for (int i = 0; i < TIME_COLUMNS; i++) {
        p = take_time(text_input_skip_blanks(p), &f->values[columns[i]]);
        if (!p)
            return false;
    }
    return text_input_is_blank(p);
}

enum robocopy_line robocopy_read_row(const char *text, bool inside, struct robocopy_figures *f)
{
    const char *rest = behind_label(text);

    if (!rest)
        return inside && !text_input_is_blank(text) ? ROBOCOPY_UNREADABLE : ROBOCOPY_OTHER;
    if (read_values(rest, f))
        return ROBOCOPY_VALUES;
    if (read_times(rest, f))
        return ROBOCOPY_TIMES;
    return inside ? ROBOCOPY_UNREADABLE : ROBOCOPY_OTHER;
}

/* "min" in the languages that write it so, and the character for minute. */
static bool is_per_minute(const char *unit)
{
    g_autofree char *small = g_ascii_strdown(unit, -1);

    return strstr(small, "/min") || strstr(unit, "/\xe5\x88\x86");
}

static bool is_per_second(const char *unit)
{
    return strstr(unit, "/s") || strstr(unit, "/S") || strstr(unit, "/\xe7\xa7\x92");
}

enum robocopy_line robocopy_read_speed(const char *text, bool second, struct number *n)
{
    const char *rest = behind_label(text), *unit;
    bool minute;
    size_t length;

    if (!rest || !g_ascii_isdigit(*rest) || !strchr(rest, '/'))
        return ROBOCOPY_OTHER;
    length = number_length(rest);
    unit = rest + length;
    minute = is_per_minute(unit) || (second && !is_per_second(unit));
    if (!g_ascii_isspace(*unit) ||
        !(minute ? number_decimals(rest, length, 3, n) : number_whole(rest, length, n)))
        return ROBOCOPY_UNREADABLE;
    return minute ? ROBOCOPY_SPEED_PER_MINUTE : ROBOCOPY_SPEED;
}

const char *robocopy_language(const char *banner)
{
    static const struct {
        const char *words, *name;
    } LANGUAGES[] = {
        {"Robust File Copy", "en"},
        {"Robustes Dateikopieren", "de"},
        {"Copie de fichiers robuste", "fr"},
        {"Herramienta para copia eficaz", "es"},
        {"Copia di file efficace", "it"},
        {"\xe5\xa0\x85\xe7\x89\xa2\xe6\x80\xa7", "ja"},             /* robustness, in kanji */
        {"\xe5\x8f\xaf\xe9\x9d\xa0\xe6\x96\x87\xe4\xbb\xb6", "zh"}, /* reliable file */
    };

    for (guint i = 0; i < G_N_ELEMENTS(LANGUAGES); i++) {
        if (strstr(banner, LANGUAGES[i].words))
            return LANGUAGES[i].name;
    }
    return "";
}
