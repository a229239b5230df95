#include "base/yaml.h"
#include "base/error.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { MAX_FILE_BYTES = 16 << 20 };

struct yaml_doc {
    char *name;
    yaml_document_t document;
    yaml_node_t *root;
};

static bool bind_map(struct yaml_doc *doc, const yaml_node_t *map, const struct yaml_field *fields,
                     char *target, GError **error);

static bool fail(const struct yaml_doc *doc, size_t line, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

static bool fail(const struct yaml_doc *doc, size_t line, GError **error, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list args;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s:%zu: %s", doc->name, line, what);
    return false;
}

static size_t line_of(const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

static const char *text_of(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* Levenshtein distance, one row at a time. Keys are short. */
static size_t distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    size_t row[64];

    if (la >= G_N_ELEMENTS(row) || lb >= G_N_ELEMENTS(row))
        return G_MAXSIZE;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = MIN(change, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[lb];
}

const char *yaml_nearest(const char *text, const char *const *known)
{
    const char *best = NULL;
    size_t best_distance = G_MAXSIZE;

    for (; *known; known++) {
        size_t d = distance(text, *known);

        if (d < best_distance && d <= MAX(1, strlen(*known) / 2)) {
            best = *known;
            best_distance = d;
        }
    }
    return best;
}

static bool unknown_key(const struct yaml_doc *doc, const yaml_node_t *key, const struct yaml_field *fields,
                        GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    g_autoptr(GString) list = g_string_new(NULL);
    const char *nearest;

    for (const struct yaml_field *f = fields; f->type != YAML_END; f++) {
        if (!f->key)
            continue;
        g_ptr_array_add(known, (gpointer)(uintptr_t)f->key);
        g_string_append_printf(list, "%s%s", list->len ? ", " : "", f->key);
    }
    g_ptr_array_add(known, NULL);
    nearest = yaml_nearest(text_of(key), (const char *const *)known->pdata);
    if (nearest)
        return fail(doc, line_of(key), error, "unknown key \"%s\": did you mean \"%s\"?", text_of(key),
                    nearest);
    return fail(doc, line_of(key), error, "unknown key \"%s\" (known here: %s)", text_of(key), list->str);
}

static bool bind_bool(const char *text, bool *value)
{
    static const char *const yes[] = {"true", "yes", "on", NULL};
    static const char *const no[] = {"false", "no", "off", NULL};

    *value = g_strv_contains(yes, text);
    return *value || g_strv_contains(no, text);
}

static bool bind_number(const char *text, double *value)
{
    char *end;

    *value = g_ascii_strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static bool bind_choice(struct yaml_doc *doc, const yaml_node_t *node, const struct yaml_field *field,
                        int *value, GError **error)
{
    const char *nearest;
    g_autofree char *list = NULL;

    for (int i = 0; field->choices[i]; i++) {
        if (strcmp(field->choices[i], text_of(node)) == 0) {
            *value = i;
            return true;
        }
    }
    nearest = yaml_nearest(text_of(node), field->choices);
    if (nearest)
        return fail(doc, line_of(node), error, "%s: \"%s\" is not a choice: did you mean \"%s\"?", field->key,
                    text_of(node), nearest);
    list = g_strjoinv(", ", (char **)(uintptr_t)field->choices);
    return fail(doc, line_of(node), error, "%s: \"%s\" is not a choice (choices: %s)", field->key,
                text_of(node), list);
}

static bool bind_scalar(struct yaml_doc *doc, const yaml_node_t *node, const struct yaml_field *field,
                        void *at, GError **error)
{
    const char *text = text_of(node);
    g_autoptr(GError) why = NULL;
    bool ok = false;

    if (!text)
        return fail(doc, line_of(node), error, "%s: expected a single value", field->key);
    switch (field->type) {
    case YAML_TEXT:
        g_free(*(char **)at);
        *(char **)at = g_strdup(text);
        return true;
    case YAML_CHOICE:
        return bind_choice(doc, node, field, at, error);
    case YAML_TIME:
        ok = units_parse_time(text, at, &why);
        break;
    case YAML_RATE:
        ok = units_parse_rate(text, at, &why);
        break;
    case YAML_SIZE:
        ok = units_parse_size(text, at, &why);
        break;
    case YAML_PERCENT:
        ok = units_parse_percent(text, at, &why);
        break;
    case YAML_COUNT:
        ok = units_parse_count(text, at, &why);
        break;
    case YAML_NUMBER:
        if (!(ok = bind_number(text, at)))
            return fail(doc, line_of(node), error, "%s: \"%s\" is not a number", field->key, text);
        break;
    case YAML_BOOL:
        if (!(ok = bind_bool(text, at)))
            return fail(doc, line_of(node), error, "%s: \"%s\" is neither true nor false", field->key, text);
        break;
    default:
        g_assert_not_reached();
    }
    if (!ok)
        return fail(doc, line_of(node), error, "%s: %s", field->key, why->message);
    return true;
}

static GArray *array_at(void *at, size_t item_size)
{
    GArray **slot = at;

    if (!*slot)
        *slot = g_array_new(FALSE, TRUE, (guint)item_size);
    return *slot;
}

static char *append_item(GArray *array, const struct yaml_field *field)
{
    char *item;

    g_array_set_size(array, array->len + 1);
    item = array->data + (size_t)(array->len - 1) * field->item_size;
    if (field->item_default)
        memcpy(item, field->item_default, field->item_size);
    return item;
}

static bool bind_list(struct yaml_doc *doc, const yaml_node_t *node, const struct yaml_field *field, void *at,
                      GError **error)
{
    GArray *array = array_at(at, field->item_size);

    if (node->type != YAML_SEQUENCE_NODE)
        return fail(doc, line_of(node), error, "%s: expected a list", field->key);
    for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
        const yaml_node_t *child = yaml_document_get_node(&doc->document, *i);

        if (child->type != YAML_MAPPING_NODE)
            return fail(doc, line_of(child), error, "%s: expected a mapping ({key: value, ...})", field->key);
        if (!bind_map(doc, child, field->fields, append_item(array, field), error))
            return false;
    }
    return true;
}

static bool bind_dict(struct yaml_doc *doc, const yaml_node_t *node, const struct yaml_field *field, void *at,
                      GError **error)
{
    GArray *array = array_at(at, field->item_size);

    if (node->type != YAML_MAPPING_NODE)
        return fail(doc, line_of(node), error, "%s: expected a mapping", field->key);
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(&doc->document, p->key);
        const yaml_node_t *value = yaml_document_get_node(&doc->document, p->value);
        char *item;

        if (value->type != YAML_MAPPING_NODE)
            return fail(doc, line_of(value), error, "%s: expected a mapping ({key: value, ...})",
                        text_of(key));
        item = append_item(array, field);
        *(char **)(void *)item = g_strdup(text_of(key));
        if (!bind_map(doc, value, field->fields, item, error))
            return false;
    }
    return true;
}

static bool bind_scalars(struct yaml_doc *doc, const yaml_node_t *node, const struct yaml_field *field,
                         void *at, GError **error)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return fail(doc, line_of(node), error, "%s: expected a list", field->key);
    for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
        const yaml_node_t *child = yaml_document_get_node(&doc->document, *i);
        struct yaml_number number = {0, (int)line_of(child)};

        if (!text_of(child))
            return fail(doc, line_of(child), error, "%s: expected a plain value", field->key);
        if (field->type == YAML_TEXTS) {
            GPtrArray **texts = at;

            if (!*texts)
                *texts = g_ptr_array_new_with_free_func(g_free);
            g_ptr_array_add(*texts, g_strdup(text_of(child)));
            continue;
        }
        if (!bind_number(text_of(child), &number.value))
            return fail(doc, line_of(child), error, "%s: \"%s\" is not a finite number", field->key,
                        text_of(child));
        g_array_append_val(array_at(at, sizeof number), number);
    }
    return true;
}

