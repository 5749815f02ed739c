#!/usr/bin/env python3
"""The reference of Spec/days.md against days and nights worked out by hand, and laws over random histories.

usage: Tests/reference/test_day_report.py [--count N] [--first N]

The last line is `N passed, N failed`.
"""

import argparse
import dataclasses
import pathlib
import random
import re
import sys
import traceback
from datetime import datetime, timezone, timedelta

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from day_export import record_of, records_of  # noqa: E402
from day_report import DAY, HOUR, SLEEP, STAGES, Options, Record, Report, cases, source_member, totals  # noqa: E402

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
CLOCK = re.compile(r"(?:(\d{4})-)?(\d\d)-(\d\d) (\d\d):(\d\d)(?::([\d.]+))?([+-]\d+)$")
STEPS, MINDFUL = "HKQuantityTypeIdentifierStepCount", "HKCategoryTypeIdentifierMindfulSession"
MINUTE = HOUR // 60


def moment(text):
    """Microseconds since 1970 of a clock of the cases."""
    if text is None:
        return None
    year, month, day, hour, minute, second, offset = CLOCK.match(text).groups()
    whole = datetime(int(year or 2026), int(month), int(day), int(hour), int(minute), tzinfo=timezone(timedelta(hours=int(offset))))
    return (whole - EPOCH) // timedelta(microseconds=1) + round(float(second or 0) * 1_000_000)


def amount(text):
    value, _, unit = text.partition(" ")
    return float(value), unit or None


def record(book, fields):
    sample_type, start, end, value, source, *more = fields
    found = {"type": book["types"][sample_type], "start": moment(start), "end": moment(end), **book["sources"][source], **(more[0] if more else {})}
    if isinstance(value, str):
        found["value"], found["unit"] = amount(value)
    elif value is not None:
        found["category"] = value
    found.update({name: amount(found[name]) for name in ("energy", "distance") if name in found})
    found["ring"] = tuple((name, amount(text)) for name, text in found.get("ring", {}).items())
    return Record(**found)


