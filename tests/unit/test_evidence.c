/* The readers of evidence on made-up texts: what is malformed is an error that names its line, and variants of each format give
 * the right figures. Real files are tested in golden/test_evidence_index.c. */
#include "report/evidence.h"
#include "report/evidence_samples.h"

#include <math.h>
#include <string.h>

#define SUMMARY_HEAD                                                                                         \
    "   ROBOCOPY     ::     Robust File Copy for Windows\n"                                                  \
    "------------------------------------------------------------------------------\n"                       \
    "  Started : Tuesday, May 9, 2023 8:29:01 PM\n  Options : *.* /DCOPY:DA /COPY:DAT /R:1 /W:1\n"           \
    "------------------------------------------------------------------------------\n"
#define DIRS    "    Dirs :         1         0         1         0         0         0\n"
#define FILES   "   Files :         1         1         0         0         0         0\n"
#define BYTES   "   Bytes :   44.00 m   44.00 m         0         0         0         0\n"
#define TIMES   "   Times :   0:00:10   0:00:10                       0:00:00   0:00:00\n"
#define SPEED   "   Speed :             4613734 Bytes/sec.\n   Speed :             263.999 MegaBytes/min.\n"
#define PROCMON "\"Time of Day\",\"Process Name\",\"Operation\",\"Result\",\"Detail\",\"Duration\"\n"
#define PERFMON "\"(PDH-CSV 4.0)\",\"\\\\H\\Memory\\Pages/sec\"\n"
#define RAW     "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n"

struct bad {
    const char *format; /* NULL: recognised */
    const char *text;
    const char *why; /* how the message begins, or goes on behind "log:" */
};

