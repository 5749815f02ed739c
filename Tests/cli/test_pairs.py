"""Pairs of hp-export diff --pairs: small archives whose pairs are worked out by hand, and random ones beside the plain pairs of Tests/reference.

HP_PAIRS=N looks at so many random histories.
"""

import collections
import json
import os
import random
import subprocess
import sys
import unittest

from report_support import hp_report, ReportCase
from archive_builder import DAY, START, STEPS, Builder
from support import ROOT, hp_export, hp_verify, query, takes_long
import capture_support
from capture_support import sample

NAME = "HKQuantityTypeIdentifier"
HEART, DISTANCE, ENERGY, SOUND = NAME + "HeartRate", NAME + "DistanceWalkingRunning", NAME + "ActiveEnergyBurned", NAME + "EnvironmentalAudioExposure"
SLEEP, WORKOUT, UNHEARD = "HKCategoryTypeIdentifierSleepAnalysis", "HKWorkoutTypeIdentifier", "com.example.unheard"
TYPES = (SLEEP, DISTANCE, ENERGY, HEART, SOUND, STEPS, WORKOUT, UNHEARD)
UNITS = {DISTANCE: ("km", "m", "mi"), ENERGY: ("Cal", "kcal", "kJ"), HEART: ("count/min", "count/s"), SOUND: ("dBASPL",), STEPS: ("count",), UNHEARD: ("count", "km")}
HISTORIES = int(os.environ.get("HP_PAIRS", "60"))
PRODUCTS = (None, "Watch0,0", "iPhone0,0")


class PairCase(ReportCase):
    def build(self, observations=2, types=TYPES, **options):
        builder = Builder(self.archive, observations, types, **options)
        self.addCleanup(builder.connection.close)
        return builder

    def pairs(self, builder, from_=1, to=2):
        """The pairs in one direction; the reference agrees in every byte, and the other direction mirrors them."""
        builder.close()
        items = self.items("pair_report", from_=from_, at=to)
        for places in ({"from_": from_, "at": to}, {"from_": to, "at": from_}):
            self.assert_same("pair_report", **places)
            self.assert_same("diff_report", containers=("csv", "jsonl"), **places)
        self.assertEqual([mirrored(item) for item in self.items("pair_report", from_=to, at=from_)], items)
        return items

    def summary(self, items):
        """Kind, level or law, and how many records on each side."""
        return [(item["pair"], item.get("level", item.get("law")), len(item["before"]), len(item["after"])) for item in items]


def mirrored(item):
    """The pair of the other direction."""
    other = {"condensed_into": "expanded_into", "expanded_into": "condensed_into"}
    swapped = {**item, "before": item["after"], "after": item["before"], "pair": other.get(item["pair"], item["pair"])}
    if "measure_after" in item:
        swapped.update(measure_after=item["measure_before"], measure_before=item["measure_after"])
    if item["pair"] in ("re_identified", "regrouped") and "residual" in item:
        swapped["residual"] = -item["residual"] if item["residual"] else 0
    return swapped


