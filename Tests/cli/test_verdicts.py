"""Windows of changes worked out by hand from Spec/changes.md and Spec/pairs.md, before the code: verdict, reasons, what was replaced by what, what is left over."""

import unittest

from report_support import ReportCase
from archive_builder import DAY, STEPS, Builder

M, H = 60, 3600
HEART, MASS, DISTANCE, SOUND, ENERGY, TEMPERATURE = ("HKQuantityTypeIdentifier" + name for name in (
    "HeartRate", "BodyMass", "DistanceWalkingRunning", "EnvironmentalAudioExposure", "ActiveEnergyBurned", "BodyTemperature"))
SLEEP, MINDFUL, HEADACHE = ("HKCategoryTypeIdentifier" + name for name in ("SleepAnalysis", "MindfulSession", "Headache"))
WORKOUT, ROUTE = "HKWorkoutTypeIdentifier", "HKWorkoutRouteTypeIdentifier"
ONE, TWO, THREE = ({"bundle": "com.example." + name} for name in ("one", "two", "three"))
ENTERED = '{"HKWasUserEntered":1}'
BURNED = '{"hp:statistics":[{"sum":"%s","type":"HKQuantityTypeIdentifierActiveEnergyBurned","unit":"kcal"}]}'


def row(count, length, value=None, begin=0, **more):
    """Records of one length, one after the other: (start, end, value, more)."""
    return [(begin + index * length, begin + (index + 1) * length, value, more) for index in range(count)]


def at(*pairs, **more):
    """Instants: (moment, value)."""
    return [(moment, moment, value, more) for moment, value in pairs]


def one(start, end, value=None, **more):
    return [(start, end, value, more)]


def changed(before, after):
    """A sample whose version became another."""
    return [(*before[0], after[0])]


def kept(pair, before, after):
    return (pair, "kept", before, after)


LIKELY, GONE, NEW, SAME, OTHER, OPEN, UNPROVEN = (
    "consolidationLikely", "disappeared", "appeared", "representationChanged", "aggregateChanged", "uncertain", "replacedNotProvable")


def says(label, *replaced, left=(0, 0), because=()):
    return {"label": label, "reasons": list(because), "replaced": sorted(replaced), "left": left}


BPM, PER = {"unit": "count/min"}, {"unit": "kg"}
CORE, DEEP = {"kind": "category", "category": 3}, {"kind": "category", "category": 4}
NONE = {"kind": "category"}
RUN = {"kind": "workout", "activity": 37}
MIDNIGHT = DAY - 5 * M

