#include "replay/smb2_key_list.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS = 4, SESSION_ID = 8, FILE_MAX = 1 << 20 };

/* Where a message says that something is wrong. */
struct place {
    const char *name;
    int line;
};

static const char *const FIELD_NAMES[FIELDS] = {"session id", "session key", "server-to-client key",
                                                "client-to-server key"};

static bool refuse(const struct place *p, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool refuse(const struct place *p, GError **error, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list arguments;

    va_start(arguments, format);
    what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s:%d: %s", p->name, p->line, what);
    return false;
}

/* A field without its blanks and quotes, in place. */
static char *bare(char *field)
{
    size_t length;

    g_strstrip(field);
    length = strlen(field);
    if (length >= 2 && field[0] == '"' && field[length - 1] == '"') {
        field[length - 1] = '\0';
        field++;
    }
    return field;
}

static bool parse_hex(const struct place *p, const char *what, const char *field, uint8_t *out, size_t most,
                      size_t *length, GError **error)
{
    size_t digits = strlen(field);

    if (digits % 2 > 0 || digits != strspn(field, "0123456789abcdefABCDEF"))
        return refuse(p, error, "the %s must be an even number of hexadecimal digits", what);
    if (digits / 2 > most)
        return refuse(p, error, "the %s has %zu bytes: %zu are the most", what, digits / 2, most);
    for (size_t i = 0; i < digits / 2; i++)
        out[i] = (uint8_t)(g_ascii_xdigit_value(field[2 * i]) << 4 | g_ascii_xdigit_value(field[2 * i + 1]));
    *length = digits / 2;
    return true;
}

static bool check_lengths(const struct place *p, const struct smb2_key_entry *e, size_t id_bytes,
                          size_t client_bytes, size_t server_bytes, GError **error)
{
    if (id_bytes != SESSION_ID)
        return refuse(p, error, "the session id must be 16 hexadecimal digits");
    if (client_bytes != server_bytes)
        return refuse(p, error, "the two keys by direction must both be given, with equal lengths");
    if (client_bytes > 0 && client_bytes != 16 && client_bytes != 32)
        return refuse(p, error, "a key by direction must be 32 or 64 hexadecimal digits");
    if (e->session_key_bytes == 0 && client_bytes == 0)
        return refuse(p, error, "holds no key: a session key, or one for each direction, is needed");
    return true;
}

static bool parse_line(const struct place *p, char *line, struct smb2_key_entry *e, GError **error)
{
    g_auto(GStrv) fields = g_strsplit(line, ",", -1);
    uint8_t id[SESSION_ID] = {0};
    size_t lengths[FIELDS] = {0};
    uint8_t *const to[FIELDS] = {id, e->session_key, e->keys.server, e->keys.client};
    const size_t most[FIELDS] = {sizeof id, SMB2_SESSION_KEY_MAX, SMB2_KEY_MAX, SMB2_KEY_MAX};

    if (g_strv_length(fields) > FIELDS)
        return refuse(p, error, "has more than the four fields id, session key and the keys by direction");
    for (int i = 0; fields[i]; i++) {
        if (!parse_hex(p, FIELD_NAMES[i], bare(fields[i]), to[i], most[i], &lengths[i], error))
            return false;
    }
    for (int i = SESSION_ID - 1; i >= 0; i--)
        e->session_id = e->session_id << 8 | id[i];
    e->session_key_bytes = lengths[1];
    e->key_bytes = lengths[2];
    return check_lengths(p, e, lengths[0], lengths[3], lengths[2], error);
}

GArray *smb2_key_list_parse(const char *name, const char *text, GError **error)
{
    g_autoptr(GArray) list = g_array_new(FALSE, TRUE, sizeof(struct smb2_key_entry));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    struct place p = {name, 0};

    for (char **line = lines; *line; line++) {
        struct smb2_key_entry e = {0};

        p.line++;
        g_strstrip(*line);
        if (**line == '\0' || **line == '#')
            continue;
        if (!parse_line(&p, *line, &e, error))
            return NULL;
        g_array_append_val(list, e);
    }
    if (list->len == 0) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: holds no session keys", name);
        return NULL;
    }
    return g_steal_pointer(&list);
}

/* All of a file, which is a small one. Returns owned. */
static char *read_text(const char *path, GError **error)
{
    FILE *f = fopen(path, "rb");
    g_autofree char *text = g_malloc(FILE_MAX + 1);
    size_t length = f ? fread(text, 1, FILE_MAX + 1, f) : 0;
    int reason = !f || ferror(f) ? errno : 0;

    if (f)
        fclose(f);
    if (reason) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: can't be read: %s", path,
                    g_strerror(reason));
        return NULL;
    }
    if (length > FILE_MAX || memchr(text, '\0', length)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: is not a list of session keys", path);
        return NULL;
    }
    text[length] = '\0';
    return g_steal_pointer(&text);
}

GArray *smb2_key_list_read(const char *path, GError **error)
{
    g_autofree char *text = read_text(path, error);

    return text ? smb2_key_list_parse(path, text, error) : NULL;
}
