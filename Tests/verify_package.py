#!/usr/bin/env python3
"""Builds the Python package, installs its wheel into an empty environment, and runs what was installed: every vector has
the codes, places and layers that vectors.json states, through the library, the command, and standard input.

The last line is `N passed, N failed`. Exit status 1 when anything fails.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "Tests")]
sys.dont_write_bytecode = True

import vectors  # noqa: E402

BUILT = ROOT / ".build" / "python"
# What the installed package says of each file: run by the environment's own Python, which sees nothing of the checkout.
LIBRARY = """
import json, sys
import healthprobe
print(json.dumps([healthprobe.verify(path) for path in json.load(sys.stdin)]))
"""
FACTS = """
import importlib.util, json, pathlib
import healthprobe
folder = pathlib.Path(healthprobe.__file__).parent
print(json.dumps({"version": healthprobe.__version__, "folder": str(folder), "typed": (folder / "py.typed").is_file(),
                  "links": [str(path) for path in folder.rglob("*") if path.is_symlink()],
                  "schema": healthprobe.schema("item")["title"],
                  "packages": [name for name in ("pyarrow", "pandas", "duckdb", "numpy") if importlib.util.find_spec(name)]}))
"""
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def run(*command, **options):
    options.setdefault("env", {name: value for name, value in os.environ.items() if name != "PYTHONPATH"})
    return subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def build():
    result = run(ROOT / "Scripts" / "build-python", cwd=ROOT)
    check("the package is built: %s" % result.stderr.decode(errors="replace"), result.returncode == 0)
    return next(BUILT.glob("*.whl")), next(BUILT.glob("*.tar.gz"))


def digests(paths):
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]


def check_vectors(python, folder):
    """Library and command find what vectors.json states."""
    paths = [str(vector.path) for vector in vectors.ALL]
    library = run(python, "-I", "-c", LIBRARY, input=json.dumps(paths).encode(), cwd=folder)
    check("the library runs: %s" % library.stderr.decode(errors="replace")[-500:], library.returncode == 0)
    command = run(python.with_name("healthprobe-verify"), "--json", *paths, cwd=folder)
    check("the command says that some are invalid", command.returncode == 1)
    found = {"library": json.loads(library.stdout or b"[]"), "command": json.loads(command.stdout or b'{"files": []}')["files"]}
    for name, results in found.items():
        check("%s: %d results" % (name, len(results)), len(results) == len(vectors.ALL))
        for vector, result in zip(vectors.ALL, results):
            check("%s: %s: codes" % (name, vector.name), {finding["code"] for finding in result["findings"]} == vector.codes)
            check("%s: %s: places" % (name, vector.name), vectors.places(result["findings"]) == vectors.places(vector.findings))
            check("%s: %s: layers" % (name, vector.name), result["layers"] == vector.layers)
            check("%s: %s: result" % (name, vector.name), result["result"] == vector.result)


def check_standard_input(python, folder):
    """A pipe and a file on standard input give what the file gives by its name."""
    for name in ("good-minimal", "good-bundle-lines", "container-checksum-flipped", "container-cut-half"):
        vector = vectors.NAMED[name]
        data = vector.path.read_bytes()
        piped = run(python.with_name("healthprobe-verify"), "--json", "-", input=data, cwd=folder)
        with open(vector.path, "rb") as file:
            opened = run(python, "-I", "-m", "healthprobe", "--json", "-", stdin=file, cwd=folder)
        for result in (piped, opened):
            found = json.loads(result.stdout)["files"][0]
            check("%s on standard input" % name, found["layers"] == vector.layers and found["file"] == "-")
            check("%s on standard input: exit status" % name, result.returncode == (0 if vector.result == "ok" else 1))
    missing = run(python.with_name("healthprobe-verify"), "none.jsonl.zst", cwd=folder)
    check("a file that is not there", missing.returncode == 2 and missing.stderr.startswith(b"healthprobe-verify: error: none"))


def main():
    first = digests(build())
    wheel, archive = build()
    check("two builds give the same bytes", digests((wheel, archive)) == first)
    with tempfile.TemporaryDirectory(prefix="hp-package.") as folder:
        venv.create(folder, with_pip=True)
        python = pathlib.Path(folder, "bin", "python")
        installed = run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
        check("the wheel is installed: %s" % installed.stderr.decode(errors="replace")[-500:], installed.returncode == 0)
        facts = json.loads(run(python, "-I", "-c", FACTS, cwd=folder).stdout)
        tools = re.search(r'"([0-9.]+)"', (ROOT / "Sources" / "Build" / "Build.swift").read_text(encoding="utf-8"))[1]
        check("the version is that of the tools", facts["version"] == tools and "-%s-" % tools in wheel.name)
        check("it is installed", facts["folder"].startswith(str(pathlib.Path(folder).resolve())) or facts["folder"].startswith(folder))
        check("it has types, schemas, and no links", facts["typed"] and facts["schema"] == "Item line of an export" and not facts["links"])
        check("the environment has no other packages: %s" % facts["packages"], not facts["packages"])
        check_vectors(python, folder)
        check_standard_input(python, folder)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
