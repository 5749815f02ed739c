"""What a page shows in a browser, held against the tools' own answers: `diff`, `--summary` and `--pairs`, and the lines that the page carries."""

import collections
import datetime
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = {name: entry["name"] for name, entry in json.loads((ROOT / "Spec" / "measures.json").read_text())["types"].items() if "name" in entry}
SIGNS = {"disappeared": "\u2212", "appeared": "+", "representation_changed": "~", "re_identified": "=", "condensed": "\u222a"}
CHANGES = ("appeared_count", "disappeared_count", "representation_changed_count")
RECORDS = ("start before", "end before", "value before", "start after", "end after", "value after")
STATUSES = {"completed": "completed", "partial": "partial", "unauthorized": "refused", "failed": "failed", "never_queried": "never asked"}
# The name of a week is a row of its own, over its days.
TABLES = """() => [...document.querySelectorAll('table')].map(table => [table.caption.textContent, [...table.rows].filter(row => !row.querySelector('[scope=rowgroup]')).map(row =>
    [...(row.parentElement.querySelectorAll('[scope=rowgroup]')), ...row.cells].map(cell => cell.textContent))])"""
CHARTS = """() => [...document.querySelectorAll('figure')].map(figure => [figure.closest('details.part details') ? figure.closest('details').querySelector('caption').textContent : '',
    figure.querySelector('figcaption').textContent,
    [...figure.querySelectorAll('rect')].map(rect => [rect.getAttribute('class'), ...['x', 'y', 'width', 'height'].map(name => Number(rect.getAttribute(name)))])])"""


def called(item):
    return NAMES.get(item["sample_type"], item["sample_type"])


