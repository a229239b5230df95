/* A list of session keys: either read, or refused with a sentence that names the place. */
#include "tests/fuzz/fuzz.h"
#include "replay/smb2_key_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) list = smb2_key_list_parse("keys", text, &error);

    g_assert((list == NULL) == (error != NULL));
    g_assert(!list || list->len > 0);
    g_assert(!error || g_str_has_prefix(error->message, "keys:"));
    return 0;
}
