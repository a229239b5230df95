#include "base/error.h"
#include "base/yaml.h"

#include <glib/gstdio.h>
#include <stdint.h>
#include <string.h>

/* One target with every type of value. */
struct item {
    char *label;
    int64_t size_bytes;
    int line;
};

struct entry {
    char *key;
    int64_t time_ns;
};

struct target {
    char *name;
    int64_t rtt_ns, rate_bps, size_bytes, count;
    double loss, factor;
    bool flag;
    int choice;
    struct item nested;
    GArray *items, *entries, *numbers;
    GPtrArray *texts;
};

static const char *const CHOICES[] = {"ip", "ethernet", "wire", NULL};
static const struct item ITEM_DEFAULT = {NULL, 1460, 0};

static const struct yaml_field ITEM[] = {
    {"label", YAML_TEXT, offsetof(struct item, label), true, NULL, NULL, 0, NULL},
    {"size", YAML_SIZE, offsetof(struct item, size_bytes), false, NULL, NULL, 0, NULL},
    {NULL, YAML_LINE, offsetof(struct item, line), false, NULL, NULL, 0, NULL},
    {NULL, YAML_END, 0, false, NULL, NULL, 0, NULL},
};
static const struct yaml_field ENTRY[] = {
    {"time", YAML_TIME, offsetof(struct entry, time_ns), false, NULL, NULL, 0, NULL},
    {NULL, YAML_END, 0, false, NULL, NULL, 0, NULL},
};
static const struct yaml_field FIELDS[] = {
    {"name", YAML_TEXT, offsetof(struct target, name), true, NULL, NULL, 0, NULL},
    {"rtt", YAML_TIME, offsetof(struct target, rtt_ns), false, NULL, NULL, 0, NULL},
    {"rate", YAML_RATE, offsetof(struct target, rate_bps), false, NULL, NULL, 0, NULL},
    {"size", YAML_SIZE, offsetof(struct target, size_bytes), false, NULL, NULL, 0, NULL},
    {"count", YAML_COUNT, offsetof(struct target, count), false, NULL, NULL, 0, NULL},
    {"loss", YAML_PERCENT, offsetof(struct target, loss), false, NULL, NULL, 0, NULL},
    {"factor", YAML_NUMBER, offsetof(struct target, factor), false, NULL, NULL, 0, NULL},
    {"flag", YAML_BOOL, offsetof(struct target, flag), false, NULL, NULL, 0, NULL},
    {"counts", YAML_CHOICE, offsetof(struct target, choice), false, CHOICES, NULL, 0, NULL},
    {"nested", YAML_MAP, offsetof(struct target, nested), false, NULL, ITEM, 0, NULL},
    {"items", YAML_LIST, offsetof(struct target, items), false, NULL, ITEM, sizeof(struct item),
     &ITEM_DEFAULT},
    {"entries", YAML_DICT, offsetof(struct target, entries), false, NULL, ENTRY, sizeof(struct entry), NULL},
    {"numbers", YAML_NUMBERS, offsetof(struct target, numbers), false, NULL, NULL, 0, NULL},
    {"texts", YAML_TEXTS, offsetof(struct target, texts), false, NULL, NULL, 0, NULL},
    {NULL, YAML_END, 0, false, NULL, NULL, 0, NULL},
};

/* Binds the top level when `section` is NULL. */
static bool bind_section(const char *text, size_t length, const char *section, struct target *t,
                         GError **error)
{
    struct yaml_doc *doc = yaml_load_text("file.yaml", text, length, error);
    bool ok = doc && yaml_bind(doc, section, FIELDS, t, error);

    yaml_doc_free(doc);
    return ok;
}

