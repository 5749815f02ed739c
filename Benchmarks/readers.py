#!/usr/bin/env python3
"""Measures the readers of python/ on a bundle of a million records: seconds and peak memory, each in a process of its own.

    readers.py [--samples N]

It needs the packages of Tests/readers-requirements.txt: make prepare-readers. It measures and never fails. DuckDB counts the
days of the bundle, then keeps all of it as a table; the others keep all columns as a frame, then three columns of one type.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / ".build" / "bench"
PYTHON = ROOT / ".build" / "venv" / "bin" / "python"
TOOLS = pathlib.Path(os.environ.get("HP_TOOLS", ROOT / ".build" / "release"))
FEW = "columns=['day', 'start_date', 'numeric_value'], types=['HKQuantityTypeIdentifierHeartRate']"
READ = "import sys, healthprobe; found = healthprobe.read_records(sys.argv[1], %s)"
PROGRAMS = [
    ("DuckDB: records of each day", READ % "'duckdb'" + ".aggregate('day, count(*)').fetchall()"),
    ("DuckDB: a table", READ % "'duckdb'" + ".create('records')"),
    ("Parquet: to-parquet", "import sys, healthprobe.parquet; healthprobe.parquet.write(sys.argv[1], sys.argv[2])"),
    *(("%s: %s" % (name, what), READ % ("'%s'%s" % (name.lower().replace("py", ""), choice)))
      for name in ("pyarrow", "pandas", "Polars") for what, choice in (("all columns", ""), ("3 columns, 1 type", ", " + FEW))),
]


def bundle(samples):
    """A bundle of so many samples, made once."""
    archive, path = WORK / ("readers-%d.sqlite" % samples), WORK / ("readers-%d.jsonl.zst" % samples)
    WORK.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        subprocess.run([sys.executable, ROOT / "Benchmarks" / "make_archive.py", "--samples", str(samples), archive], check=True)
        subprocess.run([TOOLS / "hp-export", "bundle", archive, "-o", path, "--quiet", "--no-record"], check=True)
        archive.unlink()
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1000000)
    path, out = bundle(parser.parse_args().samples), WORK / "readers.parquet"
    print("| program | seconds | peak MiB |\n|---|---|---|")
    for name, program in PROGRAMS:
        out.unlink(missing_ok=True)
        begin = time.perf_counter()
        process = subprocess.Popen([PYTHON, "-B", "-c", program, path, out], env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        print("| %s | %.1f | %d |" % (name, time.perf_counter() - begin, usage.ru_maxrss >> 10) if not status else "| %s | failed | |" % name, flush=True)


if __name__ == "__main__":
    main()
