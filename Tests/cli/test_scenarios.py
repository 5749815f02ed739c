"""What hp-export diff says of each scenario of the design: labels, evidence, pairs and changes in one table, worked out by hand, and nothing else."""

import collections
import unittest

from report_support import ReportCase
from archive_builder import DAY, STEPS, Builder
from support import hp_export

HEART, ENERGY, DISTANCE, SOUND = ("HKQuantityTypeIdentifier" + name for name in ("HeartRate", "ActiveEnergyBurned", "DistanceWalkingRunning", "EnvironmentalAudioExposure"))
SLEEP, MINDFUL, WORKOUT = "HKCategoryTypeIdentifierSleepAnalysis", "HKCategoryTypeIdentifierMindfulSession", "HKWorkoutTypeIdentifier"
# Ten records of a minute and the one of ten minutes that they became: of a sum, of a mean, of states, of workouts.
EIGHT = {
    STEPS: ({"value": 10}, {"value": 100}), ENERGY: ({"value": 10, "unit": "Cal"}, {"value": 100, "unit": "kcal"}),
    DISTANCE: ({"value": 0.1, "unit": "km"}, {"value": 1000, "unit": "m"}), HEART: ({"value": 70, "unit": "count/min"},) * 2,
    SOUND: ({"value": 60, "unit": "dBASPL"},) * 2, SLEEP: ({"kind": "category", "category": 1},) * 2, MINDFUL: ({"kind": "category", "category": 0},) * 2,
    WORKOUT: ({"kind": "workout"},) * 2}
KEPT = {"measure_kept": True, "metadata_compatible": True, "sources_compatible": True}
COVERED = {**KEPT, "coverage_overlap": 1}


def eight_types(build):
    builder = build(types=tuple(EIGHT))
    for name, payloads in EIGHT.items():
        for count, payload, first, last in ((10, payloads[0], 1, 2), (1, payloads[1], 2, None)):
            builder.records(count, 600 / count, payload.get("value"), sample_type=name, first=first, last=last, **{key: value for key, value in payload.items() if key != "value"})
    builder.connection.execute("UPDATE sample_versions SET workout_activity_type = 37 WHERE value_kind = 'workout'")


def twice(build):
    """An hour of 60 minutes, then 6 times ten minutes, then all of it."""
    builder = build(observations=3)
    for count, value, first, last in ((60, 10, 1, 2), (6, 100, 2, 3), (1, 600, 3, None)):
        builder.records(count, 3600 / count, value, first=first, last=last)


def missing_day(build):
    builder = build()
    for day in range(5):
        builder.records(24, 3600, 100, begin=day * DAY, last=2)
        if day != 2:
            builder.records(1, DAY, 2400, begin=day * DAY, first=2)


def condensed(build, bundle="com.example.one", **options):
    builder = build(**options)
    builder.records(60, 60, 10, last=2)
    builder.records(6, 600, 100, first=2, bundle=bundle)
    return builder


def sent_again(build):
    builder = build()
    builder.records(120, 60, 10, last=2)
    builder.records(120, 60, 10, first=2)


def one_changed(build, before, after, name=STEPS):
    builder = build(types=(name,))
    sample = builder.record(0, 60, sample_type=name, last=2, **before)
    builder.version(sample, 0, 60, first=2, **after)
    return builder


def other_metadata(build):
    builder = one_changed(build, {"value": 5}, {"value": 5})
    builder.insert("metadata_blobs", 1, "%064x" % 1, '{"HKWasUserEntered":1}')
    builder.connection.execute("UPDATE sample_versions SET metadata_id = 1 WHERE id = 2")


def condensed_with_metadata(build):
    builder = condensed(build)
    builder.insert("metadata_blobs", 1, "%064x" % 1, '{"HKWasUserEntered":1}')
    builder.connection.execute("UPDATE sample_versions SET metadata_id = 1 WHERE id = 61")


def refused(build):
    """Nobody was allowed to look, and nothing is closed for that."""
    build(runs={(2, STEPS): "unauthorized"}).records(10, 60, 10)


