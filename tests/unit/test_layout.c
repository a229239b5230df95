/* Pages set with the real fonts: every text stands inside the margins, and no two texts overlap, whatever the claim says. */
#include "report/build_doc.h"
#include "report/draw_cairo.h"
#include "report/layout.h"
#include "tests/data.h"
#include "tests/page_check.h"

#include <gsl/gsl_errno.h>
#include <math.h>

/* Every line of every block is placed once: nothing is cut at the foot of a page. */
static void check_whole(struct draw *d, const GPtrArray *pages, const char *statement)
{
    int lines = 0, placed = 0;

    for (guint p = 0; p < pages->len; p++) {
        const struct page *page = g_ptr_array_index(pages, p);

        for (guint i = 0; i < page->items->len; i++) {
            const struct page_item *item = &g_array_index(page->items, struct page_item, i);

            if (item->kind != PAGE_TEXT || !g_str_equal(item->text.text, statement))
                continue;
            g_assert_cmpint(item->text.first, ==, placed);
            placed += item->text.count;
            lines = d->ops->measure(d, &item->text).lines;
        }
    }
    g_assert_cmpint(placed, >, 0);
    g_assert_cmpint(placed, ==, lines);
}

static struct claim *load_example(void)
{
    g_autofree char *path = data_source_path("examples/claims/rdc.yaml");
    g_autoptr(GError) error = NULL;
    struct claim *claim = claim_load(path, NULL, &error);

    g_assert_no_error(error);
    return claim;
}

static void replace(char **text, char *with)
{
    g_free(*text);
    *text = with;
}

/* Takes the claim. Returns the number of pages. */
static guint check(struct claim *claim)
{
    struct draw_document document = {
        .title = "t", .author = "a", .width = LAYOUT_WIDTH, .height = LAYOUT_HEIGHT};
    struct draw *d = draw_cairo_new(DRAW_PDF, &document);
    struct judgement *j = judgement_new(claim);
    struct doc *doc = build_doc(j, "copytrial 0.0.0", "copytrial verdict claim.yaml -o report.pdf");
    g_autoptr(GPtrArray) pages = layout_pages(doc, d);
    g_autofree char *statement = g_strconcat("\u201c", claim->statement, "\u201d", NULL);
    guint n = pages->len;

    for (guint p = 0; p < n; p++)
        page_check(d, g_ptr_array_index(pages, p));
    check_whole(d, pages, statement);
    doc_free(doc);
    judgement_free(j);
    claim_free(claim);
    d->ops->free(d);
    return n;
}

static void set_runs(struct claim_arm *arm, const double *values, guint n)
{
    g_array_set_size(arm->samples->values, 0);
    for (guint i = 0; i < n; i++)
        samples_add(arm->samples, values[i], NULL, 0);
}

static char *repeat(const char *text, guint times)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < times; i++)
        g_string_append(out, text);
    return g_string_free(out, FALSE);
}

static void test_example(void)
{
    g_assert_cmpuint(check(load_example()), ==, 3);
}

static void test_long_texts(void)
{
    struct claim *words = load_example(), *letters = load_example(), *labels = load_example();

    replace(&words->statement, repeat("copies are faster ", 4096 / 18));
    g_assert_cmpuint(check(words), >, 3);
    replace(&letters->statement, repeat("x", 4096));
    replace(&letters->title, repeat("T", 4096));
    check(letters);
    replace(&labels->control.label, repeat("a very long label ", 230));
    replace(&labels->treatment.label, repeat("y", 700));
    replace(&labels->metric.name, repeat("rate ", 60));
    replace(&labels->metric.unit, repeat("u", 120));
    replace(&labels->file, repeat("f", 250));
    check(labels);
}

static void test_scripts(void)
{
    struct claim *c = load_example();

    replace(&c->statement,
            g_strdup("העתקות מהירות יותר בלי דחיסה דיפרנציאלית, وهذا نص عربي طويل بعض الشيء."));
    replace(&c->control.label, g_strdup("مع ضغط الملفات"));
    replace(&c->treatment.label, g_strdup("没有远程差分压缩的文件复制，速度更快"));
    check(c);
}

static void test_few_runs(void)
{
    static const double ONE[] = {61}, SAME[] = {115, 115, 115};
    struct claim *single = load_example(), *empty = load_example(), *same = load_example();

    set_runs(&single->control, ONE, 1);
    set_runs(&single->treatment, ONE, 1);
    check(single);
    set_runs(&empty->control, ONE, 0);
    set_runs(&empty->treatment, ONE, 0);
    check(empty);
    set_runs(&same->control, SAME, 3);
    set_runs(&same->treatment, SAME, 3);
    check(same);
}

static void test_many_runs(void)
{
    g_autofree double *values = g_new(double, 2000);
    struct claim *c = load_example();

    for (int i = 0; i < 2000; i++)
        values[i] = 1200 + 80 * sin(i * 1.3);
    set_runs(&c->control, values, 2000);
    set_runs(&c->treatment, values, 1999);
    check(c);
}

/* Effects out of all proportion to the margin, both ways, and margins out of proportion to the effect. */
static void test_scales(void)
{
    static const double SMALL[] = {100, 103, 98}, LARGE[] = {12445, 12100, 12800},
                        TINY[] = {1e-5, 2e-5, 1.5e-5}, GIANT[] = {1e15, 2e15, 1.1e15},
                        CLOSE[] = {100.001, 100.002, 99.999};
    const double *const pairs[][2] = {
        {SMALL, LARGE}, {LARGE, SMALL}, {TINY, GIANT}, {GIANT, TINY}, {CLOSE, CLOSE}};

    for (guint i = 0; i < G_N_ELEMENTS(pairs); i++) {
        for (int better = CLAIM_HIGHER; better <= CLAIM_LOWER; better++) {
            struct claim *c = load_example();

            c->metric.better = better;
            set_runs(&c->control, pairs[i][0], 3);
            set_runs(&c->treatment, pairs[i][1], 3);
            check(c);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/layout/example", test_example);
    g_test_add_func("/layout/long-texts", test_long_texts);
    g_test_add_func("/layout/scripts", test_scripts);
    g_test_add_func("/layout/few-runs", test_few_runs);
    g_test_add_func("/layout/many-runs", test_many_runs);
    g_test_add_func("/layout/scales", test_scales);
    return g_test_run();
}
