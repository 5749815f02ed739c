#!/usr/bin/env python3
"""Runs the independent verifier over every vector in Fixtures/bundles and compares the exact sets of codes.

Also: the lines of good vectors against the JSON Schemas (where `jsonschema` is there), the verifier's
own output against its schema, every code has a vector that raises it alone, and every flipped byte and
every cut of the smallest good vectors is noticed. Exit status 1 when anything fails.
"""

import io
import json
import pathlib
import re
import sys

import zstandard

ROOT = pathlib.Path(__file__).resolve().parent.parent
VECTORS = ROOT / "Fixtures" / "bundles"
sys.path.insert(0, str(ROOT / "Spec" / "examples"))
sys.dont_write_bytecode = True

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


def expectation(path):
    pairs = (line.split(":", 1) for line in path.read_text(encoding="utf-8").splitlines())
    members = {name: value.strip() for name, value in pairs}
    return set(members["codes"].split()), members["layer"]


def result_of(data):
    return verify_bundle.verify(io.BytesIO(data))


def vectors():
    return sorted(VECTORS.glob("*.jsonl.zst"))


def check_vectors(tally):
    """Every vector raises exactly its codes, fails at its layer, and is ok only without a code."""
    results = {}
    for path in vectors():
        name = path.name[:-len(".jsonl.zst")]
        codes, layer = expectation(path.with_name(name + ".txt"))
        with open(path, "rb") as file:
            result = results[name] = {"file": path.name, **verify_bundle.verify(file)}
        found = {finding["code"] for finding in result["findings"]}
        first = next((layer for layer in verify_bundle.LAYERS if result["layers"][layer] == "failed"), "none")
        tally.check(found == codes, "%s: expected %s, found %s" % (name, sorted(codes), sorted(found)))
        tally.check(first == layer, "%s: expected layer %s, failed at %s" % (name, layer, first))
        tally.check((result["result"] == "ok") == (not codes), "%s: says %s" % (name, result["verdict"]))
    return results


def check_codes(tally):
    """Every code of the page but the archive's has a vector that raises it alone."""
    page = (ROOT / "Spec" / "verification-codes.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| `([a-z_]+\.[a-z_0-9]+)` \|", page, re.MULTILINE))
    expected = [expectation(path.with_name(path.name[:-len(".jsonl.zst")] + ".txt"))[0] for path in vectors()]
    alone = {code for codes in expected if len(codes) == 1 for code in codes}
    for code in sorted(known):
        tally.check(code.startswith("archive.") or code in alone, "no vector raises %s alone" % code)
    for code in sorted(set().union(*expected) - known):
        tally.check(False, "a vector expects %s, which no page names" % code)


def check_schemas(tally, results):
    """Good lines and the verifier's output are valid by the schemas."""
    try:
        import jsonschema
    except ImportError:
        print("skipped the JSON Schemas: jsonschema cannot be imported")
        return
    schemas = {}
    for path in sorted((ROOT / "Spec" / "schemas").glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[path.stem] = jsonschema.Draft202012Validator(schema)
    for path in vectors():
        name = path.name[:-len(".jsonl.zst")]
        if results[name]["result"] != "ok":
            continue
        reader = zstandard.ZstdDecompressor().stream_reader(path.read_bytes(), read_across_frames=True)
        for number, line in enumerate(reader.read().splitlines(), 1):
            value = json.loads(line)
            first = next(name for name in ("export", "item", "salvage", "salvage_hash", "manifest_hash") if name in value)
            schema = {"export": "header", "salvage": "salvage-header", "salvage_hash": "salvage-end", "manifest_hash": "manifest"}.get(first, first)
            errors = [error.message for error in schemas[schema].iter_errors(value)]
            tally.check(not errors, "%s line %d: %s" % (name, number, errors[:1]))
    errors = [error.message for error in schemas["verify-result"].iter_errors({"files": list(results.values())})]
    tally.check(not errors, "verify-result: %s" % errors[:3])


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
    data = (VECTORS / (name + ".jsonl.zst")).read_bytes()
    for place, changed in flips(data):
        try:
            noticed = result_of(changed)["result"] != "ok"
            tally.check(noticed or not every and text_of(changed) == text_of(data), "%s, %s: says ok" % (name, place))
        except Exception as error:  # any exception is a failure of the verifier
            tally.check(False, "%s, %s: %r" % (name, place, error))


def check_cuts(tally, name="good-minimal"):
    """Every prefix of a bundle is noticed as cut."""
    data = (VECTORS / (name + ".jsonl.zst")).read_bytes()
    for length in range(len(data)):
        try:
            tally.check(result_of(data[:length])["result"] != "ok", "cut to %d bytes: says ok" % length)
        except Exception as error:
            tally.check(False, "cut to %d bytes: %r" % (length, error))


def main():
    tally = Tally()
    results = check_vectors(tally)
    check_codes(tally)
    check_schemas(tally, results)
    check_flips(tally, "good-minimal", every=False)
    check_flips(tally, "good-minimal-raw", every=True)
    check_cuts(tally)
    print("%d passed, %d failed" % (tally.passed, tally.failed))
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
