"""Labels of hp-export diff --summary: one small archive per scenario, its label and evidence worked out by hand."""

import unittest

from report_support import *

SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"
SAME = {"record_count_delta": 0, "value_sum_delta": 0, "coverage_overlap": 1, "sources_compatible": True}


class Labels(ReportCase):
    def build(self, observations=2, **options):
        builder = Builder(self.archive, observations, **options)
        self.addCleanup(builder.connection.close)
        return builder

    def assert_windows(self, builder, *expected, from_=1, to=2, thresholds=()):
        """The windows of the summary, in order, are these (label, evidence, reasons); the reference agrees in every byte."""
        if builder is not None:
            builder.close()
        options = [part for name, value in thresholds for part in ("--threshold", "%s=%s" % (name, value))]
        items = self.items("diff_summary", *options, from_=from_, at=to)
        windows = [item for item in items if "label" in item]
        self.assertEqual([(item["label"], item["evidence"], item.get("reasons", [])) for item in windows], list(expected))
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

    def test_two_records_into_one_are_not_many(self):
        builder = self.build()
        builder.records(2, 60, 10, last=2)
        builder.records(1, 120, 20, first=2)
        builder.close()
        evidence = {**SAME, "record_count_delta": -1}
        self.assert_windows(None, ("representationChanged", evidence, []))
        self.assert_windows(None, ("consolidationLikely", evidence, []), thresholds=[("minimum_disappeared", 2)])

    def test_not_fewer_than_the_ratio(self):
        builder = self.build()
        builder.records(60, 60, 10, last=2)
        builder.records(40, 90, 15, first=2)
        builder.close()
        evidence = {**SAME, "record_count_delta": -20}
        self.assert_windows(None, ("representationChanged", evidence, []))
        self.assert_windows(None, ("consolidationLikely", evidence, []), thresholds=[("count_ratio", 0.75)])

    def test_other_hours_are_not_the_same_coverage(self):
        builder = self.build()
        builder.records(60, 60, 10, last=2)
        builder.records(6, 600, 100, begin=1800, first=2)
        builder.close()
        # Half an hour in common of one and a half: 1800 / 5400.
        evidence = {**SAME, "record_count_delta": -54, "coverage_overlap": 1 / 3}
        self.assert_windows(None, ("representationChanged", evidence, []))
        self.assert_windows(None, ("consolidationLikely", evidence, []), thresholds=[("coverage_overlap", 0.3)])

    def test_another_source_does_not_condense(self):
        builder = self.build()
        builder.records(60, 60, 10, last=2)
        builder.records(6, 600, 100, first=2, bundle="com.example.two")
        self.assert_windows(builder, ("representationChanged", {**SAME, "record_count_delta": -54, "sources_compatible": False}, []))

    def test_a_sum_within_tolerance(self):
        builder = self.build()
        builder.records(60, 60, 10, last=2)
        builder.records(6, 600, 99, first=2)  # 594 of 600: exactly 1 %
        builder.close()
        evidence = {**SAME, "record_count_delta": -54, "value_sum_delta": -6}
        self.assert_windows(None, ("consolidationLikely", evidence, []))
        self.assert_windows(None, ("aggregateChanged", evidence, []), thresholds=[("sum_tolerance", 0.009)])

    # Deletion and appearance

    def test_a_plain_deletion(self):
        builder = self.build()
        builder.records(60, 60, 10, last=2)
        items = self.assert_windows(builder, ("disappeared", {"record_count_delta": -60, "sources_compatible": True}, []))
        self.assertEqual(items[2]["after"], {"record_count": 0, "value_count": 0})

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

    def changed(self, before, after):
        builder = self.build()
        sample = builder.record(0, 60, last=2, **before)
        builder.version(sample, 0, 60, first=2, **after)
        return builder

    def test_another_unit(self):
        evidence = {name: value for name, value in SAME.items() if name != "value_sum_delta"}
        self.assert_windows(self.changed({"value": 1.5, "unit": "km"}, {"value": 1500, "unit": "m"}), ("representationChanged", evidence, []))

    def test_another_source(self):
        self.assert_windows(self.changed({"value": 5}, {"value": 5, "bundle": "com.example.two"}), ("representationChanged", {**SAME, "sources_compatible": False}, []))

    def test_another_value(self):
        self.assert_windows(self.changed({"value": 100}, {"value": 150}), ("aggregateChanged", {**SAME, "value_sum_delta": 50}, []))

    def test_a_value_that_is_no_longer_there(self):
        evidence = {name: value for name, value in SAME.items() if name != "value_sum_delta"}
        self.assert_windows(self.changed({"value": 100}, {"value": None}), ("uncertain", evidence, ["values_incomplete"]))

    def test_another_category(self):
        evidence = {name: value for name, value in SAME.items() if name != "value_sum_delta"}
        self.assert_windows(self.changed({"kind": "category", "category": 1}, {"kind": "category", "category": 2}), ("representationChanged", evidence, []))

    # Replaced, and the sums say nothing

    def replaced(self, before, after, **options):
        builder = self.build(**options)
        builder.records(4, 60, last=2, **before)
        builder.records(1, 240, first=2, **after)
        return builder

    def test_replaced_in_another_unit(self):
        evidence = {"record_count_delta": -3, "coverage_overlap": 1, "sources_compatible": True}
        self.assert_windows(self.replaced({"value": 1, "unit": "km"}, {"value": 4000, "unit": "m"}), ("uncertain", evidence, ["units_differ"]))

    def test_replaced_with_another_sum(self):
        evidence = {**SAME, "record_count_delta": -3, "value_sum_delta": 1}
        self.assert_windows(self.replaced({"value": 1}, {"value": 5}), ("aggregateChanged", evidence, []))

    def test_category_records_have_no_sum(self):
        evidence = {"record_count_delta": -3, "coverage_overlap": 1, "sources_compatible": True}
        sleep = {"kind": "category", "category": 1, "value": None, "sample_type": SLEEP}
        self.assert_windows(self.replaced(sleep, sleep, types=(SLEEP,)), ("uncertain", evidence, ["values_missing"]))

    def test_only_some_records_have_a_value(self):
        builder = self.build()
        builder.records(3, 60, 10, last=2)
        builder.record(180, 240, None, last=2)
        builder.record(0, 240, 30, first=2)
        self.assert_windows(builder, ("uncertain", {**SAME, "record_count_delta": -3}, ["values_incomplete"]))

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

    def test_a_type_that_stays_as_it_is_has_no_window(self):
        builder = self.build(types=(SLEEP, STEPS))
        builder.record(0, 60, sample_type=SLEEP, kind="category", category=1)
        builder.records(3, 60, 10, last=2)
        items = self.assert_windows(builder, ("disappeared", {"record_count_delta": -3, "sources_compatible": True}, []))
        self.assertEqual([(item.get("sample_type"), item["labels"]) for item in items if "labels" in item], [(None, {"disappeared": 1}), (SLEEP, {}), (STEPS, {"disappeared": 1})])


if __name__ == "__main__":
    unittest.main()
