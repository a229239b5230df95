/* The drawing calls of a capture's pages against capture-small.txt. After an intended change, run this test with
 * COPYTRIAL_UPDATE_GOLDEN=1 in the environment and review the difference. */
#include "tests/capture_outcome.h"
#include "replay/timeline.h"
#include "report/layout.h"
#include "tests/golden/golden.h"
#include "tests/golden/draw_record.h"

#include <string.h>

/* Takes the document. */
static char *record(struct doc *doc)
{
    struct draw *d = draw_record_new();
    g_autoptr(GPtrArray) pages = layout_pages(doc, d);
    GByteArray *out = g_byte_array_new();

    page_paint(pages, d);
    g_assert_true(d->ops->finish(d, out, NULL));
    d->ops->free(d);
    doc_free(doc);
    g_byte_array_append(out, (const guint8 *)"", 1);
    return (char *)g_byte_array_free(out, FALSE);
}

static char *record_trace(const char *name)
{
    g_autofree char *path = data_source_path(name);
    struct replay *r;
    struct capture_pages *pages = capture_outcome_pages(path, &r);
    struct capture_table *inputs = pages->inputs_table;
    char *text;

    /* Where the project lies is not the pages' doing, and neither is its version. */
    for (guint i = 0; i < inputs->rows->len; i++) {
        char **cells = g_ptr_array_index(inputs->rows, i);

        if (strcmp(cells[0], "Capture") == 0 || strcmp(cells[0], "Program") == 0) {
            g_free(cells[1]);
            cells[1] = g_strdup(name);
        }
    }
    text = record(build_capture(pages, "copytrial test"));
    capture_pages_free(pages);
    replay_free(r);
    return text;
}

static void test_small(void)
{
    g_autofree char *now = record_trace("traces/smb3-smbclient-small.pcap");

    golden_compare("tests/golden/capture-small.txt", now);
}

static guint count(const char *text, const char *what)
{
    guint n = 0;

    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        n++;
    return n;
}

/* Each text that names a page links to a target that there is once; the outline has every heading. */
static void test_links(void)
{
    g_autofree char *text = record_trace("traces/smb3-smbclient-encrypted.pcap");
    static const char *const TARGETS[] = {"inputs", "exchanges", "ledger"};
    guint pages = count(text, "\nend\n");

    for (guint i = 0; i < G_N_ELEMENTS(TARGETS); i++) {
        g_autofree char *link = g_strdup_printf(" link %s\n", TARGETS[i]);
        g_autofree char *target = g_strdup_printf(" %s\n", TARGETS[i]);

        g_assert_cmpuint(count(text, link), ==, i == 0 ? pages : 1);
        g_assert_cmpuint(count(text, target) - count(text, link), ==, 1);
    }
    g_assert_cmpuint(count(text, "p.\u00a0"), ==, count(text, "\" link "));
    g_assert_nonnull(strstr(text, "\"What would help\""));
    g_assert_cmpuint(count(text, "outline "), >=, 10);
}

/* A million exchanges and as many segments: the number of drawing calls is bounded, and the longest of all is among them. */
static void test_million(void)
{
    struct timeline *t = timeline_new();
    struct replay r = {.timeline = t, .connections = g_ptr_array_new()};
    struct replay_outcome o = {.replay = &r,
                               .breakdowns = g_array_new(FALSE, FALSE, sizeof(struct breakdown))};
    struct capture_pages *pages = capture_pages_new();
    char **const texts[] = {&pages->file,     &pages->what,   &pages->seconds, &pages->held_back,
                            &pages->evidence, &pages->inputs, &pages->left_out};
    double longest = 0;
    g_autofree char *text = NULL;

    for (int64_t i = 0; i < 1000000; i++) {
        int64_t at = i * 1000000, takes = i == 654321 ? 2000000000 : 400000 + i % 977 * 1000;
        struct replay_segment s = {.time_ns = at, .payload_bytes = 1448, .direction = i % 3 == 0};
        struct replay_exchange x = {.request_first_ns = at,
                                    .request_last_ns = at,
                                    .response_first_ns = at + takes,
                                    .response_last_ns = at + takes,
                                    .request_first_frame = 1,
                                    .data_bytes = 61440,
                                    .command = (uint16_t)(SMB2_NEGOTIATE + i % 30)};

        timeline_segment(t, &s);
        timeline_exchange(t, &x);
    }
    replay_pages_charts(&o, pages);
    for (guint l = 0; l < pages->lanes->lanes->len; l++) {
        const struct chart_lane *lane = g_ptr_array_index(pages->lanes->lanes, l);

        for (guint i = 0; i < lane->bins->len; i++)
            longest = MAX(longest, g_array_index(lane->bins, struct chart_bin, i).longest);
    }
    g_assert_cmpfloat_with_epsilon(longest, 2, 1e-9);
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        *texts[i] = g_strdup("text");
    text = record(build_capture(pages, "copytrial test"));
    g_assert_cmpuint(count(text, "\n"), <, 20000);
    g_assert_cmpuint(count(text, "\nbox "), >, 5000);
    capture_pages_free(pages);
    timeline_free(t);
    g_array_unref(o.breakdowns);
    g_ptr_array_unref(r.connections);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/capture-page/small", test_small);
    g_test_add_func("/capture-page/links", test_links);
    g_test_add_func("/capture-page/million", test_million);
    return g_test_run();
}
