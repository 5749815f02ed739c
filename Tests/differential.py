#!/usr/bin/env python3
"""Holds hp-verify against the verifier of Spec/examples: the same verdict, layers, codes and places on every vector and on
changed ones.

Bundles and salvages are changed in their bytes, frames, lines and values, reports in every container also in their rows and
cells, and tables in their sidecars, with or without hashes that follow the change. Each change is named by a seed and a number,
so that `--seed N --first K --count 1 --keep FOLDER` makes it again.

usage: differential.py [--seed N] [--first K] [--count N] [--seconds S] [--keep FOLDER] [--tool HP_VERIFY]

The last line is `N passed, N failed`. Exit status 1 when the two disagree.
"""

import argparse
import collections
import ctypes
import ctypes.util
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import zstandard

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Spec" / "examples"), str(ROOT / "Tests")]

from changed import bundles, reports  # noqa: E402
from generate import FRAME_MAGIC  # noqa: E402
import vectors  # noqa: E402
import verify_bundle  # noqa: E402
from verifier.findings import Fault  # noqa: E402
from verifier.frames import FrameHeader  # noqa: E402

BATCH = 200
LARGEST_TEXT = 1 << 22
LISTED = 1000  # hp-verify lists as many damaged lines of a frame: Spec/limits.md


def places(result):
    """What both verifiers must say alike: Spec/verification-codes.md fixes code and places, not the words beside them."""
    return sorted((finding["code"], *("%s %s" % (place, finding[place]) for place in ("line", "frame", "byte", "pointer") if place in finding))
                  for finding in result["findings"])


# Which of the two it is, is the decoder's: Spec/container.md, A frame.
SAME_CODES = {"container.checksum": "container.frame_corrupt"}


def refusal(text):
    """What is said of a file of a version that nothing reads any more, and nothing else; None of any other text."""
    at = text.find("made by an unreleased build, format ")
    return None if at < 0 else {"refused": text[at:]}


def summary(result):
    if "error" in result:
        return refusal(result["error"]) or {"exception": result["error"]}
    for finding in result["findings"]:
        finding["code"] = SAME_CODES.get(finding["code"], finding["code"])
    counts = collections.Counter()
    for code, count in (result.get("counts") or collections.Counter(finding["code"] for finding in result["findings"])).items():
        counts[SAME_CODES.get(code, code)] += count
    listed = all(count <= LISTED for count in counts.values())
    return {"result": result["result"], "layers": result["layers"], "counts": dict(counts), "item_count": result["item_count"],
            "not_verified": result["not_verified"],
            "places": places(result) if listed else None}


def python_results(cases):
    for case in cases:
        try:
            yield summary(verify_bundle.verify(io.BytesIO(case.data), case.file, case.sidecar))
        except verify_bundle.UnreleasedFormat as error:
            yield refusal(str(error))
        except Exception as error:  # any exception is a fault of that verifier
            yield {"exception": repr(error)}


def write(case, folder):
    """Writes a case's file, and its sidecar beside it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / case.file).write_bytes(case.data)
    if case.sidecar is not None:
        (folder / (case.file + "-metadata.json")).write_bytes(case.sidecar)


class Tool:
    """hp-verify, run over many files at once; a file that stops it is found by running it alone."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def results(self, cases):
        paths = []
        for index, case in enumerate(cases):
            folder = pathlib.Path(self.folder, str(index))
            write(case, folder)
            paths.append(str(folder / case.file))
        return self.run(paths)

    def run(self, paths):
        try:
            process = subprocess.run([self.path, "bundle", "--json", "--quiet", "--max-findings", "100000", *paths],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30 + len(paths))
            status, output, said = process.returncode, process.stdout, process.stderr
        except subprocess.TimeoutExpired:
            status, output, said = "no end", b"", b""
        if status in (0, 1, 2):
            found = [summary(result) for result in json.loads(output)["files"]] if output else []
            if len(found) == len(paths) and not any("exception" in each for each in found):
                return found
        if len(paths) == 1:
            return [{"exception": "status %s: %s" % (status, said.decode(errors="replace")[:300])}]
        middle = len(paths) // 2
        return self.run(paths[:middle]) + self.run(paths[middle:])


def difference(left, right):
    """The first member in which two summaries differ."""
    for name in ("exception", "refused", "result", "counts", "layers", "item_count", "not_verified", "places"):
        if left.get(name) != right.get(name):
            if name == "places" and None in (left.get(name), right.get(name)):
                continue
            if name == "places":
                here, there = collections.Counter(left[name]), collections.Counter(right[name])
                return "places: python %s, hp-verify %s" % (sorted((here - there))[:3], sorted((there - here))[:3])
            return "%s: python %s, hp-verify %s" % (name, left.get(name), right.get(name))
    return None


