"""hp-export undo (Spec/undo.md): what is left is the archive as it was, row by row."""

import hashlib
import json
import os
import random
import shutil
import sqlite3
import unittest

import jsonschema

import health_exports
import histories
from capture_support import (
    HEART_RATE, STEPS, archive_text, CaptureCase, deleted, dump, feed, observation, sample, type_run,
)
from support import ROOT, contents, database, execute, hp_export, hp_verify, query, takes_long

RESULT = jsonschema.Draft202012Validator(json.loads((ROOT / "Spec" / "schemas" / "undo-result.json").read_text(encoding="utf-8")))

# What is left of an undo beside the evidence: the log, the id that is not given again, and the tables that they need.
KEPT = ("context_log", "history_links", "withdrawn_observations", "schema_migrations", "archive_metadata")


def rows(path):
    """All rows of all tables but those, as they are stored. What a version names, only where it is named: the rest is no evidence."""
    found = {}
    with database(path) as connection:
        connection.row_factory = sqlite3.Row
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
            if table not in KEPT:
                condition = archive_text.REFERRED.get(table, "1")
                found[table] = sorted((tuple(row) for row in connection.execute("SELECT * FROM %s WHERE %s" % (table, condition))), key=repr)
    return found


class UndoCase(CaptureCase):
    def capture(self, *observations, status=0, name="feed.jsonl"):
        result = self.hp_capture("--feed", self.written(feed(*observations), name), "--quiet")
        self.assertEqual(result.status, status, result)
        return result

    def capture_as_of_many(self, *observations):
        """Their ids begin at 300,001: from 200,000 on, two threads check the file."""
        execute(self.archive, "INSERT INTO samples SELECT 300000, sample_type_id, NULL, '', NULL, NULL, first_seen_observation_id, first_seen_at FROM samples LIMIT 1")
        self.capture(*observations)
        execute(self.archive, "DELETE FROM samples WHERE id = 300000")
        self.assertGreater(self.rows("SELECT max(id) FROM samples"), [(300000,)])

    def undo(self, *options):
        result = self.assert_good(hp_export("undo", self.archive, "--json", *options))
        value = json.loads(result.out)
        self.assertEqual([error.message for error in RESULT.iter_errors(value)], [])
        return value, result

    def backups(self):
        return sorted(self.folder.glob("*.undo-backup"))

    def copied(self, name="before.sqlite"):
        """The archive as it is, under another name."""
        path = self.folder / name
        with database(self.archive) as connection:
            path.unlink(missing_ok=True)
            connection.execute("VACUUM INTO ?", (str(path),))
        return path

    def assert_undone(self, before):
        ours, theirs = rows(self.archive), rows(before)
        for table in ("export_manifests", "export_items"):
            del ours[table], theirs[table]
        # What the end of an observation writes over; a run that goes on says it anew.
        for path_rows in (ours, theirs):
            path_rows["observation_type_runs"] = [row[:11] + (None,) + row[12:] if row[3] == "started" else row for row in path_rows["observation_type_runs"]]
        for table in theirs:
            self.assertEqual(ours[table], theirs[table], table)
        self.assertEqual(*([line for line in dump(each) if '"started"' not in line] for each in (self.archive, before)))
        result = hp_verify("archive", self.archive, "--quiet")
        self.assertEqual(result.status, 0, result.out.decode())


FIRST = observation(1, type_run([sample(1), sample(2, 1), sample(3, 2)], display_name="A name"), time_zone_identifier="Europe/Berlin")
SECOND = observation(2, type_run([sample(1), sample(2, 1, 70), sample(4, 3, source={"name": "Somebody"}, metadata={"k": "a secret place"})], category="vitals"),
                     type_run([sample(5, 4, sample_type=STEPS, unit="count")], sample_type=STEPS, first_page=2), selected_types=[HEART_RATE, STEPS])


