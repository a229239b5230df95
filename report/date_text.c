#include "report/date_text.h"

#include <string.h>

/* Names of the months, with the letters outside ASCII left out, because those may be damaged: "f?vrier" is "fvrier". Only whole
 * words count: "martes" and "mardi" are days of the week. */
static const char *const MONTHS[12] = {
    " january jan januar janvier enero gennaio janeiro januari ",
    " february feb februar fvrier febrero febbraio fevereiro februari ",
    " march mar mrz mars marzo maro maart ",
    " april apr avril abril aprile ",
    " may mai mayo maggio maio mei ",
    " june jun juni juin junio giugno junho ",
    " july jul juli juillet julio luglio julho ",
    " august aug aot agosto augustus ",
    " september sep septembre septiembre settembre setembro ",
    " october oct oktober octobre octubre ottobre outubro ",
    " november nov novembre noviembre novembro ",
    " december dec dezember dcembre diciembre dicembre dezembro ",
};

struct moment {
    int year, month, day, hour, minute, second;
    int numbers[3]; /* the first numbers of the date */
    int count;
};

/* Where h:mm:ss stands, with the digits that touch its front; its end goes to `end`. */
static const char *find_time(const char *text, const char **end)
{
    for (const char *p = text; *p; p++) {
        const char *q = p;

        if (!g_ascii_isdigit(*p))
            continue;
        while (g_ascii_isdigit(*q))
            q++;
        if (q[0] == ':' && g_ascii_isdigit(q[1]) && g_ascii_isdigit(q[2]) && q[3] == ':' &&
            g_ascii_isdigit(q[4]) && g_ascii_isdigit(q[5]) && !g_ascii_isdigit(q[6])) {
            *end = q + 6;
            return p;
        }
        p = q - 1;
    }
    return NULL;
}

static int two_digits(const char *p)
{
    return (p[0] - '0') * 10 + (p[1] - '0');
}

static void apply_half_of_day(struct moment *m, const char *after)
{
    while (*after == ' ')
        after++;
    if (g_ascii_strncasecmp(after, "PM", 2) == 0 && m->hour < 12)
        m->hour += 12;
    else if (g_ascii_strncasecmp(after, "AM", 2) == 0 && m->hour == 12)
        m->hour = 0;
}

static bool take_time(struct moment *m, const char *at, const char *end)
{
    const char *colon = strchr(at, ':');
    long digits = colon - at;

    if (digits > 4) { /* a year that lost the blank behind it */
        m->year = two_digits(at) * 100 + two_digits(at + 2);
        at += 4;
        digits -= 4;
    }
    if (digits > 2)
        return false;
    m->hour = digits == 2 ? two_digits(at) : *at - '0';
    m->minute = two_digits(colon + 1);
    m->second = two_digits(colon + 4);
    apply_half_of_day(m, end);
    return true;
}

static const char *take_number(struct moment *m, const char *p)
{
    const char *start = p;
    int value = 0;

    while (g_ascii_isdigit(*p)) {
        if (p - start < 5)
            value = value * 10 + (*p - '0');
        p++;
    }
    if (p - start == 4 && m->year == 0)
        m->year = value;
    if (m->count < 3 && p - start <= 4)
        m->numbers[m->count++] = value;
    return p;
}

static const char *take_word(struct moment *m, const char *p, const char *end)
{
    g_autoptr(GString) word = g_string_new(" ");

    for (; p < end && (g_ascii_isalpha(*p) || (*p & 0x80)); p++) {
        if (g_ascii_isalpha(*p))
            g_string_append_c(word, g_ascii_tolower(*p));
    }
    g_string_append_c(word, ' ');
    for (int i = 0; m->month == 0 && word->len > 4 && i < 12; i++) {
        if (strstr(MONTHS[i], word->str))
            m->month = i + 1;
    }
    return p;
}

static void take_date(struct moment *m, const char *p, const char *end)
{
    while (p < end) {
        if (g_ascii_isdigit(*p))
            p = take_number(m, p);
        else if (g_ascii_isalpha(*p) || (*p & 0x80))
            p = take_word(m, p, end);
        else
            p++;
    }
}

/* Which numbers are day, month and year. */
static bool settle(struct moment *m)
{
    if (m->month) {
        for (int i = 0; i < m->count && m->day == 0; i++) {
            if (m->numbers[i] <= 31)
                m->day = m->numbers[i];
        }
        return m->year && m->day;
    }
    if (m->count < 3 || m->numbers[0] < 1000)
        return false;
    m->month = m->numbers[1];
    m->day = m->numbers[2];
    return true;
}

bool date_text_has_time(const char *text)
{
    const char *end;

    return find_time(text, &end) != NULL;
}

bool date_text_parse(const char *text, int64_t *seconds)
{
    struct moment m = {0};
    const char *end, *time = find_time(text, &end);
    g_autoptr(GDateTime) date = NULL;

    if (!time || !take_time(&m, time, end))
        return false;
    take_date(&m, text, time);
    take_date(&m, end, end + strlen(end));
    if (!settle(&m))
        return false;
    date = g_date_time_new_utc(m.year, m.month, m.day, m.hour, m.minute, m.second);
    if (!date)
        return false;
    *seconds = g_date_time_to_unix(date);
    return true;
}

char *date_text_format(int64_t seconds)
{
    g_autoptr(GDateTime) date = g_date_time_new_from_unix_utc(seconds);

    return date ? g_date_time_format(date, "%Y-%m-%dT%H:%M:%S") : g_strdup("beyond the calendar");
}
