#!/usr/bin/env python3
"""`replay --as` with the captured client's own profile takes what was recorded: shipped traces of smbclient, within 8 %.

    as_client.py COPYTRIAL

The profile lists no think times and asks for larger blocks than the recorded copies did, so the bound is wider than that of the
capture's own exchanges.
"""
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def main():
    good = []
    for name in ("smb3-smbclient-small", "smb3-smbclient-get", "smb3-smbclient-branch"):
        out = subprocess.run([sys.argv[1], "replay", ROOT / f"traces/{name}.pcap", "--as", "smbclient", "--json"], check=True,
                             capture_output=True, text=True).stdout
        j = json.loads(out)
        error = j["prediction"]["seconds"] / j["self_replay"]["recorded_s"] - 1
        print(f"{name:28} {j['self_replay']['recorded_s']:8.3f} s recorded, {100 * error:+.2f} %")
        good.append(abs(error) < 0.08)
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
