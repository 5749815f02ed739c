#!/usr/bin/env python3
"""Runs tests of every kind and adds up what they counted. The last line is `N passed, N failed`.

Without a word it runs what `make test` does, with `readers` or `long` what `make test-readers` or `make test-long` does; these need built tools. `--only NAMES` builds what
is needed and runs only those: command-line tests (test_bad_input.Locks), Swift tests (CanonicalJSONTests), or steps by their names (vectors), with commas or blanks between.
Steps run side by side, the longest first. The output of a step is printed when it ends. A step that ends badly without a count of failures counts as one failure; the line
before the last names the steps that failed.
The tools are built next to the Swift tests, which do not need them and are built in a folder of their own: a build of many modules that wait for each other leaves a core free.
"""

import concurrent.futures
import json
import os
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
# What `make test` runs after these two; what `make test-long` runs, with very many cases each; and what `make test-readers` runs, with what other programs make of the files.
STEPS = [
    ("vectors", [*PYTHON, "Tests/verify_vectors.py", "--short"]),
    ("signatures", [*PYTHON, "Tests/verify_signatures.py"]),
    ("histories", [*PYTHON, "Tests/verify_histories.py"]),
    ("codes", [*PYTHON, "Tests/verify_codes.py"]),
    ("canonical JSON", [*PYTHON, "Tests/differential_json.py", "--count", "6000"]),
    ("fuzz corpus", [*PYTHON, "Tests/fuzz_corpus.py"]),
    ("pages", [*PYTHON, "Tests/verify_pages.py"]),
    ("mutants", [*PYTHON, "Tests/mutants/test_operators.py"]),
    ("examples", [*PYTHON, "Tests/verify_examples.py"]),
    ("feeds", [*PYTHON, "Tests/verify_feeds.py"]),
    ("release", [*PYTHON, "Tests/verify_release.py"]),
    ("reference capture", [*PYTHON, "Tests/reference/test_capture_reference.py"]),
    ("reference days", [*PYTHON, "Tests/reference/test_day_report.py", "--count", "60"]),
    ("lines of days", [*PYTHON, "Tests/reference/test_day_lines.py"]),
    ("days of archives", [*PYTHON, "Tests/reference/test_day_archives.py", "--count", "12"]),
]
LONG = [
    ("long: vectors", [*PYTHON, "Tests/verify_vectors.py", "--long"]),
    ("two verifiers", [*PYTHON, "Tests/differential.py", "--count", "1500"]),
    ("brute force", [*PYTHON, "Tests/reference/test_brute_force.py"]),
    ("days of archives at length", [*PYTHON, "Tests/reference/test_day_archives.py", "--count", "400"]),
    ("reference days at length", [*PYTHON, "Tests/reference/test_day_report.py", "--count", "1500"]),
]
READERS = [
    ("Python package", [*PYTHON, "Tests/verify_package.py"]),
    ("libraries", [*PYTHON, "Tests/verify_libraries.py"]),
    ("documentation", [*PYTHON, "Tests/verify_docs.py"]),
    ("recipes", [*PYTHON, "Tests/verify_recipes.py"]),
    ("step 0", [*PYTHON, "Tests/verify_step_0.py"]),
    ("readers in their oldest releases", [str(ROOT / ".build" / "readers-oldest" / "bin" / "python"), "-B", "Tests/cli/run.py", "test_readers", "test_reader_kinds"]),
]
# Each module of the command-line tests is a step. It says itself what it needs: tests with `@takes_long` run in `long`, and a module with this line in that suite only.
SUITE = re.compile(r'^SUITE = "(\w+)"', re.MULTILINE)
SUITES = {"test": STEPS, "long": LONG, "readers": READERS}
SUITE_OF = {}
for path in sorted((ROOT / "Tests" / "cli").glob("test_*.py"), key=lambda path: (-path.stat().st_size, path.name)):
    name, text, command = path.stem[5:].replace("_", " "), path.read_text(encoding="utf-8"), [*PYTHON, "Tests/cli/run.py"]
    SUITE_OF[path.stem] = (SUITE.findall(text) or ["test"])[0]
    if SUITE_OF[path.stem] != "test":
        SUITES[SUITE_OF[path.stem]].append((name, [*command, path.stem]))
        continue
    STEPS.append((name, [*command, "--short", path.stem]))
    if "@takes_long" in text:
        LONG.append(("long: " + name, [*command, "--long", path.stem]))

# How long each step took when it ran last: the longest begin first. Without it the largest modules do.
TIMES = ROOT / ".build" / "test-times.json"
WORKERS = max(2, os.cpu_count() or 2)

COUNTS = re.compile(r"^(\d+) passed, (\d+) failed$")
# What the Swift testing library says of one test: a check mark or a cross, the name, and the outcome.
SWIFT_TEST = re.compile(r"^. Test (?!run with|case passing).* (passed|failed) after [0-9.]+ seconds")
ROUTINE = re.compile(r"^(\S+ (Test|Suite) .* (started|passed)|\[\d+/\d+\])")