class Undo(UndoCase):
    def test_the_newest_observation_is_taken_back(self):
        self.capture(FIRST)
        before = self.copied()
        self.capture(SECOND)
        value, result = self.undo()
        self.assert_undone(before)
        # Worked out by hand: 4 and 5 appeared, 2 changed, 3 is gone.
        self.assertEqual({name: value[name] for name in ("events", "exports", "observation_id", "relationships", "samples", "versions")},
                         {"events": 4, "exports": 0, "observation_id": 2, "relationships": 0, "samples": 2, "versions": 3})
        self.assertIn("observation 2 (2024-06-02) is taken back", result.err)
        (backup,) = self.backups()
        self.assertIn(backup.name + ": still holds what was taken back", result.err)
        self.assertEqual(value["backup_sha256"], hashlib.sha256(backup.read_bytes()).hexdigest())
        self.assertEqual(backup.stat().st_mode & 0o077, 0)
        self.assertEqual(query(backup, "SELECT count(*) FROM observations"), [(2,)])
        self.assertEqual(self.names(), sorted([b"archive.sqlite", b"before.sqlite", b"feed.jsonl", b"secret", os.fsencode(backup.name)]))

    def test_of_many_samples(self):
        self.capture(FIRST)
        before = self.copied()
        for options in (), ("--no-backup",):
            with self.subTest(options):
                self.capture_as_of_many(SECOND)
                _, result = self.undo(*options)
                # A reader that is left open would keep the log.
                self.assertNotIn("could not be made smaller", result.err)
                self.assert_undone(before)

    def test_the_log_says_so_and_the_id_is_not_given_again(self):
        self.capture(FIRST)
        self.capture(SECOND)
        value, _ = self.undo()
        kind, number, detail = self.rows("SELECT event_kind, observation_id, detail_json FROM context_log ORDER BY id DESC LIMIT 1")[0]
        (backup,) = self.backups()
        expected = {name: member for name, member in value.items() if name != "archive"}
        expected["backup"] = backup.name
        self.assertEqual((kind, number, json.loads(detail)), ("observation_withdrawn", 2, expected))
        self.assertEqual(self.rows("SELECT observation_id, observed_at FROM withdrawn_observations"), [(2, 1717322400.0)])
        self.capture(SECOND)
        self.assertEqual(self.rows("SELECT id FROM observations ORDER BY id"), [(1,), (3,)])

    def test_nothing_of_it_is_left_in_the_file(self):
        self.capture(FIRST)
        self.capture(SECOND)
        self.undo("--no-backup")
        self.assertEqual(self.backups(), [])
        self.assertNotIn(b"a secret place", b"".join(path.read_bytes() for path in self.folder.glob("archive.sqlite*")))
        self.assertEqual(self.rows("PRAGMA freelist_count"), [(0,)])

    def test_one_after_the_other_down_to_an_empty_archive(self):
        self.capture(FIRST, SECOND)
        self.undo("--no-backup")
        self.undo("--no-backup")
        for table in ("observations", "samples", "sample_types", "device_chains", "sources", "metadata_blobs", "selected_type_sets", "sample_type_origins"):
            self.assertEqual(self.rows("SELECT count(*) FROM " + table), [(0,)], table)
        self.assert_refused(hp_export("undo", self.archive), "archive.sqlite: the archive has no observation")
        self.capture(FIRST)
        self.assertEqual(self.rows("SELECT id FROM observations"), [(3,)])

    def test_an_observation_that_was_ended_stays_ended(self):
        """It has its entry in the history; what is sent again becomes an observation of its own."""
        lines = observation(1, type_run([sample(1)], [sample(7, 7)], display_name="A name"))
        self.hp_capture("--feed", self.written(feed([*lines[:4], b"{}"])), "--quiet")
        self.assertEqual(self.rows("SELECT status FROM observations"), [("running",)])
        self.capture(SECOND)
        self.assertEqual(self.rows("SELECT status FROM observations"), [("partial_interrupted",), ("completed",)])
        ended = self.rows("SELECT * FROM observations WHERE id = 1"), self.rows("SELECT * FROM daily_type_aggregates WHERE observation_id = 1")
        value, result = self.undo()
        self.assertNotIn("reopened", value)
        self.assertNotIn("running", result.err)
        self.assertEqual((self.rows("SELECT * FROM observations"), self.rows("SELECT * FROM daily_type_aggregates")), ended)
        self.assert_good(hp_verify("archive", self.archive, "--quiet"))
        self.capture(lines)
        self.assertEqual(self.rows("SELECT id, status FROM observations"), [(1, "partial_interrupted"), (3, "completed")])
        self.assertEqual(self.rows("SELECT observation_id, event_kind FROM sample_observation_events ORDER BY id"), [(1, "appeared"), (3, "appeared")])

    def test_samples_and_versions_that_others_name(self):
        """Only an archive of another engine, or a damaged one, has that: nothing is removed."""
        self.capture(FIRST, SECOND)
        clean = self.copied("clean.sqlite")
        first, version = "first_seen_observation_id = 2", "created_observation_id = 2"
        for what, change in (
                ("an event names a sample", "UPDATE samples SET %s WHERE id = 1" % first), ("an event names a version", "UPDATE sample_versions SET %s WHERE id = 1" % version),
                ("a relationship begins at one", "INSERT INTO sample_relationships(observation_id, source_sample_id, target_sample_id, relationship_kind) SELECT 1, max(id), 1, 'x' FROM samples WHERE " + first),
                ("a relationship ends at one", "INSERT INTO sample_relationships(observation_id, source_sample_id, target_sample_id, relationship_kind) SELECT NULL, 1, max(id), 'x' FROM samples WHERE " + first)):
            with self.subTest(what):
                shutil.copyfile(clean, self.archive)
                execute(self.archive, change)
                before = contents(self.archive)
                self.assert_refused(hp_export("undo", self.archive, "--no-backup"),
                                    "archive.sqlite: observation 2 is the first to have seen samples that older observations name")
                self.assertEqual(contents(self.archive), before)

    def test_what_it_withheld_goes_and_what_it_no_longer_withheld_is_withheld_again(self):
        """The second observation has a record that cannot be read, which could be the first sample; the third deletes that sample."""
        bad = json.dumps(sample(7, value=7)).replace('"numeric_value": 7', '"numeric_value": 1e999').encode()
        days = [observation(1, type_run([sample(1), sample(2, 1)])), observation(2, type_run([bad, sample(2, 1)])),
                observation(3, type_run([deleted(1)], mode="anchored"))]
        befores = []
        for number, day in enumerate(days):
            self.capture(day, status=1 if bad in day else 0)
            befores.append(self.copied("before%d.sqlite" % number))
        ranges = "SELECT sample_id, first_observation_id, last_observation_id FROM withheld_closures"
        self.assertEqual(self.rows(ranges), [(1, 2, 3)])
        for before, expected in ((befores[1], [(1, 2, None)]), (befores[0], [])):
            self.undo("--no-backup")
            self.assertEqual(self.rows(ranges), expected)
            self.assert_undone(before)

    @takes_long
    def test_very_many_samples(self):
        """Beside 500,000 samples an eighth of all is enough for an index to be made anew; ids count as samples."""
        self.capture(observation(1, type_run([sample(1)])))
        execute(self.archive, "INSERT INTO samples(id, sample_type_id, strict_fingerprint, first_seen_observation_id, first_seen_at) VALUES (500000, 1, 'x', 1, 0)")
        before = self.copied()
        self.capture(observation(2, type_run([sample(1), *(sample(None, number % 1440, number) for number in range(75_000))])))
        value, _ = self.undo("--no-backup")
        self.assertEqual(value["samples"], 75_000)
        self.assertEqual(rows(self.archive), rows(before))
        schema = "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = 'samples' ORDER BY 1, 2"
        self.assertEqual(query(self.archive, schema), query(before, schema))
        self.assertEqual(query(self.archive, "SELECT count(*) FROM samples INDEXED BY idx_samples_type_semantic"), [(2,)])
        self.assertEqual(query(self.archive, "PRAGMA integrity_check"), [("ok",)])

    def test_an_archive_of_before(self):
        """Today's tables are added, so that the id is kept."""
        self.capture(FIRST, SECOND)
        for table in ("type_run_facts", "observation_facts", "selected_type_sets", "rejected_records", "withheld_closures", "relationship_ends", "source_documents", "unknown_elements", "sample_type_origins", "withdrawn_observations", "zone_rules", "context_log"):
            execute(self.archive, "DROP TABLE " + table)
        execute(self.archive, "DELETE FROM archive_metadata WHERE key LIKE 'extension:%'")
        self.undo()
        self.assertEqual(self.rows("SELECT observation_id FROM withdrawn_observations"), [(2,)])
        self.assertEqual(self.rows("SELECT event_kind FROM context_log ORDER BY id"), [("extension_added",), ("extension_added",), ("observation_withdrawn",)])
        self.assertEqual(hp_verify("archive", self.archive, "--quiet").status, 0)