static const struct bad MALFORMED[] = {
    {"robocopy", SUMMARY_HEAD DIRS "   Files :         1         x         0         0         0         0\n",
     "7: should be a row of the summary"},
    {"robocopy", SUMMARY_HEAD DIRS FILES BYTES "   Times :   0:00:10   0:00:xx\n",
     "9: should be a row of the summary"},
    {"robocopy", SUMMARY_HEAD DIRS FILES TIMES, "8: the summary has 2 rows before its times"},
    {"robocopy", SUMMARY_HEAD DIRS FILES BYTES BYTES, "9: the summary has 3 rows before its times"},
    {"robocopy", SUMMARY_HEAD DIRS FILES BYTES TIMES "   Speed :             46137x4 Bytes/sec.\n",
     "10: should be a speed"},
    {"robocopy", SUMMARY_HEAD DIRS FILES BYTES TIMES "   Speed :             4,6137,34 Bytes/sec.\n",
     "10: should be a speed"},
    {"robocopy", SUMMARY_HEAD DIRS FILES BYTES TIMES SPEED SPEED, "12: is a second speed"},
    {"robocopy", "nothing of the kind\n", " holds no robocopy job"},
    {"procmon",
     PROCMON "\"7:19:37.5 AM\",\"a.exe\",\"ReadFile\",\"SUCCESS\",\"Offset: 0, Length: many\",\"0.1\"\n",
     "2: Detail: \"Offset: 0, Length: many\" holds no offset and length"},
    {"procmon", PROCMON "\"7h19\",\"a.exe\",\"ReadFile\",\"SUCCESS\",\"Offset: 0, Length: 1\",\"0.1\"\n",
     "2: \"7h19\" is no time of day"},
    {"procmon",
     PROCMON "\"7:19:37.5 AM\",\"a.exe\",\"ReadFile\",\"SUCCESS\",\"Offset: 0, Length: 1\",\"soon\"\n",
     "2: Duration: \"soon\" is no number"},
    {"procmon", PROCMON "\"7:19:37.5 AM\"\n", "2: is no row of this log"},
    {"procmon", "\"Process Name\",\"PID\"\n", "1: the header lacks"},
    {"perfmon", PERFMON "\"yesterday\",\"1\"\n", "2: \"yesterday\" is no date"},
    {"perfmon", PERFMON "\"13/32/2026 06:04:43.000\",\"1\"\n", "2: \"13/32/2026 06:04:43.000\" is no date"},
    {"perfmon", PERFMON "\"07/23/2026 06:04:43.000\",\"1.5.2\"\n",
     "2: Memory\\Pages/sec: \"1.5.2\" is no number"},
    {"perfmon", PERFMON "\"07/23/2026 06:04:43.000\",\"1\",\"2\"\n",
     "2: has 3 fields, and the header names 2"},
    {"hyperfine", "{\"results\": [\n{\"times\": [1]}]}", "2: a result of hyperfine has no \"command\""},
    {"hyperfine", "{\"results\": [{\"command\": \"x\", \"times\":\n[1, \"2\"]}]}",
     "2: a time of \"x\" is no number"},
    {"hyperfine", "{\"results\": 1}", " has no list \"results\""},
    {"hyperfine", "{\"results\": [\n{,}]}", "2: isn't JSON at byte"},
    {"hyperfine", "{\"results\": []} and more", "1: isn't JSON at byte"},
    {"hyperfine", "command,mean,stddev,median,user,system,min,max\nx,1.0,,1.0,0,0,fast,1.0\n",
     "2: min: \"fast\""},
    {"pyperf", "{\"benchmarks\": [{\"runs\": [\n{\"values\": [1,\n\"2\"]}]}], \"version\": \"1.0\"}",
     "3: a value is no number"},
    {"pyperf", "{\"version\": \"1.0\"}", " has no list \"benchmarks\""},
    {"google-benchmark", "{\"benchmarks\": [\n{\"name\": \"a\", \"run_type\": \"iteration\"}]}",
     "2: a repetition has no number \"real_time\""},
    {"google-benchmark", "{\"benchmarks\": [\n{\"name\": \"a\", \"real_time\": 1, \"time_unit\": \"h\"}]}",
     "2: time_unit: \"h\" is no unit"},
    {"google-benchmark", "{\"benchmarks\": [\n{\"name\": \"a\", \"real_time\": NaN}]}",
     "2: isn't JSON at byte"},
    {"criterion", RAW "a,b,,,,fast,ns,10\n", "2: \"fast\" in 10 iterations can't be read"},
    {"criterion", RAW "a,b,,,,100,ns,0\n", "2: \"100\" in 0 iterations can't be read"},
    {"criterion", RAW "a,b,,,,100,ms,10\n", "2: unit: \"ms\" should be ns"},
    {"criterion", "group,function\n", "1: lacks a column"},
    {"iperf3",
     "{\"start\": {}, \"intervals\": [],\n\"end\": {\"sum_received\": {\"bytes\": 1, \"seconds\": 2}}}",
     "2: a sum lacks bytes, seconds or bits_per_second"},
    {"iperf3", "{\"event\": \"start\", \"data\": {}}\n{\"event\": ", "2: isn't JSON at byte"},
    {"fio", "{\"fio version\": \"3\", \"jobs\": [{\"jobname\": \"a\",\n\"read\": {\"io_bytes\": 5}}]}",
     "2: a read lacks io_bytes or runtime"},
    {"fio", "1, 2, 0, 65536, 0\n1, fast, 0, 65536, 0\n", "2: column 2: \"fast\" is no whole number"},
    {"fio", "1, 2, 0, 65536, 0\n1, 2, 3, 65536, 0\n", "2: direction: 3"},
    {"diskspd", "<Results>\n<TimeSpan>\n<TestTimeSeconds>long</TestTimeSeconds></TimeSpan></Results>",
     "3: TestTimeSeconds: \"long\" is no number"},
    {"diskspd", "<Results>\n<TimeSpan>\n</TimeSpan></Results>",
     "2: a time span of diskspd's results lacks its test time"},
    {"diskspd", "<Results>\n<TimeSpan></Results>", "2: isn't XML"},
    {"diskspd", "<Results><Profile/></Results>", " holds no results"},
    {"diskspd", "actual test time:\t1.00s\nTotal IO\ntotal:   many | 1 | 0.05 | 1\n",
     "3: the total of a table can't be read"},
    {"rsync", "\nsent 2.30M bytes  received 54 bytes  1,533.20 bytes/sec\n", "2: the bytes can't be read"},
    {"rclone", "Transferred:   \t 2.1.3 MiB / 2 MiB, 100%, 0 B/s, ETA -\nElapsed time:         0.0s\n",
     "1: the transferred size can't be read"},
    {"rclone", "Transferred:   \t 2 MiB / 2 MiB, 100%, 0 B/s, ETA -\nElapsed time:         5x\n",
     "2: the elapsed time can't be read"},
    {"rclone", "{\"stats\":{\"elapsedTime\": 3}}\n", "1: the statistics lack bytes"},
    {"dd", "3145728 bytes (3.1 MB, 3.0 MiB) copied, 0.00x s, 2.7 GB/s\n", "1: should be a result of dd"},
    {"smbclient", "getting file \\a of size 5 as a (fast KiloBytes/sec) (average 1.0 KiloBytes/sec)\n",
     "1: should tell a file's rate"},
    {"fastcopy", "FastCopy(ver5) start at now\nTotalWrite = 8,15,3 MiB\n", "2: the total can't be read"},
    {"fastcopy", "FastCopy(ver5) start at now\nTotalWrite = 8 MiB\nTotalTime  = 0.1.2 sec\n",
     "3: the total time can't be read"},
    {"time", "real\t0m0.051s\nreal\t0mX\n", "2: should be a real time"},
    {"time", "Ticks             : 15948660\nTotalSeconds      : 1,5,9\n",
     "2: TotalSeconds: \"1,5,9\" is no number"},
    {"csv", "rate [MB/s]\n1.5\n1.6\nfast\n", "4: column rate [MB/s]: \"fast\" is no number"},
    {"csv", "a,b\n1.5,2\n1.6,2,3\n", "3: has 3 cells, and the first row has 2"},
    {"csv", "a;b\n1,5;2.5\n1,6;2,5\n", "1: column b has decimal points and decimal commas"},
    {"csv", "a;b\n1.500;2\n1.600;2\n", "2: column a: its mark may group thousands"},
    {"csv", "12,5\n13,5\n", "1: its comma may be a decimal mark or part two columns"},
    {"csv", "name,rate\n\"a,1\n", "2: a quoted cell is never closed"},
    {NULL, "", " is empty"},
    {NULL, "no figures here\n", " is no log or table that is known"},
    {NULL, "PML_\t\t", " is Process Monitor's binary log"},
};