class ReIdentified(PairCase):
    def test_the_same_content_under_new_identities(self):
        builder = self.build()
        for index in range(120):
            builder.record(60 * index, 60 * index + 60, 10 + index, last=2, payload="%064x" % (5000 + index))
            builder.record(60 * index, 60 * index + 60, 10 + index, first=2, payload="%064x" % (5000 + index))
        items = self.pairs(builder)
        self.assertEqual(self.summary(items), [("re_identified", "payload", 1, 1)] * 120)
        self.assertFalse(any(item["tied"] for item in items))
        first = items[0]
        # Identity hashes of the first two samples, of which the lesser is the key.
        self.assertEqual((first["before"][0]["identity_hash"], first["after"][0]["identity_hash"], first["key"]), ("%064x" % 1001, "%064x" % 1002, "%064x" % 1001))
        changes = self.items("diff_report", from_=1, at=2)
        self.assertEqual([change["pair"] for change in changes if change["change"] == "appeared"], [{"keys": [item["key"]], "kind": "re_identified"} for item in items])

    def test_another_version_of_the_app_is_the_same_record_strictly(self):
        builder = self.build()
        builder.record(0, 60, 10, last=2)
        builder.record(0, 60, 10, first=2)
        self.assertEqual(self.summary(self.pairs(builder)), [("re_identified", "strict", 1, 1)])

    def test_nines_are_rounded_to_six_digits(self):
        """Up to the next digit, to the digit before, and to the next power of ten; half goes to even."""
        values = (1.0234996, 1.0235), (12.999996, 13), (999999.6, 1000000), (-1.9999996, -2), (1000005, 1000000)
        builder = self.build()
        for index, (before, after) in enumerate(values):
            builder.record(4000 * index, 4000 * index + 60, before, last=2)
            builder.record(4000 * index, 4000 * index + 60, after, first=2, bundle="com.example.two")
        items = self.pairs(builder)
        self.assertEqual(self.summary(items), [("re_identified", "semantic", 1, 1)] * len(values))
        path = self.folder / "pairs.jsonl"
        self.assert_good(hp_export("diff", self.archive, "--pairs", "--format", "jsonl", "-o", path, "--quiet"))
        self.assert_good(hp_verify("bundle", path, "--archive", self.archive))

    def test_another_unit_and_another_app_are_the_same_record_in_meaning(self):
        builder = self.build()
        # 1.234565 km are 1234.565 m, half to even 1234.56: an export of six digits.
        builder.record(0.25, 60.75, 1.234565, DISTANCE, last=2, unit="km")
        builder.record(0, 60, 1234.56, DISTANCE, first=2, unit="m", bundle="com.example.other")
        item, = self.pairs(builder)
        self.assertEqual((item["level"], item["unit"], item["residual"]), ("semantic", "m", 1234.56 - 1.234565 * 1000))
        self.assertEqual((item["start_date"], item["end_date"]), ("2001-01-01T00:00:00.000Z", "2001-01-01T00:01:00.750Z"))

    def test_seven_digits_of_an_export_are_others(self):
        builder = self.build()
        builder.record(0, 60, 1234.575, DISTANCE, last=2, unit="m")
        builder.record(0, 60, 1234.56, DISTANCE, first=2, unit="m")
        self.assertEqual(self.pairs(builder), [])

    def test_the_most_specific_level_comes_first(self):
        builder = self.build()
        builder.record(0, 60, 10, last=2, payload="a" * 64)
        builder.record(0, 60, 10, last=2)
        builder.record(0, 60, 10, first=2, bundle="com.example.other")
        builder.record(0, 60, 10, first=2, payload="a" * 64)
        items = self.pairs(builder)
        self.assertEqual(sorted(self.summary(items)), [("re_identified", "payload", 1, 1), ("re_identified", "semantic", 1, 1)])

    def test_records_that_cannot_be_told_apart_are_tied(self):
        builder = self.build()
        for _ in range(3):
            builder.record(0, 60, 10, last=2)
        for _ in range(2):
            builder.record(0, 60, 10, first=2)
        items = self.pairs(builder)
        self.assertEqual([item["tied"] for item in items], [True, True])
        self.assertEqual([item["before"][0]["identity_hash"] for item in items], ["%064x" % 1001, "%064x" % 1002])

    def test_a_sample_with_two_versions_is_in_no_pair(self):
        builder = self.build()
        sample = builder.record(0, 60, 10, last=2)
        builder.version(sample, 0, 60, 10, last=2)
        builder.record(0, 60, 10, first=2)
        self.assertEqual(self.pairs(builder), [])


