"""Everything that hp-export diff says of random histories: windows, measures, labels, changes, pairs and findings as the plain reference has them, byte for byte."""

import json
import os
import random
import unittest

from report_support import CHANGES, CONTAINERS, Archive, reference, ReportCase
from archive_builder import DAY, STEPS, Builder
from support import takes_long

HOUR = 3600
HEART, SOUND, MASS, ENERGY, DISTANCE, RESTING = ("HKQuantityTypeIdentifier" + name for name in (
    "HeartRate", "EnvironmentalAudioExposure", "BodyMass", "ActiveEnergyBurned", "DistanceWalkingRunning", "RestingHeartRate"))
SLEEP, WORKOUT, OTHER = "HKCategoryTypeIdentifierSleepAnalysis", "HKWorkoutTypeIdentifier", "com.example.unheard"
UNITS = {STEPS: ["count"], HEART: ["count/min", "count/s"], SOUND: ["dBASPL"], MASS: ["kg", "lb", "g"], ENERGY: ["kcal", "Cal", "kJ"],
         DISTANCE: ["km", "m", "mi"], RESTING: ["count/min"]}
METADATA = [None, None, '{"HKWasUserEntered": 0}', {"HKWasUserEntered": True}, {"HKWasUserEntered": 1}, {"HKMetadataKeyHeartRateMotionContext": 2, "k": [1]},
            {"HKIndoorWorkout": {"HKIndoorWorkout": 1}, "HKVO2MaxTestType": "a\u00e9"}]
LABELS = list(reference.comparisons.LABELS)
ZONES = [(None, None), ("Europe/Bucharest", None), ("America/Sao_Paulo", None), (None, 50400), (None, -3600)]


