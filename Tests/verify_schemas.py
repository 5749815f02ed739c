#!/usr/bin/env python3
"""Both verifiers find a fault of shape in a line exactly where its JSON Schema does.

The lines of valid vectors are changed in one place at a time, so that each keyword of the schemas is violated at least
once: another JSON type, another value, a member less, a member more, entries less, more or twice. What was changed is
hashed anew, so that nothing else is wrong. What only prose forbids is named in BEYOND, with the page's words.

usage: verify_schemas.py [--tool HP_VERIFY]

The last line is `N passed, N failed`.
"""

import argparse
import collections
import copy
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Spec" / "examples"), str(ROOT / "Tests"), str(ROOT / "Fixtures" / "vectors")]

import generate  # noqa: E402
import generate_links  # noqa: E402
import generate_reports  # noqa: E402
import generate_shared  # noqa: E402
import schemas  # noqa: E402
import vectors  # noqa: E402
import verify_bundle  # noqa: E402
import verify_vectors  # noqa: E402

LINES = ("header", "item", "manifest", "salvage-header", "salvage-end")
ROOTS = {"header": "export", "item": "item", "manifest": "totals", "salvage-header": "salvage", "salvage-end": "totals"}
BATCH = 400
ITEMS = 900  # of a file: hp-verify lists so many damaged lines of a piece, Spec/limits.md
# Pointers of `shape.value` that Spec/shape.md demands beyond the schemas.
BEYOND = re.compile("|".join((
    r".*(_at|_date|since|until|_start|_end|earliest_start_date|latest_end_date)",  # a timestamp that is not canonical
    r".*/metadata",  # nested too deep, or a text that is the text of an object
    r".*/defects(/[0-9]+/(value|pointer))?",  # step 2
    r".*/(visibility|events|relationships)", r".*/after", r".*/(against|look_alikes|parts|reasons|sources)",
    r".*/(observations|coverage|from_coverage)(/[0-9]+/observation_id)?", r"/export/filter/with_related",
    r"/salvage/(account_count|account/[0-9]+/(byte_end|frame_end|source)|missing/item_count)",
    r".*/calendar/buckets(/[0-9]+/start)?")))
HASHES = {"/item_hash", "/manifest_hash", "/salvage_hash", "/export/export_id"}


# Changes

def places(value, path=()):
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in inner:
        yield from places(member, path + (step,))


def pattern_of(path):
    return tuple("N" if isinstance(step, int) else step for step in path)


def put(line, path, value):
    """The line with another value in one place; with `None` of `removed`, without it."""
    line = copy.deepcopy(line)
    holder = line
    for step in path[:-1]:
        holder = holder[step]
    if value is REMOVED:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return line


REMOVED = object()
# Members whose values, or whose presence, depend on the form of the line.
BY_FORM = {"format", "mode", "changes", "from_observation_id", "thresholds", "from_coverage", "before", "after", "events", "visibility", "label", "reasons",
           "item_kind", "export_kind", "change", "finding", "pair", "kind", "storage_class", "value"}
OTHERS = [None, True, False, 1, 0, -1, 1.5, 2, 2 ** 53, -2 ** 53, "", "x", "/a", [], [1], {}, {"zz": 1}]
WORDS = ["record", "version", "change", "comparison", "finding", "pair", "type_manifest", "re_identified", "expanded_into", "appeared", "disappeared", "representation_changed", "history", "changes",
         "point_in_time", "uncertain", "source", "target", "null", "real", "no_version", "container.empty", "archive.scope", "healthprobe-bundle", "healthprobe-report",
         "healthprobe-salvage", "never_queried", "record_table", "diff_summary", "late_arrival", "2024-02-01T10:00:00Z", "2024-02-01T10:00:00.000Z"]


def instead(value, is_new):
    """Values to put in the place of one."""
    yield from OTHERS if is_new else (None, 1.5, "x", [], {})
    if isinstance(value, str):
        yield from (value + "0", value[:-1], value.upper(), *(WORDS if is_new else ()))
    elif isinstance(value, list) and value:
        yield from (value + value[-1:], value[:-1], value[::-1])
        if is_new:
            yield (value * 1001)[:1001]
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from (value + 1, value - 1, str(value))


