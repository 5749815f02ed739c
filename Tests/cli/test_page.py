"""hp-export report: what the page says, compared with the items of the summary; what changes of it are found; what no browser may do with it."""

import base64
import collections
import datetime
import hashlib
import html
import html.parser
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

from report_support import ReportCase
from archive_builder import DAY, START, STEPS, Builder
from support import (
    FIXTURES, ROOT, contents, database, execute, hp_export, hp_verify, query, takes_long, trace_of, vectors,
)

VERIFIER = ROOT / "Spec" / "examples" / "verify_bundle.py"
OPENING, CLOSING = b'\n<template id="healthprobe-evidence">\n', b"</template>\n</body>\n</html>\n"
SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"
HEART_RATE = "HKQuantityTypeIdentifierHeartRate"
MEASURES = json.loads((ROOT / "Spec" / "measures.json").read_text())["types"]
NAMES = {name: entry["name"] for name, entry in MEASURES.items() if "name" in entry}
SIGNS = {"disappeared": "\u2212", "appeared": "+", "representation_changed": "~", "re_identified": "=", "condensed": "\u222a"}
# What only a page's rows have.
OF_A_PAGE = ("answer", "calendar", "context", "examples", "observations", "pair_counts", "rejected_count", "statuses", "strip", "withheld_count")
HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\u202eabc\u2066", "\U0001f469\u200d\U0001f52c", '"\'&amp;&lt;',
           "</template><b>", "-->", "\x01\x1f", "a" * 10_000, "\u05d0\u05d1 \u0627"]


def is_known(item):
    """Whether the page says what became of the records of a type."""
    if item.get("standing_reasons") == ["from_never_queried"] and not item["before"]["record_count"] and not item["disappeared_count"]:
        return True
    return item["standing"] != "unknown" and not item.get("standing_reasons")


def numbers(items):
    """Records of known types that are gone, replaced, changed and new."""
    types = [item for item in items if "standing" in item and is_known(item)]
    left = [item.get("left_over", {}) for item in types]
    return [sum(side.get("before_count", 0) for side in left), sum(entry["before_count"] for item in types for entry in item.get("replaced", [])),
            sum(item["representation_changed_count"] for item in types), sum(side.get("after_count", 0) for side in left)]


