"""Reports: Spec/reports.md and Spec/changes.md. The kinds of export, and the items that only reports have."""

from typing import NamedTuple

from .members import alternatives, at, members_of, without
from .ordering import sortable

CHANGES = frozenset(("appeared", "disappeared", "representation_changed"))
LINK_CHANGES = {"relationship_appeared": ("relationship_after!",), "relationship_disappeared": ("relationship_before!",),
                "relationship_changed": ("relationship_after!", "relationship_before!")}
LABELS = ("aggregateChanged", "appeared", "consolidationLikely", "disappeared", "replacedNotProvable", "representationChanged", "uncertain")
SUMMARY = ("window_bound_days", "window_gap_seconds")


class ExportKind(NamedTuple):
    """What a kind of export is made of."""

    format: str
    modes: frozenset
    items: frozenset
    scope: dict = {}  # members of its scope that only this kind has
    filter: tuple = ("overlapping", "with_related")  # of those that select by more than the record itself


def thresholds(*names):
    return {"thresholds!": {name + "!": "number" for name in names}}


REPORT, CHANGED, ONE_MOMENT = "healthprobe-report", frozenset(("changes",)), frozenset(("point_in_time",))
EXPORTS = {
    "recovery_bundle": ExportKind(
        "healthprobe-bundle", frozenset(("point_in_time", "history")), frozenset(("record", "sample", "version"))),
    "shared_bundle": ExportKind(REPORT, ONE_MOMENT, frozenset(("shared_record",))),
    "record_table": ExportKind(REPORT, ONE_MOMENT, frozenset(("record",))),
    "version_table": ExportKind(REPORT, frozenset(("history",)), frozenset(("version",))),
    "day_report": ExportKind(REPORT, ONE_MOMENT, frozenset(("day",)), {
        "method!": frozenset(("cover", "greatest", "sources")), "period!": frozenset(("day", "month")), "preferred": ["text", 1],
        "zone!": members_of("header", at("header", "/properties/export/properties/scope/properties/zone"))}, ()),
    "observation_manifest": ExportKind(REPORT, ONE_MOMENT, frozenset(("type_manifest",))),
    "diff_report": ExportKind(REPORT, CHANGED, frozenset(("change",))),
    "change_set": ExportKind(REPORT, CHANGED, frozenset(("change",)), {"changes!": [CHANGES | {"re_identified", *LINK_CHANGES}, 1], "labels": [frozenset(LABELS), 1]}),
    "pair_report": ExportKind(REPORT, CHANGED, frozenset(("pair",))),
    "diff_summary": ExportKind(REPORT, CHANGED, frozenset(("comparison",)), thresholds(*SUMMARY)),
    "page_report": ExportKind(REPORT, CHANGED, frozenset(("comparison",)), thresholds(*SUMMARY)),
    "finding_report": ExportKind(REPORT, CHANGED, frozenset(("finding",)), thresholds(
        "baseline_days", "current_days", "divergence_ratio", "late_arrival_seconds", "minimum_days")),
}

SOURCE_MEMBERS = ("bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version")
CHANGE_COUNTS = ("appeared_count", "disappeared_count", "representation_changed_count")
ONLY_IN_WINDOWS = {"crosses_bound", "evidence", "label", "look_alikes", "reasons", "signatures", "window_end", "window_start"}


def defined(name):
    """The members of a definition of item.json."""
    return members_of("item", at("item", "/$defs/" + name))


def told_by(name, member):
    """The members of each alternative of a definition, by the constant that tells it."""
    ones = alternatives(at("item", "/$defs/" + name), member)
    return {told: without(members_of("item", one), member) for told, one in ones.items()}


ROWS = {"all": defined("comparison_of_all_types"), "type": defined("comparison_of_type"),
        "window": defined("comparison_of_window")}
