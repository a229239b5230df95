/* smbclient's get and put lines: one run a file, labelled "get" or "put".
 *
 * Figures: rate in KiB/s, which smbclient writes as kB/s and KiloBytes/sec; bytes and seconds of a get. */
#include "report/evidence_reader.h"

#include <string.h>

static const char GET[] =
    "^getting file .* of size ([0-9]+) as .* \\(([0-9.]+|inf) KiloBytes/sec\\) \\(average ";
static const char PUT[] = "^putting file .* as .* \\(([0-9.]+|inf) kB/s\\) \\(average ";

bool evidence_smbclient_recognise(const struct text_input *in)
{
    return evidence_sums_up(in, GET) || evidence_sums_up(in, PUT);
}

static void add_rate(struct evidence *e, const GMatchInfo *match, int group, int line)
{
    struct number rate;

    if (evidence_group(match, group, &rate) && rate.value > 0)
        evidence_add_written(e, "rate", "KiB/s", "kB/s", rate, line);
    else
        evidence_set_failed(e, "took less than a millisecond");
}

static void add_get(struct evidence *e, const GMatchInfo *match, int line)
{
    const struct evidence_figure *rate;
    struct number bytes = {0, 0};

    evidence_add_run(e, EVIDENCE_RUN, "get", line);
    evidence_group(match, 1, &bytes);
    add_rate(e, match, 2, line);
    evidence_add_figure(e, "bytes", "B", bytes.value, 0, line);
    rate = evidence_figure(e, evidence_last(e), "rate");
    if (rate)
        evidence_add_figure(e, "seconds", "s", bytes.value / (rate->value * 1024), 0.0005, line);
}

bool evidence_smbclient_read(const struct text_input *in, struct evidence *e, GError **error)
{
    g_autoptr(GRegex) get = evidence_pattern(GET), put = evidence_pattern(PUT);

    for (guint i = 0; i < text_input_count(in); i++) {
        const struct text_line *line = text_input_line(in, i);
        g_autoptr(GMatchInfo) got = NULL, was_put = NULL;

        if (g_regex_match(get, line->text, 0, &got)) {
            add_get(e, got, line->number);
        } else if (g_regex_match(put, line->text, 0, &was_put)) {
            evidence_add_run(e, EVIDENCE_RUN, "put", line->number);
            add_rate(e, was_put, 1, line->number);
        } else if (g_str_has_prefix(line->text, "getting file ") ||
                   g_str_has_prefix(line->text, "putting file ")) {
            return text_input_fail(in, line->number, error, "should tell a file's rate, and can't be read");
        }
    }
    return evidence_count(e) > 0 || text_input_fail(in, 0, error, "holds no copy by smbclient");
}
