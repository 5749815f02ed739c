"""Readers for each kind of items: their columns, local times and days, a choice of columns and types, and Parquet.

Local times are compared with those of Python's own `zoneinfo` and of a fixed offset.
"""

import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zoneinfo

import pyarrow.parquet

from support import FIXTURES, ROOT, Case, hp_export, lines_of

sys.path[:0] = [str(ROOT / "python")]

import healthprobe  # noqa: E402

# Needs the packages of readers-requirements.txt: Tests/run.py.
SUITE = "readers"

STEPS = "HKQuantityTypeIdentifierStepCount"
PROGRAMS = ("duckdb", "arrow", "polars", "pandas")


def rows_of(found, program):
    """The rows of what a reader gives, without what is absent, as texts, numbers, moments and dates of Python."""
    if program == "duckdb":
        rows = [dict(zip(found.columns, row)) for row in found.fetchall()]
    else:
        rows = {"arrow": lambda: found.to_pylist(), "polars": lambda: found.to_dicts(),
                "pandas": lambda: found.astype(object).where(found.notna(), None).to_dict("records")}[program]()
    return [{name: plain(name, value) for name, value in row.items() if value is not None} for row in rows]


def plain(name, value):
    """A moment of pandas as one of Python, and where it is a day, its date."""
    if hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime()
    return value.date() if name == "day" and isinstance(value, datetime.datetime) else value


def moment(text):
    """A timestamp of an item, to the microsecond."""
    seconds, fraction = re.fullmatch(r"(.{19})\.([0-9]+)Z", text).groups()
    found = datetime.datetime.strptime(seconds, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=datetime.timezone.utc)
    return found + datetime.timedelta(microseconds=int(fraction[:6].ljust(6, "0")))


def local(text, zone):
    return moment(text).astimezone(zone).replace(tzinfo=None)


