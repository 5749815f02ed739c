"""hp-export days: options, what is recorded, cells of the view for people. The figures themselves: Tests/reference/test_day_archives.py."""

import csv
import io
import json

from archive_builder import STEPS, Builder
from report_support import ReportCase
from support import execute, hp_export, hp_verify, query

PHONE, WATCH = "org.example.phone", "org.example.watch"
SLEEP, HEART = "HKCategoryTypeIdentifierSleepAnalysis", "HKQuantityTypeIdentifierHeartRate"
HOUR = 3600


class DaysCase(ReportCase):
    def setUp(self):
        super().setUp()
        builder = Builder(self.archive, 2, (STEPS, HEART, SLEEP))
        # The first two days of 2001: steps of both from ten to eleven; of the watch over midnight; a night.
        builder.record(10 * HOUR, 11 * HOUR, 80, bundle=PHONE)
        builder.record(10 * HOUR, 11 * HOUR, 100, bundle=WATCH)
        builder.record(23 * HOUR, 25 * HOUR, 30, bundle=WATCH)
        for value in (60, 70, 80):
            builder.record(12 * HOUR + value, 12 * HOUR + value, value, HEART, unit="count/min", bundle=WATCH)
        builder.record(22 * HOUR, 30 * HOUR, None, SLEEP, kind="category", category=3, bundle=WATCH)
        builder.close()

    def lines(self, *options):
        return [json.loads(line) for line in self.assert_good(hp_export("days", self.archive, "--format", "jsonl", "--no-record", "--quiet", *options)).out.splitlines()]

    def days(self, *options):
        return [line["item"] for line in self.lines(*options)[1:-1]]

    def steps(self, *options):
        return [(item["date"], item["value_sum"], item["dropped_sum"]) for item in self.days("--type", "StepCount", *options)]


class Options(DaysCase):
    def test_methods(self):
        # By rank of equal classes: the longer covered time first, which is the watch's.
        self.assertEqual(self.steps(), [("2001-01-01", 115, 80), ("2001-01-02", 15, 0)])
        self.assertEqual(self.steps("--method", "greatest"), [("2001-01-01", 115, 80), ("2001-01-02", 15, 0)])
        self.assertEqual(self.steps("--method", "sources"), [("2001-01-01", 80, 0), ("2001-01-01", 115, 0), ("2001-01-02", 15, 0)])
        self.assertEqual(self.steps("--prefer", PHONE), [("2001-01-01", 95, 100), ("2001-01-02", 15, 0)])

    def test_months_and_dates(self):
        self.assertEqual(self.steps("--by", "month"), [("2001-01", 130, 80)])
        self.assertEqual(self.steps("--since", "2001-01-02"), [("2001-01-02", 15, 0)])
        self.assertEqual(self.steps("--until", "2001-01-02"), [("2001-01-01", 115, 80)])
        self.assertEqual(self.steps("--since", "2001-01-02", "--by", "month"), [])

    def test_filters_select_records(self):
        self.assertEqual(self.steps("--source", PHONE), [("2001-01-01", 80, 0)])

    def test_the_header_states_the_question(self):
        scope = self.lines("--method", "greatest", "--by", "month", "--prefer", WATCH, "--prefer", PHONE, "--prefer", WATCH)[0]["export"]["scope"]
        self.assertEqual(scope, {"method": "greatest", "mode": "point_in_time", "observation_id": 2, "period": "month", "preferred": [WATCH, PHONE],
                                 "zone": {"basis": "offset", "offset_seconds": 0}})

    def test_wrong_words_are_refused(self):
        for options, said in ((["--method", "newest"], "--method accepts"), (["--by", "week"], "--by accepts"), (["--prefer", "nobody"], "--prefer: there is no source"),
                              (["--overlapping"], "--overlapping"), (["--view", "people", "--format", "jsonl"], "--view people is a table")):
            with self.subTest(options=options):
                result = hp_export("days", self.archive, *options)
                self.assertEqual((result.status, result.out), (2, b""))
                self.assertIn(said, result.err)

    def test_totals_add_records_and_sums(self):
        types = {entry["sample_type"]: entry for entry in self.lines()[-1]["totals"]["types"]}
        self.assertEqual(types[STEPS], {"defect_count": 0, "dropped_sum": 80, "item_count": 2, "provenance_loss": {}, "record_count": 3, "sample_type": STEPS, "unit": "count",
                                        "value_sum": 130})
        self.assertEqual((types[SLEEP]["record_count"], types[SLEEP]["item_count"], "unit" in types[SLEEP]), (1, 3, False))