def window(label, delta, reasons=(), evidence=COVERED):
    return {"label": label, "reasons": list(reasons), **evidence, "record_count_delta": delta}


GONE = {"measure_kept": None, "metadata_compatible": True, "sources_compatible": True, "coverage_overlap": 0}
# What is compared, from which observation to which: the windows, how many pairs of each kind, how many changes of each kind with each label, changed fields.
TABLE = {
    "eight types condensed": (eight_types, 1, 2, [window("consolidationLikely", -9)] * 8, {"condensed_into": 8},
                              {("disappeared", "consolidationLikely"): 80, ("appeared", "consolidationLikely"): 8}, ()),
    "eight types reversed": (eight_types, 2, 1, [window("representationChanged", 9)] * 8, {"expanded_into": 8},
                             {("disappeared", "representationChanged"): 8, ("appeared", "representationChanged"): 80}, ()),
    "condensed once": (twice, 1, 2, [window("consolidationLikely", -54)], {"condensed_into": 6}, {("disappeared", "consolidationLikely"): 60, ("appeared", "consolidationLikely"): 6}, ()),
    "condensed again": (twice, 2, 3, [window("consolidationLikely", -5)], {"condensed_into": 1}, {("disappeared", "consolidationLikely"): 6, ("appeared", "consolidationLikely"): 1}, ()),
    "condensed twice": (twice, 1, 3, [window("consolidationLikely", -59)], {"condensed_into": 1}, {("disappeared", "consolidationLikely"): 60, ("appeared", "consolidationLikely"): 1}, ()),
    "the missing day": (missing_day, 1, 2, [window("consolidationLikely", -23)] * 2 + [window("disappeared", -24, evidence=GONE)] + [window("consolidationLikely", -23)] * 2,
                        {"condensed_into": 4}, {("disappeared", "consolidationLikely"): 96, ("appeared", "consolidationLikely"): 4, ("disappeared", "disappeared"): 24}, ()),
    "the other app": (lambda build: condensed(build, "com.example.two"), 1, 2,
                      [window("uncertain", -54, ["sources_differ"], {**COVERED, "sources_compatible": False})], {},
                      {("disappeared", "uncertain"): 60, ("appeared", "uncertain"): 6}, ()),
    "sent again under other UUIDs": (sent_again, 1, 2, [window("representationChanged", 0)], {"re_identified": 120},
                                     {("disappeared", "representationChanged"): 120, ("appeared", "representationChanged"): 120}, ()),
    "calories under their other name": (lambda build: one_changed(build, {"value": 100, "unit": "Cal"}, {"value": 100, "unit": "kcal"}, ENERGY), 1, 2,
                                        [window("representationChanged", 0)], {}, {("representation_changed", "representationChanged"): 1}, ("unit",)),
    "kilometres in metres": (lambda build: one_changed(build, {"value": 1.5, "unit": "km"}, {"value": 1500, "unit": "m"}, DISTANCE), 1, 2,
                             [window("representationChanged", 0)], {}, {("representation_changed", "representationChanged"): 1}, ("numeric_value", "unit")),
    "another dimension": (lambda build: one_changed(build, {"value": 5}, {"value": 5, "unit": "km"}), 1, 2,
                          [window("uncertain", 0, ["units_differ"], evidence={**COVERED, "measure_kept": None})], {}, {("representation_changed", "uncertain"): 1}, ("unit",)),
    "other metadata": (other_metadata, 1, 2, [window("representationChanged", 0, evidence={**COVERED, "metadata_compatible": False})], {},
                       {("representation_changed", "representationChanged"): 1}, ("metadata",)),
    "condensed with other metadata": (condensed_with_metadata, 1, 2,
                                      [window("representationChanged", -9, evidence={**COVERED, "metadata_compatible": False}), window("consolidationLikely", -45)],
                                      {"condensed_into": 6}, {("disappeared", "representationChanged"): 10, ("appeared", "representationChanged"): 1,
                                                              ("disappeared", "consolidationLikely"): 50, ("appeared", "consolidationLikely"): 5}, ()),
    "a partial run": (lambda build: condensed(build, runs={(2, STEPS): "partial"}), 1, 2, [window("uncertain", -54, ["to_run_not_completed"])], {"condensed_into": 6},
                      {("disappeared", "uncertain"): 60, ("appeared", "uncertain"): 6}, ()),
    "a partial run before": (lambda build: condensed(build, runs={(1, STEPS): "partial"}), 1, 2, [window("uncertain", -54, ["from_run_not_completed"])], {"condensed_into": 6},
                             {("disappeared", "uncertain"): 60, ("appeared", "uncertain"): 6}, ()),
    "a type that was refused": (refused, 1, 2, [], {}, {}, ()),
    "a type that was refused, and its records are gone": (lambda build: build(runs={(2, STEPS): "unauthorized"}).records(10, 60, 10, last=2), 1, 2,
                                                          [window("uncertain", -10, ["to_run_not_completed"], evidence=GONE)], {}, {("disappeared", "uncertain"): 10}, ()),
}


