"""Makes the vectors of reports: small ones in every container, each with one fault or none.

A table has its sidecar beside it. All contents are synthetic; numbers of comparisons are worked out by hand. Canonical
JSON, hashes and frames come from the generator of the bundle vectors, tables and sidecars from here. Hashes are computed
anew after an edit, unless the hash itself is the fault; those of a table's file only where `follows` says so.
`write.py` writes them to Spec/vectors.
"""

import copy
import hashlib
import json
import pathlib

from generate import (
    SLEEP, STEPS, WATER, canonical, chosen, coverage, defect, header, history, lines, made_up, observation, of_lines, record, relationship, totals_of)

COLUMNS = json.loads((pathlib.Path(__file__).resolve().parents[2] / "Spec" / "columns.json").read_text(encoding="utf-8"))
GUARDED = "=+-@\t\r\n'\uff1d\uff0b\uff0d\uff20"
VERSION = ("category_value", "created_observation_id", "device", "duration_seconds", "end_date", "metadata", "metadata_hash", "numeric_value",
           "payload_hash", "source", "start_date", "unit", "value_kind", "workout_activity_type")
SUMMARY = {"window_bound_days": 1, "window_gap_seconds": 3600}
WORKOUT = "HKWorkoutTypeIdentifier"
HEART, RESTING = "HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierRestingHeartRate"
MEASURES = {STEPS: ("cumulative", "sum"), SLEEP: ("category", "duration"), HEART: ("discrete", "time_weighted_mean"), RESTING: ("discrete", "mean"),
            WORKOUT: ("workout", "duration")}
FINDINGS = {"baseline_days": 180, "current_days": 30, "divergence_ratio": 2, "late_arrival_seconds": 604800, "minimum_days": 7}


# Exports

def report(kind, **members):
    """The header of a report of one observation."""
    return header(**{"export_kind": kind, "format": "healthprobe-report", **members})


def changes(kind, types=(STEPS,), scope=None, **members):
    """The header of a report of observations 1 and 2."""
    scope = {"from_observation_id": 1, "mode": "changes", "observation_id": 2, **(scope or {})}
    return report(kind, **{"scope": {name: value for name, value in scope.items() if value is not None}, "observations": [observation(1), observation(2)],
                           "coverage": [{**coverage(name), "observation_id": 2} for name in types], "from_coverage": [coverage(name) for name in types], **members})


def summary(types=(SLEEP, STEPS), thresholds=None, **members):
    return changes("diff_summary", types, {"thresholds": SUMMARY if thresholds is None else thresholds}, **members)


def findings_header(**members):
    return changes("finding_report", scope={"thresholds": FINDINGS}, **members)


def without(item, *names):
    return {name: value for name, value in item.items() if name not in names}


def change(kind, day=1, name="a", before=None, after=None, **members):
    whole = record(STEPS, day, name)
    sides = {"before": chosen(whole, VERSION) if before is None else before, "after": {**chosen(whole, VERSION), "created_observation_id": 2} if after is None else after}
    if kind == "representation_changed" and after is None:
        sides["after"] = {**sides["after"], "numeric_value": 1.5, "payload_hash": made_up("second payload " + name)}
    absent = {"appeared": "before", "disappeared": "after"}.get(kind)
    event = {"event_kind": kind, "evidence_kind": "anchored_query", "observation_id": 2, "observed_at": "2024-03-02T08:00:00.000Z"}
    return {"change": kind, "item_kind": "change", "events": [event], **without(sides, absent), **without(whole, *VERSION, "visibility"), "item_kind": "change", **members}


def three_changes():
    runs = {"run_after": "completed", "run_before": "completed"}
    return [change("representation_changed", 1, "1", changed_fields=["numeric_value"], label="aggregateChanged", **runs),
            change("disappeared", 2, "2", label="disappeared", **runs), change("appeared", 3, "3", label="appeared", **runs)]


def measured(name):
    return {"sample_type": name, "measure": MEASURES[name][0], "method": MEASURES[name][1]}


def covered(before, after, common, instants=0, within=0):
    """What spans cover, and the shares that follow."""
    made = {"covered_seconds_before": before, "covered_seconds_after": after, "common_seconds": common, "instants_before": instants, "instants_within": within}
    return {**made, **({"coverage_overlap": common / before} if before else {}), **({"instant_overlap": within / instants} if instants else {})}


def pieces(records, metadata=True, sources=True, **others):
    return {"record_count_delta": records, "metadata_compatible": metadata, "sources_compatible": sources, **others}


def signs(**members):
    return {"condensed_again": False, "inside_workout": False, "older_than_90_days": False, "within_five_minutes": False, **members}


def side(records, start=None, end=None, interval=None, mean=None, density=None, count=0, total=None, greatest=None, unit=None, **others):
    members = {"record_count": records, "earliest_start_date": start, "latest_end_date": end, "interval_seconds": interval, "mean_interval_seconds": mean,
               "records_per_hour": density, "value_count": count, "value_sum": total, "value_max": greatest, "unit": unit, **others}
    return {name: value for name, value in members.items() if value is not None}


def counts(appeared, disappeared, changed):
    return {"item_kind": "comparison", "appeared_count": appeared, "disappeared_count": disappeared, "representation_changed_count": changed}


def of_source(before, after, bundle="org.example.synthetic"):
    return {"after_count": after, "before_count": before, "bundle_identifier": bundle, "version": "1.0"}


def hour(day, start, end):
    return {"start": "2024-02-%02dT%s:00.000Z" % (day, start), "end": "2024-02-%02dT%s:00.000Z" % (day, end)}


STEPS_SEEN = {"visible_start": "2024-02-01T10:00:00.000Z", "visible_end": "2024-02-02T10:30:00.000Z"}


def consolidated():
    """Four quarters of an hour became two halves with the same sum."""
    return {**counts(2, 4, 0), **measured(STEPS), "window_start": "2024-02-01T10:00:00.000Z", "window_end": "2024-02-01T11:00:00.000Z", "crosses_bound": False,
            "before": side(4, **hour(1, "10:00", "11:00"), interval=3600, mean=900, density=4, count=4, total=100, greatest=40, unit="count"),
            "after": side(2, **hour(1, "10:00", "11:00"), interval=3600, mean=1800, density=2, count=2, total=100, greatest=60, unit="count"),
            "evidence": pieces(-2, **covered(3600, 3600, 3600), measure_delta=0, measure_kept=True, **STEPS_SEEN), "signatures": signs(equal_rate=False),
            "sources": [of_source(4, 2)], "label": "consolidationLikely",
            "replaced": [{"after_count": 2, "before_count": 4, "outcome": "kept", "pair": "condensed_into"}]}


def appeared_window():
    return {**counts(1, 0, 0), **measured(STEPS), "window_start": "2024-02-02T10:00:00.000Z", "window_end": "2024-02-02T10:30:00.000Z", "crosses_bound": False,
            "before": side(0), "after": side(1, **hour(2, "10:00", "10:30"), interval=1800, mean=1800, density=2, count=1, total=7, greatest=7, unit="count"),
            "evidence": pieces(1, sources=False, **covered(0, 1800, 0), **STEPS_SEEN), "sources": [of_source(0, 1)], "label": "appeared"}


def sleep_window(**members):
    """A record without a value that changed, and whose second half was cut off."""
    return {**counts(0, 0, 1), **measured(SLEEP), "window_start": "2024-02-01T22:00:00.000Z", "window_end": "2024-02-01T23:00:00.000Z", "crosses_bound": False,
            "before": side(1, **hour(1, "22:00", "23:00"), interval=3600, mean=3600, density=1),
            "after": side(1, **hour(1, "22:00", "22:30"), interval=1800, mean=1800, density=2),
            "evidence": pieces(0, **covered(3600, 1800, 1800), visible_start="2024-02-01T22:00:00.000Z", visible_end="2024-02-01T22:30:00.000Z"),
            "sources": [of_source(1, 1)], "label": "representationChanged", **members}


