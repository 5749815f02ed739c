"""iPhone backups in an archive: each capture is compared with what the synthetic phone of `phone.py` has, never with what the tools read."""

import contextlib
import hashlib
import hmac
import json
import re
import shutil
import sqlite3
import unittest

from capture_support import CaptureCase, dump, findings, reference
from phone import NAMES, QUANTITIES, Phone, name_of, synthetic
from support import contents, hp_export, hp_verify

FIRST, SECOND, THIRD = "2026-09-01T00:00:00Z", "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"
HEART, SLEEP, SUGAR, PRESSURE, WORKOUT = QUANTITIES[5][0], NAMES[63], QUANTITIES[15][0], NAMES[80], NAMES[79]
NEWEST = "(SELECT max(id) FROM observations)"


def hashed(uuid):
    return hmac.new(bytes(range(32)), b"hp:v2:sample_uuid:" + uuid.encode(), hashlib.sha256).hexdigest()


class BackupCase(CaptureCase):
    def setUp(self):
        super().setUp()
        self.health = self.folder / "Health"

    def capture(self, phone, at=FIRST, *options, status=0, **schema):
        phone.write(self.health, **schema)
        result = hp_export("capture", self.archive, "--secret", self.secret, "--iphone-backup", self.health, "--observed-at", at, *options)
        self.assertEqual(result.status, status, result)
        return result

    def refused(self, phone, *words, at=FIRST, options=()):
        """Nothing changes."""
        phone.write(self.health)
        before = contents(self.archive)
        result = hp_export("capture", self.archive, "--secret", self.secret, "--iphone-backup", self.health, "--observed-at", at, "--quiet", *options)
        self.assert_refused(result, *words)
        self.assertEqual(contents(self.archive), before)
        return result

    def visible(self):
        """The records that are visible on the chain of backups, by the hash of their UUIDs."""
        rows = self.rows("""SELECT s.sample_uuid_hash, t.type_identifier, v.start_date, v.end_date, v.numeric_value, v.unit, v.category_value, v.workout_activity_type, v.duration_seconds, m.metadata_json
            FROM sample_visibility_ranges r JOIN samples s ON s.id = r.sample_id JOIN sample_versions v ON v.id = r.version_id JOIN sample_types t ON t.id = s.sample_type_id
            LEFT JOIN metadata_blobs m ON m.id = v.metadata_id JOIN observations o ON o.id = r.first_observation_id WHERE r.last_observation_id IS NULL AND o.trigger_reason = 'iphone_backup'""")
        return {row[0]: (*row[1:-1], json.loads(row[-1] or "{}")) for row in rows}

    def assert_shows(self, phone, has_points=True):
        moment = lambda text: round(sqlite3.connect(":memory:").execute("SELECT (julianday(?) - 2440587.5) * 86400", (text[:19],)).fetchone()[0]) + int(text[20:26]) / 1e6
        expected = {hashed(item["uuid"]): (item["sample_type"], moment(item["start_date"]), moment(item["end_date"]), item.get("numeric_value"), item.get("unit"),
                                          item.get("category_value"), item.get("workout_activity_type"), item.get("duration_seconds"), item.get("metadata", {})) for item in phone.truth(has_points)}
        found = self.visible()
        self.assertEqual(len(found), len(expected))
        for key, values in expected.items():
            self.assertEqual(found.get(key), values)

    def changed(self):
        """What the newest observation changed: appeared, changed and disappeared records."""
        return self.rows("SELECT coalesce(sum(appeared_count), 0), coalesce(sum(representation_changed_count), 0), coalesce(sum(disappeared_count), 0) "
                         "FROM observation_type_summaries WHERE observation_id = " + NEWEST)[0]

    def states(self):
        return dict(self.rows("SELECT t.type_identifier, f.state FROM observation_type_runs u JOIN type_run_facts f ON f.type_run_id = u.id JOIN sample_types t ON t.id = u.sample_type_id "
                              "WHERE u.observation_id = " + NEWEST))

    def assert_valid(self):
        result = hp_verify("archive", self.archive)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(findings(self.archive), [])


