#define _GNU_SOURCE /* memmem */
/* Pages drawn with the real fonts: every text of every example's pages stands in its box, whatever its names; what fonts lack is
 * seen; files are small and equal for equal inputs. */
#include "report/report.h"
#include "report/build_doc.h"
#include "cli/verdict_sources.h"
#include "tests/capture_outcome.h"
#include "tests/data.h"
#include "tests/page_check.h"

#include <glib/gstdio.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

static const struct draw_document A4 = {
    .title = "t", .author = "a", .width = LAYOUT_WIDTH, .height = LAYOUT_HEIGHT};

/* Takes the document. Draws it, too: what can't be drawn fails. Returns the number of pages. */
static guint check(struct doc *doc, enum draw_format format)
{
    struct draw *d = draw_cairo_new(format, &A4);
    g_autoptr(GPtrArray) pages = layout_pages(doc, d);
    g_autoptr(GByteArray) out = g_byte_array_new();
    guint n = pages->len;

    for (guint p = 0; p < n; p++)
        page_check(d, g_ptr_array_index(pages, p));
    page_paint(pages, d);
    g_assert_true(d->ops->finish(d, out, NULL));
    g_assert_cmpuint(out->len, >, 1000);
    d->ops->free(d);
    doc_free(doc);
    return n;
}

static GPtrArray *traces(void)
{
    g_autofree char *folder = data_source_path("traces");
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while ((name = g_dir_read_name(dir))) {
        if (g_str_has_suffix(name, ".pcap"))
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    }
    g_assert_cmpuint(paths->len, >=, 9);
    return paths;
}

static void test_every_trace(void)
{
    g_autoptr(GPtrArray) paths = traces();

    for (guint i = 0; i < paths->len; i++) {
        struct replay *r;
        struct capture_pages *pages = capture_outcome_pages(g_ptr_array_index(paths, i), &r);

        g_assert_cmpuint(check(build_capture(pages, "copytrial 0.0.0"), DRAW_PNG), >=, 3);
        capture_pages_free(pages);
        replay_free(r);
    }
}

/* Every claim of a folder; those that can't be read are none. */
static guint check_claims(const char *folder)
{
    g_autofree char *path_of = data_source_path(folder);
    g_autoptr(GDir) dir = g_dir_open(path_of, 0, NULL);
    const char *name;
    guint seen = 0;

    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(path_of, name, NULL);
        struct verdict_sources sources;
        struct claim *claim = NULL;
        struct judgement *j;

        verdict_sources_init(&sources);
        if (g_str_has_suffix(name, ".yaml"))
            claim = claim_load(path, &sources.table, NULL);
        verdict_sources_clear(&sources);
        if (!claim)
            continue;
        g_test_message("%s", name);
        j = judgement_new(claim);
        check(build_doc(j, "copytrial 0.0.0", "copytrial verdict claim.yaml -o report.pdf"), DRAW_PNG);
        judgement_free(j);
        claim_free(claim);
        seen++;
    }
    return seen;
}

/* The examples, and the made-up ones, which have captures, simulations, figures and treatments. */
static void test_every_claim(void)
{
    g_assert_cmpuint(check_claims("examples/claims"), >=, 2);
    g_assert_cmpuint(check_claims("tests/cli/inputs"), >=, 12);
}

static void set(char **text, const char *with)
{
    g_free(*text);
    *text = g_strdup(with);
}

/* Arabic, Hebrew, Chinese, Japanese and Korean names, mixed directions, a title of 4 KB, a word without a break. */
static void test_names(void)
{
    g_autofree char *path = data_source_path("traces/smb3-smbclient-small.pcap");
    g_autofree char *words = g_strnfill(4096, 'x'), *word = g_strnfill(4096, 'W');
    const char *const NAMES[] = {"نسخ الملفات من الخادم.pcap",
                                 "העתקה מהשרת (3).pcap",
                                 "服务器文件复制记录.pcapng",
                                 "サーバーからのコピー.pcap",
                                 "서버 복사 기록.pcap",
                                 words,
                                 word,
                                 "عربي english עברית 中文.pcap"};

    for (gsize i = 7; i < 4096; i += 8)
        words[i] = ' ';
    for (guint i = 0; i < G_N_ELEMENTS(NAMES); i++) {
        struct replay *r;
        struct capture_pages *pages = capture_outcome_pages(path, &r);

        set(&pages->file, NAMES[i]);
        set(&pages->what, NAMES[i]);
        set(&pages->seconds, i % 2 ? NAMES[i] : "123,456 s (34 h 17 min)");
        set(&pages->held_back, NAMES[i]);
        set(&pages->evidence, NAMES[i]);
        set(&pages->filter, NAMES[i]);
        set(&pages->no_gains, NAMES[i]);
        for (guint k = 0; k < pages->lanes->lanes->len; k++)
            set(&((struct chart_lane *)g_ptr_array_index(pages->lanes->lanes, k))->name, NAMES[i]);
        g_array_index(pages->gains->rows, struct chart_gain, 0).what =
            (g_free(g_array_index(pages->gains->rows, struct chart_gain, 0).what), g_strndup(NAMES[i], 180));
        g_array_index(pages->spread->rows, struct chart_spread_row, 0).name =
            (g_free(g_array_index(pages->spread->rows, struct chart_spread_row, 0).name), g_strdup(NAMES[i]));
        check(build_capture(pages, "copytrial 0.0.0"), DRAW_PDF);
        capture_pages_free(pages);
        replay_free(r);
    }
}