def heart_window():
    """Four readings of 80 in an hour, at its ends and between them, became one that lasts it."""
    return {**counts(1, 4, 0), **measured(HEART), "window_start": "2024-02-01T10:00:00.000Z", "window_end": "2024-02-01T11:00:00.000Z", "crosses_bound": False,
            "before": side(4, **hour(1, "10:00", "11:00"), interval=0, mean=0, density=4, count=4, greatest=80, unit="count/min", value_mean=80, value_min=80),
            "after": side(1, **hour(1, "10:00", "11:00"), interval=3600, mean=3600, density=1, count=1, greatest=80, unit="count/min", value_mean=80, value_min=80),
            "evidence": pieces(-3, **covered(0, 3600, 0, 4, 4), measure_delta=0, measure_kept=True, peaks_kept=True,
                               visible_start="2024-02-01T10:00:00.000Z", visible_end="2024-02-01T11:00:00.000Z"),
            "signatures": signs(equal_value=True), "sources": [of_source(4, 1)], "label": "consolidationLikely"}


def asleep_window():
    """An hour asleep and half an hour awake became an hour asleep."""
    parts = [[{"value": 1, "record_count": 2, "seconds": 3600}, {"value": 2, "record_count": 1, "seconds": 1800}], [{"value": 1, "record_count": 1, "seconds": 3600}]]
    return {**counts(1, 3, 0), **measured(SLEEP), "window_start": "2024-02-01T22:00:00.000Z", "window_end": "2024-02-01T23:30:00.000Z", "crosses_bound": False,
            "before": side(3, **hour(1, "22:00", "23:30"), interval=5400, mean=1800, density=2, count=3, parts=parts[0]),
            "after": side(1, **hour(1, "22:00", "23:00"), interval=3600, mean=3600, density=1, count=1, parts=parts[1]),
            "evidence": pieces(-2, **covered(5400, 3600, 3600), measure_delta=1800, measure_kept=False,
                               visible_start="2024-02-01T22:00:00.000Z", visible_end="2024-02-01T23:00:00.000Z"),
            "sources": [of_source(3, 1)], "label": "disappeared",
            "left_over": {"after_count": 0, "before_count": 1}, "replaced": [{"after_count": 1, "before_count": 2, "outcome": "kept", "pair": "condensed_into"}]}


def workout_window():
    """Three runs of 20 minutes became one of an hour, with the distance and the energy of the three."""
    parts = [[{"value": 37, "record_count": count, "seconds": 3600, "distance": 9000, "distance_count": count, "energy": 900, "energy_count": count}] for count in (3, 1)]
    return {**counts(1, 3, 0), **measured(WORKOUT), "window_start": "2024-02-01T10:00:00.000Z", "window_end": "2024-02-01T11:00:00.000Z", "crosses_bound": False,
            "before": side(3, **hour(1, "10:00", "11:00"), interval=3600, mean=1200, density=3, count=3, parts=parts[0]),
            "after": side(1, **hour(1, "10:00", "11:00"), interval=3600, mean=3600, density=1, count=1, parts=parts[1]),
            "evidence": pieces(-2, **covered(3600, 3600, 3600), measure_delta=0, measure_kept=True,
                               visible_start="2024-02-01T10:00:00.000Z", visible_end="2024-02-01T11:00:00.000Z"),
            "sources": [of_source(3, 1)], "label": "consolidationLikely"}


def resting_window():
    """The estimate of yesterday is another one now."""
    estimate = dict(interval=0, mean=0, count=1, unit="count/min")
    first, second = ({"start": "2024-02-29T%s:00.000Z" % time, "end": "2024-02-29T%s:00.000Z" % time} for time in ("10:00", "10:30"))
    return {**counts(1, 1, 0), **measured(RESTING), "window_start": first["start"], "window_end": second["end"], "crosses_bound": False,
            "before": side(1, **first, **estimate, greatest=60, value_mean=60, value_min=60), "after": side(1, **second, **estimate, greatest=50, value_mean=50, value_min=50),
            "evidence": pieces(0, **covered(0, 0, 0, 1, 0), measure_delta=-10, measure_kept=False, peaks_kept=False, visible_start=second["start"], visible_end=second["end"]),
            "look_alikes": ["daily_replacement"],
            "signatures": {"condensed_again": False, "older_than_90_days": False, "within_five_minutes": True}, "sources": [of_source(1, 1)], "label": "aggregateChanged"}


def gone_window():
    """All that is older than six days is no longer visible."""
    hours = hour(1, "10:00", "11:00")
    return {**counts(0, 2, 0), **measured(STEPS), "window_start": hours["start"], "window_end": hours["end"], "crosses_bound": False,
            "before": side(2, **hours, interval=3600, mean=1800, density=2, count=2, total=9, greatest=5, unit="count"), "after": side(0),
            "evidence": pieces(-2, **covered(3600, 0, 0), visible_start="2024-02-25T10:00:00.000Z", visible_end="2024-02-26T10:00:00.000Z"),
            "look_alikes": ["narrowed_permission", "watch_week"], "sources": [of_source(2, 0)], "label": "disappeared"}


def alone(window, **after):
    """A window with the row of its type and of all types; the type has what the window has, and `after` beside it."""
    names = ("appeared_count", "disappeared_count", "representation_changed_count", "item_kind")
    whole = {**{name: window[name] for name in names}, "labels": {window["label"]: 1}}
    row = {**whole, **{name: window[name] for name in ("sample_type", "measure", "method", "sources", "before")}, "after": window["after"], "standing": "changed", **after}
    return [{**whole, "before": side_count(row["before"]["record_count"]), "after": side_count(row["after"]["record_count"])}, row, window]


def comparison():
    steps = {**counts(3, 4, 0), **measured(STEPS), "standing": "changed", "labels": {"appeared": 1, "consolidationLikely": 1}, "sources": [of_source(4, 3)],
             "before": consolidated()["before"],
             "after": side(3, "2024-02-01T10:00:00.000Z", "2024-02-02T10:30:00.000Z", 5400, 1800, 3 * 3600 / 88200, 3, 107, 60, "count")}
    sleep = {**counts(0, 0, 1), **measured(SLEEP), "standing": "changed", "labels": {"representationChanged": 1}, "sources": [of_source(1, 1)],
             "before": sleep_window()["before"], "after": sleep_window()["after"]}
    whole = {**counts(3, 4, 1), "labels": {"appeared": 1, "consolidationLikely": 1, "representationChanged": 1}, "before": side_count(5), "after": side_count(4)}
    return [whole, sleep, sleep_window(), steps, consolidated(), appeared_window()]


def calendar(length, *buckets):
    """A calendar whose buckets follow each other; of each the day of February 2024 and its three counts."""
    return {"bucket_days": length, "buckets": [{"start": "2024-02-%02dT00:00:00.000Z" % day, "appeared_count": appeared, "disappeared_count": disappeared,
                                                "representation_changed_count": changed} for day, appeared, disappeared, changed in buckets]}


def timeline(*counts):
    """Observations from the first on, with so many records."""
    return [{"observation_id": number, "observed_at": "2024-03-%02dT08:00:00.000Z" % number, "record_count": count, "status": "completed"}
            for number, count in enumerate(counts, 1)]


def source_findings():
    """A phone that appears, another watch of the same name, and an app without a record since the earlier observation: an empty bundle identifier is one."""
    phone = {"bundle_identifier": "org.example.phone", "source_name_hash": made_up("phone")}
    watch = {"bundle_identifier": "org.example.watch", "product_type": "Watch0,1", "source_name_hash": made_up("name")}
    found = [("source_appeared", {"after_count": 3, "start_date": "2024-03-01T10:00:00.000Z", "end_date": "2024-03-02T07:00:00.000Z"}, phone),
             ("source_changed", {"after_count": 2, "start_date": "2024-03-01T12:00:00.000Z", "end_date": "2024-03-01T12:00:00.000Z"}, watch),
             ("source_quiet", {"after_count": 4, "before_count": 4, "start_date": "2024-02-20T10:00:00.000Z", "end_date": "2024-02-28T10:00:00.000Z"}, {"bundle_identifier": ""}),
             ("source_quiet", {"after_count": 0, "before_count": 1, "end_date": "2024-02-28T10:00:00.000Z"}, {"source_name_hash": made_up("app")})]
    return [{"finding": kind, "item_kind": "finding", "source": source, **members} for kind, members, source in found]


def side_count(records):
    return {"record_count": records}


def finding(kind, **members):
    return {"finding": kind, "item_kind": "finding", "sample_type": STEPS, **members}


