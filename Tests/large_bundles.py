#!/usr/bin/env python3
"""Bundles that are too large for a vector: both verifiers report what they should, in bounded time and memory.

usage: large_bundles.py [--tool HP_VERIFY]

Prints what each run took. The last line is `N passed, N failed`.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Fixtures" / "vectors"))

import generate  # noqa: E402

MEMORY_MIB = {"hp-verify": 128, "verify_bundle.py": 512}
SECONDS = {"hp-verify": 60, "verify_bundle.py": 600}


def many(unit, count, code):
    """A bundle with this damaged line so many times between header and manifest, and the codes that are expected."""
    made = generate.lines(items=[])
    piece = 2000
    texts = [made[0] + b"\n", *[(unit + b"\n") * piece] * (count // piece), made[-1] + b"\n"]
    frames = {text: generate.frame(text) for text in texts}
    data = generate.bundle([frames[text] for text in texts], map(len, texts))
    # The header is no item either.
    return data, {code: 16384 + len(data) // 64 - 1, "line.damaged_limit": 1}


def bundles():
    """Yields a name, a bundle and how often each code is expected."""
    made = generate.lines()
    texts = generate.texts_of(made)
    sizes = list(map(len, texts))
    frames = [generate.frame(text) for text in texts]
    blocks = bytes(3 * 1000000) + generate.blocks_of(texts[1])[0]
    yield "a million empty blocks", generate.bundle([frames[0], generate.frame(texts[1], blocks=blocks), frames[2]], sizes), {}
    void = generate.frame(b"")
    yield ("200,000 empty frames", generate.bundle([frames[0], *[void] * 200000, *frames[1:]], [sizes[0], *[0] * 200000, *sizes[1:]]), {"container.frame_empty": 200000})
    members = {"%06d" % number: number for number in range(200000)}
    yield "200,000 members", generate.of_lines(generate.lines(items=[generate.record(metadata=members)])), {}
    yield ("a million lines of no kind", *many(b"null", 1000000, "line.kind"))
    yield ("a million lines that are no JSON", *many(b"{", 1000000, "canonical.syntax"))
    edited = made[1].replace(b'"unit":"count"', b'"unit":1')
    yield ("a million items of another shape", *many(edited, 1000000, "shape.type"))


def run(command):
    """Runs a verifier; returns its result, seconds and MiB at most."""
    begin, memory = time.monotonic(), 0
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output)
        # What wait4 says includes the process that it was forked from.
        while process.poll() is None:
            memory = max(memory, resident(process.pid))
            time.sleep(0.02)
        output.seek(0)
        return json.load(output)["files"][0], time.monotonic() - begin, memory


def resident(process):
    """The most MiB that a process had in memory so far, or 0 where it ended meanwhile."""
    try:
        found = re.search(r"VmHWM:\s*(\d+)", pathlib.Path("/proc/%d/status" % process).read_text())
    except OSError:
        return 0
    return int(found[1]) / 1024 if found else 0


def main(arguments):
    parser = argparse.ArgumentParser(description="Verify bundles that are too large for a vector.")
    parser.add_argument("--tool", default=os.path.join(os.environ.get("HP_TOOLS", str(ROOT / ".build" / "release")), "hp-verify"))
    options = parser.parse_args(arguments)
    commands = {"hp-verify": [options.tool, "bundle", "--json", "--quiet", "--max-findings", "10"],
                "verify_bundle.py": [sys.executable, "-B", str(ROOT / "Spec" / "examples" / "verify_bundle.py"), "--json"]}
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "b.jsonl.zst")
        for name, data, expected in bundles():
            pathlib.Path(path).write_bytes(data)
            for verifier, command in commands.items():
                result, seconds, memory = run([*command, path])
                holds = result.get("counts", {}) == expected and (result["result"] == "ok") == (not expected) \
                    and seconds < SECONDS[verifier] and memory < MEMORY_MIB[verifier]
                passed, failed = passed + holds, failed + (not holds)
                print("%s%s, %s: %.1f s, %.0f MiB" % ("" if holds else "FAIL ", name, verifier, seconds, memory), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
