#!/usr/bin/env python3
"""Runs tests of every kind and adds up what they counted. The last line is `N passed, N failed`.

Without a word it runs what `make test` does, with `readers` or `long` what `make test-readers` or `make test-long` does; these want the tools to be built.
Three steps run side by side, the long ones first, for some wait more than they compute. What a step says is printed when it ends. A step that ends badly without saying how many failed counts as one failure; the line before the last names the steps that failed.
The tools are built beside the Swift tests, which need none of them and are built in a folder of their own: a build of many modules that wait for each other leaves a core free.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = [sys.executable, "-B"]

# Without debug information: it takes as long to make as the code.
SWIFT = ["swift", "test", "--scratch-path", ".build/tests", "-Xswiftc", "-gnone"]
TOOLS = ["make", "build"]
# What `make test` runs beside these two, what `make test-long` does, with very many cases each, and what `make test-readers` does, with what other programs make of the files.
STEPS = [
    ("vectors", [*PYTHON, "Tests/verify_vectors.py", "--short"]),
    ("codes", [*PYTHON, "Tests/verify_codes.py"]),
    ("canonical JSON", [*PYTHON, "Tests/differential_json.py", "--count", "6000"]),
    ("fuzz corpus", [*PYTHON, "Tests/fuzz_corpus.py"]),
    ("pages", [*PYTHON, "Tests/verify_pages.py"]),
    ("mutants apply", [*PYTHON, "Tests/mutants/run.py", "--check"]),
    ("examples", [*PYTHON, "Tests/verify_examples.py"]),
    ("feeds", [*PYTHON, "Tests/verify_feeds.py"]),
    ("reference capture", [*PYTHON, "Tests/reference/test_capture_reference.py"]),
]
LONG = [
    ("long: vectors", [*PYTHON, "Tests/verify_vectors.py", "--long"]),
    ("schemas", [*PYTHON, "Tests/verify_schemas.py"]),
    ("two verifiers", [*PYTHON, "Tests/differential.py", "--count", "1500"]),
    ("brute force", [*PYTHON, "Tests/reference/test_brute_force.py"]),
]
READERS = [
    ("Python package", [*PYTHON, "Tests/verify_package.py"]),
    ("libraries", [*PYTHON, "Tests/verify_libraries.py"]),
    ("documentation", [*PYTHON, "Tests/verify_docs.py"]),
    ("recipes", [*PYTHON, "Tests/verify_recipes.py"]),
]
# Each module of the command line's tests is a step. The largest takes the longest, more or less.
MODULES = sorted((ROOT / "Tests" / "cli").glob("test_*.py"), key=lambda path: (-path.stat().st_size, path.name))
for path in MODULES:
    name, command = path.stem[5:].replace("_", " "), [*PYTHON, "Tests/cli/run.py"]
    if path.stem in ("test_people", "test_readers", "test_tables"):
        READERS.append((name, [*command, path.stem]))
        continue
    STEPS.append((name, [*command, "--short", path.stem]))
    if "@takes_long" in path.read_text(encoding="utf-8"):
        LONG.append(("long: " + name, [*command, "--long", path.stem]))
SUITES = {"test": STEPS, "long": LONG, "readers": READERS}

COUNTS = re.compile(r"^(\d+) passed, (\d+) failed$")
# What the Swift testing library says of one test: a check mark or a cross, the name, and the outcome.
SWIFT_TEST = re.compile(r"^. Test (?!run with|case passing).* (passed|failed) after [0-9.]+ seconds")
ROUTINE = re.compile(r"^(\S+ (Test|Suite) .* (started|passed)|\[\d+/\d+\])")


def run(command):
    """Runs a step. Returns how many tests passed and failed, what it said, and how long it took."""
    passed = failed = 0
    said = []
    begin = time.monotonic()
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
            said.append("  " + line)
        if line.rstrip().endswith(("started.", "seconds.")):
            is_case = False
    if process.wait() != 0 and failed == 0:
        failed = 1
    return passed, failed, "".join(said), time.monotonic() - begin


def main():
    suite, = sys.argv[1:] or ["test"]
    begun = [("tools", TOOLS), ("Swift", SWIFT)] if suite == "test" else []
    passed = failed = 0
    bad = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=3) as workers:
        steps = {workers.submit(run, command): name for name, command in begun}
        # All but the Swift tests run the tools.
        if not begun or next(iter(steps)).result()[1] == 0:
            steps.update({workers.submit(run, command): name for name, command in SUITES[suite]})
        for step in concurrent.futures.as_completed(steps):
            counts = step.result()
            print("== %s\n%s   %s: %d passed, %d failed, %.0f s" % (steps[step], counts[2], steps[step], *counts[:2], counts[3]), flush=True)
            passed, failed = passed + counts[0], failed + counts[1]
            if counts[1]:
                bad.append(steps[step])
    # Once more at the end, for who reads no more than that.
    if bad:
        print("failed: " + ", ".join(bad))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