# name: type, records before, records after, windows
CASES = {
    # What truth says of labels
    "60 of 73 became 20, and 13 after them are gone": (STEPS, row(73, M, 10), row(20, 3 * M, 30), [says(LIKELY, kept("condensed_into", 60, 20)), says(GONE, left=(13, 0))]),
    "60 of 73 became 20, and 13 of another app among them are gone": (
        STEPS, row(60, M, 10, **ONE) + [(index * 3 * M, index * 3 * M + M, 5, TWO) for index in range(13)], row(20, 3 * M, 30, **ONE),
        [says(GONE, kept("condensed_into", 39, 13), left=(13, 0)), says(LIKELY, kept("condensed_into", 21, 7))]),
    "three apps become one that has the whole sum": (
        STEPS, row(6, 10 * M, 10, **ONE) + row(6, 10 * M, 10, **TWO) + row(6, 10 * M, 10, **THREE), row(6, 10 * M, 30, **ONE), [says(OTHER, left=(18, 6))]),
    "three apps are condensed into one": (
        STEPS, row(60, M, 10, **ONE) + row(60, M, 10, **TWO) + row(60, M, 10, **THREE), row(6, 10 * M, 300, **ONE), [says(OTHER, left=(180, 6))]),
    "two apps swap shares": (
        STEPS, row(60, M, 10, **ONE) + row(60, M, 20, **TWO), row(6, 10 * M, 200, **ONE) + row(6, 10 * M, 100, **TWO), [says(OTHER, left=(120, 12))]),
    "two apps swap values": (
        STEPS, row(6, 10 * M, 10, **ONE) + row(6, 10 * M, 20, **TWO), row(6, 10 * M, 20, **ONE) + row(6, 10 * M, 10, **TWO),
        [says(OPEN, ("re_identified", "source_changed", 12, 12), because=["sources_differ"])]),
    "condensed across midnight": (STEPS, row(10, M, 118, begin=MIDNIGHT), one(MIDNIGHT, MIDNIGHT + 10 * M, 1180), [says(OTHER, ("condensed_into", "days_changed", 10, 1))]),
    "three workouts of 300 kcal become one that states none": (WORKOUT, row(3, 20 * M, metadata=BURNED % 300, **RUN), row(1, H, **RUN), [says(OTHER, ("condensed_into", "changed", 3, 1))]),
    "a workout under another identity states no energy": (
        WORKOUT, row(1, H, metadata=BURNED % 300, **RUN), row(1, H, **RUN), [says(OTHER, ("re_identified", "changed", 1, 1))]),
    "a workout changed and states no energy": (WORKOUT, changed(one(0, H, metadata=BURNED % 300, **RUN), one(0, H, **RUN)), [], [says(OTHER)]),
    "a workout changed and states more energy": (WORKOUT, changed(one(0, H, metadata=BURNED % 300, **RUN), one(0, H, metadata=BURNED % 301, **RUN)), [], [says(OTHER)]),
    "1000 and -1000 become 500 and -500 at the same times": (STEPS, row(1, 600, 1000) + row(1, 600, -1000), row(1, 600, 500) + row(1, 600, -500), [says(OTHER, left=(2, 2))]),
    "1000 and then -1000 become 500 and then -500": (STEPS, row(1, 600, 1000) + one(600, 1200, -1000), row(1, 600, 500) + one(600, 1200, -500), [says(OTHER, left=(2, 2))]),
    "1000 and -1000 change into 500 and -500": (STEPS, changed(row(1, 600, 1000), row(1, 600, 500)) + changed(one(600, 1200, -1000), one(600, 1200, -500)), [], [says(OTHER)]),
    "1000 and -1000 become one of 0": (STEPS, row(1, 600, 1000) + one(600, 1200, -1000), one(0, 1200, 0), [says(OTHER, left=(2, 1))]),
    "ten minutes of each hour are missing": (
        STEPS, row(12, 10 * M, 10), one(0, 50 * M, 50) + one(H, H + 50 * M, 50),
        [says(LIKELY, kept("condensed_into", 5, 1)), says(GONE, left=(1, 0))] * 2),
    "ten minutes of each hour are missing within an hour": (STEPS, row(12, 10 * M, 10), one(0, H, 50) + one(H, 2 * H, 50), [says(OTHER, left=(12, 2))]),
    "two weights 40 minutes apart": (MASS, at((0, 70), **PER), at((40 * M, 70.5), **PER), [says(GONE, left=(1, 0)), says(NEW, left=(0, 1))]),
    "two weights of one value 40 minutes apart": (MASS, at((0, 70), **PER), at((40 * M, 70), **PER), [says(GONE, left=(1, 0)), says(NEW, left=(0, 1))]),
    "steps 40 minutes apart": (STEPS, one(0, 300, 100), one(40 * M, 45 * M, 100), [says(GONE, left=(1, 0)), says(NEW, left=(0, 1))]),
    "headaches 40 minutes apart": (
        HEADACHE, one(0, 600, kind="category", category=2), one(40 * M, 50 * M, kind="category", category=2), [says(GONE, left=(1, 0)), says(NEW, left=(0, 1))]),
    "mindful sessions without a value": (MINDFUL, row(4, M, **NONE), row(1, 4 * M, **NONE), [says(LIKELY, kept("condensed_into", 4, 1))]),
    "mindful sessions without a value and with a hole": (MINDFUL, one(0, M, **NONE) + one(3 * M, 4 * M, **NONE), row(1, 4 * M, **NONE), [says(OTHER, left=(2, 1))]),
    "Apple's heart rate": (
        HEART, at(*((index * 30, 127 + index) for index in range(9)), **BPM), one(0, 240, 128, **BPM), [says(UNPROVEN, ("condensed_into", "not_provable", 9, 1))]),
    # Condensed, by each law
    "a minute's records into ten minutes": (STEPS, row(60, M, 10), row(6, 10 * M, 100), [says(LIKELY, kept("condensed_into", 60, 6))]),
    "two into one": (STEPS, row(2, M, 10), row(1, 2 * M, 20), [says(LIKELY, kept("condensed_into", 2, 1))]),
    "one into sixty": (STEPS, row(1, H, 600), row(60, M, 10), [says(SAME, kept("expanded_into", 1, 60))]),
    "a sum within the tolerance": (STEPS, row(60, M, 10), one(0, H, 600.005), [says(LIKELY, kept("condensed_into", 60, 1))]),
    "a sum beyond the tolerance": (STEPS, row(60, M, 10), one(0, H, 600.01), [says(OTHER, left=(60, 1))]),
    "a sum off by one percent": (STEPS, row(60, M, 10), row(6, 10 * M, 99), [says(OTHER, left=(60, 6))]),
    "sums of nothing": (STEPS, row(3, M, 0), row(1, 3 * M, 0), [says(LIKELY, kept("condensed_into", 3, 1))]),
    "kilometres into metres": (DISTANCE, row(4, M, 1, unit="km"), row(1, 4 * M, 4000, unit="m"), [says(LIKELY, kept("condensed_into", 4, 1))]),
    "heart rates of one value": (HEART, at((0, 80), (60, 80), (120, 80), **BPM), one(0, 120, 80, **BPM), [says(LIKELY, kept("condensed_into", 3, 1))]),
    "heart rates and their mean": (HEART, at((0, 60), (60, 80), **BPM), one(0, 60, 70, **BPM), [says(LIKELY, kept("condensed_into", 2, 1))]),
    "heart rates and their mean over time": (HEART, one(0, 600, 60, **BPM) + one(600, 2400, 80, **BPM), one(0, 2400, 75, **BPM), [says(LIKELY, kept("condensed_into", 2, 1))]),
    "heart rates and a figure above all": (HEART, at((0, 60), (60, 80), **BPM), one(0, 60, 81, **BPM), [says(OTHER, left=(2, 1))]),
    "heart rates and the greatest of them": (HEART, at((0, 60), (60, 80), **BPM), one(0, 60, 80, **BPM), [says(UNPROVEN, ("condensed_into", "not_provable", 2, 1))]),
    "one heart rate into two": (HEART, one(0, 60, 66, **BPM), at((0, 60), (60, 80), **BPM), [says(UNPROVEN, ("expanded_into", "not_provable", 1, 2))]),
    "levels of sound and one between": (SOUND, row(1, M, 60, unit="dBASPL") + one(M, 2 * M, 70, unit="dBASPL"), one(0, 2 * M, 65, unit="dBASPL"),
                                        [says(UNPROVEN, ("condensed_into", "not_provable", 2, 1))]),
    "sleep of two stages": (SLEEP, row(4, 900, **CORE) + row(2, 900, begin=H, **DEEP), row(1, H, **CORE) + row(1, 1800, begin=H, **DEEP),
                            [says(LIKELY, kept("condensed_into", 6, 2))]),
    "sleep that becomes another stage": (SLEEP, row(4, 900, **CORE), row(1, H, **DEEP), [says(OTHER, left=(4, 1))]),
    "sleep across midnight": (SLEEP, row(2, 600, begin=DAY - 600, **CORE), one(DAY - 600, DAY + 600, **CORE), [says(OTHER, ("condensed_into", "days_changed", 2, 1))]),
    "workouts that keep their energy": (WORKOUT, row(3, 20 * M, metadata=BURNED % 300, **RUN), row(1, H, metadata=BURNED % 900, **RUN), [says(LIKELY, kept("condensed_into", 3, 1))]),
    "workouts that state nothing": (WORKOUT, row(3, 20 * M, **RUN), row(1, H, **RUN), [says(LIKELY, kept("condensed_into", 3, 1))]),
    "condensed, and entered by hand now": (STEPS, row(10, M, 10), row(1, 600, 100, metadata=ENTERED), [says(SAME, kept("condensed_into", 10, 1))]),
    "condensed, and another app is new at the same time": (STEPS, row(3, M, 10, **ONE), row(1, 3 * M, 30, **ONE) + row(1, 2 * M, 7, **TWO), [says(LIKELY, kept("condensed_into", 3, 1), left=(0, 1))]),
    "two that could both be the whole": (STEPS, row(3, M, 10), row(2, 0, None)[:0] + one(0, 3 * M, 30) + one(0, 3 * M, 30), [says(OPEN, ("ambiguous", None, 3, 2), because=["pairs_ambiguous"])]),
    # Regrouped
    "twelve of five minutes become five of twelve": (STEPS, row(12, 300, 5), row(5, 720, 12), [says(LIKELY, kept("regrouped", 12, 5))]),
    "twelve of five minutes become five of twelve with more": (STEPS, row(12, 300, 5), row(5, 720, 13), [says(OTHER, left=(12, 5))]),
    "five become twelve": (STEPS, row(5, 720, 12), row(12, 300, 5), [says(SAME, kept("regrouped", 5, 12))]),
    "regrouped on both sides of midnight": (STEPS, row(12, 600, 10, begin=DAY - H), row(8, 900, 15, begin=DAY - H), [says(LIKELY, kept("regrouped", 6, 4))] * 2),
    "regrouped across midnight": (
        STEPS, one(DAY - 600, DAY + 120, 12) + one(DAY + 120, DAY + 600, 8), one(DAY - 600, DAY - 120, 8) + one(DAY - 120, DAY + 600, 12),
        [says(OTHER, ("regrouped", "days_changed", 2, 2))]),
    "two that end later than before": (STEPS, row(2, 600, 10), one(0, 900, 15), [says(OTHER, left=(2, 1))]),
    # Under another identity
    "sent again under other identities": (STEPS, row(120, M, 10), row(120, M, 10), [says(SAME, kept("re_identified", 120, 120))]),
    "sent again by another app": (STEPS, row(5, M, 10, **ONE), row(5, M, 10, **TWO), [says(OPEN, ("re_identified", "source_changed", 5, 5), because=["sources_differ"])]),
    "sent again within the same second": (MASS, at((0.25, 70), **PER), at((0.75, 70), **PER), [says(SAME, kept("re_identified", 1, 1))]),
    "sent again, but for one of another app": (STEPS, one(0, 600, 1, **ONE) + one(300, 900, 2, **TWO), one(0, 600, 1, **ONE), [says(GONE, kept("re_identified", 1, 1), left=(1, 0))]),
    # In each other's place
    "a weight that was corrected": (MASS, at((0, 70), **PER), at((0, 71), **PER), [says(OTHER, left=(1, 1))]),
    "another app with the same sum": (STEPS, row(60, M, 10, **ONE), row(6, 10 * M, 100, **TWO), [says(OPEN, left=(60, 6), because=["sources_differ"])]),
    "another app with another sum": (STEPS, row(60, M, 10, **ONE), row(6, 10 * M, 90, **TWO), [says(OTHER, left=(60, 6))]),
    "values that are not there": (STEPS, row(3, M), row(1, 3 * M), [says(OPEN, left=(3, 1), because=["values_missing"])]),
    "some values that are not there": (STEPS, row(3, M), row(1, 3 * M, 30), [says(OPEN, left=(3, 1), because=["values_incomplete"])]),
    "a unit of something else": (STEPS, row(3, M, 10, unit="km"), row(1, 3 * M, 30), [says(OPEN, left=(3, 1), because=["units_differ"])]),
    "routes are counted": (ROUTE, row(10, M, kind="workout_route"), row(1, 600, kind="workout_route"), [says(OTHER, left=(10, 1))]),
    "a route for a route": (ROUTE, one(0, 600, kind="workout_route"), one(300, 900, kind="workout_route"), [says(SAME, left=(1, 1))]),
    # Changed versions
    "metres for kilometres": (DISTANCE, changed(one(0, M, 1.5, unit="km"), one(0, M, 1500, unit="m")), [], [says(SAME)]),
    "another dimension": (STEPS, changed(one(0, M, 5), one(0, M, 5, unit="km")), [], [says(OPEN, because=["units_differ"])]),
    "a value that went": (STEPS, changed(one(0, M, 5), one(0, M)), [], [says(OPEN, because=["values_incomplete"])]),
    "another value": (STEPS, changed(one(0, M, 5), one(0, M, 6)), [], [says(OTHER)]),
    "moved by a minute": (STEPS, changed(one(0, M, 5), one(M, 2 * M, 5)), [], [says(SAME)]),
    "moved to the next day": (STEPS, changed(one(DAY - 600, DAY - 300, 5), one(DAY + 300, DAY + 600, 5)), [], [says(OTHER)]),
    "another stage": (SLEEP, changed(one(0, H, **CORE), one(0, H, **DEEP)), [], [says(OTHER)]),
    "two that cancel each other out": (STEPS, changed(one(0, M, 5), one(0, M, 6)) + changed(one(30, 90, 6), one(30, 90, 5)), [], [says(OTHER)]),
    # New, gone, and where windows end
    "new": (STEPS, [], row(3, M, 10), [says(NEW, left=(0, 3))]),
    "gone": (STEPS, row(3, M, 10), [], [says(GONE, left=(3, 0))]),
    "an hour between": (STEPS, one(0, M, 1) + one(M + H, 2 * M + H, 1), [], [says(GONE, left=(2, 0))]),
    "more than an hour between": (STEPS, one(0, M, 1) + one(M + H + 1, 2 * M + H, 1), [], [says(GONE, left=(1, 0))] * 2),
    "midnight between": (STEPS, one(DAY - M, DAY, 1) + one(DAY, DAY + M, 1), [], [says(GONE, left=(1, 0))] * 2),
    "gone, and new right behind": (STEPS, row(3, M, 10), row(3, M, 10, begin=3 * M), [says(GONE, left=(3, 0)), says(NEW, left=(0, 3))]),
}


