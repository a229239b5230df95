#!/usr/bin/env python3
"""What Wireshark's dissectors say of simulated captures: of every shipped client on several networks, down and up, seen from both ends.
Nothing malformed, no wrong checksum, no complaint of a dissector, and every request has its response.

usage: tshark_capture.py PROGRAM [CLIENT...]       skipped (status 77) without tshark
"""
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

NETWORKS = ("lossy-vpn", "gigabit-lan")
FILES = "1x100KiB,2x3B,1x0B,1x500KiB"
# What its TCP analysis says of losses and of what follows them: the network's doing, and no fault of a frame.
OF_THE_NETWORK = ("Previous segment(s) not captured", "out-of-order segment", "retransmission", "Duplicate ACK", "window is completely full",
                  "ACKed segment that wasn't captured")
OPTIONS = ["-n", "-2", "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o", "tcp.reassemble_out_of_order:TRUE"]
BAD = "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0 || _ws.expert.severity >= 0x600000"

# Shortest request and response of commands, and what is added to them: the structures that fill a message change with its length.
SMB1 = {"NT_CREATE_ANDX": (89, 107), "READ_ANDX": (63, 63), "WRITE_ANDX": (67, 51), "FLUSH": (41, 39), "ECHO": (41, 41),
        "TRANSACTION2": (76, 68), "CLOSE": (45, 39)}
SMB2 = {"CREATE": (125, 156), "QUERY_INFO": (108, 80), "READ": (117, 84), "WRITE": (116, 84), "FLUSH": (92, 72), "LOCK": (116, 72),
        "IOCTL": (124, 116), "ECHO": (72, 72), "QUERY_DIRECTORY": (102, 90), "CHANGE_NOTIFY": (100, 90), "SET_INFO": (101, 70),
        "OPLOCK_BREAK": (92, 92), "CLOSE": (92, 128), "TREE_CONNECT": (78, 84), "TREE_DISCONNECT": (72, 72)}
MORE = (0, 1, 2, 3, 5, 8, 13, 21, 32, 33, 34, 56, 57, 89, 144, 145, 233)

program = pathlib.Path(sys.argv[1])
clients = sys.argv[2:]
failures = []


def tshark(capture, display, *fields):
    arguments = ["tshark", *OPTIONS, "-r", capture, "-Y", display, "-T", "fields", "-E", "separator=/t"]
    for field in fields:
        arguments += ["-e", field]
    output = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in output.splitlines()]


def complaints(capture):
    for number, info, messages in tshark(capture, BAD, "frame.number", "_ws.col.Info", "_ws.expert.message"):
        rest = [m for m in messages.split(",") if not any(known in m for known in OF_THE_NETWORK)]
        if rest:
            yield f"frame {number}: {info}: {'; '.join(rest)}"