class Figures:
    """The tables and charts of an open page, its carried lines, and what the tools say of the same two observations."""

    def __init__(self, tally, page, ask):
        """`ask` runs `hp-export diff` with options and gives the lines."""
        self.check = tally.check
        tables = page.evaluate(TABLES)
        self.tables = dict(tables)
        self.check(len(tables) == len(self.tables), "each table has a caption of its own")
        self.charts = page.evaluate(CHARTS)
        lines = page.evaluate("document.querySelector('template').content.textContent").splitlines()[1:]
        self.header = json.loads(lines[0])["export"]
        self.items = [json.loads(line)["item"] for line in lines[1:-1]]
        self.counts = page.evaluate("() => [...document.querySelectorAll('.counts b')].map(e => e.textContent)")
        self.types = [item for item in self.items if "standing" in item]
        _, self.changes = ask()
        _, self.summary = ask("--summary")
        _, self.pairs = ask("--pairs")
        scope = self.header["scope"]
        self.later = next(each for each in self.header["observations"] if each["id"] == scope["observation_id"])
        self.offset = datetime.timedelta(seconds=self.later.get("time_zone_seconds_from_gmt", 0))

    def same(self, shown, expected, what):
        self.check(shown == expected, "%s: %s" % (what, [pair for pair in zip(shown, expected) if pair[0] != pair[1]][:3] or (len(shown), len(expected))))

    def body(self, caption):
        """The rows below the head of the table with this caption."""
        return self.tables[caption][1:]

    def bodies(self, *beginnings):
        return [row for caption, rows in self.tables.items() if caption.startswith(beginnings) for row in rows[1:]]

    def local(self, text):
        return "" if text is None else (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) + self.offset).replace(tzinfo=None, microsecond=0).isoformat(" ")

    def day(self, text):
        return (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) + self.offset).date()

    def run(self):
        self.numbers()
        self.rows_of_types()
        self.windows()
        self.calendars()
        self.strips()
        self.growth()
        self.records()
        self.others()

    def numbers(self):
        # Links are counted beside the records if there are any.
        links = ["relationship_%s_count" % name for name in ("appeared", "changed", "disappeared")]
        known = [item for item in self.types if item["standing"] != "unknown" and not item.get("standing_reasons") or self.is_first(item)]
        numbers = [sum(item.get("left_over", {}).get("before_count", 0) for item in known), sum(entry["before_count"] for item in known for entry in item.get("replaced", [])),
                   sum(item["representation_changed_count"] for item in known), sum(item.get("left_over", {}).get("after_count", 0) for item in known)]
        numbers += [self.summary[0][name] for name in links if self.summary[0].get(name)]
        self.same(self.counts, ["{:,}".format(number).replace(",", "\u202f") for number in numbers], "numbers of changes")
        # What is in no pair and what is in one sum to what the diff has.
        changes = collections.Counter((called(item), item["change"]) for item in self.changes)
        for item in known:
            self.same([item.get("left_over", {}).get("before_count", 0) + sum(entry["before_count"] for entry in item.get("replaced", []))], [changes[called(item), "disappeared"]], "gone and replaced of " + called(item))

    @staticmethod
    def is_first(item):
        """Whether the earlier observation had not asked for a type, and has no record of it."""
        return item.get("standing_reasons") == ["from_never_queried"] and not item["before"]["record_count"] and not item["disappeared_count"]

    def rows_of_types(self):
        rows = {row[0].rpartition(" ")[2]: row for row in self.bodies("Sample types")}
        types = [item for item in self.summary if "standing" in item]
        self.same(sorted(rows), sorted(item["sample_type"] for item in types), "types")
        for item in types:
            row = rows[item["sample_type"]]
            self.same(row[1:6], [str(n) for n in (item["before"]["record_count"], item["after"]["record_count"], *(item[name] for name in CHANGES))], item["sample_type"])
            name = {"cumulative": "value_sum", "discrete": "value_mean"}.get(item["measure"])
            cells = re.search(r": (\S+) before, (\S+) after", row[6])
            self.check(cells or not (name and name in item["before"]), "a value of %s" % item["sample_type"])
            for side, cell in zip((item["before"], item["after"]), cells.groups() if cells else ()):
                if name and name in side:
                    self.check(abs(float(cell) - side[name]) <= 0.0005001, "%s of %s" % (name, item["sample_type"]))
                elif item["measure"] in ("category", "workout") and side.get("parts"):
                    self.check(abs(float(cell) - sum(part["seconds"] for part in side["parts"]) / 3600) <= 0.0005001, "hours of %s" % item["sample_type"])

    def windows(self):
        listed = [(place, item) for place, item in enumerate(self.summary) if item.get("label", "appeared") != "appeared"]
        listed.sort(key=lambda each: (-each[1]["disappeared_count"] - each[1]["representation_changed_count"], -each[1]["appeared_count"], each[0]))
        expected = [[called(item), self.local(item.get("window_start")) or "not stored", self.local(item.get("window_end")) or "not stored",
                     str(item["before"]["record_count"]), str(item["after"]["record_count"])] for _, item in listed[:200]]
        self.same([row[:5] for row in self.bodies("Windows,", "Further windows,")], expected, "windows")

    def calendars(self):
        """Changes and pairs are counted here by day, from the changes and the pairs."""
        days = collections.defaultdict(collections.Counter)
        for item in self.changes:
            sides = [item[side] for side in ("before", "after") if side in item]
            if sides and all("start_date" in side for side in sides):
                days[called(item), min(self.day(side["start_date"]) for side in sides)][item["change"]] += 1
        for pair in self.pairs:
            for record in pair["before"] if pair["pair"] in ("re_identified", "condensed_into") else ():
                days[called(pair), self.day(record["start_date"])]["condensed" if pair["pair"] == "condensed_into" else "re_identified"] += 1

        def words(counts):
            return " ".join(SIGNS[kind] + str(counts[kind]) for kind in SIGNS if counts[kind]) or "0"
        overview = collections.defaultdict(collections.Counter)
        shown = {}
        for caption, rows in self.tables.items():
            if caption.endswith(", changes by day"):
                for head, *cells in rows[1:]:
                    self.check(all(cells) and any(cell != "0" for cell in cells), "a number in each cell")
                    shown.update({(caption.rpartition(",")[0], datetime.date.fromisoformat(head.removeprefix("week from ")) + datetime.timedelta(days=place)): cell for place, cell in enumerate(cells) if cell != "0"})
        for (name, day), counts in days.items():
            overview[name, day.isoformat()[:7]].update(counts)
        self.same(sorted(shown.items()), sorted((key, words(counts)) for key, counts in days.items()), "days")
        tables = [rows for caption, rows in self.tables.items() if caption.startswith("Changes of each type by month, ")]
        self.same(sorted((row[0], month, cell) for head, *rows in tables for row in rows for month, cell in zip(head[1:], row[1:]) if cell != "0"),
                  sorted((name, month, words(counts)) for (name, month), counts in overview.items()), "months")

    def strips(self):
        charts = {caption: (scale, bars) for caption, scale, bars in self.charts if caption}
        for item in self.types:
            for caption in [caption for caption in self.tables if caption.startswith(called(item) + ", ") and " by month, in " in caption]:
                counts = len(self.tables[caption][0]) == 3
                names = ("before_count", "after_count") if counts else ("before_value", "after_value")
                rows = self.body(caption)
                self.same([row[0] for row in rows], [self.day(month["start"]).isoformat()[:7] for month in item["strip"]], caption)
                self.same([[int(row[1]), int(row[2 if counts else 3])] for row in rows], [[month["before_count"], month["after_count"]] for month in item["strip"]], caption)
                for row, month in zip(rows, item["strip"]):
                    for cell, name in zip(row[1:] if counts else row[2::2], names):
                        self.check(cell == "\u2013" if name not in month else abs(float(cell) - month[name]) <= 0.0005001, "%s: %s" % (caption, name))
                self.strip_chart(caption, charts[caption][1], [[month.get(name) for name in names] for month in item["strip"]])

    def strip_chart(self, caption, bars, months):
        """A bar for each value, from zero, in proportion to the greatest."""
        values = [value for month in months for value in month if value is not None]
        low, high = min(0, *values), max(0, *values)
        self.same([bar[0] for bar in bars], [kind for month in months for kind, value in zip(("was", "bar"), month) if value is not None], caption)
        for (_, _, top, _, height), value in zip(bars, values):
            self.check(abs(height - abs(value) / (high - low) * 120) <= 1.01, "%s: the height of %s" % (caption, value))
            self.check(abs(top + (height if value >= 0 else 0) - 1 - high / (high - low) * 120) <= 1.01, "%s: %s begins at zero" % (caption, value))

    def growth(self):
        points = self.items[0]["observations"]
        caption = next(caption for caption in self.tables if caption.startswith("Visible records by observation"))
        self.same([[int(row[0]), row[1], row[2], int(row[3])] for row in self.body(caption)],
                  [[point["observation_id"], self.local(point["observed_at"]), STATUSES.get(point["status"], point["status"]), point["record_count"]] for point in points], "growth")
        bars = next(bars for caption, scale, bars in self.charts if not caption)
        greatest = max(point["record_count"] for point in points)
        self.same([bar[4] for bar in bars], [max(1, point["record_count"] * 100 // greatest) if point["record_count"] else 0 for point in points], "the bars of growth")
        rows = collections.defaultdict(list)
        for name, *cells in self.bodies("What observations asked for, from "):
            rows[name] += cells
        self.same(sorted(rows.items()), sorted((called(item), [STATUSES[status] for status in item["statuses"]]) for item in self.types), "the matrix of coverage")

    def records(self):
        """Each that is shown, beside the two versions that the diff has."""
        known = collections.defaultdict(list)
        for item in self.changes:
            if item["change"] in ("disappeared", "representation_changed"):
                sides = [item.get(side, {}) for side in ("before", "after")]
                times = [self.local(side.get(name)) for side in sides for name in ("start_date", "end_date")]
                known[called(item), *(time or "\u2013" for time in times)].append(sides)
        for caption, rows in self.tables.items():
            if " before and after, in " not in caption:
                continue
            name, unit = caption.split(", ")[0], caption.rpartition(" in ")[2]
            # A column without anything is left out.
            for row in ([dict(zip(rows[0], row)).get(head, "\u2013") for head in RECORDS] for row in rows[1:]):
                found = known[name, row[0], row[1], row[3], row[4]]
                self.check(found, "%s: %s is a change" % (caption, row))
                for cell, place in ((row[2], 0), (row[5], 1)):
                    sides = [each[place] for each in found]
                    if cell.endswith(")"):
                        self.check(any(cell.endswith("(%s)" % side.get("category_value", side.get("workout_activity_type"))) for side in sides), "%s: %s" % (caption, cell))
                    elif all(side.get("unit") == unit for side in sides):
                        self.check(any(abs(float(cell) - side["numeric_value"]) <= 0.0005001 for side in sides), "%s: %s" % (caption, cell))

    def others(self):
        head, *rows = self.tables["What each observation asked for, and what came of it"]
        coverage = {row[0].rpartition(" ")[2]: dict(zip(head, row)) for row in rows}
        for key, column in (("from_coverage", "before: query"), ("coverage", "after: query")):
            for entry in self.header[key]:
                self.check(coverage[entry["sample_type"]][column] == STATUSES[entry["status"]], "%s of %s" % (key, entry["sample_type"]))
