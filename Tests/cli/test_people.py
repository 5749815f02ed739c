"""The view for people: what it says, compared with a plain reading of the items, and that programs open it as it is."""

import csv
import datetime
import hashlib
import io
import json
import os
import random
import re
import shutil
import subprocess
import unittest
import zoneinfo

from report_support import ReportCase
from archive_builder import DAY, STEPS, Builder
from days import rules_of_system
from test_source_labels import labels_text
from support import FIXTURES, PATIENCE, ROOT, database, execute, hp_export, hp_verify, make_archive, query

# Needs the packages of readers-requirements.txt: Tests/run.py.
SUITE = "readers"

MEASURES = json.loads((ROOT / "Spec" / "measures.json").read_text("utf-8"))["types"]
NAMES = json.loads((ROOT / "Spec" / "names.json").read_text("utf-8"))
COLUMNS = ["change", "changed_fields", "label", "type", "value", "unit", "value_name", "start", "end", "time_zone", "duration_seconds", "activity", "energy_kcal", "distance_m", "value_before", "unit_before",
           "value_name_before", "start_before", "end_before", "source", "device", "item", "item_hash"]
FIELDS = ("start_date", "end_date", "value_kind", "numeric_value", "unit", "category_value", "workout_activity_type", "duration_seconds", "source", "device", "metadata")
LABELS = {"aggregateChanged": "aggregate changed", "appeared": "appeared", "consolidationLikely": "consolidation likely", "disappeared": "disappeared",
          "representationChanged": "representation changed", "uncertain": "uncertain"}
SLEEP, HEART_RATE, WORKOUT = "HKCategoryTypeIdentifierSleepAnalysis", "HKQuantityTypeIdentifierHeartRate", "HKWorkoutTypeIdentifier"


def local(text, zone):
    """A timestamp's local time, and how far that is from UTC, in seconds."""
    moment = datetime.datetime.fromisoformat(text[:19] + "+00:00").astimezone(zone)
    return moment.strftime("%Y-%m-%d %H:%M:%S"), moment.utcoffset().total_seconds()


