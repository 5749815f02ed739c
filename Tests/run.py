#!/usr/bin/env python3
"""Runs every kind of test one after the other and adds up what they counted. The last line is `N passed, N failed`.

A step that ends badly without saying how many failed counts as one failure.
"""

import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = [sys.executable, "-B"]

STEPS = [
    ("Swift", ["swift", "test"]),
    ("vectors", [*PYTHON, "Tests/verify_vectors.py"]),
    ("examples", [*PYTHON, "Tests/verify_examples.py"]),
    ("feeds", [*PYTHON, "Tests/verify_feeds.py"]),
    ("reference capture", [*PYTHON, "Tests/reference/test_capture_reference.py"]),
    ("reference cases", [*PYTHON, "Tests/cli/run.py", "test_reference"]),
    ("bad input", [*PYTHON, "Tests/cli/run.py", "test_bad_input"]),
    ("exports", [*PYTHON, "Tests/cli/run.py", "test_export"]),
    ("captures", [*PYTHON, "Tests/cli/run.py", "test_capture"]),
    ("capture input", [*PYTHON, "Tests/cli/run.py", "test_capture_input"]),
    ("crashes", [*PYTHON, "Tests/cli/run.py", "test_crash"]),
    ("verification", [*PYTHON, "Tests/cli/run.py", "test_verify"]),
    ("salvage", [*PYTHON, "Tests/cli/run.py", "test_salvage"]),
    ("readers", [*PYTHON, "Tests/cli/run.py", "test_readers"]),
]

COUNTS = re.compile(r"^(\d+) passed, (\d+) failed$")
# What the Swift testing library says of one test: a check mark or a cross, the name, and the outcome.
SWIFT_TEST = re.compile(r"^. Test (?!run with|case passing).* (passed|failed) after [0-9.]+ seconds")
ROUTINE = re.compile(r"^(\S+ (Test|Suite) .* (started|passed)|\[\d+/\d+\])")


def run(command):
    """Runs a step. Returns how many tests passed and failed."""
    passed = failed = 0
    is_swift = command[0] == "swift"
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    is_case = False
    for line in process.stdout:
        counts, swift = COUNTS.match(line), SWIFT_TEST.match(line) if is_swift else None
        if counts:
            passed, failed = passed + int(counts[1]), failed + int(counts[2])
        elif swift:
            passed, failed = passed + (swift[1] == "passed"), failed + (swift[1] == "failed")
        # Of the Swift tests, only what is not as it should be. An argument of a case may hold line ends.
        is_case = is_swift and (is_case or line.startswith(("◇ Test case", "✔ Test case")))
        if not is_case and not (is_swift and ROUTINE.match(line)):
            print("  " + line, end="", flush=True)
        if line.rstrip().endswith(("started.", "seconds.")):
            is_case = False
    if process.wait() != 0 and failed == 0:
        failed = 1
    return passed, failed


def main():
    passed = failed = 0
    for name, command in STEPS:
        print("== %s" % name, flush=True)
        begin = time.monotonic()
        step = run(command)
        print("   %s: %d passed, %d failed, %.0f s" % (name, *step, time.monotonic() - begin), flush=True)
        passed, failed = passed + step[0], failed + step[1]
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
