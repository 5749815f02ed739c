"""One number: the line of a capture, summary, diff, page, lists and cache have the same figures, and the archive wins over its cache."""

import contextlib
import json
import sqlite3
import time
import unittest

from capture_support import STEPS, CaptureCase, deleted, feed, observation, sample, start_with_input, type_run
from support import execute, hp_export, hp_verify, query


class OneNumber(CaptureCase):
    def take(self, content):
        result = self.hp_capture("--feed", self.written(content), "--json")
        self.assertIn(result.status, (0, 1), result)
        return json.loads(result.out)["observations"][-1], result.err

    def listed(self, kind):
        return json.loads(hp_export("list", self.archive, kind, "--json").out)[kind]

    def cache(self, sql, *values):
        with contextlib.closing(sqlite3.connect(str(self.archive) + ".cache")) as connection:
            found = connection.execute(sql, values).fetchall()
            connection.commit()
            return found

    def summary(self, *arguments):
        lines = hp_export("diff", self.archive, "--summary", "--format", "jsonl", "-o", "-", "--no-record", "--quiet", *arguments).out.splitlines()
        return json.loads(lines[1])["item"]

    def assert_agree(self, line, observation_id):
        """The line of the capture, the summary, the lists and the cache say the same of an observation."""
        kinds = ("appeared", "disappeared", "representation_changed")
        expected = [line[kind] for kind in kinds]
        whole = self.summary("--to", str(observation_id), "--from", str(observation_id - 1)) if observation_id > 1 else None
        if whole:
            self.assertEqual([whole[kind + "_count"] for kind in kinds], expected)
        row = next(row for row in self.listed("observations") if row["id"] == observation_id)
        self.assertEqual([row[kind + "_count"] for kind in kinds], expected)
        changes = [row for row in self.listed("changes") if row["observation_id"] == observation_id]
        self.assertEqual([sum(row[name] for row in changes) for name in ("appeared", "no_longer_visible", "representation_changed")], expected)
        hp_export("cache", self.archive, "rebuild", "--quiet")
        cached = self.cache("SELECT appearedCount, disappearedCount, representationChangedCount, visibleRecordCount FROM CachedObservationRow WHERE observationID = ?", observation_id)
        self.assertEqual(cached, [(*expected, row["visible_record_count"])])
        if whole:
            self.assertEqual(row["visible_record_count"], whole["after"]["record_count"])
        self.assert_good(hp_verify("archive", self.archive))

    def test_deleted_objects_that_were_never_seen(self):
        self.take(feed(observation(1, type_run([sample(1), sample(2, 1)]))))
        line, said = self.take(feed(observation(2, type_run([deleted(8), deleted(9), sample(5, 5), deleted(5), deleted(1)], mode="anchored"))))
        self.assertEqual([line[kind] for kind in ("appeared", "disappeared", "deleted_objects")], [0, 1, 4])
        self.assertIn("0 appeared, 0 changed, 1 no longer visible", said)
        self.assert_agree(line, 2)

    def test_a_resumed_capture_says_what_the_observation_has(self):
        self.take(feed(observation(1, type_run([sample(90, 90)]))))
        lines = feed(observation(2, type_run([sample(n, n) for n in range(4)], [sample(n, n) for n in range(4, 10)] + [sample(90, 90)]))).splitlines(True)
        process = start_with_input("capture", self.archive, "--secret", self.secret, "--feed", "-", "--quiet")
        process.stdin.write(b"".join(lines[:9]))
        process.stdin.flush()
        while query(self.archive, "SELECT count(*) FROM sample_observation_events WHERE observation_id = 2") != [(4,)]:
            time.sleep(0.05)
        process.kill()
        process.communicate()
        line, said = self.take(b"".join(lines))
        self.assertEqual([line[kind] for kind in ("start", "records", "appeared", "disappeared", "representation_changed", "unchanged")], ["resumed", 11, 10, 0, 0, 1])
        self.assert_agree(line, 2)

    def test_what_is_visible_is_not_only_what_was_asked_for(self):
        self.take(feed(observation(1, type_run([sample(n, n) for n in range(5)]), type_run([sample(20 + n, n, sample_type=STEPS, unit="count") for n in range(3)], sample_type=STEPS, first_page=2))))
        line, _ = self.take(feed(observation(2, type_run([sample(n, n) for n in range(4)]))))
        self.assertEqual([row["visible_record_count"] for row in self.listed("observations")], [8, 7])
        self.assert_agree(line, 2)
        line, _ = self.take(feed(observation(3, type_run([], end={"status": "failed"}))))
        self.assertEqual([(row["visible_record_count"], row["unknown_type_count"]) for row in self.listed("observations")][2], (7, 1))

    def test_the_archive_wins_over_its_cache(self):
        for day in range(1, 12):
            self.take(feed(observation(day, type_run([sample(n, n) for n in range(day + 3)]))))
        hp_export("cache", self.archive, "rebuild", "--quiet")
        said = self.listed("observations")
        counts = lambda: json.loads(hp_export("diff", self.archive, "--summary", "--counts", "--json", "--from", "2", "--to", "3").out)
        truth = {**counts(), "counts_from": "archive"}
        self.assertEqual(counts()["counts_from"], "cache")
        # A row of the cache that somebody changed.
        for sql in ("UPDATE CachedDiffSummary SET appearedCount = 99 WHERE toObservationID = 3", "DELETE FROM CachedDiffSummary WHERE toObservationID = 3",
                    "UPDATE CachedObservationRow SET visibleRecordCount = 99 WHERE observationID = 4"):
            hp_export("cache", self.archive, "rebuild", "--quiet")
            self.cache(sql)
            self.assertEqual((counts(), self.listed("observations")), (truth, said))
            self.assertEqual(json.loads(hp_export("cache", self.archive, "status", "--json").out)["reasons"], ["damaged"])
        # Aggregates of an older observation that are repaired.
        hp_export("cache", self.archive, "rebuild", "--quiet")
        execute(self.archive, "UPDATE observation_type_summaries SET visible_record_count = 77 WHERE observation_id = 4", "UPDATE daily_type_aggregates SET value_max = 1 WHERE observation_id = 5")
        self.assert_good(hp_export("repair", self.archive, "--aggregates", "--quiet"))
        self.assertEqual(json.loads(hp_export("cache", self.archive, "status", "--json").out)["reasons"], ["aggregates"])
        self.assertEqual((counts(), self.listed("observations")), (truth, said))

    def test_rows_of_the_cache_can_be_told_apart(self):
        watch = {"bundle_identifier": "com.example.watch"}
        lines = [sample(1, 1), sample(2, 2, source={"name": "A", **watch, "version": "1"}), sample(3, 3, source={"name": "A", **watch, "version": "2"}), sample(4, 4, source={"version": "1"})]
        self.take(feed(observation(1, type_run(lines))))
        hp_export("cache", self.archive, "rebuild", "--quiet")
        keys = self.cache("SELECT observationID, sampleTypeIdentifier, bucketStart, sourceRevisionDisplayHash FROM CachedDailyAggregate")
        self.assertEqual((len(keys), len(set(keys))), (4, 4))
        for entity in ("ArchiveHealth", "ObservationRow", "TypeSummary", "DailyAggregate", "DiffSummary", "ExportManifest"):
            self.assertIn("archiveSchemaVersion", [row[1] for row in self.cache("PRAGMA table_info(Cached%s)" % entity)])

    def test_duplicates_are_of_what_is_visible(self):
        value = lambda number, kilograms, source: sample(number, 5, kilograms, source={"name": source})
        found = lambda: [json.loads(line)["item"] for line in hp_export("diff", self.archive, "--findings", "--format", "jsonl", "-o", "-", "--no-record", "--quiet").out.splitlines()[1:-1]]
        self.take(feed(observation(1, type_run([value(1, 70, "a"), value(2, 70, "b")]))))
        self.take(feed(observation(2, type_run([value(1, 70, "a"), value(2, 80, "b")]))))
        self.assertEqual(found(), [])
        self.take(feed(observation(3, type_run([value(1, 80, "a"), value(2, 80, "b")]))))
        self.assertEqual([(item["finding"], item["record_count"]) for item in found()], [("semantic_duplicate", 2)])

    def test_a_page_that_looks_back(self):
        self.take(feed(observation(1, type_run([sample(1), sample(2, 1)]), type_run([], sample_type=STEPS, first_page=2))))
        self.take(feed(observation(2, type_run([sample(1)]), type_run([], sample_type=STEPS, first_page=2, end={"status": "unauthorized"}))))
        self.take(feed(observation(3, type_run([sample(1)]))))
        page = self.folder / "page.html"
        self.assert_good(hp_export("report", self.archive, "--from", "3", "--to", "1", "-o", page))
        text = page.read_text()
        self.assertIn("visible at observation 3, not at 1; no proof of a deletion", text)
        self.assertIn(STEPS, text.split("<template")[0])
        self.assertNotIn("never asked", text.split("<template")[0])
        line = next(json.loads(line)["item"] for line in text.splitlines() if STEPS in line and '"standing"' in line)
        self.assertEqual(line["statuses"], ["completed", "unauthorized", "not_queried"])
        self.assert_good(hp_verify("bundle", page, "--archive", self.archive))


if __name__ == "__main__":
    unittest.main()
