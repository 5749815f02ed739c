#!/usr/bin/env python3
"""The JSON Schema of a feed's lines and the expectations of the Swift reader agree on every feed of Fixtures/feeds.

A good feed's lines are all valid. Of a bad feed, `expected.txt` names the line of the fault and which check sees it: a strict
JSON parser, the schema, or only a reader of the whole feed; every other line is valid.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FEEDS = ROOT / "Fixtures" / "feeds"
passed = failed = 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("failed:", what)


def members(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    for key, value in pairs:
        for text in [key, value]:
            if isinstance(text, str):
                text.encode("utf-8")
    return found


def refuse(text):
    raise ValueError(text)


def number(text):
    """A double; beyond the doubles an integer as large, which a schema can compare."""
    value = float(text)
    return value if abs(value) != float("inf") else 10 ** 400 * (-1 if value < 0 else 1)


def parsed(line):
    """A line by a strict parser; raises ValueError or RecursionError."""
    return json.loads(line.decode("utf-8"), object_pairs_hook=members, parse_constant=refuse, parse_float=number)


def verdict(validator, line):
    try:
        value = parsed(line)
    except (ValueError, RecursionError):
        return "json"
    return "good" if validator.is_valid(value) else "schema"


def main():
    try:
        import jsonschema
    except ImportError:
        print("skipped: jsonschema cannot be imported\n0 passed, 0 failed")
        return 0
    text = (ROOT / "Spec" / "schemas" / "capture-feed.json").read_text(encoding="utf-8")
    # In ECMA-262, which JSON Schema follows, `$` is the end; in Python it is also before a last line end.
    schema = json.loads(text.replace('$"', '\\\\Z"'))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sorted((FEEDS / "good").glob("*.jsonl")):
        # What stands after the last line end is no line.
        for at, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
            check("%s line %d is good" % (path.name, at), verdict(validator, line) == "good")
    names = set()
    for expectation in (FEEDS / "bad" / "expected.txt").read_text(encoding="utf-8").splitlines():
        if expectation.startswith("#"):
            continue
        name, seen_by, error = expectation.split(" ", 2)
        names.add(name)
        fault = int(re.match(r"line (\d+): ", error)[1])
        for at, line in enumerate((FEEDS / "bad" / (name + ".jsonl")).read_bytes().split(b"\n")[:-1], 1):
            expected = seen_by if at == fault and seen_by != "reader" else "good"
            check("%s line %d: %s" % (name, at, expected), verdict(validator, line) == expected)
    check("every bad feed is expected", names == {path.stem for path in (FEEDS / "bad").glob("*.jsonl")})
    page = (ROOT / "Spec" / "capture-feed.md").read_text(encoding="utf-8")
    for kind in schema["properties"]["kind"]["enum"]:
        for member in schema["$defs"][kind]["properties"]:
            check("the page names /%s of %s" % (member, kind), "`%s`" % member in page)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
