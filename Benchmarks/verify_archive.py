#!/usr/bin/env python3
"""Measures hp-verify archive next to what the sqlite3 program needs for integrity_check and foreign_key_check of the same archive. It measures and never fails.

    verify_archive.py [ARCHIVE] [--samples N] [--rounds N]

The programs take turns after a warm-up, and ratios are taken pair by pair. Recorded exports are not made again. ARCHIVE: another one than that of Benchmarks/run.py."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run as bench  # noqa: E402


def measure(archive, rounds):
    ours, theirs = bench.Measured("hp-verify archive --skip exports"), bench.Measured("sqlite3: both checks")
    steps = [(ours, [bench.TOOLS / "hp-verify", "archive", archive, "--skip", "exports", "--quiet"]),
             (theirs, ["sqlite3", "file:%s?immutable=1" % archive, "PRAGMA integrity_check; PRAGMA foreign_key_check"])]
    for number in range(rounds + 1):
        for what, command in steps:
            elapsed = what.run(command)
            if number > 0:
                what.times.append(elapsed)
    print("verification of %s, %.0f MiB, %d rounds" % (archive.name, archive.stat().st_size / bench.MIB, rounds))
    for what, _ in steps:
        print(what.line)
    bench.ratio(ours, theirs, 2.0)
    print("  %-60s %5.1f   target 64    %s" % ("%s, peak memory in MiB" % ours.name, ours.peak / bench.MIB, "met" if ours.peak <= 64 * bench.MIB else "not met"))
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", nargs="?", type=pathlib.Path)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="also an archive of 5,000,000 samples, once")
    options = parser.parse_args()
    bench.WORK.mkdir(parents=True, exist_ok=True)
    measure(options.archive or bench.archive(options.samples), options.rounds)
    if options.large:
        measure(bench.archive(5_000_000), 1)


if __name__ == "__main__":
    main()
