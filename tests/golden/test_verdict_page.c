/* The drawing calls of the RDC verdict's pages against verdict-rdc.txt. After an intended change, run this test with
 * COPYTRIAL_UPDATE_GOLDEN=1 in the environment and review the difference. */
#include "report/build_doc.h"
#include "report/layout.h"
#include "tests/golden/golden.h"
#include "tests/golden/draw_record.h"

#include <gsl/gsl_errno.h>
#include <string.h>

static char *record(const char *claim_path)
{
    g_autoptr(GError) error = NULL;
    struct claim *claim = claim_load(claim_path, NULL, &error);
    struct judgement *j;
    struct doc *doc;
    struct draw *d = draw_record_new();
    g_autoptr(GPtrArray) pages = NULL;
    GByteArray *out = g_byte_array_new();

    g_assert_no_error(error);
    /* The example's comments may change; what the page says of its bytes is not the point here. */
    memset(claim->sha256, 'f', 64);
    j = judgement_new(claim);
    doc = build_doc(j, "copytrial test", "copytrial verdict claim.yaml -o report.pdf");
    pages = layout_pages(doc, d);
    page_paint(pages, d);
    g_assert_true(d->ops->finish(d, out, &error));
    d->ops->free(d);
    doc_free(doc);
    judgement_free(j);
    claim_free(claim);
    g_byte_array_append(out, (const guint8 *)"", 1);
    return (char *)g_byte_array_free(out, FALSE);
}

static void test_rdc(void)
{
    g_autofree char *claim = data_source_path("examples/claims/rdc.yaml");
    g_autofree char *now = record(claim);

    golden_compare("tests/golden/verdict-rdc.txt", now);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/verdict-page/rdc", test_rdc);
    return g_test_run();
}
