#include "report/number_text.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* Longer "numbers" are not ones, and the digits are copied into a buffer of this size. */
enum { LONGEST = 80 };

/* A number taken apart: digits without marks, and where the marks stood. */
struct parts {
    char sign;
    char digits[LONGEST];
    size_t count;
    struct mark {
        char mark;     /* '.', ',', '\'' or ' ' for each kind of blank */
        size_t before; /* digits before it */
    } marks[LONGEST];
    size_t mark_count;
    char exponent[8]; /* "e-05", or empty */
};

/* Bytes of the mark at `p`, 0 when there is none. */
static size_t mark_at(const char *p, const char *end, char *mark)
{
    static const char *const blanks[] = {" ", "\xc2\xa0", "\xe2\x80\xaf"};

    if (p < end && (*p == '.' || *p == ',' || *p == '\'')) {
        *mark = *p;
        return 1;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(blanks); i++) {
        size_t length = strlen(blanks[i]);

        if ((size_t)(end - p) >= length && memcmp(p, blanks[i], length) == 0) {
            *mark = ' ';
            return length;
        }
    }
    return 0;
}

static void trim(const char **text, const char **end)
{
    char mark;

    while (*text < *end && g_ascii_isspace(**text))
        (*text)++;
    while (*text < *end && mark_at(*text, *end, &mark) > 1)
        *text += mark_at(*text, *end, &mark);
    while (*end > *text && g_ascii_isspace((*end)[-1]))
        (*end)--;
}

static bool take_exponent(const char *p, const char *end, struct parts *parts)
{
    size_t length = (size_t)(end - p), i = 1;

    if (length == 0)
        return true;
    if ((*p != 'e' && *p != 'E') || length >= sizeof parts->exponent)
        return false;
    if (i < length && (p[i] == '+' || p[i] == '-'))
        i++;
    if (i == length)
        return false;
    for (size_t j = i; j < length; j++) {
        if (!g_ascii_isdigit(p[j]))
            return false;
    }
    memcpy(parts->exponent, p, length);
    parts->exponent[length] = '\0';
    return true;
}

static bool take_apart(const char *text, size_t length, struct parts *parts)
{
    const char *p = text, *end = text + length;

    parts->sign = '\0';
    parts->count = parts->mark_count = 0;
    parts->exponent[0] = '\0';
    trim(&p, &end);
    if (p < end && (*p == '-' || *p == '+'))
        parts->sign = *p++;
    while (p < end) {
        char mark;
        size_t skip;

        if (g_ascii_isdigit(*p)) {
            if (parts->count + 1 >= LONGEST)
                return false;
            parts->digits[parts->count++] = *p++;
            continue;
        }
        skip = mark_at(p, end, &mark);
        if (skip == 0 || p + skip == end || !g_ascii_isdigit(p[skip]) || parts->mark_count == LONGEST)
            break;
        parts->marks[parts->mark_count++] = (struct mark){mark, parts->count};
        p += skip;
    }
    parts->digits[parts->count] = '\0';
    return parts->count > 0 && take_exponent(p, end, parts);
}

/* The first `marks` marks are all of one kind and part the first `digits` digits into groups of three. */
static bool is_grouped(const struct parts *parts, size_t marks, size_t digits)
{
    for (size_t i = 0; i < marks; i++) {
        size_t next = i + 1 < marks ? parts->marks[i + 1].before : digits;

        if (parts->marks[i].mark != parts->marks[0].mark || next - parts->marks[i].before != 3)
            return false;
    }
    return marks == 0 ||
           (parts->marks[0].before >= 1 && parts->marks[0].before <= 3 && parts->digits[0] != '0');
}

/* Both are exact as doubles, so one division is as right as reading the text would be. */
static bool is_short(const struct parts *parts)
{
    return !*parts->exponent && parts->count <= 15;
}

