#!/usr/bin/env python3
"""Measures how the cost of each command grows with the archive. It measures and never fails.

    growth.py [--sizes N,N,…] [--rounds N] [--kind another|captured]

Every command runs on archives of three sizes and of two kinds: one of another engine, and one that `capture` made of
two exports of which the second one replaces everything. The page cache is full before each command. Times are those of
the processor, so that they depend less on what else runs; the least of the rounds counts. From the smallest to the
largest size, time per sample may grow by a factor of 1.35 and memory by a tenth where it is above 64 MiB; temporary
files may be as large as the archive.
Where floor.c is there, an export of an archive of another engine is compared with it. Archives are those of run.py.
"""

import argparse
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run as bench  # noqa: E402
from run import MIB, TOOLS, WORK  # noqa: E402

EXPORT, VERIFY = TOOLS / "hp-export", TOOLS / "hp-verify"
COPY, BUNDLE = WORK / "growth.sqlite", WORK / "growth.zst"
HISTORY, OUTPUT, REPORT = WORK / "growth-history.zst", WORK / "growth.out", WORK / "growth.csv"
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


@functools.cache
def holes():
    """A file of a tebibyte of zeros that has no name and no byte on the disk."""
    file = tempfile.TemporaryFile(buffering=0, dir=WORK)
    file.truncate(1 << 40)
    return file


def fill():
    """Fills the page cache, so that the files of a command take memory that was used before.

    In a virtual machine the host has to find memory that was never used, or was free for some seconds: that costs as
    much as several copies of it, and the larger the archive, the more of its pages meet it. As much is read as memory
    is free, from where the last time ended.
    """
    space = bytearray(MIB)
    for _ in range(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // MIB):
        if not holes().readinto(space):
            holes().seek(0)


class Cost:
    """What a command took: processor time in seconds, its largest resident size and temporary files in bytes."""

    def __init__(self, time, size, temporary):
        self.time, self.size, self.temporary = time, size, temporary


def temporary_bytes(process):
    """The bytes of the files that a process holds open and that have no name any more."""
    total = 0
    try:
        for entry in os.scandir("/proc/%d/fd" % process):
            if os.readlink(entry.path).endswith(" (deleted)"):
                total += os.stat(entry.path).st_size
    except OSError:
        pass
    return total


def once(command):
    """Runs a command and returns its cost."""
    fill()
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    temporary = 0
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        temporary = max(temporary, temporary_bytes(process.pid))
        time.sleep(0.05)
    process.returncode = os.waitstatus_to_exitcode(status)
    # A dry run of a repair ends with 1 where it would change something.
    if process.returncode > 1:
        raise SystemExit("bench: %s ended with status %d" % (" ".join(map(str, command[:3])), process.returncode))
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, temporary)


def told(samples, name, cost):
    sizes = (cost.size / MIB, cost.temporary / MIB)
    print("%d: %s: %.2f s, %.0f MiB, temporary %.0f MiB" % (samples, name, cost.time, *sizes), file=sys.stderr, flush=True)


def captured(samples):
    """An archive of two exports, and what the two captures cost."""
    remove(COPY)
    zone = "Europe/Bucharest" if (bench.OUTSIDE / "make_export_xml.py").exists() else "UTC"
    tool = [EXPORT, "capture", COPY, "--time-zone", zone, "--quiet", "--accept-disappearances", "--apple-health"]
    costs = [once([*tool, path]) for path in exports(samples)]
    costs.append(once([*tool, exports(samples)[1]]))
    measured = dict(zip(("capture, new archive", "capture, all replaced", "capture, unchanged"), costs))
    for name, cost in measured.items():
        told(samples, name, cost)
    return measured


def copied(samples):
    remove(COPY)
    subprocess.run(["cp", "--reflink=auto", str(bench.archive(samples)), str(COPY)], check=True)
    return {}


def observations():
    """The ids of the copy's observations."""
    listed = subprocess.run([EXPORT, "list", COPY, "observations", "--json"], check=True, capture_output=True).stdout
    return [observation["id"] for observation in json.loads(listed)["observations"]]


