/* The YAML reader: any bytes are either bound or refused with one sentence that begins with the file's name. */
#include "tests/fuzz/fuzz.h"
#include "base/yaml.h"

#include <stdint.h>

struct item {
    char *label;
    int64_t size_bytes;
    int line;
};

struct target {
    char *name;
    int64_t time_ns, rate_bps, size_bytes, count;
    double share, number;
    bool flag;
    int choice;
    struct item one;
    GArray *list, *dict, *numbers;
    GPtrArray *texts;
};

static const char *const CHOICES[] = {"ip", "ethernet", "wire", NULL};

static const struct yaml_field ITEM[] = {
    {"label", YAML_TEXT, offsetof(struct item, label), false, NULL, NULL, 0, NULL},
    {"size", YAML_SIZE, offsetof(struct item, size_bytes), false, NULL, NULL, 0, NULL},
    {NULL, YAML_LINE, offsetof(struct item, line), false, NULL, NULL, 0, NULL},
    {NULL, YAML_END, 0, false, NULL, NULL, 0, NULL},
};
/* The first member of an item in a YAML_DICT is its key, so the fields leave it alone. */
static const struct yaml_field DICT_ITEM[] = {
    {"size", YAML_SIZE, offsetof(struct item, size_bytes), false, NULL, NULL, 0, NULL},
    {NULL, YAML_END, 0, false, NULL, NULL, 0, NULL},
};
static const struct yaml_field FIELDS[] = {
    {"name", YAML_TEXT, offsetof(struct target, name), false, NULL, NULL, 0, NULL},
    {"time", YAML_TIME, offsetof(struct target, time_ns), false, NULL, NULL, 0, NULL},
    {"rate", YAML_RATE, offsetof(struct target, rate_bps), false, NULL, NULL, 0, NULL},
    {"size", YAML_SIZE, offsetof(struct target, size_bytes), false, NULL, NULL, 0, NULL},
    {"count", YAML_COUNT, offsetof(struct target, count), false, NULL, NULL, 0, NULL},
    {"share", YAML_PERCENT, offsetof(struct target, share), false, NULL, NULL, 0, NULL},
    {"number", YAML_NUMBER, offsetof(struct target, number), false, NULL, NULL, 0, NULL},
    {"flag", YAML_BOOL, offsetof(struct target, flag), false, NULL, NULL, 0, NULL},
    {"choice", YAML_CHOICE, offsetof(struct target, choice), false, CHOICES, NULL, 0, NULL},
    {"one", YAML_MAP, offsetof(struct target, one), false, NULL, ITEM, 0, NULL},
    {"list", YAML_LIST, offsetof(struct target, list), false, NULL, ITEM, sizeof(struct item), NULL},
    {"dict", YAML_DICT, offsetof(struct target, dict), false, NULL, DICT_ITEM, sizeof(struct item), NULL},
    {"numbers", YAML_NUMBERS, offsetof(struct target, numbers), false, NULL, NULL, 0, NULL},
    {"texts", YAML_TEXTS, offsetof(struct target, texts), false, NULL, NULL, 0, NULL},
    {NULL, YAML_END, 0, false, NULL, NULL, 0, NULL},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const sections[] = {"file", NULL};
    g_autoptr(GError) error = NULL;
    struct target t = {0};
    struct yaml_doc *doc = yaml_load_text("file.yaml", (const char *)data, size, &error);
    bool ok = doc && yaml_check_sections(doc, sections, &error) && yaml_bind(doc, "file", FIELDS, &t, &error);

    g_assert(ok == (error == NULL));
    g_assert(ok || g_str_has_prefix(error->message, "file.yaml:"));
    yaml_clear(FIELDS, &t);
    yaml_doc_free(doc);
    return 0;
}
