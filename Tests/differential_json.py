#!/usr/bin/env python3
"""Holds `hp-verify check-canonical` and `canonicalize` against Python on changed JSON texts.

The first deviation, its code and its byte, must be that of the verifier in Spec/examples. What canonicalize accepts, Python's json
accepts too, and its canonical form is the one that the generator of the vectors writes of the values.

usage: differential_json.py [--seed N] [--count N] [--seconds S] [--tool HP_VERIFY]

The last line is `N passed, N failed`.
"""

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Spec" / "examples"), str(ROOT / "Tests")]

from changed.texts import generate, texts  # noqa: E402
from verifier.canonical import read  # noqa: E402
from verifier.findings import Fault  # noqa: E402

sys.setrecursionlimit(5000)  # for texts nested up to the limit

BATCH = 500


def answers(tool, command, batch):
    """Status and bytes of each answer, or what stopped the tool."""
    requests = b"".join(struct.pack(">I", len(text)) + text for text in batch)
    process = subprocess.run([tool, command, "--framed"], input=requests, stdout=subprocess.PIPE, timeout=300)
    found, at = [], 0
    while at + 5 <= len(process.stdout):
        size = struct.unpack_from(">I", process.stdout, at + 1)[0]
        found.append((process.stdout[at], process.stdout[at + 5:at + 5 + size]))
        at += 5 + size
    return found + [(2, b"no answer, status %d" % process.returncode)] * (len(batch) - len(found))


def deviation(text):
    try:
        read(text)
    except Fault as fault:
        return "%s at byte %d" % (fault.code.partition(".")[2], fault.byte)
    return ""


def form(text):
    """The canonical form of the values that Python's json reads, or None."""
    def number(token):
        return float(token) + 0.0  # -0.0 becomes 0.0

    try:
        return generate.canonical(json.loads(text.decode(), parse_int=number, parse_float=number)).encode()
    except (ValueError, RecursionError):
        return None


def difference(text, checked, made):
    """In what the answers for a text are not those of Python, or None."""
    first, (status, bytes_made) = deviation(text), made
    said = checked[1].decode(errors="replace")
    if checked[0] != bool(first) or said.partition(": ")[0] != first:
        return "the first deviation is %r by python, %r by check-canonical" % (first, said)
    if not first and (status, bytes_made) != (0, text):
        return "canonical, but canonicalize says %r" % (made,)
    if status == 0 and form(text) != bytes_made:
        return "python's form is %r, canonicalize's %r" % (form(text), bytes_made)
    if status == 1 and bytes_made.split(b" ")[0] in (b"white_space", b"key_order", b"escape", b"number"):
        return "canonicalize refuses what is only not canonical: %r" % bytes_made
    return None


def main(arguments):
    parser = argparse.ArgumentParser(description="Hold hp-verify's canonical JSON against Python.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10 ** 9)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--tool", default=os.path.join(os.environ.get("HP_TOOLS", str(ROOT / ".build" / "release")), "hp-verify"))
    options = parser.parse_args(arguments)
    passed = failed = accepted = 0
    end, every = time.monotonic() + options.seconds, texts(options.seed, options.count)
    while True:
        batch = [text for text, _ in zip(every, range(BATCH))]
        for text, checked, made in zip(batch, answers(options.tool, "check-canonical", batch), answers(options.tool, "canonicalize", batch)):
            problem = difference(text, checked, made)
            passed, failed, accepted = passed + (problem is None), failed + (problem is not None), accepted + (made[0] == 0)
            if problem:
                print("FAIL %r: %s" % (text[:200], problem), flush=True)
        if len(batch) < BATCH or time.monotonic() > end:
            break
    print("canonical JSON: %d texts, %d of them accepted" % (passed + failed, accepted))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