class ReaderKinds(Case):
    """A bundle of a zone with a name, and files of one at a fixed offset."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="hp-reader-kinds.")
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.files = pathlib.Path(folder)
        months = [FIXTURES / "apple-health" / name for name in ("month-0.xml", "month-1.xml")]
        archive = cls.files / "health.sqlite"
        cls.run_tool("capture", archive, *months, "--quiet")
        for name, command in {"offset.jsonl.zst": ("bundle",), "history.jsonl.zst": ("bundle", "--history"), "shared.jsonl.zst": ("bundle", "--profile", "share"),
                              "records.csv": ("records",), "records.json": ("records", "--format", "json"), "changes.jsonl": ("diff", "--format", "jsonl"),
                              "changes.csv": ("diff", "--format", "csv"), "days.jsonl": ("days", "--format", "jsonl"), "days.csv": ("days",),
                              "summary.jsonl": ("diff", "--summary", "--format", "jsonl")}.items():
            cls.run_tool(command[0], archive, "-o", cls.files / name, "--quiet", *command[1:])

    @staticmethod
    def run_tool(*arguments):
        result = hp_export(*arguments)
        if result.status:
            raise RuntimeError(result.err)

    def items(self, name, folder=None):
        path = (folder or self.files) / name
        lines = lines_of(path) if path.suffix == ".zst" else path.read_bytes().splitlines()
        return [{**line["item"], "item_hash": line["item_hash"]} for line in map(json.loads, lines) if "item_hash" in line]

    def assert_local(self, rows, items, zone):
        self.assertEqual([row["item_hash"] for row in rows], [item["item_hash"] for item in items])
        for row, item in zip(rows, items):
            start = item.get("after", item.get("before", item)).get("start_date")
            expected = None if start is None else local(start, zone)
            self.assertEqual(row.get("start_local"), expected, start)
            self.assertEqual(row.get("day"), None if expected is None else expected.date(), start)

    def test_local_times_of_a_zone_with_a_name(self):
        archive, bundle = self.generated(3000), self.folder / "named.jsonl.zst"
        self.assert_good(hp_export("bundle", archive, "-o", bundle, "--quiet"))
        items = self.items("named.jsonl.zst", self.folder)
        for program in PROGRAMS:
            rows = rows_of(healthprobe.read_records(bundle, program), program)
            self.assert_local(rows, items, zoneinfo.ZoneInfo("Europe/Vienna"))
            rows = rows_of(healthprobe.read_records(bundle, program, time_zone="Pacific/Auckland"), program)
            self.assert_local(rows, items, zoneinfo.ZoneInfo("Pacific/Auckland"))

    def test_local_times_of_an_offset(self):
        zone = datetime.timezone(datetime.timedelta(hours=2))
        for name in ("offset.jsonl.zst", "records.json", "records.csv", "shared.jsonl.zst", "changes.jsonl", "changes.csv"):
            read = healthprobe.read_changes if name.startswith("changes") else healthprobe.read_records
            items = self.items({"records.json": "offset.jsonl.zst", "records.csv": "offset.jsonl.zst", "changes.csv": "changes.jsonl"}.get(name, name))
            for program in PROGRAMS:
                with self.subTest(file=name, program=program):
                    self.assert_local(rows_of(read(self.files / name, program), program), items, zone)

    def test_days_have_their_date(self):
        items = self.items("days.jsonl")
        self.assertGreater(len(items), 50)
        for name in ("days.jsonl", "days.csv"):
            for program in PROGRAMS:
                rows = rows_of(healthprobe.read_days(self.files / name, program), program)
                self.assertEqual([str(row.get("day")) for row in rows], [item.get("date", "None") for item in items])

    def test_a_bundle_of_records_has_the_columns_of_records(self):
        members = {name for item in self.items("offset.jsonl.zst") for name in item}
        for program in ("duckdb", "arrow", "polars"):
            columns = list(healthprobe.read_records(self.files / "offset.jsonl.zst", program, types=()).columns if program != "arrow" else
                           healthprobe.read_records(self.files / "offset.jsonl.zst", program, types=()).column_names)
            self.assertLessEqual(members, set(columns))
            self.assertEqual(len(columns), 28)
            self.assertEqual(columns[-3:], ["item_hash", "start_local", "day"])

    def test_columns_and_types(self):
        steps = [item for item in self.items("offset.jsonl.zst") if item["sample_type"] == STEPS]
        self.assertGreater(len(steps), 3)
        for program in PROGRAMS:
            for name in ("offset.jsonl.zst", "records.json", "records.csv"):
                found = healthprobe.read_records(self.files / name, program, columns=["numeric_value", "day"], types=STEPS)
                rows = rows_of(found, program)
                self.assertEqual([list(row) for row in rows], [["numeric_value", "day"]] * len(steps))
                self.assertEqual([row["numeric_value"] for row in rows], [item["numeric_value"] for item in steps])
            found = healthprobe.read(self.files / "history.jsonl.zst", program, columns="item_hash")
            self.assertEqual([row["item_hash"] for row in rows_of(found, program)], [item["item_hash"] for item in self.items("history.jsonl.zst")])

    def test_what_is_not_there(self):
        for program in PROGRAMS:
            with self.assertRaisesRegex(ValueError, r"no column numeric_valeu; the nearest is numeric_value$"):
                healthprobe.read(self.files / "offset.jsonl.zst", program, columns=["numeric_valeu"])
            with self.assertRaisesRegex(ValueError, r"not a file of records; read_hp_changes reads it$"):
                healthprobe.read_records(self.files / "changes.jsonl", program)
            with self.assertRaisesRegex(ValueError, r"not a file of days$"):
                healthprobe.read_days(self.files / "summary.jsonl", program)
            with self.assertRaisesRegex(ValueError, r"no time zone in the header; name one with time_zone$"):
                healthprobe.read_records(ROOT / "Spec" / "examples" / "minimal.jsonl", program)

    def test_the_macros(self):
        from healthprobe.readers import for_duckdb
        connection = for_duckdb.connect()
        items = self.items("offset.jsonl.zst")
        found = connection.sql("FROM read_hp_records('%s', zone := 'Etc/GMT-2')" % (self.files / "offset.jsonl.zst"))
        self.assert_local(rows_of(found, "duckdb"), items, datetime.timezone(datetime.timedelta(hours=2)))
        found = connection.sql("FROM read_hp_records('%s')" % (self.files / "history.jsonl.zst"))
        history = [item for item in self.items("history.jsonl.zst")]
        self.assert_local(rows_of(found, "duckdb"), history, datetime.timezone.utc)
        found = connection.sql("FROM read_hp_changes('%s')" % (self.files / "changes.jsonl"))
        self.assert_local(rows_of(found, "duckdb"), self.items("changes.jsonl"), datetime.timezone.utc)
        found = connection.sql("SELECT day, item_hash FROM read_hp_days('%s')" % (self.files / "days.jsonl"))
        self.assertEqual([str(day) for day, _ in found.fetchall()], [item.get("date", "None") for item in self.items("days.jsonl")])

    def to_parquet(self, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        return subprocess.run([sys.executable, "-B", "-m", "healthprobe", "to-parquet", *map(str, arguments)], cwd=self.folder, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

    def test_to_parquet(self):
        shutil.copyfile(self.files / "offset.jsonl.zst", self.folder / "health.jsonl.zst")
        items = self.items("offset.jsonl.zst")
        result = self.to_parquet("health.jsonl.zst")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "health.parquet: %d rows\n" % len(items), ""))
        rows = pyarrow.parquet.read_table(self.folder / "health.parquet").to_pylist()
        self.assert_local(rows, items, datetime.timezone(datetime.timedelta(hours=2)))
        self.assertEqual((self.folder / "health.parquet").stat().st_mode & 0o777, 0o600)
        again = self.to_parquet("health.jsonl.zst")
        self.assertEqual((again.returncode, again.stderr), (2, "healthprobe to-parquet: error: health.parquet: exists already\n"))
        few = self.to_parquet("health.jsonl.zst", "-o", "few.parquet", "--columns", "day,numeric_value", "--types", STEPS, "--time-zone", "Asia/Tokyo")
        self.assertEqual(few.returncode, 0, few.stderr)
        self.assertEqual(pyarrow.parquet.read_table(self.folder / "few.parquet").column_names, ["day", "numeric_value"])
        self.assertEqual(self.to_parquet("none.jsonl").returncode, 2)
        self.assertEqual(self.names(), [b"few.parquet", b"health.jsonl.zst", b"health.parquet"])


if __name__ == "__main__":
    unittest.main()