def count(ids, codes, numbers, responses):
    if not codes:
        return
    # An AndX block names a second command, "none": the message's own comes first.
    each, numbers, responses = codes.split(","), numbers.split(","), responses.split(",")
    for code, number, response in zip(each[::len(each) // len(numbers)], numbers, responses):
        ids[code, number][response in ("1", "True")] += 1


def commands(capture, stream):
    """Of a connection's SMB1 and SMB2: (command, id): [requests, responses]"""
    smb1, smb2 = (collections.defaultdict(lambda: [0, 0]) for _ in range(2))
    for row in tshark(capture, f"tcp.stream == {stream} && (smb || smb2)", "smb.cmd", "smb.mid", "smb.flags.response", "smb2.cmd", "smb2.msg_id", "smb2.flags.response"):
        count(smb1, *row[:3])
        count(smb2, *row[3:])
    return smb1, smb2


def unmatched(capture):
    for stream in sorted({row[0] for row in tshark(capture, "tcp", "tcp.stream")}):
        yield from unmatched_of(capture, stream)


def unmatched_of(capture, stream):
    smb1, smb2 = commands(capture, stream)
    if smb2 and len(smb1) == 1:  # a first question in SMB1 is answered in SMB2: [MS-SMB2] 3.3.5.3
        (code, _), counts = smb1.popitem()
        if code != "0x72" or counts != [1, 0] or smb2.pop(("0", "0"), None) != [0, 1]:
            yield "the multi-protocol NEGOTIATE isn't answered by message 0 of SMB2"
    for ids in (smb1, smb2):
        for (code, number), counts in ids.items():
            if counts != [1, 1]:
                yield f"command {code}, id {number}: {counts[0]} requests and {counts[1]} responses"
    if not smb1 and not smb2:
        yield "no message at all"


def every_command(dialect, more):
    """A client profile that sends every command in many lengths."""
    def step(command, request, response):
        return f"    - {{command: {command}, request: {request} B, response: {response} B}}"

    if dialect == "SMB1":
        name, table, least_error = "SMB1", SMB1, 39
        connect = [("NEGOTIATE", 53 + more, 89 + more), ("SESSION_SETUP_ANDX", 69 + 3 * more, 47 + 5 * more),
                   ("SESSION_SETUP_ANDX", 100 + 7 * more, 50 + more), ("TREE_CONNECT_ANDX", 56 + more, 49 + more)]
        disconnect = [("TREE_DISCONNECT", 39 + more, 39 + more), ("LOGOFF_ANDX", 43 + more, 43 + more)]
    else:
        name, table, least_error = "SMB2", SMB2, 76
        least = (122, 154) if dialect == "3.1.1" else (106, 132)
        connect = [("NEGOTIATE", least[0] + more, least[1] + more), ("SESSION_SETUP", 92 + 5 * more, 76 + 5 * more),
                   ("SESSION_SETUP", 92 + 7 * more, 76 + 3 * more), ("TREE_CONNECT", 78 + more, 84)]
        disconnect = [("TREE_DISCONNECT", 72 + more, 72 + more), ("LOGOFF", 72 + more, 72 + more)]
    lines = ["client:", "  name: every command", f"  dialect: {dialect}", "  system: linux", "  connect:"]
    lines += [step(f"{name} {command}", *sizes) for command, *sizes in connect] + ["  download:"]
    for command, (request, response) in table.items():
        for i, extra in enumerate(MORE):
            lines.append(step(f"{name} {command}", request + extra, response + MORE[i * 7 % len(MORE)]))
            if i % 3 == 0 and response > least_error:
                lines.append(step(f"{name} {command}", request + extra, least_error + i % 5))
    return "\n".join([*lines, "  disconnect:", *(step(f"{name} {command}", *sizes) for command, *sizes in disconnect)]) + "\n"


def check(client, network, folder, *options, files=FILES):
    name = " ".join((client, network, *options))
    capture = str(pathlib.Path(folder) / "copy.pcap")
    run = subprocess.run([program, "predict", "--network", network, "--client", client, "--server", "samba", "--files", files,
                          "--runs", "1", "--pcap", capture, *options], capture_output=True, text=True, check=False)
    if run.returncode:
        failures.append(f"{name}: {run.stderr}")
        return
    found = [*complaints(capture), *unmatched(capture)]
    failures.extend(f"{name}: {what}" for what in found[:5])
    print(f"{name}: {'; '.join(found[:5]) or 'nothing to complain of'}", flush=True)


if not shutil.which("tshark"):
    print("skipped: tshark isn't installed (Debian: apt-get install tshark)")
    sys.exit(77)
listed = subprocess.run([program, "list", "clients"], capture_output=True, text=True, check=True).stdout.splitlines()
with tempfile.TemporaryDirectory() as where:
    for index, line in enumerate(listed):
        client = line.split()[0]
        if clients and client not in clients:
            continue
        for network in NETWORKS:
            check(client, network, where, "--pcap-at", ("client", "server")[index % 2])
        check(client, NETWORKS[0], where, "--at-once", "3")
        if client == "windows-11-explorer":
            check(client, NETWORKS[0], where, "--network", NETWORKS[1], "--at-once", "4")
        if "downloads only" not in line:
            check(client, NETWORKS[0], where, "--upload", "--pcap-at", ("server", "client")[index % 2])
    for dialect, more in (("SMB1", 0), ("SMB1", 17), ("2.0.2", 2), ("2.1", 60), ("3.1.1", 0), ("3.1.1", 9)):
        if not clients:
            profile = pathlib.Path(where) / f"every-command-{dialect}-{more}.yaml"
            profile.write_text(every_command(dialect, more), encoding="utf-8")
            check(str(profile), "gigabit-lan", where, files="1x3B")
for failure in failures:
    print(f"failed: {failure}", file=sys.stderr)
sys.exit(1 if failures else 0)
