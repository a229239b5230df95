#!/usr/bin/env python3
"""Makes docs/claims.md, the gallery of the claims under examples/claims/: a line and a thumbnail each, with the verdict.

usage: claims.py PROGRAM            writes the page, and the thumbnails of claims whose verdict page changed (pdftoppm makes them)
       claims.py PROGRAM --check    only says whether the page is current; thumbnails must be there, and are not compared
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent
ROOT = DOCS.parent
CLAIMS, PAGE, THUMBNAILS = ROOT / "examples/claims", DOCS / "claims.md", DOCS / "images/claims"
WIDTH = 150
STAMPS = {"supported": "supported", "supported_small": "supported, but small", "refuted": "refuted", "undecided": "undecided"}
BASES = {"samples": "measured runs", "mechanism": "the mechanism", "simulation": "simulation"}
HEAD = """# Claims on trial

Made by [docs/claims.py](claims.py); each line is a file under [examples/claims/](../examples/claims), whose first lines name its sources, and
each thumbnail the first page of what `copytrial verdict FILE -o REPORT.pdf` writes. A verdict by simulation holds for the model and the profiles
that the claim names, and asks to be measured; what its figures were fitted to never counts as a confirmation.

| claim | verdict | figures | |
|---|---|---|---|
"""


def judge(program, path):
    done = subprocess.run([program, "verdict", str(path), "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def percent(o):
    """The gain as people read it: three digits at most."""
    control = next(arm["mean"] for arm in o["arms"] if arm["role"] == "control")
    gain = 100 * o["comparison"]["gain"]["value"] / control
    digits = 0 if abs(gain) >= 10 else 1 if abs(gain) >= 0.95 else 2
    text = f"{gain:+.{digits}f}".replace("-", "\u2212")
    return re.sub(r"^[+\u2212](0(\.0+)?)$", r"\1", text)


def figures(o):
    counts = {}
    for f in o["figures"]:
        counts[f["outcome"]] = counts.get(f["outcome"], 0) + 1
    return ", ".join(f"{counts[k]} {k}" for k in ("confirmed", "off", "fitted", "unconfirmed", "measured") if k in counts)


def line(name, o):
    statement = o["claim"].replace("|", "\\|")
    contradictions = len(o["contradictions"])
    notes = figures(o)
    if contradictions:
        notes += ("; " if notes else "") + f"{contradictions} contradiction{'s' if contradictions > 1 else ''}"
    return (f"| **{o['title']}**<br>\u201c{statement}\u201d<br>[{name}.yaml](../examples/claims/{name}.yaml) "
            f"| {STAMPS[o['verdict']]}<br>by {BASES[o['basis']]}<br>gain {percent(o)} % | {notes} "
            f"| ![first page](images/claims/{name}.png) |\n")


def thumbnail(program, path, to):
    with tempfile.TemporaryDirectory() as folder:
        pdf = pathlib.Path(folder) / "v.pdf"
        subprocess.run([program, "verdict", str(path), "-o", str(pdf)], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["pdftoppm", "-png", "-gray", "-singlefile", "-scale-to-x", str(WIDTH), "-scale-to-y", "-1", str(pdf), str(to.with_suffix(""))],
                       check=True)


def main():
    program, *options = sys.argv[1:]
    os.environ["LC_ALL"] = "C.UTF-8"
    paths = sorted(CLAIMS.glob("*.yaml"))
    page = HEAD + "".join(line(p.stem, judge(program, p)) for p in paths)
    page += f"\n{len(paths)} claims.\n"
    if "--check" in options:
        missing = [p.stem for p in paths if not (THUMBNAILS / f"{p.stem}.png").exists()]
        if missing:
            sys.exit(f"docs/images/claims: no thumbnail of {', '.join(missing)}: run docs/claims.py")
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
            sys.exit("docs/claims.md isn't what the claims' verdicts are now: run docs/claims.py")
        return
    THUMBNAILS.mkdir(parents=True, exist_ok=True)
    for old in THUMBNAILS.glob("*.png"):
        if not (CLAIMS / f"{old.stem}.yaml").exists():
            old.unlink()
    for p in paths:
        thumbnail(program, p, THUMBNAILS / f"{p.stem}.png")
    PAGE.write_text(page, encoding="utf-8")


main()