def all_findings():
    return [
        finding("disappearance", before_count=8, after_count=7, disappeared_count=2, disappeared_share=0.25, elapsed_seconds=86400),
        finding("divergence", baseline_day_count=100, baseline_mean=8000, baseline_standard_deviation=10, baseline_start="2023-08-05T00:00:00.000Z", current_day_count=20,
                current_end="2024-03-02T00:00:00.000Z", current_mean=7990, current_standard_deviation=25, current_start="2024-02-01T00:00:00.000Z",
                measure="cumulative", method="sum", ratio=2.5, unit="count"),
        finding("exact_duplicate", start_date="2024-02-01T10:00:00.000Z", end_date="2024-02-01T10:30:00.000Z", payload_hash=made_up("payload"), record_count=2),
        finding("late_arrival", start_date="2024-02-21T08:00:00.000Z", end_date="2024-02-21T08:30:00.000Z", first_seen_at="2024-03-02T08:00:00.000Z",
                first_seen_observation_id=2, delay_seconds=864000, payload_hash=made_up("payload late"), sample_uuid_hash=made_up("uuid late"),
                strict_fingerprint=made_up("strict late")),
        finding("semantic_duplicate", payload_count=2, record_count=3, semantic_fingerprint=made_up("semantic")),
    ]


HEART, WALK = "HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierDistanceWalkingRunning"
PAIR_TYPES = (SLEEP, WALK, HEART, STEPS)


def paired(name, start, end, value=None, unit=None, **members):
    members = {"identity_hash": made_up("uuid " + name), "payload_hash": made_up("payload " + name), "start_date": moment(start), "end_date": moment(end),
               "value_kind": "quantity", "numeric_value": value, "unit": unit, **members}
    return {name: value for name, value in members.items() if value is not None}


def moment(minute):
    return "2024-02-01T10:%02d:00.000Z" % minute


def pair(kind, sample_type, before, after, key, start, end, **members):
    if kind != "ambiguous":
        members = {"outcome": "kept", **members}
    return {"pair": kind, "item_kind": "pair", "sample_type": sample_type, "before": before, "after": after, "key": key, "start_date": moment(start), "end_date": moment(end), **members}


def all_pairs():
    """A pair of each kind: sleep divided, a walk in another unit, a heart rate that two records could hold, steps condensed."""
    state = {"value_kind": "category", "category_value": 3}
    night, halves = paired("night", 0, 20, **state), [paired("first", 0, 10, **state), paired("second", 10, 20, **state)]
    walks = paired("a walk", 0, 5, 1.5, "km"), paired("the walk", 0, 5, 1500, "m")
    beats = [paired("beat 1", 0, 0, 60, "count/min"), paired("beat 2", 1, 1, 80, "count/min")]
    means = paired("mean", 0, 2, 70, "count/min"), paired("other mean", 0, 3, 70, "count/min")
    steps = [paired("steps 1", 0, 10, 40, "count"), paired("steps 2", 10, 20, 60, "count")]
    whole = paired("all steps", 0, 20, 100, "count")
    source = {"bundle_identifier": "org.example.synthetic", "product_type": "Watch0,0", "source_name_hash": made_up("name")}
    return [
        pair("expanded_into", SLEEP, [night], halves, night["identity_hash"], 0, 20, law="duration", measure_before=1200, measure_after=1200, residual=0, unit="s"),
        pair("re_identified", WALK, [walks[0]], [walks[1]], min(walk["identity_hash"] for walk in walks), 0, 5, level="semantic", residual=0, tied=False, unit="m"),
        *(pair("ambiguous", HEART, beats, [one], one["identity_hash"], 0, end, law="mean", measure_before=70, measure_after=70, residual=0, unit="count/min", ambiguous_with=[other["identity_hash"]])
          for one, other, end in ((means[0], means[1], 2), (means[1], means[0], 3))),
        pair("condensed_into", STEPS, steps, [whole], whole["identity_hash"], 0, 20, law="sum", measure_before=100, measure_after=100, residual=0, unit="count", source=source),
    ]


def manifests():
    return [{"item_kind": "type_manifest", "sample_type": name, "item_count": count, "defect_count": 0, "items_hash": made_up("list " + name)}
            for name, count in ((SLEEP, 2), (STEPS, 3))]


def odd_records():
    """Texts that a spreadsheet would run, drop or cut, and objects without a member."""
    texts = ["", "=1+1", "+1", "-1", "@a", "\ttab", "\rreturn", "\nfeed", "'quoted", "''", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201", " blank", "blank ",
             "a,b", 'a"b', "a\r\nb", "1-1", "\U0001f600", "\u2028", "{}", "\ufeffa", "\x01\x1f\x7f"]
    items = [record(day=1, name="odd %02d" % at, unit=text, start_date="2024-02-01T10:%02d:00.000Z" % at, end_date="2024-02-01T11:00:00.000Z")
             for at, text in enumerate(texts)]
    metadata = [{"a": [1, {"b": None}]}, {}, "text", '{"b":1, "a":2}', "=1", "[1,2]", "", nested(64), canonical(nested(65))]
    items += [record(day=2, name="metadata %d" % at, metadata=value, start_date="2024-02-02T10:%02d:00.000Z" % at, end_date="2024-02-02T11:00:00.000Z")
              for at, value in enumerate(metadata)]
    items += [record(day=3, name="empty objects", source={}, device={}), record(day=4, name="none", source=None, device=None, numeric_value=-1.5e-7),
              record(day=5, name="defect", numeric_value=None, defects=[defect("/numeric_value", "not_finite", "real", "7ff0000000000000")]),
              record(day=6, name="category", category_value=-3, numeric_value=None, unit=None, relationships=[relationship("target", "9", False)])]
    return items


def nested(depth):
    value = {}
    for _ in range(depth - 1):
        value = {"a": value}
    return value


# Containers

def report_lines(export, items, **given):
    """Lines whose totals count a provenance loss for records alone."""
    if "totals" not in given and items and items[0].get("item_kind") not in ("record", "sample", "version"):
        totals = totals_of(export, items)
        given["totals"] = {**totals, "types": [{**entry, "provenance_loss": {}} for entry in totals["types"]]}
    return lines(export, items, **given)


def text_of(made):
    return b"".join(line + b"\n" for line in made)


def envelope(made):
    first, *items, last = made
    return first[:-1] + b',"items":[' + b",".join(items) + b"]," + last[1:] + b"\n"


def cell(item, name, kind):
    value, last = item, name.split(".")[-1]
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if last in ("source", "device") and kind == "json":
        return "{}" if value == {} else ""
    if value is None:
        return ""
    if isinstance(value, str):
        return "'" + value if kind != "timestamp" and (value == "" or value[0] in GUARDED) else value
    return canonical(value)


def quoted(text):
    odd = any(char in text for char in '",\r\n') or text[:1] in tuple(" \t") or text[-1:] in tuple(" \t")
    return '"' + text.replace('"', '""') + '"' if odd and text else text


def rows_of(made, kind):
    """The rows of a table, each with its line end; the first has the names."""
    names = COLUMNS[kind]
    rows = [[name for name, _ in names]]
    for line in made[1:-1]:
        value = json.loads(line)
        rows.append([cell({**value["item"], "item_hash": value["item_hash"]}, name, type_) for name, type_ in names])
    return [(",".join(map(quoted, row)) + "\r\n").encode() for row in rows]


def datatype(name, kind):
    if kind in ("text", "hash") or kind == "integer" and name.endswith("_id"):
        return "string"
    return {"number": "double", "timestamp": "dateTime"}.get(kind, kind)


def sidecar_of(made, kind, name, table):
    first, last = json.loads(made[0]), json.loads(made[-1])
    return {
        "@context": "http://www.w3.org/ns/csvw",
        "dialect": {"commentPrefix": None, "delimiter": ",", "doubleQuote": True, "encoding": "utf-8", "header": True, "headerRowCount": 1,
                    "lineTerminators": ["\r\n"], "quoteChar": '"', "skipBlankRows": False, "skipInitialSpace": False, "trim": False},
        "tableSchema": {"columns": [{"datatype": datatype(*column), "name": column[0], "titles": column[0]} for column in COLUMNS[kind]]},
        "url": name,
        "urn:healthprobe:report": {"byte_count": len(table), "dialect": "healthprobe-csv-1", "export": first["export"], "manifest_hash": last["manifest_hash"],
                                   "row_count": len(made) - 2, "sha256": hashlib.sha256(table).hexdigest(), "totals": last["totals"]}}


