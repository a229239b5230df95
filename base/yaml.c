#include "base/yaml.h"
#include "base/error.h"
#include "base/units.h"
#include "base/yaml_doc.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static bool bind_map(struct yaml_doc *doc, const yaml_node_t *map, const struct yaml_field *fields,
                     char *target, GError **error);

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
    nearest = yaml_nearest(yaml_text_of(key), (const char *const *)known->pdata);
    if (nearest)
        return yaml_fail(doc, yaml_line_of(key), error, "unknown key \"%s\": did you mean \"%s\"?",
                         yaml_text_of(key), nearest);
    return yaml_fail(doc, yaml_line_of(key), error, "unknown key \"%s\" (known here: %s)", yaml_text_of(key),
                     list->str);
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
        if (strcmp(field->choices[i], yaml_text_of(node)) == 0) {
            *value = i;
            return true;
        }
    }
    nearest = yaml_nearest(yaml_text_of(node), field->choices);
    if (nearest)
        return yaml_fail(doc, yaml_line_of(node), error, "%s: \"%s\" is not a choice: did you mean \"%s\"?",
                         field->key, yaml_text_of(node), nearest);
    list = g_strjoinv(", ", (char **)(uintptr_t)field->choices);
    return yaml_fail(doc, yaml_line_of(node), error, "%s: \"%s\" is not a choice (choices: %s)", field->key,
                     yaml_text_of(node), list);
}

static bool bind_scalar(struct yaml_doc *doc, const yaml_node_t *node, const struct yaml_field *field,
                        void *at, GError **error)
{
    const char *text = yaml_text_of(node);
    g_autoptr(GError) why = NULL;
    bool ok = false;

    if (!text)
        return yaml_fail(doc, yaml_line_of(node), error, "%s: expected a single value", field->key);
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
            return yaml_fail(doc, yaml_line_of(node), error, "%s: \"%s\" is not a number", field->key, text);
        break;
    case YAML_BOOL:
        if (!(ok = bind_bool(text, at)))
            return yaml_fail(doc, yaml_line_of(node), error, "%s: \"%s\" is neither true nor false",
                             field->key, text);
        break;
    default:
        g_assert_not_reached();
    }
    if (!ok)
        return yaml_fail(doc, yaml_line_of(node), error, "%s: %s", field->key, why->message);
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
        return yaml_fail(doc, yaml_line_of(node), error, "%s: expected a list", field->key);
    for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
        const yaml_node_t *child = yaml_document_get_node(&doc->document, *i);

        if (child->type != YAML_MAPPING_NODE)
            return yaml_fail(doc, yaml_line_of(child), error, "%s: expected a mapping ({key: value, ...})",
                             field->key);
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
        return yaml_fail(doc, yaml_line_of(node), error, "%s: expected a mapping", field->key);
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(&doc->document, p->key);
        const yaml_node_t *value = yaml_document_get_node(&doc->document, p->value);
        char *item;

        if (value->type != YAML_MAPPING_NODE)
            return yaml_fail(doc, yaml_line_of(value), error, "%s: expected a mapping ({key: value, ...})",
                             yaml_text_of(key));
        item = append_item(array, field);
        *(char **)(void *)item = g_strdup(yaml_text_of(key));
        if (!bind_map(doc, value, field->fields, item, error))
            return false;
    }
    return true;
}

static bool bind_scalars(struct yaml_doc *doc, const yaml_node_t *node, const struct yaml_field *field,
                         void *at, GError **error)
{
    GPtrArray **texts = at;

    if (node->type != YAML_SEQUENCE_NODE)
        return yaml_fail(doc, yaml_line_of(node), error, "%s: expected a list", field->key);
    /* A list that is there and empty isn't one that is absent. */
    if (field->type == YAML_NUMBERS)
        array_at(at, sizeof(struct yaml_number));
    else if (!*texts)
        *texts = g_ptr_array_new_with_free_func(g_free);
    for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
        const yaml_node_t *child = yaml_document_get_node(&doc->document, *i);
        struct yaml_number number = {0, (int)yaml_line_of(child)};

        if (!yaml_text_of(child))
            return yaml_fail(doc, yaml_line_of(child), error, "%s: expected a plain value", field->key);
        if (field->type == YAML_TEXTS) {
            g_ptr_array_add(*texts, g_strdup(yaml_text_of(child)));
            continue;
        }
        if (!bind_number(yaml_text_of(child), &number.value))
            return yaml_fail(doc, yaml_line_of(child), error, "%s: \"%s\" is not a finite number", field->key,
                             yaml_text_of(child));
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
            return yaml_fail(doc, yaml_line_of(node), error, "%s: expected a mapping", field->key);
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

        field = find_field(fields, yaml_text_of(key), &index);
        if (!field)
            return unknown_key(doc, key, fields, error);
        g_assert(index < 64);
        seen |= UINT64_C(1) << index;
        if (!bind_value(doc, value, field, target, error))
            return false;
    }
    for (const struct yaml_field *f = fields; f->type != YAML_END; f++) {
        if (f->type == YAML_LINE)
            *(int *)(void *)(target + f->offset) = (int)yaml_line_of(map);
        if (f->required && !(seen & (UINT64_C(1) << (f - fields))))
            return yaml_fail(doc, yaml_line_of(map), error, "key \"%s\" is missing", f->key);
    }
    return true;
}

bool yaml_bind(struct yaml_doc *doc, const char *section, const struct yaml_field *fields, void *target,
               GError **error)
{
    int line = 1;
    const yaml_node_t *node = section ? yaml_section(doc, section, &line) : doc->root;

    if (!node) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: has no section \"%s:\"", doc->name,
                    section);
        return false;
    }
    if (node->type != YAML_MAPPING_NODE)
        return yaml_fail(doc, line, error, "%s: expected a mapping", section);
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

        if (g_strv_contains(known, yaml_text_of(k)))
            continue;
        nearest = yaml_nearest(yaml_text_of(k), known);
        if (nearest)
            return yaml_fail(doc, yaml_line_of(k), error, "unknown section \"%s\": did you mean \"%s\"?",
                             yaml_text_of(k), nearest);
        list = g_strjoinv(", ", (char **)(uintptr_t)known);
        return yaml_fail(doc, yaml_line_of(k), error, "unknown section \"%s\" (known: %s)", yaml_text_of(k),
                         list);
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
