#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/report_file.h"
#include "cli/verdict_sources.h"
#include "base/error.h"
#include "base/outfile.h"
#include "report/export_json.h"
#include "report/export_text.h"

#include <limits.h>
#include <stdio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

struct options {
    char *output, *expect, *command_line;
    gboolean json;
    enum draw_format format;        /* when output is set */
    enum verdict_decision expected; /* when expect is set */
};

static const char SUMMARY[] =
    "Judges a claim by measured runs: is the effect there, is it large enough to matter, or\n"
    "can the runs not tell? Prints the verdict, then all figures, and writes them as a report.\n"
    "\n"
    "CLAIM.yaml states the claim and holds the runs, in the order measured; more treatments may follow,\n"
    "and pair or block labels may say which runs belong together:\n"
    "\n"
    "  claim:\n"
    "    title: Jumbo frames\n"
    "    statement: Copies are faster with jumbo frames.\n"
    "    metric: {name: copy time, unit: s, better: lower}   # or higher\n"
    "    margin: 5 %                    # a smaller difference would not matter\n"
    "    design: {order: interleaved}   # or blocked (one kind first), or paired; may be left out\n"
    "  arms:\n"
    "    - {label: MTU 1500, role: control, samples: [61.2, 60.8, 61.9, 60.1, 61.5]}\n"
    "    - {label: MTU 9000, role: treatment, samples: [54.0, 55.1, 53.2, 54.4, 53.9]}\n"
    "\n"
    "An arm may have files instead (logs, tables, captures), and a simulation beside its runs or in their "
    "place.";

static const char DESCRIPTION[] =
    "Verdicts: supported, supported_small (real, but smaller than the margin), refuted, undecided.\n"
    "Exit status: 0 done, 1 the verdict is not the one that --expect named, 2 usage, 3 input, 4 output.\n"
    "\n"
    "Examples:\n"
    "  copytrial verdict examples/claims/rdc.yaml -o verdict.pdf\n"
    "  copytrial verdict examples/claims/rdc.yaml --json --expect undecided\n";

static bool usage(GError **error, const char *format, const char *what)
{
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, format, what);
    return false;
}

static bool check_options(struct options *o, GError **error)
{
    if (o->output && !report_file_format("-o", o->output, &o->format, error))
        return false;
    if (o->expect && !verdict_from_name(o->expect, &o->expected))
        return usage(error, "--expect %s: a verdict is supported, supported_small, refuted or undecided",
                     o->expect);
    return true;
}

static bool parse(int *argc, char ***argv, struct options *o, GError **error)
{
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o->output,
         "Write the report here: .pdf, or page 1 as .png or .svg", "REPORT.pdf"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "Print the verdict and all figures as JSON", NULL},
        {"expect", 0, 0, G_OPTION_ARG_STRING, &o->expect, "Exit with status 1 unless this is the verdict",
         "VERDICT"},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GOptionContext) context = g_option_context_new("CLAIM.yaml");

    g_option_context_set_summary(context, SUMMARY);
    g_option_context_set_description(context, DESCRIPTION);
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, argc, argv, error))
        return false;
    if (*argc != 2)
        return usage(error, "%s; \"copytrial verdict --help\" explains it",
                     *argc < 2 ? "needs a claim file" : "judges one claim file at a time");
    return check_options(o, error);
}

static bool write_report(const struct judgement *j, const struct options *o, GError **error)
{
    struct report_options options = {
        .program = "copytrial " COPYTRIAL_VERSION, .command_line = o->command_line, .format = o->format};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    struct report_lack lack;

    if (!report_file_epoch(&options, error) || !report_render(j, &options, bytes, &lack, error) ||
        !outfile_write(o->output, bytes->data, bytes->len, error))
        return false;
    report_file_warn("verdict", o->output, &lack);
    return true;
}

static void print_result(const struct judgement *j, const struct options *o)
{
    if (o->json) {
        g_autofree char *text = export_json(j);

        fputs(text, stdout);
        return;
    }
    g_autofree char *text = export_text(j);

    fputs(text, stdout);
    if (o->output)
        printf("\nReport: %s\n", o->output);
}

static bool judge(const char *path, const struct options *o, int *status, GError **error)
{
    struct verdict_sources sources;
    struct claim *claim;
    struct judgement *j;
    bool ok;

    if (o->output && !outfile_probe(o->output, error))
        return false;
    verdict_sources_init(&sources);
    claim = claim_load(path, &sources.table, error);
    verdict_sources_clear(&sources);
    if (!claim)
        return false;
    j = judgement_new(claim);
    ok = !o->output || write_report(j, o, error);
    if (ok)
        print_result(j, o);
    if (ok && o->expect && j->verdict.decision != o->expected) {
        fprintf(stderr, "copytrial verdict: the verdict is %s, not %s as expected\n",
                verdict_name(j->verdict.decision), o->expect);
        *status = CLI_UNEXPECTED_VERDICT;
    }
    judgement_free(j);
    claim_free(claim);
    return ok;
}

/* With a million runs arrays of megabytes come and go all the time: what goes back to the system each time has to be faulted in
 * and cleared again, a third of the whole time. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    enum { LARGEST_FROM_HEAP = 32 << 20 }; /* the largest that glibc takes */

    mallopt(M_MMAP_THRESHOLD, LARGEST_FROM_HEAP);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

bool cmd_verdict(int argc, char **argv, int *status, GError **error)
{
    struct options o = {.command_line = report_file_command_line(argc, argv)};
    bool ok;

    keep_memory();
    ok = parse(&argc, &argv, &o, error) && judge(argv[1], &o, status, error);

    g_free(o.output);
    g_free(o.expect);
    g_free(o.command_line);
    return ok;
}
