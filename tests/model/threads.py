#!/usr/bin/env python3
"""The same prediction with one thread and with others: not a byte of the output may differ.

    threads.py COPYTRIAL

A network on which every run differs, so that a run's number given to the wrong random streams, or sums taken in the order in which threads end,
would show, and one on which none does. That the runs do differ is checked as well.
"""
import json
import os
import subprocess
import sys

NETWORKS = ("lossy-vpn", "home-office")
THREADS = (1, 2, 3, 8)


def predict(program, network, threads, runs=24):
    words = [program, "predict", "-n", network, "-c", "windows-11-explorer", "-s", "samba", "-f", "3x500kB", "--runs", str(runs), "--seed", "5", "--json"]
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_DYNAMIC="false")
    return subprocess.run(words, env=environment, capture_output=True, check=True).stdout


def main():
    program, failed, varied = sys.argv[1], False, False
    for network in NETWORKS:
        outputs = {threads: predict(program, network, threads) for threads in THREADS}
        prediction = json.loads(outputs[1])["prediction"]
        varied |= prediction["low_s"] < prediction["high_s"]
        differing = [threads for threads in THREADS if outputs[threads] != outputs[1]]
        print(f"{network}: {prediction['low_s']} to {prediction['high_s']} s, with 1 thread as with {THREADS[1:]}: {not differing}")
        failed |= bool(differing)
    if not varied:
        print("no network is random: the test tests nothing")
    sys.exit(failed or not varied)


if __name__ == "__main__":
    main()
