#include "replay/ledger.h"

static const char *const NAMES[LEDGER_REASONS] = {
    [LEDGER_LINK_TYPE] = "frames of a link type that isn't read",
    [LEDGER_NOT_IP] = "frames without IP",
    [LEDGER_NOT_TCP] = "IP packets without TCP",
    [LEDGER_FRAGMENT] = "IP fragments without the rest of their packet",
    [LEDGER_FRAME_CUT] = "frames cut before the end of their TCP header",
    [LEDGER_FRAME_MALFORMED] = "frames with impossible lengths",
    [LEDGER_DUPLICATE] = "frames that show a packet a second time",
    [LEDGER_OTHER_TCP] = "packets of TCP connections without SMB",
    [LEDGER_CONNECTION_LIMIT] = "packets of connections beyond the limit",
    [LEDGER_SEQUENCE_OUTLIER] = "packets far outside their stream",
    [LEDGER_HOLE_NOT_CAPTURED] = "stream holes: acknowledged but not captured",
    [LEDGER_HOLE_SNAP_LENGTH] = "stream holes: cut by the snap length",
    [LEDGER_HOLE_GIVEN_UP] = "stream holes: never filled",
    [LEDGER_NETBIOS_SESSION] = "NetBIOS messages that carry no SMB",
    [LEDGER_NOT_SMB] = "messages that aren't SMB",
    [LEDGER_RESYNC] = "searches for the next message",
    [LEDGER_MESSAGE_UNFINISHED] = "messages that the capture doesn't finish",
    [LEDGER_HEADER_NOT_CAPTURED] = "messages whose header wasn't captured",
    [LEDGER_HEADER_MALFORMED] = "messages with a malformed header",
    [LEDGER_CHAIN_CUT] = "chains cut or malformed after their first command",
    [LEDGER_DATA_BEYOND_MESSAGE] = "messages that claim more data than they hold",
    [LEDGER_INFERRED] = "messages inferred between others: their headers weren't captured",
    [LEDGER_INFERRED_UNCHECKED] = "messages inferred at the end: nothing behind them to check",
    [LEDGER_ID_NOT_CAPTURED] = "messages matched by order: their ids weren't captured",
    [LEDGER_SIZE_NOT_CAPTURED] = "data sizes taken from their messages' lengths",
    [LEDGER_NO_REQUEST] = "responses without a request",
    [LEDGER_NO_RESPONSE] = "requests without a response",
    [LEDGER_OPLOCK_BREAK] = "oplock and lease breaks from the server",
    [LEDGER_ID_REUSED] = "requests that reuse the id of an unanswered one",
    [LEDGER_TABLE_FULL] = "requests dropped from a full table",
    [LEDGER_COMPRESSED] = "compressed messages whose header can't be seen",
};

const char *ledger_name(enum ledger_reason reason)
{
    return NAMES[reason];
}

void ledger_write(const struct ledger *l, struct tally *t)
{
    for (int reason = 0; reason < LEDGER_REASONS; reason++) {
        if (l->count[reason] > 0 || l->bytes[reason] > 0)
            tally_add(t, NAMES[reason], l->count[reason], l->bytes[reason]);
    }
}
