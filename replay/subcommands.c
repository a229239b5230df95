#include "replay/subcommands.h"

struct name {
    uint32_t code;
    const char *name;
};

static const struct name CONTROLS[] = {
    {0x60194, "FSCTL_DFS_GET_REFERRALS"},
    {0x601B0, "FSCTL_DFS_GET_REFERRALS_EX"},
    {0x9003C, "FSCTL_GET_COMPRESSION"},
    {0x90064, "FSCTL_GET_NTFS_VOLUME_DATA"},
    {0x9009C, "FSCTL_GET_OBJECT_ID"},
    {0x900A4, "FSCTL_SET_REPARSE_POINT"},
    {0x900A8, "FSCTL_GET_REPARSE_POINT"},
    {0x900AC, "FSCTL_DELETE_REPARSE_POINT"},
    {0x900C0, "FSCTL_CREATE_OR_GET_OBJECT_ID"},
    {0x900C4, "FSCTL_SET_SPARSE"},
    {0x900EB, "FSCTL_READ_FILE_USN_DATA"},
    {0x9027C, "FSCTL_GET_INTEGRITY_INFORMATION"},
    {0x940CF, "FSCTL_QUERY_ALLOCATED_RANGES"},
    {0x94264, "FSCTL_OFFLOAD_READ"},
    {0x980C8, "FSCTL_SET_ZERO_DATA"},
    {0x98208, "FSCTL_FILE_LEVEL_TRIM"},
    {0x98268, "FSCTL_OFFLOAD_WRITE"},
    {0x98344, "FSCTL_DUPLICATE_EXTENTS_TO_FILE"},
    {0x9C040, "FSCTL_SET_COMPRESSION"},
    {0x110018, "FSCTL_PIPE_WAIT"},
    {0x11400C, "FSCTL_PIPE_PEEK"},
    {0x11C017, "FSCTL_PIPE_TRANSCEIVE"},
    {0x140078, "FSCTL_SRV_REQUEST_RESUME_KEY"},
    {0x1401D4, "FSCTL_LMR_REQUEST_RESILIENCY"},
    {0x1401FC, "FSCTL_QUERY_NETWORK_INTERFACE_INFO"},
    {0x140204, "FSCTL_VALIDATE_NEGOTIATE_INFO"},
    {0x144064, "FSCTL_SRV_ENUMERATE_SNAPSHOTS"},
    {0x1440F2, "FSCTL_SRV_COPYCHUNK"},
    {0x1441BB, "FSCTL_SRV_READ_HASH"},
    {0x1480F2, "FSCTL_SRV_COPYCHUNK_WRITE"},
};

static const struct name FILE_CLASSES[] = {
    {1, "FileDirectoryInformation"},
    {2, "FileFullDirectoryInformation"},
    {3, "FileBothDirectoryInformation"},
    {4, "FileBasicInformation"},
    {5, "FileStandardInformation"},
    {6, "FileInternalInformation"},
    {7, "FileEaInformation"},
    {8, "FileAccessInformation"},
    {9, "FileNameInformation"},
    {10, "FileRenameInformation"},
    {11, "FileLinkInformation"},
    {12, "FileNamesInformation"},
    {13, "FileDispositionInformation"},
    {14, "FilePositionInformation"},
    {15, "FileFullEaInformation"},
    {16, "FileModeInformation"},
    {17, "FileAlignmentInformation"},
    {18, "FileAllInformation"},
    {19, "FileAllocationInformation"},
    {20, "FileEndOfFileInformation"},
    {21, "FileAlternateNameInformation"},
    {22, "FileStreamInformation"},
    {23, "FilePipeInformation"},
    {24, "FilePipeLocalInformation"},
    {25, "FilePipeRemoteInformation"},
    {28, "FileCompressionInformation"},
    {34, "FileNetworkOpenInformation"},
    {35, "FileAttributeTagInformation"},
    {37, "FileIdBothDirectoryInformation"},
    {38, "FileIdFullDirectoryInformation"},
    {39, "FileValidDataLengthInformation"},
    {40, "FileShortNameInformation"},
    {48, "FileNormalizedNameInformation"},
    {59, "FileIdInformation"},
    {60, "FileIdExtdDirectoryInformation"},
    {64, "FileDispositionExInformation"},
    {65, "FileRenameExInformation"},
};

