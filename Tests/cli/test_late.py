"""Findings of hp-export diff --findings: a year of monthly observations, and exactly what was planted."""

import collections
import json
import re
import unittest

from health_exports import attributes, clock
from report_support import ReportCase
from archive_builder import DAY, START, STEPS, Builder
from support import execute, hp_export, hp_verify, query, verdict_of

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

    def test_exactly_the_threshold_is_not_late(self):
        """The looks are 20 and 21 days after the start; a delay of a week, 604,800 seconds, is what a record may have."""
        builder = Builder(self.archive, 21)
        week, seen = 604800, 21 * DAY
        planted = {}  # what the record is: start, end, when it was first seen, and its delay where it is late
        for name, start, end, first, delay in (
                ("ended a week before the look before", 13 * DAY - 60, 13 * DAY, seen, None), ("and a second", 13 * DAY - 61, 13 * DAY - 1, seen, 8 * DAY + 61),
                ("began a week before it and ended at once", 13 * DAY, 13 * DAY, seen, None), ("and a second more", 13 * DAY - 1, 13 * DAY - 1, seen, 8 * DAY + 1),
                ("ends before it begins, a week before", 13 * DAY, 12 * DAY, seen, None),
                ("was seen a week after its start", 0, 60, week, None), ("was seen a second later", 1, 60, week + 2, week + 1)):
            sample = builder.record(start, end, 1, first=21)
            builder.connection.execute("UPDATE samples SET first_seen_at = ? WHERE id = ?", (START + first, sample))
            planted["%064x" % (1000 + sample)] = (name, delay)
        builder.close()
        found = [item for item in self.items("finding_report", from_=20, at=21) if item["finding"] == "late_arrival"]
        self.assertEqual({planted[item["sample_uuid_hash"]]: item["delay_seconds"] for item in found}, {(name, delay): delay for name, delay in planted.values() if delay})
        self.assert_same("finding_report", from_=20, at=21)
        self.assert_valid("--from", "20", "--to", "21")

    def test_people_read_some_of_each_kind(self):
        """Two records are late, and 23 moments have one payload twice."""
        builder = Builder(self.archive, 40)
        for moment in (0, 86400):
            builder.record(moment, moment + 60, 5, first=40)
        for moment in range(23):
            for bundle in ("com.example.one", "com.example.two"):
                builder.record(38 * DAY + moment, 38 * DAY + moment, 5, first=39, bundle=bundle,
                               payload="%064x" % (9000 + moment))
        builder.close()
        found = collections.Counter(item["finding"] for item in self.items("finding_report", from_=39, at=40))
        # The two sources of the moments have nothing after the look before.
        self.assertEqual(found, {"late_arrival": 2, "exact_duplicate": 23, "source_quiet": 2})
        result = hp_export("diff", self.archive, "--findings", "--from", "39", "--to", "40", "--no-record")
        lines = self.assert_good(result).out.decode().splitlines()
        # The fortieth observation is of 2001-02-10: that many days after 2001-01-01.
        seen = "first seen 2001-02-10T00:00:00.000Z at observation 40"
        self.assertEqual([re.split("  +", line)[2] for line in lines if line.startswith("late arrival")],
                         ["dated 2001-01-01T00:00:00.000Z, " + seen, "dated 2001-01-02T00:00:00.000Z, " + seen])
        listed = [re.split("  +", line)[2] for line in lines if line.startswith("exact duplicate")]
        expected = "2 records with one payload at 2001-02-08T00:00:%02d.000Z"
        self.assertEqual(listed, [expected % second for second in range(20)])
        self.assertEqual(lines[-2:], ["3 more of exact duplicate: --format csv has all of them", "cause not inferred"])

    def test_versions_of_one_sample_are_no_duplicates(self):
        """A range of the first sample leads to the version of another one, which has the same payload and is not visible itself."""
        builder = Builder(self.archive, 2)
        sample, other = builder.record(0, 60, 5, payload="d" * 64), builder.record(600, 660, 5, last=2, payload="d" * 64)
        builder.insert("sample_visibility_ranges", sample, other, 2, None, START + 2 * DAY, None)
        builder.close()
        self.assertEqual(self.duplicates(), [])
        execute(self.archive, "UPDATE sample_visibility_ranges SET last_observation_id = NULL, last_seen_at = NULL")
        # Three records of two samples; the dates are those of the version with the least row.
        self.assertEqual(self.duplicates(), [{"finding": "exact_duplicate", "item_kind": "finding", "sample_type": STEPS, "payload_hash": "d" * 64, "record_count": 3,
                                              "start_date": "2001-01-01T00:00:00.000Z", "end_date": "2001-01-01T00:01:00.000Z"}])

    def duplicates(self):
        self.assert_same("finding_report", from_=1, at=2)
        self.assert_valid("--from", "1", "--to", "2")
        return [item for item in self.items("finding_report", from_=1, at=2) if item["finding"] == "exact_duplicate"]

    def assert_valid(self, *places):
        """Both verifiers find the report good."""
        report = self.folder / "findings.jsonl"
        self.assert_good(hp_export("diff", self.archive, "--findings", *places, "--format", "jsonl", "-o", report, "--force", "--no-record", "--quiet"))
        self.assert_good(hp_verify("bundle", report))
        self.assertEqual(verdict_of(report)["findings"], [])

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
            found = [(item["finding"], item["sample_type"], item["start_date"][:10] if "start_date" in item else None) for item in self.items("finding_report", from_=month - 1, at=month)
                     if not item["finding"].startswith("source_")]
            self.assertEqual(sorted(found, key=str), sorted(late + twice, key=str), month)
            self.assert_good(hp_export("diff", self.archive, "--findings", "--format", "jsonl", "-o", report, "--force", "--no-record", "--quiet"))
            self.assert_good(hp_verify("bundle", report))
        self.assertEqual(query(self.archive, "SELECT count(*) FROM samples s JOIN sample_types t ON t.id = s.sample_type_id WHERE type_identifier = ?", CLINICAL), [(8 * 4,)])