class Scenarios(ReportCase):
    def build(self, observations=2, **options):
        self.builder = Builder(self.archive, observations, **options)
        self.addCleanup(self.builder.connection.close)
        return self.builder

    def test_each_scenario_has_its_label_its_evidence_and_no_other(self):
        for name, (fill, from_, to, windows, pairs, changes, fields) in TABLE.items():
            with self.subTest(scenario=name):
                self.archive.unlink(missing_ok=True)
                fill(self.build)
                self.builder.close()
                summary = self.items("diff_summary", from_=from_, at=to)
                found = [item for item in summary if "label" in item]
                self.assertEqual(len(found), len(windows))
                for item, wanted in zip(found, windows):
                    row = {"label": item["label"], "reasons": item.get("reasons", [])}
                    self.assertEqual({**row, **{part: item["evidence"].get(part) for part in wanted if part not in row}}, wanted)
                self.assertEqual(summary[0]["labels"], dict(collections.Counter(entry["label"] for entry in windows)))
                self.assertEqual(dict(collections.Counter(item["pair"] for item in self.items("pair_report", from_=from_, at=to))), pairs)
                rows = self.items("diff_report", from_=from_, at=to)
                self.assertEqual(dict(collections.Counter((item["change"], item["label"]) for item in rows)), changes)
                reasons = {tuple(item.get("reasons", ())) for item in rows}
                self.assertEqual(reasons, {tuple(entry["reasons"]) for entry in windows})
                self.assertEqual([field for item in rows for field in item.get("changed_fields", ())], list(fields))
                self.assertEqual([item["finding"] for item in self.items("finding_report", from_=from_, at=to) if item["finding"] in ("divergence", "late_arrival", "semantic_duplicate")], [])

    def test_a_refused_type_is_unknown_and_not_unchanged(self):
        refused(self.build)
        self.builder.close()
        text = self.assert_good(hp_export("diff", self.archive, "--summary", "--details")).out.decode()
        self.assertRegex(text, r"HKQuantityTypeIdentifierStepCount +unknown: run of observation 2 unauthorized")

    def test_what_was_refused_is_said_in_each_change(self):
        condensed(self.build, runs={(2, STEPS): "partial"})
        self.builder.close()
        rows = self.items("diff_report", from_=1, at=2)
        self.assertEqual({(item["run_before"], item["run_after"], *item["reasons"]) for item in rows}, {("completed", "partial", "to_run_not_completed")})
        again = self.items("change_set", from_=1, at=2, kinds=["appeared"], labels=["uncertain"])
        self.assertEqual(again, [item for item in rows if item["change"] == "appeared"])
        self.assertEqual(self.items("change_set", from_=1, at=2, labels=["consolidationLikely"]), [])

    def test_what_came_again_is_selected_by_its_pair(self):
        sent_again(self.build)
        self.builder.record(9000, 9060, 3, first=2)
        self.builder.close()
        rows = self.items("change_set", from_=1, at=2, kinds=["re_identified"])
        self.assertEqual(collections.Counter(item["change"] for item in rows), {"appeared": 120, "disappeared": 120})
        self.assertEqual({item["pair"]["kind"] for item in rows}, {"re_identified"})


if __name__ == "__main__":
    unittest.main()
