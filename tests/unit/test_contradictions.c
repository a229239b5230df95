/* Reported numbers that can't all be right, and those that can. */
#include "report/contradictions.h"

#include <string.h>

static const struct {
    const char *size, *time, *rate;
    double wire_bps;
    const char *what; /* NULL: nothing is found */
    const char *text; /* a part of the sentence */
} STATEMENTS[] = {
    /* a published table: its first row contradicts itself, and the others fit when Windows' GB and MB are powers of 1024 */
    {"16.6 GB", "91 s", "138 MB/s", 0, "size, time and rate",
     "16.6 GB in 91 s is 182.4 MB/s, and not 138 MB/s"},
    {"16.6 GB", "57 s", "296 MB/s", 0, NULL, NULL},
    {"16.6 GB", "158 s", "107 MB/s", 0, NULL, NULL},
    {"16.6 GB", "155 s", "109 MB/s", 0, NULL, NULL},
    {"100 MB", "10 s", "10 MB/s", 0, NULL, NULL},
    {"100 MB", "10 s", "10.6 MB/s", 0, NULL, NULL}, /* 10 s may be 9.5 s */
    {"100.0 MB", "10.0 s", "10.6 MB/s", 0, "size, time and rate", "100 MB in 10 s is 10 MB/s"},
    {"100.0 MB", "10.00 s", "80.0 Mbit/s", 0, NULL, NULL},
    {"100.0 MB", "10.00 s", "80.0 MB/s", 0, "size, time and rate", "if the rate were in Mbit/s"},
    {"100.0 MB", "10.00 s", "600 MB/s", 0, "size, time and rate", "if the rate were in MB/min"},
    {"100.0 GB", "100.0 s", "1074 MB/s", 0, "size, time and rate", "if the size were in GiB"},
    {"5 GB", "0 s", NULL, 0, "no time at all", "5 GB were copied in 0 s"},
    {NULL, NULL, "118 MB/s", 1e9, NULL, NULL},
    {NULL, NULL, "140 MB/s", 1e9, "above the wire", "a link of 1000 Mbit/s carries 123.9 MB/s"},
    {"5.00 GB", "10.0 s", NULL, 1e9, "above the wire", "the size over the time"},
    {NULL, NULL, "140 MB/s", 0, NULL, NULL},
    {"5 GB", NULL, "140 MB/s", 0, NULL, NULL},
};

static void expect(const GArray *found, const char *what, const char *text)
{
    const struct contradiction *c;

    if (!what) {
        g_assert_cmpuint(found->len, ==, 0);
        return;
    }
    g_assert_cmpuint(found->len, ==, 1);
    c = &g_array_index(found, struct contradiction, 0);
    g_test_message("%s: %s", c->source, c->text);
    g_assert_cmpstr(c->what, ==, what);
    g_assert_nonnull(strstr(c->text, text));
}

static void test_statements(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(STATEMENTS); i++) {
        struct statement s = {.wire_bps = STATEMENTS[i].wire_bps, .source = g_strdup("row")};
        g_autoptr(GArray) found = contradictions_new();

        g_test_message("%u", i);
        g_assert_true(!STATEMENTS[i].size || stated_parse_size(STATEMENTS[i].size, &s.size, NULL));
        g_assert_true(!STATEMENTS[i].time || stated_parse_time(STATEMENTS[i].time, &s.time, NULL));
        g_assert_true(!STATEMENTS[i].rate || stated_parse_rate(STATEMENTS[i].rate, &s.rate, NULL));
        contradictions_in_statement(found, &s);
        expect(found, STATEMENTS[i].what, STATEMENTS[i].text);
        statement_clear(&s);
    }
}

