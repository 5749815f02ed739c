"""Makes the vectors of day reports (Spec/days.md): figures and cells of people are worked out by hand."""

import json
from fractions import Fraction

import generate_reports
from generate import SLEEP, STEPS, canonical, coverage, made_up, of_lines, totals_of
from generate_people import DATE
from generate_reports import envelope, lines, report, sidecar_of, text_of

HEART, RINGS, WORKOUT = "HKQuantityTypeIdentifierHeartRate", "HKActivitySummaryTypeIdentifier", "HKWorkoutTypeIdentifier"
TYPES = (RINGS, SLEEP, HEART, STEPS, WORKOUT)
PHONE, WATCH = {"source_name_hash": "a1" * 32}, {"bundle_identifier": "org.example.synthetic", "source_name_hash": "b2" * 32}


def header(period="day", filter=None, types=TYPES, **scope):
    members = {"method": "cover", "mode": "point_in_time", "observation_id": 1, "period": period, "zone": {"basis": "offset", "offset_seconds": 7200}, **scope}
    return report("day_report", coverage=[coverage(name) for name in types], filter=filter or {}, scope={name: value for name, value in members.items() if value is not None})


def day(measure, sample_type, date="2024-02-10", **members):
    """An item of a day that begins at 22:00 UTC of the day before."""
    start = date and "2024-02-%02dT22:00:00.000Z" % (int(date[8:]) - 1)
    item = {"item_kind": "day", "measure": measure, "sample_type": sample_type, "date": date, "day_seconds": 86400, "day_start": start, "completeness": "complete",
            "record_count": 1, "source_count": 1, "source": WATCH, **members}
    return {name: value for name, value in item.items() if value is not None}


def steps(date="2024-02-10", **members):
    """Ten to eleven: 80 of the phone, 100 of the watch, which is kept."""
    sources = [
        {**PHONE, "class": "phone", "covered_seconds": 3600, "dropped_sum": 80, "rank": 2, "record_count": 1, "value_sum": 0},
        {**WATCH, "class": "watch", "covered_seconds": 3600, "dropped_sum": 0, "rank": 1, "record_count": 1, "value_sum": 100}]
    return day("cumulative", STEPS, date, **{
        "record_count": 2, "source_count": 2, "source": None, "sources": sources, "not_summed_count": 0, "overlap_seconds": 0, "shared_seconds": 3600,
        "value_sum": 100, "dropped_sum": 80, "unit": "count", **members})


def days():
    """A day of each measure, the second day of steps, and records without a day."""
    undated = ("date", "day_seconds", "day_start", "completeness")
    return [
        day("activity_summary", RINGS, not_summed_count=0, active_energy=420, active_energy_goal=400, exercise_minutes=31, exercise_minutes_goal=30, stand_hours=12,
            stand_hours_goal=12),
        day("category", SLEEP, category_value=3, seconds=25200, not_summed_count=0),
        day("nap", SLEEP, session_count=1, session_seconds=2700, overlap_seconds=0, asleep_seconds=2700, start_date="2024-02-10T12:00:00.000Z",
            end_date="2024-02-10T12:45:00.000Z"),
        day("night", SLEEP, record_count=2, session_count=1, session_seconds=27000, overlap_seconds=0, asleep_seconds=25200, awake_seconds=600, core_seconds=21600,
            deep_seconds=3600, rem_seconds=0, unspecified_seconds=0, start_date="2024-02-09T21:00:00.000Z", end_date="2024-02-10T04:30:00.000Z"),
        day("discrete", HEART, record_count=3, not_summed_count=0, value_mean=70, value_min=60, value_max=80, unit="count/min"),
        day("cumulative", STEPS, **dict.fromkeys(undated), not_summed_count=1, overlap_seconds=0, shared_seconds=0, source=PHONE),
        steps(),
        steps("2024-02-11", completeness="partial", value_sum=100.5),
        day("workout", WORKOUT, workout_activity_type=37, seconds=3500, energy=600, distance=10000),
    ]


