"""Health databases of iPhone backups: three generations of their schema, built here with what they mean, odd rows, and folders that are refused."""

import base64
import hashlib
import json
import sqlite3
import unittest
import uuid

from support import Case, hp_export

AT = "2026-09-01T00:00:00Z"
BASE = 726000000  # 2024-01-03T18:40:00Z in seconds of 2001
HEART, STEPS, GLUCOSE = "HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierStepCount", "HKQuantityTypeIdentifierBloodGlucose"
SLEEP, WORKOUT, ROUTE = "HKCategoryTypeIdentifierSleepAnalysis", "HKWorkoutTypeIdentifier", "HKWorkoutRouteTypeIdentifier"
PRESSURE, UPPER = "HKCorrelationTypeIdentifierBloodPressure", "HKQuantityTypeIdentifierBloodPressureSystolic"
SOURCE = {"name": "Test \"Watch\"", "bundle_identifier": "com.example", "product_type": "Watch6,18", "version": "10.2", "operating_system_version": "10.2.0"}
DEVICE = {"name": "Watch", "manufacturer": "Example", "hardware_version": "Watch6,18", "firmware_version": "1.5", "local_identifier": "L"}


def name(number):
    return str(uuid.UUID(int=0x77 << 120 | number))


def text(**members):
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))


def build(folder, generation):
    """Both databases in a generation of the schema (13, 17, 26)."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    sources = sqlite3.connect(folder / "healthdb.sqlite")
    sources.executescript("CREATE TABLE sources(ROWID INTEGER PRIMARY KEY, name TEXT, bundle_id TEXT);"
                          "CREATE TABLE source_devices(ROWID INTEGER PRIMARY KEY, name TEXT, manufacturer TEXT, model TEXT, hardware TEXT, firmware TEXT, software TEXT, localIdentifier TEXT, FDAUDI TEXT);")
    sources.execute("INSERT INTO sources VALUES(4, ?, 'com.example')", (SOURCE["name"],))
    sources.execute("INSERT INTO source_devices VALUES(7, 'Watch', 'Example', '__NONE__', 'Watch6,18', '1.5', NULL, 'L', '__NONE__')")
    sources.commit()
    sources.close()
    data = sqlite3.connect(folder / "healthdb_secure.sqlite")
    data.executescript("""
CREATE TABLE objects(data_id INTEGER PRIMARY KEY, uuid BLOB UNIQUE, provenance INTEGER, type INTEGER, creation_date REAL);
CREATE TABLE samples(data_id INTEGER PRIMARY KEY, start_date REAL, end_date REAL, data_type INTEGER);
CREATE TABLE quantity_samples(data_id INTEGER PRIMARY KEY, quantity REAL, original_quantity REAL, original_unit INTEGER);
CREATE TABLE category_samples(data_id INTEGER PRIMARY KEY, value INTEGER);
CREATE TABLE unit_strings(ROWID INTEGER PRIMARY KEY, unit_string TEXT);
CREATE TABLE metadata_keys(ROWID INTEGER PRIMARY KEY, key TEXT);
CREATE TABLE metadata_values(ROWID INTEGER PRIMARY KEY, key_id INTEGER, object_id INTEGER, value_type INTEGER, string_value TEXT, numerical_value REAL, date_value REAL, data_value BLOB);
CREATE TABLE correlations(ROWID INTEGER PRIMARY KEY, correlation INTEGER, object INTEGER);
CREATE TABLE data_provenances(ROWID INTEGER PRIMARY KEY, origin_product_type TEXT, source_id INTEGER, device_id INTEGER, source_version TEXT, origin_major_version INTEGER,
    origin_minor_version INTEGER, origin_patch_version INTEGER);
