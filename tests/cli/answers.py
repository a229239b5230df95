#!/usr/bin/env python3
"""What `copytrial replay` shows a person, and that its forms agree.

usage: answers.py CHECK [--update]      CHECK is one of those below
       COPYTRIAL_PROGRAM is the program, COPYTRIAL_SOURCE the project's folder. --update writes the golden texts anew.
"""
import csv
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(os.environ["COPYTRIAL_SOURCE"]).resolve()
PROGRAM = str(pathlib.Path(os.environ["COPYTRIAL_PROGRAM"]).resolve())
GOLDEN = ROOT / "tests/golden"
SKIPPED = 77
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Filters are there to be copied, so nothing breaks them.
FILTER = re.compile(r"^\s*(in Wireshark: )?(tcp\.|frame\.number|smb)")


def environment(**extra):
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "TERM")}
    return dict(kept, **{"LC_ALL": "C.UTF-8", "TERM": "xterm", **extra})


def replay(*arguments, status=0, **extra):
    run = subprocess.run([PROGRAM, "replay", *arguments], cwd=ROOT, capture_output=True, check=False, timeout=120,
                         env=environment(**extra))
    assert run.returncode == status, (arguments, run.returncode, run.stderr)
    return run.stdout.decode(), run.stderr.decode()


def on_terminal(arguments, columns=80, feed=None, **extra):
    """Runs with both outputs on one terminal; `feed` is called once it runs. Returns what the terminal was sent."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    program = subprocess.Popen([PROGRAM, "replay", *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                               env=environment(**extra))
    os.close(slave)
    if feed:
        feed()
    sent = b""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                piece = os.read(master, 65536)
            except OSError:  # Linux: the other side is closed
                piece = b""
            if not piece:
                break
            sent += piece
    assert program.wait(timeout=10) == 0
    os.close(master)
    return sent.decode().replace("\r\n", "\n")


def check_golden():
    for trace in ("smb3-smbclient-small", "smb1-smbclient-get-lossy"):
        text, _ = replay("--no-simulation", f"traces/{trace}.pcap")
        golden = GOLDEN / f"replay-{trace}.txt"
        if "--update" in sys.argv:
            golden.write_text(text, encoding="utf-8")
        assert text == golden.read_text(encoding="utf-8"), f"{golden.name} differs:\n{text}"
        first = "\n".join(text.splitlines()[:10])
        assert "Held back by" in first and "What would help" in first, first


def check_manual():
    """What the manual shows of an output is what is printed."""
    manual = (ROOT / "docs/manual.md").read_text(encoding="utf-8")
    text, _ = replay("--no-simulation", "traces/smb3-smbclient-small.pcap")
    section = manual[manual.index("### Reading the answers"):manual.index("### Too little to go by")]
    blocks = re.findall(r"^```\n(.*?)^```$", section, re.M | re.S)
    assert len(blocks) == 2
    for block in blocks:
        assert block.replace("  ...\n", "") in text, block


def check_width():
    for trace in sorted((ROOT / "traces").glob("*.pcap")):
        for columns, lines in ((80, replay("--no-simulation", str(trace))[0]),
                               (60, on_terminal(["--no-simulation", str(trace)], columns=60))):
            for line in COLOUR.sub("", lines).splitlines():
                assert len(line) <= columns or FILTER.match(line), f"{trace.name}, {columns} columns: {line!r}"


def check_colour():
    trace = "traces/smb3-smbclient-get.pcap"
    plain, _ = replay("--no-simulation", trace)
    assert "\x1b" not in plain
    always, _ = replay("--no-simulation", "--color=always", trace, NO_COLOR="1")
    assert "\x1b[1m" in always and COLOUR.sub("", always) == plain
    shown = on_terminal(["--no-simulation", trace])
    assert COLOUR.search(shown) and COLOUR.sub("", shown) == plain
    for arguments, extra in ((["--color=never"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})):
        assert "\x1b" not in on_terminal(["--no-simulation", *arguments, trace], **extra), (arguments, extra)
    assert COLOUR.search(on_terminal(["--no-simulation", trace], NO_COLOR="")), "an empty NO_COLOR asks for nothing"
    replay("--color=sometimes", trace, status=2)


def check_csv():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "exchanges.csv"
        for trace in sorted((ROOT / "traces").glob("*.pcap")):
            found = json.loads(replay("--no-simulation", "--json", "--csv", str(path), str(trace))[0])
            text = path.read_bytes().decode()
            assert text.endswith("\r\n") and text.count("\r\n") == text.count("\n")
            rows = list(csv.DictReader(text.splitlines(keepends=True), strict=True))
            for connection in found["connections"]:
                mine = [r for r in rows if r["client"] == connection["client"] and r["server"] == connection["server"]]
                compare_rows(trace.name, mine, connection)
            assert len(rows) == sum(c["exchanges"] for c in found["connections"]), trace.name
            assert list(pathlib.Path(folder).iterdir()) == [path]
        replay("--no-simulation", "--csv", str(path) + ".none", "tests/cli/inputs/no-smb.pcap", status=3)
        replay("--no-simulation", "--csv", str(path) + "/none", "traces/smb3-smbclient-get.pcap", status=4)
        replay("--no-simulation", "--csv", "-", "traces/smb3-smbclient-get.pcap", status=2)
        assert list(pathlib.Path(folder).iterdir()) == [path], "a failure leaves nothing behind"


def compare_rows(name, rows, connection):
    """The rows add up to the object; service times are those of its quantiles."""
    assert len(rows) == connection["exchanges"], name
    data = sum(int(r["data_bytes"]) for r in rows if "READ" in r["command"] or "CREATE" in r["command"] or "WRITE" in r["command"])
    if not connection["opaque"]["messages"]:
        assert data == connection["bytes_read"] + connection["bytes_written"], (name, data)
    assert sum("no_response" in r["flags"] and "one_way" not in r["flags"] for r in rows) == connection["unanswered"], name
    for command, facts in connection["commands"].items():
        times = sorted(float(r["service_s"]) for r in rows if r["command"] == command and r["service_s"])
        assert len(times) == facts["service_s"]["samples"], (name, command)
        if times:
            assert abs(times[-1] - facts["service_s"]["max"]) < 1e-9, (name, command)
            assert abs(times[(95 * len(times) + 99) // 100 - 1] - facts["service_s"]["p95"]) < 1e-9, (name, command)


def check_quoting():
    """A file name with what RFC 4180 wants quoted, put into a recording in place of one as long."""
    data = (ROOT / "traces/smb3-smbclient-get.pcap").read_bytes()
    old, new = "f000.bin".encode("utf-16-le"), 'f,"0.bin'.encode("utf-16-le")
    assert old in data
    with tempfile.TemporaryDirectory() as folder:
        capture, path = pathlib.Path(folder) / "quoted.pcap", pathlib.Path(folder) / "quoted.csv"
        capture.write_bytes(data.replace(old, new))
        replay("--no-simulation", "--csv", str(path), str(capture))
        text = path.read_bytes().decode()
        assert '"f,""0.bin"' in text
        assert any(row["file"] == 'f,"0.bin' for row in csv.DictReader(text.splitlines(keepends=True), strict=True))


def slow_reader(path):
    """A pipe of that name that takes little, and what empties it, after a while."""
    os.mkfifo(path)
    rows = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(rows, 1031, 4096)  # F_SETPIPE_SZ
    os.set_blocking(rows, True)

    def drain():
        time.sleep(1)
        while os.read(rows, 65536):
            pass
        os.close(rows)
    return drain


def check_progress():
    """The rows go to a pipe that nobody empties for a while, so that the reading takes long enough for a bar."""
    trace = "traces/smb3-smbclient-small.pcap"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        sent = on_terminal(["--no-simulation", "--csv", path, trace], feed=slow_reader(path))
        assert re.search(r"\r\x1b\[Kreading \[#+ *\] +\d+ % of ", sent), sent[:200]
        assert sent.index("\r\x1b[Ktraces/") > sent.index("reading ["), "the bar is gone before the answers come"
    begin = time.monotonic()
    quick = on_terminal(["--no-simulation", trace])
    assert "reading" not in quick or time.monotonic() - begin > 0.5, "nobody waited for half a second"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        drain = slow_reader(path)
        program = subprocess.Popen([PROGRAM, "replay", "--no-simulation", "--csv", path, trace], cwd=ROOT,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
        drain()
        assert program.communicate()[1] == b"", "standard error is no terminal"


def thinned(trace, to, drop=lambda number: False, length=1 << 16):
    """A copy of a recording without some of its frames, and with the others cut to `length` bytes."""
    data = (ROOT / trace).read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    out, at, number = bytearray(data[:24]), 24, 0
    while at < len(data):
        seconds, part, captured, wire = struct.unpack_from(order + "IIII", data, at)
        kept, number = min(captured, length), number + 1
        if not drop(number):
            out += struct.pack(order + "IIII", seconds, part, kept, wire) + data[at + 16:at + 16 + kept]
        at += 16 + captured
    to.write_bytes(out)


def check_refusal():
    with tempfile.TemporaryDirectory() as folder:
        thin = pathlib.Path(folder) / "thin.pcap"
        thinned("traces/smb3-smbclient-get.pcap", thin, drop=lambda number: number % 3 == 0 and number > 40)
        for extra in ([], ["--no-simulation"], ["--network", "vpn"]):
            text, err = replay(*extra, str(thin), status=3)
            assert "Where the time went can't be told" in text and "Not calibrated:" in text and "Service times" in text
            assert len(err.splitlines()) == 1 and "could be decoded" in err and "Self-replay" not in text
        found = json.loads(replay("--json", str(thin), status=3)[0])
        connection = found["connections"][0]
        assert found["refused"] and found["self_replay"] is None and found["prediction"] is None
        assert connection["coverage"] < 0.8 and connection["calibration"] is None and connection["breakdown_s"] is None
        assert connection["exchanges"] > 0 and found["ledger"]
        thinned("traces/smb3-smbclient-get.pcap", thin, length=200)
        found = json.loads(replay("--json", str(thin))[0])
        assert found["refused"] is None and found["connections"][0]["coverage"] > 0.99, "cut bytes inside a message are no loss"


def short_of_credits(folder):
    """A simulated copy by a client that has few credits."""
    client, pcap = pathlib.Path(folder) / "client.yaml", pathlib.Path(folder) / "credits.pcap"
    text = (ROOT / "examples/clients/windows-7-explorer.yaml").read_text()
    client.write_text(re.sub("credits: 128.*", "credits: 2", text).replace("depth: 2, wait: all", "depth: 8"))
    subprocess.run([PROGRAM, "predict", "--network", "metro", "--client", str(client), "--server", "windows-server-2022", "--files", "4x1MiB",
                    "--runs", "1", "--pcap", str(pcap)], check=True, capture_output=True)
    return pcap


def check_filters():
    """Every filter shows the frames in Wireshark that its finding cites; of what a whole connection did, the first."""
    with tempfile.TemporaryDirectory() as folder:
        filters_match(short_of_credits(folder))


def filters_match(simulated):
    if not shutil.which("tshark"):
        print("tshark is not installed")
        sys.exit(SKIPPED)
    data = pathlib.Path(os.environ.get("COPYTRIAL_DATA") or ROOT.parent / "shared")
    captures = sorted((ROOT / "traces").glob("*.pcap")) + [data / "captures" / name for name in (
        "zeek_zeek/smb__smb2_100_small_files.pcap", "OISF_suricata-verify/smb2-01__smb2-peter.pcap", "sahlberg_dbench/genloadfile__smb.cap")] + [simulated]
    tried, kinds = 0, set()
    for capture in filter(pathlib.Path.exists, captures):
        found = json.loads(replay("--no-simulation", "--json", str(capture))[0])
        for connection in found["connections"]:
            errors = [{**e, "kind": "errors"} for e in connection["errors"]]
            for finding in connection["findings"] + errors:
                run = subprocess.run(["tshark", "-n", "-r", str(capture), "-o", "tcp.reassemble_out_of_order:TRUE", "-Y",
                                      finding["filter"], "-T", "fields", "-e", "frame.number"], capture_output=True, text=True,
                                     check=False)
                frames = run.stdout.split()
                assert run.returncode == 0 and frames, (capture.name, finding, run.stderr)
                both = finding["kind"] in ("bottleneck", "slowest", "errors", "credits")
                kinds.add(finding["kind"])
                for cited in ("first_frame", "last_frame") if both else ("first_frame",):
                    assert not finding[cited] or str(finding[cited]) in frames, (capture.name, cited, finding, frames[:5])
                tried += 1
    assert tried > 20 and "credits" in kinds, (tried, kinds)


def check_opaque():
    """Encrypted messages without their keys are paired as with them."""
    trace = ROOT / "traces/smb3-smbclient-encrypted.pcap"
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for keys in ([], ["--keys", str(trace.with_suffix(".keys"))]):
            path = pathlib.Path(folder) / "exchanges.csv"
            replay("--no-simulation", "--csv", str(path), *keys, str(trace))
            rows = list(csv.DictReader(path.read_text().splitlines()))
            found.append({r["request_frame"]: r["response_end_frame"] for r in rows})
            assert len(rows) > 20
    assert found[0] == found[1], found


def opened_files(to, count):
    """A capture in which so many files are opened, each under a name of its own, and none is closed."""
    def header(code, number, response):
        return struct.pack("<4sHHIHHIIQIIQ16s", b"\xfeSMB", 64, 1, 0, code, 1, int(response), 0, number, 0, 0, 7, bytes(16))

    def frame(microseconds, down, message):
        nonlocal sent
        tcp = struct.pack(">HHIIBBHHH", *((445, 50000) if down else (50000, 445)), sent[down] & 0xFFFFFFFF, sent[not down] & 0xFFFFFFFF,
                          0x50, 0x18, 65535, 0, 0)
        payload = struct.pack(">I", len(message)) + message
        addresses = (b"\xc0\0\2\2", b"\xc0\0\2\1") if down else (b"\xc0\0\2\1", b"\xc0\0\2\2")
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 0, 0x4000, 64, 6, 0, *addresses)
        data = bytes(12) + b"\x08\0" + ip + tcp + payload
        sent[down] += len(payload)
        file.write(struct.pack("<IIII", microseconds // 1000000, microseconds % 1000000, len(data), len(data)) + data)

    sent = [1, 1]
    with open(to, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for i in range(count):
            name = f"d\\{i}".encode("utf-16-le")
            ask = struct.pack("<HBBIQQIIIIIHHII", 57, 0, 0, 2, 0, 0, 0x120089, 0, 7, 1, 0, 120, len(name), 0, 0) + name
            answer = struct.pack("<HBBI32xQQII16sII", 89, 0, 0, 1, 4096, 4096, 128, 0, struct.pack("<QQ", i + 1, i + 1), 0, 0) + b"\0"
            frame(1000 * i, False, header(5, i, False) + ask)
            frame(1000 * i + 300, True, header(5, i, True) + answer)


def cost_of_opens(folder, count):
    """(seconds of the processor, KiB of memory) that it takes to read them."""
    capture = pathlib.Path(folder) / f"{count}.pcap"
    opened_files(capture, count)
    program = subprocess.Popen([PROGRAM, "replay", "--no-simulation", "--json", str(capture)], stdout=subprocess.PIPE)
    found = json.load(program.stdout)["connections"][0]
    _, status, used = os.wait4(program.pid, 0)
    program.returncode = status
    assert status == 0 and found["opens"] == count and found["exchanges"] == count, (status, found["opens"])
    assert len(found["files"]) == min(count, 4097), len(found["files"])
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def check_open_files():
    """Files that are never closed: ten times as many take about ten times the work, and no more memory."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = cost_of_opens(folder, 30000), cost_of_opens(folder, 300000)
    print(f"30000 opens: {few[0]:.2f} s, {few[1]} KiB; 300000: {many[0]:.2f} s, {many[1]} KiB")
    assert many[0] < 25 * few[0] + 0.5, (few, many)
    if b"__asan_init" not in pathlib.Path(PROGRAM).read_bytes():  # a sanitizer keeps what is freed
        assert many[1] < 64 * 1024 and many[1] < few[1] + 48 * 1024, (few, many)