static bool bind_value(struct yaml_doc *doc, const yaml_node_t *node, const struct yaml_field *field,
                       char *target, GError **error)
{
    void *at = target + field->offset;

    switch (field->type) {
    case YAML_MAP:
        if (node->type != YAML_MAPPING_NODE)
            return fail(doc, line_of(node), error, "%s: expected a mapping", field->key);
        return bind_map(doc, node, field->fields, at, error);
    case YAML_LIST:
        return bind_list(doc, node, field, at, error);
    case YAML_DICT:
        return bind_dict(doc, node, field, at, error);
    case YAML_NUMBERS:
    case YAML_TEXTS:
        return bind_scalars(doc, node, field, at, error);
    default:
        return bind_scalar(doc, node, field, at, error);
    }
}

static const struct yaml_field *find_field(const struct yaml_field *fields, const char *key, size_t *index)
{
    for (const struct yaml_field *f = fields; f->type != YAML_END; f++) {
        if (f->key && strcmp(f->key, key) == 0) {
            *index = (size_t)(f - fields);
            return f;
        }
    }
    return NULL;
}

static bool bind_map(struct yaml_doc *doc, const yaml_node_t *map, const struct yaml_field *fields,
                     char *target, GError **error)
{
    uint64_t seen = 0;
    size_t index;

    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(&doc->document, p->key);
        const yaml_node_t *value = yaml_document_get_node(&doc->document, p->value);
        const struct yaml_field *field;

        field = find_field(fields, text_of(key), &index);
        if (!field)
            return unknown_key(doc, key, fields, error);
        g_assert(index < 64);
        seen |= UINT64_C(1) << index;
        if (!bind_value(doc, value, field, target, error))
            return false;
    }
    for (const struct yaml_field *f = fields; f->type != YAML_END; f++) {
        if (f->type == YAML_LINE)
            *(int *)(void *)(target + f->offset) = (int)line_of(map);
        if (f->required && !(seen & (UINT64_C(1) << (f - fields))))
            return fail(doc, line_of(map), error, "key \"%s\" is missing", f->key);
    }
    return true;
}