static void test_every_type(void)
{
    static const char text[] = "# a comment\n"
                               "name: \"caf\xc3\xa9: 1\"\n"
                               "rtt: 25 ms\n"
                               "rate: 2 Mbit/s\n"
                               "size: 60 KiB\n"
                               "count: 16\n"
                               "loss: 0.5 %\n"
                               "factor: -1.5e3\n"
                               "flag: yes\n"
                               "counts: wire\n"
                               "nested: {label: inner, size: 9 B}\n"
                               "items:\n"
                               "  - {label: first}\n"
                               "  - label: second\n"
                               "    size: 1 kB\n"
                               "entries:\n"
                               "  SMB2 READ: {time: 1 ms}\n"
                               "  SMB2 CREATE: {}\n"
                               "numbers: [1, 2.5,\n"
                               "          -3]\n"
                               "texts: [logs/*.log, \"\"]\n";
    g_autoptr(GError) error = NULL;
    struct target t = {0};
    const struct item *items;
    const struct entry *entries;
    const struct yaml_number *numbers;

    g_assert_true(bind_section(text, sizeof text - 1, NULL, &t, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(t.name, ==, "caf\xc3\xa9: 1");
    g_assert_cmpint(t.rtt_ns, ==, 25000000);
    g_assert_cmpint(t.rate_bps, ==, 2000000);
    g_assert_cmpint(t.size_bytes, ==, 61440);
    g_assert_cmpint(t.count, ==, 16);
    g_assert_true(t.loss == 0.005);
    g_assert_true(t.factor == -1500);
    g_assert_true(t.flag);
    g_assert_cmpint(t.choice, ==, 2);
    g_assert_cmpstr(t.nested.label, ==, "inner");
    g_assert_cmpint(t.nested.line, ==, 11);
    g_assert_cmpuint(t.items->len, ==, 2);
    items = (const struct item *)(const void *)t.items->data;
    g_assert_cmpint(items[0].size_bytes, ==, 1460); /* the item's default */
    g_assert_cmpstr(items[1].label, ==, "second");
    g_assert_cmpint(items[1].size_bytes, ==, 1000);
    g_assert_cmpint(items[1].line, ==, 14);
    g_assert_cmpuint(t.entries->len, ==, 2);
    entries = (const struct entry *)(const void *)t.entries->data;
    g_assert_cmpstr(entries[0].key, ==, "SMB2 READ");
    g_assert_cmpint(entries[0].time_ns, ==, 1000000);
    g_assert_cmpint(entries[1].time_ns, ==, 0);
    g_assert_cmpuint(t.numbers->len, ==, 3);
    numbers = (const struct yaml_number *)(const void *)t.numbers->data;
    g_assert_true(numbers[1].value == 2.5 && numbers[2].value == -3);
    g_assert_cmpint(numbers[2].line, ==, 20);
    g_assert_cmpuint(t.texts->len, ==, 2);
    g_assert_cmpstr(t.texts->pdata[0], ==, "logs/*.log");
    yaml_clear(FIELDS, &t);
    g_assert_null(t.name);
    g_assert_null(t.items);
    yaml_clear(FIELDS, &t);
}

/* Keys that are absent leave the caller's defaults alone. */
static void test_defaults(void)
{
    struct target t = {.rtt_ns = 7, .factor = 2, .flag = true, .choice = 1, .size_bytes = 3};

    g_assert_true(bind_section("name: n\nsize: 5 B\n", 18, NULL, &t, NULL));
    g_assert_cmpint(t.rtt_ns, ==, 7);
    g_assert_true(t.factor == 2 && t.flag);
    g_assert_cmpint(t.choice, ==, 1);
    g_assert_cmpint(t.size_bytes, ==, 5);
    g_assert_null(t.numbers);
    yaml_clear(FIELDS, &t);
}

/* An empty list is there. */
static void test_empty_lists(void)
{
    static const char text[] = "name: n\nnumbers: []\ntexts: []\n";
    struct target t = {0};

    g_assert_true(bind_section(text, strlen(text), NULL, &t, NULL));
    g_assert_cmpuint(t.numbers->len, ==, 0);
    g_assert_cmpuint(t.texts->len, ==, 0);
    yaml_clear(FIELDS, &t);
}

struct refusal {
    const char *text;
    const char *message; /* after "file.yaml" */
};

static const struct refusal REFUSALS[] = {
    /* keys */
    {"name: n\nrttt: 25 ms\n", ":2: unknown key \"rttt\": did you mean \"rtt\"?"},
    {"name: n\nlatency: 25 ms\n", ":2: unknown key \"latency\" (known here: name, rtt, rate, size, count, "},
    {"name: n\nnested: {lable: x}\n", ":2: unknown key \"lable\": did you mean \"label\"?"},
    {"name: n\nrtt: 1 ms\nrtt: 2 ms\n", ":3: key \"rtt\" stands twice"},
    {"name: n\nnested:\n  label: a\n  label: b\n", ":4: key \"label\" stands twice"},
    {"name: n\nentries:\n  a: {}\n  a: {}\n", ":4: key \"a\" stands twice"},
    {"rtt: 1 ms\n", ":1: key \"name\" is missing"},
    {"name: n\nitems:\n  - {label: a}\n  - {size: 1 B}\n", ":4: key \"label\" is missing"},
    {"name: n\n? [a, b]\n: c\n", ":2: a key must be plain text"},
    {"name: n\n<<: {rtt: 1 ms}\n", ":2: unknown key \"<<\""},
    /* values of the wrong kind */
    {"name: [a]\n", ":1: name: expected a single value"},
    {"name: n\nrtt: {ms: 25}\n", ":2: rtt: expected a single value"},
    {"name: n\nnested: x\n", ":2: nested: expected a mapping"},
    {"name: n\nnested: [x]\n", ":2: nested: expected a mapping"},
    {"name: n\nitems: {label: a}\n", ":2: items: expected a list"},
    {"name: n\nitems: [a]\n", ":2: items: expected a mapping ({key: value, ...})"},
    {"name: n\nentries: [a]\n", ":2: entries: expected a mapping"},
    {"name: n\nentries: {a: 1 ms}\n", ":2: a: expected a mapping"},
    {"name: n\nnumbers: 5\n", ":2: numbers: expected a list"},
    {"name: n\nnumbers: [1,\n [2]]\n", ":3: numbers: expected a plain value"},
    {"name: n\ntexts: {a: b}\n", ":2: texts: expected a list"},
    /* quantities */
    {"name: n\nrtt: 25\n", ":2: rtt: \"25\" lacks its unit"},
    {"name: n\nrtt:\n", ":2: rtt: \"\" is not a time"},
    {"name: n\nrtt: 25 Mbit/s\n", ":2: rtt: \"25 Mbit/s\" has a unit that doesn't fit a time"},
    {"name: n\nrate: 2 Mbps\n", ":2: rate: \"2 Mbps\" has an ambiguous unit"},
    {"name: n\nsize: 64 kb\n", ":2: size: \"64 kb\" has an ambiguous unit"},
    {"name: n\nloss: 0.5\n", ":2: loss: \"0.5\" lacks its unit"},
    {"name: n\ncount: 16 B\n", ":2: count: \"16 B\" is not a whole number"},
    {"name: n\ncount: 1.5\n", ":2: count: \"1.5\" is not a whole number"},
    {"name: n\ncount: -1\n", ":2: count: \"-1\" is not a whole number"},
    {"name: n\nfactor: many\n", ":2: factor: \"many\" is not a number"},
    {"name: n\nfactor: nan\n", ":2: factor: \"nan\" is not a number"},
    {"name: n\nfactor: 1e999\n", ":2: factor: \"1e999\" is not a number"},
    {"name: n\nfactor:\n", ":2: factor: \"\" is not a number"},
    {"name: n\nnumbers: [1, 2 s]\n", ":2: numbers: \"2 s\" is not a finite number"},
    {"name: n\nnumbers: [1,\n  inf]\n", ":3: numbers: \"inf\" is not a finite number"},
    {"name: n\nflag: maybe\n", ":2: flag: \"maybe\" is neither true nor false"},
    {"name: n\ncounts: wires\n", ":2: counts: \"wires\" is not a choice: did you mean \"wire\"?"},
    {"name: n\ncounts: frames\n", ":2: counts: \"frames\" is not a choice (choices: ip, ethernet, wire)"},
    /* files that are no such file at all */
    {"", ":1: expected \"key: value\" lines"},
    {"# nothing\n", ":1: expected \"key: value\" lines"},
    {"just text\n", ":1: expected \"key: value\" lines"},
    {"- a\n- b\n", ":1: expected \"key: value\" lines"},
    {"name: n\n  rtt: 1 ms\n", ":2: not YAML: "},
    {"name: \"n\n", ":2: not YAML: "},
    {"name: n\nrtt: [1 ms\n", ":3: not YAML: "},
    {"name: n\n\trtt: 1 ms\n", ":2: not YAML: "},
    {"name: n\nrtt: 1 ms\nrate: \x01\n", ":3: not YAML: control characters are not allowed"},
    {"name: n\n---\nname: m\n", ":2: a second document starts here"},
    {"name: n\n...\nrubbish: [\n", ":3: not YAML: "},
    {"name: n\nrtt: *other\n", ":2: anchors and aliases"},
    {"name: n\nnested: &x {label: a}\nitems: [*x]\n", ":2: anchors and aliases"},
    {"name: n\nitems: &x\n  - *x\n", ":2: anchors and aliases"},
    {"name: &n n\n", ":1: anchors and aliases"},
    {"name: \"n\\0m\"\n", ":1: a value holds a NUL character"},
    {"name: \xff\xfe\n", ": not UTF-8 text, so not a YAML file"},
    {"name: caf\xe9\n", ": not UTF-8 text, so not a YAML file"},
};

static void assert_refused(const char *text, size_t length, const char *message)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *expected = g_strconcat("file.yaml", message, NULL);
    struct target t = {0};

    g_test_message("%s", expected);
    g_assert_false(bind_section(text, length, NULL, &t, &error));
    g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
    if (!g_str_has_prefix(error->message, expected))
        g_assert_cmpstr(error->message, ==, expected); /* fails, and shows both */
    g_assert_null(strchr(error->message, '\n'));
    yaml_clear(FIELDS, &t);
}

static void test_refusals(void)
{
    static const char nul[] = "name: n\0m\n";
    static const char utf16[] = "\xff\xfen\0a\0m\0e\0:\0 \0n\0\n\0";

    for (size_t i = 0; i < G_N_ELEMENTS(REFUSALS); i++)
        assert_refused(REFUSALS[i].text, strlen(REFUSALS[i].text), REFUSALS[i].message);
    assert_refused(nul, sizeof nul - 1, ": not UTF-8 text, so not a YAML file");
    assert_refused(utf16, sizeof utf16 - 1, ": not UTF-8 text, so not a YAML file");
}

/* A chain of aliases, each twice the one before, would be 2^40 values; it is refused at once. */
static void test_alias_bomb(void)
{
    g_autoptr(GString) text = g_string_new("name: n\nl0: &l0 [x, x]\n");

    for (int i = 1; i < 40; i++)
        g_string_append_printf(text, "l%d: &l%d [*l%d, *l%d]\n", i, i, i - 1, i - 1);
    assert_refused(text->str, text->len, ":2: anchors and aliases");
}

/* Deep nesting is refused at once: libyaml alone would need hours for a file of the largest size. */
static void test_deep_nesting(void)
{
    static const char *const openings[] = {"[", "{a: ", "- "};

    for (size_t i = 0; i < G_N_ELEMENTS(openings); i++) {
        g_autoptr(GString) text = g_string_new("name:\n ");

        for (int depth = 0; depth < 1000000; depth++)
            g_string_append(text, openings[i]);
        assert_refused(text->str, text->len, ":2: nested too deeply");
    }
}

/* The deepest nesting allowed is far from what a file of ours has. */
static void test_allowed_nesting(void)
{
    g_autoptr(GString) text = g_string_new("a: ");
    struct yaml_doc *doc;

    for (int i = 0; i < 63; i++)
        g_string_append_c(text, '[');
    for (int i = 0; i < 63; i++)
        g_string_append_c(text, ']');
    doc = yaml_load_text("deep.yaml", text->str, text->len, NULL);
    g_assert_nonnull(doc);
    yaml_doc_free(doc);
}

static void test_sections(void)
{
    static const char text[] = "network:\n  name: a\nclient:\n  name: b\n  rtt: 3 ms\nserver: none\n";
    static const char *const known[] = {"network", "client", "server", NULL};
    static const char *const near[] = {"network", "clients", "server", NULL};
    static const char *const few[] = {"claim", NULL};
    g_autoptr(GError) absent = NULL, scalar = NULL, mistyped = NULL, unknown = NULL;
    struct yaml_doc *doc = yaml_load_text("p.yaml", text, sizeof text - 1, NULL);
    struct target t = {0};

    g_assert_cmpstr(yaml_name(doc), ==, "p.yaml");
    g_assert_true(yaml_has(doc, "client"));
    g_assert_false(yaml_has(doc, "clien"));
    g_assert_cmpint(yaml_line(doc, "client"), ==, 3);
    g_assert_cmpint(yaml_line(doc, "arms"), ==, 0);
    g_assert_true(yaml_bind(doc, "client", FIELDS, &t, NULL));
    g_assert_cmpstr(t.name, ==, "b");
    g_assert_cmpint(t.rtt_ns, ==, 3000000);
    g_assert_false(yaml_bind(doc, "arms", FIELDS, &t, &absent));
    g_assert_cmpstr(absent->message, ==, "p.yaml: has no section \"arms:\"");
    g_assert_false(yaml_bind(doc, "server", FIELDS, &t, &scalar));
    g_assert_cmpstr(scalar->message, ==, "p.yaml:6: server: expected a mapping");
    g_assert_true(yaml_check_sections(doc, known, NULL));
    g_assert_false(yaml_check_sections(doc, near, &mistyped));
    g_assert_cmpstr(mistyped->message, ==, "p.yaml:3: unknown section \"client\": did you mean \"clients\"?");
    g_assert_false(yaml_check_sections(doc, few, &unknown));
    g_assert_cmpstr(unknown->message, ==, "p.yaml:1: unknown section \"network\" (known: claim)");
    yaml_clear(FIELDS, &t);
    yaml_doc_free(doc);
}

static void test_duplicate_section(void)
{
    static const char text[] = "network: {name: a}\nclient: {name: b}\nnetwork: {name: c}\n";
    g_autoptr(GError) error = NULL;

    g_assert_null(yaml_load_text("p.yaml", text, sizeof text - 1, &error));
    g_assert_cmpstr(error->message, ==, "p.yaml:3: key \"network\" stands twice");
}

static void test_nearest(void)
{
    static const char *const words[] = {"rtt", "one_way_delay", "down", "up", "mtu", "packets_per_ms", NULL};
    static const struct {
        const char *text, *nearest;
    } cases[] = {
        {"rt", "rtt"},
        {"dwon", "down"},
        {"one-way-delay", "one_way_delay"},
        {"packet_per_ms", "packets_per_ms"},
        {"MTU", NULL},
        {"xy", NULL},
        {"", NULL},
        {"bandwidth", NULL},
        {"a_key_that_is_far_longer_than_any_key_that_a_profile_or_a_claim_could_have_in_it", NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpstr(yaml_nearest(cases[i].text, words), ==, cases[i].nearest);
}

/* Files: the same through the disk, and what can go wrong there. */
static void test_files(void)
{
    g_autofree char *folder = g_dir_make_tmp("copytrial-yaml-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "n.yaml", NULL);
    g_autofree char *missing = g_build_filename(folder, "missing.yaml", NULL);
    g_autofree char *no_file = g_strdup_printf("%s: can't be read: No such file or directory", missing);
    g_autofree char *is_folder = g_strdup_printf("%s: can't be read: Is a directory", folder);
    g_autofree char *is_empty = g_strdup_printf("%s:1: expected \"key: value\" lines", path);
    g_autoptr(GError) e1 = NULL, e2 = NULL, e3 = NULL;
    struct yaml_doc *doc;

    g_assert_true(g_file_set_contents(path, "\xef\xbb\xbfnetwork: {name: n}\r\n", -1, NULL));
    doc = yaml_load_file(path, NULL); /* a byte-order mark and CR LF, as Windows' Notepad writes them */
    g_assert_nonnull(doc);
    g_assert_cmpstr(yaml_name(doc), ==, path);
    g_assert_true(yaml_has(doc, "network"));
    yaml_doc_free(doc);
    g_assert_true(g_file_set_contents(path, "", 0, NULL));
    g_assert_null(yaml_load_file(path, &e1));
    g_assert_cmpstr(e1->message, ==, is_empty);
    g_assert_null(yaml_load_file(missing, &e2));
    g_assert_error(e2, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
    g_assert_cmpstr(e2->message, ==, no_file);
    g_assert_null(yaml_load_file(folder, &e3));
    g_assert_cmpstr(e3->message, ==, is_folder);
    g_remove(path);
    g_rmdir(folder);
}

static void test_huge_file(void)
{
    g_autofree char *folder = g_dir_make_tmp("copytrial-yaml-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "huge.yaml", NULL);
    g_autofree char *text = g_malloc((16 << 20) + 1);
    g_autoptr(GError) huge = NULL, endless = NULL;
    struct yaml_doc *doc;

    memset(text, '#', (16 << 20) + 1);
    memcpy(text, "name: n\n", 8);
    g_assert_true(g_file_set_contents(path, text, (16 << 20) + 1, NULL));
    g_assert_null(yaml_load_file(path, &huge));
    g_assert_error(huge, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
    g_assert_nonnull(strstr(huge->message, "too large"));
    g_assert_true(g_file_set_contents(path, text, 16 << 20, NULL)); /* the largest allowed */
    doc = yaml_load_file(path, NULL);
    g_assert_nonnull(doc);
    yaml_doc_free(doc);
    g_assert_null(yaml_load_file("/dev/zero", &endless)); /* ends, too */
    g_assert_nonnull(strstr(endless->message, "too large"));
    g_remove(path);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/yaml/every-type", test_every_type);
    g_test_add_func("/yaml/defaults", test_defaults);
    g_test_add_func("/yaml/empty-lists", test_empty_lists);
    g_test_add_func("/yaml/refusals", test_refusals);
    g_test_add_func("/yaml/alias-bomb", test_alias_bomb);
    g_test_add_func("/yaml/deep-nesting", test_deep_nesting);
    g_test_add_func("/yaml/allowed-nesting", test_allowed_nesting);
    g_test_add_func("/yaml/sections", test_sections);
    g_test_add_func("/yaml/duplicate-section", test_duplicate_section);
    g_test_add_func("/yaml/nearest", test_nearest);
    g_test_add_func("/yaml/files", test_files);
    g_test_add_func("/yaml/huge-file", test_huge_file);
    return g_test_run();
}
