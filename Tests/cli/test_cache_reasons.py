"""The report cache beside archives that were rewritten: why it is made anew, and that a part of it made anew gives the rows of the whole."""

import os
import unittest

import test_cache
from report_support import ReportCase
from archive_builder import STEPS, Builder
from support import execute, hp_export, query


def record(number, first, last=None):
    """A record of a minute in an hour of its own."""
    return (1, number * 3600, 60, number, first, last)


class Rewritten(ReportCase):
    """An archive that another one takes the place of, with the same first observation."""

    run_cache, rows, reasons, whole, items, expected_changes, assert_right, agreement = (
        getattr(test_cache.Cache, name) for name in ("run_cache", "rows", "reasons", "whole", "items", "expected_changes", "assert_right", "agreement"))

    def setUp(self):
        super().setUp()
        self.cache = self.folder / (self.archive.name + ".cache")

    def written(self, observations, *records, without=None):
        """The archive anew, with so many records of a length and a value, one after the other, for each (count, start, length, value, first, last); with the events that
        its ranges follow from, and with the summaries and buckets of these. An observation that no range names may be taken away."""
        self.archive.unlink(missing_ok=True)
        builder = Builder(self.archive, observations)
        for count, begin, length, value, first, last in records:
            builder.records(count, length, value, begin=begin, first=first, last=last)
        builder.insert("archive_metadata", "identity_rules", "2")
        for kind, name in (("appeared", "first"), ("disappeared", "last")):
            builder.connection.execute("INSERT INTO sample_observation_events(observation_id, sample_id, version_id, event_kind, observed_at, evidence_kind) SELECT %s_observation_id, sample_id, "
                                       "version_id, '%s', %s_seen_at, 'full_scan' FROM sample_visibility_ranges WHERE %s_observation_id IS NOT NULL" % (name, kind, name, name))
        if without:
            builder.connection.execute("DELETE FROM observation_type_runs WHERE observation_id = %d" % without)
            builder.connection.execute("DELETE FROM observations WHERE id = %d" % without)
        builder.close()
        self.assert_good(hp_export("repair", self.archive, "--aggregates", "--backup", self.folder / ("backup-%d" % len(os.listdir(self.folder))), "--quiet"))
        self.assertEqual(query(self.archive, "SELECT observation_id, visible_record_count FROM observation_type_summaries"),
                         query(self.archive, "SELECT id, (SELECT count(*) FROM sample_visibility_ranges WHERE first_observation_id <= id AND ifnull(last_observation_id, 99) > id) FROM observations"))

    def assert_part_is_whole(self, *observations):
        """What is made anew are the rows of these observations, and then all are as if all had been made anew."""
        self.assertEqual(self.reasons(), ["observations"])
        made = self.run_cache("rebuild")
        self.assertEqual((made["whole"], made["observation_count"]), (False, len(observations)))
        self.assert_right()
        self.assertEqual({entity: self.rows(entity) for entity in test_cache.ENTITIES}, self.whole())

    def test_the_newest_observation_is_gone(self):
        self.written(3, record(1, 1), record(2, 1, 3), record(3, 2), record(4, 3))
        self.run_cache("rebuild")
        self.written(2, record(1, 1), record(2, 1), record(3, 2))
        self.assert_part_is_whole(3)

    def test_an_observation_between_others_is_gone(self):
        """What changed from it to the next is gone, and so is what changed to it: the next is compared with the one before."""
        records = [record(1, 1), record(2, 1, 3), record(3, 3), record(4, 3, 5), record(5, 5)]
        self.written(5, *records)
        self.run_cache("rebuild")
        self.assertEqual(self.rows("CachedDiffSummary"), [(2, 3, STEPS, 2, 1, 0, 0, None, 0, 0, 0, 2), (4, 5, STEPS, 1, 1, 0, 0, None, 0, 0, 0, 2)])
        self.written(5, *records, without=4)
        self.assert_part_is_whole(4, 5)
        self.assertEqual(self.rows("CachedDiffSummary"), [(2, 3, STEPS, 2, 1, 0, 0, None, 0, 0, 0, 2), (3, 5, STEPS, 1, 1, 0, 0, None, 0, 0, 0, 2)])

    def test_the_observation_before_has_other_records(self):
        """The summary of 3 is as it was, but what it has does no longer stand for what 2 had: 60 records of an hour became 6 of that hour, or of another day."""
        after, newer = (6, 0, 600, 100, 3, None), record(9, 5)
        self.written(4, (60, 0, 60, 10, 2, 3), after)
        self.run_cache("rebuild")
        self.assertEqual(self.rows("CachedDiffSummary"), [(1, 2, STEPS, 60, 0, 0, 0, None, 0, 0, 0, 2), (2, 3, STEPS, 6, 60, 0, 1, None, 0, 0, 0, 2)])
        self.written(5, (60, 864_000, 60, 10, 2, 3), after, newer)
        self.assert_part_is_whole(2, 3, 5)
        self.assertEqual(self.rows("CachedDiffSummary"), [(1, 2, STEPS, 60, 0, 0, 0, None, 0, 0, 0, 2), (2, 3, STEPS, 6, 60, 0, 0, None, 0, 0, 0, 2), (4, 5, STEPS, 1, 0, 0, 0, None, 0, 0, 0, 2)])

    def test_as_many_observations_with_a_later_id(self):
        self.written(2, record(1, 1), record(2, 2))
        self.run_cache("rebuild")
        self.written(3, record(1, 1), record(2, 3), without=2)
        self.assert_part_is_whole(2, 3)

    def test_a_name_that_is_no_longer_there_is_another_than_an_empty_one(self):
        self.written(1, record(1, 1))
        execute(self.archive, "UPDATE sample_types SET display_name = ''")
        self.run_cache("rebuild")
        self.assert_right()
        execute(self.archive, "UPDATE sample_types SET display_name = NULL")
        self.assertEqual(self.reasons(), ["types"])
        self.assertTrue(self.run_cache("rebuild")["whole"])
        self.assert_right()


if __name__ == "__main__":
    unittest.main()
