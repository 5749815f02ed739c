"""Spec/changes.md, "Comparison": counts, sums and coverage before and after, windows, labels. Sums are exact: fractions."""

import math
from collections import defaultdict
from fractions import Fraction

from export_bundle import Draft, order, row_of, timestamp

THRESHOLDS = {
    "count_ratio": 0.5, "coverage_overlap": 0.8, "minimum_disappeared": 3, "sum_tolerance": 0.01,
    "window_gap_seconds": 3600}
SOURCE = ("bundle_identifier", "operating_system_version", "product_type", "version")


class Record:
    """What comparisons and findings look at of a sample and one of its versions: the members that are written, dates as doubles."""

    def __init__(self, comparison, sample, version):
        draft = Draft()
        comparison.put_sample(draft, sample)
        comparison.put_version(draft, version)
        row = row_of(comparison.archive.versions, version) or {}
        seen = row_of(comparison.archive.samples, sample) or {}
        self.sample, self.version, self.members = sample, version, draft.members
        self.type = draft.members.get("sample_type")
        self.start, self.end, self.value = (self.number(row, name) for name in ("start_date", "end_date", "numeric_value"))
        self.first_seen_at = self.number(seen, "first_seen_at")
        source = draft.members.get("source", {})
        self.source = {name: source[name] for name in SOURCE if name in source}

    def number(self, row, name):
        return float(row[name].value) if name in self.members else None

    def __getitem__(self, name):
        return self.members.get(name)


def exact_sum(doubles):
    """The exact sum, rounded once; None where it is not finite or there is nothing to add."""
    doubles = list(doubles)
    try:
        return float(sum(map(Fraction, doubles))) if doubles and all(map(math.isfinite, doubles)) else None
    except OverflowError:
        return None


def finite(members):
    """Without the members that are absent or not finite; -0 is 0."""
    kept = {}
    for name, value in members.items():
        if isinstance(value, float):
            value = value + 0.0 if math.isfinite(value) else None
        if value is not None:
            kept[name] = value
    return kept


def one_unit(values):
    """Whether all records with a value have one unit or all none, and that unit."""
    units = {record["unit"] for record in values}
    return len(units) <= 1, next(iter(units)) if len(units) == 1 else None


def coverage_window(records):
    starts = [r.start for r in records if r.start is not None]
    ends = [r.end for r in records if r.end is not None]
    return min(starts, default=None), max(ends, default=None)


def side(records):
    """`before` or `after` of a type or a window."""
    values = [r for r in records if r.value is not None]
    same, unit = one_unit(values)
    start, end = coverage_window(records)
    both = [r.end - r.start for r in records if r.start is not None and r.end is not None]
    total = exact_sum(both)
    span = None if start is None or end is None else end - start
    return finite({
        "earliest_start_date": None if start is None else timestamp(start),
        "latest_end_date": None if end is None else timestamp(end),
        "interval_seconds": total,
        "mean_interval_seconds": None if total is None else total / len(both),
        "record_count": len(records),
        "records_per_hour": len(records) * 3600.0 / span if span is not None and span > 0 else None,
        "unit": unit,
        "value_count": len(values),
        "value_max": max((r.value for r in values), default=None) if same else None,
        "value_sum": exact_sum(r.value for r in values) if same else None,
    })


def sources(before, after):
    found = {}
    for name, records in (("before_count", before), ("after_count", after)):
        for record in records:
            key = [order(record.source.get(part)) for part in SOURCE]
            entry = found.setdefault(tuple(key), {**record.source, "after_count": 0, "before_count": 0})
            entry[name] += 1
    return [found[key] for key in sorted(found)]


def overlap(before, after):
    windows = coverage_window(before), coverage_window(after)
    if any(part is None for window in windows for part in window):
        return None
    (b_start, b_end), (a_start, a_end) = windows
    whole = max(b_end, a_end) - min(b_start, a_start)
    return 1.0 if whole == 0 else max(0.0, min(b_end, a_end) - max(b_start, a_start)) / whole


def are_comparable(before, after):
    return "value_sum" in before and "value_sum" in after and before.get("unit") == after.get("unit")


def evidence(before, after):
    """Of two lists of records."""
    b, a = side(before), side(after)
    known = {record.source.get("bundle_identifier") for record in before}
    return finite({
        "coverage_overlap": overlap(before, after),
        "record_count_delta": len(after) - len(before),
        "sources_compatible": {record.source.get("bundle_identifier") for record in after} <= known,
        "value_sum_delta": a["value_sum"] - b["value_sum"] if are_comparable(b, a) else None,
    })


def run_reasons(name, coverage, sample_type):
    """What is incomplete about a type's run: of the first entry of the type, if there is any."""
    entry = next((entry for entry in coverage if entry.get("sample_type") == sample_type), {"status": "never_queried"})
    if entry.get("status") == "never_queried":
        return [name + "_never_queried"]
    if entry.get("status") != "completed":
        return [name + "_run_not_completed"]
    return [name + "_state_unknown"] if entry.get("state") == "unknown" else []


def is_within(tolerance, before, after):
    return abs(after - before) <= tolerance * max(abs(before), abs(after))


def value_reason(before, after):
    """Why sums say nothing, or None."""
    if not before["value_count"] and not after["value_count"]:
        return "values_missing"
    partly = any(0 < s["value_count"] < s["record_count"] for s in (before, after))
    if partly or not before["value_count"] or not after["value_count"]:
        return "values_incomplete"
    return None if are_comparable(before, after) else "units_differ"