def day_lines(export, items, **given):
    """Lines whose totals have what days add up to."""
    totals = totals_of(export, items)
    for entry in totals["types"]:
        mine = [item for item in items if item["sample_type"] == entry["sample_type"]]
        entry.update(provenance_loss={}, record_count=sum(item["record_count"] for item in mine if item["measure"] not in ("nap", "night")))
        summed = [item for item in mine if "value_sum" in item]
        if summed:
            # Whole numbers of the last decimal, within 10^27 (Spec/days.md, Totals).
            last = 10 ** (9 if summed[-1]["unit"] == "g" else 6)
            entry.update({name: float(Fraction(sum(max(-10 ** 27, min(10 ** 27, round(Fraction(item[name]) * last))) for item in summed), last))
                          for name in ("value_sum", "dropped_sum")}, unit=summed[-1]["unit"])
            entry.update({name: int(entry[name]) for name in ("value_sum", "dropped_sum") if entry[name].is_integer()})
    return lines(export, items, **{"totals": totals, **given})


# The view: what a person reads of each item of `days`, without its hash.
NAMES = ["date", "type", "value", "unit", "value_name", "activity", "minimum", "maximum", "dropped", "energy_kcal", "distance_m", "awake_h", "core_h", "deep_h", "rem_h",
         "start", "end", "time_zone", "records", "source", "note", "item", "item_hash"]
NUMBERS = {"value", "minimum", "maximum", "dropped", "energy_kcal", "distance_m", "awake_h", "core_h", "deep_h", "rem_h", "records", "item"}
WATCH_NAME = "org.example.synthetic"
CELLS = [
    {"date": "2024-02-10", "type": "Activity rings", "value_name": "420 / 400 kcal · 31 / 30 min · 12 / 12 h", "records": "1", "source": WATCH_NAME},
    {"date": "2024-02-10", "type": "Sleep analysis", "value": "7", "unit": "h", "value_name": "asleep core", "records": "1", "source": WATCH_NAME},
    {"date": "2024-02-10", "type": "Nap", "value": "0.75", "unit": "h", "start": "2024-02-10 14:00:00", "end": "2024-02-10 14:45:00", "time_zone": "UTC+02:00", "records": "1",
     "source": WATCH_NAME},
    {"date": "2024-02-10", "type": "Night", "value": "7", "unit": "h", "awake_h": "0.167", "core_h": "6", "deep_h": "1", "rem_h": "0", "start": "2024-02-09 23:00:00",
     "end": "2024-02-10 06:30:00", "time_zone": "UTC+02:00", "records": "2", "source": WATCH_NAME},
    {"date": "2024-02-10", "type": "Heart rate", "value": "70", "unit": "count/min", "minimum": "60", "maximum": "80", "records": "3", "source": WATCH_NAME},
    {"type": "Step count", "records": "1", "source": "source a1a1a1a1"},
    {"date": "2024-02-10", "type": "Step count", "value": "100", "unit": "count", "dropped": "80", "records": "2", "source": "2 sources"},
    {"date": "2024-02-11", "type": "Step count", "value": "100.5", "unit": "count", "dropped": "80", "records": "2", "source": "2 sources", "note": "partial day"},
    {"date": "2024-02-10", "type": "Workout", "value": "0.972", "unit": "h", "activity": "running", "energy_kcal": "600", "distance_m": "10000", "records": "1",
     "source": WATCH_NAME},
]


def write_view(shelves, made):
    rows = [",".join(NAMES)]
    # By date, and what has none comes last.
    for place, cells in sorted(enumerate(CELLS, 1), key=lambda pair: pair[1].get("date", "z")):
        rows.append(",".join({**cells, "item": str(place), "item_hash": json.loads(made[place])["item_hash"]}.get(name, "") for name in NAMES))
    data = "".join(row + "\r\n" for row in rows).encode()
    value = sidecar_of(made, "day", "good-people-days.csv", data)
    types = {**dict.fromkeys(NUMBERS, "double"), "start": DATE, "end": DATE}
    value["tableSchema"] = {"columns": [{"datatype": types.get(name, "string"), "name": name, "titles": name} for name in NAMES]}
    value["urn:healthprobe:report"].update(dialect="healthprobe-people-1", renderer=1, view={"name": "people", "unvouched": []})
    shelves.add("good-people-days", ".csv", "report", "a view of days", "", data, canonical(value).encode() + b"\n")


def write_table(shelves, made):
    rows = b"".join(generate_reports.rows_of(made, "day"))
    sidecar = canonical(sidecar_of(made, "day", "good-days-table.csv", rows)).encode() + b"\n"
    shelves.add("good-days-table", ".csv", "report", "days as a table", "", rows, sidecar)