class Windows(ReportCase):
    """Small archives in which stretches of records are condensed, split, sent again, lost and found; a failure names its number."""

    COUNT = int(os.environ.get("HP_HISTORIES", "60"))

    def build(self, chance):
        self.archive.unlink(missing_ok=True)
        types = chance.sample([*UNITS, SLEEP, WORKOUT, OTHER], chance.randint(1, 3))
        statuses = {(n, name): chance.choice(["completed"] * 12 + ["partial", "unauthorized", None]) for n in (1, 2, 3) for name in types}
        builder = Builder(self.archive, 3, types=types, runs=statuses)
        zone = chance.choice(ZONES)
        builder.connection.execute("UPDATE observations SET time_zone_identifier = ?, time_zone_seconds_from_gmt = ?, observed_at = observed_at + ?",
                                   (*zone, chance.choice([0, 0, 120 * DAY])))
        for number, value in enumerate(METADATA):
            if value is not None:
                builder.insert("metadata_blobs", number, "%064x" % number, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        for name in types:
            for _ in range(chance.randint(1, 4)):
                self.stretch(chance, builder, name)
        builder.close()

    def stretch(self, chance, builder, name):
        """Records of one length in a row, seen by some observations, and perhaps others in their place later."""
        begin = chance.choice([0, 0, 20 * HOUR, 23.5 * HOUR, 30 * HOUR, 50 * HOUR]) + chance.choice([0, 30, 1800])
        whole, fates = chance.choice([600, 3000, 5400, 7200, 30000]), chance.choice(["kept", "lost", "new", "condensed", "split", "again", "moved", "changed"])
        parts = chance.choice([1, 2, 5, 12])
        life = {"kept": [(1, None)], "lost": [(1, 2)], "new": [(2, None)]}.get(fates, [(1, 2), (2, None)])
        if chance.random() < 0.2:
            life = [(first, 3 if last is None else last) for first, last in life]
        length = chance.choice([0, whole / parts, whole / parts * chance.choice([0.5, 0.9, 1.1])])
        value = chance.choice([60, 70, 80.5, 0, 300])
        for turn, (first, last) in enumerate(life):
            count = {("condensed", 1): 1, ("split", 0): 1}.get((fates, turn), parts)
            size = {("condensed", 1): whole, ("split", 0): whole}.get((fates, turn), length)
            factor = parts / count if name in (STEPS, ENERGY, DISTANCE) else 1
            holes = chance.random() < 0.2
            for index in range(count):
                if holes and index % 5 == 2:
                    continue
                start = begin + index * whole / count + (chance.choice([60, 7200]) if fates == "moved" and turn else 0)
                self.record(chance, builder, name, start, start + size, value * factor + chance.choice([0, 0, 0, index]), first, last)
            if fates == "changed" and turn == 0:
                return self.versions(chance, builder, name, begin, whole)

    def versions(self, chance, builder, name, begin, whole):
        """A sample whose version became another, or one of several."""
        sample = self.record(chance, builder, name, begin, begin + whole, 60, 1, 2)
        for _ in range(chance.choice([1, 1, 2])):
            builder.version(sample, begin + chance.choice([0, 600]), begin + whole, chance.choice([60, 61, None]), first=2, unit=chance.choice(UNITS.get(name, ["count"])))

    def record(self, chance, builder, name, start, end, value, first, last):
        others = {"bundle": chance.choice(["com.example.one"] * 9 + [None, "com.example.two"]), "first": first, "last": last,
                  "semantic": chance.choice([None, None, "%064x" % int(start // 600 if start < 1e9 else 0)])}
        if chance.random() < 0.02:
            end = start - 60
        if chance.random() < 0.01:
            start = 1e15
        if name in (SLEEP, WORKOUT, OTHER):
            sample = builder.record(start, end, None, name, kind="other", category=chance.choice([1, 1, 1, 2, None]), **others)
            if name == WORKOUT:
                builder.connection.execute("UPDATE sample_versions SET workout_activity_type = ?, category_value = NULL, duration_seconds = ? WHERE id = ?", (
                    chance.choice([37, 37, 13]), chance.choice([None, 600, 600.5]), builder.versions))
        else:
            unit = UNITS[name][0] if chance.random() < 0.9 else chance.choice(UNITS[name] + ["stone"])
            sample = builder.record(start, end, None if chance.random() < 0.02 else value, name, unit=unit, **others)
        if chance.random() < 0.2:
            number = chance.randrange(len(METADATA))
            builder.connection.execute("UPDATE sample_versions SET metadata_id = ? WHERE id = ?", (number if METADATA[number] is not None else None, builder.versions))
        if chance.random() < 0.1:  # what it says is what another record says
            builder.connection.execute("UPDATE sample_versions SET payload_hash = ? WHERE id = ?", ("%064x" % chance.randint(1, builder.versions), builder.versions))
        return sample

    @takes_long
    def test_random_histories(self):
        for number in range(int(os.environ.get("HP_FIRST", "0")), int(os.environ.get("HP_FIRST", "0")) + self.COUNT):
            with self.subTest(history=number):
                chance = random.Random(number)
                self.build(chance)
                options, given = [], {}
                for name, values in (("window_gap_seconds", [60, 600, 7200]), ("window_bound_days", [2, 7])):
                    if chance.random() < 0.3:
                        given[name] = chance.choice(values)
                        options += ["--threshold", "%s=%s" % (name, given[name])]
                from_, to = chance.choice([(1, 2), (1, 2), (2, 3), (1, 3), (2, 1), (3, 1)])
                archive = Archive(str(self.archive))

                def same(kind, *options, **others):
                    self.assert_same(kind, *options, archive=archive, from_=from_, at=to, containers=[chance.choice(list(CONTAINERS))], **others)

                same("diff_summary", *options, thresholds=given)
                same("diff_report")
                same("change_set", kinds=chance.sample(sorted(CHANGES), chance.randint(1, 3)), labels=chance.sample(LABELS, chance.randint(1, 3)))
                same("pair_report")
                late, days = chance.choice([0, DAY, 604800]), chance.choice([1, 7])
                same("finding_report", "--threshold", "late_arrival_seconds=%d" % late, "--threshold", "current_days=%d" % days, "--threshold", "minimum_days=1",
                     thresholds={"late_arrival_seconds": late, "current_days": days, "minimum_days": 1})


if __name__ == "__main__":
    unittest.main()