class Folder:
    """Names the vectors of reports."""

    def __init__(self, shelves):
        self.shelves = shelves

    def vector(self, name, suffix, what, codes, data, sidecar=None):
        self.shelves.add(name, suffix, "report", what, codes, data, sidecar)

    def lines(self, name, what, codes, export, items, **given):
        self.vector(name, ".jsonl", what, codes, text_of(report_lines(export, items, **given)))

    def table(self, name, what, codes, export, items, kind="record", edit=None, follows=True, sidecar=None, keeps=True, **given):
        """A table. `edit` changes the list of rows, `sidecar` the sidecar's object or, where it gives bytes, its text."""
        made = report_lines(export, items, **given)
        rows = rows_of(made, kind)
        before = b"".join(rows)
        data = b"".join(edit(rows)) if edit else before
        value = sidecar_of(made, kind, name + ".csv", data if follows else before)
        value = sidecar(value) or value if sidecar else value
        self.vector(name, ".csv", what, codes, data, None if not keeps else value if isinstance(value, bytes) else canonical(value).encode() + b"\n")


def versions():
    """A table of versions: its header and its items, which are those of the history of bundles."""
    of_bundle, items = history()
    export = report("version_table", scope=of_bundle["scope"], observations=of_bundle["observations"])
    return export, [item for item in items if item["item_kind"] == "version"]


def replaced(number, old, new):
    """An edit of one row, from 0 with the names, that must happen."""
    def edit(rows):
        assert rows[number].count(old), old
        return [*rows[:number], rows[number].replace(old, new, 1), *rows[number + 1:]]
    return edit


def write_good(folder):
    every = [("records", report("record_table"), odd_records(), "record"), ("versions", *versions(), "version"), ("bundle", header(), odd_records()[-4:], "record"),
             ("changes", changes("diff_report"), three_changes(), "change"),
             ("change-set", changes("change_set", scope={"changes": ["appeared", "disappeared"]}), three_changes()[1:], "change"),
             ("comparison", summary(), comparison(), "comparison"), ("findings", findings_header(), all_findings(), "finding"),
             ("pairs", changes("pair_report", PAIR_TYPES), all_pairs(), "pair"),
             ("manifests", report("observation_manifest", coverage=[coverage(SLEEP), coverage()]), manifests(), "type_manifest")]
    for name, export, items, kind in every:
        made = report_lines(export, items)
        folder.vector("good-%s-lines" % name, ".jsonl", name + " as lines", "", text_of(made))
        folder.vector("good-%s-envelope" % name, ".json", name + " as an envelope", "", envelope(made))
        folder.table("good-%s-table" % name, name + " as a table", "", export, items, kind)
        folder.vector("good-%s-frames" % name, ".jsonl.zst", name + " as a bundle", "", of_lines(made))
    empty = report_lines(report("record_table"), [])
    folder.vector("good-empty-envelope", ".json", "no items as an envelope", "", envelope(empty))
    folder.table("good-empty-table", "no items as a table", "", report("record_table"), [])
    folder.lines("good-same-observation", "an observation beside itself", "", changes("diff_report", scope={"from_observation_id": 2}, observations=[observation(2)]), [])
    folder.lines("good-backwards", "the older observation second", "", changes("diff_report", scope={"from_observation_id": 2, "observation_id": 1}, coverage=[coverage()]), three_changes())
    gone = change("disappeared", 1, "a", before={}, defects=[defect("/before/payload_hash", "no_version", "null")])
    folder.lines("good-change-no-version", "a change of a range that names no version", "", changes("diff_report"), [gone])
    with_type = comparison()
    undated = {**without(sleep_window(before=side(1), after=side(1)), "crosses_bound", "window_start", "window_end"), "label": "uncertain", "reasons": ["dates_missing"],
               "evidence": pieces(0, visible_start="2024-02-01T22:00:00.000Z", visible_end="2024-02-01T22:30:00.000Z")}
    with_type[0]["labels"] = {"appeared": 1, "consolidationLikely": 1, "uncertain": 1}
    with_type[1] = {**with_type[1], "labels": {"uncertain": 1}}
    with_type[2] = undated
    folder.lines("good-window-without-dates", "a window without dates", "", summary(), with_type)
    partial = comparison()
    partial[0]["labels"] = {"appeared": 1, "consolidationLikely": 1, "uncertain": 1}
    partial[1].update(labels={"uncertain": 1}, standing_reasons=["from_never_queried", "to_run_not_completed"])
    partial[2] = sleep_window(label="uncertain", reasons=["from_never_queried", "to_run_not_completed"])
    unknown = comparison()
    unknown[0]["labels"] = {"appeared": 1, "consolidationLikely": 1, "uncertain": 1}
    unknown[1].update(labels={"uncertain": 1}, standing_reasons=["to_state_unknown"])
    unknown[2] = sleep_window(label="uncertain", reasons=["to_state_unknown"])
    folder.lines("good-window-unknown", "a window of a type whose state is not known", "", summary(
        coverage=[{**coverage(SLEEP), "mode": "anchored", "state": "unknown"}, coverage()]), unknown)
    folder.lines("good-window-incomplete", "a window of a type that was not queried, and then in part", "", summary(
        from_coverage=[coverage(SLEEP, "never_queried"), coverage()], coverage=[coverage(SLEEP, "partial"), coverage()]), partial)


def write_containers(folder):
    made = report_lines(report("record_table"), odd_records()[:3])
    whole = envelope(made)

    def add(name, what, codes, data):
        folder.vector("envelope-" + name, ".json", what, codes, data)

    add("white-space", "an envelope written anew with white space", "container.envelope", json.dumps(json.loads(whole), indent=1).encode())
    add("cut", "an envelope cut in an item", "container.envelope", whole[:-len(made[-1]) - 100])
    add("cut-manifest", "an envelope cut in its totals", "container.envelope", whole[:-20])
    add("no-line-end", "an envelope without its line end", "container.envelope", whole[:-1])
    add("trailing", "text behind an envelope", "container.envelope", whole + b"{}\n")
    add("member-order", "totals before items", "container.envelope", made[0][:-1] + b"," + made[-1][1:-1] + b',"items":[' + b",".join(made[1:-1]) + b"]}\n")
    add("comma", "a comma too many behind the items", "container.envelope", whole.replace(b'],"manifest_hash"', b',],"manifest_hash"'))
    add("item-not-object", "an item that is a number", "container.envelope", whole.replace(b'"items":[', b'"items":[1,'))
    add("item-white-space", "line ends in an item", "canonical.white_space", whole.replace(b'"item":{', b'"item":\n{\n', 1))
    add("item-hash", "a value edited", "item.hash", whole.replace(b'"numeric_value":101', b'"numeric_value":102', 1))
    add("item-dropped", "an item dropped", "manifest.hash manifest.totals", whole.replace(made[2] + b",", b""))
    text = text_of(made)
    folder.vector("lines-cut", ".jsonl", "lines cut in the manifest", "line.unterminated", text[:-20])
    folder.vector("lines-manifest-missing", ".jsonl", "lines without the manifest", "line.manifest_missing", text_of(made[:-1]))
    folder.vector("lines-header-missing", ".jsonl", "lines without the header", "line.header_missing", text_of(made[1:]))
    folder.vector("lines-blank", ".jsonl", "a blank line", "line.blank", text.replace(b"\n", b"\n\n", 1))
    folder.vector("lines-carriage-return", ".jsonl", "lines that end with CR LF", "canonical.white_space", text.replace(b"\n", b"\r\n"))
    write_sidecars(folder)
    write_rows(folder)