class Reading(html.parser.HTMLParser):
    """The elements of a page, its attributes, and the text of each cell."""

    EMPTY = {"meta", "br"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.attributes, self.tables, self.open, self.counts, self.text = set(), [], {}, [], [], ""
        self.is_name = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.attributes += attributes
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "table":
            self.rows = []
        elif tag == "tr" and not self.is_name:
            self.rows.append([])
        elif tag in ("td", "th"):
            # The name of a week is a row of its own, over its days.
            self.is_name = dict(attributes).get("scope") == "rowgroup"
            self.rows[-1].append("")
        elif tag == "caption":
            self.caption = ""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
        if tag == "table":
            self.tables[self.caption] = self.rows

    def handle_data(self, data):
        if "template" in self.open or "style" in self.open:
            return
        self.text += data
        if "caption" in self.open:
            self.caption += data
        elif self.open and "table" in self.open and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += data
        elif self.open[-1:] == ["b"]:
            self.counts.append(int(data.replace("\u202f", "")))


def parts(page):
    """What is read, and the lines."""
    read, lines = page.split(OPENING, 1)
    assert lines.endswith(CLOSING)
    return read + b"\n", html.unescape(lines[:-len(CLOSING)].decode()).encode()


def sealed(read, lines, **others):
    """A page whose hashes were all made anew, by hashes.md, with other totals."""
    first, *items, last = [json.loads(line) for line in lines.splitlines()]
    texts = lines.splitlines()
    totals = {**last["totals"], "page_sha256": hashlib.sha256(read).hexdigest(), **others}
    canonical = json.dumps(totals, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    export = texts[0][len(b'{"export":'):-1]
    old = json.dumps(last["totals"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert old in texts[-1]
    hashed = b",".join(b'"%s"' % item["item_hash"].encode() for item in items)
    preimage = b'{"export":' + export + b',"items":[' + hashed + b'],"totals":%s}'
    domain = b"hp:v2:export_manifest:"
    assert hashlib.sha256(domain + preimage.replace(b"%s", old)).hexdigest() == last["manifest_hash"]
    texts[-1] = b'{"manifest_hash":"%s","totals":%s}' % (hashlib.sha256(domain + preimage.replace(b"%s", canonical)).hexdigest().encode(), canonical)
    return read[:-1] + OPENING + html.escape(b"\n".join(texts + [b""]).decode(), quote=False).encode() + CLOSING


def without_calendar(item):
    """An item of a page as the summary has it."""
    return {name: value for name, value in item.items() if name not in OF_A_PAGE}


def called(name):
    """A sample type as a page calls it."""
    return NAMES.get(name, name)


def rows_of_types(reading):
    """The rows of the tables of types, by identifier."""
    rows = [row for caption, rows in reading.tables.items() if caption.startswith("Sample types") for row in rows[1:]]
    found = {row[0].rpartition(" ")[2]: row for row in rows}
    assert len(found) == len(rows) and all(row[0] in (name, "%s %s" % (called(name), name)) for name, row in found.items())
    return found


class Page(ReportCase):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "report.html"

    def small(self):
        shutil.copy(FIXTURES / "archives" / "small.sqlite", self.archive)

    def report(self, *options, **others):
        self.assert_good(hp_export("report", self.archive, *options, "-o", self.page, "--quiet", **others))
        return self.page.read_bytes()

    def codes(self, *options, path=None):
        run = hp_verify("bundle", "--json", path or self.page, *options)
        found = json.loads(run.out)["files"][0]
        self.assertEqual(run.status, 1 if found["findings"] else 0, run)
        return [finding["code"] for finding in found["findings"]]

    def verdict(self, path, *options):
        return json.loads(hp_verify("bundle", "--json", path, *options).out)["files"][0]

    def changed(self, data):
        path = self.folder / "changed.html"
        path.write_bytes(data)
        theirs = subprocess.run([sys.executable, os.fspath(VERIFIER), os.fspath(path)], capture_output=True)
        codes = self.codes(path=path)
        self.assertEqual(theirs.returncode, 1 if codes else 0, theirs)
        return codes

    def test_a_page_verifies_and_is_recorded_and_reproduced(self):
        self.small()
        page = self.report("--from", "1")
        self.assertEqual(self.codes(), [])
        self.assertEqual(self.codes("--archive", self.archive), [])
        self.assertEqual(self.changed(page), [])
        header = json.loads(parts(page)[1].splitlines()[0])["export"]
        recorded = query(self.archive, "SELECT export_id, export_kind, manifest_hash FROM export_manifests")
        manifest = json.loads(parts(page)[1].splitlines()[-1])
        self.assertEqual(recorded, [(header["export_id"], "page_report", manifest["manifest_hash"])])
        run = hp_verify("reproduce", self.archive, "--json")
        self.assertEqual([each["outcome"] for each in json.loads(run.out)["exports"]], ["same"], run)
        self.assertIn(header["export_id"], Reading(page.decode()).text)

    def test_the_heading_is_the_answer(self):
        """The heading is the first sentence of `diff --summary`, the boxes under it are its stretches, and there are no others."""
        def heading(*words):
            page = self.report(*words).decode()
            return html.unescape(re.search("<h1>(.*?)</h1>", page).group(1)), [html.unescape(re.sub("<[^>]+>", " ", box)).split() for box in re.findall('<div class="fact">(.*?)</div>', page, re.S)]

        def made(name, fill, types=(STEPS,)):
            self.archive = self.folder / (name + ".sqlite")
            self.page = self.folder / (name + ".html")
            archive = Builder(self.archive, 2, types)
            fill(archive)
            archive.close()
            told, boxes = heading()
            self.assertEqual(" ".join(self.assert_good(hp_export("diff", self.archive, "--summary", "--quiet")).out.decode().split())[:len(told)], told)
            return told, [" ".join(box) for box in boxes]

        self.assertEqual(made("nothing", lambda archive: archive.records(10, 60, 1.0)), ("No loss is recorded: all 10 records of 2 Jan 2001 are visible.", []))
        self.assertEqual(made("gone", lambda archive: [archive.record(day * DAY, day * DAY + 60, 1.0, last=2) for day in (3, 4, 6)] + [archive.record(5 * DAY, 5 * DAY + 60, 1.0)]),
                         ("3 records are no longer visible: step count, 3 days from 4 to 7 January 2001.", ["3 records of step count 3 days from 4 to 7 January 2001"]))
        self.assertEqual(made("one", lambda archive: [archive.record(0, 60, 1.0, last=2), archive.record(DAY, DAY + 60, 1.0)]),
                         ("1 record is no longer visible: step count, 1 January 2001.", ["1 record of step count 1 January 2001"]))
        self.assertEqual(made("new", lambda archive: [archive.record(0, 60, 1.0), archive.record(DAY, DAY + 60, 1.0, first=2)]),
                         ("No loss is recorded: the record of 2 Jan 2001 is visible.", []))
        told, _ = heading("--force", "--type", "StepCount")
        self.assertEqual(told, "In this selection: No loss is recorded: the record of 2 Jan 2001 is visible.")
        told, _ = heading("--force", "--from", "2", "--to", "1")
        self.assertEqual(told, "What changed between two observations")

    def test_the_items_are_those_of_the_summary_and_the_figures_those_of_the_items(self):
        self.small()
        page = self.report("--from", "1", "--no-record")
        items = [json.loads(line)["item"] for line in parts(page)[1].splitlines()[1:-1]]
        self.assertEqual([without_calendar(item) for item in items], self.items("diff_summary", from_=1))
        reading, whole = Reading(page.decode()), items[0]
        links = [whole[name] for name in ("relationship_appeared_count", "relationship_changed_count", "relationship_disappeared_count") if name in whole]
        self.assertEqual(reading.counts, numbers(items) + links)
        rows = rows_of_types(reading)
        types = [item for item in items if "standing" in item and "sample_type" in item]
        self.assertEqual(len(rows), len([item for item in items if "standing" in item]))
        self.assertTrue(types)
        for item in types:
            counted = [item["before"]["record_count"], item["after"]["record_count"]] + [item[name + "_count"] for name in ("appeared", "disappeared", "representation_changed")]
            self.assertEqual(rows[item["sample_type"]][1:6], [str(count) for count in counted])

    def test_a_selection_is_told(self):
        """Each member of the filter with its values, in their order."""
        self.small()
        page = self.report("--from", "1", "--type", "StepCount", "--type", "HeartRate", "--source", "com.example.one",
                           "--since", "2000-01-01T00:00:00Z", "--until", "2030-01-01", "--overlapping", "--no-record")
        found = json.loads(parts(page)[1].splitlines()[0])["export"]["filter"]
        self.assertEqual(list(found), ["overlapping", "sample_types", "since", "sources", "until"])
        self.assertEqual((found["overlapping"], found["sample_types"]), (True, [HEART_RATE, STEPS]))
        text = Reading(page.decode()).text
        self.assertIn("a selection of the records, not of all of them. The selection: overlapping: yes; sample types: "
                      "%s, %s; since: %s; sources: com.example.one; until: %s\n"
                      % (HEART_RATE, STEPS, found["since"], found["until"]), text)
        self.assertNotIn("No record was left out by a selection", text)

    def test_defects_of_the_header_are_counted(self):
        shutil.copy(FIXTURES / "archives" / "defects.sqlite", self.archive)
        page = self.report("--from", "1", "--no-record")
        defects = json.loads(parts(page)[1].splitlines()[0])["export"]["defects"]
        self.assertTrue(defects)
        self.assertIn("no canonical form, in the header: %d." % len(defects), Reading(page.decode()).text)

    def lines_of_diff(self, *options):
        """Header and items of a diff."""
        lines = self.assert_good(hp_export("diff", self.archive, *options, "--format", "jsonl", "--no-record", "--quiet", "-o", "-")).out.splitlines()
        return json.loads(lines[0])["export"], [json.loads(line)["item"] for line in lines[1:-1]]

    def expected_calendars(self, *options):
        """Changes and pairs by type and day, counted here from the items of a diff and of its pairs."""
        header, changes = self.lines_of_diff(*options)
        later = next(each for each in header["observations"] if each["id"] == header["scope"]["observation_id"])
        offset = datetime.timedelta(seconds=later.get("time_zone_seconds_from_gmt", 0))
        days = collections.defaultdict(collections.Counter)

        def day_of(text):
            return (datetime.datetime.fromisoformat(text) + offset).date()
        for item in changes:
            sides = [item[side] for side in ("before", "after") if side in item]
            if sides and all("start_date" in side and "end_date" in side for side in sides):
                days[item["sample_type"], min(day_of(side["start_date"]) for side in sides)][item["change"]] += 1
        kinds = {"re_identified": "re_identified", "condensed_into": "condensed"}
        for pair in self.lines_of_diff(*options, "--pairs")[1]:
            for record in pair["before"] if pair["pair"] in kinds else ():
                days[pair["sample_type"], day_of(record["start_date"])][kinds[pair["pair"]]] += 1
        every = [day for _, day in days]
        length = 7 if max(every) - min(every) >= datetime.timedelta(days=396) else 1
        calendars = {}
        for (name, day), counts in sorted(days.items()):
            first = day - datetime.timedelta(days=day.weekday() if length == 7 else 0)
            buckets = calendars.setdefault(name, collections.defaultdict(collections.Counter))
            buckets[first].update(counts)
        return offset, length, calendars

    def assert_calendars(self, page, *options, without=()):
        """The calendars of the items but for those types, and those that are read: a number in each cell, and the same by month or year."""
        offset, length, expected = self.expected_calendars(*options)
        for name in without:
            expected.pop(name)
        items = [json.loads(line)["item"] for line in parts(page)[1].splitlines()[1:-1]]
        found = {}
        for item in items:
            if "calendar" in item:
                self.assertEqual(item["calendar"]["bucket_days"], length)
                found[item["sample_type"]] = {(datetime.datetime.fromisoformat(bucket["start"]) + offset).date(): collections.Counter(
                    {name: bucket[name + "_count"] for name in SIGNS if bucket.get(name + "_count")}) for bucket in item["calendar"]["buckets"]}
        self.assertEqual(found, {name: dict(buckets) for name, buckets in expected.items()})
        tables = Reading(page.decode()).tables

        def words(counts):
            return " ".join(SIGNS[kind] + str(counts[kind]) for kind in SIGNS if counts[kind]) or "0"
        overview = collections.defaultdict(list)
        for caption, rows in tables.items():
            if caption.startswith("Changes of each type by %s, " % ("month" if length == 1 else "year")):
                self.assertTrue(1 < len(rows[0]) <= 7 and caption.endswith(", %s to %s" % (rows[0][1], rows[0][-1])))
                for row in rows:
                    overview[row[0]] += row[1:]
        columns = overview.pop("sample type")
        self.assertEqual(set(overview), {called(name) for name in expected})
        for name, buckets in expected.items():
            rows = tables["%s, changes by %s" % (called(name), "day" if length == 1 else "week")][1:]
            shown = {}
            for head, *cells in rows:
                for place, cell in enumerate(cells):
                    if length == 1:
                        day = datetime.date.fromisoformat(head.removeprefix("week from ")) + datetime.timedelta(days=place)
                    else:
                        first = datetime.date.fromisoformat(head + "-01")
                        day = first + datetime.timedelta(days=-first.weekday() % 7 + 7 * place)
                        self.assertEqual(cell == "", day.month != first.month)
                    if cell:
                        shown[day] = cell
            self.assertEqual({day: cell for day, cell in shown.items() if cell != "0"}, {day: words(counts) for day, counts in buckets.items()})
            self.assertEqual({head for head, *cells in rows if not any(cell not in ("", "0") for cell in cells)}, set())
            months = collections.defaultdict(collections.Counter)
            for day, counts in buckets.items():
                months[day.isoformat()[:7 if length == 1 else 4]].update(counts)
            self.assertEqual(overview[called(name)], [words(months[column]) for column in columns])
        return length

    def assert_pairs(self, page, *options):
        """The pairs of each type by kind; how many there are."""
        expected = collections.Counter((pair["sample_type"], pair["pair"]) for pair in self.lines_of_diff(*options, "--pairs")[1])
        items = [json.loads(line)["item"] for line in parts(page)[1].splitlines()[1:-1]]
        self.assertEqual({(item["sample_type"], kind): count for item in items for kind, count in item.get("pair_counts", {}).items()}, dict(expected))
        words = {"ambiguous": "ambiguous", "condensed_into": "condensed into one", "expanded_into": "expanded into several", "re_identified": "re-identified"}
        sums = collections.Counter()
        for (_, kind), count in expected.items():
            sums[kind] += count
        said = ", ".join("%s: %d" % (words[kind], count) for kind, count in sorted(sums.items()))
        self.assertIn("among those that appeared: %s." % said if said else "No record that is no longer visible was found again", Reading(page.decode()).text)
        return sum(expected.values())

    def test_what_came_again_or_was_condensed_is_told(self):
        archive = Builder(self.archive, 2, types=[STEPS, HEART_RATE, SLEEP])
        for day in range(40):
            begin = day * 86_400
            payload = "%064x" % (7_000_000 + day)
            archive.record(begin, begin + 60, 5.0 + day, payload=payload, last=2 if day % 3 else None)
            if day % 3 == 1:
                archive.record(begin, begin + 60, 5.0 + day, payload=payload, first=2)
            for part in range(4):
                archive.record(begin + part * 60, begin + part * 60 + 60, 70.0, sample_type=HEART_RATE, unit="count/min", last=2 if 10 <= day < 20 else None)
            if 10 <= day < 20:
                archive.record(begin, begin + 240, 70.0, sample_type=HEART_RATE, unit="count/min", first=2)
        archive.close()
        page = self.report()
        self.assertEqual(self.codes("--archive", self.archive), [])
        self.assertGreater(self.assert_pairs(page), 20)
        self.assertEqual(self.assert_calendars(page), 1)
        self.assertIn(b'class="n again"', page)
        self.assertIn(b'class="n condensed"', page)
        # The other way round, what was condensed is expanded, which no day tells.
        page = self.report("--from", "2", "--to", "1", "--force")
        self.assert_pairs(page, "--from", "2", "--to", "1")
        self.assert_calendars(page, "--from", "2", "--to", "1")

    def test_the_calendar_is_that_of_the_changes(self):
        self.small()
        self.assertEqual(self.assert_calendars(self.report("--from", "1", "--no-record"), "--from", "1"), 1)

    def test_a_calendar_has_weeks_where_days_are_too_many(self):
        for length, days in ((1, 396), (7, 397), (7, 900)):
            archive = Builder(self.archive, 2, types=[STEPS, SLEEP])
            for day in [*range(0, days - 1, 3), days - 1]:
                archive.record(day * 86_400, day * 86_400 + 60, 1.0, sample_type=STEPS, last=2)
                for again in range(day % 4):
                    archive.record(day * 86_400 + 120, day * 86_400 + 180, 2.0 + again, sample_type=STEPS, first=2)
                archive.record(day * 80_000, day * 80_000 + 60, 1.0, sample_type=SLEEP, first=2)
            archive.close()
            self.assertEqual(self.assert_calendars(self.report("--no-record", "--force")), length)
            self.archive.unlink()

    def test_calendar_and_strip_begin_with_the_year_1(self):
        """The local day and month of a record may begin before it: then the record is in the counts of its type alone."""
        first = -62_135_596_800 - START
        for offset, days, months in ((7200, ["0001-01-01T22:00:00.000Z"], []), (0, ["0001-01-01T00:00:00.000Z", "0001-01-02T00:00:00.000Z"], ["0001-01-01T00:00:00.000Z"]),
                                     (-7200, ["0001-01-01T02:00:00.000Z"], ["0001-01-01T02:00:00.000Z"])):
            archive = Builder(self.archive, 2, types=[STEPS])
            archive.record(first + 10_000, first + 10_060, 1.0, first=2)
            archive.record(first + 90_000, first + 90_060, 1.0, first=2)
            archive.close()
            execute(self.archive, "UPDATE observations SET time_zone_seconds_from_gmt = %d" % offset)
            with self.subTest(offset=offset):
                page = self.report("--no-record", "--force")
                self.assertEqual(self.codes(), [])
                (item,) = [item for item in (json.loads(line)["item"] for line in parts(page)[1].splitlines()[1:-1]) if "calendar" in item]
                self.assertEqual([bucket["start"] for bucket in item["calendar"]["buckets"]], days)
                self.assertEqual([month["start"] for month in item.get("strip", [])], months)
                self.assertEqual(item["appeared_count"], 2)
            self.archive.unlink()

    def test_a_calendar_takes_exactly_the_room_that_is_left(self):
        """All types together have room for 2500 weeks: first the type with the most changes, and then what fits."""
        for weeks, others, left_out in ((2490, 10, ()), (2491, 10, (SLEEP,)), (2500, 0, ()), (2501, 3, (STEPS,))):
            archive = Builder(self.archive, 2, types=[STEPS, SLEEP])
            for sample_type, count in ((STEPS, weeks), (SLEEP, others)):
                for week in range(count):
                    archive.record(week * 604_800, week * 604_800 + 60, 1.0, sample_type=sample_type, first=2)
            archive.close()
            with self.subTest(weeks=weeks, others=others):
                self.assertEqual(self.assert_calendars(self.report("--no-record", "--force"), without=left_out), 7)
            self.archive.unlink()

    def test_a_page_has_the_windows_in_which_most_changed(self):
        archive = Builder(self.archive, 2, types=[STEPS, SLEEP])
        for day in range(700):
            for again in range(1 + day * 7 % 5):
                archive.record(day * 864_000 + again * 60, day * 864_000 + again * 60 + 30, 1.0, sample_type=STEPS if day % 2 else SLEEP, last=2 if day % 7 else None, first=1 if day % 7 else 2)
        archive.close()
        page = self.report()
        self.assertEqual(self.codes("--archive", self.archive), [])
        items = [json.loads(line)["item"] for line in parts(page)[1].splitlines()[1:-1]]
        every = self.items("diff_summary", from_=1)
        windows = [index for index, item in enumerate(every) if "label" in item]
        self.assertGreater(len(windows), 600)
        weight = lambda index: (-every[index]["disappeared_count"] - every[index]["representation_changed_count"], -every[index]["appeared_count"], index)
        kept = set(sorted(windows, key=weight)[:250])
        self.assertEqual([without_calendar(item) for item in items], [item for index, item in enumerate(every) if index in kept or "label" not in item])
        shown = [index for index in sorted(kept, key=weight) if every[index]["label"] != "appeared"][:200]
        tables = Reading(page.decode()).tables
        rows = [row for caption, rows in tables.items() if caption.startswith(("Windows,", "Further windows,")) for row in rows[1:]]
        self.assertEqual([(row[0], *row[3:5]) for row in rows], [(called(every[index]["sample_type"]), *(str(every[index][side]["record_count"]) for side in ("before", "after"))) for index in shown])
        lost = len([index for index in windows if every[index]["label"] != "appeared"])
        self.assertIn("%d more windows are not shown here" % (lost - 200), Reading(page.decode()).text)
        self.assertLess(len(page), 2_000_000)

    def test_windows_in_which_records_only_appeared_are_counted(self):
        """Of four windows one has a record that is gone, one a record in whose place another has come, and two have what has come alone."""
        archive = Builder(self.archive, 2, types=[STEPS, HEART_RATE])
        archive.record(0, 60, 1.0, last=2)
        archive.record(100 * DAY, 100 * DAY + 60, 2.0, first=2)
        archive.record(200 * DAY, 200 * DAY + 60, 3.0, last=2)
        archive.record(200 * DAY + 30, 200 * DAY + 90, 40.0, first=2)
        archive.record(0, 60, 70.0, sample_type=HEART_RATE, unit="count/min", first=2)
        archive.close()
        reading = Reading(self.report().decode())
        rows = [row for caption, rows in reading.tables.items() if caption.startswith("Windows,") for row in rows[1:]]
        # Where as many are gone, those come first in which more have come.
        self.assertEqual([(*row[:2], *row[3:5]) for row in rows],
                         [(called(STEPS), "2001-07-20 00:00:00", "1", "1"), (called(STEPS), "2001-01-01 00:00:00", "1", "0")])
        self.assertEqual(re.findall("In ([0-9]+) more windows records only appeared", reading.text), ["2"])

    def test_observations_and_what_they_asked_for(self):
        archive = Builder(self.archive, 30, types=[STEPS, SLEEP])
        for number in range(60):
            first = 1 + number * 7 % 29
            archive.record(number * 3600, number * 3600 + 60, 1.0 + number, sample_type=STEPS, first=first, last=min(30, first + 1 + number % 5) if number % 3 else None)
        archive.close()
        with database(self.archive) as connection:
            connection.execute("UPDATE observation_type_runs SET status = 'partial' WHERE observation_id = 27")
            connection.execute("DELETE FROM observation_type_runs WHERE observation_id = 28 AND sample_type_id = 1")
        page = self.report("--from", "20", "--to", "29")
        self.assertEqual(self.codes(), [])
        items = [json.loads(line)["item"] for line in parts(page)[1].splitlines()[1:-1]]
        told = [(each["observation_id"], each["record_count"], each["status"]) for each in items[0]["observations"]]
        expected = query(self.archive, """SELECT o.id, (SELECT count(*) FROM sample_visibility_ranges r WHERE r.first_observation_id <= o.id AND
            (r.last_observation_id IS NULL OR r.last_observation_id > o.id)), o.status FROM observations o WHERE o.id <= 29 ORDER BY o.id DESC LIMIT 24""")
        self.assertEqual(told, expected[::-1])
        runs = {row[:2]: row[2] for row in query(self.archive, "SELECT observation_id, type_identifier, status FROM observation_type_runs r JOIN sample_types t ON t.id = r.sample_type_id")}
        for item in items:
            if "standing" in item:
                first = min([number for number, name in runs if name == item["sample_type"]], default=10**9)
                self.assertEqual(item["statuses"], [runs.get((number, item["sample_type"]), "never_queried" if number < first else "not_queried") for number, _, _ in told])
        tables = Reading(page.decode()).tables
        growth = next(rows for caption, rows in tables.items() if caption.startswith("Visible records by observation"))
        self.assertEqual([(int(row[0]), int(row[3])) for row in growth[1:]], [each[:2] for each in told])
        matrix = collections.defaultdict(list)
        for caption, rows in tables.items():
            if caption.startswith("What observations asked for, from "):
                self.assertEqual(caption.split(" from ")[1], "%s to %s" % (rows[0][1], rows[0][-1]))
                for name, *cells in rows:
                    matrix[name] += cells
        self.assertEqual(matrix.pop("sample type"), [str(each[0]) for each in told])
        words = {"completed": "completed", "partial": "partial", "never_queried": "never asked", "not_queried": "not asked"}
        self.assertEqual(matrix, {called(item["sample_type"]): [words[status] for status in item["statuses"]] for item in items if "standing" in item})
        bars = [int(height) for height in re.findall(rb'class="bar"[^>]* height="(\d+)"', page)][-len(told):]
        greatest = max(each[1] for each in told)
        self.assertEqual(bars, [max(1, each[1] * 100 // greatest) if each[1] else 0 for each in told])

    def test_examples_and_context(self):
        self.small()
        page = self.report("--from", "1")
        items = [json.loads(line)["item"] for line in parts(page)[1].splitlines()[1:-1]]
        lines = self.assert_good(hp_export("diff", self.archive, "--from", "1", "--format", "jsonl", "--no-record", "--quiet", "-o", "-")).out.splitlines()[1:-1]
        changes = [item for item in (json.loads(line)["item"] for line in lines) if item["change"] in ("disappeared", "representation_changed")]
        shown = 0
        for item in items:
            if "standing" not in item:
                continue
            mine = [change for change in changes if change.get("sample_type") == item["sample_type"]]

            def span(change):
                sides = [change[side] for side in ("before", "after") if side in change]
                if not all("start_date" in side and "end_date" in side for side in sides):
                    return "", ""
                return min(side["start_date"] for side in sides), max(max(side["start_date"], side["end_date"]) for side in sides)
            self.assert_examples(item, mine, span)
            shown += len(item.get("examples", []))
        self.assertGreaterEqual(shown, 3)
        tables = Reading(page.decode()).tables
        self.assertEqual(sum(len(rows) - 1 for caption, rows in tables.items() if " before and after, in " in caption), shown)

    def assert_examples(self, item, changes, span):
        """The first five of each day, a hundred at most, with what they say of both versions."""
        days, first = collections.Counter(), []
        for change in sorted(changes, key=span):
            day = span(change)[0][:10]
            days[day] += 1
            if days[day] <= 5 and len(first) < 100:
                first.append(change)

        def told(change, value):
            sides = [change[side] for side in ("before", "after") if side in change]
            names = [("start_date", "end_date"), ("start_after", "end_after")]
            return {"change": change["change"], **{name: side[known] for side, pair in zip(sides, names) for name, known in zip(pair, ("start_date", "end_date")) if known in side}}
        values = ("value_before", "value_after")
        key = lambda each: sorted(each.items())
        self.assertEqual(sorted(({name: value for name, value in each.items() if name not in values} for each in item.get("examples", [])), key=key),
                         sorted((told(change, None) for change in first), key=key))
        for each in item.get("examples", []):
            same = [change for change in first if change["before"].get("start_date") == each.get("start_date")]
            for side in ("before", "after"):
                stated = [change[side] for change in same if side in change]
                for name in ("category_value", "numeric_value"):
                    if "value_" + side in each and stated and all(name in version and version.get("unit") == item[side].get("unit") for version in stated):
                        self.assertIn(each["value_" + side], [version[name] for version in stated])

    def test_many_records_are_folded_by_day_with_the_number_that_is_not_shown(self):
        archive = Builder(self.archive, 2, types=[STEPS, SLEEP])
        for day in range(30):
            for number in range(3 + day % 7):
                archive.record(day * 86_400 + number * 60, day * 86_400 + number * 60 + 30, 2.0, last=2)
        for number in range(4):
            sample = archive.record(number * 3600, number * 3600 + 60, sample_type=SLEEP, kind="category", category=3, last=2)
            archive.version(sample, number * 3600 + 30, number * 3600 + 90, kind="category", category=4, first=2)
        archive.close()
        page = self.report()
        self.assertEqual(self.codes(), [])
        self.assert_calendars(page)
        folds = re.findall(rb"<summary>(2001-[0-9-]*): (\d+) records(?:, (\d+) of them not shown)?</summary>", page)
        expected = [("2001-01-%02d" % (day + 1), 3 + day % 7, max(0, day % 7 - 2)) for day in range(30)]
        shown, cut = [], 0
        for day, count, hidden in expected:
            if cut + count - hidden > 100:
                break
            shown.append((day, count, hidden))
            cut += count - hidden
        told = [(day.decode(), int(count), int(hidden or 0)) for day, count, hidden in folds]
        self.assertEqual(told[:len(shown)], shown)
        left = sum(count for _, count, _ in expected) - sum(count for _, count, _ in told)
        self.assertIn("%d more records of this type are not shown" % left, Reading(page.decode()).text)
        rows = Reading(page.decode()).tables["Sleep analysis, records before and after, in h"][1:]
        self.assertEqual(rows[0], ["2001-01-01 00:00:00", "2001-01-01 00:01:00", "Asleep core (3)", "2001-01-01 00:00:30", "2001-01-01 00:01:30", "Asleep deep (4)"])

    def test_the_number_that_is_not_shown_has_records_of_both_kinds(self):
        """Of one day five records are shown: of seven that are no longer visible and three that changed, five are not."""
        archive = Builder(self.archive, 2)
        for number in range(10):
            sample = archive.record(number * 60, number * 60 + 30, 1.0, last=2)
            if number >= 7:
                archive.version(sample, number * 60, number * 60 + 30, 2.0, first=2)
        archive.close()
        reading = Reading(self.report().decode())
        self.assertEqual(reading.counts, [7, 0, 3, 0])
        self.assertEqual([len(rows) - 1 for caption, rows in reading.tables.items() if " before and after, in " in caption], [5])
        self.assertEqual(re.findall("([0-9]+) more records of this type are not shown", reading.text), ["5"])

    def test_rejected_records_are_a_number(self):
        text = (FIXTURES / "apple-health" / "month-0.xml").read_bytes()
        at = text.index(b"<Record ")
        self.assert_good(hp_export("capture", self.archive, "--apple-health", FIXTURES / "apple-health" / "month-0.xml", "--quiet"))
        broken = self.folder / "export.xml"
        text = (FIXTURES / "apple-health" / "month-1.xml").read_bytes()
        at = text.index(b"startDate=", text.index(b"HKQuantityTypeIdentifierHeartRate"))
        broken.write_bytes(text[:at] + b'startDate="never"' + text[text.index(b'"', at + 11) + 1:])
        hp_export("capture", self.archive, "--apple-health", broken, "--quiet")
        page = self.report()
        self.assertEqual(self.codes(), [])
        rejected = query(self.archive, "SELECT sum(record_count) FROM rejected_records WHERE last_observation_id IS NULL")[0][0]
        withheld = query(self.archive, "SELECT count(*) FROM withheld_closures WHERE last_observation_id IS NULL")[0][0]
        self.assertGreater(rejected, 0)
        item = json.loads(parts(page)[1].splitlines()[1])["item"]
        self.assertEqual((item["rejected_count"], item["withheld_count"]), (rejected, withheld))
        self.assertIn("Rejected records, which cannot be stored as they are, at the compared observation: %d." % rejected, Reading(page.decode()).text)
        # An archive of another engine does not say it.
        self.archive.unlink()
        self.small()
        self.assertIn("does not state which records", Reading(self.report("--from", "1", "--force").decode()).text)

    def test_the_strip_is_what_the_months_come_to(self):
        self.check_strip(1)

    def test_a_strip_of_ids_that_are_far_apart(self):
        """They are read in slices on two connections, as it is done of many samples."""
        self.check_strip(1000, "--no-record")

    def check_strip(self, distance, *options):
        archive = Builder(self.archive, 2, types=[STEPS, SLEEP])
        for number in range(200):
            archive.samples = 2 * number * distance
            start = number * 86_400 * 5
            kept = number % 4 or number < 40 or number > 160
            archive.record(start, start + 600, 1.5 + number, sample_type=STEPS, last=None if kept else 2)
            archive.record(start + 3600, start + 3660, 2.0, sample_type=SLEEP)
        archive.close()
        page = self.report(*options)
        self.assertEqual(self.codes(*() if "--no-record" in options else ("--archive", self.archive)), [])
        items = [json.loads(line)["item"] for line in parts(page)[1].splitlines()[1:-1]]
        offset = query(self.archive, "SELECT coalesce(time_zone_seconds_from_gmt, 0) FROM observations WHERE id = 2")[0][0]
        months = collections.defaultdict(lambda: [0, 0.0, 0, 0.0])
        for start, value, last in query(self.archive, "SELECT v.start_date, v.numeric_value, r.last_observation_id FROM sample_visibility_ranges r JOIN sample_versions v "
                                                      "ON v.id = r.version_id JOIN samples s ON s.id = r.sample_id JOIN sample_types t ON t.id = s.sample_type_id WHERE t.type_identifier = ?", STEPS):
            month = (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=start + offset)).strftime("%Y-%m")
            months[month][0] += 1
            months[month][1] += value
            if last is None:
                months[month][2] += 1
                months[month][3] += value
        differing = [month for month, each in months.items() if each[:2] != each[2:]]
        expected = [(month, *each) for month, each in sorted(months.items()) if min(differing) <= month <= max(differing)][-36:]
        strips = {item["sample_type"]: item["strip"] for item in items if "strip" in item}
        self.assertEqual(list(strips), [STEPS])
        told = [((datetime.datetime.fromisoformat(each["start"]) + datetime.timedelta(seconds=offset)).strftime("%Y-%m"), each["before_count"], each.get("before_value", 0.0),
                 each["after_count"], each.get("after_value", 0.0)) for each in strips[STEPS]]
        self.assertEqual(told, expected)
        table = next(rows for caption, rows in Reading(page.decode()).tables.items() if caption.startswith(called(STEPS) + ",") and "by month" in caption)
        self.assertEqual([row[0] for row in table[1:]], [each[0] for each in expected])

    def test_an_offset_from_utc_has_its_sign(self):
        """The moment is 2001-01-03 00:00 in UTC, and that of the observation before is a day earlier."""
        Builder(self.archive, 2).close()
        for seconds, offset, moment in ((0, "+00:00", "2001-01-03 00:00:00"), (20_700, "+05:45", "2001-01-03 05:45:00"),
                                        (-1800, "\u221200:30", "2001-01-02 23:30:00"), (-12_600, "\u221203:30", "2001-01-02 20:30:00"),
                                        (-36_015, "\u221210:00:15", "2001-01-02 13:59:45")):
            with self.subTest(seconds):
                execute(self.archive, "UPDATE observations SET time_zone_seconds_from_gmt = %d WHERE id = 2" % seconds)
                tables = Reading(self.report("--no-record", "--force").decode()).tables
                rows = tables["Both observations, each with its local time"][1:]
                self.assertEqual([row[1:3] for row in rows], [["2001-01-02 00:00:00", "UTC+00:00"], [moment, "UTC" + offset]])
                self.assertIn("Visible records by observation, times at UTC" + offset, tables)

    def test_the_context_log_is_told(self):
        for month in (0, 1):
            self.assert_good(hp_export("capture", self.archive, "--apple-health", FIXTURES / "apple-health" / ("month-%d.xml" % month), "--quiet"))
        page = self.report()
        expected = query(self.archive, "SELECT event_kind, observation_id FROM context_log WHERE observation_id IS NOT NULL ORDER BY id")
        item = json.loads(parts(page)[1].splitlines()[1])["item"]
        self.assertEqual([(each["event_kind"], each["observation_id"]) for each in item["context"]], expected[-24:])
        self.assertIn("capture finished", Reading(page.decode()).text)
        self.assert_good(hp_export("check", self.archive, "--quiet"))
        self.assertEqual(self.report("--force"), page)

    def test_every_changed_digit_is_found(self):
        self.small()
        page = self.report("--from", "1")
        read = parts(page)[0]
        digits = [at for at in range(read.index(b"<main>"), len(read)) if read[at:at + 1].isdigit()]
        for at in digits[::max(1, len(digits) // 12)]:
            other = b"1" if page[at:at + 1] != b"1" else b"2"
            self.assertEqual(self.changed(page[:at] + other + page[at + 1:]), ["container.page_hash"], at)

    def test_a_page_whose_hashes_were_made_anew_is_found_with_the_archive(self):
        self.small()
        read, lines = parts(self.report("--from", "1"))
        forged = sealed(re.sub(rb"<b>\d+</b>", b"<b>777</b>", read, count=1), lines)
        self.assertEqual(self.changed(forged), [])
        self.assertTrue(self.codes("--archive", self.archive, path=self.folder / "changed.html"))

    def test_a_word_that_was_changed_is_found_with_its_place(self):
        self.small()
        for record in ((), ("--no-record",)):
            read, lines = parts(self.report("--from", "1", "--force", *record))
            self.assertEqual(self.verdict(self.page, "--archive", self.archive)["not_verified"], [])
            for old, new in ((b"No longer in the export", b"No longer in any export"), (b"Cause not inferred", b"Cause: not inferred"), (b"</main>", b"<p>Nothing is missing.</p></main>"), (b"<b>", b"<b>7")):
                place = read.rindex(old)
                forged = read[:place] + new + read[place + len(old):]
                self.assertEqual(self.changed(sealed(forged, lines)), [])
                found = self.verdict(self.folder / "changed.html", "--archive", self.archive)
                first = next(at for at, (one, other) in enumerate(zip(read, forged)) if one != other)
                expected = [("archive.manifest_hash", None)] * (not record) + [("archive.evidence_changed", first)]
                self.assertEqual([(each["code"], each.get("byte")) for each in found["findings"]], expected)
                self.assertEqual((found["result"], found["evidence"]), ("findings", "differs"))
            if not record:
                execute(self.archive, "DELETE FROM export_items")
                execute(self.archive, "DELETE FROM export_manifests")

    def test_a_page_of_another_renderer_is_compared_by_its_items(self):
        self.small()
        read, lines = parts(self.report("--from", "1"))
        other = self.folder / "other.html"
        other.write_bytes(sealed(read.replace(b"Cause not inferred", b"No cause is inferred"), lines, renderer=7))
        manifest = json.loads(parts(other.read_bytes())[1].splitlines()[-1])
        self.assertEqual(manifest["totals"]["renderer"], 7)
        execute(self.archive, "UPDATE export_manifests SET manifest_hash = '%s'" % manifest["manifest_hash"])
        words = "items match, cells of renderer 7 were not verified"
        for verdict, evidence in (("matches what the archive recorded", "unknown"), ("reproduced, not recorded", "unknown")):
            found = self.verdict(other, "--archive", self.archive)
            self.assertEqual((found["verdict"], found["evidence"], found["findings"], found["not_verified"]), ("valid page: %s; %s" % (verdict, words), evidence, [], ["page"]))
            alone = self.verdict(other, "--archive", self.archive, "--recorded-only")
            self.assertNotIn(words, alone["verdict"])
            execute(self.archive, "DELETE FROM export_items")
            execute(self.archive, "DELETE FROM export_manifests")
        # Of other items nothing is said of cells.
        execute(self.archive, "UPDATE sample_versions SET end_date = end_date + 1")
        found = self.verdict(other, "--archive", self.archive)
        self.assertEqual([each["code"] for each in found["findings"]], ["archive.export_unknown"])
        self.assertNotIn("renderer", found["verdict"])

    def test_a_new_style_with_its_hash_breaks_no_old_page(self):
        self.small()
        read, lines = parts(self.report("--from", "1"))
        styled = re.sub(rb"<style>.*</style>", b"<style>p{}</style>", read, flags=re.DOTALL)
        self.assertEqual(self.changed(sealed(styled, lines)), ["container.page_policy"])
        digest = base64.b64encode(hashlib.sha256(b"p{}").digest())
        self.assertEqual(self.changed(sealed(re.sub(rb"sha256-[^']*", b"sha256-" + digest, styled), lines)), [])

    def test_a_verdict_vouches_for_no_figure_of_a_page(self):
        self.small()
        read, lines = parts(self.report("--from", "1"))
        self.assertEqual(json.loads(lines.splitlines()[-1])["totals"]["renderer"], 1)
        self.assertEqual(self.changed(sealed(re.sub(rb"<b>\d+</b>", b"<b>0</b>", read), lines)), [])
        for path, options, words in ((self.folder / "changed.html", (), "self-consistent"), (self.page, (), "self-consistent"),
                                     (self.page, ("--archive", self.archive), "matches the archive")):
            words = words if options else "%s; what is read was not compared with its items" % words
            verdict = "valid page: %s%s" % (words, "" if options else "; labels: not checked")
            result = self.assert_good(hp_verify("bundle", path, "--junit", self.folder / "junit.xml", "--force", *options))
            self.assertEqual(result.out.decode().splitlines()[0], "%s: %s" % (path, verdict))
            # What was not compared is for build servers too.
            self.assertEqual("<system-out>%s</system-out>" % verdict in (self.folder / "junit.xml").read_text(), not options)
            (file,) = json.loads(hp_verify("bundle", path, "--json", *options).out)["files"]
            self.assertEqual((file["verdict"], file["not_verified"]), (verdict, [] if options else ["page", "labels"]))
        theirs = subprocess.run([sys.executable, os.fspath(VERIFIER), os.fspath(self.page)], capture_output=True).stdout.decode()
        self.assertEqual(theirs.splitlines()[0], "%s: %s" % (self.page, "valid page: self-consistent; what is read was not compared with its items; labels: not checked"))

    def test_a_page_without_its_policy_is_invalid_whatever_it_holds(self):
        self.small()
        read, lines = parts(self.report("--from", "1"))
        policy = re.search(rb"<meta http-equiv=.*\n", read)[0]
        forged = re.sub(rb"<b>\d+</b>", b"<b>0</b>", read.replace(policy, b"")).replace(b"<main>", b"<main>\n<script>document.title = 1</script>")
        self.assertEqual(self.changed(sealed(forged, lines)), ["container.page_policy"])

    def test_each_byte_of_the_head_counts_in_both_verifiers(self):
        """Every byte up to the body, one at a time: it is found at its place, and in hash and style at the hash."""
        self.small()
        page = self.report("--from", "1")
        end = page.index(b"<body>\n") + len(b"<body>\n")
        stated = page.index(b"sha256-") + len(b"sha256-")
        title, style = (range(page.index(b"<%s>" % name) + len(name) + 2, page.index(b"</%s>" % name)) for name in (b"title", b"style"))
        chance, places = random.Random(9), [at for at in range(len(b"<!DOCTYPE html>\n"), end) if at not in style] + list(style)[::97]
        changed = []
        for number, at in enumerate(places):
            byte = chance.choice([value for value in range(256) if value not in (page[at], 0x3C)])
            changed.append(self.folder / ("%d.html" % number))
            changed[-1].write_bytes(page[:at] + bytes([byte]) + page[at + 1:])
        files = json.loads(hp_verify("bundle", *changed, "--json").out)["files"]
        theirs = json.loads(subprocess.run([sys.executable, os.fspath(VERIFIER), "--json", *map(os.fspath, changed)], capture_output=True).stdout)["files"]
        for at, file, other in zip(places, files, theirs):
            expected = None if at in title else stated if at in style or stated <= at < stated + 44 else at
            found = [finding.get("byte") for finding in file["findings"] if finding["code"] == "container.page_policy"]
            if at in (title.stop, style.stop):  # title or style goes on to the next bracket
                self.assertEqual((len(found), found[0] > at), (1, True))
            else:
                self.assertEqual(found, [] if expected is None else [expected], at)
            self.assertEqual(vectors.places(file["findings"]), vectors.places(other["findings"]), at)

    def test_a_meta_behind_the_head_is_found_wherever_it_stands(self):
        self.small()
        read, lines = parts(self.report("--from", "1"))
        body, chance = read.index(b"<body>\n") + len(b"<body>\n"), random.Random(10)
        places = [match.start() for match in re.finditer(rb"<", read[body:])]
        for place in [0, *chance.sample(places, 6), len(read) - body - 1]:
            mark = b"".join(bytes([byte ^ 0x20]) if byte > 0x40 and chance.random() < 0.5 else bytes([byte]) for byte in b"<meta")
            at = body + place
            self.assertEqual(self.changed(sealed(read[:at] + mark + b" http-equiv=refresh content=0>" + read[at:], lines)), ["container.page_policy"], at)
            (file,) = json.loads(hp_verify("bundle", self.folder / "changed.html", "--json").out)["files"]
            self.assertEqual(file["findings"][0]["byte"], at)

    def test_the_same_archive_gives_the_same_page_in_every_locale_and_zone(self):
        self.small()
        first = self.report("--from", "1", "--no-record")
        for zone, locale in (("Pacific/Apia", "de_DE.UTF-8"), ("America/Sao_Paulo", "C"), ("UTC", "ar_EG.UTF-8"), ("", "tr_TR.UTF-8"), (":/nowhere", "POSIX")):
            again = hp_export("report", self.archive, "--from", "1", "--no-record", "--quiet", "-o", "-", env={**os.environ, "TZ": zone, "LC_ALL": locale, "LANG": locale})
            self.assertEqual(again.out, first)

    def test_hostile_texts_stay_texts(self):
        archive = Builder(self.archive, 2, types=[STEPS, SLEEP] + HOSTILE)
        for number, name in enumerate(HOSTILE):
            archive.record(0, 60, 1.0, sample_type=name, unit=name, bundle=name, last=2)
            archive.record(60, 120, 2.0, sample_type=name, unit=name, bundle=name, first=2)
        archive.close()
        page = self.report()
        self.assertEqual(self.codes(), [])
        reading = Reading(page.decode())
        self.assertEqual(reading.open, [])
        self.assertFalse(reading.elements & {"script", "img", "iframe", "object", "link", "form", "base"}, reading.elements)
        allowed = {"lang", "charset", "http-equiv", "content", "name", "class", "scope", "role", "tabindex", "aria-label", "id", "href", "open", "viewbox", "width", "height", "x", "y", "cx", "cy", "r", "d", "colspan"}
        self.assertLessEqual({name for name, _ in reading.attributes}, allowed)
        for name in HOSTILE:
            self.assertFalse([value for _, value in reading.attributes if name in (value or "")], name[:20])
        self.assertTrue(all(value.startswith("#") for name, value in reading.attributes if name == "href"))
        rows = [row[0] for caption, rows in reading.tables.items() if caption.startswith("Sample types") for row in rows[1:]]
        shown = {re.sub("[\x00-\x1f\x7f]", "\ufffd", name) if len(name) <= 200 else name[:200] + "… (10000 characters)" for name in HOSTILE}
        self.assertEqual(set(rows), shown | {row for row in rows if row.endswith((STEPS, SLEEP))})

    def test_small_archives_have_a_page(self):
        for observations, count in ((1, 0), (2, 0), (2, 1)):
            with self.subTest(observations=observations, records=count):
                self.archive = self.folder / ("%d-%d.sqlite" % (observations, count))
                archive = Builder(self.archive, observations)
                archive.records(count, 60, 1.0, first=2)
                archive.close()
                self.report("--from", "1", "--to", str(observations), "--force")
                self.assertEqual(self.codes(), [])
                # A page of one observation counts records, types, sources and days; one of two what is gone, replaced, changed and new.
                self.assertEqual(Reading(self.page.read_text("utf-8")).counts, [0, 0, 0, count] if observations == 2 else [0, 0, 0, 0])

    def test_two_hundred_types_and_ten_years_stay_below_two_megabytes(self):
        archive = Builder(self.archive, 2, types=["com.example.type%03d" % number for number in range(200)])
        for number in range(200):
            archive.record(number * DAY, number * DAY + 60, 1.0, sample_type="com.example.type%03d" % number, last=2 if number % 2 else None)
        archive.close()
        self.assertLess(len(self.report()), 2_000_000)
        self.assertEqual(len(rows_of_types(Reading(self.page.read_text("utf-8")))), 200)
        self.archive = self.folder / "years.sqlite"
        archive = Builder(self.archive, 2)
        for day in range(3650):
            archive.record(day * DAY, day * DAY + 60, 1.0, last=2 if day % 20 == 0 else None)
        archive.close()
        self.assertLess(len(self.report("--force")), 2_000_000)
        self.assertEqual(self.codes(), [])
        self.assertEqual(Reading(self.page.read_text("utf-8")).counts, [183, 0, 0, 0])

    @takes_long
    def test_whatever_changed_in_ten_years_of_two_hundred_types_stays_below_two_megabytes(self):
        units = {name: entry["unit"] for name, entry in MEASURES.items() if "unit" in entry}
        names = [*units, *("com.example.type%03d" % number for number in range(200 - len(units)))]
        archive = Builder(self.archive, 2, types=names)
        for place, name in enumerate(names):
            unit = units.get(name, "count")
            for week in range(0, 520, 2):
                archive.record(week * 7 * DAY, week * 7 * DAY + 3600, 1234.56789 + week, sample_type=name, last=2, unit=unit)
                archive.record(week * 7 * DAY + 1800, week * 7 * DAY + 7200, 2345.6789 + place, sample_type=name, first=2, unit=unit)
        archive.close()
        self.assertLess(len(self.report()), 2_000_000)
        self.assertEqual(self.codes(), [])
        text = Reading(self.page.read_text("utf-8")).text
        for said in ("more types have no calendar here", "more windows are not shown here", "records of this type are not shown", "and no month of theirs is shown"):
            self.assertIn(said, text)


if __name__ == "__main__":
    unittest.main()