/* Counts how often each node is used. An anchored node that aliases repeat is used more than once: the document is then
 * no tree, and a small file could stand for a huge or an endless one. */
static bool use_once(struct yaml_doc *doc, GByteArray *used, int index, GError **error)
{
    const yaml_node_t *node = yaml_document_get_node(&doc->document, index);

    if (used->data[index - 1]++ == 0)
        return true;
    return fail(doc, line_of(node), error,
                "a value with an anchor is used again: write it out (no \"&\" or \"*\")");
}

static bool check_keys(struct yaml_doc *doc, const yaml_node_t *map, GByteArray *used, GError **error)
{
    g_autoptr(GHashTable) keys = g_hash_table_new(g_str_hash, g_str_equal);

    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(&doc->document, p->key);

        if (!use_once(doc, used, p->key, error) || !use_once(doc, used, p->value, error))
            return false;
        if (!text_of(key))
            return fail(doc, line_of(key), error, "a key must be plain text");
        if (!g_hash_table_add(keys, (gpointer)(uintptr_t)text_of(key)))
            return fail(doc, line_of(key), error, "key \"%s\" stands twice", text_of(key));
    }
    return true;
}

/* What holds for every file, whatever its keys: a tree of mappings with distinct plain keys, and text that a C string
 * can hold. */