class Outcome:
    """What a step counted, its output, and the seconds that it took: by the clock and of processors."""

    def __init__(self):
        self.passed = self.failed = 0
        self.output, self.seconds, self.processor = [], 0.0, 0.0


def run(command):
    """Runs a step."""
    found, begin, is_swift = Outcome(), time.monotonic(), command[0] == "swift"
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    is_case = False
    for line in process.stdout:
        counts, swift = COUNTS.match(line), SWIFT_TEST.match(line) if is_swift else None
        if counts:
            found.passed, found.failed = found.passed + int(counts[1]), found.failed + int(counts[2])
        elif swift:
            found.passed, found.failed = found.passed + (swift[1] == "passed"), found.failed + (swift[1] == "failed")
        # Of the Swift tests, only what is not as it should be. An argument of a case may hold line ends.
        is_case = is_swift and (is_case or line.startswith(("◇ Test case", "✔ Test case")))
        if not is_case and not (is_swift and ROUTINE.match(line)):
            found.output.append("  " + line)
        if line.rstrip().endswith(("started.", "seconds.")):
            is_case = False
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status and not found.failed:
        found.failed = 1
    found.seconds, found.processor = time.monotonic() - begin, usage.ru_utime + usage.ru_stime
    return found


def longest_first(steps):
    """Steps in the order of what they took last. New ones come first: nothing is known of them."""
    times = json.loads(TIMES.read_text(encoding="utf-8")) if TIMES.is_file() else {}
    return sorted(steps, key=lambda step: -times.get(step[0], 1e9)) if times else steps


def keep_times(outcomes):
    times = json.loads(TIMES.read_text(encoding="utf-8")) if TIMES.is_file() else {}
    times.update({name: round(outcome.seconds, 1) for name, outcome in outcomes.items()})
    TIMES.write_text(json.dumps(times, indent=0, sort_keys=True), encoding="utf-8")


def run_only(names):
    """Builds what some tests need, runs them, and prints what they print. Returns the exit status."""
    steps, commands, tests, needs = {name: command for suite in SUITES.values() for name, command in suite}, [], [], set()
    for name in names.split(","):
        for word in [name] if name in steps else name.split():
            module = word.partition(".")[0]
            if word in steps:
                commands.append(steps[word])
                needs |= {"prepare-readers", "build"} if (word, steps[word]) in READERS else {"build"}
            elif module in SUITE_OF:
                tests.append(word)
                needs |= {"prepare-readers", "build"} if SUITE_OF[module] == "readers" else {"build"}
            elif (ROOT / "Tests" / module).is_dir() and module.endswith("Tests"):
                commands.append([*SWIFT, "--filter", "^" + word])
            else:
                print("no test and no step is named " + word, file=sys.stderr)
                return 2
    if tests:
        commands.append([*PYTHON, "Tests/cli/run.py", *tests])
    commands[:0] = [["make", target] for target in ("prepare-readers", "build") if target in needs]
    for command in commands:
        status = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL).returncode
        if status and command[0] == "make":
            return 2
        if status:
            return 1
    return 0


def main():
    if sys.argv[1:2] == ["--only"]:
        return run_only(",".join(sys.argv[2:]))
    suite, = sys.argv[1:] or ["test"]
    begun = [("tools", TOOLS), ("Swift", SWIFT)] if suite == "test" else []
    outcomes, begin = {}, time.monotonic()
    # One more than there are cores, for some steps wait more than they compute.
    with concurrent.futures.ThreadPoolExecutor(max_workers=WORKERS + 1) as workers:
        steps = {workers.submit(run, command): name for name, command in begun}
        # All but the Swift tests run the tools.
        if not begun or not next(iter(steps)).result().failed:
            steps.update({workers.submit(run, command): name for name, command in longest_first(SUITES[suite])})
        for step in concurrent.futures.as_completed(steps):
            outcome = outcomes[steps[step]] = step.result()
            print("== %s\n%s   %s: %d passed, %d failed, %.0f s" % (steps[step], "".join(outcome.output), steps[step], outcome.passed, outcome.failed, outcome.seconds), flush=True)
    keep_times(outcomes)
    print("\nstep                              seconds  of processors")
    for name, outcome in sorted(outcomes.items(), key=lambda item: -item[1].processor)[:20]:
        print("%-32s %8.0f %14.0f" % (name, outcome.seconds, outcome.processor))
    print("%-32s %8.0f %14.0f" % ("all %d" % len(outcomes), time.monotonic() - begin, sum(outcome.processor for outcome in outcomes.values())))
    bad = [name for name, outcome in outcomes.items() if outcome.failed]
    # Once more at the end, for who reads no more than that.
    if bad:
        print("failed: " + ", ".join(bad))
    passed, failed = (sum(getattr(outcome, kind) for outcome in outcomes.values()) for kind in ("passed", "failed"))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