INSERT INTO data_provenances VALUES(3, 'Watch6,18', 4, 7, '10.2', 10, 2, 0);
INSERT INTO unit_strings VALUES(1, 'count/min'), (2, 'mg/dL'), (3, 'mmHg');
INSERT INTO metadata_keys VALUES(1, 'HKA'), (2, 'HKB'), (3, 'HKC'), (4, 'HKD'), (5, 'HKE');""")
    if generation < 16:
        data.execute("CREATE TABLE workouts(data_id INTEGER PRIMARY KEY, activity_type INTEGER, duration REAL)")
        data.execute("INSERT INTO workouts VALUES(8, 37, 90.5)")
    else:
        data.execute("CREATE TABLE workouts(data_id INTEGER PRIMARY KEY, total_distance REAL)")
        data.execute("CREATE TABLE workout_activities(owner_id INTEGER, is_primary_activity INTEGER, activity_type INTEGER, duration REAL)")
        data.execute("INSERT INTO workout_activities VALUES(8, 0, 52, 1), (8, 1, 37, 90.5)")
    if generation < 18:
        data.execute("CREATE TABLE associations(parent_id INTEGER, child_id INTEGER)")
        data.execute("INSERT INTO associations VALUES(8, 1), (8, 9)")
    else:
        data.execute("CREATE TABLE associations(destination_object_id INTEGER, source_object_id INTEGER, deleted INTEGER)")
        data.execute("INSERT INTO associations VALUES(8, 1, 0), (8, 9, 0), (8, 2, 1)")
    for number, kind, start, end, state in ((1, 5, 0.25, 0.25, 1), (2, 5, 5.9999995, 6, 0), (3, 7, 0, 60, 1), (4, 15, 1, 1, 1), (5, 63, 20000, 27200.5, 1), (6, 80, 9, 9, 1), (7, 16, 9, 9, 1),
                                            (8, 79, 0, 90.5, 1), (9, 102, 0, 90, 1), (10, 5, 900, 900, 2), (11, 298, 910, 910, 1)):
        data.execute("INSERT INTO objects VALUES(?, ?, 3, ?, 0)", (number, uuid.UUID(name(number)).bytes, state))
        data.execute("INSERT INTO samples VALUES(?, ?, ?, ?)", (number, BASE + start, BASE + end, kind))
    data.execute("INSERT INTO quantity_samples VALUES(1, 1.2, 72, 1), (2, 1.25, 75, 1), (3, 41, NULL, NULL), (4, 99, 99, 2), (7, 121, 121, 3), (11, 7.5, NULL, NULL)")
    data.execute("INSERT INTO category_samples VALUES(5, 3)")
    data.execute("INSERT INTO correlations VALUES(1, 6, 7)")
    data.execute("INSERT INTO metadata_values VALUES(1, 2, 8, 3, 'kcal', 8.25, NULL, NULL), (2, 1, 1, 1, NULL, 1, NULL, NULL), (3, 1, 8, 0, 'é\n', NULL, NULL, NULL), (4, 3, 8, 2, NULL, NULL, ?, NULL),"
                 "(5, 4, 8, 4, NULL, NULL, NULL, x'00ff10'), (6, 5, 8, 4, NULL, NULL, NULL, ?), (7, 1, 99, 0, 'x', NULL, NULL, NULL)", (float(BASE), b"x" * 65537))
    data.commit()
    return data


def expected():
    """The lines that each generation means."""
    def sample(number, kind, start, end, value, **members):
        return text(kind="sample", sample_type=kind, uuid=name(number), start_date=start, end_date=end, value_kind=value,
                    **{key: member for key, member in members.items() if key != "metadata"}, source=SOURCE, device=DEVICE, **({"metadata": members["metadata"]} if "metadata" in members else {}))

    def link(kind, source, target):
        return text(kind="relationship", source={"sample_type": source[0], "uuid": name(source[1])}, target={"sample_type": target[0], "uuid": name(target[1])}, relationship_kind=kind)

    first = "2024-01-03T18:40:00.000000Z"
    types = [HEART, STEPS, GLUCOSE, UPPER, SLEEP, WORKOUT, PRESSURE, ROUTE, "hp:healthdb.type.298"]
    lines = [text(kind="feed", format="healthprobe-feed", format_version=1), text(kind="observation", observed_at=AT, trigger_reason="iphone_backup")]
    lines += [text(kind="run", sample_type=kind, mode="full_scan") for kind in types]
    lines += [
        sample(1, HEART, "2024-01-03T18:40:00.250000Z", "2024-01-03T18:40:00.250000Z", "quantity", numeric_value=1.2, unit="count/s", metadata={"HKA": 1.0}),
        # The stored double is 5.99999952316…: not half a microsecond.
        sample(2, HEART, "2024-01-03T18:40:06.000000Z", "2024-01-03T18:40:06.000000Z", "quantity", numeric_value=1.25, unit="count/s"),
        text(kind="deleted", sample_type=HEART, uuid=name(10)),
        sample(3, STEPS, first, "2024-01-03T18:41:00.000000Z", "quantity", numeric_value=41.0, unit="count"),
        sample(4, GLUCOSE, "2024-01-03T18:40:01.000000Z", "2024-01-03T18:40:01.000000Z", "quantity", numeric_value=99.0, unit="mg/dL"),
        sample(7, UPPER, "2024-01-03T18:40:09.000000Z", "2024-01-03T18:40:09.000000Z", "quantity", numeric_value=121.0, unit="mmHg"),
        sample(5, SLEEP, "2024-01-04T00:13:20.000000Z", "2024-01-04T02:13:20.500000Z", "category", category_value=3),
        sample(8, WORKOUT, first, "2024-01-03T18:41:30.500000Z", "workout", workout_activity_type=37, duration_seconds=90.5, metadata={
            "HKB": {"unit": "kcal", "value": 8.25}, "HKA": "é\n", "HKC": first, "HKD": {"base64": base64.b64encode(b"\0\xff\x10").decode()},
            "HKE": {"bytes": 65537, "sha256": hashlib.sha256(b"x" * 65537).hexdigest()}}),
        sample(6, PRESSURE, "2024-01-03T18:40:09.000000Z", "2024-01-03T18:40:09.000000Z", "correlation"),
        sample(9, ROUTE, first, "2024-01-03T18:41:30.000000Z", "other"),
        sample(11, "hp:healthdb.type.298", "2024-01-03T18:55:10.000000Z", "2024-01-03T18:55:10.000000Z", "quantity", numeric_value=7.5),
        link("workout_record", (WORKOUT, 8), (HEART, 1)), link("workout_route", (WORKOUT, 8), (ROUTE, 9)), link("correlation_member", (PRESSURE, 6), (UPPER, 7)),
        text(kind="page", number=1)]
    lines += [text(kind="run_end", sample_type=kind, status="completed") for kind in types]
    return ("\n".join(lines + [text(kind="observation_end", status="completed")]) + "\n").encode()


class Backup(Case):
    def setUp(self):
        super().setUp()
        self.health = self.folder / "Health"
        self.data = build(self.health, 26)
        self.addCleanup(lambda: self.data.close())

    def change(self, *statements):
        for statement in statements:
            self.data.execute(statement)
        self.data.commit()

    def convert(self, *arguments):
        return hp_export("convert", "--iphone-backup", self.health, "--observed-at", AT, *arguments)

    def assert_says(self, result, part):
        self.assertEqual((result.status, result.out), (2, b""), result)
        self.assertIn(part, result.err)

    def test_three_generations_are_the_same_feed(self):
        for generation in (13, 17, 26):
            with self.subTest(generation):
                self.data.close()
                self.data = build(self.health, generation)
                result = self.convert()
                self.assertEqual(result.status, 0, result)
                self.assertEqual(result.out.decode().splitlines(), expected().decode().splitlines())
                self.assertEqual(result.out, expected())
                self.assertIn("unit_unproved: values without a unit: hp:healthdb.type.298", result.err)
                self.assertIn("tried on synthetic backups only", result.err)

    def test_a_capture_takes_the_feed_and_knows_it_again(self):
        feed, archive = self.folder / "feed.jsonl", self.folder / "archive.sqlite"
        self.assertEqual(self.convert("-o", feed).status, 0)
        first, second = (hp_export("capture", archive, "--feed", feed, "--json") for _ in range(2))
        self.assertEqual((first.status, second.status), (0, 0), first)
        observation = json.loads(first.out)["observations"][0]
        self.assertEqual((observation["records"], observation["rejected"], observation["new_relationships"]), (10, {}, 3))
        self.assertEqual(json.loads(second.out)["observations"][0]["start"], "compared")
        self.assert_says(self.convert("-o", feed), "the file exists")

    def test_the_log_is_read_and_nothing_is_written_beside_it(self):
        self.data.execute("PRAGMA journal_mode = WAL")
        self.change("INSERT INTO quantity_samples VALUES(99, 1, NULL, NULL)", "INSERT INTO samples VALUES(99, 1, 1, 7)", "INSERT INTO objects VALUES(99, zeroblob(16), 3, 1, 0)")
        before = {path.name: path.read_bytes() for path in self.health.iterdir()}
        self.assertIn("healthdb_secure.sqlite-wal", before)
        self.assertIn(b"00000000-0000-0000-0000-000000000000", self.convert().out)
        self.assertEqual({path.name: path.read_bytes() for path in self.health.iterdir()}, before)

    def test_units_that_rows_contradict_are_left_out(self):
        self.change("UPDATE quantity_samples SET original_quantity = 80 WHERE data_id = 2")
        result = self.convert()
        self.assertIn("unit_unproved: values without a unit: %s, hp:healthdb.type.298" % HEART, result.err)
        lines = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([line.get("unit") for line in lines if line["kind"] == "sample" and line["sample_type"] == HEART], [None, None])

    def test_rows_without_a_partner_are_counted(self):
        self.change("INSERT INTO samples VALUES(50, 1, 1, 7)", "INSERT INTO objects VALUES(51, zeroblob(16), 3, 1, 0)", "INSERT INTO associations VALUES(8, 10, 0)")
        result = self.convert()
        ended = lambda *status: b'"sample_type":"%s","status":"%s"' % (STEPS.encode(), b'","error_kind":"'.join(status))
        self.assertEqual(result.out, expected().replace(ended(b"completed"), ended(b"failed", b"rows_left_out")))
        self.assertNotEqual(result.out, expected())
        for part in ("1 rows of samples without an object", "1 objects that are no samples", "1 links to no live sample"):
            self.assertIn("left out: " + part, result.err)

    @staticmethod
    def without_value(feed):
        return {line["sample_type"] for line in map(json.loads, feed.splitlines()) if line.get("value_kind") == "other"}

    def test_missing_optional_tables_are_said(self):
        for table in ("category_samples", "metadata_values", "metadata_keys", "correlations", "unit_strings"):
            with self.subTest(table):
                self.data.close()
                self.data = build(self.health, 26)
                self.change("DROP TABLE " + table)
                result = self.convert()
                self.assertEqual(result.status, 0, result)
                self.assertIn("no table %s with" % table, result.err)
                ends = [line for line in map(json.loads, result.out.splitlines()) if line["kind"] == "run_end"]
                failed = {line["sample_type"] for line in ends if (line["status"], line.get("error_kind")) == ("failed", "table_missing")}
                self.assertEqual({line["sample_type"] for line in ends if line["status"] != "completed"}, failed)
                everything = {line["sample_type"] for line in ends}
                lacking = {"category_samples": {name for name in everything if name.startswith("HKCategory") or name.startswith("hp:")} & self.without_value(result.out), "unit_strings": set(),
                           "correlations": {name for name in everything if "Correlation" in name}}.get(table, everything)
                self.assertEqual(failed, lacking, table)

    def test_missing_required_tables_and_columns_are_refused(self):
        for statement, column in (("DROP TABLE objects", "objects.data_id"), ("DROP TABLE samples", "samples.data_id"), ("DROP TABLE quantity_samples", "quantity_samples.data_id"),
                                  ("DROP TABLE data_provenances", "data_provenances.source_id"), ("ALTER TABLE samples DROP COLUMN end_date", "samples.end_date")):
            with self.subTest(statement):
                self.data.close()
                self.data = build(self.health, 26)
                self.change(statement)
                self.assert_says(self.convert(), "no column " + column)

    def test_what_is_no_such_folder_is_refused(self):
        self.change("UPDATE objects SET type = 3 WHERE data_id = 11")
        output = self.folder / "out"
        self.assert_says(self.convert("-o", output), "objects: row 11: unknown_object_type")
        self.assertFalse(output.exists())
        (self.health / "Manifest.db").touch()
        self.assert_says(self.convert(), "a backup without Manifest.plist")
        (self.health / "Manifest.db").unlink()
        self.assert_says(hp_export("convert", "--iphone-backup", self.health), "name the moment with --observed-at")
        self.assert_says(hp_export("convert", "--observed-at", AT), "name a folder with --iphone-backup")
        (self.health / "healthdb.sqlite").unlink()
        self.assert_says(self.convert(), "healthdb.sqlite: no such file")


if __name__ == "__main__":
    unittest.main()
