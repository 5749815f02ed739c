"""Relationships as evidence: new links, other metadata, ends, and what an export of a point in time shows; each step as the reference takes it."""

import json
import subprocess
import sys
import unittest

from capture_support import HEART_RATE, STEPS, CaptureCase, feed, observation, sample, type_run, uuid
from support import hp_export, hp_verify, lines_of

import export_bundle


def link(source=1, target=2, metadata=None, kind="test"):
    line = {"kind": "relationship", "source": {"sample_type": HEART_RATE, "uuid": uuid(source)}, "target": {"sample_type": HEART_RATE, "uuid": uuid(target)},
            "relationship_kind": kind}
    return line if metadata is None else {**line, "metadata": metadata}


class Links(CaptureCase):
    def captured(self, day, *lines, mode="full_scan"):
        self.assert_good(self.both("--feed", feed(observation(day, type_run([*lines], mode=mode)))))

    def exported(self, *options):
        """The relationships of each record, by its identity; the bundle is that of the reference."""
        path = self.folder / "b.zst"
        self.assert_good(hp_export("bundle", self.archive, "-o", path, "--force", "--no-record", *options))
        self.assert_good(hp_verify("bundle", path))
        found = [json.loads(line)["item"] for line in lines_of(path)[1:-1]]
        text = subprocess.run([sys.executable, export_bundle.__file__, self.archive, *options], check=True, capture_output=True).stdout
        self.assertEqual(b"".join(line + b"\n" for line in lines_of(path)), text)
        return sorted((entry["end"], entry["observation_id"], entry.get("metadata"), *([entry["ended_observation_id"]] if "ended_observation_id" in entry else [])) for item in found for entry in item.get("relationships", ()))

    def rows_and_ends(self):
        return (self.rows("SELECT observation_id FROM sample_relationships ORDER BY id"), self.rows("SELECT observation_id, relationship_kind FROM relationship_ends"))

    def test_a_link_ends_and_returns(self):
        two = (sample(1), sample(2, 1))
        self.captured(1, *two, link())
        self.captured(2, *two)
        self.captured(3, *two)
        self.captured(4, *two, link())
        self.assertEqual(self.rows_and_ends(), ([(1,), (4,)], [(2, "test")]))
        self.assertEqual([len(self.exported("--at", str(at))) for at in (1, 2, 3, 4)], [2, 0, 0, 2])
        self.assertEqual(self.exported("--history"), [("source", 1, None, 2), ("source", 4, None), ("target", 1, None, 2), ("target", 4, None)])
        # What a history knows ends with its observation.
        self.assertEqual(self.exported("--history", "--at", "1"), [("source", 1, None), ("target", 1, None)])
        self.assertEqual(self.exported("--history", "--at", "3"), [("source", 1, None, 2), ("target", 1, None, 2)])
        self.assert_good(hp_verify("archive", self.archive))

    def test_other_metadata_is_a_further_row(self):
        two = (sample(1), sample(2, 1))
        self.captured(1, *two, link(metadata={"a": 1}))
        self.captured(2, *two, link(metadata={"a": 2}))
        self.captured(3, *two, link(metadata={"a": 2}), link(metadata={"a": 3}))
        # Of two that differ in one observation the first stands: it is as it was.
        self.assertEqual(self.exported("--at", "1"), [("source", 1, {"a": 1}), ("target", 1, {"a": 1})])
        self.assertEqual(self.exported("--at", "2"), [("source", 2, {"a": 2}), ("target", 2, {"a": 2})])
        # A row that another replaced did not end: the link did.
        self.captured(4, *two)
        self.assertEqual(self.exported("--history"), [("source", 1, {"a": 1}), ("source", 2, {"a": 2}, 4), ("target", 1, {"a": 1}), ("target", 2, {"a": 2}, 4)])

    def test_nothing_ends_that_was_not_looked_for(self):
        self.captured(1, sample(1), sample(2, 1), link())
        self.captured(2, sample(3, 2), mode="anchored")
        self.captured(3, sample(1), sample(3, 2))
        self.assertEqual(self.rows_and_ends(), ([(1,)], []))
        # The record at its end returns, and the link does not.
        self.captured(4, sample(1), sample(2, 1), sample(3, 2))
        self.assertEqual(self.rows_and_ends()[1], [(4, "test")])

    def test_a_member_that_leaves_its_correlation(self):
        def export(day, *members):
            part = lambda value: '<Record type="%s" sourceName="Cuff" unit="mmHg" startDate="2024-04-01 10:00:00 +0000" endDate="2024-04-01 10:00:00 +0000" value="%d"/>' % (STEPS, value)
            return ('<?xml version="1.0"?>\n<HealthData><ExportDate value="2024-05-%02d 10:00:00 +0000"/>%s<Correlation type="c" sourceName="Cuff" '
                    'startDate="2024-04-01 10:00:00 +0000" endDate="2024-04-01 10:00:00 +0000">%s</Correlation></HealthData>\n' % (
                        day, part(1) + part(2), "".join(map(part, members)))).encode()
        for day, members in ((1, (1, 2)), (2, (1,)), (3, (1, 2))):
            self.assert_good(self.both("--apple-health", export(day, *members)))
        self.assertEqual(self.rows_and_ends(), ([(1,), (1,), (3,)], [(2, "correlation_member")]))
        self.assertEqual([len(self.exported("--at", str(at))) for at in (1, 2, 3)], [4, 2, 4])
        # The same export again is the same.
        result = self.hp_capture("--apple-health", self.written(export(3, 1, 2), "e.xml"))
        self.assertIn("captured before", result.err)

    def test_a_member_is_a_record_with_the_same_payload_or_else_the_first_that_is_alike(self):
        """Records of one fingerprint with other metadata: of what the top level has, by Spec/apple-health.md."""
        dates = 'startDate="2024-04-01 10:00:00 +0000" endDate="2024-04-01 10:00:00 +0000"'

        def part(value):
            entry = "" if value is None else '<MetadataEntry key="k" value="%d"/>' % value
            return '<Record type="%s" sourceName="Cuff" unit="mmHg" %s value="1">%s</Record>' % (STEPS, dates, entry)
        for top, target in (((1,), 1), ((1, None), 1), ((1, 2), 2), ((None, 1, 2), 3)):
            with self.subTest(top):
                self.renew()
                text = ('<?xml version="1.0"?>\n<HealthData><ExportDate value="2024-05-01 10:00:00 +0000"/>%s'
                        '<Correlation type="c" sourceName="Cuff" %s>%s</Correlation></HealthData>\n'
                        % ("".join(map(part, top)), dates, part(2)))
                self.assert_good(self.both("--apple-health", text.encode()))
                steps = [number for number, in self.rows(
                    "SELECT s.id FROM samples s JOIN sample_types t ON t.id = sample_type_id"
                    " WHERE type_identifier = ? ORDER BY s.id", STEPS)]
                self.assertEqual(len(steps), len(top))
                self.assertEqual(self.rows("SELECT target_sample_id FROM sample_relationships"), [(steps[target - 1],)])


if __name__ == "__main__":
    unittest.main()
