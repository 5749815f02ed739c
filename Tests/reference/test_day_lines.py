#!/usr/bin/env python3
"""Items of Tests/reference/day_report.py as the lines of a day report: the schemas and the independent verifier accept them, and see planted faults.

The last line is `N passed, N failed`.
"""

import copy
import hashlib
import io
import json
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/reference"), str(ROOT / "Tests"), str(ROOT / "Spec/examples")]

import schemas  # noqa: E402
import test_day_report  # noqa: E402
import verify_bundle  # noqa: E402
from day_report import cases, totals  # noqa: E402
from export_bundle import canonical  # noqa: E402


def digest(kind, data):
    return hashlib.sha256(b"hp:v2:export_%s:" % kind.encode() + data).hexdigest()


def header_of(items, case):
    minimal = json.loads((ROOT / "Spec/examples/minimal.jsonl").read_text("utf-8").splitlines()[0])["export"]
    del minimal["export_id"]
    entry = minimal["coverage"][0]
    minimal["coverage"] = [{**entry, "sample_type": name} for name in sorted({item["sample_type"] for item in items})]
    scope = {"method": case.get("method", "cover"), "period": case.get("by", "day"), "zone": {"basis": "rules", "rules_hash": "00" * 32}}
    return {**minimal, "export_kind": "day_report", "format": "healthprobe-report", "scope": {**minimal["scope"], **scope}}


def lines_of(items, header):
    """The text of a report, hashed anew."""
    export_id = digest("id", canonical(header).encode())
    number = "%s-%s-8%s-%x%s-%s" % (export_id[:8], export_id[8:12], export_id[13:16], int(export_id[16], 16) & 3 | 8, export_id[17:20], export_id[20:32])
    header = {**header, "export_id": number}
    hashes = [digest("item", canonical(item).encode()) for item in items]
    types = [{"defect_count": 0, "provenance_loss": {}, "sample_type": name, **entry} for name, entry in totals(items).items()]
    total = {"defect_count": 0, "item_count": len(items), "types": types}
    whole = digest("manifest", canonical({"export": header, "items": hashes, "totals": total}).encode())
    return [{"export": header}, *({"item": item, "item_hash": text} for item, text in zip(items, hashes)), {"manifest_hash": whole, "totals": total}]


def found(lines):
    text = "".join(canonical(line) + "\n" for line in lines).encode()
    return sorted({finding["code"] for finding in verify_bundle.verify(io.BytesIO(text), "days.jsonl")["findings"]})


def planted(lines):
    """Faults by the code that each must give."""
    items = [line["item"] for line in lines[1:-1]]
    first = next((place for place, item in enumerate(items) if "value_sum" in item and "sources" in item), None)
    if first is None:
        return

    def changed(change):
        others, header = copy.deepcopy(items), copy.deepcopy(lines[0]["export"])
        change(others[first], header)
        del header["export_id"]
        return lines_of(others, header)
    yield "shape.member_missing", changed(lambda item, _: item.pop("shared_seconds"))
    yield "shape.member_missing", changed(lambda item, _: item.pop("value_sum"))
    yield "shape.member_missing", changed(lambda item, _: item.pop("day_start"))
    yield "shape.member_unknown", changed(lambda item, _: item.update(value_mean=1))
    yield "shape.value", changed(lambda item, _: item.update(measure="weekly"))
    yield "shape.value", changed(lambda item, _: item["sources"].reverse())
    yield "shape.value", changed(lambda _, header: header["scope"].update(preferred=["a", "a"]))
    yield "shape.member_unknown", changed(lambda _, header: header["filter"].update(with_related=True))
    yield "shape.member_missing", changed(lambda _, header: header["scope"].pop("zone"))
    yield "manifest.scope", changed(lambda _, header: header["filter"].update(since="2027-01-01T00:00:00.000Z"))
    others = copy.deepcopy(lines)
    others[-1]["totals"]["types"][0]["value_sum"] += 1
    yield "manifest.totals", others
    others = copy.deepcopy(items)
    others[first]["date"] = "2030-01-01"
    yield "order.repeated", lines_of([others[first], others[first]], {name: value for name, value in lines[0]["export"].items() if name != "export_id"})


def main():
    book, counts = cases(), [0, 0]

    def check(what, holds):
        counts[not holds] += 1
        if not holds:
            print("failed:", what)
    for case in book["cases"]:
        items = test_day_report.items_of(book, {**case, "only": ["activity_summary", "category", "cumulative", "discrete", "event", "nap", "night", "workout"]})
        if not items:
            continue
        lines = lines_of(items, header_of(items, case))
        for name, line in [("header", lines[0]), *(("item", line) for line in lines[1:-1]), ("manifest", lines[-1])]:
            check("%s: schema of %s: %s" % (case["name"], name, line), schemas.validator(name).is_valid(line))
        check("%s: %s" % (case["name"], found(lines)), not found(lines))
        for code, others in planted(lines):
            check("%s: %s, not %s" % (case["name"], found(others), code), code in found(others))
    print("%d passed, %d failed" % tuple(counts))
    return 1 if counts[1] or not counts[0] else 0


if __name__ == "__main__":
    sys.exit(main())