def write_sidecars(folder):
    def add(name, what, codes, **options):
        folder.table("sidecar-" + name, what, codes, report("record_table"), odd_records()[:3], **options)

    def inner(name, value):
        return lambda whole: whole["urn:healthprobe:report"].update({name: value})

    def put(name, value):
        return lambda whole: whole.update({name: value})

    add("missing", "a table without a sidecar", "container.sidecar_missing", keeps=False)
    add("missing-item", "a table without a sidecar, and a value edited", "container.sidecar_missing item.hash", keeps=False, edit=replaced(1, b",101,", b",102,"))
    add("white-space", "a sidecar with white space", "container.sidecar", sidecar=lambda whole: json.dumps(whole).encode() + b"\n")
    add("no-line-end", "a sidecar without its line end", "container.sidecar", sidecar=lambda whole: canonical(whole).encode())
    add("array", "a sidecar that is an array", "container.sidecar", sidecar=lambda whole: b"[]\n")
    add("empty", "a sidecar without bytes", "container.sidecar", sidecar=lambda whole: b"" or b"\n")
    add("context", "another context", "container.sidecar", sidecar=put("@context", "http://www.w3.org/ns/csvx"))
    add("dialect", "another dialect", "container.sidecar", sidecar=lambda whole: whole["dialect"].update(delimiter=";"))
    add("dialect-number", "a number where the dialect has false, and true where it has 1", "container.sidecar",
        sidecar=lambda whole: whole["dialect"].update(trim=0, headerRowCount=True))
    add("own-dialect", "another dialect of the texts", "container.sidecar", sidecar=inner("dialect", "healthprobe-csv-2"))
    add("schema", "another datatype of a column", "container.sidecar", sidecar=lambda whole: whole["tableSchema"]["columns"][4].update(datatype="string"))
    add("url", "the name of another table", "container.sidecar", sidecar=put("url", "other.csv"))
    add("member-unknown", "an unknown member", "container.sidecar", sidecar=put("notes", "x"))
    add("report-missing", "no report", "container.sidecar", sidecar=lambda whole: whole.pop("urn:healthprobe:report") and None)
    add("export-missing", "no export", "container.sidecar", sidecar=lambda whole: whole["urn:healthprobe:report"].pop("export") and None)
    add("totals-missing", "no totals", "container.sidecar", sidecar=lambda whole: whole["urn:healthprobe:report"].pop("totals") and None)
    add("row-count", "another number of rows", "container.sidecar", sidecar=inner("row_count", 4))
    add("row-count-text", "a number of rows as text", "container.sidecar", sidecar=inner("row_count", "3"))
    add("byte-count", "another size", "container.file_hash", sidecar=inner("byte_count", 1))
    add("sha256", "another SHA-256", "container.file_hash", sidecar=inner("sha256", made_up("other")))
    add("sha256-short", "a SHA-256 of 63 digits", "container.sidecar", sidecar=inner("sha256", made_up("other")[1:]))
    add("export-edited", "an export edited", "manifest.export_id manifest.hash", sidecar=lambda whole: whole["urn:healthprobe:report"]["export"]["generator"].update(version="2"))
    add("manifest-hash", "another manifest hash", "manifest.hash", sidecar=inner("manifest_hash", made_up("other")))
    add("export-kind", "an unknown kind of export", "shape.value", sidecar=lambda whole: whole["urn:healthprobe:report"]["export"].update(export_kind="other"))


def write_rows(folder):
    plain = [record(day=day, name=str(day)) for day in (1, 2, 3)]

    def add(name, what, codes, edit, items=None, **options):
        folder.table("table-" + name, what, codes, report("record_table"), items or plain, edit=edit, **options)

    def each(change):
        return lambda rows: [change(row) for row in rows]

    value = replaced(2, b",102,", b",103,")
    add("cell-edited", "a value edited", "container.file_hash item.hash", value, follows=False)
    add("cell-edited-sidecar", "a value edited, with the sidecar", "item.hash", value)
    add("cell-emptied", "a value removed", "item.hash", replaced(2, b",102,", b",,"))
    add("row-dropped", "a row dropped", "container.file_hash manifest.hash manifest.totals", lambda rows: rows[:2] + rows[3:], follows=False)
    add("rows-swapped", "two rows swapped", "container.file_hash manifest.hash order.items", lambda rows: [rows[0], rows[2], rows[1], rows[3]], follows=False)
    add("row-repeated", "a row twice", "container.sidecar manifest.hash manifest.totals order.repeated", lambda rows: rows + rows[-1:])
    add("saved-with-quotes", "saved again with every cell in quotes", "container.columns container.file_hash",
        each(lambda row: b",".join(b'"%s"' % part for part in row[:-2].split(b",")) + b"\r\n"), follows=False)
    add("saved-with-line-feeds", "saved again with LF", "container.columns container.file_hash", each(lambda row: row.replace(b"\r\n", b"\n")), follows=False)
    add("saved-with-mark", "saved again with a byte order mark", "container.columns container.file_hash", lambda rows: [b"\xef\xbb\xbf", *rows], follows=False)
    add("saved-with-semicolons", "saved again with semicolons", "container.columns container.file_hash", each(lambda row: row.replace(b",", b";")), follows=False)
    add("columns-order", "two columns swapped", "container.columns", lambda rows: [rows[0].replace(b"start_date,end_date", b"end_date,start_date"), *rows[1:]])
    add("columns-missing", "no first row", "container.columns", lambda rows: rows[1:])
    add("empty", "no bytes", "container.columns", lambda rows: [])
    add("line-feed", "a row that ends with LF", "line.cells", lambda rows: [*rows[:2], rows[2].replace(b"\r\n", b"\n"), rows[3]])
    add("quotes-needless", "a cell in quotes that needs none", "line.cells", replaced(2, b",102,", b',"102",'))
    add("quotes-empty", "quotes with nothing in them", "line.cells", replaced(2, b",102,", b',"",'))
    add("quotes-missing", "a cell with a blank at its end and no quotes", "line.cells", replaced(2, b",count,", b",count ,"))
    add("quotes-inside", "a quote in a cell without quotes", "line.cells", replaced(2, b",count,", b',co"unt,'))
    add("quotes-behind", "text behind quotes", "line.cells", replaced(2, b",count,", b',"co,"unt,'))
    add("return-inside", "a CR in a cell without quotes", "line.cells", replaced(2, b",count,", b",co\runt,"))
    add("quotes-open", "quotes that do not end", "line.unterminated", lambda rows: [*rows[:3], rows[3][:-66] + b'"' + rows[3][-66:]])
    add("quotes-close-late", "quotes that end where others begin", "line.cells", replaced(2, b",count,", b',"count,'))
    add("unterminated", "the last row without its line end", "line.unterminated", lambda rows: [*rows[:-1], rows[-1][:-2]])
    add("row-blank", "a blank row", "line.cells", lambda rows: [*rows[:2], b"\r\n", *rows[2:]], sidecar=lambda whole: whole["urn:healthprobe:report"].update(row_count=4))
    add("cells-more", "a cell too many", "line.cells", replaced(2, b",102,", b",102,,"))
    add("cells-fewer", "a cell too few", "line.cells", replaced(2, b",102,", b","))
    formula = [record(unit="=1+1")]
    add("prefix-missing", "a text like a formula without its prefix", "line.cell", replaced(1, b"'=1+1", b"=1+1"), formula)
    add("prefix-needless", "a prefix before a text that needs none", "line.cell", replaced(1, b",count,", b",'count,"))
    add("prefix-wide", "a full-width sign without its prefix", "line.cell", replaced(1, b",count,", ",\uff1dcount,".encode()))
    add("prefix-two", "two prefixes where one is right", "item.hash", replaced(1, b"'=1+1", b"''=1+1"), formula)
    for name, what, old, new in (("number-zero", "a number with a zero at its end", b",102,", b",102.0,"), ("number-sign", "a number with a sign", b",102,", b",+102,"),
                                 ("number-text", "a number that is text", b",102,", b",x,"), ("integer-text", "an integer with a blank", b",,,,org", b",1 2,,,org"),
                                 ("timestamp", "a timestamp with four digits", b"T10:00:00.000Z", b"T10:00:00.0000Z"), ("date", "a date as a spreadsheet writes it", b"2024-02-02T10:00:00.000Z", b"02/02/2024 10:00"),
                                 ("json-object-empty", "an empty object beside its members", b"1.2.3,,,", b"1.2.3,,{},"), ("json-object", "a source as JSON", b"1.2.3,,,", b'1.2.3,,"{""version"":""1""}",')):
        add("cell-" + name, what, "line.cell", replaced(2, old, new))
    add("cell-first", "two cells that are none: an empty object beside its members is before a number that is text", "line.cell",
        lambda rows: replaced(2, b",1,21225f", b",x,21225f")(replaced(2, b"1.2.3,,,", b"1.2.3,,{},")(rows)))
    add("cell-integer-fraction", "a fraction for an integer", "shape.value", replaced(2, b",,,,org", b",1.5,,,org"))
    add("cell-integer-range", "2^53 for an integer", "shape.value", replaced(2, b",,,,org", b",9007199254740992,,,org"))
    add("cell-json-white-space", "white space in JSON", "line.cell", replaced(2, b'"[{""first', b'"[ {""first'))
    add("cell-json-text", "JSON that is a text", "line.cell", replaced(2, b'"[{""first_observation_id"":1,""first_seen_at"":""2024-03-01T08:00:00.000Z""}]"', b'"""x"""'))
    add("cell-json-breaks-out", "JSON that would end the item", "line.cell", replaced(2, b'"[{""first_observation_id"":1,""first_seen_at"":""2024-03-01T08:00:00.000Z""}]"', b'"[],""unit"":""x"""'))
    add("cell-visibility-object", "an object for an array", "shape.type", replaced(2, b'"[{""first_observation_id"":1,""first_seen_at"":""2024-03-01T08:00:00.000Z""}]"', b"{}"))
    add("cell-utf8", "bytes that are not UTF-8", "canonical.utf8", replaced(2, b",count,", b",co\xffunt,"))
    add("cell-nul", "U+0000 in a text", "shape.value", replaced(2, b",count,", b",co\x00unt,"))
    add("hash-empty", "no item hash", "shape.member_missing", lambda rows: [*rows[:2], rows[2][:-66] + b"\r\n", rows[3]])
    folder.table("table-boolean", "TRUE for true", "line.cell", summary(), comparison(), "comparison", edit=replaced(5, b",true,", b",TRUE,"))
    folder.table("table-before-in-appeared", "a value before in a change that appeared", "shape.member_unknown", changes("diff_report"), three_changes(), "change",
                 edit=replaced(3, b",,,,,,,,2024", b",,,,,,,1.5,2024"))
    folder.table("table-change-unknown", "another change", "shape.value", changes("diff_report"), three_changes(), "change", edit=replaced(3, b"appeared,", b"other,"))


