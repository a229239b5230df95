/* YAML files bound to structs by tables.
 *
 * A table lists the keys of a mapping: type, where the value goes, whether it must be there. Whatever is wrong is a
 * COPYTRIAL_ERROR_INPUT that names file and line: unknown keys (with the nearest known one), duplicate and missing
 * keys, values of the wrong kind, wrong or missing units, text that is not UTF-8 or not YAML, a second document, aliases.
 * The caller fills the target with defaults first; keys that are absent leave them alone.
 *
 * Ownership: strings and arrays put into a target are owned by it; yaml_clear() frees them through the same table.
 * Cost: one pass over the document; a file is at most 16 MiB. */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

enum yaml_type {
    YAML_END,     /* closes a table */
    YAML_TEXT,    /* char * */
    YAML_TIME,    /* int64_t ns, with unit */
    YAML_RATE,    /* int64_t bit/s, with unit */
    YAML_SIZE,    /* int64_t bytes, with unit */
    YAML_PERCENT, /* double ratio, written with % */
    YAML_COUNT,   /* int64_t, bare whole number */
    YAML_NUMBER,  /* double, bare */
    YAML_BOOL,    /* bool: true, false, yes, no, on, off */
    YAML_CHOICE,  /* int: index into `choices` */
    YAML_MAP,     /* a nested mapping: `fields`, target at `offset` */
    YAML_LIST,    /* GArray of `item_size` structs, each a mapping bound by `fields` */
    YAML_DICT,    /* as YAML_LIST from a mapping with free keys; the item's first member is the key, char * */
    YAML_NUMBERS, /* GArray of struct yaml_number */
    YAML_TEXTS,   /* GPtrArray of char * */
    YAML_LINE,    /* int: no key of its own; line of the mapping that is being bound */
};

struct yaml_field {
    const char *key;
    enum yaml_type type;
    size_t offset;
    bool required;
    const char *const *choices;      /* YAML_CHOICE, NULL-terminated */
    const struct yaml_field *fields; /* YAML_MAP, YAML_LIST, YAML_DICT */
    size_t item_size;                /* YAML_LIST, YAML_DICT */
    const void *item_default;        /* start value of an item, or NULL for zeroes; holds no owned pointers */
};

struct yaml_number {
    double value;
    int line;
};

struct yaml_doc;

/* Return owned: free with yaml_doc_free() (libyaml's own yaml_free() is another). `name` is what errors call the text. */
struct yaml_doc *yaml_load_file(const char *path, GError **error);
struct yaml_doc *yaml_load_text(const char *name, const char *text, size_t length, GError **error);
void yaml_doc_free(struct yaml_doc *doc);

/* View, valid until yaml_doc_free(). */
const char *yaml_name(const struct yaml_doc *doc);
/* SHA-256 of the text as it was read, in lower-case hex. */
const char *yaml_sha256(const struct yaml_doc *doc);
bool yaml_has(const struct yaml_doc *doc, const char *key);
/* Line of a top-level key, 0 when it is absent. */
int yaml_line(const struct yaml_doc *doc, const char *key);

/* Binds the top-level mapping, or the mapping under the top-level key `section`. On failure the target may be
 * partly filled: yaml_clear() it either way. */
bool yaml_bind(struct yaml_doc *doc, const char *section, const struct yaml_field *fields, void *target,
               GError **error);
/* Refuses top-level keys that are not in the NULL-terminated list. */
bool yaml_check_sections(const struct yaml_doc *doc, const char *const *known, GError **error);
void yaml_clear(const struct yaml_field *fields, void *target);

/* Sets a COPYTRIAL_ERROR_INPUT that begins "name:line: ", and returns false. */
bool yaml_fail(const struct yaml_doc *doc, int line, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* The name of `known` nearest to `text` in edit distance, or NULL when none is near. View into `known`. */
const char *yaml_nearest(const char *text, const char *const *known);

#endif
