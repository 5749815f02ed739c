"""hp-export records --history: a row for each version, held against the rows of the archive and the bundle of the same history."""

import csv
import io
import json
import subprocess
import sys
import unittest

from report_support import ReportCase
from archive_builder import DAY, START, STEPS, Builder
from support import ROOT, database, execute, hp_export, hp_verify, lines_of

HEART = "HKQuantityTypeIdentifierHeartRate"
VERSIONS = """
SELECT t.type_identifier, v.payload_hash, s.strict_fingerprint, v.numeric_value,
    (SELECT count(*) FROM sample_observation_events e WHERE e.version_id = v.id AND e.observation_id <= :at),
    (SELECT count(*) FROM sample_visibility_ranges r WHERE r.version_id = v.id AND r.first_observation_id <= :at),
    (SELECT max(r.last_observation_id) FROM sample_visibility_ranges r WHERE r.version_id = v.id AND r.last_observation_id <= :at)
FROM sample_versions v JOIN samples s ON s.id = v.sample_id JOIN sample_types t ON t.id = s.sample_type_id
WHERE v.created_observation_id <= :at AND (:type IS NULL OR t.type_identifier = :type) AND (:since IS NULL OR v.start_date >= :since)
"""


class HistoryTable(ReportCase):
    def setUp(self):
        super().setUp()
        builder = Builder(self.archive, 3, types=(STEPS, HEART))
        builder.records(4, 600.0, 10.0)
        builder.records(2, 600.0, 20.0, begin=DAY, first=2)
        again = builder.record(2 * DAY, 2 * DAY + 60, 5.0, last=2)
        builder.version(again, 2 * DAY, 2 * DAY + 60, 6.0, first=2)
        builder.record(0, 60, 70.0, sample_type=HEART, unit="count/min", last=3)
        builder.record(3 * DAY, 3 * DAY + 60, 7.0, first=3)
        # A sample that only a range without a version names, and a link: no row shows them.
        builder.insert("samples", 100, 1, "e" * 64, "f" * 64, None, None, 1, START)
        builder.insert("sample_visibility_ranges", 100, None, 1, None, START, None)
        builder.insert("sample_relationships", 1, 1, 1, 2, "synthetic_kind", None)
        for number, (observation, version) in enumerate([(1, 1), (2, 1), (3, 9), (3, 10)], 1):
            sample = builder.connection.execute("SELECT sample_id FROM sample_versions WHERE id = ?", (version,)).fetchone()[0]
            builder.insert("sample_observation_events", number, observation, sample, version, "noticed", START + DAY * observation, "synthetic")
        builder.close()

    def test_a_history_has_every_type_run(self):
        def runs(*options):
            path = self.folder / "runs.zst"
            self.assert_good(hp_export("bundle", self.archive, "-o", path, "--no-record", "--quiet", "--force", *options))
            return [(entry["observation_id"], entry["sample_type"]) for entry in json.loads(lines_of(path)[0])["export"]["coverage"]]

        self.assertEqual(runs("--history"), [(observation, name) for name in (HEART, STEPS) for observation in (1, 2, 3)])
        self.assertEqual(runs(), [(3, HEART), (3, STEPS)])

    def rows(self, *options):
        result = self.assert_good(hp_export("records", self.archive, "--history", "-o", "-", "--no-record", "--quiet", *options))
        return list(csv.DictReader(io.StringIO(result.out.decode(), newline="")))

    def expected(self, at=3, type=None, since=None):
        with database(self.archive) as connection:
            return sorted(connection.execute(VERSIONS, {"at": at, "type": type, "since": since}).fetchall())

    def told(self, rows):
        """What rows say of the columns of `VERSIONS`."""
        def last(row):
            ends = [each["last_observation_id"] for each in json.loads(row["visibility"]) if "last_observation_id" in each]
            return max(ends) if ends else None
        return sorted((row["sample_type"], row["payload_hash"], row["strict_fingerprint"], float(row["numeric_value"]),
                       len(json.loads(row["events"] or "[]")), len(json.loads(row["visibility"])), last(row)) for row in rows)

    def test_a_row_for_each_version(self):
        self.assertEqual(len(self.rows()), 10)  # 4, 2, the two of one sample, the heart rate, the last one
        self.assertEqual(self.told(self.rows()), self.expected())

    def test_observations_and_filters(self):
        for at, count in ((1, 6), (2, 9), (3, 10)):
            rows = self.rows("--at", str(at))
            self.assertEqual(len(rows), count)
            self.assertEqual(self.told(rows), self.expected(at))
        self.assertEqual(self.told(self.rows("--type", "HeartRate")), self.expected(type=HEART))
        since = self.rows("--since", "2001-01-02T00:00:00Z")
        self.assertEqual(len(since), 5)
        self.assertEqual(self.told(since), self.expected(since=START + DAY))

    def test_hashes_are_those_of_the_bundle(self):
        for options in ((), ("--at", "2"), ("--type", "StepCount"), ("--since", "2001-01-02T00:00:00Z")):
            bundle = self.folder / "history.jsonl.zst"
            self.assert_good(hp_export("bundle", self.archive, "--history", "-o", bundle, "--force", "--no-record", *options))
            lines = [json.loads(line) for line in lines_of(bundle)]
            expected = [line["item_hash"] for line in lines if line.get("item", {}).get("item_kind") == "version"]
            self.assertGreater(len(lines) - 2, len(expected))
            self.assertEqual([row["item_hash"] for row in self.rows(*options)], expected)

    def test_recorded_verified_and_reproduced(self):
        table = self.folder / "history.csv"
        self.assert_good(hp_export("records", self.archive, "--history", "-o", table))
        with database(self.archive) as connection:
            self.assertEqual(connection.execute("SELECT export_kind, record_count, to_observation_id FROM export_manifests").fetchall(), [("version_table", 10, 3)])
            self.assertEqual(connection.execute("SELECT version_id FROM export_items ORDER BY version_id").fetchall(), [(number,) for number in range(1, 11)])
        self.assert_good(hp_verify("bundle", table, "--archive", self.archive))
        self.assertIn(b"1 of 1", self.assert_good(hp_verify("reproduce", self.archive)).out)
        python = subprocess.run([sys.executable, ROOT / "Spec" / "examples" / "verify_bundle.py", table], capture_output=True)
        self.assertEqual((python.returncode, python.stderr), (0, b""), python.stdout)
        # A version that the archive has otherwise now is found by either.
        execute(self.archive, "UPDATE sample_versions SET numeric_value = 11 WHERE id = 1")
        self.assertEqual(hp_verify("reproduce", self.archive).status, 1)
        table.write_bytes(table.read_bytes().replace(b",10,", b",11,", 1))
        changed = hp_verify("bundle", table, "--json")
        self.assertEqual(changed.status, 1)
        self.assertIn(b"item.hash", changed.out)

    def test_a_version_that_only_an_event_names(self):
        """No row has it, and no range names it: its item has the event, and a defect where the version would be."""
        execute(self.archive, "INSERT INTO sample_observation_events VALUES (5, 2, 1, 999, 'seen again', %r, 'synthetic')" % (START + 2 * DAY))
        unknown, = (item for item in self.items("version_table") if "payload_hash" not in item)
        self.assertEqual(unknown, {
            "item_kind": "version", "sample_type": STEPS, "sample_uuid_hash": "%064x" % 1001, "strict_fingerprint": "%064x" % 2001,
            "first_seen_at": "2001-01-02T00:00:00.000Z", "first_seen_observation_id": 1,
            "events": [{"event_kind": "seen again", "evidence_kind": "synthetic", "observation_id": 2, "observed_at": "2001-01-03T00:00:00.000Z"}],
            "defects": [{"pointer": "/payload_hash", "reason": "missing_row", "storage_class": "integer", "value": "999"}]})
        for at, count in ((None, 11), (3, 11), (2, 10), (1, 6)):
            self.assertEqual(len(self.assert_same("version_table", at=at).items), count)

    def test_what_a_history_has_not(self):
        self.assert_refused(hp_export("records", self.archive, "--history", "--view", "people"), "people")
        self.assert_refused(hp_export("records", self.archive, "--history", "--with-related", "--type", "StepCount"), "--with-related")


if __name__ == "__main__":
    unittest.main()
