#!/usr/bin/env python3
"""Makes the seeds of the capture reader's fuzz targets from real traffic: golden/smb_messages.tsv and traces/.

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


def main():
    streams = {1: b"", 2: b""}
    for name, message in messages():
        version = 1 if message[0] == 0xFF else 2
        write(f"smb{version}", name, message)
        streams[version] += struct.pack(">I", len(message)) + message
    for version, stream in streams.items():
        write("nbss", f"whole-{version}", bytes([1, 0, 0]) + stream)
        write("nbss", f"pieces-{version}", bytes([79, 40, 5]) + stream)
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
