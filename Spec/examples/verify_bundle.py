#!/usr/bin/env python3
"""Verifies HealthProbe recovery bundles and reports without an archive.

usage: verify_bundle.py [--json] FILE...

Exit status: 0 every file is valid (self-consistent), 1 at least one finding,
2 a file could not be read or the usage is wrong.

Written from the pages of Spec/ alone; it needs Python 3.9 and `zstandard`.
It reads from top to bottom; the parts are in the folder `verifier`:

    frames      bytes of a bundle   -> texts of the frames      layer container
    envelopes   bytes of NAME.json  -> lines                          container
    tables      rows and sidecar    -> lines                          container, line
    lines       texts               -> lines, header to manifest      line
    canonical   one line            -> its value                      canonical
    shapes      a value             -> what is wrong with its members shape
    lines       values              -> hashes, order                  item, order
    scope       items and header    -> what the header excludes       manifest
    totals      items               -> what they add up to            manifest
"""

import argparse
import json
import os
import sys

from verifier.envelopes import is_envelope, read_envelope, read_lines
from verifier.findings import LAYERS, Report
from verifier.frames import FRAME_MAGIC, Container
from verifier.lines import EndOfExamination, Lines
from verifier.tables import read_table


def verify(file, name="", sidecar=None):
    """Verifies one open file and returns the object that --json prints for it.

    `name` is its name without folders, and `sidecar` the bytes of the file beside a table, if there is one.
    """
    report = Report()
    lines = Lines(report, file.seek(0, os.SEEK_END))
    try:
        read(file, name, sidecar, lines)
    except EndOfExamination:
        report.withheld.update(LAYERS)
    lines.settle_order()
    layers = {layer: report.status(layer) for layer in LAYERS}
    good = all(status == "ok" for layer, status in layers.items() if layer != "archive")
    total = sum(report.counts.values())
    what = " salvage" if lines.is_salvage else ""
    verdict = "valid%s: self-consistent" % what if good else \
        "invalid%s: %d finding%s" % (what, total, "s" * (total != 1))
    result = {"result": "ok" if good else "findings", "layers": layers, "verdict": verdict,
              "item_count": lines.totals.item_count, "findings": report.findings}
    if total > len(report.findings):
        result["counts"] = report.counts
    return result


def read(file, name, sidecar, lines):
    """Reads a file in the container that it begins like."""
    file.seek(0)
    start = file.read(4)
    looks_like_bundle = start[:4] == FRAME_MAGIC or start and len(start) < 4 and FRAME_MAGIC.startswith(start)
    if not looks_like_bundle and (name.endswith(".csv") or sidecar is not None):
        end_lost = read_table(file, sidecar, name, lines)
    elif start.startswith(b"{"):
        file.seek(0)
        end_lost = (read_envelope if is_envelope(file.read()) else read_lines)(file, lines) and not is_complete(lines)
    else:
        container = Container(file, lines.report)
        for frame, text in container.texts():
            lines.take(frame, text)
        end_lost = container.end_lost and not is_complete(lines)
    lines.finish(end_lost)


def is_complete(lines):
    """Whether an undamaged manifest came and nothing was lost before: an end that is lost behind it is no loss."""
    return lines.manifest and not lines.report.withheld


def sidecar_of(name):
    """The bytes of the sidecar beside a file, or None."""
    path = name + "-metadata.json"
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def as_text(result):
    yield "%s: %s" % (ascii(result["file"])[1:-1], result["verdict"])
    words = {"ok": "OK", "failed": "FAILED"}
    yield "  " + "  ".join("%s %s" % (layer, words.get(status, status)) for layer, status in result["layers"].items())
    for finding in result["findings"]:
        places = ["%s %s" % (name, ascii(str(value))[1:-1][:200]) for name, value in finding.items() if name != "code"]
        yield "  %s: %s" % (finding["code"], ", ".join(places))


def main(arguments):
    parser = argparse.ArgumentParser(description="Verify recovery bundles and reports without an archive.",
                                     epilog="exit status: 0 valid, 1 invalid: at least one finding, 2 could not be done")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args(arguments)
    results, status = [], 0
    for name in options.files:
        try:
            if not os.path.isfile(name) and os.path.exists(name):
                raise OSError("not a regular file")
            with open(name, "rb") as file:
                results.append({"file": name, **verify(file, os.path.basename(name), sidecar_of(name))})
        except OSError as error:
            text = "%s: %s" % (ascii(name)[1:-1], error.strerror or error)
            print("verify_bundle: error: " + text, file=sys.stderr)
            results.append({"error": text, "file": name, "result": "failed"})
            status = 2
    if any(result["result"] != "ok" for result in results):
        status = status or 1
    try:
        if options.json:
            print(json.dumps({"files": results}))
        else:
            for result in results:
                if result["result"] != "failed":
                    print("\n".join(as_text(result)))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print("verify_bundle: error: standard output: %s" % error.strerror, file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
