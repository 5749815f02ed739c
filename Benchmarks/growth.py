#!/usr/bin/env python3
"""Measures how the cost of each command grows with the archive. It measures and never fails.

    growth.py [--samples N] [--rounds N] [--large]

Every command runs on archives of two sizes, a tenth of N samples and N samples, and of two kinds: one of another
engine, and one that `capture` made of two exports of which the second one replaces everything. Times are those of the
processor, so that they depend less on what else runs; the least of the rounds counts. Time per sample may grow by a
factor of 1.35, memory by a tenth where it is above 64 MiB. Archives are those of run.py.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run as bench  # noqa: E402
from run import MIB, TOOLS, WORK  # noqa: E402

EXPORT, VERIFY = TOOLS / "hp-export", TOOLS / "hp-verify"
COPY, BUNDLE = WORK / "growth.sqlite", WORK / "growth.zst"
HISTORY, OUTPUT = WORK / "growth-history.zst", WORK / "growth.out"
# Below so many seconds a command does little but begin.
LEAST = 0.1


def exports(records):
    """Two exports of so many records of which none is in both, a month apart; made once."""
    other = bench.OUTSIDE / "make_export_xml.py"
    maker = other if other.exists() else bench.ROOT / "Benchmarks" / "make_export.py"
    name = "month-%d-%d-" + ("other" if other.exists() else "own") + ".xml"
    paths = [WORK / (name % (number, records)) for number in (1, 2)]
    for seed, path in enumerate(paths, 1):
        if path.exists():
            continue
        unfinished = path.with_suffix(".unfinished.xml")
        making = [sys.executable, str(maker), str(unfinished), "--records", str(records), "--seed", str(seed)]
        subprocess.run(making, check=True, stdout=subprocess.DEVNULL)
        with open(unfinished, "rb") as source, open(path, "wb") as target:
            year = rb"\g<1>%d" % (2020 + seed)
            target.write(re.sub(rb'(<ExportDate value=")\d{4}', year, source.read(1 << 16), count=1))
            shutil.copyfileobj(source, target, 1 << 20)
        unfinished.unlink()
    return paths


def remove(path):
    for leftover in path.parent.glob(path.name + "*"):
        leftover.unlink()


def once(command):
    """Runs a command; processor time in seconds and the largest resident size in bytes."""
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # A dry run of a repair ends with 1 where it would change something.
    if process.returncode > 1:
        raise SystemExit("bench: %s ended with status %d" % (" ".join(map(str, command[:3])), process.returncode))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def captured(samples):
    """An archive of two exports, and what the two captures cost."""
    remove(COPY)
    tool = [EXPORT, "capture", COPY, "--time-zone", "Europe/Bucharest", "--quiet", "--apple-health"]
    costs = [once([*tool, path]) for path in exports(samples)]
    return dict(zip(("capture, new archive", "capture, all replaced"), costs))


def copied(samples):
    remove(COPY)
    subprocess.run(["cp", "--reflink=auto", str(bench.archive(samples)), str(COPY)], check=True)
    return {}


def commands():
    """Every command on the copy, by name, in an order that makes what later ones read."""
    listed = subprocess.run([EXPORT, "list", COPY, "observations", "--json"], check=True, capture_output=True).stdout
    ids = [observation["id"] for observation in json.loads(listed)["observations"]]
    one = "HKQuantityTypeIdentifierStepCount"
    file = ["--quiet", "--force", "-o"]
    plain = ["--no-record", *file, OUTPUT]
    outermost = ["--from", ids[0], "--to", ids[-1]]
    steps = {
        "bundle": ["bundle", COPY, *file, BUNDLE], "bundle, history": ["bundle", COPY, "--history", *file, HISTORY],
        "bundle, a type": ["bundle", COPY, "--type", one, *plain],
        "history, a type": ["bundle", COPY, "--history", "--type", one, *plain],
        "history, since": ["bundle", COPY, "--history", "--since", "2000-07-01", *plain],
        "records": ["records", COPY, *plain], "manifest": ["manifest", COPY, *plain],
        "diff, last two": ["diff", COPY, *plain], "diff, outermost": ["diff", COPY, *outermost, *plain],
        "summary": ["diff", COPY, "--summary", "--format", "json", *outermost, *plain],
        "findings": ["diff", COPY, "--findings", "--format", "json", *outermost, *plain],
        "findings, a type": ["diff", COPY, "--findings", "--format", "json", "--type", one, *outermost, *plain],
        "list types": ["list", COPY, "types"], "list changes": ["list", COPY, "changes"],
        "repair, dry run": ["repair", COPY, "--ranges", "--aggregates", "--dry-run", "--quiet"],
    }
    steps = {name: [EXPORT, *rest] for name, rest in steps.items()}
    verified = {
        "verify bundle": ["bundle", BUNDLE], "verify bundle, archive": ["bundle", BUNDLE, "--archive", COPY],
        "verify history, archive": ["bundle", HISTORY, "--archive", COPY], "verify archive": ["archive", COPY],
        "reproduce": ["reproduce", COPY], "salvage": ["salvage", BUNDLE, "-o", OUTPUT, "--force"],
    }
    return steps | {name: [VERIFY, *rest] for name, rest in verified.items()}


def measure(make, samples, rounds):
    """The least time and the greatest size of every command."""
    measured = make(samples)
    for name, command in commands().items():
        runs = [once(command) for _ in range(1 if name in ("bundle", "bundle, history") else rounds)]
        measured[name] = (min(time for time, _ in runs), max(size for _, size in runs))
    for path in (COPY, BUNDLE, HISTORY, OUTPUT):
        remove(path)
    return measured


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1_000_000, help="samples of the larger archive")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--large", action="store_true", help="5,000,000 samples")
    options = parser.parse_args()
    large = 5_000_000 if options.large else options.samples
    WORK.mkdir(parents=True, exist_ok=True)
    for kind, make in (("another engine's", copied), ("captured", captured)):
        less, more = [measure(make, samples, options.rounds) for samples in (large // 10, large)]
        print("%s archive, %d and %d samples: seconds, their ratio over 10, peak MiB" % (kind, large // 10, large))
        for name in less:
            (short, small), (long, big) = less[name], more[name]
            growth = long / short / 10
            is_met = (long < LEAST or growth <= 1.35) and big <= max(64 * MIB, small * 1.1)
            values = (name, short, long, growth, small / MIB, big / MIB, "met" if is_met else "not met")
            print("  %-26s %8.2f %9.2f   %5.2f   %6.1f %6.1f   %s" % values)
        print(flush=True)


if __name__ == "__main__":
    main()