class Condensed(PairCase):
    def test_ten_into_one(self):
        builder = self.build()
        builder.records(10, 60, 7, last=2)
        builder.record(0, 600, 70, first=2)
        item, = self.pairs(builder)
        self.assertEqual((item["pair"], item["law"], item["residual"], item["unit"], item["source"]), ("condensed_into", "sum", 0, "count", {"bundle_identifier": "com.example.one"}))
        self.assertEqual(item["key"], "%064x" % 1011)

    def test_one_into_ten(self):
        builder = self.build()
        builder.record(0, 600, 70, last=2)
        builder.records(10, 60, 7, first=2)
        self.assertEqual(self.summary(self.pairs(builder)), [("expanded_into", "sum", 1, 10)])

    def test_laws(self):
        for name, parts, whole, law in (
                (HEART, [(0, 0, 80), (60, 60, 80), (120, 120, 80), (180, 180, 80)], (0, 180, 80), "value"),
                (HEART, [(0, 0, 60), (60, 60, 80), (120, 120, 70)], (0, 120, 70), "mean"),
                (HEART, [(0, 60, 60), (60, 240, 80)], (0, 240, 75), "time_weighted_mean"),
                (HEART, [(0, 0, 60), (60, 60, 80)], (0, 120, 71), "range"),
                (HEART, [(0, 0, 60), (60, 60, 80)], (0, 120, 81), None),
                (SOUND, [(0, 60, 60), (60, 120, 80)], (0, 120, 70), "range"),
                (DISTANCE, [(0, 60, 100), (60, 120, 150)], (0, 120, 250.001), "sum"),
                (DISTANCE, [(0, 60, 100), (60, 120, 150)], (0, 120, 250.01), None),
                (UNHEARD, [(0, 60, 100), (60, 120, 150)], (0, 120, 250), None)):
            with self.subTest(type=name, law=law):
                self.archive.unlink(missing_ok=True)
                builder = self.build()
                unit = UNITS[name][1 if name == DISTANCE else 0]
                for start, end, value in parts:
                    builder.record(start, end, value, name, last=2, unit=unit)
                builder.record(*whole, name, first=2, unit=unit)
                self.assertEqual([item["law"] for item in self.pairs(builder)], [law] if law else [])

    def test_states_last_as_long(self):
        builder = self.build()
        for start in (0, 600, 1200):
            builder.record(start, start + 600, sample_type=SLEEP, last=2, kind="category", category=3)
        builder.record(0, 1800, sample_type=SLEEP, first=2, kind="category", category=3)
        builder.record(0, 1800, sample_type=SLEEP, first=2, kind="category", category=4)
        item, = self.pairs(builder)
        self.assertEqual((item["pair"], item["law"], item["residual"], item["unit"]), ("condensed_into", "duration", 0, "s"))

    def test_parts_at_one_time_have_an_order(self):
        """By their end, then by identity and payload: two samples have one identity."""
        builder = self.build()
        parts = ((0, 600, "c", 4), (0, 600, "a", 3), (0, 600, "c", 2), (0, 300, "d", 1), (600, 1800, "b", 5))
        for number, (start, end, identity, payload) in enumerate(parts, 1):
            builder.record(
                start, end, sample_type=SLEEP, last=2, kind="category", category=3, payload="%064x" % payload)
            builder.connection.execute("UPDATE samples SET sample_uuid_hash = ? WHERE id = ?", (64 * identity, number))
        builder.record(0, 1800, sample_type=SLEEP, first=2, kind="category", category=3)
        item, = self.pairs(builder)
        self.assertEqual((item["pair"], item["law"], item["residual"]), ("condensed_into", "duration", 0))
        self.assertEqual([int(part["payload_hash"], 16) for part in item["before"]], [1, 3, 2, 4, 5])

    def test_a_missing_part_breaks_the_law(self):
        builder = self.build()
        builder.records(10, 60, 7, last=2)
        builder.record(0, 600, 63, first=2)
        self.assertEqual(self.pairs(builder), [])

    def test_two_containers_that_fit_are_both_named(self):
        builder = self.build()
        builder.records(2, 60, 5, last=2)
        builder.record(0, 120, 10, first=2)
        builder.record(0, 180, 10, first=2)
        items = self.pairs(builder)
        self.assertEqual(self.summary(items), [("ambiguous", "sum", 2, 1)] * 2)
        self.assertEqual([(item["key"], item["ambiguous_with"]) for item in items], [("%064x" % 1003, ["%064x" % 1004]), ("%064x" % 1004, ["%064x" % 1003])])
        part = next(change for change in self.items("diff_report", from_=1, at=2) if change["change"] == "disappeared")
        self.assertEqual(part["pair"], {"keys": ["%064x" % 1003, "%064x" % 1004], "kind": "ambiguous"})

    def test_an_instant_at_an_edge_belongs_to_what_begins_there(self):
        builder = self.build()
        for start, value in ((0, 60), (150, 60), (300, 90), (450, 90), (600, 90)):
            builder.record(start, start, value, HEART, last=2, unit="count/min")
        builder.record(0, 300, 60, HEART, first=2, unit="count/min")
        builder.record(300, 600, 90, HEART, first=2, unit="count/min")
        self.assertEqual(self.summary(self.pairs(builder)), [("condensed_into", "value", 2, 1), ("condensed_into", "value", 3, 1)])

    def test_another_source_is_no_part(self):
        builder = self.build()
        builder.records(10, 60, 7, last=2)
        builder.record(0, 600, 70, first=2, bundle="com.example.other")
        self.assertEqual(self.pairs(builder), [])

    def test_names_of_sources_that_are_not_kept_in_memory(self):
        builder = self.build()
        for index in range(6):
            bundle = "com.example.%d." % index + "x" * 300_000
            builder.records(2, 60, 7, begin=index * DAY, last=2, bundle=bundle)
            builder.record(index * DAY, index * DAY + 120, 14, first=2, bundle=bundle)
            builder.record(index * DAY + 600, index * DAY + 660, 3, last=2, bundle=bundle)
            builder.record(index * DAY + 600, index * DAY + 660, 3, first=2, bundle=bundle)
        items = self.pairs(builder)
        self.assertEqual(self.summary(items), [("condensed_into", "sum", 2, 1), ("re_identified", "strict", 1, 1)] * 6)
        self.assertEqual(len({item["source"]["bundle_identifier"] for item in items[::2]}), 6)

    @takes_long
    def test_limits(self):
        builder = self.build()
        builder.records(1024, 60, 1, last=2)
        builder.record(0, 1024 * 60, 1024, first=2)
        builder.records(1025, 60, 1, begin=10 * DAY, last=2)
        builder.record(10 * DAY, 10 * DAY + 1025 * 60, 1025, first=2)
        for index in range(17):
            builder.record(20 * DAY, 20 * DAY + 7200 - index, 2, first=2)
        builder.records(2, 60, 1, begin=20 * DAY, last=2)
        items = self.pairs(builder)
        self.assertEqual(self.summary(items), [("condensed_into", "sum", 1024, 1)] + [("ambiguous", "sum", 2, 1)] * 16)


