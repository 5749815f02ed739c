#!/usr/bin/env python3
"""Runs the release tools over the corpus of the fuzzers: none may end in any way that Spec/command-line.md does not have.

Bundles and JSON texts of the corpus are compared with Python in differential.py and differential_json.py; here are the feeds and
the Apple Health exports. The last line is `N passed, N failed`.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
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


def main():
    passed = failed = 0
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
