#!/usr/bin/env python3
"""From a capture to a profile and back: what `calibrate` writes, `predict` reads, and the copy takes what was recorded.

    calibrate.py COPYTRIAL

For every shipped trace of a copy that lost nothing: the files of traces.json with network, client and server calibrated from the capture,
within 2 % of the recorded seconds (4 % for many small files, whose think times are reduced to medians).
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def check(program, trace, folder):
    profile = Path(folder) / "captured.yaml"
    capture = ROOT / "traces" / trace["file"]
    subprocess.run([program, "calibrate", capture, "-o", profile], check=True)
    files = ",".join(f"{f['count']}x{f['size_bytes']}B" for f in trace["files"])
    words = [program, "predict", "--json", "--files", files, "--network", profile, "--client", profile, "--server", profile]
    out = subprocess.run(words + (["--upload"] if trace["operation"] == "upload" else []), check=True, capture_output=True, text=True).stdout
    prediction = json.loads(out)["prediction"]
    error = prediction["seconds"] / trace["recorded_s"] - 1
    bound = 0.02 if sum(f["count"] for f in trace["files"]) < 10 else 0.04
    print(f"{trace['name']:28} recorded {trace['recorded_s']:8.4f} s  predicted {prediction['seconds']:8.4f} s "
          f"({prediction['low_s']:.4f} to {prediction['high_s']:.4f})  {100 * error:+.2f} %")
    return abs(error) < bound and prediction["low_s"] < prediction["high_s"]


def main():
    traces = json.loads((ROOT / "traces/traces.json").read_text())["traces"]
    quiet = [t for t in traces if not t.get("keys") and not any(t["link_counters"][d][k] for d in ("down", "up") for k in ("lost", "queue_drops"))]
    with tempfile.TemporaryDirectory(prefix="copytrial-calibrate-") as folder:
        good = [check(sys.argv[1], t, folder) for t in quiet]
    sys.exit(0 if len(good) >= 4 and all(good) else 1)


if __name__ == "__main__":
    main()
