#!/usr/bin/env python3
"""What Wireshark's dissectors say of simulated captures: of every shipped client on several networks, down and up, seen from both ends, in
every dialect that it can speak; plain, signed, encrypted, compressed, over several connections, and with warm caches. Nothing malformed,
no wrong checksum, no complaint of a dissector, and every request has its response.

usage: tshark_capture.py PROGRAM [CLIENT...]       skipped (status 77) without tshark
"""
import collections
import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NETWORKS = ("lossy-vpn", "gigabit-lan")
FILES = "1x100KiB,2x3B,1x0B,1x500KiB"
PROFILES = pathlib.Path(__file__).resolve().parents[2] / "examples/clients"
DIALECTS = ("2.0.2", "2.1", "3.0", "3.0.2", "3.1.1")
PROTECTIONS = ("none", "sign", "encrypt")
# What its TCP analysis says of losses and of what follows them: the network's doing, and no fault of a frame.
OF_THE_NETWORK = ("Previous segment(s) not captured", "out-of-order segment", "retransmission", "Duplicate ACK", "window is completely full",
                  "ACKed segment that wasn't captured", "D-SACK Sequence")
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


def commands(capture):
    """By connection, of SMB1 and SMB2: {(command, id): [requests, responses]}; and the encrypted messages each way."""
    found = collections.defaultdict(lambda: [collections.defaultdict(lambda: [0, 0]) for _ in range(2)] + [[0, 0]])
    for row in tshark(capture, "tcp", "tcp.stream", "smb.cmd", "smb.mid", "smb.flags.response", "smb2.cmd", "smb2.msg_id", "smb2.flags.response",
                      "smb2.header.transform.signature", "tcp.dstport"):
        smb1, smb2, sealed = found[row[0]]
        count(smb1, *row[1:4])
        count(smb2, *row[4:7])
        if row[7]:
            sealed[row[8] != "445"] += len(row[7].split(","))
    return found


def unmatched(capture, protection):
    for smb1, smb2, sealed in commands(capture).values():
        yield from unmatched_of(smb1, smb2)
        # Behind NEGOTIATE, SESSION_SETUP, TREE_CONNECT and what else the connect list has, nothing is plain.
        if sealed[0] != sealed[1]:
            yield f"{sealed[0]} encrypted requests and {sealed[1]} responses"
        if protection == "encrypt" and any(int(code) in (5, 6, 8, 9) for code, _ in smb2):
            yield "a file's message isn't encrypted"


def unmatched_of(smb1, smb2):
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


def spoken(client, dialect, protection, connections):
    """The text of a shipped profile in another dialect: blocks that 2.0.2 allows, and a NEGOTIATE that is long enough for 3.1.1."""
    text = (PROFILES / f"{client}.yaml").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^  dialect: .*", f"  dialect: {dialect}\n  protection: {protection}", text)
    if dialect == "2.0.2":
        text = re.sub(r"block: \d+ MiB", "block: 64 KiB", text)
    if dialect == "3.1.1":
        text = re.sub(r"SMB2 NEGOTIATE,( +)request: \d+ B,( *)response: \d+ B", r"SMB2 NEGOTIATE,\1request: 290 B,\2response: 380 B", text)
    if dialect != "3.1.1":
        text = re.sub(r"(?m)^  compression: .*\n", "", text)
    if connections > 1 and dialect.startswith("3"):
        text = text.replace("  connect:\n", f"  connections: {connections}\n  connect:\n")
    return text


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


def check(client, network, folder, *options, files=FILES, name=None, protection="none"):
    name = " ".join((name or client, network, *options))
    capture = str(pathlib.Path(folder) / "copy.pcap")
    run = subprocess.run([program, "predict", "--network", network, "--client", client, "--server", "samba", "--files", files,
                          "--runs", "1", "--pcap", capture, *options], capture_output=True, text=True, check=False)
    if run.returncode:
        failures.append(f"{name}: {run.stderr}")
        return
    found = [*complaints(capture), *unmatched(capture, protection)]
    failures.extend(f"{name}: {what}" for what in found[:5])
    print(f"{name}: {'; '.join(found[:5]) or 'nothing to complain of'}", flush=True)


def check_dialect(client, dialect, turn, folder):
    """Protection, connections, direction and caches take turns, so that over the clients each dialect has each of them."""
    protection = PROTECTIONS[turn % (3 if dialect.startswith("3") else 2)]  # encryption begins with 3.0
    text = spoken(client, dialect, protection, 1 + turn % 4 // 2)
    profile = pathlib.Path(folder) / "spoken.yaml"
    profile.write_text(text, encoding="utf-8")
    options = ["--cache", ("warm", "cold")[turn % 2]]
    if turn % 3 and "\n  upload:" in text:
        options.append("--upload")
    check(str(profile), NETWORKS[0], folder, *options, name=f"{client} in {dialect}, {protection},", protection=protection)


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
    turn = itertools.count()
    for client in clients or [line.split()[0] for line in listed]:
        if "dialect: SMB1" not in (PROFILES / f"{client}.yaml").read_text(encoding="utf-8"):
            for dialect in DIALECTS:
                check_dialect(client, dialect, next(turn), where)
    for dialect, more in (("SMB1", 0), ("SMB1", 17), ("2.0.2", 2), ("2.1", 60), ("3.1.1", 0), ("3.1.1", 9)):
        if not clients:
            profile = pathlib.Path(where) / f"every-command-{dialect}-{more}.yaml"
            profile.write_text(every_command(dialect, more), encoding="utf-8")
            check(str(profile), "gigabit-lan", where, files="1x3B")
for failure in failures:
    print(f"failed: {failure}", file=sys.stderr)
sys.exit(1 if failures else 0)