class Verdicts(ReportCase):
    def build(self, sample_type, before, after, **options):
        self.archive.unlink(missing_ok=True)
        builder = Builder(self.archive, 2, types=(sample_type,), **options)
        blobs = {}
        for records, first, last in ((before, 1, 2), (after, 2, None)):
            for start, end, value, more, *later in records:
                sample = builder.record(start, end, value, sample_type, first=first, last=last, **self.stored(builder, blobs, more))
                self.put_metadata(builder, blobs, more)
                for start, end, value, more in later:
                    builder.version(sample, start, end, value, first=2, **self.stored(builder, blobs, more))
                    self.put_metadata(builder, blobs, more)
        builder.close()

    @staticmethod
    def stored(builder, blobs, more):
        text = more.get("metadata")
        if text is not None and text not in blobs:
            blobs[text] = len(blobs) + 1
            builder.insert("metadata_blobs", blobs[text], "%064x" % blobs[text], text)
        return {name: value for name, value in more.items() if name != "metadata"}

    @staticmethod
    def put_metadata(builder, blobs, more):
        if "metadata" in more:
            builder.connection.execute("UPDATE sample_versions SET metadata_id = ? WHERE id = ?", (blobs[more["metadata"]], builder.versions))

    @staticmethod
    def said(item):
        replaced = [(entry["pair"], entry.get("outcome"), entry["before_count"], entry["after_count"]) for entry in item.get("replaced", ())]
        left = item.get("left_over", {"before_count": 0, "after_count": 0})
        return {"label": item["label"], "reasons": item.get("reasons", []), "replaced": sorted(replaced), "left": (left["before_count"], left["after_count"])}

    def test_each_window_has_the_verdict_that_was_worked_out_by_hand(self):
        self.assertGreaterEqual(sum(len(windows) for *_, windows in CASES.values()), 60)
        for name, (sample_type, before, after, windows) in CASES.items():
            with self.subTest(case=name):
                self.build(sample_type, before, after)
                items = self.items("diff_summary", from_=1, at=2)
                self.assertEqual([self.said(item) for item in items if "label" in item], windows)
                self.assert_sums(items)
                for kind in ("diff_summary", "pair_report", "diff_report"):
                    self.assert_same(kind, from_=1, at=2, containers=["jsonl"])

    def assert_sums(self, items):
        """Of a type and of all, what is replaced and left over is the sum of its windows, and comes to the changes."""
        for item in items:
            counts = [0, 0]
            for entry in [*item.get("replaced", ()), item.get("left_over", {"before_count": 0, "after_count": 0})]:
                counts = [counts[0] + entry["before_count"], counts[1] + entry["after_count"]]
            self.assertEqual(counts, [item["disappeared_count"], item["appeared_count"]])

    def test_what_is_not_complete_is_uncertain_and_its_pairs_are_told(self):
        self.build(STEPS, row(60, M, 10), row(6, 10 * M, 100), runs={(2, STEPS): "partial"})
        found = [self.said(item) for item in self.items("diff_summary", from_=1, at=2) if "label" in item]
        self.assertEqual(found, [says(OPEN, kept("condensed_into", 60, 6), because=["to_run_not_completed"])])

    def test_backwards_the_sides_are_exchanged(self):
        for name in ("a minute's records into ten minutes", "Apple's heart rate", "condensed across midnight", "twelve of five minutes become five of twelve"):
            sample_type, before, after, _ = CASES[name]
            self.build(sample_type, before, after)
            forward, backward = ([self.said(item) for item in self.items("diff_summary", from_=one, at=two) if "label" in item] for one, two in ((1, 2), (2, 1)))
            other = {"condensed_into": "expanded_into"}
            self.assertEqual([sorted((other.get(pair, pair), outcome, after, before) for pair, outcome, before, after in window["replaced"]) for window in forward],
                             [window["replaced"] for window in backward])


if __name__ == "__main__":
    unittest.main()
