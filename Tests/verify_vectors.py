#!/usr/bin/env python3
"""Runs the independent verifier over every vector of Spec/vectors and compares codes, places and layers.

Also: the lines of good vectors against the JSON Schemas, the verifier's
own output against its schema, and every flipped byte and every cut of the smallest good vectors is noticed. With --long only
these changes are looked at, with --short they are left out. Exit status 1 when anything fails.
"""

import io
import html
import json
import pathlib
import sys

import jsonschema
import zstandard

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "Spec" / "examples"), str(ROOT / "Tests")]
sys.dont_write_bytecode = True

import schemas  # noqa: E402
import vectors  # noqa: E402
import verify_bundle  # noqa: E402


class Tally:
    """Counts what passed and prints what did not."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, holds, text):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print("FAIL " + text)


def result_of(data):
    return verify_bundle.verify(io.BytesIO(data))


def verified(vector):
    with open(vector.path, "rb") as file:
        return verify_bundle.verify(file, vector.path.name, vector.sidecar.read_bytes() if vector.sidecar.exists() else None)


def check_shelves(tally):
    """Every file on a shelf is a vector or a vector's sidecar, and stands on the shelf of its layer and container."""
    known = {vectors.ROOT / name for name in ("README.md", "vectors.json", "archives.json", "histories.json", "signatures.json")} | {archive.path for archive in vectors.ARCHIVES}
    for vector in vectors.EVERYTHING:
        known |= {vector.path} | ({vector.sidecar} if vector.container == "table" else set())
        shelf = "%s/%s" % (vector.failed_layer or ("refused" if vector.error else "valid"), vector.container)
        tally.check(vector.entry["path"].rpartition("/")[0] == shelf, "%s is not on %s" % (vector.name, shelf))
    tally.check(len(vectors.NAMED) == len(vectors.EVERYTHING), "two vectors have one name")
    tally.check(len(vectors.ARCHIVES_NAMED) == len(vectors.ARCHIVES), "two archives have one name")
    for archive in vectors.ARCHIVES:
        shelf = archive.findings[0]["code"].partition(".")[0] if archive.findings else "valid"
        tally.check(archive.path.parent == vectors.ROOT / "archive" / shelf, "%s is not on the shelf %s" % (archive.name, shelf))
    size = sum(archive.path.stat().st_size for archive in vectors.ARCHIVES)
    tally.check(size < 2_000_000, "the archives have %d bytes" % size)
    for paths in ([vector.path for vector in vectors.EVERYTHING], [archive.path for archive in vectors.ARCHIVES]):
        tally.check(paths == sorted(paths), "a list of vectors is not sorted by path: Fixtures/vectors/write.py")
    for path in vectors.ROOT.rglob("*"):
        tally.check(path.is_dir() or path in known, "%s is no vector" % path)


def check_vectors(tally):
    """Every vector raises exactly its codes at their places, has its layers, and is ok only without a code."""
    results = {}
    for vector in vectors.ALL:
        result = results[vector.name] = {"file": vector.path.name, **verified(vector)}
        found = {finding["code"] for finding in result["findings"]}
        tally.check(found == vector.codes, "%s: expected %s, found %s" % (vector.name, sorted(vector.codes), sorted(found)))
        places, stated = vectors.places(result["findings"]), vectors.places(vector.findings)
        tally.check(places == stated, "%s: expected %s, found %s" % (vector.name, stated[:3], places[:3]))
        tally.check(result["layers"] == vector.layers, "%s: expected layers %s, found %s" % (vector.name, vector.layers, result["layers"]))
        tally.check(result["not_verified"] == vector.not_verified, "%s: not verified: %s" % (vector.name, result["not_verified"]))
        tally.check(result["result"] == vector.result == ("findings" if vector.codes else "ok"), "%s: says %s" % (vector.name, result["verdict"]))
    return results


def check_refused(tally):
    """A file of a build before the first release is refused as a whole, with nothing else said of it."""
    for vector in vectors.REFUSED:
        try:
            said = verified(vector)["verdict"]
        except verify_bundle.UnreleasedFormat as error:
            said = str(error)
        tally.check(said == vector.error, "%s: says %s" % (vector.name, said))


def check_schemas(tally, results):
    """Good lines and the verifier's output are valid by the schemas."""
    validators = {}
    for name, text in schemas.TEXTS.items():
        jsonschema.Draft202012Validator.check_schema(text)
        validators[name] = schemas.validator(name)
    for vector in vectors.ALL:
        if results[vector.name]["result"] != "ok":
            continue
        if vector.container == "envelope":
            errors = [error.message for error in validators["envelope"].iter_errors(json.loads(vector.path.read_text(encoding="utf-8")))]
            tally.check(not errors, "%s: %s" % (vector.name, errors[:1]))
        for number, (schema, value) in enumerate(parts_of(vector.path), 1):
            errors = [error.message for error in validators[schema].iter_errors(value)] + schemas.absent(schema, value)
            tally.check(not errors, "%s part %d: %s" % (vector.name, number, errors[:1]))
    for schema, path in (("vectors", "vectors/vectors.json"), ("archives", "vectors/archives.json"), ("codes", "codes.json")):
        value = json.loads((ROOT / "Spec" / path).read_text(encoding="utf-8"))
        errors = [error.message for error in validators[schema].iter_errors(value)]
        tally.check(not errors, "%s: %s" % (path, errors[:3]))
    errors = [error.message for error in validators["verify-result"].iter_errors({"files": list(results.values())})]
    tally.check(not errors, "verify-result: %s" % errors[:3])


