"""Findings of hp-export diff --findings: a year of monthly observations, and exactly what was planted."""

import unittest

from health_exports import attributes, clock
from report_support import *

MONTH = 30
HEART, MASS, SLEEP = "HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierBodyMass", "HKCategoryTypeIdentifierSleepAnalysis"
CLINICAL = "HKClinicalTypeIdentifierLabResultRecord"


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


class MonthlyExports(ReportCase):
    """A phone that is exported on every thirtieth day; each export has all that was there up to then."""

    # Month of the export with which each came: type, day, value. What is dated at most seven days before the export before was in time.
    PLANTED = {4: [(HEART, 10, 81), (HEART, 40, 82), (SLEEP, 55, None)], 7: [(STEPS, 100, 7)], 11: [(MASS, 5, 71.5), (STEPS, 290, 8)]}
    IN_TIME = {9: [(HEART, 237, 83), (STEPS, 234, 9)]}
    SAME = 6  # in this month, another app has a weight again

    def record(self, sample_type, day, second, seconds, value, unit=None, source="Test Phone"):
        start = int(day * DAY) + second
        return "<Record%s/>\n" % attributes(type=sample_type, sourceName=source, unit=unit, startDate=clock(start), endDate=clock(start + seconds), value=value)

    def planted(self, sample_type, day, value):
        """Beside what the day has: from 20:00 on."""
        seconds, unit = {HEART: (0, "count/min"), STEPS: (600, "count"), MASS: (0, "kg"), SLEEP: (1800, None)}[sample_type]
        return self.record(sample_type, day, 72000, seconds, "HKCategoryValueSleepAnalysisAsleepREM" if value is None else value, unit)

    def export(self, month):
        texts = []
        for day in range(month * MONTH):
            texts += [self.record(HEART, day, 3600, 0, 60 + day % 5, "count/min"), self.record(HEART, day, 43200, 0, 70 + day % 3, "count/min"),
                      self.record(STEPS, day, 36000, 3600, 4000 + day % 7 * 100, "count"), self.record(SLEEP, day, 0, 21600, "HKCategoryValueSleepAnalysisAsleepCore")]
            if day % 7 == 0:
                texts.append(self.record(MASS, day, 25200, 0, 70 + day % 2, "kg"))
            if day % 45 == 10:  # results of one blood sample, which have no value
                texts += ['<ClinicalRecord type="%s" identifier="%d-%d" sourceName="Test Clinic" sourceURL="https://example.com/1" fhirVersion="4.0.1" receivedDate="%s" resourceFilePath="/clinical-records/%d.json"/>\n' % (
                    CLINICAL, day, number, clock(int(day * DAY)), number) for number in range(4)]
        for found in (self.PLANTED, self.IN_TIME):
            texts += [self.planted(*entry) for came, entries in found.items() if came <= month for entry in entries]
        if month >= self.SAME:
            texts.append(self.record(MASS, 168, 25200, 0, 70, "kg", "Test Scale"))
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n <ExportDate value="%s"/>\n'
        return head % clock(int(month * MONTH * DAY)) + "".join(texts) + "</HealthData>\n"

    def test_exactly_what_was_planted_is_found(self):
        xml, report = self.folder / "export.xml", self.folder / "findings.jsonl"
        for month in range(1, 13):
            xml.write_text(self.export(month), encoding="utf-8")
            self.assert_good(hp_export("capture", self.archive, "--apple-health", xml, "--time-zone", "UTC", "--quiet"))
            if month == 1:
                continue
            late = [("late_arrival", name, clock(int(day * DAY) + 72000)[:10]) for name, day, _ in self.PLANTED.get(month, ())]
            twice = [("semantic_duplicate", MASS, None)] if month >= self.SAME else []
            found = [(item["finding"], item["sample_type"], item["start_date"][:10] if "start_date" in item else None) for item in self.items("finding_report", from_=month - 1, at=month)]
            self.assertEqual(sorted(found, key=str), sorted(late + twice, key=str), month)
            self.assert_good(hp_export("diff", self.archive, "--findings", "--format", "jsonl", "-o", report, "--force", "--no-record", "--quiet"))
            self.assert_good(hp_verify("bundle", report))
        self.assertEqual(query(self.archive, "SELECT count(*) FROM samples s JOIN sample_types t ON t.id = s.sample_type_id WHERE type_identifier = ?", CLINICAL), [(8 * 4,)])


if __name__ == "__main__":
    unittest.main()