static bool check_nodes(struct yaml_doc *doc, GError **error)
{
    size_t count = (size_t)(doc->document.nodes.top - doc->document.nodes.start);
    g_autoptr(GByteArray) used = g_byte_array_sized_new((guint)count);

    g_byte_array_set_size(used, (guint)count);
    memset(used->data, 0, count);
    for (const yaml_node_t *n = doc->document.nodes.start; n < doc->document.nodes.top; n++) {
        if (n->type == YAML_SCALAR_NODE && strlen(text_of(n)) != n->data.scalar.length)
            return fail(doc, line_of(n), error, "a value holds a NUL character");
        if (n->type == YAML_MAPPING_NODE && !check_keys(doc, n, used, error))
            return false;
        if (n->type != YAML_SEQUENCE_NODE)
            continue;
        for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
            if (!use_once(doc, used, *i, error))
                return false;
        }
    }
    return true;
}

/* libyaml gives a line for what it scans and parses, but only an offset for characters that it can't read. */
static bool not_yaml(const struct yaml_doc *doc, const yaml_parser_t *parser, const char *text,
                     GError **error)
{
    size_t line = parser->problem_mark.line + 1;

    if (parser->error == YAML_READER_ERROR) {
        line = 1;
        for (size_t i = 0; i < parser->problem_offset; i++)
            line += text[i] == '\n';
    }
    return fail(doc, line, error, "not YAML: %s", parser->problem ? parser->problem : "unreadable");
}

static bool load(struct yaml_doc *doc, yaml_parser_t *parser, const char *text, GError **error)
{
    yaml_document_t second;
    yaml_node_t *more;
    size_t line;

    if (!yaml_parser_load(parser, &doc->document)) {
        memset(&doc->document, 0, sizeof doc->document);
        return not_yaml(doc, parser, text, error);
    }
    doc->root = yaml_document_get_root_node(&doc->document);
    if (!doc->root || doc->root->type != YAML_MAPPING_NODE)
        return fail(doc, 1, error, "expected \"key: value\" lines");
    if (!yaml_parser_load(parser, &second))
        return not_yaml(doc, parser, text, error);
    more = yaml_document_get_root_node(&second);
    line = second.start_mark.line + 1;
    yaml_document_delete(&second);
    if (more)
        return fail(doc, line, error, "a second document starts here: a file holds one");
    return check_nodes(doc, error);
}

static bool parse(struct yaml_doc *doc, const char *text, size_t length, GError **error)
{
    yaml_parser_t parser;
    bool ok;

    if (!g_utf8_validate(text, (gssize)length, NULL)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: not UTF-8 text, so not a YAML file",
                    doc->name);
        return false;
    }
    if (!yaml_parser_initialize(&parser))
        g_error("out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    ok = load(doc, &parser, text, error);
    yaml_parser_delete(&parser);
    return ok;
}

struct yaml_doc *yaml_load_text(const char *name, const char *text, size_t length, GError **error)
{
    struct yaml_doc *doc = g_new0(struct yaml_doc, 1);

    doc->name = g_strdup(name);
    if (!parse(doc, text, length, error)) {
        yaml_doc_free(doc);
        return NULL;
    }
    return doc;
}

/* Reads at most one byte more than is allowed, so that a device or a pipe without end stops too. Returns owned, or NULL
 * with errno. */
static GByteArray *read_capped(const char *path)
{
    GByteArray *bytes;
    guint8 chunk[65536];
    size_t n;
    FILE *f = fopen(path, "rb");
    int code;

    if (!f)
        return NULL;
    bytes = g_byte_array_sized_new(sizeof chunk);
    while (bytes->len <= MAX_FILE_BYTES && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
        g_byte_array_append(bytes, chunk, (guint)n);
    code = ferror(f) ? errno : 0;
    fclose(f);
    if (code)
        g_clear_pointer(&bytes, g_byte_array_unref);
    errno = code;
    return bytes;
}

struct yaml_doc *yaml_load_file(const char *path, GError **error)
{
    g_autoptr(GByteArray) bytes = read_capped(path);

    if (!bytes) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: can't be read: %s", path,
                    g_strerror(errno));
        return NULL;
    }
    if (bytes->len > MAX_FILE_BYTES) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "%s: too large for a YAML file of ours (16 MiB)", path);
        return NULL;
    }
    return yaml_load_text(path, (const char *)bytes->data, bytes->len, error);
}

