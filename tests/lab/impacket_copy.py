#!/usr/bin/python3
"""Copies one file with impacket, one request at a time.

    impacket_copy.py get|put DIALECT HOST SHARE USER PASSWORD FILE

DIALECT is smb1, 2.0.2, 2.1, 3.0 or 3.1.1. FILE has the same name on both sides; the local one is in the working
directory.
"""
import sys

from impacket.smb import SMB_DIALECT
from impacket.smbconnection import SMBConnection

DIALECTS = {"smb1": SMB_DIALECT, "2.0.2": 0x0202, "2.1": 0x0210, "3.0": 0x0300, "3.1.1": 0x0311}


def main(arguments):
    if len(arguments) != 7 or arguments[0] not in ("get", "put") or arguments[1] not in DIALECTS:
        sys.exit(__doc__)
    operation, dialect, host, share, user, password, name = arguments
    connection = SMBConnection(host, host, myName="CLIENT", preferredDialect=DIALECTS[dialect])
    connection.login(user, password)
    if operation == "get":
        with open(name, "wb") as file:
            connection.getFile(share, name, file.write)
    else:
        with open(name, "rb") as file:
            connection.putFile(share, name, file.read)
    connection.close()


main(sys.argv[1:])
