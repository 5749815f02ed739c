"""Sums and maxima of aggregates: in the canonical unit of their type, and as stored in archives of engines that state no rules."""

import datetime
import json
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest
import zoneinfo

from capture_support import STEPS, CaptureCase, feed, findings, observation, sample, type_run
from support import ROOT, database, execute, hp_export, hp_verify

SUMMARIES = "SELECT type_identifier, value_sum, value_max FROM observation_type_summaries s JOIN sample_types t ON t.id = sample_type_id WHERE observation_id = (SELECT max(id) FROM observations)"
# Type, values with units, sum and maximum by identity rules, and where an archive states none. Worked by hand from the definitions of the units.
CASES = [
    ("DistanceCycling", [(1.5, "km"), (250, "m"), (1, "mi")], (3359.344, 1609.344), (252.5, 250)),
    ("ActiveEnergyBurned", [(418.4, "kJ"), (2, "Cal"), (3, "kcal")], (105, 100), (423.4, 418.4)),
    ("DietaryIron", [(1, "g"), (500, "mg"), (250000, "mcg")], (1.75, 1), (250501, 250000)),
    ("BodyTemperature", [(98.6, "degF"), (36.5, "degC")], (None, 37), (135.1, 98.6)),
    ("BodyMass", [(10, "st"), (60, "kg")], (None, 63.5029318), (70, 60)),
    ("BloodGlucose", [(10, "mmol<180.1558800000541>/L"), (90, "mg/dL")], (None, 10.0 * 1801558800000541.0 / 1e14), (100, 90)),
    ("HeartRate", [(1.5, "count/s"), (60, "count/min")], (None, 90), (61.5, 60)),
    ("StepCount", [(5, "count"), (7, "kg")], (None, None), (12, 7)),
    ("FlightsClimbed", [(5, "count"), (7, None)], (None, None), (12, 7)),
    ("OfTheFuture", [(5, "count")], (None, None), (5, 5)),
]


def feed_of(day, cases, **changes):
    runs = []
    for number, (name, values, *_) in enumerate(cases):
        name = "HKQuantityTypeIdentifier" + name
        runs.append(type_run([sample(number * 10 + place, place * 60, value, sample_type=name, unit=unit) for place, (value, unit) in enumerate(values)], sample_type=name, first_page=number + 1))
    return observation(day, *runs, **changes)


class Aggregates(CaptureCase):
    def summaries(self):
        return {name.removeprefix("HKQuantityTypeIdentifier"): tuple(values) for name, *values in self.rows(SUMMARIES)}

    def test_values_are_in_the_canonical_unit(self):
        self.assertEqual(self.both("--feed", feed(feed_of(1, CASES))).status, 0)
        self.assertEqual(self.summaries(), {name: expected for name, _, expected, _ in CASES})
        self.assertEqual(findings(self.archive), [])
        # The entry of the first observation commits to the rules.
        self.assertEqual(hp_verify("archive", self.archive, "--skip", "history").status, 0)

    def test_a_value_that_goes_makes_the_others_comparable_again(self):
        self.assertEqual(self.both("--feed", feed(feed_of(1, CASES), feed_of(2, [("StepCount", [(5, "count")]), *CASES[:7]]))).status, 0)
        self.assertEqual(self.summaries()["StepCount"], (5, 5))
        # The entry of the first observation commits to the rules.
        self.assertEqual(hp_verify("archive", self.archive, "--skip", "history").status, 0)

    def test_another_unit_in_an_aggregate_is_found(self):
        self.assertEqual(self.both("--feed", feed(feed_of(1, CASES))).status, 0)
        execute(self.archive, "UPDATE observation_type_summaries SET value_sum = 252.5 WHERE value_sum = 3359.344",
                "UPDATE daily_type_aggregates SET value_max = 250 WHERE value_max = 1609.344")
        codes = {finding["code"] for finding in json.loads(hp_verify("archive", self.archive, "--json").out)["findings"]}
        self.assertEqual(codes, {"aggregates.summary", "aggregates.bucket", "aggregates.hash"})
        self.assertEqual(hp_export("repair", self.archive, "--aggregates").status, 0)
        self.assertEqual(self.summaries(), {name: expected for name, _, expected, _ in CASES})

    def test_an_archive_that_states_no_rules_has_values_as_they_are_stored(self):
        self.assertEqual(self.both("--feed", feed(feed_of(1, []))).status, 0)
        for archive in (self.archive, self.plain):
            execute(archive, "DELETE FROM archive_metadata WHERE key = 'identity_rules'")
        self.assertEqual(self.both("--feed", feed(feed_of(2, CASES))).status, 0)
        self.assertEqual(self.summaries(), {name: expected for name, *_, expected in CASES})
        # The entry of the first observation commits to the rules.
        self.assertEqual(hp_verify("archive", self.archive, "--skip", "history").status, 0)


