#!/usr/bin/env python3
"""Each row of a sweep says what predict says of that combination alone, with any number of threads.

    sweep.py COPYTRIAL
"""
import csv
import io
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

NETWORK = """network:
  name: made
  rtt: {rtt}
  down: {{rate: {rate}, queue: {queue}, loss: {loss}}}
  up: {{rate: {rate}, queue: {queue}, loss: {loss}}}
"""
LISTS = {
    "clients": ["windows-10-explorer", "robocopy"], "servers": ["windows-server-2022"],
    "files": ["3x100KiB"], "directions": ["download", "upload"], "caches": ["cold", "warm"], "at_once": ["1", "3"],
    "rtt": ["3 ms", "40 ms"], "rate": ["5 Mbit/s", "50 Mbit/s"], "queue": ["100 kB"], "loss": ["0 %", "1 %"],
}


def run(program, *words, threads=None):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_DYNAMIC="false", OMP_WAIT_POLICY="passive") if threads else None
    return subprocess.run([program, *words], capture_output=True, text=True, check=True, env=environment).stdout


def predicted(program, folder, lists):
    """What predict says of one combination."""
    network = folder / "made.yaml"
    network.write_text(NETWORK.format(**lists))
    words = ["-n", str(network), "-c", lists["clients"], "-s", lists["servers"], "-f", lists["files"], "--cache", lists["caches"],
             "--at-once", lists["at_once"], "--runs", "3", "--seed", "9", "--json"]
    answer = json.loads(run(program, "predict", *words, *(["--upload"] if lists["directions"] == "upload" else [])))["prediction"]
    parts = {f"{name}_s": value for name, value in answer["breakdown_s"].items()}
    baselines = {f"{name}_s": value for name, value in answer["baselines"].items()}
    return {name: answer[name] for name in ("seconds", "low_s", "high_s", "bottleneck", "runs")} | parts | baselines


def differs(text, value):
    if isinstance(value, str):
        return text != value
    return text != "" if value is None else abs(float(text) - value) > 1e-8 * max(1, abs(value))


def main():
    program, failed = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "base.yaml").write_text(NETWORK.format(rtt="1 s", rate="1 kbit/s", queue="1 kB", loss="50 %"))
        lists = "".join(f"{key}: [{', '.join(values)}]\n" for key, values in LISTS.items())
        (folder / "experiment.yaml").write_text("networks: [base.yaml]\n" + lists + "runs: 3\nseed: 9\n")
        outputs = [run(program, "sweep", str(folder / "experiment.yaml"), threads=threads) for threads in (1, 2, 3, 200)]
        if any(o != outputs[0] for o in outputs):
            sys.exit("the rows differ with the number of threads")
        rows = list(csv.DictReader(io.StringIO(outputs[0])))
        combinations = [dict(zip(LISTS, values)) for values in itertools.product(*LISTS.values())]
        if len(rows) != len(combinations):
            sys.exit(f"{len(rows)} rows of {len(combinations)} combinations")
        for number, (row, lists) in enumerate(zip(rows, combinations)):
            if number % 9:  # a ninth of them, in turn
                continue
            for key, value in predicted(program, folder, lists).items():
                if differs(row[key], value):
                    print(f"{lists}: {key} is {row[key]}, predict says {value}")
                    failed += 1
    print(f"{len(rows)} rows, the same with 1, 2, 3 and 200 threads; {failed} values unlike predict's")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