class Divergence(ReportCase):
    """Days of an island that is 14 hours ahead of UTC: on UTC days, all of these values would be the same."""

    DISTANCE = "HKQuantityTypeIdentifierDistanceWalkingRunning"
    # What each day has at 02:00 and at 23:00, on even and odd days: km and m, and beats a minute.
    BASELINE = [((1.0, 500), (60, 80)), ((1.1, 600), (62, 82))]
    CURRENT = [((1.0, 500), (64, 84)), ((1.3, 800), (72, 92))]

    def record(self, sample_type, day, hour, value, unit):
        start = clock(int(day * DAY) + (hour - 14) * 3600, 14 * 3600)
        return "<Record%s/>\n" % attributes(type=sample_type, sourceName="Test", unit=unit, startDate=start, endDate=start, value=value)

    def capture(self, days):
        texts = []
        for day in range(2, days):
            walked, beats = (self.BASELINE if day < 10 else self.CURRENT)[day % 2]
            for hour, distance, unit, beat in zip((2, 23), walked, ("km", "m"), beats):
                texts += [self.record(self.DISTANCE, day, hour, distance, unit), self.record(HEART, day, hour, beat, "count/min")]
            texts.append(self.record(SLEEP, day, 3, "HKCategoryValueSleepAnalysisAsleepREM", None))
        xml = self.folder / "export.xml"
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n <ExportDate value="%s"/>\n'
        xml.write_text(head % clock(int(days * DAY) - 13 * 3600, 14 * 3600) + "".join(texts) + "</HealthData>\n", encoding="utf-8")
        self.assert_good(hp_export("capture", self.archive, "--apple-health", xml, "--time-zone", "Pacific/Kiritimati", "--quiet"))

    def test_values_of_local_days_are_compared_in_the_unit_of_the_type(self):
        self.capture(13)
        self.capture(14)
        options = ["--findings", "--threshold", "baseline_days=8", "--threshold", "current_days=4", "--threshold", "minimum_days=4"]
        report = self.folder / "findings.jsonl"
        self.assert_good(hp_export("diff", self.archive, *options, "--format", "jsonl", "-o", report, "--quiet"))
        self.assert_good(hp_verify("bundle", report, "--archive", self.archive))
        found = [json.loads(line).get("item", {}) for line in report.read_text().splitlines()]
        found = {item["sample_type"]: item for item in found if item.get("finding") == "divergence"}
        # The days begin at 10:00 UTC: the eight of the baseline on the third day of the year, the four after them on the eleventh.
        spans = {"baseline_start": "2024-01-02T10:00:00.000Z", "current_start": "2024-01-10T10:00:00.000Z",
                 "current_end": "2024-01-14T10:00:00.000Z", "baseline_day_count": 8, "current_day_count": 4,
                 "finding": "divergence", "item_kind": "finding"}
        # 1500 and 1700 m a day became 1500 and 2100; means of 70 and 72 became 74 and 82.
        self.assertEqual(found, {
            self.DISTANCE: {**spans, "sample_type": self.DISTANCE, "measure": "cumulative", "method": "sum", "unit": "m",
                            "baseline_mean": 1600, "current_mean": 1800, "baseline_standard_deviation": 100,
                            "current_standard_deviation": 300, "ratio": 3},
            HEART: {**spans, "sample_type": HEART, "measure": "discrete", "method": "time_weighted_mean", "unit": "count/min",
                    "baseline_mean": 71, "current_mean": 78, "baseline_standard_deviation": 1, "current_standard_deviation": 4, "ratio": 4}})
        # A spread of exactly the ratio is none that is said: those of the sums and of the means are 3 and 4 times as much.
        for ratio, kept in (("2.9999999", {self.DISTANCE, HEART}), ("3", {HEART}), ("4", set())):
            self.assert_good(hp_export("diff", self.archive, *options, "--threshold", "divergence_ratio=" + ratio, "--format", "jsonl", "-o", report, "--force", "--no-record", "--quiet"))
            self.assert_good(hp_verify("bundle", report))
            self.assertEqual(verdict_of(report)["findings"], [])
            items = [json.loads(line).get("item", {}) for line in report.read_text().splitlines()]
            self.assertEqual({item["sample_type"] for item in items if item.get("finding") == "divergence"}, kept, ratio)
        said = hp_export("diff", self.archive, *options).out.decode()
        self.assertIn("sums of local days spread 3 times as much over 4 days (1800 ± 300 m) as over the baseline of 8 days before (1600 ± 100 m)", said)
        self.assertIn("means of local days spread 4 times as much over 4 days (78 ± 4 count/min)", said)

    def test_a_value_at_midnight_is_of_the_day_that_begins(self):
        """Each day has one value, at its first moment; so has the day on which it is exported, an hour later."""
        metres = {day: (1000, 3000)[day % 2] if day < 10 else (1000, 9000)[day % 2] if day < 14 else 100_000 for day in range(2, 15)}
        xml, report = self.folder / "export.xml", self.folder / "findings.jsonl"
        for last in (13, 14):
            texts = [self.record(self.DISTANCE, day, 0, metres[day], "m") for day in range(2, last + 1)]
            head = '<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n <ExportDate value="%s"/>\n'
            xml.write_text(head % clock(int(last * DAY) - 13 * 3600, 14 * 3600) + "".join(texts) + "</HealthData>\n", encoding="utf-8")
            self.assert_good(hp_export("capture", self.archive, "--apple-health", xml, "--time-zone", "Pacific/Kiritimati", "--quiet"))
        self.assert_good(hp_export("diff", self.archive, "--findings", "--threshold", "baseline_days=8", "--threshold", "current_days=4", "--threshold", "minimum_days=4",
                                   "--format", "jsonl", "-o", report, "--no-record", "--quiet"))
        self.assert_good(hp_verify("bundle", report))
        self.assertEqual(verdict_of(report)["findings"], [])
        items = [json.loads(line).get("item", {}) for line in report.read_text().splitlines()]
        # 1000 and 3000 m on eight days: 2000 ± 1000. 1000 and 9000 m on four: 5000 ± 4000. Today's 100,000 m are of neither.
        self.assertEqual([item for item in items if item.get("finding") == "divergence"], [{
            "finding": "divergence", "item_kind": "finding", "sample_type": self.DISTANCE, "measure": "cumulative", "method": "sum", "unit": "m",
            "baseline_start": "2024-01-02T10:00:00.000Z", "current_start": "2024-01-10T10:00:00.000Z", "current_end": "2024-01-14T10:00:00.000Z",
            "baseline_day_count": 8, "current_day_count": 4, "baseline_mean": 2000, "current_mean": 5000, "baseline_standard_deviation": 1000,
            "current_standard_deviation": 4000, "ratio": 4}])


if __name__ == "__main__":
    unittest.main()