class Records(DaysCase):
    def test_every_container_is_verified_and_made_again(self):
        for container in ("csv", "jsonl", "json", "bundle"):
            path = self.folder / ("days." + container)
            self.assert_good(hp_export("days", self.archive, "--format", container, "-o", path, "--quiet"))
            self.assert_good(hp_verify("bundle", path))
            self.assert_good(hp_verify("bundle", path, "--archive", self.archive))
        self.assertEqual(query(self.archive, "SELECT export_kind, record_count FROM export_manifests"), [("day_report", 6)])
        self.assert_good(hp_verify("reproduce", self.archive))
        self.assert_good(hp_verify("archive", self.archive, "--only", "manifests"))
        self.assert_good(hp_verify("archive", self.archive, "--only", "exports"))

    def test_another_archive_gives_other_days(self):
        path = self.folder / "days.jsonl"
        self.assert_good(hp_export("days", self.archive, "--format", "jsonl", "-o", path, "--no-record", "--quiet"))
        text = path.read_bytes().replace(b'"value_mean":70', b'"value_mean":71')
        path.write_bytes(text)
        result = hp_verify("bundle", path, "--archive", self.archive)
        self.assertEqual(result.status, 1)
        self.assertIn("item.hash", result.out.decode())

    def test_a_salvage_keeps_days(self):
        path, saved = self.folder / "days.jsonl", self.folder / "saved.jsonl"
        self.assert_good(hp_export("days", self.archive, "--format", "jsonl", "-o", path, "--no-record", "--quiet"))
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([*lines[:2], b"damaged\n", *lines[3:]]))
        hp_verify("salvage", path, "-o", saved)
        self.assert_good(hp_verify("bundle", saved))


class People(DaysCase):
    def test_cells(self):
        result = self.assert_good(hp_export("days", self.archive, "--view", "people", "--no-record", "--quiet"))
        rows = list(csv.DictReader(io.StringIO(result.out.decode("utf-8"), newline="")))
        self.assertEqual(list(rows[0]), ["date", "type", "value", "unit", "value_name", "minimum", "maximum", "dropped", "core_h", "deep_h", "rem_h", "start", "end", "time_zone",
                                         "records", "source", "item", "item_hash"])
        found = [[row[name] for name in ("date", "type", "value", "unit", "dropped", "source")] for row in rows]
        self.assertEqual(found, [
            ["2001-01-01", "Sleep analysis", "2", "h", "", WATCH], ["2001-01-01", "Heart rate", "70", "count/min", "", WATCH],
            ["2001-01-01", "Step count", "115", "count", "80", "2 sources"], ["2001-01-02", "Sleep analysis", "6", "h", "", WATCH],
            ["2001-01-02", "Night", "8", "h", "", WATCH], ["2001-01-02", "Step count", "15", "count", "", WATCH]])

    def test_notes(self):
        """At observation 1 the second day had not ended, and a run was not completed."""
        execute(self.archive, "UPDATE observation_type_runs SET status = 'partial' WHERE observation_id = 1 AND sample_type_id = 2")
        for period, note in (("day", "partial day"), ("month", "partial month")):
            result = self.assert_good(hp_export("days", self.archive, "--at", "1", "--by", period, "--view", "people", "--no-record", "--quiet"))
            rows = list(csv.DictReader(io.StringIO(result.out.decode("utf-8"), newline="")))
            notes = {(row["date"], row["type"]): row["note"] for row in rows}
            self.assertEqual({text for (date, name), text in notes.items() if name == "Heart rate"}, {"not read completely"})
            self.assertEqual({text for (date, name), text in notes.items() if name == "Step count" and date != "2001-01-01"}, {note})

    def test_a_view_is_verified(self):
        for options in ([], ["--dialect", "excel"]):
            path = self.folder / "people.csv"
            self.assert_good(hp_export("days", self.archive, "--view", "people", *options, "-o", path, "--force", "--quiet"))
            result = self.assert_good(hp_verify("bundle", path, "--archive", self.archive))
            self.assertIn("valid people view", result.out.decode())