struct good {
    const char *text;
    guint run;
    const char *figure;
    double value; /* NAN: missing */
    const char *unit;
};

static const struct good VARIANTS[] = {
    {SUMMARY_HEAD DIRS FILES BYTES TIMES SPEED, 0, "rate", 4613734, "B/s"},
    /* two summaries without headers (/NJH), and the speed pair stays with its own */
    {DIRS FILES BYTES TIMES SPEED DIRS FILES BYTES TIMES, 1, "rate", 4613734.4, "B/s"},
    /* behind a CI's time stamps, indented */
    {"2021-03-11T14:41:24.0608111Z     Velocit\xc3\xa0 :           257.555.063 Byte/sec.\n"
     "2021-03-11T14:41:24.0608111Z     Velocit\xc3\xa0 :             14737,419 MB/min.\n",
     0, "speed_per_minute", 14737.419, "MiB/min"},
    {PROCMON
     "\"11:59:59.5 PM\",\"a.exe\",\"ReadFile\",\"SUCCESS\",\"Offset: 0, Length: 60,000\",\"0.1\"\n"
     "\"12:00:00.0 AM\",\"a.exe\",\"ReadFile\",\"SUCCESS\",\"Offset: 60,000, Length: 60,000\",\"0.5\"\n",
     2, "rate", 120000, "B/s"},
    {PROCMON
     "\"11:59:59.5 PM\",\"a.exe\",\"ReadFile\",\"SUCCESS\",\"Offset: 0, Length: 60,000\",\"0.1\"\n"
     "\"12:00:00.0 AM\",\"a.exe\",\"ReadFile\",\"SUCCESS\",\"Offset: 60,000, Length: 60,000\",\"0.5\"\n",
     2, "gap_max", 0.4, "s"},
    {"\"(PDH-CSV 4.0)\";\"\\\\H\\Memory\\Pages/sec\"\n\"07/23/2026 06:04:43.000\";\"1,5\"\n", 0,
     "Memory\\Pages/sec", 1.5, ""},
    {"{\"results\":[{\"command\":\"x\",\"median\":2,\"mean\":2}]}", 0, "mean", 2, "s"},
    {"{\"benchmarks\":[{\"runs\":[{\"samples\":[5]}]}],\"version\":4}", 0, "seconds", 5, "s"},
    {"{\"event\":\"start\",\"data\":{}}\n{\"event\":\"interval\",\"data\":{\"sum\":{\"start\":0,\"end\":1,"
     "\"seconds\":1,"
     "\"bytes\":5,\"bits_per_second\":40}}}\n{\"event\":\"end\",\"data\":{\"sum_sent\":{\"seconds\":1,"
     "\"bytes\":5,"
     "\"bits_per_second\":40}}}\n",
     1, "rate", 40, "bit/s"},
    {"fio: a warning\n{\"fio version\":\"3\",\"jobs\":[]}\n{\"fio "
     "version\":\"3\",\"jobs\":[{\"jobname\":\"j\",\"write\":"
     "{\"io_bytes\":4096,\"bw\":4,\"runtime\":1000}}]}\n",
     0, "rate", 4, "KiB/s"},
    {"sent 1,000,000,000 bytes  received 54 bytes  48,780,490.34 bytes/sec\n", 0, "seconds", 20, "s"},
    {"Transferred:   \t 2 MBytes / 2 MBytes, 100%, 1.5 MBytes/s, ETA 0s\nElapsed time:       1m2.5s\n", 0,
     "seconds", 62.5, "s"},
    {"8388608 bytes transferred in 2.000000 secs (4194304 bytes/sec)\n", 0, "rate", 4194304, "B/s"},
    {"TotalRead = 1 GiB\nTotalWrite = 1 GiB\nTotalTime = 9.5 sec\nTransRate = 113 MB/s\n", 0, "seconds", 9.5,
     "s"},
    {"real    1m2,5s\n", 0, "seconds", 62.5, "s"},
    {"0.00user 0.00system 1:02:03elapsed 1%CPU\n", 0, "seconds", 3723, "s"},
    {"# notes\narm;rate [MB/s]\nwith;12,5\nwithout;13,5\n", 1, "rate [MB/s]", 13.5, "MB/s"},
    {"copy time s\n1.234\n1.240\n", 0, "copy time s", 1.234, "s"},
    {"12.5 13.5\n14.5 15.5\n", 1, "2", 15.5, ""},
    {"time_ms,note\n\"1,234.5\",x\n", 0, "time_ms", 1234.5, "ms"},
    {"rate (kB/s)\n1E+05\n", 0, "rate (kB/s)", 1e5, "kB/s"},
    {"a,b\n1.5,\n2.5,NA\n", 1, "b", NAN, NULL},
};

