"""What a page draws, and how much of it: bars and strips against whole units computed here, heads of numbers, and the windows that are left out."""

import html.parser
import json
import re
import unittest

import test_page
from report_support import hp_report, ReportCase
from archive_builder import DAY, Builder
from support import hp_export

TEMPERATURE = "HKQuantityTypeIdentifierWaterTemperature"
MONTHS = [0, 31, 120]  # days of January, February and May 2001


class Drawings(html.parser.HTMLParser):
    """The SVG elements of a page: width and height of each, and its rectangles as (class, x, y, width, height)."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "svg":
            self.found.append((tuple(map(int, attributes["viewbox"].split()))[2:], []))
        elif tag == "rect":
            self.found[-1][1].append((attributes["class"], *(int(attributes[name]) for name in ("x", "y", "width", "height"))))


class Charts(ReportCase):
    def report(self):
        self.assert_good(hp_export("report", self.archive, "-o", self.folder / "report.html", "--no-record", "--force", "--quiet"))
        self.page = (self.folder / "report.html").read_bytes()
        self.items = [json.loads(line)["item"] for line in test_page.parts(self.page)[1].splitlines()[1:-1]]
        # The charts of boxes have no rectangles.
        drawings = [drawing for drawing in Drawings(test_page.parts(self.page)[0].decode()).found if drawing[1]]
        for (width, height), rectangles in drawings:
            for name, x, y, across, down in rectangles:
                self.assertTrue(0 <= x and x + across <= width and 0 <= y and y + down <= height, (width, height, name, x, y, across, down))
        return drawings

    def test_bars_of_none_few_and_many(self):
        builder = Builder(self.archive, 4)
        builder.records(1, 60, 1, first=2)
        builder.records(149, 60, 1, begin=3600, first=3)
        builder.records(150, 60, 1, begin=86_400, first=4)
        builder.close()
        (width, height), bars = self.report()[-1]
        counts = [each["record_count"] for each in self.items[0]["observations"]]
        self.assertEqual(counts, [0, 1, 150, 300])
        expected = [0, 1, 50, 100]
        self.assertEqual([bar[4] for bar in bars], expected)
        self.assertEqual([bar[2] for bar in bars], [height - size for size in expected])
        step = width // 4
        self.assertEqual([bar[1] // step for bar in bars], [0, 1, 2, 3])

    def test_a_strip_has_values_below_zero_and_a_gap(self):
        """Before and after, from the line of zero; months without a record have their place."""
        sides = [(-10, 5), (20, -5), (2.5, 10)]
        builder = Builder(self.archive, 2, types=(TEMPERATURE,))
        for day, (before, after) in zip(MONTHS, sides):
            builder.record(day * DAY, day * DAY + 60, before, TEMPERATURE, last=2, unit="degC")
            builder.record(day * DAY, day * DAY + 60, after, TEMPERATURE, first=2, unit="degC")
        builder.close()
        (width, height), rectangles = self.report()[0]
        strip, = (item["strip"] for item in self.items if "strip" in item)
        self.assertEqual([(month["start"][:7], month["before_value"], month["after_value"]) for month in strip],
                         [(month, *side) for month, side in zip(("2001-01", "2001-02", "2001-05"), sides)])
        # From 20 down to -10 in the height between two lines of one unit.
        place = lambda value: round((20 - value) / 30 * (height - 2))
        expected = []
        for before, after in sides:
            for name, value in (("was", before), ("bar", after)):
                top, bottom = sorted((place(value), place(0)))
                expected.append((name, top + 1, bottom - top))
        self.assertEqual([(name, y, down) for name, _, y, _, down in rectangles], expected)
        # January to May are five steps, and each side stands in the middle of its own.
        self.assertEqual(width % 5, 0)
        step = width // 5
        self.assertEqual([x // step for _, x, _, _, _ in rectangles], [0, 0, 1, 1, 4, 4])
        self.assertEqual([2 * x % (2 * step) + across for _, x, _, across, _ in rectangles], [step] * 6)

    def test_heads_of_numbers_stand_over_them(self):
        builder = Builder(self.archive, 2)
        builder.records(3, 60, 1, last=2)
        builder.close()
        self.report()
        tables = re.findall(r"<thead>(.*?)</thead>\n<tbody>\n(?:<tr><th scope=.rowgroup.*?</tr>\n)?<tr>(.*?)</tr>", test_page.parts(self.page)[0].decode(), re.DOTALL)
        self.assertGreater(len(tables), 3)
        heads, cells = ([["n" in (re.search(r'class="([^"]*)"', cell) or [None, ""])[1].split() for cell in re.findall(r"<t[hd][^>]*>", table[side])] for table in tables] for side in (0, 1))
        self.assertEqual(heads, cells)
        self.assertTrue(any(map(any, cells)))

    # Windows

    def windows(self, *counts):
        """Windows of a day, ten days from each other, with so many records of which each (lost, appeared); how many are said not to be shown."""
        self.archive.unlink(missing_ok=True)
        builder = Builder(self.archive, 2)
        for number, (lost, appeared) in enumerate(counts):
            builder.records(lost, 60, 1, begin=number * 10 * DAY, last=2)
            builder.records(appeared, 60, 2, begin=number * 10 * DAY + 3600, first=2)
        builder.close()
        self.report()
        found = re.search(r"(\d+) more windows? (?:is|are) not shown", test_page.Reading(self.page.decode()).text)
        return int(found[1]) if found else 0

    def test_one_window_more_than_is_shown(self):
        shown = 400 - self.windows(*[(1, 0)] * 400)
        self.assertEqual(shown, 200)
        self.assertEqual(self.windows(*[(1, 0)] * shown), 0)
        self.assertEqual(self.windows(*[(1, 0)] * (shown + 1)), 1)
        self.assertIn(b"1 more window is not shown", self.page)

    def test_of_windows_with_equal_losses_those_in_which_more_appeared_are_kept(self):
        self.windows(*[(number % 2, 1 + number * 7 % 5) for number in range(700)])
        every = self.items_of_the_summary()
        windows = [index for index, item in enumerate(every) if "label" in item]
        # A record that is gone, and those that appeared beside it, are in windows of their own.
        self.assertEqual(len(windows), 700 + 350)
        kept = [(item["window_start"], item["disappeared_count"], item["appeared_count"]) for item in self.items if "label" in item]
        self.assertTrue(100 < len(kept) < len(windows), len(kept))
        weight = lambda index: (-every[index]["disappeared_count"] - every[index]["representation_changed_count"], -every[index]["appeared_count"], index)
        expected = sorted(sorted(windows, key=weight)[:len(kept)])
        self.assertEqual(kept, [(every[index]["window_start"], every[index]["disappeared_count"], every[index]["appeared_count"]) for index in expected])

    def items_of_the_summary(self):
        result = self.assert_good(hp_report(self.archive, "diff_summary", "--format", "jsonl", "-o", "-", "--no-record", "--quiet"))
        return [json.loads(line)["item"] for line in result.out.splitlines()[1:-1]]


class BoxCharts(ReportCase):
    """The charts of the box of a stretch: day -10 to -6 of records that are gone, 14 days on each side; the later observation is of day 2."""

    def drawings(self):
        self.assert_good(hp_export("report", self.archive, "-o", self.folder / "report.html", "--no-record", "--force", "--quiet"))
        page = test_page.parts((self.folder / "report.html").read_bytes())[0].decode()
        return re.findall(r'<div class="chart">.*?</div>', page, re.DOTALL)

    @staticmethod
    def texts(drawing):
        return re.findall(r"<text( class=[^ ]*)? x=.(\d+). y=.\d+.>(.*?)</text>", drawing)

    def test_each_sign_stands_under_its_day(self):
        builder = Builder(self.archive, 2)
        for day in range(-30, 3):
            if day == -12:
                continue
            lost = -10 <= day <= -6
            builder.record(day * DAY + 3600, day * DAY + 3660, 0 if day in (-14, 0) else 7, last=2 if lost else None)
        builder.close()
        days, months = self.drawings()
        # 33 bars from day -24 to day 8, 9 units each: nothing is known after day 2, and of that day a part.
        signs = {int(x) // 9 - 24: sign for name, x, sign in self.texts(days) if not name}
        expected = {day: "–" for day in (-12, *range(-10, -5))} | {-14: "0", 0: "0", 2: "½"} | {day: "?" for day in range(3, 9)}
        self.assertEqual(signs, expected)
        self.assertEqual([text for name, _, text in self.texts(days) if name], ["8 Dec 2000", "9 Jan 2001"])
        self.assertEqual([text for name, _, text in self.texts(months) if name], ["2000-02", "2001-01"])

    def test_means_are_dots_on_lines_and_stand_below_zero(self):
        builder = Builder(self.archive, 2, types=(TEMPERATURE,))
        value = lambda day: -20 + day % 7
        for day in range(-30, 3):
            lost = -10 <= day <= -6
            for place, more in enumerate((-3, 1)):
                start = day * DAY + 3600 * (place + 1)
                builder.record(start, start + 60, value(day) + more, TEMPERATURE, last=2 if lost else None, unit="degC")
        builder.close()
        days, months = self.drawings()
        shown = [day for day in range(-24, 3)]
        low = min(map(value, shown)) - 3
        place = lambda number: round(number / low * 72) + 4
        sides = {name: [(int(x), int(y)) for x, y in re.findall(r'<circle class="%s" cx="(\d+)" cy="(\d+)"' % name, days)] for name in ("was", "now")}
        for name, off in (("was", 2), ("now", 7)):
            left = [day for day in shown if name == "was" or not -10 <= day <= -6]
            self.assertEqual(sides[name], [((day + 24) * 9 + off, place(value(day) - 1)) for day in left], name)
        lines = re.findall(r'<path class="range" d="M(\d+) (\d+)V(\d+)">', days)
        self.assertEqual([tuple(map(int, line)) for line in lines if int(line[0]) % 9 == 2], [((day + 24) * 9 + 2, place(value(day) + 1), place(value(day) - 3)) for day in shown])
        self.assertIn('<path class="base" d="M0 4H', days)
        # A month has its least and its greatest value, too.
        self.assertEqual(len(re.findall('class="range"', months)), 2 * 2)
        self.assertIn("mean in °C, from −23 to 0", days)


if __name__ == "__main__":
    unittest.main()