class Months(CaptureCase):
    """The query of Spec/capture.md, "Aggregates", beside the records themselves, their months worked out with zoneinfo."""

    def query(self):
        page = (ROOT / "Spec" / "capture.md").read_text("utf-8")
        return "".join(line + "\n" for line in page.split("A **month** has no rows")[1].split("\n\n")[1].splitlines())

    def months(self, zone, observation, zone_since=1):
        found = {}
        for month in range(1, 13):
            since, until = (datetime.datetime(2024 + place // 12, place % 12 + 1, 1, tzinfo=zone).timestamp() for place in (month - 1, month))
            with database(self.archive) as connection:
                rows = connection.execute(self.query(), {"since": since, "until": until, "zone_since": zone_since, "chain": 1, "observation": observation}).fetchall()
            found.update({(month, sample_type): tuple(values) for sample_type, *values in rows})
        return found

    def expected(self, zone, visible):
        found = {}
        for start, value in visible:
            count, total, most = found.get((datetime.datetime.fromtimestamp(start, zone).month, 1), (0, 0, 0))
            found[datetime.datetime.fromtimestamp(start, zone).month, 1] = (count + 1, total + value, max(most, value))
        return found

    def test_a_month_is_read_from_its_days(self):
        """Records around the turns of months, also where the clocks change, over observations that add, change and remove some."""
        zone, chance = zoneinfo.ZoneInfo("Europe/Bucharest"), random.Random(4)
        visible = {}
        for day in range(1, 6):
            for number in chance.sample(range(40), 25):
                month = chance.randint(1, 12)
                turn = datetime.datetime(2024, month, 1, tzinfo=zone).timestamp()
                if number in visible and chance.random() < 0.3:
                    del visible[number]
                else:
                    visible[number] = (turn + chance.choice([-3601, -1, 0, 1, 3600, 86400 * 12]), chance.randint(1, 50))
            stamp = lambda seconds: datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            lines = [sample(number, 0, value, sample_type=STEPS, unit="count", start_date=stamp(start), end_date=stamp(start)) for number, (start, value) in sorted(visible.items())]
            self.assertEqual(self.both("--feed", feed(observation(day, type_run(lines, sample_type=STEPS), time_zone_identifier="Europe/Bucharest"))).status, 0)
            in_2024 = [pair for pair in visible.values() if datetime.datetime.fromtimestamp(pair[0], zone).year == 2024]
            self.assertEqual(self.months(zone, day), self.expected(zone, in_2024))

    def test_days_by_an_offset_are_counted(self):
        def captured(day, **zone):
            lines = [sample(day * 10 + number, 60 * number, sample_type=STEPS, unit="count") for number in (0, 1, 23)]
            result = self.hp_capture("--feed", self.written(feed(observation(day, type_run(lines, sample_type=STEPS), **zone))), "--json")
            return json.loads(result.out)["observations"][0]["days_by_offset"], "days go by the offset" in result.err
        self.assertEqual(captured(1, time_zone_seconds_from_gmt=7200), (2, True))
        self.assertEqual(captured(2, time_zone_seconds_from_gmt=7200, time_zone_identifier="Europe/Bucharest"), (0, False))
        self.assertEqual(captured(3, time_zone_seconds_from_gmt=0), (0, False))


class Table(unittest.TestCase):
    def test_the_table_in_the_sources_is_that_of_the_specification(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        with tempfile.TemporaryDirectory() as name:
            copy = pathlib.Path(name)
            (copy / "Sources/Measures").mkdir(parents=True)
            for part in ("Scripts", "Spec"):
                shutil.copytree(root / part, copy / part)
            subprocess.run([copy / "Scripts/generate-measures"], check=True)
            for table in ("Sources/Measures/MeasureTable.swift", "Sources/Measures/NameTable.swift", "Sources/Measures/ValueTable.swift"):
                self.assertEqual((copy / table).read_text("utf-8"), (root / table).read_text("utf-8"))


if __name__ == "__main__":
    unittest.main()