def is_consolidation(counts, before, after, found, thresholds):
    def both(name, test):
        return name in before and name in after and test(before[name], after[name])
    return (counts["disappeared"] >= thresholds["minimum_disappeared"]
            and after["record_count"] <= thresholds["count_ratio"] * before["record_count"]
            and "coverage_overlap" in found and found["coverage_overlap"] >= thresholds["coverage_overlap"]
            and both("records_per_hour", lambda b, a: a < b)
            and both("mean_interval_seconds", lambda b, a: a > b)
            and found["sources_compatible"])


def label(reasons, counts, before, after, found, thresholds):
    """The label of a window and the reasons of `uncertain`; `reasons` are those of the runs and dates."""
    replaced = counts["disappeared"] or counts["appeared"]
    if reasons:
        return "uncertain", reasons
    if not counts["disappeared"] and not counts["representation_changed"]:
        return "appeared", []
    if not counts["appeared"] and not counts["representation_changed"]:
        return "disappeared", []
    reason = value_reason(before, after)
    comparable = are_comparable(before, after)
    within = comparable and is_within(thresholds["sum_tolerance"], before["value_sum"], after["value_sum"])
    have_values = before["value_count"] > 0, after["value_count"] > 0
    if not replaced:
        if have_values == (False, False) or within or (have_values == (True, True) and not comparable):
            return "representationChanged", []
        if reason == "values_incomplete":
            return "uncertain", [reason]
    elif reason:
        return "uncertain", [reason]
    if not within:
        return "aggregateChanged", []
    if is_consolidation(counts, before, after, found, thresholds):
        return "consolidationLikely", []
    return "representationChanged", []


class Facts:
    """The records of a `Comparison`, visible or changed, by sample type."""

    def __init__(self, comparison):
        self.comparison, self.records = comparison, {}
        self.visible = {name: self.by_type(comparison.selected(name)) for name in ("before", "after")}
        self.changes = defaultdict(list)
        for change in comparison.changes:
            self.changes[self.record(change.sample, change.leading).type].append(change)

    def record(self, sample, version):
        key = sample, version
        if key not in self.records:
            self.records[key] = Record(self.comparison, sample, version)
        return self.records[key]

    def by_type(self, pairs):
        found = defaultdict(list)
        for pair in pairs:
            found[self.record(*pair).type].append(self.record(*pair))
        return found


class Summary:
    """The `comparison` items of a `Comparison`."""

    def __init__(self, comparison, export, thresholds):
        self.thresholds, self.facts = thresholds, Facts(comparison)
        self.visible, self.changes, self.record = self.facts.visible, self.facts.changes, self.facts.record
        self.coverage = (("from", export["from_coverage"]), ("to", export["coverage"]))
        types = sorted({*self.changes, *self.visible["before"], *self.visible["after"]}, key=order)
        windows = {name: self.windows_of(name) for name in types}
        self.items = [self.whole(comparison.changes, windows)]
        for name in types:
            self.items += [self.type_item(name, windows[name]), *windows[name]]

    def item(self, changes, **members):
        counts = {kind + "_count": sum(change.kind == kind for change in changes)
                  for kind in ("appeared", "disappeared", "representation_changed")}
        return {"item_kind": "comparison", **counts, **members}

    def whole(self, changes, windows):
        found = {name: {"record_count": sum(map(len, self.visible[name].values()))} for name in ("before", "after")}
        return self.item(changes, labels=labels(sum(windows.values(), [])), **found)

    def type_item(self, name, windows):
        before, after = (self.visible[part].get(name, []) for part in ("before", "after"))
        return self.item(self.changes[name], before=side(before), after=side(after), labels=labels(windows),
                         sources=sources(before, after), **named(name))

    def windows_of(self, name):
        undated, dated, latest = [], [], None
        for change in self.changes[name]:
            leading = self.record(change.sample, change.leading)
            if leading.start is None or leading.end is None:
                undated.append(change)
                continue
            if latest is None or leading.start - latest > self.thresholds["window_gap_seconds"]:
                dated.append([])
                latest = leading.end
            dated[-1].append(change)
            latest = max(latest, leading.end)
        found = [self.window(name, undated, is_dated=False)] if undated else []
        return found + [self.window(name, changes, is_dated=True) for changes in dated]

    def window(self, name, changes, is_dated):
        before, after = ([self.record(*pair) for pair in {p for change in changes for p in change.versions(part)}]
                         for part in ("before", "after"))
        item = self.item(changes, before=side(before), after=side(after), evidence=evidence(before, after),
                         sources=sources(before, after), **named(name))
        reasons = [reason for part, entries in self.coverage for reason in run_reasons(part, entries, name)]
        if is_dated:
            leading = [self.record(change.sample, change.leading) for change in changes]
            item["window_start"] = timestamp(min(record.start for record in leading))
            item["window_end"] = timestamp(max(record.end for record in leading))
        else:
            reasons.append("dates_missing")
        counts = {kind: item[kind + "_count"] for kind in ("appeared", "disappeared", "representation_changed")}
        item["label"], reasons = label(reasons, counts, item["before"], item["after"], item["evidence"], self.thresholds)
        return {**item, "reasons": sorted(reasons)} if reasons else item


def named(sample_type):
    return {} if sample_type is None else {"sample_type": sample_type}


def labels(windows):
    found = defaultdict(int)
    for window in windows:
        found[window["label"]] += 1
    return dict(found)
