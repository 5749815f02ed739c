"""Reports: Spec/reports.md and Spec/changes.md. The kinds of export, and the items that only reports have."""

from typing import NamedTuple

from .members import EVENT, HEX64, RELATIONSHIP, SAMPLE, VERSION, pair, without
from .ordering import sortable

CHANGES = frozenset(("appeared", "disappeared", "representation_changed"))
LINK_CHANGES = {"relationship_appeared": ("relationship_after!",), "relationship_disappeared": ("relationship_before!",),
                "relationship_changed": ("relationship_after!", "relationship_before!")}
CHANGED_LINK = {**without(RELATIONSHIP, "end", "ended_observation_id"), "end!": frozenset(("target",))}
# What a version has of its own is no field that changed, and `metadata_hash` counts as `metadata`.
CHANGED_FIELDS = frozenset(name.rstrip("!*") for name in VERSION if name != "+") - {
    "created_observation_id", "metadata_hash", "payload_hash"}
LABELS = ("aggregateChanged", "appeared", "consolidationLikely", "disappeared", "representationChanged", "uncertain")
REASONS = frozenset((
    "dates_missing", "from_never_queried", "from_run_not_completed", "from_state_unknown", "sources_differ",
    "to_never_queried", "to_run_not_completed", "to_state_unknown",
    "units_differ", "values_incomplete", "values_missing"))


SUMMARY = ("count_ratio", "coverage_overlap", "measure_tolerance", "minimum_disappeared", "window_bound_days", "window_gap_seconds")
PIECES = frozenset(("count", "coverage", "density", "measure", "metadata", "sources"))
LOOK_ALIKES = frozenset(("daily_replacement", "narrowed_permission", "truncated_export", "watch_week"))
MEASURES = frozenset(("category", "cumulative", "discrete", "event", "workout"))
METHODS = frozenset(("count", "duration", "equivalent_level", "mean", "sum", "time_weighted_mean"))


class ExportKind(NamedTuple):
    """What a kind of export is made of."""

    format: str
    modes: frozenset
    items: frozenset
    scope: dict = {}  # members of its scope that only this kind has


def thresholds(*names):
    return {"thresholds!": {name + "!": "number" for name in names}}


REPORT, CHANGED, ONE_MOMENT = "healthprobe-report", frozenset(("changes",)), frozenset(("point_in_time",))
EXPORTS = {
    "recovery_bundle": ExportKind(
        "healthprobe-bundle", frozenset(("point_in_time", "history")), frozenset(("record", "sample", "version"))),
    "shared_bundle": ExportKind(REPORT, ONE_MOMENT, frozenset(("shared_record",))),
    "record_table": ExportKind(REPORT, ONE_MOMENT, frozenset(("record",))),
    "version_table": ExportKind(REPORT, frozenset(("history",)), frozenset(("version",))),
    "observation_manifest": ExportKind(REPORT, ONE_MOMENT, frozenset(("type_manifest",))),
    "diff_report": ExportKind(REPORT, CHANGED, frozenset(("change",))),
    "change_set": ExportKind(REPORT, CHANGED, frozenset(("change",)), {"changes!": [CHANGES | {"re_identified", *LINK_CHANGES}, 1], "labels": [frozenset(LABELS), 1]}),
    "pair_report": ExportKind(REPORT, CHANGED, frozenset(("pair",))),
    "diff_summary": ExportKind(REPORT, CHANGED, frozenset(("comparison",)), thresholds(*SUMMARY)),
    "page_report": ExportKind(REPORT, CHANGED, frozenset(("comparison",)), thresholds(*SUMMARY)),
    "finding_report": ExportKind(REPORT, CHANGED, frozenset(("finding",)), thresholds(
        "baseline_days", "current_days", "divergence_ratio", "late_arrival_seconds", "minimum_days")),
}

SIDE = {"earliest_start_date": "timestamp", "interval_seconds": "number", "latest_end_date": "timestamp",
        "mean_interval_seconds": "number", "other_unit_count": "some",
        "parts": [{"distance": "number", "distance_count": "some", "energy": "number", "energy_count": "some",
                   "record_count!": "some", "seconds": "number", "value!": "integer"}, 1],
        "record_count!": "count", "records_per_hour": "number", "unit": "text", "value_count!": "count",
        "value_max": "number", "value_mean": "number", "value_min": "number", "value_sum": "number"}