/* A file whose name is no UTF-8: shown, not refused, and the text stays valid. */
static void test_latin1_name(void)
{
    g_autofree char *path = data_source_path("traces/smb1-curl-get.pcap");
    g_autofree char *folder = g_dir_make_tmp("copytrial-XXXXXX", NULL);
    g_autofree char *copy = g_build_filename(folder, "caf\xe9.pcap", NULL), *bytes = NULL;
    struct capture_pages *pages;
    struct replay *r;
    gsize length;

    g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    g_assert_true(g_file_set_contents(copy, bytes, (gssize)length, NULL));
    pages = capture_outcome_pages(copy, &r);
    g_assert_true(g_utf8_validate(pages->file, -1, NULL));
    g_assert_true(g_str_has_prefix(pages->file, "caf"));
    check(build_capture(pages, "copytrial 0.0.0"), DRAW_SVG);
    capture_pages_free(pages);
    replay_free(r);
    g_unlink(copy);
    g_rmdir(folder);
}

static GByteArray *render(const char *file, bool has_epoch, int64_t epoch, struct report_lack *lack)
{
    const struct report_options options = {
        .program = "copytrial 0.0.0", .format = DRAW_PDF, .has_epoch = has_epoch, .epoch = epoch};
    g_autofree char *path = data_source_path("traces/smb1-curl-get.pcap");
    GByteArray *out = g_byte_array_new();
    struct replay *r;
    struct capture_pages *pages = capture_outcome_pages(path, &r);

    set(&pages->file, file);
    g_assert_true(report_render_capture(pages, &options, out, lack, NULL));
    capture_pages_free(pages);
    replay_free(r);
    return out;
}

static bool holds(const GByteArray *bytes, const char *text)
{
    return memmem(bytes->data, bytes->len, text, strlen(text)) != NULL;
}

/* Equal inputs give equal bytes; the date is the one that was set, or cairo's clock would show. */
static void test_reproducible(void)
{
    struct report_lack lack;
    g_autoptr(GByteArray) a = render("x", true, 1700000000, &lack), b = render("x", true, 1700000000, &lack);
    g_autoptr(GByteArray) without = render("x", false, 0, &lack);

    g_assert_cmpuint(a->len, ==, b->len);
    g_assert_true(memcmp(a->data, b->data, a->len) == 0);
    g_assert_true(holds(a, "20231114221320"));
    g_assert_false(holds(without, "20231114221320"));
    g_assert_true(holds(without, "19700101000000"));
    g_assert_true(holds(a, "/Dest"));
    g_assert_true(holds(a, "/Outlines"));
    g_assert_true(holds(a, "/Link"));
}

/* A character of a private area is in no font. */
static void test_missing_glyph(void)
{
    struct report_lack lack;
    g_autoptr(GByteArray) out = render("private \U0010fffd.pcap", false, 0, &lack);

    g_assert_true(holds(out, "%PDF"));
    g_assert_cmpint(lack.glyphs, >=, 1);
    g_assert_false(lack.stand_in);
}