def changed(line, root, known, form, members):
    """Yields the line with one change at a time.

    `known` has the patterns of places that another line of the same kind, or of the same `form`, showed already: those
    are changed less, or not at all.
    """
    has_defects = "defects" in json.dumps(line)
    for path, value in places(line):
        pattern = pattern_of(path)
        is_new, is_new_here = pattern not in known, (form, pattern) not in known
        if path:
            for other in instead(value, is_new) if is_new or is_new_here and path[-1] in BY_FORM else shortly(value) if is_new_here else ():
                if json.dumps(other) != json.dumps(value):
                    yield path, put(line, path, other)
            if (is_new_here or has_defects) and not (isinstance(path[-1], int) or path == (root,)):
                yield path, put(line, path, REMOVED)
        if isinstance(value, dict) and "metadata" not in path and is_new_here:
            # Other members would make another kind of line of it.
            every = path and (is_new or path[-1] in (root, "scope"))
            for name in ["zz", *members] if every else ["zz"]:
                if name not in value:
                    yield path + (name,), put(line, path + (name,), members.get(name, 1))


def shortly(value):
    yield [] if not isinstance(value, list) else 1
    if isinstance(value, list):
        yield []
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from (0, -1, 2 ** 53)


def form_of(kind, line):
    inner = line[ROOTS[kind]]
    row = [name for name in ("label", "sources", "reasons") if name in inner]
    return (kind, *row, *(str(inner.get(name)) for name in schemas.DISCRIMINATORS))


def rich_header():
    """A header with every member that it can have."""
    stored = {"category": "x", "display_name": "x", "error_kind": "x", "error_message_hash": "x", "verified_visible_count": 1}
    observed = {"os_version": "x", "selected_type_set_hash": "x", "started_at": "2024-03-01T08:00:00.000Z"}
    defects = [("app_version", "text", "ff", "utf8"), ("ended_at", "real", "7ff0000000000000", "not_finite"), ("notes", "blob", "00", "storage_class"),
               ("time_zone_identifier", "null", None, "null"), ("time_zone_seconds_from_gmt", "integer", "9007199254740992", "integer_range")]
    export = generate.header(
        coverage=[{**generate.coverage(), **stored}], identity_rules=2, history={"archive": generate.made_up("a"), "link": generate.made_up("l"), "sequence": 1}, defects=[generate.defect("/observations/0/" + name, reason, storage, value) for name, storage, value, reason in defects],
        observations=[generate.observation(**observed, app_version=None, ended_at=None, notes=None, time_zone_identifier=None, time_zone_seconds_from_gmt=None)])
    return json.loads(generate.lines(export, [])[0])