def offset_name(seconds):
    if not seconds:
        return "UTC"
    hours, rest = divmod(abs(int(seconds)), 3600)
    return "UTC%s%02d:%02d" % ("-" if seconds < 0 else "+", hours, rest // 60) + (":%02d" % (rest % 60) if rest % 60 else "")


def guarded(text):
    """Every part that begins like a formula has its mark (Spec/people-view.md, Dialects)."""
    parts = re.split("([,;|\t\r\n])", text)
    marked = [("'" if part.lstrip('" ').startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20")) else "") + part for part in parts[2::2]]
    first = "'" if text.startswith(tuple("\t\r\n'")) or parts[0].lstrip('" ').startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20")) else ""
    return first + parts[0] + "".join(mark + part for mark, part in zip(parts[1::2], marked))


def value_name(item, version):
    if "category_value" not in version:
        return ""
    number, of = str(version["category_value"]), NAMES["category_types"].get(item["sample_type"])
    name = NAMES["category_values"][of["values"]].get(number) if of else None
    return name or ("value " + number if of or item["sample_type"] not in MEASURES else "")


def stated(version):
    """Energy, distance and rings that metadata state: attributes, or the statistics of a workout."""
    metadata = version.get("metadata")
    if not isinstance(metadata, dict):
        return "", "", ""
    def of(name):
        return metadata.get("hp:attribute:" + name)
    sums = {"energy": of("totalEnergyBurned"), "distance": of("totalDistance") and float(of("totalDistance")) * 1000}
    for entry in metadata.get("hp:statistics", []):
        if entry["type"].startswith("HKQuantityTypeIdentifierDistance"):
            sums["distance"] = float(entry["sum"]) * {"km": 1000, "m": 1}[entry["unit"]]
        elif entry["type"] == "HKQuantityTypeIdentifierActiveEnergyBurned":
            sums["energy"] = entry["sum"]
    rings = [(of(name), of(name + "Goal"), unit) for name, unit in (("activeEnergyBurned", "kcal"), ("appleMoveTime", "min"), ("appleExerciseTime", "min"), ("appleStandHours", "h"))]
    text = " · ".join("%s%s %s" % (value, " / " + goal if goal else "", unit) for value, goal, unit in rings if value)
    return *(round(float(sums[name]), 6) if sums[name] else "" for name in ("energy", "distance")), text


def moments(item):
    """What a row is sorted by; what is absent comes last."""
    change = item.get("change")
    version = item if change is None else item.get("before" if change == "disappeared" else "after", {})
    dates = [version.get(name) for name in ("start_date", "end_date")]
    return [(date is None, date and (date[:19], float("0" + date[19:-1]))) for date in dates]


PRESSURE = "HKCorrelationTypeIdentifierBloodPressure"


def identity(item):
    """What relationships call the sample of an item."""
    return item.get("sample_uuid_hash", item.get("strict_fingerprint"))


def plain_row(item, hashed, zone, labels=None, pressures=({}, {})):
    """What the row of an item has to say."""
    change = item.get("change")
    if (change or "").startswith("relationship_"):
        side = item.get("relationship_after", item.get("relationship_before"))
        parts = (side.get("relationship_kind"), MEASURES.get(side.get("end_sample_type"), {}).get("name", side.get("end_sample_type")))
        row = {**dict.fromkeys(COLUMNS, ""), "change": "%s: %s" % (change.replace("_", " "), ", ".join(part for part in parts if part)),
               "type": MEASURES.get(item["sample_type"], {}).get("name", item["sample_type"]), "item_hash": hashed}
        return {name: guarded(cell) for name, cell in row.items()}
    version = item if change is None else item["before" if change == "disappeared" else "after"]
    row = dict.fromkeys(COLUMNS, "")
    (start, first), (end, last) = local(version["start_date"], zone), local(version["end_date"], zone)
    seconds = (datetime.datetime.fromisoformat(version["end_date"][:-1][:26]) - datetime.datetime.fromisoformat(version["start_date"][:-1][:26])).total_seconds()
    source, device = version.get("source", {}), version.get("device", {})
    name = source.get("source_name_hash")
    row.update(type=MEASURES.get(item["sample_type"], {}).get("name", item["sample_type"]), value=version.get("numeric_value", ""), unit=version.get("unit", ""), value_name=value_name(item, version),
               start=start, end=end, time_zone=offset_name(first) if first == last else "%s to %s" % (offset_name(first), offset_name(last)),
               duration_seconds=version.get("duration_seconds", round(seconds, 3)), activity=NAMES["workout_activities"].get(str(version.get("workout_activity_type")), ""),
               source=(labels or {}).get(name) or source.get("bundle_identifier") or ("source " + name[:8] if name else ""),
               device=" ".join(filter(None, (device.get("model"), device.get("hardware_version")))) or source.get("product_type", ""), item_hash=hashed)
    row["energy_kcal"], row["distance_m"], rings = stated(version)
    now = pressures[0 if change == "disappeared" else 1].get(identity(item), "")
    row["value_name"] = rings or row["value_name"] or now
    if change:
        row["change"] = "changed" if change == "representation_changed" else change
        row["label"] = ": ".join([LABELS[item["label"]], *([", ".join(item["reasons"]).replace("_", " ")] if "reasons" in item else [])])
    if change == "representation_changed":
        before = item["before"]
        differs = {field for field in FIELDS if before.get(field) != version.get(field)} | ({"metadata"} if before.get("metadata_hash") != version.get("metadata_hash") else set())
        row["changed_fields"] = " ".join(field for field in FIELDS if field in differs)
        was = {"value": before.get("numeric_value", ""), "unit": before.get("unit", ""), "value_name": value_name(item, before) or pressures[0].get(identity(item), ""),
               "start": local(before["start_date"], zone)[0], "end": local(before["end_date"], zone)[0]}
        row.update({name + "_before": value for name, value in was.items() if value != row[name]})
    return {name: guarded(cell) if isinstance(cell, str) else cell for name, cell in row.items()}


class PeopleCase(ReportCase):
    def store_rules(self):
        """Gives the archive what a capture stores of the zones that its observations name."""
        with database(self.archive) as connection:
            text = (ROOT / "Spec" / "archive-extensions.sql").read_text("utf-8")
            connection.executescript(text[text.index("-- extension:capture_facts"):text.index("-- extension:history")])
            connection.execute("INSERT INTO archive_metadata VALUES ('extension:capture_facts', '2')")
            for observation, zone in connection.execute("SELECT id, time_zone_identifier FROM observations").fetchall():
                rules = rules_of_system(zone)
                hashed = hashlib.sha256(b"hp:v2:zone_rules:" + rules.encode()).hexdigest()
                connection.execute("INSERT OR IGNORE INTO zone_rules VALUES (?, ?)", (hashed, rules))
                connection.execute("INSERT INTO observation_facts(observation_id, zone_rules_hash) VALUES (?, ?)", (observation, hashed))

    def view(self, command, *options, **others):
        """The rows of a view: names to cells."""
        result = self.assert_good(hp_export(command, self.archive, "--view", "people", "-o", "-", "--no-record", "--quiet", *options, **others))
        mark = ";" if "excel" in options else ","
        return list(csv.DictReader(io.StringIO(result.out.decode("utf-8-sig"), newline=""), delimiter=mark))

    def pressures(self, observation):
        """The cells of blood pressures, by their identities: the values of the records that their items name."""
        lines = self.assert_good(hp_export("records", self.archive, "--at", str(observation), "--format", "jsonl", "-o", "-", "--no-record", "--quiet")).out.splitlines()[1:-1]
        items = [json.loads(line)["item"] for line in lines]
        by_identity = {(item.get("sample_type"), identity(item)): item for item in items}
        found = {}
        for item in items:
            if item.get("sample_type") == PRESSURE:
                kinds = ["HKQuantityTypeIdentifierBloodPressure" + kind for kind in ("Systolic", "Diastolic")]
                ends = {link["end_sample_type"]: by_identity.get((link["end_sample_type"], link["end_identity_hash"])) for link in item.get("relationships", [])
                        if link["relationship_kind"] == "correlation_member" and link["end"] == "target"}
                if all(ends.get(kind) for kind in kinds):
                    numbers = [("%r" % ends[kind]["numeric_value"]).removesuffix(".0") for kind in kinds]
                    found[identity(item)] = "%s/%s %s" % (*numbers, ends[kinds[0]]["unit"])
        return found

    def assert_view(self, command, *options, zone="UTC", labels=None, **others):
        """The view is what a plain reading of the items of the same report gives; its rows."""
        lines = [json.loads(line) for line in self.assert_good(hp_export(command, self.archive, "--format", "jsonl", "-o", "-", "--no-record", "--quiet", *options)).out.splitlines()]
        order = sorted(range(1, len(lines) - 1), key=lambda place: (moments(lines[place]["item"]), place))
        scope = lines[0]["export"]["scope"]
        pressures = [self.pressures(scope[name]) if name in scope else {} for name in ("from_observation_id", "observation_id")]
        expected = [{**plain_row(lines[place]["item"], lines[place]["item_hash"], zoneinfo.ZoneInfo(zone), labels, pressures), "item": place} for place in order]
        found = self.view(command, *options, **others)
        of_kind = COLUMNS if command == "diff" else [name for name in COLUMNS if name not in ("change", "changed_fields", "label") and not name.endswith("_before")]
        if expected:
            self.assertEqual(list(found[0]), [name for name in of_kind if any(row[name] != "" for row in expected)])
        self.assertEqual(len(found), len(expected))
        for row, wanted in zip(found, expected):
            for name, cell in row.items():
                if isinstance(wanted[name], str):
                    self.assertEqual(cell, wanted[name], (name, row))
                else:
                    self.assertEqual(float(cell), wanted[name], (name, row))
        return found


class Contents(PeopleCase):
    def test_rows_are_what_the_items_say(self):
        for seed in (1, 2):
            self.archive.unlink(missing_ok=True)
            make_archive.write(str(self.archive), samples=400, observations=4, seed=seed, journal="delete")
            self.store_rules()
            zone = query(self.archive, "SELECT time_zone_identifier FROM observations WHERE id = 4")[0][0]
            self.assert_view("records", zone=zone)
            self.assert_view("records", "--type", "Workout", zone=zone)
            self.assert_view("diff", zone=zone)
            self.assert_view("diff", "--from", "4", "--to", "1", zone=query(self.archive, "SELECT time_zone_identifier FROM observations WHERE id = 1")[0][0])
            self.assert_view("diff", "--changes", "changed", zone=zone)

    def build(self, zone):
        archive = Builder(self.archive, 2, (SLEEP, HEART_RATE, WORKOUT, STEPS))
        archive.connection.execute("UPDATE observations SET time_zone_identifier = ?", (zone,))
        return archive

    def test_nights_in_which_the_clocks_change(self):
        # Moments before, within and behind both changes of 2001 in Berlin: 03-25 and 10-28, each at 01:00 UTC.
        archive = self.build("Europe/Berlin")
        for day in (83, 300):
            for second in (-7200, -1, 0, 1, 1799.5, 3599, 3600, 7200):
                archive.record(day * DAY + 3600 + second - (28800 if second == 7200 else 0), day * DAY + 3600 + second, None, SLEEP, kind="category", category=5)
        archive.close()
        self.store_rules()
        rows = self.assert_view("records", zone="Europe/Berlin")
        self.assertEqual({row["value_name"] for row in rows}, {"Asleep REM"})
        ambiguous = [row["time_zone"] for row in rows if row["start"].startswith("2001-10-28 02:") and row["start"] == row["end"]]
        self.assertEqual(set(ambiguous), {"UTC+01:00", "UTC+02:00"})
        self.assertEqual({row["time_zone"] for row in rows if float(row["duration_seconds"]) == 28800}, {"UTC+01:00 to UTC+02:00", "UTC+02:00 to UTC+01:00"})

    def test_zones(self):
        for zone in ("Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "UTC", "Australia/Lord_Howe"):
            with self.subTest(zone):
                self.archive.unlink(missing_ok=True)
                archive = self.build(zone)
                for day in range(0, 4000, 97):
                    archive.record(day * DAY + day * 61, day * DAY + day * 61 + 0.25, day / 8, HEART_RATE, unit="count/min")
                archive.close()
                self.store_rules()
                self.assert_view("records", zone=zone)

    def test_values_without_a_name_are_said_as_numbers(self):
        archive = self.build("UTC")
        archive.record(0, 60, None, SLEEP, kind="category", category=99)
        archive.record(60, 120, None, SLEEP, kind="category", category=-1)
        archive.close()
        execute(self.archive, "INSERT INTO sample_types VALUES (77, 'com.example.mood', NULL, NULL)")
        self.assertEqual([row["value_name"] for row in self.assert_view("records")], ["value 99", "value -1"])
        execute(self.archive, "UPDATE samples SET sample_type_id = 77 WHERE id = 1")
        self.assertEqual(sorted(row["type"] for row in self.assert_view("records")), ["Sleep analysis", "com.example.mood"])

    def test_what_is_uncertain_has_its_reasons(self):
        archive = Builder(self.archive, 2, (STEPS,), runs={(1, STEPS): "failed", (2, STEPS): "timed_out"})
        archive.record(0, 60, 5, last=2)
        archive.close()
        row, = self.assert_view("diff")
        self.assertEqual(row["label"], "uncertain: from run not completed, to run not completed")

    def test_no_record_is_a_table_with_all_columns(self):
        self.build("UTC").close()
        out = self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", "-", "--no-record", "--quiet")).out
        self.assertEqual(out.decode(), "type,value,unit,value_name,start,end,time_zone,duration_seconds,activity,energy_kcal,distance_m,source,device,item,item_hash\r\n")


class Apple(PeopleCase):
    def test_rings_and_workouts_have_their_figures_and_rows_are_by_time(self):
        record = ' <Record type="HKQuantityTypeIdentifierStepCount" sourceName="T" unit="count" startDate="2024-01-0%d 09:00:00 +0000" endDate="2024-01-0%d 09:10:00 +0000" value="%d"/>'
        workout = (' <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="60" durationUnit="min" sourceName="T" startDate="2024-01-0%d 10:00:00 +0000" endDate="2024-01-0%d 11:00:00 +0000"%s')
        export = ['<?xml version="1.0" encoding="UTF-8"?>', '<HealthData locale="en_GB">', ' <ExportDate value="2024-01-09 00:00:00 +0000"/>', record % (1, 1, 100), record % (3, 3, 300),
                  workout % (2, 2, ' totalDistance="10.5" totalDistanceUnit="km" totalEnergyBurned="600" totalEnergyBurnedUnit="kcal"/>'),
                  workout % (4, 4, '>'), '  <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" startDate="2024-01-04 10:00:00 +0000" endDate="2024-01-04 11:00:00 +0000" sum="500" unit="kJ"/>',
                  ' </Workout>',
                  ' <ActivitySummary dateComponents="2024-01-02" activeEnergyBurned="420" activeEnergyBurnedGoal="400" activeEnergyBurnedUnit="kcal" appleExerciseTime="31" appleExerciseTimeGoal="30"'
                  ' appleStandHours="12" appleStandHoursGoal="12"/>', ' <ActivitySummary dateComponents="2024-01-05" activeEnergyBurned="0" activeEnergyBurnedUnit="kcal"/>', '</HealthData>', '']
        path = self.folder / "export.xml"
        path.write_text("\n".join(export), encoding="utf-8")
        self.assert_good(hp_export("capture", self.archive, "--apple-health", path, "--quiet"))
        rows = self.view("records")
        found = [(row["start"][:10], row["type"], row["value_name"], row["energy_kcal"], row["distance_m"]) for row in rows]
        rings = MEASURES["HKActivitySummaryTypeIdentifier"]["name"]
        self.assertEqual(found, [
            ("2024-01-01", "Step count", "", "", ""), ("2024-01-02", rings, "420 / 400 kcal · 31 / 30 min · 12 / 12 h", "", ""), ("2024-01-02", "Workout", "", "600", "10500"),
            ("2024-01-03", "Step count", "", "", ""), ("2024-01-04", "Workout", "", "119.502868", ""), ("2024-01-05", rings, "0 kcal", "", "")])
        self.assertEqual([row["item"] for row in rows], ["3", "1", "5", "4", "6", "2"])
        self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", self.folder / "out.csv"))
        self.assert_good(hp_verify("bundle", self.folder / "out.csv", "--archive", self.archive))


class Hostile(PeopleCase):
    TEXTS = ["=1+1", "+1", "-1", "@x", "\t=1", "\r\n=1", "'x", "\uff1d1", "a,b;c", 'say "hi"', " edge ", "line\nend", "2024-01-01", "1e5", "\u202egnp.exe", "\x1b[31m", "\ufeff", '"', ",", ";", "\r"]

    def test_texts_of_strangers_stay_texts(self):
        archive = Builder(self.archive, 2, (STEPS, *self.TEXTS))
        for number, text in enumerate(self.TEXTS):
            archive.record(number * 60, number * 60 + 60, 1.5, text, unit=text, bundle=text)
        archive.close()
        rows = self.assert_view("records")
        self.assertEqual(sorted(row["type"] for row in rows), sorted(map(guarded, self.TEXTS)))
        for row in self.view("records", "--dialect", "excel"):
            self.assertEqual(row["type"], row["unit"])
            self.assertNotIn(row["type"][:1], list("=+-@\t\r\n\uff1d"))
            self.assertEqual(row["value"], "1,5")
        for options in ((), ("--dialect", "excel")):
            self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", self.folder / "out.csv", "--force", *options))
            result = self.assert_good(hp_verify("bundle", self.folder / "out.csv", "--archive", self.archive))
            self.assertIn(b"valid people view: matches the archive\n", result.out)
            self.assert_valid_by_specification(self.folder / "out.csv")

    def assert_valid_by_specification(self, path):
        from verifier.command import sidecar_of
        from verifier.files import verify
        with open(path, "rb") as file:
            verdict = verify(file, path.name, sidecar_of(os.fspath(path)))
        self.assertEqual((verdict["result"], verdict["findings"]), ("ok", []))

    def test_a_view_that_was_changed_is_found(self):
        make_archive.write(str(self.archive), samples=200, observations=3, seed=1, journal="delete")
        out = self.folder / "out.csv"
        self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", out))
        whole, sidecar = out.read_bytes(), json.loads((self.folder / "out.csv-metadata.json").read_bytes())
        rows = whole.split(b"\r\n")
        for edit, codes in (
                (b"\r\n".join(rows[:5] + rows[6:]), {"manifest.hash", "manifest.totals"}),
                (b"\r\n".join(rows[:5] + [rows[5][:-65] + b"0," + rows[5][-64:]] + rows[6:]), {"manifest.hash"}),
                (whole.replace(b"2001-01-", b"2001-02-", 1), {"container.file_hash"})):
            out.write_bytes(edit)
            if "container.file_hash" not in codes:
                sidecar["urn:healthprobe:report"].update(byte_count=len(edit), sha256=hashlib.sha256(edit).hexdigest(), row_count=edit.count(b"\r\n") - 1)
                text = json.dumps(sidecar, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
                (self.folder / "out.csv-metadata.json").write_text(text, "utf-8")
            result = hp_verify("bundle", out, "--json")
            self.assertEqual(result.status, 1)
            if "container.file_hash" in codes:
                self.assertIn("container.file_hash", json.loads(result.out)["files"][0]["counts"])
            else:
                self.assertEqual(set(json.loads(result.out)["files"][0]["counts"]), codes)

    def falsified(self, out, chance):
        """Makes every cell of every row but the item's number and hash something else that its column may hold, and the sidecar follow."""
        first, *rows = self.cells(out)
        changed = 0
        for row in rows:
            for place, name in enumerate(first[:-2]):
                before = row[place]
                if name in ("start", "end", "start_before", "end_before"):
                    row[place] = "19%02d-01-01 00:00:00" % chance.randrange(70, 100)
                elif name in ("value", "duration_seconds", "value_before", "energy_kcal", "distance_m"):
                    row[place] = str(chance.randrange(10**6, 10**7))
                else:
                    row[place] = "false %d" % chance.randrange(10**6)
                changed += row[place] != before
        self.rewrite(out, [first, *rows])
        self.assertEqual(changed, len(rows) * (len(first) - 2))

    def delimiter(self, out):
        return ";" if out.read_bytes().startswith(b"\xef\xbb\xbf") else ","

    def cells(self, out):
        return list(csv.reader(io.StringIO(out.read_bytes().decode("utf-8-sig"), newline=""), delimiter=self.delimiter(out)))

    def rewrite(self, out, rows, **more):
        """Writes other rows, and makes the sidecar follow."""
        text, delimiter = io.StringIO(newline=""), self.delimiter(out)
        csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
        data = (b"\xef\xbb\xbf" if delimiter == ";" else b"") + text.getvalue().encode()
        out.write_bytes(data)
        beside = out.with_name(out.name + "-metadata.json")
        sidecar = json.loads(beside.read_bytes())
        sidecar["urn:healthprobe:report"].update(byte_count=len(data), sha256=hashlib.sha256(data).hexdigest(), **more)
        beside.write_text(json.dumps(sidecar, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")

    def verdict(self, out, *options):
        (file,) = json.loads(hp_verify("bundle", out, "--json", "--archive", self.archive, *options).out)["files"]
        return file

    def test_a_blood_pressure_has_both_values(self):
        for month in ("month-0.xml", "month-1.xml"):
            self.assert_good(hp_export("capture", self.archive, FIXTURES / "apple-health" / month, "--quiet"))
        rows = self.view("records")
        found = [row["value_name"] for row in rows if row["type"] == "Blood pressure"]
        self.assertIn("110/70 mmHg", found)
        self.assertEqual(sorted(filter(None, found)), sorted(self.pressures(2).values()))
        self.assertIn("111/71 mmHg", [row["value_name"] for row in self.view("records", "--type", PRESSURE)])
        out = self.folder / "out.csv"
        for command in ("records", "diff"):
            self.assert_good(hp_export(command, self.archive, "--format", "csv", "--view", "people", "-o", out, "--quiet", "--force"))
            self.assertEqual(self.verdict(out)["verdict"], "valid people view: matches the archive")

    def test_an_archive_finds_a_changed_cell_at_its_row(self):
        make_archive.write(str(self.archive), samples=300, observations=3, seed=2, journal="delete")
        out, chance = self.folder / "out.csv", random.Random(7)
        commands = (("records",), ("records", "--dialect", "excel"), ("diff", "--format", "csv"), ("days", "--format", "csv"), ("days", "--by", "month", "--format", "csv"))
        for recorded in (False, True):
            for command, *options in commands:
                self.assert_good(hp_export(command, self.archive, "--view", "people", *options, *(() if recorded else ("--no-record",)), "-o", out, "--force", "--quiet"))
                whole = self.verdict(out)
                self.assertEqual((whole["verdict"], whole["not_verified"], whole["evidence"]),
                                 ("valid people view: " + ("matches the archive" if recorded else "reproduced, not recorded"), [], "given"))
                rows, bytes_ = self.cells(out), out.read_bytes()
                for name in chance.sample(rows[0][:-2], 4):
                    with self.subTest(command=command, options=options, column=name, recorded=recorded):
                        place, number = rows[0].index(name), chance.randrange(1, len(rows))
                        other = [list(row) for row in rows]
                        cells = {row[place] for row in rows[1:]} - {rows[number][place], ""}
                        other[number][place] = min(cells) if cells else ("9" + rows[number][place] if rows[number][place] else "9")
                        self.rewrite(out, other)
                        found = self.verdict(out)
                        self.assertEqual([(finding["code"], finding["line"]) for finding in found["findings"]], [("archive.evidence_changed", number + 1)])
                        self.assertEqual((found["result"], found["evidence"]), ("findings", "differs"))
                        self.assertEqual(hp_verify("bundle", out).status, 0)
                # Rows in another order, and a row fewer than the items.
                self.rewrite(out, [rows[0], rows[2], rows[1], *rows[3:]])
                self.assertEqual([finding["line"] for finding in self.verdict(out)["findings"]], [2])
                self.rewrite(out, rows)
                self.assertEqual((out.read_bytes(), self.verdict(out)["verdict"]), (bytes_, whole["verdict"]))

    def test_a_view_of_another_renderer_is_compared_by_its_items(self):
        make_archive.write(str(self.archive), samples=100, observations=2, seed=2, journal="delete")
        out = self.folder / "out.csv"
        self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", out, "--quiet"))
        rows = self.cells(out)
        rows[1][rows[0].index("type")] = "Other words"
        self.rewrite(out, rows, renderer=7)
        found = self.verdict(out)
        self.assertEqual((found["verdict"], found["not_verified"]),
                         ("valid people view: its item hashes match the archive; items match, cells of renderer 7 were not verified", ["cells"]))
        self.assertNotIn("renderer", self.verdict(out, "--recorded-only")["verdict"])

    def test_columns_that_may_have_labels_are_named_and_left_out(self):
        archive = Builder(self.archive, 1, (STEPS,))
        for number in range(20):
            archive.record(number * 60, number * 60 + 60, 1.5 + number, STEPS, bundle="com.example.%d" % (number % 3))
        archive.close()
        out = self.folder / "out.csv"
        labels = self.archive.with_name(self.archive.name + ".labels")
        labels.write_text(labels_text({"0" * 64: "A phone"}))
        labels.chmod(0o600)
        self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", out, "--quiet"))
        rows = self.cells(out)
        verdict = "valid people view: matches the archive; cells from labels were not compared: source"
        self.assertEqual((self.verdict(out)["verdict"], self.verdict(out)["not_verified"]), (verdict, ["label_cells"]))
        other = [list(row) for row in rows]
        other[3][rows[0].index("source")] = "Somebody else"
        self.rewrite(out, other)
        self.assertEqual(self.verdict(out)["verdict"], verdict)
        other[3][rows[0].index("value")] = "99"
        self.rewrite(out, other)
        self.assertEqual([(finding["code"], finding["line"]) for finding in self.verdict(out)["findings"]], [("archive.evidence_changed", 4)])

    def test_no_verdict_vouches_for_cells_that_were_not_rendered_again(self):
        """Whatever the cells say: without the archive's evidence the words and the member say that they were not verified."""
        from verifier.command import as_text, sidecar_of
        from verifier.files import verify
        make_archive.write(str(self.archive), samples=200, observations=3, seed=1, journal="delete")
        out, junit, chance = self.folder / "out.csv", self.folder / "junit.xml", random.Random(6)
        for command in ("records", "diff"):
            for dialect in ((), ("--dialect", "excel")):
                form = ("--format", "csv") if command == "diff" else ()
                self.assert_good(hp_export(command, self.archive, *form, "--view", "people", *dialect, "-o", out, "--force", "--quiet"))
                self.assertEqual(json.loads((self.folder / "out.csv-metadata.json").read_bytes())["urn:healthprobe:report"]["renderer"], 1)
                for falsify in (False, True):
                    if falsify:
                        self.falsified(out, chance)
                    for options, words in (((), "self-consistent"), (("--archive", self.archive), "its item hashes match the archive"),
                                           (("--archive", self.archive, "--recorded-only"), "its item hashes match what the archive recorded")):
                        with self.subTest(command=command, dialect=dialect, falsify=falsify, options=options[1:]):
                            verdict = "valid people view: %s; cells not verified" % words
                            if options[1:] == (self.archive,):
                                (file,) = json.loads(hp_verify("bundle", out, "--json", *options).out)["files"]
                                self.assertEqual((file["not_verified"], file["result"]), (["cells"], "findings") if falsify else ([], "ok"))
                                continue
                            result = self.assert_good(hp_verify("bundle", out, *options, "--junit", junit, "--force"))
                            self.assertEqual(result.out.decode().splitlines()[0], "%s: %s" % (out, verdict))
                            self.assertIn("<system-out>%s</system-out>" % verdict, junit.read_text())
                            (file,) = json.loads(hp_verify("bundle", out, "--json", *options).out)["files"]
                            self.assertEqual((file["verdict"], file["not_verified"], file["result"]), (verdict, ["cells"], "ok"))
                            self.assertEqual([file["layers"][layer] for layer in ("item", "order")], ["unknown", "unknown"])
                    with open(out, "rb") as file:
                        theirs = {"file": out.name, **verify(file, out.name, sidecar_of(os.fspath(out)))}
                    self.assertEqual((theirs["verdict"], theirs["not_verified"]), ("valid people view: self-consistent; cells not verified", ["cells"]))
                    self.assertTrue(next(as_text(theirs)).endswith("; cells not verified"))
        self.assert_good(hp_export("records", self.archive, "-o", out, "--force"))
        (file,) = json.loads(self.assert_good(hp_verify("bundle", out, "--json")).out)["files"]
        self.assertEqual((file["verdict"], file["not_verified"]), ("valid: self-consistent", []))

    def test_a_view_of_another_export_is_not_that_of_the_record(self):
        make_archive.write(str(self.archive), samples=200, observations=3, seed=1, journal="delete")
        out = self.folder / "out.csv"
        self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", out))
        execute(self.archive, "UPDATE export_manifests SET manifest_hash = '%s'" % ("0" * 64))
        self.assertIn(b"archive.manifest_hash", hp_verify("bundle", out, "--archive", self.archive).out)


class Usage(PeopleCase):
    def test_wrong_options_are_refused(self):
        self.archive = self.fixture()
        for options, word in (
                (("records", "--view", "machines"), "--view accepts people"), (("records", "--view", "people", "--format", "json"), "--format csv"),
                (("records", "--dialect", "excel"), "--dialect needs --view people"), (("records", "--view", "people", "--dialect", "csv"), "--dialect accepts excel"),
                (("diff", "--summary", "--format", "csv", "--view", "people"), "not for a summary"), (("diff", "--findings", "--format", "csv", "--view", "people"), "not for a summary"),
                (("manifest", "--view", "people"), "--view")):
            with self.subTest(options):
                self.assert_refused(hp_export(options[0], self.archive, *options[1:]), word)

    def test_the_view_is_recorded_as_the_export_that_it_shows(self):
        self.archive = self.fixture()
        ids = [json.loads(self.assert_good(hp_export("records", self.archive, "-o", self.folder / name, "--json", *options)).out)["export_id"]
               for name, options in (("a.csv", ()), ("b.csv", ("--view", "people")), ("c.csv", ("--view", "people", "--dialect", "excel")))]
        self.assertEqual(len(set(ids)), 1)
        self.assert_settled(self.archive, exports=1)


class Programs(PeopleCase):
    """Dates are dates and numbers are numbers, without options. pandas takes no column for dates by itself; its own conversion needs no format."""

    def setUp(self):
        super().setUp()
        make_archive.write(str(self.archive), samples=400, observations=4, seed=1, journal="delete")
        self.out = self.folder / "out.csv"
        self.assert_good(hp_export("records", self.archive, "--view", "people", "-o", self.out))
        self.rows = self.view("records")

    def test_duckdb(self):
        import duckdb
        for path in (self.out, self.excel()):
            found = duckdb.sql("SELECT * FROM '%s'" % path if path == self.out else "SELECT * FROM read_csv('%s', decimal_separator = ',')" % path)
            types = dict(zip(found.columns, map(str, found.types)))
            self.assertEqual({name: types[name] for name in ("value", "start", "end", "duration_seconds", "type", "item_hash")}, {
                "value": "DOUBLE", "start": "TIMESTAMP", "end": "TIMESTAMP", "duration_seconds": "DOUBLE", "type": "VARCHAR", "item_hash": "VARCHAR"})
            starts = [row[found.columns.index("start")].strftime("%Y-%m-%d %H:%M:%S") for row in found.fetchall()]
            self.assertEqual(starts, [row["start"] for row in self.rows])

    def excel(self):
        out = self.folder / "excel.csv"
        self.assert_good(hp_export("records", self.archive, "--view", "people", "--dialect", "excel", "-o", out, "--force"))
        return out

    def test_pandas(self):
        import pandas
        for table in (pandas.read_csv(self.out), pandas.read_csv(self.excel(), sep=";", decimal=",")):
            self.assertEqual((str(table["value"].dtype), str(table["duration_seconds"].dtype)), ("float64", "float64"))
            self.assertEqual([str(moment) for moment in pandas.to_datetime(table["start"])], [row["start"] for row in self.rows])
            self.assertEqual([value for value in table["value"] if value == value], [float(row["value"]) for row in self.rows if row["value"]])

    def opened(self, path, *options):
        """What LibreOffice makes of a file: the kinds of its cells, and the text of it all."""
        subprocess.run(["soffice", "--headless", "-env:UserInstallation=file://%s/profile" % self.folder, *options, "--convert-to", "fods", "--outdir", self.folder, path],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE)
        text = path.with_suffix(".fods").read_text("utf-8")
        self.assertNotIn("table:formula", text)
        return set(re.findall('office:value-type="([a-z]*)"', text)), text

    def assert_cells(self, text):
        dates = {moment.replace("T", " ") for moment in re.findall('office:date-value="([^"]*)"', text)}
        self.assertEqual(dates, {row[name] for row in self.rows for name in ("start", "end")})
        numbers = {float(number) for number in re.findall('office:value="([^"]*)"', text)}
        self.assertLessEqual({float(row["value"]) for row in self.rows if row["value"]}, numbers)

    @unittest.skipUnless(shutil.which("soffice"), "there is no LibreOffice")
    def test_libreoffice(self):
        # Without "detect special numbers", the last of these, it takes every date of any file for a text.
        self.assertEqual(self.opened(self.out)[0], {"float", "string"})
        kinds, text = self.opened(self.out, "--infilter=CSV:44,34,76,1,,0,false,true")
        self.assertEqual(kinds, {"date", "float", "string"})
        self.assert_cells(text)

    @unittest.skipUnless(shutil.which("soffice"), "there is no LibreOffice")
    def test_libreoffice_with_decimal_commas(self):
        # 1031 is German (Germany), where 1,5 is a number.
        kinds, text = self.opened(self.excel(), "--infilter=CSV:59,34,76,1,,1031,false,true")
        self.assertEqual(kinds, {"date", "float", "string"})
        self.assert_cells(text)


if __name__ == "__main__":
    unittest.main()
