/* dd of GNU, BusyBox and BSD: one run a line of bytes and seconds.
 *
 * Figures: bytes, seconds, rate (bytes over seconds, because the printed one counts by 1000 in one dd and by 1024 in the other),
 * printed_rate. */
#include "report/evidence_reader.h"

#include <string.h>

bool evidence_dd_recognise(const struct text_input *in)
{
    return evidence_matches(in, 1000,
                            "^\\s*[0-9]+ bytes( \\([^)]*\\))* (copied|transferred)(, | in )[0-9.e+-]+ s");
}

/* Decimal where there is a blank before the unit (GNU), binary where there is none (BusyBox), plain bytes in BSD. */
static void add_printed_rate(struct evidence *e, const GMatchInfo *match, int line)
{
    static const char prefixes[] = "kmgt";
    g_autofree char *blank = g_match_info_fetch(match, 4), *prefix = g_match_info_fetch(match, 5);
    double step = *blank ? 1000 : 1024, factor = 1;
    const char *at = prefix && *prefix ? strchr(prefixes, g_ascii_tolower(*prefix)) : NULL;
    struct number rate;

    if (!evidence_group(match, 3, &rate))
        return; /* it isn't used, and "Infinity B/s" is what some print for an empty copy */
    for (; at && at >= prefixes; at--)
        factor *= step;
    evidence_add_figure(e, "printed_rate", "B/s", rate.value * factor, rate.half_step * factor, line);
}

static bool read_line(const struct text_input *in, const GRegex *copied, const struct text_line *line,
                      struct evidence *e, GError **error)
{
    g_autoptr(GMatchInfo) match = NULL;
    struct number bytes, seconds;

    if (!g_regex_match(copied, line->text, 0, &match)) {
        if (g_ascii_isdigit(*text_input_skip_blanks(line->text)) && strstr(line->text, " bytes") &&
            strstr(line->text, " copied"))
            return text_input_fail(in, line->number, error, "should be a result of dd, and can't be read");
        return true;
    }
    if (!evidence_group(match, 1, &bytes) || !evidence_group(match, 2, &seconds))
        return text_input_fail(in, line->number, error, "the bytes and seconds of dd can't be read");
    evidence_add_run(e, EVIDENCE_RUN, NULL, line->number);
    evidence_add_figure(e, "bytes", "B", bytes.value, 0, line->number);
    evidence_add_number(e, "seconds", "s", seconds, line->number);
    add_printed_rate(e, match, line->number);
    if (bytes.value <= 0)
        evidence_set_failed(e, "copied nothing");
    else if (seconds.value <= 0)
        evidence_set_failed(e, "took less than its clock can show");
    else
        evidence_add_figure(e, "rate", "B/s", bytes.value / seconds.value,
                            bytes.value / seconds.value * MIN(1, seconds.half_step / seconds.value),
                            line->number);
    return true;
}

bool evidence_dd_read(const struct text_input *in, struct evidence *e, GError **error)
{
    g_autoptr(GRegex) copied =
        evidence_pattern("^\\s*([0-9]+) bytes(?: \\([^)]*\\))* (?:copied|transferred)(?:, | in "
                         ")([0-9.,e+-]+) s(?:ec(?:ond)?s?)?(?:, | \\()"
                         "([0-9.]*)( ?)([kMGT]?)i?B(?:ytes)?/s");
    bool ok = true;

    for (guint i = 0; ok && i < text_input_count(in); i++)
        ok = read_line(in, copied, text_input_line(in, i), e, error);
    if (ok && evidence_count(e) == 0)
        return text_input_fail(in, 0, error, "holds no result of dd");
    return ok;
}