def rich_items():
    """Items with every member that they can have."""
    metadata = {"metadata": {"a": 1}, "metadata_hash": generate.made_up("metadata")}
    device = dict.fromkeys(("device_hash", "firmware_version", "hardware_version", "local_identifier_hash", "manufacturer_hash", "model", "software_version", "udi_hash"), "x")
    source = dict.fromkeys(("bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version"), "x")
    defects = [generate.defect("/" + name, reason, storage, value) for name, storage, value, reason in (
        ("category_value", "integer", "9007199254740992", "integer_range"), ("duration_seconds", "real", "7ff0000000000000", "not_finite"),
        ("unit", "text", "ff", "utf8"), ("value_kind", "null", None, "null"), ("workout_activity_type", "blob", "00", "storage_class"))]
    hashes = {"fuzzy_key": "x", "semantic_fingerprint": "x"}
    ended = [{"first_observation_id": 1, "first_seen_at": "2024-03-01T08:00:00.000Z", "last_observation_id": 2, "last_seen_at": "2024-03-02T08:00:00.000Z"}]
    events = generate.version_item()["events"]
    relationships = [{**generate.relationship("target", "2"), **metadata}]
    numbers = {"category_value": 1, "duration_seconds": 1.5, "workout_activity_type": 1}
    record = generate.record(device=device, source=source, relationships=relationships, **hashes, **metadata, **numbers)
    version = generate.version_item(device=device, source=source, visibility=ended, **hashes, **metadata, **numbers)
    sample = generate.sample_item(events=events, relationships=relationships, visibility=ended, sample_type=generate.STEPS, **hashes)
    stored = {name: value for name, value in record.items() if name not in {*numbers, "unit", "value_kind"}}
    side = {name: value for name, value in record.items() if name in generate_reports.VERSION}
    change = generate_reports.change("representation_changed", before=side, after={**side, "unit": "x"}, **hashes)
    sources = [{**generate_reports.of_source(4, 2), "operating_system_version": "x", "product_type": "x", "source_name_hash": "x"}]
    labels = dict.fromkeys(("aggregateChanged", "appeared", "consolidationLikely", "disappeared", "representationChanged", "uncertain"), 1)
    every, _, _, of_type, window, _ = generate_reports.comparison()
    rows = {**every, "labels": labels, "observations": generate_reports.timeline(5), "context": [{"event_kind": "x", "logged_at": "2024-03-02T08:01:00.000Z", "observation_id": 2}],
                                                                 "rejected_count": 0, "withheld_count": 0}, {**of_type, "labels": labels, "sources": sources, "standing_reasons": ["from_state_unknown"], "calendar": {"bucket_days": 1, "buckets": [{**generate_reports.calendar(1, (1, 1, 2, 0))["buckets"][0], "condensed_count": 1, "re_identified_count": 1}]},
                                                                 "pair_counts": dict.fromkeys(("ambiguous", "condensed_into", "expanded_into", "re_identified"), 1), "statuses": ["completed"], "finding_counts": dict.fromkeys(("disappearance", "divergence", "exact_duplicate", "late_arrival", "semantic_duplicate"), 1),
                                                                 "strip": [{"start": "2024-02-01T00:00:00.000Z", "before_count": 1, "before_value": 1.5, "after_count": 1, "after_value": 2}],
                                                                 "examples": [{"change": "disappeared", "start_date": "2024-02-01T10:00:00.000Z", "end_date": "2024-02-01T10:00:00.000Z", "value_before": 1.5, "value_after": 1,
                                                                               "start_after": "2024-02-01T10:00:00.000Z", "end_after": "2024-02-01T10:00:00.000Z"}]}, {**window, "sources": sources, "label": "uncertain", "reasons": ["units_differ"]}
    pairs = generate_reports.all_pairs()
    pairs[0]["before"] = [{**pairs[0]["before"][0], **numbers, "numeric_value": 1.5, "unit": "x"}]
    shared = generate_shared.shared(source=source, metadata={"HKa": 1}, **numbers)
    links = [generate_links.link(kind) for kind in (generate_links.APPEARED, generate_links.CHANGED, generate_links.DISAPPEARED)]
    for item in (record, version, sample, shared, *links, {**stored, "defects": defects}, change, *rows, *generate_reports.all_findings(), *pairs):
        yield generate.lines(items=[item], totals={})[1]


def rich_end():
    """The last line of a salvage with every provenance code."""
    losses = dict.fromkeys(schemas.TEXTS["manifest"]["properties"]["totals"]["properties"]["types"]["items"]["properties"]["provenance_loss"]["properties"], 1)
    types = [{"defect_count": 0, "item_count": 1, "provenance_loss": losses, "sample_type": "x"}]
    return {"salvage_hash": generate.made_up("salvage"), "totals": {"defect_count": 0, "item_count": 1, "types": types}}


def chosen():
    """The lines to change: those of valid vectors that have something that no line of their form before them has."""
    yield "header", rich_header()
    yield from (("item", json.loads(line)) for line in rich_items())
    yield "salvage-end", rich_end()
    seen = collections.defaultdict(set)
    for vector in vectors.ALL:
        if vector.result != "ok" or vector.container in ("table", "page") or vectors.ROOT.joinpath(vector.path).stat().st_size > 20000:
            continue
        for kind, line in verify_vectors.parts_of(vector.path):
            form = form_of(kind, line)
            patterns = {pattern_of(path) for path, _ in places(line) if "metadata" not in path[:-1]}
            if not patterns <= seen[form] and len(json.dumps(line)) < 20000:
                seen[form] |= patterns
                yield kind, line


def cases():
    """(kind of line, pointer of the change, line), each once."""
    lines = list(chosen())
    members = {kind: {} for kind in LINES}
    for kind, line in lines:
        for path, value in places(line):
            if path and isinstance(path[-1], str) and "metadata" not in path[:-1]:
                members[kind].setdefault(path[-1], value)
    known, done = {kind: set() for kind in LINES}, set()
    for kind, line in lines:
        form = form_of(kind, line)
        for path, made in changed(line, ROOTS[kind], known[kind], form, members[kind]):
            key = (kind, json.dumps(made, sort_keys=True))
            if key not in done:
                done.add(key)
                yield kind, "/" + "/".join(map(str, path)), made
        patterns = {pattern_of(path) for path, _ in places(line)}
        known[kind] |= patterns | {(form, pattern) for pattern in patterns}


