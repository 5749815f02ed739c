#!/usr/bin/env python3
"""Holds hp-verify against the verifier of Spec/examples: the same verdict, layers, codes and places on every vector and on changed ones.

Bundles are changed in their bytes, in their frames, in their lines and in the values of their lines, with or without hashes that
follow the change. Each change is named by a seed and a number, so that `--seed N --first K --count 1 --keep FOLDER` makes it again.

usage: differential.py [--seed N] [--first K] [--count N] [--seconds S] [--keep FOLDER] [--tool HP_VERIFY]

The last line is `N passed, N failed`. Exit status 1 when the two disagree.
"""

import argparse
import collections
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Spec" / "examples"), str(ROOT / "Tests")]

import changes  # noqa: E402
import vectors  # noqa: E402
import verify_bundle  # noqa: E402

BATCH = 200
LISTED = 1000  # hp-verify lists as many damaged lines of a frame: Spec/limits.md


def places(result):
    """What both verifiers must say alike: Spec/verification-codes.md fixes code and place, not the words beside them."""
    found = []
    for finding in result["findings"]:
        # A verifier that reads frames side by side may say which frame a line is in; it does not have to.
        members = ["line", "pointer"] + (["byte"] if finding["code"].startswith(("canonical.", "container.")) else [])
        found.append((finding["code"], *(str(finding.get(member)) for member in members)))
    return sorted(found)


# Which of the two it is, is the decoder's: Spec/container.md, A frame.
SAME_CODES = {"container.checksum": "container.frame_corrupt"}


def summary(result):
    for finding in result["findings"]:
        finding["code"] = SAME_CODES.get(finding["code"], finding["code"])
    counts = collections.Counter()
    for code, count in (result.get("counts") or collections.Counter(finding["code"] for finding in result["findings"])).items():
        counts[SAME_CODES.get(code, code)] += count
    listed = all(count <= LISTED for count in counts.values())
    return {"result": result["result"], "layers": result["layers"], "counts": dict(counts), "item_count": result["item_count"],
            "places": places(result) if listed else None}


def python_results(cases):
    for case in cases:
        try:
            yield summary(verify_bundle.verify(io.BytesIO(case.data)))
        except Exception as error:  # any exception is a fault of that verifier
            yield {"exception": repr(error)}


class Tool:
    """hp-verify, run over many files at once; a file that stops it is found by running it alone."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def results(self, cases):
        paths = []
        for index, case in enumerate(cases):
            paths.append(os.path.join(self.folder, "%d.jsonl.zst" % index))
            with open(paths[-1], "wb") as file:
                file.write(case.data)
        return self.run(paths)

    def run(self, paths):
        try:
            process = subprocess.run([self.path, "bundle", "--json", "--quiet", "--max-findings", "100000", *paths],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30 + len(paths))
            status, output, said = process.returncode, process.stdout, process.stderr
        except subprocess.TimeoutExpired:
            status, output, said = "no end", b"", b""
        if status in (0, 1):
            return [summary(result) for result in json.loads(output)["files"]]
        if len(paths) == 1:
            return [{"exception": "status %s: %s" % (status, said.decode(errors="replace")[:300])}]
        middle = len(paths) // 2
        return self.run(paths[:middle]) + self.run(paths[middle:])


def difference(left, right):
    """The first member in which two summaries differ."""
    for name in ("exception", "result", "counts", "layers", "item_count", "places"):
        if left.get(name) != right.get(name):
            if name == "places" and None in (left.get(name), right.get(name)):
                continue
            if name == "places":
                here, there = collections.Counter(left[name]), collections.Counter(right[name])
                return "places: python %s, hp-verify %s" % (sorted((here - there))[:3], sorted((there - here))[:3])
            return "%s: python %s, hp-verify %s" % (name, left.get(name), right.get(name))
    return None


def unchanged():
    """Every vector and every input of the fuzzer's corpus as it is, but for texts that are large: their expectations are compared elsewhere."""
    for path in [vector.path for vector in vectors.BUNDLES] + sorted((ROOT / "Fuzz" / "corpus" / "bundle").glob("*")):
        if not changes.is_large(path.name):
            yield changes.Case(path.name, path.read_bytes())


def cases(seed, first, count):
    yield from unchanged()
    maker = changes.Maker(vectors.BUNDLES)
    for number in range(first, first + count):
        yield maker.case(random.Random("%d %d" % (seed, number)), "seed %d, number %d" % (seed, number))


def batches(every, seconds):
    end = None if seconds is None else time.monotonic() + seconds
    batch = []
    for case in every:
        batch.append(case)
        if len(batch) == BATCH:
            yield batch
            batch = []
            if end is not None and time.monotonic() > end:
                return
    if batch:
        yield batch


def main(arguments):
    parser = argparse.ArgumentParser(description="Hold hp-verify against the verifier of Spec/examples.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10 ** 9)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--keep", help="folder for the bundles on which the two disagree")
    parser.add_argument("--tool", default=os.path.join(os.environ.get("HP_TOOLS", str(ROOT / ".build" / "release")), "hp-verify"))
    options = parser.parse_args(arguments)
    passed = failed = good = 0
    codes = collections.Counter()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        tool = Tool(options.tool, folder)
        for batch in batches(cases(options.seed, options.first, options.count), options.seconds):
            for case, left, right in zip(batch, python_results(batch), tool.results(batch)):
                text = difference(left, right) or case.contradiction(left)
                passed, failed = passed + (text is None), failed + (text is not None)
                good += left.get("result") == "ok"
                codes.update(left.get("counts", {}).keys())
                if text:
                    print("FAIL %s: %s" % (case.name, text), flush=True)
                if text and options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    pathlib.Path(options.keep, case.name.replace(" ", "-").replace(",", "") + ".jsonl.zst").write_bytes(case.data)
    print("differential: %d bundles, %d without a finding, %d different codes" % (passed + failed, good, len(codes)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