COUNTS = {"appeared_count!": "count", "disappeared_count!": "count", "representation_changed_count!": "count",
          "item_kind!": "text"}
TIMELINE = [{"observation_id!": "integer", "observed_at": "timestamp", "record_count!": "count", "status": "text"}, 1]
CONTEXT = [{"event_kind!": "text", "logged_at": "timestamp", "observation_id!": "integer"}, 1]
EXAMPLES = [{"change!": frozenset(("disappeared", "representation_changed")), "end_after": "timestamp", "end_date": "timestamp",
             "start_after": "timestamp", "start_date": "timestamp", "value_after": "number", "value_before": "number"}, 1]
STRIP = [{"after_count!": "count", "after_value": "number", "before_count!": "count", "before_value": "number", "start!": "timestamp"}, 1]
SUMS = {**COUNTS, "labels!": dict.fromkeys(LABELS, "some"),
        "before!": {"record_count!": "count"}, "after!": {"record_count!": "count"}}
ALL_TYPES = {**SUMS, "context": CONTEXT, "observations": TIMELINE, "rejected_count": "count", "withheld_count": "count"}
SOURCE_MEMBERS = ("bundle_identifier", "operating_system_version", "product_type", "source_name_hash", "version")
SOURCES = [{"after_count!": "count", "before_count!": "count", **dict.fromkeys(SOURCE_MEMBERS, "text")}, 1]
OF_TYPE = {"before!": SIDE, "after!": SIDE, "sample_type": "text", "sources!": SOURCES, "measure!": MEASURES, "method!": METHODS}
STANDINGS = frozenset(("changed", "continued", "unchanged", "unknown", "verified"))
RUN_REASONS = frozenset("%s_%s" % (side, why) for side in ("from", "to") for why in ("never_queried", "run_not_completed", "state_unknown"))
CHANGE_COUNTS = ("appeared_count", "disappeared_count", "representation_changed_count")
PAIRED = ("condensed_count", "re_identified_count")
CALENDAR = {"bucket_days!": "some", "buckets!": [{**dict.fromkeys(PAIRED, "some"), "appeared_count!": "count", "disappeared_count!": "count",
                                                 "representation_changed_count!": "count", "start!": "timestamp"}, 1]}
TYPE = {**SUMS, **OF_TYPE, "calendar": CALENDAR, "examples": EXAMPLES,
        "finding_counts": dict.fromkeys(("disappearance", "divergence", "exact_duplicate", "late_arrival", "semantic_duplicate"), "some"),
        "pair_counts": dict.fromkeys(("ambiguous", "condensed_into", "expanded_into", "re_identified"), "some"),
        "strip": STRIP, "statuses": ["text", 1], "standing!": STANDINGS, "standing_reasons": [RUN_REASONS, 1]}
EVIDENCE = {**dict.fromkeys(("common_seconds", "coverage_overlap", "covered_seconds_after", "covered_seconds_before",
                             "instant_overlap", "measure_delta"), "number"),
            "instants_before": "count", "instants_within": "count", "measure_kept": "boolean", "metadata_compatible!": "boolean",
            "peaks_kept": "boolean", "record_count_delta!": "integer", "sources_compatible!": "boolean",
            "visible_end": "timestamp", "visible_start": "timestamp"}
SIGNATURES = {**dict.fromkeys(("condensed_again", "equal_rate", "equal_value", "inside_workout", "older_than_90_days"), "boolean"),
              "within_five_minutes!": "boolean"}
WINDOW = {"+": pair("window_start", "window_end"), **COUNTS, **OF_TYPE, "against": [PIECES, 1], "crosses_bound": "boolean",
          "label!": frozenset(LABELS), "look_alikes": [LOOK_ALIKES, 1], "signatures": SIGNATURES,
          "window_end": "timestamp", "window_start": "timestamp", "evidence!": EVIDENCE}
ONLY_IN_WINDOWS = {"against", "crosses_bound", "evidence", "label", "look_alikes", "reasons", "signatures", "window_end", "window_start"}