def across_chains(types=(HEART,), kind="pair_report", **members):
    """The header of a report of two device chains."""
    other = {"created_at": "2024-01-01T12:00:00.000Z", "device_chain_hash": made_up("other chain"), "recovered_from_keychain": 0}
    return changes(kind, types, **{"from_device_chain": other, **members})


def write_pairs_across_chains(folder):
    def fuzzy(seconds, sample_type=HEART, value=70, unit="count/min"):
        dates = ["2024-02-01T%02d:%02d:%02d.000Z" % (10 + passed // 3600, passed // 60 % 60, passed % 60) for passed in (0, seconds)]
        sides = [{**paired(name, 0, 0, number, unit), "start_date": date, "end_date": date} for name, number, date in zip(("on the phone", "in the export"), (70, value), dates)]
        made = pair("re_identified", sample_type, sides[:1], sides[1:], min(side["identity_hash"] for side in sides), 0, 0, level="fuzzy", residual=value - 70, tied=False, unit=unit)
        return {**made, "start_date": dates[0], "end_date": dates[1]}

    def one(name, what, codes, item, export=None):
        folder.lines("across-" + name, what, codes, across_chains() if export is None else export, [item])

    one("good-minute", "a reading of the same minute on two chains", "", fuzzy(59))
    one("same-chain", "the chain itself as the other one", "shape.value", fuzzy(59), across_chains(from_device_chain=changes("pair_report")["device_chain"]))
    one("same-observation", "two chains of one observation", "shape.value", fuzzy(59), across_chains(scope={"from_observation_id": 2}, observations=[observation(2)]))
    one("diff", "a diff of two chains", "shape.member_unknown", change("appeared"), across_chains((STEPS,), "diff_report"))


def write_pairs(folder):
    write_pairs_across_chains(folder)
    export = changes("pair_report", PAIR_TYPES)
    divided, walk, mean, _, steps = all_pairs()

    def one(name, what, codes, item, export=export):
        folder.lines("pair-" + name, what, codes, export, [item])

    def of_before(item, index, **members):
        return {**item, "before": [{**record, **(members if place == index else {})} for place, record in enumerate(item["before"])]}

    one("value", "another kind of pair", "shape.value", {**walk, "pair": "moved"})
    one("level-unknown", "a level of a container", "shape.member_unknown", {**steps, "level": "strict"})
    one("law-missing", "no law", "shape.member_missing", without(steps, "law"))
    one("ambiguous-missing", "no other pair of an ambiguous one", "shape.member_missing", without(mean, "ambiguous_with"))
    one("record-member", "a source of a record", "shape.member_unknown", of_before(steps, 0, source={}))
    folder.lines("pair-order", "pairs out of order", "order.items", export, [walk, divided])
    row = {"after": side_count(0), "appeared_count": 0, "before": side_count(0), "disappeared_count": 0, "item_kind": "comparison", "labels": {},
           "representation_changed_count": 0}
    folder.lines("pair-order-row", "pairs out of order behind an item of another kind", "manifest.scope order.items", export, [row, walk, divided])
    one("same-observation", "a pair of an observation with itself", "manifest.scope", steps, changes(
        "pair_report", PAIR_TYPES, scope={"from_observation_id": 2}, observations=[observation(2)]))
    one("in-diff", "a pair in a diff", "manifest.scope", steps, changes("diff_report", PAIR_TYPES))
    mark = {"keys": [steps["key"]], "kind": "condensed_into"}
    for name, what, codes, value in (("good-change-pair", "a change that is in a pair", "", mark), ("change-pair-kind", "another kind of pair", "shape.value", {**mark, "kind": "moved"}),
                                     ("change-pair-keys", "a pair without a key", "shape.value", {**mark, "keys": []})):
        folder.lines(name, what, codes, changes("diff_report"), [change("disappeared", pair=value)])


def write_labels(one):
    undated = change("disappeared", before={**without(chosen(record(), VERSION), "end_date")}, defects=[defect("/before/end_date", "null", "null")])
    unit = {"label": "uncertain", "reasons": ["units_differ"]}
    one("good-change-uncertain", "a change whose window has values in other units", "", change("representation_changed", **unit))
    one("good-change-undated", "a change without an end", "", {**undated, "label": "uncertain", "reasons": ["dates_missing"]})
    one("change-label-value", "another label", "shape.value", change("appeared", label="lost"))
    one("change-reasons-value", "another reason", "shape.value", change("appeared", label="uncertain", reasons=["guessed"]))
    one("change-reasons-empty", "no reason", "shape.value", change("appeared", label="uncertain", reasons=[]))
    chosen_labels = changes("change_set", scope={"changes": ["appeared"], "labels": ["appeared", "uncertain"]})
    one("good-change-set-labels", "a change with a label that was asked for", "", change("appeared", label="appeared"), chosen_labels)
    one("change-scope-label", "a change with a label that was not asked for", "manifest.scope", change("appeared", label="consolidationLikely"), chosen_labels)
    one("change-scope-no-label", "a change without a label where some were asked for", "manifest.scope", change("appeared"), chosen_labels)
    again = changes("change_set", scope={"changes": ["re_identified", "representation_changed"]})
    mark = {"keys": [made_up("again")], "kind": "re_identified"}
    one("good-change-set-again", "a record that came again, which was asked for", "", change("appeared", pair=mark), again)
    one("change-scope-again", "a record that did not come again", "manifest.scope", change("appeared"), again)
    one("change-scope-condensed", "a record in another pair than was asked for", "manifest.scope", change("disappeared", pair={**mark, "kind": "condensed_into"}), again)


def write_headers(folder):
    def add(name, what, codes, export, items=()):
        folder.lines("header-" + name, what, codes, export, list(items))

    diff = changes("diff_report")
    add("format", "the format of another kind", "shape.value", {**diff, "format": "healthprobe-bundle"})
    add("format-unknown", "an unknown format", "shape.format_version", {**diff, "format": "healthprobe-other"})
    add("bundle-format", "a recovery bundle with the format of reports", "shape.value", header(format="healthprobe-report"))
    add("mode", "a diff at a point in time", "shape.value", changes("diff_report", scope={"mode": "point_in_time"}, observations=[observation(2)]))
    export, items = versions()
    add("mode-versions", "a table of versions at a point in time", "shape.value", report("version_table"))
    add("mode-history", "a record table of a history", "shape.value", {**export, "export_kind": "record_table"})
    add("versions-sample", "a sample in a table of versions", "manifest.scope", export, [history()[1][0], *items])
    add("versions-record", "a record in a table of versions", "manifest.scope", export, [record(day=1, name="1"), items[1]])
    add("mode-changes", "a record table of changes", "shape.value", report("record_table", scope={"mode": "changes", "observation_id": 1}))
    add("from-missing", "no first observation", "shape.member_missing", changes("diff_report", scope={"from_observation_id": None}))
    add("from-unknown", "a first observation in a record table", "shape.member_unknown", report("record_table", scope={
        "from_observation_id": 1, "mode": "point_in_time", "observation_id": 1}))
    add("coverage-missing", "no coverage of the first observation", "shape.member_missing", without(diff, "from_coverage"))
    add("coverage-unknown", "a second coverage in a record table", "shape.member_unknown", report("record_table", from_coverage=[coverage()]))
    add("coverage-types", "other types in the first coverage", "shape.value", changes("diff_report", from_coverage=[coverage(), coverage(WATER)]))
    add("coverage-order", "the first coverage out of order", "order.coverage", changes("diff_report", (STEPS, SLEEP), coverage=[coverage(SLEEP), coverage()]))
    add("observations-one", "only the second observation", "shape.value", changes("diff_report", observations=[observation(2)]))
    add("observations-three", "an observation in between", "shape.value", changes("diff_report", scope={"observation_id": 3}, observations=[
        observation(1), observation(2), observation(3)]))
    add("changes-missing", "a change set without its changes", "shape.member_missing", changes("change_set"))
    add("changes-unknown", "changes in a diff", "shape.member_unknown", changes("diff_report", scope={"changes": ["appeared"]}))
    add("changes-value", "a change of another name", "shape.value", changes("change_set", scope={"changes": ["changed"]}))
    add("changes-empty", "no changes", "shape.value", changes("change_set", scope={"changes": []}))
    add("labels-value", "a label of another name", "shape.value", changes("change_set", scope={"changes": ["appeared"], "labels": ["lost"]}))
    add("labels-empty", "no labels", "shape.value", changes("change_set", scope={"changes": ["appeared"], "labels": []}))
    add("labels-unknown", "labels of a diff report", "shape.member_unknown", changes("diff_report", scope={"labels": ["appeared"]}))
    add("labels-order", "labels out of order", "order.coverage", changes("change_set", scope={"changes": ["appeared"], "labels": ["uncertain", "appeared"]}))
    add("changes-order", "changes out of order", "order.coverage", changes("change_set", scope={"changes": ["disappeared", "appeared"]}))
    add("thresholds-missing", "no thresholds", "shape.member_missing", changes("diff_summary"), [])
    add("thresholds-unknown", "thresholds in a diff", "shape.member_unknown", changes("diff_report", scope={"thresholds": SUMMARY}))
    add("threshold-missing", "a threshold missing", "shape.member_missing", summary(thresholds=without(SUMMARY, "window_bound_days")), comparison())
    add("threshold-other", "the threshold of findings", "shape.member_unknown", summary(thresholds={**SUMMARY, "minimum_days": 7}), comparison())
    add("threshold-text", "a threshold as text", "shape.type", summary(thresholds={**SUMMARY, "window_bound_days": "1"}), comparison())


def write_items(folder):
    diff = changes("diff_report")

    def one(name, what, codes, item, export=diff):
        folder.lines(name, what, codes, export, [item])

    one("change-before-missing", "a change of representation without before", "shape.member_missing", without(change("representation_changed"), "before"))
    one("change-after-unknown", "a disappearance with after", "shape.member_unknown", {**change("disappeared"), "after": chosen(record(), VERSION)})
    one("change-missing", "no change", "shape.member_missing", without(change("appeared"), "change"))
    one("change-value", "another change", "shape.value", change("appeared", change="moved"))
    one("change-visibility", "ranges in a change", "shape.member_unknown", change("appeared", visibility=record()["visibility"]))
    one("change-start-missing", "no start on a side", "shape.member_missing", change("appeared", after=without(chosen(record(), VERSION), "start_date")))
    one("change-side-unknown", "a sample's member on a side", "shape.member_unknown", change("appeared", after={**chosen(record(), VERSION), "fuzzy_key": "x"}))
    one("change-defect-other-side", "a defect of the other side", "shape.member_missing", change(
        "appeared", after={}, defects=[defect("/before/payload_hash", "no_version", "null")]))
    one("change-defect-no-version", "no version elsewhere than at a hash", "shape.value", change(
        "appeared", defects=[defect("/after/unit", "no_version", "null")]))
    one("change-scope-kind", "a change that was not asked for", "manifest.scope", change("appeared"), changes("change_set", scope={"changes": ["disappeared"]}))
    one("change-scope-since", "both versions before the filter", "manifest.scope", change("representation_changed"), changes(
        "diff_report", filter={"since": "2024-02-02T00:00:00.000Z"}))
    moved = change("representation_changed", after={**chosen(record(), VERSION), "start_date": "2024-02-03T10:00:00.000Z", "end_date": "2024-02-03T10:30:00.000Z"})
    one("good-change-filter", "one version in the filter", "", moved, changes("diff_report", filter={"since": "2024-02-02T00:00:00.000Z"}))
    lasting = changes("diff_report", filter={"overlapping": True, "since": "2024-02-01T10:29:59.999Z"})
    one("good-change-overlapping", "versions that began before the filter and last into it", "", change("representation_changed"), lasting)
    ended = changes("diff_report", filter={"overlapping": True, "since": "2024-02-01T10:30:00.000Z"})
    one("change-scope-overlapping", "versions that end where the filter begins", "manifest.scope", change("representation_changed"), ended)
    one("change-scope-source", "another app than the filter's", "manifest.scope", change("appeared"), changes("diff_report", filter={"sources": ["org.example.other"]}))
    named = changes("diff_report", filter={"source_names": [made_up("name")]})
    one("change-scope-source-name", "another name of a source than the filter's", "manifest.scope", change("appeared"), named)
    one("good-change-source-name", "one version of the source that is named", "", change("representation_changed", before={
        **change("representation_changed")["before"], "source": {"source_name_hash": made_up("name")}}), named)
    one("change-fields-own", "the hash as a field that changed", "shape.value", change("representation_changed", changed_fields=["numeric_value", "payload_hash"]))
    one("change-fields-appeared", "changed fields of a record that appeared", "shape.member_unknown", change("appeared", changed_fields=[]))
    lost = change("representation_changed", changed_fields=[], after={**chosen(record(), VERSION), "created_observation_id": 2, "payload_hash": made_up("other")})
    one("good-change-fields-none", "a change of nothing but the hash", "", lost)
    write_labels(one)
    early = {"event_kind": "appeared", "observation_id": 1, "observed_at": "2024-03-01T08:00:00.000Z"}
    one("change-scope-event", "an event at the older observation", "manifest.scope", change("appeared", events=[early]))
    folder.lines("change-scope-record", "a record in a diff", "manifest.scope", diff, [record()], totals=totals_of(diff, [record()]))
    first, second, third = three_changes()
    folder.lines("change-order", "changes out of order", "order.items", diff, [second, first, third])
    one("finding-in-summary", "a finding in a summary", "manifest.scope", all_findings()[0], summary())
    one("change-in-manifest", "a change in an observation manifest", "manifest.scope", change("appeared", events=[{**early, "observation_id": 2}]), report("observation_manifest"))
    export = findings_header()
    gone, spread, exact, late, semantic = all_findings()
    one("finding-value", "another finding", "shape.value", {**gone, "finding": "loss"}, export)
    one("finding-member-missing", "no ratio", "shape.member_missing", without(spread, "ratio"), export)
    one("finding-member-unknown", "the ratio of another finding", "shape.member_unknown", {**gone, "ratio": 1}, export)
    one("finding-late-without-start", "a late arrival without its start", "shape.member_missing", without(late, "start_date"), export)
    one("finding-count-fraction", "a fraction for a count", "shape.value", {**semantic, "record_count": 1.5}, export)
    one("finding-single", "a duplicate of one", "shape.value", {**exact, "record_count": 1}, export)
    one("good-finding-older", "a divergence of an older version, which says nothing of its measure", "",
        without(spread, "baseline_mean", "current_mean", "measure", "method", "unit"), export)
    appeared, product, quiet, ended = source_findings()
    folder.lines("good-finding-sources", "sources that appear, change and go quiet; an empty bundle identifier", "", export, [appeared, product, ended, quiet])
    one("finding-source-none", "a source finding without a source", "shape.member_missing", without(quiet, "source"), export)
    one("finding-source-before-none", "no record before, as a count", "shape.value", {**appeared, "before_count": 0}, export)
    one("finding-source-count-missing", "no count of records after", "shape.member_missing", without(ended, "after_count"), export)
    folder.lines("finding-source-order", "sources out of order", "order.items", export, [product, appeared])
    folder.lines("finding-order", "findings out of order", "order.items", export, [spread, gone])
    one("finding-type", "a type that coverage does not have", "manifest.scope", {**exact, "sample_type": WATER}, export)
    made = manifests()[1]
    one("manifest-hash-short", "a list hash of 63 digits", "shape.value", {**made, "items_hash": made_up("x")[1:]}, report("observation_manifest"))
    one("manifest-count-missing", "no item count", "shape.member_missing", without(made, "item_count"), report("observation_manifest"))
    folder.lines("manifest-order", "types out of order", "order.items", report("observation_manifest", coverage=[coverage(SLEEP), coverage()]), manifests()[::-1])
    loss = totals_of(report("observation_manifest"), [made])
    folder.lines("manifest-loss", "a provenance loss of a report", "manifest.totals", report("observation_manifest"), [made], totals=loss)


def standing_still(standing, *reasons):
    """A comparison in which nothing of one type changed."""
    items = comparison()
    items[1] = {**items[1], **counts(0, 0, 0), "labels": {}, "after": items[1]["before"], "standing": standing}
    if reasons:
        items[1]["standing_reasons"] = list(reasons)
    items[0] = {**items[0], **counts(3, 4, 0), "labels": {"appeared": 1, "consolidationLikely": 1}}
    return [*items[:2], *items[3:]]


def write_standings(folder, edited, put):
    def of_state(state):
        return [{**coverage(SLEEP), "mode": "full_scan" if state == "verified" else "anchored", "state": state}, coverage()]

    partial = [coverage(SLEEP, "partial"), coverage()]
    for name, standing, members in (
            ("verified", ["verified"], {"coverage": of_state("verified")}), ("continued", ["continued"], {"coverage": of_state("continued")}),
            ("unchanged", ["unchanged"], {}), ("unknown", ["unknown", "to_state_unknown"], {"coverage": of_state("unknown")}),
            ("not-completed", ["unknown", "from_run_not_completed"], {"from_coverage": partial}),
            ("never-queried", ["unknown", "from_never_queried", "to_run_not_completed"], {"from_coverage": [coverage(SLEEP, "never_queried"), coverage()], "coverage": partial})):
        folder.lines("good-standing-" + name, "a type of which nothing changed: " + name.replace("-", " "), "", summary(**members), standing_still(*standing))
    edited("standing-word", "a standing that is none", "shape.value", 1, put(standing="good"))
    edited("standing-missing", "a type without its standing", "shape.member_missing", 1, lambda item: without(item, "standing"))
    edited("standing-reasons-order", "reasons that are not sorted", "shape.value", 1, put(standing_reasons=["to_never_queried", "from_never_queried"]))
    edited("standing-reasons-none", "no reason in the list", "shape.value", 1, put(standing_reasons=[]))
    edited("standing-in-window", "the standing of a window", "shape.member_unknown", 4, put(standing="changed"))


def write_comparisons(folder):
    def edited(name, what, codes, index, change, **members):
        """One row edited; totals of the file follow, sums of other rows do not."""
        items = copy.deepcopy(comparison())
        items[index] = change(items[index]) or items[index]
        folder.lines("comparison-" + name, what, codes, summary(**members), items)

    def put(**members):
        return lambda item: {**item, **members}

    def inside(name, **members):
        return lambda item: {**item, name: {**item[name], **members}}

    both = {"label": "representationChanged"}
    items = comparison()
    items[4].update(both)
    items[3]["labels"] = {"appeared": 1, "representationChanged": 1}
    items[0]["labels"] = {"appeared": 1, "representationChanged": 2}
    folder.lines("forgery-label", "all hashes and sums follow the forgery, so it is self-consistent; only an archive can tell: another label", "", summary(), items)
    write_standings(folder, edited, put)
    edited("reasons-without-label", "reasons beside a label that has none", "shape.member_unknown", 4, put(reasons=["values_missing"]))
    edited("uncertain-without-reasons", "uncertain without reasons", "shape.member_missing", 4, put(label="uncertain"))
    edited("window-half", "a window without its end", "shape.member_missing", 4, lambda item: without(item, "window_end"))
    edited("label-value", "another name of a label", "shape.value", 4, put(label="lost"))
    edited("evidence-missing", "a window without evidence", "shape.member_missing", 4, lambda item: without(item, "evidence"))
    edited("labels-in-window", "labels in a window", "shape.member_unknown", 4, put(labels={}))
    edited("labels-missing", "a type without labels", "shape.member_missing", 3, lambda item: without(item, "labels"))
    edited("details-of-all", "sums of all types", "shape.member_unknown", 0, inside("before", value_sum=1))
    edited("sources-order", "sources out of order", "shape.value", 3, put(sources=[of_source(4, 3, "b"), of_source(0, 0, "a")]))
    write_windows(folder)
    made = report_lines(summary(), comparison())
    for name, what, codes, old, new in (
            ("value-edited", "a sum edited, all hashes as before", "item.hash", b'"value_max":60', b'"value_max":61'),
            ("count-edited", "a count edited, all hashes as before", "item.hash", b'"appeared_count":1', b'"appeared_count":2')):
        folder.vector("comparison-" + name, ".jsonl", what, codes, text_of([*made[:6], made[6].replace(old, new), made[7]] if old in made[6] else
                                                                           [*made[:5], made[5].replace(old, new), *made[6:]]))
    items = comparison()
    folder.lines("comparison-all-repeated", "two rows of all types", "order.repeated", summary(), [items[0], {**items[0], **counts(9, 9, 9)}, *items[1:]])
    folder.lines("comparison-type-repeated", "two rows of one type", "order.repeated", summary(), [*items[:4], {**items[3], "measure": "event"}, *items[4:]])
    folder.lines("comparison-order", "windows out of order", "order.items", summary(), items[:4] + [items[5], items[4]])
    folder.lines("comparison-type-last", "a type behind its window", "order.items", summary(), [items[0], items[2], items[1], *items[3:]])


def write_windows(folder):
    """Windows of every measure, each with its type alone; then one member of the window that is invalid."""
    seen = side(1, "2024-02-25T10:00:00.000Z", "2024-02-26T10:00:00.000Z", 86400, 86400, 3600 / 86400, 1, 4, 4, "count")
    windows = {"heart": (heart_window(), {}), "asleep": (asleep_window(), {}), "resting": (resting_window(), {}),
               "workout": (workout_window(), {}),
               "gone": (gone_window(), {"after": seen, "sources": [of_source(2, 1)]})}

    def lines(name, what, codes, window, after, **members):
        folder.lines(name, what, codes, summary((window["sample_type"],), **members), alone(window, **after))

    def edited(name, what, codes, of, change, **members):
        window, after = windows[of]
        made = alone(window, **after)
        made[2] = change(made[2])
        folder.lines("comparison-" + name, what, codes, summary((window["sample_type"],), **members), made)

    def put(**members):
        return lambda item: {**item, **members}

    def inside(name, **members):
        return lambda item: {**item, name: {**item[name], **members}}

    for name, what in (("heart", "readings of one value that became one that lasts"), ("asleep", "seconds by category value"),
                       ("resting", "an estimate that was replaced"), ("gone", "all that is older than a moment"),
                       ("workout", "workouts that became one with their distance and energy")):
        lines("good-window-" + name, what, "", *windows[name])
    edited("replaced-outcome", "an outcome that is none", "shape.value", "asleep", put(replaced=[{"after_count": 1, "before_count": 2, "outcome": "lost", "pair": "condensed_into"}]))
    edited("left-over-half", "records left over of one side alone", "shape.member_missing", "asleep", put(left_over={"before_count": 1}))
    edited("look-alikes-order", "what it looks like out of order", "shape.value", "gone", put(look_alikes=["watch_week", "narrowed_permission"]))
    edited("measure-value", "a measure that is none", "shape.value", "heart", put(measure="sum"))
    edited("metadata-missing", "nothing said of metadata", "shape.member_missing", "heart", lambda item: {**item, "evidence": without(item["evidence"], "metadata_compatible")})
    edited("parts-order", "parts out of order", "shape.value", "asleep", lambda item: inside("before", parts=item["before"]["parts"][::-1])(item))
    edited("signature-unknown", "a signature that is none", "shape.member_unknown", "heart", inside("signatures", equal_length=True))
    other = side(2, **hour(1, "10:00", "11:00"), interval=3600, mean=1800, density=2, other_unit_count=2)
    folder.lines("good-label-units", "values in a unit of something else", "", summary((STEPS,)), alone({
        **consolidated(), "after": other, "label": "uncertain", "reasons": ["units_differ"],
        "evidence": without(consolidated()["evidence"], "measure_delta", "measure_kept")}))


def write(shelves):
    folder = Folder(shelves)
    for write_part in (write_good, write_containers, write_headers, write_items, write_comparisons, write_pairs):
        write_part(folder)