static void put_together_short(const struct parts *parts, size_t decimals, struct number *n)
{
    static const double POWERS[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    double whole = 0;

    for (size_t i = 0; i < parts->count; i++)
        whole = 10 * whole + (parts->digits[i] - '0');
    n->value = whole / POWERS[decimals] * (parts->sign == '-' ? -1 : 1);
    n->half_step = 0.5 / POWERS[decimals];
}

static bool put_together(const struct parts *parts, size_t decimals, struct number *n)
{
    char text[LONGEST + 16], step[32];

    if (is_short(parts)) {
        put_together_short(parts, decimals, n);
        return true;
    }
    g_snprintf(text, sizeof text, "%.*s.%s%s", (int)(parts->count - decimals), parts->digits,
               parts->digits + parts->count - decimals, parts->exponent);
    g_snprintf(step, sizeof step, "0.5%s", *parts->exponent ? parts->exponent : "e0");
    n->value = g_ascii_strtod(text, NULL) * (parts->sign == '-' ? -1 : 1);
    n->half_step = g_ascii_strtod(step, NULL) / pow(10, (double)decimals);
    return isfinite(n->value) && isfinite(n->half_step);
}

bool number_whole(const char *text, size_t length, struct number *n)
{
    struct parts parts;

    return take_apart(text, length, &parts) && !*parts.exponent &&
           is_grouped(&parts, parts.mark_count, parts.count) && put_together(&parts, 0, n);
}

bool number_marked(const char *text, size_t length, char mark, struct number *n)
{
    struct parts parts;
    size_t last;

    if (length > 1 && text[0] == mark && g_ascii_isdigit(text[1])) { /* ".5" */
        g_autofree char *whole = g_strdup_printf("0%.*s", (int)MIN(length, LONGEST), text);

        return length <= LONGEST && number_marked(whole, length + 1, mark, n);
    }
    if (!take_apart(text, length, &parts))
        return false;
    last = parts.mark_count;
    if (last > 0 && parts.marks[last - 1].mark == mark) {
        size_t whole = parts.marks[last - 1].before;

        return is_grouped(&parts, last - 1, whole) && (last == 1 || parts.marks[0].mark != mark) &&
               put_together(&parts, parts.count - whole, n);
    }
    return is_grouped(&parts, last, parts.count) && put_together(&parts, 0, n);
}

bool number_decimals(const char *text, size_t length, int decimals, struct number *n)
{
    struct parts parts;
    size_t last, whole;

    if (!take_apart(text, length, &parts) || parts.mark_count == 0 || *parts.exponent)
        return false;
    last = parts.mark_count - 1;
    whole = parts.marks[last].before;
    return strchr(".,", parts.marks[last].mark) && parts.count - whole == (size_t)decimals &&
           is_grouped(&parts, last, whole) && (last == 0 || parts.marks[0].mark != parts.marks[last].mark) &&
           put_together(&parts, (size_t)decimals, n);
}

enum number_status number_free(const char *text, size_t length, struct number *n)
{
    struct parts parts;
    bool point, comma;

    if (!take_apart(text, length, &parts))
        return NUMBER_NONE;
    if (parts.mark_count == 1 && strchr(".,", parts.marks[0].mark) && !*parts.exponent &&
        is_grouped(&parts, 1, parts.count) && parts.digits[0] != '0')
        return NUMBER_AMBIGUOUS;
    point = number_marked(text, length, '.', n);
    comma = !point && number_marked(text, length, ',', n);
    return point || comma ? NUMBER_OK : NUMBER_NONE;
}

/* A blank parts groups only where exactly three digits follow; otherwise it ends the number. */
static bool is_group(const char *p)
{
    return g_ascii_isdigit(p[0]) && g_ascii_isdigit(p[1]) && g_ascii_isdigit(p[2]) && !g_ascii_isdigit(p[3]);
}

size_t number_length(const char *text)
{
    const char *p = text, *end = text + strlen(text);

    while (g_ascii_isdigit(*p)) {
        char mark = 0;
        size_t skip;

        while (g_ascii_isdigit(*p))
            p++;
        skip = mark_at(p, end, &mark);
        if (skip == 0 || !g_ascii_isdigit(p[skip]) || (mark == ' ' && !is_group(p + skip)))
            break;
        p += skip;
    }
    return (size_t)(p - text);
}
