"""Records without a UUID that are alike: copies that another app wrote, imports that ran twice. What a capture stores and every diff says of them are the fewest changes that
turn one multiset of records into the other. The matcher here shares no code with the tools or the references.

HP_ALIKE=N looks at so many pairs of multisets.
"""

import collections
import functools
import itertools
import json
import os
import random
import signal
import time
import unittest

import capture_support
from capture_support import STEPS, feed, observation, sample, type_run
from report_support import ReportCase
from support import hp_export, hp_verify, takes_long

PAIRS = int(os.environ.get("HP_ALIKE", "1000"))
KINDS = ("appeared", "disappeared", "representation_changed")


@functools.lru_cache(maxsize=None)
def fewest(before, after):
    """The least number of changes between two small multisets (sorted tuples): every way to match them is tried."""
    if not before or not after:
        return len(before) + len(after)
    first, rest = before[0], before[1:]
    found = [1 + fewest(rest, after)]
    for place in range(len(after)):
        found.append((first != after[place]) + fewest(rest, after[:place] + after[place + 1:]))
    return min(found)


def record(minute, source, entry=None):
    inner = "" if entry is None else '<MetadataEntry key="k" value="%s"/>' % entry
    return '<Record type="%s" sourceName="%s" unit="count" startDate="2024-03-01 %02d:%02d:00 +0000" endDate="2024-03-01 %02d:%02d:00 +0000" value="7">%s</Record>' % (
        STEPS, source, *divmod(minute, 60), *divmod(minute, 60), inner)


def export(month, records, more=""):
    # One record of another time, so that an export is never empty.
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US"><ExportDate value="2024-%02d-02 10:00:00 +0000"/>%s%s%s</HealthData>\n' % (
        month, record(1439, "always"), "".join(records), more)).encode()


class AlikeCase(capture_support.CaptureCase, ReportCase):
    assert_report = ReportCase.assert_same

    def capture(self, month, records, more=""):
        """Captures the same with the reference too, and returns what the capture says."""
        self.both("--apple-health", export(month, records, more), accepted=("accept-disappearances",))

    def captured(self, month, records):
        path = self.written(export(month, records), "export.xml")
        return json.loads(self.assert_good(self.hp_capture("--apple-health", path, "--accept-disappearances", "--json", "--quiet")).out)["observations"][0]

    def changes(self, from_, to):
        """How many changes of each kind the diff has; the summary, the findings and the text agree."""
        items = self.items("diff_report", from_=from_, at=to)
        counts = collections.Counter(item["change"] for item in items if item["change"] in KINDS)
        whole = self.items("diff_summary", from_=from_, at=to)[0]
        self.assertEqual([whole[kind + "_count"] for kind in KINDS], [counts[kind] for kind in KINDS])
        gone = sum(item["disappeared_count"] for item in self.items("finding_report", from_=from_, at=to) if item["finding"] == "disappearance")
        self.assertEqual(gone, counts["disappeared"])
        self.assertEqual(sorted(map(mirror, self.by_payload(to, from_))), self.by_payload(from_, to))
        return tuple(counts[kind] for kind in KINDS)

    def by_payload(self, from_, to):
        items = [item for item in self.items("diff_report", from_=from_, at=to) if item["change"] in KINDS]
        return sorted((item["change"], item.get("before", {}).get("payload_hash", ""), item.get("after", {}).get("payload_hash", "")) for item in items)

    def stored(self, observation):
        events = collections.Counter(kind for kind, in self.rows("SELECT event_kind FROM sample_observation_events WHERE observation_id = %d" % observation))
        return tuple(events[kind] for kind in KINDS)


def mirror(change):
    kind, before, after = change
    return {"appeared": "disappeared", "disappeared": "appeared"}.get(kind, kind), after, before


