#!/usr/bin/env python3
"""Prints a report in one of its containers: Spec/reports.md and Spec/changes.md, from an archive.

    reports.py ARCHIVE KIND [--container lines|envelope|table|sidecar] [--from ID] [--to ID] [--changes KIND]...
               [--threshold NAME=NUMBER]... [--type T]... [--since D] [--until D] [--source BUNDLE_ID]...
               [--generator-version V] [--name FILE]

KIND is an `export_kind` other than recovery_bundle. The observation of a record_table, a version_table or an
observation_manifest is `--to`. Written from Spec/ alone, to be compared byte for byte with the tool; slow and obvious, as export_bundle.py.

Exit status: 0 done, 2 could not be done.
"""
import argparse
import hashlib
import sqlite3
import sys

import changes
import comparisons
import findings
import tables
from export_bundle import (
    Archive, Export, Filter, Refused, Scope, canonical, coverage, finished_header, header_draft, item_hash, manifest_hash,
    observation_draft, put_chain, text_of_lines, totals_object)

ITEM_KINDS = {
    "record_table": "record", "version_table": "version", "diff_report": "change", "change_set": "change", "diff_summary": "comparison",
    "finding_report": "finding", "pair_report": "pair", "observation_manifest": "type_manifest"}
THRESHOLDS = {"diff_summary": comparisons.THRESHOLDS, "finding_report": findings.THRESHOLDS}


class Report:
    """One report: its header `export`, its `items`, and what follows from them.

    `recorded` is the (sample id, version id, item hash) of each row of `export_items`, in the order of the items.
    """

    def __init__(self, path, kind, at=None, from_=None, types=(), since=None, until=None, sources=(), overlapping=False,
                 kinds=None, labels=None, thresholds=None, source_names=(), with_related=False,
                 across_chains=False, generator_version="0.1.0"):
        self.kind, self.item_kind, self.across_chains = kind, ITEM_KINDS[kind], across_chains
        archive = path if isinstance(path, Archive) else Archive(path)
        selection = Filter(types, since, until, sources, overlapping, source_names, with_related)
        places = []
        if kind in ("record_table", "version_table", "observation_manifest"):
            places = self.of_one_observation(archive, at, selection, generator_version)
        else:
            places = self.changes(archive, from_, at, selection, generator_version, kinds, labels, thresholds)
        self.hashes = [item_hash(canonical(item)) for item in self.items]
        self.totals = totals_object(self.export, self.items)
        self.manifest_hash = manifest_hash(self.export, self.hashes, self.totals)
        self.recorded = [(*place, hashed) for place, hashed in zip(places, self.hashes)]

    def of_one_observation(self, archive, at, selection, generator_version):
        mode = "history" if self.kind == "version_table" else "point_in_time"
        scope = Scope(archive, archive.latest() if at is None else at, mode)
        selection.place(archive, scope.id)
        draft = header_draft(archive, scope, selection, generator_version, self.kind)
        draft.attach_array("observations", [observation_draft(row) for row in scope.observations(archive)])
        self.export = finished_header(draft)
        records = Export(archive, scope, selection)
        if self.item_kind == "type_manifest":
            self.items = type_manifests(records.items)
            return []
        selected = [(item, place) for item, place in zip(records.items, records.places_in_order)
                    if item["item_kind"] == self.item_kind]
        self.items = [item for item, _ in selected]
        return [(sample.value, version.value if version.value in archive.versions else None)
                for _, (sample, version) in selected]

    def changes(self, archive, from_, at, selection, generator_version, kinds, labels, thresholds):
        older, newer = changes.scopes(archive, from_, at)
        selection.place(archive, newer.id)
        found = changes.Comparison(archive, older, newer, selection, self.across_chains)
        newest = max(older.id, newer.id)
        draft = header_draft(archive, newer, selection, generator_version, self.kind, newest)
        changes.put_second_observation(draft, archive, older, newer)
        draft.attach_array("from_coverage", coverage(archive, older, selection, newest))
        if self.across_chains:
            put_chain(draft, "from_device_chain", archive, older)
        place = draft.members["scope"]
        if self.kind == "change_set":
            place["changes"] = sorted(set(kinds or changes.KINDS))
            if labels is not None:
                place["labels"] = sorted(set(labels))
        if self.kind in THRESHOLDS:
            place["thresholds"] = {**THRESHOLDS[self.kind], **(thresholds or {})}
        self.export = finished_header(draft)
        found.runs = {"run_after": self.export["coverage"], "run_before": self.export["from_coverage"]}
        if self.item_kind == "change":
            found.labels = comparisons.Summary(found, self.export, comparisons.THRESHOLDS).labels_of_changes
            selected = found.items(place.get("changes", changes.KINDS + changes.LINK_KINDS), place.get("labels"))
            self.items = [item for _, item in selected]
            return [row for row, _ in selected]
        if self.item_kind == "pair":
            self.items = found.pair_items()
            return []
        maker = comparisons.Summary if self.item_kind == "comparison" else findings.Findings
        self.items = maker(found, self.export, place["thresholds"]).items
        return []

    # Containers

    def lines(self):
        return text_of_lines(self.export, self.items)

    def envelope(self):
        items = [{"item": item, "item_hash": hashed} for item, hashed in zip(self.items, self.hashes)]
        value = {"export": self.export, "items": items, "manifest_hash": self.manifest_hash, "totals": self.totals}
        return (canonical(value) + "\n").encode()

    def table(self):
        return tables.table(self.item_kind, self.items, self.hashes)

    def sidecar(self, name):
        return tables.sidecar(name, self.item_kind, self.table(), self.export, self.totals, self.manifest_hash)

    def filter_json(self):
        return canonical({name: self.export[name] for name in ("filter", "generator", "scope")})


