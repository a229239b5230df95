/* rclone's log, text or --use-json-log: the last block of statistics is the run; those before it are parts ("block").
 *
 * Figures: bytes, total_bytes, seconds, rate (bytes over the elapsed time: the printed one is a moving average, and 0 for short
 * runs), momentary_rate of text, files, errors. A run that didn't reach its total failed. */
#include "report/evidence_reader.h"
#include "report/jsondoc.h"

#include <string.h>

struct block {
    int line; /* 0: none */
    struct number bytes, total, seconds, rate, files, errors;
    int seconds_line, rate_line, files_line, errors_line; /* 0: not given */
};

struct reader {
    const struct text_input *in;
    struct evidence *e;
    GRegex *amount, *files, *elapsed, *errors;
    struct block block;
};

static bool is_json(const struct text_input *in)
{
    return evidence_starts_with(in, "{");
}

bool evidence_rclone_recognise(const struct text_input *in)
{
    return is_json(in) ? evidence_contains(in, "\"stats\":{") && evidence_contains(in, "\"elapsedTime\"")
                       : evidence_contains(in, "Transferred:") && evidence_contains(in, "Elapsed time:");
}

static void add_block(struct reader *r, enum evidence_kind kind)
{
    const struct block *b = &r->block;
    struct evidence *e = r->e;

    evidence_add_run(e, kind, kind == EVIDENCE_PART ? "block" : NULL, b->line);
    evidence_add_number(e, "bytes", "B", b->bytes, b->line);
    evidence_add_number(e, "total_bytes", "B", b->total, b->line);
    if (b->rate_line)
        evidence_add_number(e, "momentary_rate", "B/s", b->rate, b->rate_line);
    if (b->files_line)
        evidence_add_number(e, "files", "", b->files, b->files_line);
    if (b->errors_line)
        evidence_add_number(e, "errors", "", b->errors, b->errors_line);
    if (b->seconds_line)
        evidence_add_number(e, "seconds", "s", b->seconds, b->seconds_line);
    if (b->bytes.value < b->total.value - b->bytes.half_step - b->total.half_step)
        evidence_set_failed(e, "is unfinished: %.0f of %.0f bytes", b->bytes.value, b->total.value);
    else if (b->bytes.value <= 0)
        evidence_set_failed(e, "copied nothing");
    else if (!b->seconds_line || b->seconds.value <= 0)
        evidence_set_failed(e, "took less than its clock can show");
    else
        evidence_add_figure(
            e, "rate", "B/s", b->bytes.value / b->seconds.value,
            b->bytes.value / b->seconds.value * MIN(1, b->seconds.half_step / b->seconds.value), b->line);
}

static void start_block(struct reader *r, int line)
{
    if (r->block.line)
        add_block(r, EVIDENCE_PART);
    r->block = (struct block){.line = line};
}

/* "2.193 MiB", "0 B", "12.3 MBytes" of older releases, which means the same. */
static bool read_size(const char *text, struct number *n)
{
    static const char prefixes[] = "kmgtp";
    size_t length = strspn(text, "0123456789.");
    const char *unit = text_input_skip_blanks(text + length), *prefix;
    double factor = 1;

    if (!number_marked(text, length, '.', n))
        return false;
    if (*unit && (prefix = strchr(prefixes, g_ascii_tolower(*unit)))) {
        for (factor = 1024; prefix > prefixes; prefix--)
            factor *= 1024;
        unit++;
    }
    unit += *unit == 'i';
    if (*unit != 'B' && *unit != '\0')
        return false;
    n->value *= factor;
    n->half_step = factor == 1 ? 0 : n->half_step * factor;
    return true;
}

/* "1m2.3s", "2h0m1s". */
static bool read_duration(const char *text, struct number *seconds)
{
    static const struct {
        char unit;
        double factor;
    } UNITS[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};

    *seconds = (struct number){0, 0};
    while (*text) {
        size_t length = strspn(text, "0123456789."), i = 0;
        struct number n;

        while (i < G_N_ELEMENTS(UNITS) && UNITS[i].unit != text[length])
            i++;
        if (i == G_N_ELEMENTS(UNITS) || !number_marked(text, length, '.', &n))
            return false;
        seconds->value += n.value * UNITS[i].factor;
        seconds->half_step = n.half_step * UNITS[i].factor;
        text += length + 1;
    }
    return true;
}

