#include "base/yaml_doc.h"
#include "base/error.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FILE_BYTES = 16 << 20 };

bool yaml_fail(const struct yaml_doc *doc, size_t line, GError **error, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list args;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s:%zu: %s", doc->name, line, what);
    return false;
}

size_t yaml_line_of(const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

const char *yaml_text_of(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* Counts how often each node is used. An anchored node that aliases repeat is used more than once: the document is then
 * no tree, and a small file could stand for a huge or an endless one. */
static bool use_once(struct yaml_doc *doc, GByteArray *used, int index, GError **error)
{
    const yaml_node_t *node = yaml_document_get_node(&doc->document, index);

    if (used->data[index - 1]++ == 0)
        return true;
    return yaml_fail(doc, yaml_line_of(node), error,
                     "a value with an anchor is used again: write it out (no \"&\" or \"*\")");
}

static bool check_keys(struct yaml_doc *doc, const yaml_node_t *map, GByteArray *used, GError **error)
{
    g_autoptr(GHashTable) keys = g_hash_table_new(g_str_hash, g_str_equal);

    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(&doc->document, p->key);

        if (!use_once(doc, used, p->key, error) || !use_once(doc, used, p->value, error))
            return false;
        if (!yaml_text_of(key))
            return yaml_fail(doc, yaml_line_of(key), error, "a key must be plain text");
        if (!g_hash_table_add(keys, (gpointer)(uintptr_t)yaml_text_of(key)))
            return yaml_fail(doc, yaml_line_of(key), error, "key \"%s\" stands twice", yaml_text_of(key));
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
        if (n->type == YAML_SCALAR_NODE && strlen(yaml_text_of(n)) != n->data.scalar.length)
            return yaml_fail(doc, yaml_line_of(n), error, "a value holds a NUL character");
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
    return yaml_fail(doc, line, error, "not YAML: %s", parser->problem ? parser->problem : "unreadable");
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
        return yaml_fail(doc, 1, error, "expected \"key: value\" lines");
    if (!yaml_parser_load(parser, &second))
        return not_yaml(doc, parser, text, error);
    more = yaml_document_get_root_node(&second);
    line = second.start_mark.line + 1;
    yaml_document_delete(&second);
    if (more)
        return yaml_fail(doc, line, error, "a second document starts here: a file holds one");
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

yaml_node_t *yaml_section(const struct yaml_doc *doc, const char *key, size_t *line)
{
    yaml_document_t *document = (yaml_document_t *)(uintptr_t)&doc->document; /* look-ups don't change it */

    for (yaml_node_pair_t *p = doc->root->data.mapping.pairs.start; p < doc->root->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *k = yaml_document_get_node(document, p->key);

        if (strcmp(yaml_text_of(k), key) == 0) {
            *line = yaml_line_of(k);
            return yaml_document_get_node(document, p->value);
        }
    }
    return NULL;
}

bool yaml_has(const struct yaml_doc *doc, const char *key)
{
    size_t line;

    return yaml_section(doc, key, &line) != NULL;
}

int yaml_line(const struct yaml_doc *doc, const char *key)
{
    size_t line = 0;

    return yaml_section(doc, key, &line) ? (int)line : 0;
}