def parts_of(path):
    """(schema, value) of each line of a file in any container; of a table, its sidecar and what that holds."""
    if path.suffix == ".csv":
        sidecar = json.loads(path.with_name(path.name + "-metadata.json").read_text(encoding="utf-8"))
        report = sidecar["urn:healthprobe:report"]
        return [("sidecar", sidecar), ("header", {"export": report["export"]}), ("manifest", {name: report[name] for name in ("manifest_hash", "totals")})]
    if path.suffix == ".json":
        envelope = json.loads(path.read_text(encoding="utf-8"))
        values = [{"export": envelope["export"]}, *envelope["items"], {name: envelope[name] for name in ("manifest_hash", "totals")}]
    else:
        data = path.read_bytes()
        if path.suffix == ".html":
            data = html.unescape(data.partition(b'<template id="healthprobe-evidence">\n')[2].partition(b"</template>")[0].decode()).encode()
        values = map(json.loads, (text_of(data) if path.suffix == ".zst" else data).split(b"\n")[:-1])
    kinds = {"export": "header", "item": "item", "salvage": "salvage-header", "salvage_hash": "salvage-end", "manifest_hash": "manifest"}
    return [(next(kind for name, kind in kinds.items() if name in value), value) for value in values]


def flips(data):
    """Every bit of the first 200 bytes, then every byte inverted."""
    changes = [(at, 1 << bit) for at in range(min(200, len(data))) for bit in range(8)]
    for at, mask in changes + [(at, 0xFF) for at in range(len(data))]:
        yield "byte %d xor %d" % (at, mask), data[:at] + bytes([data[at] ^ mask]) + data[at + 1:]


def text_of(data):
    return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()


def check_flips(tally, name, every):
    """The verifier never crashes on a flip and notices it. A compressed block can spell the same text in
    more than one way: where not `every` flip must be noticed, an ok is right for the very same text."""
    data = vectors.path(name).read_bytes()
    for place, changed in flips(data):
        try:
            noticed = result_of(changed)["result"] != "ok"
            tally.check(noticed or not every and text_of(changed) == text_of(data), "%s, %s: says ok" % (name, place))
        except Exception as error:  # any exception is a failure of the verifier
            tally.check(False, "%s, %s: %r" % (name, place, error))


def check_cuts(tally, name="good-minimal"):
    """Every prefix of a bundle is noticed as cut."""
    data = vectors.path(name).read_bytes()
    for length in range(len(data)):
        try:
            tally.check(result_of(data[:length])["result"] != "ok", "cut to %d bytes: says ok" % length)
        except Exception as error:
            tally.check(False, "cut to %d bytes: %r" % (length, error))


def inversions(data):
    """The data with one byte inverted."""
    return [data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1:] for at in range(len(data))]


def check_report_flips(tally, name="good-manifests"):
    """Every byte of a small report matters, in every plain container: also each of a sidecar, and none makes the verifier crash."""
    for path in (vectors.path(name + "-lines"), vectors.path(name + "-envelope"), vectors.path(name + "-table")):
        data, beside = path.read_bytes(), path.with_name(path.name + "-metadata.json")
        sidecar = beside.read_bytes() if beside.exists() else None
        changed = [(inverted, sidecar) for inverted in inversions(data)] + [(data, inverted) for inverted in inversions(sidecar or b"")]
        changed += [(data[:length], sidecar) for length in range(0, len(data), 7)]
        for number, pair in enumerate(changed):
            try:
                result = verify_bundle.verify(io.BytesIO(pair[0]), path.name, pair[1])
                tally.check(result["result"] != "ok", "%s, change %d: says ok" % (path.name, number))
            except Exception as error:  # any exception is a failure of the verifier
                tally.check(False, "%s, change %d: %r" % (path.name, number, error))


def main():
    tally = Tally()
    if "--long" not in sys.argv:
        check_shelves(tally)
        results = check_vectors(tally)
        check_refused(tally)
        check_schemas(tally, results)
    if "--short" not in sys.argv:
        check_flips(tally, "good-minimal", every=False)
        check_flips(tally, "good-minimal-raw", every=True)
        check_cuts(tally)
        check_report_flips(tally)
    print("%d passed, %d failed" % (tally.passed, tally.failed))
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