static bool take_amount(struct reader *r, GMatchInfo *match, const struct text_line *line, GError **error)
{
    g_autofree char *bytes = g_match_info_fetch(match, 1), *total = g_match_info_fetch(match, 2),
                    *rate = g_match_info_fetch(match, 3);

    start_block(r, line->number);
    r->block.rate_line = line->number;
    return (read_size(bytes, &r->block.bytes) && read_size(total, &r->block.total) &&
            read_size(rate, &r->block.rate)) ||
           text_input_fail(r->in, line->number, error, "the transferred size can't be read");
}

static bool take_elapsed(struct reader *r, GMatchInfo *match, const struct text_line *line, GError **error)
{
    g_autofree char *text = g_match_info_fetch(match, 1);

    r->block.seconds_line = line->number;
    return read_duration(text, &r->block.seconds) ||
           text_input_fail(r->in, line->number, error, "the elapsed time can't be read");
}

static bool read_text_line(struct reader *r, const struct text_line *line, GError **error)
{
    g_autoptr(GMatchInfo) amount = NULL, files = NULL, elapsed = NULL, errors = NULL;

    if (g_regex_match(r->amount, line->text, 0, &amount))
        return take_amount(r, amount, line, error);
    if (!r->block.line)
        return true;
    if (g_regex_match(r->elapsed, line->text, 0, &elapsed))
        return take_elapsed(r, elapsed, line, error);
    if (g_regex_match(r->files, line->text, 0, &files) && evidence_group(files, 1, &r->block.files))
        r->block.files_line = line->number;
    else if (g_regex_match(r->errors, line->text, 0, &errors) && evidence_group(errors, 1, &r->block.errors))
        r->block.errors_line = line->number;
    return true;
}

static bool take_stats(struct reader *r, const json_t *stats, int line, GError **error)
{
    struct block *b = &r->block;

    start_block(r, line);
    if (!jsondoc_number(stats, "bytes", &b->bytes.value) ||
        !jsondoc_number(stats, "totalBytes", &b->total.value) ||
        !jsondoc_number(stats, "elapsedTime", &b->seconds.value))
        return text_input_fail(r->in, line, error, "the statistics lack bytes, totalBytes or elapsedTime");
    b->seconds_line = line;
    b->files_line = jsondoc_number(stats, "transfers", &b->files.value) ? line : 0;
    b->errors_line = jsondoc_number(stats, "errors", &b->errors.value) ? line : 0;
    return true;
}

static bool read_json_line(struct reader *r, guint index, GError **error)
{
    struct jsondoc *doc;
    const json_t *stats;
    bool ok;

    if (text_input_is_blank(text_input_line(r->in, index)->text))
        return true;
    doc = jsondoc_parse(r->in, index, false, error);
    if (!doc)
        return false;
    stats = json_object_get(doc->root, "stats");
    ok = !stats || take_stats(r, stats, text_input_line(r->in, index)->number, error);
    jsondoc_free(doc);
    return ok;
}

bool evidence_rclone_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct reader r = {
        .in = in,
        .e = e,
        .amount = evidence_pattern(
            "Transferred:\\s+([0-9.]+ ?[kMGTP]?i?B?(?:ytes)?) / ([0-9.]+ ?[kMGTP]?i?B?(?:ytes)?), "
            "[0-9-]+%?, ([0-9.]+ ?[kMGTP]?i?B?(?:ytes)?)/s"),
        .files = evidence_pattern("Transferred:\\s+([0-9]+) / [0-9]+, [0-9-]+%?$"),
        .elapsed = evidence_pattern("Elapsed time:\\s+([0-9a-z.]+)"),
        .errors = evidence_pattern("^\\s*Errors:\\s+([0-9]+)"),
    };
    bool json = is_json(in), ok = true;

    for (guint i = 0; ok && i < text_input_count(in); i++)
        ok = json ? read_json_line(&r, i, error) : read_text_line(&r, text_input_line(in, i), error);
    if (ok && r.block.line)
        add_block(&r, EVIDENCE_RUN);
    g_regex_unref(r.amount);
    g_regex_unref(r.files);
    g_regex_unref(r.elapsed);
    g_regex_unref(r.errors);
    if (ok && evidence_count(e) == 0)
        return text_input_fail(in, 0, error, "holds no statistics of rclone");
    return ok;
}
