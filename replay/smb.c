#include "replay/smb.h"

#include <glib.h>
#include <string.h>

void smb_element_init(struct smb_element *e)
{
    memset(e, 0, sizeof *e);
}

static gunichar next_wide(const uint8_t *b, size_t length, size_t *at)
{
    enum { HIGH = 0xd800, LOW = 0xdc00, END = 0xe000, REPLACEMENT = 0xfffd };
    gunichar unit = (gunichar)(b[*at] | b[*at + 1] << 8), low;

    *at += 2;
    if (unit < HIGH || unit >= END)
        return unit;
    if (unit >= LOW || *at + 2 > length)
        return REPLACEMENT;
    low = (gunichar)(b[*at] | b[*at + 1] << 8);
    if (low < LOW || low >= END)
        return REPLACEMENT;
    *at += 2;
    return 0x10000 + ((unit - HIGH) << 10) + (low - LOW);
}

/* Up to a zero, if there is one. Control characters count as what is no Unicode, for the name will be printed. */
static char *text_of_wide(const uint8_t *b, size_t length)
{
    GString *text = g_string_sized_new(length);

    for (size_t at = 0; at + 2 <= length;) {
        gunichar c = next_wide(b, length, &at);

        if (c == 0)
            break;
        g_string_append_unichar(text, c < ' ' || c == 0x7f ? 0xfffd : c);
    }
    return g_string_free(text, FALSE);
}

static char *text_of_narrow(const uint8_t *b, size_t length)
{
    g_autofree char *bytes = g_strndup((const char *)b, length);

    for (char *c = bytes; *c; c++)
        *c = g_ascii_iscntrl(*c) ? '?' : *c;
    return g_utf8_make_valid(bytes, -1);
}

char *smb_element_name(const struct smb_element *e)
{
    g_autofree char *text =
        e->name_wide ? text_of_wide(e->name, e->name_length) : text_of_narrow(e->name, e->name_length);

    return g_strdup(text[0] == '\\' ? text + 1 : text);
}

bool smb_status_is_error(uint32_t status)
{
    return status >> 30 == 3 && status != SMB_STATUS_MORE_PROCESSING;
}

const char *smb_dialect_name(uint16_t dialect)
{
    switch (dialect) {
    case SMB_DIALECT_1:
        return "SMB1";
    case 0x0202:
        return "2.0.2";
    case 0x0210:
        return "2.1";
    case 0x0300:
        return "3.0";
    case 0x0302:
        return "3.0.2";
    case 0x0311:
        return "3.1.1";
    default:
        return NULL;
    }
}

int smb_version(const uint8_t *bytes, size_t length)
{
    if (length < 4 || memcmp(bytes + 1, "SMB", 3) != 0)
        return 0;
    return bytes[0] == 0xff ? 1 : bytes[0] >= 0xfc ? 2 : 0;
}
