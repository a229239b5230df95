#!/usr/bin/env python3
"""Makes the seeds of the capture reader's fuzz targets from real traffic: golden/smb_messages.tsv and traces/. Those of the codecs,
which their own encoders made, lie there already; compressed messages are made of them.

    tests/fuzz/make_seeds.py
"""
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = HERE / "seeds"
TRACES = HERE.parent.parent / "traces"
ETHERNET = 1  # in enum frame_link
FRAMES = 40


def write(folder, name, data):
    (SEEDS / folder).mkdir(parents=True, exist_ok=True)
    (SEEDS / folder / name).write_bytes(data)


def messages():
    for line in (HERE.parent / "golden/smb_messages.tsv").read_text().splitlines():
        cells = line.split("\t")
        if not line.startswith("#") and cells[0].startswith("SMB"):
            yield "-".join(cells[:3]).replace(" ", "-").lower(), bytes.fromhex(cells[-1])


def frames(path):
    """(record, frame) of a little-endian pcap file."""
    data = path.read_bytes()
    at = 24
    while at + 16 <= len(data):
        captured, wire = struct.unpack_from("<II", data, at + 8)
        yield data[at : at + 16], data[at + 16 : at + 16 + captured], wire
        at += 16 + captured


def compressed(folder):
    """The seeds of a codec that are to be decoded, as a part of a chained message: (name, size before, bytes)."""
    for path in sorted((SEEDS / folder).iterdir()):
        data = path.read_bytes()
        if data[2] < 0x80:
            yield path.name, data[0] | data[1] << 8 | data[2] << 16, data[3:]


def compression_seeds():
    """[MS-SMB2] 2.2.42: the seeds of the codecs in chained and unchained messages, each behind a header that isn't compressed."""
    header = b"\xfeSMB" + bytes(60)
    for algorithm, folder in enumerate(("lznt1", "lz77", "lz77_huffman", "pattern_v1", "lz4"), 1):
        for name, size, data in compressed(folder):
            original = b"" if folder == "pattern_v1" else struct.pack("<I", size)
            part = struct.pack("<HHI", algorithm, 0, len(original) + len(data)) + original + data
            chained = struct.pack("<HHI", 0, 1, len(header)) + header + part
            write("smb2_compression", f"{folder}-{name}-chained", struct.pack("<4sI", b"\xfcSMB", len(header) + size) + chained)
            if original:
                write("smb2_compression", f"{folder}-{name}",
                      struct.pack("<4sIHHI", b"\xfcSMB", size, algorithm, 0, len(header)) + header + data)


def stream_messages(path):
    """(whether the server sent it, message) of a connection without losses, in the order in which they were complete."""
    pending = {True: b"", False: b""}
    for _, frame, _ in frames(path):
        segment = frame[14 + (frame[14] & 15) * 4 : 14 + struct.unpack_from(">H", frame, 16)[0]]
        down = segment[:2] == struct.pack(">H", 445)
        pending[down] += segment[(segment[12] >> 4) * 4 :]
        while len(pending[down]) >= 4 and len(pending[down]) >= 4 + struct.unpack(">I", pending[down][:4])[0]:
            end = 4 + struct.unpack(">I", pending[down][:4])[0]
            yield down, pending[down][4:end]
            pending[down] = pending[down][end:]


def transform_seeds():
    sequence = b""
    for index, (down, message) in enumerate(stream_messages(TRACES / "smb3-smbclient-encrypted.pcap")):
        sequence += struct.pack("<BH", down, len(message)) + message
        if index in (5, 12, 25):
            write("smb2_transform", f"first-{index}", sequence)


def main():
    compression_seeds()
    transform_seeds()
    streams = {1: b"", 2: b""}
    for name, message in messages():
        version = 1 if message[0] == 0xFF else 2
        write(f"smb{version}", name, message)
        streams[version] += struct.pack(">I", len(message)) + message
    for version, stream in streams.items():
        write("nbss", f"whole-{version}", bytes([1, 0, 0]) + stream)
        write("nbss", f"pieces-{version}", bytes([79, 40, 5]) + stream)
        write("nbss", f"all-{version}", bytes([79, 255, 9]) + stream)
    segments = [(1, 0, 100), (1, 200, 50), (0, 60, 0), (1, 100, 100), (2, -100, 300), (3, 500, 2000), (0, 600, 0)]
    write("stream", "reordered", b"".join(struct.pack(">BhHB", kind, offset, length, 255) for kind, offset, length in segments))
    for trace in ("smb1-curl-get", "smb2-impacket-get", "smb3-smbclient-small"):
        head = (TRACES / f"{trace}.pcap").read_bytes()[:24]
        records = list(frames(TRACES / f"{trace}.pcap"))[:FRAMES]
        write("capture", f"{trace}.pcap", head + b"".join(record + frame for record, frame, _ in records))
        flow = bytes([ETHERNET])
        for index, (_, frame, wire) in enumerate(records):
            flow += struct.pack(">HHB", len(frame), wire - len(frame), 10) + frame
            if index < 4:
                write("frame", f"{trace}-{index}", bytes([ETHERNET, wire - len(frame)]) + frame[:200])
        write("flow", trace, flow)


if __name__ == "__main__":
    main()