# Files

def texts_of(made):
    return b"".join(line + b"\n" for line in made)


def file_of(kind, pointer, line):
    """A file in lines with one changed line that is not an item, and the number of that line."""
    text = generate.canonical(line).encode()
    if kind == "header":
        export, last = line["export"], generate.lines(items=[])[-1]
        if isinstance(export, dict) and pointer != "/export/export_id":
            export = {name: value for name, value in export.items() if name != "export_id"}
            first, last = generate.lines(export, [], generate.totals_of({}, []))
            text = generate.canonical({**line, **json.loads(first)}).encode()
        # With another member behind `export` a file of lines would be an envelope.
        return (texts_of if len(line) == 1 else generate.of_lines)([text, last]), 1
    if kind == "manifest":
        return texts_of([generate.lines(items=[])[0], text]), 2
    made = generate.salvage([])
    return (texts_of([text, made[-1]]), 1) if kind == "salvage-header" else (texts_of([made[0], text]), 2)


def files(every):
    """Yields bytes and the cases in them, by number of line. Items share a file: a line each."""
    items = [case for case in every if case[0] == "item"]
    for at in range(0, len(items), ITEMS):
        made = generate.lines(items=[])
        lines = [(number, case) for number, case in enumerate(items[at:at + ITEMS], 2)]
        texts = [item_text(pointer, line) for _, (_, pointer, line) in lines]
        yield texts_of([made[0], *texts, made[-1]]), dict(lines)
    for case in every:
        if case[0] != "item":
            data, number = file_of(*case)
            yield data, {number: case}


def item_text(pointer, line):
    line = dict(line)
    if "item" in line and "item_hash" in line and pointer != "/item_hash":
        line["item_hash"] = generate.sha("hp:v2:export_item:", generate.canonical(line["item"]))
    return generate.canonical(line).encode()


# What verifiers find

def shape_of(result):
    """The findings of shape by line."""
    found = collections.defaultdict(set)
    for finding in result["findings"]:
        if finding["code"].startswith("shape."):
            found[finding["line"]].add((finding["code"], finding.get("pointer")))
    return found


# A header of an unreleased version is no finding: the file is refused (Spec/lines.md).
REFUSED = {1: {("refused", "format_version")}}


def python_found(data):
    try:
        return shape_of(verify_bundle.verify(io.BytesIO(data), "a.jsonl", None))
    except verify_bundle.UnreleasedFormat:
        return collections.defaultdict(set, REFUSED)


