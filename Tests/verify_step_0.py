#!/usr/bin/env python3
"""Runs the programs of Spec/step-0.md, as they are printed there, on a bundle, and on the same with one record changed.

They need jq, Node.js and DuckDB: make prepare-readers. The last line is `N passed, N failed`.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import duckdb
import zstandard

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True

import vectors  # noqa: E402

PAGE = (vectors.ROOT.parent / "step-0.md").read_text(encoding="utf-8")
PROGRAMS = {"python": [sys.executable, "step0.py"], "javascript": ["node", "step0.js"], "sh": ["sh", "step0.sh"]}
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def program(language):
    return re.search(r"```%s\n(.*?)```" % language, PAGE, re.DOTALL)[1]


def main():
    text = zstandard.ZstdDecompressor().stream_reader(vectors.NAMED["good-bundle-frames"].path.read_bytes(), read_across_frames=True).read()
    count = text.count(b'{"item":')
    changed = text.replace(b'"numeric_value":', b'"numeric_value":1', 1)
    check("the bundle has items, one of them with a number", count > 2 and changed != text)
    check("Python needs 12 lines", len(program("python").splitlines()) == 12)
    with tempfile.TemporaryDirectory(prefix="hp-step-0.") as folder:
        for language, command in PROGRAMS.items():
            pathlib.Path(folder, command[1]).write_text(program(language), encoding="utf-8")
        for of, wrong in ((text, 0), (changed, 1)):
            for language, command in PROGRAMS.items():
                result = subprocess.run(command, input=of, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                check("%s: %s" % (language, result.stdout), result.stdout.decode() == "%d items, %d with another hash\n" % (count, wrong))
                check("%s: exit status %d" % (language, result.returncode), result.returncode == wrong)
            bundle = pathlib.Path(folder, "health.jsonl.zst")
            bundle.write_bytes(zstandard.ZstdCompressor().compress(of))
            found = duckdb.connect().execute(program("sql").replace("'health.jsonl.zst'", "'%s'" % bundle)).fetchall()
            check("DuckDB: %s" % found, found == [(count, wrong)])
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
