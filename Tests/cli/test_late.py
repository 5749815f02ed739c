"""Late arrivals of hp-export diff --findings: a year of monthly observations, and exactly the records that were planted."""

import unittest

from report_support import *

MONTH = 30


class LateArrivals(ReportCase):
    def test_only_what_was_planted_is_found(self):
        builder = Builder(self.archive, 12 * MONTH)
        builder.connection.execute("DELETE FROM observation_type_runs WHERE observation_id % 30 <> 0")
        for day in range(12 * MONTH):  # each is first seen at the end of its month, up to 30 days late
            builder.record(day * DAY, day * DAY + 60, 5, first=(day // MONTH + 1) * MONTH)
        planted = [builder.record(day * DAY + 600, day * DAY + 660, 7, first=5 * MONTH) for day in (3, 70, 100)]
        builder.record((4 * MONTH - 3) * DAY, (4 * MONTH - 3) * DAY + 60, 7, first=5 * MONTH)  # three days before the fourth look
        builder.close()
        for month in range(2, 13):
            found = self.items("finding_report", from_=(month - 1) * MONTH, at=month * MONTH)
            late = [item["sample_uuid_hash"] for item in found if item["finding"] == "late_arrival"]
            self.assertEqual(late, ["%064x" % (1000 + sample) for sample in planted] if month == 5 else [], month)
            self.assert_same("finding_report", from_=(month - 1) * MONTH, at=month * MONTH, containers=["jsonl"])

    def test_records_without_a_value_are_no_duplicates_of_each_other(self):
        builder = Builder(self.archive, 2)
        for number in range(10):
            builder.record(0, 60, None, semantic="a" * 64, kind="clinical")
        builder.record(0, 60, 1, semantic="b" * 64)
        builder.record(0, 60, 2, semantic="b" * 64)
        builder.close()
        found = self.items("finding_report", from_=1, at=2)
        self.assertEqual([item["semantic_fingerprint"] for item in found if item["finding"] == "semantic_duplicate"], ["b" * 64])
        self.assert_same("finding_report", from_=1, at=2, containers=["jsonl"])


if __name__ == "__main__":
    unittest.main()
