"""Makes vectors of changed files that two verifiers once judged differently (Tests/differential.py), each with its rule.

Bytes and hashes come from the generators of bundles and reports.
"""

import json

import generate_reports
from generate import coverage, lines, observation, of_lines, record, salvage
from generate_reports import (
    all_findings, changes, comparison, counts, envelope, findings_header, report, report_lines, side_count, summary, text_of)


def write_salvages(shelves):
    def add(name, what, codes, made):
        shelves.add(name, ".jsonl.zst", "salvage", what, codes, of_lines(made))

    entry = {"after_items": 0, "code": "item.hash"}
    add("shape-salvage-account-long-entry", "an account of 1,001 entries, of which one is no object", "shape.type shape.value",
        salvage(account=[*[entry] * 700, 7, *[entry] * 300]))
    add("shape-salvage-frame-needed", "a last frame and a line, which both need the first frame", "shape.member_missing",
        salvage(account=[{**entry, "frame_end": 3, "frame_line": 1}]))
    export = json.loads(lines()[0])["export"]
    add("shape-salvage-export-version", "the format version 1.5 in the header inside", "shape.value",
        salvage(export={**export, "format_version": 1.5}))
    add("shape-salvage-export-both", "another format and another version in the header inside", "shape.value",
        salvage(export={**export, "format": "x", "format_version": 4}))


def write_reports(shelves):
    def add(name, what, codes, export, items):
        shelves.add(name, ".jsonl", "report", what, codes, text_of(report_lines(export, items)))

    wrong = [{**coverage(), "ended_at": "Cal"}]
    add("shape-header-kind-number", "a kind that is no text, and a fault in what only some kinds have", "shape.type",
        changes("diff_report", export_kind=0, from_coverage=wrong), [])
    add("shape-header-observations-three", "an older observation that is there twice", "shape.value",
        changes("diff_report", observations=[observation(1), observation(1), observation(2)]), [])
    found = all_findings()[0]
    whole = {**comparison()[0], **counts(0, 0, 0), "labels": {}, "before": side_count(0), "after": side_count(0)}
    add("manifest-scope-kinds", "an item of another kind, which sorts before all of its own kind", "manifest.scope",
        findings_header(), [found, whole])


    weak = {**all_findings()[1], "current_standard_deviation": 15, "ratio": 1.5}
    add("manifest-scope-finding", "a finding in a table of records, which states no thresholds", "manifest.scope", report("record_table"), [weak])
    add("manifest-scope-finding-of-summary", "a finding in a comparison, which states other thresholds", "manifest.scope",
        summary(), [*comparison(), weak])


def write_envelopes(shelves):
    def add(name, what, codes, data):
        shelves.add("envelope-" + name, ".json", "report", what, codes, data)

    made = report_lines(report("record_table"), [record(day=1, name="1"), record(day=2, name="2")])
    whole = envelope(made)
    hash_text = b'"manifest_hash":' + json.dumps(json.loads(made[-1])["manifest_hash"]).encode()
    add("hash-and-text", "text between the manifest hash and the comma", "canonical.syntax", whole.replace(hash_text, hash_text + b"x"))
    add("hash-and-blank", "a blank between the manifest hash and the comma", "canonical.white_space", whole.replace(hash_text, hash_text + b" "))
    edited = whole.replace(b'"numeric_value":102', b'"numeric_value":103')
    add("cut-behind-item", "an envelope cut right behind an item with a fault", "container.envelope", edited[:edited.index(b'],"manifest_hash"')])
    shelves.add("lines-quotes-in-number", ".jsonl", "report", "a header whose number has quotes in it: the comma is inside of them", "canonical.syntax",
                b'{"export":0"a,b"}\n')


    whole = envelope([made[0], made[-1]])
    add("manifest-among-items", "an envelope whose manifest stands among its items", "container.envelope manifest.hash manifest.totals",
        whole.replace(b'],"manifest_hash"', b'{"manifest_hash"').replace(b'}}\n', b"}}}\n"))


def write_names(shelves):
    folder = generate_reports.Folder(shelves)
    folder.vector("container-columns-skippable", ".csv", "a table's name on a skippable frame", "container.columns container.sidecar_missing",
                  b"\x50\x2a\x4d\x18\x04\x00\x00\x00note")


def write(shelves):
    for write_part in (write_salvages, write_reports, write_envelopes, write_names):
        write_part(shelves)
