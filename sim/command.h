/* SMB command numbers and their protocol names, as every folder from sim upwards spells them.
 *
 * A command is protocol (1 or 2) in the high byte and the header's command code in the low one: [MS-CIFS] 2.2.2.1 for
 * SMB1, [MS-SMB2] 2.2.1.2 for SMB2 and SMB3. */
#ifndef SIM_COMMAND_H
#define SIM_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#define COMMAND(protocol, code)   ((uint16_t)((protocol) << 8 | (code)))
#define COMMAND_PROTOCOL(command) ((command) >> 8)
#define COMMAND_CODE(command)     ((command)&0xff)

enum {
    COMMAND_NONE = 0,
    COMMAND_OPAQUE = COMMAND(2, 0xff), /* an encrypted message whose command can't be seen */

    SMB1_CLOSE = COMMAND(1, 0x04),
    SMB1_READ = COMMAND(1, 0x0a),
    SMB1_WRITE = COMMAND(1, 0x0b),
    SMB1_LOCK_AND_READ = COMMAND(1, 0x13),
    SMB1_WRITE_AND_UNLOCK = COMMAND(1, 0x14),
    SMB1_READ_RAW = COMMAND(1, 0x1a),
    SMB1_WRITE_RAW = COMMAND(1, 0x1d),
    SMB1_TRANSACTION2 = COMMAND(1, 0x32),
    SMB1_NT_TRANSACT = COMMAND(1, 0xa0),
    SMB1_READ_MPX = COMMAND(1, 0x1b),
    SMB1_WRITE_MPX = COMMAND(1, 0x1e),
    SMB1_WRITE_AND_CLOSE = COMMAND(1, 0x2c),
    SMB1_READ_ANDX = COMMAND(1, 0x2e),
    SMB1_WRITE_ANDX = COMMAND(1, 0x2f),
    SMB1_SESSION_SETUP_ANDX = COMMAND(1, 0x73),

    SMB2_NEGOTIATE = COMMAND(2, 0),
    SMB2_SESSION_SETUP = COMMAND(2, 1),
    SMB2_CREATE = COMMAND(2, 5),
    SMB2_CLOSE = COMMAND(2, 6),
    SMB2_READ = COMMAND(2, 8),
    SMB2_WRITE = COMMAND(2, 9),
    SMB2_IOCTL = COMMAND(2, 11),
    SMB2_QUERY_DIRECTORY = COMMAND(2, 14),
    SMB2_QUERY_INFO = COMMAND(2, 16),
    SMB2_SET_INFO = COMMAND(2, 17),
    SMB2_CANCEL = COMMAND(2, 12),
    SMB2_CHANGE_NOTIFY = COMMAND(2, 15),
    SMB2_OPLOCK_BREAK = COMMAND(2, 18),
};

/* "SMB2 READ", "SMB1 READ_ANDX", "opaque"; "SMB1 0x5F" for a code without a name. View of static storage, valid for ever. */
const char *command_name(uint16_t command);
/* False when no command has that name. */
bool command_from_name(const char *name, uint16_t *command);
/* Commands whose response carries file data, or whose request does. */
bool command_is_read(uint16_t command);
bool command_is_write(uint16_t command);

#endif
