#!/usr/bin/env python3
"""Which lines and regions of Sources the tests reach, by llvm-cov: the Swift tests, and the steps of Tests/run.py with tools that count.

Prints a line for each module, and writes lines that nothing reaches to .build/coverage/unreached.txt. With names of steps, only these are run; `--no-build` uses what was
built; `--no-run` reads what was counted. Processes that are killed have counted nothing. Each process counts into a file of its own: where processes add to the counts of those before (`%m`), a counter that stands in a
program more than once, as those of initializers do, is multiplied each time.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run as suite  # noqa: E402

ROOT = suite.ROOT
FOLDER = ROOT / ".build" / "coverage"
COUNTS = FOLDER / "counts"
BUILT = FOLDER / "build" / "release"
# Steps that build something of their own, or start no tool.
LEFT_OUT = {"Python package", "libraries", "mutants", "schemas"}


def llvm(name):
    """A program of the toolchain, beside `swift`."""
    return str(pathlib.Path(os.path.realpath(shutil.which("swift"))).parent / name)


def build():
    """The tools and the Swift tests in one build, for release, which counts what it reaches."""
    subprocess.run(["swift", "build", "-c", "release", "--build-tests", "--enable-code-coverage", "--scratch-path", str(FOLDER / "build"), "-Xswiftc", "-enable-testing", "-Xswiftc", "-DHP_COVERAGE"],
                   cwd=ROOT, check=True)


def bundle():
    """The program of the Swift tests."""
    found, = BUILT.glob("*.xctest")
    return str(found)


def merge(folder):
    """Makes one file of what the processes of a step counted. Those that were killed while they wrote are passed over."""
    listed = folder / "list"
    listed.write_text("".join("%s\n" % path for path in folder.glob("*.profraw")), encoding="utf-8")
    if listed.stat().st_size:
        subprocess.run([llvm("llvm-profdata"), "merge", "-sparse", "-failure-mode=all", "-input-files", str(listed), "-o", str(folder) + ".profdata"], stderr=subprocess.DEVNULL)
    shutil.rmtree(folder)


def run_steps(names):
    """Runs the steps, two side by side; what fails is said, and counts all the same."""
    shutil.rmtree(COUNTS, ignore_errors=True)
    COUNTS.mkdir(parents=True)
    steps = [("Swift", [bundle(), "--testing-library", "swift-testing"])] + [step for steps in suite.SUITES.values() for step in steps if step[0] not in LEFT_OUT]
    steps = [step for step in steps if not names or step[0] in names]

    def one(step):
        folder = COUNTS / step[0].replace(" ", "-")
        folder.mkdir()
        folder.chmod(0o777)  # Some tests run a tool without the rights of root.
        environment = {**os.environ, "HP_TOOLS": str(BUILT), "LLVM_PROFILE_FILE": str(folder / "%p.profraw")}
        process = subprocess.run(step[1], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        merge(folder)
        return step[0], process.returncode, process.stdout.decode("utf-8", "replace").splitlines()[-1:]

    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as workers:
        for name, status, last in workers.map(one, steps):
            print("%s: status %d, %s" % (name, status, "".join(last)), flush=True)


def counted(*options):
    """What llvm-cov exports of all three programs together."""
    programs = [str(BUILT / "hp-export"), "-object", str(BUILT / "hp-verify"), "-object", bundle()]
    command = [llvm("llvm-cov"), "export", *options, "-instr-profile", str(FOLDER / "all.profdata"), *programs]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, encoding="utf-8").stdout


def print_modules():
    totals = collections.defaultdict(collections.Counter)
    for file in json.loads(counted("-format=text", "-summary-only"))["data"][0]["files"]:
        path = pathlib.Path(file["filename"])
        if ROOT / "Sources" in path.parents:
            for name in (path.relative_to(ROOT / "Sources").parts[0], "all"):
                for kind in ("lines", "regions", "functions"):
                    totals[name].update({kind: file["summary"][kind]["count"], kind + " reached": file["summary"][kind]["covered"]})
    print("%-16s %8s %8s %10s" % ("module", "lines", "regions", "functions"))
    for name in sorted(totals, key=lambda one: (one == "all", one)):
        print("%-16s" % name, *("%7.1f %%" % (100 * totals[name][kind + " reached"] / max(totals[name][kind], 1)) for kind in ("lines", "regions", "functions")))


def write_unreached():
    """Lines that have code and that nothing reached, as FILE:LINE: TEXT."""
    found, path = [], None
    for line in counted("-format=lcov").splitlines():
        if line.startswith("SF:"):
            path = pathlib.Path(line[3:])
            text = path.read_text(encoding="utf-8").splitlines() if ROOT / "Sources" in path.parents else None
        elif line.startswith("DA:") and text is not None:
            number, count = (int(part) for part in line[3:].split(",")[:2])
            if count == 0 and text[number - 1].strip(" }"):
                found.append((str(path.relative_to(ROOT)), number, text[number - 1].strip()))
    (FOLDER / "unreached.txt").write_text("".join("%s:%d: %s\n" % one for one in sorted(set(found))), encoding="utf-8")
    print("lines that nothing reaches: %d, in .build/coverage/unreached.txt" % len(set(found)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("steps", nargs="*", help="steps of Tests/run.py by their names, or Swift")
    arguments = parser.parse_args()
    if not arguments.no_build:
        build()
    if not arguments.no_run:
        run_steps(arguments.steps)
    parts = sorted(str(path) for path in COUNTS.glob("*.profdata"))
    subprocess.run([llvm("llvm-profdata"), "merge", "-sparse", "-o", str(FOLDER / "all.profdata"), *parts], check=True)
    print_modules()
    write_unreached()
    return 0


if __name__ == "__main__":
    sys.exit(main())
