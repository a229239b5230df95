#include "replay/smb.h"

#include <string.h>

void smb_element_init(struct smb_element *e)
{
    memset(e, 0, sizeof *e);
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