CHANGE, CHANGE_FORMS = defined("change"), alternatives(at("item", "/$defs/change"), "change")
FINDINGS, PAIRS, DAYS = told_by("finding", "finding"), told_by("pair", "pair"), told_by("day", "measure")
REPORT_ITEMS = {
    "change": {}, "comparison": {}, "day": {}, "finding": {}, "pair": {},  # by their other members: see below
    "type_manifest": defined("type_manifest"),
}


def members_of_change(change):
    """The members of a change; of one that is not known, those of all."""
    form = CHANGE_FORMS.get(change, {"properties": {}})
    forbidden = [name for name, inner in form["properties"].items() if inner is False]
    needed = form.get("required", ())
    found = {name: kind for name, kind in without(CHANGE, *forbidden, *needed).items()}
    return {**found, **{name + "!": CHANGE[name] for name in needed}}


def of_any(forms):
    """The members of a form that is not known: those that all have, and of the others each, if it is there."""
    marks = [{name.rstrip("!"): name for name in members} for members in forms.values()]
    common = {name for name in marks[0] if all(name in mark for mark in marks)}
    found = {}
    for mark, members in zip(marks, forms.values()):
        for name in mark:
            found.setdefault(mark[name] if name in common else name, []).append(members[mark[name]])
    return {name: of_entries(each) for name, each in found.items()}


def of_entries(each):
    """The last of what forms say of a member; of entries, whatever any form says of them."""
    entries = [one for one in each if isinstance(one, list) and isinstance(one[0], dict)]
    return [of_any(dict(enumerate(one[0] for one in entries))), *each[-1][1:]] if len(entries) > 1 else each[-1]


def specification_of_report(item):
    """The members of an item that depend on its other members; None for other items."""
    kind = item["item_kind"]
    if kind == "change":
        return members_of_change(text(item, "change"))
    if kind == "comparison":
        label = text(item, "label")
        members = ROWS[row_of_comparison(item)]
        if "reasons" in members and label in LABELS:
            reasons = {"reasons!": members["reasons"]} if label == "uncertain" else {}
            return {**without(members, "reasons"), **reasons}
        return members
    if kind in ("finding", "pair"):
        forms = FINDINGS if kind == "finding" else PAIRS
        return {kind + "!": frozenset(forms), **forms.get(text(item, kind), of_any(forms))}
    if kind == "day":
        return {"measure!": frozenset(DAYS), **DAYS.get(text(item, "measure"), of_any(DAYS))}
    return None


def row_of_comparison(item):
    """Which row of a comparison an item is: of a window, of a whole type, or of all types together."""
    if ONLY_IN_WINDOWS & item.keys():
        return "window"
    return "type" if {"sample_type", "sources"} & item.keys() else "all"


def text(item, name):
    return item[name] if isinstance(item.get(name), str) else None


def contradictions_of_report(item):
    """Pointers to members of an item that are right by themselves, but not beside each other."""
    if item.get("change") == "representation_changed" and "defects" not in item and item["before"] == item["after"]:
        yield "/after"
    if item["item_kind"] == "day":
        keys = [[sortable(entry.get(name)) for name in ("source_name_hash", "bundle_identifier")] for entry in item.get("sources", ())]
        if keys and (len(keys) != item["source_count"] or any(left >= right for left, right in zip(keys, keys[1:]))):
            yield "/sources"
    if item["item_kind"] != "comparison":
        return
    for name in ("look_alikes", "reasons", "standing_reasons"):
        texts = item.get(name, [])
        if texts != sorted(set(texts)):
            yield "/" + name
    buckets = item.get("calendar", {}).get("buckets", [])
    starts = [bucket["start"] for bucket in buckets]
    if starts != sorted(set(starts)) or any(not any(bucket[name] for name in CHANGE_COUNTS) for bucket in buckets):
        yield "/calendar/buckets"
    for side in ("after", "before"):
        values = [part["value"] for part in item[side].get("parts", ())]
        if values != sorted(set(values)):
            yield "/%s/parts" % side
    keys = [[sortable(entry.get(name)) for name in SOURCE_MEMBERS] for entry in item.get("sources", ())]
    if any(left >= right for left, right in zip(keys, keys[1:])):
        yield "/sources"