def commands(own):
    """Every command on the copy, by name, in an order that makes what later ones read; `undo` where capture made it."""
    ids = observations()
    one = "HKQuantityTypeIdentifierStepCount"
    file = ["--quiet", "--force", "-o"]
    both = ["--ranges", "--aggregates"]
    plain = ["--no-record", *file, OUTPUT]
    outermost = ["--from", ids[0], "--to", ids[-1]]
    steps = {
        "bundle": ["bundle", COPY, *file, BUNDLE], "bundle, history": ["bundle", COPY, "--history", *file, HISTORY],
        "bundle, a type": ["bundle", COPY, "--type", one, *plain],
        "history, a type": ["bundle", COPY, "--history", "--type", one, *plain],
        "history, since": ["bundle", COPY, "--history", "--since", "2000-07-01", *plain],
        "records": ["records", COPY, *plain], "days": ["days", COPY, *plain], "manifest": ["manifest", COPY, *plain],
        "diff, last two": ["diff", COPY, *plain], "diff, outermost": ["diff", COPY, *outermost, *plain],
        "summary": ["diff", COPY, "--summary", "--format", "json", *outermost, *plain],
        "findings": ["diff", COPY, "--findings", "--format", "json", *outermost, *plain],
        "findings, a type": ["diff", COPY, "--findings", "--format", "json", "--type", one, *outermost, *plain],
        "list types": ["list", COPY, "types"], "list changes": ["list", COPY, "changes"],
        "diff to verify": ["diff", COPY, *file, REPORT], "page": ["report", COPY, *plain], "seal": ["seal", COPY, "--quiet"],
        "check": ["check", COPY], "repair, dry run": ["repair", COPY, *both, "--dry-run", "--quiet"],
    }
    steps = {name: [EXPORT, *rest] for name, rest in steps.items()}
    verified = {
        "verify bundle": ["bundle", BUNDLE], "verify bundle, archive": ["bundle", BUNDLE, "--archive", COPY],
        "the same, recorded only": ["bundle", BUNDLE, "--archive", COPY, "--recorded-only"],
        "verify report": ["bundle", REPORT], "verify report, archive": ["bundle", REPORT, "--archive", COPY],
        "verify history, archive": ["bundle", HISTORY, "--archive", COPY], "verify archive": ["archive", COPY],
        "reproduce": ["reproduce", COPY], "salvage": ["salvage", BUNDLE, "-o", OUTPUT, "--force"],
    }
    last = {"undo": [EXPORT, "undo", COPY, "--with-exports", "--no-backup", "--quiet"]} if own else {}
    return steps | {name: [VERIFY, *rest] for name, rest in verified.items()} | last


ONCE = ("bundle", "bundle, history", "diff to verify", "seal", "check", "undo")


def measure(make, samples, rounds):
    """The least time and the greatest sizes of every command."""
    measured = make(samples)
    archive = COPY.stat().st_size
    for name, command in commands(make is captured).items():
        runs = [once(command) for _ in range(1 if name in ONCE else rounds)]
        measured[name] = Cost(*(pick(getattr(run, part) for run in runs)
                                for pick, part in ((min, "time"), (max, "size"), (max, "temporary"))))
        # It takes an hour: what is known already is said.
        told(samples, name, measured[name])
    if make is copied and (program := bench.floor()):
        measured[FLOOR] = once([program, COPY, observations()[-1], 4, OUTPUT])
    for path in (COPY, BUNDLE, HISTORY, OUTPUT, REPORT, REPORT.with_name(REPORT.name + "-metadata.json")):
        remove(path)
    return measured, archive


FLOOR = "plain C, an export that is not recorded"


def table(kind, sizes, costs):
    """A line for each command."""
    shown = ", ".join(map(str, sizes))
    print("%s archive: microseconds a sample at %s; growth; peak MiB; temporary MiB" % (kind, shown))
    for name in costs[0][0]:
        row = [measured[name] for measured, _ in costs]
        each = [cost.time / size * 1e6 for cost, size in zip(row, sizes)]
        growth, archive = each[-1] / each[0], costs[-1][1]
        is_met = (row[-1].time < LEAST or growth <= 1.35) and row[-1].temporary <= archive
        is_met = is_met and row[-1].size <= max(64 * MIB, row[0].size * 1.1)
        numbers = " ".join("%7.2f" % number for number in each)
        peaks = " ".join("%6.1f" % (cost.size / MIB) for cost in row)
        verdict = "" if name == FLOOR else "met" if is_met else "not met"
        print("  %-26s %s   %5.2f   %s   %6.1f   %s" % (name, numbers, growth, peaks, row[-1].temporary / MIB, verdict))
    if FLOOR in costs[0][0]:
        ratios = ("%.2f" % (measured["bundle"].time / measured[FLOOR].time) for measured, _ in costs)
        print("  processor time of a recorded export over plain C: %s" % ", ".join(ratios))
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="300000,1000000,5000000", help="samples of the archives, ascending")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kind", choices=("another", "captured"), help="archives of one kind only")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    WORK.mkdir(parents=True, exist_ok=True)
    for kind, name, make in (("another", "another engine's", copied), ("captured", "captured", captured)):
        if options.kind in (None, kind):
            table(name, sizes, [measure(make, size, options.rounds) for size in sizes])


if __name__ == "__main__":
    main()