def check_compression():
    """Compression helps as far as the capture's own data shrink: zeros of a simulated copy, random data of a recorded one. Where the
    data can't be seen or the dialect knows no compression, nothing is said."""
    def answer(path, *arguments):
        found = json.loads(replay("--json", str(path), *arguments)[0])
        changes = found["what_would_help"] or []
        return found["payload"], next((c for c in changes if c["change"] == "compression"), None)

    with tempfile.TemporaryDirectory() as folder:
        pcap = pathlib.Path(folder, "zeros.pcap")
        subprocess.run([PROGRAM, "predict", "--network", "branch-office", "--client", "smbclient", "--server", "samba",
                        "--files", "2x1MiB", "--pcap", pcap], cwd=ROOT, check=True, capture_output=True, env=environment())
        payload, change = answer(pcap)
        assert payload["bytes"] == 2 << 20 and 0 < payload["ratio"] < 0.02, payload
        assert change["saved_s"]["value"] > 5 and f"{100 * payload['ratio']:.3g} %" in change["basis"], change
        assert answer(pcap, "--no-simulation")[0] is None
    payload, change = answer("traces/smb3-smbclient-get.pcap")
    assert payload["ratio"] == 1 and payload["bytes"] >= payload["sampled_bytes"] > 100_000, payload
    assert change["saved_s"]["value"] <= 0, change
    assert answer("traces/smb1-curl-get.pcap")[1] is None
    payload, change = answer("traces/smb3-smbclient-encrypted.pcap")
    assert payload["ratio"] is None and change is None, payload


CHECKS = {name[6:].replace("_", "-"): check for name, check in list(globals().items()) if name.startswith("check_")}

if __name__ == "__main__":
    signal.alarm(300)
    CHECKS[sys.argv[1]]()