class Chains(AlikeCase):
    def chain(self, *multisets):
        for month, sources in enumerate(multisets, 1):
            self.capture(month, [record(0, source) for source in sources])

    def test_what_came_back_did_not_change(self):
        self.chain("A", "B", "AB", "A")
        expected = {(1, 2): (0, 0, 1), (1, 3): (1, 0, 0), (1, 4): (0, 0, 0), (2, 3): (1, 0, 0), (2, 4): (0, 0, 1), (3, 4): (0, 1, 0)}
        for (from_, to), counts in expected.items():
            with self.subTest(from_=from_, to=to):
                self.assertEqual(self.changes(from_, to), counts)
                for kind in ("diff_report", "diff_summary", "finding_report", "pair_report"):
                    self.assert_report(kind, from_=from_, at=to, containers=("jsonl",))
                    self.assert_report(kind, from_=to, at=from_, containers=("jsonl",))
        self.assert_good(hp_verify("archive", self.archive, "--quiet"))

    def test_copies_that_come_and_go(self):
        originals, copies = ([record(minute, app) for minute in range(20)] for app in ("Original", "Copy"))
        for month, records in enumerate((originals, copies + originals, originals, copies), 1):
            self.capture(month, records)
        self.assertEqual([self.stored(at) for at in (2, 3, 4)], [(20, 0, 0), (0, 20, 0), (0, 0, 20)])
        self.assertEqual([self.changes(*pair) for pair in ((1, 2), (2, 3), (1, 3), (1, 4), (2, 4))], [(20, 0, 0), (0, 20, 0), (0, 0, 0), (0, 0, 20), (0, 20, 0)])

    def test_a_recorded_diff_is_made_again(self):
        self.chain("AC", "B", "CAB", "A")
        path = self.folder / "changes.jsonl"
        self.assert_good(hp_export("diff", self.archive, "--from", "1", "--to", "3", "--format", "jsonl", "-o", path, "--quiet"))
        for arguments in (("bundle", path), ("bundle", path, "--archive", self.archive), ("reproduce", self.archive), ("archive", self.archive)):
            self.assert_good(hp_verify(*arguments, "--quiet"))


class Orders(AlikeCase):
    def test_three_hundred_in_another_order(self):
        records = [record(0, "App %d" % number) for number in range(300)]
        self.captured(1, records)
        for month, other in enumerate((records[::-1], random.Random(3).sample(records, 300), records[150:] + records[:150]), 2):
            found = self.captured(month, other)
            self.assertEqual([found[kind] for kind in KINDS], [0, 0, 0])
        self.assertEqual([self.stored(at) for at in (2, 3, 4)], [(0, 0, 0)] * 3)
        # Another hundred in front, and a hundred gone.
        self.captured(5, [record(0, "New %d" % number) for number in range(150)] + records[100:][::-1])
        self.assertEqual(self.stored(5), (50, 0, 100))
        self.assertEqual(self.changes(2, 5), (50, 0, 100))

    def test_the_order_of_the_file_changes_nothing(self):
        chance = random.Random(17)
        months = [[record(minute, chance.choice("ABC"), chance.choice([None, 1])) for minute in range(6) for _ in range(chance.randint(0, 4))] for _ in range(3)]
        found = []
        for _ in range(3):
            self.renew()
            for month, records in enumerate(months, 1):
                chance.shuffle(records)
                self.captured(month, records)
            found.append([self.items("diff_report", from_=from_, at=to) for from_, to in itertools.permutations((1, 2, 3), 2)])
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])

    def test_members_of_a_correlation_that_wait(self):
        """Correlation and members have changed, and copies stand before them: their links are those of what they are."""
        def part(app, value):
            return '<Record type="%s" sourceName="%s" unit="count" startDate="2024-04-01 10:00:00 +0000" endDate="2024-04-01 10:00:00 +0000" value="%d"/>' % (STEPS, app, value)

        def correlation(app, *parts):
            return '<Correlation type="c" sourceName="%s" startDate="2024-04-01 10:00:00 +0000" endDate="2024-04-01 10:00:00 +0000">%s</Correlation>' % (app, "".join(parts))
        both = lambda app: [part(app, 1), part(app, 2)]
        for month, (records, more) in enumerate([
                (both("A"), correlation("A", *both("A"))), (both("B") + both("A"), correlation("B", *both("B")) + correlation("A", *both("A"))),
                (both("C") + both("B"), correlation("C", *both("C")) + correlation("B", *both("B"))), (both("A"), correlation("A", *both("A"), part("A", 3))),
                ([], correlation("D", part("D", 1), part("E", 1), part("A", 3)))], 1):
            self.capture(month, records, more)
        self.assertEqual([self.stored(at) for at in (2, 3, 4)], [(3, 0, 0), (0, 0, 3), (1, 3, 3)])
        for from_, to in itertools.permutations(range(1, 6), 2):
            with self.subTest(from_=from_, to=to):
                self.assert_report("diff_report", from_=from_, at=to, containers=("jsonl",))
        # The first and the fourth have the same records; a third member came.
        self.assertEqual([item["change"] for item in self.items("diff_report", from_=1, at=4)], ["appeared", "relationship_appeared"])

    def test_links_of_what_came_back(self):
        """The samples of a correlation and of its members have changed places; its links are the same."""
        dates = 'startDate="2024-04-01 10:00:00 +0000" endDate="2024-04-01 10:00:00 +0000"'
        part = lambda app: '<Record type="%s" sourceName="%s" unit="count" %s value="1"/>' % (STEPS, app, dates)
        whole = lambda app: '<Correlation type="c" sourceName="%s" %s>%s</Correlation>' % (app, dates, part(app))
        for month, apps in enumerate(("A", "B", "AB", "A"), 1):
            self.capture(month, [part(app) for app in apps], "".join(map(whole, apps)))
        for from_, to in itertools.permutations(range(1, 5), 2):
            with self.subTest(from_=from_, to=to):
                self.assert_report("diff_report", from_=from_, at=to, containers=("jsonl",))
        self.assertEqual([self.items("diff_report", from_=from_, at=to) for from_, to in ((1, 4), (4, 1))], [[], []])