void yaml_doc_free(struct yaml_doc *doc)
{
    if (!doc)
        return;
    yaml_document_delete(&doc->document);
    g_free(doc->name);
    g_free(doc);
}

const char *yaml_name(const struct yaml_doc *doc)
{
    return doc->name;
}

static yaml_node_t *find_section(const struct yaml_doc *doc, const char *key, size_t *line)
{
    yaml_document_t *document = (yaml_document_t *)(uintptr_t)&doc->document; /* look-ups don't change it */

    for (yaml_node_pair_t *p = doc->root->data.mapping.pairs.start; p < doc->root->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *k = yaml_document_get_node(document, p->key);

        if (strcmp(text_of(k), key) == 0) {
            *line = line_of(k);
            return yaml_document_get_node(document, p->value);
        }
    }
    return NULL;
}

bool yaml_has(const struct yaml_doc *doc, const char *key)
{
    size_t line;

    return find_section(doc, key, &line) != NULL;
}

int yaml_line(const struct yaml_doc *doc, const char *key)
{
    size_t line = 0;

    return find_section(doc, key, &line) ? (int)line : 0;
}

bool yaml_bind(struct yaml_doc *doc, const char *section, const struct yaml_field *fields, void *target,
               GError **error)
{
    size_t line = 1;
    const yaml_node_t *node = section ? find_section(doc, section, &line) : doc->root;

    if (!node) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: has no section \"%s:\"", doc->name,
                    section);
        return false;
    }
    if (node->type != YAML_MAPPING_NODE)
        return fail(doc, line, error, "%s: expected a mapping", section);
    return bind_map(doc, node, fields, target, error);
}

bool yaml_check_sections(const struct yaml_doc *doc, const char *const *known, GError **error)
{
    yaml_document_t *document = (yaml_document_t *)(uintptr_t)&doc->document;

    for (yaml_node_pair_t *p = doc->root->data.mapping.pairs.start; p < doc->root->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *k = yaml_document_get_node(document, p->key);
        const char *nearest;
        g_autofree char *list = NULL;

        if (g_strv_contains(known, text_of(k)))
            continue;
        nearest = yaml_nearest(text_of(k), known);
        if (nearest)
            return fail(doc, line_of(k), error, "unknown section \"%s\": did you mean \"%s\"?", text_of(k),
                        nearest);
        list = g_strjoinv(", ", (char **)(uintptr_t)known);
        return fail(doc, line_of(k), error, "unknown section \"%s\" (known: %s)", text_of(k), list);
    }
    return true;
}

void yaml_clear(const struct yaml_field *fields, void *target)
{
    for (const struct yaml_field *f = fields; f->type != YAML_END; f++) {
        void *at = (char *)target + f->offset;

        switch (f->type) {
        case YAML_TEXT:
            g_clear_pointer((char **)at, g_free);
            break;
        case YAML_MAP:
            yaml_clear(f->fields, at);
            break;
        case YAML_LIST:
        case YAML_DICT: {
            GArray *array = *(GArray **)at;

            for (guint i = 0; array && i < array->len; i++) {
                char *item = array->data + (size_t)i * f->item_size;

                if (f->type == YAML_DICT)
                    g_clear_pointer((char **)(void *)item, g_free);
                yaml_clear(f->fields, item);
            }
            g_clear_pointer((GArray **)at, g_array_unref);
            break;
        }
        case YAML_NUMBERS:
            g_clear_pointer((GArray **)at, g_array_unref);
            break;
        case YAML_TEXTS:
            g_clear_pointer((GPtrArray **)at, g_ptr_array_unref);
            break;
        default:
            break;
        }
    }
}
