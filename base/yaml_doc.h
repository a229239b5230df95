/* A loaded YAML document, as yaml_load.c makes it and yaml.c binds it. Private to the two.
 *
 * What holds for every document: its root is a mapping; every key is plain text and stands once in its mapping; there
 * are no aliases, so the nodes are a tree, at most 64 deep; no value holds a NUL. */
#ifndef BASE_YAML_DOC_H
#define BASE_YAML_DOC_H

#include "base/yaml.h"

#include <yaml.h>

struct yaml_doc {
    char *name;
    char *sha256;
    yaml_document_t document;
    yaml_node_t *root;
};

/* 1-based. */
int yaml_line_of(const yaml_node_t *node);
/* View of a scalar's text, NULL for a list or a mapping. */
const char *yaml_text_of(const yaml_node_t *node);
/* The value under a top-level key and the key's line, or NULL. */
yaml_node_t *yaml_section(const struct yaml_doc *doc, const char *key, int *line);

#endif