class Multisets(AlikeCase):
    """Random multisets with copies, a group for each minute: the number of changes is that of the exact matcher, whichever observations are compared."""

    def look(self, seed, groups, months):
        chance = random.Random(seed)
        apps = "ABCDE"[:chance.randint(1, 5)]
        multisets = [[tuple(sorted(chance.choice(apps) for _ in range(chance.choice([0, 1, 1, 2, 3, 4, 5])))) for _ in range(groups)] for _ in range(months)]
        for month, found in enumerate(multisets, 1):
            records = [record(minute, app) for minute, group in enumerate(found) for app in group]
            chance.shuffle(records)
            self.capture(month, records)
        for from_, to in itertools.permutations(range(1, months + 1), 2):
            with self.subTest(seed=seed, from_=from_, to=to):
                found = collections.Counter()
                for item in self.items("diff_report", from_=from_, at=to):
                    found[int(item.get("before", item.get("after"))["start_date"][11:13]) * 60 + int(item.get("before", item.get("after"))["start_date"][14:16])] += 1
                expected = [fewest(*(multisets[at - 1][minute] for at in (from_, to))) for minute in range(groups)]
                self.assertEqual([found[minute] for minute in range(groups)], expected)
                if to == from_ + 1:
                    self.assertEqual(sum(self.stored(to)), sum(expected))
                    self.assertEqual(self.stored(to), self.changes(from_, to))
                self.assert_report("diff_report", from_=from_, at=to, containers=("jsonl",))
                self.assert_report("diff_summary", from_=from_, at=to, containers=("jsonl",))
        self.assert_good(hp_verify("archive", self.archive, "--quiet"))

    def test_a_few(self):
        self.look(1, 12, 4)

    @takes_long
    def test_many(self):
        for seed in range(PAIRS // 240 + 1):
            self.renew()
            self.look(1000 + seed, 20, 4)


class Feeds(AlikeCase):
    """Records of feeds need not have UUIDs."""

    def records(self, apps, minute=0, **others):
        return [sample(minute=minute, source={"name": app}, **others) for app in apps]

    def test_full_scans_and_other_runs(self):
        days = [self.records("A"), self.records("BBA"), self.records("AC"), self.records("CA")]
        for day, records in enumerate(days, 1):
            self.both("--feed", feed(observation(day, type_run(records))))
        self.assertEqual([self.stored(at) for at in (2, 3, 4)], [(2, 0, 0), (0, 1, 1), (0, 0, 0)])
        # A run that did not look at everything closes nothing.
        self.both("--feed", feed(observation(5, type_run(self.records("DA"), mode="anchored"))))
        self.assertEqual(self.stored(5), (0, 0, 1))

    def test_a_capture_that_was_killed_gives_the_same(self):
        """Wherever it ends, sent again it has what it would have had."""
        first = self.records("ABC") + self.records("AB", 1)
        second = [self.records("DC"), self.records("AXY", 2), self.records("CB") + self.records("B", 1), self.records("ZX", 2)]
        whole = feed(observation(1, type_run(first)), observation(2, type_run(*second)))
        self.both("--feed", whole)
        expected = capture_support.dump(self.archive)
        lines = whole.splitlines(keepends=True)
        begins = next(number for number, line in enumerate(lines) if b"2024-06-02" in line)
        for end in range(begins + 1, len(lines)):
            with self.subTest(end=end):
                self.renew()
                # The pipe stays open: the capture waits for more, and is killed.
                process = capture_support.start_with_input("capture", self.archive, "--secret", self.secret, "--feed", "-")
                process.stdin.write(b"".join(lines[:end]))
                process.stdin.flush()
                time.sleep(0.4)
                process.send_signal(signal.SIGKILL)
                process.communicate()
                path = self.written(whole)
                result = self.hp_capture("--feed", path, "--quiet")
                self.assertEqual(result.status, 0, result)
                self.assertEqual(capture_support.dump(self.archive), expected)

    def test_records_with_a_uuid_are_not_matched(self):
        """Another UUID is another record, whatever it says."""
        for day, number in enumerate((1, 2, 1), 1):
            self.both("--feed", feed(observation(day, type_run([sample(number), sample(9, 1)]))))
        self.assertEqual([self.changes(*pair) for pair in ((1, 2), (2, 3), (1, 3))], [(1, 1, 0), (1, 1, 0), (0, 0, 0)])


if __name__ == "__main__":
    unittest.main()