def write(shelves):
    made = day_lines(header(), days())
    shelves.add("good-days-lines", ".jsonl", "report", "days as lines", "", text_of(made))
    shelves.add("good-days-envelope", ".json", "report", "days as an envelope", "", envelope(made))
    shelves.add("good-days-frames", ".jsonl.zst", "report", "days as a bundle", "", of_lines(made))
    write_table(shelves, made)
    write_view(shelves, made)

    def add(name, what, codes, export=None, items=None, **given):
        shelves.add(name, ".jsonl", "report", what, codes, text_of(day_lines(export or header(), days() if items is None else items, **given)))

    month = {**steps(), "date": "2024-02", "day_seconds": 2505600, "day_start": "2024-01-31T22:00:00.000Z", "day_count": 1,
             "sources": [{name: value for name, value in source.items() if name not in ("class", "rank")} for source in steps()["sources"]]}
    add("good-days-months", "a month, with preferred sources", "", header("month", types=(STEPS,), preferred=["b2" * 32, "org.example.synthetic"]), [month])
    add("good-days-bounds", "a day that begins at since, and before until", "",
        header(types=(STEPS,), filter={"since": "2024-02-09T22:00:00.000Z", "until": "2024-02-10T22:00:00.000Z"}), [steps()])
    large = steps(value_sum=1e300, dropped_sum=-1e300)
    totals = {"defect_count": 0, "item_count": 1, "types": [
        {"defect_count": 0, "dropped_sum": -1e21, "item_count": 1, "provenance_loss": {}, "record_count": 2, "sample_type": STEPS, "unit": "count", "value_sum": 1e21}]}
    add("good-days-large-sum", "sums beyond what totals add", "", header(types=(STEPS,)), [large], totals=totals)
    one = (STEPS,)
    add("days-since", "a day that begins before since", "manifest.scope", header(types=one, filter={"since": "2024-02-09T22:00:00.001Z"}), [steps()])
    add("days-until", "a day that begins at until", "manifest.scope", header(types=one, filter={"until": "2024-02-09T22:00:00.000Z"}), [steps()])
    add("days-undated-since", "records without a day, and since", "manifest.scope", header(types=one, filter={"since": "2024-02-01T00:00:00.000Z"}), [days()[5]])
    add("days-source", "a day of another source than the filter's", "manifest.scope", header(types=one, filter={"sources": ["org.example.other"]}), [days()[5]])
    add("days-order", "days out of order", "order.items", header(types=one), [steps("2024-02-11"), steps()])
    add("days-repeated", "a day twice, with other figures", "order.repeated", header(types=one), [steps(), steps(value_sum=99)])
    totals = json.loads(day_lines(header(types=one), [steps()])[-1])["totals"]
    for name, value in (("value_sum", 101), ("dropped_sum", 81), ("record_count", 3), ("unit", "km")):
        changed = {**totals, "types": [{**totals["types"][0], name: value}]}
        add("days-totals-" + name.replace("_", "-"), "totals with another " + name, "manifest.totals", header(types=one), [steps()], totals=changed)
    add("days-sources-order", "sources of a day out of order", "shape.value", header(types=one), [steps(sources=steps()["sources"][::-1])])
    add("days-sources-count", "more sources than a day lists", "shape.value", header(types=one), [steps(source_count=3)])
    add("days-preferred", "a preferred source twice", "shape.value", header(preferred=["a", "a"]))
    add("days-overlapping", "days of records that overlap", "shape.member_unknown", header(filter={"overlapping": True, "since": "2024-02-01T00:00:00.000Z"}))
    add("days-zone", "no zone", "shape.member_missing", header(zone=None))
    add("days-method", "another method", "shape.value", header(method="newest"))
    add("days-measure", "another measure", "shape.value", header(types=one), [{**steps(), "measure": "weekly"}])
    add("days-start", "a day without its beginning", "shape.member_missing", header(types=one), [{name: value for name, value in steps().items() if name != "day_start"}])
    add("days-mean", "a mean of steps", "shape.member_unknown", header(types=one), [steps(value_mean=1)])
    add("days-scope", "a method in a table of records", "shape.member_unknown", report("record_table", scope={"method": "cover", "mode": "point_in_time", "observation_id": 1}), [])