class Histories(UndoCase):
    # A longer look: HP_HISTORIES=100.
    COUNT = int(os.environ.get("HP_HISTORIES", "12"))

    @takes_long
    def test_random_histories(self):
        """Each feed is taken back, and then captured again: both give what was there."""
        undone = 0
        for seed in range(self.COUNT):
            with self.subTest(seed=seed):
                self.renew()
                for content in histories.History(random.Random(seed), 5).feeds():
                    undone += self.step(self.written(content))
        self.assertGreater(undone, self.COUNT // 2)

    def step(self, path):
        if not self.archive.exists():
            self.hp_capture("--feed", path, "--quiet")
            return 0
        before = self.copied()
        self.hp_capture("--feed", path, "--quiet")
        changed = "SELECT count(*) FROM context_log WHERE event_kind = 'capture_resumed' OR detail_json LIKE '%partial_interrupted%'"
        if query(before, changed) != self.rows(changed):
            return 0  # what was resumed or ended is not what is taken back
        after = self.copied("after.sqlite")
        count = "SELECT count(*) FROM observations"
        new = self.rows(count)[0][0] - query(before, count)[0][0]
        for _ in range(new):
            self.undo("--no-backup")
        self.assert_undone(before)
        self.hp_capture("--feed", path, "--quiet")
        self.assertEqual(dump(self.archive), dump(after))
        return new

    def test_exports(self):
        exports = health_exports.Exports(random.Random(5), 4)
        befores = []
        for number in range(4):
            (self.folder / "export.xml").write_text(exports.export())
            self.assertLessEqual(self.hp_capture("--apple-health", self.folder / "export.xml", "--quiet").status, 1)
            befores.append(self.copied("before%d.sqlite" % number))
        for before in reversed(befores[:-1]):
            self.undo("--no-backup")
            self.assert_undone(before)


class Refusals(UndoCase):
    def test_a_recorded_export_names_it(self):
        second = [{**line, "category": None} if line.get("category") else line for line in SECOND if STEPS != line.get("sample_type")]
        self.capture(FIRST)
        before = self.copied()
        self.capture([{name: value for name, value in line.items() if value is not None} for line in second if line.get("number") != 2])
        for options in ((), ("--at", "1")):
            self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / ("out%d" % len(options)), *options))
        self.assert_good(hp_export("diff", self.archive, "-o", self.folder / "out.csv"))
        names = [name for name, in self.rows("SELECT export_id FROM export_manifests WHERE to_observation_id = 2 ORDER BY id")]
        content = contents(self.archive)
        result = hp_export("undo", self.archive)
        self.assert_refused(result, "2 recorded exports name observation 2 (2024-06-02): recovery_bundle %s, diff_report %s" % tuple(names))
        self.assertIn("--with-exports", result.err)
        self.assertEqual((contents(self.archive), self.backups()), (content, []))
        value, _ = self.undo("--with-exports")
        self.assertEqual(value["exports"], 2)
        self.assertEqual(self.rows("SELECT to_observation_id FROM export_manifests"), [(1,)])
        self.assertEqual(self.rows("SELECT count(*) FROM export_items WHERE export_manifest_id NOT IN (SELECT id FROM export_manifests)"), [(0,)])
        self.assertEqual(hp_verify("reproduce", self.archive, "--quiet").status, 0)
        self.assert_undone(before)

    def test_an_export_does_not_depend_on_later_sample_types(self):
        """The coverage of an export has the types that were known at its observation."""
        self.capture(FIRST)
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "before.zst"))
        self.capture(SECOND)
        self.assert_good(hp_export("bundle", self.archive, "-o", self.folder / "after.zst", "--at", "1"))
        self.assertEqual(self.undo()[0]["exports"], 0)
        self.assertEqual(hp_verify("reproduce", self.archive, "--quiet").status, 0)

    def test_a_table_of_another_engine_names_it(self):
        self.capture(FIRST, SECOND)
        execute(self.archive, "CREATE TABLE theirs(sample_id INTEGER REFERENCES samples(id))", "INSERT INTO theirs SELECT max(id) FROM samples")
        content = contents(self.archive)
        self.assert_refused(hp_export("undo", self.archive, "--no-backup"), "theirs would have references that lead nowhere")
        self.assertEqual(contents(self.archive), content)

    def test_usage(self):
        for arguments, word in (((), "name one archive"), ((self.archive, self.archive), "name one archive"), ((self.archive, "--backup", "x", "--no-backup"), "--no-backup"), ((self.archive,), "no such file")):
            self.assert_refused(hp_export("undo", *arguments), word)

    def test_the_backup_replaces_nothing(self):
        self.capture(FIRST, SECOND)
        content = contents(self.archive)
        for name in ("secret", "archive.sqlite", "archive.sqlite-wal"):
            self.assert_refused(hp_export("undo", self.archive, "--backup", self.folder / name))
        self.assertEqual(contents(self.archive), content)

    def test_an_observation_without_a_device_chain(self):
        self.capture(FIRST)
        clean = self.copied()
        for value in ("'x'", "x'00'", "1.5"):
            with self.subTest(value):
                shutil.copyfile(clean, self.archive)
                execute(self.archive, "PRAGMA foreign_keys = OFF", "UPDATE observations SET device_chain_id = " + value)
                before = contents(self.archive)
                self.assert_refused(hp_export("undo", self.archive, "--no-backup"),
                                    "archive.sqlite: observation 1 has no device chain")
                self.assertEqual(contents(self.archive), before)

    def test_a_damaged_file(self):
        self.capture(FIRST, SECOND)
        self.assert_damage_is_refused()

    def test_a_damaged_file_of_many_samples(self):
        self.capture(FIRST)
        self.capture_as_of_many(SECOND)
        self.assert_damage_is_refused()

    def assert_damage_is_refused(self):
        for journal in "WAL", "DELETE":
            with self.subTest(journal):
                execute(self.archive, "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = " + journal)
                kept = self.archive.read_bytes()
                self.assert_this_damage_is_refused()
                self.archive.write_bytes(kept)

    def assert_this_damage_is_refused(self):
        (root,) = self.rows("SELECT rootpage FROM sqlite_master WHERE name = 'idx_sample_versions_time'")[0]
        (size,) = self.rows("PRAGMA page_size")[0]
        data = bytearray(self.archive.read_bytes())
        data[(root - 1) * size + 3:(root - 1) * size + 5] = b"\0\0"
        self.archive.write_bytes(data)
        for arguments in (), ("--no-backup",):
            with self.subTest(arguments):
                self.assert_refused(hp_export("undo", self.archive, *arguments), "archive.sqlite: the file itself is damaged")
                self.assertEqual((self.archive.read_bytes(), self.backups()), (bytes(data), []))
                self.assertEqual(list(self.folder.glob(".*.partial")), [])


if __name__ == "__main__":
    unittest.main()