def timestamp(microseconds):
    return (EPOCH + timedelta(microseconds=microseconds)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def items_of(book, case):
    prefer = tuple(book["sources"][name]["name"] for name in case.get("prefer", ()))
    options = Options(case.get("method", "cover"), case.get("by", "day"), prefer, case.get("since"), case.get("until"), case.get("zone_name"))
    records = [record(book, fields) for fields in case["records"]]
    incomplete = [book["types"][name] for name in case.get("incomplete", ())]
    items = Report(records, book["zones"][case.get("zone", "athens")], moment(case.get("observed", "12-31 00:00+2")), options, incomplete).items()
    for item in items:
        item.update({name: timestamp(item[name]) for name in ("day_start", "start_date", "end_date") if name in item})
    return [item for item in items if item["measure"] in case.get("only", [item["measure"]])]


def faults(book, item, row):
    """The members of a row that an item does not have."""
    keys = {name: Record(None, name=one.get("name"), bundle=one.get("bundle")).source for name, one in book["sources"].items()}
    for name, value in row.items():
        if name == "type":
            name, value = "sample_type", book["types"][value]
        elif name == "source" and value is not None:
            value = source_member(keys[value])
        elif name == "sources" and value is not None:
            found = item.get("sources", [])
            if len(found) != len(value):
                yield "sources: %s" % found
            for mine, theirs in zip(found, value):
                theirs = {**theirs, **source_member(keys[theirs["source"]])}
                yield from ("sources: %s" % mine for each in theirs if each != "source" and mine.get(each) != theirs[each])
            continue
        if item.get(name) != value:
            yield "%s: %r, not %r" % (name, item.get(name), value)


def check_case(book, case):
    items = items_of(book, case)
    assert len(items) == len(case["rows"]), "%d items: %s" % (len(items), items)
    found = [fault for item, row in zip(items, case["rows"]) for fault in faults(book, item, row)]
    assert not found, "; ".join(found)


class History:
    """Random records on a grid of minutes; amounts are such that each minute has a whole share."""

    def __init__(self, seed):
        self.chance = random.Random("days %d" % seed)
        book = cases()
        self.zone = book["zones"][self.chance.choice(["athens", "beirut_spring", "samoa", "two"])]
        self.first = (self.zone + [None, 1774746000])[1 if len(self.zone) > 1 else 2] * 1_000_000  # about when the clocks change
        self.sources = [{"name": name, "model": self.chance.choice([None, "Watch", "iPhone"])} for name in "abc"[:self.chance.randint(1, 3)]]
        self.records = [self.record() for _ in range(self.chance.randint(1, 14))]
        self.observed = self.first + self.chance.randint(-2, 4) * DAY
        self.prefer = tuple(self.chance.sample("abc", 3))

    def record(self):
        chance = self.chance
        start = self.first + chance.randint(-36 * 60, 36 * 60) * MINUTE
        minutes = chance.choice([0, 0, 30, 60, chance.randint(1, 200), chance.randint(1, 3000)])
        kind = chance.choice([STEPS, STEPS, STEPS, MINDFUL, SLEEP, SLEEP])
        found = {"type": kind, "start": start, "end": start + minutes * MINUTE, **chance.choice(self.sources)}
        if kind == STEPS:
            value = chance.randint(0, 5) * max(minutes, 1)
            found.update(value=float(value), unit=chance.choice(["count"] * 6 + ["kcal"]), user_entered=chance.random() < 0.2)
        else:
            found.update(category=chance.choice([0, 1, 2, 3, 4, 5, 9]))
        return Record(**found)

    def items(self, records=None, **options):
        options = Options(**{"prefer": self.prefer, **options})
        return Report(self.records if records is None else records, self.zone, self.observed, options).items()


def without(item, *names):
    return {name: value for name, value in item.items() if name not in names}


def law_kept_and_dropped_are_the_sum_over_sources(history):
    apart = {}
    for item in history.items(method="sources"):
        if item["measure"] == "cumulative":
            apart[item["date"]] = apart.get(item["date"], 0) + item.get("value_sum", 0)
    for method in ("greatest", "cover"):
        for item in history.items(method=method):
            if item["measure"] == "cumulative":
                assert item.get("value_sum", 0) + item.get("dropped_sum", 0) == apart[item["date"]], item
                for name in ("value_sum", "dropped_sum") if "sources" in item else ():
                    assert sum(each.get(name, 0) for each in item["sources"]) == item.get(name, 0), item


def law_days_sum_to_the_plain_total(history):
    total = sum(record.value for record in history.records if record.unit == "count")
    for method in ("sources", "greatest", "cover"):
        for period in ("day", "month"):
            items = [item for item in history.items(method=method, period=period) if item["measure"] == "cumulative"]
            assert sum(item.get("value_sum", 0) + item.get("dropped_sum", 0) for item in items) == total
            assert sum(item["record_count"] for item in items) == sum(record.type == STEPS for record in history.records)
            entry = totals(items).get(STEPS, {})
            assert entry.get("value_sum", 0) + entry.get("dropped_sum", 0) == total, entry


def law_order_changes_nothing(history):
    shuffled = history.chance.sample(history.records, len(history.records))
    for method in ("sources", "greatest", "cover"):
        assert history.items(method=method, prefer=()) == history.items(shuffled, method=method, prefer=())


def law_splitting_a_record_changes_nothing(history):
    records = [record for record in history.records if record.unit != "kcal"]
    halves = []
    for record in records:
        minutes = (record.until - record.start) // MINUTE
        cut = history.chance.randint(0, max(0, minutes))
        if not 0 < cut < minutes:
            halves.append(record)
            continue
        middle = record.start + cut * MINUTE
        first = dataclasses.replace(record, end=middle)
        second = dataclasses.replace(record, start=middle)
        if record.value is not None:
            share = record.value * cut / minutes
            first, second = dataclasses.replace(first, value=share), dataclasses.replace(second, value=record.value - share)
        halves += [first, second]
    for method in ("sources", "greatest", "cover"):
        assert figures_of(history.items(records, method=method)) == figures_of(history.items(halves, method=method))


def figures_of(items):
    """Items without their counts of records."""
    return [dict(without(item, "record_count"), sources=[without(each, "record_count") for each in item.get("sources", [])]) for item in items]


def law_the_asked_range_changes_nothing(history):
    for method in ("sources", "greatest", "cover"):
        items = history.items(method=method)
        dates = sorted({item["date"] for item in items})
        since, until = sorted(history.chance.choices(dates, k=2))
        inside = [item for item in items if since <= item["date"] < until]
        assert history.items(method=method, since=since, until=until) == inside


def law_methods_agree_of_one_source(history):
    records = [dataclasses.replace(record, name="a", model=None) for record in history.records]
    assert history.items(records, method="sources") == history.items(records, method="greatest") == history.items(records, method="cover")


def law_months_are_the_sums_of_days(history):
    added = ("value_sum", "dropped_sum", "record_count", "not_summed_count", "seconds", "overlap_seconds", "shared_seconds", "session_count", "session_seconds", "asleep_seconds",
             "awake_seconds", "in_bed_seconds", "core_seconds", "deep_seconds", "rem_seconds", "unspecified_seconds")
    for method in ("sources", "greatest", "cover"):
        days = history.items(method=method)
        for month in history.items(method=method, period="month"):
            same = ("sample_type", "measure", "category_value") + (("source",) if method == "sources" and month["measure"] == "cumulative" else ())
            mine = [day for day in days if day["date"].startswith(month["date"]) and all(day.get(name) == month.get(name) for name in same)]
            assert len(mine) == month["day_count"], month
            for name in added:
                assert sum(day.get(name, 0) for day in mine) == month.get(name, 0), (name, month, mine)


def law_cover_goes_minute_by_minute(history):
    """Each minute of a source is kept if no source before it has a record in that minute of that day."""
    report = Report(history.records, history.zone, history.observed, Options(prefer=history.prefer))
    rank = {name: place for place, name in enumerate(history.prefer)}
    records = [record for record in history.records if record.unit == "count"]
    kept, dropped = {}, {}
    for record in records:
        minutes = range(record.start, record.until, MINUTE) if record.start < record.until else [record.start]
        for minute in minutes:
            is_instant = record.start == record.until
            better = [other for other in records if rank[other.name] < rank[record.name]]
            is_covered = any(other.start <= minute < other.until or (is_instant and other.start == other.until == minute) for other in better)
            day = report.zone.day(minute)
            side = dropped if is_covered else kept
            side[day] = side.get(day, 0) + record.value / len(minutes)
    found = [item for item in report.items() if item["measure"] == "cumulative" and "value_sum" in item]
    assert [item["value_sum"] for item in found] == [kept.get(day, 0) for day in sorted({*kept, *dropped})]
    assert [item["dropped_sum"] for item in found] == [dropped.get(day, 0) for day in sorted({*kept, *dropped})]


def law_stages_go_minute_by_minute(history):
    """With one source, each minute of sleep has the first of its stages, and is in one night or nap."""
    records = [dataclasses.replace(record, name="a", model=None) for record in history.records if record.type == SLEEP]
    totals = {}
    for minute in range(history.first - 4 * DAY, history.first + 6 * DAY, MINUTE):
        values = {record.category for record in records if record.start <= minute < record.until}
        name = next((STAGES[value] for value in STAGES if value in values), None)
        if name:
            totals[name] = totals.get(name, 0) + 60
        if 0 in values:
            totals["in_bed"] = totals.get("in_bed", 0) + 60
    items = [item for item in history.items(records) if item["measure"] in ("nap", "night")]
    for name in ("awake", "in_bed", "core", "deep", "rem"):
        assert sum(item.get(name + "_seconds", 0) for item in items) == totals.get(name, 0), name
    asleep = sum(totals.get(name, 0) for name in ("core", "deep", "rem", "unspecified"))
    assert sum(item.get("asleep_seconds", 0) for item in items) == asleep
    for item in items:
        if "core_seconds" in item:
            assert sum(item[name + "_seconds"] for name in ("core", "deep", "rem", "unspecified")) == item["asleep_seconds"]


def check_empty_bundle_identifier():
    """An empty text is there: it is a source of its own, after one without a bundle identifier."""
    start = moment("2026-03-10 10:00+0")
    records = [Record("HKQuantityTypeIdentifierStepCount", start, start, 1, "count", bundle=bundle) for bundle in ("", None, "a", "")]
    items = Report(records, [0], start, Options(method="sources")).items()
    assert [(item.get("source"), item["record_count"]) for item in items] == [({}, 1), ({"bundle_identifier": ""}, 2), ({"bundle_identifier": "a"}, 1)], items


def check_records_of_lines():
    lines = (pathlib.Path(__file__).resolve().parents[2] / "Spec/examples/minimal.jsonl").read_text("utf-8").splitlines()
    records, observed, incomplete = records_of(lines)
    assert records == [Record("com.example.beats", moment("2000-01-01 00:00+0"), moment("2000-01-01 00:01+0"), 1.5, "count")], records
    assert observed == moment("2000-01-31 00:00+0") and incomplete == set()
    metadata = {"HKTimeZone": "Asia/Tokyo", "HKWasUserEntered": "1", "hp:attribute:totalEnergyBurned": "500", "hp:attribute:totalEnergyBurnedUnit": "kJ"}
    found = record_of({"sample_type": "HKWorkoutTypeIdentifier", "start_date": "2026-03-10T00:00:00.0000015Z", "duration_seconds": 60, "metadata": metadata})
    assert (found.zone, found.user_entered, found.energy, found.distance, found.end) == ("Asia/Tokyo", True, (119.50286806883365, "kcal"), None, None), found
    metadata = {"hp:attribute:activeEnergyBurned": "100", "hp:attribute:activeEnergyBurnedUnit": "kJ", "hp:attribute:appleStandHoursGoal": "12", "hp:attribute:appleMoveTime": "x"}
    found = record_of({"sample_type": "HKActivitySummaryTypeIdentifier", "metadata": metadata})
    assert found.ring == (("active_energy", (100.0, "kJ")), ("stand_hours_goal", (12.0, None))), found


LAWS = [law for name, law in sorted(globals().items()) if name.startswith("law_")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    book, counts = cases(), [0, 0]

    def run(what, *call):
        try:
            call[0](*call[1:])
            counts[0] += 1
        except Exception:  # noqa: BLE001
            counts[1] += 1
            print("failed: %s\n%s" % (what, traceback.format_exc(limit=-2)))
    for case in book["cases"]:
        run(case["name"], check_case, book, case)
    run("records of lines", check_records_of_lines)
    run("an empty bundle identifier", check_empty_bundle_identifier)
    for seed in range(arguments.first, arguments.first + arguments.count):
        for law in LAWS:
            run("%s, history %d" % (law.__name__, seed), law, History(seed))
    print("%d passed, %d failed" % tuple(counts))
    return 1 if counts[1] or not counts[0] else 0


if __name__ == "__main__":
    sys.exit(main())