class Histories(PairCase):
    @takes_long
    def test_random_histories_are_those_of_the_reference(self):
        kinds = set()
        for number in range(HISTORIES):
            with self.subTest(history=number):
                self.archive.unlink(missing_ok=True)
                builder = self.build()
                History(random.Random(number), builder).write()
                builder.close()
                for from_, to in ((1, 2), (2, 1)):
                    expected = self.assert_same("pair_report", from_=from_, at=to, containers=("jsonl",))
                    self.assert_same("diff_report", from_=from_, at=to, containers=("jsonl",))
                kinds |= {(item["pair"], item.get("level", item.get("law"))) for item in expected.items}
                if number % 10 == 0:
                    self.assert_verified(expected)
        self.assertLessEqual({"ambiguous", "condensed_into", "expanded_into", "re_identified"}, {kind for kind, _ in kinds})


    def assert_verified(self, report):
        """Both verifiers compute the same pairs from the items of a report."""
        path = self.folder / "pairs.jsonl"
        path.write_bytes(report.lines())
        self.assert_good(hp_verify("bundle", path, "--quiet"))
        verified = subprocess.run([sys.executable, "-B", str(ROOT / "Spec/examples/verify_bundle.py"), str(path)], capture_output=True)
        self.assertEqual(verified.returncode, 0, verified.stdout)


