#include "base/yaml_doc.h"
#include "base/error.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FILE_BYTES = 16 << 20, MAX_DEPTH = 64 };

bool yaml_fail(const struct yaml_doc *doc, int line, GError **error, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list args;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s:%d: %s", doc->name, line, what);
    return false;
}

int yaml_line_of(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

const char *yaml_text_of(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static void start_parser(yaml_parser_t *parser, const char *text, size_t length)
{
    if (!yaml_parser_initialize(parser))
        g_error("out of memory");
    yaml_parser_set_input_string(parser, (const unsigned char *)text, length);
}

/* libyaml gives a line for what it scans and parses, but only an offset for characters that it can't read. */
static bool not_yaml(const struct yaml_doc *doc, const yaml_parser_t *parser, const char *text,
                     GError **error)
{
    int line = (int)parser->problem_mark.line + 1;

    if (parser->error == YAML_READER_ERROR) {
        line = 1;
        for (size_t i = 0; i < parser->problem_offset; i++)
            line += text[i] == '\n';
    }
    return yaml_fail(doc, line, error, "not YAML: %s", parser->problem ? parser->problem : "unreadable");
}

/* What an event adds to the depth of nesting. */
static int event_depth(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return 1;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return -1;
    default:
        return 0;
    }
}

static bool event_has_anchor(const yaml_event_t *event)
{
    return event->type == YAML_ALIAS_EVENT ||
           (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor) ||
           (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.anchor) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor);
}

static const char *refusal_of(const yaml_event_t *event, int depth, int documents)
{
    if (documents > 1)
        return "a second document starts here: a file holds one";
    if (event_has_anchor(event))
        return "anchors and aliases (\"&\" and \"*\") are not read here: write the value out";
    if (depth > MAX_DEPTH)
        return "nested too deeply";
    if (event->type == YAML_SCALAR_EVENT &&
        strlen((const char *)event->data.scalar.value) != event->data.scalar.length)
        return "a value holds a NUL character";
    return NULL;
}

/* Refuses, before a document is built, what could make building it endless: aliases let a small file stand for a huge one,
 * and libyaml takes time that grows with the square of the depth. */
static bool check_events(const struct yaml_doc *doc, const char *text, size_t length, GError **error)
{
    yaml_parser_t parser;
    yaml_event_t event;
    int depth = 0, documents = 0;
    bool ok = true, end = false;

    start_parser(&parser, text, length);
    while (ok && !end) {
        const char *why;

        if (!yaml_parser_parse(&parser, &event)) {
            ok = not_yaml(doc, &parser, text, error);
            break;
        }
        depth += event_depth(&event);
        documents += event.type == YAML_DOCUMENT_START_EVENT;
        end = event.type == YAML_STREAM_END_EVENT;
        why = refusal_of(&event, depth, documents);
        if (why)
            ok = yaml_fail(doc, (int)event.start_mark.line + 1, error, "%s", why);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return ok;
}

/* Keys are plain text, and each stands once in its mapping. */
static bool check_keys(struct yaml_doc *doc, const yaml_node_t *map, GError **error)
{
    g_autoptr(GHashTable) keys = g_hash_table_new(g_str_hash, g_str_equal);

    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(&doc->document, p->key);

        if (!yaml_text_of(key))
            return yaml_fail(doc, yaml_line_of(key), error, "a key must be plain text");
        if (!g_hash_table_add(keys, (gpointer)(uintptr_t)yaml_text_of(key)))
            return yaml_fail(doc, yaml_line_of(key), error, "key \"%s\" stands twice", yaml_text_of(key));
    }
    return true;
}

static bool build(struct yaml_doc *doc, const char *text, size_t length, GError **error)
{
    yaml_parser_t parser;
    bool ok;

    start_parser(&parser, text, length);
    ok = yaml_parser_load(&parser, &doc->document);
    if (!ok) {
        memset(&doc->document, 0, sizeof doc->document);
        not_yaml(doc, &parser, text, error);
    }
    yaml_parser_delete(&parser);
    if (!ok)
        return false;
    doc->root = yaml_document_get_root_node(&doc->document);
    if (!doc->root || doc->root->type != YAML_MAPPING_NODE)
        return yaml_fail(doc, 1, error, "expected \"key: value\" lines");
    for (const yaml_node_t *n = doc->document.nodes.start; n < doc->document.nodes.top; n++) {
        if (n->type == YAML_MAPPING_NODE && !check_keys(doc, n, error))
            return false;
    }
    return true;
}

struct yaml_doc *yaml_load_text(const char *name, const char *text, size_t length, GError **error)
{
    struct yaml_doc *doc = g_new0(struct yaml_doc, 1);

    doc->name = g_strdup(name);
    doc->sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
    if (!g_utf8_validate(text, (gssize)length, NULL)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: not UTF-8 text, so not a YAML file",
                    name);
        g_clear_pointer(&doc, yaml_doc_free);
    } else if (!check_events(doc, text, length, error) || !build(doc, text, length, error)) {
        g_clear_pointer(&doc, yaml_doc_free);
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
    g_free(doc->sha256);
    g_free(doc);
}

const char *yaml_name(const struct yaml_doc *doc)
{
    return doc->name;
}

const char *yaml_sha256(const struct yaml_doc *doc)
{
    return doc->sha256;
}

yaml_node_t *yaml_section(const struct yaml_doc *doc, const char *key, int *line)
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
    int line;

    return yaml_section(doc, key, &line) != NULL;
}

int yaml_line(const struct yaml_doc *doc, const char *key)
{
    int line = 0;

    return yaml_section(doc, key, &line) ? line : 0;
}
