#!/usr/bin/env python3
"""Measures the capture of an Apple Health export, next to healthkit-to-sqlite from PyPI on the same file. It measures and never fails.

    capture.py [--records N] [--rounds N] [--large]

The programs take turns after a warm-up, and ratios are taken pair by pair. The first capture makes a new archive; the second takes in an export of the same records with a later date.
--large also measures the peak memory at 3,000,000 records. HP_BENCH_TOOLS names a folder with another make_export_xml.py. healthkit-to-sqlite goes into .build/bench/venv."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run as bench  # noqa: E402

PROGRAM = bench.WORK / "venv" / "bin" / "healthkit-to-sqlite"


def export(records):
    """An export of so many records and the same with a later date, made once."""
    other = bench.OUTSIDE / "make_export_xml.py"
    maker = other if other.exists() else bench.ROOT / "Benchmarks" / "make_export.py"
    path = bench.WORK / ("export-%d-%s.xml" % (records, "other" if other.exists() else "own"))
    later = path.with_suffix(".later.xml")
    if not later.exists():
        print("making an export of %d records" % records, flush=True)
        subprocess.run([sys.executable, str(maker), str(path), "--records", str(records)], check=True, stdout=subprocess.DEVNULL)
        with open(path, "rb") as source, open(later, "wb") as target:
            head = source.read(1 << 16)
            target.write(re.sub(rb'(<ExportDate value=")\d{4}', rb"\g<1>2020", head, count=1))
            shutil.copyfileobj(source, target, 1 << 20)
    return path, later


def install():
    if not PROGRAM.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PROGRAM.parent.parent)], check=True)
        subprocess.run([str(PROGRAM.parent / "pip"), "install", "--quiet", "healthkit-to-sqlite"], check=True)


def measure(records, rounds, compare):
    path, later = export(records)
    archive, database = bench.WORK / "capture.sqlite", bench.WORK / "other.db"

    def clear():
        for leftover in [*bench.WORK.glob(archive.name + "*"), *bench.WORK.glob(database.name + "*")]:
            leftover.unlink()

    first, second, other = bench.Measured("capture, new archive"), bench.Measured("capture, unchanged export"), bench.Measured("healthkit-to-sqlite")
    tool = bench.TOOLS / "hp-export"
    for number in range(rounds + 1 if compare else 1):
        steps = [(first, [tool, "capture", archive, "--apple-health", path, "--quiet"], clear), (second, [tool, "capture", archive, "--apple-health", later, "--quiet"], None)]
        if compare:
            steps.append((other, [PROGRAM, "--xml", "-s", path, database], None))
        for what, command, before in steps:
            elapsed = what.run(command, before)
            if number > 0 or not compare:
                what.times.append(elapsed)
    print("%d records, %d rounds, export %.0f MiB, archive %.0f MiB" % (records, rounds if compare else 1, path.stat().st_size / bench.MIB, archive.stat().st_size / bench.MIB))
    for what in (first, second) + ((other,) if compare else ()):
        print(what.line)
    for what in (first, second):
        print("  %-60s %5.1f   target 128   %s" % ("%s, peak memory in MiB" % what.name, what.peak / bench.MIB, "met" if what.peak <= 128 * bench.MIB else "not met"))
    if compare:
        bench.ratio(first, other, 0.125)
        bench.ratio(second, first, 0.3)
    clear()
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    bench.WORK.mkdir(parents=True, exist_ok=True)
    install()
    measure(200_000, 1, False)
    measure(options.records, options.rounds, True)
    if options.large:
        measure(3_000_000, 1, False)


if __name__ == "__main__":
    main()
