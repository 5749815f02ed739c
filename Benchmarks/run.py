#!/usr/bin/env python3
"""Measures the tools on large synthetic archives, next to what the same work costs elsewhere. It measures and never fails.

    run.py [--samples N] [--rounds N] [--large]

Every number comes from one run: after a warm-up, the programs take turns, and ratios are taken pair by pair. An export that is
recorded gets a fresh copy of the archive. Archives are made once, in .build/bench. HP_BENCH_TOOLS names a folder with another
make_archive.py and with floor.c, a plain C program that does an export's work without recording; without it the archive comes
from Benchmarks/make_archive.py and that comparison is left out.
"""

import argparse
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / ".build" / "bench"
TOOLS = ROOT / ".build" / "release"
OUTSIDE = pathlib.Path(os.environ.get("HP_BENCH_TOOLS", ROOT / ".." / "shared" / "tools")).resolve()
MIB = 1 << 20

# The query of the plain C program, for the programs that know nothing of bundles: the same columns of the same rows in the same order.
QUERY = """
SELECT t.type_identifier, s.sample_uuid_hash, s.strict_fingerprint, s.semantic_fingerprint, v.payload_hash, v.start_date, v.end_date, v.value_kind, v.numeric_value, v.unit,
       v.category_value, v.workout_activity_type, v.duration_seconds, v.source_revision_id, v.hk_device_id, v.metadata_id, r.first_observation_id, r.first_seen_at, s.id, v.id
FROM sample_visibility_ranges r
JOIN sample_versions v ON v.id = r.version_id
JOIN samples s ON s.id = r.sample_id
JOIN sample_types t ON t.id = s.sample_type_id
WHERE r.first_observation_id <= {0} AND (r.last_observation_id IS NULL OR r.last_observation_id > {0})
ORDER BY t.type_identifier, v.start_date, v.end_date, coalesce(s.sample_uuid_hash, s.strict_fingerprint), v.payload_hash;
"""


class Measured:
    """Wall times in seconds and the largest resident size in bytes of a program's runs."""

    def __init__(self, name):
        self.name, self.times, self.peak = name, [], 0

    def run(self, command, before=None, **options):
        """Runs a command once; `before` is not measured."""
        if before is not None:
            before()
            os.sync()
        begin = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit("bench: %s ended with status %d" % (self.name, process.returncode))
        self.peak = max(self.peak, usage.ru_maxrss * 1024)
        return elapsed

    @property
    def line(self):
        return "  %-36s median %7.3f s   %7.3f to %7.3f s   peak %6.1f MiB" % (self.name, statistics.median(self.times), min(self.times), max(self.times), self.peak / MIB)


def ratio(ours, theirs, target):
    pairs = [a / b for a, b in zip(ours.times, theirs.times)]
    median = statistics.median(pairs)
    print("  %-60s %5.2f   target %.2f   %s" % ("%s / %s" % (ours.name, theirs.name), median, target, "met" if median <= target else "not met"))


def archive(samples):
    """The archive of so many samples, made once."""
    other = OUTSIDE / "make_archive.py"
    maker = other if other.exists() else ROOT / "Benchmarks" / "make_archive.py"
    path = WORK / ("archive-%d-%s.sqlite" % (samples, "other" if other.exists() else "own"))
    if not path.exists():
        print("making an archive of %d samples" % samples, flush=True)
        unfinished = path.with_suffix(".unfinished")
        for leftover in WORK.glob(unfinished.name + "*"):
            leftover.unlink()
        subprocess.run([sys.executable, str(maker), str(unfinished), "--samples", str(samples)], check=True, stdout=subprocess.DEVNULL)
        unfinished.rename(path)
    return path


def floor():
    """The plain C program, compiled; None where it is not there."""
    source, compiler = OUTSIDE / "floor.c", shutil.which("cc") or shutil.which("clang")
    if not source.exists() or compiler is None:
        return None
    program = WORK / "floor"
    built = subprocess.run([compiler, "-O2", "-w", str(source), "-lsqlite3", "-lcrypto", "-lzstd", "-lm", "-o", str(program)])
    return program if built.returncode == 0 else None


def measure(samples, rounds, program):
    """The pairs on one archive. Returns what the two tools took."""
    original = archive(samples)
    with sqlite3.connect("file:%s?immutable=1" % original, uri=True) as database:
        (observation,) = database.execute("SELECT max(id) FROM observations").fetchone()
    copy, bundle = WORK / "copy.sqlite", WORK / "bundle.jsonl.zst"
    (WORK / "query.sql").write_text(QUERY.format(observation))

    def renew():
        for leftover in [bundle, *WORK.glob(copy.name + "*")]:
            leftover.unlink(missing_ok=True)
        subprocess.run(["cp", "--reflink=auto", str(original), str(copy)], check=True)

    export, verify = Measured("hp-export bundle"), Measured("hp-verify bundle")
    plain, shell, digest = Measured("plain C"), Measured("sqlite3 -json | zstd -3"), Measured("zstd -dc | openssl dgst -sha256")
    steps = [(export, [TOOLS / "hp-export", "bundle", copy, "-o", bundle, "--quiet"], renew)]
    if program:
        steps.append((plain, [program, original, observation, 4, WORK / "plain.zst"], None))
    steps.append((shell, ["sh", "-c", 'sqlite3 -json "$1" < "$2" | zstd -3 -q -f -o "$3"', "sh", original, WORK / "query.sql", WORK / "shell.zst"], None))
    steps.append((verify, [TOOLS / "hp-verify", "bundle", bundle, "--quiet"], None))
    steps.append((digest, ["sh", "-c", 'zstd -dcq "$1" | openssl dgst -sha256', "sh", bundle], None))
    for number in range(rounds + 1):
        for what, command, before in steps:
            elapsed = what.run(command, before)
            if number > 0:
                what.times.append(elapsed)
    print("%d samples, %d rounds, archive %.0f MiB, bundle %.0f MiB" % (samples, rounds, original.stat().st_size / MIB, bundle.stat().st_size / MIB))
    for what, _, _ in steps:
        print(what.line if what not in (shell, digest) else what.line[:what.line.index("   peak")])
    if program:
        ratio(export, plain, 0.8)
    ratio(export, shell, 0.4)
    ratio(verify, digest, 1.6)
    for what in (export, verify):
        print("  %-60s %5.1f   target 64    %s" % ("%s, peak memory in MiB" % what.name, what.peak / MIB, "met" if what.peak <= 64 * MIB else "not met"))
    print(flush=True)
    return export, verify


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1_000_000, help="samples of the archive that counts")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="also an archive of 5,000,000 samples")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    program = floor()
    if program is None:
        print("without floor.c: no comparison with plain C")
    sizes = sorted({100_000, options.samples} | ({5_000_000} if options.large else set()))
    peaks = {size: measure(size, options.rounds if size <= options.samples else 1, program) for size in sizes}
    least, most = peaks[sizes[0]], peaks[sizes[-1]]
    for small, large in zip(least, most):
        print("%s, peak memory at %d over %d samples: %.2f (target: within 10 %%)" % (small.name, sizes[-1], sizes[0], large.peak / small.peak))


if __name__ == "__main__":
    main()
