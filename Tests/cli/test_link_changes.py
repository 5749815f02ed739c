"""hp-export diff: relationships that appeared, disappeared or changed between two observations, each case worked out by hand."""

import collections
import csv
import io
import json
import unittest

from report_support import hp_report, ReportCase
from archive_builder import START, Builder
from support import ROOT, hp_export, hp_verify, query

WORKOUT, HEART = "HKWorkoutTypeIdentifier", "HKQuantityTypeIdentifierHeartRate"
APPEARED, CHANGED, DISAPPEARED = ("relationship_" + kind for kind in ("appeared", "changed", "disappeared"))


class LinkChanges(ReportCase):
    def build(self, observations=2, facts=True):
        builder = Builder(self.archive, observations, types=(WORKOUT, HEART))
        if facts:
            builder.connection.executescript((ROOT / "Spec" / "archive-extensions.sql").read_text(encoding="utf-8") + ";BEGIN;")
            builder.insert("archive_metadata", "extension:capture_facts", "2")
            for observation in range(1, observations + 1):
                builder.insert("observation_facts", observation, None, None, None, None)
        for number in (1, 2):
            builder.insert("metadata_blobs", number, str(number) * 64, '{"n":%d}' % number)
        self.workout = builder.record(0, 3600, sample_type=WORKOUT, kind="workout")
        self.builder, self.rows = builder, 0
        return builder

    def heart(self, minute, **others):
        return self.builder.record(60 * minute, 60 * minute + 60, 70, sample_type=HEART, unit="count/min", **others)

    def link(self, target, observation=1, metadata=None, kind="workout_sample", source=None):
        self.rows += 1
        self.builder.insert("sample_relationships", self.rows, observation, source or self.workout, target, kind, metadata)

    def end(self, target, observation, kind="workout_sample"):
        self.builder.insert("relationship_ends", None, observation, self.workout, target, kind)

    def found(self, *options, from_=1, at=2, **others):
        """What changed: the kind, the target's number, and the metadata and the observation of each side."""
        items = [item for item in self.items("diff_report", *options, from_=from_, at=at, **others) if item["change"].startswith("relationship_")]
        sides = lambda item: tuple(item.get("relationship_" + side, {}).get(name) for side in ("before", "after") for name in ("metadata", "observation_id"))
        number = lambda item: int(item.get("relationship_after", item.get("relationship_before"))["end_identity_hash"], 16) - 1000
        return sorted((item["change"], number(item), *sides(item)) for item in items)

    def test_each_way_in_which_a_link_changes(self):
        self.build(3)
        stays, ends, gone, again = self.heart(1), self.heart(2), self.heart(3, last=2), self.heart(4)
        new, other, both = self.heart(5, first=2), self.heart(6), self.heart(7, last=3)
        for target in (stays, ends, gone, again, both):
            self.link(target)
        self.end(ends, 2)
        self.link(again, 2, metadata=1)  # learned again with metadata
        self.link(new, 2)
        self.link(other, 2)              # both samples were there before
        self.end(both, 2)                # ended, and learned once more at the end
        self.link(both, 3)
        self.link(stays, 3, metadata=2)
        self.builder.close()
        self.assertEqual(self.found(), [
            (APPEARED, new, None, None, None, 2), (APPEARED, other, None, None, None, 2), (CHANGED, again, None, 1, {"n": 1}, 2),
            (DISAPPEARED, ends, None, 1, None, None), (DISAPPEARED, gone, None, 1, None, None), (DISAPPEARED, both, None, 1, None, None)])
        reverse = {APPEARED: DISAPPEARED, DISAPPEARED: APPEARED, CHANGED: CHANGED}
        self.assertEqual(self.found(from_=2, at=1), sorted((reverse[kind], number, *after, *before) for kind, number, *sides in self.found() for before, after in [(sides[:2], sides[2:])]))
        # At the third observation `both` is no longer visible, so that its new row makes no link.
        self.assertEqual(self.found(from_=2, at=3), [(CHANGED, stays, None, 1, {"n": 2}, 3)])
        self.assertEqual(self.found(from_=2, at=2), [])
        for pair in ((1, 2), (2, 1), (2, 3), (1, 3), (3, 1)):
            self.assert_same("diff_report", from_=pair[0], at=pair[1])

    def test_what_another_engine_writes_again_is_no_change(self):
        self.build(2, facts=False)
        first, second = self.heart(1), self.heart(2)
        self.link(first), self.link(first, 2), self.link(second, None), self.link(second, 2, metadata=1)
        self.builder.close()
        self.assertEqual(self.found(), [(CHANGED, second, None, None, {"n": 1}, 2)])
        self.assert_same("diff_report", from_=1, at=2)

    def test_a_filter_selects_by_the_source(self):
        self.build()
        walk = self.heart(1)
        self.link(walk), self.end(walk, 2)
        self.link(self.workout, 2, source=walk, kind="backwards")
        self.builder.close()
        every = [(APPEARED, self.workout, None, None, None, 2), (DISAPPEARED, walk, None, 1, None, None)]
        self.assertEqual(self.found(), every)
        self.assertEqual(self.found("--type", "HeartRate"), every[:1])
        self.assertEqual(self.found("--type", WORKOUT), every[1:])
        self.assertEqual(self.found("--until", "2000"), [])
        self.assertEqual(self.found("--source", "com.example.one"), every)
        for types in ([HEART], [WORKOUT]):
            self.assert_same("diff_report", "--type", types[0], from_=1, at=2, types=types)

    def test_kinds_and_labels_select(self):
        self.build()
        targets = [self.heart(minute) for minute in range(3)]
        self.heart(9, first=2)
        self.link(targets[0]), self.end(targets[0], 2), self.link(targets[1], 2), self.link(targets[2]), self.link(targets[2], 2, metadata=1)
        self.builder.close()
        count = lambda **others: collections.Counter(item["change"] for item in self.items("change_set", from_=1, at=2, **others))
        for kind in (APPEARED, CHANGED, DISAPPEARED):
            self.assertEqual(count(kinds=[kind]), {kind: 1})
            self.assert_same("change_set", from_=1, at=2, kinds=[kind])
        self.assertEqual(count(kinds=[CHANGED, "appeared"]), {CHANGED: 1, "appeared": 1})
        self.assertEqual(count(kinds=["appeared"]), {"appeared": 1})
        self.assertEqual(count(labels=["appeared"]), {"appeared": 1})
        self.assertEqual(count(kinds=[APPEARED, "appeared"], labels=["appeared"]), {"appeared": 1})

    def test_it_is_recorded_verified_reproduced_and_read(self):
        self.build()
        self.link(self.heart(1)), self.link(self.heart(2), 2), self.link(self.heart(3), 2, metadata=2), self.end(2, 2)
        self.builder.close()
        self.assert_good(hp_export("diff", self.archive, "--from", "1", "--to", "2", "-o", self.folder / "d.csv"))
        workout = query(self.archive, "SELECT count(*), count(version_id), count(DISTINCT sample_id) FROM export_items")
        self.assertEqual(workout, [(3, 0, 1)])
        self.assertIn("archive record agrees", self.assert_good(hp_verify("bundle", self.folder / "d.csv", "--archive", self.archive)).out.decode())
        self.assert_good(hp_verify("reproduce", self.archive))
        with open(self.folder / "d.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["change"] for row in rows], [DISAPPEARED, APPEARED, APPEARED])
        self.assertEqual([json.loads(row["relationship_after"] or "{}").get("metadata") for row in rows], [None, None, {"n": 2}])
        people = self.assert_good(hp_export("diff", self.archive, "--from", "1", "--to", "2", "--view", "people", "-o", "-", "--no-record", "--quiet")).out
        self.assertEqual([(row["change"], row["type"], row.get("start", "")) for row in csv.DictReader(io.StringIO(people.decode(), newline=""))], [
            ("relationship disappeared: workout_sample, Heart rate", "Workout", ""), *[("relationship appeared: workout_sample, Heart rate", "Workout", "")] * 2])

    def test_odd_rows_are_carried(self):
        self.build()
        first = self.heart(1)
        self.link(first, 2, metadata=77), self.link(999, 2), self.link(first, 2, kind=b"\xff")
        self.builder.insert("sample_visibility_ranges", 999, None, 1, None, START, None)
        self.builder.close()
        items = [item for item in self.items("diff_report", from_=1, at=2) if item["change"] == APPEARED]
        self.assertEqual(sorted(defect["pointer"] for item in items for defect in item["defects"]), [
            "/relationship_after/end_identity_hash", "/relationship_after/metadata", "/relationship_after/relationship_kind"])
        self.assert_same("diff_report", from_=1, at=2)
        path = self.folder / "d.jsonl"
        path.write_bytes(self.assert_good(hp_report(self.archive, "diff_report", "--format", "jsonl", "-o", "-", "--quiet", "--no-record")).out)
        self.assert_good(hp_verify("bundle", path))


if __name__ == "__main__":
    unittest.main()