def swift_found(tool, batch, folder):
    """What hp-verify finds in each file of a batch."""
    paths = []
    for number, (data, _) in enumerate(batch):
        paths.append(os.path.join(folder, "%d.jsonl" % number))
        pathlib.Path(paths[-1]).write_bytes(data)
    process = subprocess.run([tool, "bundle", "--json", "--quiet", "--max-findings", "1000000", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [collections.defaultdict(set, REFUSED) if "error" in file else shape_of(file) for file in json.loads(process.stdout)["files"]]


# What schemas say

def schema_at(name, schema, path):
    """The schema that a path of keywords leads to from one, and the file that it stands in."""
    for step in path:
        if step == "$ref":
            name, schema = schemas.resolve(name, {"$ref": schema["$ref"]})
        else:
            schema = schema[step]
    return name, schema


FORMS = {"record", "sample", "version", "shared_record", "change", "comparison_of_all_types", "comparison_of_type", "comparison_of_window", "finding", "pair", "type_manifest"}


def keywords(name):
    """The keywords of a schema that say something of a value, with the members that `required` names."""
    said = ("type", "enum", "const", "pattern", "minimum", "maximum", "minItems", "maxItems", "uniqueItems", "additionalProperties")

    def walk(schema, path):
        if isinstance(schema, dict):
            for keyword, value in schema.items():
                if not {"if", "not"}.isdisjoint(path):
                    continue
                if keyword == "required":
                    yield from (((id(schema), keyword, member), path + (keyword, member)) for member in value)
                elif keyword in said and isinstance(value, (str, int, list)) and not tells_form(path, keyword):
                    yield (id(schema), keyword, None), path + (keyword,)
                if isinstance(value, (dict, list)) and keyword not in ("enum", "required", "x-excusable", "x-together"):
                    yield from walk(value, path + (keyword,))
        elif isinstance(schema, list):
            for index, inner in enumerate(schema):
                yield from walk(inner, path + (str(index),))

    def tells_form(path, keyword):
        """Whether it is what alternatives are told by; another value leads to another of them."""
        return keyword in ("const", "enum") and ("oneOf" in path or "$defs" in path) and path[-1] in schemas.DISCRIMINATORS

    found = dict(walk(schemas.TEXTS[name], (name,)))
    # Something else than an object is another kind of line, or an item of no form.
    return {key: path for key, path in found.items() if (len(path) > 3 or path[1] == "additionalProperties") and not (
        FORMS & set(path) and path[-1] in ("type", *schemas.DISCRIMINATORS) and (path[-2] in FORMS | {"required"} or path[-3] == "oneOf"))}


class Judge:
    """What the schemas say of changed lines, and which of their keywords were violated."""

    def __init__(self):
        self.validators = {kind: schemas.validator(kind) for kind in LINES}
        self.forms = {form: schemas.validator("item", "#/$defs/" + form) for form in ("record", "sample", "version", "shared_record", "change", "type_manifest")}
        self.violated = set()

    def accepts(self, kind, pointer, line):
        form = line["item"].get("item_kind") if isinstance(line.get("item"), dict) else None
        if kind == "item" and pointer.count("/") > 1 and form in list(self.forms):
            # It stands alone: the other forms need not be tried.
            errors, root = list(self.forms[form].iter_errors(line["item"])), "item.json#/$defs/" + form
        else:
            errors, root = list(self.validators[kind].iter_errors(line)), kind + ".json"
        self.note(kind, {"$ref": root}, errors)
        return not errors and not schemas.absent(kind, line)

    def note(self, name, root, errors):
        """Notes the keywords that errors violate: of alternatives, those of the form that the value has."""
        for error in errors:
            *path, keyword = error.evaluation_path
            file, holder = schema_at(name, root, path)
            self.violated.add((id(holder), keyword, getattr(error.kind, "property", None)))
            if keyword == "oneOf":
                for one, inner in zip(holder["oneOf"], error.kind.context):
                    if schemas.names_form(file, one, error.instance):
                        self.note(name, root, inner)


class Tally:
    def __init__(self, most=40):
        self.passed = self.failed = 0
        self.most = most

    def check(self, holds, text):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        if not holds and self.failed <= self.most:
            print("FAIL " + text, flush=True)


def compare(tally, case, is_valid, swift, python):
    kind, pointer, line = case
    where = "%s %s" % (kind, pointer)
    tally.check(swift == python, "%s: hp-verify finds %s, Python %s: %s" % (where, sorted(swift - python), sorted(python - swift), json.dumps(line)[:300]))
    if not is_valid:
        tally.check(python, "%s: the schema refuses it, no verifier does: %s" % (where, json.dumps(line)[:400]))
    else:
        beyond = all(code == "shape.value" and BEYOND.fullmatch(place) for code, place in python)
        tally.check(beyond, "%s: the schema accepts it, Python finds %s" % (where, sorted(python)))


def main(arguments):
    parser = argparse.ArgumentParser(description="Compare both verifiers with the JSON Schemas.")
    parser.add_argument("--tool", default=os.path.join(os.environ.get("HP_TOOLS", str(ROOT / ".build" / "release")), "hp-verify"))
    parser.add_argument("--all", action="store_true", help="print every failure")
    options = parser.parse_args(arguments)
    tally, judge = Tally(10 ** 9 if options.all else 40), Judge()
    every = list(cases())
    made = list(files(every))
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        for at in range(0, len(made), BATCH):
            batch = made[at:at + BATCH]
            for (data, lines), swift in zip(batch, swift_found(options.tool, batch, folder)):
                python = python_found(data)
                for number, case in lines.items():
                    compare(tally, case, judge.accepts(*case), swift[number], python[number])
    for name in LINES:
        for key, path in keywords(name).items():
            tally.check(key in judge.violated, "nothing violates %s" % "/".join(path))
    print("schemas: %d lines" % len(every))
    print("%d passed, %d failed" % (tally.passed, tally.failed))
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