static const struct {
    const char *unit;
    double values[6];
    guint count;
    double wire_bps;
    const char *what, *text;
} SAMPLES[] = {
    {"MB/min", {1237.939, 1186.415, 1192.068, 1111.13, 1320.867}, 5, 0, NULL, NULL},
    {"s", {91, 57, 158, 155}, 4, 0, NULL, NULL}, /* whole seconds are no sign of rounding */
    {"MB/s", {100, 110, 90}, 3, 0, "round values", "multiples of 10 MB/s"},
    {"MB/s", {25, 30, 35, 40, 45}, 5, 0, "round values", "multiples of 5 MB/s"},
    {"MB/s", {125, 130, 145, 120}, 4, 0, NULL, NULL}, /* four multiples of five can be chance */
    {"s", {0.05, 0.05, 0.05}, 3, 0, "equal values", "3 runs of \"arm\" all gave 0.05 s"},
    {"s", {0.05, 0.05}, 2, 0, NULL, NULL},
    {"MB/s",
     {11.2, 12.9, 11.7},
     3,
     100e6,
     "above the wire",
     "the fastest run of \"arm\" is at least 12.9 MB/s"},
    {"MB/s", {11.2, 12.1, 11.7}, 3, 100e6, NULL, NULL},
    {"s", {112, 129.5, 117.25}, 3, 100e6, NULL, NULL},
    {"s", {0, 0, 0}, 3, 0, NULL, NULL},
    {"s", {1}, 0, 0, NULL, NULL},
};

static void test_samples(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(SAMPLES); i++) {
        struct samples *s = samples_new("arm", SAMPLES[i].unit, SAMPLES_MEASURED);
        g_autoptr(GArray) found = contradictions_new();

        g_test_message("%u", i);
        for (guint v = 0; v < SAMPLES[i].count; v++)
            samples_add(s, SAMPLES[i].values[v], "log", (int)v + 1);
        contradictions_in_samples(found, s, SAMPLES[i].wire_bps);
        expect(found, SAMPLES[i].what, SAMPLES[i].text);
        samples_free(s);
    }
}

static const struct {
    const char *name, *unit;
    bool higher;
    const char *what, *text;
} METRICS[] = {
    {"copy rate", "MB/s", true, NULL, NULL},
    {"copy time", "s", false, NULL, NULL},
    {"copy time", "MB/s", true, "unit and metric",
     "is called \"copy time\", and its unit MB/s measures a rate"},
    {"speed", "ms", false, "unit and metric", "measures a time"},
    {"copy rate", "MB/s", false, "unit and direction", "of which less is said to be better"},
    {"copy time", "s", true, "unit and direction", "of which more is said to be better"},
    {"user rating", "points", true, NULL, NULL},
    {"copied", "GB", true, NULL, NULL},
};

static void test_metrics(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(METRICS); i++) {
        g_autoptr(GArray) found = contradictions_new();

        g_test_message("%u", i);
        contradictions_in_metric(found, METRICS[i].name, METRICS[i].unit, METRICS[i].higher, "claim.yaml");
        expect(found, METRICS[i].what, METRICS[i].text);
    }
}

static const struct {
    const char *log, *what, *text;
} LOGS[] = {
    {"Velocidad:            31968780 Bytes/s\nVelocidad:            1829.268 Megabytes/min\n", NULL, NULL},
    {"Velocidad:            31968780 Bytes/s\nVelocidad:            1929.268 Megabytes/min\n",
     "figures of a log", "1929.268 MB/min isn't 31968780 B/s"},
    {"8388608 bytes (8.4 MB, 8.0 MiB) copied, 2.0000 s, 4.2 MB/s\n", NULL, NULL},
    {"8388608 bytes (8.4 MB, 8.0 MiB) copied, 2.0000 s, 5.2 MB/s\n", "size, time and rate",
     "and not 5200000 B/s"},
    {"TotalWrite = 8,153 MiB\nTotalTime  = 02:43:06\nTransRate  = 1.38 MB/s\n", "size, time and rate",
     "is 0.8736 MB/s, and not 1.38 MB/s"},
    {"Ticks : 15948660\nTotalSeconds : 1.7\n", "figures of a log", "TotalSeconds is 1.7"},
};

static void test_logs(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(LOGS); i++) {
        struct text_input *in = text_input_new("log", LOGS[i].log, strlen(LOGS[i].log), NULL);
        struct evidence *e = evidence_read(in, NULL, NULL);
        g_autoptr(GArray) found = contradictions_new();

        g_test_message("%u", i);
        contradictions_in_evidence(found, e);
        expect(found, LOGS[i].what, LOGS[i].text);
        evidence_free(e);
        text_input_free(in);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/contradictions/statements", test_statements);
    g_test_add_func("/contradictions/samples", test_samples);
    g_test_add_func("/contradictions/metrics", test_metrics);
    g_test_add_func("/contradictions/logs", test_logs);
    return g_test_run();
}
