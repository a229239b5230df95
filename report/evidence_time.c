/* What the shells' time, GNU time and PowerShell's Measure-Command print: one run a wall time ("seconds"). */
#include "report/evidence_reader.h"

#include <math.h>
#include <string.h>

/* bash; time -p; GNU time; GNU time -v. */
static const char *const SHAPES[] = {
    "^\\s*real\\s+([0-9]+m[0-9]+[.,][0-9]+s)\\s*$",
    "^\\s*real\\s+([0-9]+[.,][0-9]+)\\s*$",
    "system\\s+([0-9:.]+)elapsed\\s",
    "^\\s*Elapsed \\(wall clock\\) time.*: ([0-9:.]+)\\s*$",
};

enum { SHAPE_COUNT = G_N_ELEMENTS(SHAPES) };

static const char TICKS[] = "^\\s*Ticks\\s*:\\s*([0-9]+)\\s*$";
static const char TOTAL_SECONDS[] = "^\\s*TotalSeconds\\s*:\\s*([0-9.,E+-]+)\\s*$";
static const double TICK_S = 1e-7;

bool evidence_time_recognise(const struct text_input *in)
{
    for (guint i = 0; i < SHAPE_COUNT; i++) {
        if (evidence_sums_up(in, SHAPES[i]))
            return true;
    }
    return evidence_sums_up(in, TICKS) && evidence_sums_up(in, TOTAL_SECONDS);
}

/* "0m0.051s", "0,05", "0:00.05", "1:02:03": parts by 60, the last with decimals. */
static bool read_time(const char *text, struct number *seconds)
{
    g_autofree char *bare = g_strdelimit(g_strdup(text), "m", ':');
    g_auto(GStrv) parts = g_strsplit(bare, ":", -1);

    *seconds = (struct number){0, 0};
    for (guint i = 0; parts[i]; i++) {
        char mark = strchr(parts[i], ',') ? ',' : '.';
        size_t length = strcspn(parts[i], "s");
        struct number n;

        if (!number_marked(parts[i], length, mark, &n))
            return false;
        *seconds = (struct number){seconds->value * 60 + n.value, n.half_step};
    }
    return true;
}

static bool take_time(const struct text_input *in, const struct text_line *line, const GMatchInfo *match,
                      struct evidence *e, GError **error)
{
    g_autofree char *text = g_match_info_fetch(match, 1);
    struct number seconds;

    if (!read_time(text, &seconds))
        return text_input_fail(in, line->number, error, "\"%s\" is no time", text);
    evidence_add_run(e, EVIDENCE_RUN, NULL, line->number);
    evidence_add_number(e, "seconds", "s", seconds, line->number);
    return true;
}

/* Ticks are whole and the same in every language; TotalSeconds of the same block must agree with them. */
static bool take_ticks(const struct text_input *in, const struct text_line *line, const GMatchInfo *match,
                       struct evidence *e, GError **error)
{
    struct number ticks;

    if (!evidence_group(match, 1, &ticks))
        return text_input_fail(in, line->number, error, "the ticks can't be read");
    evidence_add_run(e, EVIDENCE_RUN, NULL, line->number);
    evidence_add_figure(e, "seconds", "s", ticks.value * TICK_S, TICK_S / 2, line->number);
    return true;
}

static bool check_total(const struct text_input *in, const struct text_line *line, const GMatchInfo *match,
                        struct evidence *e, GError **error)
{
    const struct evidence_figure *seconds =
        evidence_count(e) ? evidence_figure(e, evidence_last(e), "seconds") : NULL;
    g_autofree char *text = g_match_info_fetch(match, 1);
    struct number total;

    if (!number_marked(text, strlen(text), strchr(text, ',') ? ',' : '.', &total))
        return text_input_fail(in, line->number, error, "TotalSeconds: \"%s\" is no number", text);
    if (seconds && fabs(seconds->value - total.value) > total.half_step + TICK_S)
        evidence_add_note(e, EVIDENCE_CONTRADICTION, line->number,
                          "TotalSeconds is %g, and the ticks make %g s", total.value, seconds->value);
    return true;
}

struct reader {
    GRegex *shapes[SHAPE_COUNT], *real, *ticks, *total;
};

static bool read_line(const struct reader *r, const struct text_input *in, const struct text_line *line,
                      struct evidence *e, GError **error)
{
    g_autoptr(GMatchInfo) ticks = NULL, total = NULL;

    for (guint i = 0; i < SHAPE_COUNT; i++) {
        g_autoptr(GMatchInfo) match = NULL;

        if (g_regex_match(r->shapes[i], line->text, 0, &match))
            return take_time(in, line, match, e, error);
    }
    if (g_regex_match(r->real, line->text, 0, NULL))
        return text_input_fail(in, line->number, error, "should be a real time, and can't be read");
    if (g_regex_match(r->ticks, line->text, 0, &ticks))
        return take_ticks(in, line, ticks, e, error);
    if (g_regex_match(r->total, line->text, 0, &total))
        return check_total(in, line, total, e, error);
    return true;
}

bool evidence_time_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct reader r = {
        .real = evidence_pattern("^\\s*real\\s+[0-9]"),
        .ticks = evidence_pattern(TICKS),
        .total = evidence_pattern(TOTAL_SECONDS),
    };
    bool ok = true;

    for (guint i = 0; i < SHAPE_COUNT; i++)
        r.shapes[i] = evidence_pattern(SHAPES[i]);
    for (guint i = 0; ok && i < text_input_count(in); i++)
        ok = read_line(&r, in, text_input_line(in, i), e, error);
    for (guint i = 0; i < SHAPE_COUNT; i++)
        g_regex_unref(r.shapes[i]);
    g_regex_unref(r.real);
    g_regex_unref(r.ticks);
    g_regex_unref(r.total);
    if (ok && evidence_count(e) == 0)
        return text_input_fail(in, 0, error, "holds no wall time");
    return ok;
}