class Decoders:
    """The system's libzstd beside the one of Python's zstandard.

    Without a checksum nobody sees that a block is damaged, and releases differ in what they make of one: Spec/container.md
    leaves it to them. Such a bundle says nothing about the verifiers.
    """

    def __init__(self):
        name = ctypes.util.find_library("zstd")
        self.library = ctypes.CDLL(name) if name else None
        if self.library:
            for function in (self.library.ZSTD_findFrameCompressedSize, self.library.ZSTD_decompress):
                function.restype = ctypes.c_size_t

    def differ(self, data):
        """Whether they read a frame without a checksum in two ways."""
        at = data.find(FRAME_MAGIC)
        while self.library and at >= 0:
            if len(data) > at + 4 and not data[at + 4] & 4 and self.texts(data[at:]):
                return True
            at = data.find(FRAME_MAGIC, at + 1)
        return False

    def texts(self, data):
        """Whether the frame that begins the data has two texts."""
        size = self.library.ZSTD_findFrameCompressedSize(data, ctypes.c_size_t(len(data)))
        try:
            header = FrameHeader(data[:18])
        except Fault:
            return False
        if size > len(data):
            return False
        frame = header.for_decoder + data[header.length:size]
        text = ctypes.create_string_buffer(LARGEST_TEXT)
        count = self.library.ZSTD_decompress(text, ctypes.c_size_t(LARGEST_TEXT), frame, ctypes.c_size_t(len(frame)))
        ours = text.raw[:count] if count <= LARGEST_TEXT else None
        try:
            theirs = zstandard.ZstdDecompressor(max_window_size=1 << 23).decompressobj().decompress(frame)
        except zstandard.ZstdError:
            theirs = None
        return ours != theirs


def unchanged():
    """Every vector and every input of the fuzzer's corpus as it is, but for texts that are large: what is expected of them is
    compared elsewhere."""
    for vector in vectors.EVERYTHING:
        if not bundles.is_large(vector.path.name):
            sidecar = vector.sidecar.read_bytes() if vector.sidecar.exists() else None
            data, name = vector.path.read_bytes(), vector.path.name
            yield reports.ReportCase(name, data, sidecar, name) if vector.document == "report" else bundles.Case(name, data)
    for path in sorted((ROOT / "Fuzz" / "corpus" / "bundle").glob("*")):
        yield bundles.Case(path.name, path.read_bytes())


class Makers:
    """Makes changed files of the four classes."""

    def __init__(self):
        of_reports = reports.Maker([vector for vector in vectors.ALL if vector.document == "report"])
        of_bundles = bundles.Maker([vector for vector in vectors.BUNDLES if vector.document == "bundle"])
        of_salvages = bundles.Maker([vector for vector in vectors.BUNDLES if vector.document == "salvage"])
        self.of_class = {"bundle": of_bundles.case, "salvage": of_salvages.case, "report": of_reports.report, "sidecar": of_reports.beside_table}

    def case(self, seed, number):
        chance, name = random.Random("%d %d" % (seed, number)), "seed %d, number %d" % (seed, number)
        kind = chance.choice(("bundle", "bundle", "bundle", "salvage", "salvage", "report", "report", "report", "sidecar", "sidecar"))
        made = self.of_class[kind](chance, name)
        made.kind = kind
        return made


def cases(seed, first, count):
    yield from unchanged()
    makers = Makers()
    for number in range(first, first + count):
        yield makers.case(seed, number)


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
    parser.add_argument("--keep", help="folder for the files on which the two disagree")
    parser.add_argument("--tool", default=os.path.join(os.environ.get("HP_TOOLS", str(ROOT / ".build" / "release")), "hp-verify"))
    options = parser.parse_args(arguments)
    passed = failed = good = undecided = 0
    decoders = Decoders()
    codes, kinds = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        tool = Tool(options.tool, folder)
        for batch in batches(cases(options.seed, options.first, options.count), options.seconds):
            for case, left, right in zip(batch, python_results(batch), tool.results(batch)):
                text = difference(left, right) or (None if "refused" in left else case.contradiction(left))
                if text and decoders.differ(case.data):
                    text, undecided = None, undecided + 1
                passed, failed = passed + (text is None), failed + (text is not None)
                good += left.get("result") == "ok"
                codes.update(left.get("counts", {}).keys())
                kinds[case.kind] += 1
                if text:
                    print("FAIL %s: %s" % (case.name, text), flush=True)
                if text and options.keep:
                    write(case, pathlib.Path(options.keep, case.name.replace(" ", "-").replace(",", "")))
    print("differential: %d files (%s), %d without a finding, %d different codes, %d read otherwise by two decoders" % (
        passed + failed, ", ".join("%s %d" % pair for pair in sorted(kinds.items())), good, len(codes), undecided))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
