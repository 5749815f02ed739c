#!/usr/bin/env python3
"""Runs the release tools over the corpus of the fuzzers: none may end in any way that Spec/command-line.md does not have.

Bundles and JSON texts of the corpus are compared with Python in differential.py and differential_json.py; here are the feeds and
the Apple Health exports, and that every bundle is read beyond its version. The last line is `N passed, N failed`.

    fuzz_corpus.py            runs them
    fuzz_corpus.py --write    writes the bundles anew, after a change of the format: changed vectors, one for each set of findings
"""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Tests"))

import changed.bundles  # noqa: E402
import differential  # noqa: E402

BUNDLES = ROOT / "Fuzz" / "corpus" / "bundle"
MOST, LARGEST = 80, 3072
TOOL = os.path.join(os.environ.get("HP_TOOLS", str(ROOT / ".build" / "release")), "hp-export")
ENDINGS = (0, 1, 2)


def capture(kind, path, folder):
    """Captures a file into a new archive; returns what is wrong with how that ends, or None."""
    archive = os.path.join(folder, path.name + ".sqlite")
    try:
        process = subprocess.run([TOOL, "capture", archive, kind, str(path), "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    except subprocess.TimeoutExpired:
        return "no end"
    said = process.stderr.decode(errors="replace")
    if process.returncode not in ENDINGS:
        return "status %d: %s" % (process.returncode, said[:300])
    if process.returncode == 2 and not said.startswith("hp-export: error: "):
        return "status 2 without an error"
    return None


def refusals(cases):
    """What the Python verifier says of each: that its version is not read any more, or the codes of its findings."""
    return [result.get("refused") or result.get("exception") or tuple(sorted(result["counts"])) for result in differential.python_results(cases)]


def write():
    """Writes the smallest bundle for each set of findings that changed vectors of bundles and salvages have."""
    makers, smallest = differential.Makers(), {}
    cases = [case for case in (makers.case(1, number) for number in range(4000)) if case.kind in ("bundle", "salvage") and len(case.data) <= LARGEST]
    for case, codes in zip(cases, refusals(cases)):
        if isinstance(codes, tuple) and len(case.data) < len(smallest.get(codes, bytes(LARGEST + 1))):
            smallest[codes] = case.data
    for path in BUNDLES.iterdir():
        path.unlink()
    # Those with few findings reach furthest.
    for codes in sorted(smallest, key=lambda codes: (len(codes), codes))[:MOST]:
        (BUNDLES / hashlib.sha1(smallest[codes]).hexdigest()).write_bytes(smallest[codes])


def main():
    if sys.argv[1:] == ["--write"]:
        write()
    passed = failed = 0
    paths = sorted(BUNDLES.iterdir())
    for path, said in zip(paths, refusals([changed.bundles.Case(path.name, path.read_bytes()) for path in paths])):
        passed, failed = passed + isinstance(said, tuple), failed + isinstance(said, str)
        if isinstance(said, str):
            print("FAIL bundle/%s: %s" % (path.name, said), flush=True)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        for kind, name in (("--feed", "feed"), ("--apple-health", "health")):
            for path in sorted((ROOT / "Fuzz" / "corpus" / name).iterdir()):
                problem = capture(kind, path, folder)
                passed, failed = passed + (problem is None), failed + (problem is not None)
                if problem:
                    print("FAIL %s/%s: %s" % (name, path.name, problem), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