class Truth(BackupCase):
    def test_three_generations(self):
        for generation in (13, 17, 26):
            with self.subTest(generation):
                self.renew()
                phone = synthetic(400, seed=generation, odd_units=True)
                result = self.capture(phone, generation=generation)
                self.assertIn("tried on synthetic backups only", result.err)
                self.assert_shows(phone, has_points=generation >= 16)
                self.assertEqual(self.rows("SELECT count(*) FROM sample_observation_events WHERE evidence_kind = 'deleted_object'"), [(5,)])
                links = {(hashed(source), hashed(target), kind) for source, target, kind in phone.links()}
                self.assertEqual(set(self.rows("SELECT a.sample_uuid_hash, b.sample_uuid_hash, relationship_kind FROM sample_relationships r "
                                               "JOIN samples a ON a.id = source_sample_id JOIN samples b ON b.id = target_sample_id")), links)
                self.assertEqual(set(self.states()), phone.runs())
                self.assertEqual(set(self.states().values()), {"verified"})
                self.assert_valid()

    def test_months_of_a_phone(self):
        phone = synthetic(300)
        self.capture(phone)
        before = len(phone.records)
        phone.live(50, first=400000)
        phone.delete(*range(20, 30))
        self.capture(phone, SECOND)
        self.assert_shows(phone)
        self.assertEqual(self.changed(), (50, 0, before + 50 - len(phone.records)))
        # The phone forgets what it deleted, and condenses.
        phone.deleted.clear()
        beats = [number for number, record in phone.records.items() if record.kind == 5][:6]
        phone.condense(beats, 1.25)
        self.capture(phone, THIRD)
        self.assert_shows(phone)
        self.assertEqual(self.changed(), (1, 0, 6))
        self.assert_valid()

    def test_the_same_databases_later_are_no_change(self):
        phone = synthetic(100)
        self.capture(phone)
        self.capture(phone, SECOND)
        self.assertEqual(self.changed(), (0, 0, 0))
        self.assertEqual(set(self.states().values()), {"verified"})
        self.assertIn("no change", hp_export("diff", self.archive, "--summary").out.decode().lower() + hp_export("diff", self.archive, "--counts", "--summary").out.decode().lower())

    def test_a_backup_is_known_again(self):
        phone = synthetic(100)
        first = self.capture(phone, FIRST, "--json")
        before = contents(self.archive)
        second = self.capture(phone, FIRST, "--json")
        self.assertEqual([json.loads(run.out)["observations"][0]["start"] for run in (first, second)], ["new", "compared"])
        self.assertIn("tried on synthetic backups only", second.err)
        self.assertEqual(contents(self.archive), before)
        phone.delete(7)
        self.refused(phone, "observation 1 of this time was captured before, and this source differs")