def type_manifests(records):
    """The items of an observation manifest, from the `record` items of the observation in order."""
    found = {}
    for record in records:
        found.setdefault(record.get("sample_type"), []).append(record)
    return [type_manifest(name, group) for name, group in found.items()]


def type_manifest(sample_type, records):
    hashes = canonical([item_hash(canonical(record)) for record in records])
    item = {"defect_count": sum(len(record.get("defects", [])) for record in records), "item_count": len(records),
            "item_kind": "type_manifest",
            "items_hash": hashlib.sha256(b"hp:v2:export_item_list:" + hashes.encode()).hexdigest()}
    return item if sample_type is None else {**item, "sample_type": sample_type}


def threshold(text):
    name, _, number = text.partition("=")
    value = float(number)
    return name, int(value) if value == int(value) else value


def parser():
    options = argparse.ArgumentParser(description="Prints a report in one of its containers.")
    options.add_argument("path", metavar="archive")
    options.add_argument("kind", choices=ITEM_KINDS)
    options.add_argument("--container", choices=["lines", "envelope", "table", "sidecar"], default="lines")
    options.add_argument("--from", dest="from_", type=int)
    options.add_argument("--to", "--at", dest="at", type=int)
    options.add_argument("--changes", dest="kinds", action="append", choices=[*changes.KINDS, "re_identified"])
    options.add_argument("--label", dest="labels", action="append", choices=comparisons.LABELS)
    options.add_argument("--threshold", dest="thresholds", type=threshold, action="append")
    options.add_argument("--type", dest="types", action="append", default=[])
    options.add_argument("--since")
    options.add_argument("--until")
    options.add_argument("--source", dest="sources", action="append", default=[])
    options.add_argument("--generator-version", default="0.1.0")
    options.add_argument("--name", default="report.csv", help="the file name of the table, for its sidecar")
    return options


def main():
    arguments = vars(parser().parse_args())
    container, name = arguments.pop("container"), arguments.pop("name")
    arguments["thresholds"] = dict(arguments["thresholds"] or [])
    try:
        report = Report(**arguments)
    except (Refused, sqlite3.Error, OSError) as error:
        print(f"reports.py: error: {error}", file=sys.stderr)
        return 2
    text = report.sidecar(name) if container == "sidecar" else getattr(report, container)()
    sys.stdout.buffer.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
