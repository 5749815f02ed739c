"""Labels of hp-export diff --summary: one small archive per scenario, its label and evidence worked out by hand."""

import json
import struct
import unittest

from cell_sweep import PATCHES, SENTINEL
from report_support import ReportCase
from archive_builder import DAY, START, STEPS, Builder
from support import hp_export, takes_long

SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"
HEART, ENERGY, DISTANCE, SOUND, MASS, MINDFUL = (
    "HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierActiveEnergyBurned", "HKQuantityTypeIdentifierDistanceWalkingRunning",
    "HKQuantityTypeIdentifierEnvironmentalAudioExposure", "HKQuantityTypeIdentifierBodyMass", "HKCategoryTypeIdentifierMindfulSession")
WORKOUT, ROUTE = "HKWorkoutTypeIdentifier", "HKWorkoutRouteTypeIdentifier"
SAME = {"record_count_delta": 0, "measure_delta": 0, "coverage_overlap": 1, "sources_compatible": True}


class Labels(ReportCase):
    def build(self, observations=2, **options):
        builder = Builder(self.archive, observations, **options)
        self.addCleanup(builder.connection.close)
        return builder

    def assert_windows(self, builder, *expected, from_=1, to=2, thresholds=()):
        """The windows of the summary, in order, are these (label, evidence, reasons), the evidence as far as it is named here.

        The reference agrees in every byte.
        """
        if builder is not None:
            builder.close()
        options = [part for name, value in thresholds for part in ("--threshold", "%s=%s" % (name, value))]
        items = self.items("diff_summary", *options, from_=from_, at=to)
        windows = [item for item in items if "label" in item]
        self.assertEqual([(item["label"], item.get("reasons", [])) for item in windows], [(entry[0], entry[2]) for entry in expected])
        for item, (_, evidence, _) in zip(windows, expected):
            self.assertEqual({name: item["evidence"].get(name) for name in evidence}, evidence)
        labels = {}
        for label, *_ in expected:
            labels[label] = labels.get(label, 0) + 1
        self.assertEqual(items[0]["labels"], labels)
        self.assert_same("diff_summary", *options, from_=from_, at=to, thresholds=dict(thresholds))
        return items

    # Consolidation

    def condensed_twice(self):
        """An hour of 60 records of a minute, then 6 of ten minutes, then one: 600 steps each time."""
        builder = self.build(3)
        builder.records(60, 60, 10, first=1, last=2)
        builder.records(6, 600, 100, first=2, last=3)
        builder.records(1, 3600, 600, first=3)
        return builder

    def test_condensed_once(self):
        items = self.assert_windows(self.condensed_twice(), ("consolidationLikely", {**SAME, "record_count_delta": -54}, []))
        window = items[2]
        self.assertEqual((window["disappeared_count"], window["appeared_count"], window["representation_changed_count"]), (60, 6, 0))
        # 60 and 6 records in one hour, of one and of ten minutes.
        for name, density, length, count, largest in (("before", 60, 60, 60, 10), ("after", 6, 600, 6, 100)):
            self.assertEqual(window[name], {
                "earliest_start_date": "2001-01-01T00:00:00.000Z", "latest_end_date": "2001-01-01T01:00:00.000Z", "interval_seconds": 3600, "mean_interval_seconds": length,
                "record_count": count, "records_per_hour": density, "unit": "count", "value_count": count, "value_max": largest, "value_sum": 600})
        self.assertEqual((window["window_start"], window["window_end"]), ("2001-01-01T00:00:00.000Z", "2001-01-01T01:00:00.000Z"))
        self.assertEqual(window["sources"], [{"bundle_identifier": "com.example.one", "version": "1.0", "before_count": 60, "after_count": 6}])

    def test_condensed_again(self):
        self.assert_windows(self.condensed_twice(), ("consolidationLikely", {**SAME, "record_count_delta": -5}, []), from_=2, to=3)

    def test_condensed_twice_seen_from_the_outermost_observations(self):
        self.assert_windows(self.condensed_twice(), ("consolidationLikely", {**SAME, "record_count_delta": -59}, []), from_=1, to=3)

    def test_condensed_seen_backwards_is_the_same_sum_in_another_form(self):
        self.assert_windows(self.condensed_twice(), ("representationChanged", {**SAME, "record_count_delta": 54}, []), from_=2, to=1)

    def test_a_hole_is_not_covered(self):
        builder = self.build()
        builder.records(60, 60, 10, last=2)
        builder.records(2, 1200, 300, first=2)
        builder.records(1, 600, 0, begin=3000, first=2)  # the ten minutes before it are nowhere
        builder.close()
        self.assert_windows(None, ("aggregateChanged", {"record_count_delta": -38, "common_seconds": 2400, "measure_kept": False}, []),
                            ("disappeared", {"record_count_delta": -10, "common_seconds": 0}, []),
                            ("aggregateChanged", {"record_count_delta": -9, "common_seconds": 600, "measure_kept": False}, []))

    def test_a_missing_day_in_200_days(self):
        builder = self.build()
        for day in range(200):
            builder.records(24, 3600, 100, begin=day * DAY, last=2)
            if day != 100:
                builder.records(1, DAY, 2400, begin=day * DAY, first=2)
        kept = ("consolidationLikely", {"record_count_delta": -23, "coverage_overlap": 1, "common_seconds": DAY}, [])
        gone = ("disappeared", {"record_count_delta": -24, "common_seconds": 0, "covered_seconds_before": DAY, "covered_seconds_after": 0}, [])
        items = self.assert_windows(builder, *[kept] * 100, gone, *[kept] * 99)
        found = [item for item in items if item.get("label") == "disappeared"]
        self.assertEqual([(item["window_start"], item["window_end"]) for item in found], [("2001-04-11T00:00:00.000Z", "2001-04-12T00:00:00.000Z")])
        self.assertNotIn("look_alikes", found[0])

    def test_a_record_that_crosses_a_bound_keeps_its_window_together(self):
        builder = self.build()
        builder.records(4, 3600, 10, begin=DAY - 7200, last=2)
        builder.records(1, 4 * 3600, 40, begin=DAY - 7200, first=2)
        items = self.assert_windows(builder, ("aggregateChanged", {"record_count_delta": -3, "measure_delta": 0}, []))
        self.assertTrue(items[2]["crosses_bound"])

    def test_very_many_changes_at_one_time(self):
        """More than are held by themselves until their piece is complete: 4,100 of ten minutes, and one behind."""
        builder = self.build()
        builder.records(1, 600, 7, begin=300, first=2)
        for number in range(4100):
            builder.record(0, 600, 5, last=2)
        builder.close()
        items = self.items("diff_summary", from_=1, at=2)
        self.assertEqual(len(items), 3)
        for item in items:
            self.assertEqual((item["appeared_count"], item["disappeared_count"]), (1, 4100))
        for item in items[1:]:
            self.assertEqual((item["before"]["value_sum"], item["after"]["value_sum"]), (20500, 7))
        window = items[2]
        self.assertEqual(window["window_start"], "2001-01-01T00:00:00.000Z")
        self.assertEqual(window["window_end"], "2001-01-01T00:15:00.000Z")
        evidence = {
            "record_count_delta": -4099, "measure_delta": -20493, "common_seconds": 300, "coverage_overlap": 0.5}
        self.assertEqual({name: window["evidence"][name] for name in evidence}, evidence)
        self.assertEqual(window["label"], "aggregateChanged")

    @takes_long
    def test_what_is_near_is_found_among_very_many_that_appeared(self):
        """More than are held at once: what began is read a second time."""
        count = 200_010
        builder = self.build()
        builder.records(10, 60, 7, last=2)
        builder.record(0, 600, 70, first=2)
        first, begin = 100, START + 10 * DAY
        builder.connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 + ?2 - 1) "
            "INSERT INTO samples SELECT i, 1, printf('%064x', 10000000 + i), printf('%064x', 20000000 + i), NULL, "
            "NULL, 2, ?3 FROM n", (first, count, START + 2 * DAY))
        builder.connection.execute(
            "INSERT INTO sample_versions SELECT id, id, strict_fingerprint, ?1 + id * 600, ?1 + id * 600 + 60, "
            "'quantity', 1, 'count', NULL, NULL, NULL, 1, NULL, NULL, 2 FROM samples WHERE id >= ?2", (begin, first))
        builder.connection.execute(
            "INSERT INTO sample_visibility_ranges SELECT id, id, 2, NULL, ?, NULL FROM samples WHERE id >= ?",
            (START + 2 * DAY, first))
        builder.close()
        result = self.assert_good(hp_export("diff", self.archive, "--summary", "--counts", "--json"))
        found, = json.loads(result.out)["types"]
        counts = [found[kind + "_count"] for kind in ("appeared", "disappeared", "representation_changed")]
        self.assertEqual(counts, [count + 1, 10, 0])
        self.assertEqual((found["consolidation_likely"], found["reasons"]), (True, []))

    # Deletion and appearance

    def test_a_plain_deletion(self):
        builder = self.build()
        builder.records(60, 60, 10, last=2)
        items = self.assert_windows(builder, ("disappeared", {"record_count_delta": -60, "sources_compatible": True}, []))
        self.assertEqual(items[2]["after"], {"record_count": 0, "value_count": 0})
        self.assertEqual(items[2]["left_over"], {"before_count": 60, "after_count": 0})

    def test_new_records(self):
        builder = self.build()
        builder.records(3, 60, 10)
        builder.records(3, 60, 10, begin=180, first=2)
        self.assert_windows(builder, ("appeared", {"record_count_delta": 3, "sources_compatible": False}, []))

    def test_changes_that_are_far_apart_have_windows_of_their_own(self):
        builder = self.build()
        builder.record(0, 60, 1, last=2)
        builder.record(60 + 3600, 120 + 3600, 1, last=2)  # an hour after: not more than the gap
        builder.record(121 + 7200, 180 + 7200, 1, last=2)  # a second more
        gone = {"record_count_delta": -2, "sources_compatible": True}
        builder.close()
        self.assert_windows(None, ("disappeared", gone, []), ("disappeared", {**gone, "record_count_delta": -1}, []))
        self.assert_windows(None, ("disappeared", {**gone, "record_count_delta": -3}, []), thresholds=[("window_gap_seconds", 3601)])

    # One record, another representation

    def changed(self, before, after, **options):
        builder = self.build(**options)
        sample = builder.record(0, 60, last=2, **before)
        builder.version(sample, 0, 60, first=2, **after)
        return builder

    def test_another_unit(self):
        for name, before, after in ((DISTANCE, (1.5, "km"), (1500, "m")), (ENERGY, (100, "Cal"), (100, "kcal")), (HEART, (1, "count/s"), (60, "count/min"))):
            with self.subTest(type=name):
                self.archive.unlink(missing_ok=True)
                builder = self.changed({"value": before[0], "unit": before[1], "sample_type": name}, {"value": after[0], "unit": after[1]}, types=(name,))
                self.assert_windows(builder, ("representationChanged", SAME, []))

    def test_a_unit_of_something_else(self):
        self.assert_windows(self.changed({"value": 5}, {"value": 5, "unit": "km"}), ("uncertain", {"measure_delta": None}, ["units_differ"]))

    def test_another_source(self):
        self.assert_windows(self.changed({"value": 5}, {"value": 5, "bundle": "com.example.two"}), ("representationChanged", {**SAME, "sources_compatible": False}, []))

    def test_another_value(self):
        self.assert_windows(self.changed({"value": 100}, {"value": 150}), ("aggregateChanged", {**SAME, "measure_delta": 50}, []))

    def test_a_value_that_is_no_longer_there(self):
        evidence = {name: value for name, value in SAME.items() if name != "measure_delta"}
        self.assert_windows(self.changed({"value": 100}, {"value": None}), ("uncertain", evidence, ["values_incomplete"]))

    def test_another_category(self):
        evidence = {"measure_delta": 120, "measure_kept": False}
        self.assert_windows(self.changed({"kind": "category", "category": 1, "sample_type": SLEEP}, {"kind": "category", "category": 2}, types=(SLEEP,)),
                            ("aggregateChanged", evidence, []))

    # Replaced, and the sums say nothing

    def replaced(self, before, after, **options):
        builder = self.build(**options)
        builder.records(4, 60, last=2, **before)
        builder.records(1, 240, first=2, **after)
        return builder

    def test_replaced_in_another_unit(self):
        evidence = {"record_count_delta": -3, "coverage_overlap": 1, "sources_compatible": True, "measure_delta": 0}
        builder = self.replaced({"value": 1, "unit": "km", "sample_type": DISTANCE}, {"value": 4000, "unit": "m", "sample_type": DISTANCE}, types=(DISTANCE,))
        self.assert_windows(builder, ("consolidationLikely", evidence, []))

    def test_replaced_with_another_sum(self):
        evidence = {**SAME, "record_count_delta": -3, "measure_delta": 1}
        self.assert_windows(self.replaced({"value": 1}, {"value": 5}), ("aggregateChanged", evidence, []))

    def test_categories_add_up_by_value(self):
        sleep = {"kind": "category", "category": 1, "value": None, "sample_type": SLEEP}
        self.assert_windows(self.replaced(sleep, sleep, types=(SLEEP,)), ("consolidationLikely", {**SAME, "record_count_delta": -3}, []))

    def ten_to_one(self, name, payload, whole=None):
        """Ten records of a minute became one of ten; ten days old."""
        self.archive.unlink(missing_ok=True)
        builder = self.build(types=(name,))
        for first, last, count, value in ((1, 2, 10, payload), (2, None, 1, whole or payload)):
            builder.records(count, 600 / count, None, sample_type=name, first=first, last=last, **value) if "value" not in value else builder.records(
                count, 600 / count, sample_type=name, first=first, last=last, **value)
            if name == WORKOUT:
                builder.connection.execute("UPDATE sample_versions SET workout_activity_type = 37, category_value = NULL")
        return builder

    def test_ten_records_become_one_of_each_measure(self):
        for name, payload, whole, more in (
                (STEPS, {"value": 10}, {"value": 100}, {"measure_delta": 0}), (ENERGY, {"value": 10, "unit": "Cal"}, {"value": 100, "unit": "kcal"}, {"measure_delta": 0}),
                (DISTANCE, {"value": 0.1, "unit": "km"}, {"value": 1000, "unit": "m"}, {"measure_delta": 0}),
                (HEART, {"value": 70, "unit": "count/min"}, None, {"measure_delta": 0, "peaks_kept": True}),
                (SOUND, {"value": 60, "unit": "dBASPL"}, None, {"peaks_kept": True}), (MASS, {"value": 70, "unit": "kg"}, None, {"peaks_kept": True}),
                (SLEEP, {"category": 1, "kind": "category"}, None, {"measure_delta": 0}), (MINDFUL, {"category": 0, "kind": "category"}, None, {"measure_delta": 0}),
                (WORKOUT, {"kind": "workout"}, None, {"measure_delta": 0})):
            with self.subTest(type=name):
                self.assert_windows(self.ten_to_one(name, payload, whole), ("consolidationLikely", {"record_count_delta": -9, "coverage_overlap": 1, **more}, []))
                self.assert_windows(None, ("representationChanged", {"record_count_delta": 9}, []), from_=2, to=1)

    def workouts(self, *after):
        """Three runs with 300 kcal and 3 km each became one, of which `after` are the metadata."""
        builder = self.build(types=(WORKOUT,))
        texts = ['{"hp:statistics":[{"sum":"300","type":"%s","unit":"Cal"},{"sum":"140","type":"%s","unit":"count/min"},{"sum":"3","type":"%s","unit":"km"}]}' % (
            ENERGY, HEART, DISTANCE), *after]
        for number, text in enumerate(texts, 1):
            builder.insert("metadata_blobs", number, "%064x" % number, text)
        builder.records(3, 1200, None, sample_type=WORKOUT, last=2, kind="workout")
        builder.records(1, 3600, None, sample_type=WORKOUT, first=2, kind="workout")
        builder.connection.execute("UPDATE sample_versions SET workout_activity_type = 37, metadata_id = CASE WHEN id < 4 THEN 1 WHEN %d THEN 2 END" % bool(after))
        return builder

    BEFORE = {"value": 37, "record_count": 3, "seconds": 3600, "distance": 9000, "distance_count": 3, "energy": 900, "energy_count": 3}

    def test_workouts_keep_energy_and_distance(self):
        for text in ('{"hp:statistics":[{"sum":"900","type":"%s","unit":"kcal"},{"sum":"9000","type":"%s","unit":"m"}]}' % (ENERGY, DISTANCE),
                     '{"hp:attribute:totalDistance":"9","hp:attribute:totalDistanceUnit":"km","hp:attribute:totalEnergyBurned":"3765.6","hp:attribute:totalEnergyBurnedUnit":"kJ"}'):
            with self.subTest(after=text):
                self.archive.unlink(missing_ok=True)
                items = self.assert_windows(self.workouts(text), ("consolidationLikely", {"measure_delta": 0, "measure_kept": True}, []))
                for item in items[1:]:
                    self.assertEqual(item["before"]["parts"], [self.BEFORE])
                    self.assertEqual(item["after"]["parts"], [{**self.BEFORE, "record_count": 1, "distance_count": 1, "energy_count": 1}])

    def test_workouts_that_lost_energy_or_distance_are_another_aggregate(self):
        for energy, distance in (("880", "9000"), ("900", "8900")):
            with self.subTest(energy=energy, distance=distance):
                self.archive.unlink(missing_ok=True)
                text = '{"hp:statistics":[{"sum":"%s","type":"%s","unit":"kcal"},{"sum":"%s","type":"%s","unit":"m"}]}' % (energy, ENERGY, distance, DISTANCE)
                self.assert_windows(self.workouts(text), ("aggregateChanged", {"measure_delta": 0, "measure_kept": False}, []))
                self.assert_windows(None, ("aggregateChanged", {"measure_delta": 0, "measure_kept": False}, []), from_=2, to=1)

    def test_what_only_happens_is_counted(self):
        self.assert_windows(self.ten_to_one(ROUTE, {"kind": "workout_route"}), ("aggregateChanged", {"measure_delta": -9}, []))

    def test_peaks_of_a_condensed_series_are_gone(self):
        builder = self.build(types=(HEART,))
        for index in range(60):
            builder.record(index * 60, index * 60, 60 if index % 2 else 80, HEART, unit="count/min", last=2)
        builder.record(0, 3540, 70, HEART, unit="count/min", first=2)
        items = self.assert_windows(builder, ("consolidationLikely", {
            "record_count_delta": -59, "measure_delta": 0, "peaks_kept": False, "instants_before": 60, "instants_within": 60, "instant_overlap": 1, "common_seconds": 0,
            "coverage_overlap": None}, []))
        self.assertEqual([(items[1][part]["value_mean"], items[1][part]["value_min"], items[1][part]["value_max"]) for part in ("before", "after")], [(70, 60, 80), (70, 70, 70)])
        self.assertNotIn("value_sum", items[1]["before"])
        self.assertEqual(items[2]["signatures"], {"condensed_again": False, "equal_value": False, "inside_workout": False, "older_than_90_days": False, "within_five_minutes": False})

    def test_coalesced_readings_inside_a_workout_long_ago(self):
        builder = self.build(types=(HEART, WORKOUT))
        builder.connection.execute("UPDATE observations SET observed_at = observed_at + 7776000")
        builder.record(-60, 540, None, WORKOUT, kind="workout")
        builder.connection.execute("UPDATE sample_versions SET workout_activity_type = 37")
        for moment in (0, 5, 10, 15):
            builder.record(moment, moment, 80, HEART, unit="count/min", last=2)
        builder.record(0, 15, 80, HEART, unit="count/min", first=2)
        items = self.assert_windows(builder, ("consolidationLikely", {"measure_delta": 0, "peaks_kept": True}, []))
        self.assertEqual(next(item for item in items if "signatures" in item)["signatures"], {
            "condensed_again": False, "equal_value": True, "inside_workout": True, "older_than_90_days": True, "within_five_minutes": True})

    def test_what_is_condensed_again_was_seen_late(self):
        items = self.assert_windows(self.condensed_twice(), ("consolidationLikely", {}, []), from_=2, to=3)
        self.assertEqual(items[2]["signatures"]["condensed_again"], True)
        self.assertEqual(items[2]["signatures"]["equal_rate"], True)

    def test_metadata_that_say_something_else(self):
        builder = self.build()
        builder.insert("metadata_blobs", 1, "%064x" % 1, '{"HKWasUserEntered":1}')
        builder.records(10, 60, 10, last=2)
        builder.records(1, 600, 100, first=2)
        builder.connection.execute("UPDATE sample_versions SET metadata_id = 1 WHERE id = 11")
        self.assert_windows(builder, ("representationChanged", {**SAME, "record_count_delta": -9, "metadata_compatible": False}, []))

    # Look-alikes

    def look_alikes(self, builder, **places):
        if builder is not None:
            builder.close()
        return [(item["label"], item.get("look_alikes", [])) for item in self.items("diff_summary", **{"from_": 1, "at": 2, **places}) if "label" in item]

    def test_access_to_recent_data_alone(self):
        builder = self.build()
        builder.connection.execute("UPDATE observations SET observed_at = observed_at + 8640000")
        builder.records(48, 3600, 10, last=2)
        builder.records(2, 3600, 10, begin=3 * DAY)
        self.assertEqual(self.look_alikes(builder), [("disappeared", ["narrowed_permission"])] * 2)
        self.assertEqual(self.look_alikes(None, from_=2, at=1), [("appeared", [])] * 2)

    def test_the_week_of_a_watch(self):
        builder = self.build(20)
        builder.records(2, 3600, 10, last=20)
        builder.records(2, 3600, 10, begin=13 * DAY)
        self.assertEqual(self.look_alikes(builder, at=20), [("disappeared", ["narrowed_permission", "watch_week"])])

    def test_an_export_that_was_cut(self):
        builder = self.build()
        builder.records(2, 3600, 10)
        builder.records(2, 3600, 10, begin=10800, last=2)
        self.assertEqual(self.look_alikes(builder), [("disappeared", ["truncated_export"])])

    def test_an_estimate_of_the_day_is_replaced(self):
        resting = "HKQuantityTypeIdentifierRestingHeartRate"
        builder = self.build(types=(resting,))
        builder.record(0, 0, 60, resting, unit="count/min", last=2)
        builder.record(0, 0, 50, resting, unit="count/min", first=2)
        self.assertEqual(self.look_alikes(builder), [("aggregateChanged", ["daily_replacement"])])

    # Evidence that is incomplete

    def test_a_run_that_is_not_complete_makes_the_label_uncertain(self):
        for status in ("partial", "failed", "unauthorized", "timed_out"):
            for observation, reason in ((1, "from_run_not_completed"), (2, "to_run_not_completed")):
                with self.subTest(status=status, observation=observation):
                    self.archive.unlink(missing_ok=True)
                    builder = self.build(runs={(observation, STEPS): status})
                    builder.records(60, 60, 10, last=2)
                    builder.records(6, 600, 100, first=2)
                    self.assert_windows(builder, ("uncertain", {**SAME, "record_count_delta": -54}, [reason]))

    def test_a_deletion_is_uncertain_after_a_partial_run(self):
        builder = self.build(runs={(2, STEPS): "partial"})
        builder.records(3, 60, 10, last=2)
        self.assert_windows(builder, ("uncertain", {"record_count_delta": -3, "sources_compatible": True}, ["to_run_not_completed"]))

    def test_a_type_that_nobody_asked_for(self):
        builder = self.build(3, runs={(1, STEPS): None, (2, STEPS): None, (3, STEPS): "failed"})
        builder.records(3, 60, 10, first=2, last=3)
        builder.close()
        appeared = {"record_count_delta": 3, "sources_compatible": False}
        self.assert_windows(None, ("uncertain", appeared, ["from_never_queried", "to_never_queried"]))
        self.assert_windows(None, ("uncertain", {"record_count_delta": -3, "sources_compatible": True}, ["from_never_queried", "to_run_not_completed"]), from_=2, to=3)

    def test_records_without_a_date_are_in_a_window_of_their_own(self):
        builder = self.build()
        builder.record(1e15, 1e15, 10, last=2)  # a year that no timestamp has
        builder.record(0, 60, 10, last=2)
        gone = {"record_count_delta": -1, "sources_compatible": True}
        items = self.assert_windows(builder, ("uncertain", gone, ["dates_missing"]), ("disappeared", gone, []))
        self.assertNotIn("window_start", items[2])

    def test_a_negative_zero_is_no_date(self):
        """It has no timestamp, unlike the zero beside it, which is the first moment of 1970."""
        builder = self.build()
        for start in (SENTINEL, 0.0):
            builder.record(0, 0, 10, last=2)
            builder.connection.execute("UPDATE sample_versions SET start_date = ?, end_date = 0 WHERE id = ?", (start, builder.versions))
        builder.close()
        self.archive.write_bytes(self.archive.read_bytes().replace(struct.pack(">d", SENTINEL), PATCHES["-0.0"]))
        gone = {"record_count_delta": -1, "sources_compatible": True}
        items = self.assert_windows(None, ("uncertain", gone, ["dates_missing"]), ("disappeared", gone, []))
        self.assertEqual([item.get("window_start") for item in items[2:]], [None, "1970-01-01T00:00:00.000Z"])

    def test_a_type_that_stays_as_it_is_has_no_window(self):
        builder = self.build(types=(SLEEP, STEPS))
        builder.record(0, 60, sample_type=SLEEP, kind="category", category=1)
        builder.records(3, 60, 10, last=2)
        items = self.assert_windows(builder, ("disappeared", {"record_count_delta": -3, "sources_compatible": True}, []))
        self.assertEqual([(item.get("sample_type"), item["labels"]) for item in items if "labels" in item], [(None, {"disappeared": 1}), (SLEEP, {}), (STEPS, {"disappeared": 1})])


if __name__ == "__main__":
    unittest.main()
