"""The answer of `diff --summary`: every statement against the truth of random months, and the texts of single cases."""

import datetime
import html
import json
import os
import re
import shlex
import unicodedata

from answer_months import KINDS, MEASURES, Months, is_cumulative, shown_name
from archive_builder import DAY, START, STEPS, Builder
from support import Case, execute, hp_export, hp_verify, verdict_of

BEATS = "HKQuantityTypeIdentifierHeartRate"

MONTHS = dict(zip("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), range(1, 13)))
LABELS = "Gone Replaced Kept Changed Sources New Links Unchanged Not\\ known To\\ know Not\\ stored Rejected Earlier Most Days Next".replace("\\ ", "_").split()
WORDS = {"sum": "same source, time and total; the single values are gone", "mean": "same source, time and mean; the single values are gone",
         "apple": "same source and time; that the value is theirs cannot be proved", "moved": "the same from another source"}
DATES = r"(?:(\d+) days from )?((?:\d+ (?:\w+ )?(?:\d{4} )?to )?\d+ \w+ \d{4})"


def columns(line):
    """Columns of a terminal, by the widths of Unicode."""
    return sum(0 if unicodedata.category(letter) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def number(text):
    return int(text.replace(",", ""))


def span(text):
    """The first and the last day of a text such as `28 Jul to 3 Aug 2026`."""
    *first, last = text.split(" to ")
    day, month, year = last.split()
    last = datetime.date(int(year), MONTHS[month[:3]], int(day))
    if not first:
        return last, last
    day, *rest = first[0].split()
    month = MONTHS[rest[0][:3]] if rest else last.month
    return datetime.date(int(rest[1]) if len(rest) > 1 else last.year, month, int(day)), last


def rows_of(lines):
    """The rows by their first word; a row that is wrapped is one text."""
    rows, name = {}, None
    for line in lines:
        word = line[:11].strip().replace(" ", "_")
        if word in LABELS and line[len(word):len(word) + 1] == " " and len(line[:11]) == 11:
            name = word
            rows[name] = [line[11:]]
        elif line.startswith(" " * 11) and name:
            rows[name].append(line[11:])
        else:
            name = None
    return rows


def items_of(texts, begins):
    """The texts of a row joined to items, each of which begins as a pattern says."""
    items = []
    for text in texts:
        if re.match(begins, text) or not items:
            items.append(text)
        else:
            items[-1] += " " + text
    return items


class AnswerCase(Case):
    def setUp(self):
        super().setUp()
        self.archive = self.folder / "a.sqlite"

    def capture(self, content, *options):
        path = self.folder / "export.xml"
        path.write_bytes(content)
        result = hp_export("capture", self.archive, "--apple-health", path, "--keep-labels", "--quiet", "--accept-disappearances", *options)
        self.assertIn(result.status, (0, 1), result)

    def answer(self, *options):
        return self.assert_good(hp_export("diff", self.archive, "--summary", "--quiet", *options)).out.decode()

    def read(self, *options):
        """The lines of an answer, and its rows."""
        text = self.answer(*options)
        lines = text.splitlines()
        for line in lines:
            self.assertLessEqual(columns(line), 80, text)
        return text, lines, rows_of(lines)


class SingleCases(AnswerCase):
    def test_commands_name_the_archive_however_long_its_path_is(self):
        months = Months(0, ["lost"])
        for place, name in enumerate(["a", "-a b'c", "b" * 60, "c d" * 40]):
            with self.subTest(name=name):
                folder = self.folder / ("f%d" % place)
                folder.mkdir()
                self.archive = folder / (name + ".sqlite")
                for number in range(2):
                    self.capture(months.export(number))
                text = self.answer()
                commands = re.findall(r"(hp-export (?:.|\\\n)*?)(?:\n(?! ) *|$)", text)
                self.assertEqual(len(commands), 2, text)
                for command in commands:
                    words = shlex.split(command.replace("\\\n", ""))
                    self.assertEqual((words[0], words[2]), ("hp-export", os.fspath(self.archive)))
                    self.assertNotEqual(words[3:], [])
                wide = [line for line in text.splitlines() if columns(line) > 80]
                self.assertTrue(all(len(shlex.split(line.rstrip("\\"))) == 1 for line in wide), text)

    def test_a_source_without_a_name_says_how_to_name_it(self):
        months = Months(7, ["phone"])
        for place in (0, 1):
            export = self.folder / ("export-%d.xml" % place)
            export.write_bytes(months.export(place))
            self.assert_good(hp_export("capture", self.archive, export, "--quiet", "--accept-disappearances"))
        said = self.assert_good(hp_export("diff", self.archive, "--summary", "--no-record", "--quiet")).out.decode()
        self.assertIn("new from", said)
        self.assertIn("--labels-only", said)
        self.assert_good(hp_export("capture", self.archive, "--labels-only", export, "--quiet"))
        said = self.assert_good(hp_export("diff", self.archive, "--summary", "--no-record", "--quiet")).out.decode()
        self.assertNotIn("--labels-only", said)

    def test_an_archive_without_notes_does_not_claim_that_all_was_read(self):
        archive = Builder(self.archive, 2, types=[STEPS, BEATS])
        archive.records(5, 60, 1.0)
        archive.record(0, 60, 70.0, sample_type=BEATS, unit="count/min")
        archive.close()
        text, lines, rows = self.read()
        self.assertEqual(lines[0], "No loss is recorded: all 6 records of 2 Jan 2001 are visible.")
        self.assertEqual(" ".join(rows["Not_known"]), "2 types (most records: step count): the archive states that the query was completed, not that every record was read")
        page = self.folder / "page.html"
        self.assert_good(hp_export("report", self.archive, "-o", page, "--no-record", "--quiet"))
        said = html.unescape(re.sub("<[^>]+>", " ", page.read_text(encoding="utf-8")))
        self.assertIn("2 types (most records: step count): the archive states", " ".join(said.split()))
        self.assertIn("unchanged, not stated that every record was read", self.answer("--details"))

    def test_sources_that_overlap_are_named_next_to_a_sum(self):
        """On three days: a phone from 10:00 to 10:30, a watch from 10:20 to 10:50: 10 of 50 minutes are of both."""
        def lost(name, bundles, shifts, more=()):
            self.archive = self.folder / (name + ".sqlite")
            archive = Builder(self.archive, 2, types=[STEPS])
            for day in (2, 3, 4):
                for bundle, shift in zip(bundles, shifts):
                    archive.record(day * DAY + 36000 + shift * 60, day * DAY + 37800 + shift * 60, 10.0, bundle=bundle, last=2)
            for start in more:
                archive.record(start, start + 60, 1.0, bundle=bundles[0], last=2)
            archive.record(30 * DAY, 30 * DAY + 60, 1.0, bundle=bundles[0])
            archive.close()
            for bundle, product in (("com.example.phone", "iPhone17,1"), ("com.example.watch", "Watch7,1")):
                execute(self.archive, "UPDATE source_revisions SET product_type = '%s' WHERE source_id = (SELECT id FROM sources WHERE bundle_identifier = '%s')" % (product, bundle))
            return " ".join(self.read()[2]["Gone"])
        phone, watch, other = "com.example.phone", "com.example.watch", "com.example.other"
        days = "hp-export days counts each moment once)"
        self.assertEqual(lost("two", (phone, watch), (0, 20)), "6 records of step count, 3 to 5 Jan 2001, 60 in total (phone and watch overlap: 20 % of the time; " + days)
        self.assertEqual(lost("other", (phone, other), (0, 15)), "6 records of step count, 3 to 5 Jan 2001, 60 in total (sources overlap: 33 % of the time; " + days)
        # Of 10:00 to 10:50, 10:10 to 10:40 are of two or three.
        self.assertEqual(lost("three", (phone, watch, other), (0, 10, 20)), "9 records of step count, 3 to 5 Jan 2001, 90 in total (sources overlap: 60 % of the time; " + days)
        self.assertEqual(lost("apart", (phone, watch), (0, 30)), "6 records of step count, 3 to 5 Jan 2001, 60 in total")
        self.assertEqual(lost("one", (phone, phone), (0, 20)), "6 records of step count, 3 to 5 Jan 2001, 60 in total")

    def test_the_first_months_of_the_calendar(self):
        """No bar begins before the year 1, whose first month has no timestamp where the clock is ahead of UTC."""
        first = -62_135_596_800 - START
        for offset, months, days in ((7200, ["0001-02", "0001-03"], "0001-01-01"), (0, ["0001-01", "0001-02", "0001-03"], "0001-01-01"), (-7200, ["0001-01", "0001-02", "0001-03"], "0001-01-01")):
            with self.subTest(offset=offset):
                archive = Builder(self.archive, 2, types=[STEPS])
                archive.records(3, DAY, 1.0, begin=first + 40 * DAY - 20 * DAY + 50_000)
                archive.records(20, DAY, 2.0, begin=first + 33 * DAY + 50_000, last=2)
                archive.records(3, 60, 3.0, begin=first + 5 * DAY + 50_000, last=2)
                archive.close()
                execute(self.archive, "UPDATE observations SET time_zone_seconds_from_gmt = %d" % offset)
                page = self.folder / "page.html"
                self.assert_good(hp_export("report", self.archive, "-o", page, "--no-record", "--quiet", "--force"))
                self.assertEqual(verdict_of(page)["findings"], [])
                self.assert_good(hp_verify("bundle", page))
                answer = json.loads(html.unescape(page.read_text(encoding="utf-8").partition("<template")[2]).splitlines()[2])["item"]["answer"]
                charts = {stretch["first_date"]: stretch["chart"] for stretch in answer["gone"]["largest"]}
                self.assertEqual(list(charts), ["0001-02-03", "0001-01-06"])
                self.assertEqual([bar["date"][:7] for bar in charts["0001-02-03"]["months"]], months)
                self.assertEqual(charts["0001-01-06"]["days"][0]["date"], days)
                self.assertEqual(sum(bar["before_count"] for bar in charts["0001-01-06"]["days"]), 3)
            self.archive.unlink()


class RandomMonths(AnswerCase):
    def test_every_statement_is_true_and_none_is_missing(self):
        seeds = range(int(os.environ.get("HP_EXPORTS", "30")))
        for seed in seeds:
            with self.subTest(seed=seed):
                # Each kind comes alone first, then they are drawn.
                self.check(Months(seed, [KINDS[seed]] if seed < len(KINDS) else None))

    def check(self, months):
        for suffix in ("", "-wal", "-shm", ".labels", ".cache"):
            (self.folder / ("a.sqlite" + suffix)).unlink(missing_ok=True)
        for place in range(2):
            self.capture(months.export(place))
        self.months = months
        self.text, self.lines, self.rows = self.read()
        gone = [change for change in months.changes if change.kind in ("gone", "corrected")]
        replaced = [change for change in months.changes if change.kind in WORDS]
        self.gone = [record for change in gone for record in change.before]
        self.replaced = [record for change in replaced for record in change.before]
        self.became = [record for change in replaced for record in change.after]
        self.changed = [record for change in months.changes if change.kind == "changed" for record in change.before]
        self.in_place = [record for change in gone for record in change.after]
        self.check_headline()
        self.check_gone(gone)
        self.check_replaced(replaced)
        self.check_changed()
        self.check_counts()
        self.check_sources()
        self.check_unknown()
        self.check_page()
        self.check_list()
        self.check_commands()
        self.capture(months.export(2))
        self.check_later()

    def fail_with(self, what):
        self.fail("%s, kinds %s\n%s" % (what, self.months.kinds, self.text))

    def same(self, found, expected, what):
        if found != expected:
            self.fail_with("%s: %r, not %r" % (what, found, expected))

    def known(self, records):
        return [record for record in records if record.type != self.months.unknown]

    # The first line

    def check_headline(self):
        first, types = self.lines[0], len({record.type for record in self.months.first + self.months.second})
        if self.gone:
            found = re.match(r"([\d,]+) records? (is|are) no longer in the export\b(: (.*))?", first)
            self.same(found and (number(found[1]), found[2]), (len(self.gone), "is" if len(self.gone) == 1 else "are"), "gone in the first line")
            self.check_tail(found[4], self.gone, {record.type for record in self.gone})
            if self.replaced:
                text = " ".join(self.text.split())
                also = re.search(r"%d records were replaced by %d(?:: (.*?))?\. " % (len(self.replaced), len(self.became)), text)
                self.same(bool(also and also[1]), True, "the type of what was replaced")
                self.check_tail(also[1], self.replaced, {record.type for record in self.replaced})
        elif self.replaced:
            found = re.match(r"([\d,]+) records? were replaced by ([\d,]+)(: (.*))?\.$", first)
            self.same(found and (number(found[1]), number(found[2])), (len(self.replaced), len(self.became)), "replaced in the first line")
            self.check_tail(found[4], self.replaced, {record.type for record in self.replaced})
            self.same("No other record is gone." in self.text, self.months.unknown is None, "nothing else")
        elif self.months.unknown:
            others = types - 1
            start = "Not known for 1 of %d types. In %s" % (types, "the other one" if others == 1 else "the %d others" % others)
            self.same(first, start + (" nothing is missing." if not self.changed else " no record is gone."), "the first line")
        elif self.changed:
            self.same(first, "No record is gone: all {:,} of {} are there.".format(len(self.months.first), day(self.months.dates[0])), "the first line")
            self.same("%d have changed." % len(self.changed) in self.text, True, "changed")
        else:
            self.same(first, "Nothing is missing: all {:,} records of {} are there, unchanged.".format(len(self.months.first), day(self.months.dates[0])), "the first line")
        self.same("othing is missing" in self.text, not (self.gone or self.replaced or self.changed), "nothing is missing")
        basis = "Export of %s, compared with %s. Days at UTC+02:00." % (day(self.months.dates[1]), day(self.months.dates[0]))
        self.same(basis in self.text, True, "what it rests on")

    def check_tail(self, tail, records, types):
        """The types and the days that the first line names."""
        if tail is None:
            return
        if len(types) == 1:
            self.same(tail.startswith(shown_name(next(iter(types)))), True, "the type in the first line")
        else:
            self.same(tail.startswith("%d types" % len(types)), True, "the types in the first line")
            most = re.search(r"most (.*?)(,|\.|$)", tail)
            if most:
                counts = {name: sum(record.type == name for record in records) for name in types}
                self.same(most[1] in [shown_name(name) for name in types if counts[name] == max(counts.values())], True, "the type with the most records")
        dates = re.search(DATES, tail)
        if dates:
            days = {record.start.date() for record in records}
            self.same(span(dates[2]), (min(days), max(days)), "the days in the first line")
            if dates[1]:
                self.same(int(dates[1]), len(days), "the number of days in the first line")
            elif len(days) > 1:
                self.same((max(days) - min(days)).days + 1, len(days), "days without a number in the first line")
                self.check_nothing_between(next(iter(types)), min(days), max(days))

    # Stretches

    def check_nothing_between(self, name, first, last):
        between = [record for record in self.months.second if record.type == name and first <= record.start.date() <= last]
        self.same(between, [], "records of the type in the span")

    def check_row(self, text, records, pattern):
        """A row of a stretch: its count, type and days; the records that it is about."""
        found = re.fullmatch(r"([\d,]+) records? of (.+?)%s, %s(.*)" % (pattern, DATES), text)
        if not found:
            self.fail_with("a row that is none: " + text)
        groups = found.groups()
        first, last = span(groups[-2])
        mine = [record for record in records if shown_name(record.type) == groups[1] and first <= record.start.date() <= last]
        days = {record.start.date() for record in mine}
        self.same(len(mine), number(groups[0]), "records of " + text)
        self.same((min(days), max(days)), (first, last), "days of " + text)
        if groups[-3]:
            self.same(int(groups[-3]), len(days), "the number of days of " + text)
        return mine, groups, first, last

    def check_rest(self, items, total, shown):
        rest = [item for item in items if item.startswith("and ")]
        counted = number(re.match(r"and ([\d,]+) records?", rest[0])[1]) if rest else 0
        self.same(shown + counted, total, "the sum of the rows")

    def check_gone(self, gone):
        items = items_of(self.rows.get("Gone", []), r"[\d,]+ records? of|and [\d,]+ records? in")
        self.same(bool(items), bool(self.gone), "a row of what is gone")
        shown = 0
        for item in items:
            if item.startswith("and "):
                continue
            mine, groups, first, last = self.check_row(item, self.gone, "()")
            shown += len(mine)
            rest = groups[-1]
            days = {record.start.date() for record in mine}
            if not groups[-3] and first != last:
                self.check_nothing_between(mine[0].type, first, last)
                self.same((last - first).days + 1, len(days), "days of " + item)
            total = re.search(r", (-?[\d,.]+)( \S+)? in total", rest)
            if total:
                unit, all_of_it = MEASURES[mine[0].type]["unit"], sum(record.value for record in mine) + 0.0
                if unit == "m":  # people read distances in kilometres
                    unit, all_of_it = "km", all_of_it / 1000
                self.same(float(total[1].replace(",", "")), round(all_of_it, 2), "the total of " + item)
                self.same((total[2] or "").strip(), "" if unit == "count" else unit, "the unit")
            self.same(bool(total), is_cumulative(mine[0]), "a total of " + item)
            self.same("overlap" in item, False, "overlap of records that are hours apart")
            others = re.search(r"; ([\d,]+) other records? (?:is|are) new at that time", rest)
            placed = [record for record in self.in_place if record.type == mine[0].type and first <= record.start.date() <= last]
            self.same(number(others[1]) if others else 0, len(placed), "others in the place of " + item)
        if items:
            self.check_rest(items, len(self.gone), shown)

    def check_replaced(self, replaced):
        items = items_of(self.rows.get("Replaced", []), r"[\d,]+ records? of|and [\d,]+ records? in")
        self.same(bool(items), bool(replaced), "a row of what was replaced")
        shown = 0
        for item in items:
            if item.startswith("and "):
                continue
            mine, groups, first, last = self.check_row(item, self.replaced, r" by ([\d,]+)")
            shown += len(mine)
            change = next(change for change in replaced if mine[0] in change.before)
            after = [record for record in change.after if first <= record.start.date() <= last]
            self.same(number(groups[2]), len(after), "records that replaced " + item)
            self.same(groups[-1], ": " + WORDS[change.kind], "what became of " + item)
        if items:
            self.check_rest(items, len(self.replaced), shown)

    def check_changed(self):
        items = items_of(self.rows.get("Changed", []), r"[\d,]+ records? of|and [\d,]+ records? in")
        self.same(bool(items), bool(self.changed), "a row of what changed")
        shown = 0
        for item in items:
            mine, groups, _, _ = self.check_row(item, self.changed, "()")
            shown += len(mine)
            self.same(groups[-1] in (", with the same values and dates, in another form", ", in another version"), True, "what changed: " + item)
        self.same(shown, len(self.changed), "the sum of what changed")

    # Counts

    def check_counts(self):
        months = self.months
        new = self.known(months.new) + self.in_place
        text, counted, rest = re.match(r"(.*?)(; ([\d,]+) of a type that is not known (?:is|are) not counted here)?$", " ".join(self.rows["New"])).groups()
        self.same(number(rest) if counted else 0, len(months.new) - len(self.known(months.new)), "what is new of the type that is not known")
        if new:
            found = re.match(r"([\d,]+) records? of (\d+) types?, %s(.*)" % DATES, text)
            days = [record.start.date() for record in new]
            spans = span(found[4])
            self.same((number(found[1]), int(found[2]), *spans), (len(new), len({record.type for record in new}), min(days), max(days)), "what is new")
            limit = (months.dates[0] - datetime.timedelta(days=7)).date()
            late = [record for record in new if record.start.date() < limit]
            found = re.search(r"; of these ([\d,]+) begin a week or more before the earlier export, (.*?)(?: \((?:most )?(.*?)\))?$", text)
            self.same(number(found[1]) if found else 0, len(late), "what begins earlier")
            if late:
                self.same(span(found[2]), (min(record.start.date() for record in late), max(record.start.date() for record in late)), "days of what begins earlier")
        else:
            self.same(text, "none", "what is new")
        kept = self.known(months.first)
        count = len(kept) - len(self.gone) - len(self.replaced) - len(self.changed)
        found = re.match(r"([\d,]+) records? of (\d+) types?", " ".join(self.rows["Unchanged"]))
        touched = {record: True for record in self.gone + self.replaced + self.changed}
        self.same((number(found[1]), int(found[2])), (count, len({record.type for record in kept if record not in touched})), "what is unchanged")
        self.same("Changed: none" in self.text, not self.changed, "nothing changed")
        lost = len(self.gone) + len(self.replaced)
        found = re.match(r"all ([\d,]+) in this archive|(this record) in this archive", " ".join(self.rows.get("Kept", [])))
        self.same((1 if found[2] else number(found[1])) if found else 0, lost, "what is kept")

    def check_sources(self):
        months, text = self.months, self.rows["Sources"]
        items = items_of(text, r"new from|quiet after|none new|and \d+ more|.* is also ")
        before, after = ({record.source for record in records} for records in (months.first, months.second))
        complete = {record.source for record in self.known(months.second)}
        new = {}
        for source in (after - before) & complete:
            mine = [record for record in months.second if record.source == source]
            new[source] = (min(record.start for record in mine).date(), len(mine))
        limit = months.dates[0] - datetime.timedelta(days=30)
        quiet = {}
        for source in before:
            recent = [record for record in months.first if record.source == source and record.start >= limit]
            later = [record for record in months.second if record.source == source and record.start >= months.dates[0]]
            if recent and not later and not any(self.is_recent(source, kind, limit) for kind in [months.unknown]):
                last = [record.start for record in months.second if record.source == source] or [record.start for record in months.first if record.source == source]
                quiet[source] = max(last).date()
        found_new, found_quiet = {}, {}
        for item in items:
            match = re.fullmatch(r"new from (.*?): (.*) \(([\d,]+) records?\)", item)
            if match:
                found_new[match[2]] = (span(match[1])[0], number(match[3]))
            match = re.fullmatch(r"quiet after (.*?): (.*)", item)
            if match:
                found_quiet[match[2]] = span(match[1])[0]
        self.same((found_new, found_quiet), (new, quiet), "sources")
        self.same(items[0] == "none new, none gone quiet", not new and not quiet, "no sources")
        self.check_findings(new, quiet)

    def check_findings(self, new, quiet):
        """The report of findings names the same sources, and both verifiers accept it."""
        report = self.folder / "findings.jsonl"
        self.assert_good(hp_export("diff", self.archive, "--findings", "--format", "jsonl", "-o", report, "--force", "--no-record", "--quiet"))
        self.assert_good(hp_verify("bundle", report))
        self.same(verdict_of(report)["findings"], [], "what the verifier in Python finds")
        labels = dict(line.split(" ", 1) for line in (self.folder / "a.sqlite.labels").read_text(encoding="utf-8").splitlines()[1:])
        items = [json.loads(line)["item"] for line in report.read_bytes().splitlines()[1:-1]]
        found = {kind: {json.loads(labels[item["source"]["source_name_hash"]]): item for item in items if item["finding"] == kind} for kind in ("source_appeared", "source_quiet")}
        self.same({name: item["after_count"] for name, item in found["source_appeared"].items()}, {name: count for name, (_, count) in new.items()}, "sources that appeared")
        self.same(set(found["source_quiet"]), set(quiet), "sources that went quiet")

    def is_recent(self, source, kind, limit):
        return any(record.source == source and record.type == kind and record.start >= limit for record in self.months.first)

    def check_unknown(self):
        months, text = self.months, " ".join(self.rows["Not_known"])
        types = {record.type for record in months.first}
        if months.unknown is None:
            found = re.fullmatch(r"nothing: (\d+) of (\d+) types? (?:was|were) read completely both times(?:; (\d+) (?:is|are) new)?", text)
            first = {record.type for record in months.second} - types
            self.same(found and (int(found[1]), int(found[2]), int(found[3] or 0)), (len(types), len(types | first), len(first)), "what is known")
        else:
            count = sum(record.type == months.unknown for record in months.first)
            name = shown_name(months.unknown)
            start = "{}, {:,} before".format(name[0].upper() + name[1:], count)
            self.same(text.startswith(start), True, "what is not known")
            self.same("To_know" in self.rows and "Rejected" in self.rows, True, "how to know it")

    def check_page(self):
        """The page says the same: its heading, its four numbers, and a box for each stretch and unknown type."""
        path = self.folder / "page.html"
        self.assert_good(hp_export("report", self.archive, "-o", path, "--no-record", "--force", "--quiet"))
        self.same(verdict_of(path)["findings"], [], "what the verifier in Python finds in the page")
        page = path.read_text(encoding="utf-8").replace("\u202f", ",")
        page, _, lines = page.partition("<template")
        self.check_charts(json.loads(html.unescape(lines).splitlines()[2])["item"]["answer"])
        heading = html.unescape(re.search("<h1>(.*?)</h1>", page)[1])
        start = re.sub(r"\W+", " ", self.lines[0]).split()
        self.same(re.sub(r"\W+", " ", heading).split()[:5], start[:5], "the heading of the page")
        if self.gone or self.replaced:
            mine = self.gone or self.replaced
            self.check_tail(heading.partition(": ")[2], mine, {record.type for record in mine})
            first = html.unescape(page[page.index("<h1>"):page.index('<ul class="counts">')])
            unknown = "It is %s." % shown_name(self.months.unknown) if self.months.unknown else "Not known: nothing."
            self.same(unknown in re.sub("[\u2068\u2069]", "", first), True, "what is not known, in the first lines")
        new = len(self.known(self.months.new)) + len(self.in_place)
        self.same([number(text) for text in re.findall(r"<li><b>([\d,]+)</b>", page)][:4], [len(self.gone), len(self.replaced), len(self.changed), new], "the numbers of the page")
        words = "new in known types" if self.months.unknown else "new"
        self.same(re.findall(r"<li><b>[\d,]+</b> (.*?)</li>", page)[3], words, "which new records the page counts")
        sections = {name: html.unescape(text) for name, text in re.findall(r'<h2 id="(\w+)">.*?</h2>\n(.*?)(?=<h2 |<details class="part")', page, re.S)}
        for name, records, pattern in (("gone", self.gone, "()"), ("replaced", self.replaced, r" replaced by ([\d,]+)"), ("changed", self.changed, "()")):
            self.same(name in sections, bool(records), "a section " + name)
            boxes = re.findall('<div class="fact">\n<h3>(.*?)</h3>\n<p>(.*?)</p>', sections.get(name, ""))
            shown = sum(len(self.check_row("%s, %s" % box, records, pattern)[0]) for box in boxes)
            rest = re.search(r"And ([\d,]+) records? in [\d,]+ more stretch", sections.get(name, ""))
            self.same(shown + (number(rest[1]) if rest else 0), len(records), "the boxes " + name)
        self.same("unknown" in sections, self.months.unknown is not None, "a section of what is not known")
        if self.months.unknown:
            count = sum(record.type == self.months.unknown for record in self.months.first)
            self.same(bool(re.search("<h3>[^<]*%s, %s before" % (re.escape(shown_name(self.months.unknown)[1:]), "{:,}".format(count)), sections["unknown"])), True, "what is not known on the page")

    def check_charts(self, answer):
        """Bars of days and months are the records of the type on both sides, counted here."""
        for part in ("gone", "replaced"):
            stretches = answer.get(part, {}).get("largest", [])[:5]
            for stretch in stretches:
                chart, name = stretch["chart"], stretch["sample_type"]
                first, last = (datetime.date.fromisoformat(stretch[side]) for side in ("first_date", "last_date"))
                length = datetime.timedelta(days=chart["bar_days"])
                begins = [datetime.date.fromisoformat(bar["date"]) for bar in chart["days"]]
                days = (last - first).days + 29
                self.same((begins[0], chart["bar_days"], len(begins)), (first - datetime.timedelta(days=14), -(-days // 36), -(-days // chart["bar_days"])), "the days of a chart")
                months = [datetime.date.fromisoformat(bar["date"]) for bar in chart["months"]]
                number = last.year * 12 + last.month
                self.same(months, [datetime.date(place // 12, place % 12 + 1, 1) for place in range(number - 11, number + 1)], "the months of a chart")
                for bar, begin, end in [(bar, begin, begin + length) for bar, begin in zip(chart["days"], begins)] + [
                        (bar, begin, (begin + datetime.timedelta(days=31)).replace(day=1)) for bar, begin in zip(chart["months"], months)]:
                    for side, records in (("before", self.months.first), ("after", self.months.second)):
                        values = [record.value for record in records if record.type == name and begin <= record.start.date() < end]
                        self.same(bar[side + "_count"], len(values), "records of a bar of " + str(begin))
                        self.same(side + "_value" in bar, bool(values), "a value of a bar")
                        if values and MEASURES[name]["unit"] != "%":
                            value = sum(values) if MEASURES[name]["measure"] == "cumulative" else sum(values) / len(values)
                            self.same(abs(bar[side + "_value"] - value) < 1e-5 * len(values), True, "the value of a bar")

    def check_list(self):
        """The list of gone records, and the diff: one number."""
        text = self.assert_good(hp_export("diff", self.archive, "--gone")).out.decode().splitlines()
        lost = [line for line in text[:-1] if "  gone      " in line]
        replaced = [line for line in text[:-1] if "  replaced  " in line]
        self.same((len(lost), len(replaced), len(text) - 1), (len(self.gone), len(self.replaced), len(self.gone) + len(self.replaced)), "the list")
        self.same(sorted(line[:19] for line in text[:-1]), sorted(record.start.strftime("%Y-%m-%d %H:%M:%S") for record in self.gone + self.replaced), "the times of the list")
        self.same([line[:19] for line in text[:-1]], sorted(line[:19] for line in text[:-1]), "the order of the list")
        out = self.assert_good(hp_export("diff", self.archive, "--format", "jsonl", "--no-record", "--quiet")).out.splitlines()
        kinds = [json.loads(line)["item"]["change"] for line in out[1:-1]]
        self.same((kinds.count("disappeared"), kinds.count("representation_changed")), (len(self.gone) + len(self.replaced), len(self.changed)), "the diff")

    def check_commands(self):
        """Commands that the answer names can be run."""
        text = self.text.replace(" \\\n", " ")
        commands = re.findall(r"hp-export (diff|list|report)\s+%s (.*)" % re.escape(str(self.archive)), text)
        self.same((len(commands), "ARCHIVE" in text), (text.count("hp-export "), False), "commands")
        for command in commands:
            options = [self.folder / option if option.endswith(".html") else option for option in command[1].split()]
            self.assert_good(hp_export(command[0], self.archive, *options, "--quiet", *(["--no-record", "--force"] if command[0] == "report" else [])))

    def check_later(self):
        """The next month: what was lost stays in *Earlier*, and is in no other row."""
        text, lines, rows = self.read()
        self.text = text
        self.same("Gone" in rows or "Replaced" in rows, False, "a new loss")
        earlier = " ".join(rows.get("Earlier", []))
        found = {"gone": 0, "replaced": 0}
        if "still not there" in earlier:
            for count, what in re.findall(r"([\d,]+) (gone|replaced)\b", earlier.split("still not there: ")[1]):
                found[what] += number(count)
        for count, what in re.findall(r"([\d,]+) records? of .*?: still (gone|replaced) \(since", earlier):
            found[what] += number(count)
        self.same(found, {"gone": len(self.gone), "replaced": len(self.replaced)}, "earlier losses")
        if self.gone or self.replaced:
            self.same(day(self.months.dates[1]) in earlier, True, "since when")
        if self.months.unknown is None:
            self.same(lines[0], "Nothing is missing: all {:,} records of {} are there, unchanged.".format(len(self.months.second), day(self.months.dates[1])), "the first line of the next month")


def day(date):
    return "%d %s %d" % (date.day, date.strftime("%b"), date.year)