class Coverage(BackupCase):
    def test_a_type_without_a_row_is_no_longer_visible(self):
        phone = synthetic(100)
        self.capture(phone)
        sugar = [number for number, record in phone.records.items() if record.kind == 15]
        phone.delete(*sugar)
        for number in sugar:
            del phone.deleted[number]
        self.capture(phone, SECOND)
        self.assertEqual(self.changed(), (0, 0, len(sugar)))
        self.assertEqual(self.states()[SUGAR], "verified")
        self.assert_shows(phone)
        self.assert_valid()

    def test_a_missing_table_closes_nothing_of_its_types(self):
        """All rows of a category are gone, and so is its table: nobody can say that there were none."""
        tables = {"category_samples": {SLEEP}, "correlations": {PRESSURE}, "associations": {WORKOUT}, "metadata_values": None, "metadata_keys": None}
        for table, types in tables.items():
            with self.subTest(table):
                self.renew()
                phone = synthetic(100, deletions=0, routes=False)
                self.capture(phone)
                gone = {name: [number for number, record in phone.records.items() if name_of(record.kind) == name] for name in (SLEEP, PRESSURE, WORKOUT, SUGAR)}
                for numbers in gone.values():
                    phone.delete(*numbers)
                phone.deleted.clear()
                self.capture(phone, SECOND, status=1, without=[table])
                known = {name for name, state in self.states().items() if state == "verified"}
                unknown = set(gone) if types is None else types
                self.assertEqual(known & set(gone), set(gone) - unknown)
                if types is None:
                    self.assertEqual(known, set())
                self.assertEqual(self.changed()[2], sum(len(gone[name]) for name in set(gone) - unknown))
                self.assertEqual(set(self.rows("SELECT error_kind FROM observation_type_runs WHERE status = 'failed'")), {("table_missing",)})
                self.assert_valid()

    def test_a_row_without_a_type_closes_nothing(self):
        phone = synthetic(60, deletions=0)
        self.capture(phone)
        phone.delete(*range(1, 20))
        phone.deleted.clear()
        phone.write(self.health)
        with contextlib.closing(sqlite3.connect(self.health / "healthdb_secure.sqlite")) as data:
            data.execute("INSERT INTO samples VALUES(90000, 1, 1, 'x')")
            data.commit()
        result = hp_export("capture", self.archive, "--secret", self.secret, "--iphone-backup", self.health, "--observed-at", SECOND)
        self.assertEqual(result.status, 1, result)
        self.assertIn("left out: 1 rows of samples without the number of a type", result.err)
        self.assertEqual(self.changed(), (0, 0, 0))
        self.assertEqual(set(self.states().values()), {"unknown"})

    def test_a_damaged_database_closes_nothing(self):
        """A page of rows in the middle is overwritten: SQLite finds it, or the capture reads fewer rows and must not believe them."""
        phone = synthetic(3000, deletions=0)
        self.capture(phone)
        path = self.health / "healthdb_secure.sqlite"
        phone.write(self.health)
        with contextlib.closing(sqlite3.connect(path)) as data:
            root, = data.execute("SELECT rootpage FROM sqlite_master WHERE name = 'objects'").fetchone()
            size, = data.execute("PRAGMA page_size").fetchone()
        # The root of the table keeps its first child alone: all later rows are in no page that is reached.
        raw = bytearray(path.read_bytes())
        page = (root - 1) * size
        cells = int.from_bytes(raw[page + 3:page + 5], "big")
        self.assertGreater(cells, 1)
        raw[page + 3:page + 5] = (1).to_bytes(2, "big")
        path.write_bytes(raw)
        result = hp_export("capture", self.archive, "--secret", self.secret, "--iphone-backup", self.health, "--observed-at", SECOND)
        self.assertEqual(result.status, 1, result)
        self.assertIn("healthdb_secure.sqlite: damaged: no type counts as complete", result.err)
        self.assertEqual(self.changed()[2], 0)
        self.assertEqual(set(self.states().values()), {"unknown"})

    def test_a_type_that_no_number_means_stays_unknown(self):
        """A feed of a salvage tool stated it on the chain of backups."""
        phone = synthetic(30)
        lines = [{"kind": "feed", "format": "healthprobe-feed", "format_version": 1}, {"kind": "observation", "observed_at": FIRST, "trigger_reason": "iphone_backup"},
                 {"kind": "run", "sample_type": "x.other", "mode": "full_scan"},
                 {"kind": "sample", "sample_type": "x.other", "uuid": "00000000-0000-4000-8000-000000000001", "start_date": FIRST, "end_date": FIRST, "value_kind": "other"},
                 {"kind": "page", "number": 1}, {"kind": "run_end", "sample_type": "x.other", "status": "completed"}, {"kind": "observation_end", "status": "completed"}]
        self.both("--feed", b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        self.capture(phone, SECOND, status=1)
        self.assertEqual(self.changed()[2], 0)
        self.assertEqual(self.states()["x.other"], "unknown")
        self.assertEqual(self.rows("SELECT error_kind FROM observation_type_runs WHERE status = 'failed'"), [("type_unknown",)])


class Chains(BackupCase):
    def test_a_converted_feed_is_the_same_evidence(self):
        """The plain capture of Tests/reference reads the feed that convert writes."""
        phone = synthetic(60)
        self.capture(phone)
        feed = self.folder / "feed.jsonl"
        self.assert_good(hp_export("convert", "--iphone-backup", self.health, "--observed-at", FIRST, "-o", feed))
        reference.capture_feed(str(self.plain), str(self.secret), str(feed))
        version = re.compile(r'"app_version":"hp-export [^"]+",')
        self.assertEqual(len(version.findall("\n".join(dump(self.archive)))), 1)
        self.assertEqual([version.sub("", line) for line in dump(self.archive)], dump(self.plain))
        again = self.hp_capture("--feed", feed, "--json")
        self.assertEqual(json.loads(again.out)["observations"][0]["start"], "compared")

    def test_a_backup_and_an_app_have_chains_of_their_own_and_share_samples(self):
        phone = synthetic(60, routes=False)
        app = self.written(phone.feed("2026-08-31T00:00:00Z"))
        self.assert_good(self.hp_capture("--feed", app))
        samples = self.rows("SELECT count(*) FROM samples")
        self.capture(phone)
        self.assertEqual(self.rows("SELECT count(*) FROM samples"), samples)
        self.assertEqual(self.rows("SELECT count(*) FROM device_chains"), [(2,)])
        self.assert_shows(phone)
        self.assert_valid()

    def test_an_older_backup_is_refused(self):
        phone = synthetic(30)
        self.capture(phone, SECOND)
        result = self.refused(phone, "archive.sqlite: observation 1 of this device chain was made later than this one")
        self.assertIn("--iphone-backup FOLDER", result.err)

    def test_a_lost_secret(self):
        phone = synthetic(30)
        self.capture(phone)
        self.secret.unlink()
        self.refused(phone, "has 1 observation of iPhone backups", "--new-chain goes on with a chain of its own", at=SECOND)
        self.capture(phone, SECOND, "--new-chain")
        self.assertEqual(self.rows("SELECT count(*) FROM device_chains"), [(2,)])

    def test_most_records_are_gone(self):
        self.capture(synthetic(200))
        self.refused(Phone(), "the backup has no records and would close", "--accept-disappearances goes on", at=SECOND)
        self.capture(Phone(), SECOND, "--accept-disappearances")
        self.assertEqual(self.visible(), {})

    def test_undo_and_history(self):
        phone = synthetic(60)
        self.capture(phone)
        before = dump(self.archive)
        phone.delete(*list(phone.records)[:8])
        phone.live(5, first=90000)
        self.capture(phone, SECOND)
        self.assert_good(hp_export("undo", self.archive, "--no-backup", "--quiet"))
        strip = lambda lines: [line for line in lines if "withdrawn" not in line and "context_log" not in line and "history" not in line]
        self.assertEqual(strip(dump(self.archive)), strip(before))
        self.capture(phone, SECOND)
        self.assert_shows(phone)
        self.assert_valid()
        bundles = [self.folder / name for name in ("one.zst", "two.zst")]
        self.assert_good(hp_export("bundle", self.archive, "--at", "1", "-o", bundles[0]))
        self.assert_good(hp_export("bundle", self.archive, "-o", bundles[1]))
        for bundle in bundles:
            self.assertEqual(hp_verify("bundle", bundle, "--archive", self.archive).status, 0)
        self.assertEqual(hp_verify("history", *bundles).status, 0)


class Across(BackupCase):
    """An app's feed, a backup and an export of one phone: three chains."""

    def between(self, older, newer):
        """Records on both sides under one identity, and the pairs: how many records of each side are in one."""
        said = hp_export("diff", self.archive, "--from", older, "--to", newer, "--across-chains").out.decode()
        shared = int(re.search(r"(\d+) of them on both under one identity", said)[1])
        report = hp_export("diff", self.archive, "--from", older, "--to", newer, "--across-chains", "--format", "jsonl", "-o", "-", "--no-record").out.splitlines()
        items = [json.loads(line)["item"] for line in report[1:-1]]
        return shared, sum(len(item["before"]) for item in items), sum(len(item["after"]) for item in items), {item["outcome"] for item in items}

    def capture_all(self, phone, month):
        self.assert_good(self.hp_capture("--feed", self.written(phone.feed("2026-%02d-01T00:00:00Z" % month)), "--quiet"))
        self.capture(phone, "2026-%02d-02T00:00:00Z" % month, "--quiet")
        self.assert_good(self.hp_capture("--apple-health", self.written(phone.export("2026-%02d-03 00:00:00 +0000" % month), "export.xml"), "--quiet"))

    def test_every_record_pairs_and_each_deletion_is_seen(self):
        phone = synthetic(80, routes=False)
        self.capture_all(phone, 5)
        count = len(phone.records)
        self.assertEqual(self.between("1", "2"), (count, 0, 0, set()))
        self.assertEqual(self.between("2", "3"), (0, count, count, {"kept"}))
        self.assertEqual(self.between("1", "3"), (0, count, count, {"kept"}))
        phone.delete(*list(phone.records)[10:17])
        self.capture_all(phone, 6)
        gone = dict(self.rows("SELECT observation_id, count(*) FROM sample_observation_events WHERE event_kind = 'disappeared' AND observation_id > 3 AND version_id IS NOT NULL GROUP BY 1"))
        self.assertEqual(gone, {4: 7, 5: 7, 6: 7})
        self.assertEqual(self.between("4", "5"), (count - 7, 0, 0, set()))
        self.assertEqual(self.between("5", "6"), (0, count - 7, count - 7, {"kept"}))
        self.assert_valid()

    def test_condensed_records_pair_with_their_former_parts(self):
        """The export was made before the phone condensed energy, the backup after: edges are whole seconds on both sides."""
        phone = Phone()
        parts = [phone.add(10, 100 + 60 * index, 160 + 60 * index, 5 + 2.5 * index) for index in range(2)]
        export = phone.export("2026-05-03 00:00:00 +0000")
        phone.delete(*[part.number for part in parts])
        phone.add(10, 100.25, 220.25, 12.5)
        self.capture(phone, "2026-05-02T00:00:00Z")
        self.assert_good(self.hp_capture("--apple-health", self.written(export, "export.xml"), "--quiet"))
        self.assertEqual(self.between("1", "2"), (0, 1, 2, {"kept"}))


class Series(BackupCase):
    """A workout's beats become one series with another value: its points are the former samples."""

    def condensed(self, change=lambda phone, series: None, value=2.05):
        self.renew()
        phone = synthetic(60)
        self.capture(phone)
        workout = next(record for record in phone.records.values() if record.kind == 79)
        beats = [number for number in workout.members if phone.records[number].kind == 5][:20]
        series = phone.condense(beats, value)
        change(phone, series)
        self.capture(phone, SECOND)
        report = hp_export("diff", self.archive, "--pairs", "--format", "jsonl", "-o", "-", "--no-record")
        items = [json.loads(line)["item"] for line in report.out.splitlines()[1:-1]]
        self.assertEqual([len(item["before"]) for item in items], [20])
        return items[0]

    def test_points_prove_that_nothing_is_lost(self):
        pair = self.condensed()
        mean = sum(record["numeric_value"] for record in pair["before"]) / 20 * 60
        self.assertEqual((pair["pair"], pair["law"], pair["outcome"], pair["unit"]), ("condensed_into", "series", "kept", "count/min"))
        self.assertAlmostEqual(pair["measure_before"], mean, 9)
        self.assertAlmostEqual(pair["measure_after"], 123, 9)
        self.assert_valid()

    def test_another_point_proves_nothing(self):
        def number(phone, series):
            series.points = (*series.points[:3], (series.points[3][0], series.points[3][1] + 1e-9, 0.0), *series.points[4:])

        def moment(phone, series):
            series.points = (*series.points[:3], (series.points[3][0] + 1e-6, series.points[3][1], 0.0), *series.points[4:])

        def fewer(phone, series):
            series.points = series.points[1:]

        for change in (number, moment, fewer):
            with self.subTest(change.__name__):
                pair = self.condensed(change, 1.6)
                self.assertEqual((pair["law"], pair["outcome"]), ("range", "not_provable"))

    def test_points_without_a_number_or_in_another_order_have_no_hash(self):
        phone = Phone()
        beats = [phone.add(5, index, index, 1.0 + index) for index in range(3)]
        series = phone.condense([beat.number for beat in beats], 2.0)
        phone.write(self.health)
        for statement in ("UPDATE quantity_series_data SET value = NULL WHERE value = 2", "UPDATE quantity_series_data SET value = 1e999 WHERE value = 2"):
            with self.subTest(statement):
                phone.write(self.health)
                with contextlib.closing(sqlite3.connect(self.health / "healthdb_secure.sqlite")) as data:
                    data.execute(statement)
                    data.commit()
                feed = hp_export("convert", "--iphone-backup", self.health, "--observed-at", FIRST).out
                line, = [json.loads(line) for line in feed.splitlines() if series.uuid.encode() in line]
                self.assertEqual(line["metadata"]["hp:series_count"], 3)
                self.assertEqual("hp:series_sha256" in line["metadata"], "1e999" in statement)

    def test_our_names_in_a_database_are_left_out(self):
        phone = Phone()
        phone.add(5, 1, 1, 1.0, metadata={"hp:series_sha256": 1.0, "HKA": 2.0})
        self.capture(phone)
        self.assertEqual(self.rows("SELECT metadata_json FROM metadata_blobs"), [('{"HKA":2}',)])


class Calls(BackupCase):
    def test_a_dry_run_keeps_nothing(self):
        phone = synthetic(60)
        phone.write(self.health)
        before = {path.name: path.read_bytes() for path in self.health.iterdir()}
        names = self.names()
        result = self.capture(phone, FIRST, "--dry-run", "--json")
        self.assertEqual(self.names(), names)
        self.assertEqual(json.loads(result.out)["observations"][0]["records"], len(phone.records))
        self.assertEqual({path.name: len(path.read_bytes()) for path in self.health.iterdir()}, {name: len(data) for name, data in before.items()})

    def test_an_error_leaves_no_archive(self):
        phone = synthetic(30)
        phone.write(self.health)
        with contextlib.closing(sqlite3.connect(self.health / "healthdb_secure.sqlite")) as data:
            data.execute("UPDATE objects SET type = 9 WHERE data_id = 20")
            data.commit()
        names = self.names()
        result = hp_export("capture", self.archive, "--iphone-backup", self.health, "--observed-at", FIRST)
        self.assert_refused(result, "objects: row 20: unknown_object_type")
        self.assertEqual(self.names(), names)
        shutil.rmtree(self.health)
        self.assert_refused(hp_export("capture", self.archive, "--iphone-backup", self.health, "--observed-at", FIRST), "no such file")

    def test_days_go_by_the_zone(self):
        phone = synthetic(30)
        self.capture(phone, FIRST, "--time-zone", "Europe/Bucharest")
        self.capture(phone, "2026-10-01T00:00:00+03:00")
        self.assertEqual(self.rows("SELECT time_zone_identifier, time_zone_seconds_from_gmt FROM observations ORDER BY id"), [("Europe/Bucharest", 10800), (None, 10800)])

    def test_bad_calls(self):
        phone = synthetic(30)
        phone.write(self.health)
        backup = ("capture", self.archive, "--iphone-backup", self.health)
        for arguments, words in (
            ((), "name the moment with --observed-at"), (("--observed-at", "2026-09-01"), "not a moment of whole seconds"),
            (("--observed-at", FIRST, "--feed", self.health / "x"), "a capture takes one iPhone backup"),
            (("--observed-at", FIRST, "--time-zone", "Nowhere/Land"), "there is no zone"),
            (("--observed-at", "2026-09-01T00:00:00+02:00", "--time-zone", "Europe/Bucharest"), "another offset than the moment"),
        ):
            with self.subTest(arguments):
                self.assert_refused(hp_export(*backup, *arguments), words)
        self.assertFalse(self.archive.exists())

    def test_labels(self):
        phone = synthetic(30)
        self.capture(phone, FIRST, "--keep-labels")
        labels = self.folder / "archive.sqlite.labels"
        self.assertIn(b"Test Watch", labels.read_bytes())
        labels.unlink()
        self.capture(phone, FIRST, "--labels-only")
        self.assertIn(b"Test Scale", labels.read_bytes())


if __name__ == "__main__":
    unittest.main()