/* Without any font there is nothing to draw with: an error that says so. */
static void test_no_font(void)
{
    if (g_test_subprocess()) {
        g_autofree char *folder = g_dir_make_tmp("copytrial-XXXXXX", NULL);
        g_autofree char *file = g_build_filename(folder, "fonts.conf", NULL);
        const struct report_options options = {.program = "p", .format = DRAW_PDF};
        struct capture_pages *pages = capture_pages_new();
        g_autoptr(GByteArray) out = g_byte_array_new();
        g_autoptr(GError) error = NULL;
        struct report_lack lack;
        bool drawn;

        g_assert_true(g_file_set_contents(file, "<fontconfig></fontconfig>", -1, NULL));
        g_setenv("FONTCONFIG_FILE", file, TRUE);
        g_log_set_always_fatal(G_LOG_LEVEL_ERROR); /* Pango complains, too */
        pages->file = g_strdup("f");
        pages->what = g_strdup("w");
        pages->seconds = g_strdup("1 s");
        pages->held_back = g_strdup("h");
        pages->evidence = g_strdup("e");
        pages->inputs = g_strdup("i");
        pages->left_out = g_strdup("l");
        drawn = report_render_capture(pages, &options, out, &lack, &error);
        capture_pages_free(pages);
        g_unlink(file);
        g_rmdir(folder);
        g_assert_false(drawn);
        g_assert_nonnull(strstr(error->message, "none is installed"));
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
}

/* Two series of half a million runs with one run far out: few calls, a small file, and the outlier drawn at its place. */
static void test_million_runs(void)
{
    struct chart_runs *chart = g_new0(struct chart_runs, 1);
    struct draw *d = draw_cairo_new(DRAW_PDF, &A4);
    g_autoptr(GPtrArray) pages = g_ptr_array_new_with_free_func((GDestroyNotify)page_free);
    g_autoptr(GByteArray) out = g_byte_array_new();
    struct page *page = page_new();
    double top = INFINITY, second = INFINITY;

    chart->order_title = g_strdup("o");
    chart->order_note = g_strdup("o");
    chart->sorted_title = g_strdup("s");
    chart->sorted_note = g_strdup("s");
    chart->series = g_array_new(FALSE, TRUE, sizeof(struct chart_series));
    for (int s = 0; s < 2; s++) {
        struct chart_series series = {.label = g_strdup("l"),
                                      .ink = s ? DRAW_ORANGE : DRAW_BLUE,
                                      .values = g_array_new(FALSE, FALSE, sizeof(double))};

        for (int i = 0; i < 500000; i++) {
            double value = s == 1 && i == 333333 ? 1000 : 100 + sin(i * 0.7);

            g_array_append_val(series.values, value);
        }
        g_array_append_val(chart->series, series);
    }
    chart_runs_place(chart, d, page, LAYOUT_MARGIN, 100, 499);
    g_ptr_array_add(pages, page);
    g_assert_cmpuint(page->items->len, <, 5000);
    for (guint i = 0; i < page->items->len; i++) {
        const struct page_item *item = &g_array_index(page->items, struct page_item, i);

        if (item->kind != PAGE_MARK)
            continue;
        second = item->mark.y < top ? top : item->mark.y > top ? fmin(second, item->mark.y) : second;
        top = fmin(top, item->mark.y);
    }
    g_assert_cmpfloat(top, <, second - 50);
    page_paint(pages, d);
    g_assert_true(d->ops->finish(d, out, NULL));
    g_assert_cmpuint(out->len, <, 1000000);
    d->ops->free(d);
    chart_runs_free(chart);
}

/* Five hundred pages: each begins at its own top, and its number is right. */
static void test_long_document(void)
{
    struct doc *doc = doc_new();
    struct draw *d = draw_cairo_new(DRAW_PDF, &A4);
    g_autoptr(GPtrArray) pages = NULL;

    doc->running = g_strdup("r");
    doc->program = g_strdup("p");
    doc->footer[0] = g_strdup("f");
    doc->footer[1] = g_strdup("g");
    for (int i = 0; i < 23000; i++)
        doc_add(doc, DOC_PARAGRAPH, "A line among many.");
    pages = layout_pages(doc, d);
    g_assert_cmpuint(pages->len, >, 500);
    for (guint p = 0; p < pages->len; p++) {
        const struct page *page = g_ptr_array_index(pages, p);
        g_autofree char *number = g_strdup_printf("page %u of %u", p + 1, pages->len);
        bool numbered = false;

        if (p % 50 == 0 || p + 1 == pages->len)
            page_check(d, page);
        for (guint i = 0; i < page->items->len; i++) {
            const struct page_item *item = &g_array_index(page->items, struct page_item, i);

            numbered |= item->kind == PAGE_TEXT && strstr(item->text.text, number);
        }
        g_assert_true(numbered);
    }
    d->ops->free(d);
    doc_free(doc);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/pages/every-trace", test_every_trace);
    g_test_add_func("/pages/every-claim", test_every_claim);
    g_test_add_func("/pages/names", test_names);
    g_test_add_func("/pages/latin1-name", test_latin1_name);
    g_test_add_func("/pages/reproducible", test_reproducible);
    g_test_add_func("/pages/missing-glyph", test_missing_glyph);
    g_test_add_func("/pages/no-font", test_no_font);
    g_test_add_func("/pages/million-runs", test_million_runs);
    g_test_add_func("/pages/long-document", test_long_document);
    return g_test_run();
}
