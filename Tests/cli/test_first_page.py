"""hp-export report of an observation that has none before it: the page says what there is, and on which days."""

import datetime
import json
import random
import re

from archive_builder import STEPS, Builder
from report_support import ReportCase
from support import hp_export, hp_verify
from test_page import Reading, parts

HEART, SLEEP, WORKOUT = "HKQuantityTypeIdentifierHeartRate", "HKCategoryTypeIdentifierSleepAnalysis", "HKWorkoutTypeIdentifier"
HOUR, DAY = 3600, 86400
FIRST = datetime.date(2001, 1, 1)


class FirstPage(ReportCase):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "first.html"

    def lines(self, *options):
        """The header and the items of the page."""
        self.assert_good(hp_export("report", self.archive, "-o", self.page, "--quiet", "--force", *options))
        read, lines = parts(self.page.read_bytes())
        self.assertIn(b"<main>", read)
        values = [json.loads(line) for line in lines.splitlines()]
        return values[0]["export"], [value["item"] for value in values if "item" in value]

    def archive_of(self, starts, observations=1, types=(STEPS, HEART, SLEEP)):
        """An archive whose last observation is far behind the records, which are (type, start, length, value)."""
        builder = Builder(self.archive, observations, types)
        builder.connection.execute("UPDATE observations SET observed_at = observed_at + ?", (1200 * DAY,))
        for kind, start, length, value in starts:
            more = {"kind": "category", "category": value} if kind == SLEEP else {"unit": "count" if kind == STEPS else "count/min"}
            builder.record(start, start + length, None if kind == SLEEP else value, kind, **more)
        builder.close()

    def test_days_of_random_histories_are_those_of_their_records(self):
        for seed in range(4):
            with self.subTest(seed=seed):
                chance = random.Random(seed)
                records = [(STEPS, chance.randrange(1100) * DAY + chance.randrange(DAY), 60, 5) for _ in range(1500)]
                # A day with ten, one with a hundred, and a leap day.
                records += [(HEART, 1154 * DAY + index, 0, 60) for index in range(10)] + [(HEART, 7 * DAY + index, 0, 60) for index in range(100)]
                self.archive.unlink(missing_ok=True)
                self.archive_of(records)
                header, items = self.lines()
                self.assertEqual((header["scope"]["from_observation_id"], header["scope"]["observation_id"]), (1, 1))
                for item in items[1:]:
                    counts = {}
                    for kind, start, _, _ in records:
                        if kind == item.get("sample_type") and "standing" in item:
                            date = FIRST + datetime.timedelta(days=start // DAY)
                            counts.setdefault("%04d" % date.year, {}).setdefault(date, 0)
                            counts["%04d" % date.year][date] += 1
                    expected = []
                    for year, days in sorted(counts.items()):
                        first = datetime.date(int(year), 1, 1)
                        length = (datetime.date(int(year) + 1, 1, 1) - first).days
                        digits = "".join("%d" % (len(str(found)) if found else 0) for found in (days.get(first + datetime.timedelta(days=place), 0) for place in range(length)))
                        expected.append({"day_count": len(days), "days": digits, "record_count": sum(days.values()), "year": year})
                    self.assertEqual(item.get("years", []), expected)
                self.assertEqual((items[0]["first_date"], items[0]["last_date"]), tuple(
                    str(FIRST + datetime.timedelta(days=edge // DAY)) for edge in (min(start for _, start, _, _ in records), max(start + length for _, start, length, _ in records))))

    def test_the_page_verifies_is_recorded_and_reproduced(self):
        self.archive_of([(STEPS, index * DAY, 60, 5) for index in range(20)])
        self.lines()
        self.assertIn(b"matches the archive", hp_verify("bundle", self.page, "--archive", self.archive).out)
        self.assert_good(hp_verify("reproduce", self.archive))

    def test_its_heading_is_the_first_line_of_the_summary(self):
        self.archive_of([(STEPS, index * DAY, 60, 5) for index in range(20)] + [(HEART, 0, 0, 60)])
        self.lines()
        heading = re.search("<h1>(.*?)</h1>", self.page.read_text()).group(1).replace("\u202f", ",")
        self.assertEqual(heading, hp_export("diff", self.archive, "--summary").out.decode().splitlines()[0])
        self.assertEqual(heading, "First observation: 21 records of 2 types, 1 to 20 Jan 2001.")

    def test_stretches_without_a_record(self):
        """Steps of 30 days without the 4th and 5th, and without the 10th; two heart rates are too few to miss one."""
        self.archive_of([(STEPS, index * DAY, 60, 5) for index in range(30) if index not in (3, 4, 9)] + [(HEART, 0, 0, 60), (HEART, 9 * DAY, 0, 60)])
        self.lines()
        text = Reading(self.page.read_text()).text
        self.assertIn("Step count: no record 4 to 5 January 2001 (2 days)", text)
        self.assertIn("Step count: no record since the last one, 31 January 2001 to", text)
        self.assertEqual(text.count(": no record "), 2)

    def test_nights_by_month(self):
        # Two nights of eight and six hours in bed and asleep, and a nap; the second in February.
        self.archive_of([(SLEEP, 22 * HOUR, 8 * HOUR, 3), (SLEEP, 31 * DAY + 22 * HOUR, 6 * HOUR, 3), (SLEEP, 5 * DAY + 13 * HOUR, HOUR, 3)])
        _, items = self.lines()
        self.assertEqual(items[0]["nights"], [
            {"asleep_day_count": 1, "asleep_seconds": 8 * HOUR, "date": "2001-01", "nap_count": 1, "night_count": 1},
            {"asleep_day_count": 1, "asleep_seconds": 6 * HOUR, "date": "2001-02", "nap_count": 0, "night_count": 1}])
        tables = Reading(self.page.read_text()).tables
        rows = next(rows for caption, rows in tables.items() if caption.startswith("Nights"))
        self.assertEqual(rows[1:], [["2001-02", "1", "6 h 0 min", "0"], ["2001-01", "1", "8 h 0 min", "1"]])

    def test_an_observation_with_none_before_it_and_one_with(self):
        self.archive_of([(STEPS, 0, 60, 5)], observations=2)
        self.lines("--to", "1")
        self.assertIn("First observation:", self.page.read_text())
        header, items = self.lines()
        self.assertEqual(header["scope"]["from_observation_id"], 1)
        self.assertNotIn("years", items[1])
        self.lines("--from", "2", "--to", "2")
        self.assertIn("<h1>Observation 2: 1 record of 1 type", self.page.read_text())
        self.assertNotIn("Nothing to compare yet", self.page.read_text())

    def test_a_selection_and_an_archive_without_records(self):
        self.archive_of([(STEPS, 0, 60, 5), (HEART, 0, 0, 60)])
        _, items = self.lines("--type", "StepCount")
        self.assertEqual([item.get("sample_type") for item in items if "years" in item], [STEPS])
        self.assertIn("<h1>In this selection: First observation: 1 record of 1 type", self.page.read_text())
        self.archive.unlink()
        self.archive_of([])
        self.lines()
        self.assertIn("0 records of 0 types", self.page.read_text())
        self.assert_good(hp_verify("bundle", self.page))

    def test_years_that_do_not_fit_are_counted(self):
        """41 types with records in each of ten years: 40 have their years, the last has none."""
        types = tuple("com.example.type%02d" % number for number in range(41))
        builder = Builder(self.archive, 1, types)
        for name in types:
            for year in range(10):
                builder.record(year * 365.25 * DAY, year * 365.25 * DAY + 60, 1, name)
        builder.close()
        _, items = self.lines()
        self.assertEqual(sum("years" in item for item in items), 40)
        self.assertIn("1 more type has no days here", Reading(self.page.read_text()).text)
        self.assertLess(len(self.page.read_bytes()), 2_000_000)

    def test_a_page_to_share_has_days_and_no_names(self):
        self.archive_of([(STEPS, index * DAY, 60, 5) for index in range(20)] + [(SLEEP, 22 * HOUR, 8 * HOUR, 3)])
        self.lines()
        whole = Reading(self.page.read_text()).text
        self.assertIn("com.example.one", whole)
        self.assert_good(hp_export("report", self.archive, "-o", self.page, "--quiet", "--force", "--share"))
        text = self.page.read_text()
        for name in ("com.example.one", "8 h 0 min", "another product"):
            self.assertNotIn(name, text)
        self.assertIn("2001: 20 records on 20 days", text)
        self.assertEqual(text.count("Days with records of 2001"), 2)
