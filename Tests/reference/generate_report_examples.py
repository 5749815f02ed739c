#!/usr/bin/env python3
"""Writes minimal.csv, its sidecar and minimal.json in Spec/examples anew: the record table of the one record of minimal.jsonl.
Run it by hand, on demand only."""
import json
import pathlib

from export_bundle import Draft, canonical, finished_header, item_hash, manifest_hash, totals_object
from reports import Report

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "Spec" / "examples"


def report():
    """The example's bundle as a record table: another kind and format, and what follows from them."""
    lines = [json.loads(line) for line in (EXAMPLES / "minimal.jsonl").read_text(encoding="utf-8").splitlines()]
    draft, found = Draft(), Report.__new__(Report)
    draft.members = {name: value for name, value in lines[0]["export"].items() if name != "export_id"}
    draft.members.update(export_kind="record_table", format="healthprobe-report", format_version=3)
    found.item_kind, found.export, found.items = "record", finished_header(draft), [line["item"] for line in lines[1:-1]]
    found.hashes = [item_hash(canonical(item)) for item in found.items]
    found.totals = totals_object(found.export, found.items)
    found.manifest_hash = manifest_hash(found.export, found.hashes, found.totals)
    return found


def main():
    found = report()
    (EXAMPLES / "minimal.csv").write_bytes(found.table())
    (EXAMPLES / "minimal.csv-metadata.json").write_bytes(found.sidecar("minimal.csv"))
    (EXAMPLES / "minimal.json").write_bytes(found.envelope())


if __name__ == "__main__":
    main()