FINDING = {"finding!": "text", "item_kind!": "text", "sample_type": "text"}
FINDINGS = {
    "disappearance": {"after_count!": "count", "before_count!": "some", "disappeared_count!": "some",
                      "disappeared_share!": "number", "elapsed_seconds": "number"},
    "divergence": {"baseline_day_count!": "some", "baseline_mean": "number", "current_mean": "number", "unit": "text",
                   "measure": frozenset(("cumulative", "discrete")),
                   "method": frozenset(("equivalent_level", "mean", "sum", "time_weighted_mean")),
                   "baseline_standard_deviation!": "number", "baseline_start!": "timestamp",
                   "current_day_count!": "some", "current_end!": "timestamp", "current_standard_deviation!": "number",
                   "current_start!": "timestamp", "ratio!": "number"},
    "exact_duplicate": {"end_date": "timestamp", "payload_hash!": "text", "record_count!": "several",
                        "start_date": "timestamp"},
    "late_arrival": {"delay_seconds!": "number", "end_date": "timestamp", "first_seen_at!": "timestamp",
                     "first_seen_observation_id": "integer", "payload_hash": "text", "sample_uuid_hash": "text",
                     "start_date!": "timestamp", "strict_fingerprint": "text"},
    "semantic_duplicate": {"payload_count!": "several", "record_count!": "several", "semantic_fingerprint!": "text"},
}
PAIRED = [{"category_value": "integer", "duration_seconds": "number", "end_date!": "timestamp", "identity_hash!": "text",
           "numeric_value": "number", "payload_hash!": "text", "start_date!": "timestamp", "unit": "text", "value_kind": "text",
           "workout_activity_type": "integer"}, 1]
PAIR = {"after!": PAIRED, "before!": PAIRED, "end_date!": "timestamp", "item_kind!": "text", "key!": "text", "residual": "number",
        "sample_type!": "text", "start_date!": "timestamp", "unit": "text"}
LAWS = ("duration", "mean", "sum", "time_weighted_mean", "value")
CONTAINED = {"law!": frozenset(LAWS), "source": dict.fromkeys(("bundle_identifier", "product_type", "source_name_hash"), "text")}
PAIRS = {
    "ambiguous": {**CONTAINED, "ambiguous_with!": ["text", 1]}, "condensed_into": CONTAINED, "expanded_into": CONTAINED,
    "re_identified": {"level!": frozenset(("fuzzy", "payload", "semantic", "strict")), "tied!": "boolean"}}
REPORT_ITEMS = {
    "change": {}, "comparison": {}, "finding": {}, "pair": {},  # by their other members: see below
    "type_manifest": {"defect_count!": "count", "item_count!": "some", "item_kind!": "text", "items_hash!": HEX64,
                      "sample_type": "text"},
}


def specification_of_report(item):
    """The members of an item that depend on its other members; None for other items."""
    kind = item["item_kind"]
    if kind == "change":
        sides = {"appeared": ("after!",), "disappeared": ("before!",), "representation_changed": ("before!", "after!")}
        change = text(item, "change")
        links = LINK_CHANGES.get(change, () if change in CHANGES else ("relationship_after", "relationship_before"))
        every = {**SAMPLE, "change!": CHANGES | set(LINK_CHANGES), "run_after": "text", "run_before": "text", **dict.fromkeys(links, CHANGED_LINK)}
        if change in LINK_CHANGES:
            return every
        fields = {} if change in CHANGES - {"representation_changed"} else {"changed_fields": [CHANGED_FIELDS]}
        return {**every, **fields, "events": [EVENT, 1], "pair": {"keys!": ["text", 1], "kind!": frozenset(PAIRS)},
                "label": frozenset(LABELS), "reasons": [REASONS, 1],
                **dict.fromkeys(sides.get(change, ("before", "after")), VERSION)}
    if kind == "comparison":
        label = text(item, "label")
        name = "reasons!" if label == "uncertain" else None if label in LABELS else "reasons"
        reasons = {name: [REASONS, 1]} if name else {}
        return {"all": ALL_TYPES, "type": TYPE, "window": {**WINDOW, **reasons}}[row_of_comparison(item)]
    if kind == "finding":
        known = FINDINGS.get(text(item, "finding"))
        return {**FINDING, "finding!": frozenset(FINDINGS), **(ANY_FINDING if known is None else known)}
    if kind == "pair":
        return {**PAIR, "pair!": frozenset(PAIRS), **PAIRS.get(text(item, "pair"), ANY_PAIR)}
    return None


ANY_FINDING = {name.rstrip("!"): kind for members in FINDINGS.values() for name, kind in members.items()}
ANY_PAIR = {name.rstrip("!"): kind for members in PAIRS.values() for name, kind in members.items()}


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
    if item["item_kind"] != "comparison":
        return
    for name in ("against", "look_alikes", "reasons", "standing_reasons"):
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