static struct evidence *read(const char *format, const char *text, GError **error)
{
    const struct evidence_format *f = format ? evidence_format_named(format, NULL) : NULL;
    struct text_input *in = text_input_new("log", text, strlen(text), error);
    struct evidence *e = in ? evidence_read(in, f, error) : NULL;

    text_input_free(in);
    return e;
}

static void test_malformed(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(MALFORMED); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *start = g_strdup_printf("log:%s", MALFORMED[i].why);
        struct evidence *e = read(MALFORMED[i].format, MALFORMED[i].text, &error);

        g_test_message("%u: %s: %s", i, start, error ? error->message : "was read");
        g_assert_null(e);
        g_assert_true(g_str_has_prefix(error->message, start));
    }
}

static void test_variants(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(VARIANTS); i++) {
        const struct good *g = &VARIANTS[i];
        g_autoptr(GError) error = NULL;
        struct evidence *e = read(NULL, g->text, &error);
        const struct evidence_figure *figure;

        g_test_message("%u: %.40s", i, g->text);
        g_assert_no_error(error);
        g_assert_cmpuint(evidence_count(e), >, g->run);
        figure = evidence_figure(e, evidence_run(e, g->run), g->figure);
        g_assert_cmpint(figure == NULL, ==, isnan(g->value));
        if (figure) {
            g_assert_cmpfloat_with_epsilon(figure->value, g->value, fabs(g->value) * 1e-9);
            g_assert_cmpstr(figure->unit, ==, g->unit);
        }
        evidence_free(e);
    }
}

static void test_failed_runs(void)
{
    static const char *const TEXTS[] = {
        SUMMARY_HEAD, /* aborted */
        SUMMARY_HEAD DIRS FILES,
        SUMMARY_HEAD DIRS FILES
        "   Bytes :   44.00 m         0   44.00 m         0         0         0\n" TIMES,
        "{\"results\":[{\"command\":\"x\",\"median\":1,\"times\":[1],\"exit_codes\":[null]}]}",
        "{\"start\":{},\"intervals\":[],\"end\":{},\"error\":\"unable to connect\"}",
        "{\"benchmarks\":[{\"name\":\"a\",\"error_occurred\":true,\"real_time\":1}]}",
        "sent 100 bytes  received 54 bytes  308.00 bytes/sec\n",
        "getting file \\a of size 0 as a (inf KiloBytes/sec) (average 0.0 KiloBytes/sec)\n",
    };

    for (guint i = 0; i < G_N_ELEMENTS(TEXTS); i++) {
        g_autoptr(GError) error = NULL;
        struct evidence *e = read(NULL, TEXTS[i], &error);

        g_assert_no_error(error);
        g_assert_cmpuint(evidence_count(e), ==, 1);
        g_test_message("%u: %s", i, evidence_run(e, 0)->why);
        g_assert_cmpint(evidence_run(e, 0)->kind, ==, EVIDENCE_FAILED);
        g_assert_cmpstr(evidence_run(e, 0)->why, !=, "");
        g_assert_null(evidence_figure(e, evidence_run(e, 0), "rate"));
        evidence_free(e);
    }
}