class AcrossChains(PairCase):
    """A phone's own history is chain 1, observations 1 and 2; its export chain 2, observation 3."""

    def build(self, chains=None, observations=3, **options):
        return super().build(observations, chains=chains or {3: 2}, **options)

    def on_phone(self, builder, *place, **others):
        return builder.record(*place, first=1, **others)

    def in_export(self, builder, *place, **others):
        return builder.record(*place, first=3, **others)

    def across(self, builder, from_=2, to=3):
        """The pairs in one direction; the reference agrees in every byte, and the other direction mirrors them."""
        builder.close()
        items = self.items("pair_report", "--across-chains", from_=from_, at=to)
        for places in ({"from_": from_, "at": to}, {"from_": to, "at": from_}):
            self.assert_same("pair_report", "--across-chains", across_chains=True, **places)
        self.assertEqual([mirrored(item) for item in self.items("pair_report", "--across-chains", from_=to, at=from_)], items)
        return items

    def text(self, *options):
        return self.assert_good(hp_export("diff", self.archive, "--across-chains", *options)).out.decode()

    def test_each_level_and_what_has_none(self):
        builder = self.build()
        self.on_phone(builder, 0, 60, 10, payload="a" * 64)
        self.in_export(builder, 0, 60, 10, payload="a" * 64)
        self.on_phone(builder, 3600.25, 3660.5, 11)
        self.in_export(builder, 3600, 3660, 11)
        # The same minute, another second.
        self.on_phone(builder, 7200, 7200, 71, sample_type=HEART, unit="count/min")
        self.in_export(builder, 7259, 7259, 71, sample_type=HEART, unit="count/min")
        self.on_phone(builder, 9000, 9060, 12)
        self.in_export(builder, 99000, 99060, 13)
        items = self.across(builder)
        self.assertEqual([(item["level"], item["sample_type"]) for item in items], [("fuzzy", HEART), ("payload", STEPS), ("semantic", STEPS)])
        self.assertEqual([item.get("residual") for item in items], [0, None, 0])
        text = self.text()
        self.assertIn("two device chains: 4 and 4 visible, 0 of them on both under one identity\n", text)
        self.assertIn("re-identified: 3 pairs, 3 before, 3 after\n", text)

    def test_the_steps_of_the_weakest_level(self):
        cases = [(HEART, 60, 59.999, 0), (HEART, 60, 60, 119.5), (STEPS, 3600, 3599, 0), (STEPS, 3600, 3600, 7199), (WORKOUT, 600, 599, 600)]
        builder = self.build()
        expected = []
        for number, (name, step, one, other) in enumerate(cases):
            begin = number * 7200 * 12
            other_values = {"kind": "workout"} if name == WORKOUT else {}
            value = None if name == WORKOUT else 20 + number
            for put, start in ((self.on_phone, one), (self.in_export, other)):
                put(builder, begin + start, begin + start + 7200 + number + start % 7, value, sample_type=name, **other_values)
            if one // step == other // step:
                expected.append((name, value))
        items = self.across(builder)
        self.assertEqual([(item["sample_type"], item["before"][0].get("numeric_value")) for item in items], expected)
        self.assertEqual({item["level"] for item in items}, {"fuzzy"})

    def test_one_record_on_both_chains_is_no_pair(self):
        builder = self.build()
        for index in range(3):
            sample = self.on_phone(builder, 60 * index, 60 * index + 60, 5)
            builder.insert("sample_visibility_ranges", sample, sample, 3, None, START + 3 * DAY, None)
        self.assertEqual(self.across(builder), [])
        self.assertIn("two device chains: 3 and 3 visible, 3 of them on both under one identity\n\nno pairs\n", self.text())

    def test_what_is_condensed_on_one_chain(self):
        builder = self.build()
        for index in range(10):
            self.on_phone(builder, 60 * index, 60 * index + 60, 7)
        self.in_export(builder, 0, 600, 70)
        self.assertEqual(self.summary(self.across(builder)), [("condensed_into", "sum", 10, 1)])

    def named(self, builder, *revisions):
        """Revisions of one name, each with an app and a product, or without."""
        for number, (bundle, product) in enumerate(revisions, 1):
            builder.insert("sources", number, "a" * 64, bundle)
            builder.insert("source_revisions", number, number, product, None, None)
            builder.sources[number] = number

    def test_edges_are_whole_seconds_and_members_that_one_side_lacks_are_ignored(self):
        app, plain = ("com.example.watch", "Watch0,0"), (None, None)
        other = ("com.example.other", "Watch0,0")
        for revisions, fraction, pairs in [
                ((app, plain), 0.25, 1), ((plain, plain), 0.25, 1), ((app, plain), 0, 1), ((plain, plain), 0, 1),
                # Both sides have an app: then it counts.
                ((app, app), 0.75, 1), ((app, other), 0.75, 0), ((app, ("com.example.watch", None)), 0.75, 1), ((app, ("com.example.watch", "Watch0,1")), 0, 0)]:
            with self.subTest(revisions=revisions, fraction=fraction):
                self.archive.unlink(missing_ok=True)
                builder = self.build()
                self.named(builder, *revisions)
                self.on_phone(builder, fraction, 120 + fraction, 12.5, bundle=1)
                self.in_export(builder, 0, 60, 5, bundle=2)
                self.in_export(builder, 60, 120, 7.5, bundle=2)
                self.assertEqual(self.summary(self.across(builder)), [("expanded_into", "sum", 1, 2)] * pairs)

    def test_one_record_of_a_side_with_an_app_makes_it_count(self):
        builder = self.build()
        self.named(builder, ("com.example.watch", None), (None, None))
        self.on_phone(builder, 0.5, 120.5, 12.5, bundle=1)
        self.in_export(builder, 0, 60, 5, bundle=2)
        self.in_export(builder, 60, 120, 7.5, bundle=2)
        self.in_export(builder, 9000, 9060, 71, bundle=1, sample_type=HEART, unit="count/min")
        self.assertEqual(self.across(builder), [])

    def test_within_one_chain_there_is_no_weakest_level(self):
        builder = super().build(2)
        builder.record(7200, 7200, 71, sample_type=HEART, unit="count/min", last=2)
        builder.record(7259, 7259, 71, sample_type=HEART, unit="count/min", first=2)
        self.assertEqual(self.pairs(builder), [])

    def test_refusals(self):
        self.build().close()
        for options, line in [
                (("--pairs", "--from", "2", "--to", "3"), "observations 2 and 3 are of different device chains"),
                (("--across-chains", "--from", "1", "--to", "2"), "observations 1 and 2 are of one device chain"),
                (("--across-chains", "--from", "3", "--to", "3"), "observations 3 and 3 are of one device chain"),
                (("--across-chains", "--summary"), "--across-chains"), (("--across-chains", "--changes", "appeared"), "--changes selects changes"),
                (("--across-chains", "--view", "people", "--format", "csv"), "--view people")]:
            with self.subTest(options=options):
                result = hp_export("diff", self.archive, *options)
                self.assert_refused(result)
                self.assertIn(line, result.err)

    def test_which_observation_of_the_other_chain(self):
        builder = self.build()
        self.on_phone(builder, 0, 60, 5)
        self.in_export(builder, 0, 60, 5)
        builder.close()
        self.assertIn("re-identified: 1 pairs", self.text())
        self.assertTrue(self.text().startswith("observation 3 (2001-01-04) compared with observation 2 (2001-01-03)\n"))
        self.archive.unlink()
        self.build({3: 2, 4: 3}, observations=4).close()
        result = hp_export("diff", self.archive, "--across-chains")
        self.assert_refused(result)
        self.assertIn("the archive has 2 other device chains: --from chooses one", result.err)
        self.archive.unlink()
        super().build(2).close()
        result = hp_export("diff", self.archive, "--across-chains")
        self.assert_refused(result)
        self.assertIn("no finished observation of another device chain", result.err)

    def test_the_report_is_recorded_and_verified(self):
        builder = self.build()
        self.on_phone(builder, 7200, 7200, 71, sample_type=HEART, unit="count/min")
        self.in_export(builder, 7259, 7259, 71, sample_type=HEART, unit="count/min")
        report = self.across(builder)
        path = self.folder / "pairs.jsonl"
        self.assert_good(hp_export("diff", self.archive, "--across-chains", "--format", "jsonl", "-o", path, "--quiet"))
        self.assertEqual(len(report), 1)
        for arguments in (("bundle", path), ("bundle", path, "--archive", self.archive), ("reproduce", self.archive)):
            with self.subTest(arguments=arguments):
                result = hp_verify(*arguments, "--quiet")
                self.assertEqual(result.status, 0, result.out)
        # The archive of this test has no events; its record of the report is all right.
        self.assertIn("  manifests   OK  1 row\n", hp_verify("archive", self.archive, "--quiet").out.decode())
        self.assert_plain_verifier(path, 0)

    def assert_plain_verifier(self, path, status):
        verified = subprocess.run([sys.executable, "-B", str(ROOT / "Spec/examples/verify_bundle.py"), str(path)], capture_output=True)
        self.assertEqual(verified.returncode, status, verified.stdout)

    @takes_long
    def test_random_histories_are_those_of_the_reference(self):
        levels = set()
        for number in range(HISTORIES // 2):
            with self.subTest(history=number):
                self.archive.unlink(missing_ok=True)
                builder = PairCase.build(self, 2, chains={2: 2})
                History(random.Random(9000 + number), builder).write()
                builder.close()
                for from_, to in ((1, 2), (2, 1)):
                    expected = self.assert_same("pair_report", "--across-chains", from_=from_, at=to, across_chains=True, containers=("jsonl",))
                levels |= {item.get("level") for item in expected.items}
        self.assertLessEqual({"payload", "strict", "semantic", "fuzzy"}, levels)


class PhoneAndExport(capture_support.CaptureCase):
    """A feed of a phone's own history and an export of the same phone, in one archive."""

    def test_most_of_it_is_the_same_record(self):
        """Forty readings; every fourth has a fraction of a second, which exports have not. One is in the feed alone, one in the export alone."""
        archive = self.archive
        source = {"name": "Watch", "bundle_identifier": "com.example.watch", "version": "1.0"}
        samples, records = [], []
        for number in range(40):
            text = "2024-05-01T10:%02d:00" % number
            moment = text + (".750Z" if number % 4 == 0 else "Z")
            if number != 7:
                samples.append(sample(number, value=60 + number, source=source, start_date=moment, end_date=moment))
            if number != 9:
                records.append('<Record type="%s" sourceName="Watch" sourceVersion="1.0" unit="count/min" startDate="%s" endDate="%s" value="%d"/>' % (
                    HEART, *[text.replace("T", " ") + " +0000"] * 2, 60 + number))
        phone = self.written(capture_support.feed(capture_support.observation(1, capture_support.type_run(samples))))
        export = self.written(('<?xml version="1.0" encoding="UTF-8"?><HealthData locale="en_US"><ExportDate value="2024-06-02 10:00:00 +0000"/>%s</HealthData>' % "".join(records)).encode(), "export.xml")
        self.assert_good(self.hp_capture("--feed", phone))
        self.assert_good(self.hp_capture("--apple-health", export))
        text = self.assert_good(hp_export("diff", archive, "--across-chains")).out.decode()
        self.assertIn("two device chains: 39 and 39 visible, 0 of them on both under one identity\n", text)
        self.assertIn("re-identified: 38 pairs, 38 before, 38 after\n18 more of re-identified: --format csv has all of them\nidentity inferred from content, cause not inferred\n", text)
        report = self.assert_good(hp_export("diff", archive, "--across-chains", "--format", "jsonl", "-o", "-", "--quiet")).out
        items = [json.loads(line)["item"] for line in report.splitlines()[1:-1]]
        self.assertEqual({item["level"] for item in items}, {"semantic"})
        self.assertEqual([item["before"][0]["numeric_value"] for item in items], [60 + number for number in range(40) if number not in (7, 9)])
        self.assertEqual([item["after"][0]["numeric_value"] for item in items], [60 + number for number in range(40) if number not in (7, 9)])
        for arguments in (("archive", archive), ("reproduce", archive)):
            self.assert_good(hp_verify(*arguments, "--quiet"))


    def test_condensed_records_too(self):
        """A record of the feed for two of the export, with fractions and an app or without: the four forms; and states, and a mean."""
        kinds = [("12.5", ("5", "7.5"), ENERGY, "kcal", "sum"), ("61", ("60", "62"), HEART, "count/min", "mean")]
        for number, (fraction, bundle) in enumerate([(".25", True), (".25", False), ("", True), ("", False)]):
            archive = self.archive.with_name("form%d.sqlite" % number)
            samples, records = [], []
            for offset, (whole, parts, name, unit, _) in enumerate(kinds):
                hour = 10 + offset
                source = {"name": "Watch", **({"bundle_identifier": "com.example.watch", "product_type": "Watch0,0"} if bundle else {})}
                samples.append((name, sample(offset, sample_type=name, value=float(whole), unit=unit, source=source, start_date="2024-05-01T%d:40:00%sZ" % (hour, fraction), end_date="2024-05-01T%d:42:00%sZ" % (hour, fraction))))
                for minute, value in enumerate(parts, 40):
                    records.append('<Record type="%s" sourceName="Watch" unit="%s" startDate="2024-05-01 %d:%d:00 +0000" endDate="2024-05-01 %d:%d:00 +0000" value="%s"/>' % (name, unit, hour, minute, hour, minute + 1, value))
            runs = [capture_support.type_run([one], sample_type=name, first_page=page) for page, (name, one) in enumerate(samples, 1)]
            phone = self.written(capture_support.feed(capture_support.observation(1, *runs)))
            export = self.written(('<?xml version="1.0" encoding="UTF-8"?><HealthData locale="en_US"><ExportDate value="2024-06-02 10:00:00 +0000"/>%s</HealthData>' % "".join(records)).encode(), "export.xml")
            with self.subTest(fraction=fraction, bundle=bundle):
                for source in (("--feed", phone), ("--apple-health", export)):
                    self.assert_good(hp_export("capture", archive, *source))
                report = self.assert_good(hp_export("diff", archive, "--across-chains", "--format", "jsonl", "-o", "-", "--quiet")).out
                items = [json.loads(line)["item"] for line in report.splitlines()[1:-1]]
                self.assertEqual([(item["sample_type"], item["pair"], item["law"], len(item["before"]), len(item["after"])) for item in items],
                                 [(name, "expanded_into", law, 1, 2) for _, _, name, _, law in kinds])
                self.assertEqual(items[0]["before"][0]["start_date"], "2024-05-01T10:40:00.%s0Z" % (fraction[1:] or "00"))


class History:
    """Stretches of records that were taken away, and what came for them: the same again, condensed, divided, or something else."""

    def __init__(self, chance, builder):
        self.chance, self.builder, self.payloads = chance, builder, 0

    def write(self):
        chance = self.chance
        self.name_sources()
        for stretch in range(chance.randint(1, 12)):
            begin = stretch * chance.choice([600, 7200, DAY])
            name = chance.choice(TYPES)
            records = [self.record(name, begin) for _ in range(chance.randint(0, 6))] if chance.random() < 0.3 else self.row(name, begin)
            other = self.changed(name, records)
            if chance.random() < 0.5:
                records, other = other, records
            for side, found in (("last", records), ("first", other)):
                for record in found:
                    self.put(record, **{side: 2})

    def name_sources(self):
        """Sources by name and product, with and without an app."""
        self.revisions = [None]
        for number, (bundle, name) in enumerate([("com.example.one", None), ("com.example.one", "a" * 64), (None, "b" * 64), (None, None)], 1):
            self.builder.insert("sources", number, name, bundle)
            for product in PRODUCTS:
                for version in ("1.0", "2.0"):
                    self.revisions.append(len(self.revisions))
                    self.builder.insert("source_revisions", self.revisions[-1], number, product, version, None)
        if self.chance.random() < 0.6:
            self.revisions = self.chance.sample(self.revisions, 2)

    def value(self, name):
        return self.chance.choice([1, 2.5, 60, 61.5, 1234.5675, 0.1, -3, 0, 1e-7, 1e17, 1.7e308]) if self.chance.random() < 0.2 else self.chance.randint(1, 4) * 10

    def record(self, name, begin):
        chance = self.chance
        start = begin + chance.choice([0, 0, 60, 120, 300, 300.25, 299.75])
        end = start + chance.choice([0, 0, 60, 60, 120, 300, 0.5])
        record = {"type": name, "start": start, "end": end, "source": chance.choice(self.revisions), "kind": "quantity", "value": None, "unit": None, "category": None, "activity": None, "duration": None}
        if name == SLEEP:
            record.update(kind="category", category=chance.choice([3, 3, 4, None]))
        elif name == WORKOUT:
            record.update(kind="workout", activity=chance.choice([37, None]), duration=chance.choice([None, end - start]))
        else:
            record.update(value=self.value(name), unit=chance.choice(UNITS[name]))
        if chance.random() < 0.03:
            record.update(chance.choice([{"kind": None}, {"unit": None}, {"unit": "lightyear"}, {"value": b"x"}, {"value": float("inf")}, {"end": start - 60}, {"start": None}, {"source": 999}]))
        return record

    def row(self, name, begin):
        """Records one after the other, of one source and unit."""
        chance = self.chance
        first, length, gap = self.record(name, begin), chance.choice([0, 60, 60, 300]), chance.choice([0, 0, 60])
        value = self.value(name)
        return [{**first, "start": begin + index * (length + gap) + (60 * index if not length else 0), "end": begin + index * (length + gap) + length + (60 * index if not length else 0),
                 "value": None if first["value"] is None else chance.choice([value, value, self.value(name)])} for index in range(chance.randint(1, 8))]

    def changed(self, name, records):
        chance = self.chance
        return chance.choice([self.again, self.again, self.condensed, self.condensed, self.condensed, lambda records: [self.record(name, 0) for _ in range(3)], lambda records: []])(records)

    def again(self, records):
        """The same under other identities: some twice, some not, some with another app, unit or number of digits."""
        found = []
        for record in records:
            for _ in range(self.chance.choice([1, 1, 1, 0, 2])):
                found.append({**record, **self.chance.choice([{}, {}, {}, {"source": self.chance.choice(self.revisions)}, self.other_unit(record), {"again": record}])})
        return found

    def other_unit(self, record):
        if record["type"] not in UNITS or not isinstance(record["value"], (int, float)) or record["value"] == float("inf"):
            return {}
        factors = {("km", "m"): 1000, ("m", "km"): 0.001, ("kcal", "kJ"): 4.184, ("Cal", "kcal"): 1, ("kcal", "Cal"): 1, ("count/min", "count/s"): 1 / 60}
        unit = self.chance.choice(UNITS[record["type"]])
        value = record["value"] * factors.get((record["unit"], unit), 1)
        return {"unit": unit, "value": float("%.6g" % value) if self.chance.random() < 0.7 and abs(value) < 1e300 else value}

    def condensed(self, records):
        """Fewer records with what should be kept, or nearly; sometimes a second container around them."""
        found = []
        dated = [record for record in records if record["start"] is not None and record["start"] <= record["end"]]
        while dated:
            count = self.chance.choice([2, 3, 5, len(dated)])
            part, dated = dated[:count], dated[count:]
            numbers = [record["value"] for record in part if isinstance(record["value"], (int, float))]
            whole = {**part[0], "start": min(record["start"] for record in part), "end": max(record["end"] for record in part)}
            if numbers:
                total = sum(numbers) if part[0]["type"] != HEART or self.chance.random() < 0.1 else self.chance.choice([sum(numbers) / len(numbers), numbers[0]])
                whole["value"] = total * self.chance.choice([1, 1, 1, 1.000009, 1.1])
            found.append(whole)
            if self.chance.random() < 0.2:
                found.append({**whole, "end": whole["end"] + self.chance.choice([0, 30])})
            if self.chance.random() < 0.1:
                found += part
        return found

    def put(self, record, first=1, last=None):
        builder = self.builder
        builder.samples += 1
        builder.versions += 1
        sample, version = builder.samples, builder.versions
        uuid = None if self.chance.random() < 0.1 else "%064x" % self.chance.getrandbits(250)
        builder.insert("samples", sample, builder.types[record["type"]], uuid, "%064x" % (2000 + sample), None, None, first, START)
        kept = self.chance.random() < 0.9
        again = record.get("again", record)
        payload = again.setdefault("payload", "%064x" % (10**6 + version)) if kept else "%064x" % (10**6 + version)
        if {**again, "again": 0} != {**record, "again": 0} or "payload" not in record and record is not again:
            payload = "%064x" % (10**6 + version)
        moment = lambda value: b"x" if value is None else START + value
        builder.insert("sample_versions", version, sample, payload, moment(record["start"]), moment(record["end"]), record["kind"], record["value"], record["unit"], record["category"],
                       record["activity"], record["duration"], record["source"], None, None, first)
        builder.insert("sample_visibility_ranges", sample, version, first, last, START, None if last is None else START)
        if self.chance.random() < 0.02:
            builder.versions += 1
            builder.insert("sample_versions", builder.versions, sample, "%064x" % (10**6 + builder.versions), START, START, record["kind"], 1, "count", None, None, None, None, None, None, first)
            builder.insert("sample_visibility_ranges", sample, builder.versions, first, last, START, None if last is None else START)


class ForPeople(ReportCase):
    def test_twenty_pairs_of_each_kind_are_listed(self):
        for count in (19, 20, 21, 23):
            with self.subTest(count):
                self.archive.unlink(missing_ok=True)
                builder = Builder(self.archive, 2)
                for index in range(count):
                    begin = 60 * index
                    for observations in ({"last": 2}, {"first": 2}):
                        builder.record(begin, begin + 60, 10 + index, payload="%064x" % (5000 + index), **observations)
                # Days later: twenty times two records became one.
                for index in range(20):
                    begin = 5 * DAY + 600 * index
                    builder.records(2, 60, 7, begin=begin, last=2)
                    builder.record(begin, begin + 120, 14, first=2)
                builder.close()
                text = self.assert_good(hp_export("diff", self.archive, "--pairs", "--from", "1", "--to", "2")).out.decode()
                row = "%%-14s  %s  2001-01-%%02dT%%02d:%%02d:00.000Z  2001-01-%%02dT%%02d:%%02d:00.000Z  %%6d      1  %%s" % STEPS
                rows = [row % ("re-identified", 1, 0, index, 1, 0, index + 1, 1, "payload") for index in range(min(count, 20))]
                rows += [row % ("condensed into", 6, index // 6, index % 6 * 10, 6, index // 6, index % 6 * 10 + 2, 2, "sum") for index in range(20)]
                more = ["%d more of re-identified: --format csv has all of them" % (count - 20)] * (count > 20)
                self.assertEqual(text.splitlines()[3:], [
                    *rows, "", "condensed into: 20 pairs, 40 before, 20 after", "re-identified: %d pairs, %d before, %d after" % (count, count, count), *more,
                    "identity inferred from content, cause not inferred"])


class SideBySide(ReportCase):
    """From 20,000 ranges on, a second connection looks for pairs while the first one judges windows."""

    def test_both_ways_give_the_same(self):
        builder = Builder(self.archive, 2)
        builder.records(7_000, 60.0, 3.0, last=2)
        builder.records(7_000, 60.0, 3.0, first=2)
        builder.records(6_500, 60.0, 5.0, begin=100 * DAY)
        builder.records(3, 60.0, 7.0, begin=200 * DAY, first=2)
        builder.close()
        together = self.assert_good(hp_report(self.archive, "diff_report", "--format", "jsonl", "-o", "-", "--no-record", "--quiet")).out
        # Who records an export in an archive without a log has no second connection.
        self.assertEqual(query(self.archive, "PRAGMA journal_mode"), [("delete",)])
        path = self.folder / "alone.jsonl"
        self.assert_good(hp_report(self.archive, "diff_report", "--format", "jsonl", "-o", path, "--quiet"))
        self.assertEqual(path.read_bytes(), together)
        items = [json.loads(line)["item"] for line in together.splitlines()[1:-1]]
        self.assertEqual(collections.Counter((item["change"], item.get("pair", {}).get("kind")) for item in items),
                         {("disappeared", "re_identified"): 7_000, ("appeared", "re_identified"): 7_000, ("appeared", None): 3})


if __name__ == "__main__":
    unittest.main()