static const struct name VOLUME_CLASSES[] = {
    {1, "FileFsVolumeInformation"},   {2, "FileFsLabelInformation"},     {3, "FileFsSizeInformation"},
    {4, "FileFsDeviceInformation"},   {5, "FileFsAttributeInformation"}, {6, "FileFsControlInformation"},
    {7, "FileFsFullSizeInformation"}, {8, "FileFsObjectIdInformation"},  {11, "FileFsSectorSizeInformation"},
};

static const struct name TRANS2[] = {
    {0, "TRANS2_OPEN2"},
    {1, "TRANS2_FIND_FIRST2"},
    {2, "TRANS2_FIND_NEXT2"},
    {3, "TRANS2_QUERY_FS_INFORMATION"},
    {4, "TRANS2_SET_FS_INFORMATION"},
    {5, "TRANS2_QUERY_PATH_INFORMATION"},
    {6, "TRANS2_SET_PATH_INFORMATION"},
    {7, "TRANS2_QUERY_FILE_INFORMATION"},
    {8, "TRANS2_SET_FILE_INFORMATION"},
    {9, "TRANS2_FSCTL"},
    {10, "TRANS2_IOCTL2"},
    {11, "TRANS2_FIND_NOTIFY_FIRST"},
    {12, "TRANS2_FIND_NOTIFY_NEXT"},
    {13, "TRANS2_CREATE_DIRECTORY"},
    {14, "TRANS2_SESSION_SETUP"},
    {16, "TRANS2_GET_DFS_REFERRAL"},
    {17, "TRANS2_REPORT_DFS_INCONSISTENCY"},
};

static const struct name NT_TRANSACT[] = {
    {1, "NT_TRANSACT_CREATE"},
    {2, "NT_TRANSACT_IOCTL"},
    {3, "NT_TRANSACT_SET_SECURITY_DESC"},
    {4, "NT_TRANSACT_NOTIFY_CHANGE"},
    {5, "NT_TRANSACT_RENAME"},
    {6, "NT_TRANSACT_QUERY_SECURITY_DESC"},
    {7, "NT_TRANSACT_GET_USER_QUOTA"},
    {8, "NT_TRANSACT_SET_USER_QUOTA"},
};

static const char *find(const struct name *names, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++) {
        if (names[i].code == code)
            return names[i].name;
    }
    return NULL;
}

/* [MS-SMB2] 2.2.37 */
static const char *class_name(uint32_t code)
{
    enum { FILE_TYPE = 1, VOLUME_TYPE, SECURITY_TYPE, QUOTA_TYPE };

    switch (code >> 8) {
    case FILE_TYPE:
        return find(FILE_CLASSES, G_N_ELEMENTS(FILE_CLASSES), code & 0xff);
    case VOLUME_TYPE:
        return find(VOLUME_CLASSES, G_N_ELEMENTS(VOLUME_CLASSES), code & 0xff);
    case SECURITY_TYPE:
        return "security descriptor";
    case QUOTA_TYPE:
        return "quota";
    default:
        return NULL;
    }
}

const char *subcommand_name(uint16_t command, uint32_t code)
{
    switch (command) {
    case SMB2_IOCTL:
        return find(CONTROLS, G_N_ELEMENTS(CONTROLS), code);
    case SMB2_QUERY_DIRECTORY:
    case SMB2_QUERY_INFO:
    case SMB2_SET_INFO:
        return class_name(code);
    case SMB1_TRANSACTION2:
        return find(TRANS2, G_N_ELEMENTS(TRANS2), code);
    case SMB1_NT_TRANSACT:
        return find(NT_TRANSACT, G_N_ELEMENTS(NT_TRANSACT), code);
    default:
        return NULL;
    }
}

void subcommands_count(GArray *rows, uint16_t command, uint32_t code)
{
    struct replay_subcommand row = {command, code, subcommand_name(command, code), 1};

    for (guint i = 0; i < rows->len; i++) {
        struct replay_subcommand *r = &g_array_index(rows, struct replay_subcommand, i);

        if (r->command == command && r->code == code) {
            r->requests++;
            return;
        }
    }
    if (rows->len < SUBCOMMANDS_MAX)
        g_array_append_val(rows, row);
}
