#include "replay/status_name.h"

#include <glib.h>
#include <stdbool.h>

struct status_row {
    uint32_t status;
    const char *name;
};

static const struct status_row ROWS[] = {
    {0xc0000001, "STATUS_UNSUCCESSFUL"},
    {0xc0000002, "STATUS_NOT_IMPLEMENTED"},
    {0xc0000003, "STATUS_INVALID_INFO_CLASS"},
    {0xc0000004, "STATUS_INFO_LENGTH_MISMATCH"},
    {0xc0000005, "STATUS_ACCESS_VIOLATION"},
    {0xc0000008, "STATUS_INVALID_HANDLE"},
    {0xc000000d, "STATUS_INVALID_PARAMETER"},
    {0xc000000e, "STATUS_NO_SUCH_DEVICE"},
    {0xc000000f, "STATUS_NO_SUCH_FILE"},
    {0xc0000010, "STATUS_INVALID_DEVICE_REQUEST"},
    {0xc0000011, "STATUS_END_OF_FILE"},
    {0xc0000016, "STATUS_MORE_PROCESSING_REQUIRED"},
    {0xc0000017, "STATUS_NO_MEMORY"},
    {0xc0000022, "STATUS_ACCESS_DENIED"},
    {0xc0000023, "STATUS_BUFFER_TOO_SMALL"},
    {0xc0000024, "STATUS_OBJECT_TYPE_MISMATCH"},
    {0xc0000033, "STATUS_OBJECT_NAME_INVALID"},
    {0xc0000034, "STATUS_OBJECT_NAME_NOT_FOUND"},
    {0xc0000035, "STATUS_OBJECT_NAME_COLLISION"},
    {0xc0000039, "STATUS_OBJECT_PATH_INVALID"},
    {0xc000003a, "STATUS_OBJECT_PATH_NOT_FOUND"},
    {0xc000003b, "STATUS_OBJECT_PATH_SYNTAX_BAD"},
    {0xc000003e, "STATUS_DATA_ERROR"},
    {0xc0000043, "STATUS_SHARING_VIOLATION"},
    {0xc0000044, "STATUS_QUOTA_EXCEEDED"},
    {0xc000004f, "STATUS_EAS_NOT_SUPPORTED"},
    {0xc0000054, "STATUS_FILE_LOCK_CONFLICT"},
    {0xc0000055, "STATUS_LOCK_NOT_GRANTED"},
    {0xc0000056, "STATUS_DELETE_PENDING"},
    {0xc0000061, "STATUS_PRIVILEGE_NOT_HELD"},
    {0xc000006a, "STATUS_WRONG_PASSWORD"},
    {0xc000006c, "STATUS_PASSWORD_RESTRICTION"},
    {0xc000006d, "STATUS_LOGON_FAILURE"},
    {0xc000006e, "STATUS_ACCOUNT_RESTRICTION"},
    {0xc0000071, "STATUS_PASSWORD_EXPIRED"},
    {0xc0000072, "STATUS_ACCOUNT_DISABLED"},
    {0xc000007e, "STATUS_RANGE_NOT_LOCKED"},
    {0xc000007f, "STATUS_DISK_FULL"},
    {0xc000009a, "STATUS_INSUFFICIENT_RESOURCES"},
    {0xc000009c, "STATUS_DEVICE_DATA_ERROR"},
    {0xc00000a2, "STATUS_MEDIA_WRITE_PROTECTED"},
    {0xc00000ab, "STATUS_INSTANCE_NOT_AVAILABLE"},
    {0xc00000ac, "STATUS_PIPE_NOT_AVAILABLE"},
    {0xc00000ae, "STATUS_PIPE_BUSY"},
    {0xc00000b0, "STATUS_PIPE_DISCONNECTED"},
    {0xc00000b1, "STATUS_PIPE_CLOSING"},
    {0xc00000b5, "STATUS_IO_TIMEOUT"},
    {0xc00000ba, "STATUS_FILE_IS_A_DIRECTORY"},
    {0xc00000bb, "STATUS_NOT_SUPPORTED"},
    {0xc00000c3, "STATUS_INVALID_NETWORK_RESPONSE"},
    {0xc00000c9, "STATUS_NETWORK_NAME_DELETED"},
    {0xc00000ca, "STATUS_NETWORK_ACCESS_DENIED"},
    {0xc00000cb, "STATUS_BAD_DEVICE_TYPE"},
    {0xc00000cc, "STATUS_BAD_NETWORK_NAME"},
    {0xc00000d0, "STATUS_REQUEST_NOT_ACCEPTED"},
    {0xc00000e3, "STATUS_INVALID_OPLOCK_PROTOCOL"},
    {0xc0000101, "STATUS_DIRECTORY_NOT_EMPTY"},
    {0xc0000102, "STATUS_FILE_CORRUPT_ERROR"},
    {0xc0000103, "STATUS_NOT_A_DIRECTORY"},
    {0xc0000107, "STATUS_FILES_OPEN"},
    {0xc000010d, "STATUS_CANNOT_IMPERSONATE"},
    {0xc0000120, "STATUS_CANCELLED"},
    {0xc0000121, "STATUS_CANNOT_DELETE"},
    {0xc0000123, "STATUS_FILE_DELETED"},
    {0xc0000128, "STATUS_FILE_CLOSED"},
    {0xc000014b, "STATUS_PIPE_BROKEN"},
    {0xc0000184, "STATUS_INVALID_DEVICE_STATE"},
    {0xc000018b, "STATUS_NO_TRUST_SAM_ACCOUNT"},
    {0xc000018d, "STATUS_TRUSTED_RELATIONSHIP_FAILURE"},
    {0xc0000193, "STATUS_ACCOUNT_EXPIRED"},
    {0xc0000203, "STATUS_USER_SESSION_DELETED"},
    {0xc0000205, "STATUS_INSUFF_SERVER_RESOURCES"},
    {0xc000020c, "STATUS_CONNECTION_DISCONNECTED"},
    {0xc000020d, "STATUS_CONNECTION_RESET"},
    {0xc0000224, "STATUS_PASSWORD_MUST_CHANGE"},
    {0xc0000225, "STATUS_NOT_FOUND"},
    {0xc0000234, "STATUS_ACCOUNT_LOCKED_OUT"},
    {0xc0000257, "STATUS_PATH_NOT_COVERED"},
    {0xc000026e, "STATUS_VOLUME_DISMOUNTED"},
    {0xc0000275, "STATUS_NOT_A_REPARSE_POINT"},
    {0xc000035c, "STATUS_NETWORK_SESSION_EXPIRED"},
    {0xc0000466, "STATUS_SERVER_UNAVAILABLE"},
    {0xc0000467, "STATUS_FILE_NOT_AVAILABLE"},
};

/* NT errors have the two highest bits set; a DOS error has its class in the lowest byte and its code in the upper half. */
static bool is_dos(uint32_t status)
{
    return status >> 30 == 0 && (status & 0xff) != 0 && (status & 0xff00) == 0;
}

char *status_name(uint32_t status)
{
    if (is_dos(status))
        return g_strdup_printf("DOS %u/%u", status & 0xff, status >> 16);
    for (gsize i = 0; i < G_N_ELEMENTS(ROWS); i++) {
        if (ROWS[i].status == status)
            return g_strdup(ROWS[i].name);
    }
    return g_strdup_printf("0x%08x", status);
}

char *status_filter(uint32_t status, unsigned protocol)
{
    if (protocol != 1)
        return g_strdup_printf("smb2.nt_status == 0x%08x", status);
    if (is_dos(status))
        return g_strdup_printf("smb.error_class == %u && smb.error_code == %u", status & 0xff, status >> 16);
    return g_strdup_printf("smb.nt_status == 0x%08x", status);
}