static void test_summaries(void)
{
    static const char *const TEXTS[] = {"rate\n10.5\n11.5\n12.5\n11.5\n",
                                        "run,rate\na,10.5\nb,11.5\nMean:,99\n"};

    for (guint i = 0; i < G_N_ELEMENTS(TEXTS); i++) {
        struct evidence *e = read("csv", TEXTS[i], NULL);
        guint last = evidence_count(e) - 1;

        g_assert_cmpint(evidence_run(e, last)->kind, ==, EVIDENCE_SUMMARY);
        g_assert_cmpint(evidence_run(e, last - 1)->kind, ==, EVIDENCE_RUN);
        evidence_free(e);
    }
}

static void test_formats(void)
{
    g_autoptr(GError) near = NULL, far = NULL;

    g_assert_cmpstr(evidence_format_named("robocopy", NULL)->name, ==, "robocopy");
    g_assert_null(evidence_format_named("robocpy", &near));
    g_assert_nonnull(strstr(near->message, "did you mean \"robocopy\""));
    g_assert_null(evidence_format_named("spreadsheet", &far));
    g_assert_nonnull(strstr(far->message, "known: robocopy, perfmon"));
}

/* Which samples a choice takes from a text. */
struct choosing {
    const char *text;
    struct evidence_choice choice;
    guint count;
    double first;
    const char *meaning; /* NULL: an error that says `why` */
    const char *why;
};

static const char TWO_COMMANDS[] =
    "{\"results\":[{\"command\":\"a\",\"median\":1,\"times\":[1,\n2]},\n"
    "{\"command\":\"b\",\"median\":1,\"times\":[3,0.5],\"exit_codes\":[0,1]}]}";
static const char ROBOCOPY[] = SUMMARY_HEAD DIRS FILES BYTES TIMES SPEED;

static const struct choosing CHOOSING[] = {
    {ROBOCOPY, {.unit = "B/s"}, 1, 4613734, "B/s", NULL},
    {ROBOCOPY, {.unit = "MB/s"}, 1, 4.613734, "MB/s", NULL},
    {ROBOCOPY, {.unit = "MiB/s"}, 1, 4613734 / 1048576.0, "MiB/s", NULL},
    {ROBOCOPY, {.unit = "MB/min"}, 1, 4613734 * 60 / 1048576.0, "MiB/min", NULL},
    {ROBOCOPY, {.unit = "Mbit/s"}, 1, 36.909872, "Mbit/s", NULL},
    {ROBOCOPY, {.unit = "s"}, 1, 46137344.0 / 4613734, "s", NULL},
    {ROBOCOPY, {.unit = "MiB"}, 1, 44, "MiB", NULL},
    {ROBOCOPY, {.unit = "files", .column = "files_copied"}, 1, 1, "files", NULL},
    {ROBOCOPY, {.unit = "B/s", .job = "1"}, 1, 4613734, "B/s", NULL},
    {ROBOCOPY, {.unit = "B/s", .job = "2"}, 0, 0, NULL, "log: has no job \"2\" (it holds 1 run)"},
    {ROBOCOPY,
     {.unit = "B/s", .column = "sped"},
     0,
     0,
     NULL,
     "log:1: has no column \"sped\": did you mean \"speed\"?"},
    {ROBOCOPY,
     {.unit = "s", .column = "files_copied"},
     0,
     0,
     NULL,
     "log:7: files_copied is a plain number, and s measures a time"},
    {TWO_COMMANDS, {.unit = "ms", .job = "a"}, 2, 1000, "ms", NULL},
    {TWO_COMMANDS, {.unit = "s", .job = "b"}, 1, 3, "s", NULL},
    {TWO_COMMANDS, {.unit = "MB/s", .job = "a", .size_bytes = 5e6}, 2, 5, "MB/s", NULL},
    {TWO_COMMANDS,
     {.unit = "MB/s", .job = "a"},
     0,
     0,
     NULL,
     "log:1: seconds: s is a time and MB/s is a rate: they convert only when the size of the copy is given"},
    {TWO_COMMANDS,
     {.unit = "s"},
     0,
     0,
     NULL,
     "log: holds runs of several kinds (\"a\", \"b\"): say which with job"},
    {TWO_COMMANDS,
     {.unit = "s", .job = "c"},
     0,
     0,
     NULL,
     "log: has no job \"c\" (it holds 4 runs, labelled \"a\", \"b\")"},
    {TWO_COMMANDS,
     {.unit = "s", .job = "4"},
     0,
     0,
     NULL,
     "log: holds no run that measured anything: log:3: left out"},
    {"{\"results\":[{\"command\":\"a\",\"median\":1,\"mean\":1}]}",
     {.unit = "s"},
     0,
     0,
     NULL,
     "log: holds no runs: only parts or means"},
    {"rate [MB/s]\n12.5\n13.5\n", {.unit = "MB/s"}, 2, 12.5, "MB/s", NULL},
    {"rate\n12.5\n13.5\n", {.unit = "MB/s", .column_unit = "GB/s"}, 2, 12500, "MB/s", NULL},
    {"rate\n12.5\n13.5\n", {.unit = "MB/s"}, 0, 0, NULL, "log:2: column \"rate\" names no unit"},
    {"a [s],b [s]\n1.5,2.5\n",
     {.unit = "s"},
     0,
     0,
     NULL,
     "log:2: has the columns \"a [s]\", \"b [s]\": say which with column"},
    {"a [s],b [s]\n1.5,2.5\n", {.unit = "s", .column = "b [s]"}, 1, 2.5, "s", NULL},
    {"arm,t [s]\nx,1.5\ny,2.5\nx,3.5\n", {.unit = "s", .job = "x"}, 2, 1.5, "s", NULL},
    {"size [MB]\n1.5\n",
     {.unit = "s"},
     0,
     0,
     NULL,
     "log:2: size [MB]: MB is a size and s is a time: these don't convert"},
};

