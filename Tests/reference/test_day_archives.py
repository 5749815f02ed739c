#!/usr/bin/env python3
"""hp-export days of archives against the reference of Spec/days.md: the days and nights that were worked out by hand, and random histories.

usage: Tests/reference/test_day_archives.py [--count N] [--first N] [--show N]

Records are written into archives row by row, in random order. Some archives are captured from random feeds, and their records read from the record table of the tool.
Every report is verified, also against its archive. The last line is `N passed, N failed`.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import html
import io
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "Spec/examples")]
TOOLS = pathlib.Path(os.environ.get("HP_TOOLS", ROOT / ".build" / "release"))

import first_page  # noqa: E402
import random_stores  # noqa: E402
import test_day_report  # noqa: E402
import verify_bundle  # noqa: E402
from day_export import ATTRIBUTES, records_of  # noqa: E402
from day_report import ENERGY, Options, Report, cases  # noqa: E402
from export_bundle import EXTENSIONS, SCHEMA  # noqa: E402
from verifier.timestamps import write_timestamp  # noqa: E402

FACTS = EXTENSIONS.read_text("utf-8").split("-- extension:capture_facts")[1].split("-- extension:history")[0]
METHODS, PERIODS = ("cover", "greatest", "sources"), ("day", "month")
NEVER = 1e300  # a stored date without a timestamp


def tool(name, *arguments, good=(0,)):
    process = subprocess.run([str(TOOLS / name), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if process.returncode not in good:
        raise RuntimeError("%s %s: %s%s" % (name, " ".join(map(str, arguments)), process.stderr.decode(), process.stdout.decode()))
    return process.stdout


def hashed(name):
    """A hash of a name that sorts as the name does."""
    return name and (name * 64)[:64]


class Archive:
    """An archive of one observation, written row by row."""

    def __init__(self, path, zone, observed, zone_name=None, has_rules=True):
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;" + SCHEMA.read_text("utf-8") + FACTS)
        self.connection.execute("BEGIN")
        self.insert("schema_migrations", 2, 0.0, "archive v2")
        self.connection.executemany("INSERT INTO archive_metadata VALUES (?, ?)", [("schema_version", "2"), ("extension:capture_facts", "2")])
        self.insert("device_chains", 1, "c" * 64, 0.0, 0)
        offset = None if has_rules else zone[0]
        self.insert("observations", 1, 1, observed / 1e6, None, None, "completed", "manual", None, None, zone_name, offset, 2, None, None)
        text = json.dumps(zone, separators=(",", ":"))
        rules = hashlib.sha256(b"hp:v2:zone_rules:" + text.encode()).hexdigest()
        if has_rules:
            self.insert("zone_rules", rules, text)
        self.insert("observation_facts", 1, None, None, None, rules if has_rules else None)
        self.numbers, self.count = {}, 0

    def insert(self, table, *values):
        self.connection.execute("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(values))), values)

    def number(self, table, *values):
        """The row of a table that has some values."""
        if (table, values) not in self.numbers:
            self.numbers[table, values] = len(self.numbers) + 1
            self.insert(table, self.numbers[table, values], *values)
        return self.numbers[table, values]

    def type(self, name, is_complete=True):
        if ("sample_types", (name, None, None)) in self.numbers:
            return self.numbers["sample_types", (name, None, None)]
        number = self.number("sample_types", name, None, None)
        self.insert("observation_type_runs", number, 1, number, "completed" if is_complete else "partial", None, None, None, None, 0, 0, None, None, None)
        return number

    def add(self, record):
        self.count += 1
        source = None
        if record.name or record.bundle or record.product:
            source = self.number("source_revisions", self.number("sources", record.name, record.bundle), record.product, None, None)
        device = record.model and self.number("hk_devices", None, None, record.model, None, None, None, None, None)
        metadata = metadata_of(record)
        text = json.dumps(metadata, sort_keys=True, separators=(",", ":"))
        blob = self.number("metadata_blobs", hashlib.sha256(text.encode()).hexdigest(), text) if metadata else None
        self.insert("samples", self.count, self.type(record.type), None, "%064x" % self.count, None, None, 1, 0.0)
        self.insert(
            "sample_versions", self.count, self.count, "%064x" % self.count, *(NEVER if moment is None else moment / 1e6 for moment in (record.start, record.end)), None,
            record.value, record.unit, record.category, record.activity, record.duration, source, device, blob, 1)
        self.insert("sample_visibility_ranges", self.count, self.count, 1, None, 0.0, None)

    def close(self):
        self.connection.execute("COMMIT")
        self.connection.close()


def metadata_of(record):
    """Metadata that say what a record says beside its columns."""
    found = {}
    if record.user_entered:
        found["HKWasUserEntered"] = (True, 1, "1", "true")[(record.start or 0) // 60_000_000 % 4]
    if record.zone:
        found["HKTimeZone"] = record.zone
    for name, (value, unit) in record.ring:
        found["hp:attribute:" + ATTRIBUTES[name.replace("_goal", "")] + ("Goal" if name.endswith("_goal") else "")] = repr(value)
        if unit:
            found["hp:attribute:activeEnergyBurnedUnit"] = unit
    if record.energy:
        found["hp:statistics"] = [{"type": ENERGY, "sum": repr(record.energy[0]), "unit": record.energy[1]}]
    if record.distance:
        found.update({"hp:attribute:totalDistance": repr(record.distance[0]), "hp:attribute:totalDistanceUnit": record.distance[1]})
    return found


def days(archive, options, *more):
    """The lines of a report."""
    arguments = ["--method", options.method, "--by", options.period, "--format", "jsonl", "--quiet", *more]
    for name in options.prefer:
        arguments += ["--prefer", name]
    for name in ("since", "until"):
        if getattr(options, name):
            arguments += ["--" + name, getattr(options, name)]
    return tool("hp-export", "days", archive, *arguments)


def written(items):
    """Items of the reference, with timestamps as they are written."""
    names = ("day_start", "end_date", "start_date")
    return [{**item, **{name: write_timestamp(item[name] / 1e6) for name in names if name in item}} for item in items]


def difference(ours, theirs):
    """What differs first between the items of the tool and those of the reference, or None."""
    for one, two in zip(ours, theirs):
        if one != two:
            names = [name for name in sorted({*one, *two}) if one.get(name) != two.get(name)]
            where = {name: one.get(name) for name in ("sample_type", "date", "measure")}
            return "%s: tool %s, reference %s" % (where, {name: one.get(name) for name in names}, {name: two.get(name) for name in names})
    return None if len(ours) == len(theirs) else "%d items, not %d: %s" % (len(ours), len(theirs), (ours + theirs)[min(len(ours), len(theirs))])


def compare(what, archive, options, expected):
    """Compares a report with the items that it should have."""
    items = [json.loads(line)["item"] for line in days(archive, options, "--no-record").splitlines()[1:-1]]
    found = difference(items, written(expected))
    return found and "%s, %s by %s: %s" % (what, options.method, options.period, found)


def verify(archive, folder, options):
    """Verifies a report in every container, also against its archive, and makes it again."""
    for container in ("jsonl", "csv", "json", "bundle"):
        path = folder / ("days." + container)
        tool("hp-export", "days", archive, "--method", options.method, "--by", options.period, "--format", container, "-o", path, "--quiet")
        tool("hp-verify", "bundle", path, "--archive", archive)
        if container == "jsonl":
            findings = verify_bundle.verify(io.BytesIO(path.read_bytes()), "days.jsonl")["findings"]
            assert not findings, findings
    tool("hp-export", "days", archive, "--method", options.method, "--by", options.period, "--view", "people", "-o", folder / "people.csv", "--quiet")
    tool("hp-verify", "bundle", folder / "people.csv", "--archive", archive)
    tool("hp-verify", "reproduce", archive)


def check_page(archive, folder, items):
    """Compares the years and nights of the page of the observation with those of its day report."""
    page = folder / "page.html"
    tool("hp-export", "report", archive, "-o", page, "--no-record", "--quiet", "--force")
    lines = page.read_text("utf-8").split('<template id="healthprobe-evidence">\n')[1].split("\n</template>")[0].splitlines()
    rows = [value["item"] for value in (json.loads(html.unescape(line)) for line in lines) if "item" in value]
    everything, types = rows[0], [row for row in rows[1:] if "window_start" not in row and "standing" in row]
    if everything.get("nights", []) != first_page.nights(items):
        return "nights of the page: tool %s, reference %s" % (everything.get("nights"), first_page.nights(items))
    for row, years in zip(types, first_page.years(items, [row.get("sample_type") for row in types])):
        if row.get("years", []) != years:
            return "years of %s in the page: tool %s, reference %s" % (row.get("sample_type"), row.get("years"), years)
    missing = {item.get("sample_type") for item in items if item["record_count"]} - {row.get("sample_type") for row in types}
    return "types without a row in the page: %s" % missing if missing else None


def check_case(book, case, is_verified):
    """A case that was worked out by hand: the tool against the reference, which test_day_report holds against the case."""
    prefer = tuple(hashed(book["sources"][name]["name"]) for name in case.get("prefer", ()))
    options = Options(case.get("method", "cover"), case.get("by", "day"), prefer, case.get("since"), case.get("until"), case.get("zone_name"))
    records = [test_day_report.record(book, fields) for fields in case["records"]]
    records = [dataclasses.replace(record, name=hashed(record.name)) for record in records]
    incomplete = [book["types"][name] for name in case.get("incomplete", ())]
    observed, zone = test_day_report.moment(case.get("observed", "12-31 00:00+2")), book["zones"][case.get("zone", "athens")]
    expected = Report(records, zone, observed, options, incomplete).items()
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive(os.path.join(folder, "a.sqlite"), zone, observed, case.get("zone_name"))
        for name in incomplete:
            archive.type(name, is_complete=False)
        for record in records:
            archive.add(record)
        archive.close()
        found = compare(case["name"], os.path.join(folder, "a.sqlite"), options, expected)
        if not found and is_verified:
            verify(os.path.join(folder, "a.sqlite"), pathlib.Path(folder), options)
        return found


def check_history(number):
    """A random history: every method and period, rows in random order, a random range."""
    history = test_day_report.History(number)
    chance = history.chance
    records = [dataclasses.replace(record, name=hashed(record.name)) for record in history.records]
    if chance.random() < 0.4:  # some of them without a day
        records += [dataclasses.replace(record, start=None) for record in chance.choices(records, k=2)]
    prefer = tuple(map(hashed, history.prefer)) if chance.random() < 0.5 else ()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.sqlite")
        archive = Archive(path, history.zone, history.observed, has_rules=len(history.zone) > 1 or chance.random() < 0.5)
        for record in chance.sample(records, len(records)):
            archive.add(record)
        archive.close()
        prefer = tuple(name for name in prefer if any(record.name == name for record in records))
        for method in METHODS:
            for period in PERIODS:
                options = Options(method, period, prefer)
                expected = Report(records, history.zone, history.observed, options).items()
                found = compare("history %d" % number, path, options, expected)
                if found:
                    return found
        found = check_page(path, pathlib.Path(folder), Report(records, history.zone, history.observed, Options("cover", "day")).items())
        if found:
            return "history %d: %s" % (number, found)
        dates = sorted({item["date"] for item in Report(records, history.zone, history.observed, Options()).items() if "date" in item})
        since, until = sorted(chance.choices(dates, k=2))
        options = Options("cover", "day", prefer, since, until)
        found = compare("history %d" % number, path, options, Report(records, history.zone, history.observed, options).items())
        if not found and number % 10 == 0:
            verify(path, pathlib.Path(folder), Options(chance.choice(METHODS), chance.choice(PERIODS)))
        return found


def check_feed(number):
    """An archive that is captured from a random feed; its records are those of the record table."""
    store = random_stores.Store(random.Random("days of feed %d" % number))
    with tempfile.TemporaryDirectory() as folder:
        path, feed = os.path.join(folder, "a.sqlite"), pathlib.Path(folder) / "feed.jsonl"
        feed.write_bytes(store.feed())
        tool("hp-export", "capture", path, "--feed", feed, "--quiet", good=(0, 1))
        for at in range(1, store.count + 1):
            lines = tool("hp-export", "records", path, "--at", at, "--format", "jsonl", "--no-record", "--quiet").decode().splitlines()
            records, observed, incomplete = records_of(lines)
            with contextlib.closing(sqlite3.connect(path)) as connection:
                row = connection.execute(
                    "SELECT transitions_json, time_zone_identifier FROM observations o JOIN observation_facts f ON f.observation_id = o.id JOIN zone_rules z "
                    "ON z.zone_rules_hash = f.zone_rules_hash WHERE o.id = ?", (at,)).fetchone()
            for method in METHODS:
                for period in PERIODS:
                    options = Options(method, period, zone_name=row[1])
                    expected = Report(records, json.loads(row[0]), observed, options, incomplete).items()
                    text = days(path, options, "--no-record", "--at", str(at))
                    found = difference([json.loads(line)["item"] for line in text.splitlines()[1:-1]], written(expected))
                    if found:
                        return "feed %d at %d, %s by %s: %s" % (number, at, method, period, found)
        verify(path, pathlib.Path(folder), Options())
    return None


def guarded(call):
    try:
        return call[0](*call[1:])
    except Exception:  # what cannot be looked at is a failure
        return "%s: %s" % (call[1:], traceback.format_exc())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--show", type=int, default=5)
    arguments = parser.parse_args()
    book, numbers = cases(), range(arguments.first, arguments.first + arguments.count)
    calls = [(check_case, book, case, place % 4 == 0) for place, case in enumerate(book["cases"])] if arguments.first == 0 else []
    calls += [(check_history, number) for number in numbers] + [(check_feed, number) for number in numbers[::4]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(guarded, calls) if text]
    for text in found[:arguments.show]:
        print("failed:", text)
    print("%d passed, %d failed" % (len(calls) - len(found), len(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
