#include "report/jsondoc.h"

#include <math.h>
#include <string.h>

/* Where jansson's reading of the lines stands. */
struct feed {
    const struct text_input *in;
    guint next;
    const char *rest; /* of the present line, NULL between lines */
};

static size_t feed_lines(void *buffer, size_t size, void *data)
{
    struct feed *feed = data;
    size_t length;

    if (!feed->rest) {
        if (feed->next >= text_input_count(feed->in))
            return 0;
        feed->rest = text_input_line(feed->in, feed->next++)->text;
    }
    length = MIN(strlen(feed->rest), size - 1);
    memcpy(buffer, feed->rest, length);
    feed->rest += length;
    if (*feed->rest)
        return length;
    feed->rest = NULL;
    ((char *)buffer)[length] = '\n';
    return length + 1;
}

/* The scan walks text that jansson accepted, so brackets and quotes are sound, and no string spans lines. */
struct scan {
    const struct text_input *in;
    GHashTable *lines;
    guint index; /* of the present line */
    const char *p;
};

static void pass_blanks(struct scan *s)
{
    for (;;) {
        s->p += strspn(s->p, " \t\r");
        if (*s->p || s->index + 1 >= text_input_count(s->in))
            return;
        s->p = text_input_line(s->in, ++s->index)->text;
    }
}

static void pass_string(struct scan *s)
{
    for (s->p++; *s->p != '"'; s->p++) {
        if (*s->p == '\\')
            s->p++;
    }
    s->p++;
}

static void pass_scalar(struct scan *s)
{
    if (*s->p == '"')
        pass_string(s);
    else
        s->p += strcspn(s->p, ",]} \t\r");
}

static void mark(struct scan *s, const json_t *value)
{
    int line = text_input_line(s->in, s->index)->number;

    g_hash_table_insert(s->lines, (void *)value, GINT_TO_POINTER(line));
}

/* Document order is jansson's order: objects keep their members as read. */
static void walk(struct scan *s, json_t *value)
{
    const char *key;
    json_t *member;
    size_t i;

    pass_blanks(s);
    mark(s, value);
    if (json_is_object(value)) {
        s->p++;
        json_object_foreach(value, key, member)
        {
            pass_blanks(s);
            pass_string(s);
            pass_blanks(s);
            s->p++; /* : */
            walk(s, member);
            pass_blanks(s);
            s->p += *s->p == ',';
        }
        pass_blanks(s);
        s->p++;
    } else if (json_is_array(value)) {
        s->p++;
        json_array_foreach(value, i, member)
        {
            walk(s, member);
            pass_blanks(s);
            s->p += *s->p == ',';
        }
        pass_blanks(s);
        s->p++;
    } else {
        pass_scalar(s);
    }
}

static bool fail(const struct text_input *in, guint first, const json_error_t *why, GError **error)
{
    guint index = first + (guint)MAX(why->line - 1, 0), last = text_input_count(in) - 1;

    return text_input_fail(in, text_input_line(in, MIN(index, last))->number, error,
                           "isn't JSON at byte %d: %s", why->position, why->text);
}

struct jsondoc *jsondoc_parse(const struct text_input *in, guint first, bool only, GError **error)
{
    struct feed feed = {in, first, NULL};
    struct jsondoc *doc;
    json_error_t why;
    json_t *root = json_load_callback(feed_lines, &feed,
                                      JSON_REJECT_DUPLICATES | (only ? 0 : JSON_DISABLE_EOF_CHECK), &why);
    struct scan scan;

    if (!root) {
        fail(in, first, &why, error);
        return NULL;
    }
    doc = g_new0(struct jsondoc, 1);
    doc->root = root;
    doc->lines = g_hash_table_new(NULL, NULL);
    scan = (struct scan){in, doc->lines, first, text_input_line(in, first)->text};
    walk(&scan, root);
    doc->end = scan.index + 1;
    return doc;
}

void jsondoc_free(struct jsondoc *doc)
{
    if (!doc)
        return;
    json_decref(doc->root);
    g_hash_table_unref(doc->lines);
    g_free(doc);
}

int jsondoc_line(const struct jsondoc *doc, const json_t *value)
{
    if (!value || json_is_boolean(value) || json_is_null(value))
        return 0;
    return GPOINTER_TO_INT(g_hash_table_lookup(doc->lines, value));
}

bool jsondoc_number(const json_t *object, const char *key, double *value)
{
    const json_t *member = json_object_get(object, key);

    if (!json_is_number(member))
        return false;
    *value = json_number_value(member);
    return isfinite(*value);
}

const char *jsondoc_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}