static void test_choosing(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(CHOOSING); i++) {
        const struct choosing *c = &CHOOSING[i];
        g_autoptr(GPtrArray) left_out = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(GError) error = NULL;
        struct samples *samples = samples_new("arm", c->choice.unit, SAMPLES_MEASURED);
        struct evidence *e = read(NULL, c->text, NULL);
        const char *meaning = NULL;
        bool ok = evidence_take_samples(e, &c->choice, samples, left_out, &meaning, &error);

        g_test_message("%u: %s", i, error ? error->message : meaning);
        g_assert_cmpint(ok, ==, c->meaning != NULL);
        if (ok) {
            g_assert_cmpstr(meaning, ==, c->meaning);
            g_assert_cmpuint(samples_count(samples), ==, c->count);
            g_assert_cmpfloat_with_epsilon(samples_get(samples, 0), c->first, c->first * 1e-12);
            g_assert_cmpstr(g_array_index(samples->values, struct sample, 0).file, ==, "log");
            g_assert_cmpint(g_array_index(samples->values, struct sample, 0).line, >, 0);
        } else {
            g_assert_true(g_str_has_prefix(error->message, c->why));
        }
        evidence_free(e);
        samples_free(samples);
    }
}

static void test_left_out(void)
{
    g_autoptr(GPtrArray) left_out = g_ptr_array_new_with_free_func(g_free);
    struct samples *samples = samples_new("arm", "s", SAMPLES_MEASURED);
    struct evidence_choice choice = {.unit = "s", .job = "b"};
    struct evidence *e = read(NULL, TWO_COMMANDS, NULL);
    const char *meaning;

    g_assert_true(evidence_take_samples(e, &choice, samples, left_out, &meaning, NULL));
    g_assert_cmpuint(left_out->len, ==, 1);
    g_assert_cmpstr(left_out->pdata[0], ==, "log:3: left out: it ended with exit code 1");
    evidence_free(e);
    samples_free(samples);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/evidence/malformed", test_malformed);
    g_test_add_func("/evidence/variants", test_variants);
    g_test_add_func("/evidence/failed-runs", test_failed_runs);
    g_test_add_func("/evidence/summaries", test_summaries);
    g_test_add_func("/evidence/formats", test_formats);
    g_test_add_func("/evidence/choosing", test_choosing);
    g_test_add_func("/evidence/left-out", test_left_out);
    return g_test_run();
}
